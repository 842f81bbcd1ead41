//! String literals behind an operator: prefixes, wrappers, quotes and escapes.

use super::runs::Runs;
use std::ops::Range;

/// How many escaped quotes a value may hold.
const ESCAPES: usize = 64;
/// How many literals or lines a value may consist of.
pub(super) const PIECES: usize = 16;
/// How far the end of a literal over several lines is looked for, in bytes.
const FAR: usize = 2048;
/// How far the end of a literal in brackets is looked for, in bytes.
const NEAR: usize = 512;

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
    "string",
    "[]byte",
    "[]rune",
    "to_string",
    "quote",
    "ref",
    "signal",
    "url.QueryEscape",
];

/// Skips spaces and tabs; behind the end of the text there are none.
pub(super) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let at = at.min(bytes.len());
    at + bytes[at..].iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count()
}

/// A literal: the pieces of its inside in order, at most one a line.
struct Literal {
    pieces: Vec<Range<usize>>,
    /// The place after its closing quote, where it has a plain one.
    end: Option<usize>,
}

impl Literal {
    fn open(span: Range<usize>) -> Self {
        Self { pieces: vec![span], end: None }
    }
}

/// The inside of the literal that begins at `at`, after blanks, wrappers and prefixes,
/// and after a line end where the language lets a value begin on the next line. A
/// literal that others continue (`"a" + "b"`, `"a" "b"`, `"a\` and the next line) gives
/// all their insides.
pub(super) fn after(text: &str, at: usize, next_line: bool, runs: &mut Runs) -> Option<Vec<Range<usize>>> {
    let bytes = text.as_bytes();
    let mut at = skip_blanks(bytes, at);
    if next_line {
        if bytes.get(at) == Some(&b'(') && matches!(bytes.get(at + 1), Some(b'\r' | b'\n')) {
            at += 1;
        }
        at = skip_line_end(bytes, at);
    }
    at = skip_wrappers(text, at);
    let group = skip_group(bytes, at);
    at = group.map_or(at, |(_, inside)| inside);
    at = skip_cast(bytes, at);
    at = skip_prefix(bytes, at);
    let mut literal = quoted(text, at, runs)?;
    while let Some(next) = literal.end.and_then(|end| continuation(text, end, runs)) {
        literal.pieces.extend(next.pieces);
        literal.end = next.end.filter(|_| literal.pieces.len() < PIECES);
    }
    let closed = |end: usize, closer: u8| bytes.get(skip_blanks(bytes, end)) == Some(&closer);
    let whole = group.is_none_or(|(closer, _)| literal.end.is_some_and(|end| closed(end, closer)));
    whole.then_some(literal.pieces)
}

/// `("…")`, `{"…"}`: what closes the group, and its inside.
fn skip_group(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    let closer = match bytes.get(at)? {
        b'(' => b')',
        b'{' => b'}',
        _ => return None,
    };
    let inside = skip_blanks(bytes, at + 1);
    let start = skip_prefix(bytes, skip_cast(bytes, inside));
    matches!(bytes.get(start), Some(b'"' | b'\'' | b'`')).then_some((closer, inside))
}

/// `(const char *)"…"`: a type in parentheses right before a literal.
fn skip_cast(bytes: &[u8], at: usize) -> usize {
    let Some(b'(') = bytes.get(at) else { return at };
    let typed = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_:*&<> ".contains(byte);
    let length = bytes[at + 1..].iter().take(40).take_while(typed).count();
    let end = at + 1 + length;
    if length == 0 || bytes.get(end) != Some(&b')') {
        return at;
    }
    let literal = skip_blanks(bytes, end + 1);
    let start = skip_prefix(bytes, literal);
    if matches!(bytes.get(start), Some(b'"' | b'\'')) { literal } else { at }
}

/// Skips one line end and the indent behind it; stays where there is none.
pub(super) fn skip_line_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..) {
        Some([b'\r', b'\n', ..]) => skip_blanks(bytes, at + 2),
        Some([b'\r' | b'\n', ..]) => skip_blanks(bytes, at + 1),
        _ => at,
    }
}

