//! A base index with the index of what differs laid over it.

use std::sync::Arc;

use super::layout::Field;
use super::{Index, IndexError, SkippedEntry};
use crate::source::RepoPath;

/// What differs from a base.
#[derive(Clone, Debug)]
pub struct Overlay {
    /// The files that are new or changed, and the paths newly skipped.
    pub index: Arc<Index>,
    /// The paths of the base that are gone.
    pub removed: Vec<RepoPath>,
}

/// The live files of one repository: those of a base, less what an overlay hides, and
/// those of the overlay.
#[derive(Clone, Debug)]
pub struct View {
    repo: Option<String>,
    segments: Vec<Segment>,
    removed: Vec<RepoPath>,
    statistics: Statistics,
}

/// One index of a view, with the files of it that are hidden.
#[derive(Clone, Debug)]
pub struct Segment {
    index: Arc<Index>,
    hidden: Hidden,
}

/// Hidden files and their passages, as bits; empty where nothing is hidden.
#[derive(Clone, Debug, Default)]
struct Hidden {
    files: Vec<u64>,
    passages: Vec<u64>,
}

/// How much a view holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Live files.
    pub files: u64,
    /// Live passages.
    pub passages: u64,
    /// Bytes of their text.
    pub text_bytes: u64,
    /// Bytes of the index files.
    pub index_bytes: u64,
}

/// Sums over live passages, from which a ranker takes averages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Live files.
    pub files: u64,
    /// Live passages.
    pub passages: u64,
    /// Sum over live passages of the terms in each field, in the order of [`Field::ALL`].
    pub lengths: [u64; Field::COUNT],
}

impl Statistics {
    /// The statistics of two sets of files together.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.files += other.files;
        self.passages += other.passages;
        for (sum, length) in self.lengths.iter_mut().zip(other.lengths) {
            *sum = sum.saturating_add(length);
        }
        self
    }
}

impl View {
    /// Lays `overlay` over `base`.
    ///
    /// # Errors
    /// When a row of either index does not hold.
    pub fn new(base: Arc<Index>, overlay: Option<Overlay>) -> Result<Self, IndexError> {
        let mut segments = vec![Segment { index: base, hidden: Hidden::default() }];
        let mut removed = Vec::new();
        if let Some(overlay) = overlay {
            removed = overlay.removed;
            removed.sort();
            segments[0].hide(&overlay.index, &removed)?;
            segments.push(Segment { index: overlay.index, hidden: Hidden::default() });
        }
        let mut statistics = Statistics::default();
        for segment in &segments {
            statistics = statistics.plus(&segment.statistics()?);
        }
        Ok(Self { repo: None, segments, removed, statistics })
    }

    /// Names the repository, for results that come from several.
    #[must_use]
    pub fn with_repo(mut self, repo: impl Into<String>) -> Self {
        self.repo = Some(repo.into());
        self
    }

    /// The name of the repository, where it was given.
    pub fn repo(&self) -> Option<&str> {
        self.repo.as_deref()
    }

    /// The index that stands for a commit or a directory.
    pub fn base(&self) -> &Index {
        &self.segments[0].index
    }

    /// What is laid over the base, if anything: its index, and the paths that are gone, in order.
    pub fn overlay(&self) -> Option<(&Index, &[RepoPath])> {
        Some((&self.segments.get(1)?.index, &self.removed))
    }

    /// How much the view holds.
    pub fn figures(&self) -> Figures {
        let live = |segment: &Segment| {
            let files = (0..segment.index.file_count()).filter(|file| !segment.is_hidden_file(*file));
            files.filter_map(|file| segment.index.file(file).ok()).map(|file| u64::from(file.text_len)).sum::<u64>()
        };
        Figures {
            files: self.statistics.files,
            passages: self.statistics.passages,
            text_bytes: self.segments.iter().map(live).sum(),
            index_bytes: self.segments.iter().map(|segment| segment.index.bytes().len() as u64).sum(),
        }
    }

    /// The base without what is laid over it.
    ///
    /// # Errors
    /// When a row does not hold.
    pub fn base_alone(&self) -> Result<Self, IndexError> {
        Self::new(Arc::clone(&self.segments[0].index), None)
    }

    /// The indexes, base first.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Sums over the live passages.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The live file at `path`: its index and its number there.
    ///
    /// # Errors
    /// When a row does not hold.
    pub fn find(&self, path: &RepoPath) -> Result<Option<(&Index, u32)>, IndexError> {
        for segment in self.segments.iter().rev() {
            if let Some(file) = segment.index.find(path)?
                && !segment.is_hidden_file(file)
            {
                return Ok(Some((segment.index(), file)));
            }
        }
        Ok(None)
    }

