//! Values on the lines below their key, as YAML writes them: `key: |`, `key: >-` and
//! deeper lines, or one deeper word alone.

use super::literal::{PIECES, skip_blanks};
use super::runs::Runs;
use std::ops::Range;

/// A value below its key.
pub(super) struct Scalar {
    /// Its lines without their indent.
    pub pieces: Vec<Range<usize>>,
    /// Whether a `|` or `>` says that it is text.
    pub marked: bool,
}

/// The value of the key `name`, whose colon ends at `after`, on the lines below.
pub(super) fn scalar(text: &str, name: &Range<usize>, after: usize, runs: &mut Runs) -> Option<Scalar> {
    let bytes = text.as_bytes();
    let head_end = runs.line_end(bytes, after);
    let head = text.get(after..head_end)?.trim_ascii();
    let marked = is_indicator(head);
    if !(marked || head.is_empty()) {
        return None;
    }
    let depth = indent_of(bytes, name.start)?;
    let mut pieces = Vec::new();
    let mut from = head_end + 1;
    while from < bytes.len() {
        let end = runs.line_end(bytes, from);
        let start = skip_blanks(bytes, from);
        let line = text[start.min(end)..end].trim_ascii_end();
        if !line.is_empty() {
            if start - from <= depth {
                break;
            }
            if pieces.len() == PIECES || !is_word(line, marked) {
                return None;
            }
            pieces.push(start..start + line.len());
        }
        from = end + 1;
    }
    (!pieces.is_empty() && (marked || pieces.len() == 1)).then_some(Scalar { pieces, marked })
}

/// `|`, `>`, with a chomping and an indentation mark.
fn is_indicator(head: &str) -> bool {
    head.strip_prefix(['|', '>'])
        .is_some_and(|marks| marks.len() <= 2 && marks.bytes().all(|byte| matches!(byte, b'+' | b'-' | b'1'..=b'9')))
}

/// The indent of the line of a key that nothing but blanks, list dashes and a quote precede.
fn indent_of(bytes: &[u8], name: usize) -> Option<usize> {
    let near = bytes[..name].iter().rev().take(120);
    let before = near.take_while(|&&byte| !matches!(byte, b'\n' | b'\r')).count();
    let line = &bytes[name - before..name];
    let indent = line.iter().take_while(|&&byte| matches!(byte, b' ' | b'-')).count();
    let rest = &line[indent..];
    let key = rest.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'"' | b'\''));
    key.then_some(indent)
}

/// A line of a value: one word, which without a mark must be no key, list item or markup.
fn is_word(line: &str, marked: bool) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'(' | b')' | b'{' | b'}' | b';' | b'"' | b'\'');
    line.bytes().all(plain) && (marked || !line.ends_with([':', ',']) && !line.starts_with(['-', '<', '|', '#', '/']))
}
