//! The form of one published token: a literal that gives it away, and runs around it.

use super::runs::Runs;
use super::value;
use std::ops::Range;

/// A set of bytes that a run is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// `0-9`.
    Digit,
    /// `0-9 a-f`.
    LowerHex,
    /// `0-9 a-f A-F`.
    Hex,
    /// `A-Z 2-7`, the base 32 alphabet.
    Upper32,
    /// `A-Z 0-9`.
    UpperDigit,
    /// `a-z 0-9`.
    LowerDigit,
    /// `A-Z a-z 0-9`.
    Alnum,
    /// Alphanumeric and `-`.
    Dashed,
    /// Alphanumeric, `-` and `_`.
    UrlSafe,
    /// URL-safe, `.` and `~`.
    Dotted,
    /// URL-safe, `+`, `/` and `=`.
    Base64,
    /// Base 64 as a query writes it: with `%`.
    Escaped,
}

impl Class {
    /// How many classes there are.
    pub(super) const COUNT: usize = 12;

    /// Letters of the class, to make up a token of.
    #[cfg(test)]
    pub(super) fn letters(self) -> &'static str {
        match self {
            Self::Digit => "10293847561",
            Self::LowerHex | Self::Hex | Self::LowerDigit => super::samples::HEX,
            Self::Upper32 | Self::UpperDigit => super::samples::UPPER,
            _ => super::samples::ALNUM,
        }
    }

    /// Whether the class holds a byte.
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Digit => byte.is_ascii_digit(),
            Self::LowerHex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Upper32 => matches!(byte, b'A'..=b'Z' | b'2'..=b'7'),
            Self::UpperDigit => matches!(byte, b'A'..=b'Z' | b'0'..=b'9'),
            Self::LowerDigit => matches!(byte, b'a'..=b'z' | b'0'..=b'9'),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Dashed => byte.is_ascii_alphanumeric() || byte == b'-',
            Self::UrlSafe => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'/' | b'='),
            Self::Escaped => Self::Base64.has(byte) || byte == b'%',
        }
    }
}

/// One step of a form.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// These bytes.
    Lit(&'static str),
    /// As many bytes of the class as there are: at least and at most so many.
    Run(Class, usize, usize),
    /// A run that must also look random, because what stands there is often an example.
    Random(Class, usize, usize),
    /// These bytes and then one of the class, or nothing.
    Opt(&'static str, Class),
    /// These bytes, or nothing.
    Pad(&'static str),
}

/// What may stand next to a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edges {
    /// Anything.
    Free,
    /// No word character before it.
    Left,
    /// No word character on either side.
    Both,
    /// No word character on either side, nor what continues base 64: for a form that a
    /// piece of encoded data can have by chance.
    Apart,
}

/// A published token shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The label of its marker.
    pub kind: &'static str,
    /// What may stand next to it.
    pub edges: Edges,
    /// Runs before the anchor, nearest first.
    pub before: &'static [Part],
    /// The literal by which the scan finds it, in its exact case. One that ends in
    /// `=` is a name and stays in the text.
    pub anchor: &'static str,
    /// What follows the anchor.
    pub after: &'static [Part],
}

impl Shape {
    /// The span of the token whose anchor stands at `at`, if it is one.
    pub(super) fn match_at(&self, text: &[u8], at: usize, runs: &mut Runs) -> Option<Range<usize>> {
        let anchor_end = at + self.anchor.len();
        if text.get(at..anchor_end)? != self.anchor.as_bytes() {
            return None;
        }
        let start = self.before.iter().try_fold(at, |start, part| step_back(text, start, *part))?;
        let end = self.after.iter().try_fold(anchor_end, |end, part| step(text, end, *part, runs))?;
        let clear = match self.edges {
            Edges::Free => self.anchor.len() > SHORT_ANCHOR || !is_in_data(text, start..end),
            Edges::Left => left_is_clear(text, start),
            Edges::Both => left_is_clear(text, start) && !text.get(end).is_some_and(|&byte| is_word(byte)),
            Edges::Apart => is_apart(text, start..end),
        };
        let body = if self.before.is_empty() { &text[anchor_end..end] } else { &text[start..at] };
        let named = self.anchor.ends_with('=');
        (clear && !is_filler(body)).then_some(if named { anchor_end } else { start }..end)
    }
}

fn step(text: &[u8], at: usize, part: Part, runs: &mut Runs) -> Option<usize> {
    match part {
        Part::Lit(literal) => text[at..].starts_with(literal.as_bytes()).then(|| at + literal.len()),
        Part::Run(class, least, most) => {
            let end = if most <= 512 { short_run(text, at, class, most) } else { runs.end(text, at, class) };
            (end - at >= least).then_some(end)
        }
        Part::Random(class, least, most) => {
            let end = step(text, at, Part::Run(class, least, most), runs)?;
            std::str::from_utf8(&text[at..end]).is_ok_and(value::is_random).then_some(end)
        }
        Part::Pad(literal) => Some(if text[at..].starts_with(literal.as_bytes()) { at + literal.len() } else { at }),
        Part::Opt(literal, class) => {
            let end = at + literal.len();
            let there =
                text[at..].starts_with(literal.as_bytes()) && text.get(end).is_some_and(|&byte| class.has(byte));
            Some(if there { end + 1 } else { at })
        }
    }
}

fn short_run(text: &[u8], at: usize, class: Class, most: usize) -> usize {
    at + text[at..].iter().take(most).take_while(|&&byte| class.has(byte)).count()
}

fn step_back(text: &[u8], at: usize, part: Part) -> Option<usize> {
    let Part::Run(class, least, most) = part else { return None };
    let length = text[..at].iter().rev().take(most).take_while(|&&byte| class.has(byte)).count();
    (length >= least).then(|| at - length)
}

/// Whether a token may begin here: after no word character, or right after the
/// escape (`\n`, `%3D`) that a string or a URL puts in front of it.
fn left_is_clear(text: &[u8], at: usize) -> bool {
    match &text[..at] {
        [] => true,
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [.., last] => !is_word(*last),
    }
}

/// An anchor of so few letters turns up in encoded data by chance.
const SHORT_ANCHOR: usize = 4;
/// A line of base 64 next to a token that makes it a piece of data, in bytes.
const DATA: usize = 100;

/// Whether a long run of base 64 goes on before or after a token.
fn is_in_data(text: &[u8], token: Range<usize>) -> bool {
    let encodes = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    text[..token.start].iter().rev().take(DATA).take_while(encodes).count() == DATA
        || text[token.end..].iter().take(DATA).take_while(encodes).count() == DATA
}

fn is_apart(text: &[u8], token: Range<usize>) -> bool {
    let before = token.start.checked_sub(1).map(|at| text[at]);
    let after = text.get(token.end).copied();
    left_is_clear(text, token.start)
        && before != Some(b'+')
        && !after.is_some_and(|byte| is_word(byte) || matches!(byte, b'+' | b'/' | b'='))
}

/// Letters, digits, `_`.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A body that only fills the place of a token: three or fewer different characters.
fn is_filler(body: &[u8]) -> bool {
    let mut seen: [u8; 3] = [0; 3];
    let mut count = 0;
    for &byte in body {
        if seen[..count].contains(&byte) {
            continue;
        }
        if count == seen.len() {
            return false;
        }
        seen[count] = byte;
        count += 1;
    }
    !body.is_empty()
}
