//! `cce sync pull --all`: every repository of a remote, into a workspace.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::pointer_name;
use crate::cli::index::short;
use crate::cli::project::under;
use crate::cli::terminal::{Progress, Terminal, count, named, note, style};
use crate::cli::{Exit, Failure};
use crate::source::{Place as SourcePlace, detect};
use crate::sync::{self, DEFAULT_REMOTE, Installed, Outcome, Place, PullAllError, PullAllOptions, PulledAll};
use crate::workspace::Workspace;

/// Options of the pull that brings everything.
#[derive(Debug, clap::Args)]
pub struct AllArgs {
    /// Every repository that the remote holds; a repository without the branch gives its default.
    /// In a workspace, --into and --remote may be left out
    #[arg(long, conflicts_with_all = ["commit", "repo_id"])]
    all: bool,
    /// With --all: only this repository, by its id or a pattern as in .gitignore (`!` excludes);
    /// repeatable
    #[arg(long, value_name = "ID|GLOB", requires = "all")]
    only: Vec<String>,
    /// With --all: drop the repositories that the remote does not hold any more
    #[arg(long, requires = "all")]
    prune: bool,
}

impl AllArgs {
    /// What to bring, where everything was asked for.
    pub fn options(&self, branch: Option<String>) -> Option<PullAllOptions> {
        self.all.then(|| PullAllOptions { branch, only: self.only.clone(), prune: self.prune })
    }
}

/// The directory of the workspace: as given, else the one that `directory` lies in.
pub fn root(into: Option<&Path>, directory: &Path) -> Result<PathBuf, Failure> {
    let Some(into) = into else {
        let around = Workspace::around(directory)?.ok_or_else(|| {
            Failure::usage(format!("`{}` is in no workspace; name a directory with `--into`", directory.display()))
        })?;
        return Ok(around.root().to_owned());
    };
    let root = under(directory, into);
    let absolute =
        std::path::absolute(&root).map_err(|error| Failure::data(format!("`{}`: {error}", into.display())))?;
    let there = absolute.ancestors().find(|path| path.exists()).unwrap_or(&absolute);
    match detect(there)? {
        SourcePlace::Directory { .. } => Ok(root),
        _ => Err(Failure::usage(format!(
            "`{}` is in a git repository, where a workspace has no place; name a directory outside it with `--into`",
            into.display()
        ))),
    }
}

/// Where nothing says which remote is meant, a workspace knows its own.
pub fn known_remote(place: Place, root: &Path) -> Result<Place, Failure> {
    if place.source.is_some() || place.remote != DEFAULT_REMOTE {
        return Ok(place);
    }
    let known = Workspace::at(root)?.map(|workspace| workspace.remote().to_owned());
    Ok(match known {
        Some(remote) => Place { remote, ..place },
        None => place,
    })
}

pub fn run(
    place: Place,
    root: &Path,
    options: &PullAllOptions,
    as_json: bool,
    terminal: &mut Terminal,
) -> Result<Exit, Failure> {
    let progress = Progress::new("verifying");
    let pulled = match sync::pull_all(&place, root, options, &|done, total| progress.at(done, total)) {
        Ok(pulled) => pulled,
        Err(PullAllError::NothingMatches { ref remote, .. }) if as_json => {
            terminal.json(&document(&PulledAll { remote: remote.clone(), ..PulledAll::default() }))?;
            return Ok(Exit::Negative);
        }
        Err(error @ PullAllError::NothingMatches { .. }) => {
            note(error);
            return Ok(Exit::Negative);
        }
        Err(PullAllError::Sync(error)) => return Err(error.into()),
        Err(PullAllError::Workspace(error)) => return Err(error.into()),
    };
    drop(progress);
    if as_json {
        terminal.json(&document(&pulled))?;
    } else {
        for (name, outcome) in &pulled.repositories {
            report(name, outcome, terminal)?;
        }
        terminal.line(summary(&pulled, root))?;
    }
    Ok(exit(&pulled))
}