    /// All live files in order of their paths: index and number there.
    ///
    /// # Errors
    /// When a row does not hold.
    pub fn files(&self) -> Result<Vec<(&Index, u32)>, IndexError> {
        let mut all = Vec::new();
        for segment in &self.segments {
            for file in (0..segment.index.file_count()).filter(|file| !segment.is_hidden_file(*file)) {
                all.push((segment.index.path_bytes(file)?, segment.index(), file));
            }
        }
        all.sort_by_key(|(path, _, _)| *path);
        Ok(all.into_iter().map(|(_, index, file)| (index, file)).collect())
    }

    /// All paths that contribute no text, in order. What the overlay says of a path holds over
    /// what the base says.
    ///
    /// # Errors
    /// When a row does not hold.
    pub fn skipped(&self) -> Result<Vec<SkippedEntry<'_>>, IndexError> {
        let (base, overlay) = (&self.segments[0].index, self.segments.get(1).map(|segment| &segment.index));
        let Some(overlay) = overlay else { return base.skipped().collect() };
        let mut all: Vec<SkippedEntry<'_>> = overlay.skipped().collect::<Result<_, _>>()?;
        let newly = all.len();
        for entry in base.skipped() {
            let entry = entry?;
            let known = all[..newly].binary_search_by(|over| over.path.cmp(entry.path)).is_ok();
            let gone = self.removed.binary_search_by(|path| path.as_bytes().cmp(entry.path)).is_ok();
            let is_file = RepoPath::parse(entry.path).is_ok_and(|path| matches!(overlay.find(&path), Ok(Some(_))));
            if !known && !gone && !is_file {
                all.push(entry);
            }
        }
        all.sort_by_key(|entry| (entry.path, entry.reason));
        Ok(all)
    }
}

impl Segment {
    /// The index.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Whether file number `file` is hidden by an overlay.
    pub fn is_hidden_file(&self, file: u32) -> bool {
        bit(&self.hidden.files, file)
    }

    /// Whether passage number `passage` belongs to a hidden file.
    pub fn is_hidden_passage(&self, passage: u32) -> bool {
        bit(&self.hidden.passages, passage)
    }

    fn hide(&mut self, over: &Index, removed: &[RepoPath]) -> Result<(), IndexError> {
        let words = |count: u32| vec![0u64; (count as usize).div_ceil(64)];
        self.hidden = Hidden { files: words(self.index.file_count()), passages: words(self.index.passage_count()) };
        for path in removed {
            self.hide_path(path)?;
        }
        for file in 0..over.file_count() {
            self.hide_path(&over.path(file)?)?;
        }
        for entry in over.skipped() {
            if let Ok(path) = RepoPath::parse(entry?.path) {
                self.hide_path(&path)?;
            }
        }
        Ok(())
    }

    fn hide_path(&mut self, path: &RepoPath) -> Result<(), IndexError> {
        if let Some(file) = self.index.find(path)? {
            set(&mut self.hidden.files, file);
            for passage in self.index.file(file)?.passage_range() {
                set(&mut self.hidden.passages, passage);
            }
        }
        Ok(())
    }

    fn statistics(&self) -> Result<Statistics, IndexError> {
        let index = &self.index;
        let mut statistics = Statistics {
            files: u64::from(index.file_count()),
            passages: u64::from(index.passage_count()),
            lengths: index.length_sums(),
        };
        if self.hidden.files.iter().all(|word| *word == 0) {
            return Ok(statistics);
        }
        for file in (0..index.file_count()).filter(|file| self.is_hidden_file(*file)) {
            let entry = index.file(file)?;
            statistics.files -= 1;
            let mut take = |field: usize, length: u64| {
                statistics.lengths[field] = statistics.lengths[field].saturating_sub(length);
            };
            take(Field::Path as usize, u64::from(entry.path_terms) * u64::from(entry.passages.1));
            for passage in entry.passage_range() {
                index.lengths(passage)?.iter().enumerate().for_each(|(field, length)| take(field, u64::from(*length)));
            }
            statistics.passages = statistics.passages.saturating_sub(u64::from(entry.passages.1));
        }
        Ok(statistics)
    }
}

fn bit(bits: &[u64], at: u32) -> bool {
    bits.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
}

fn set(bits: &mut [u64], at: u32) {
    if let Some(word) = bits.get_mut(at as usize / 64) {
        *word |= 1 << (at % 64);
    }
}
