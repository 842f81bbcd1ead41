//! `cce artifact diff`: what changed from one artifact to another.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{open, refused};
use crate::cli::project::under;
use crate::cli::terminal::{Terminal, count, safe, style};
use crate::cli::{Exit, Failure};
use crate::config::RepoId;
use crate::snapshot::{Change, Difference, Manifest, Side, difference};

/// Show files and definitions that were added, removed or changed from one artifact to another
#[derive(Debug, clap::Args)]
#[command(after_help = "Both files are verified. A definition is told by its name and what holds it; moving it
is no change. `+` is added, `-` removed, `~` changed. A file without definitions below it
changed in other text.

Exit code 0: the contents are the same. 1: they differ.

Examples:
  cce artifact diff v1.cce3 v2.cce3
  cce artifact diff --json v1.cce3 v2.cce3")]
pub struct Args {
    /// The artifact before
    old: PathBuf,
    /// The artifact after
    new: PathBuf,
    /// Print one JSON document instead (schema cce.diff/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let (old, new) = (under(directory, &args.old), under(directory, &args.new));
    let found = difference(&mut open(&old)?, &mut open(&new)?).map_err(|(side, error)| match side {
        Side::Old => refused(&old, &error),
        Side::New => refused(&new, &error),
    })?;
    match args.json {
        true => terminal.json(&document(&found))?,
        false => print(&found, terminal)?,
    }
    Ok(if found.files.is_empty() { Exit::Fine } else { Exit::Negative })
}

fn print(found: &Difference, terminal: &mut Terminal) -> Result<(), Failure> {
    let bold = style::NAME;
    for file in &found.files {
        terminal.line(format_args!("{} {bold}{}{bold:#}", sign(file.change), safe(&file.path.display())))?;
        for (change, definition) in &file.definitions {
            terminal.line(format_args!("  {} {} {}", sign(*change), definition.kind, safe(&definition.name)))?;
        }
    }
    if found.files.is_empty() {
        return terminal.line(format_args!("the same {}", count(found.new.file_count, "record")));
    }
    let files = Tally::of(found.files.iter().map(|file| file.change));
    let definitions = Tally::of(found.files.iter().flat_map(|file| &file.definitions).map(|(change, _)| *change));
    terminal.line(format_args!("files: {files}; definitions: {definitions}"))
}

fn sign(change: Change) -> char {
    match change {
        Change::Added => '+',
        Change::Removed => '-',
        Change::Changed => '~',
    }
}

fn word(change: Change) -> &'static str {
    match change {
        Change::Added => "added",
        Change::Removed => "removed",
        Change::Changed => "changed",
    }
}

/// How many of each change.
#[derive(Default)]
struct Tally {
    added: u64,
    removed: u64,
    changed: u64,
}

impl Tally {
    fn of(changes: impl Iterator<Item = Change>) -> Self {
        changes.fold(Self::default(), |mut tally, change| {
            match change {
                Change::Added => tally.added += 1,
                Change::Removed => tally.removed += 1,
                Change::Changed => tally.changed += 1,
            }
            tally
        })
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} added, {} removed, {} changed", self.added, self.removed, self.changed)
    }
}

fn document(found: &Difference) -> Value {
    let side = |manifest: &Manifest| {
        json!({
            "repo_id": manifest.repo_id.as_ref().map(RepoId::as_str),
            "sha": manifest.sha,
            "checksum": manifest.checksum,
        })
    };
    let files: Vec<Value> = found
        .files
        .iter()
        .map(|file| {
            let definitions = file.definitions.iter().map(|(change, definition)| {
                json!({ "change": word(*change), "kind": definition.kind.to_string(), "name": definition.name })
            });
            json!({
                "path": file.path.display(),
                "change": word(file.change),
                "definitions": definitions.collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({ "schema": "cce.diff/1", "old": side(&found.old), "new": side(&found.new), "files": files })
}
