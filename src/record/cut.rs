//! Cuts a stretch of text into pieces at the places a reader would choose.

use super::Span;
use super::boundary::floor;

/// What counts as a good place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Blank lines, best before the line that is indented least.
    Code,
    /// Headings first (`#`, underlined, `[section]`), then blank lines.
    Prose,
    /// Headings and the keys or elements nearest to the margin, then deeper ones.
    Data,
}

/// Extensions of files whose indentation is their structure.
const DATA: [&str; 27] = [
    "cfg",
    "conf",
    "csproj",
    "css",
    "desktop",
    "editorconfig",
    "gitconfig",
    "gitmodules",
    "graphql",
    "hcl",
    "ini",
    "ipynb",
    "json",
    "json5",
    "jsonc",
    "plist",
    "properties",
    "proto",
    "service",
    "svg",
    "tf",
    "toml",
    "xml",
    "xsd",
    "yaml",
    "yml",
    "ui",
];

/// Extensions of files in which `# words` is a heading; in others it is a comment.
const PROSE: [&str; 15] = [
    "adoc", "asciidoc", "markdown", "md", "mdown", "mdx", "mkd", "org", "qmd", "rest", "rmd", "rst", "text", "textile",
    "txt",
];

/// Names of files that hold commands or rules, though their extension, or that they have none, says prose.
const SCRIPTS: [&str; 11] = [
    "APKBUILD",
    "CMakeLists.txt",
    "Caddyfile",
    "Containerfile",
    "Dockerfile",
    "GNUmakefile",
    "Jenkinsfile",
    "Justfile",
    "Kconfig",
    "Makefile",
    "PKGBUILD",
];

impl Style {
    /// How a file of no pack is cut, by its name and how it begins.
    pub(super) fn of_text(file_name: &[u8], text: &str) -> Self {
        let is_of = |names: &[&str], name: &[u8]| names.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name));
        if is_of(&SCRIPTS, file_name) {
            return Self::Code;
        }
        match file_name.iter().rposition(|byte| *byte == b'.') {
            Some(dot) if is_of(&DATA, &file_name[dot + 1..]) => Self::Data,
            Some(dot) if is_of(&PROSE, &file_name[dot + 1..]) => Self::Prose,
            None if !text.starts_with("#!") => Self::Prose,
            _ => Self::Code,
        }
    }

    /// How many levels of indentation are told apart: of data, only those near the margin count.
    fn levels(self) -> usize {
        if self == Self::Data { 4 } else { 16 }
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

/// How good a place to cut the start of a line is. The numbers say how near the line
/// is to the margin, of the levels that are told apart; 0 is deeper, or the end of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    /// A place only where there is no better one.
    Line(u8),
    /// A line of data.
    Level(u8),
    /// After a blank line.
    Blank(u8),
    /// After a blank line, not indented.
    Margin,
    Heading,
}

impl Strength {
    fn is_good(self) -> bool {
        !matches!(self, Self::Line(_))
    }
}

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
///
/// What is over the target by a quarter or less stays whole, where cutting it would
/// leave a scrap: less than a third of the target.
fn piece_end(text: &str, rest: Span, breaks: &[(u32, Strength)], sizes: Sizes) -> u32 {
    let most = (sizes.target + sizes.target / 4).min(sizes.budget);
    let mut best: Option<(Strength, u32)> = None;
    let mut line: Option<(Strength, u32)> = None;
    for &(at, strength) in breaks {
        let size = at - rest.start;
        if size > sizes.budget || (size > sizes.target && best.is_some()) {
            break;
        }
        if strength == Strength::Heading && size >= sizes.target / 4 {
            return at;
        }
        if strength.is_good() && size > sizes.target && rest.len() > most {
            return at;
        }
        if strength.is_good() && size >= sizes.target / 4 {
            best = best.max(Some((strength, at)));
        }
        line = if size < sizes.budget / 2 { Some((strength, at)) } else { line.max(Some((strength, at))) };
    }
    match best {
        _ if rest.len() <= sizes.target => rest.end,
        Some((_, at)) if rest.len() <= most && rest.end - at < sizes.target / 3 => rest.end,
        Some((_, at)) => at,
        None if rest.len() <= sizes.budget => rest.end,
        None => line.map_or_else(
            || {
                let width = floor(text, (rest.start + sizes.budget) as usize) as u32;
                if width > rest.start { width } else { rest.end }
            },
            |(_, at)| at,
        ),
    }
}

/// The starts of the lines inside `span` but its first, with their strengths.
fn breaks(text: &str, span: Span, style: Style) -> Vec<(u32, Strength)> {
    let stretch = span.of(text).unwrap_or_default();
    let levels = levels(stretch, style);
    let mut lines = Lines { rest: stretch, at: span.start }.peekable();
    let mut found = Vec::new();
    let mut before_blank = false;
    let mut prose = Prose::at(span.start, stretch);
    while let Some((at, line)) = lines.next() {
        let blank = line.trim().is_empty();
        let following = lines.peek().map_or("", |(_, line)| line);
        let heading = (style != Style::Prose || prose.read(line)) && is_heading_of(style, line, following);
        if at > span.start {
            let level = if blank { 0 } else { level(&levels, line) };
            found.push((at, strength(style, line, heading, !blank && before_blank, level)));
        }
        before_blank = blank;
    }
    found
}

/// Where a reader of prose is: headings stand neither in fences nor in the matter before the text.
enum Prose {
    /// In so many lines of what stands between the `---` that a file begins with and the next.
    Front(usize),
    Text,
    Fence,
}

