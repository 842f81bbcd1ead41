//! The Code Context Engine: a repository at a commit becomes a deterministic,
//! checksummed index that travels through git and is searched offline.

pub mod cache;
pub mod config;
pub mod git;
pub mod record;
pub mod snapshot;
pub mod source;
pub mod sync;
