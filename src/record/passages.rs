//! Passages: the units that search ranks and serves, derived from a record by fixed rules.

use sha2::{Digest, Sha256};

use super::{Record, Span, kind};
use crate::source::RepoPath;

/// A contiguous stretch of a record's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// What is shown.
    pub span: Span,
    /// The definition it stands for; `None` for text outside every definition.
    pub definition: Option<u32>,
    /// How it relates to that definition.
    pub part: Part,
    /// The stretches of `span`, in order, whose words belong to this passage in the
    /// body field: all of it, less what member passages hold.
    pub own: Vec<Span>,
}

/// How a passage relates to its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The definition as a whole.
    Whole,
    /// Head of a definition that is too large for one passage.
    Outline,
    /// A later stretch of such a definition.
    Slice,
    /// Text outside every definition.
    Loose,
}

/// Derives the passages of `record`, in order of span start, outer before inner.
pub fn passages(record: &Record) -> Vec<Passage> {
    let shown: Vec<(u32, Span)> = (0..)
        .zip(&record.definitions)
        .filter(|(_, definition)| definition.kind != kind::FIELD && !definition.span.is_empty())
        .map(|(index, definition)| (index, definition.span))
        .collect();
    let whole = Span::new(0, record.text.len() as u32);
    let loose = without(whole, shown.iter().map(|(_, span)| *span)).into_iter().map(|span| Passage {
        span,
        definition: None,
        part: Part::Loose,
        own: vec![span],
    });
    let defined = shown.iter().enumerate().map(|(at, &(index, span))| Passage {
        span,
        definition: Some(index),
        part: Part::Whole,
        own: without(span, shown[at + 1..].iter().map(|(_, inner)| *inner).filter(|inner| span.contains(*inner))),
    });
    let mut all: Vec<Passage> = defined.chain(loose).collect();
    all.sort_by_key(|passage| (passage.span.start, u32::MAX - passage.span.end));
    all
}

/// The stretches of `outer` that no span of `holes` (ordered by start) covers.
fn without(outer: Span, holes: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut rest = Vec::new();
    let mut at = outer.start;
    for hole in holes {
        if hole.start > at {
            rest.push(Span::new(at, hole.start));
        }
        at = at.max(hole.end);
    }
    if at < outer.end {
        rest.push(Span::new(at, outer.end));
    }
    rest
}

/// The name of a definition with the names of its containers before it.
pub fn qualified_name(record: &Record, definition: u32) -> String {
    let mut names = Vec::new();
    let mut at = Some(definition);
    while let Some(definition) = at.and_then(|index| record.definitions.get(index as usize)) {
        names.push(definition.name.as_str());
        at = definition.container;
    }
    names.reverse();
    names.join(if record.language.as_str() == "rust" { "::" } else { "." })
}

/// The id of a passage: the first 8 bytes of SHA-256 over its path, span and text.
pub fn passage_id(path: &RepoPath, span: Span, text: &str) -> [u8; 8] {
    let mut hash = Sha256::new();
    hash.update(path.as_bytes());
    hash.update([0]);
    hash.update(span.start.to_be_bytes());
    hash.update(span.end.to_be_bytes());
    hash.update(text);
    let digest = hash.finalize();
    let mut id = [0; 8];
    id.copy_from_slice(&digest[..8]);
    id
}
