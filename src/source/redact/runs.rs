//! Where runs of bytes end, each byte looked at once.
//!
//! Hostile text asks the same question from a million places; the answers of the
//! last scan are kept, so that all of them together cost one walk over the text.

use super::shape::Class;
use std::ops::Range;

/// Answers that hold as long as the text does not change.
#[derive(Debug, Default)]
pub(super) struct Runs {
    classes: [Range<usize>; Class::COUNT],
    blank: Range<usize>,
    line: Range<usize>,
    quotes: [Range<usize>; 3],
}

impl Runs {
    /// The end of the run of `class` that begins at `at`.
    pub(super) fn end(&mut self, text: &[u8], at: usize, class: Class) -> usize {
        extend(&mut self.classes[class as usize], text, at, |byte| !class.has(byte))
    }

    /// The first white space at or after `at`, or the end of the text.
    pub(super) fn blank(&mut self, text: &[u8], at: usize) -> usize {
        extend(&mut self.blank, text, at, |byte| byte.is_ascii_whitespace())
    }

    /// The last byte of the first line end at or after `at` (LF, CRLF or a CR alone), or
    /// the end of the text.
    pub(super) fn line_end(&mut self, text: &[u8], at: usize) -> usize {
        extend_at(&mut self.line, text, at, |at| ends_line(text, at))
    }

    /// The first quote of this sort at or after `at`, or the end of the text.
    pub(super) fn quote(&mut self, text: &[u8], at: usize, quote: u8) -> usize {
        let slot = match quote {
            b'"' => 0,
            b'\'' => 1,
            _ => 2,
        };
        extend(&mut self.quotes[slot], text, at, |byte| byte == quote)
    }
}

/// Whether a line ends with the byte at `at`: a line feed, or a carriage return without one.
pub(super) fn ends_line(text: &[u8], at: usize) -> bool {
    match text[at] {
        b'\n' => true,
        b'\r' => text.get(at + 1) != Some(&b'\n'),
        _ => false,
    }
}

fn extend(known: &mut Range<usize>, text: &[u8], at: usize, stop: impl Fn(u8) -> bool) -> usize {
    extend_at(known, text, at, |at| stop(text[at]))
}

fn extend_at(known: &mut Range<usize>, text: &[u8], at: usize, stop: impl Fn(usize) -> bool) -> usize {
    let at = at.min(text.len());
    if !(known.start <= at && at <= known.end && known.start < known.end) {
        *known = at..(at..text.len()).find(|&at| stop(at)).unwrap_or(text.len());
    }
    known.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_in_one_of_three_ways() {
        let text = b"a\nb\r\nc\rd\r";
        let ends: Vec<usize> = (0..text.len()).filter(|&at| ends_line(text, at)).collect();
        assert_eq!(ends, [1, 4, 6, 8]);
    }

    #[test]
    fn a_kept_answer_is_the_fresh_answer() {
        let text = b"ab cd\nef \"g' h` i\n\r\nk\r\rl\r";
        let mut runs = Runs::default();
        for at in (0..=text.len()).chain((0..=text.len()).rev()) {
            assert_eq!(runs.blank(text, at), Runs::default().blank(text, at));
            assert_eq!(runs.line_end(text, at), Runs::default().line_end(text, at));
            assert_eq!(runs.quote(text, at, b'"'), Runs::default().quote(text, at, b'"'));
            assert_eq!(runs.end(text, at, Class::Alnum), Runs::default().end(text, at, Class::Alnum));
        }
    }
}
