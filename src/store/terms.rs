//! What a word of text is called in the index: text and queries pass through here alike.
//!
//! A *word* is a run of letters, digits and `_`. It gives the terms:
//!
//! * a word of one piece gives itself: `header` → `header`;
//! * a word of several pieces gives the pieces joined, then each piece of two
//!   characters or more: `parseHTTPHeader` → `parsehttpheader`, `parse`, `http`,
//!   `header`. Pieces end at `_`, before a capital that follows a small letter or
//!   digit, and before the last capital of a run that a small letter follows (a
//!   plural `s` does not count: `URLs` is one piece). The joined form drops `_`, so
//!   `parse_http_header` and `parseHTTPHeader` share it;
//! * a piece of three letters or more with digits after them also gives the letters:
//!   `header2` → `header2`, `header`;
//! * scripts written without spaces (Han, kana, Hangul, Thai and neighbours) give each
//!   pair of neighbouring characters, or the character where it stands alone;
//! * every term is lower-cased, Latin letters lose their accents, combining marks are
//!   dropped, and an English plural, `-ing` or `-ed` is taken off (see `stem`).
//!
//! Terms over [`MAX_TERM`] bytes are left out; their pieces stay. Nothing is
//! allocated: terms are handed to a callback out of buffers on the stack.

use super::stem::stem;

/// The longest term, in bytes.
pub const MAX_TERM: usize = 64;

/// The longest word outside ASCII that is analysed, in characters; what follows is cut off.
const MAX_CHARS: usize = 128;

/// How a term relates to the word it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// A word of one piece.
    Word,
    /// The joined form of a word of several pieces.
    Whole,
    /// A piece of a longer word.
    Part,
}

/// A term and where its word stands.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// The term, as the dictionary holds it; always UTF-8.
    pub bytes: &'a [u8],
    /// How it relates to the word.
    pub shape: Shape,
    /// Offset of the word in the text.
    pub start: usize,
    /// Offset just past the word.
    pub end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Lower,
    Upper,
    Digit,
    Underscore,
    Wide,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b'_' => Class::Underscore,
            0x80.. => Class::Wide,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// Hands every term of `text` to `emit`, in order of the text.
