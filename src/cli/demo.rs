//! `cce demo`: the main job on any repository, step by step, with a throw-away remote.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Exit;
use super::Failure;
use super::index::short;
use super::project::{Project, under};
use super::search::render;
use super::sync::{build, install_into};
use super::terminal::{Terminal, bytes, count, style};
use crate::git::Program;
use crate::record::{Record, canonical, flag, kind, role};
use crate::search::{self, Request};
use crate::snapshot::{Manifest, Snapshot};
use crate::source::Source;
use crate::sync::{self, Place, PullOptions, PushOptions, Wanted};

/// Show the main job on a repository, offline and without leaving a trace
///
/// Builds the index of HEAD, publishes it to a remote in a temporary directory, pulls it
/// into an empty directory, verifies it, and answers a search there without the source.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  cce demo
  cce demo ~/src/billing --query 'how is an invoice rounded'")]
pub struct Args {
    /// The repository
    #[arg(default_value = ".", hide_default_value = true)]
    path: PathBuf,
    /// What to search for; taken from the code where this is absent
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(&under(directory, &args.path))?;
    let stage = Stage::set(&project)?;
    let source = project.commit("HEAD")?;
    let sha = source.commit().map(|commit| commit.sha.clone()).unwrap_or_default();
    terminal.line(format_args!("The main job on {} at {}\n", project.root().display(), short(&sha)))?;

    let (snapshot, time, _) = build(&source, Some(&stage.repo_id), project.root())?;
    step(terminal, "build", &built(&snapshot))?;

    let mut options = PushOptions::new(&snapshot, time);
    options.branch = Some("demo".to_owned());
    let pushed = sync::push(&stage.publisher, &options)?;
    step(terminal, "publish", &format!("{} sent to {}", bytes(pushed.bytes), pushed.name))?;

    let pulled = sync::pull(
        &stage.consumer,
        &PullOptions { repo_id: None, wanted: Wanted::Latest { branch: None }, exact: true },
    )?;
    let manifest = install_into(&pulled, &stage.empty())?;
    step(
        terminal,
        "pull",
        &format!("{} checked one by one into an empty directory", count(manifest.file_count, "record")),
    )?;

    verify(&snapshot.manifest, &manifest)?;
    step(terminal, "verify", &format!("the pulled checksum is the one the commit gives: {}", manifest.checksum))?;

    let query = args.query.clone().unwrap_or_else(|| question_about(&snapshot));
    step(terminal, "search", &format!("`{query}`, answered without source and without network\n"))?;
    answer(&stage, query, terminal)
}

fn step(terminal: &mut Terminal, name: &str, said: &str) -> Result<(), Failure> {
    let bold = style::NAME;
    terminal.line(format_args!("{bold}{name:8}{bold:#} {said}"))
}

/// Temporary directories with a bare remote; everything goes when this is dropped.
struct Stage {
    root: tempfile::TempDir,
    repo_id: String,
    publisher: Place,
    consumer: Place,
}

impl Stage {
    fn set(project: &Project) -> Result<Self, Failure> {
        let root = tempfile::Builder::new()
            .prefix("cce-demo-")
            .tempdir()
            .map_err(|error| Failure::data(format!("cannot make a temporary directory: {error}")))?;
        let remote = root.path().join("remote.git");
        Program::own(root.path(), "init").args(["--quiet", "--bare"]).values([&remote]).run().map_err(Failure::data)?;
        let name = project.root().file_name().map(|name| name.to_string_lossy().into_owned());
        let repo_id = format!("demo/{}", plain(&name.unwrap_or_default()));
        let place = |caches: &str| Place {
            remote: format!("file://{}", remote.display()),
            source: None,
            ..Place::new(root.path().join(caches))
        };
        let (mut publisher, consumer) = (place("publisher"), place("consumer"));
        publisher.source = Some(project.root().to_owned());
        Ok(Self { repo_id, publisher, consumer, root })
    }

    fn empty(&self) -> PathBuf {
        self.root.path().join("empty")
    }
}

/// A directory's name as part of a repository id.
fn plain(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
    let plain = plain.trim_matches('.');
    if plain.is_empty() { "repository".to_owned() } else { plain.to_owned() }
}

fn built(snapshot: &Snapshot) -> String {
    let (mut text, mut definitions) = (0, 0);
    for record in records(snapshot) {
        text += record.text.len() as u64;
        definitions += record.definitions.len() as u64;
    }
    format!(
        "{}, {} of text, {}",
        count(snapshot.manifest.file_count, "record"),
        bytes(text),
        count(definitions, "definition")
    )
}

fn records(snapshot: &Snapshot) -> impl Iterator<Item = Record> {
    snapshot.records.iter().filter_map(|entry| canonical::parse(&entry.line).ok())
}

fn verify(ours: &Manifest, theirs: &Manifest) -> Result<(), Failure> {
    if ours == theirs {
        return Ok(());
    }
    Err(Failure::data(format!("pulled checksum {} and built checksum {} differ", theirs.checksum, ours.checksum)))
}

fn answer(stage: &Stage, query: String, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let consumer = Project::open(&stage.empty())?;
    let (_, view) = consumer.view_for_search(None)?;
    let request = Request { top_k: 3, ..Request::new(query) };
    let answer = search::search(std::slice::from_ref(&view), &request)?;
    if answer.results.is_empty() {
        terminal.line("nothing found; try `--query` with words of your own")?;
        return Ok(Exit::Negative);
    }
    render(&answer, terminal)?;
    Ok(Exit::Fine)
}

/// Words that a reader of the code might ask with: the parts of the name of the documented
/// function that is called most.
fn question_about(snapshot: &Snapshot) -> String {
    let mut called: BTreeMap<String, u64> = BTreeMap::new();
    let mut named = Vec::new();
    for record in records(snapshot).filter(|record| !record.flags.contains(&flag::TEST)) {
        let calls = record.references.iter().filter(|reference| reference.role == role::CALL);
        for name in calls.filter_map(|reference| reference.span.of(&record.text)) {
            *called.entry(name.to_owned()).or_default() += 1;
        }
        let callable = [kind::FUNCTION, kind::METHOD];
        let callables = record.definitions.iter().filter(|one| callable.contains(&one.kind));
        named.extend(callables.map(|definition| (definition.doc.is_some(), definition.name.clone())));
    }
    let mut defined: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, name) in &named {
        *defined.entry(name).or_default() += 1;
    }
    let unique = named.iter().filter(|(_, name)| defined[name.as_str()] == 1);
    let best = unique.max_by_key(|(documented, name)| {
        (*documented, words(name).len().min(3), called.get(name).copied(), Reverse(name))
    });
    best.map_or_else(|| first_word(snapshot), |(_, name)| words(name).join(" "))
}

/// Where nothing is callable: the first long word of the first text.
fn first_word(snapshot: &Snapshot) -> String {
    let word = records(snapshot).find_map(|record| {
        let words = record.text.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| word.len() > 3).map(str::to_owned).next()
    });
    word.unwrap_or_else(|| "main".to_owned())
}

/// The parts of an identifier, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before_lower = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (character.is_uppercase() && before_lower) {
            words.push(String::new());
        }
        before_lower = character.is_lowercase();
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words_and_directories_become_ids() {
        assert_eq!(words("parseHeader_line"), ["parse", "header", "line"]);
        assert_eq!(words("__init__"), ["init"]);
        assert_eq!(plain("my project"), "my-project");
        assert_eq!(plain(".."), "repository");
    }
}
