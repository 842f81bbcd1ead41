//! What is asked and what is answered.

use serde::Serialize;

use crate::record::Span;

/// A question and what may answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The question: words, identifiers, or both.
    pub query: String,
    /// Languages that may answer, by name; all where empty.
    pub languages: Vec<String>,
    /// Patterns (gitignore syntax, `!` excludes) of paths that may answer; all where empty.
    pub paths: Vec<String>,
    /// Kinds that may answer (`function`, `struct`, …; `text` outside every definition); all where empty.
    pub kinds: Vec<String>,
    /// How many hits to give at most.
    pub top_k: usize,
    /// Whether hits say how their score came about.
    pub explain: bool,
}

impl Request {
    /// A question to everything, for the ten best hits.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            languages: Vec::new(),
            paths: Vec::new(),
            kinds: Vec::new(),
            top_k: 10,
            explain: false,
        }
    }
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The hits, best first.
    pub results: Vec<Hit>,
    /// What the asker should know: words that occur nowhere, filters that name nothing.
    pub notices: Vec<String>,
    /// Why nothing was found, where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoResult>,
}

/// A passage that answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// The repository, where several are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The path, printable.
    pub path: String,
    /// First line that is not blank, from 1.
    pub start_line: u32,
    /// Last line that is not blank.
    pub end_line: u32,
    /// What the definition is; `text` outside every definition.
    pub kind: String,
    /// Language of the file.
    pub language: String,
    /// Name of the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name with those of its containers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qualified_name: Option<String>,
    /// The score in millionths. Comparable within one answer only.
    pub score: i64,
    /// Id of the passage, 16 hex digits.
    pub passage_id: String,
    /// The text, without blank lines at the start and white space at the end.
    pub text: String,
    /// Where the passage stands in the text of the file.
    pub span: Span,
    /// White space before the passage on its first line, in characters: what display takes off
    /// the lines that follow.
    #[serde(skip)]
    pub indent: usize,
    /// Whether this is a stretch of a definition that is too large to be one passage.
    #[serde(skip)]
    pub partial: bool,
    /// Head of the definition in the text of the file; empty where there is none.
    #[serde(skip)]
    pub signature: Span,
    /// Where else the same text stands.
    pub also_at: Vec<Place>,
    /// How the score came about, where asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explanation>,
}

/// Where a text stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The repository, where several are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The path, printable.
    pub path: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
}

/// How a score came about: the shares of the terms are summed, the factors applied in
/// their order. All numbers are millionths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// What each term of the question brought.
    pub terms: Vec<TermShare>,
    /// What the sum was multiplied by (or, for a bonus, what was added).
    pub factors: Vec<Factor>,
}

/// What one term brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TermShare {
    /// The term, as the index holds it.
    pub term: String,
    /// How much the question cares for it.
    pub weight: i64,
    /// How rare it is.
    pub rarity: i64,
    /// Where it stands.
    pub fields: Vec<FieldShare>,
    /// What it adds to the score.
    pub score: i64,
}

/// How a term stands in one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldShare {
    /// `name`, `signature`, `doc`, `body` or `path`.
    pub field: &'static str,
    /// How often it stands there.
    pub count: u32,
    /// What that counts for, after weight and length of the field.
    pub evidence: i64,
}

/// One step from the sum to the score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Factor {
    /// What for.
    pub name: &'static str,
    /// By how much.
    pub value: i64,
}

/// Why nothing was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum NoResult {
    /// The question holds no word.
    NoTerms,
    /// Nothing is indexed.
    EmptyIndex,
    /// None of the words occurs.
    UnknownTerms {
        /// The words, with the nearest that do occur.
        terms: Vec<UnknownTerm>,
    },
    /// The words occur, but not where the filters allow.
    Filtered {
        /// How many passages match without filters.
        matches: usize,
        /// The filters that give results when they alone are lifted; empty where only
        /// lifting several helps.
        lift: Vec<Filter>,
    },
}

/// A word of the question that occurs nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownTerm {
    /// The word as asked.
    pub word: String,
    /// Words that occur and are written most like it, nearest first.
    pub nearest: Vec<String>,
}

/// One of the filters of a [`Request`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// `languages`.
    Languages,
    /// `paths`.
    Paths,
    /// `kinds`.
    Kinds,
}
