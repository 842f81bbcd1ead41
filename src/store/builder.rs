//! Puts file images together into an index file.

use std::collections::HashMap;
use std::io::Write;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::counting::Interner;
use super::dictionary;
use super::image::{FileImage, PassageImage};
use super::layout::{
    Counts, FORMAT_VERSION, Field, FileRow, HEADER, KindRow, Lengths, MAGIC, PassageRow, Row, Section, SkippedRow,
    StringRef, TABLE_ROW, TRAILER, reason_code,
};
use super::postings::{Posting, write_entry};
use super::{BuildError, FACTS_LIMIT};
use crate::source::{ContentId, Skipped};

/// Passages and files are counted in 31 bits.
const MAX_DOCUMENTS: usize = 1 << 31;

/// Gathers what an index will hold. The order in which things are added does not matter.
#[derive(Default)]
pub struct IndexBuilder {
    files: Vec<FileImage>,
    skipped: Vec<(Skipped, Option<ContentId>)>,
}

/// What an index came out to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexSummary {
    /// Files that contribute text.
    pub files: u32,
    /// Paths that contribute none.
    pub skipped: u32,
    /// Passages.
    pub passages: u32,
    /// Distinct terms.
    pub terms: u32,
    /// Bytes of text.
    pub text_bytes: u64,
    /// Bytes of the whole index file.
    pub bytes: u64,
    /// SHA-256 of everything before the trailer.
    pub digest: [u8; 32],
}

impl IndexBuilder {
    /// Starts with nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    pub fn add(&mut self, image: FileImage) {
        self.files.push(image);
    }

    /// Adds a path that contributes no text, with the id of its content where it has one.
    pub fn skip(&mut self, skipped: Skipped, content: Option<ContentId>) {
        self.skipped.push((skipped, content));
    }

    /// Writes the index. `manifest_line` is kept as it is. The caller owns the file: it
    /// writes aside, syncs and renames.
    ///
    /// # Errors
    /// When two files have one path, a table outgrows its offsets, or `out` fails.
    pub fn finish(mut self, manifest_line: &[u8], out: &mut dyn Write) -> Result<IndexSummary, BuildError> {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.skipped.sort();
        if let Some(twins) = self.files.windows(2).find(|pair| pair[0].path == pair[1].path) {
            return Err(BuildError::DuplicatePath(twins[0].path.display().into_owned()));
        }
        let (vocabulary, tables) = rayon::join(|| Vocabulary::of(&self.files), || self.tables());
        let (vocabulary, tables) = (vocabulary?, tables?);
        let mut counts = tables.counts;
        counts.terms = vocabulary.count;
        let mut counts_section = Vec::new();
        counts.write(&mut counts_section);
        let facts: Vec<&[u8]> = self.files.iter().map(|file| file.facts.packed.as_slice()).collect();
        let texts: Vec<&[u8]> = self.files.iter().map(|file| file.text.as_bytes()).collect();
        let sections: Vec<(Section, Vec<&[u8]>)> = Section::ALL
            .into_iter()
            .map(|section| {
                let parts = match section {
                    Section::Counts => vec![counts_section.as_slice()],
                    Section::Manifest => vec![manifest_line],
                    Section::Files => vec![tables.files.as_slice()],
                    Section::Passages => vec![tables.passages.as_slice()],
                    Section::Lengths => vec![tables.lengths.as_slice()],
                    Section::Kinds => vec![tables.kinds.as_slice()],
                    Section::Strings => vec![tables.strings.bytes.as_slice()],
                    Section::Terms => vec![vocabulary.terms.terms.as_slice()],
                    Section::TermBlocks => vec![vocabulary.terms.blocks.as_slice()],
                    Section::Postings => vocabulary.postings.iter().map(Vec::as_slice).collect(),
                    Section::Facts => facts.clone(),
                    Section::Skipped => vec![tables.skipped.as_slice()],
                    Section::Text => texts.clone(),
                };
                (section, parts)
            })
            .collect();
        let (bytes, digest) = write_file(&sections, out)?;
        Ok(IndexSummary {
            files: counts.files,
            skipped: counts.skipped,
            passages: counts.passages,
            terms: counts.terms,
            text_bytes: counts.text,
            bytes,
            digest,
        })
    }

    fn tables(&self) -> Result<Tables, BuildError> {
        let mut tables = Tables::default();
        for (index, file) in (0..).zip(&self.files) {
            tables.add_file(index, file)?;
        }
        for (skipped, content) in &self.skipped {
            let row = SkippedRow {
                path: tables.strings.put(skipped.path.as_bytes())?,
                reason: reason_code(skipped.reason),
                content: content.map(|id| id.0),
            };
            row.write(&mut tables.skipped);
        }
        tables.counts.skipped = number(self.skipped.len(), "skipped paths")?;
        Ok(tables)
    }
}

