//! The work tree of a git repository, as git would store it now.
//!
//! A tracked file contributes the bytes git holds as long as nothing changed, and the
//! bytes git would store where something did. So a clean work tree lists and reads
//! exactly as its commit, with line-end conversion, in a sparse checkout, in a linked
//! worktree. Untracked files that git does not ignore contribute what adding them
//! would store.

mod settle;
mod survey;
mod unseen;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use self::survey::Survey;
use super::commit;
use super::disk;
use super::git_config::CheckoutConfig;
use super::git_conversion::ConvertedFiles;
use super::inspect;
use super::native;
use super::repository::{self, Blob, CommitId, Objects};
use super::rules::{Rules, Verdict};
use super::stat_cache::{Recorder, StatCache};
use super::tracked::{Lookup, TrackedFiles};
use super::{
    Absence, Content, ContentId, FileEntry, FlagRules, Inspect, Listing, RepoPath, SkipReason, Source, SourceError,
};

/// The files of one work tree.
pub struct WorkTree {
    root: PathBuf,
    objects: Objects,
    cache: Option<PathBuf>,
    head: Option<CommitId>,
    state: Mutex<Option<Arc<State>>>,
}

/// What the last listing found out and reading needs to know.
struct State {
    size_limit: u64,
    rules: Mutex<Rules>,
    /// Where the bytes of files lie that git does not hold.
    places: HashMap<RepoPath, Place>,
    converted: Vec<ConvertedFiles>,
}

/// Where the bytes of a file lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the repository.
    Repository,
    /// On disk, as they are stored.
    Disk,
    /// Among the converted files of this number.
    Converted(usize),
}

impl WorkTree {
    /// Opens the work tree at `root` (of a main or a linked worktree). `cache`: the file
    /// that remembers what changed and untracked files held, so that the next listing
    /// need not read them again. [`Source::commit`] is the head as it is now; a listing
    /// always looks at the index and the files as they are then.
    ///
    /// # Errors
    /// When the repository cannot be opened or is bare.
    pub fn open(root: &Path, cache: Option<&Path>) -> Result<Self, SourceError> {
        let opened = repository::open(root)?;
        let workdir = opened.workdir().ok_or_else(|| SourceError::NoWorkTree { path: root.to_owned() })?;
        let root = workdir.canonicalize().map_err(|why| SourceError::Io { path: workdir.to_owned(), why })?;
        let head = repository::head(&opened)?;
        let objects = Objects::new(opened);
        Ok(Self { root, objects, cache: cache.map(Path::to_owned), head, state: Mutex::new(None) })
    }

    fn state(&self) -> Result<Arc<State>, SourceError> {
        let known = self.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match known {
            Some(state) => Ok(state),
            None => self.survey().map(|(_, state)| state),
        }
    }

    fn survey(&self) -> Result<(Listing, Arc<State>), SourceError> {
        let config = self.objects.with(|repository| Ok(CheckoutConfig::read(repository, &self.root)))?;
        let tracked = TrackedFiles::read(&self.objects.git_dir().join("index"))?;
        let (listing, state) = self.begin(&config, &tracked).run(self.cache.as_deref())?;
        let state = Arc::new(state);
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&state));
        Ok((listing, state))
    }

    fn begin<'a>(&'a self, config: &'a CheckoutConfig, tracked: &'a TrackedFiles) -> Survey<'a> {
        Survey {
            root: &self.root,
            objects: &self.objects,
            config,
            tracked,
            lookup: Lookup::new(tracked, config.case),
            cache: self.cache.as_deref().map(StatCache::load).unwrap_or_default(),
            recorder: Recorder::start(),
            places: HashMap::new(),
            converted: Vec::new(),
        }
    }

    fn bytes(&self, state: &State, file: &FileEntry) -> Result<Option<Vec<u8>>, SourceError> {
        let place = state.places.get(&file.path).copied().unwrap_or(Place::Repository);
        let objects = match place {
            Place::Disk => {
                return disk::read_listed(&self.root, &file.path, file.content, disk::MAX_FILE).map(Some);
            }
            Place::Converted(number) => state.converted[number].objects(),
            Place::Repository => &self.objects,
        };
        blob(objects, &file.path, file.content, state.size_limit)
    }
}

impl Source for WorkTree {
    fn commit(&self) -> Option<&CommitId> {
        self.head.as_ref()
    }

    fn list(&self) -> Result<Listing, SourceError> {
        self.survey().map(|(listing, _)| listing)
    }

    fn read(&self, file: &FileEntry) -> Result<Content, SourceError> {
        let state = self.state()?;
        Ok(match self.bytes(&state, file)? {
            Some(bytes) => Content::of(bytes, state.size_limit),
            None => Content::Skip(SkipReason::Oversize),
        })
    }

    fn judge(&self, path: &RepoPath) -> Result<Verdict, SourceError> {
        Ok(self.state()?.rules.lock().unwrap_or_else(PoisonError::into_inner).judge(path.as_bytes()))
    }
}

impl Inspect for WorkTree {
    fn flag_rules(&self, path: &RepoPath) -> Result<FlagRules, SourceError> {
        Ok(self.state()?.rules.lock().unwrap_or_else(PoisonError::into_inner).flag_rules(path.as_bytes()))
    }

    fn absence(&self, path: &RepoPath) -> Result<Absence, SourceError> {
        let config = self.objects.with(|repository| Ok(CheckoutConfig::read(repository, &self.root)))?;
        let tracked = TrackedFiles::read(&self.objects.git_dir().join("index"))?;
        let survey = self.begin(&config, &tracked);
        Ok(inspect::absence(&self.root, survey.ignores_everywhere(), config.case, &survey, path))
    }

    fn size(&self, path: &RepoPath, content: Option<ContentId>) -> Option<u64> {
        let state = self.state().ok()?;
        let on_disk = || disk::size(&self.root, path);
        match state.places.get(path) {
            Some(Place::Disk) => on_disk(),
            Some(Place::Converted(number)) => state.converted[*number].objects().size(content?),
            Some(Place::Repository) | None => content.and_then(|id| self.objects.size(id)).or_else(on_disk),
        }
    }

    fn target(&self, path: &RepoPath, content: Option<ContentId>) -> Option<Vec<u8>> {
        let on_disk = native::below(&self.root, path.as_bytes()).and_then(|path| native::link_target(&path).ok());
        on_disk.or_else(|| self.objects.link_target(content?))
    }
}

/// A blob of at most `limit` bytes; `None` for a larger one.
fn blob(objects: &Objects, path: &RepoPath, id: ContentId, limit: u64) -> Result<Option<Vec<u8>>, SourceError> {
    match objects.blob(id, limit)? {
        Ok(Blob::Bytes(bytes)) => Ok(Some(bytes)),
        Ok(Blob::TooLarge) => Ok(None),
        Err(error) => Err(commit::failure(objects, path, id, error)),
    }
}