/// One line a repository; of one that failed, on stderr.
fn report(name: &str, outcome: &Outcome, terminal: &mut Terminal) -> Result<(), Failure> {
    let (word, installed) = (word(outcome), installed(outcome));
    if let Some(Failure { message, .. }) = failure(outcome) {
        let error = style::ERROR;
        note(format_args!("{error}error{error:#}: `{}` was not brought: {message}", named(name)));
        return Ok(());
    }
    let (bold, place, faint) = (style::NAME, style::PLACE, style::FAINT);
    let name = named(name);
    match installed {
        Some(Installed { manifest, .. }) => terminal.line(format_args!(
            "{word:<9} {bold}{name}{bold:#}@{place}{}{place:#} {faint}{}{faint:#}",
            short(manifest.sha.as_deref().unwrap_or_default()),
            count(manifest.file_count, "record")
        )),
        None if matches!(outcome, Outcome::Gone) => terminal.line(format_args!(
            "{word:<9} {bold}{name}{bold:#} {faint}not in the remote any more; `--prune` drops it{faint:#}"
        )),
        None => terminal.line(format_args!("{word:<9} {bold}{name}{bold:#}")),
    }
}

/// How many repositories came out how.
fn summary(pulled: &PulledAll, root: &Path) -> String {
    let outcomes = || pulled.repositories.values();
    let counts: Vec<String> = WORDS
        .iter()
        .map(|wanted| (outcomes().filter(|outcome| word(outcome) == *wanted).count(), wanted))
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    let nothing = outcomes().all(|outcome| matches!(outcome, Outcome::Unchanged(_)));
    let start = if nothing { "nothing new: " } else { "" };
    let total = count(pulled.repositories.len() as u64, "repository");
    format!(
        "{start}{total} of {} in {}: {}",
        named(&pulled.remote),
        named(&root.display().to_string()),
        counts.join(", ")
    )
}

const WORDS: [&str; 6] = ["new", "updated", "unchanged", "failed", "gone", "dropped"];

fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::New(_) => WORDS[0],
        Outcome::Updated(_) => WORDS[1],
        Outcome::Unchanged(_) => WORDS[2],
        Outcome::Failed(_) => WORDS[3],
        Outcome::Gone => WORDS[4],
        Outcome::Dropped => WORDS[5],
    }
}

fn installed(outcome: &Outcome) -> Option<&Installed> {
    match outcome {
        Outcome::New(installed) | Outcome::Updated(installed) | Outcome::Unchanged(installed) => Some(installed),
        Outcome::Failed(_) | Outcome::Gone | Outcome::Dropped => None,
    }
}

/// What the failure of one repository is to the command: never a mistake in how it was called.
fn failure(outcome: &Outcome) -> Option<Failure> {
    let Outcome::Failed(error) = outcome else { return None };
    Some(match error {
        sync::InstallError::Sync(error) if error.kind() == sync::Failure::Remote => Failure::remote(error),
        error => Failure::data(error),
    })
}

/// The remote's fault only where nothing else failed.
fn exit(pulled: &PulledAll) -> Exit {
    let failed: Vec<Exit> = pulled.repositories.values().filter_map(failure).map(|failure| failure.exit).collect();
    match failed.as_slice() {
        [] => Exit::Fine,
        failed if failed.contains(&Exit::Data) => Exit::Data,
        _ => Exit::Remote,
    }
}

fn document(pulled: &PulledAll) -> Value {
    let repositories = pulled.repositories.iter().map(|(name, outcome)| {
        let installed = installed(outcome);
        let manifest = installed.map(|installed| &installed.manifest);
        json!({
            "repo_id": name,
            "outcome": word(outcome),
            "sha": manifest.and_then(|manifest| manifest.sha.clone()),
            "checksum": manifest.map(|manifest| manifest.checksum.clone()),
            "records": manifest.map(|manifest| manifest.file_count),
            "pointer": installed.and_then(|installed| installed.pointer.as_ref()).map(pointer_name),
            "problem": failure(outcome).map(|failure| failure.message),
        })
    });
    json!({
        "schema": "cce.pull_all/1",
        "remote": pulled.remote,
        "repositories": repositories.collect::<Vec<_>>(),
        "artifacts_fetched": pulled.fetched,
    })
}
