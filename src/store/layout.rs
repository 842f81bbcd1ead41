//! The index file to the byte. All integers are little-endian.
//!
//! ```text
//! offset  size
//! 0       8     magic "cce-idx\n"
//! 8       4     format version, 1
//! 12      4     n, the number of sections
//! 16      8     length of the whole file, trailer included
//! 24      24·n  section table: id u32, zero u32, offset u64, length u64
//! …             sections, each at a multiple of 8, zero bytes between them
//! end-32  32    SHA-256 of everything before it
//! ```
//!
//! Sections stand in the order of the table and do not overlap. A reader ignores ids it
//! does not know, so sections can be added without a new version. Each of these is there once:
//!
//! | id | section | holds |
//! | --- | --- | --- |
//! | 1 | `counts` | [`Counts`]: 64 bytes |
//! | 2 | `manifest` | the manifest line of the snapshot, as the builder was given it |
//! | 3 | `files` | one [`FileRow`] (88 bytes) a file, in bytewise order of the paths |
//! | 4 | `passages` | one [`PassageRow`] (48 bytes) a passage, by file, then as the record gives them |
//! | 5 | `lengths` | [`Lengths`], 6 bytes a passage: how many terms its fields have |
//! | 6 | `kinds` | the kinds of passages, each an offset u32 and a length u16 in `strings`; at most 256 |
//! | 7 | `strings` | paths, names and words that rows point into, each distinct one once |
//! | 8 | `terms` | the dictionary, see [`super::dictionary`] |
//! | 9 | `term-blocks` | one u32 a block of the dictionary: its offset in `terms` |
//! | 10 | `postings` | where each term stands, see [`super::postings`] |
//! | 11 | `facts` | per file the record line up to its text ([`crate::record::canonical::facts_of`]), packed, see [`super::facts`] |
//! | 12 | `skipped` | one [`SkippedRow`] (28 bytes) a skipped path, in order of path, then reason |
//! | 13 | `text` | the texts of the files, one after the other, as they are |
//!
//! [`Counts`]: files u32, passages u32, terms u32, skipped u32, text bytes u64, then five u64:
//! the sum over all passages of the terms in name, signature, doc, body and path.
//!
//! [`FileRow`]: path offset u32, path length u16, flags u16 (bits in the order of
//! [`FLAGS`]), record key 32 bytes, text offset u64, text length u32, length of the facts before
//! packing u32, facts offset u64, facts length u32, first passage u32, number of
//! passages u32, language offset u32, language length u16, terms in the path u16, zero u32.
//!
//! [`PassageRow`]: file u32, span start u32, definition u32 (all ones: none), first line
//! u32 (from 1, of the text that is shown), offset of the names u32, then u16: span length, last
//! line less first line, length of the qualified name (which stands at the offset of the
//! names), start of the name (from the same offset), length of the name, start of the signature
//! less span start, length of the signature; then part u8 (0 whole, 1 outline, 2 slice,
//! 3 loose), kind u8 (position in `kinds`), first 4 bytes of the SHA-256 of the text that is shown, passage
//! id 8 bytes. *Shown* is the text of the span without blank lines at its start and white space
//! at its end. A name over 16,384 bytes is cut at a character; a signature that does not
//! fit its u16 has length 0.
//!
//! [`Lengths`]: terms in the name u8, signature u8, doc u16, body u16, each cut at its largest value.
//!
//! [`SkippedRow`]: path offset u32, path length u16, reason u8 (position in the closed
//! list), content id there u8 (0 or 1), content id 20 bytes.
//!
//! # History
//!
//! * 1: the first.

use crate::record::passages::Part;
use crate::record::{Word, flag};
use crate::source::SkipReason;

pub(super) const MAGIC: &[u8; 8] = b"cce-idx\n";
/// The version of the index format that this program reads and writes.
pub const FORMAT_VERSION: u32 = 1;
pub(super) const HEADER: usize = 24;
pub(super) const TABLE_ROW: usize = 24;
pub(super) const TRAILER: usize = 32;
/// More sections than this is no index of ours.
pub(super) const MAX_SECTIONS: u32 = 64;

/// A section of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Section {
    Counts = 1,
    Manifest,
    Files,
    Passages,
    Lengths,
    Kinds,
    Strings,
    Terms,
    TermBlocks,
    Postings,
    Facts,
    Skipped,
    Text,
}

