//! Code in documents: files of no pack that hold whole scripts between tags.
//!
//! What is told apart is the stretch and the word for its language; whether a pack
//! answers to that word is the caller's question. Samples in prose (the fences of a
//! manual) are no definitions of a project and stay prose.

/// Extensions of documents that hold scripts.
const DOCUMENTS: [&str; 6] = ["astro", "htm", "html", "svelte", "vue", "xhtml"];
/// The word for a script that names no language.
const USUAL: &str = "javascript";
/// Words that a script's `type` or `lang` may say it with, and the language meant.
const TYPES: [(&str, &str); 9] = [
    ("", USUAL),
    ("application/ecmascript", USUAL),
    ("application/javascript", USUAL),
    ("application/x-javascript", USUAL),
    ("babel", USUAL),
    ("module", USUAL),
    ("text/babel", USUAL),
    ("text/ecmascript", USUAL),
    ("text/javascript", USUAL),
];

/// A stretch of a document, and the word for its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch<'a> {
    /// Offset of its first byte.
    pub start: usize,
    /// Offset just past its last byte.
    pub end: usize,
    /// Its language, as the document or custom says it.
    pub language: &'a str,
}

/// The scripts of a document, in order; none in a file that is not a document.
pub fn stretches<'a>(file_name: &[u8], text: &'a str) -> Vec<Stretch<'a>> {
    let name = String::from_utf8_lossy(file_name).to_ascii_lowercase();
    let Some(extension) = name.rsplit_once('.').map(|(_, extension)| extension) else { return Vec::new() };
    if !DOCUMENTS.contains(&extension) {
        return Vec::new();
    }
    let mut found: Vec<Stretch<'a>> = if extension == "astro" { front(text).into_iter().collect() } else { Vec::new() };
    let mut at = found.last().map_or(0, |front| front.end);
    while let Some(script) = next_script(text, at) {
        at = script.after;
        found.extend(script.stretch.filter(|stretch| stretch.start < stretch.end));
    }
    found
}

/// The block between the dashes that such a file begins with.
fn front(text: &str) -> Option<Stretch<'_>> {
    let body = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let start = text.len() - body.len();
    let end = start + body.find("\n---")? + 1;
    Some(Stretch { start, end, language: "typescript" })
}

struct Script<'a> {
    /// Its text, where its language may be one that is known.
    stretch: Option<Stretch<'a>>,
    /// Where to look for the next.
    after: usize,
}

fn next_script(text: &str, from: usize) -> Option<Script<'_>> {
    let open = from + find_tag(&text[from..], "<script")?;
    let close = tag_end(text, open)?;
    let tag = &text[open..close];
    let start = close + 1;
    if tag.ends_with('/') {
        return Some(Script { stretch: None, after: start });
    }
    let end = start + find_tag(&text[start..], "</script")?;
    let stretch = language(tag).map(|language| Stretch { start, end, language });
    Some(Script { stretch, after: end })
}

/// Finds a tag by its lower-case beginning, in any letter case, at the end of a word.
fn find_tag(text: &str, tag: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr_all(bytes, b'<').find(|at| {
        let rest = &bytes[*at..];
        let after = rest.get(tag.len());
        rest.len() >= tag.len()
            && rest[..tag.len()].eq_ignore_ascii_case(tag.as_bytes())
            && after.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')
    })
}

fn memchr_all(bytes: &[u8], byte: u8) -> impl Iterator<Item = usize> {
    bytes.iter().enumerate().filter(move |(_, found)| **found == byte).map(|(at, _)| at)
}

/// Where the tag that begins at `open` ends; quoted attributes may hold a `>`.
fn tag_end(text: &str, open: usize) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// The word for the language of a script; `None` for data and templates.
fn language(tag: &str) -> Option<&str> {
    if let Some(word) = attribute(tag, "lang") {
        return Some(word);
    }
    let kind = attribute(tag, "type").unwrap_or_default();
    let known = TYPES.iter().find(|(name, _)| name.eq_ignore_ascii_case(kind)).map(|(_, language)| *language);
    known.or_else(|| kind.strip_prefix("text/"))
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = tag;
    loop {
        let at = rest.find(name)?;
        let before = rest[..at].chars().next_back();
        rest = &rest[at + name.len()..];
        let Some(value) = rest.trim_start().strip_prefix('=').filter(|_| before.is_some_and(char::is_whitespace))
        else {
            continue;
        };
        let value = value.trim_start();
        return match value.chars().next()? {
            quote @ ('"' | '\'') => value[1..].split(quote).next(),
            _ => value.split(|c: char| c.is_whitespace() || c == '>').next(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, expected: &[(&str, &str)]) {
        let found: Vec<(&str, &str)> = stretches(name.as_bytes(), text)
            .iter()
            .map(|found| (found.language, &text[found.start..found.end]))
            .collect();
        assert_eq!(found, expected, "{name}: {text}");
    }

    #[test]
    fn scripts_say_their_language() {
        check(
            "a.html",
            "<p>x</p><script>a</script><SCRIPT type='module'>b</SCRIPT >",
            &[("javascript", "a"), ("javascript", "b")],
        );
        check("a.vue", "<template/><script setup lang=\"ts\">\na\n</script>\n", &[("ts", "\na\n")]);
        check(
            "a.html",
            "<script type=\"application/json\">{}</script><script type=text/python>b</script>",
            &[("python", "b")],
        );
        check("a.svelte", "<script context=\"a>b\" lang='ts'>c</script>", &[("ts", "c")]);
        check("A.HTML", "<script data-lang='x'>a</script>", &[("javascript", "a")]);
    }

    #[test]
    fn what_is_no_script_is_left_alone() {
        for text in [
            "",
            "<script",
            "<script>",
            "<script src='a'></script>",
            "<scripts>a</scripts>",
            "<script src=a/>b",
            "script",
        ] {
            check("a.html", text, &[]);
        }
        check("a.md", "<script>a</script>", &[]);
        check("html", "<script>a</script>", &[]);
    }

    #[test]
    fn a_front_block_is_code() {
        check("a.astro", "---\nlet a\n---\n<script>b</script>", &[("typescript", "let a\n"), ("javascript", "b")]);
        check("a.astro", "--- a", &[]);
    }
}
