//! Opening git repositories, and reading objects from many threads at once.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use git2::{ErrorCode, Oid, Repository, RepositoryOpenFlags};

use super::{ContentId, SourceError};

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Inside the work tree of a git repository.
    WorkTree {
        /// The root of the work tree.
        root: PathBuf,
    },
    /// A repository without a work tree.
    BareRepository {
        /// The repository.
        path: PathBuf,
    },
    /// A directory that belongs to no repository.
    Directory {
        /// The directory.
        path: PathBuf,
    },
}

impl Place {
    /// The root of the work tree, the repository or the directory.
    pub fn root(&self) -> &Path {
        match self {
            Self::WorkTree { root } => root,
            Self::BareRepository { path } | Self::Directory { path } => path,
        }
    }
}

/// The commit a source stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitId {
    /// 40 lower-case hex digits.
    pub sha: String,
    /// The committer's time in seconds since 1970, as the commit states it.
    pub time: i64,
}

/// Finds out what stands at a path, looking at the directories above it too.
///
/// # Errors
/// When the path cannot be read, or belongs to a repository that cannot be opened.
pub fn detect(path: &Path) -> Result<Place, SourceError> {
    let path = path.canonicalize().map_err(|why| SourceError::Io { path: path.to_owned(), why })?;
    let none: [&Path; 0] = [];
    match Repository::open_ext(&path, RepositoryOpenFlags::empty(), none) {
        Ok(repository) => Ok(match repository.workdir() {
            Some(root) => Place::WorkTree { root: without_trailing_slash(root) },
            None => Place::BareRepository { path: without_trailing_slash(repository.path()) },
        }),
        Err(error) if error.code() == ErrorCode::NotFound => match broken_repository(&path) {
            None => Ok(Place::Directory { path }),
            Some(broken) => Err(SourceError::Repository {
                path: broken,
                why: "there is a `.git`, but no repository in it".to_owned(),
            }),
        },
        Err(error) => Err(refusal(&path, &error)),
    }
}

/// A `.git` at or above `path`. Taking its tree for a plain directory would index what
/// git ignores.
fn broken_repository(path: &Path) -> Option<PathBuf> {
    path.ancestors().map(|parent| parent.join(".git")).find(|git| git.symlink_metadata().is_ok())
}

/// Whether the top directory of the head commit holds an entry `name`, in any case.
pub fn head_holds(root: &Path, name: &str) -> bool {
    let holds = |repository: &Repository| -> Result<bool, git2::Error> {
        let tree = repository.head()?.peel_to_tree()?;
        Ok(tree.iter().any(|entry| entry.name_bytes().eq_ignore_ascii_case(name.as_bytes())))
    };
    Repository::open(root).and_then(|repository| holds(&repository)).unwrap_or(false)
}

/// Opens the repository at exactly this path: a work tree's root, a `.git`, a bare repository.
pub(crate) fn open(path: &Path) -> Result<Repository, SourceError> {
    Repository::open(path).map_err(|error| refusal(path, &error))
}

fn without_trailing_slash(path: &Path) -> PathBuf {
    path.components().collect()
}

/// The head commit; `None` where there is none yet.
pub(crate) fn head(repository: &Repository) -> Result<Option<CommitId>, SourceError> {
    let wrong = |error: git2::Error| refusal(repository.path(), &error);
    let head = match repository.head() {
        Ok(head) => head,
        Err(error) if matches!(error.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound) => return Ok(None),
        Err(error) => return Err(wrong(error)),
    };
    head.peel_to_commit().map(|commit| Some(commit_id(&commit))).map_err(wrong)
}

/// The name and time of a commit.
pub(crate) fn commit_id(commit: &git2::Commit<'_>) -> CommitId {
    CommitId { sha: commit.id().to_string(), time: commit.time().seconds() }
}

/// Says why git's library refuses a repository, and what helps.
pub(crate) fn refusal(path: &Path, error: &git2::Error) -> SourceError {
    let path = path.to_owned();
    let message = error.message();
    let unsupported = |path, cause: &str, fix| SourceError::Unsupported { path, cause: cause.to_owned(), fix };
    match error.code() {
        ErrorCode::Owner => return SourceError::ForeignOwner { path },
        ErrorCode::NotFound if error.class() == git2::ErrorClass::Repository => {
            return SourceError::NotARepository { path };
        }
        _ => {}
    }
    if message.contains("object format") {
        unsupported(
            path,
            "its objects are not named by SHA-1",
            "export its files with `git archive` and index that directory",
        )
    } else if message.contains("refstorage") {
        unsupported(path, "it keeps its refs as a reftable", "convert it with `git refs migrate --ref-format=files`")
    } else if message.contains("partialclone") {
        unsupported(
            path,
            "it sets `extensions.partialClone`, which newer git does without",
            "run `git config --unset extensions.partialClone`",
        )
    } else if let Some(extension) = message.strip_prefix("unsupported extension name ") {
        unsupported(path, &format!("it sets `{extension}`"), "index a fresh clone of it")
    } else {
        SourceError::Repository { path, why: message.to_owned() }
    }
}

