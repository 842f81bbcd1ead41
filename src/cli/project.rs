//! The place a command works in: what kind it is, where its store lives, who it is.

use std::path::{Path, PathBuf};

use super::Failure;
use super::terminal::{Progress, note};
use crate::cache::identity;
use crate::config::{ProjectFile, RepoId};
use crate::snapshot::BuildError;
use crate::source::{CommitSource, Directory, Inspect, Place, Source, SourceError, WorkTree, detect, head_holds};
use crate::store::{Active, Home, HomeError, PROJECT_DIR, Refresh, RefreshError, Report, Store, StoreError, View};
use crate::workspace::Workspace;

/// A directory with what commands need to know of it.
pub struct Project {
    place: Place,
    store: Store,
}

impl Project {
    /// Finds out what `directory` is.
    pub fn open(directory: &Path) -> Result<Self, Failure> {
        let place = detect(directory)?;
        let elsewhere = match &place {
            Place::WorkTree { root } => head_holds(root, PROJECT_DIR),
            Place::BareRepository { .. } => true,
            Place::Directory { .. } => false,
        };
        let store = Store::at(home()?.store_for(place.root(), elsewhere)).of_project(place.root());
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
        !matches!(self.place, Place::Directory { .. })
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

    /// Whether there are files to look at, besides those of commits.
    pub fn has_files(&self) -> bool {
        !matches!(self.place, Place::BareRepository { .. })
    }

    /// Where `directory` lies below the root; `None` where there are no files.
    pub fn prefix_of(&self, directory: &Path) -> Result<Option<PathBuf>, Failure> {
        if !self.has_files() {
            return Ok(None);
        }
        let real = |path: &Path| path.canonicalize().map_err(|why| SourceError::Io { path: path.to_owned(), why });
        Ok(real(directory)?.strip_prefix(real(self.root())?).ok().map(Path::to_owned))
    }

    /// What the place holds: its files as they are now, or a commit.
    pub fn source(&self, at: Option<&str>) -> Result<Box<dyn Inspect>, Failure> {
        if let Some(rev) = at {
            return Ok(Box::new(self.commit(rev)?));
        }
        self.refuse_workspace()?;
        if self.is_sourceless() {
            return Err(Failure::usage(format!(
                "the index in `{}` was pulled and there is no source here to look at; `cce search` asks the index",
                self.root().display()
            )));
        }
        // Asking is no reason to begin a store.
        let cache = Some(self.store.stat_cache()?).filter(|cache| cache.exists());
        Ok(match &self.place {
            Place::WorkTree { root } => Box::new(WorkTree::open(root, cache.as_deref())?),
            Place::Directory { path } => Box::new(Directory::open(path, cache.as_deref())?),
            Place::BareRepository { path } => Box::new(CommitSource::open(path, "HEAD")?),
        })
    }

    /// Whether what is installed here was pulled to where there is no source. A directory
    /// that holds a store and nothing else is one too, whatever became of the store.
    fn is_sourceless(&self) -> bool {
        let said = || self.store.active().ok().flatten().is_some_and(|active| active.sourceless);
        let alone = || {
            let entries = std::fs::read_dir(self.root()).into_iter().flatten().flatten();
            let mut names = entries.map(|entry| entry.file_name());
            names.next().is_some_and(|first| first == PROJECT_DIR) && names.next().is_none()
        };
        !self.has_git() && (said() || alone())
    }

    /// A workspace holds indexes of other places, and is none that an index is made of.
    fn refuse_workspace(&self) -> Result<(), Failure> {
        let Some(workspace) = Workspace::around(self.root())? else { return Ok(()) };
        Err(Failure::usage(format!(
            "`{}` is a workspace of pulled indexes, with no source to look at; `cce search` and `cce show` ask it, `cce sync pull --all` refreshes it",
            workspace.root().display()
        )))
    }

    /// What the URL of `origin` says; a local index may do without a name.
    fn origin_id(&self) -> Option<RepoId> {
        self.has_git().then(|| identity::of_origin(self.root()).ok()).flatten()
    }

    fn open_commit(&self, sha: &str) -> Result<Box<dyn Source>, SourceError> {
        Ok(Box::new(CommitSource::open(self.root(), sha)?))
    }

    /// Opens what a search answers from: the place as it is now, one commit of it, or what
    /// was pulled to where there is no source.
    pub fn view_for_search(&self, at: Option<&str>) -> Result<(Active, View), Failure> {
        if let Some(rev) = at {
            let (sha, view, _) = self.at(rev)?;
            return Ok((Active::of_commit(sha), view));
        }
        if self.is_sourceless() {
            return self.store.open()?.ok_or_else(|| Failure::data("the pulled index is gone; pull it again"));
        }
        let (active, view, report) = self.refresh(false)?;
        if report.changed && !self.has_git() {
            note(format_args!("indexed the directory `{}`, which is in no git repository", self.root().display()));
        }
        if let Some(reason) = report.rebuilt_because {
            note(format_args!("the index was built from nothing: {reason}"));
        }
        if report.changed {
            self.note_unheeded(&view)?;
        }
        Ok((active, view))
    }

    /// Brings the store up to what the place holds now, and opens it.
    pub fn refresh(&self, rebuild: bool) -> Result<(Active, View, Report), Failure> {
        self.refuse_workspace()?;
        if self.is_sourceless() {
            return Err(Failure::usage(format!(
                "the index in `{}` was pulled and there is no source here to build one from; refresh it with `cce sync pull --into`",
                self.root().display()
            )));
        }
        let cache = self.store.stat_cache()?;
        let progress = Progress::new("indexing");
        let progress = |done, total| progress.at(done, total);
        let now: Box<dyn Source> = match &self.place {
            Place::WorkTree { root } => Box::new(WorkTree::open(root, Some(&cache))?),
            Place::Directory { path } => Box::new(Directory::open(path, Some(&cache))?),
            Place::BareRepository { path } => Box::new(CommitSource::open(path, "HEAD")?),
        };
        let refresh = Refresh {
            now: now.as_ref(),
            open_commit: &|sha| self.open_commit(sha),
            origin_id: self.origin_id(),
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
            open_commit: &|sha| self.open_commit(sha),
            origin_id: self.origin_id(),
            rebuild: false,
            progress: &progress,
        };
        let (view, report) = refresh.run_at(&self.store)?;
        let sha = commit.commit().map(|commit| commit.sha.clone()).unwrap_or_default();
        Ok((sha, view, report))
    }
}

/// Who a repository is, for what is published or exported: it must have a name.
pub fn identify(given: Option<&str>, committed: &ProjectFile, root: &Path) -> Result<RepoId, Failure> {
    if let Some(id) = given {
        return RepoId::parse(id).map_err(Failure::usage);
    }
    committed.repo_id.clone().or_else(|| identity::of_origin(root).ok()).ok_or_else(|| {
        Failure::usage(
            "this repository has no name that is the same everywhere: pass `--repo-id example.com/team/repo`, or commit a `cce.toml` with `repo_id = \"example.com/team/repo\"`",
        )
    })
}

/// A path as it was given, seen from `directory`.
pub fn under(directory: &Path, path: &Path) -> PathBuf {
    if directory == Path::new(".") { path.to_owned() } else { directory.join(path) }
}

/// The shared home that the environment names.
pub fn home() -> Result<Home, Failure> {
    Ok(Home::find(environment)?)
}

/// One environment variable.
#[allow(clippy::disallowed_methods)] // This room reads the environment here and in `settings` only.
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
            error => Self::data(error),
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
