//! `cce sync list`: what a remote holds.

use std::path::Path;

use serde_json::{Value, json};

use super::{RemoteArgs, pointer_name};
use crate::cli::index::short;
use crate::cli::project::Project;
use crate::cli::terminal::{Terminal, named, note, style};
use crate::cli::{Exit, Failure};
use crate::config::RepoId;
use crate::sync::{self, Entry};

/// List what a remote holds
#[derive(Debug, clap::Args)]
#[command(after_help = "Without --repo-id every repository in the remote is listed.

Examples:
  cce sync list
  cce sync list --remote https://example.com/indexes.git --json")]
pub struct Args {
    #[command(flatten)]
    remote: RemoteArgs,
    /// Print one JSON document instead (schema cce.list/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory).ok();
    let place = args.remote.place(project.as_ref(), directory)?;
    let only = args.remote.repo_id.as_deref().map(RepoId::parse).transpose().map_err(Failure::usage)?;
    let published = sync::list(&place, only.as_ref())?;
    if args.json {
        let artifacts: Vec<Value> = published.entries.iter().map(entry_document).collect();
        terminal.json(&json!({
            "schema": "cce.list/1",
            "remote": published.remote,
            "detailed": published.detailed,
            "artifacts": artifacts,
        }))?;
    } else {
        for entry in &published.entries {
            terminal.line(entry_line(entry))?;
        }
    }
    if published.entries.is_empty() {
        let what = only.map_or_else(|| "nothing".to_owned(), |id| format!("nothing of `{id}`"));
        note(format_args!("{what} is published at {}; publish with `cce sync push`", named(&published.remote)));
        return Ok(Exit::Negative);
    }
    if !published.detailed {
        note(
            "the remote cannot send commits alone (its `uploadpack.allowFilter` is off), so dates and checksums are not shown",
        );
    }
    Ok(Exit::Fine)
}

fn entry_line(entry: &Entry) -> String {
    let repo = entry.repo_id.as_ref().map_or(entry.repo.as_str(), RepoId::as_str);
    let date = entry.details.as_ref().map(|details| date(details.time)).unwrap_or_default();
    let pointers: Vec<String> = entry.pointers.iter().map(pointer_name).collect();
    let (name, place, faint) = (style::NAME, style::PLACE, style::FAINT);
    let problem =
        entry.problem.as_deref().map(|problem| format!(" not usable: {}", named(problem))).unwrap_or_default();
    format!(
        "{name}{}{name:#} {place}{}{place:#} {date} {faint}{}{faint:#}{problem}",
        named(repo),
        short(&entry.sha),
        named(&pointers.join(" "))
    )
    .trim_end()
    .to_owned()
}

/// A date for people: the day, in UTC.
pub(super) fn date(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map(|at| at.strftime("%Y-%m-%d").to_string()).unwrap_or_default()
}

fn entry_document(entry: &Entry) -> Value {
    let details = entry.details.as_ref();
    json!({
        "repo_id": entry.repo_id.as_ref().map(RepoId::as_str),
        "sha": entry.sha,
        "checksum": details.map(|details| details.checksum.clone()),
        "branch": details.and_then(|details| details.branch.clone()),
        "time": details.map(|details| details.time),
        "extractor": details.map(|details| json!(details.extractor)),
        "chain": details.map(|details| details.chain),
        "signed": details.map(|details| details.signed),
        "pointers": entry.pointers.iter().map(pointer_name).collect::<Vec<_>>(),
        "problem": entry.problem,
    })
}
