//! From scored passages to the ones that are shown: equal texts once, no text inside
//! another, and not all out of one file.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::answer::{Factor, Place};
use super::bm25f::millionths;
use super::corpus::{At, Corpus};
use super::engine::display;
use super::ranker::Ranker;
use crate::record::Span;
use crate::store::{IndexError, shown_text};

/// A passage that may be shown.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub document: u32,
    pub score: f64,
    pub steps: Vec<Factor>,
}

/// What selection compares of a candidate.
struct Seen<'a> {
    segment: usize,
    file: u32,
    span: Span,
    text: &'a str,
}

/// The `top_k` candidates to show, best first.
pub(super) fn select(
    corpus: &Corpus<'_>,
    mut candidates: Vec<Candidate>,
    ranker: &dyn Ranker,
    top_k: usize,
) -> Result<Vec<Candidate>, IndexError> {
    sort(corpus, &mut candidates)?;
    let mut kept: Vec<Candidate> = Vec::new();
    let mut seen: Vec<Seen<'_>> = Vec::new();
    let mut of_file: HashMap<(usize, u32), usize> = HashMap::new();
    for mut candidate in candidates {
        let now = look(corpus, candidate.document)?;
        if seen.iter().any(|better| repeats(better, &now)) {
            continue;
        }
        let before = of_file.entry((now.segment, now.file)).or_default();
        let discount = ranker.repeat(*before);
        *before += 1;
        if discount != 1.0 {
            candidate.score *= discount;
            candidate.steps.push(Factor { name: "further passage of its file", value: millionths(discount) });
        }
        seen.push(now);
        kept.push(candidate);
    }
    sort(corpus, &mut kept)?;
    kept.truncate(top_k);
    Ok(kept)
}

/// Best score first, in millionths; ties by place.
fn sort(corpus: &Corpus<'_>, candidates: &mut [Candidate]) -> Result<(), IndexError> {
    let mut failed = None;
    candidates.sort_by(|a, b| {
        millionths(b.score).cmp(&millionths(a.score)).then_with(|| {
            corpus.by_place(a.document, b.document).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                Ordering::Equal
            })
        })
    });
    failed.map_or(Ok(()), Err)
}

fn look<'c>(corpus: &'c Corpus<'_>, document: u32) -> Result<Seen<'c>, IndexError> {
    let at = corpus.at(document);
    let passage = at.index.passage(at.passage)?;
    let text = shown_text(at.index.passage_text(&passage)?);
    Ok(Seen { segment: at.segment, file: passage.file, span: passage.span, text })
}

/// Whether showing `later` would show text that `better` shows already.
fn repeats(better: &Seen<'_>, later: &Seen<'_>) -> bool {
    if better.text == later.text {
        return true;
    }
    let same_file = better.segment == later.segment && better.file == later.file;
    same_file && better.span.start < later.span.end && later.span.start < better.span.end
}

/// For each chosen passage the other places of its text, in order, among `documents`.
pub(super) fn same_text_elsewhere<'c>(
    corpus: &'c Corpus<'c>,
    chosen: &[Candidate],
    documents: &[u32],
    mut allowed: impl FnMut(At<'c>) -> Result<bool, IndexError>,
) -> Result<Vec<Vec<Place>>, IndexError> {
    let mut by_hash: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut texts: Vec<&str> = Vec::new();
    for (position, candidate) in chosen.iter().enumerate() {
        let at = corpus.at(candidate.document);
        let passage = at.index.passage(at.passage)?;
        texts.push(shown_text(at.index.passage_text(&passage)?));
        by_hash.entry(passage.text_hash).or_default().push(position);
    }
    let mut places: Vec<Vec<Place>> = vec![Vec::new(); chosen.len()];
    let sieve = Sieve::of(by_hash.keys());
    for &document in documents {
        let at = corpus.at(document);
        let hash = at.index.text_hash(at.passage)?;
        let Some(positions) = sieve.lets_through(hash).then(|| by_hash.get(&hash)).flatten() else { continue };
        let passage = at.index.passage(at.passage)?;
        let text = shown_text(at.index.passage_text(&passage)?);
        let Some(&position) = positions.iter().find(|position| texts[**position] == text) else { continue };
        if chosen[position].document != document && allowed(at)? {
            places[position].push(place_of(corpus, document)?);
        }
    }
    for (position, candidate) in chosen.iter().enumerate() {
        let own = place_of(corpus, candidate.document)?;
        places[position].sort();
        places[position].dedup();
        places[position].retain(|place| *place != own);
    }
    Ok(places)
}

/// Tells of most hashes at the price of one bit that they are none of a few.
struct Sieve([u64; 1024]);

impl Sieve {
    fn of<'h>(hashes: impl Iterator<Item = &'h u32>) -> Self {
        let mut bits = [0; 1024];
        hashes.for_each(|hash| bits[*hash as usize % 1024] |= 1 << (hash >> 10 & 63));
        Self(bits)
    }

    fn lets_through(&self, hash: u32) -> bool {
        self.0[hash as usize % 1024] >> (hash >> 10 & 63) & 1 == 1
    }
}

fn place_of(corpus: &Corpus<'_>, document: u32) -> Result<Place, IndexError> {
    let at = corpus.at(document);
    let passage = at.index.passage(at.passage)?;
    Ok(Place {
        repo: at.repo.map(str::to_owned),
        path: display(at, passage.file)?,
        start_line: passage.first_line,
        end_line: passage.last_line,
    })
}
