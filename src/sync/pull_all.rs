//! Bringing every repository of a remote into one workspace.
//!
//! One listing and one fetch serve all of them; each is then verified and installed by
//! itself, so that one that is refused leaves the others, and its own last index, as
//! they are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use git2::Oid;
use rayon::prelude::*;

use super::list::{Pointer, pointer};
use super::pull::{Choice, Shelf, label, named, namespace_of, readable};
use super::{InstallError, Place, Pulled, SyncError, install, verify};
use crate::cache::{Artifact, Cache, CacheError, Component, Filter, Listing, Role};
use crate::config::RepoId;
use crate::git::GitErrorKind;
use crate::snapshot::Manifest;
use crate::workspace::{Lock, Unmatched, Workspace, WorkspaceError, select};

/// What to bring of every repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PullAllOptions {
    /// The branch; a repository without it gives its default.
    pub branch: Option<String>,
    /// Ids and patterns of the repositories that are meant; all where empty.
    pub only: Vec<String>,
    /// Drops repositories that the remote does not hold any more.
    pub prune: bool,
}

/// What became of one repository.
#[derive(Debug)]
pub enum Outcome {
    /// It is installed for the first time.
    New(Installed),
    /// It is installed in place of another artifact.
    Updated(Installed),
    /// What is installed is what the remote holds.
    Unchanged(Installed),
    /// It could not be brought; what was installed before is installed still.
    Failed(InstallError),
    /// The remote does not hold it any more; it stays.
    Gone,
    /// The remote does not hold it any more; it was dropped.
    Dropped,
}

/// An artifact that a workspace answers from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Its manifest.
    pub manifest: Manifest,
    /// The pointer that led to it.
    pub pointer: Option<Pointer>,
}

/// What became of all of them.
#[derive(Debug, Default)]
pub struct PulledAll {
    /// The remote, without secrets.
    pub remote: String,
    /// By the id of the repository, or its name in the remote where that gives no id.
    pub repositories: BTreeMap<String, Outcome>,
    /// How many artifacts were fetched; the others were here.
    pub fetched: usize,
}

