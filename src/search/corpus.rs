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

    /// Number of terms in each field of a passage.
    pub fn lengths(&self, at: At<'_>, with_path: bool) -> Result<[u32; Field::COUNT], IndexError> {
        let [name, signature, doc, body] = at.index.lengths(at.passage)?.map(u32::from);
        let path = if with_path { at.index.file(at.index.file_of(at.passage)?)?.path_terms } else { 0 };
        Ok([name, signature, doc, body, u32::from(path)])
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

/// Gathers the evidence for one term after another; keeps its memory between them.
pub(super) struct Gatherer {
    /// Position in `found` plus 1, by document; 0 where there is none.
    slots: Vec<u32>,
    found: Vec<Evidence>,
}

impl Gatherer {
    pub fn new(corpus: &Corpus<'_>) -> Self {
        Self { slots: vec![0; corpus.documents()], found: Vec::new() }
    }

    /// The evidence for `term` in all live passages, each passage once.
    pub fn gather(&mut self, corpus: &Corpus<'_>, term: &[u8]) -> Result<&[Evidence], IndexError> {
        for old in self.found.drain(..) {
            self.slots[old.document as usize] = 0;
        }
        for numbered in corpus.segments() {
            let (segment, index) = (numbered.segment, numbered.segment.index());
            let mut paths: Vec<Posting> = Vec::new();
            index.postings(term, |field, posting| {
                if field == Field::Path {
                    paths.push(posting);
                } else if !segment.is_hidden_passage(posting.document) {
                    self.add(numbered.first + posting.document, field, posting.count);
                }
            })?;
            for posting in paths.into_iter().filter(|posting| !segment.is_hidden_file(posting.document)) {
                for passage in index.file(posting.document)?.passage_range() {
                    self.add(numbered.first + passage, Field::Path, posting.count);
                }
            }
        }
        Ok(&self.found)
    }

    fn add(&mut self, document: u32, field: Field, count: u32) {
        let slot = &mut self.slots[document as usize];
        if *slot == 0 {
            self.found.push(Evidence { document, counts: [0; Field::COUNT] });
            *slot = self.found.len() as u32;
        }
        let counts = &mut self.found[*slot as usize - 1].counts[field as usize];
        *counts = counts.saturating_add(count);
    }
}

/// In how many passages a term stands: in their own text, or (where it is in no text) in the paths of their files. A
/// directory's name would otherwise make the word common that it is named for.
pub(super) fn passages_with(evidence: &[Evidence]) -> u64 {
    let in_text = evidence.iter().filter(|found| found.counts[..Field::Path as usize].iter().any(|count| *count > 0));
    match in_text.count() as u64 {
        0 => evidence.len() as u64,
        count => count,
    }
}
