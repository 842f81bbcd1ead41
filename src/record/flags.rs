//! Caveats that path, attributes and text give a file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::boundary::head;
use super::{Word, flag};
use crate::language::Pack;
use crate::source::{Attributes, RepoPath};

/// Directories that hold tests.
const TEST_DIRECTORIES: [&str; 8] = ["__mocks__", "__tests__", "e2e", "spec", "specs", "test", "testdata", "tests"];
/// Directories that hold other people's code.
const VENDOR_DIRECTORIES: [&str; 6] =
    ["bower_components", "node_modules", "third-party", "third_party", "vendor", "vendored"];
/// Directories that hold other people's code where they stand at the root.
const VENDOR_ROOTS: [&str; 1] = ["deps"];
/// Files that tools write whole.
const GENERATED_NAMES: [&str; 10] = [
    "Cargo.lock",
    "Gemfile.lock",
    "Pipfile.lock",
    "composer.lock",
    "go.sum",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "yarn.lock",
];
/// The part of a text in which a note of its generator is looked for, in bytes and lines.
const NOTE_BYTES: usize = 4_096;
const NOTE_LINES: usize = 20;
/// A line of code that nobody wrote by hand, in bytes.
const LONG_CODE_LINE: usize = 1_000;
/// A line of anything that nobody wrote by hand, in bytes.
const LONG_LINE: usize = 5_000;

/// What gave a file a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ground {
    /// A committed attribute.
    Attribute,
    /// A directory of this name.
    Directory(&'static str),
    /// Its own name, which fits this pattern.
    Name(&'static str),
    /// A note of its generator in this line, from 1.
    Note(usize),
    /// Half of it or more stands in lines of this many bytes and more.
    LongLines(usize),
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute => f.write_str("a committed attribute"),
            Self::Directory(name) => write!(f, "directory {name}/"),
            Self::Name(pattern) => write!(f, "name {pattern}"),
            Self::Note(line) => write!(f, "note in line {line}"),
            Self::LongLines(bytes) => write!(f, "half of it in lines of {bytes} bytes and more"),
        }
    }
}

/// The flags that need no parse.
pub(super) fn flags(path: &RepoPath, text: &str, attributes: Attributes, pack: Option<&Pack>) -> BTreeSet<Word> {
    grounds(path, text, attributes, pack).into_keys().collect()
}

/// The flags that need no parse, each with what gave it.
pub(crate) fn grounds(
    path: &RepoPath,
    text: &str,
    attributes: Attributes,
    pack: Option<&Pack>,
) -> BTreeMap<Word, Ground> {
    let by_attribute = |said: bool| said.then_some(Ground::Attribute);
    [
        (flag::TEST, test(path, pack)),
        (flag::VENDORED, by_attribute(attributes.vendored).or_else(|| vendored(path))),
        (flag::GENERATED, by_attribute(attributes.generated).or_else(|| generated(path, text))),
        (flag::MINIFIED, is_minified(text, pack).then_some(Ground::LongLines(long_line(pack)))),
    ]
    .into_iter()
    .filter_map(|(flag, ground)| ground.map(|ground| (flag, ground)))
    .collect()
}

fn in_directory(path: &RepoPath, names: &[&'static str]) -> Option<Ground> {
    let mut parts: Vec<&[u8]> = path.components().collect();
    parts.pop();
    let named = |part: &&[u8]| names.iter().find(|name| name.as_bytes() == *part);
    parts.iter().find_map(named).map(|name| Ground::Directory(name))
}

fn vendored(path: &RepoPath) -> Option<Ground> {
    let root = || path.as_bytes().split(|byte| *byte == b'/').next().filter(|root| *root != path.as_bytes());
    let at_root = || VENDOR_ROOTS.into_iter().find(|name| root() == Some(name.as_bytes())).map(Ground::Directory);
    in_directory(path, &VENDOR_DIRECTORIES).or_else(at_root)
}

/// Names of tests in any language, by what their stem begins or ends with.
const TEST_STEMS: [(&str, &str, &str); 6] = [
    ("test_*", "test_", ""),
    ("*_test.*", "", "_test"),
    ("*_tests.*", "", "_tests"),
    ("*_spec.*", "", "_spec"),
    ("*.test.*", "", ".test"),
    ("*.spec.*", "", ".spec"),
];

fn test(path: &RepoPath, pack: Option<&Pack>) -> Option<Ground> {
    in_directory(path, &TEST_DIRECTORIES).or_else(|| {
        let name = std::str::from_utf8(path.file_name()).ok()?;
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let by_stem = TEST_STEMS.iter().find(|(_, start, end)| stem.starts_with(start) && stem.ends_with(end));
        let of_pack = || pack?.claims.test_files.iter().find(|pattern| fits(pattern, name)).copied();
        by_stem.map(|(pattern, ..)| *pattern).or_else(of_pack).map(Ground::Name)
    })
}

/// Whether a name fits a pattern with at most one `*`.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
    }
}