/// Writes header, table, sections and trailer; returns length and digest.
fn write_file(sections: &[(Section, Vec<&[u8]>)], out: &mut dyn Write) -> Result<(u64, [u8; 32]), BuildError> {
    const ZEROS: [u8; 8] = [0; 8];
    let padding = |len: u64| (len.next_multiple_of(8) - len) as usize;
    let mut head = Vec::new();
    let mut offset = (HEADER + sections.len() * TABLE_ROW) as u64;
    let mut table = Vec::new();
    for (section, parts) in sections {
        let len: u64 = parts.iter().map(|part| part.len() as u64).sum();
        table.extend_from_slice(&section.id().to_le_bytes());
        table.extend_from_slice(&[0; 4]);
        table.extend_from_slice(&offset.to_le_bytes());
        table.extend_from_slice(&len.to_le_bytes());
        offset = (offset + len).next_multiple_of(8);
    }
    let total = offset + TRAILER as u64;
    head.extend_from_slice(MAGIC);
    head.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    head.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    head.extend_from_slice(&total.to_le_bytes());
    head.extend_from_slice(&table);
    let mut hash = Sha256::new();
    let mut write = |bytes: &[u8]| {
        hash.update(bytes);
        out.write_all(bytes)
    };
    write(&head)?;
    for (_, parts) in sections {
        let mut len = 0;
        for part in parts {
            write(part)?;
            len += part.len() as u64;
        }
        write(&ZEROS[..padding(len)])?;
    }
    let digest: [u8; 32] = hash.finalize().into();
    out.write_all(&digest)?;
    Ok((total, digest))
}

fn number(len: usize, what: &'static str) -> Result<u32, BuildError> {
    if len >= MAX_DOCUMENTS { Err(BuildError::TooLarge(what)) } else { Ok(len as u32) }
}

/// The strings of the index, each once.
#[derive(Default)]
struct Strings {
    bytes: Vec<u8>,
    known: HashMap<Vec<u8>, StringRef>,
}

impl Strings {
    fn put(&mut self, string: &[u8]) -> Result<StringRef, BuildError> {
        if string.is_empty() {
            return Ok(StringRef::default());
        }
        if let Some(known) = self.known.get(string) {
            return Ok(*known);
        }
        let too_large = || BuildError::TooLarge("names");
        let offset = u32::try_from(self.bytes.len()).map_err(|_| too_large())?;
        let reference = StringRef { offset, len: u16::try_from(string.len()).map_err(|_| too_large())? };
        self.bytes.extend_from_slice(string);
        self.known.insert(string.to_vec(), reference);
        Ok(reference)
    }

    /// Puts a name and its qualified form, which mostly ends in it; returns where the qualified name
    /// is, and where in it (or just after it) the name.
    fn put_names(&mut self, passage: &PassageImage) -> Result<(StringRef, (u16, u16)), BuildError> {
        let (name, full) = (clipped(&passage.name), clipped(&passage.qualified));
        let name_len = name.len() as u16;
        if full.ends_with(name) {
            return Ok((self.put(full.as_bytes())?, ((full.len() - name.len()) as u16, name_len)));
        }
        let both = self.put([full, name].concat().as_bytes())?;
        let qualified_len = full.len() as u16;
        Ok((StringRef { offset: both.offset, len: qualified_len }, (qualified_len, name_len)))
    }
}