impl Section {
    pub(super) const ALL: [Self; 13] = [
        Self::Counts,
        Self::Manifest,
        Self::Files,
        Self::Passages,
        Self::Lengths,
        Self::Kinds,
        Self::Strings,
        Self::Terms,
        Self::TermBlocks,
        Self::Postings,
        Self::Facts,
        Self::Skipped,
        Self::Text,
    ];

    pub(super) fn id(self) -> u32 {
        self as u32
    }

    /// Position in [`Self::ALL`].
    pub(super) fn index(self) -> usize {
        self as usize - 1
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Counts => "counts",
            Self::Manifest => "manifest",
            Self::Files => "files",
            Self::Passages => "passages",
            Self::Lengths => "lengths",
            Self::Kinds => "kinds",
            Self::Strings => "strings",
            Self::Terms => "terms",
            Self::TermBlocks => "term-blocks",
            Self::Postings => "postings",
            Self::Facts => "facts",
            Self::Skipped => "skipped",
            Self::Text => "text",
        }
    }
}

/// Where a term stands: a part of a passage, or the path of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Field {
    /// The definition's name.
    Name,
    /// Its head, and the names of its containers.
    Signature,
    /// Its doc comment.
    Doc,
    /// Everything else in the passage.
    Body,
    /// The path of the file; counted once a file.
    Path,
}

impl Field {
    /// All fields, in the order in which evidence is added up.
    pub const ALL: [Self; 5] = [Self::Name, Self::Signature, Self::Doc, Self::Body, Self::Path];
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// The field as explanations write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Signature => "signature",
            Self::Doc => "doc",
            Self::Body => "body",
            Self::Path => "path",
        }
    }
}

/// The flags that a file row can carry; others are in the record only.
pub(super) static FLAGS: [Word; 8] = [
    flag::NOT_UTF8,
    flag::GENERATED,
    flag::MINIFIED,
    flag::VENDORED,
    flag::TEST,
    flag::PARTIAL_PARSE,
    flag::TOO_DEEP,
    flag::TOO_COMPLEX,
];

/// Takes a row apart. Rows are cut to their width before, so that nothing here can
/// run out; a missing byte would read as 0.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.0.split_first_chunk() {
            Some((head, rest)) => {
                self.0 = rest;
                *head
            }
            None => [0; N],
        }
    }

    fn u8(&mut self) -> u8 {
        self.take::<1>()[0]
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}

/// A row of fixed width.
pub(super) trait Row: Sized {
    const SIZE: usize;
    fn read(bytes: &[u8]) -> Self;
    fn write(&self, out: &mut Vec<u8>);
}

/// Row `index` of a table, if it is there.
pub(super) fn row<R: Row>(table: &[u8], index: u32) -> Option<R> {
    let start = (index as usize).checked_mul(R::SIZE)?;
    table.get(start..start.checked_add(R::SIZE)?).map(R::read)
}

/// An offset and a length into `strings`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StringRef {
    pub offset: u32,
    pub len: u16,
}

/// The section `counts`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub files: u32,
    pub passages: u32,
    pub terms: u32,
    pub skipped: u32,
    pub text: u64,
    pub lengths: [u64; Field::COUNT],
}

impl Row for Counts {
    const SIZE: usize = 64;

    fn read(bytes: &[u8]) -> Self {
        let mut from = Reader(bytes);
        Self {
            files: from.u32(),
            passages: from.u32(),
            terms: from.u32(),
            skipped: from.u32(),
            text: from.u64(),
            lengths: std::array::from_fn(|_| from.u64()),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        for count in [self.files, self.passages, self.terms, self.skipped] {
            out.extend_from_slice(&count.to_le_bytes());
        }
        out.extend_from_slice(&self.text.to_le_bytes());
        for length in self.lengths {
            out.extend_from_slice(&length.to_le_bytes());
        }
    }
}

/// A row of `files`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileRow {
    pub path: StringRef,
    pub flags: u16,
    pub key: [u8; 32],
    pub text_offset: u64,
    pub text_len: u32,
    pub facts_plain_len: u32,
    pub facts_offset: u64,
    pub facts_len: u32,
    pub first_passage: u32,
    pub passages: u32,
    pub language: StringRef,
    pub path_terms: u16,
}

impl Row for FileRow {
    const SIZE: usize = 88;