/// The literal that continues the one that ends at `at`: behind an operator that joins
/// strings, or right next to it where nothing else can be meant.
fn continuation(text: &str, at: usize, runs: &mut Runs) -> Option<Literal> {
    let bytes = text.as_bytes();
    let before = skip_line_end(bytes, skip_blanks(bytes, at));
    let joint = match bytes.get(before..)? {
        [b'.', b'.', ..] => 2,
        [b'+' | b'.' | b'&' | b'\\', ..] => 1,
        _ => 0,
    };
    let start = skip_line_end(bytes, skip_blanks(bytes, before + joint));
    let start = skip_prefix(bytes, start);
    let quote @ (b'"' | b'\'' | b'`') = *bytes.get(start)? else { return None };
    if bytes[start..].starts_with(&[quote; 3]) {
        return None;
    }
    let next = inside(bytes, start + 1, quote, runs)?;
    let end = next.end?;
    (joint > 0 || ends_expression(bytes, end)).then_some(next)
}

/// Whether what follows a literal shows that it was no key and no statement of its own.
fn ends_expression(bytes: &[u8], at: usize) -> bool {
    matches!(
        bytes.get(skip_blanks(bytes, at)),
        None | Some(b')' | b',' | b';' | b']' | b'}' | b'\r' | b'\n' | b'"' | b'\'')
    )
}

