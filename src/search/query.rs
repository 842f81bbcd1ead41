//! What a question asks for: weighted terms, identifiers, and which kinds of file it names.

use crate::store::terms::{Shape, for_each_term};

/// The weight of a piece of an identifier that is asked for as a whole.
const PART_WEIGHT: f64 = 0.4;
/// The weight of words that say nothing by themselves.
const STOP_WEIGHT: f64 = 0.08;
/// The weight of words that say only that code is meant.
const CODE_WORD_WEIGHT: f64 = 0.35;
/// Terms beyond this many are not looked up: a question is no document.
const MAX_TERMS: usize = 64;

/// A question, analysed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Query {
    /// In order of the question, each term once.
    pub terms: Vec<QueryTerm>,
    /// What is asked for by name.
    pub identifiers: Vec<Identifier>,
    /// What kinds of file are named.
    pub intent: Intent,
    /// How many terms were left out.
    pub left_out: usize,
}

/// A term of a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct QueryTerm {
    /// The term, as the dictionary holds it.
    pub term: String,
    /// The word it comes from.
    pub word: String,
    /// How it relates to the word.
    pub shape: Shape,
    /// How much it counts.
    pub weight: f64,
    /// Whether it is a word that says something.
    pub content: bool,
}

/// Something asked for by name: `open`, `Index::open`, `index.open()`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identifier {
    /// The name.
    pub name: String,
    /// Its joined form in lower case, by which spellings are compared.
    pub folded: String,
    /// The names before it, outer first.
    pub containers: Vec<String>,
}

/// Kinds of file that a question names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Intent {
    /// Tests.
    pub tests: bool,
    /// Examples and benchmarks.
    pub examples: bool,
    /// Somebody else's code.
    pub vendored: bool,
    /// Generated code.
    pub generated: bool,
    /// What changed when.
    pub history: bool,
}

const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "been", "before", "being", "but", "by",
    "can", "could", "did", "do", "does", "doing", "for", "from", "had", "has", "have", "here", "how", "i", "if", "in",
    "into", "is", "it", "its", "me", "my", "no", "not", "of", "on", "or", "our", "please", "should", "so", "some",
    "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "us",
    "was", "we", "were", "what", "when", "where", "which", "while", "who", "whose", "why", "will", "with", "would",
    "you", "your",
];

const CODE_WORDS: &[&str] = &[
    "class",
    "code",
    "define",
    "defined",
    "definition",
    "file",
    "function",
    "functions",
    "happen",
    "happens",
    "implement",
    "implementation",
    "implemented",
    "implements",
    "logic",
    "method",
    "methods",
    "module",
    "responsible",
    "used",
    "uses",
    "using",
    "work",
    "works",
];

impl Query {
    /// Analyses a question.
    pub fn parse(text: &str) -> Self {
        let mut query = Self { identifiers: identifiers(text), intent: Intent::of(text), ..Self::default() };
        for_each_term(text, |term| {
            let word = &text[term.start..term.end];
            let lower = word.to_lowercase();
            let listed = |list: &[&str]| list.contains(&lower.as_str());
            let (weight, content) = match term.shape {
                Shape::Part => (PART_WEIGHT, true),
                _ if listed(STOP_WORDS) => (STOP_WEIGHT, false),
                _ if listed(CODE_WORDS) => (CODE_WORD_WEIGHT, true),
                _ => (1.0, true),
            };
            let term_text = String::from_utf8_lossy(term.bytes).into_owned();
            query.add(QueryTerm { term: term_text, word: word.to_owned(), shape: term.shape, weight, content });
        });
        // A question of nothing but small words means them.
        if query.terms.iter().all(|term| !term.content) {
            query.terms.iter_mut().for_each(|term| (term.weight, term.content) = (1.0, true));
        }
        query
    }

    fn add(&mut self, term: QueryTerm) {
        match self.terms.iter().position(|known| known.term == term.term) {
            Some(at) if self.terms[at].weight < term.weight => self.terms[at] = term,
            Some(_) => {}
            None if self.terms.len() < MAX_TERMS => self.terms.push(term),
            None => self.left_out += 1,
        }
    }
}

/// The names a question asks for: its words that look like code, or its only word.
fn identifiers(text: &str) -> Vec<Identifier> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found: Vec<Identifier> = Vec::new();
    for word in &words {
        let quoted = word.contains('`') || word.contains("()");
        let bare = word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
        let mut names: Vec<&str> = bare.split([':', '.', '#']).filter(|name| !name.is_empty()).collect();
        let Some(name) = names.pop() else { continue };
        let name = name.split(['(', '<', '!']).next().unwrap_or_default();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name && (quoted || words.len() == 1 || !names.is_empty() || looks_like_code(name)) {
            let identifier = Identifier {
                name: name.to_owned(),
                folded: fold(name),
                containers: names.into_iter().map(str::to_owned).collect(),
            };
            if !found.contains(&identifier) {
                found.push(identifier);
            }
        }
    }
    found
}

/// Whether a word is written as no English word is: `a_b`, `aB`.
fn looks_like_code(word: &str) -> bool {
    let inner_underscore = word.trim_matches('_').contains('_');
    let hump = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    inner_underscore || hump
}

/// The form by which two spellings of a name are compared.
pub(super) fn fold(name: &str) -> String {
    name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

impl Intent {
    fn of(text: &str) -> Self {
        let mut intent = Self::default();
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            match word.to_lowercase().as_str() {
                "test" | "tests" | "testing" | "tested" | "fixture" | "fixtures" | "spec" => intent.tests = true,
                "example" | "examples" | "sample" | "demo" | "bench" | "benchmark" | "benchmarks" => {
                    intent.examples = true;
                }
                "vendor" | "vendored" | "thirdparty" => intent.vendored = true,
                "generated" | "minified" | "lockfile" | "lock" => intent.generated = true,
                "changelog" | "history" | "release" | "releases" | "changed" => intent.history = true,
                _ => {}
            }
        }
        intent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, names: &str) {
        let found: Vec<String> = identifiers(question)
            .into_iter()
            .map(|found| found.containers.into_iter().chain([found.name]).collect::<Vec<_>>().join("/"))
            .collect();
        assert_eq!(found.join(" "), names, "{question}");
    }

    #[test]
    fn names_are_told_from_words() {
        check("where is parse_args called", "parse_args");
        check("HashMap insertion order", "HashMap");
        check("open", "open");
        check("open the file", "");
        check("how does `open` work, and close()?", "open close");
        check("Index::open vs index.close vs A#b", "Index/open index/close A/b");
        check("the HTTP API", "");
    }

    #[test]
    fn small_words_weigh_little_unless_alone() {
        let weights = |text: &str| Query::parse(text).terms.iter().map(|term| term.weight).collect::<Vec<_>>();
        assert_eq!(weights("the parser"), [STOP_WEIGHT, 1.0]);
        assert_eq!(weights("to be or"), [1.0, 1.0, 1.0]);
        assert_eq!(weights("parse_args parse"), [1.0, 1.0, PART_WEIGHT]);
    }
}
