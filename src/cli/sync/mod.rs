//! `cce sync`: publishing artifacts to a git remote and bringing them back.

mod list;
mod prune;
mod pull;
mod pull_all;
mod push;
mod push_range;
mod status;
mod verify;
mod verify_all;
mod withdraw;

use std::path::Path;
use std::time::Duration;

use clap::Subcommand;

use super::project::{Project, home, identify};
use super::settings::settings;
use super::terminal::{Progress, Terminal};
use super::{Exit, Failure};
use crate::cache::identity;
use crate::config::{Layer, Layers, Origin, RepoId};
use crate::snapshot::{self, Redactions, Snapshot};
use crate::source::{CommitSource, Source};
use crate::sync::{Failure as SyncFailure, InstallError, Place, Pointer, SyncError};
use crate::workspace::WorkspaceError;
pub(super) use pull::{install_into, refreshed, sourceless, verified, with_source};

/// Publish indexes to a git remote, and bring published ones here
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  cce sync push                                             CI: publish the index of HEAD
  cce sync pull --latest                                    a checkout: bring what is published
  cce sync pull --remote URL --into DIR                     a machine without source
  cce sync pull --all --remote URL --into DIR               all repositories of a remote
  cce sync status                                           what is here and what is there
  cce sync prune --keep 20                                  keep the newest of each branch
  cce sync withdraw 1f2e3d4c --yes                          remove an artifact for good")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Push(push::Args),
    Pull(pull::Args),
    List(list::Args),
    Prune(prune::Args),
    Withdraw(withdraw::Args),
    Status(status::Args),
    Verify(verify::Args),
}

/// Which remote, and which repository in it.
#[derive(Debug, clap::Args)]
struct RemoteArgs {
    /// The remote: a name that git knows here, or a URL [default: sync.remote, else origin]
    #[arg(long, value_name = "NAME|URL")]
    remote: Option<String>,
    /// Who the repository is, over cce.toml and the URL of origin
    #[arg(long, value_name = "ID")]
    repo_id: Option<String>,
}

pub fn run(args: Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    match args.command {
        Command::Push(args) => push::run(&args, directory, terminal),
        Command::Pull(args) => pull::run(&args, directory, terminal),
        Command::List(args) => list::run(&args, directory, terminal),
        Command::Prune(args) => prune::run(&args, directory, terminal),
        Command::Withdraw(args) => withdraw::run(&args, directory, terminal),
        Command::Status(args) => status::run(&args, directory, terminal),
        Command::Verify(args) => verify::run(&args, directory, terminal),
    }
}

impl RemoteArgs {
    /// The remote as seen from `project`, or from a directory that holds no source.
    fn place(&self, project: Option<&Project>, here: &Path) -> Result<Place, Failure> {
        let mut place = Place::new(home()?.directory("caches")?);
        place.source = project.filter(|project| project.has_git()).map(|project| project.root().to_owned());
        place.here = here.to_owned();
        let settings = settings(project)?;
        place.allow_protocols = settings.list("sync.allow_protocols");
        place.deadline = settings.number("sync.timeout").map_or(place.deadline, Duration::from_secs);
        match &self.remote {
            Some(remote) => place.remote.clone_from(remote),
            None => configured(&settings, project, &mut place),
        }
        Ok(place)
    }

    /// The repository that is meant; `None` leaves it to what the remote holds.
    fn repo(&self, project: Option<&Project>) -> Result<Option<RepoId>, Failure> {
        repository(self.repo_id.as_deref(), project)
    }
}

/// The repository that is meant: as given, else what `project` is.
pub(super) fn repository(given: Option<&str>, project: Option<&Project>) -> Result<Option<RepoId>, Failure> {
    if let Some(id) = given {
        return RepoId::parse(id).map(Some).map_err(Failure::usage);
    }
    let Some(project) = project.filter(|project| project.has_git()) else { return Ok(None) };
    let committed = CommitSource::open(project.root(), "HEAD").and_then(|head| head.list());
    let committed = committed.ok().and_then(|listing| listing.project.repo_id);
    Ok(committed.or_else(|| identity::of_origin(project.root()).ok()))
}

/// Takes the remote that the settings name. A relative path in the repository's file
/// starts at the root, wherever in the repository a command runs.
fn configured(settings: &Layers, project: Option<&Project>, place: &mut Place) {
    place.remote = settings.text("sync.remote").unwrap_or_else(|| place.remote.clone());
    let of_repository = matches!(settings.origin("sync.remote"), Origin::File { layer: Layer::Repository, .. });
    if let Some(project) = project.filter(|_| of_repository) {
        place.here = project.root().to_owned();
    }
}

/// Builds the snapshot of a commit for publishing, with the commit's date.
pub(super) fn build(
    source: &CommitSource,
    given: Option<&str>,
    root: &Path,
) -> Result<(Snapshot, i64, Redactions), Failure> {
    let listing = source.list()?;
    let repo_id = identify(given, &listing.project, root)?;
    let progress = Progress::new("extracting");
    let (snapshot, redactions) =
        snapshot::collect(source, listing, Some(repo_id), &|done, total| progress.at(done, total))?;
    drop(progress);
    Ok((snapshot, source.commit().map_or(0, |commit| commit.time), redactions))
}

/// The remote of the source's own, if the project is the repository `id`; where it has no
/// name of its own, it is what it is called.
fn source_remote(id: Option<&RepoId>, project: Option<&Project>) -> Option<String> {
    let project = project.filter(|project| project.has_git())?;
    let own = repository(None, Some(project)).ok().flatten();
    let same = id.is_none() || own.is_none() || own.as_ref() == id;
    same.then(|| "origin".to_owned())
}

/// A pointer as listings write it.
fn pointer_name(pointer: &Pointer) -> String {
    match pointer {
        Pointer::Default => "default".to_owned(),
        Pointer::Branch(name) => format!("heads/{name}"),
    }
}

impl From<SyncError> for Failure {
    fn from(error: SyncError) -> Self {
        match error.kind() {
            SyncFailure::Usage => Self::usage(error),
            SyncFailure::Data => Self::data(error),
            SyncFailure::Remote => Self::remote(error),
        }
    }
}

impl From<WorkspaceError> for Failure {
    fn from(error: WorkspaceError) -> Self {
        match error {
            WorkspaceError::OtherRemote { .. } | WorkspaceError::Single { .. } => Self::usage(error),
            _ => Self::data(error),
        }
    }
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        match error {
            InstallError::Sync(error) => error.into(),
            other => Self::data(other),
        }
    }
}
