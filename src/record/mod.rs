//! What one file contributes to an index, and nothing else.
//!
//! A [`Record`] is a pure function of one file: its path, bytes, attributes, the
//! settings of its commit and the extractor. No clock, host or neighbour file
//! shows in it. Everything the product serves (artifact, index, graph) is a
//! projection of records, so this room promises two things:
//!
//! * **the same input gives the same record line, byte for byte**;
//! * **every byte of a record's text lies in at least one passage**.
//!
//! Shapes and the canonical line are stated in `SPEC/records.md`.

mod boundary;
mod branches;
pub mod canonical;
pub mod conformance;
mod cut;
mod errors;
pub mod extract;
mod facts;
pub mod fault;
pub(crate) mod flags;
mod imports;
mod junk;
mod nest;
mod parse;
pub mod passages;
mod reading;
mod references;
mod word;

pub use word::{Word, WordError, encoding, flag, kind, language, problem, role};

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::source::RepoPath;

/// A half-open range of byte offsets into a record's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just past the last byte; never below `start` in a valid record.
    pub end: u32,
}

impl Span {
    /// Makes a span; `start` must not exceed `end`.
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(start <= end, "span {start}..{end} runs backwards");
        Self { start, end }
    }

    /// Length in bytes.
    pub fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span holds no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether `other` lies wholly inside this span.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The text of this span; `None` when it is out of range or cuts a character.
    pub fn of(self, text: &str) -> Option<&str> {
        text.get(self.start as usize..self.end as usize)
    }
}

impl From<(u32, u32)> for Span {
    fn from((start, end): (u32, u32)) -> Self {
        Self { start, end }
    }
}

impl From<Span> for (u32, u32) {
    fn from(span: Span) -> Self {
        (span.start, span.end)
    }
}

/// One file's contribution: its redacted text and what the grammar says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Path inside the source, as git holds it.
    pub path: RepoPath,
    /// Name of the language pack, or [`language::TEXT`] where none applies.
    pub language: Word,
    /// Encoding the bytes were decoded from; [`encoding::UTF_8`] mostly.
    pub encoding: Word,
    /// Caveats about the file, from the closed list in [`flag`].
    pub flags: BTreeSet<Word>,
    /// Decoded and redacted text, whole. All spans are offsets into it.
    pub text: String,
    /// Definitions ordered by span start, then by descending end (outer first).
    pub definitions: Vec<Definition>,
    /// References ordered by span, then role.
    pub references: Vec<Reference>,
    /// Imports ordered by span.
    pub imports: Vec<Import>,
    /// Parse errors and limits met, ordered by span.
    pub problems: Vec<Problem>,
}

// The fields of the shapes below are declared in the order of their keys on the
// canonical line, which is alphabetical: serde writes them as declared.

/// A named span of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Index of the innermost definition around this one; always a smaller index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<u32>,
    /// Doc comment (or docstring) of the definition; inside `span`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doc: Option<Span>,
    /// What it is, in the vocabulary of [`kind`].
    pub kind: Word,
    /// Its name, as a reader would say it (`impl Display for Error` for an impl block).
    pub name: String,
    /// Where the name stands; inside `span`.
    pub name_span: Span,
    /// The grammar's own node kind.
    pub node: String,
    /// Where it names what it belongs to without standing in it (`Store` in `func (s *Store) Open()`); inside `span`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Span>,
    /// The head without the body (and without doc comment and attributes); inside `span`.
    pub signature: Span,
    /// The whole definition including doc comment, attributes and decorators.
    pub span: Span,
    /// Visibility as written (`pub`, `private`, `export`), where the language has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
}

/// A mention of something defined elsewhere (or further on).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Index of the innermost definition the mention stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enclosing: Option<u32>,
    /// Receiver text of a call or member access (`self.store` in `self.store.get()`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver: Option<String>,
    /// What kind of mention, in the vocabulary of [`role`].
    pub role: Word,
    /// The mentioned name itself.
    pub span: Span,
}

/// One import, include or re-export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// Names the import binds, in source order; empty for a bare import.
    pub names: Vec<ImportedName>,
    /// Whether the names are exported again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reexport: bool,
    /// The whole import statement (or the clause that names `specifier`).
    pub span: Span,
    /// The module as written (`./auth.js`, `os.path`, `crate::store`).
    pub specifier: String,
}

/// A name bound by an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportedName {
    /// The local name, where it differs from `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The name in the imported module; `*` for all of them.
    pub name: String,
}

/// Something extraction could not read, as a span.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// What went wrong, in the vocabulary of [`problem`].
    pub kind: Word,
    /// Where.
    pub span: Span,
}
