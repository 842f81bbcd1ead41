//! Values behind a key, in the many ways in which languages put a value behind a key.
//!
//! A string behind an assignment is a literal and judged as such. Without quotes a
//! right-hand side is an expression, so only lines of settings, options of commands,
//! queries and connection strings are looked at, and only for values that no
//! expression looks like.

use super::key::{self, Class, Says};
use super::kinds::SECRET;
use super::line::{self, line_before};
use super::literal::{self, skip_blanks};
use super::runs::Runs;
use super::setting::{bare, cut, line_is_over, next_assignment, trimmed};
use super::value::{self, Place};
use super::{Edit, block};
use std::borrow::Cow;
use std::ops::Range;

/// How the value hangs on the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// `=`, `:=`, `?=`, `||=`, `??=`.
    Equals,
    /// `:`.
    Colon,
    /// `=>`.
    Rocket,
    /// `||`, `??`, `or`, `,`, `(` of a setter: may well be no assignment.
    Loose,
    /// Only white space.
    Space,
    /// `<key>`.
    Element,
}

/// What stands behind a key: the pieces of one value, in order, at most one a line.
pub(super) struct Slot {
    pieces: Vec<Range<usize>>,
    place: Place,
    /// Whether a colon stands before it.
    colon: bool,
    /// Whether only blanks stand before it.
    beside: bool,
}

impl Slot {
    pub(super) fn new(pieces: Vec<Range<usize>>, place: Place) -> Self {
        Self { pieces, place, colon: false, beside: false }
    }

    pub(super) fn word(span: Range<usize>, place: Place) -> Self {
        Self::new(vec![span], place)
    }

    /// The value as the program sees it, without the quotes and line ends inside.
    fn value<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.pieces.as_slice() {
            [span] => Cow::Borrowed(&text[span.clone()]),
            pieces => Cow::Owned(pieces.iter().map(|span| &text[span.clone()]).collect()),
        }
    }

    /// How many of the pieces hold the secret, from the first one on.
    fn secret_pieces(&self, text: &str, says: Says) -> Option<usize> {
        let place = self.place_under(says);
        if self.is_prose(text, says) {
            return None;
        }
        if value::is_secret(&self.value(text), says, place) {
            return Some(self.pieces.len());
        }
        let first = &text[self.pieces[0].clone()];
        (self.pieces.len() > 1 && value::is_secret(first, says, place)).then_some(1)
    }

    fn length(&self) -> usize {
        self.pieces.iter().map(ExactSizeIterator::len).sum()
    }

    /// A word and a string next to each other are mostly prose.
    fn is_prose(&self, text: &str, says: Says) -> bool {
        self.beside && says.class == Class::Token && !value::is_random(&self.value(text))
    }

    /// Behind a colon a bare `token` is more often the token of a grammar than of a service.
    fn place_under(&self, says: Says) -> Place {
        let grammar = self.colon && self.place == Place::Literal && says.class == Class::Token;
        if grammar { Place::LooseLiteral } else { self.place }
    }
}

/// The edits for the keys found at these anchors, in order.
pub(super) fn edits(text: &str, anchors: &[Range<usize>], runs: &mut Runs) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut done = 0;
    for anchor in anchors {
        if anchor.start < done {
            continue;
        }
        let Some(name) = name_at(text, anchor) else { continue };
        done = name.end;
        let Some(slot) = slot(text, &name, runs).filter(|slot| slot.length() >= value::SHORTEST) else { continue };
        let Some(says) = says(text, &name, anchor) else { continue };
        if slot.value(text).eq_ignore_ascii_case(&text[name.clone()]) {
            continue;
        }
        if let Some(count) = slot.secret_pieces(text, says) {
            done = slot.pieces[count - 1].end;
            let pieces = slot.pieces.into_iter().take(count).enumerate();
            let pieces = pieces.filter(|(index, span)| *index == 0 || !span.is_empty());
            edits.extend(pieces.map(|(index, span)| Edit { span, label: (index == 0).then_some(SECRET) }));
        }
    }
    edits
}

fn name_at(text: &str, anchor: &Range<usize>) -> Option<Range<usize>> {
    if text.as_bytes()[anchor.clone()].contains(&b' ') {
        return Some(anchor.clone());
    }
    let name = key::identifier(text.as_bytes(), anchor.clone())?;
    may_be_key(text.as_bytes(), name.end).then_some(name)
}

/// The cheap question first: most words are followed by nothing of interest.
fn may_be_key(bytes: &[u8], end: usize) -> bool {
    bytes.get(end).is_some_and(|byte| b" \t\r\n=:\"'`\\])[?,(>|*!{".contains(byte))
}

