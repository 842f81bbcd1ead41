//! `cce sync pull`: from a remote to a store that answers.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::pull_all::{self, AllArgs};
use super::{RemoteArgs, pointer_name};
use crate::cli::auto_pull;
use crate::cli::index::short;
use crate::cli::project::{Project, under};
use crate::cli::terminal::{Progress, Terminal, count, named, note, safe};
use crate::cli::{Exit, Failure};
use crate::config::{RepoId, Settings};
use crate::record::extract::Extractor;
use crate::snapshot::Manifest;
use crate::store::Store;
use crate::sync::{self, Found, Place, PullOptions, Pulled, Wanted};
use crate::workspace::Workspace;

/// Bring a published artifact here, verify it and answer searches from it
///
/// In a checkout it becomes the base of the local index, with the differences of the work
/// tree laid over it. With --into it needs no source: searches in that directory are
/// answered from it, offline. With --all every repository of the remote becomes a member of
/// a workspace, and searches there are answered from all of them as one index.
#[derive(Debug, clap::Args)]
#[command(after_help = "Where the commit asked for is not published, or the branch has no pointer, the nearest
published ancestor is taken, and that is said. Where nothing is published at all, a checkout
is indexed here. A local index of a newer commit is kept, unless --force is given.

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
    /// Install even over a newer local index, and even what is installed already
    #[arg(long, conflicts_with = "all")]
    force: bool,
    /// Leave in the store how it ended; searches give this with sync.auto_pull
    #[arg(long, hide = true)]
    automatic: bool,
    #[command(flatten)]
    all: AllArgs,
    /// Print one JSON document instead (schema cce.pull/1, with --all cce.pull_all/1)
    #[arg(long)]
    json: bool,
}

/// What became of the index here.
enum Became {
    /// It is the pulled one now; before it was of that commit, if it was another.
    Installed { before: Option<String> },
    /// It was the pulled one already.
    Unchanged,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let result = pull(args, directory, terminal);
    if args.automatic
        && let Some(store) = auto_pull::store_of(directory)
    {
        auto_pull::remember(&store, &result);
    }
    result
}

fn pull(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let all = args.all.options(args.branch.clone());
    let project = match Project::open(directory) {
        // What stands around the directory matters only as far as it names a remote.
        found if args.into.is_some() || all.is_some() => found.ok(),
        found => Some(found?),
    };
    let place = args.remote.place(project.as_ref(), directory)?;
    if let Some(options) = all {
        let root = pull_all::root(args.into.as_deref(), directory)?;
        return pull_all::run(pull_all::known_remote(place, &root)?, &root, &options, args.json, terminal);
    }
    let repo_id = args.remote.repo(project.as_ref())?;
    let wanted = match &args.commit {
        Some(rev) => Wanted::Commit(rev.clone()),
        None => Wanted::Latest { branch: args.branch.clone() },
    };
    let options = PullOptions { repo_id, wanted, exact: false };
    match &args.into {
        Some(into) => pull_into(args, &place, &options, &under(directory, into), terminal)?,
        None => pull_here(args, &place, &options, with_source(project.as_ref(), directory)?, terminal)?,
    }
    Ok(Exit::Fine)
}

/// Pulls to where there is no source.
fn pull_into(
    args: &Args,
    place: &Place,
    options: &PullOptions,
    into: &Path,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let pulled = bring(sync::find(place, options)?)?;
    let (manifest, became) = install(&pulled, sourceless(into)?.store(), None, args.force)?;
    if args.json {
        return terminal.json(&pull_document(&pulled, &manifest, &became));
    }
    say_pulled(&pulled, &manifest, &became, terminal)
}

/// Pulls below the differences of a checkout.
fn pull_here(
    args: &Args,
    place: &Place,
    options: &PullOptions,
    project: &Project,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let found = match sync::find(place, options) {
        Ok(found) => found,
        Err(error) if args.takes_any() && error.is_absence() => {
            note(safe(&format!("{error}; the index is made here")));
            return answer_locally(args, &error.to_string(), project, terminal);
        }
        Err(error) => return Err(error.into()),
    };
    if let Some((sha, ahead)) = newer(args, &found, project) {
        return keep(args, &found, (&sha, ahead), project, terminal);
    }
    let pulled = bring(found)?;
    let (manifest, became) = install(&pulled, project.store(), Some(project.root()), args.force)?;
    let here = refreshed(project)?;
    if args.json {
        return terminal.json(&pull_document(&pulled, &manifest, &became));
    }
    say_pulled(&pulled, &manifest, &became, terminal)?;
    terminal.line(here)
}

