//! Trees, ways to check them out, and steps that make a work tree dirty.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Bytes that a failure shows as text.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(Vec<u8>);

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

pub const SIZE_LIMIT: usize = 300;
pub const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n";

/// One thing in a tree.
#[derive(Clone, Debug)]
pub enum Node {
    File(Bytes),
    Program(Bytes),
    Link(&'static str),
    Submodule,
}

/// A file of rules, or a link in its place.
#[derive(Clone, Debug)]
pub struct RuleFile {
    pub path: String,
    pub node: Node,
}

/// How a commit is checked out.
#[derive(Clone, Debug)]
pub struct Checkout {
    pub autocrlf: &'static str,
    pub eol: &'static str,
    pub safecrlf: &'static str,
    pub symlinks: bool,
    pub touched: bool,
    pub ignore_case: bool,
    pub driver: Driver,
    pub form: Form,
    pub excludes: Bytes,
    pub user_excludes: Bytes,
    pub info_attributes: Bytes,
}

/// What is configured as `filter.other`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    Absent,
    Working {
        required: bool,
    },
    /// What it wrote it does not take back.
    CleanFails {
        required: bool,
    },
    BothFail,
    ProcessFails,
}

impl Driver {
    /// Whether a checkout writes other bytes than it holds.
    pub fn smudges(self) -> bool {
        matches!(self, Self::Working { .. } | Self::CleanFails { .. })
    }
}