fn says(text: &str, name: &Range<usize>, anchor: &Range<usize>) -> Option<Says> {
    if name == anchor && text.as_bytes()[name.clone()].contains(&b' ') {
        return Some(Says { class: Class::Password, doubtful: false });
    }
    let says = key::judge(text.get(name.clone())?)?;
    Some(Says { doubtful: says.doubtful || is_label(text, name), ..says })
}

/// `"Wrong password": "…"`: a name that ends a quoted text of several words is a message.
fn is_label(text: &str, name: &Range<usize>) -> bool {
    let closed = matches!(text.as_bytes().get(name.end), Some(b'"' | b'\''));
    closed && text[..name.start].ends_with(' ')
}

fn slot(text: &str, name: &Range<usize>, runs: &mut Runs) -> Option<Slot> {
    let bytes = text.as_bytes();
    let closed = skip_closers(bytes, name.end);
    if closed > name.end
        && let Some(slot) = named_value(text, closed, runs)
    {
        return Some(slot);
    }
    let listed = is_listed(text, name.start);
    if listed && let Some(slot) = named_word(text, closed, runs) {
        return Some(slot);
    }
    if matches!(bytes.get(closed), Some(b'\r' | b'\n')) {
        return if listed { named_value(text, closed, runs) } else { None };
    }
    let at = skip_blanks(bytes, closed);
    let (joint, after) = joint(bytes, name, closed, at)?;
    match joint {
        Joint::Element => element(text, after),
        Joint::Space => spaced(text, name, after, runs),
        Joint::Loose => literal::after(text, after, false, runs).map(|pieces| Slot::new(pieces, Place::LooseLiteral)),
        Joint::Rocket => literal::after(text, after, true, runs).map(|pieces| Slot::new(pieces, Place::Literal)),
        Joint::Colon => {
            let mut typed = || annotated(text, after).and_then(|equals| literal::after(text, equals, true, runs));
            typed()
                .or_else(|| literal::after(text, after, true, runs))
                .map(|pieces| Slot { colon: true, ..Slot::new(pieces, Place::Literal) })
                .or_else(|| below(text, name, after, runs))
                .or_else(|| bare(text, name, closed, joint, after, runs))
        }
        Joint::Equals => literal::after(text, after, true, runs)
            .map(|pieces| Slot::new(pieces, Place::Literal))
            .or_else(|| bare(text, name, closed, joint, after, runs)),
    }
}

fn below(text: &str, name: &Range<usize>, after: usize, runs: &mut Runs) -> Option<Slot> {
    let scalar = block::scalar(text, name, after, runs)?;
    Some(Slot::new(scalar.pieces, if scalar.marked { Place::Literal } else { Place::Bare }))
}

/// What may stand between a name and its operator: the quote or `**` that closes it, `!`, `]`, `)`, an array bound.
fn skip_closers(bytes: &[u8], mut at: usize) -> usize {
    if bytes.get(at) == Some(&b'\\') && matches!(bytes.get(at + 1), Some(b'"' | b'\'')) {
        at += 2;
    } else if matches!(bytes.get(at), Some(b'"' | b'\'' | b'`')) {
        at += 1;
    }
    if bytes[at..].starts_with(line::BOLD.as_bytes()) {
        at += line::BOLD.len();
    }
    if bytes.get(at) == Some(&b'!') && matches!(bytes.get(at + 1), Some(b' ' | b':')) {
        at += 1;
    }
    if bytes.get(at) == Some(&b'[') {
        let digits = bytes[at + 1..].iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
        if bytes.get(at + 1 + digits) == Some(&b']') {
            at += digits + 2;
        }
    }
    while matches!(bytes.get(at), Some(b']' | b')')) {
        at += 1;
    }
    if bytes.get(at) == Some(&b'?') && bytes.get(at + 1) == Some(&b':') {
        at += 1;
    }
    at
}

