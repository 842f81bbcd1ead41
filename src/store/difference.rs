//! How what a source lists differs from what an index holds.

use super::{Index, IndexError, View};
use crate::config::RepoId;
use crate::record::extract::Extractor;
use crate::snapshot::{Manifest, RecordKey, record_key};
use crate::source::{ContentId, FileEntry, Listing, RepoPath, SkipReason, SkippedFile};

/// An overlay stays one while it holds at most this many files ...
const OVERLAY_FILES: usize = 64;
/// ... or at most one in this many of the base's files.
const OVERLAY_SHARE: usize = 8;

/// What one path of an index is, as far as telling changes goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// A record of this key.
    Recorded(RecordKey),
    /// No text, for this reason; with the content, where that is what decided.
    Skipped(SkipReason, Option<ContentId>),
}

/// The paths of an index with what they are, in path order.
pub(super) struct States<'a>(Vec<(&'a [u8], State)>);

impl States<'_> {
    /// What `path` is.
    pub(super) fn get(&self, path: &[u8]) -> Option<State> {
        self.0.binary_search_by(|(known, _)| (*known).cmp(path)).ok().map(|at| self.0[at].1)
    }
}

/// The paths of one index.
pub(super) fn states_of(index: &Index) -> Result<States<'_>, IndexError> {
    let mut states = Vec::with_capacity(index.file_count() as usize);
    for file in index.files() {
        let file = file?;
        states.push((file.path, State::Recorded(file.key)));
    }
    for skipped in index.skipped() {
        let skipped = skipped?;
        states.push((skipped.path, State::Skipped(skipped.reason, skipped.content)));
    }
    states.sort_unstable_by_key(|(path, _)| *path);
    Ok(States(states))
}

/// What a path should be now.
enum Expected<'a> {
    File(&'a FileEntry, RecordKey),
    Skip(&'a SkippedFile),
}

impl Expected<'_> {
    /// Whether `state` is what this path should be. Whether its bytes make a file binary is
    /// known only once it was read, so the same bytes skipped are right too.
    fn is(&self, state: State) -> bool {
        match (self, state) {
            (Self::File(_, key), State::Recorded(recorded)) => *key == recorded,
            (Self::File(file, _), State::Skipped(_, Some(content))) => file.content == content,
            (Self::Skip(file), State::Skipped(reason, None)) => file.skipped.reason == reason,
            _ => false,
        }
    }
}

/// A listing, with the keys that its files should have.
pub(super) struct Wanted<'a> {
    extractor: &'a Extractor,
    listing: &'a Listing,
    settings: String,
    origin_id: Option<RepoId>,
    /// In path order.
    paths: Vec<(&'a RepoPath, Expected<'a>)>,
}

/// How a listing differs from a base.
pub(super) struct Difference {
    /// New and changed files, in path order.
    pub files: Vec<FileEntry>,
    /// Paths that newly contribute nothing, in path order.
    pub skipped: Vec<SkippedFile>,
    /// Paths of the base that are not what they were, in path order.
    pub gone: Vec<RepoPath>,
}

impl Difference {
    /// Whether nothing differs.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.skipped.is_empty() && self.gone.is_empty()
    }

    /// Whether so little differs that an overlay is cheaper than a new base.
    pub(super) fn is_small_for(&self, base: &Index) -> bool {
        let differing = self.files.len() + self.skipped.len() + self.gone.len();
        differing <= OVERLAY_FILES.max(base.file_count() as usize / OVERLAY_SHARE)
    }
}

impl<'a> Wanted<'a> {
    /// Works out what an index of `listing` holds.
    pub(super) fn new(extractor: &'a Extractor, listing: &'a Listing, origin_id: Option<&RepoId>) -> Self {
        let settings = listing.project.settings.digest();
        let file = |file| Expected::File(file, record_key(extractor.id(), &settings, file));
        let files = listing.files.iter().map(|entry| (&entry.path, file(entry)));
        let skipped = listing.skipped.iter().map(|file| (&file.skipped.path, Expected::Skip(file)));
        let mut paths: Vec<_> = files.chain(skipped).collect();
        paths.sort_by_key(|(path, _)| *path);
        Self { extractor, listing, settings, origin_id: origin_id.cloned(), paths }
    }