impl Args {
    /// Whether whatever is newest will do, nothing at all included.
    fn takes_any(&self) -> bool {
        self.commit.is_none() && self.branch.is_none()
    }
}

/// The commit of the local index, and by how many commits it is ahead of what was found,
/// where it is and nobody asked for the older one.
fn newer(args: &Args, found: &Found, project: &Project) -> Option<(String, u64)> {
    if args.force || !args.takes_any() {
        return None;
    }
    let installed = sync::installed(project.store())?;
    let ours = Extractor::new(&Settings::default()).ok()?;
    let sha = installed.sha.filter(|_| installed.extractor == *ours.id())?;
    let ahead = sync::ahead(project.root(), &sha, found.sha.as_deref()?)?;
    Some((sha, ahead))
}

/// Leaves a newer local index in its place.
fn keep(
    args: &Args,
    found: &Found,
    (sha, ahead): (&str, u64),
    project: &Project,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let here = refreshed(project)?;
    if args.json {
        return terminal.json(&json!({
            "schema": "cce.pull/1",
            "became": "kept",
            "repo_id": found.repo(),
            "sha": sha,
            "ahead": ahead,
            "published": found.sha,
            "remote": found.remote(),
        }));
    }
    terminal.line(format_args!(
        "kept the local index of {}, which is {} ahead of the newest published one, {} (`--force` takes that)",
        short(sha),
        count(ahead, "commit"),
        found.sha.as_deref().map_or("none", short)
    ))?;
    terminal.line(here)
}

/// Where nothing is published the checkout itself answers.
fn answer_locally(args: &Args, reason: &str, project: &Project, terminal: &mut Terminal) -> Result<(), Failure> {
    let here = refreshed(project)?;
    if args.json {
        let head = project.store().active()?.and_then(|active| active.head);
        return terminal.json(&json!({ "schema": "cce.pull/1", "became": "local", "sha": head, "reason": reason }));
    }
    terminal.line(here)
}

fn bring(found: Found) -> Result<Pulled, Failure> {
    let pulled = found.bring()?;
    for notice in &pulled.notices {
        note(safe(notice));
    }
    Ok(pulled)
}

fn say_pulled(pulled: &Pulled, manifest: &Manifest, became: &Became, terminal: &mut Terminal) -> Result<(), Failure> {
    if let Some(nearest) = &pulled.nearest {
        terminal.line(format_args!(
            "{} is not published; its nearest published ancestor is {} back",
            short(&nearest.wanted),
            count(nearest.beyond, "commit")
        ))?;
    }
    match became {
        Became::Unchanged => terminal.line(format_args!("unchanged {}", verified(manifest))),
        Became::Installed { before: Some(before) } => {
            terminal.line(format_args!("pulled {}, in the place of {}", verified(manifest), short(before)))
        }
        Became::Installed { before: None } => terminal.line(format_args!("pulled {}", verified(manifest))),
    }
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
    install(pulled, sourceless(into)?.store(), None, true).map(|(manifest, _)| manifest)
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

/// Installs, unless exactly that is installed and nobody insists.
fn install(pulled: &Pulled, store: &Store, source: Option<&Path>, force: bool) -> Result<(Manifest, Became), Failure> {
    let before = sync::installed(store);
    if let Some(manifest) = before.as_ref().filter(|_| !force && is_here(pulled, store, source)) {
        return Ok((manifest.clone(), Became::Unchanged));
    }
    let progress = Progress::new("verifying");
    let manifest = sync::install(pulled, store, source, &|done, total| progress.at(done, total))?;
    let before = before.and_then(|before| before.sha).filter(|before| *before != pulled.sha);
    Ok((manifest, Became::Installed { before }))
}

/// Whether `store` answers from exactly what was pulled, whole and undamaged.
fn is_here(pulled: &Pulled, store: &Store, source: Option<&Path>) -> bool {
    let sourceless = store.active().ok().flatten().is_some_and(|active| active.sourceless);
    sourceless == source.is_none() && sync::holds(store, &pulled.artifact.commit().checksum)
}

fn pull_document(pulled: &Pulled, manifest: &Manifest, became: &Became) -> Value {
    let (became, before) = match became {
        Became::Installed { before } => ("installed", before.as_deref()),
        Became::Unchanged => ("unchanged", None),
    };
    json!({
        "schema": "cce.pull/1",
        "became": became,
        "before": before,
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
