//! `cce sync status`: how checkout, local index and remote relate.

use std::path::Path;

use serde_json::{Value, json};

use super::RemoteArgs;
use crate::cli::index::short;
use crate::cli::project::Project;
use crate::cli::terminal::{Terminal, count, named};
use crate::cli::{Exit, Failure};
use crate::config::RepoId;
use crate::store::Active;
use crate::sync::{self, Place, Relation, Status};

/// Say how the checkout, the local index and the remote relate
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  cce sync status")]
pub struct Args {
    #[command(flatten)]
    remote: RemoteArgs,
    /// Print one JSON document instead (schema cce.status/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory)?;
    if !project.has_git() {
        return Err(Failure::usage(format!(
            "`{}` is not a git repository; `cce sync list --remote URL` shows what is published",
            project.root().display()
        )));
    }
    let place = args.remote.place(Some(&project), directory)?;
    let installed = project.store().active()?;
    if !args.json {
        terminal.line(format_args!("local   {}", local_sentence(installed.as_ref())))?;
    }
    let repo_id = match args.remote.repo(Some(&project))? {
        Some(id) => id,
        None => only_id(&place)?,
    };
    let status = sync::status(&place, &repo_id)?;
    if args.json {
        let installed = installed.map(|active| json!({ "sha": active.head, "dirty": active.dirty }));
        terminal.json(&status_document(&status, installed))?;
        return Ok(Exit::Fine);
    }
    let current = installed.as_ref().is_some_and(|active| active.head == status.head.sha);
    terminal.line(format_args!("HEAD    {}", head_sentence(&status, current)))?;
    terminal.line(format_args!("remote  {}", remote_sentence(&status)))?;
    Ok(Exit::Fine)
}

/// The id of the only repository that the remote holds.
fn only_id(place: &Place) -> Result<RepoId, Failure> {
    let published = sync::list(place, None)?;
    let mut ids: Vec<RepoId> = published.entries.into_iter().filter_map(|entry| entry.repo_id).collect();
    ids.dedup();
    match ids.as_slice() {
        [id] => Ok(id.clone()),
        [] => Err(Failure::usage("this repository has no id and nothing is published; pass `--repo-id`")),
        many => {
            let names: Vec<&str> = many.iter().map(RepoId::as_str).collect();
            Err(Failure::usage(format!(
                "the remote holds several repositories; name one with `--repo-id`: {}",
                names.join(", ")
            )))
        }
    }
}

fn local_sentence(installed: Option<&Active>) -> String {
    let Some(active) = installed else {
        return "no index; `cce index` or `cce sync pull --latest` makes one".to_owned();
    };
    let dirty = if active.dirty { " with uncommitted changes" } else { "" };
    format!("index of {}{dirty}", active.head.as_deref().map_or("no commit", short))
}

/// `current`: whether the local index is that of HEAD.
fn head_sentence(status: &Status, current: bool) -> String {
    let Some(sha) = &status.head.sha else { return "no commit yet".to_owned() };
    let branch = status.head.branch.as_deref().map(|branch| format!(" on {}", named(branch))).unwrap_or_default();
    let published = match (&status.published, &status.nearest) {
        (true, _) if current => "published, and the local index is up to date".to_owned(),
        (true, _) => "published; `cce sync pull` brings it".to_owned(),
        (false, Some((ancestor, commits))) => format!(
            "not published; {} is, {} back: `cce sync push` publishes HEAD",
            short(ancestor),
            count(*commits, "commit")
        ),
        (false, None) => "not published; `cce sync push` publishes it".to_owned(),
    };
    format!("{}{branch}: {published}", short(sha))
}

fn remote_sentence(status: &Status) -> String {
    let pointer = |name: &str, pointer: &sync::PointerStatus| {
        let sha = pointer.sha.as_deref().map_or("nothing that is listed", short);
        format!("{name} at {sha}, {}", relation(pointer.relation))
    };
    let mut parts = vec![format!("{}: {}", named(&status.remote), count(status.artifacts, "artifact"))];
    parts.extend(status.branch.as_ref().map(|branch| pointer("branch", branch)));
    parts.extend(status.default.as_ref().map(|default| pointer("default", default)));
    parts.join("; ")
}

fn relation(relation: Relation) -> String {
    match relation {
        Relation::Same => "the same as HEAD".to_owned(),
        Relation::Ahead(commits) => format!("HEAD is {} ahead", count(commits, "commit")),
        Relation::Behind(commits) => format!("HEAD is {} behind", count(commits, "commit")),
        Relation::Diverged { ahead, behind } => format!("HEAD is {ahead} ahead and {behind} behind"),
        Relation::Unknown => "how HEAD relates is not known here".to_owned(),
    }
}

fn relation_word(relation: Relation) -> &'static str {
    match relation {
        Relation::Same => "same",
        Relation::Ahead(_) => "ahead",
        Relation::Behind(_) => "behind",
        Relation::Diverged { .. } => "diverged",
        Relation::Unknown => "unknown",
    }
}

fn status_document(status: &Status, installed: Option<Value>) -> Value {
    let pointer =
        |pointer: &sync::PointerStatus| json!({ "sha": pointer.sha, "head_is": relation_word(pointer.relation) });
    json!({
        "schema": "cce.status/1",
        "remote": status.remote,
        "repo_id": status.repo_id.as_str(),
        "head": { "sha": status.head.sha, "branch": status.head.branch },
        "installed": installed,
        "published": status.published,
        "nearest": status.nearest.as_ref().map(|(sha, commits)| json!({ "sha": sha, "commits": commits })),
        "branch": status.branch.as_ref().map(pointer),
        "default": status.default.as_ref().map(pointer),
        "artifacts": status.artifacts,
    })
}
