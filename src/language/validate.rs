//! Checks of a pack by itself: its structure, and its queries against its grammar.
//!
//! What a pack does with its sample is checked in `record::conformance`.

use std::fmt;

use regex::Regex;
use tree_sitter::{Language, Query, QueryError, QueryErrorKind};

use super::program::{self, Capture};
use super::{PACKS, Pack, QueryText};
use crate::config::nearest;

/// Something wrong with a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The pack.
    pub pack: String,
    /// The part of it, as its author finds it: `claims.extensions`, `go/imports.scm:12`.
    pub member: String,
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub fix: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}; {}", self.pack, self.member, self.problem, self.fix)
    }
}

/// Collects what is wrong with one pack.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    pack: &'a Pack,
    found: Vec<Diagnostic>,
}

impl<'a> Findings<'a> {
    pub(crate) fn of(pack: &'a Pack) -> Self {
        Self { pack, found: Vec::new() }
    }

    pub(crate) fn note(&mut self, member: impl Into<String>, problem: impl Into<String>, fix: impl Into<String>) {
        let (member, problem, fix) = (member.into(), problem.into(), fix.into());
        self.found.push(Diagnostic { pack: self.pack.name.to_owned(), member, problem, fix });
    }

    pub(crate) fn list(self) -> Vec<Diagnostic> {
        self.found
    }
}

/// Checks names, claims, rules and queries.
pub fn validate(pack: &Pack) -> Vec<Diagnostic> {
    let mut findings = Findings::of(pack);
    structure(pack, &mut findings);
    claims(pack, &mut findings);
    rules(pack, &mut findings);
    let language = (pack.grammar)();
    for query in pack.queries {
        binding(&language, query, &mut findings);
    }
    findings.list()
}

fn structure(pack: &Pack, findings: &mut Findings<'_>) {
    if !is_word(pack.name) || pack.name == "text" {
        findings.note(
            "name",
            format!("`{}` cannot be a pack's name", pack.name),
            "use lower-case letters, digits, `-` and `_`, and not `text`",
        );
    }
    if pack.queries.is_empty() {
        findings.note("queries", "it has no query", "add one that captures `@definition.…` with `@name`");
    }
    if pack.sample.definitions.is_empty() {
        findings.note("sample.definitions", "its sample defines nothing", "show each construct that the queries read");
    }
}

fn claims(pack: &Pack, findings: &mut Findings<'_>) {
    let claims = &pack.claims;
    if claims.extensions.is_empty() && claims.file_names.is_empty() && claims.interpreters.is_empty() {
        findings.note("claims", "it claims no file", "name an extension, a file name or an interpreter");
    }
    for (member, extensions) in [("claims.extensions", claims.extensions), ("claims.shared", claims.shared)] {
        for extension in extensions {
            if extension.is_empty() || extension.contains('.') || extension.to_ascii_lowercase() != *extension {
                findings.note(
                    member,
                    format!("`{extension}` is empty, has a dot or is not in lower case"),
                    "write what follows the last dot of a file name, in lower case",
                );
            }
        }
    }
    for pattern in claims.test_files.iter().filter(|pattern| pattern.matches('*').count() > 1) {
        findings.note(
            "claims.test_files",
            format!("`{pattern}` has more than one `*`"),
            "keep one, or write two patterns",
        );
    }
    for sign in claims.signs {
        if let Err(error) = Regex::new(sign) {
            let why = error.to_string();
            let why = why.lines().last().unwrap_or_default().trim().to_owned();
            findings.note("claims.signs", format!("`{sign}` is not a regular expression: {why}"), "mend the pattern");
        }
    }
    if !claims.shared.is_empty() && claims.signs.is_empty() {
        findings.note("claims.signs", "it shares extensions and bears no sign", "say which lines show the language");
    }
    rivals(pack, findings);
}

/// Other packs that claim the same files.
fn rivals(pack: &Pack, findings: &mut Findings<'_>) {
    for other in PACKS.into_iter().filter(|other| other.name != pack.name) {
        for (member, mine, theirs) in [
            ("claims.extensions", pack.claims.extensions, other.claims.extensions),
            ("claims.file_names", pack.claims.file_names, other.claims.file_names),
            ("claims.interpreters", pack.claims.interpreters, other.claims.interpreters),
        ] {
            for twin in mine.iter().filter(|claim| theirs.contains(claim)) {
                findings.note(
                    member,
                    format!("pack `{}` claims `{twin}` too", other.name),
                    "leave it to one of them; an extension may be `shared` by signs",
                );
            }
        }
    }
}

