//! The live passages of all views under one numbering, and the evidence for one term.

use std::cmp::Ordering;

use super::SearchError;
use super::ranker::Averages;
use crate::store::postings::Posting;
use crate::store::{Field, Index, IndexError, Segment, Statistics, View};

/// The passages of several views, numbered through. Numbers of hidden passages stay unused.
pub(super) struct Corpus<'a> {
    segments: Vec<Numbered<'a>>,
    documents: u32,
    pub statistics: Statistics,
    pub averages: Averages,
}

/// A segment and the number of its first passage.
#[derive(Clone, Copy)]
pub(super) struct Numbered<'a> {
    pub repo: Option<&'a str>,
    pub segment: &'a Segment,
    pub first: u32,
}

/// A passage in its segment.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    /// Position of the segment.
    pub segment: usize,
    pub repo: Option<&'a str>,
    pub index: &'a Index,
    /// Number of the passage in the index.
    pub passage: u32,
}

/// How often a term stands in the fields of one passage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    pub document: u32,
    pub counts: [u32; Field::COUNT],
}

impl<'a> Corpus<'a> {
    pub fn new(views: &'a [View]) -> Result<Self, SearchError> {
        let mut segments = Vec::new();
        let mut statistics = Statistics::default();
        let mut documents = 0u32;
        for view in views {
            statistics = statistics.plus(view.statistics());
            for segment in view.segments() {
                segments.push(Numbered { repo: view.repo(), segment, first: documents });
                let count = segment.index().passage_count();
                documents = documents.checked_add(count).ok_or(SearchError::TooLarge)?;
            }
        }
        let average = |sum: u64| sum as f64 / (statistics.passages.max(1)) as f64;
        let averages = Averages(statistics.lengths.map(average));
        Ok(Self { segments, documents, statistics, averages })
    }

    pub fn documents(&self) -> usize {
        self.documents as usize
    }

    pub fn segments(&self) -> &[Numbered<'a>] {
        &self.segments
    }

    /// Where passage number `document` is.
    pub fn at(&self, document: u32) -> At<'a> {
        let segment = self.segments.partition_point(|segment| segment.first <= document).saturating_sub(1);
        let numbered = &self.segments[segment];
        At { segment, repo: numbered.repo, index: numbered.segment.index(), passage: document - numbered.first }
    }

    /// The order of two passages by place: repository, path, span.
    pub fn by_place(&self, a: u32, b: u32) -> Result<Ordering, IndexError> {
        let (a, b) = (self.at(a), self.at(b));
        let (left, right) = (a.index.passage(a.passage)?, b.index.passage(b.passage)?);
        let paths = (a.index.path_bytes(left.file)?, b.index.path_bytes(right.file)?);
        let spans = left.span.start.cmp(&right.span.start).then(right.span.end.cmp(&left.span.end));
        // Passages of one span keep the order of their record.
        Ok(a.repo.cmp(&b.repo).then(paths.0.cmp(paths.1)).then(spans).then(a.passage.cmp(&b.passage)))
    }
}

/// Number of terms in each field of a passage.
pub(super) fn lengths(index: &Index, passage: u32, with_path: bool) -> Result<[u32; Field::COUNT], IndexError> {
    let [name, signature, doc, body] = index.lengths(passage)?.map(u32::from);
    let path = if with_path { index.file(index.file_of(passage)?)?.path_terms } else { 0 };
    Ok([name, signature, doc, body, u32::from(path)])
}

/// Gathers the evidence for one term after another in one segment; keeps its memory between them.
pub(super) struct Gatherer<'a> {
    numbered: Numbered<'a>,
    /// Position in `found` plus 1, by passage; 0 where there is none.
    slots: Vec<u32>,
    found: Vec<Evidence>,
}

impl<'a> Gatherer<'a> {
    pub fn new(numbered: Numbered<'a>) -> Self {
        Self { numbered, slots: vec![0; numbered.segment.index().passage_count() as usize], found: Vec::new() }
    }

    /// The evidence for `term` in all live passages, each passage once.
    pub fn gather(&mut self, term: &[u8]) -> Result<Vec<Evidence>, IndexError> {
        let (segment, index) = (self.numbered.segment, self.numbered.segment.index());
        let mut paths: Vec<Posting> = Vec::new();
        index.postings(term, |field, posting| {
            if field == Field::Path {
                paths.push(posting);
            } else if !segment.is_hidden_passage(posting.document) {
                self.add(posting.document, field, posting.count);
            }
        })?;
        for posting in paths.into_iter().filter(|posting| !segment.is_hidden_file(posting.document)) {
            for passage in index.file(posting.document)?.passage_range() {
                self.add(passage, Field::Path, posting.count);
            }
        }
        for found in &self.found {
            self.slots[(found.document - self.numbered.first) as usize] = 0;
        }
        Ok(std::mem::take(&mut self.found))
    }

    fn add(&mut self, passage: u32, field: Field, count: u32) {
        let slot = &mut self.slots[passage as usize];
        if *slot == 0 {
            self.found.push(Evidence { document: self.numbered.first + passage, counts: [0; Field::COUNT] });
            *slot = self.found.len() as u32;
        }
        let counts = &mut self.found[*slot as usize - 1].counts[field as usize];
        *counts = counts.saturating_add(count);
    }
}

/// In how many passages a term stands: in their own text, or (where it is in no text) in the paths of their files. A
/// directory's name would otherwise make the word common that it is named for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    in_text: u64,
    anywhere: u64,
}

impl Spread {
    pub fn of(evidence: &[Evidence]) -> Self {
        let in_text =
            evidence.iter().filter(|found| found.counts[..Field::Path as usize].iter().any(|count| *count > 0));
        Self { in_text: in_text.count() as u64, anywhere: evidence.len() as u64 }
    }

    /// The spread over two sets of passages together.
    pub fn plus(self, other: Self) -> Self {
        Self { in_text: self.in_text + other.in_text, anywhere: self.anywhere + other.anywhere }
    }

    /// How many passages; `None` where there is none.
    pub fn passages(self) -> Option<u64> {
        Some(if self.in_text == 0 { self.anywhere } else { self.in_text }).filter(|count| *count > 0)
    }
}
