//! The canonical line of a record: one JSON object, sorted keys, one LF.
//!
//! `text` is the last key, so a line is its *facts* (everything before the text)
//! followed by the escaped text. A store keeps the two apart, the text raw for
//! reading in place and the facts compressed, and [`join`] gives the line back.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Definition, Import, Problem, Record, Reference, Span, Word};
use crate::source::{PathError, RepoPath};

/// The longest record line a reader accepts, in bytes.
pub const MAX_LINE: usize = 64 << 20;

const TEXT_KEY: &[u8] = b",\"text\":";

/// Why a record line is refused. The caller knows and names the path.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Not JSON of the record's shape.
    #[error("it is not a record: {0}")]
    Shape(String),
    /// JSON of the right shape, but not in canonical form.
    #[error("it is not in canonical form (first difference at byte {0})")]
    NotCanonical(usize),
    /// A line beyond [`MAX_LINE`].
    #[error("it is {0} bytes long, more than a record may be")]
    TooLong(usize),
    /// The path breaks a rule.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A span or an index does not fit the record.
    #[error("its {member} {index} {why}")]
    Member {
        /// Which array: `definition`, `reference`, `import` or `problem`.
        member: &'static str,
        /// Which element, from 0.
        index: usize,
        /// What is wrong with it.
        why: &'static str,
    },
}

#[derive(Serialize)]
struct LineOut<'a> {
    definitions: &'a [Definition],
    encoding: &'a Word,
    flags: &'a BTreeSet<Word>,
    imports: &'a [Import],
    language: &'a Word,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    problems: &'a [Problem],
    references: &'a [Reference],
    text: &'a str,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineIn {
    definitions: Vec<Definition>,
    encoding: Word,
    flags: BTreeSet<Word>,
    imports: Vec<Import>,
    language: Word,
    path: Option<String>,
    path_bytes: Option<String>,
    problems: Vec<Problem>,
    references: Vec<Reference>,
    text: String,
}

/// A line up to its text: what [`join`] needs beside the text.
///
/// Inside strings the quotes of the key would be escaped, so its first occurrence is it.
pub fn facts_of(line: &[u8]) -> &[u8] {
    let at = line.windows(TEXT_KEY.len()).position(|window| window == TEXT_KEY);
    &line[..at.unwrap_or(line.len())]
}

/// Puts a line together again from what [`facts_of`] gave and the text.
pub fn join(facts: &[u8], text: &str) -> Vec<u8> {
    let mut line = Vec::with_capacity(facts.len() + text.len() + text.len() / 16 + 16);
    line.extend_from_slice(facts);
    line.extend_from_slice(TEXT_KEY);
    write_json(&mut line, text);
    line.extend_from_slice(b"}\n");
    line
}

/// The canonical line of `record`, its LF included.
pub fn line(record: &Record) -> Vec<u8> {
    let (path, path_bytes) = path_fields(&record.path);
    let mut line = Vec::with_capacity(record.text.len() * 2 + 256);
    write_json(
        &mut line,
        &LineOut {
            definitions: &record.definitions,
            encoding: &record.encoding,
            flags: &record.flags,
            imports: &record.imports,
            language: &record.language,
            path,
            path_bytes,
            problems: &record.problems,
            references: &record.references,
            text: &record.text,
        },
    );
    line.push(b'\n');
    line
}

/// Writes canonical JSON: compact, keys as declared, strings escaped no more than JSON asks.
pub(crate) fn write_json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(out, value).expect("a shape without maps of odd keys always encodes");
}

/// The two ways a path is written: as text, or as lower-case hex where it is not UTF-8.
pub(crate) fn path_fields(path: &RepoPath) -> (Option<&str>, Option<String>) {
    match path.as_str() {
        Some(text) => (Some(text), None),
        None => (None, Some(hex(path.as_bytes()))),
    }
}

