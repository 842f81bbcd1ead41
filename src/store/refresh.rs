//! Brings a store up to what its source holds now, doing only the work that is due.
//!
//! The base of a store is one commit (or one state of a directory). While the work
//! tree differs from it in little, only the differing files are extracted and laid
//! over it; once they are many, a new base is made, for which everything unchanged is
//! copied. Either way every answer is the one a build from scratch would give.

use std::collections::BTreeMap;

use super::difference::{Difference, State, States, Wanted, states_of};
use super::generation::{Active, ActiveOverlay, Store, StoreError, WriteLock};
use super::{BuildError as IndexBuildError, FileImage, Index, IndexBuilder, IndexError, Segment, View};
use crate::config::RepoId;
use crate::record::extract::Extractor;
use crate::snapshot::{
    BuildError, Manifest, ManifestError, Outcome, Pipeline, RecordKey, Redactions, add_counts, record_key,
};
use crate::source::{FileEntry, Listing, Source, SourceError};

/// What a refresh did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Whether anything had to be written.
    pub changed: bool,
    /// Files read and extracted in this run.
    pub extracted: usize,
    /// Secrets replaced in those files, and names that hold one.
    pub redactions: Redactions,
    /// Why what was there could not be used, if so.
    pub rebuilt_because: Option<String>,
}

/// Why a refresh failed; what was active before is active still.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The source or its settings failed.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A record could not be made into a part of an index.
    #[error(transparent)]
    Image(#[from] IndexBuildError),
    /// The index that is open turned out damaged.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The manifest inside an index is damaged.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

impl From<SourceError> for RefreshError {
    fn from(error: SourceError) -> Self {
        Self::Build(error.into())
    }
}

/// Opens a commit, given by its id, as a source.
pub type OpenCommit<'a> = dyn Fn(&str) -> Result<Box<dyn Source>, SourceError> + 'a;

/// What a store is to be brought up to.
pub struct Refresh<'a> {
    /// The state to answer for: a work tree, a directory or a commit.
    pub now: &'a dyn Source,
    /// Opens a commit of the same repository.
    pub open_commit: &'a OpenCommit<'a>,
    /// The identity to record where the source commits to none.
    pub origin_id: Option<RepoId>,
    /// Throw away what is there and build from nothing.
    pub rebuild: bool,
    /// Told how many files of how many are done.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl Refresh<'_> {
    /// Brings `store` up to date and opens it.
    ///
    /// # Errors
    /// When the source cannot be read or the disk refuses; the old state stays whole.
    pub fn run(&self, store: &Store) -> Result<(Active, View, Report), RefreshError> {
        let listing = self.now.list()?;
        let extractor = Extractor::new(&listing.project.settings).map_err(BuildError::from)?;
        let wanted = Wanted::new(&extractor, &listing, self.origin_id.as_ref());
        if let Some((active, view)) = self.current(store, &wanted) {
            return Ok((active, view, Report::default()));
        }
        let lock = store.lock()?;
        // Another process may have done the work while this one waited.
        if let Some((active, view)) = self.current(store, &wanted) {
            return Ok((active, view, Report::default()));
        }
        let mut work = Work::begin(self, store, &lock, &wanted);
        let active = work.renew(&wanted)?;
        let report = work.report;
        store.activate(&lock, &active)?;
        let (active, view) = store.open()?.ok_or_else(|| store.vanished())?;
        Ok((active, view, report))
    }

    /// Opens the index of the commit that `now` stands for, building it where none is kept.
    ///
    /// # Errors
    /// As [`Refresh::run`].
    pub fn run_at(&self, store: &Store) -> Result<(View, Report), RefreshError> {
        let listing = self.now.list()?;
        let extractor = Extractor::new(&listing.project.settings).map_err(BuildError::from)?;
        let wanted = Wanted::new(&extractor, &listing, self.origin_id.as_ref());
        let sha = self.now.commit().map(|commit| commit.sha.clone()).unwrap_or_default();
        for kept in [store.open(), store.open_at(&sha)] {
            if let Ok(Some((_, view))) = kept
                && let Ok(base) = view.base_alone()
                && wanted.manifest_of(base.base()).is_some_and(|manifest| manifest.sha.as_deref() == Some(&*sha))
                && wanted.is(&base).unwrap_or(false)
            {
                return Ok((base, Report::default()));
            }
        }
        let lock = store.lock()?;
        let mut work = Work::begin(self, store, &lock, &wanted);
        let base = work.write_base(self.now, Some(sha.clone()), &wanted)?;
        let report = work.report;
        store.keep_at(&lock, &sha, base)?;
        let (_, view) = store.open_at(&sha)?.ok_or_else(|| store.vanished())?;
        Ok((view, report))
    }

    fn head_sha(&self) -> Option<String> {
        self.now.commit().map(|commit| commit.sha.clone())
    }

    /// What is active, if it already is what is wanted. Damage is no answer, so it is
    /// not an error here.
    fn current(&self, store: &Store, wanted: &Wanted<'_>) -> Option<(Active, View)> {
        if self.rebuild {
            return None;
        }
        let (active, view) = store.open().ok().flatten()?;
        let current = active.head == self.head_sha() && wanted.is(&view).unwrap_or(false);
        current.then_some((active, view))
    }
}

