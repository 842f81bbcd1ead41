//! What can go wrong between a place on disk and its bytes.

use std::io;
use std::path::PathBuf;

use super::{ContentId, PathError, RepoPath};
use crate::config::ConfigError;

/// Why a source cannot be opened, listed or read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Nothing there that git knows.
    #[error("`{}` is not a git repository", .path.display())]
    NotARepository {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// A bare repository where a work tree is needed.
    #[error("`{}` is a bare repository and has no work tree; name a commit instead", .path.display())]
    NoWorkTree {
        /// The repository.
        path: PathBuf,
    },
    /// The repository belongs to somebody else.
    #[error(
        "the repository `{}` belongs to another user and git does not trust it; if you do, run `git config --global --add safe.directory {}`",
        .path.display(), .path.display()
    )]
    ForeignOwner {
        /// The repository.
        path: PathBuf,
    },
    /// The repository uses something that cannot be read here.
    #[error("the repository `{}` cannot be read because {cause}; {fix}", .path.display())]
    Unsupported {
        /// The repository.
        path: PathBuf,
        /// What it uses.
        cause: String,
        /// What to do.
        fix: &'static str,
    },
    /// The repository is there but broken, or git's library refuses it.
    #[error("the repository `{}` cannot be read: {why}; `git fsck` may say more", .path.display())]
    Repository {
        /// The repository.
        path: PathBuf,
        /// What the library says.
        why: String,
    },
    /// A revision that names no commit.
    #[error("`{revision}` names no commit in `{}`: {why}", .path.display())]
    Revision {
        /// The revision as it was given.
        revision: String,
        /// The repository.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Blobs that the commit names and the repository does not hold.
    #[error("{}", missing(blobs, *partial))]
    MissingBlobs {
        /// The blobs with the first path each stands at, in path order; never empty.
        blobs: Vec<(RepoPath, ContentId)>,
        /// Whether the repository is a partial clone, which can fetch them.
        partial: bool,
    },
    /// An object that cannot be read although it is there.
    #[error("object `{id}` of `{path}` cannot be read: {why}; `git fsck` may say more")]
    Object {
        /// Where it stands.
        path: String,
        /// The object.
        id: ContentId,
        /// What the library says.
        why: String,
    },
    /// A tree that holds one path twice.
    #[error("the tree holds `{path}` twice; `git fsck` may say more")]
    Duplicate {
        /// The path.
        path: RepoPath,
    },
    /// A path that no source may hold.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A `cce.toml` that is refused.
    #[error(transparent)]
    Project(#[from] ConfigError),
    /// An exclusion that excludes nothing.
    #[error(
        "`index.exclude` in `cce.toml` holds `{pattern}`, which matches no path; write it in `.gitignore` syntax (`\\` before a bracket that is meant as one), or take it out"
    )]
    Exclude {
        /// The pattern, made printable.
        pattern: String,
    },
    /// A rule file beyond every use.
    #[error("`{path}` is larger than {limit} bytes, which no file of rules may be; make it smaller")]
    RuleFileSize {
        /// The rule file.
        path: RepoPath,
        /// The largest size that is read, in bytes.
        limit: u64,
    },
    /// A tracked rule file that the work tree does not let us read.
    #[error("`{path}` decides which files are indexed and cannot be read: {why}")]
    RuleFile {
        /// The rule file.
        path: RepoPath,
        /// What the system says.
        why: io::Error,
    },
    /// The root, or the stat cache's place, does not let itself be read.
    #[error("`{}` cannot be read: {why}", .path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// A file that changed after it was listed.
    #[error("`{path}` changed while it was read; run the command again")]
    Changed {
        /// The file.
        path: RepoPath,
    },
    /// The git program, asked to convert files as it would store them, failed.
    #[error("git could not convert `{path}` to the form it stores: {why}")]
    Conversion {
        /// The first file it was asked about.
        path: String,
        /// What it said.
        why: String,
    },
}

impl SourceError {
    /// Whether what the source holds is refused, wherever and whenever it is read, as
    /// against something that this place lacks.
    pub fn is_of_contents(&self) -> bool {
        matches!(
            self,
            Self::Duplicate { .. }
                | Self::Path(_)
                | Self::Project(_)
                | Self::Exclude { .. }
                | Self::RuleFileSize { .. }
        )
    }

    /// Whether what was asked for does not fit, as against something being broken.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NotARepository { .. }
                | Self::NoWorkTree { .. }
                | Self::Revision { .. }
                | Self::Project(_)
                | Self::Exclude { .. }
        )
    }
}

fn missing(blobs: &[(RepoPath, ContentId)], partial: bool) -> String {
    let first = blobs.first().map(|(path, id)| format!("blob `{id}` of `{path}`")).unwrap_or_default();
    let more = match blobs.len() {
        0 | 1 => " is".to_owned(),
        count => format!(" and {} more are", count - 1),
    };
    let fix = if partial {
        "this is a partial clone: fetch what it lacks with `git fetch --refetch --no-filter`"
    } else {
        "the repository is damaged: `git fsck` lists what it lacks"
    };
    format!("{first}{more} not in the repository; {fix}")
}
