//! Private key blocks: raw, quoted line by line, or on one line with `\n` escapes.
//!
//! A begin line alone proves nothing (parsers and documents name it), so a block
//! needs a body that looks like one. With an end line any base 64 or URL-safe word
//! will do; without, the body is what strictly looks like base 64.

use super::runs::Runs;
use super::shape::Class;
use std::ops::Range;

/// The literals by which the scan finds a block.
pub(super) const ANCHORS: [&str; 3] = ["-----BEGIN ", "---- BEGIN ", PUTTY];
/// What PuTTY writes in front of the number of lines of a private key.
const PUTTY: &str = "Private-Lines: ";

const LONGEST: usize = 2000;
const ARMOUR: [&str; 9] =
    ["Proc-Type", "DEK-Info", "Version", "Comment", "Hash", "Charset", "MessageID", "Subject", "X-Key"];

/// The pieces of a key block, in order, at most one a line. The first one becomes
/// the marker, the others nothing, so that line ends, quotes and comment signs stay.
pub(super) fn block_at(text: &str, at: usize, runs: &mut Runs) -> Option<Vec<Range<usize>>> {
    if text[at..].starts_with(PUTTY) {
        return putty_lines(text, at + PUTTY.len(), runs);
    }
    let header_end = boundary_line(text, at, "BEGIN ")?;
    let mut walk = Walk::default();
    let mut body_from = header_end;
    for _ in 0..LONGEST {
        let line_end = runs.line_end(text.as_bytes(), body_from);
        let stop = text[body_from..line_end].find("----").map(|offset| body_from + offset);
        if let Some(stop) = stop {
            let end = boundary_line(text, stop, "END ");
            let before = unwrap(text, body_from..stop, !walk.pieces.is_empty());
            return match end {
                Some(end) if Look::of(&text[before.clone()]) != Look::Other => {
                    let start = if walk.pieces.is_empty() { at } else { before.start };
                    walk.closed(start..end, &text[before])
                }
                _ => walk.open(),
            };
        }
        let inner = unwrap(text, body_from..line_end, !walk.pieces.is_empty());
        let look = Look::of(&text[inner.clone()]);
        if look == Look::Other {
            return walk.open();
        }
        let piece = if walk.pieces.is_empty() { at..inner.end } else { inner.clone() };
        walk.take(piece, look, &text[inner], text[body_from..line_end].trim_ascii().is_empty());
        if line_end == text.len() {
            break;
        }
        body_from = line_end + 1;
    }
    walk.open()
}

/// The lines of a key in PuTTY's form, as many as the head says.
fn putty_lines(text: &str, at: usize, runs: &mut Runs) -> Option<Vec<Range<usize>>> {
    let head_end = runs.line_end(text.as_bytes(), at);
    let head: String = text[at..head_end].chars().take_while(char::is_ascii_digit).collect();
    let count = head.parse::<usize>().ok().filter(|count| (1..LONGEST).contains(count))?;
    let mut pieces = Vec::new();
    let mut from = head_end + 1;
    while pieces.len() < count && from < text.len() {
        let end = runs.line_end(text.as_bytes(), from);
        let inner = unwrap(text, from..end, true);
        if inner.is_empty() || Look::of(&text[inner.clone()]) != Look::Strict {
            break;
        }
        pieces.push(inner);
        from = end + 1;
    }
    (!pieces.is_empty() && pieces.iter().any(|piece| piece.len() >= 24)).then_some(pieces)
}

/// The end of a begin or end line that starts at `at` and names a private key.
fn boundary_line(text: &str, at: usize, word: &str) -> Option<usize> {
    let rest = &text[at..];
    let dashes = rest.bytes().take_while(|&byte| byte == b'-').count();
    let after = rest[dashes..].strip_prefix(' ').unwrap_or(&rest[dashes..]);
    let name = after.strip_prefix(word)?;
    let length = name.bytes().take(80).take_while(|&byte| Class::UpperDigit.has(byte) || byte == b' ').count();
    let label = name[..length].trim_end();
    let label = label.strip_suffix(" BLOCK").unwrap_or(label);
    let closing = name[length..].bytes().take_while(|&byte| byte == b'-').count();
    let named = label == "PRIVATE KEY" || label.ends_with(" PRIVATE KEY");
    (dashes >= 4 && closing >= 4 && named).then(|| at + (rest.len() - name.len()) + length + closing.min(5))
}

