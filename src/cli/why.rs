//! `cce why`: whether a path is in the index, and what decided.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use rayon::prelude::*;
use serde_json::{Value, json};

use super::artifact::skipped_counts;
use super::project::Project;
use super::terminal::{Terminal, bytes, count, safe, style};
use super::{Exit, Failure};
use crate::config::Settings;
use crate::language::{self, detect::Basis};
use crate::record::extract::{Extraction, Extractor};
use crate::record::flags::{self, Ground};
use crate::record::{Record, Word, flag, problem};
use crate::snapshot::BuildError;
use crate::source::{
    Absence, Content, FileEntry, FlagRules, Inspect, Listing, RepoPath, Rule, SkipReason, Skipped, SkippedFile,
    SourceError, Verdict, path_bytes, printable,
};

/// Say whether a path is in the index, and what decided
///
/// For a file that is in: its language and flags with what gave them, its encoding and how
/// much text it has. For one that is out: the reason, and the line of the file of rules
/// that decided. For a directory: how many of its files are in, and how many are out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Paths are relative to the current directory; with --at and in a bare repository they are
looked up in the commit. Exit code 0: every path is in. 1: at least one is out.

Examples:
  cce why src/main.rs
  cce why build/out.js docs/
  cce why --at v1.2.0 vendor/lib.c --json")]
pub struct Args {
    /// Files or directories
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Ask about this commit instead of the work tree
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    /// Print one JSON document instead (schema cce.why/1)
    #[arg(long)]
    json: bool,
}

/// What is said of one path.
enum Answer {
    /// A file that is in.
    File(Box<Text>),
    /// A directory.
    Directory(Contents),
    /// Anything that is out.
    Out(Out),
}

/// What a file that is in contributes.
struct Text {
    language: Word,
    basis: Basis,
    encoding: Word,
    bytes: u64,
    flags: Vec<(Word, Option<Cause>)>,
}

/// What gave a flag.
enum Cause {
    Rule(Rule),
    Ground(Ground),
    /// The bytes are in another encoding.
    Encoding,
    /// The first problem of the kind stands in this line.
    Problem(usize),
}

/// How many files of a directory are in, and how many are out why.
struct Contents {
    files: u64,
    skipped: BTreeMap<&'static str, u64>,
}

impl Contents {
    fn is_empty(&self) -> bool {
        self.files == 0 && self.skipped.is_empty()
    }
}

/// Why a path is out.
struct Out {
    /// A word for programs.
    reason: &'static str,
    /// The same for people, with what there is to know.
    says: String,
    rule: Option<Rule>,
}

impl Answer {
    fn is_in(&self) -> bool {
        match self {
            Self::File(_) => true,
            Self::Directory(contents) => contents.files > 0,
            Self::Out(_) => false,
        }
    }
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory)?;
    let source = project.source(args.at.as_deref())?;
    let prefix = project.prefix_of(directory)?;
    let inquiry = Inquiry::new(source.as_ref())?;
    let mut answers = Vec::new();
    let mut asked = Vec::new();
    for given in &args.paths {
        let (path, answer) = match place(project.root(), prefix.as_deref(), given) {
            Ok(path) => {
                let answer = inquiry.ask(&path)?;
                let shown = shown(&path);
                asked.push(path);
                (shown, answer)
            }
            Err(out) => (printable(given.as_os_str().as_encoded_bytes()).into_owned(), Answer::Out(out)),
        };
        answers.push((path, answer));
    }
    if args.json {
        let sha = source.commit().filter(|_| args.at.is_some() || !project.has_files()).map(|commit| &commit.sha);
        let paths: Vec<Value> = answers.iter().map(|(path, answer)| document(path, answer)).collect();
        terminal.json(&json!({ "schema": "cce.why/1", "at": sha, "paths": paths }))?;
    } else {
        answers.iter().try_for_each(|(path, answer)| render(path, answer, terminal))?;
    }
    project.note_unheeded_for(&asked, args.at.as_deref(), &inquiry.listing);
    Ok(if answers.iter().all(|(_, answer)| answer.is_in()) { Exit::Fine } else { Exit::Negative })
}