/// One run under the lock.
struct Work<'a> {
    refresh: &'a Refresh<'a>,
    store: &'a Store,
    lock: &'a WriteLock,
    /// What was active, where it can be built upon.
    old: Option<(Active, View)>,
    report: Report,
}

impl<'a> Work<'a> {
    fn begin(refresh: &'a Refresh<'a>, store: &'a Store, lock: &'a WriteLock, wanted: &Wanted<'_>) -> Self {
        let mut report = Report { changed: true, ..Report::default() };
        let old = if refresh.rebuild { None } else { usable(store, wanted, &mut report) };
        Self { refresh, store, lock, old, report }
    }

    /// Writes what is missing and says what should be active.
    fn renew(&mut self, wanted: &Wanted<'_>) -> Result<Active, RefreshError> {
        if let Some((active, view)) = &self.old
            && let Some(difference) = self.overlay_for(view.base(), wanted)?
        {
            let (name, view) = (active.base.clone(), view.clone());
            return self.lay_over(name, view.base(), difference, wanted);
        }
        let Some(sha) = self.refresh.head_sha() else {
            let base = self.write_base(self.refresh.now, None, wanted)?;
            return Ok(Active { base, overlay: None, head: None, dirty: false, sourceless: false });
        };
        let head = (self.refresh.open_commit)(&sha)?;
        let head_listing = head.list()?;
        let head_wanted = Wanted::new(wanted.extractor(), &head_listing, self.refresh.origin_id.as_ref());
        if !head_wanted.same_settings(wanted) {
            // An uncommitted change of the settings reaches every record: nothing can be laid over.
            let base = self.write_base(self.refresh.now, None, wanted)?;
            return Ok(Active { base, overlay: None, head: Some(sha), dirty: true, sourceless: false });
        }
        let name = self.write_base(head.as_ref(), Some(sha), &head_wanted)?;
        let base = self.store.open_index(&name)?;
        let difference = wanted.difference(&base)?;
        self.lay_over(name, &base, difference, wanted)
    }

    /// What differs from the base that is there, if it can stay: it is near, it has the right
    /// identity, and where there is a commit it stands for one.
    fn overlay_for(&self, base: &Index, wanted: &Wanted<'_>) -> Result<Option<Difference>, RefreshError> {
        let Some(manifest) = wanted.manifest_of(base) else { return Ok(None) };
        let right = manifest.repo_id == wanted.repo_id(manifest.repo_id.as_ref())
            && manifest.sha.is_some() == self.refresh.now.commit().is_some();
        if !right {
            return Ok(None);
        }
        Ok(Some(wanted.difference(base)?).filter(|difference| difference.is_small_for(base)))
    }

    /// Lays `difference`, by which `wanted` differs from `base`, over it.
    fn lay_over(
        &mut self,
        name: String,
        base: &Index,
        difference: Difference,
        wanted: &Wanted<'_>,
    ) -> Result<Active, RefreshError> {
        let head = self.refresh.head_sha();
        let base_sha = Manifest::parse(base.manifest())?.sha;
        let dirty = match &head {
            None => false,
            Some(_) if head == base_sha => !difference.is_empty(),
            Some(head) => self.differs_from(head, wanted.listing())?,
        };
        if difference.is_empty() {
            return Ok(Active { base: name, overlay: None, head, dirty, sourceless: false });
        }
        let part =
            Listing { files: difference.files, skipped: difference.skipped, project: wanted.listing().project.clone() };
        let index = self.write_index(self.refresh.now, None, part, wanted)?;
        let overlay = Some(ActiveOverlay { index, removed: difference.gone });
        Ok(Active { base: name, overlay, head, dirty, sourceless: false })
    }

