//! The shape of a language pack.

use std::ops::Range;

use tree_sitter::Language;

/// One language: what it claims, how it is parsed and read, and a sample that proves it.
#[derive(Debug)]
pub struct Pack {
    /// The name records carry.
    pub name: &'static str,
    /// The files it claims.
    pub claims: Claims,
    /// Its grammar.
    pub grammar: fn() -> Language,
    /// Makes a text readable for the grammar, where that takes more than the text; `None` where it is.
    pub readable: Option<fn(&str) -> Option<Readable>>,
    /// Its query texts; run as one query. Where two patterns describe the same node, the earlier counts.
    pub queries: &'static [QueryText],
    /// What the queries alone cannot say.
    pub rules: Rules,
    /// A file, and exactly what it yields.
    pub sample: Sample,
}

/// The files a pack claims. A file name beats an extension, which beats an interpreter.
#[derive(Clone, Copy, Debug)]
pub struct Claims {
    /// Extensions without the dot, in lower case.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub file_names: &'static [&'static str],
    /// Programs on a `#!` line, without version digits.
    pub interpreters: &'static [&'static str],
    /// File names that mark tests, with at most one `*`.
    pub test_files: &'static [&'static str],
    /// Extensions that another pack claims or none does, and that this one takes where
    /// the text bears one of its signs.
    pub shared: &'static [&'static str],
    /// Regular expressions for lines that show this language and hardly occur in others.
    pub signs: &'static [&'static str],
}

impl Claims {
    /// No claim at all.
    pub const NONE: Self =
        Self { extensions: &[], file_names: &[], interpreters: &[], test_files: &[], shared: &[], signs: &[] };
}

/// One query text and the file it comes from.
#[derive(Clone, Copy, Debug)]
pub struct QueryText {
    /// The file, for diagnostics.
    pub file: &'static str,
    /// The text.
    pub text: &'static str,
}

/// A text as a grammar can read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readable {
    /// The text, of the same length in bytes and with every character that stays at its place.
    pub text: String,
    /// What was taken out and adorns what follows, as an attribute would.
    pub adornments: Vec<Range<usize>>,
}

impl Readable {
    /// Overwrites a stretch with spaces, ends of lines kept.
    ///
    /// The stretch must begin and end between characters.
    pub fn blank(stretch: &mut [u8]) {
        stretch.iter_mut().filter(|byte| !matches!(**byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
}

/// Facts of a language that its queries cannot say.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// What stands between the parts of a qualified name and of an import path.
    pub separator: &'static str,
    /// How a comment begins that documents what is around it, not what follows.
    pub inner_doc: &'static [&'static str],
    /// Attributes (their last part) that make a function a test.
    pub test_attributes: &'static [&'static str],
    /// Kinds that change inside a type: `(kind, kind inside a type)`.
    pub members: &'static [(&'static str, &'static str)],
    /// Whether a variable in capitals is a constant.
    pub constants_by_case: bool,
    /// Lines that choose between stretches of code before the grammar's rules apply.
    pub branches: Option<Branches>,
    /// Packs by name that read what this one mostly cannot: dialects and supersets.
    pub dialects: &'static [&'static str],
}

impl Rules {
    /// No rule at all, with `.` between the parts of a name.
    pub const NONE: Self = Self {
        separator: ".",
        inner_doc: &[],
        test_attributes: &[],
        members: &[],
        constants_by_case: false,
        branches: None,
        dialects: &[],
    };
}

/// How conditional lines are written: `marker`, then white space or none, then a word.
#[derive(Clone, Copy, Debug)]
pub struct Branches {
    /// What begins such a line.
    pub marker: char,
    /// Words that open a choice.
    pub open: &'static [&'static str],
    /// Words that begin another branch of it.
    pub other: &'static [&'static str],
    /// Words that end it.
    pub close: &'static [&'static str],
    /// What follows the opening word where the first branch is never read.
    pub never: &'static str,
}

/// A file and what extraction makes of it.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Its path.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
    /// Every definition, in record order.
    pub definitions: &'static [ExpectedDefinition],
    /// Every reference, in record order.
    pub references: &'static [ExpectedReference],
    /// Every import, in record order, as `specifier: name, name as alias` with ` (again)` after a re-export.
    pub imports: &'static [&'static str],
}

/// `(kind, qualified name)`.
pub type ExpectedDefinition = (&'static str, &'static str);

/// `(role, mention)`; the mention is the receiver, a space and the name where there is a receiver.
pub type ExpectedReference = (&'static str, &'static str);

impl Pack {
    /// Hands `sink` every part of the pack that can alter a record, in a fixed order.
    ///
    /// The grammar is not among them: its crate version is pinned and stands for it.
    pub fn describe(&self, mut sink: impl FnMut(&str)) {
        let mut list = |title: &str, items: &[&str]| {
            sink(title);
            items.iter().for_each(|item| sink(item));
        };
        list("pack", &[self.name]);
        list("extensions", self.claims.extensions);
        list("file names", self.claims.file_names);
        list("interpreters", self.claims.interpreters);
        list("test files", self.claims.test_files);
        list("shared", self.claims.shared);
        list("signs", self.claims.signs);
        list("separator", &[self.rules.separator]);
        list("inner doc", self.rules.inner_doc);
        list("test attributes", self.rules.test_attributes);
        for (kind, inside) in self.rules.members {
            list("member", &[kind, inside]);
        }
        list("constants by case", &[if self.rules.constants_by_case { "yes" } else { "no" }]);
        list("dialects", self.rules.dialects);
        if let Some(branches) = &self.rules.branches {
            list("branches", &[branches.marker.encode_utf8(&mut [0; 4]), branches.never]);
            list("branches open", branches.open);
            list("branches other", branches.other);
            list("branches close", branches.close);
        }
        for query in self.queries {
            list("query", &[query.file, query.text]);
        }
    }
}