impl From<Oid> for ContentId {
    fn from(id: Oid) -> Self {
        let mut bytes = [0; 20];
        bytes.copy_from_slice(id.as_bytes());
        Self(bytes)
    }
}

/// The id git gives to a blob of these bytes.
pub(crate) fn blob_id(bytes: &[u8]) -> ContentId {
    Oid::hash_object(git2::ObjectType::Blob, bytes).expect("hashing bytes in memory touches nothing that fails").into()
}

/// A blob, unless it is larger than the reader wants.
pub(crate) enum Blob {
    /// The bytes.
    Bytes(Vec<u8>),
    /// It is larger; it was not read.
    TooLarge,
}

/// Why a blob cannot be had.
pub(crate) enum BlobError {
    /// The repository does not hold it.
    Missing,
    /// It is there and broken, or no blob.
    Broken(String),
}

/// The longest link that is shown, in bytes.
const MAX_LINK: u64 = 4096;

/// A repository's objects, readable from many threads: each reader borrows a handle.
pub(crate) struct Objects {
    git_dir: PathBuf,
    idle: Mutex<Vec<Repository>>,
}

impl Objects {
    /// Reads from the repository that was opened here.
    pub(crate) fn new(repository: Repository) -> Self {
        Self { git_dir: repository.path().to_owned(), idle: Mutex::new(vec![repository]) }
    }

    /// The repository's own directory.
    pub(crate) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Runs something with a repository handle.
    pub(crate) fn with<T>(&self, ask: impl FnOnce(&Repository) -> Result<T, SourceError>) -> Result<T, SourceError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let repository = idle.map_or_else(|| open(&self.git_dir), Ok)?;
        let answer = ask(&repository);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(repository);
        answer
    }

    /// Reads a blob of at most `limit` bytes.
    pub(crate) fn blob(&self, id: ContentId, limit: u64) -> Result<Result<Blob, BlobError>, SourceError> {
        self.with(|repository| Ok(read_blob(repository, id, limit)))
    }

    /// Where a link leads whose blob this is; `None` where it cannot be read.
    pub(crate) fn link_target(&self, id: ContentId) -> Option<Vec<u8>> {
        match self.blob(id, MAX_LINK) {
            Ok(Ok(Blob::Bytes(bytes))) => Some(bytes),
            _ => None,
        }
    }

    /// The size of a blob; `None` where it cannot be had.
    pub(crate) fn size(&self, id: ContentId) -> Option<u64> {
        let size = self.with(|repository| {
            let header = repository.odb().and_then(|odb| odb.read_header(Oid::from_bytes(&id.0)?));
            Ok(header.ok().map(|(size, _)| size as u64))
        });
        size.ok().flatten()
    }

    /// Whether the repository is a partial clone.
    pub(crate) fn is_partial(&self) -> bool {
        let promised = self.with(|repository| {
            let config = repository.config().and_then(|mut config| config.snapshot());
            Ok(config.is_ok_and(|config| {
                let mut promisor = false;
                if let Ok(entries) = config.entries(Some(r"^remote\..*\.promisor$")) {
                    let _ = entries.for_each(|entry| promisor |= entry.value().is_ok_and(|value| value != "false"));
                }
                promisor
            }))
        });
        promised.unwrap_or(false)
    }
}

fn read_blob(repository: &Repository, id: ContentId, limit: u64) -> Result<Blob, BlobError> {
    let wrong = |error: git2::Error| match error.code() {
        ErrorCode::NotFound => BlobError::Missing,
        _ => BlobError::Broken(error.message().to_owned()),
    };
    let odb = repository.odb().map_err(wrong)?;
    let oid = Oid::from_bytes(&id.0).map_err(wrong)?;
    let (size, kind) = odb.read_header(oid).map_err(wrong)?;
    if kind != git2::ObjectType::Blob {
        return Err(BlobError::Broken(format!("it is a {kind}, not a blob")));
    }
    if size as u64 > limit {
        return Ok(Blob::TooLarge);
    }
    odb.read(oid).map(|object| Blob::Bytes(object.data().to_vec())).map_err(wrong)
}
