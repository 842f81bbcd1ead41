//! `cce sync verify`: is what is published, or installed, as it must be.

use std::path::Path;

use serde_json::{Value, json};

use super::{RemoteArgs, build, verify_all};
use crate::cli::index::short;
use crate::cli::project::Project;
use crate::cli::terminal::{Terminal, count, named};
use crate::cli::{Exit, Failure};
use crate::config::RepoId;
use crate::snapshot::{Manifest, Snapshot, Verifier};
use crate::source::Source;
use crate::store::{Store, View};
use crate::sync::{self, PullOptions, Pulled, SyncError, Wanted};
use crate::workspace::Workspace;

/// What is verified where nothing is named.
const HEAD: &str = "HEAD";

/// Check a published artifact against the source, or the local index against itself
///
/// With the source at hand the artifact is fetched, every promise of it is checked, the
/// commit is built again and compared record by record. With --offline, or where there is
/// no source, the installed index is checked down to every digest; in a workspace, every one.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code 0: as it must be. 1: the artifact differs from what the commit gives. 3: damaged.

Examples:
  cce sync verify
  cce sync verify --commit v1.2.0
  cce sync verify --offline")]
pub struct Args {
    #[command(flatten)]
    remote: RemoteArgs,
    /// The commit whose artifact is checked
    #[arg(long, value_name = "REV", default_value = HEAD, conflicts_with = "offline")]
    commit: String,
    /// Check what is installed here, without a remote
    #[arg(long, alias = "checksum-only")]
    offline: bool,
    /// Print one JSON document instead (schema cce.verify/1, in a workspace cce.verify_all/1)
    #[arg(long)]
    json: bool,
}

/// What a verification found.
enum Verdict {
    /// The records are intact; there was nothing to compare them with.
    Intact,
    /// They are what the commit gives.
    Same,
    /// They are intact, and of another extractor.
    NotComparable { theirs: u32, ours: u32 },
    /// They are intact, and not what the commit gives.
    Differs(String),
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    if let Some(workspace) = Workspace::around(directory)? {
        if args.commit != HEAD || args.remote.remote.is_some() || args.remote.repo_id.is_some() {
            return Err(Failure::usage(
                "a workspace has no source to compare with and is verified whole; leave out `--commit`, `--remote` and `--repo-id`",
            ));
        }
        return verify_all::run(&workspace, args.json, terminal);
    }
    let project = Project::open(directory)?;
    let (manifest, verdict) = if args.offline || !project.has_git() {
        (verify_installed(&project)?, Verdict::Intact)
    } else {
        verify_published(args, &project, directory)?
    };
    if args.json {
        terminal.json(&verify_document(&manifest, &verdict))?;
    } else {
        terminal.line(verdict_sentence(&manifest, &verdict))?;
    }
    Ok(if matches!(verdict, Verdict::Differs(_)) { Exit::Negative } else { Exit::Fine })
}

fn verify_installed(project: &Project) -> Result<Manifest, Failure> {
    check_store(project.store())?.ok_or_else(|| {
        Failure::data(format!(
            "`{}` has no index to verify; make one with `cce index` or `cce sync pull`",
            project.root().display()
        ))
    })
}

/// Checks what a store has active down to every digest; `None` where it has nothing.
pub(super) fn check_store(store: &Store) -> Result<Option<Manifest>, Failure> {
    let Some((_, view)) = store.open()? else { return Ok(None) };
    view.segments().iter().try_for_each(|segment| segment.index().verify())?;
    check_base(&view).map(Some)
}

/// Checks every record line of the base against its manifest, as for an artifact.
fn check_base(view: &View) -> Result<Manifest, Failure> {
    let base = view.base();
    let mut verifier = Verifier::new(base.manifest()).map_err(Failure::data)?;
    for file in 0..base.file_count() {
        verifier.record(Some(&base.path(file)?), &base.record_line(file)?).map_err(Failure::data)?;
    }
    verifier.finish().map_err(Failure::data)
}

