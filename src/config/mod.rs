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
mod nearest;
mod project;
mod repo_id;
mod value;

pub use edit::set;
pub use error::ConfigError;
pub use file::{FileError, read, replace};
pub use key::{KEYS, Key, Kind, Layer, Name, Scope};
pub use layers::{Layers, Origin, Row};
pub use nearest::nearest;
pub use project::{DEFAULT_SIZE_LIMIT, MAX_SIZE_LIMIT, ProjectFile, Settings};
pub use repo_id::{RepoId, RepoIdError};
pub use value::Value;

/// The name of the repository's file.
pub const PROJECT_FILE: &str = "cce.toml";
