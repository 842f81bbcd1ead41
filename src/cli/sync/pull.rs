//! `cce sync pull`: from a remote to a store that answers.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::pull_all::{self, AllArgs};
use super::{RemoteArgs, pointer_name};
use crate::cli::index::short;
use crate::cli::project::{Project, under};
use crate::cli::terminal::{Progress, Terminal, count, named, note, safe};
use crate::cli::{Exit, Failure};
use crate::config::RepoId;
use crate::snapshot::Manifest;
use crate::store::Store;
use crate::sync::{self, PullOptions, Pulled, Wanted};
use crate::workspace::Workspace;

/// Bring a published artifact here, verify it and answer searches from it
///
/// In a checkout it becomes the base of the local index, with the differences of the work
/// tree laid over it. With --into it needs no source: searches in that directory are
/// answered from it, offline. With --all every repository of the remote becomes a member of
/// a workspace, and searches there are answered from all of them as one index.
#[derive(Debug, clap::Args)]
#[command(after_help = "Where the commit asked for is not published, its nearest published ancestor is taken,
and that is said.

Examples:
  cce sync pull --latest
  cce sync pull --commit v1.2.0
  cce sync pull --remote https://example.com/acme/billing.git --into billing
  cce sync pull --all --remote https://example.com/indexes.git --into company
  cce sync pull --all --remote URL --into company --only 'example.com/acme/*' --prune")]
pub struct Args {
    #[command(flatten)]
    remote: RemoteArgs,
    /// The newest artifact of the branch; this is the default
    #[arg(long, conflicts_with = "commit")]
    latest: bool,
    /// The artifact of this commit
    #[arg(long, value_name = "REV", conflicts_with = "branch")]
    commit: Option<String>,
    /// The branch; where this is absent the one checked out, else the remote's default
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// A directory for the index alone, or for the workspace of --all; made if need be
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    #[command(flatten)]
    all: AllArgs,
    /// Print one JSON document instead (schema cce.pull/1, with --all cce.pull_all/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory).ok();
    let place = args.remote.place(project.as_ref(), directory)?;
    if let Some(options) = args.all.options(args.branch.clone()) {
        let root = pull_all::root(args.into.as_deref(), directory)?;
        return pull_all::run(pull_all::known_remote(place, &root)?, &root, &options, args.json, terminal);
    }
    let repo_id = args.remote.repo(project.as_ref())?;
    let wanted = match &args.commit {
        Some(rev) => Wanted::Commit(rev.clone()),
        None => Wanted::Latest { branch: args.branch.clone() },
    };
    let pulled = sync::pull(&place, &PullOptions { repo_id, wanted, exact: false })?;
    for notice in &pulled.notices {
        note(safe(notice));
    }
    let (manifest, here) = match &args.into {
        Some(into) => (install_into(&pulled, &under(directory, into))?, None),
        None => install_here(&pulled, project.as_ref(), directory)?,
    };
    if args.json {
        terminal.json(&pull_document(&pulled, &manifest))?;
        return Ok(Exit::Fine);
    }
    if let Some(nearest) = &pulled.nearest {
        terminal.line(format_args!(
            "{} is not published; its nearest published ancestor is {} back",
            short(&nearest.wanted),
            count(nearest.beyond, "commit")
        ))?;
    }
    terminal.line(format_args!("pulled {}", verified(&manifest)))?;
    if let Some(here) = here {
        terminal.line(here)?;
    }
    Ok(Exit::Fine)
}

/// What an artifact is that passed every check, as sentences end.
pub(in crate::cli) fn verified(manifest: &Manifest) -> String {
    format!(
        "{}@{}: {} verified, checksum {}",
        named(manifest.repo_id.as_ref().map_or("", RepoId::as_str)),
        short(manifest.sha.as_deref().unwrap_or_default()),
        count(manifest.file_count, "record"),
        manifest.checksum
    )
}

/// Installs where there is no source.
pub(in crate::cli) fn install_into(pulled: &Pulled, into: &Path) -> Result<Manifest, Failure> {
    install(pulled, sourceless(into)?.store(), None)
}

/// A directory that holds an index and nothing else, made if need be.
pub(in crate::cli) fn sourceless(into: &Path) -> Result<Project, Failure> {
    std::fs::create_dir_all(into)
        .map_err(|error| Failure::data(format!("cannot make the directory `{}`: {error}", into.display())))?;
    let project = Project::open(into)?;
    if project.has_git() {
        return Err(Failure::usage(format!(
            "`{}` is in a git repository; leave out `--into` to install in the checkout, or name a directory outside it",
            into.display()
        )));
    }
    if Workspace::at(project.root())?.is_some() {
        return Err(Failure::usage(format!(
            "`{}` is a workspace of several repositories; refresh it with `cce sync pull --all`, or name another directory",
            into.display()
        )));
    }
    Ok(project)
}

/// The project an index can be laid under: it has a source.
pub(in crate::cli) fn with_source<'a>(project: Option<&'a Project>, directory: &Path) -> Result<&'a Project, Failure> {
    project.filter(|project| project.has_git()).ok_or_else(|| {
        Failure::usage(format!(
            "`{}` is not a git repository; name a directory for the index with `--into`",
            directory.display()
        ))
    })
}

/// Lays the differences of the work tree over what was installed, and says what is answered now.
pub(in crate::cli) fn refreshed(project: &Project) -> Result<String, Failure> {
    let (active, _, report) = project.refresh(false)?;
    let dirty = if active.dirty { " with its uncommitted changes" } else { "" };
    let head = active.head.as_deref().map_or("no commit", short);
    let read = count(report.extracted as u64, "differing file");
    Ok(format!("searches here answer for {head}{dirty} ({read} read)"))
}

fn install_here(
    pulled: &Pulled,
    project: Option<&Project>,
    directory: &Path,
) -> Result<(Manifest, Option<String>), Failure> {
    let project = with_source(project, directory)?;
    let manifest = install(pulled, project.store(), Some(project.root()))?;
    Ok((manifest, Some(refreshed(project)?)))
}

fn install(pulled: &Pulled, store: &Store, source: Option<&Path>) -> Result<Manifest, Failure> {
    let progress = Progress::new("verifying");
    Ok(sync::install(pulled, store, source, &|done, total| progress.at(done, total))?)
}

fn pull_document(pulled: &Pulled, manifest: &Manifest) -> Value {
    json!({
        "schema": "cce.pull/1",
        "repo_id": pulled.repo_id.as_str(),
        "sha": pulled.sha,
        "checksum": manifest.checksum,
        "records": manifest.file_count,
        "remote": pulled.remote,
        "pointer": pulled.pointer.as_ref().map(pointer_name),
        "nearest_to": pulled.nearest.as_ref().map(|nearest| json!({ "sha": nearest.wanted, "commits": nearest.beyond })),
        "notices": pulled.notices,
    })
}
