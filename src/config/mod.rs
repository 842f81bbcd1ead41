//! One typed, validated configuration.
//!
//! A repository's `cce.toml` says who it is and which settings shape its records.
//! Those settings are read only from the source itself (the commit, or the tracked
//! file of a work tree), so that the same commit gives the same bytes everywhere.
//! Unknown keys are refused, with the nearest known one.

mod project;

pub use project::{
    DEFAULT_SIZE_LIMIT, MAX_SIZE_LIMIT, ProjectError, ProjectFile, RepoId, RepoIdError, Settings, nearest,
};
