//! String literals behind an operator: prefixes, wrappers, quotes and escapes.

use super::runs::Runs;
use std::ops::Range;

/// How many escaped quotes a value may hold.
const ESCAPES: usize = 64;

/// Functions and types that only wrap a literal.
const WRAPPERS: &[&str] = &[
    "Box",
    "Buffer.from",
    "Secret",
    "SecretBox",
    "SecretStr",
    "SecretString",
    "SecureString",
    "Some",
    "String",
    "Token",
    "ApiKey",
    "Password",
    "b64decode",
    "base64.b64decode",
    "atob",
    "bytes",
    "encode",
    "from",
    "from_str",
    "new",
    "str",
    "to_string",
    "quote",
    "ref",
    "signal",
    "url.QueryEscape",
];

/// Skips spaces and tabs.
pub(super) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes[at.min(bytes.len())..].iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count()
}

/// The inside of the literal that begins at `at`, after blanks, wrappers and prefixes,
/// and after a line end where the language lets a value begin on the next line.
pub(super) fn after(text: &str, at: usize, next_line: bool, runs: &mut Runs) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = skip_blanks(bytes, at);
    if next_line {
        if bytes.get(at) == Some(&b'(') && matches!(bytes.get(at + 1), Some(b'\r' | b'\n')) {
            at += 1;
        }
        at += usize::from(bytes.get(at) == Some(&b'\r'));
        if bytes.get(at) == Some(&b'\n') {
            at = skip_blanks(bytes, at + 1);
        }
    }
    at = skip_wrappers(text, at);
    at = skip_prefix(bytes, at);
    quoted(text, at, runs)
}

fn skip_wrappers(text: &str, mut at: usize) -> usize {
    for _ in 0..3 {
        let rest = &text.as_bytes()[at..];
        let rest = rest.strip_prefix(b"new ").or(rest.strip_prefix(b"await ")).unwrap_or(rest);
        let skipped = text.len() - at - rest.len();
        let name = rest
            .iter()
            .take(48)
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.'))
            .count();
        if name == 0 || rest.get(name) != Some(&b'(') {
            return at;
        }
        let called = &text[at + skipped..at + skipped + name];
        let last = called.rsplit("::").next().unwrap_or(called);
        if !(WRAPPERS.contains(&last) || WRAPPERS.contains(&called)) {
            return at;
        }
        at += skipped + name + 1;
    }
    at
}

/// `b"`, `r#"`, `f'`, `@"`, `&"`, `N'`.
fn skip_prefix(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at.min(bytes.len())..];
    let length = rest
        .iter()
        .take(3)
        .take_while(|byte| {
            matches!(
                byte,
                b'b' | b'B' | b'r' | b'R' | b'u' | b'U' | b'f' | b'F' | b'L' | b'N' | b'@' | b'$' | b'&' | b'#'
            )
        })
        .count();
    if matches!(rest.get(length), Some(b'"' | b'\'' | b'`')) { at + length } else { at }
}

fn quoted(text: &str, at: usize, runs: &mut Runs) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    match bytes.get(at..)? {
        [b'\\', quote @ (b'"' | b'\''), ..] => inside_escaped(bytes, at + 2, *quote, runs),
        [quote @ (b'"' | b'\'' | b'`'), rest @ ..] if rest.starts_with(&[*quote, *quote]) => {
            tripled(text, at + 3, *quote, runs)
        }
        [quote @ (b'"' | b'\'' | b'`'), ..] => inside(bytes, at + 1, *quote, runs),
        _ => None,
    }
}

/// Up to the closing quote on the same line; a quote that nothing closes ends with its line.
fn inside(bytes: &[u8], start: usize, quote: u8, runs: &mut Runs) -> Option<Range<usize>> {
    let line_end = runs.line_end(bytes, start);
    let mut from = start;
    for _ in 0..ESCAPES {
        let end = runs.quote(bytes, from, quote);
        if end >= line_end {
            break;
        }
        let slashes = bytes[start..end].iter().rev().take(64).take_while(|&&byte| byte == b'\\').count();
        let doubled = end > start && bytes.get(end + 1) == Some(&quote);
        match (slashes % 2 == 1, doubled) {
            (false, false) => return Some(start..end),
            (true, _) => from = end + 1,
            (false, true) => from = end + 2,
        }
    }
    unclosed(bytes, start, line_end)
}

/// A single word without its closing quote; more than a word is no value but text.
fn unclosed(bytes: &[u8], start: usize, line_end: usize) -> Option<Range<usize>> {
    let line = &bytes[start..line_end.min(start + 512)];
    let line = line.trim_ascii_end();
    let word = line.iter().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'/' | b'=' | b'.' | b'!' | b'@' | b'#')
    });
    (word && line_end - start < 512).then_some(start..start + line.len())
}

/// `\"…\"` inside a string.
fn inside_escaped(bytes: &[u8], start: usize, quote: u8, runs: &mut Runs) -> Option<Range<usize>> {
    let end = runs.quote(bytes, start, quote);
    let line_end = runs.line_end(bytes, start);
    (end < line_end && end > start && bytes[end - 1] == b'\\' && !(end >= start + 2 && bytes[end - 2] == b'\\'))
        .then_some(start..end - 1)
}

/// `"""…"""` on one line.
fn tripled(text: &str, start: usize, quote: u8, runs: &mut Runs) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let end = runs.quote(bytes, start, quote);
    (end < runs.line_end(bytes, start) && bytes[end..].starts_with(&[quote; 3])).then_some(start..end)
}
