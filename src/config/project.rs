//! `cce.toml`, the committed project file.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use sha2::{Digest, Sha256};
use toml_edit::{DocumentMut, Item, Value};

/// The default of `index.size_limit`, in bytes.
pub const DEFAULT_SIZE_LIMIT: u64 = 2 << 20;

/// The largest `index.size_limit` a project may ask for, in bytes.
pub const MAX_SIZE_LIMIT: u64 = 16 << 20;

/// Settings that shape records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// Patterns (gitignore syntax, from the root) of files that are left out.
    pub exclude: Vec<String>,
    /// Language by pattern (gitignore syntax), over what name and content say.
    pub languages: BTreeMap<String, String>,
    /// The packs to use; all of them where `None`.
    pub packs: Option<Vec<String>>,
    /// Files over this many bytes are skipped as `oversize`.
    pub size_limit: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { exclude: Vec::new(), languages: BTreeMap::new(), packs: None, size_limit: DEFAULT_SIZE_LIMIT }
    }
}

impl Settings {
    /// Lower-case hex SHA-256 of the settings in canonical form.
    pub fn digest(&self) -> String {
        let canonical = serde_json::to_vec(self).expect("settings are plain data");
        Sha256::digest(&canonical).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// What a committed `cce.toml` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectFile {
    /// The repository's id, over what its `origin` says.
    pub repo_id: Option<RepoId>,
    /// The settings that shape records.
    pub settings: Settings,
}

/// A name for a repository that is the same on every machine: `github.com/acme/billing`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoId(String);

/// A string that cannot be a [`RepoId`]. It does not keep the string, which may be a URL
/// with a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a repository id such as `example.com/team/repo`: {why}")]
pub struct RepoIdError {
    why: &'static str,
}

impl RepoId {
    /// Checks an id: 1 to 512 bytes, only letters, digits, `/` and `-_.~+`, no empty or
    /// dotted part between its slashes.
    ///
    /// # Errors
    /// Names the rule that is broken.
    pub fn parse(id: &str) -> Result<Self, RepoIdError> {
        let why = if id.is_empty() {
            "it is empty"
        } else if id.len() > 512 {
            "it is longer than 512 bytes"
        } else if !id.chars().all(|c| c.is_alphanumeric() || "-_.~+/".contains(c)) {
            "it holds something other than letters, digits, `/` and `-_.~+`"
        } else if id.split('/').any(|part| matches!(part, "" | "." | "..")) {
            "a part between its slashes is empty, `.` or `..`"
        } else {
            return Ok(Self(id.to_owned()));
        };
        Err(RepoIdError { why })
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RepoId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a `cce.toml` is refused.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// Not UTF-8, or not TOML.
    #[error("`cce.toml` is not valid toml: {0}")]
    Syntax(String),
    /// A key nobody knows.
    #[error("`cce.toml` has an unknown key `{key}`{}", suggestion(.nearest.as_deref()))]
    UnknownKey {
        /// The key, with its table.
        key: String,
        /// The known key that is written most like it.
        nearest: Option<String>,
    },
    /// A value of the wrong type or out of range.
    #[error("`{key}` in `cce.toml` must be {expected}")]
    Value {
        /// The key, with its table.
        key: String,
        /// What would be right.
        expected: String,
    },
    /// An id that cannot be one.
    #[error("`repo_id` in `cce.toml`: {0}")]
    RepoId(#[from] RepoIdError),
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default()
}

/// The known word that is written most like `word`, if any comes near: one that shares
/// nothing with it does not.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len() / 3 + 1 && *distance < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

const KEYS: [&str; 5] = ["repo_id", "index.exclude", "index.packs", "index.size_limit", "languages"];

impl ProjectFile {
    /// Reads a `cce.toml`.
    ///
    /// # Errors
    /// On syntax errors, unknown keys, and values of the wrong type or range.
    pub fn parse(bytes: &[u8]) -> Result<Self, ProjectError> {
        let text = std::str::from_utf8(bytes).map_err(|error| ProjectError::Syntax(error.to_string()))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document: DocumentMut =
            text.parse().map_err(|error: toml_edit::TomlError| ProjectError::Syntax(one_line(&error.to_string())))?;
        let mut project = Self::default();
        for (key, item) in document.iter() {
            match key {
                "repo_id" => project.repo_id = Some(RepoId::parse(string(key, item)?)?),
                "index" => project.read_index(item)?,
                "languages" => project.settings.languages = patterns(item)?,
                _ => return Err(unknown(key)),
            }
        }
        Ok(project)
    }

    fn read_index(&mut self, item: &Item) -> Result<(), ProjectError> {
        let table = item.as_table_like().ok_or_else(|| wrong("index", "a table"))?;
        for (key, item) in table.iter() {
            match key {
                "exclude" => self.settings.exclude = strings("index.exclude", item)?,
                "packs" => {
                    let mut packs = strings("index.packs", item)?;
                    packs.sort();
                    packs.dedup();
                    self.settings.packs = Some(packs);
                }
                "size_limit" => self.settings.size_limit = size_limit(item)?,
                _ => return Err(unknown(&format!("index.{key}"))),
            }
        }
        Ok(())
    }
}

fn unknown(key: &str) -> ProjectError {
    let nearest = nearest(key, KEYS).map(str::to_owned);
    ProjectError::UnknownKey { key: key.escape_default().to_string(), nearest }
}

fn wrong(key: &str, expected: &str) -> ProjectError {
    ProjectError::Value { key: key.to_owned(), expected: expected.to_owned() }
}

fn string<'a>(key: &str, item: &'a Item) -> Result<&'a str, ProjectError> {
    item.as_str().ok_or_else(|| wrong(key, "a string"))
}

fn strings(key: &str, item: &Item) -> Result<Vec<String>, ProjectError> {
    let refuse = || wrong(key, "an array of strings");
    let array = item.as_array().ok_or_else(refuse)?;
    array.iter().map(|value| value.as_str().map(str::to_owned).ok_or_else(refuse)).collect()
}

fn patterns(item: &Item) -> Result<BTreeMap<String, String>, ProjectError> {
    let table = item.as_table_like().ok_or_else(|| wrong("languages", "a table of pattern = \"language\""))?;
    table
        .iter()
        .map(|(pattern, item)| Ok((pattern.to_owned(), string(&format!("languages.{pattern}"), item)?.to_owned())))
        .collect()
}

fn size_limit(item: &Item) -> Result<u64, ProjectError> {
    let expected = format!("a number of bytes from 1 to {MAX_SIZE_LIMIT}");
    let bytes = item.as_value().and_then(Value::as_integer).and_then(|bytes| u64::try_from(bytes).ok());
    bytes.filter(|bytes| (1..=MAX_SIZE_LIMIT).contains(bytes)).ok_or_else(|| wrong("index.size_limit", &expected))
}

fn one_line(message: &str) -> String {
    let mut parts = message.lines().map(str::trim).filter(|line| !line.is_empty() && !line.contains('|'));
    let place = parts.next().unwrap_or_default();
    parts.next().map_or_else(|| place.to_owned(), |reason| format!("{reason} ({place})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        ProjectFile::parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn every_key() {
        let text = "repo_id = \"example.com/a/b\"\n[index]\nexclude = [\"gen/\"]\npacks = [\"rust\", \"python\"]\nsize_limit = 1000\n[languages]\n\"*.x\" = \"rust\"\n";
        let project = ProjectFile::parse(text.as_bytes()).unwrap();
        assert_eq!(project.repo_id.unwrap().as_str(), "example.com/a/b");
        assert_eq!(project.settings.exclude, ["gen/"]);
        assert_eq!(project.settings.packs.unwrap(), ["python", "rust"]);
        assert_eq!(project.settings.size_limit, 1000);
        assert_eq!(project.settings.languages["*.x"], "rust");
    }

    #[test]
    fn unknown_keys_are_refused_with_the_nearest() {
        assert_eq!(message("repoid = \"a\""), "`cce.toml` has an unknown key `repoid`; did you mean `repo_id`?");
        assert_eq!(
            message("[index]\nexcludes = []"),
            "`cce.toml` has an unknown key `index.excludes`; did you mean `index.exclude`?"
        );
        assert_eq!(message("[zzz]"), "`cce.toml` has an unknown key `zzz`");
    }

    #[test]
    fn what_shares_nothing_is_not_near() {
        assert_eq!(nearest("", ["c", "go"]), None);
        assert_eq!(nearest("x", ["c"]), None);
        assert_eq!(nearest("wy", ["why", "man"]), Some("why"));
    }

    #[test]
    fn values_are_checked() {
        assert!(message("repo_id = 3").contains("must be a string"));
        assert!(message("[index]\nsize_limit = 0").contains("a number of bytes"));
        assert!(message("repo_id = \"a//b\"").contains("slashes"));
        assert!(message("repo_id = ").starts_with("`cce.toml` is not valid toml"));
    }

    #[test]
    fn ids_hold_names_only() {
        for good in ["example.com/harbour/tide", "Demo/Repo", "h/~me/c++_x-1.2", "h/größe"] {
            assert_eq!(RepoId::parse(good).unwrap().as_str(), good);
        }
        let secret = concat!("hun", "ter2");
        for bad in [
            format!("https://u:{secret}@h/x"),
            format!("u:{secret}@h/x"),
            format!("{secret}@h"),
            format!("h/x?token={secret}"),
            format!("h/x#{secret}"),
            format!("h/{secret} x"),
            format!("h//{secret}"),
            format!("h/{secret}\n"),
            secret.repeat(100),
        ] {
            let error = RepoId::parse(&bad).unwrap_err();
            for said in [error.to_string(), format!("{error:?}"), message(&format!("repo_id = {bad:?}"))] {
                assert!(!said.contains(secret) && !said.contains('\n'), "{said}");
            }
        }
    }

    #[test]
    fn digest_is_of_the_meaning_not_the_spelling() {
        let a = ProjectFile::parse(b"[index]\npacks = [\"rust\", \"python\"]").unwrap();
        let b = ProjectFile::parse(b"index.packs = ['python', 'rust', 'rust']").unwrap();
        assert_eq!(a.settings.digest(), b.settings.digest());
        assert_ne!(a.settings.digest(), Settings::default().digest());
    }
}
