//! The place a command works in: what kind it is, where its store lives, who it is.

use std::path::{Path, PathBuf};

use super::Failure;
use super::terminal::Progress;
use crate::cache::identity;
use crate::config::{ProjectFile, RepoId};
use crate::snapshot::BuildError;
use crate::source::{CommitSource, Directory, Place, Source, SourceError, WorkTree, detect};
use crate::store::{Active, Home, HomeError, Refresh, RefreshError, Report, Store, StoreError, View};

/// A directory with what commands need to know of it.
pub struct Project {
    place: Place,
    store: Store,
}

impl Project {
    /// Finds out what `directory` is.
    pub fn open(directory: &Path) -> Result<Self, Failure> {
        let place = detect(directory)?;
        let bare = matches!(place, Place::Bare(_));
        let store = Store::at(home()?.store_for(place.root(), bare)?);
        Ok(Self { place, store })
    }

    /// The root of the work tree, the bare repository or the directory.
    pub fn root(&self) -> &Path {
        self.place.root()
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Whether there is a git repository.
    pub fn has_git(&self) -> bool {
        !matches!(self.place, Place::Directory(_))
    }

    /// A commit of the repository as a source.
    pub fn commit(&self, rev: &str) -> Result<CommitSource, Failure> {
        if !self.has_git() {
            return Err(Failure::usage(format!(
                "`{}` is not a git repository, so it has no commit `{rev}`; run this in a repository",
                self.root().display()
            )));
        }
        Ok(CommitSource::open(self.root(), rev)?)
    }

    /// Brings the store up to what the place holds now, and opens it.
    pub fn refresh(&self, rebuild: bool) -> Result<(Active, View, Report), Failure> {
        let cache = self.store.stat_cache();
        let progress = Progress::new("indexing");
        let progress = |done, total| progress.at(done, total);
        let head = if self.has_git() { CommitSource::head(self.root())? } else { None };
        let now: Box<dyn Source> = match (&self.place, &head) {
            (Place::WorkTree(root), _) => Box::new(WorkTree::open(root, Some(&cache))?),
            (Place::Directory(root), _) => Box::new(Directory::open(root, Some(&cache))?),
            (Place::Bare(_), Some(head)) => Box::new(head.clone()),
            (Place::Bare(root), None) => {
                return Err(Failure::data(format!("`{}` has no commit yet; push one first", root.display())));
            }
        };
        let refresh = Refresh {
            now: now.as_ref(),
            head: head.as_ref().map(|head| head as &dyn Source),
            origin_id: identity::of_origin(self.root()),
            rebuild,
            progress: &progress,
        };
        Ok(refresh.run(&self.store)?)
    }

    /// Opens the index of one commit, building it if need be.
    pub fn at(&self, rev: &str) -> Result<(String, View, Report), Failure> {
        let commit = self.commit(rev)?;
        let progress = Progress::new("indexing");
        let progress = |done, total| progress.at(done, total);
        let refresh = Refresh {
            now: &commit,
            head: None,
            origin_id: identity::of_origin(self.root()),
            rebuild: false,
            progress: &progress,
        };
        let (view, report) = refresh.run_at(&self.store)?;
        Ok((commit.id().sha.clone(), view, report))
    }
}

/// Who a repository is, for what is published or exported: it must have a name.
pub fn identify(given: Option<&str>, committed: &ProjectFile, root: &Path) -> Result<RepoId, Failure> {
    if let Some(id) = given {
        return RepoId::parse(id).map_err(Failure::usage);
    }
    committed.repo_id.clone().or_else(|| identity::of_origin(root)).ok_or_else(|| {
        Failure::usage(
            "this repository has no name that is the same everywhere: pass `--repo-id example.com/team/repo`, or commit a `cce.toml` with `repo_id = \"example.com/team/repo\"`",
        )
    })
}

/// The shared home that the environment names.
pub fn home() -> Result<Home, Failure> {
    Ok(Home::find(environment)?)
}

/// One environment variable.
#[allow(clippy::disallowed_methods)] // The one place of this room that reads the environment.
pub fn environment(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

impl From<HomeError> for Failure {
    fn from(error: HomeError) -> Self {
        Self::data(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::data(error)
    }
}

impl From<RefreshError> for Failure {
    fn from(error: RefreshError) -> Self {
        match error {
            RefreshError::Build(error) => error.into(),
            RefreshError::Store(error) => error.into(),
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Source(error) => error.into(),
            BuildError::Extractor(error) => Self::usage(error),
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        if error.is_usage() { Self::usage(error) } else { Self::data(error) }
    }
}
