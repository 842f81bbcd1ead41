//! Why the cache could not do its part.

use crate::git::GitError;
use crate::snapshot::ManifestError;

/// A failure of the cache.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// Git, or the remote through git.
    #[error(transparent)]
    Git(#[from] GitError),
    /// Our own bare repository.
    #[error("the cache `{path}` cannot be used: {why}; it may be deleted at any time")]
    Local {
        /// Which directory.
        path: String,
        /// What failed.
        why: String,
    },
    /// An object that should be there is not, or cannot be read.
    #[error("object {id} of the artifact cannot be read: {why}")]
    Object {
        /// Which object.
        id: String,
        /// What failed.
        why: String,
    },
    /// A commit that is no artifact.
    #[error("commit {id} is not an artifact: {why}")]
    Commit {
        /// Which commit.
        id: String,
        /// Which rule it breaks.
        why: String,
    },
    /// A tree that holds what no artifact holds.
    #[error("the artifact holds `{entry}`, which {why}")]
    Tree {
        /// The entry, with its path.
        entry: String,
        /// Which rule it breaks.
        why: &'static str,
    },
    /// A manifest that is none.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A manifest that is not what the commit says.
    #[error("the artifact's manifest and its commit disagree on the {0}")]
    Disagree(&'static str),
    /// The remote lists more than a reader takes on.
    #[error("the remote lists more than {0} refs of cce; prune it")]
    TooManyRefs(usize),
}

impl CacheError {
    /// An object that cannot be read.
    pub(crate) fn object(id: git2::Oid, why: impl std::fmt::Display) -> Self {
        Self::Object { id: id.to_string(), why: why.to_string() }
    }
}