/// Why nothing was brought.
#[derive(Debug, thiserror::Error)]
pub enum PullAllError {
    /// The remote, or the cache.
    #[error(transparent)]
    Sync(#[from] SyncError),
    /// The directory.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// A pattern that means no repository of the remote.
    #[error("`{pattern}` matches no repository of the remote; it holds: {ids}")]
    NothingMatches {
        /// The remote, without secrets.
        remote: String,
        /// The pattern.
        pattern: String,
        /// The ids there are.
        ids: String,
    },
}

impl From<CacheError> for PullAllError {
    fn from(error: CacheError) -> Self {
        Self::Sync(error.into())
    }
}

/// Brings every repository that the remote holds into the workspace at `root`.
///
/// # Errors
/// When the remote cannot be asked, `root` cannot be a workspace of it, or nothing is
/// meant. A repository that fails is no error: its [`Outcome`] says so.
pub fn pull_all(
    place: &Place,
    root: &Path,
    options: &PullAllOptions,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<PulledAll, PullAllError> {
    let connection = place.reading()?;
    let remote = connection.url().printable();
    let before = Workspace::of(root, &remote)?;
    let cache = Cache::open(&connection, Role::Artifacts)?;
    let listed = repositories(cache.list(None)?, &before);
    let held: BTreeSet<String> = before.members().map(ToString::to_string).collect();
    if listed.is_empty() && held.is_empty() {
        let wanted = format!("any repository at `{remote}`");
        return Err(SyncError::Nothing { wanted, published: named(std::iter::empty()) }.into());
    }
    let meant = meant(&options.only, &remote, &listed, &held)?;

    let lock = before.lock()?;
    let mut run = Run {
        workspace: Workspace::of(root, &remote)?,
        lock: &lock,
        // A member has no checkout that could choose a branch.
        place: Place { source: None, ..place.clone() },
        remote: remote.clone(),
        progress,
        outcomes: BTreeMap::new(),
    };
    let fetched = run.bring(&cache, listed.iter().filter(|(name, _)| meant.contains(*name)), options)?;
    run.part(held.iter().filter(|id| meant.contains(*id) && !listed.contains_key(*id)), options.prune)?;
    Ok(PulledAll { remote, repositories: run.outcomes, fetched })
}

/// One repository as the remote lists it.
struct Listed {
    repo: Component,
    /// Its own refs alone.
    refs: Listing,
}

/// The repositories the remote lists, by id; by their name in it where that gives no id
/// that is known here.
fn repositories(listing: Listing, workspace: &Workspace) -> BTreeMap<String, Listed> {
    let known: BTreeMap<Component, &RepoId> =
        workspace.members().filter_map(|id| Some((Component::of(id.as_str())?, id))).collect();
    let mut by_repo: BTreeMap<Component, Listing> = BTreeMap::new();
    for (name, id) in listing.refs {
        by_repo.entry(name.repo.clone()).or_default().refs.insert(name, id);
    }
    let name = |repo: &Component| known.get(repo).map_or_else(|| readable(repo), |id| id.to_string());
    by_repo.into_iter().map(|(repo, refs)| (name(&repo), Listed { repo, refs })).collect()
}

/// The names among what is listed and what is held here that `only` means.
fn meant(
    only: &[String],
    remote: &str,
    listed: &BTreeMap<String, Listed>,
    held: &BTreeSet<String>,
) -> Result<BTreeSet<String>, PullAllError> {
    let names: BTreeSet<&str> = listed.keys().chain(held).map(String::as_str).collect();
    match select(only, &names) {
        Ok(meant) => Ok(meant.into_iter().map(str::to_owned).collect()),
        Err(Unmatched(pattern)) => {
            let pattern = pattern.escape_debug().to_string();
            let (remote, ids) = (remote.to_owned(), named(listed.keys()));
            Err(PullAllError::NothingMatches { remote, pattern, ids })
        }
    }
}

/// One repository on its way.
struct Wanted {
    name: String,
    choice: Choice,
}

struct Run<'a> {
    workspace: Workspace,
    lock: &'a Lock,
    place: Place,
    remote: String,
    progress: &'a (dyn Fn(usize, usize) + Sync),
    outcomes: BTreeMap<String, Outcome>,
}

impl Run<'_> {
    /// Brings what is wanted and gives how much of it was fetched.
    fn bring<'n>(
        &mut self,
        cache: &Cache,
        listed: impl Iterator<Item = (&'n String, &'n Listed)>,
        options: &PullAllOptions,
    ) -> Result<usize, PullAllError> {
        let mut wanted = Vec::new();
        for (name, listed) in listed {
            match self.choose(name, listed, options.branch.as_deref()) {
                Ok(choice) => wanted.push(Wanted { name: name.clone(), choice }),
                Err(error) => self.fail(name, error),
            }
        }
        self.leave_unchanged(&mut wanted);
        let missing: BTreeSet<Oid> = wanted.iter().map(|wanted| wanted.choice.artifact).collect();
        let missing: Vec<Oid> =
            missing.into_iter().filter(|artifact| cache.remembered(&label(*artifact)).is_none()).collect();
        let failures = fetch(cache, &missing)?;
        let fetched = missing.len() - failures.len();
        let mut failures: BTreeMap<Oid, SyncError> = failures.into_iter().collect();
        let mut here = Vec::new();
        for Wanted { name, choice } in wanted {
            let opened = match failures.remove(&choice.artifact) {
                Some(error) => Err(error),
                None => self.open(cache, &choice),
            };
            match opened {
                Ok(pulled) => here.push((name, pulled)),
                Err(error) => self.fail(&name, error),
            }
        }
        self.install_all(here)?;
        Ok(fetched)
    }

    fn choose(&self, name: &str, listed: &Listed, branch: Option<&str>) -> Result<Choice, SyncError> {
        let Listed { repo, refs } = listed;
        if repo.name().is_some() {
            let bad = |why| SyncError::BadId { name: name.escape_debug().to_string(), why };
            RepoId::parse(name).map_err(bad)?;
        }
        let namespace = namespace_of(refs, repo);
        Shelf { place: &self.place, listing: refs, namespace, repo: repo.clone() }.latest_of_any(branch)
    }

    /// Takes off the list what is installed already and whole.
    fn leave_unchanged(&mut self, wanted: &mut Vec<Wanted>) {
        let workspace = &self.workspace;
        let installed: Vec<Option<Manifest>> = wanted
            .par_iter()
            .map(|wanted| {
                let repo_id = RepoId::parse(&wanted.name).ok()?;
                if workspace.artifact(&repo_id) != Some(wanted.choice.artifact) {
                    return None;
                }
                let manifest = Manifest::parse(&intact(workspace, &repo_id)?).ok()?;
                Some(manifest).filter(|manifest| manifest.repo_id.as_ref() == Some(&repo_id))
            })
            .collect();
        let mut installed = installed.into_iter();
        wanted.retain(|wanted| {
            let Some(manifest) = installed.next().flatten() else { return true };
            let outcome = Outcome::Unchanged(Installed { manifest, pointer: pointer(&wanted.choice.name) });
            self.outcomes.insert(wanted.name.clone(), outcome);
            false
        });
    }

    fn open(&self, cache: &Cache, choice: &Choice) -> Result<Pulled, SyncError> {
        let artifact = Artifact::open(cache.reader()?, choice.artifact)?;
        let commit = artifact.commit();
        let (repo_id, sha) = (commit.repo_id.clone(), commit.source_commit.clone());
        if Component::of(repo_id.as_str()).as_ref() != Some(&choice.name.repo) {
            return Err(SyncError::Mislabelled { name: choice.name.to_string(), found: format!("{repo_id} at {sha}") });
        }
        let (pointer, remote) = (pointer(&choice.name), self.remote.clone());
        Ok(Pulled { artifact, repo_id, sha, pointer, nearest: None, remote, notices: Vec::new() })
    }

    /// Notes what belongs here before the first store is touched: a run that is cut off
    /// leaves a workspace that knows what it lacks.
    fn install_all(&mut self, here: Vec<(String, Pulled)>) -> Result<(), PullAllError> {
        for (_, pulled) in &here {
            self.workspace.add(&pulled.repo_id);
        }
        self.workspace.write(self.lock)?;
        for (name, pulled) in here {
            match self.install(&pulled) {
                Ok(outcome) => {
                    self.workspace.set_artifact(&pulled.repo_id, pulled.artifact.id());
                    self.outcomes.insert(pulled.repo_id.to_string(), outcome);
                }
                Err(error) => self.fail(&name, error),
            }
        }
        Ok(self.workspace.write(self.lock)?)
    }

    fn install(&self, pulled: &Pulled) -> Result<Outcome, InstallError> {
        let store = self.workspace.store(&pulled.repo_id);
        let before = intact(&self.workspace, &pulled.repo_id);
        let installed = |manifest| Installed { manifest, pointer: pulled.pointer.clone() };
        if before.as_deref() == Some(pulled.artifact.manifest_line()) {
            // The same index under another commit: what the remote gives others is checked still.
            return Ok(Outcome::Unchanged(installed(verify(pulled)?)));
        }
        let is_new = before.is_none() && self.workspace.artifact(&pulled.repo_id).is_none();
        let installed = installed(install(pulled, &store, None, self.progress)?);
        Ok(if is_new { Outcome::New(installed) } else { Outcome::Updated(installed) })
    }

    fn fail(&mut self, name: &str, error: impl Into<InstallError>) {
        self.outcomes.insert(name.to_owned(), Outcome::Failed(error.into()));
    }

    /// Deals with what the remote does not hold any more.
    fn part<'n>(&mut self, gone: impl Iterator<Item = &'n String>, prune: bool) -> Result<(), PullAllError> {
        for name in gone {
            if let (true, Ok(repo_id)) = (prune, RepoId::parse(name)) {
                self.workspace.remove(&repo_id);
                self.outcomes.insert(name.clone(), Outcome::Dropped);
            } else {
                self.outcomes.insert(name.clone(), Outcome::Gone);
            }
        }
        if prune {
            self.workspace.write(self.lock)?;
            self.workspace.sweep(self.lock)?;
        }
        Ok(())
    }
}

