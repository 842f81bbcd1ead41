//! Values of settings, and what makes one fit its key.

use std::fmt;

use serde::Serialize;

use super::{Kind, RepoId};

/// A value that fits its key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A string.
    Text(String),
    /// A whole number.
    Number(u64),
    /// An array of strings.
    List(Vec<String>),
}

impl Value {
    /// Takes the words that a user typed, or a variable holds.
    ///
    /// # Errors
    /// With what would be right. What was given is not part of it: it may be a secret.
    pub fn of_words(kind: Kind, words: &[&str]) -> Result<Self, String> {
        let value = match (kind, words) {
            (Kind::List | Kind::Choices(_), words) => Self::List(words.iter().map(|word| (*word).to_owned()).collect()),
            (Kind::Number { .. }, [word]) if is_decimal(word) => {
                Self::Number(word.parse().map_err(|_| expected(kind))?)
            }
            (Kind::RepoId | Kind::Remote | Kind::Text, [word]) => Self::Text((*word).to_owned()),
            _ => return Err(expected(kind)),
        };
        value.fitting(kind)
    }

    /// Takes a value of a file.
    pub(super) fn of_item(kind: Kind, item: &toml_edit::Item) -> Result<Self, String> {
        let value = match kind {
            Kind::RepoId | Kind::Remote | Kind::Text => item.as_str().map(|text| Self::Text(text.to_owned())),
            Kind::Number { .. } => item.as_integer().and_then(|number| u64::try_from(number).ok()).map(Self::Number),
            Kind::List | Kind::Choices(_) => item.as_array().and_then(strings).map(Self::List),
        };
        value.ok_or_else(|| expected(kind))?.fitting(kind)
    }

    fn fitting(self, kind: Kind) -> Result<Self, String> {
        match (kind, &self) {
            (Kind::RepoId, Self::Text(id)) => RepoId::parse(id).map_err(|error| error.to_string()).map(drop)?,
            (Kind::Remote, Self::Text(remote)) => check_remote(remote)?,
            (Kind::Number { from, to }, Self::Number(number)) if !(from..=to).contains(number) => {
                return Err(expected(kind));
            }
            (Kind::Choices(known), Self::List(words)) if words.iter().any(|word| !known.contains(&word.as_str())) => {
                return Err(expected(kind));
            }
            _ => {}
        }
        Ok(self)
    }

    /// The value as TOML writes it.
    pub(super) fn to_toml(&self) -> toml_edit::Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Number(number) => i64::try_from(*number).unwrap_or(i64::MAX).into(),
            Self::List(words) => words.iter().map(String::as_str).collect::<toml_edit::Array>().into(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => write!(f, "{number}"),
            Self::List(_) => write!(f, "{}", self.to_toml()),
        }
    }
}

fn is_decimal(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn strings(array: &toml_edit::Array) -> Option<Vec<String>> {
    array.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}

fn expected(kind: Kind) -> String {
    match kind {
        Kind::RepoId | Kind::Remote | Kind::Text => "it must be one string".to_owned(),
        Kind::Number { from, to } => format!("it must be a whole number from {from} to {to}"),
        Kind::List => "it must be an array of strings".to_owned(),
        Kind::Choices(known) => format!("it must be an array of {}", quoted(known)),
    }
}

/// Words of a choice as messages and pages name them.
pub(super) fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// A file that others read is no place for a password.
fn check_remote(remote: &str) -> Result<(), String> {
    if remote.is_empty() || remote.chars().any(char::is_control) {
        return Err("it must be the name of a remote or a url".to_owned());
    }
    let Some((scheme, rest)) = remote.split_once("://") else { return Ok(()) };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let Some((user, _)) = authority.rsplit_once('@') else { return Ok(()) };
    if user.contains(':') || scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") {
        return Err(
            "its url holds a user or a password; leave them out and give them to a credential helper of git".to_owned()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_hold_no_secret() {
        for fine in ["origin", "https://h/x.git", "ssh://git@h/x", "git@h:x", "../x", "file:///a@b:c/d"] {
            Value::of_words(Kind::Remote, &[fine]).unwrap();
        }
        let secret = concat!("hun", "ter2");
        for bad in [
            format!("https://u:{secret}@h/x"),
            format!("https://{secret}@h/x"),
            format!("ssh://u:{secret}@h/x"),
            format!("{secret}\n"),
            String::new(),
        ] {
            let error = Value::of_words(Kind::Remote, &[&bad]).unwrap_err();
            assert!(!error.contains(secret), "{error}");
        }
    }

    #[test]
    fn numbers_keep_their_bounds() {
        let kind = Kind::Number { from: 1, to: 1000 };
        for fine in ["1", "1000", "007"] {
            Value::of_words(kind, &[fine]).unwrap();
        }
        for bad in ["0", "1001", "", "+1", "-1", "1.0", "99999999999999999999999"] {
            assert_eq!(Value::of_words(kind, &[bad]).unwrap_err(), "it must be a whole number from 1 to 1000", "{bad}");
        }
        assert!(Value::of_words(kind, &["1", "2"]).is_err() && Value::of_words(kind, &[]).is_err());
    }
}