    fn read(bytes: &[u8]) -> Self {
        let mut from = Reader(bytes);
        Self {
            path: StringRef { offset: from.u32(), len: from.u16() },
            flags: from.u16(),
            key: from.take(),
            text_offset: from.u64(),
            text_len: from.u32(),
            facts_plain_len: from.u32(),
            facts_offset: from.u64(),
            facts_len: from.u32(),
            first_passage: from.u32(),
            passages: from.u32(),
            language: StringRef { offset: from.u32(), len: from.u16() },
            path_terms: from.u16(),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.path.offset.to_le_bytes());
        out.extend_from_slice(&self.path.len.to_le_bytes());
        out.extend_from_slice(&self.flags.to_le_bytes());
        out.extend_from_slice(&self.key);
        out.extend_from_slice(&self.text_offset.to_le_bytes());
        out.extend_from_slice(&self.text_len.to_le_bytes());
        out.extend_from_slice(&self.facts_plain_len.to_le_bytes());
        out.extend_from_slice(&self.facts_offset.to_le_bytes());
        out.extend_from_slice(&self.facts_len.to_le_bytes());
        out.extend_from_slice(&self.first_passage.to_le_bytes());
        out.extend_from_slice(&self.passages.to_le_bytes());
        out.extend_from_slice(&self.language.offset.to_le_bytes());
        out.extend_from_slice(&self.language.len.to_le_bytes());
        out.extend_from_slice(&self.path_terms.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
    }
}

/// A row of `passages`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PassageRow {
    pub file: u32,
    pub start: u32,
    pub len: u16,
    pub definition: u32,
    pub first_line: u32,
    pub further_lines: u16,
    pub qualified: StringRef,
    /// Start, from that of the qualified name, and length.
    pub name: (u16, u16),
    /// Start, from that of the span, and length.
    pub signature: (u16, u16),
    pub part: u8,
    pub kind: u8,
    pub text_hash: u32,
    pub id: [u8; 8],
}

impl PassageRow {
    /// Says that no definition stands behind a passage.
    pub(super) const NO_DEFINITION: u32 = u32::MAX;
    /// Offset of the text's hash in a row.
    pub(super) const TEXT_HASH: usize = 36;
}

impl Row for PassageRow {
    const SIZE: usize = 48;

    fn read(bytes: &[u8]) -> Self {
        let mut from = Reader(bytes);
        let [file, start, definition, first_line, names] = std::array::from_fn(|_| from.u32());
        let [len, further_lines, qualified_len] = std::array::from_fn(|_| from.u16());
        Self {
            file,
            start,
            len,
            definition,
            first_line,
            further_lines,
            qualified: StringRef { offset: names, len: qualified_len },
            name: (from.u16(), from.u16()),
            signature: (from.u16(), from.u16()),
            part: from.u8(),
            kind: from.u8(),
            text_hash: from.u32(),
            id: from.take(),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        for number in [self.file, self.start, self.definition, self.first_line, self.qualified.offset] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        let (name, signature) = (self.name, self.signature);
        for number in [self.len, self.further_lines, self.qualified.len, name.0, name.1, signature.0, signature.1] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&[self.part, self.kind]);
        out.extend_from_slice(&self.text_hash.to_le_bytes());
        out.extend_from_slice(&self.id);
    }
}

/// A row of `lengths`: terms in name, signature, doc and body of a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lengths(pub [u16; 4]);

impl Lengths {
    /// Cuts each length at the largest that a row can hold.
    pub(super) fn of(lengths: [u32; 4]) -> Self {
        const MOST: [u32; 4] = [u8::MAX as u32, u8::MAX as u32, u16::MAX as u32, u16::MAX as u32];
        Self(std::array::from_fn(|at| lengths[at].min(MOST[at]) as u16))
    }
}

impl Row for Lengths {
    const SIZE: usize = 6;

    fn read(bytes: &[u8]) -> Self {
        let mut from = Reader(bytes);
        Self([u16::from(from.u8()), u16::from(from.u8()), from.u16(), from.u16()])
    }

    fn write(&self, out: &mut Vec<u8>) {
        let [name, signature, doc, body] = self.0;
        out.extend_from_slice(&[name as u8, signature as u8]);
        out.extend_from_slice(&doc.to_le_bytes());
        out.extend_from_slice(&body.to_le_bytes());
    }
}