    fn differs_from(&self, sha: &str, listing: &Listing) -> Result<bool, RefreshError> {
        let head = (self.refresh.open_commit)(sha)?.list()?;
        Ok(head.files != listing.files || head.skipped != listing.skipped)
    }

    /// Writes the index of everything that `wanted` lists, to stand for `sha`.
    fn write_base(
        &mut self,
        source: &dyn Source,
        sha: Option<String>,
        wanted: &Wanted<'_>,
    ) -> Result<String, RefreshError> {
        self.write_index(source, sha, wanted.listing().clone(), wanted)
    }

    /// Extracts or copies every file of `listing` and writes one index of them.
    fn write_index(
        &mut self,
        source: &dyn Source,
        sha: Option<String>,
        listing: Listing,
        wanted: &Wanted<'_>,
    ) -> Result<String, RefreshError> {
        let (extractor, settings) = (wanted.extractor(), wanted.settings());
        let old_base = self.old.as_ref().map(|(_, view)| view.base());
        let before = old_base.and_then(|base| wanted.manifest_of(base)).and_then(|manifest| manifest.repo_id);
        let key = |file: &FileEntry| record_key(extractor.id(), settings, file);
        let view = self.old.as_ref().map(|(_, view)| view.clone());
        let earlier = view.as_ref().map(Earlier::of).unwrap_or_default();
        let pipeline = Pipeline {
            extractor,
            reuse: &|file| earlier.reuse(file, key(file)),
            make: &|file, record| FileImage::from_record(record, key(file)),
            progress: self.refresh.progress,
        };
        let built = pipeline.run(source, listing)?;
        self.report.extracted += built.extracted;
        self.report.redactions.extend(built.redactions);
        let mut builder = IndexBuilder::new();
        let mut problems = BTreeMap::new();
        let mut rows = Vec::with_capacity(built.made.len());
        for made in built.made {
            let image = made?;
            add_counts(&mut problems, image.problems());
            rows.push((image.path().clone(), *image.digest()));
            builder.add(image);
        }
        let skipped = built.skipped.iter().map(|file| file.skipped.clone()).collect();
        for file in built.skipped {
            builder.skip(file.skipped, file.content);
        }
        let manifest = Manifest {
            repo_id: wanted.repo_id(before.as_ref()),
            sha,
            extractor: extractor.id().clone(),
            settings: settings.to_owned(),
            file_count: rows.len() as u64,
            skipped,
            problem_counts: problems,
            checksum: String::new(),
        }
        .seal(rows.iter().map(|(path, digest)| (path, digest)));
        Ok(self.store.write_index(self.lock, builder, &manifest.line())?)
    }
}

/// What is there already, as far as it is of use: made by this extractor under these
/// settings. A damaged store is as good as none, and the report says so.
fn usable(store: &Store, wanted: &Wanted<'_>, report: &mut Report) -> Option<(Active, View)> {
    match store.open() {
        Ok(Some((active, view))) if wanted.same_maker(view.base()) => Some((active, view)),
        Ok(Some(_)) => {
            report.rebuilt_because = Some("it was made by another extractor or under other settings".to_owned());
            None
        }
        Ok(None) => None,
        Err(error) => {
            // The advice that follows has just been taken.
            report.rebuilt_because = error.to_string().split(';').next().map(str::to_owned);
            None
        }
    }
}

/// What earlier runs made of files. An index that turns out damaged is simply not used.
#[derive(Default)]
struct Earlier<'a>(Vec<(&'a Index, States<'a>)>);

impl<'a> Earlier<'a> {
    fn of(view: &'a View) -> Self {
        let indexes = view.segments().iter().map(Segment::index);
        Self(indexes.filter_map(|index| Some((index, states_of(index).ok()?))).collect())
    }

    /// What was made of `file`, if it was made of the same bytes in the same way.
    fn reuse(&self, file: &FileEntry, key: RecordKey) -> Option<Outcome<Result<FileImage, IndexBuildError>>> {
        self.0.iter().find_map(|(index, states)| match states.get(file.path.as_bytes())? {
            State::Recorded(recorded) if recorded == key => {
                let at = index.find(&file.path).ok()??;
                index.image(at).ok().map(|image| Outcome::Made(Ok(image)))
            }
            State::Skipped(reason, Some(content)) if content == file.content => Some(Outcome::Skipped(reason)),
            _ => None,
        })
    }
}
