//! Checks of a pack by itself: its structure, and its queries against its grammar.
//!
//! What a pack does with its sample is checked in `record::conformance`.

use super::Pack;
use super::program::{Capture, Program};

/// Something wrong with a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The pack.
    pub pack: String,
    /// What is wrong.
    pub problem: String,
}

/// Checks names, claims, rules and queries.
pub fn validate(pack: &Pack) -> Vec<Diagnostic> {
    let mut problems = structure(pack);
    match Program::compile(pack) {
        Ok(program) => problems.extend(binding(&program)),
        Err(error) => problems.push(error.to_string()),
    }
    problems.into_iter().map(|problem| Diagnostic { pack: pack.name.to_owned(), problem }).collect()
}

fn structure(pack: &Pack) -> Vec<String> {
    let mut problems = Vec::new();
    if !is_word(pack.name) || pack.name == "text" {
        problems.push(format!("`{}` cannot be a pack's name", pack.name));
    }
    let claims = &pack.claims;
    if claims.extensions.is_empty() && claims.file_names.is_empty() && claims.interpreters.is_empty() {
        problems.push("it claims no file".to_owned());
    }
    for extension in claims.extensions {
        if extension.is_empty() || extension.contains('.') || extension.to_ascii_lowercase() != *extension {
            problems.push(format!("extension `{extension}` is empty, has a dot or is not in lower case"));
        }
    }
    for pattern in claims.test_files {
        if pattern.matches('*').count() > 1 {
            problems.push(format!("test file pattern `{pattern}` has more than one `*`"));
        }
    }
    if pack.queries.is_empty() {
        problems.push("it has no query".to_owned());
    }
    for kind in pack.rules.members.iter().flat_map(|(from, to)| [from, to]) {
        if !is_word(kind) {
            problems.push(format!("member kind `{kind}` is not a word"));
        }
    }
    if pack.sample.definitions.is_empty() {
        problems.push("its sample defines nothing".to_owned());
    }
    problems
}

fn binding(program: &Program) -> Vec<String> {
    let word = |capture: &Capture| match capture {
        Capture::Definition(word) | Capture::Reference(word) if !is_word(word) => {
            Some(format!("capture word `{word}` is not a word"))
        }
        _ => None,
    };
    program.captures.iter().filter_map(word).collect()
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.len() <= 64
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_'))
}
