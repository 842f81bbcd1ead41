//! The table of settings.

use std::fmt;

use super::value::quoted;
use super::{ConfigError, MAX_SIZE_LIMIT, Value, nearest};

/// A setting, as the table knows it.
#[derive(Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name, with its table; `languages.PATTERN` stands for one key a pattern.
    pub name: &'static str,
    /// What its values are.
    pub kind: Kind,
    /// Which layers may hold it.
    pub scope: Scope,
    /// What holds where no layer says anything, as people write it.
    pub default: Option<&'static str>,
    /// What it is for, in one line.
    pub meaning: &'static str,
}

/// The type of a setting's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A [`super::RepoId`].
    RepoId,
    /// The name of a git remote, or a URL without a password.
    Remote,
    /// A string that is not empty.
    Text,
    /// A whole number within bounds, both included.
    Number {
        /// The least.
        from: u64,
        /// The most.
        to: u64,
    },
    /// An array of strings.
    List,
    /// An array of words out of a few.
    Choices(&'static [&'static str]),
}

impl Kind {
    /// Whether its values are arrays.
    pub fn is_list(self) -> bool {
        matches!(self, Self::List | Self::Choices(_))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RepoId => f.write_str("string, an id such as `example.com/team/repo`"),
            Self::Remote => f.write_str("string, without a password"),
            Self::Text => f.write_str("string"),
            Self::Number { from, to } => write!(f, "integer, {from} to {to}"),
            Self::List => f.write_str("array of strings"),
            Self::Choices(known) => write!(f, "array of {}", quoted(known)),
        }
    }
}

/// Which layers may hold a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// It can change records: only the `cce.toml` that a commit holds.
    Commit,
    /// It changes no record: every layer.
    Every,
    /// It lowers a guard, or starts something behind the user's back: the user's file and
    /// variables only.
    User,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Commit => "committed `cce.toml`",
            Self::Every => "everywhere",
            Self::User => "user's file, variable",
        })
    }
}

/// A place that settings come from; the later wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// `cce.toml` of the repository.
    Repository,
    /// The user's file.
    User,
    /// A `CCE_*` variable.
    Variable,
}

/// Every setting, in the order of their names.
pub const KEYS: [Key; 11] = [
    Key {
        name: "index.exclude",
        kind: Kind::List,
        scope: Scope::Commit,
        default: None,
        meaning: "patterns of `.gitignore` syntax, from the root, of files that are left out",
    },
    Key {
        name: "index.packs",
        kind: Kind::List,
        scope: Scope::Commit,
        default: None,
        meaning: "the language packs to use; all of them where it is unset",
    },
    Key {
        name: "index.size_limit",
        kind: Kind::Number { from: 1, to: MAX_SIZE_LIMIT },
        scope: Scope::Commit,
        default: Some("2097152"),
        meaning: "bytes over which a file is left out as `oversize`",
    },
    Key {
        name: PER_PATTERN,
        kind: Kind::Text,
        scope: Scope::Commit,
        default: None,
        meaning: "the language of the paths that match, over what name and content say",
    },
    Key {
        name: "repo_id",
        kind: Kind::RepoId,
        scope: Scope::Commit,
        default: None,
        meaning: "who the repository is; taken from the URL of `origin` where it is unset",
    },
    Key {
        name: "search.top_k",
        kind: Kind::Number { from: 1, to: 1000 },
        scope: Scope::Every,
        default: Some("10"),
        meaning: "how many results a search gives at the most",
    },
    Key {
        name: "sync.allow_protocols",
        kind: Kind::Choices(&["git", "http"]),
        scope: Scope::User,
        default: None,
        meaning: "protocols without encryption that remotes may use",
    },
    Key {
        name: "sync.auto_pull",
        kind: Kind::Number { from: 0, to: 2_592_000 },
        scope: Scope::User,
        default: Some("0"),
        meaning: "seconds; once in so many a search starts `cce sync pull --latest` behind itself; 0 for never",
    },
    Key {
        name: "sync.keep",
        kind: Kind::Number { from: 0, to: 1_000_000 },
        scope: Scope::Every,
        default: Some("100"),
        meaning: "how many artifacts of a branch a push leaves in the remote; 0 keeps all",
    },
    Key {
        name: "sync.remote",
        kind: Kind::Remote,
        scope: Scope::Every,
        default: Some("origin"),
        meaning: "the remote that indexes go to and come from: a name that git knows, or a URL",
    },
    Key {
        name: "sync.timeout",
        kind: Kind::Number { from: 1, to: 86_400 },
        scope: Scope::Every,
        default: Some("300"),
        meaning: "seconds that one exchange with a remote may take",
    },
];