/// A path from the root; empty for the root itself.
fn place(root: &Path, prefix: Option<&Path>, given: &Path) -> Result<Vec<u8>, Out> {
    let outside = || Out::new("outside", "it is outside the root", None);
    let mut path = PathBuf::new();
    let from = if given.is_absolute() { below_root(root, given).ok_or_else(outside)? } else { given.to_owned() };
    let start = if given.is_absolute() { None } else { prefix };
    for part in start.into_iter().flat_map(Path::components).chain(from.components()) {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            _ => return Err(outside()),
        }
    }
    path_bytes(&path).ok_or_else(|| Out::new("unreadable", "this system has no such names", None))
}

/// An absolute path seen from the root, whichever way it leads there.
fn below_root(root: &Path, given: &Path) -> Option<PathBuf> {
    if let Ok(path) = given.strip_prefix(root) {
        return Some(path.to_owned());
    }
    let resolved = given.parent()?.canonicalize().ok()?.join(given.file_name()?);
    resolved.strip_prefix(root).ok().map(Path::to_owned)
}

fn shown(path: &[u8]) -> String {
    if path.is_empty() { ".".to_owned() } else { printable(path).into_owned() }
}

/// One source, ready to be asked.
struct Inquiry<'a> {
    source: &'a dyn Inspect,
    listing: Listing,
    extractor: Extractor,
}

impl<'a> Inquiry<'a> {
    fn new(source: &'a dyn Inspect) -> Result<Self, Failure> {
        let listing = source.list()?;
        let settings: &Settings = &listing.project.settings;
        let extractor = Extractor::new(settings).map_err(BuildError::from)?;
        Ok(Self { source, listing, extractor })
    }

    fn ask(&self, path: &[u8]) -> Result<Answer, Failure> {
        if path.is_empty() {
            let contents = self.contents(b"")?;
            return Ok(match contents.is_empty() {
                true => Answer::Out(Out::absent(&Absence::EmptyDirectory)),
                false => Answer::Directory(contents),
            });
        }
        if path.split(|&byte| byte == b'/').any(|part| part.eq_ignore_ascii_case(b".git")) {
            return Ok(Answer::Out(Out::absent(&Absence::Private)));
        }
        let path = RepoPath::parse(path).map_err(Failure::usage)?;
        if let Ok(at) = self.listing.files.binary_search_by(|file| file.path.cmp(&path)) {
            return self.file(&self.listing.files[at]);
        }
        if let Ok(at) = self.listing.skipped.binary_search_by(|file| file.skipped.path.cmp(&path)) {
            return self.skipped(&self.listing.skipped[at]).map(Answer::Out);
        }
        let contents = self.contents(&[path.as_bytes(), b"/"].concat())?;
        if !contents.is_empty() {
            return Ok(Answer::Directory(contents));
        }
        Ok(Answer::Out(Out::absent(&self.source.absence(&path)?)))
    }

    fn file(&self, file: &FileEntry) -> Result<Answer, Failure> {
        let decoded = match self.source.read(file)? {
            Content::Text(decoded) => decoded,
            Content::Skip(reason) => {
                let skipped = Skipped { path: file.path.clone(), reason };
                return self.skipped(&SkippedFile { skipped, content: Some(file.content) }).map(Answer::Out);
            }
        };
        let Extraction { record, basis, .. } = self.extractor.extract(&file.path, decoded, file.attributes);
        let pack = language::pack(record.language.as_str());
        let mut grounds = flags::grounds(&file.path, &record.text, file.attributes, pack);
        let rules = self.source.flag_rules(&file.path)?;
        let flags = record.flags.iter().map(|flag| {
            let cause = match grounds.remove(flag) {
                Some(ground) => Some(by_rule(flag, &rules, ground)),
                None => found_in_text(&record, flag),
            };
            (flag.clone(), cause)
        });
        Ok(Answer::File(Box::new(Text {
            language: record.language.clone(),
            basis,
            encoding: record.encoding.clone(),
            bytes: record.text.len() as u64,
            flags: flags.collect(),
        })))
    }

