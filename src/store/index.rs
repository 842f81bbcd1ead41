//! Reads an index file in place.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use memmap2::Mmap;

use super::dictionary::{self, Dictionary};
use super::image::{Facts, FileImage};
use super::layout::{
    Counts, FLAGS, FORMAT_VERSION, Field, FileRow, HEADER, KindRow, Lengths, MAGIC, MAX_SECTIONS, PassageRow, Row,
    Section, SkippedRow, StringRef, TABLE_ROW, TRAILER, part_of, reason_of, row,
};
use super::postings::{Posting, read_entry};
use super::{FACTS_LIMIT, IndexError, facts};
use crate::record::passages::Part;
use crate::record::{Record, Span, Word, canonical};
use crate::snapshot::RecordKey;
use crate::source::native::open_regular;
use crate::source::{ContentId, RepoPath, SkipReason};

/// An open index. Everything it gives out is checked against the bounds of the file first.
pub struct Index {
    data: Data,
    sections: [Range<usize>; Section::ALL.len()],
    counts: Counts,
}

enum Data {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

/// A file of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileEntry<'a> {
    /// Its path, as bytes.
    pub path: &'a [u8],
    /// Its language.
    pub language: &'a str,
    /// What its record was made from.
    pub key: RecordKey,
    /// Length of its text in bytes.
    pub text_len: u32,
    /// Its passages, as numbers.
    pub passages: (u32, u32),
    /// Terms in its path.
    pub path_terms: u16,
    flags: u16,
}

impl FileEntry<'_> {
    /// Whether the file carries `flag`; flags that rows do not hold count as not carried.
    pub fn has(&self, flag: &Word) -> bool {
        FLAGS.iter().position(|known| known == flag).is_some_and(|at| self.flags >> at & 1 == 1)
    }

    /// The numbers of its passages.
    pub fn passage_range(&self) -> Range<u32> {
        self.passages.0..self.passages.0.saturating_add(self.passages.1)
    }
}

/// A passage of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassageEntry<'a> {
    /// Number of its file.
    pub file: u32,
    /// Where it stands in the text of the file.
    pub span: Span,
    /// The definition it stands for.
    pub definition: Option<u32>,
    /// How it relates to the definition.
    pub part: Part,
    /// First line that is not blank, from 1.
    pub first_line: u32,
    /// Last line that is not blank.
    pub last_line: u32,
    /// Name of the definition; empty where there is none.
    pub name: &'a str,
    /// The name with those of its containers; empty where there is none.
    pub qualified_name: &'a str,
    /// What the definition is; `text` outside every definition.
    pub kind: &'a str,
    /// Head of the definition; empty where there is none.
    pub signature: Span,
    /// Its id.
    pub id: [u8; 8],
    /// Equal for passages that show equal text.
    pub text_hash: u32,
}

/// A path that contributes no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkippedEntry<'a> {
    /// Its path, as bytes.
    pub path: &'a [u8],
    /// Why it contributes nothing.
    pub reason: SkipReason,
    /// The content it had when it was skipped, where that was known.
    pub content: Option<ContentId>,
}

