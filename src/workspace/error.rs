//! Why a directory cannot be used as a workspace.

use std::io;

use crate::store::StoreError;

/// A failure of a workspace as such; a member that fails is told apart.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The workspace file is not one that this build wrote.
    #[error("the workspace file `{path}` is damaged: {why}; delete it and run `cce sync pull --all --into` again")]
    Damaged {
        /// Which file.
        path: String,
        /// Which rule it breaks.
        why: String,
    },
    /// The directory holds what was pulled from elsewhere.
    #[error("`{path}` is a workspace of `{theirs}`, not of `{ours}`; name another directory with `--into`")]
    OtherRemote {
        /// Which directory.
        path: String,
        /// The remote it is of.
        theirs: String,
        /// The remote that was asked for.
        ours: String,
    },
    /// The directory holds the index of one repository.
    #[error("`{path}` holds the index of one repository; name another directory with `--into`")]
    Single {
        /// Which directory.
        path: String,
    },
    /// A part of the workspace is a link, which would lead out of it.
    #[error("`{path}` is a link, and a workspace follows none; delete it")]
    Link {
        /// Which part.
        path: String,
    },
    /// A file operation failed.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// What was being done.
        action: &'static str,
        /// To which file.
        path: String,
        /// Why it failed.
        source: io::Error,
    },
    /// The file cannot be put in place.
    #[error(transparent)]
    Store(#[from] StoreError),
}
