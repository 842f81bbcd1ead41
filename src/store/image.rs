//! What one file brings to an index: computed file by file, on any thread, in any order.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::counting::{Counter, TermRuns};
use super::layout::{FLAGS, Field, part_code};
use super::{BuildError, facts};
use crate::record::passages::{Part, Passage, passage_id, passages, qualified_name};
use crate::record::{Record, Span, Word, canonical};
use crate::snapshot::{RecordKey, problem_counts};
use crate::source::RepoPath;

/// One file as an index holds it. A pure function of its record and key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileImage {
    pub(super) path: RepoPath,
    pub(super) language: Word,
    pub(super) flags: u16,
    pub(super) key: RecordKey,
    pub(super) text: String,
    pub(super) facts: Facts,
    pub(super) passages: Vec<PassageImage>,
    pub(super) path_terms: u32,
    pub(super) terms: TermRuns,
    digest: [u8; 32],
    problems: BTreeMap<Word, u64>,
}

/// A record line up to its text, packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub packed: Vec<u8>,
    pub plain_len: usize,
}

/// One passage of a [`FileImage`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PassageImage {
    pub span: Span,
    pub definition: Option<u32>,
    pub first_line: u32,
    pub last_line: u32,
    pub name: String,
    pub qualified: String,
    pub kind: String,
    pub signature: Span,
    pub part: u8,
    pub id: [u8; 8],
    pub text_hash: u32,
    /// Terms in name, signature, doc and body.
    pub lengths: [u32; 4],
}

impl FileImage {
    /// Derives passages and terms and packs the facts.
    ///
    /// # Errors
    /// When the compressor fails.
    pub fn from_record(record: Record, key: RecordKey) -> Result<Self, BuildError> {
        let line = canonical::line(&record);
        let plain = canonical::facts_of(&line);
        let packed = facts::pack(plain).map_err(|error| BuildError::Compress {
            path: record.path.display().into_owned(),
            why: error.to_string(),
        })?;
        Ok(Self::assemble(record, &line, key, Facts { packed, plain_len: plain.len() }))
    }

    /// Like [`Self::from_record`] where the record's line and packed facts are at hand.
    pub(super) fn assemble(record: Record, line: &[u8], key: RecordKey, facts: Facts) -> Self {
        let mut counter = Counter::default();
        let lines = Lines::of(&record.text);
        let passages = passages(&record);
        let passages =
            (0..).zip(&passages).map(|(at, passage)| image(&record, passage, at, &lines, &mut counter)).collect();
        let problems = problem_counts(&record);
        let path_terms = counter.count(&String::from_utf8_lossy(record.path.as_bytes()), Field::Path, 0);
        let flags = FLAGS.iter().enumerate().filter(|(_, flag)| record.flags.contains(*flag));
        Self {
            flags: flags.fold(0, |bits, (at, _)| bits | 1 << at),
            path: record.path,
            language: record.language,
            key,
            text: record.text,
            facts,
            passages,
            path_terms,
            terms: counter.finish(),
            digest: Sha256::digest(line).into(),
            problems,
        }
    }

    /// Where the file is.
    pub fn path(&self) -> &RepoPath {
        &self.path
    }

    /// SHA-256 of the record's line, for the checksum of a snapshot.
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// Number of the record's problems, by kind.
    pub fn problems(&self) -> &BTreeMap<Word, u64> {
        &self.problems
    }

    /// What the record was made from.
    pub fn key(&self) -> RecordKey {
        self.key
    }
}

/// The kind of a passage outside every definition.
const LOOSE_KIND: &str = "text";

