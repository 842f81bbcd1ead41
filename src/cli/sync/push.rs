//! `cce sync push`: from a commit to its artifact on a remote.

use std::path::Path;

use serde_json::{Value, json};

use super::push_range::{self, Request, Start};
use super::{RemoteArgs, build};
use crate::cli::index::short;
use crate::cli::project::{Project, environment};
use crate::cli::settings::settings;
use crate::cli::terminal::{Terminal, bytes, count, named, note, safe};
use crate::cli::{Exit, Failure, faults, redactions};
use crate::config::RepoId;
use crate::snapshot::{Manifest, SecretName};
use crate::source::redact::masked;
use crate::sync::{self, Job, Place, PointerState, Publication, PushOptions, PushReport, retention};

/// Build the artifact of a commit and publish it
///
/// The artifact is built from the commit, so uncommitted changes do not matter. It goes to
/// a ref of its own that ordinary clones do not fetch. The branch's pointer moves forward
/// only. In a CI job the branch is taken from the job's variables; a job for a tag, a pull
/// or merge request or a merge queue publishes and moves no pointer.
#[derive(Debug, clap::Args)]
#[command(after_help = "A range is published oldest first, along first parents; what is published already is
skipped, so an interrupted run goes on where it ended. Exit code 1: a commit in it could not
be built and was left out.

Examples:
  cce sync push
  cce sync push --since v1.0.0
  cce sync push --all-history
  cce sync push --commit v1.2.0 --branch release
  cce sync push --remote git@example.com:indexes.git --repo-id github.com/acme/billing")]
pub struct Args {
    #[command(flatten)]
    remote: RemoteArgs,
    /// The commit: any revision that git understands
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    commit: String,
    /// The branch whose pointer moves [default: the CI job's, else the one checked out]
    #[arg(long, value_name = "NAME")]
    pub(super) branch: Option<String>,
    /// Publish every commit after this one too, up to the commit
    #[arg(long, value_name = "REV", conflicts_with = "all_history")]
    since: Option<String>,
    /// Publish every commit of the branch's history
    #[arg(long)]
    all_history: bool,
    /// Move pointers whatever they name now
    #[arg(long)]
    pub(super) force: bool,
    /// Print one JSON document instead (schema cce.push/1, of a range cce.push-range/1)
    #[arg(long)]
    pub(super) json: bool,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory)?;
    let source = project.commit(&args.commit)?;
    let place = args.remote.place(Some(&project), directory)?;
    if let Some(start) = args.start() {
        let repo_id = args.remote.repo_id.as_deref();
        let request = Request { project: &project, place: &place, start, last: &source, repo_id, args };
        return push_range::run(&request, terminal);
    }
    let (snapshot, time, replaced) = build(&source, args.remote.repo_id.as_deref(), project.root())?;
    let mut options = PushOptions::new(&snapshot, time);
    options.branch.clone_from(&args.branch);
    options.job = job();
    options.force = args.force;
    redactions::report(&replaced, "`--json`");
    faults::report(&snapshot.manifest);
    let report = sync::push(&place, &options)?;
    for notice in &report.notices {
        note(safe(notice));
    }
    warn_of_names(report.branch.as_deref(), snapshot.manifest.repo_id.as_ref());
    let removed = keep_newest(&place, &snapshot.manifest, &report, kept(&project)?);
    if args.json {
        let mut document = push_document(&snapshot.manifest, &report);
        document["removed"] = removed.into();
        document["redactions"] = redactions::rows(&replaced).into();
        terminal.json(&document)?;
        return Ok(Exit::Fine);
    }
    terminal.line(push_sentence(&snapshot.manifest, &report))?;
    pointer_lines(&report, terminal)?;
    say_removed(removed, terminal)?;
    Ok(Exit::Fine)
}

impl Args {
    /// Where the range begins, if one is to be published.
    fn start(&self) -> Option<Start<'_>> {
        self.since.as_deref().map(Start::After).or_else(|| self.all_history.then_some(Start::Root))
    }
}

/// The continuous-integration job this runs in.
pub(super) fn job() -> Option<Job> {
    Job::read(&|name| environment(name)?.into_os_string().into_string().ok())
}

/// Warns of a branch and of a repository whose name holds a secret.
pub(super) fn warn_of_names(branch: Option<&str>, repo: Option<&RepoId>) {
    if let Some(name) = branch.and_then(SecretName::of) {
        redactions::warn_of_name("branch", &name);
    }
    if let Some(name) = repo.and_then(|repo| SecretName::of(repo.as_str())) {
        redactions::warn_of_name("repository", &name);
    }
}

/// Writes what became of the pointers.
pub(super) fn pointer_lines(report: &PushReport, terminal: &mut Terminal) -> Result<(), Failure> {
    for (name, state) in [(report.branch.as_deref().unwrap_or_default(), &report.pointer), ("default", &report.default)]
    {
        if let Some(sentence) = pointer_sentence(state) {
            terminal.line(format_args!("pointer {} {sentence}", named(name)))?;
        }
    }
    Ok(())
}

/// How many artifacts of a branch are to stay in the remote; 0 for all.
pub(super) fn kept(project: &Project) -> Result<u64, Failure> {
    Ok(settings(Some(project))?.number("sync.keep").unwrap_or(0))
}

/// Removes what is more than `keep` of a branch, and says how many went. What was
/// published stands whatever becomes of that, so a failure is a notice.
pub(super) fn keep_newest(place: &Place, manifest: &Manifest, report: &PushReport, keep: u64) -> u64 {
    let (Some(repo), Some(sha)) = (&manifest.repo_id, &manifest.sha) else { return 0 };
    match retention::after_push(place, repo, sha, report.published, keep) {
        Ok(pruned) => pruned.map_or(0, |pruned| pruned.dropped.len() as u64),
        Err(error) => {
            note(format_args!("older artifacts stay in the remote: {}", safe(&error.to_string())));
            0
        }
    }
}

/// Says how many older artifacts went.
pub(super) fn say_removed(removed: u64, terminal: &mut Terminal) -> Result<(), Failure> {
    if removed > 0 {
        terminal.line(format_args!("removed {} (`sync.keep`)", count(removed, "older artifact")))?;
    }
    Ok(())
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

pub(super) fn pointer_word(state: &PointerState) -> &'static str {
    match state {
        PointerState::Created => "created",
        PointerState::Moved { .. } => "moved",
        PointerState::Current => "current",
        PointerState::Stays(_) => "stays",
        PointerState::NotAsked => "not-asked",
    }
}

pub(super) fn publication_word(publication: &Publication) -> &'static str {
    match publication {
        Publication::Created => "created",
        Publication::Already => "already",
        Publication::Replaced { .. } => "replaced",
    }
}

fn push_document(manifest: &Manifest, report: &PushReport) -> Value {
    json!({
        "schema": "cce.push/1",
        "repo_id": manifest.repo_id.as_ref().map(RepoId::as_str),
        "sha": manifest.sha,
        "checksum": manifest.checksum,
        "records": manifest.file_count,
        "remote": report.remote,
        "ref": report.name,
        "branch": report.branch,
        "outcome": publication_word(&report.publication),
        "pointer": pointer_word(&report.pointer),
        "default": pointer_word(&report.default),
        "objects": report.objects,
        "bytes": report.bytes,
        "notices": report.notices.iter().map(|notice| masked(notice)).collect::<Vec<_>>(),
    })
}
