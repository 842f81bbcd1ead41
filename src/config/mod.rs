//! One typed, validated configuration, in layers.
//!
//! The repository's `cce.toml`, the user's file, `CCE_*` variables and flags say what
//! holds; the later wins. What can change a record is read only from the source itself
//! (the commit, or the tracked file of a work tree), so that the same commit gives the
//! same bytes everywhere. [`KEYS`] is the one table that validation, `cce config` and
//! `docs/configuration.md` follow. Unknown keys are refused, with the nearest known one.

mod document;
mod edit;
mod error;
mod file;
mod key;
mod layers;
mod project;
mod repo_id;
mod value;

pub use edit::set;
pub use error::ConfigError;
pub use file::{FileError, read, replace};
pub use key::{KEYS, Key, Kind, Layer, Name, Scope};
pub use layers::{Layers, Origin, Row};
pub use project::{DEFAULT_SIZE_LIMIT, MAX_SIZE_LIMIT, ProjectFile, Settings};
pub use repo_id::{RepoId, RepoIdError};
pub use value::Value;

/// The name of the repository's file.
pub const PROJECT_FILE: &str = "cce.toml";

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