/// The longest start of `name` that a row can hold beside another.
fn clipped(name: &str) -> &str {
    let most = name.len().min(MAX_NAME);
    let end = (0..=most).rev().find(|end| name.is_char_boundary(*end));
    &name[..end.unwrap_or(0)]
}

/// Longer names are cut.
const MAX_NAME: usize = 1 << 14;

/// The sections with fixed rows, and the strings they point into.
#[derive(Default)]
struct Tables {
    counts: Counts,
    files: Vec<u8>,
    passages: Vec<u8>,
    lengths: Vec<u8>,
    kinds: Vec<u8>,
    known_kinds: Vec<String>,
    skipped: Vec<u8>,
    strings: Strings,
    facts: u64,
}

impl Tables {
    fn add_file(&mut self, index: u32, file: &FileImage) -> Result<(), BuildError> {
        let text_len = u32::try_from(file.text.len()).map_err(|_| BuildError::TooLarge("bytes in one file"))?;
        if file.facts.plain_len > FACTS_LIMIT {
            return Err(BuildError::TooLarge("definitions and references in one file"));
        }
        let path_terms = file.path_terms.min(u32::from(u16::MAX)) as u16;
        let row = FileRow {
            path: self.strings.put(file.path.as_bytes())?,
            flags: file.flags,
            key: file.key.0,
            text_offset: self.counts.text,
            text_len,
            facts_plain_len: file.facts.plain_len as u32,
            facts_offset: self.facts,
            facts_len: file.facts.packed.len() as u32,
            first_passage: self.counts.passages,
            passages: number(file.passages.len(), "passages")?,
            language: self.strings.put(file.language.as_str().as_bytes())?,
            path_terms,
        };
        row.write(&mut self.files);
        for passage in &file.passages {
            self.add_passage(index, passage)?;
        }
        self.counts.files = number(index as usize + 1, "files")?;
        self.counts.passages = number(self.counts.passages as usize + file.passages.len(), "passages")?;
        self.counts.text += u64::from(text_len);
        self.counts.lengths[Field::Path as usize] += u64::from(path_terms) * file.passages.len() as u64;
        self.facts += file.facts.packed.len() as u64;
        Ok(())
    }

    fn add_passage(&mut self, file: u32, passage: &PassageImage) -> Result<(), BuildError> {
        let (qualified, name) = self.strings.put_names(passage)?;
        let u16_of = |number: u32| u16::try_from(number).map_err(|_| BuildError::TooLarge("bytes in one passage"));
        let signature = passage.signature;
        let row = PassageRow {
            file,
            start: passage.span.start,
            len: u16_of(passage.span.len())?,
            definition: passage.definition.unwrap_or(PassageRow::NO_DEFINITION),
            first_line: passage.first_line,
            further_lines: u16_of(passage.last_line - passage.first_line)?,
            qualified,
            name,
            signature: match (u16_of(signature.start - passage.span.start), u16_of(signature.len())) {
                (Ok(start), Ok(len)) => (start, len),
                _ => (0, 0),
            },
            part: passage.part,
            kind: self.put_kind(&passage.kind)?,
            text_hash: passage.text_hash,
            id: passage.id,
        };
        row.write(&mut self.passages);
        let lengths = Lengths::of(passage.lengths);
        lengths.write(&mut self.lengths);
        for (sum, length) in self.counts.lengths.iter_mut().zip(lengths.0) {
            *sum += u64::from(length);
        }
        Ok(())
    }