const PER_PATTERN: &str = "languages.PATTERN";

/// The table whose keys are patterns.
pub(super) const PATTERNS: &str = "languages";

impl Key {
    /// The variable that holds it; `None` where no variable may.
    pub fn variable(&self) -> Option<String> {
        self.admits(Layer::Variable).then(|| self.variable_name())
    }

    /// What its variable would be called.
    pub(super) fn variable_name(&self) -> String {
        format!("CCE_{}", self.name.replace('.', "_").to_ascii_uppercase())
    }

    /// What holds where no layer says anything.
    pub(super) fn default_value(&self) -> Option<Value> {
        Value::of_words(self.kind, &[self.default?]).ok()
    }

    /// Whether a layer may hold it.
    pub fn admits(&self, layer: Layer) -> bool {
        match self.scope {
            Scope::Commit => layer == Layer::Repository,
            Scope::Every => true,
            Scope::User => layer != Layer::Repository,
        }
    }
}

/// The name of a setting that exists: a key, with its pattern where it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    key: &'static Key,
    pattern: Option<String>,
}

impl Name {
    /// Finds the setting that a user names: `index.exclude`, `languages.*.x`.
    ///
    /// # Errors
    /// When there is none, with the nearest that there is.
    pub fn parse(name: &str) -> Result<Self, ConfigError> {
        let (table, rest) = name.split_once('.').unwrap_or((name, ""));
        if table == PATTERNS {
            return Self::of_pattern(rest).ok_or(ConfigError::NoPattern);
        }
        Self::known(name).ok_or_else(|| ConfigError::NoKey {
            key: name.escape_default().to_string(),
            nearest: nearest(name, KEYS.iter().map(|key| key.name)).map(str::to_owned),
        })
    }

    /// The setting of exactly this name that is no pattern's.
    pub(super) fn known(name: &str) -> Option<Self> {
        let key = KEYS.iter().find(|key| key.name == name && key.name != PER_PATTERN)?;
        Some(Self { key, pattern: None })
    }

    /// The setting of a pattern; `None` where the pattern is empty.
    pub(super) fn of_pattern(pattern: &str) -> Option<Self> {
        let key = KEYS.iter().find(|key| key.name == PER_PATTERN)?;
        (!pattern.is_empty()).then(|| Self { key, pattern: Some(pattern.to_owned()) })
    }

    /// The setting that a key of the table stands for; `None` where that is one a pattern.
    pub(super) fn of(key: &'static Key) -> Option<Self> {
        Self::known(key.name)
    }

    /// The key.
    pub fn key(&self) -> &'static Key {
        self.key
    }

    /// The pattern, where the key has one.
    pub fn pattern(&self) -> Option<&str> {
        self.pattern.as_deref()
    }

    /// The tables around the last part of the name, and that part.
    pub(super) fn parts(&self) -> (Option<&str>, &str) {
        match (&self.pattern, self.key.name.split_once('.')) {
            (Some(pattern), _) => (Some(PATTERNS), pattern),
            (None, Some((table, key))) => (Some(table), key),
            (None, None) => (None, self.key.name),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            Some(pattern) => write!(f, "{PATTERNS}.{}", pattern.escape_debug()),
            None => f.write_str(self.key.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_its_defaults_are_values() {
        assert!(KEYS.is_sorted_by_key(|key| key.name));
        for key in &KEYS {
            if let Some(default) = key.default {
                assert_eq!(key.default_value().unwrap().to_string(), default);
            }
        }
    }

    #[test]
    fn names_find_their_key() {
        assert_eq!(Name::parse("sync.remote").unwrap().to_string(), "sync.remote");
        assert_eq!(Name::parse("languages.*.x").unwrap().pattern(), Some("*.x"));
        assert_eq!(Name::parse("languages").unwrap_err(), ConfigError::NoPattern);
        assert_eq!(Name::parse("languages.").unwrap_err(), ConfigError::NoPattern);
        let error = Name::parse("sync.remotes").unwrap_err().to_string();
        assert_eq!(
            error,
            "there is no setting `sync.remotes`; did you mean `sync.remote`? (`cce config list` lists them)"
        );
    }

    #[test]
    fn only_what_changes_no_record_has_a_variable() {
        let names: Vec<String> = KEYS.iter().filter_map(Key::variable).collect();
        assert_eq!(
            names,
            [
                "CCE_SEARCH_TOP_K",
                "CCE_SYNC_ALLOW_PROTOCOLS",
                "CCE_SYNC_AUTO_PULL",
                "CCE_SYNC_KEEP",
                "CCE_SYNC_REMOTE",
                "CCE_SYNC_TIMEOUT"
            ]
        );
    }
}
