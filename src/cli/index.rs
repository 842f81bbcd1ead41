//! `cce index`: brings the local index up to date.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::artifact::skipped_counts;
use super::project::{Project, under};
use super::settings::settings;
use super::terminal::{Terminal, bytes, count, note};
use super::{Exit, Failure, faults, redactions};
use crate::snapshot::Manifest;
use crate::source::{RepoPath, redact};
use crate::store::{Active, IndexError, Report, View};

/// Build or refresh the local index
///
/// In a git repository the index stands for HEAD, with the differences of the work tree
/// laid over it. Only what changed since the last run is read again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  cce index
  cce index ~/src/billing --json")]
pub struct Args {
    /// The repository or directory to index
    #[arg(default_value = ".", hide_default_value = true)]
    path: PathBuf,
    /// Build from nothing, whatever is there
    #[arg(long)]
    rebuild: bool,
    /// Print one JSON document instead (schema cce.index/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(&under(directory, &args.path))?;
    // A slip in a setting is told by every command that works in a project.
    settings(Some(&project))?;
    let (active, view, report) = project.refresh(args.rebuild)?;
    if let Some(reason) = &report.rebuilt_because {
        note(format_args!("the index was built from nothing: {reason}"));
    }
    project.note_unheeded(&view)?;
    redactions::report(&report.redactions, "`cce index --json`");
    faults::report(&Manifest::parse(view.base().manifest()).map_err(Failure::data)?);
    if args.json {
        terminal.json(&document(&active, &view, &report)?)?;
    } else {
        summary(&active, &view, &report, terminal)?;
    }
    Ok(Exit::Fine)
}

fn summary(active: &Active, view: &View, report: &Report, terminal: &mut Terminal) -> Result<(), Failure> {
    let figures = view.figures();
    let state = match (&active.head, active.dirty) {
        (None, _) => "no commit".to_owned(),
        (Some(sha), false) => short(sha).to_owned(),
        (Some(sha), true) => format!("{} with uncommitted changes", short(sha)),
    };
    let work = if report.changed {
        format!("{} read", count(report.extracted as u64, "file"))
    } else {
        "nothing changed".to_owned()
    };
    terminal.line(format_args!(
        "{state}: {}, {}, {} of text; index {} ({work})",
        count(figures.files, "file"),
        count(figures.passages, "passage"),
        bytes(figures.text_bytes),
        bytes(figures.index_bytes)
    ))?;
    let skipped = skipped_counts(view.skipped()?.iter().map(|skipped| skipped.reason));
    if !skipped.is_empty() {
        let parts: Vec<String> = skipped.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        terminal.line(format_args!("without text: {} (listed by --json)", parts.join(", ")))?;
    }
    Ok(())
}

/// The name of the repository that a view is of.
pub(super) fn repo_id(view: &View) -> Result<Option<String>, Failure> {
    let manifest = Manifest::parse(view.base().manifest()).map_err(Failure::data)?;
    Ok(manifest.repo_id.map(|id| id.to_string()))
}

/// The first digits of a commit, as people write it.
pub(super) fn short(sha: &str) -> &str {
    sha.get(..12).unwrap_or(sha)
}

fn document(active: &Active, view: &View, report: &Report) -> Result<serde_json::Value, Failure> {
    let figures = view.figures();
    let skipped: Vec<_> = view
        .skipped()?
        .iter()
        .map(|skipped| json!({ "path": display(skipped.path), "reason": skipped.reason.as_str() }))
        .collect();
    Ok(json!({
        "schema": "cce.index/1",
        "snapshot": { "repo_id": repo_id(view)?, "sha": active.head, "dirty": active.dirty },
        "changed": report.changed,
        "files": figures.files,
        "files_read": report.extracted,
        "passages": figures.passages,
        "text_bytes": figures.text_bytes,
        "index_bytes": figures.index_bytes,
        "redactions": all_redactions(view)?,
        "skipped": skipped,
    }))
}

/// How many secrets of which kind were replaced in which file. The values are nowhere.
fn all_redactions(view: &View) -> Result<Vec<serde_json::Value>, Failure> {
    let mut rows = Vec::new();
    for (index, file) in view.files()? {
        for (kind, count) in redact::markers(index.text(file)?) {
            rows.push(json!({ "path": index.path(file)?.display(), "kind": kind, "count": count }));
        }
    }
    Ok(rows)
}

fn display(path: &[u8]) -> String {
    RepoPath::parse(path).map(|path| path.to_string()).unwrap_or_default()
}

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Self {
        Self::data(error)
    }
}