    fn skipped(&self, file: &SkippedFile) -> Result<Out, Failure> {
        let path = &file.skipped.path;
        let size =
            || self.source.size(path, file.content).map_or("it is".to_owned(), |size| format!("it has {size} bytes,"));
        let says = match file.skipped.reason {
            SkipReason::Link => match self.source.target(path, file.content) {
                Some(target) => format!("it is a link to `{}`, and links are not followed", shown(&target)),
                None => "it is a link, and links are not followed".to_owned(),
            },
            SkipReason::Submodule => "it is a repository of its own".to_owned(),
            SkipReason::LfsPointer => "it stands for a file in large-file storage".to_owned(),
            SkipReason::Binary => "it is binary: a NUL stands in its first 8192 bytes".to_owned(),
            SkipReason::Oversize => {
                let limit = self.listing.project.settings.size_limit;
                format!("{} over the limit of {limit} bytes (index.size_limit in cce.toml)", size())
            }
            SkipReason::Sensitive => {
                "its name says that it holds credentials, and such files are never opened".to_owned()
            }
            SkipReason::Unreadable => "the system does not let it be read".to_owned(),
            SkipReason::IgnoredByCceignore => "a committed rule leaves it out".to_owned(),
            SkipReason::IgnoredByAttribute => "the committed attribute `cce-ignore` leaves it out".to_owned(),
        };
        let rule = match self.source.judge(path)? {
            Verdict::Skip { reason, rule } if reason == file.skipped.reason => rule,
            _ => None,
        };
        Ok(Out { reason: file.skipped.reason.as_str(), says, rule })
    }

    /// Counts the files below a directory, whose path ends with a slash.
    fn contents(&self, directory: &[u8]) -> Result<Contents, Failure> {
        let files = self.listing.files.par_iter().filter(|file| file.path.as_bytes().starts_with(directory));
        let read = files.map(|file| {
            Ok(match self.source.read(file)? {
                Content::Text(_) => None,
                Content::Skip(reason) => Some(reason),
            })
        });
        let read = read.collect::<Result<Vec<Option<SkipReason>>, SourceError>>()?;
        let files = read.iter().filter(|reason| reason.is_none()).count() as u64;
        let mut reasons: Vec<SkipReason> = read.into_iter().flatten().collect();
        let skipped = self.listing.skipped.iter().map(|file| &file.skipped);
        let below = skipped.filter(|skipped| skipped.path.as_bytes().starts_with(directory));
        reasons.extend(below.map(|skipped| skipped.reason));
        Ok(Contents { files, skipped: skipped_counts(reasons.into_iter()) })
    }
}

/// The line of an attributes file, where an attribute gave the flag.
fn by_rule(flag: &Word, rules: &FlagRules, ground: Ground) -> Cause {
    let rule = if *flag == flag::GENERATED { &rules.generated } else { &rules.vendored };
    match (&ground, rule) {
        (Ground::Attribute, Some(rule)) => Cause::Rule(rule.clone()),
        _ => Cause::Ground(ground),
    }
}

/// What the text itself says about a flag.
fn found_in_text(record: &Record, flag: &Word) -> Option<Cause> {
    if *flag == flag::NOT_UTF8 {
        return Some(Cause::Encoding);
    }
    let kind = if *flag == flag::PARTIAL_PARSE { &problem::PARSE_ERROR } else { flag };
    let problem = record.problems.iter().find(|problem| problem.kind == *kind)?;
    let before = record.text.as_bytes().get(..problem.span.start as usize)?;
    Some(Cause::Problem(before.iter().filter(|&&byte| byte == b'\n').count() + 1))
}

impl Out {
    fn new(reason: &'static str, says: impl Into<String>, rule: Option<Rule>) -> Self {
        Self { reason, says: says.into(), rule }
    }

