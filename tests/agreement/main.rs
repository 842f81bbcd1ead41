//! Every way to read a repository agrees with every other, and with the git program.
//!
//! A generated repository is read as a commit from a bare repository, from clones and
//! linked work trees, and as a clean work tree; then steps make the work tree dirty, and
//! it is compared with the commit that `git add -A && git commit` makes of it.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // soaking asks the environment for the number of cases

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use cce::source::commit::CommitSource;
use cce::source::{Content, ContentId, FileEntry, RepoPath, SkipReason, Source, Verdict, WorkTree};
use cce::store::{Refresh, Store};
use proptest::prelude::*;
use proptest::sample::{Index, select};

mod sandbox;
use sandbox::Sandbox;
use sandbox::lab::{Everything, Lab, of_commit, of_work_tree, paths, touch_all, zero_separated};

/// Bytes that a failure shows as text.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Bytes(Vec<u8>);

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

const SIZE_LIMIT: usize = 300;
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n";

/// One thing in a tree.
#[derive(Clone, Debug)]
enum Node {
    File(Bytes),
    Program(Bytes),
    Link(&'static str),
    Submodule,
}

/// A file of rules.
#[derive(Clone, Debug)]
struct RuleFile {
    path: String,
    text: Bytes,
}

/// How a commit is checked out.
#[derive(Clone, Debug)]
struct Checkout {
    autocrlf: &'static str,
    eol: &'static str,
    safecrlf: &'static str,
    symlinks: bool,
    touched: bool,
    form: Form,
    excludes: Bytes,
    user_excludes: Bytes,
    info_attributes: Bytes,
}

#[derive(Clone, Debug)]
enum Form {
    Main,
    Linked,
    Cone(Vec<&'static str>),
    Patterns(Vec<String>),
}

/// A change of a work tree. An [`Index`] chooses among the files on disk.
#[derive(Clone, Debug)]
enum Step {
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

const NAMES: &[&[u8]] = &[b"a", b"b", b"c", b"a.x", b"b.x", b"b.y", b"c.u16", b"c.l1", b"f.lfs", b"f.drv"];
const DIRECTORIES: &[&[u8]] = &[b"d", b"d", b"e", b"e", b"D", b"d d", "\u{e4}".as_bytes()];
const ODD_NAMES: &[&[u8]] = &[
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

fn path() -> impl Strategy<Value = Bytes> {
    let name = prop_oneof![3 => select(NAMES), 1 => select(ODD_NAMES)];
    (prop::collection::vec(select(DIRECTORIES), 0..3), name).prop_map(|(mut parts, name)| {
        parts.push(name);
        parts.join(&b'/').into()
    })
}

fn wide(text: &str, big: bool) -> Bytes {
    let mark: [u8; 2] = if big { [0xfe, 0xff] } else { [0xff, 0xfe] };
    let units = text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
    mark.into_iter().chain(units).collect::<Vec<u8>>().into()
}

const PARTS: &[&[u8]] = &[
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

fn body() -> impl Strategy<Value = Bytes> {
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

const TARGETS: &[&str] = &["a", "d", "../outside", "/nowhere", "nothing", ".", "d/a"];

fn node() -> impl Strategy<Value = Node> {
    prop_oneof![
        12 => body().prop_map(Node::File),
        1 => body().prop_map(Node::Program),
        1 => select(TARGETS).prop_map(Node::Link),
    ]
}

fn pattern() -> impl Strategy<Value = String> {
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
fn lines(line: impl Strategy<Value = String>, most: usize) -> impl Strategy<Value = Bytes> {
    let mark = prop_oneof![9 => Just(""), 1 => Just("\u{feff}")];
    let end = prop_oneof![6 => Just("\n"), 1 => Just("\r\n")];
    (mark, prop::collection::vec(line, 0..most), end, any::<bool>()).prop_map(|(mark, lines, end, ended)| {
        format!("{mark}{}{}", lines.join(end), if ended { end } else { "" }).into_bytes().into()
    })
}

fn ignore_lines() -> impl Strategy<Value = Bytes> {
    let tail = prop_oneof![12 => Just(""), 1 => Just(" "), 1 => Just("\\ "), 1 => Just("\t"), 2 => Just("/")];
    let rule = (prop::bool::weighted(0.3), pattern(), tail)
        .prop_map(|(negative, pattern, tail)| format!("{}{pattern}{tail}", if negative { "!" } else { "" }));
    lines(prop_oneof![10 => rule, 1 => select(&["", "# a", " ", "!", "/", "\\"]).prop_map(str::to_owned)], 5)
}

fn attribute_lines() -> impl Strategy<Value = Bytes> {
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
        "# comment",
        "a bad*name text",
    ]);
    lines(prop_oneof![6 => rule, 1 => fixed.prop_map(str::to_owned)], 5)
}

fn rule_file() -> impl Strategy<Value = RuleFile> {
    let directory = select(&["", "", "d/", "e/", "d/e/"]);
    let file = prop_oneof![
        2 => (Just(".gitignore"), ignore_lines().boxed()),
        2 => (Just(".cceignore"), ignore_lines().boxed()),
        3 => (Just(".gitattributes"), attribute_lines().boxed()),
    ];
    (directory, file).prop_map(|(directory, (name, text))| RuleFile { path: format!("{directory}{name}"), text })
}

fn tree() -> impl Strategy<Value = BTreeMap<Bytes, Node>> {
    let files = prop::collection::vec((path(), node()), 3..14);
    let rules = prop::collection::vec(rule_file(), 0..5);
    (files, rules, prop::bool::weighted(0.2)).prop_map(|(files, rules, submodule)| {
        let mut tree = BTreeMap::new();
        let settings = format!("[index]\nsize_limit = {SIZE_LIMIT}\nexclude = [\"/d/b.*\"]\n");
        plant(&mut tree, b"cce.toml".to_vec().into(), Node::File(settings.into_bytes().into()));
        for rule in rules {
            plant(&mut tree, rule.path.into_bytes().into(), Node::File(rule.text));
        }
        if submodule {
            plant(&mut tree, b"module".to_vec().into(), Node::Submodule);
        }
        files.into_iter().for_each(|(path, node)| plant(&mut tree, path, node));
        tree
    })
}

/// Adds what does not stand in the way of what is there.
fn plant(tree: &mut BTreeMap<Bytes, Node>, path: Bytes, node: Node) {
    let below = |upper: &[u8], lower: &[u8]| lower.starts_with(&[upper, b"/"].concat());
    if !tree.keys().any(|other| below(other, &path) || below(&path, other)) {
        tree.entry(path).or_insert(node);
    }
}

fn checkout() -> impl Strategy<Value = Checkout> {
    let form = prop_oneof![
        5 => Just(Form::Main),
        1 => Just(Form::Linked),
        1 => prop::collection::vec(select(&["d", "e", "d/e"]), 0..2).prop_map(Form::Cone),
        1 => prop::collection::vec(pattern(), 0..3).prop_map(Form::Patterns),
    ];
    let ends =
        (select(&["true", "input", "false"]), select(&["lf", "crlf", "native"]), select(&["true", "warn", "false"]));
    let switches = (prop::bool::weighted(0.9), any::<bool>());
    (ends, switches, form, ignore_lines(), ignore_lines(), attribute_lines()).prop_map(
        |((autocrlf, eol, safecrlf), (symlinks, touched), form, excludes, user_excludes, info_attributes)| Checkout {
            autocrlf,
            eol,
            safecrlf,
            symlinks,
            touched,
            form,
            excludes,
            user_excludes,
            info_attributes,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
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

/// A commit in a bare repository, byte for byte what `tree` says.
fn bare(lab: &Lab, tree: &BTreeMap<Bytes, Node>) -> PathBuf {
    let path = lab.path("bare.git");
    fs::create_dir(&path).unwrap();
    lab.git(&path, &["init", "-q", "--bare", "-b", "main"]);
    let mut stream = b"commit refs/heads/main\ncommitter C <c@example.com> 1700000001 +0000\ndata 1\nm\n".to_vec();
    for (path, node) in tree {
        let quoted: String = path.iter().map(|byte| format!("\\{byte:03o}")).collect();
        let (mode, bytes) = match node {
            Node::File(bytes) => ("100644", &**bytes),
            Node::Program(bytes) => ("100755", &**bytes),
            Node::Link(target) => ("120000", target.as_bytes()),
            Node::Submodule => {
                stream.extend(format!("M 160000 {} \"{quoted}\"\n", "1".repeat(40)).into_bytes());
                continue;
            }
        };
        stream.extend(format!("M {mode} inline \"{quoted}\"\ndata {}\n", bytes.len()).into_bytes());
        stream.extend_from_slice(bytes);
        stream.push(b'\n');
    }
    let (success, _, error) = lab.ask(&path, &["fast-import", "--quiet"], &stream);
    assert!(success, "{error}");
    path
}

/// Checks the commit out, in the way and under the settings asked for.
fn check_out(lab: &Lab, bare: &Path, how: &Checkout) -> PathBuf {
    let clone = lab.path("clone");
    let user_excludes = lab.path("user-excludes");
    fs::write(&user_excludes, &*how.user_excludes).unwrap();
    let settings = [
        format!("core.autocrlf={}", how.autocrlf),
        format!("core.eol={}", how.eol),
        format!("core.safecrlf={}", how.safecrlf),
        format!("core.symlinks={}", how.symlinks),
        format!("core.excludesFile={}", user_excludes.display()),
        "core.attributesFile=/dev/null".to_owned(),
        "filter.lfs.clean=tr a-y b-z".to_owned(),
        "filter.lfs.smudge=tr b-z a-y".to_owned(),
    ];
    let mut arguments = vec!["clone", "-q"];
    settings.iter().for_each(|setting| arguments.extend(["-c", setting]));
    arguments.extend([bare.to_str().unwrap(), clone.to_str().unwrap()]);
    lab.git(bare, &arguments);
    let root = match &how.form {
        Form::Main => clone.clone(),
        Form::Linked => {
            let linked = lab.path("linked");
            lab.git(&clone, &["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
            linked
        }
        Form::Cone(directories) => {
            let set = ["sparse-checkout", "set", "--cone", "--no-sparse-index"];
            lab.git(&clone, &[&set[..], directories].concat());
            clone.clone()
        }
        Form::Patterns(patterns) => {
            let set = ["sparse-checkout", "set", "--no-cone", "--stdin"];
            let (success, _, error) = lab.ask(&clone, &set, patterns.join("\n").as_bytes());
            assert!(success, "{error}");
            clone.clone()
        }
    };
    fs::create_dir_all(clone.join(".git/info")).unwrap();
    fs::write(clone.join(".git/info/exclude"), &*how.excludes).unwrap();
    if how.touched {
        touch_all(&root);
    }
    root
}

fn ls_tree(lab: &Lab, repository: &Path) -> BTreeMap<Vec<u8>, String> {
    let (success, out, error) = lab.ask(repository, &["ls-tree", "-r", "-z", "HEAD"], b"");
    assert!(success, "{error}");
    zero_separated(&out)
        .into_iter()
        .map(|line| {
            let tab = line.iter().position(|&byte| byte == b'\t').unwrap();
            let id = String::from_utf8(line[..tab].rsplit(|&byte| byte == b' ').next().unwrap().to_vec()).unwrap();
            (line[tab + 1..].to_vec(), id)
        })
        .collect()
}

fn joined<'a>(paths: impl IntoIterator<Item = &'a Bytes>) -> Vec<u8> {
    paths.into_iter().flat_map(|path| [path, &b"\0"[..]].concat()).collect()
}

/// What the rules of a commit must give, by git's own reading of them.
struct RuleOracle {
    ignored: BTreeSet<Vec<u8>>,
    attributes: BTreeMap<Vec<u8>, Vec<Vec<u8>>>,
}

const ATTRIBUTES: [&str; 4] = ["cce-ignore", "linguist-generated", "linguist-vendored", "filter"];

fn rule_oracle(lab: &Lab, tree: &BTreeMap<Bytes, Node>) -> RuleOracle {
    let scratch = lab.repository("scratch");
    for (path, node) in tree {
        let Node::File(bytes) = node else { continue };
        for (name, as_name) in [(&b".cceignore"[..], &b".gitignore"[..]), (b".gitattributes", b".gitattributes")] {
            if let Some(directory) = path.strip_suffix(name)
                && (directory.is_empty() || directory.ends_with(b"/"))
            {
                sandbox::lab::write(&scratch, [directory, as_name].concat(), &**bytes);
            }
        }
    }
    let input = joined(tree.keys());
    let (_, out, error) = lab.ask(&scratch, &["check-ignore", "--no-index", "-z", "--stdin"], &input);
    assert_eq!(error, "");
    let ignored = zero_separated(&out);
    // Asked of files, because git passes over a leading mark only there.
    let (success, out, error) =
        lab.ask(&scratch, &[&["check-attr", "-z", "--stdin"][..], &ATTRIBUTES].concat(), &input);
    assert!(success, "{error}");
    let mut attributes: BTreeMap<Vec<u8>, Vec<Vec<u8>>> = BTreeMap::new();
    let fields: Vec<&[u8]> = out.split(|&byte| byte == 0).collect();
    for answer in fields.chunks_exact(3) {
        attributes.entry(answer[0].to_vec()).or_default().push(answer[2].to_vec());
    }
    RuleOracle { ignored, attributes }
}

impl RuleOracle {
    fn check(&self, source: &CommitSource, path: &[u8]) -> Result<(), TestCaseError> {
        let on = |state: &Vec<u8>| !matches!(state.as_slice(), b"unset" | b"unspecified" | b"false");
        let [ignore, generated, vendored, filter] = &self.attributes[path][..] else { panic!("four answers") };
        let verdict = source.judge(&RepoPath::parse(path).unwrap()).unwrap();
        let shown = String::from_utf8_lossy(path);
        match verdict {
            Verdict::Skip { reason: SkipReason::IgnoredByCceignore, rule } => {
                let excluded = rule.is_some_and(|rule| rule.file.starts_with("cce.toml"));
                prop_assert!(excluded || self.ignored.contains(path), "{shown} is not ignored");
                return Ok(());
            }
            _ => prop_assert!(!self.ignored.contains(path), "{shown} is ignored"),
        }
        match verdict {
            Verdict::Skip { reason: SkipReason::IgnoredByAttribute, .. } => prop_assert!(on(ignore), "{shown}"),
            Verdict::Skip { reason: SkipReason::LfsPointer, .. } => prop_assert_eq!(filter.as_slice(), b"lfs"),
            Verdict::Skip { reason, .. } => prop_assert_eq!(reason, SkipReason::Sensitive),
            Verdict::Take(attributes) => {
                prop_assert!(!on(ignore) && filter.as_slice() != b"lfs", "{shown}");
                prop_assert_eq!(attributes.generated, on(generated), "generated: {}", &shown);
                prop_assert_eq!(attributes.vendored, on(vendored), "vendored: {}", &shown);
            }
        }
        Ok(())
    }
}

/// What a listing comes to: which file holds which bytes, and what is left out why.
type Gist = (BTreeMap<RepoPath, (ContentId, bool, bool, Content)>, BTreeMap<RepoPath, SkipReason>);

fn gist(everything: &Everything) -> Gist {
    let file = |file: &FileEntry| {
        let content = everything.1[&file.path].clone();
        (file.path.clone(), (file.content, file.attributes.generated, file.attributes.vendored, content))
    };
    let skipped = everything.0.skipped.iter().map(|file| (file.skipped.path.clone(), file.skipped.reason));
    (everything.0.files.iter().map(file).collect(), skipped.collect())
}

/// The files of a work tree, but for git's own and the settings.
fn on_disk(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            match entry.file_name() == ".git" || entry.file_name() == "cce.toml" {
                true => {}
                false if entry.file_type().unwrap().is_dir() => waiting.push(entry.path()),
                false => found.push(entry.path()),
            }
        }
    }
    found.sort();
    found
}

/// Whether nothing but directories leads to a path, so that no link leads out of the tree.
fn is_inside(root: &Path, path: &Path) -> bool {
    path.ancestors().skip(1).take_while(|above| *above != root).all(|above| !above.is_symlink() && !above.is_file())
}

fn put(root: &Path, path: &Path, node: &Node) {
    if !is_inside(root, path) || path.is_dir() && !path.is_symlink() {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(path);
    match node {
        Node::File(bytes) => fs::write(path, &**bytes).unwrap(),
        Node::Program(bytes) => {
            fs::write(path, &**bytes).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Node::Link(target) => symlink(target, path).unwrap(),
        Node::Submodule => unreachable!("steps make no submodules"),
    }
}

fn take_step(lab: &Lab, root: &Path, step: &Step) {
    let files = on_disk(root);
    let target = |at: &Index| (!files.is_empty()).then(|| at.get(&files).clone());
    let below = |path: &[u8]| root.join(OsStr::from_bytes(path));
    let git = |arguments: &[&str], path: &Path| {
        let mut all: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        all.extend([OsStr::new("--"), path.as_os_str()]);
        // What git refuses (an untracked path, an ignored one) changes nothing.
        let _ = lab.ask(root, &all, b"");
    };
    match step {
        Step::Write(path, node) => put(root, &below(path), node),
        Step::Change(at, body) => target(at).iter().for_each(|path| put(root, path, &Node::File(body.clone()))),
        Step::Delete(at) => target(at).iter().for_each(|path| fs::remove_file(path).unwrap()),
        Step::Rename(at, to) => {
            let to = below(to);
            if let Some(from) = target(at).filter(|_| is_inside(root, &to)) {
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                let _ = fs::rename(from, to);
            }
        }
        Step::FileToDirectory(at, body) => {
            if let Some(path) = target(at) {
                fs::remove_file(&path).unwrap();
                put(root, &path.join("inner"), &Node::File(body.clone()));
            }
        }
        Step::DirectoryToFile(at, body) => {
            if let Some(path) = target(at).filter(|path| path.parent() != Some(root)) {
                let directory = path.parent().unwrap();
                fs::remove_dir_all(directory).unwrap();
                put(root, directory, &Node::File(body.clone()));
            }
        }
        Step::FileToLink(at, to) => target(at).iter().for_each(|path| put(root, path, &Node::Link(to))),
        Step::Mode(at) => {
            if let Some(path) = target(at).filter(|path| !path.is_symlink()) {
                fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
        Step::Stage(at) => target(at).iter().for_each(|path| git(&["add", "--sparse"], path)),
        Step::Untrack(at) => target(at).iter().for_each(|path| git(&["rm", "-q", "--cached", "--sparse"], path)),
        Step::AssumeUnchanged(at) => {
            target(at).iter().for_each(|path| git(&["update-index", "--assume-unchanged"], path));
        }
        Step::SkipWorktree(at) => target(at).iter().for_each(|path| git(&["update-index", "--skip-worktree"], path)),
        Step::Nested(path) => {
            let path = below(path);
            if is_inside(root, &path) && !path.exists() && !path.is_symlink() {
                fs::create_dir_all(&path).unwrap();
                lab.git(&path, &["init", "-q", "-b", "main"]);
                fs::write(path.join("inner"), "x\n").unwrap();
                lab.commit(&path);
            }
        }
        Step::Rules(rules) => {
            let path = root.join(&rules.path);
            put(root, &path, &Node::File(rules.text.clone()));
        }
        Step::Touch => touch_all(root),
    }
}

/// Rule files count once they are tracked, and what is compared is what will be.
fn track_rules(lab: &Lab, root: &Path) {
    let is_rule = |path: &&PathBuf| {
        [".cceignore", ".gitattributes"].iter().any(|name| path.file_name() == Some(OsStr::new(name)))
    };
    let files = on_disk(root);
    let untracked = zero_separated(&lab.ask(root, &["ls-files", "-o", "--exclude-standard", "-z"], b"").1);
    for path in files.iter().filter(is_rule) {
        if untracked.contains(path.strip_prefix(root).unwrap().as_os_str().as_bytes()) {
            lab.git(root, &["add", "-N", "--sparse", "--", path.to_str().unwrap()]);
        }
    }
}

const SILENT: [&str; 6] = ["-c", "filter.lfs.clean=", "-c", "filter.lfs.required=false", "-c", "core.safecrlf=false"];

fn held(lab: &Lab, root: &Path) -> BTreeMap<Vec<u8>, String> {
    let (success, out, error) = lab.ask(root, &["ls-files", "-s", "-z"], b"");
    assert!(success, "{error}");
    let entry = |line: Vec<u8>| {
        let tab = line.iter().position(|&byte| byte == b'\t').unwrap();
        (line[tab + 1..].to_vec(), String::from_utf8(line[7..47].to_vec()).unwrap())
    };
    zero_separated(&out).into_iter().map(entry).collect()
}

/// What a checkout of the index would write at a path, with attributes as a checkout takes them.
fn written_by_checkout(lab: &Lab, root: &Path, index: &Path, path: &[u8]) -> Option<Vec<u8>> {
    let (place, empty) = (lab.path("place"), lab.path("empty"));
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&empty).unwrap();
    let git_dir = lab.git(root, &["rev-parse", "--absolute-git-dir"]);
    let prefix = format!("--prefix={}/", place.display());
    let mut command = lab.git_command(&empty);
    command.args(["-c", "filter.lfs.smudge=", "checkout-index", "-q", "-f", &prefix, "--"]);
    command
        .arg(OsStr::from_bytes(path))
        .env("GIT_DIR", git_dir)
        .env("GIT_WORK_TREE", &empty)
        .env("GIT_INDEX_FILE", index);
    command.output().unwrap();
    fs::read(place.join(OsStr::from_bytes(path))).ok()
}

/// The dirty work tree against the commit of it.
fn check_dirty(lab: &Lab, root: &Path) -> Result<(), TestCaseError> {
    let before = held(lab, root);
    let dirty = of_work_tree(root);
    let untracked: BTreeSet<Vec<u8>> =
        zero_separated(&lab.ask(root, &["ls-files", "-o", "--exclude-standard", "-z"], b"").1)
            .into_iter()
            .map(|path| path.strip_suffix(b"/").map_or(path.clone(), <[u8]>::to_vec))
            .collect();
    let listed = paths(&dirty.0);
    let beyond: BTreeSet<Vec<u8>> = listed.iter().filter(|path| !before.contains_key(*path)).cloned().collect();
    prop_assert_eq!(shown(&beyond), shown(&untracked), "untracked");

    let index = lab.path("index-before");
    let git_dir = PathBuf::from(lab.git(root, &["rev-parse", "--absolute-git-dir"]));
    fs::copy(git_dir.join("index"), &index).unwrap();
    let (success, _, error) = lab.ask(root, &[&SILENT[..], &["add", "-A", "--sparse"]].concat(), b"");
    if !success {
        // A file that is not in the encoding that its attributes name: git stores nothing.
        prop_assert!(error.contains("encod") || error.contains("BOM"), "{}", error);
        return Ok(());
    }
    lab.git(root, &["commit", "-q", "--allow-empty", "-m", "all"]);
    let (mut found, mut wanted) = (gist(&dirty), gist(&of_commit(root)));
    let names: Vec<RepoPath> = found.0.keys().cloned().collect();
    for path in names {
        let kept = before.get(path.as_bytes()) == Some(&found.0[&path].0.to_string());
        if kept && wanted.0.get(&path) != found.0.get(&path) {
            // What git holds or a checkout writes is unchanged, even where storing it again would alter it.
            let file = root.join(OsStr::from_bytes(path.as_bytes()));
            let raw = [OsStr::new("hash-object"), OsStr::new("--no-filters"), OsStr::new("--"), file.as_os_str()];
            let held = || String::from_utf8(lab.ask(root, &raw, b"").1).unwrap().trim_end().to_owned();
            let written = || written_by_checkout(lab, root, &index, path.as_bytes());
            let unchanged = held() == before[path.as_bytes()] || fs::read(&file).ok() == written();
            prop_assert!(unchanged, "{path} is taken for unchanged");
            found.0.remove(&path);
            wanted.0.remove(&path);
        }
    }
    prop_assert_eq!(found, wanted);
    Ok(())
}

fn shown(paths: &BTreeSet<Vec<u8>>) -> Vec<String> {
    paths.iter().map(|path| path.escape_ascii().to_string()).collect()
}

/// The text of each file that is in, and the reason of each that is out.
type Answers = (BTreeMap<RepoPath, String>, BTreeMap<RepoPath, SkipReason>);

fn answers(everything: &Everything) -> Answers {
    let mut answers = (BTreeMap::new(), BTreeMap::new());
    answers.1.extend(everything.0.skipped.iter().map(|file| (file.skipped.path.clone(), file.skipped.reason)));
    for (path, content) in &everything.1 {
        match content {
            Content::Text(decoded) => answers.0.insert(path.clone(), decoded.text.clone()).is_some(),
            Content::Skip(reason) => answers.1.insert(path.clone(), *reason).is_some(),
        };
    }
    answers
}

/// What an index answers after it was brought up to what the work tree holds now.
fn refreshed(store: &Store, root: &Path) -> Answers {
    let refresh = Refresh {
        now: &WorkTree::open(root, Some(&store.stat_cache().unwrap())).unwrap(),
        open_commit: &|sha| Ok(Box::new(CommitSource::open(root, sha)?)),
        origin_id: None,
        rebuild: false,
        progress: &|_, _| {},
    };
    let (_, view, _) = refresh.run(store).unwrap();
    let files = view.files().unwrap();
    let skipped = view.skipped().unwrap();
    (
        files.iter().map(|(index, file)| (index.path(*file).unwrap(), index.text(*file).unwrap().to_owned())).collect(),
        skipped.iter().map(|entry| (RepoPath::parse(entry.path).unwrap(), entry.reason)).collect(),
    )
}

/// The number of cases: few in the suite, more when soaking.
fn cases(usual: u32) -> ProptestConfig {
    let wanted = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok());
    ProptestConfig { cases: wanted.unwrap_or(usual), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn a_commit_is_the_same_from_everywhere(tree in tree(), how in checkout()) {
        let lab = Lab::new();
        let bare = bare(&lab, &tree);
        let commit = of_commit(&bare);
        let listed = ls_tree(&lab, &bare);
        prop_assert_eq!(shown(&paths(&commit.0)), shown(&listed.keys().cloned().collect()));
        for file in &commit.0.files {
            prop_assert_eq!(file.content.to_string(), listed[file.path.as_bytes()].clone());
        }
        let oracle = rule_oracle(&lab, &tree);
        let source = CommitSource::open(&bare, "HEAD").unwrap();
        for path in tree.keys() {
            oracle.check(&source, path)?;
        }
        let root = check_out(&lab, &bare, &how);
        prop_assert_eq!(of_commit(&root), commit.clone(), "by commit from a checkout");
        prop_assert_eq!(of_work_tree(&root), commit.clone(), "clean work tree");
        let records = |source: &dyn Source| {
            let built = cce::snapshot::collect(source, source.list().unwrap(), None, &|_, _| {}).unwrap().0;
            built.manifest.checksum
        };
        prop_assert_eq!(records(&WorkTree::open(&root, None).unwrap()), records(&source));
        let info = lab.path("clone/.git/info/attributes");
        fs::write(&info, &*how.info_attributes).unwrap();
        prop_assert_eq!(of_commit(&root), commit, "with attributes of the machine's own");
    }

    #[test]
    fn a_dirty_work_tree_is_the_commit_of_it(
        tree in tree(),
        how in checkout(),
        steps in prop::collection::vec(step(), 1..12),
        machine_attributes: bool,
        laid_over in prop::bool::weighted(0.3),
    ) {
        let lab = Lab::new();
        let bare = bare(&lab, &tree);
        let root = check_out(&lab, &bare, &how);
        let store = laid_over.then(|| Store::at(lab.path("store")));
        if let Some(store) = &store {
            prop_assert_eq!(refreshed(store, &root), answers(&of_commit(&root)));
        }
        steps.iter().for_each(|step| take_step(&lab, &root, step));
        track_rules(&lab, &root);
        if machine_attributes {
            fs::write(lab.path("clone/.git/info/attributes"), &*how.info_attributes).unwrap();
        }
        if let Some(store) = &store {
            prop_assert_eq!(refreshed(store, &root), answers(&of_work_tree(&root)), "laid over the commit");
        }
        check_dirty(&lab, &root)?;
    }
}

/// How many bytes `new` has as it would be stored, asked of the program.
fn stored_bytes(sandbox: &Sandbox, environment: &[(&str, &str)]) -> u64 {
    let mut command = sandbox.program(env!("CARGO_BIN_EXE_cce"));
    command.current_dir(sandbox.path("r")).envs(environment.iter().copied()).args(["why", "--json", "new"]);
    let ran: sandbox::Ran = command.output().unwrap().into();
    let document: serde_json::Value = serde_json::from_str(&ran.succeeds()).unwrap();
    document["paths"][0]["text_bytes"].as_u64().unwrap()
}

#[test]
fn settings_count_wherever_git_takes_them_from() {
    let sandbox = Sandbox::new();
    sandbox.repository("r");
    sandbox.write("r/new", "one\r\ntwo\r\n");
    assert_eq!(stored_bytes(&sandbox, &[]), 10);
    let counted = [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "core.autocrlf"), ("GIT_CONFIG_VALUE_0", "true")];
    assert_eq!(stored_bytes(&sandbox, &counted), 8);
    assert_eq!(stored_bytes(&sandbox, &[("GIT_CONFIG_PARAMETERS", "'core.autocrlf'='input'")]), 8);

    sandbox.write("home/.gitconfig", "[includeIf \"hasconfig:remote.*.url:https://example.com/**\"]\npath = work\n");
    sandbox.write("home/work", "[core]\nautocrlf = true\n");
    assert_eq!(stored_bytes(&sandbox, &[]), 10);
    sandbox.git("r", &["remote", "add", "origin", "https://example.com/a/b"]);
    assert_eq!(stored_bytes(&sandbox, &[]), 8);

    sandbox.write("home/.gitconfig", "[includeIf \"gitdir:**/r/\"]\npath = work\n");
    assert_eq!(stored_bytes(&sandbox, &[]), 8);
    sandbox.write("home/.gitconfig", "[core]\nexcludesFile = ~/ignored\n");
    assert_eq!(stored_bytes(&sandbox, &[]), 10);
    sandbox.write("home/ignored", "new\n");
    assert_eq!(sandbox.cce("r", &["why", "new"]).code, 1);
    sandbox.write("home/.gitconfig", "");
    sandbox.write("home/.config/git/ignore", "new\n");
    assert_eq!(sandbox.cce("r", &["why", "new"]).code, 1);
}

#[test]
fn a_changed_file_keeps_the_line_ends_that_are_stored() {
    let lab = Lab::new();
    let root = lab.repository("r");
    sandbox::lab::write(&root, "crlf", "one\r\n");
    sandbox::lab::write(&root, "lf", "one\n");
    lab.commit(&root);
    lab.git(&root, &["config", "core.autocrlf", "true"]);
    for path in ["crlf", "lf", "new"] {
        sandbox::lab::write(&root, path, "two, and longer\r\n");
    }
    let listed = of_work_tree(&root);
    let text = |path| sandbox::lab::text(&listed, path);
    assert_eq!(
        [text("crlf"), text("lf"), text("new")],
        ["two, and longer\r\n", "two, and longer\n", "two, and longer\n"]
    );
    lab.commit(&root);
    assert_eq!(gist(&of_commit(&root)), gist(&listed));
}

#[test]
fn attributes_of_a_deleted_file_convert_still() {
    let lab = Lab::new();
    let root = lab.repository("r");
    sandbox::lab::write(&root, ".gitattributes", "* text\n");
    sandbox::lab::write(&root, "sub/.gitattributes", "keep -text\n");
    lab.commit(&root);
    fs::remove_file(root.join(".gitattributes")).unwrap();
    fs::remove_file(root.join("sub/.gitattributes")).unwrap();
    sandbox::lab::write(&root, "sub/other", "two\r\n");
    sandbox::lab::write(&root, "sub/keep", "two\r\n");
    let listed = of_work_tree(&root);
    let text = |path| sandbox::lab::text(&listed, path);
    assert_eq!([text("sub/other"), text("sub/keep")], ["two\n", "two\r\n"]);
}

#[test]
fn what_a_sparse_checkout_holds_all_the_same_is_looked_at() {
    let lab = Lab::new();
    let root = lab.repository("r");
    for path in ["top", "d/a", "e/a", "e/b"] {
        sandbox::lab::write(&root, path, "one\n");
    }
    lab.commit(&root);
    lab.git(&root, &["sparse-checkout", "set", "--cone", "--no-sparse-index", "d"]);
    sandbox::lab::write(&root, "e/a", "two, written by hand\n");
    let listed = of_work_tree(&root);
    let text = |path| sandbox::lab::text(&listed, path);
    assert_eq!([text("e/a"), text("e/b")], ["two, written by hand\n", "one\n"]);
    lab.git(&root, &["config", "sparse.expectFilesOutsideOfPatterns", "true"]);
    assert_eq!(sandbox::lab::text(&of_work_tree(&root), "e/a"), "one\n");
}

#[test]
fn what_stands_in_the_place_of_a_tracked_path_replaces_it() {
    let lab = Lab::new();
    let root = lab.repository("r");
    for path in ["file", "directory/a", "nested"] {
        sandbox::lab::write(&root, path, "one\n");
    }
    lab.commit(&root);
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        lab.git(&root, &["update-index", flag, "file", "directory/a", "nested"]);
    }
    fs::remove_file(root.join("file")).unwrap();
    sandbox::lab::write(&root, "file/inner", "two\n");
    fs::remove_dir_all(root.join("directory")).unwrap();
    sandbox::lab::write(&root, "directory", "two\n");
    fs::remove_file(root.join("nested")).unwrap();
    lab.git(&root, &["init", "-q", "nested"]);
    let listed = of_work_tree(&root);
    let found = shown(&paths(&listed.0));
    assert_eq!(found, ["directory", "file/inner", "nested"]);
    assert_eq!(listed.0.files.len() + listed.0.skipped.len(), 3);
}

#[test]
fn an_ignore_file_that_is_assumed_unchanged_and_gone_hides_nothing() {
    let lab = Lab::new();
    let root = lab.repository("r");
    sandbox::lab::write(&root, ".gitignore", "*.x\n");
    sandbox::lab::write(&root, "sub/.gitignore", "*.y\n");
    lab.commit(&root);
    lab.git(&root, &["update-index", "--assume-unchanged", ".gitignore"]);
    lab.git(&root, &["update-index", "--skip-worktree", "sub/.gitignore"]);
    fs::remove_file(root.join(".gitignore")).unwrap();
    fs::remove_file(root.join("sub/.gitignore")).unwrap();
    sandbox::lab::write(&root, "sub/a.x", "");
    sandbox::lab::write(&root, "sub/a.y", "");
    let untracked = zero_separated(&lab.ask(&root, &["ls-files", "-o", "--exclude-standard", "-z"], b"").1);
    assert_eq!(shown(&untracked), ["sub/a.x"]);
    assert_eq!(shown(&paths(&of_work_tree(&root).0)), [".gitignore", "sub/.gitignore", "sub/a.x"]);
}