fn image(record: &Record, passage: &Passage, at: u32, lines: &Lines, counter: &mut Counter) -> PassageImage {
    let text = passage.span.of(&record.text).unwrap_or_default();
    let shown = shown_text(text);
    let shown_start = passage.span.start + (text.trim_end().len() - shown.len()) as u32;
    let definition = passage.definition.and_then(|index| Some((index, record.definitions.get(index as usize)?)));
    let mut lengths = [0; 4];
    let mut count = |text: &str, field: Field| lengths[field as usize] += counter.count(text, field, at);
    let (mut name, mut qualified, mut kind) = (String::new(), String::new(), LOOSE_KIND.to_owned());
    let mut signature = Span::new(passage.span.start, passage.span.start);
    let mut doc = None;
    if let Some((index, definition)) = definition {
        name.clone_from(&definition.name);
        qualified = qualified_name(record, index);
        kind = definition.kind.as_str().to_owned();
        doc = definition.doc;
        // A later slice is not where the name stands: there it says what the slice belongs to.
        let named = if passage.part == Part::Slice { Field::Signature } else { Field::Name };
        if passage.part != Part::Slice {
            signature = definition.signature;
        }
        count(&name, named);
        count(qualified.strip_suffix(&name).unwrap_or_default(), Field::Signature);
    }
    for own in &passage.own {
        for (piece, field) in fields_of(*own, signature, doc) {
            count(piece.of(&record.text).unwrap_or_default(), field);
        }
    }
    PassageImage {
        span: passage.span,
        definition: passage.definition,
        first_line: lines.at(shown_start),
        last_line: lines.at(shown_start + (shown.len() as u32).saturating_sub(1)),
        id: passage_id(&record.path, passage.span, text),
        text_hash: text_hash(shown),
        name,
        qualified,
        kind,
        signature,
        part: part_code(passage.part),
        lengths,
    }
}

/// Cuts `own` into what lies in the signature, in the doc comment, and the body.
fn fields_of(own: Span, signature: Span, doc: Option<Span>) -> Vec<(Span, Field)> {
    let mut marked: Vec<(Span, Field)> = vec![(signature, Field::Signature)];
    marked.extend(doc.map(|doc| (doc, Field::Doc)));
    marked.sort_by_key(|(span, _)| span.start);
    let mut pieces = Vec::new();
    let mut at = own.start;
    for (span, field) in marked {
        let (start, end) = (span.start.clamp(at, own.end), span.end.clamp(at, own.end));
        if start < end {
            if at < start {
                pieces.push((Span::new(at, start), Field::Body));
            }
            pieces.push((Span::new(start, end), field));
            at = end;
        }
    }
    if at < own.end {
        pieces.push((Span::new(at, own.end), Field::Body));
    }
    pieces
}

/// What is shown of a passage: its text without blank lines at the start and white space at the end.
pub(crate) fn shown_text(text: &str) -> &str {
    let text = text.trim_end();
    let blank = text.len() - text.trim_start().len();
    let first_line = text[..blank].rfind('\n').map_or(0, |end| end + 1);
    &text[first_line..]
}

/// The first 4 bytes of the SHA-256 of `text`, by which equal passages find each other.
fn text_hash(text: &str) -> u32 {
    let digest = Sha256::digest(text);
    digest.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// Where the lines of a text begin.
struct Lines(Vec<u32>);

impl Lines {
    fn of(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(breaks.map(|(at, _)| at as u32).collect())
    }

    /// The line that holds offset `at`, from 1.
    fn at(&self, at: u32) -> u32 {
        self.0.partition_point(|end| *end < at) as u32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_one() {
        let lines = Lines::of("a\n\nb");
        assert_eq!([0, 1, 2, 3].map(|at| lines.at(at)), [1, 1, 2, 3]);
    }

    #[test]
    fn blank_lines_are_not_shown() {
        for (text, shown) in [("\n \n  a\n b \n\n", "  a\n b"), ("a", "a"), (" \n ", ""), ("", ""), ("  é ", "  é")] {
            assert_eq!(shown_text(text), shown);
        }
    }

    #[test]
    fn each_byte_lies_in_one_field() {
        let pieces = fields_of(Span::new(2, 20), Span::new(8, 12), Some(Span::new(0, 6)));
        let expected = [
            (Span::new(2, 6), Field::Doc),
            (Span::new(6, 8), Field::Body),
            (Span::new(8, 12), Field::Signature),
            (Span::new(12, 20), Field::Body),
        ];
        assert_eq!(pieces, expected);
        assert_eq!(
            fields_of(Span::new(2, 4), Span::new(0, 9), Some(Span::new(3, 5))),
            [(Span::new(2, 4), Field::Signature)]
        );
    }
}