fn rules(pack: &Pack, findings: &mut Findings<'_>) {
    for kind in pack.rules.members.iter().flat_map(|(from, to)| [from, to]).filter(|kind| !is_word(kind)) {
        findings.note("rules.members", format!("`{kind}` is not a word"), "use the kinds that records know");
    }
    for dialect in pack.rules.dialects.iter().filter(|name| super::pack(name).is_none()) {
        let known = nearest(dialect, PACKS.iter().map(|pack| pack.name));
        findings.note(
            "rules.dialects",
            format!("`{dialect}` is not a pack"),
            suggestion(known, "name a registered pack"),
        );
    }
}

/// Holds one query to the grammar and to the vocabulary.
fn binding(language: &Language, text: &QueryText, findings: &mut Findings<'_>) {
    let query = match Query::new(language, text.text) {
        Ok(query) => query,
        Err(error) => {
            let (problem, fix) = explain(language, text.text, &error);
            findings.note(format!("{}:{}", text.file, error.row + 1), problem, fix);
            return;
        }
    };
    for name in query.capture_names() {
        let line = line_of(text.text, &format!("@{name}"));
        match Capture::read(name) {
            None => findings.note(
                format!("{}:{line}", text.file),
                format!("capture `@{name}` is not in the vocabulary"),
                suggestion(nearest(name, program::CAPTURES), "see the table in `language::program`"),
            ),
            Some(Capture::Definition(word) | Capture::Reference(word)) if !is_word(&word) => findings.note(
                format!("{}:{line}", text.file),
                format!("capture word `{word}` is not a word"),
                "use lower-case letters, digits, `-` and `_`",
            ),
            Some(_) => {}
        }
    }
    for pattern in 0..query.pattern_count() {
        if let Err(error) = program::read_settings(&query, pattern) {
            let at = text.text[..query.start_byte_for_pattern(pattern)].matches('\n').count() + 1;
            let known = "see the table of settings in `language::program`";
            findings.note(format!("{}:{at}", text.file), error.to_string(), known);
        }
    }
}

/// What a grammar does not know, and the nearest that it does.
fn explain(language: &Language, text: &str, error: &QueryError) -> (String, String) {
    let name = error.message.trim_matches('"');
    match error.kind {
        QueryErrorKind::NodeType => {
            let known = nearest_node(language, name);
            (format!("the grammar has no node `{name}`"), suggestion(known, "look in the grammar's `node-types.json`"))
        }
        QueryErrorKind::Field => {
            let fields = (1..=language.field_count() as u16).filter_map(|id| language.field_name_for_id(id));
            (
                format!("the grammar has no field `{name}`"),
                suggestion(nearest(name, fields), "look in the grammar's `node-types.json`"),
            )
        }
        QueryErrorKind::Capture => {
            (format!("capture `@{name}` is used and not made"), "name a node of the same pattern".to_owned())
        }
        QueryErrorKind::Structure => {
            let line = text.lines().nth(error.row).unwrap_or_default().trim();
            (format!("the grammar never gives this shape: `{line}`"), "compare it with how a sample parses".to_owned())
        }
        QueryErrorKind::Predicate => (format!("predicate: {name}"), "mend the predicate".to_owned()),
        QueryErrorKind::Syntax | QueryErrorKind::Language => {
            let line = text.lines().nth(error.row).unwrap_or_default().trim();
            (format!("this is no query: `{line}`"), "check brackets and quotes".to_owned())
        }
    }
}

fn nearest_node(language: &Language, name: &str) -> Option<&'static str> {
    // A `Language` borrows its names from the static tables of the grammar.
    let kinds = (0..language.node_kind_count() as u16).filter(|id| language.node_kind_is_visible(*id));
    nearest(name, kinds.filter_map(|id| language.node_kind_for_id(id)))
}

fn suggestion(known: Option<&str>, otherwise: &str) -> String {
    known.map_or_else(|| otherwise.to_owned(), |known| format!("did you mean `{known}`?"))
}

/// The line on which a word first stands, from 1.
fn line_of(text: &str, word: &str) -> usize {
    let at = text.match_indices(word).map(|(at, _)| at).find(|at| {
        let after = text[at + word.len()..].chars().next();
        after.is_none_or(|c| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | '_'))
    });
    text[..at.unwrap_or(0)].matches('\n').count() + 1
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.len() <= 64
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_'))
}