/// Reads the path back from its two fields, exactly one of which must be there.
pub(crate) fn path_of(path: Option<String>, path_bytes: Option<String>) -> Result<RepoPath, RecordError> {
    match (path, path_bytes) {
        (Some(text), None) => Ok(RepoPath::parse(text)?),
        (None, Some(digits)) => {
            let bytes =
                unhex(&digits).ok_or_else(|| RecordError::Shape("`path_bytes` is not lower-case hex".into()))?;
            Ok(RepoPath::parse(bytes)?)
        }
        _ => Err(RecordError::Shape("it needs exactly one of `path` and `path_bytes`".into())),
    }
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

/// Reads lower-case hex; `None` for anything else.
pub(crate) fn unhex(digits: &str) -> Option<Vec<u8>> {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let digits = digits.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.chunks_exact(2).map(|pair| Some(value(pair[0])? << 4 | value(pair[1])?)).collect()
}

/// Reads one canonical line (LF included) and checks every promise a record makes.
///
/// # Errors
/// When the line is not exactly what [`line()`] writes for some valid record.
pub fn parse(bytes: &[u8]) -> Result<Record, RecordError> {
    if bytes.len() > MAX_LINE {
        return Err(RecordError::TooLong(bytes.len()));
    }
    let wire: LineIn = serde_json::from_slice(bytes).map_err(|error| RecordError::Shape(error.to_string()))?;
    let record = Record {
        path: path_of(wire.path, wire.path_bytes)?,
        language: wire.language,
        encoding: wire.encoding,
        flags: wire.flags,
        text: wire.text,
        definitions: wire.definitions,
        references: wire.references,
        imports: wire.imports,
        problems: wire.problems,
    };
    same_bytes(bytes, &line(&record))?;
    check(&record)?;
    Ok(record)
}

/// Refuses bytes that differ from their own canonical form, which makes the form unique.
pub(crate) fn same_bytes(given: &[u8], canonical: &[u8]) -> Result<(), RecordError> {
    if given == canonical {
        return Ok(());
    }
    let first = given.iter().zip(canonical).position(|(a, b)| a != b);
    Err(RecordError::NotCanonical(first.unwrap_or(given.len().min(canonical.len()))))
}

/// Checks spans, order and containers.
///
/// # Errors
/// Names the first member that breaks a promise.
pub fn check(record: &Record) -> Result<(), RecordError> {
    check_definitions(record)?;
    let count = record.definitions.len();
    let ordered = |a: Span, b: Span| a <= b;
    for (index, reference) in record.references.iter().enumerate() {
        let fail = |why| Err(RecordError::Member { member: "reference", index, why });
        if reference.span.of(&record.text).is_none() {
            return fail("has a span outside the text");
        }
        if reference.enclosing.is_some_and(|at| at as usize >= count) {
            return fail("names a definition that is not there");
        }
        if index > 0 && !ordered(record.references[index - 1].span, reference.span) {
            return fail("is out of order");
        }
    }
    for (index, import) in record.imports.iter().enumerate() {
        check_span("import", index, import.span, index.checked_sub(1).map(|at| record.imports[at].span), &record.text)?;
    }
    for (index, problem) in record.problems.iter().enumerate() {
        check_span(
            "problem",
            index,
            problem.span,
            index.checked_sub(1).map(|at| record.problems[at].span),
            &record.text,
        )?;
    }
    Ok(())
}

fn check_span(
    member: &'static str,
    index: usize,
    span: Span,
    before: Option<Span>,
    text: &str,
) -> Result<(), RecordError> {
    let fail = |why| Err(RecordError::Member { member, index, why });
    if span.of(text).is_none() {
        return fail("has a span outside the text");
    }
    if before.is_some_and(|before| before > span) {
        return fail("is out of order");
    }
    Ok(())
}

fn check_definitions(record: &Record) -> Result<(), RecordError> {
    let order = |definition: &Definition| (definition.span.start, u32::MAX - definition.span.end);
    for (index, definition) in record.definitions.iter().enumerate() {
        let fail = |why| Err(RecordError::Member { member: "definition", index, why });
        if definition.span.of(&record.text).is_none() {
            return fail("has a span outside the text");
        }
        for inner in [Some(definition.name_span), Some(definition.signature), definition.doc, definition.owner]
            .into_iter()
            .flatten()
        {
            if inner.of(&record.text).is_none() || !definition.span.contains(inner) {
                return fail("has a name, signature or doc outside its span");
            }
        }
        if let Some(container) = definition.container {
            if container as usize >= index {
                return fail("is not after its container");
            }
            if !record.definitions[container as usize].span.contains(definition.span) {
                return fail("is not inside its container");
            }
        }
        if index > 0 && order(&record.definitions[index - 1]) > order(definition) {
            return fail("is out of order");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{encoding, kind, language};

    fn sample() -> Record {
        Record {
            path: RepoPath::parse("a.txt").unwrap(),
            language: language::TEXT,
            encoding: encoding::UTF_8,
            flags: BTreeSet::new(),
            text: "say \"hi\"\t\u{1}\u{7f}é\n".into(),
            definitions: vec![Definition {
                container: None,
                doc: None,
                kind: kind::FUNCTION,
                name: "say".into(),
                name_span: Span::new(0, 3),
                node: "x".into(),
                owner: None,
                signature: Span::new(0, 3),
                span: Span::new(0, 5),
                visibility: None,
            }],
            references: vec![],
            imports: vec![],
            problems: vec![],
        }
    }

    #[test]
    fn line_to_the_byte() {
        let expected = concat!(
            r#"{"definitions":[{"kind":"function","name":"say","name_span":[0,3],"node":"x","signature":[0,3],"span":[0,5]}],"#,
            r#""encoding":"utf-8","flags":[],"imports":[],"language":"text","path":"a.txt","problems":[],"references":[],"#,
            r#""text":"say \"hi\"\t\u0001"#,
            "\u{7f}é\\n\"}\n"
        );
        assert_eq!(String::from_utf8(line(&sample())).unwrap(), expected);
    }

    #[test]
    fn parts_make_the_line_and_parsing_is_the_inverse() {
        let record = sample();
        assert_eq!(join(facts_of(&line(&record)), &record.text), line(&record));
        assert_eq!(parse(&line(&record)).unwrap(), record);
    }

    #[test]
    fn a_path_that_is_not_utf8_travels_as_hex() {
        let record = Record { path: RepoPath::parse(&b"\xff"[..]).unwrap(), ..sample() };
        let line = line(&record);
        assert!(line.windows(17).any(|part| part == br#""path_bytes":"ff""#));
        assert_eq!(parse(&line).unwrap(), record);
    }

    #[test]
    fn other_spellings_are_refused() {
        let good = String::from_utf8(line(&sample())).unwrap();
        for (from, to) in [
            ("[0,3]", "[0, 3]"),
            ("\\u0001", "\\u0001 "),
            (":\"text\"", ":\"Text\""),
            ("[0,5]", "[0,99]"),
            ("\"a.txt\"", "\"../a\""),
            ("}\n", "}"),
            ("\\t", "\\u0009"),
        ] {
            let bad = good.replacen(from, to, 1);
            if from == "\\u0001" {
                assert!(parse(bad.as_bytes()).is_ok(), "more text is still a record");
            } else {
                assert!(parse(bad.as_bytes()).is_err(), "{from} as {to}");
            }
        }
    }

    #[test]
    fn spans_stay_inside_characters() {
        let mut record = sample();
        let accent = record.text.find('é').unwrap() as u32;
        record.definitions[0].span.end = accent + 1;
        assert!(check(&record).is_err());
    }
}
