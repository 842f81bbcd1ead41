//! The Code Context Engine: a repository at a commit becomes a deterministic,
//! checksummed index that travels through git and is searched offline.

pub mod config;
pub mod language;
pub mod record;
pub mod search;

pub mod source;
pub mod store;
