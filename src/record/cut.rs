//! Cuts a stretch of text into pieces at the places a reader would choose.

use super::Span;
use super::boundary::floor;

/// What counts as a good place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Blank lines, best before a line that is not indented.
    Code,
    /// Headings first (`#`, underlined, `[section]`), then blank lines.
    Prose,
    /// Headings and the keys or elements nearest to the margin, then deeper ones.
    Data,
}

/// Extensions of files whose indentation is their structure.
const DATA: [&str; 21] = [
    "cfg",
    "conf",
    "csproj",
    "css",
    "graphql",
    "hcl",
    "ini",
    "json",
    "json5",
    "jsonc",
    "plist",
    "properties",
    "proto",
    "svg",
    "tf",
    "toml",
    "xml",
    "xsd",
    "yaml",
    "yml",
    "ui",
];

impl Style {
    /// How a file of no pack is cut, by its name.
    pub(super) fn of_text(file_name: &[u8]) -> Self {
        let extension = file_name.iter().rposition(|byte| *byte == b'.').map(|dot| &file_name[dot + 1..]);
        let is_data = |extension: &[u8]| DATA.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(extension));
        if extension.is_some_and(is_data) { Self::Data } else { Self::Prose }
    }
}

/// How large pieces become, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// What a piece should come to.
    pub(super) target: u32,
    /// What it never exceeds.
    pub(super) budget: u32,
}

/// How good a place to cut the start of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Line,
    /// A line of data with so many levels below it, of those that count.
    Level(u8),
    Blank,
    Margin,
    Heading,
}

/// Levels of indentation that are told apart.
const LEVELS: u8 = 4;

/// Cuts `span` into pieces that cover it without a gap, none larger than the budget.
pub(super) fn cut(text: &str, span: Span, sizes: Sizes, style: Style) -> Vec<Span> {
    let breaks = breaks(text, span, style);
    let mut pieces = Vec::new();
    let mut start = span.start;
    let mut next = 0;
    while start < span.end {
        while breaks.get(next).is_some_and(|(at, _)| *at <= start) {
            next += 1;
        }
        let end = piece_end(text, Span::new(start, span.end), &breaks[next..], sizes);
        pieces.push(Span::new(start, end));
        start = end;
    }
    pieces
}

/// Where a piece that begins at `rest.start` ends.
fn piece_end(text: &str, rest: Span, breaks: &[(u32, Strength)], sizes: Sizes) -> u32 {
    let mut best: Option<(Strength, u32)> = None;
    let mut last_line = None;
    for &(at, strength) in breaks {
        let size = at - rest.start;
        if size > sizes.target && best.is_some() {
            break;
        }
        if size > sizes.budget {
            break;
        }
        if strength == Strength::Heading && size >= sizes.target / 4 {
            return at;
        }
        if strength > Strength::Line && size > sizes.target {
            return at;
        }
        if strength > Strength::Line && size >= sizes.target / 4 {
            best = best.max(Some((strength, at)));
        }
        last_line = Some(at);
    }
    let size = rest.len();
    match best {
        _ if size <= sizes.target => rest.end,
        Some((_, at)) => at,
        None if size <= sizes.budget => rest.end,
        None => last_line.unwrap_or_else(|| {
            let width = floor(text, (rest.start + sizes.budget) as usize) as u32;
            if width > rest.start { width } else { rest.end }
        }),
    }
}

/// The starts of the lines inside `span` but its first, with their strengths.
fn breaks(text: &str, span: Span, style: Style) -> Vec<(u32, Strength)> {
    let mut lines = Lines { rest: span.of(text).unwrap_or_default(), at: span.start }.peekable();
    let mut found = Vec::new();
    let mut before_blank = false;
    let mut fenced = false;
    let levels = if style == Style::Data { levels(span.of(text).unwrap_or_default()) } else { Vec::new() };
    while let Some((at, line)) = lines.next() {
        let blank = line.trim().is_empty();
        let following = lines.peek().map_or("", |(_, line)| line);
        let opens = style == Style::Prose && is_fence(line);
        if at > span.start {
            let heading = is_heading_of(style, line, following) && !fenced;
            found.push((at, strength(line, blank, before_blank, heading).max(level(&levels, line))));
        }
        fenced ^= opens;
        before_blank = blank;
    }
    found
}

fn is_heading_of(style: Style, line: &str, following: &str) -> bool {
    match style {
        Style::Code => false,
        Style::Prose => is_heading(line, following),
        Style::Data => is_section(line.trim_end()),
    }
}

/// The widths of indentation nearest to the margin, of lines that begin something.
fn levels(text: &str) -> Vec<usize> {
    let mut widths: Vec<usize> = text.lines().filter(|line| begins_entry(line)).map(indentation).collect();
    widths.sort_unstable();
    widths.dedup();
    widths.truncate(LEVELS as usize);
    widths
}

