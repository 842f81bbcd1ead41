//! The remote that holds artifacts, and our own bare repositories that speak with it.
//!
//! Refs are the key space ([`names`]), an artifact is a commit ([`commit`]) over a tree
//! of the source tree's shape ([`artifact_tree`]). The room promises that **what it
//! writes depends on the snapshot alone**, that **every ref moves by compare-and-swap**,
//! and that **nothing a remote sends is trusted**: names, modes, counts, sizes and depth
//! are checked before they are used. Objects are made and read in process; only the
//! `git` program meets the network ([`remote`]).

pub mod artifact_tree;
pub mod commit;
mod error;
pub mod identity;
mod local;
pub mod names;
mod pushing;
pub mod reading;
pub mod remote;

pub use artifact_tree::TreePlan;
pub use commit::ArtifactCommit;
pub use error::CacheError;
pub use local::{LocalCache, left_over, local_caches};
pub use names::{Component, Key, Namespace, RefName};
pub use pushing::Apart;
pub use reading::Artifact;
pub use remote::{Cache, Connection, Filter, Listing, RefUpdate, Role};