#[derive(Clone, Debug)]
pub enum Form {
    Main,
    Linked,
    Cone(Vec<&'static str>),
    Patterns(Vec<String>),
}

/// A change of a work tree. An [`Index`] chooses among the files on disk.
#[derive(Clone, Debug)]
pub enum Step {
    Write(Bytes, Node),
    Change(Index, Bytes),
    Delete(Index),
    Rename(Index, Bytes),
    FileToDirectory(Index, Bytes),
    DirectoryToFile(Index, Bytes),
    FileToLink(Index, &'static str),
    Mode(Index),
    Stage(Index),
    Untrack(Index),
    AssumeUnchanged(Index),
    SkipWorktree(Index),
    Nested(Bytes),
    Rules(RuleFile),
    Touch,
}

pub const NAMES: &[&[u8]] = &[b"a", b"b", b"c", b"a.x", b"b.x", b"b.y", b"c.u16", b"c.l1", b"f.lfs", b"f.drv"];
pub const DIRECTORIES: &[&[u8]] = &[b"d", b"d", b"e", b"e", b"D", b"d d", "\u{e4}".as_bytes()];
pub const ODD_NAMES: &[&[u8]] = &[
    b"A",
    "n\u{e4}.x".as_bytes(),
    "na\u{308}.x".as_bytes(),
    b"q\"uote",
    b"back\\slash",
    b"new\nline",
    b"tab\t",
    b"trail ",
    b"trail.",
    b"-dash",
    b"[a]",
    b"!a",
    b"#a",
    b"a*",
    b"\xff.x",
    b"caf\xe9",
    b".env",
    b"key.pem",
    b"a.gitignore",
];

pub fn path() -> impl Strategy<Value = Bytes> {
    let name = prop_oneof![3 => select(NAMES), 1 => select(ODD_NAMES)];
    (prop::collection::vec(select(DIRECTORIES), 0..3), name).prop_map(|(mut parts, name)| {
        parts.push(name);
        parts.join(&b'/').into()
    })
}

pub fn wide(text: &str, big: bool) -> Bytes {
    let mark: [u8; 2] = if big { [0xfe, 0xff] } else { [0xff, 0xfe] };
    let units = text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
    mark.into_iter().chain(units).collect::<Vec<u8>>().into()
}

pub const PARTS: &[&[u8]] = &[
    b"one\n",
    b"two\r\n",
    b"$Id$\n",
    b"$Id: old $\r\n",
    b"$Id: odd\n",
    b"\r",
    b"\0",
    "\u{e4}\n".as_bytes(),
    b"\xe9\n",
    b"\x1a",
    b"end",
];

pub fn body() -> impl Strategy<Value = Bytes> {
    let part = select(PARTS);
    prop_oneof![
        12 => prop::collection::vec(part, 0..5).prop_map(|parts| parts.concat().into()),
        1 => Just(wide("a\r\nb\u{e4}\n", false)),
        1 => Just(wide("a\nb", true)),
        1 => Just(b"a\0\n\0".to_vec().into()),
        1 => Just(POINTER.to_vec().into()),
        1 => Just(vec![b'x'; SIZE_LIMIT + 1].into()),
    ]
}

pub const TARGETS: &[&str] = &["a", "d", "../outside", "/nowhere", "nothing", ".", "d/a"];

pub fn node() -> impl Strategy<Value = Node> {
    prop_oneof![
        12 => body().prop_map(Node::File),
        1 => body().prop_map(Node::Program),
        1 => select(TARGETS).prop_map(Node::Link),
    ]
}

pub fn pattern() -> impl Strategy<Value = String> {
    let whole = select(&[
        "a", "b", "*.x", "/d/", "d/", "d/a", "e/**", "**/a", "d/**/b", "*", "/*", "d d", "A", "*.lfs", "[a]", "\\!a",
        "\\#a", "a\\*", "d/*", "/a", "\u{e4}", "n*.x", "q\"uote", "e", "trail.", "-dash", "?", "**", "d**", "e*/a",
    ]);
    let atom = select(&["a", "b", "d", "e", ".x", "*", "**", "/", "/", "?", "[a-b]", "[!a]", "[", "\\", "[[:alpha:]]"]);
    prop_oneof![
        2 => whole.prop_map(str::to_owned),
        1 => prop::collection::vec(atom, 1..6).prop_map(|atoms| atoms.concat()),
    ]
}

/// Lines with a line end and perhaps a mark in front.
pub fn lines(line: impl Strategy<Value = String>, most: usize) -> impl Strategy<Value = Bytes> {
    let mark = prop_oneof![9 => Just(""), 1 => Just("\u{feff}")];
    let end = prop_oneof![6 => Just("\n"), 1 => Just("\r\n")];
    (mark, prop::collection::vec(line, 0..most), end, any::<bool>()).prop_map(|(mark, lines, end, ended)| {
        format!("{mark}{}{}", lines.join(end), if ended { end } else { "" }).into_bytes().into()
    })
}

pub fn ignore_lines() -> impl Strategy<Value = Bytes> {
    let tail = prop_oneof![12 => Just(""), 1 => Just(" "), 1 => Just("\\ "), 1 => Just("\t"), 2 => Just("/")];
    let rule = (prop::bool::weighted(0.3), pattern(), tail)
        .prop_map(|(negative, pattern, tail)| format!("{}{pattern}{tail}", if negative { "!" } else { "" }));
    lines(prop_oneof![10 => rule, 1 => select(&["", "# a", " ", "!", "/", "\\"]).prop_map(str::to_owned)], 5)
}

pub fn attribute_lines() -> impl Strategy<Value = Bytes> {
    let attribute = select(&[
        "text",
        "-text",
        "!text",
        "text=auto",
        "eol=crlf",
        "eol=lf",
        "crlf",
        "-crlf",
        "crlf=input",
        "ident",
        "-ident",
        "binary",
        "cce-ignore",
        "-cce-ignore",
        "!cce-ignore",
        "linguist-generated",
        "linguist-generated=false",
        "-linguist-generated",
        "linguist-vendored",
        "linguist-vendored=true",
        "!linguist-vendored",
        "filter=other",
        "-filter",
        "own",
        "-own",
        "working-tree-encoding=UTF-8",
    ]);
    let subject = prop_oneof![
        6 => pattern(),
        1 => select(&["\"q\\\"uote\"", "\"d d/*\"", "\"\\303\\244/a\"", "\"a\\tb\"", "\"a"]).prop_map(str::to_owned),
        2 => Just("[attr]own".to_owned()),
    ];
    let rule = (subject, prop::collection::vec(attribute, 1..4))
        .prop_map(|(subject, attributes)| format!("{subject} {}", attributes.join(" ")));
    let fixed = select(&[
        "*.u16 text working-tree-encoding=UTF-16LE-BOM",
        "*.l1 working-tree-encoding=ISO-8859-1",
        "*.lfs filter=lfs -text",
        "*.drv filter=other",
        "* filter=other",
        "# comment",
        "a bad*name text",
    ]);
    lines(prop_oneof![6 => rule, 1 => fixed.prop_map(str::to_owned)], 5)
}

/// Where links in the place of rule files lead: to other rules, or to nothing under a
/// name that would be a rule.
const RULE_TARGETS: &[&str] = &[
    ".gitignore",
    "../.gitignore",
    "../.gitattributes",
    "e/.gitattributes",
    "../.cceignore",
    "a",
    "*.x text eol=crlf",
    "*.x",
];

pub fn rule_file() -> impl Strategy<Value = RuleFile> {
    let directory = select(&["", "", "d/", "e/", "d/e/"]);
    let file = prop_oneof![
        2 => (Just(".gitignore"), ignore_lines().boxed()),
        2 => (Just(".cceignore"), ignore_lines().boxed()),
        3 => (Just(".gitattributes"), attribute_lines().boxed()),
    ];
    let link = prop_oneof![7 => Just(None), 1 => select(RULE_TARGETS).prop_map(Some)];
    (directory, file, link).prop_map(|(directory, (name, text), link)| RuleFile {
        path: format!("{directory}{name}"),
        node: link.map_or(Node::File(text), Node::Link),
    })
}

pub fn tree() -> impl Strategy<Value = BTreeMap<Bytes, Node>> {
    let files = prop::collection::vec((path(), node()), 3..14);
    let rules = prop::collection::vec(rule_file(), 0..5);
    (files, rules, prop::bool::weighted(0.2)).prop_map(|(files, rules, submodule)| {
        let mut tree = BTreeMap::new();
        let settings = format!("[index]\nsize_limit = {SIZE_LIMIT}\nexclude = [\"/d/b.*\"]\n");
        plant(&mut tree, b"cce.toml".to_vec().into(), Node::File(settings.into_bytes().into()));
        for rule in rules {
            plant(&mut tree, rule.path.into_bytes().into(), rule.node);
        }
        if submodule {
            plant(&mut tree, b"module".to_vec().into(), Node::Submodule);
        }
        files.into_iter().for_each(|(path, node)| plant(&mut tree, path, node));
        tree
    })
}

/// Adds what does not stand in the way of what is there.
pub fn plant(tree: &mut BTreeMap<Bytes, Node>, path: Bytes, node: Node) {
    let below = |upper: &[u8], lower: &[u8]| lower.starts_with(&[upper, b"/"].concat());
    if !tree.keys().any(|other| below(other, &path) || below(&path, other)) {
        tree.entry(path).or_insert(node);
    }
}

pub fn checkout() -> impl Strategy<Value = Checkout> {
    let form = prop_oneof![
        5 => Just(Form::Main),
        1 => Just(Form::Linked),
        1 => prop::collection::vec(select(&["d", "e", "d/e"]), 0..2).prop_map(Form::Cone),
        1 => prop::collection::vec(pattern(), 0..3).prop_map(Form::Patterns),
    ];
    let ends =
        (select(&["true", "input", "false"]), select(&["lf", "crlf", "native"]), select(&["true", "warn", "false"]));
    let driver = select(&[
        Driver::Absent,
        Driver::Absent,
        Driver::Working { required: false },
        Driver::Working { required: true },
        Driver::CleanFails { required: false },
        Driver::CleanFails { required: true },
        Driver::BothFail,
        Driver::ProcessFails,
    ]);
    let switches = (prop::bool::weighted(0.9), any::<bool>(), prop::bool::weighted(0.3), driver);
    (ends, switches, form, ignore_lines(), ignore_lines(), attribute_lines()).prop_map(
        |(
            (autocrlf, eol, safecrlf),
            (symlinks, touched, ignore_case, driver),
            form,
            excludes,
            user_excludes,
            info_attributes,
        )| Checkout {
            autocrlf,
            eol,
            safecrlf,
            symlinks,
            touched,
            ignore_case,
            driver,
            form,
            excludes,
            user_excludes,
            info_attributes,
        },
    )
}

pub fn step() -> impl Strategy<Value = Step> {
    let at = any::<Index>;
    prop_oneof![
        4 => (path(), node()).prop_map(|(path, node)| Step::Write(path, node)),
        4 => (at(), body()).prop_map(|(at, body)| Step::Change(at, body)),
        1 => at().prop_map(Step::Delete),
        1 => (at(), path()).prop_map(|(at, path)| Step::Rename(at, path)),
        1 => (at(), body()).prop_map(|(at, body)| Step::FileToDirectory(at, body)),
        1 => (at(), body()).prop_map(|(at, body)| Step::DirectoryToFile(at, body)),
        1 => (at(), select(TARGETS)).prop_map(|(at, target)| Step::FileToLink(at, target)),
        1 => at().prop_map(Step::Mode),
        2 => at().prop_map(Step::Stage),
        1 => at().prop_map(Step::Untrack),
        1 => at().prop_map(Step::AssumeUnchanged),
        1 => at().prop_map(Step::SkipWorktree),
        1 => path().prop_map(Step::Nested),
        2 => rule_file().prop_map(Step::Rules),
        1 => Just(Step::Touch),
    ]
}

/// The tree without names that differ in nothing but case.
pub fn folded_tree(tree: &BTreeMap<Bytes, Node>) -> BTreeMap<Bytes, Node> {
    let mut folded = BTreeMap::new();
    tree.iter().for_each(|(path, node)| plant(&mut folded, path.folded(), node.clone()));
    folded
}

/// The step with names in lower case only.
pub fn folded_step(step: &Step) -> Step {
    match step {
        Step::Write(path, node) => Step::Write(path.folded(), node.clone()),
        Step::Rename(at, path) => Step::Rename(*at, path.folded()),
        Step::Nested(path) => Step::Nested(path.folded()),
        other => other.clone(),
    }
}

impl Bytes {
    fn folded(&self) -> Self {
        self.0.to_ascii_lowercase().into()
    }
}