pub fn for_each_term(text: &str, mut emit: impl FnMut(Term<'_>)) {
    let bytes = text.as_bytes();
    let mut scratch = Scratch::default();
    let mut at = 0;
    while at < bytes.len() {
        match CLASSES[usize::from(bytes[at])] {
            Class::Other => at += 1,
            Class::Wide => at = wide(text, at, at, &mut scratch, &mut emit),
            _ => {
                let start = at;
                at += 1;
                while at < bytes.len() && CLASSES[usize::from(bytes[at])] == Class::Lower {
                    at += 1;
                }
                // Most words are small letters, the first one perhaps a capital: one piece.
                let one_piece = bytes[start].is_ascii_alphabetic();
                let letters = at;
                while at < bytes.len() && !matches!(CLASSES[usize::from(bytes[at])], Class::Other | Class::Wide) {
                    at += 1;
                }
                if at < bytes.len() && CLASSES[usize::from(bytes[at])] == Class::Wide {
                    at = wide(text, start, at, &mut scratch, &mut emit);
                } else if one_piece && letters == at {
                    scratch.term.clear();
                    scratch.term.extend_lower(&bytes[start..at]);
                    scratch.term.emit(Shape::Word, start, at, &mut emit);
                } else {
                    ascii_word(bytes, start, at, &mut scratch, &mut emit);
                }
            }
        }
    }
}

/// Room for one word, used again for the next.
#[derive(Default)]
struct Scratch {
    term: Buffer,
    pieces: Pieces,
}

/// Analyses the word that starts at `start` and meets a character outside ASCII at
/// `at`; returns the offset to go on from.
fn wide(text: &str, start: usize, at: usize, scratch: &mut Scratch, emit: &mut impl FnMut(Term<'_>)) -> usize {
    let mut end = at;
    for character in text[at..].chars() {
        if is_unspaced(character) || !is_word_character(character) {
            break;
        }
        end += character.len_utf8();
    }
    if end > start {
        wide_word(text, start, end, scratch, emit);
        return end;
    }
    let first = text[at..].chars().next().map_or(1, char::len_utf8);
    if text[at..].starts_with(is_unspaced) { unspaced_run(text, at, emit) } else { at + first }
}

fn is_word_character(character: char) -> bool {
    character == '_' || character.is_alphanumeric() || is_combining(character)
}

fn is_combining(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// Whether `character` belongs to a script that puts no space between words.
fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn unspaced_run(text: &str, start: usize, emit: &mut impl FnMut(Term<'_>)) -> usize {
    let mut previous: Option<usize> = None;
    let mut pairs = 0;
    let mut end = start;
    for character in text[start..].chars() {
        if !is_unspaced(character) {
            break;
        }
        let next = end + character.len_utf8();
        if let Some(before) = previous {
            emit(Term { bytes: &text.as_bytes()[before..next], shape: Shape::Word, start: before, end: next });
            pairs += 1;
        }
        previous = Some(end);
        end = next;
    }
    if pairs == 0 && end > start {
        emit(Term { bytes: &text.as_bytes()[start..end], shape: Shape::Word, start, end });
    }
    end
}

fn ascii_word(text: &[u8], start: usize, end: usize, scratch: &mut Scratch, emit: &mut impl FnMut(Term<'_>)) {
    let word = &text[start..end];
    let Scratch { term, pieces } = scratch;
    cut(word.len(), |at| CLASSES[usize::from(word[at])], pieces);
    let whole = pieces.count > 1;
    term.clear();
    for &(from, to) in pieces.all() {
        term.extend_lower(&word[usize::from(from)..usize::from(to)]);
    }
    term.emit(if whole { Shape::Whole } else { Shape::Word }, start, end, emit);
    for &(from, to) in pieces.all() {
        let piece = &word[usize::from(from)..usize::from(to)];
        if whole && piece.len() > 1 {
            term.clear();
            term.extend_lower(piece);
            term.emit(Shape::Part, start, end, emit);
        }
        let letters = leading_letters(piece);
        if letters > 0 {
            term.clear();
            term.extend_lower(&piece[..letters]);
            term.emit(Shape::Part, start, end, emit);
        }
    }
}

/// How many letters a piece of letters and then digits starts with; 0 for other pieces
/// and for fewer than three letters.
fn leading_letters(piece: &[u8]) -> usize {
    if !piece.last().is_some_and(u8::is_ascii_digit) {
        return 0;
    }
    let letters = piece.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if letters >= 3 && piece[letters..].iter().all(u8::is_ascii_digit) { letters } else { 0 }
}

fn wide_word(text: &str, start: usize, end: usize, scratch: &mut Scratch, emit: &mut impl FnMut(Term<'_>)) {
    let mut characters = ['\0'; MAX_CHARS];
    let mut count = 0;
    for character in text[start..end].chars().filter(|c| !is_combining(*c)).take(MAX_CHARS) {
        characters[count] = character;
        count += 1;
    }
    let class = |at: usize| match characters[at] {
        '_' => Class::Underscore,
        c if c.is_uppercase() => Class::Upper,
        c if c.is_numeric() => Class::Digit,
        _ => Class::Lower,
    };
    let Scratch { term, pieces } = scratch;
    cut(count, class, pieces);
    let whole = pieces.count > 1;
    term.clear();
    for &(from, to) in pieces.all() {
        characters[usize::from(from)..usize::from(to)].iter().for_each(|c| term.push_folded(*c));
    }
    term.emit(if whole { Shape::Whole } else { Shape::Word }, start, end, emit);
    for &(from, to) in pieces.all().iter().filter(|(from, to)| whole && to - from > 1) {
        term.clear();
        characters[usize::from(from)..usize::from(to)].iter().for_each(|c| term.push_folded(*c));
        term.emit(Shape::Part, start, end, emit);
    }
}

/// The pieces of one word as ranges; a word with more pieces keeps the first ones.
#[derive(Default)]
struct Pieces {
    ranges: [(u16, u16); 32],
    count: usize,
}

impl Pieces {
    fn push(&mut self, from: usize, to: usize) {
        if to > from
            && self.count < self.ranges.len()
            && let (Ok(from), Ok(to)) = (u16::try_from(from), u16::try_from(to))
        {
            self.ranges[self.count] = (from, to);
            self.count += 1;
        }
    }

    fn all(&self) -> &[(u16, u16)] {
        &self.ranges[..self.count]
    }
}

/// Cuts a word of `len` characters into pieces.
fn cut(len: usize, class: impl Fn(usize) -> Class, pieces: &mut Pieces) {
    pieces.count = 0;
    let mut from = 0;
    for at in 0..len {
        match class(at) {
            Class::Underscore => {
                pieces.push(from, at);
                from = at + 1;
            }
            Class::Upper if at > from && class(from) != Class::Digit && starts_piece(at, len, &class) => {
                pieces.push(from, at);
                from = at;
            }
            _ => {}
        }
    }
    pieces.push(from, len);
}

/// Whether the capital at `at` begins a piece.
fn starts_piece(at: usize, len: usize, class: &impl Fn(usize) -> Class) -> bool {
    if class(at - 1) != Class::Upper {
        return true;
    }
    let lower = |at: usize| at < len && class(at) == Class::Lower;
    // One small letter after capitals is a plural or an inflection (`URLs`, `IDs`).
    lower(at + 1) && lower(at + 2)
}

/// One term in the making.
struct Buffer {
    bytes: [u8; MAX_TERM],
    len: usize,
    ascii: bool,
    overflow: bool,
}

impl Default for Buffer {
    fn default() -> Self {
        Self { bytes: [0; MAX_TERM], len: 0, ascii: true, overflow: false }
    }
}

impl Buffer {
    fn clear(&mut self) {
        (self.len, self.ascii, self.overflow) = (0, true, false);
    }

    fn extend_lower(&mut self, piece: &[u8]) {
        if self.len + piece.len() > MAX_TERM {
            self.overflow = true;
            return;
        }
        let room = &mut self.bytes[self.len..self.len + piece.len()];
        room.copy_from_slice(piece);
        room.make_ascii_lowercase();
        self.len += piece.len();
    }

    fn push_folded(&mut self, character: char) {
        for lower in unaccented(character).to_lowercase().filter(|c| !is_combining(*c)) {
            let mut encoded = [0; 4];
            let encoded = lower.encode_utf8(&mut encoded);
            self.ascii &= encoded.len() == 1;
            self.extend_lower(encoded.as_bytes());
        }
    }

    fn emit(&mut self, shape: Shape, start: usize, end: usize, emit: &mut impl FnMut(Term<'_>)) {
        if self.overflow || self.len == 0 {
            return;
        }
        let len = if self.ascii { stem(&mut self.bytes[..self.len]) } else { self.len };
        emit(Term { bytes: &self.bytes[..len], shape, start, end });
    }
}

/// The letter without its accent, for Latin-1 and Latin Extended-A; other characters as they are.
fn unaccented(character: char) -> char {
    const BASES: &[u8; 192] = b"AAAAAA?CEEEEIIII?NOOOOO?OUUUUY??aaaaaa?ceeeeiiii?nooooo?ouuuuy?y\
AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIi??JjKk?LlLlLlLlLlNnNnNn???OoOoOo??RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";
    let index = (character as usize).wrapping_sub(0xc0);
    match BASES.get(index) {
        Some(b'?') | None => character,
        Some(&base) => char::from(base),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut found = Vec::new();
        for_each_term(text, |term| {
            assert!(text.is_char_boundary(term.start) && text.is_char_boundary(term.end) && term.start < term.end);
            found.push(String::from_utf8(term.bytes.to_vec()).unwrap());
        });
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn identifiers_whole_and_in_pieces() {
        check("parseHTTPHeader2", "parsehttpheader2 pars http header2 header");
        check("parse_http_header", "parsehttpheader pars http header");
        check("kebab-case", "kebab cas");
        check("__init__", "init");
        check("HTTP URLs of IDs", "http url of id");
        check("utf8Decode sha256 i32", "utf8decode utf8 utf decod sha256 sha i32");
        check("x_y T", "xy t");
        check("1_000 0xFF 3.14", "1000 000 0xff 3 14");
    }

    #[test]
    fn words_of_other_scripts_survive() {
        check("naïve Größe ŁÓDŹ", "naiv große lodz");
        check("cafe\u{301}Bar", "cafebar caf bar");
        check("Привет мир", "привет мир");
        check("全文検索 字", "全文 文検 検索 字");
        check("abc全文x", "abc 全文 x");
        check("→ … «»", "");
    }

    #[test]
    fn long_terms_go_and_their_pieces_stay() {
        check(&"a".repeat(65), "");
        let piece = "bc".repeat(20);
        check(&format!("{piece}_{piece}"), &format!("{piece} {piece}"));
        check(&"é".repeat(500), "");
    }

    #[test]
    fn places_are_those_of_the_word() {
        let mut found = Vec::new();
        for_each_term("a fooBar", |term| found.push((term.shape, term.start, term.end)));
        assert_eq!(found, [(Shape::Word, 0, 1), (Shape::Whole, 2, 8), (Shape::Part, 2, 8), (Shape::Part, 2, 8)]);
    }

    proptest::proptest! {
        #[test]
        fn every_term_is_short_utf8(text in "\\PC{0,80}") {
            for_each_term(&text, |term| {
                assert!(std::str::from_utf8(term.bytes).is_ok());
                assert!(!term.bytes.is_empty() && term.bytes.len() <= MAX_TERM);
            });
        }
    }
}