    fn absent(absence: &Absence) -> Self {
        let (reason, says, rule) = match absence {
            Absence::Nothing => ("nothing", "nothing stands there".to_owned(), None),
            Absence::Deleted => ("deleted", "git tracks it, and the work tree no longer has it".to_owned(), None),
            Absence::EmptyDirectory => ("empty", "it is a directory with no file that counts".to_owned(), None),
            Absence::Ignored(rule) => ("ignored-by-git", "git ignores it".to_owned(), Some(rule.clone())),
            Absence::Private => ("private", "it belongs to git's own directory, or to cce's".to_owned(), None),
            Absence::BehindLink(link) => {
                ("behind-link", format!("`{link}` above it is a link, and links are not followed"), None)
            }
            Absence::InRepository(path) => {
                ("in-repository", format!("it belongs to the repository `{path}`, which is one of its own"), None)
            }
            Absence::Special => ("special", "it is a socket, a pipe or a device".to_owned(), None),
            Absence::Unreadable => ("unreadable", "the system does not let it be read".to_owned(), None),
        };
        Self { reason, says, rule }
    }
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rule(rule) => write!(f, "{rule}"),
            Self::Ground(ground) => write!(f, "{ground}"),
            Self::Encoding => f.write_str("its encoding"),
            Self::Problem(line) => write!(f, "first met in line {line}"),
        }
    }
}

fn render(path: &str, answer: &Answer, terminal: &mut Terminal) -> Result<(), Failure> {
    let name = style::PLACE;
    match answer {
        Answer::File(text) => {
            terminal.line(format_args!("{name}{path}{name:#}: in"))?;
            terminal.line(format_args!("    language {} ({})", text.language, safe(&text.basis.to_string())))?;
            terminal.line(format_args!("    text {}, {}", bytes(text.bytes), text.encoding))?;
            for (flag, cause) in &text.flags {
                let cause = cause.as_ref().map(|cause| format!(" ({})", safe(&cause.to_string()))).unwrap_or_default();
                terminal.line(format_args!("    flag {flag}{cause}"))?;
            }
            Ok(())
        }
        Answer::Directory(contents) => {
            let state = if contents.files > 0 { "in" } else { "out" };
            let mut parts = vec![format!("{} in", count(contents.files, "file"))];
            parts.extend(contents.skipped.iter().map(|(reason, count)| format!("{count} out as {reason}")));
            terminal.line(format_args!("{name}{path}{name:#}: {state}, a directory: {}", parts.join(", ")))
        }
        Answer::Out(out) => {
            terminal.line(format_args!("{name}{path}{name:#}: out, {}", safe(&out.says)))?;
            match &out.rule {
                Some(rule) => terminal.line(format_args!("    rule {}", safe(&rule.to_string()))),
                None => Ok(()),
            }
        }
    }
}

fn document(path: &str, answer: &Answer) -> Value {
    match answer {
        Answer::File(text) => {
            let flags: Vec<Value> = text
                .flags
                .iter()
                .map(|(flag, cause)| {
                    let rule = match cause {
                        Some(Cause::Rule(rule)) => rule_document(rule),
                        _ => Value::Null,
                    };
                    json!({ "flag": flag, "because": cause.as_ref().map(ToString::to_string), "rule": rule })
                })
                .collect();
            json!({
                "path": path,
                "in": true,
                "kind": "file",
                "language": text.language,
                "language_because": text.basis.to_string(),
                "encoding": text.encoding,
                "text_bytes": text.bytes,
                "flags": flags,
            })
        }
        Answer::Directory(contents) => json!({
            "path": path,
            "in": contents.files > 0,
            "kind": "directory",
            "files": contents.files,
            "skipped": contents.skipped,
        }),
        Answer::Out(out) => json!({
            "path": path,
            "in": false,
            "kind": "out",
            "reason": out.reason,
            "because": out.says,
            "rule": out.rule.as_ref().map_or(Value::Null, rule_document),
        }),
    }
}

fn rule_document(rule: &Rule) -> Value {
    json!({ "file": rule.file, "line": rule.line, "text": rule.text })
}