/// A row of `kinds`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KindRow(pub StringRef);

impl Row for KindRow {
    const SIZE: usize = 6;

    fn read(bytes: &[u8]) -> Self {
        let mut from = Reader(bytes);
        Self(StringRef { offset: from.u32(), len: from.u16() })
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.offset.to_le_bytes());
        out.extend_from_slice(&self.0.len.to_le_bytes());
    }
}

/// A row of `skipped`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SkippedRow {
    pub path: StringRef,
    pub reason: u8,
    pub content: Option<[u8; 20]>,
}

impl Row for SkippedRow {
    const SIZE: usize = 28;

    fn read(bytes: &[u8]) -> Self {
        let mut from = Reader(bytes);
        let path = StringRef { offset: from.u32(), len: from.u16() };
        let (reason, there, content) = (from.u8(), from.u8(), from.take());
        Self { path, reason, content: (there == 1).then_some(content) }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.path.offset.to_le_bytes());
        out.extend_from_slice(&self.path.len.to_le_bytes());
        out.push(self.reason);
        out.push(u8::from(self.content.is_some()));
        out.extend_from_slice(&self.content.unwrap_or_default());
    }
}

/// Reasons in the order of their codes. A new reason goes to the end.
const REASONS: [SkipReason; 9] = [
    SkipReason::Link,
    SkipReason::Submodule,
    SkipReason::LfsPointer,
    SkipReason::Binary,
    SkipReason::Oversize,
    SkipReason::Sensitive,
    SkipReason::Unreadable,
    SkipReason::IgnoredByCceignore,
    SkipReason::IgnoredByAttribute,
];

pub(super) fn reason_code(reason: SkipReason) -> u8 {
    REASONS.iter().position(|known| *known == reason).map_or(u8::MAX, |at| at as u8)
}

pub(super) fn reason_of(code: u8) -> Option<SkipReason> {
    REASONS.get(usize::from(code)).copied()
}

pub(super) fn part_code(part: Part) -> u8 {
    match part {
        Part::Whole => 0,
        Part::Outline => 1,
        Part::Slice => 2,
        Part::Loose => 3,
    }
}

pub(super) fn part_of(code: u8) -> Option<Part> {
    [Part::Whole, Part::Outline, Part::Slice, Part::Loose].get(usize::from(code)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_width_and_read_back() {
        let file = FileRow {
            path: StringRef { offset: 1, len: 2 },
            flags: 3,
            key: [4; 32],
            text_offset: 5,
            text_len: 6,
            facts_plain_len: 7,
            facts_offset: 8,
            facts_len: 9,
            first_passage: 10,
            passages: 11,
            language: StringRef { offset: 12, len: 13 },
            path_terms: 14,
        };
        let passage = PassageRow {
            file: 1,
            start: 2,
            len: 3,
            definition: 4,
            first_line: 5,
            further_lines: 6,
            qualified: StringRef { offset: 7, len: 8 },
            name: (9, 10),
            signature: (11, 12),
            part: 3,
            kind: 13,
            text_hash: 0x0e0e_0e0e,
            id: [15; 8],
        };
        let mut bytes = Vec::new();
        passage.write(&mut bytes);
        assert_eq!(bytes[PassageRow::TEXT_HASH..PassageRow::TEXT_HASH + 4], [14; 4]);
        let skipped = SkippedRow { path: StringRef { offset: 1, len: 2 }, reason: 3, content: Some([4; 20]) };
        check(file);
        check(passage);
        check(skipped);
        check(Lengths::of([1000, 2, 3, 70_000]));
        check(KindRow(StringRef { offset: 1, len: 2 }));
        check(Counts { files: 1, passages: 2, terms: 3, skipped: 4, text: 5, lengths: [6, 7, 8, 9, 10] });
    }

    fn check<R: Row + PartialEq + std::fmt::Debug>(value: R) {
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        assert_eq!(bytes.len(), R::SIZE);
        assert_eq!(row::<R>(&bytes, 0), Some(value));
        assert_eq!(row::<R>(&bytes, 1), None);
    }

    #[test]
    fn codes_are_pinned() {
        assert_eq!(reason_code(SkipReason::IgnoredByAttribute), 8);
        assert_eq!((0..=255).filter_map(reason_of).count(), 9);
        assert_eq!((0..=255).filter_map(part_of).map(part_code).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }
}