/// The manifest line of what is installed of a repository, where every byte of it is as it
/// was written. Anything else is installed again.
fn intact(workspace: &Workspace, repo_id: &RepoId) -> Option<Vec<u8>> {
    let (_, view) = workspace.store(repo_id).open().ok()??;
    view.base().verify_digest().ok()?;
    Some(view.base().manifest().to_vec())
}

/// Fetches artifacts in one go. Where the remote answers and that fails, one of them may be
/// to blame: then each is fetched alone, and those that cannot be had are given.
fn fetch(cache: &Cache, artifacts: &[Oid]) -> Result<Vec<(Oid, SyncError)>, CacheError> {
    let together: Vec<String> = artifacts.iter().map(ToString::to_string).collect();
    let mut failed = Vec::new();
    match cache.fetch(&together, Filter::Nothing, true) {
        Ok(()) => {}
        Err(CacheError::Git(error)) if matches!(error.kind(), GitErrorKind::Failed | GitErrorKind::BaseGone) => {
            for artifact in artifacts {
                if let Err(error) = cache.fetch(&[artifact.to_string()], Filter::Nothing, true) {
                    failed.push((*artifact, error.into()));
                }
            }
        }
        Err(error) => return Err(error),
    }
    for artifact in artifacts.iter().filter(|artifact| failed.iter().all(|(other, _)| other != *artifact)) {
        cache.remember(&label(*artifact), *artifact)?;
    }
    Ok(failed)
}