impl Prose {
    fn at(start: u32, stretch: &str) -> Self {
        let is_rule = |line: &str| line.trim_end() == "---";
        let opens = start == 0 && stretch.lines().next().is_some_and(is_rule);
        let closing = if opens { stretch.lines().skip(1).position(is_rule) } else { None };
        closing.map_or(Self::Text, |between| Self::Front(between + 2))
    }

    /// Steps over a line; whether it can be a heading.
    fn read(&mut self, line: &str) -> bool {
        let could = matches!(self, Self::Text);
        *self = match *self {
            Self::Front(lines) if lines > 1 => Self::Front(lines - 1),
            Self::Front(_) => Self::Text,
            Self::Text if is_fence(line) => Self::Fence,
            Self::Fence if is_fence(line) => Self::Text,
            Self::Text => Self::Text,
            Self::Fence => Self::Fence,
        };
        could
    }
}

fn is_heading_of(style: Style, line: &str, following: &str) -> bool {
    match style {
        Style::Code => false,
        Style::Prose => is_heading(line, following),
        Style::Data => is_section(line.trim_end()),
    }
}

/// The widths of indentation nearest to the margin, of lines that begin something.
fn levels(text: &str, style: Style) -> Vec<usize> {
    let mut widths: Vec<usize> = text.lines().filter(|line| begins_entry(line)).map(indentation).collect();
    widths.sort_unstable();
    widths.dedup();
    widths.truncate(style.levels());
    widths
}

/// How near to the margin a line is, of `levels`; 0 where it is deeper or ends something.
fn level(levels: &[usize], line: &str) -> u8 {
    let at = levels.iter().position(|width| *width == indentation(line)).filter(|_| begins_entry(line));
    at.map_or(0, |at| (levels.len() - at) as u8)
}

/// Whether a line begins something: not blank, and not the end of an entry or block.
fn begins_entry(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(|c: char| !is_closing(c)) && !line.starts_with("</")
}

/// The column of the first character that is not white.
fn indentation(line: &str) -> usize {
    let white = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
    white.fold(0, |column, byte| if byte == b'\t' { (column / 8 + 1) * 8 } else { column + 1 })
}

fn strength(style: Style, line: &str, heading: bool, after_blank: bool, level: u8) -> Strength {
    let at_margin = || line.starts_with(|c: char| !c.is_whitespace() && !is_closing(c));
    match heading {
        true => Strength::Heading,
        false if after_blank && at_margin() => Strength::Margin,
        false if after_blank => Strength::Blank(level),
        false if style == Style::Data && level > 0 => Strength::Level(level),
        false => Strength::Line(level),
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
    fn of_places_after_blank_lines_the_nearest_to_the_margin_wins() {
        check(
            "suite {\n  one {\n    a b c\n\n    d\n  }\n\n  two {\n    e f\n\n    g\n  }\n\n  three {\n    h\n  }\n}\n",
            Style::Code,
            &[
                "suite {\n  one {\n    a b c\n\n    d\n  }\n\n",
                "  two {\n    e f\n\n    g\n  }\n\n",
                "  three {\n    h\n  }\n}\n",
            ],
        );
    }

    #[test]
    fn without_blank_lines_a_piece_begins_where_something_does() {
        let text = "f() {\n  if a {\n    first of it\n    more of it\n  }\n  if b {\n    second of it\n    third of it\n    and the rest of it all\n  }\n}\n";
        let at = text.find("  if b").unwrap();
        check(text, Style::Code, &[&text[..at], &text[at..]]);
    }

    #[test]
    fn a_tab_stands_for_its_columns() {
        assert_eq!(["\tx", "        x", "    x", "  \tx", "x"].map(indentation), [8, 8, 4, 8, 0]);
    }

    #[test]
    fn what_is_little_over_the_target_stays_whole() {
        check(&"{\n  \"a\": 1,\n".repeat(4), Style::Data, &[&"{\n  \"a\": 1,\n".repeat(4)]);
        let text = format!("{}\n\nlast\n", "word ".repeat(8));
        check(&text, Style::Code, &[&text]);
    }

    #[test]
    fn hashes_are_headings_in_prose_alone() {
        let text = "#!/bin/sh\n# Check that all is well.\ncheck\n# Check the rest of it.\ncheck\n";
        for (name, head, style) in [
            ("vet.sh", "", Style::Code),
            ("vet", "#!/bin/sh\n", Style::Code),
            ("Makefile", "", Style::Code),
            ("CMakeLists.txt", "", Style::Code),
            (".editorconfig", "", Style::Data),
            ("README", "# Title\n", Style::Prose),
            ("README.MD", "", Style::Prose),
            ("a.json", "", Style::Data),
            ("a.ipynb", "", Style::Data),
            ("a.tcl", "", Style::Code),
        ] {
            assert_eq!(Style::of_text(name.as_bytes(), head), style, "{name}");
        }
        let at = text.find("# Check the").unwrap();
        check(text, Style::Prose, &[&text[..10], &text[10..at], &text[at..]]);
        check(text, Style::Code, &[text]);
    }

    #[test]
    fn what_stands_before_the_text_is_no_heading() {
        let text = "---\n# note\ntitle: words words\nlabels: one\n---\n\nText\n---\nmore words\n";
        let at = text.find("Text").unwrap();
        check(text, Style::Prose, &[&text[..at], &text[at..]]);
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
