//! Why a workflow could not do its work, and which exit code that is.

use crate::cache::CacheError;
use crate::config::RepoIdError;
use crate::git::{GitError, GitErrorKind};
use crate::snapshot::BuildError;

/// The class of a failure, which decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The request does not fit the situation: exit code 2.
    Usage = 2,
    /// Local data or an artifact is damaged, missing or refused: exit code 3.
    Data = 3,
    /// The remote failed or refused: exit code 4.
    Remote = 4,
}

/// A failure of a workflow.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The cache, or git underneath.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// An artifact could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The source repository did not answer.
    #[error("the source repository cannot be asked: {0}")]
    Source(GitError),
    /// The snapshot cannot be published.
    #[error("this snapshot cannot be published: {0}")]
    Unpublishable(&'static str),
    /// The history of the source does not reach as far back as was asked.
    #[error("this clone is shallow and its history is cut off within the range; run `git fetch --unshallow`")]
    CutOff,
    /// A branch name that cannot be used.
    #[error("`{0}` is not a usable branch name")]
    Branch(String),
    /// Something else is published for the commit.
    #[error(
        "{sha} is already published with other contents: {theirs} there, {ours} here; verify both, and remove a wrong one there with `cce sync withdraw`"
    )]
    Conflict {
        /// The source commit.
        sha: String,
        /// Our checksum and extractor.
        ours: String,
        /// Theirs, or why it is no artifact.
        theirs: String,
    },
    /// Others were faster, again and again.
    #[error("`{name}` was moved by others {tries} times in a row; try again")]
    Contended {
        /// The ref.
        name: String,
        /// How often it was tried.
        tries: u32,
    },
    /// The remote took a ref and does not list it.
    #[error("the remote took `{0}` but does not list it")]
    NotKept(String),
    /// The remote holds nothing that was asked for.
    #[error("nothing is published for {wanted}; published are: {published}")]
    Nothing {
        /// What was asked for.
        wanted: String,
        /// What there is instead.
        published: String,
    },
    /// The remote holds several repositories and none was named.
    #[error("the remote holds several repositories; name one with `--repo-id`: {0}")]
    SeveralIds(String),
    /// No pointer decides what is latest.
    #[error("nothing says which artifact of {repo} is the latest; name one with `--branch`: {pointers}")]
    NoPointer {
        /// The repository.
        repo: String,
        /// The pointers there are.
        pointers: String,
    },
    /// An abbreviated commit stands for several.
    #[error("`{rev}` stands for several published commits: {matches}")]
    Ambiguous {
        /// As given.
        rev: String,
        /// What it may stand for.
        matches: String,
    },
    /// A remote names a repository by what is no id.
    #[error("the remote names a repository `{name}`, which is {why}")]
    BadId {
        /// The name.
        name: String,
        /// Which rule it breaks.
        why: RepoIdError,
    },
    /// The remote does not let refs be deleted.
    #[error("the remote did not delete {refused} of {of} refs of cce: {why}; allow it there, or set `sync.keep` to 0")]
    Undeleted {
        /// How many it kept.
        refused: usize,
        /// Of how many.
        of: usize,
        /// What it said of the first.
        why: String,
    },
    /// The file that has to go is in no artifact that goes.
    #[error("none of the artifacts to withdraw holds a record of `{0}`; paths start at the root of the repository")]
    NoSuchRecord(String),
    /// The artifact is not what its ref says.
    #[error("the artifact under `{name}` is of {found}")]
    Mislabelled {
        /// The ref.
        name: String,
        /// What its commit says.
        found: String,
    },
}

impl SyncError {
    /// Whether the remote answered, and holds nothing of what was asked for.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::Nothing { .. })
    }

    /// The class of the failure.
    pub fn kind(&self) -> Failure {
        match self {
            Self::Cache(CacheError::Git(error)) => match error.kind() {
                GitErrorKind::Url | GitErrorKind::NoSuchRemote | GitErrorKind::NoSuchRepository => Failure::Usage,
                GitErrorKind::NotFound | GitErrorKind::Start => Failure::Data,
                _ => Failure::Remote,
            },
            Self::Cache(CacheError::TooManyRefs(_))
            | Self::Contended { .. }
            | Self::NotKept(_)
            | Self::Undeleted { .. } => Failure::Remote,
            Self::Build(BuildError::Source(error)) if !error.is_usage() => Failure::Data,
            Self::Cache(_)
            | Self::Conflict { .. }
            | Self::Nothing { .. }
            | Self::BadId { .. }
            | Self::Mislabelled { .. } => Failure::Data,
            Self::Build(_)
            | Self::Source(_)
            | Self::Unpublishable(_)
            | Self::CutOff
            | Self::Branch(_)
            | Self::SeveralIds(_)
            | Self::NoPointer { .. }
            | Self::NoSuchRecord(_)
            | Self::Ambiguous { .. } => Failure::Usage,
        }
    }
}

impl SyncError {
    /// Whether a remote was named that the repository does not have.
    pub(super) fn is_no_such_remote(&self) -> bool {
        matches!(self, Self::Cache(CacheError::Git(error)) if error.kind() == GitErrorKind::NoSuchRemote)
    }
}

impl From<GitError> for SyncError {
    fn from(error: GitError) -> Self {
        Self::Cache(error.into())
    }
}
