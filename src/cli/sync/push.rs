//! `cce sync push`: from a commit to its artifact on a remote.

use std::path::Path;

use serde_json::{Value, json};

use super::{RemoteArgs, build};
use crate::cli::index::short;
use crate::cli::project::Project;
use crate::cli::settings::settings;
use crate::cli::terminal::{Terminal, bytes, count, named, note, safe};
use crate::cli::{Exit, Failure, faults, redactions};
use crate::config::RepoId;
use crate::snapshot::{Manifest, SecretName};
use crate::source::redact::masked;
use crate::sync::{self, Place, PointerState, Publication, PushOptions, PushReport, retention};

/// Build the artifact of a commit and publish it
///
/// The artifact is built from the commit, so uncommitted changes do not matter. It goes to
/// a ref of its own that ordinary clones do not fetch. The branch's pointer moves forward
/// only.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  cce sync push
  cce sync push --commit v1.2.0 --branch release
  cce sync push --remote git@example.com:indexes.git --repo-id github.com/acme/billing")]
pub struct Args {
    #[command(flatten)]
    remote: RemoteArgs,
    /// The commit: any revision that git understands
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    commit: String,
    /// The branch whose pointer moves; the one checked out where this is absent
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Move pointers whatever they name now
    #[arg(long)]
    force: bool,
    /// Print one JSON document instead (schema cce.push/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory)?;
    let source = project.commit(&args.commit)?;
    let place = args.remote.place(Some(&project), directory)?;
    let (snapshot, time, replaced) = build(&source, args.remote.repo_id.as_deref(), project.root())?;
    let mut options = PushOptions::new(&snapshot, time);
    options.branch.clone_from(&args.branch);
    options.force = args.force;
    redactions::report(&replaced, "`--json`");
    faults::report(&snapshot.manifest);
    let report = sync::push(&place, &options)?;
    for notice in &report.notices {
        note(safe(notice));
    }
    if let Some(name) = report.branch.as_deref().and_then(SecretName::of) {
        redactions::warn_of_name("branch", &name);
    }
    let repo = snapshot.manifest.repo_id.as_ref();
    if let Some(name) = repo.and_then(|repo| SecretName::of(repo.as_str())) {
        redactions::warn_of_name("repository", &name);
    }
    let removed = keep_newest(&place, &snapshot.manifest, &report, Some(&project))?;
    if args.json {
        let mut document = push_document(&snapshot.manifest, &report);
        document["removed"] = removed.into();
        document["redactions"] = redactions::rows(&replaced).into();
        terminal.json(&document)?;
        return Ok(Exit::Fine);
    }
    terminal.line(push_sentence(&snapshot.manifest, &report))?;
    for (name, state) in [(report.branch.as_deref().unwrap_or_default(), &report.pointer), ("default", &report.default)]
    {
        if let Some(sentence) = pointer_sentence(state) {
            terminal.line(format_args!("pointer {} {sentence}", named(name)))?;
        }
    }
    if removed > 0 {
        terminal.line(format_args!("removed {} (`sync.keep`)", count(removed, "older artifact")))?;
    }
    Ok(Exit::Fine)
}

/// Removes what is more than `sync.keep` of a branch, and says how many went. What was
/// published stands whatever becomes of that, so a failure is a notice.
fn keep_newest(
    place: &Place,
    manifest: &Manifest,
    report: &PushReport,
    project: Option<&Project>,
) -> Result<u64, Failure> {
    let keep = settings(project)?.number("sync.keep").unwrap_or(0);
    let (Some(repo), Some(sha)) = (&manifest.repo_id, &manifest.sha) else { return Ok(0) };
    match retention::after_push(place, repo, sha, report.published, keep) {
        Ok(pruned) => Ok(pruned.map_or(0, |pruned| pruned.dropped.len() as u64)),
        Err(error) => {
            note(format_args!("older artifacts stay in the remote: {}", safe(&error.to_string())));
            Ok(0)
        }
    }
}

fn push_sentence(manifest: &Manifest, report: &PushReport) -> String {
    let sha = short(manifest.sha.as_deref().unwrap_or_default()).to_owned();
    let repo = named(manifest.repo_id.as_ref().map_or("", RepoId::as_str));
    let records = count(manifest.file_count, "record");
    match report.publication {
        Publication::Created => {
            format!("published {repo}@{sha}: {records}, {} sent to {}", bytes(report.bytes), named(&report.remote))
        }
        Publication::Already => format!("{repo}@{sha} is published already, with the same {records}"),
        Publication::Replaced { revision } => {
            format!("published {repo}@{sha} in place of the artifact of extractor {revision}: {records}")
        }
    }
}

fn pointer_sentence(state: &PointerState) -> Option<String> {
    match state {
        PointerState::Created => Some("names it now".to_owned()),
        PointerState::Moved { from } => Some(format!("moved here from {}", short(from))),
        PointerState::Current => Some("names it already".to_owned()),
        PointerState::Stays(_) | PointerState::NotAsked => None,
    }
}

fn pointer_word(state: &PointerState) -> &'static str {
    match state {
        PointerState::Created => "created",
        PointerState::Moved { .. } => "moved",
        PointerState::Current => "current",
        PointerState::Stays(_) => "stays",
        PointerState::NotAsked => "not-asked",
    }
}

fn push_document(manifest: &Manifest, report: &PushReport) -> Value {
    let outcome = match report.publication {
        Publication::Created => "created",
        Publication::Already => "already",
        Publication::Replaced { .. } => "replaced",
    };
    json!({
        "schema": "cce.push/1",
        "repo_id": manifest.repo_id.as_ref().map(RepoId::as_str),
        "sha": manifest.sha,
        "checksum": manifest.checksum,
        "records": manifest.file_count,
        "remote": report.remote,
        "ref": report.name,
        "branch": report.branch,
        "outcome": outcome,
        "pointer": pointer_word(&report.pointer),
        "default": pointer_word(&report.default),
        "objects": report.objects,
        "bytes": report.bytes,
        "notices": report.notices.iter().map(|notice| masked(notice)).collect::<Vec<_>>(),
    })
}