    pub(super) fn extractor(&self) -> &'a Extractor {
        self.extractor
    }

    pub(super) fn listing(&self) -> &'a Listing {
        self.listing
    }

    /// Digest of the settings.
    pub(super) fn settings(&self) -> &str {
        &self.settings
    }

    pub(super) fn same_settings(&self, other: &Self) -> bool {
        self.settings == other.settings
    }

    /// The identity a new index gets, after one that had `before`: what the source commits
    /// to, else what was there (a pulled index brings its own), else what `origin` says.
    pub(super) fn repo_id(&self, before: Option<&RepoId>) -> Option<RepoId> {
        self.listing.project.repo_id.as_ref().or(before).or(self.origin_id.as_ref()).cloned()
    }

    /// The manifest of `index`, if it was made by this extractor under these settings.
    pub(super) fn manifest_of(&self, index: &Index) -> Option<Manifest> {
        let manifest = Manifest::parse(index.manifest()).ok()?;
        (manifest.extractor == *self.extractor.id() && manifest.settings == self.settings).then_some(manifest)
    }

    pub(super) fn same_maker(&self, index: &Index) -> bool {
        self.manifest_of(index).is_some()
    }

    /// Whether `view` holds exactly this listing.
    pub(super) fn is(&self, view: &View) -> Result<bool, IndexError> {
        let Some(manifest) = self.manifest_of(view.base()) else { return Ok(false) };
        if manifest.repo_id != self.repo_id(manifest.repo_id.as_ref()) {
            return Ok(false);
        }
        let mut states = states_of(view.base())?.0;
        if let Some((overlay, removed)) = view.overlay() {
            states = laid_over(states, overlay, removed)?;
        }
        Ok(states.len() == self.paths.len()
            && states
                .iter()
                .zip(&self.paths)
                .all(|((path, state), (wanted, expected))| *path == wanted.as_bytes() && expected.is(*state)))
    }

    /// How this differs from `base` alone.
    pub(super) fn difference(&self, base: &Index) -> Result<Difference, IndexError> {
        let mut difference = Difference { files: Vec::new(), skipped: Vec::new(), gone: Vec::new() };
        let mut gone: Vec<&[u8]> = Vec::new();
        let states = states_of(base)?.0;
        let mut old = states.iter().peekable();
        for (path, expected) in &self.paths {
            while let Some((before, _)) = old.next_if(|(before, _)| *before < path.as_bytes()) {
                gone.push(before);
            }
            if let Some((before, state)) = old.next_if(|(before, _)| *before == path.as_bytes()) {
                if expected.is(*state) {
                    continue;
                }
                gone.push(before);
            }
            match expected {
                Expected::File(file, _) => difference.files.push((*file).clone()),
                Expected::Skip(file) => difference.skipped.push((*file).clone()),
            }
        }
        gone.extend(old.map(|(before, _)| *before));
        difference.gone = gone.into_iter().filter_map(|path| RepoPath::parse(path).ok()).collect();
        Ok(difference)
    }
}

/// What an overlay makes of the paths of its base.
fn laid_over<'a>(
    base: Vec<(&'a [u8], State)>,
    overlay: &'a Index,
    removed: &[RepoPath],
) -> Result<Vec<(&'a [u8], State)>, IndexError> {
    let over = states_of(overlay)?;
    let gone = |path: &[u8]| removed.binary_search_by(|removed| removed.as_bytes().cmp(path)).is_ok();
    let mut states: Vec<_> = base.into_iter().filter(|(path, _)| !gone(path) && over.get(path).is_none()).collect();
    states.extend(over.0);
    states.sort_unstable_by_key(|(path, _)| *path);
    Ok(states)
}