fn joint(bytes: &[u8], name: &Range<usize>, closed: usize, at: usize) -> Option<(Joint, usize)> {
    let rest = &bytes[at..];
    let quoted = closed > name.end;
    let called = quoted && bytes[closed - 1] == b')';
    let chosen = quoted && bytes[..name.start.saturating_sub(1)].trim_ascii_end().ends_with(b"?");
    let found = match rest {
        [b'=', b'>', ..] | [b':', ..] if called => return None,
        [b':', ..] if chosen => return None,
        [b'=', b'>', ..] => (Joint::Rocket, 2),
        [b'=', b'=' | b'~', ..] | [b':', b':', ..] => return None,
        [b'=', ..] => (Joint::Equals, 1),
        [b':', b'=', ..] | [b'?', b'=', ..] => (Joint::Equals, 2),
        [b'|', b'|', b'=', ..] | [b'?', b'?', b'=', ..] => (Joint::Equals, 3),
        [b'|', b'|', ..] | [b'?', b'?', ..] => (Joint::Loose, 2),
        [b'o', b'r', b' ', ..] if at > closed => (Joint::Loose, 3),
        [b':', ..] => (Joint::Colon, 1),
        [b',', ..] if quoted && is_argument(bytes, name.start) => (Joint::Loose, 1),
        [b'(', ..] if at == name.end && is_setter(bytes, name) => (Joint::Loose, 1),
        [b'>', ..] if at == name.end && is_tag(bytes, name.start) => (Joint::Element, 1),
        [b'>', ..] if quoted && names_element(bytes, name.start) => (Joint::Element, 1),
        [b'{', ..] if at == name.end => (Joint::Loose, 0),
        _ if at > closed && !quoted => (Joint::Space, 0),
        _ => return None,
    };
    Some((found.0, at + found.1))
}

/// `.password(`, `setPassword(`, `with_token(`: calls that take the value.
fn is_setter(bytes: &[u8], name: &Range<usize>) -> bool {
    let word = &bytes[name.clone()];
    let setting = ["set", "with", "Set", "With", "put", "add"].iter().any(|verb| word.starts_with(verb.as_bytes()));
    setting || name.start.checked_sub(1).is_some_and(|at| bytes[at] == b'.')
}

/// Whether the quoted name opens an argument list or a tuple, as against a list of names.
fn is_argument(bytes: &[u8], start: usize) -> bool {
    let start = path_start(bytes, start);
    let quoted = matches!(bytes[..start], [.., b'(' | b'{', b'"' | b'\'' | b'`']);
    let blank = matches!(bytes[..start], [.., b'(' | b'{', b' ', b'"' | b'\'' | b'`']);
    quoted || blank
}

/// Where the dotted path begins that ends in the name at `start`: `db.` of `db.password`.
pub(super) fn path_start(bytes: &[u8], start: usize) -> usize {
    if bytes[..start].last() != Some(&b'.') {
        return start;
    }
    let path = bytes[..start].iter().rev().take(key::LONGEST);
    start - path.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')).count()
}

/// `<entry key="password">`, `<property name="db.password">`: the name of what the element holds.
fn names_element(bytes: &[u8], start: usize) -> bool {
    let before = &bytes[..path_start(bytes, start)];
    let quoted = before.strip_suffix(b"\"").or(before.strip_suffix(b"'")).unwrap_or_default();
    [&b" key="[..], b" name="].iter().any(|attribute| quoted.ends_with(attribute))
}

fn is_tag(bytes: &[u8], start: usize) -> bool {
    let before = bytes[..start]
        .iter()
        .rev()
        .take(40)
        .find(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'.' | b'-' | b'_')));
    before == Some(&b'<')
}

fn element(text: &str, at: usize) -> Option<Slot> {
    let rest = &text.as_bytes()[at..];
    let length = rest.iter().take(400).position(|byte| matches!(byte, b'<' | b'\n' | b'>' | b'{'))?;
    rest[length..].starts_with(b"</").then_some(Slot::word(at..at + length, Place::Literal))
}

/// `name: DB_PASSWORD` with `value: …` next to it, as in manifests and XML attributes.
fn named_value(text: &str, at: usize, runs: &mut Runs) -> Option<Slot> {
    value_word(text.as_bytes(), at)
        .and_then(|after| literal::after(text, after, false, runs))
        .map(|pieces| Slot::new(pieces, Place::Literal))
}

/// Whether a name stands behind `name:` or `key:`, as in the lists of manifests.
fn is_listed(text: &str, start: usize) -> bool {
    let before = line_before(text, start).unwrap_or_default().trim_end_matches(['"', '\'']);
    before.ends_with("name: ") || before.ends_with("key: ")
}

/// `value: …` without quotes on the line below, which holds nothing else.
fn named_word(text: &str, closed: usize, runs: &mut Runs) -> Option<Slot> {
    let bytes = text.as_bytes();
    let end = skip_blanks(bytes, closed);
    if !matches!(bytes.get(end), Some(b'\r' | b'\n')) {
        return None;
    }
    let after = value_word(bytes, closed).filter(|&after| bytes[after - 1] == b':')?;
    let start = skip_blanks(bytes, after);
    if matches!(bytes.get(start), Some(b'"' | b'\'')) {
        return None;
    }
    let run = start..runs.blank(bytes, start);
    let span = trimmed(text, run.clone());
    line_is_over(text, Joint::Colon, span.end, run.end, runs).then(|| Slot::word(span, Place::Bare))
}