fn level(levels: &[usize], line: &str) -> Strength {
    let at = levels.iter().position(|width| *width == indentation(line)).filter(|_| begins_entry(line));
    at.map_or(Strength::Line, |at| Strength::Level(LEVELS - at as u8))
}

/// Whether a line begins an entry of data: not blank, and not the end of one.
fn begins_entry(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(|c: char| !is_closing(c)) && !line.starts_with("</")
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn strength(line: &str, blank: bool, before_blank: bool, heading: bool) -> Strength {
    if heading {
        Strength::Heading
    } else if blank || !before_blank {
        Strength::Line
    } else if line.starts_with(|c: char| !c.is_whitespace() && !is_closing(c)) {
        Strength::Margin
    } else {
        Strength::Blank
    }
}

fn is_closing(c: char) -> bool {
    matches!(c, '}' | ')' | ']')
}

struct Lines<'a> {
    rest: &'a str,
    at: u32,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (u32, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.find('\n').map_or(self.rest.len(), |newline| newline + 1);
        let (line, rest) = self.rest.split_at(end);
        let at = self.at;
        self.rest = rest;
        self.at += end as u32;
        Some((at, line))
    }
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn is_heading(line: &str, following: &str) -> bool {
    let line = line.trim_end();
    let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&hashes) {
        return line[hashes..].starts_with(' ');
    }
    is_section(line) || (line.starts_with(|c: char| !c.is_whitespace()) && is_underline(following))
}

/// `[name]` or `[[name]]` alone on a line.
fn is_section(line: &str) -> bool {
    let inside = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inside.is_some_and(|inside| {
        !inside.is_empty() && inside.chars().all(|c| c.is_alphanumeric() || " ._-[]\"'".contains(c))
    })
}

fn is_underline(line: &str) -> bool {
    let line = line.trim_end();
    let mut bytes = line.bytes();
    bytes.next().is_some_and(|first| b"=-~^".contains(&first) && line.len() >= 3 && bytes.all(|byte| byte == first))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes { target: 40, budget: 80 };

    fn check(text: &str, style: Style, expected: &[&str]) {
        let pieces = cut(text, Span::new(0, text.len() as u32), SIZES, style);
        let pieces: Vec<&str> = pieces.iter().map(|piece| piece.of(text).unwrap()).collect();
        assert_eq!(pieces, expected);
    }

    #[test]
    fn small_paragraphs_stay_together() {
        check("one\n\ntwo\n\nthree\n", Style::Code, &["one\n\ntwo\n\nthree\n"]);
    }

    #[test]
    fn the_strongest_place_wins_over_the_latest() {
        let text = "fn a() {\n    one\n}\n\nfn b() {\n\n    two three four five six\n}\n";
        check(text, Style::Code, &["fn a() {\n    one\n}\n\n", "fn b() {\n\n    two three four five six\n}\n"]);
    }

    #[test]
    fn headings_begin_pieces() {
        let text = "# One\nwords words\n# Two\nmore words\n\nThree\n=====\nlast\n";
        check(text, Style::Prose, &["# One\nwords words\n", "# Two\nmore words\n\n", "Three\n=====\nlast\n"]);
        check(
            "[package]\nname = 1\n\n[dependencies]\nx = 1\n",
            Style::Prose,
            &["[package]\nname = 1\n\n", "[dependencies]\nx = 1\n"],
        );
    }

    #[test]
    fn data_is_cut_at_its_structure() {
        check(
            "{\n  \"o\": {\n    \"a\": 1,\n    \"b\": 2\n  },\n  \"two\": {\n    \"c\": 3\n  }\n}\n",
            Style::Data,
            &["{\n  \"o\": {\n    \"a\": 1,\n    \"b\": 2\n  },\n", "  \"two\": {\n    \"c\": 3\n  }\n}\n"],
        );
        check(
            "one:\n  - first item\n  - second item\ntwo:\n  - third\n\n  - fourth\n",
            Style::Data,
            &["one:\n  - first item\n  - second item\n", "two:\n  - third\n\n  - fourth\n"],
        );
    }

    #[test]
    fn a_comment_in_a_fence_is_no_heading() {
        let text = "intro words\n```\nls\n# comment\n```\n";
        check(text, Style::Prose, &[text]);
    }

    #[test]
    fn long_paragraphs_end_at_lines_and_long_lines_at_characters() {
        let line = "0123456789012345678901234\n";
        check(&line.repeat(4), Style::Code, &[&line.repeat(3), line]);
        let wide = "é".repeat(45);
        check(&wide, Style::Prose, &[&"é".repeat(40), &"é".repeat(5)]);
    }
}