fn skip_wrappers(text: &str, mut at: usize) -> usize {
    for _ in 0..3 {
        let rest = &text.as_bytes()[at..];
        let rest = rest.strip_prefix(b"new ").or(rest.strip_prefix(b"await ")).unwrap_or(rest);
        let skipped = text.len() - at - rest.len();
        let slice = if rest.starts_with(b"[]") { 2 } else { 0 };
        let name = slice
            + rest[slice..]
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

/// `b"`, `u8"`, `u8R"`, `r#"`, `f'`, `@"`, `&"`, `N'`.
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
    let length = match rest {
        [b'u', b'8', b'"', ..] => 2,
        [b'u', b'8', b'R', b'"', ..] => 3,
        _ => length,
    };
    if matches!(rest.get(length), Some(b'"' | b'\'' | b'`')) { at + length } else { at }
}

fn quoted(text: &str, at: usize, runs: &mut Runs) -> Option<Literal> {
    let bytes = text.as_bytes();
    match bytes.get(at..)? {
        [b'\\', quote @ (b'"' | b'\''), ..] => inside_escaped(bytes, at + 2, *quote, runs).map(Literal::open),
        [quote @ (b'"' | b'\'' | b'`'), rest @ ..] if rest.starts_with(&[*quote, *quote]) => {
            tripled(text, at + 3, *quote)
        }
        [b'"', ..] if bytes[..at].ends_with(b"R") && raw(bytes, at + 1).is_some() => raw(bytes, at + 1),
        [quote @ (b'"' | b'\'' | b'`'), ..] => inside(bytes, at + 1, *quote, runs),
        [b'%', b'q' | b'Q', open, ..] => bracketed(bytes, at + 3, closer_of(*open)?),
        _ => None,
    }
}

/// The inside of `R"x(…)x"`, on one line, from behind its quote.
fn raw(bytes: &[u8], at: usize) -> Option<Literal> {
    let delimiter = bytes[at..].iter().take(16).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if bytes.get(at + delimiter) != Some(&b'(') {
        return None;
    }
    let start = at + delimiter + 1;
    let closer = [b")", &bytes[at..at + delimiter], b"\""].concat();
    let near = &bytes[start..bytes.len().min(start + NEAR)];
    let length = near.windows(closer.len()).position(|piece| piece == closer)?;
    let one_line = !near[..length].iter().any(|byte| matches!(byte, b'\n' | b'\r'));
    let piece = start..start + length;
    one_line.then(|| Literal { end: Some(piece.end + closer.len()), pieces: Vec::from([piece]) })
}

/// The inside of `%q(…)`, on one line and without brackets of its own.
fn bracketed(bytes: &[u8], start: usize, closer: u8) -> Option<Literal> {
    let near = &bytes[start..bytes.len().min(start + NEAR)];
    let length = near.iter().position(|&byte| byte == closer || matches!(byte, b'\n' | b'\r'))?;
    let piece = start..start + length;
    (near[length] == closer).then(|| Literal { end: Some(piece.end + 1), pieces: Vec::from([piece]) })
}

fn closer_of(open: u8) -> Option<u8> {
    match open {
        b'(' => Some(b')'),
        b'[' => Some(b']'),
        b'{' => Some(b'}'),
        b'<' => Some(b'>'),
        b'|' | b'!' | b'/' => Some(open),
        _ => None,
    }
}

/// Up to the closing quote on the same line, or on a next one where a backslash ends the
/// line; a quote that nothing closes ends with its line.
fn inside(bytes: &[u8], start: usize, quote: u8, runs: &mut Runs) -> Option<Literal> {
    let line_end = runs.line_end(bytes, start);
    if let Some(end) = closing(bytes, start, quote, line_end, runs) {
        return Some(Literal { end: Some(end + 1), ..Literal::open(start..end) });
    }
    continued(bytes, start, quote, line_end, runs).or_else(|| unclosed(bytes, start, line_end).map(Literal::open))
}

/// The quote that closes what begins at `start`, before `line_end`.
fn closing(bytes: &[u8], start: usize, quote: u8, line_end: usize, runs: &mut Runs) -> Option<usize> {
    let mut from = start;
    for _ in 0..ESCAPES {
        let end = runs.quote(bytes, from, quote);
        if end >= line_end {
            break;
        }
        let slashes = bytes[start..end].iter().rev().take(64).take_while(|&&byte| byte == b'\\').count();
        let doubled = end > start && bytes.get(end + 1) == Some(&quote);
        match (slashes % 2 == 1, doubled) {
            (false, false) => return Some(end),
            (true, _) => from = end + 1,
            (false, true) => from = end + 2,
        }
    }
    None
}

/// A string whose lines end in a backslash, up to its closing quote.
fn continued(bytes: &[u8], start: usize, quote: u8, first_end: usize, runs: &mut Runs) -> Option<Literal> {
    let mut pieces = Vec::new();
    let (mut from, mut line_end) = (start, first_end);
    while pieces.len() < PIECES && line_end - start <= FAR {
        let line = bytes[from..line_end].strip_suffix(b"\r").unwrap_or(&bytes[from..line_end]);
        let text = line.strip_suffix(b"\\")?;
        pieces.push(from..from + text.len());
        from = skip_blanks(bytes, line_end + 1);
        line_end = runs.line_end(bytes, from.min(bytes.len()));
        if let Some(end) = closing(bytes, from, quote, line_end, runs) {
            pieces.push(from..end);
            return Some(Literal { pieces, end: Some(end + 1) });
        }
    }
    None
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

/// `"""…"""`: each line of it that holds something.
fn tripled(text: &str, start: usize, quote: u8) -> Option<Literal> {
    let mut near = text.len().min(start + FAR);
    while !text.is_char_boundary(near) {
        near -= 1;
    }
    let inner = text.get(start..near)?;
    let length = inner.as_bytes().windows(3).position(|three| three == [quote; 3])?;
    let mut pieces = Vec::new();
    let mut from = start;
    for line in inner[..length].split(['\n', '\r']) {
        let held = line.trim_ascii();
        if !held.is_empty() {
            let at = from + (line.len() - line.trim_ascii_start().len());
            pieces.push(at..at + held.len());
        }
        from += line.len() + 1;
    }
    (1..=PIECES).contains(&pieces.len()).then_some(Literal { pieces, end: None })
}
