//! What may stand around a setting on its line: indents, the signs of comments, lists,
//! quotes and markup, and the words that set a variable.

/// What markup puts around a name or a value to make it bold.
pub(super) const BOLD: &str = "**";

/// What may stand before a setting, in any order and number.
const SIGNS: [&str; 15] = ["#", "//", "/*", "*", ";", "- ", "-- ", "+", ">", "<!--", "\"\"\"", "'''", "`", "! ", "///"];

/// Words that set what follows them.
const COMMANDS: [&str; 11] =
    ["export ", "ENV ", "ARG ", "set ", "SET ", "setx ", "local ", "readonly ", "$env:", "-e ", "--env "];

/// What opens a piece of text that a setting stands in, and what closes it.
const ENCLOSURES: [(&str, &str); 8] = [
    ("*", "*/"),
    ("<!--", "-->"),
    ("\"\"\"", "\"\"\""),
    ("'''", "'''"),
    ("`", "`"),
    (BOLD, BOLD),
    ("\"", "\""),
    ("'", "'"),
];

/// The text before a name on its line, if the line begins near.
pub(super) fn line_before(text: &str, at: usize) -> Option<&str> {
    let bytes = &text.as_bytes()[..at];
    let near = at.saturating_sub(120);
    match (near..at).rfind(|&at| matches!(bytes[at], b'\n' | b'\r')) {
        Some(end) => text.get(end + 1..at),
        None if near == 0 => text.get(..at),
        None => None,
    }
}

/// Whether nothing but signs, a command and the path of the name stand before it.
pub(super) fn opens_setting(before: &str) -> bool {
    let mut rest = without_signs(before);
    for word in COMMANDS {
        rest = rest.strip_prefix(word).unwrap_or(rest).trim_start();
    }
    let rest = rest.trim_start_matches(['"', '\'', '$', '@']);
    if rest.starts_with('/') {
        return false;
    }
    rest.is_empty()
        || rest.ends_with(['.', ':', '/', '_'])
            && !rest.contains(|inner: char| inner.is_whitespace() || matches!(inner, '=' | '(' | ','))
}

fn without_signs(before: &str) -> &str {
    let mut rest = before.trim_start();
    while let Some(next) = SIGNS.iter().find_map(|sign| rest.strip_prefix(sign)) {
        let comment = rest.starts_with("//");
        rest = if comment { next.trim_start_matches(['/', '!']) } else { next }.trim_start();
    }
    rest
}

/// Where in `value` the text ends that `before` opened around it. `named` says that the
/// name had quotes of its own, so that those before it are closed.
pub(super) fn closed(before: &str, value: &str, named: bool) -> Option<usize> {
    let open = |(opener, _): &&(&str, &str)| before.contains(opener) && !(named && opener.len() == 1 && *opener != "*");
    ENCLOSURES.iter().filter(open).filter_map(|(_, closer)| value.find(closer)).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_commands_open_a_setting() {
        for before in [
            "",
            "  ",
            "# ",
            "### ",
            "// ",
            "/// ",
            "//! ",
            "/* ",
            "/** ",
            " * ",
            "-- ",
            "; ",
            "> ",
            "<!-- ",
            "- **",
            "\"\"\"",
            "`",
            "export ",
            "# export ",
            "a.b.",
            "// a.b.",
            "\"",
        ] {
            assert!(opens_setting(before), "{before:?}");
        }
        for before in ["the ", "# the ", "/etc/", "f(", "/* see ", "a = b.", "* @param ", "x, "] {
            assert!(!opens_setting(before), "{before:?}");
        }
    }

    #[test]
    fn only_what_was_opened_is_closed() {
        for (before, value, named, expect) in [
            ("/* ", "abc*/", false, Some(3)),
            (" * ", "abc*/", false, Some(3)),
            ("// ", "abc*/", false, None),
            ("<!-- ", "abc-->", false, Some(3)),
            ("\"\"\"", "abc\"\"\"", false, Some(3)),
            ("`", "abc`", false, Some(3)),
            ("`", "abc`", true, None),
            ("\"", "abc\"", false, Some(3)),
            ("\"", "abc\"", true, None),
            ("/* \"", "abc*/", true, Some(3)),
            ("", "abc\"", false, None),
        ] {
            assert_eq!(closed(before, value, named), expect, "{before:?} {value:?}");
        }
    }
}