    fn put_kind(&mut self, kind: &str) -> Result<u8, BuildError> {
        if let Some(known) = self.known_kinds.iter().position(|known| known == kind) {
            return Ok(known as u8);
        }
        let code = u8::try_from(self.known_kinds.len()).map_err(|_| BuildError::TooLarge("kinds of definitions"))?;
        KindRow(self.strings.put(kind.as_bytes())?).write(&mut self.kinds);
        self.known_kinds.push(kind.to_owned());
        Ok(code)
    }
}

/// Dictionary and postings.
struct Vocabulary {
    count: u32,
    terms: dictionary::Writer,
    /// The entries in order of their terms, in stretches.
    postings: Vec<Vec<u8>>,
}

/// How many terms one thread encodes at a time.
const STRETCH: usize = 4096;

impl Vocabulary {
    /// Merges the runs of all files. Files are in order, so that the postings of a list come in order.
    fn of(files: &[FileImage]) -> Result<Self, BuildError> {
        let mut interner = Interner::default();
        let mut numbers: Vec<Vec<u32>> = Vec::with_capacity(files.len());
        for file in files {
            numbers.push(file.terms.terms().map(|term| interner.id(term)).collect());
            if interner.byte_len() >= MAX_DOCUMENTS {
                return Err(BuildError::TooLarge("terms"));
            }
        }
        let mut order: Vec<u32> = (0..interner.len() as u32).collect();
        order.par_sort_unstable_by(|a, b| interner.term(*a).cmp(interner.term(*b)));
        let lists = Lists::gather(files, &numbers, interner.len());
        let stretches: Vec<(Vec<u8>, Vec<usize>)> =
            order.par_chunks(STRETCH).map(|terms| encode(terms, &lists)).collect();
        let mut terms = dictionary::Writer::default();
        let lens = stretches.iter().flat_map(|(_, lens)| lens);
        for (id, len) in order.iter().zip(lens) {
            if !terms.push(interner.term(*id), *len) {
                return Err(BuildError::TooLarge("terms"));
            }
        }
        let postings = stretches.into_iter().map(|(bytes, _)| bytes).collect();
        Ok(Self { count: order.len() as u32, terms, postings })
    }
}

/// The entries of `terms` and the length of each.
fn encode(terms: &[u32], lists: &Lists) -> (Vec<u8>, Vec<usize>) {
    let mut bytes = Vec::new();
    let mut lens = Vec::with_capacity(terms.len());
    for &term in terms {
        let before = bytes.len();
        write_entry(&mut bytes, std::array::from_fn(|field| lists.list(term, field)));
        lens.push(bytes.len() - before);
    }
    (bytes, lens)
}

/// All postings, by term, then field, then document.
struct Lists {
    postings: Vec<Posting>,
    /// Where the list of (term, field) begins, and one end.
    starts: Vec<usize>,
}

impl Lists {
    fn gather(files: &[FileImage], numbers: &[Vec<u32>], terms: usize) -> Self {
        let place = |number: u32, field: Field| number as usize * Field::COUNT + field as usize;
        let mut starts = vec![0usize; terms * Field::COUNT + 1];
        for (file, numbers) in files.iter().zip(numbers) {
            for run in &file.terms.runs {
                starts[place(numbers[run.term as usize], run.field)] += 1;
            }
        }
        let mut total = 0;
        for start in &mut starts {
            total += std::mem::replace(start, total);
        }
        let mut next = starts.clone();
        let mut postings = vec![Posting { document: 0, count: 0 }; total];
        let mut first_passage = 0;
        for ((index, file), numbers) in (0..).zip(files).zip(numbers) {
            for run in &file.terms.runs {
                let document = if run.field == Field::Path { index } else { first_passage + run.passage };
                let at = &mut next[place(numbers[run.term as usize], run.field)];
                postings[*at] = Posting { document, count: run.count };
                *at += 1;
            }
            first_passage += file.passages.len() as u32;
        }
        Self { postings, starts }
    }

    fn list(&self, term: u32, field: usize) -> &[Posting] {
        let at = term as usize * Field::COUNT + field;
        &self.postings[self.starts[at]..self.starts[at + 1]]
    }
}
