//! Why settings are refused.

use super::{Layer, Name};

/// Why a configuration is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Not UTF-8, or not TOML.
    #[error("`{file}` is not valid toml: {why}")]
    Syntax {
        /// The file.
        file: String,
        /// What is wrong, and where.
        why: String,
    },
    /// A key nobody knows.
    #[error("line {line} of `{file}` has an unknown key `{key}`{}", suggestion(.nearest.as_deref()))]
    UnknownKey {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The key, with its table.
        key: String,
        /// The known key that is written most like it.
        nearest: Option<String>,
    },
    /// A variable nobody knows.
    #[error("the variable `{name}` names no setting{}", suggestion(.nearest.as_deref()))]
    UnknownVariable {
        /// The variable.
        name: String,
        /// The known variable that is written most like it.
        nearest: Option<String>,
    },
    /// A name on the command line that nobody knows.
    #[error("there is no setting `{key}`{} (`cce config list` lists them)", suggestion(.nearest.as_deref()))]
    NoKey {
        /// What was asked for.
        key: String,
        /// The known key that is written most like it.
        nearest: Option<String>,
    },
    /// `languages` without a pattern.
    #[error("`languages` holds a language for each pattern; name one, as in `languages.*.x`")]
    NoPattern,
    /// A value of the wrong type or out of range.
    #[error("`{key}` in {place}: {why}")]
    Value {
        /// The key, with its table.
        key: String,
        /// Where it stands.
        place: String,
        /// What would be right.
        why: String,
    },
    /// A key where it may not stand.
    #[error("`{key}` in {place} is refused: {why}")]
    Misplaced {
        /// The key, with its table.
        key: String,
        /// Where it stands.
        place: String,
        /// Why it may not.
        why: &'static str,
    },
}

impl ConfigError {
    /// Refuses a key in a place that may not hold it.
    ///
    /// # Errors
    /// With the reason.
    pub fn check_place(name: &Name, layer: Layer, place: &str) -> Result<(), Self> {
        let key = name.key();
        if key.admits(layer) {
            return Ok(());
        }
        let why = match layer {
            Layer::Repository => "it is the user's to decide, so only the user's file and variables may set it",
            Layer::User | Layer::Variable => {
                "it can change records, so it counts only from the `cce.toml` that a commit holds"
            }
        };
        Err(Self::Misplaced { key: name.to_string(), place: place.to_owned(), why })
    }
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default()
}
