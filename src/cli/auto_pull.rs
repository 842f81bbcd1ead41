//! `sync.auto_pull`: after a search has answered, a pull in the background.
//!
//! The search never waits for it: it is a process of its own, without a terminal, and
//! what it brings answers the next search. How it ended is in the store, and
//! `cce sync status` says it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::Failure;
use super::project::Project;
use super::terminal::{note, safe};
use crate::config::{Layers, Origin};
use crate::store::Store;

/// Starts a pull where the user wants one and the last began long enough ago. Whatever
/// fails here fails alone: the search has its answer.
pub(super) fn start(project: &Project, settings: &Layers) {
    let Some(seconds) = settings.number("sync.auto_pull").filter(|seconds| *seconds > 0) else { return };
    let has_remote = project.has_git() || !matches!(settings.origin("sync.remote"), Origin::Default);
    let pulled =
        || project.has_git() || project.store().active().ok().flatten().is_some_and(|active| active.sourceless);
    if !has_remote || !pulled() || !project.store().take_turn(Duration::from_secs(seconds)).unwrap_or(false) {
        return;
    }
    drop(pull_apart(project));
}

/// Starts this program again, detached from the terminal and its signals.
#[allow(clippy::disallowed_methods, reason = "it is no other program that is started, but this one")]
fn pull_apart(project: &Project) -> std::io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("-C").arg(project.root()).args(["sync", "pull", "--latest", "--automatic"]);
    if !project.has_git() {
        command.args(["--into", "."]);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(drop)
}

/// Remembers in `store` how the pull of `result` ended.
pub(super) fn remember<T>(store: &Store, result: &Result<T, Failure>) {
    drop(store.end_turn(result.as_ref().err().map(|failure| failure.message.as_str())));
}

/// Says why the last pull in the background failed, if it did.
pub(super) fn say_failure(store: &Store) {
    if let Some(reason) = store.last_failure() {
        note(format_args!("the last pull in the background failed: {}", safe(&reason)));
    }
}

/// The store of the directory that a pull is for.
pub(super) fn store_of(directory: &Path) -> Option<Store> {
    Project::open(directory).ok().map(|project| project.store().clone())
}