fn value_word(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = skip_blanks(bytes, at);
    if bytes.get(at) == Some(&b',') {
        at = skip_blanks(bytes, at + 1);
    }
    at = literal::skip_line_end(bytes, at);
    if matches!(bytes.get(at), Some(b'"' | b'\'')) {
        at += 1;
    }
    let word = bytes.get(at..at + 5)?;
    if !word.eq_ignore_ascii_case(b"value") {
        return None;
    }
    at += 5;
    if matches!(bytes.get(at), Some(b'"' | b'\'')) {
        at += 1;
    }
    at = skip_blanks(bytes, at);
    matches!(bytes.get(at), Some(b'=' | b':')).then_some(at + 1)
}

/// The place after the `=` of `key: Type = …`.
fn annotated(text: &str, at: usize) -> Option<usize> {
    let rest = &text.as_bytes()[at..];
    let length = rest.iter().take(80).position(|&byte| {
        !(byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'_' | b'&' | b'\'' | b'<' | b'>' | b'[' | b']' | b'|' | b'.' | b'?' | b'*' | b':' | b' '
            ))
    })?;
    let typed = rest[..length].iter().any(u8::is_ascii_alphabetic);
    let equals = rest[length] == b'=' && !matches!(rest.get(length + 1), Some(b'=' | b'>'));
    let apart = rest[..length].last().is_some_and(|last| matches!(last, b' ' | b'>' | b']'));
    let plain = rest[..length].iter().all(u8::is_ascii_alphanumeric);
    (typed && equals && (apart || plain)).then_some(at + length + 1)
}

/// Values after white space: declarations with a type, `#define`, SQL, `ENV`, options.
fn spaced(text: &str, name: &Range<usize>, at: usize, runs: &mut Runs) -> Option<Slot> {
    let bytes = text.as_bytes();
    if let Some(slot) = following_value(text, name, at, runs) {
        return Some(slot);
    }
    let before = line_before(text, name.start);
    if let Some(equals) = declared(bytes, at) {
        return literal::after(text, equals, true, runs).map(|pieces| Slot::new(pieces, Place::Literal));
    }
    let define = before.is_some_and(|before| matches!(before.trim(), "#define" | "# define" | "define" | "ENV"));
    let grouped = define && bytes.get(at) == Some(&b'(');
    if grouped || matches!(bytes.get(at), Some(b'"' | b'\'' | b'N' | b'@')) {
        let place = if define || bytes[name.clone()].contains(&b' ') { Place::Literal } else { Place::LooseLiteral };
        return literal::after(text, at, false, runs)
            .map(|pieces| Slot { beside: !define, ..Slot::new(pieces, place) });
    }
    if names_login(text, name, before) {
        return Some(Slot::word(at..runs.blank(bytes, at), Place::Literal));
    }
    let option = name.start >= 2 && &bytes[name.start - 2..name.start] == b"--";
    let docker = before.is_some_and(|before| before.trim() == "ENV");
    if !(option || docker) {
        return None;
    }
    let run = at..runs.blank(bytes, at);
    let run = run.start..next_assignment(bytes, run.start..run.end.min(at + 4096)).unwrap_or(run.end);
    if bytes[run.clone()].starts_with(b"--") {
        return None;
    }
    let end = cut(bytes, run, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'<'));
    Some(Slot::word(trimmed(text, at..end), Place::Bare))
}

/// Whether a name stands where a `.netrc` has it: after `login NAME`, on its line or the one before.
fn names_login(text: &str, name: &Range<usize>, before: Option<&str>) -> bool {
    let Some(before) = before.filter(|_| &text[name.clone()] == "password") else { return false };
    let line = if before.trim().is_empty() {
        let end = name.start - before.len();
        end.checked_sub(1).and_then(|end| line_before(text, end)).unwrap_or_default()
    } else {
        before
    };
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    matches!(words.as_slice(), ["login", _] | ["machine", _, "login", _] | ["default", "login", _])
}

/// `- name: DB_PASSWORD`, newline, `value: …`.
fn following_value(text: &str, name: &Range<usize>, at: usize, runs: &mut Runs) -> Option<Slot> {
    (at > name.end).then(|| named_value(text, at, runs)).flatten()
}

/// The place after the `=` of `key type = …`.
fn declared(bytes: &[u8], at: usize) -> Option<usize> {
    let word = bytes[at..]
        .iter()
        .take(24)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'*' | b'.' | b'[' | b']'))
        .count();
    let equals = skip_blanks(bytes, at + word);
    (word > 0
        && equals > at + word
        && bytes.get(equals) == Some(&b'=')
        && !matches!(bytes.get(equals + 1), Some(b'=' | b'>' | b'~')))
    .then_some(equals + 1)
}