#[derive(Default)]
struct Walk {
    pieces: Vec<Range<usize>>,
    strict: usize,
    broken: bool,
    raw: bool,
    longest: usize,
    any: bool,
    any_strict: bool,
}

impl Walk {
    fn take(&mut self, piece: Range<usize>, look: Look, inner: &str, ends_line: bool) {
        let content = has_content(inner);
        if self.pieces.is_empty() {
            self.raw = ends_line;
        }
        self.pieces.push(piece);
        self.any |= content;
        self.broken |= look == Look::Loose;
        if !self.broken {
            self.any_strict |= content;
            self.longest = self.longest.max(inner.len());
            if content || self.strict == 0 {
                self.strict = self.pieces.len();
            }
        }
    }

    fn closed(mut self, piece: Range<usize>, inner: &str) -> Option<Vec<Range<usize>>> {
        self.pieces.push(piece);
        (self.any || has_content(inner)).then_some(self.pieces)
    }

    fn open(mut self) -> Option<Vec<Range<usize>>> {
        self.pieces.truncate(self.strict);
        (self.any_strict && (self.raw || self.longest >= 24)).then_some(self.pieces)
    }
}

fn has_content(inner: &str) -> bool {
    !inner.is_empty() && without_escapes(inner).any(|byte| byte.is_ascii_alphanumeric())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Strict,
    Loose,
    Other,
}

impl Look {
    fn of(inner: &str) -> Self {
        if inner.split_once(':').is_some_and(|(name, _)| ARMOUR.contains(&name)) {
            return Self::Strict;
        }
        if inner.contains(' ') && !inner.split(' ').any(|word| word.len() >= 24) {
            return Self::Other;
        }
        without_escapes(inner).fold(Self::Strict, |look, byte| match byte {
            b'+' | b'/' | b'=' | b' ' => look,
            byte if byte.is_ascii_alphanumeric() => look,
            b'_' | b'.' | b'-' | b'*' if look != Self::Other => Self::Loose,
            _ => Self::Other,
        })
    }
}

/// The bytes of a line without `\n`, `\r`, `\t` and `\\n`.
fn without_escapes(inner: &str) -> impl Iterator<Item = u8> + '_ {
    let bytes = inner.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at) == Some(&b'\\') {
            let slashes = bytes[at..].iter().take_while(|&&byte| byte == b'\\').count();
            match bytes.get(at + slashes) {
                Some(b'n' | b'r' | b't') => at += slashes + 1,
                _ => break,
            }
        }
        let byte = bytes.get(at).copied();
        at += 1;
        byte
    })
}

/// A line without the indent, comment sign, quotes and joints that code puts around it;
/// of the first line only what follows the begin line, so nothing is taken off its front.
fn unwrap(text: &str, line: Range<usize>, whole: bool) -> Range<usize> {
    let bytes = text.as_bytes();
    let Range { mut start, mut end } = line;
    let blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r');
    let quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'`');
    let skip = |start: &mut usize, end: usize| {
        while *start < end && blank(bytes[*start]) {
            *start += 1;
        }
    };
    if whole {
        skip(&mut start, end);
    }
    for sign in ["//", "#", "*", "|", ">", "+", "."] {
        let after = start + sign.len();
        if whole && after < end && text[start..end].starts_with(sign) && (blank(bytes[after]) || quote(bytes[after])) {
            start = after;
            skip(&mut start, end);
            break;
        }
    }
    if whole && start < end && quote(bytes[start]) {
        start += 1;
    }
    let mut quoted = false;
    while start < end {
        let last = bytes[end - 1];
        let before = if end - 1 > start { bytes[end - 2] } else { b' ' };
        let joint = matches!(last, b'+' | b'.' | b'&' | b'_' | b'\\') && (blank(before) || quote(before));
        let continued = last == b'\\' && before != b'\\';
        if blank(last) || joint || continued || matches!(last, b';' | b',' | b')' | b']' | b'}') {
            end -= 1;
        } else if quote(last) && !quoted {
            quoted = true;
            end -= 1;
        } else {
            break;
        }
    }
    start..end
}