impl Index {
    /// Maps an index and checks its head: magic, version, bounds and sizes of sections. The
    /// content is checked where it is read; [`Self::verify`] checks all of it.
    ///
    /// # Errors
    /// When the file cannot be mapped, is no index, or its section table does not hold.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        let fail = |source: io::Error| IndexError::Open { path: path.to_owned(), source };
        let file = open_regular(path).map_err(fail)?;
        let data = map(&file).map_err(fail)?;
        Self::from_data(Data::Mapped(data), path)
    }

    /// Reads an index that is in memory, with the same checks.
    ///
    /// # Errors
    /// Like [`Self::open`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, IndexError> {
        Self::from_data(Data::Owned(bytes), Path::new("(memory)"))
    }

    fn from_data(data: Data, path: &Path) -> Result<Self, IndexError> {
        let bytes = data.bytes();
        if bytes.get(..8) != Some(MAGIC.as_slice()) {
            return Err(IndexError::NotAnIndex { path: path.to_owned() });
        }
        let found = u32_at(bytes, 8).unwrap_or(0);
        if found != FORMAT_VERSION {
            return Err(IndexError::Version { path: path.to_owned(), found, known: FORMAT_VERSION });
        }
        let sections = read_table(bytes)?;
        let counts = bytes.get(sections[Section::Counts.index()].clone()).filter(|bytes| bytes.len() == Counts::SIZE);
        let counts = counts.map(Counts::read).ok_or(IndexError::damaged(Section::Counts, "it has the wrong size"))?;
        let index = Self { sections, counts, data };
        index.check_sizes()?;
        Ok(index)
    }

    /// Compares the sizes of sections of fixed rows with the counts.
    fn check_sizes(&self) -> Result<(), IndexError> {
        let counts = &self.counts;
        let rows = |count: u32, size: usize| u64::from(count) * size as u64;
        let expected = [
            (Section::Files, rows(counts.files, FileRow::SIZE)),
            (Section::Passages, rows(counts.passages, PassageRow::SIZE)),
            (Section::Lengths, rows(counts.passages, Lengths::SIZE)),
            (Section::Skipped, rows(counts.skipped, SkippedRow::SIZE)),
            (Section::TermBlocks, dictionary::blocks_len(counts.terms)),
            (Section::Text, counts.text),
        ];
        for (section, len) in expected {
            if self.section(section).len() as u64 != len {
                return Err(IndexError::damaged(section, "its size differs from the counts"));
            }
        }
        Ok(())
    }

    pub(super) fn section(&self, section: Section) -> &[u8] {
        self.data.bytes().get(self.sections[section.index()].clone()).unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.data.bytes()
    }

    /// The manifest line, as it was given to the builder.
    pub fn manifest(&self) -> &[u8] {
        self.section(Section::Manifest)
    }

    /// How many files there are.
    pub fn file_count(&self) -> u32 {
        self.counts.files
    }

    /// How many passages there are.
    pub fn passage_count(&self) -> u32 {
        self.counts.passages
    }

    /// How many distinct terms there are.
    pub fn term_count(&self) -> u32 {
        self.counts.terms
    }

    /// Sums over all passages of the terms in each field, in the order of [`Field::ALL`].
    pub fn length_sums(&self) -> [u64; Field::COUNT] {
        self.counts.lengths
    }

    fn file_row(&self, file: u32) -> Result<FileRow, IndexError> {
        row(self.section(Section::Files), file).ok_or(IndexError::damaged(Section::Files, "a file is not there"))
    }

    fn passage_row(&self, passage: u32) -> Result<PassageRow, IndexError> {
        let table = self.section(Section::Passages);
        row(table, passage).ok_or(IndexError::damaged(Section::Passages, "a passage is not there"))
    }

    fn string(&self, at: StringRef) -> Result<&[u8], IndexError> {
        let start = at.offset as usize;
        let string = self.section(Section::Strings).get(start..start.saturating_add(usize::from(at.len)));
        string.ok_or(IndexError::damaged(Section::Strings, "a string lies outside it"))
    }

    fn str(&self, at: StringRef) -> Result<&str, IndexError> {
        std::str::from_utf8(self.string(at)?).map_err(|_| IndexError::damaged(Section::Strings, "a name is not utf-8"))
    }

    /// File number `file`.
    ///
    /// # Errors
    /// When there is no such file or its row points outside the index.
    pub fn file(&self, file: u32) -> Result<FileEntry<'_>, IndexError> {
        let row = self.file_row(file)?;
        if u64::from(row.first_passage) + u64::from(row.passages) > u64::from(self.counts.passages) {
            return Err(IndexError::damaged(Section::Files, "a file has passages that are not there"));
        }
        Ok(FileEntry {
            path: self.string(row.path)?,
            language: self.str(row.language)?,
            key: RecordKey(row.key),
            text_len: row.text_len,
            passages: (row.first_passage, row.passages),
            path_terms: row.path_terms,
            flags: row.flags,
        })
    }

    /// All files, in order of their paths.
    pub fn files(&self) -> impl Iterator<Item = Result<FileEntry<'_>, IndexError>> {
        (0..self.counts.files).map(|file| self.file(file))
    }

    /// The number of the file at `path`.
    ///
    /// # Errors
    /// When a row points outside the index.
    pub fn find(&self, path: &RepoPath) -> Result<Option<u32>, IndexError> {
        let (mut low, mut high) = (0, self.counts.files);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.path_bytes(middle)?.cmp(path.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Ok(Some(middle)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    /// The bytes of the path of a file.
    pub(crate) fn path_bytes(&self, file: u32) -> Result<&[u8], IndexError> {
        self.string(self.file_row(file)?.path)
    }

    /// The path of a file.
    ///
    /// # Errors
    /// When there is no such file or its path breaks a rule.
    pub fn path(&self, file: u32) -> Result<RepoPath, IndexError> {
        RepoPath::parse(self.path_bytes(file)?)
            .map_err(|_| IndexError::damaged(Section::Strings, "a path breaks the rules for paths"))
    }

    /// What the record of a file was made from.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn key(&self, file: u32) -> Result<RecordKey, IndexError> {
        Ok(RecordKey(self.file_row(file)?.key))
    }

    /// The text of a file.
    ///
    /// # Errors
    /// When there is no such file, or its text lies outside the index or is not UTF-8.
    pub fn text(&self, file: u32) -> Result<&str, IndexError> {
        let row = self.file_row(file)?;
        self.text_range(&row, Span { start: 0, end: row.text_len })
    }

    /// The text of a passage, its whole span.
    ///
    /// # Errors
    /// Like [`Self::text`].
    pub fn passage_text(&self, passage: &PassageEntry<'_>) -> Result<&str, IndexError> {
        self.text_range(&self.file_row(passage.file)?, passage.span)
    }

    fn text_range(&self, row: &FileRow, span: Span) -> Result<&str, IndexError> {
        let slice = || {
            let (start, len) = (usize::try_from(row.text_offset).ok()?, row.text_len as usize);
            let whole = self.section(Section::Text).get(start..start.checked_add(len)?)?;
            whole.get(span.start as usize..span.end as usize)
        };
        let bytes = slice().ok_or(IndexError::damaged(Section::Text, "a text lies outside it"))?;
        std::str::from_utf8(bytes).map_err(|_| IndexError::damaged(Section::Text, "a text is not utf-8"))
    }

    fn facts(&self, row: &FileRow) -> Result<&[u8], IndexError> {
        let slice = || {
            let start = usize::try_from(row.facts_offset).ok()?;
            self.section(Section::Facts).get(start..start.checked_add(row.facts_len as usize)?)
        };
        slice().ok_or(IndexError::damaged(Section::Facts, "facts lie outside it"))
    }

    /// The canonical record line of a file.
    ///
    /// # Errors
    /// When there is no such file, or its facts do not unpack to their length.
    pub fn record_line(&self, file: u32) -> Result<Vec<u8>, IndexError> {
        let row = self.file_row(file)?;
        let packed = self.facts(&row)?;
        let plain_len = row.facts_plain_len as usize;
        if plain_len > FACTS_LIMIT {
            return Err(IndexError::damaged(Section::Facts, "facts are too long"));
        }
        let plain = facts::unpack(packed, plain_len);
        let plain = plain.ok_or(IndexError::damaged(Section::Facts, "facts do not unpack to their length"))?;
        Ok(canonical::join(&plain, self.text(file)?))
    }

    /// The record of a file, checked.
    ///
    /// # Errors
    /// When the line does not come together or does not hold.
    pub fn record(&self, file: u32) -> Result<Record, IndexError> {
        self.record_of(file, &self.record_line(file)?)
    }

    fn record_of(&self, file: u32, line: &[u8]) -> Result<Record, IndexError> {
        let refuse = |source| IndexError::Record {
            path: String::from_utf8_lossy(self.path_bytes(file).unwrap_or(b"?")).escape_default().to_string(),
            source,
        };
        let record = canonical::parse(line).map_err(refuse)?;
        if record.path.as_bytes() != self.path_bytes(file)? {
            return Err(IndexError::damaged(Section::Facts, "a record has another path than its file"));
        }
        Ok(record)
    }

    /// A file as a builder takes it, so that an unchanged file is copied into a new index.
    ///
    /// # Errors
    /// Like [`Self::record`].
    pub fn image(&self, file: u32) -> Result<FileImage, IndexError> {
        let row = self.file_row(file)?;
        let facts = Facts { packed: self.facts(&row)?.to_vec(), plain_len: row.facts_plain_len as usize };
        let line = self.record_line(file)?;
        Ok(FileImage::assemble(self.record_of(file, &line)?, &line, RecordKey(row.key), facts))
    }

    /// The paths that contribute no text, in order.
    pub fn skipped(&self) -> impl Iterator<Item = Result<SkippedEntry<'_>, IndexError>> {
        (0..self.counts.skipped).map(|index| {
            let row: SkippedRow = row(self.section(Section::Skipped), index)
                .ok_or(IndexError::damaged(Section::Skipped, "an entry is not there"))?;
            let reason =
                reason_of(row.reason).ok_or(IndexError::damaged(Section::Skipped, "a reason is not on the list"))?;
            Ok(SkippedEntry { path: self.string(row.path)?, reason, content: row.content.map(ContentId) })
        })
    }

    /// Passage number `passage`.
    ///
    /// # Errors
    /// When there is no such passage or its row points outside the index.
    pub fn passage(&self, passage: u32) -> Result<PassageEntry<'_>, IndexError> {
        let row = self.passage_row(passage)?;
        let wrong = |why| IndexError::damaged(Section::Passages, why);
        if row.file >= self.counts.files {
            return Err(wrong("a passage has a file that is not there"));
        }
        let (start, len) = (row.start, u32::from(row.len));
        let end = start.checked_add(len).ok_or(wrong("a span ends nowhere"))?;
        let (signature, signature_len) = (start.saturating_add(u32::from(row.signature.0)), u32::from(row.signature.1));
        let kind: KindRow = super::layout::row(self.section(Section::Kinds), u32::from(row.kind))
            .ok_or(wrong("a kind is not there"))?;
        let name = row.qualified.offset.saturating_add(u32::from(row.name.0));
        Ok(PassageEntry {
            file: row.file,
            span: Span::new(start, end),
            definition: (row.definition != PassageRow::NO_DEFINITION).then_some(row.definition),
            part: part_of(row.part).ok_or(wrong("a part is not on the list"))?,
            first_line: row.first_line,
            last_line: row.first_line.saturating_add(u32::from(row.further_lines)),
            name: self.str(StringRef { offset: name, len: row.name.1 })?,
            qualified_name: self.str(row.qualified)?,
            kind: self.str(kind.0)?,
            signature: Span { start: signature, end: signature.saturating_add(signature_len) },
            id: row.id,
            text_hash: row.text_hash,
        })
    }

    /// The file of a passage.
    pub(crate) fn file_of(&self, passage: u32) -> Result<u32, IndexError> {
        let start = passage as usize * PassageRow::SIZE;
        let file = u32_at(self.section(Section::Passages), start);
        file.filter(|file| *file < self.counts.files)
            .ok_or(IndexError::damaged(Section::Passages, "a passage has a file that is not there"))
    }

    /// The hash of the text of a passage.
    pub(crate) fn text_hash(&self, passage: u32) -> Result<u32, IndexError> {
        let start = passage as usize * PassageRow::SIZE + PassageRow::TEXT_HASH;
        u32_at(self.section(Section::Passages), start)
            .ok_or(IndexError::damaged(Section::Passages, "a passage is not there"))
    }

    /// Terms in name, signature, doc and body of a passage.
    pub(crate) fn lengths(&self, passage: u32) -> Result<[u16; 4], IndexError> {
        let lengths: Option<Lengths> = row(self.section(Section::Lengths), passage);
        lengths.map(|lengths| lengths.0).ok_or(IndexError::damaged(Section::Lengths, "a passage is not there"))
    }

    pub(crate) fn dictionary(&self) -> Dictionary<'_> {
        Dictionary {
            terms: self.section(Section::Terms),
            blocks: self.section(Section::TermBlocks),
            count: self.counts.terms,
        }
    }

    /// Hands each posting of `term` to `emit`, field by field, ascending by document (a
    /// passage; a file in the path field). Returns whether the term is there.
    pub(crate) fn postings(&self, term: &[u8], emit: impl FnMut(Field, Posting)) -> Result<bool, IndexError> {
        match self.dictionary().find(term)? {
            Some(entry) => self.entry(entry, emit).map(|()| true),
            None => Ok(false),
        }
    }

    /// Like [`Self::postings`], for an entry that the dictionary gave.
    pub(crate) fn entry(&self, entry: Range<usize>, emit: impl FnMut(Field, Posting)) -> Result<(), IndexError> {
        let bytes = self.section(Section::Postings).get(entry);
        let bytes = bytes.ok_or(IndexError::damaged(Section::Postings, "an entry lies outside it"))?;
        read_entry(bytes, self.counts.passages, self.counts.files, emit)
            .map_err(|why| IndexError::damaged(Section::Postings, why))
    }

    pub(super) fn expected_counts(&self) -> &Counts {
        &self.counts
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl Data {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is sound as long as nobody changes the bytes under it. An index
    // is written aside, made read-only and put in place by rename; it is never written
    // to or cut short afterwards, and a new index is a new file.
    unsafe { Mmap::map(file) }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Reads the section table and checks that the sections lie in the file, in order.
fn read_table(bytes: &[u8]) -> Result<[Range<usize>; Section::ALL.len()], IndexError> {
    let wrong = |why| IndexError::Damaged { section: "table", why };
    let count = u32_at(bytes, 12).filter(|count| *count <= MAX_SECTIONS).ok_or(wrong("it has too many rows"))?;
    if u64_at(bytes, 16) != Some(bytes.len() as u64) {
        return Err(wrong("the file has another length than it says"));
    }
    let end = bytes.len().checked_sub(TRAILER).ok_or(wrong("the file is too short"))?;
    let mut free = HEADER + count as usize * TABLE_ROW;
    let mut found: [Option<Range<usize>>; Section::ALL.len()] = Default::default();
    for index in 0..count as usize {
        let at = HEADER + index * TABLE_ROW;
        let short = || wrong("it ends too early");
        let id = u32_at(bytes, at).ok_or_else(short)?;
        let offset = u64_at(bytes, at + 8).ok_or_else(short)?;
        let len = u64_at(bytes, at + 16).ok_or_else(short)?;
        let start = usize::try_from(offset).map_err(|_| wrong("a section lies outside the file"))?;
        let stop = usize::try_from(len).ok().and_then(|len| start.checked_add(len));
        let stop = stop.filter(|stop| *stop <= end).ok_or(wrong("a section lies outside the file"))?;
        if start < free || start % 8 != 0 {
            return Err(wrong("a section is out of place"));
        }
        free = stop;
        if let Some(section) = Section::ALL.iter().find(|section| section.id() == id)
            && found[section.index()].replace(start..stop).is_some()
        {
            return Err(wrong("a section is there twice"));
        }
    }
    if free > end {
        return Err(wrong("it does not fit the file"));
    }
    if found.iter().any(Option::is_none) {
        return Err(wrong("a section is missing"));
    }
    Ok(found.map(Option::unwrap_or_default))
}
