//! `cce sync status`: how checkout, local index and remote relate.

use std::path::Path;

use serde_json::{Value, json};

use super::RemoteArgs;
use crate::cli::auto_pull;
use crate::cli::index::short;
use crate::cli::project::Project;
use crate::cli::terminal::{Terminal, count, named};
use crate::cli::{Exit, Failure};
use crate::config::RepoId;
use crate::store::Active;
use crate::sync::{self, Head, Place, Relation, SourceHistory, Status};

/// Say what is installed, how it relates to the checkout and the remote, and what to run
#[derive(Debug, clap::Args)]
#[command(after_help = "Three lines: the index here, what the remote holds, and what to run next.

Example:
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
    auto_pull::say_failure(project.store());
    let installed = Installed::of(&project)?;
    if !args.json {
        let head = SourceHistory::of(project.root()).head()?;
        terminal.line(format_args!("index   {}", index_sentence(installed.as_ref(), &head)))?;
    }
    let repo_id = match args.remote.repo(Some(&project))? {
        Some(id) => id,
        None => only_id(&place)?,
    };
    let status = sync::status(&place, &repo_id)?;
    if args.json {
        terminal.json(&status_document(&status, installed.as_ref()))?;
        return Ok(Exit::Fine);
    }
    terminal.line(format_args!("remote  {}", remote_sentence(&status)))?;
    terminal.line(format_args!("run     {}", advice(&status, installed.as_ref())))?;
    Ok(Exit::Fine)
}

/// The index of the checkout.
struct Installed {
    active: Active,
    /// The commit that its base stands for.
    base: Option<String>,
}

impl Installed {
    fn of(project: &Project) -> Result<Option<Self>, Failure> {
        let Some(active) = project.store().active()? else { return Ok(None) };
        let base = sync::installed(project.store()).and_then(|manifest| manifest.sha);
        Ok(Some(Self { active, base }))
    }

    fn is_of(&self, sha: Option<&str>) -> bool {
        self.active.head.as_deref() == sha
    }
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

/// What is installed, and how it relates to what is checked out.
fn index_sentence(installed: Option<&Installed>, head: &Head) -> String {
    let branch = head.branch.as_deref().map(|branch| format!(" on {}", named(branch))).unwrap_or_default();
    let head_now = head.sha.as_deref().map_or("no commit", short);
    let Some(installed) = installed else { return format!("none; HEAD is {head_now}{branch}") };
    let sha = installed.active.head.as_deref().map_or("no commit", short);
    let dirty = if installed.active.dirty { " with uncommitted changes" } else { "" };
    let base = match installed.base.as_deref().filter(|base| installed.active.head.as_deref() != Some(base)) {
        Some(base) => format!(", laid over {}", short(base)),
        None => String::new(),
    };
    match installed.is_of(head.sha.as_deref()) {
        true => format!("of {sha}{dirty}, which is HEAD{branch}{base}"),
        false => format!("of {sha}{dirty}{base}; HEAD is {head_now}{branch}"),
    }
}

/// What is published, and how HEAD relates to it.
fn remote_sentence(status: &Status) -> String {
    let pointer = |name: &str, pointer: &sync::PointerStatus| {
        let sha = pointer.sha.as_deref().map_or("nothing that is listed", short);
        format!("{name} at {sha}, {}", relation(pointer.relation))
    };
    let head = match (&status.head.sha, &status.nearest) {
        (None, _) => "there is no commit here yet".to_owned(),
        (Some(_), _) if status.published => "HEAD is published".to_owned(),
        (Some(_), Some((ancestor, commits))) => {
            format!("HEAD is not published, {} is, {} back", short(ancestor), count(*commits, "commit"))
        }
        (Some(_), None) => "HEAD is not published".to_owned(),
    };
    let mut parts = vec![format!("{}: {}", named(&status.remote), count(status.artifacts, "artifact")), head];
    parts.extend(status.branch.as_ref().map(|branch| pointer("the branch", branch)));
    parts.extend(status.default.as_ref().map(|default| pointer("the default", default)));
    parts.join("; ")
}

/// The command that brings the index where it should be.
fn advice(status: &Status, installed: Option<&Installed>) -> &'static str {
    let head = status.head.sha.as_deref();
    let behind = status.branch.as_ref().or(status.default.as_ref()).map(|pointer| pointer.relation);
    match installed {
        _ if head.is_none() => "`git commit`, then `cce sync push`",
        None if status.artifacts == 0 => "`cce index` makes an index here; nothing is published yet",
        None => "`cce sync pull --latest` brings the newest published index",
        Some(_) if matches!(behind, Some(Relation::Behind(_))) => {
            "`git pull`, then `cce sync pull --latest`: newer commits are published"
        }
        Some(installed) if installed.is_of(head) => "nothing; searches answer for HEAD",
        Some(_) if status.published => "`cce sync pull --latest` brings the index of HEAD",
        Some(_) => "nothing; the next search reads what differs",
    }
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

fn status_document(status: &Status, installed: Option<&Installed>) -> Value {
    let advice = advice(status, installed);
    let installed = installed.map(|installed| {
        let Active { head, dirty, .. } = &installed.active;
        json!({ "sha": head, "dirty": dirty, "base": installed.base })
    });
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
        "run": advice,
    })
}
