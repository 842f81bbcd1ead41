//! The name of a repository.

use std::fmt;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ProjectFile;

    /// What is said of an id in a file.
    fn message(id: &str) -> String {
        ProjectFile::parse(format!("repo_id = {id:?}").as_bytes()).unwrap_err().to_string()
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
            for said in [error.to_string(), format!("{error:?}"), message(&bad)] {
                assert!(!said.contains(secret) && !said.contains('\n'), "{said}");
            }
        }
    }
}