fn verify_published(args: &Args, project: &Project, directory: &Path) -> Result<(Manifest, Verdict), Failure> {
    let source = project.commit(&args.commit)?;
    let sha = source.commit().map(|commit| commit.sha.clone()).unwrap_or_default();
    let place = args.remote.place(Some(project), directory)?;
    let repo_id = args.remote.repo(Some(project))?;
    let pulled = sync::pull(&place, &PullOptions { repo_id, wanted: Wanted::Commit(sha), exact: true })?;
    let theirs = sync::verify(&pulled)?;
    let (ours, ..) = build(&source, Some(pulled.repo_id.as_str()), project.root())?;
    let verdict = compare(&pulled, &theirs, &ours)?;
    Ok((theirs, verdict))
}

/// Compares an intact artifact with what the commit gives here.
fn compare(pulled: &Pulled, theirs: &Manifest, ours: &Snapshot) -> Result<Verdict, Failure> {
    if theirs.extractor != ours.manifest.extractor {
        let (theirs, ours) = (theirs.extractor.revision, ours.manifest.extractor.revision);
        return Ok(Verdict::NotComparable { theirs, ours });
    }
    if theirs.checksum == ours.manifest.checksum {
        return Ok(Verdict::Same);
    }
    let mut expected = ours.records.iter();
    for record in pulled.artifact.records().map_err(SyncError::from)? {
        let (path, line) = record.map_err(SyncError::from)?;
        match expected.next() {
            Some(entry) if entry.path == path && entry.line == line => {}
            Some(entry) if entry.path < path => return Ok(Verdict::Differs(format!("`{}` is missing", entry.path))),
            Some(entry) if entry.path == path => return Ok(Verdict::Differs(format!("`{path}` has another record"))),
            _ => return Ok(Verdict::Differs(format!("`{path}` is not in the commit"))),
        }
    }
    Ok(Verdict::Differs(match expected.next() {
        Some(entry) => format!("`{}` is missing", entry.path),
        None => "the manifest says something else about the same records".to_owned(),
    }))
}

/// What is said of records that are as they must be.
pub(super) fn intact(manifest: &Manifest) -> String {
    let repo = named(manifest.repo_id.as_ref().map_or("(no id)", RepoId::as_str));
    let sha = manifest.sha.as_deref().map_or("(no commit)", short);
    format!("intact: {repo}@{sha}, {}, checksum {}", count(manifest.file_count, "record"), manifest.checksum)
}

fn verdict_sentence(manifest: &Manifest, verdict: &Verdict) -> String {
    let repo = named(manifest.repo_id.as_ref().map_or("(no id)", RepoId::as_str));
    let sha = manifest.sha.as_deref().map_or("(no commit)", short);
    let records = count(manifest.file_count, "record");
    let checksum = &manifest.checksum;
    match verdict {
        Verdict::Intact => intact(manifest),
        Verdict::Same => format!("same: {repo}@{sha} is what the commit gives, {records}, checksum {checksum}"),
        Verdict::NotComparable { theirs, ours } => format!(
            "intact: {repo}@{sha}, {records}, checksum {checksum}; built by extractor {theirs}, this is {ours}: not comparable"
        ),
        Verdict::Differs(first) => format!("differs: {repo}@{sha} is not what the commit gives: {first}"),
    }
}

fn verify_document(manifest: &Manifest, verdict: &Verdict) -> Value {
    let (result, difference) = match verdict {
        Verdict::Intact => ("intact", None),
        Verdict::Same => ("same", None),
        Verdict::NotComparable { .. } => ("not-comparable", None),
        Verdict::Differs(first) => ("differs", Some(first)),
    };
    json!({
        "schema": "cce.verify/1",
        "result": result,
        "first_difference": difference,
        "repo_id": manifest.repo_id.as_ref().map(RepoId::as_str),
        "sha": manifest.sha,
        "checksum": manifest.checksum,
        "records": manifest.file_count,
    })
}