fn generated(path: &RepoPath, text: &str) -> Option<Ground> {
    if let Some(name) = GENERATED_NAMES.iter().find(|name| name.as_bytes() == path.file_name()) {
        return Some(Ground::Name(name));
    }
    let note = head(text, NOTE_BYTES).lines().take(NOTE_LINES).position(|line| {
        let line = line.to_ascii_lowercase();
        line.contains(concat!("@", "generated"))
            || (line.contains("do not edit") && line.contains("generated"))
            || line.contains("automatically generated by ")
    });
    note.map(|index| Ground::Note(index + 1))
}

/// A line that nobody wrote by hand, in bytes.
fn long_line(pack: Option<&Pack>) -> usize {
    if pack.is_some() { LONG_CODE_LINE } else { LONG_LINE }
}

/// Whether at least half of the text stands in lines that nobody wrote by hand.
pub(super) fn is_minified(text: &str, pack: Option<&Pack>) -> bool {
    let long = long_line(pack);
    let in_long_lines: usize = text.lines().map(str::len).filter(|length| *length >= long).sum();
    in_long_lines > 0 && in_long_lines * 2 >= text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::pack;

    fn check(path: &str, text: &str, language: &str, expected: &[Word]) {
        let path = RepoPath::parse(path).unwrap();
        let found = flags(&path, text, Attributes::default(), pack(language));
        assert_eq!(found, expected.iter().cloned().collect(), "{path}");
    }

    #[test]
    fn tests_by_path() {
        for path in ["tests/a.rs", "a/__tests__/b.js", "x_test.go", "test_x.py", "b.spec.ts", "src/tests.rs"] {
            let language = if path.ends_with(".rs") { "rust" } else { "text" };
            check(path, "", language, &[flag::TEST]);
        }
        for path in ["src/a.rs", "attest.rs", "test", "latest.py", "contest/a.py"] {
            check(path, "", "rust", &[]);
        }
        check("conftest.py", "", "python", &[flag::TEST]);
        check("conftest.py", "", "rust", &[]);
    }

    #[test]
    fn generated_by_name_note_and_attribute() {
        check("a/Cargo.lock", "", "text", &[flag::GENERATED]);
        check("a.rs", concat!("// @", "generated by x\n"), "rust", &[flag::GENERATED]);
        check("a.go", "\n// Code generated by protoc. DO NOT EDIT.\n", "text", &[flag::GENERATED]);
        check("a.rs", "// do not edit the generator\n\nfn generated() {}\n", "rust", &[]);
        check("a.rs", &format!("{}// Code generated. DO NOT EDIT.", "\n".repeat(30)), "rust", &[]);
        let attributes = Attributes { generated: true, vendored: true };
        let found = flags(&RepoPath::parse("a").unwrap(), "", attributes, None);
        assert_eq!(found, BTreeSet::from([flag::GENERATED, flag::VENDORED]));
    }

    #[test]
    fn minified_by_its_lines() {
        let code = format!("/* licence */\n{}\n", "a();".repeat(400));
        check("a.js", &code, "javascript", &[flag::MINIFIED]);
        check("a.md", &code, "text", &[]);
        check("a.js", &format!("{}{}", "a();\n".repeat(800), "x".repeat(1500)), "javascript", &[]);
    }

    #[test]
    fn each_flag_says_what_gave_it() {
        let shown = |path: &str, text: &str, attributes: Attributes| -> Vec<String> {
            let grounds = grounds(&RepoPath::parse(path).unwrap(), text, attributes, pack("python"));
            grounds.iter().map(|(flag, ground)| format!("{flag}: {ground}")).collect()
        };
        let none = Attributes::default();
        assert_eq!(shown("a/vendor/tests/x.py", "", none), ["test: directory tests/", "vendored: directory vendor/"]);
        assert_eq!(shown("a/x_test.py", "", none), ["test: name *_test.*"]);
        assert_eq!(shown("conftest.py", "", none), ["test: name conftest.py"]);
        let note = concat!("#\n# @", "generated\n");
        assert_eq!(shown("x.py", note, none), ["generated: note in line 2"]);
        let both = Attributes { generated: true, vendored: true };
        let said = ["generated: a committed attribute", "vendored: a committed attribute"];
        assert_eq!(shown("vendor/x.py", note, both), said);
        assert_eq!(shown("x.py", &"x".repeat(1000), none), ["minified: half of it in lines of 1000 bytes and more"]);
    }

    #[test]
    fn vendored_by_path() {
        check("vendor/a.c", "", "text", &[flag::VENDORED]);
        check("vendor", "", "text", &[]);
        check("deps/lua/a.c", "", "text", &[flag::VENDORED]);
        check("src/deps/a.rs", "", "text", &[]);
        check("deps", "", "text", &[]);
    }
}