#[cfg(test)]
mod tests {
    use crate::source::redact::redact;

    fn pem(kind: &str) -> (String, String) {
        (
            format!("-----BEGIN {kind}{}", concat!("PRIVATE", " KEY-----")),
            format!("-----END {kind}{}", concat!("PRIVATE", " KEY-----")),
        )
    }

    fn check(input: &str, expect: &str) {
        let out = redact(input.to_owned());
        assert_eq!(out.text, expect);
        assert_eq!(input.matches('\n').count(), out.text.matches('\n').count());
        assert_eq!(redact(out.text.clone()).text, out.text);
    }

    #[test]
    fn line_ends_and_line_count_stay() {
        let (begin, end) = pem("RSA ");
        check(
            &format!("a\r\n{begin}\r\nZmFrZQ\r\nZmFrZQ==\r\n{end}\r\nb"),
            "a\r\n[REDACTED:PRIVATE_KEY]\r\n\r\n\r\n\r\nb",
        );
        check(&format!("a\r{begin}\rZmFrZQ\rZmFrZQ==\r{end}\rb"), "a\r[REDACTED:PRIVATE_KEY]\r\r\r\rb");
        check(&format!("{begin}\rZmFrZQ\r"), "[REDACTED:PRIVATE_KEY]\r\r");
        check(&format!("{begin}\nProc-Type: 4,ENCRYPTED\n\nZmFrZQ\n{end}\n"), "[REDACTED:PRIVATE_KEY]\n\n\n\n\n");
    }

    #[test]
    fn a_missing_end_line_does_not_save_the_key() {
        let (begin, _) = pem("EC ");
        check(&format!("{begin}\nZmFrZQ\nZmFrZQ\n\nnot a key\n"), "[REDACTED:PRIVATE_KEY]\n\n\n\nnot a key\n");
        check(&format!("k = \"{begin}\\nZmFrZQZmFrZQZmFrZQZmFrZQZmFrZQ"), "k = \"[REDACTED:PRIVATE_KEY]");
    }

    #[test]
    fn keys_of_putty() {
        let key = concat!("Private", "-Lines: 2\n", "ZmFrZUZha2VGYWtlRmFrZUZha2VG\nZmFrZQ==\n");
        let gone = concat!("Private", "-Lines: 2\n[REDACTED:PRIVATE_KEY]\n\n");
        check(
            &format!("Public-Lines: 1\nQUFB\n{key}Private-MAC: 0a1b\n"),
            &format!("Public-Lines: 1\nQUFB\n{gone}Private-MAC: 0a1b\n"),
        );
        check(&key.replace('\n', "\r\n"), &gone.replace('\n', "\r\n"));
        check(&key.replace('\n', "\r"), &gone.replace('\n', "\r"));
        check("\"Private-Lines: %d\\n\" + body\n", "\"Private-Lines: %d\\n\" + body\n");
        check("Private-Lines: 2\nand a text of words\n", "Private-Lines: 2\nand a text of words\n");
    }

    #[test]
    fn strings_keep_their_quotes() {
        let (begin, end) = pem("");
        check(&format!("k = \"{begin}\\nZmFrZQ\\n{end}\\n\";"), "k = \"[REDACTED:PRIVATE_KEY]\\n\";");
        check(
            &format!("k = \"{begin}\\n\" +\n    \"ZmFrZQ\\n\" +\n    \"{end}\\n\";\n"),
            "k = \"[REDACTED:PRIVATE_KEY]\" +\n    \"\" +\n    \"\\n\";\n",
        );
    }

    #[test]
    fn code_that_only_names_the_lines_is_left() {
        let (begin, end) = pem("RSA ");
        for code in [
            format!("const BEGIN: &str = \"{begin}\";\nconst END: &str = \"{end}\";\n"),
            format!("if line == '{begin}'\n  return\nend\n"),
            format!("{begin}\n...\n{end}\n"),
            format!("{begin}\\n...\\n{end}\n"),
            format!("starts with {begin} and ends with {end}\n"),
            format!("\"{begin}\\n\" + key + \"\\n{end}\""),
            format!("{begin}\n${{KEY}}\n{end}"),
        ] {
            check(&code, &code);
        }
    }
}
