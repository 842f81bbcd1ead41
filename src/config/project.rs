//! `cce.toml`, the committed project file.

use std::collections::BTreeMap;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::document::Document;
use super::key::Layer;
use super::{ConfigError, PROJECT_FILE, RepoId, Value};

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

impl ProjectFile {
    /// Reads a `cce.toml`. Settings that shape no record are checked and left to
    /// [`super::Layers`].
    ///
    /// # Errors
    /// On syntax errors, unknown keys, and values of the wrong type or range.
    pub fn parse(bytes: &[u8]) -> Result<Self, ConfigError> {
        let mut project = Self::default();
        for entry in Document::parse(bytes, PROJECT_FILE, Layer::Repository)?.entries {
            let pattern = entry.name.pattern().map(str::to_owned);
            match (entry.name.key().name, entry.value) {
                ("repo_id", Value::Text(id)) => project.repo_id = RepoId::parse(&id).ok(),
                ("index.exclude", Value::List(patterns)) => project.settings.exclude = patterns,
                ("index.packs", Value::List(mut packs)) => {
                    packs.sort();
                    packs.dedup();
                    project.settings.packs = Some(packs);
                }
                ("index.size_limit", Value::Number(bytes)) => project.settings.size_limit = bytes,
                (_, Value::Text(language)) => {
                    project.settings.languages.extend(pattern.map(|pattern| (pattern, language)));
                }
                _ => {}
            }
        }
        Ok(project)
    }
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
        assert_eq!(
            message("repoid = \"a\""),
            "line 1 of `cce.toml` has an unknown key `repoid`; did you mean `repo_id`?"
        );
        assert_eq!(
            message("[index]\nexcludes = []"),
            "line 2 of `cce.toml` has an unknown key `index.excludes`; did you mean `index.exclude`?"
        );
        assert_eq!(message("[zzz]"), "line 1 of `cce.toml` has an unknown key `zzz`");
    }

    #[test]
    fn values_are_checked() {
        assert!(message("repo_id = 3").contains("must be one string"));
        assert!(message("[index]\nsize_limit = 0").contains("a whole number from 1 to 16777216"));
        assert!(message("repo_id = \"a//b\"").contains("slashes"));
        assert!(message("repo_id = ").starts_with("`cce.toml` is not valid toml"));
    }

    #[test]
    fn digest_is_of_the_meaning_not_the_spelling() {
        let a = ProjectFile::parse(b"[index]\npacks = [\"rust\", \"python\"]").unwrap();
        let b = ProjectFile::parse(b"index.packs = ['python', 'rust', 'rust']").unwrap();
        assert_eq!(a.settings.digest(), b.settings.digest());
        assert_ne!(a.settings.digest(), Settings::default().digest());
    }
}
