//! What is published.

use std::collections::{BTreeMap, BTreeSet};

use git2::Oid;

use super::{Place, SyncError};
use crate::cache::{ArtifactCommit, Cache, CacheError, Component, Connection, Key, Listing, Namespace, RefName, Role};
use crate::config::RepoId;
use crate::git::GitErrorKind;
use crate::record::extract::ExtractorId;

/// A name that leads to an artifact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pointer {
    /// The default branch.
    Default,
    /// A branch: its name, or its escaped form where the whole name is not known.
    Branch(String),
}

/// What an artifact's commit says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// The snapshot's checksum, as announced.
    pub checksum: String,
    /// The branch it was published for.
    pub branch: Option<String>,
    /// The source commit's date, seconds since 1970.
    pub time: i64,
    /// What built it.
    pub extractor: ExtractorId,
    /// Its position in its chain.
    pub chain: u32,
    /// Whether it carries a signature; nobody has checked it.
    pub signed: bool,
}

/// One published artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Under which prefix it stands.
    pub namespace: Namespace,
    /// The repository, as its ref names it.
    pub repo: Component,
    /// The repository's id, where the ref or the commit gives it.
    pub repo_id: Option<RepoId>,
    /// The source commit.
    pub sha: String,
    /// The artifact's commit.
    pub artifact: Oid,
    /// What the commit says; `None` where the remote cannot filter, or it is no artifact.
    pub details: Option<Details>,
    /// Why the commit is not accepted, where it is not.
    pub problem: Option<String>,
    /// The pointers that name it, in order.
    pub pointers: Vec<Pointer>,
}

/// What a remote holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The remote, without secrets.
    pub remote: String,
    /// By repository, the latest source date first, then by commit.
    pub entries: Vec<Entry>,
    /// Whether dates, checksums and branches could be asked for.
    pub detailed: bool,
}

/// Lists what a remote holds, of one repository or of all.
///
/// # Errors
/// When the remote fails or lists too much.
pub fn list(place: &Place, repo_id: Option<&RepoId>) -> Result<Published, SyncError> {
    let connection = place.reading()?;
    let cache = Cache::open(&connection, Role::Commits)?;
    let repo = repo_id.and_then(|id| Component::of(id.as_str()));
    let listing = cache.list(repo.as_ref())?;
    match published(&connection, &cache, &listing) {
        // Something was pruned between the two questions.
        Err(SyncError::Cache(CacheError::Git(error))) if error.kind() == GitErrorKind::BaseGone => {
            published(&connection, &cache, &cache.list(repo.as_ref())?)
        }
        answer => answer,
    }
}

/// Turns refs into entries, with details where the remote filters.
fn published(connection: &Connection, cache: &Cache, listing: &Listing) -> Result<Published, SyncError> {
    let artifacts = artifacts(listing);
    if listing.filters {
        cache.fetch_commits(artifacts.values().map(|(_, id)| *id))?;
    }
    let mut entries = Vec::with_capacity(artifacts.len());
    for ((repo, sha), (namespace, id)) in &artifacts {
        let commit = listing.filters.then(|| cache.commit(*id).map_err(|error| error.to_string()));
        let mut entry = Entry {
            namespace: *namespace,
            repo: repo.clone(),
            repo_id: repo.name().and_then(|name| RepoId::parse(&name).ok()),
            sha: sha.clone(),
            artifact: *id,
            details: None,
            problem: None,
            pointers: pointers(listing, *namespace, repo, *id),
        };
        match commit.map(|commit| commit.and_then(|commit| labelled(&entry, commit))) {
            None => {}
            Some(Err(problem)) => entry.problem = Some(problem),
            Some(Ok(commit)) => {
                entry.repo_id = Some(commit.repo_id.clone());
                entry.details = Some(details(commit));
            }
        }
        entries.push(entry);
    }
    entries.sort_by(|a, b| (&a.repo, newest_first(a), &a.sha).cmp(&(&b.repo, newest_first(b), &b.sha)));
    Ok(Published { remote: connection.url().printable(), entries, detailed: listing.filters })
}

fn newest_first(entry: &Entry) -> i64 {
    entry.details.as_ref().map_or(0, |details| -details.time)
}

/// Every artifact once; the first namespace a reader looks in wins.
fn artifacts(listing: &Listing) -> BTreeMap<(Component, String), (Namespace, Oid)> {
    let mut artifacts = BTreeMap::new();
    for (name, id) in &listing.refs {
        if let Key::Commit(sha) = &name.key {
            artifacts.entry((name.repo.clone(), sha.clone())).or_insert((name.namespace, *id));
        }
    }
    artifacts
}

fn pointers(listing: &Listing, namespace: Namespace, repo: &Component, id: Oid) -> Vec<Pointer> {
    let mut pointers: Vec<Pointer> = listing
        .refs
        .iter()
        .filter(|(name, named)| name.namespace == namespace && name.repo == *repo && **named == id)
        .filter_map(|(name, _)| pointer(name))
        .collect();
    pointers.sort();
    pointers
}

/// The pointer that a ref is; `None` for an artifact's own ref.
pub(super) fn pointer(name: &RefName) -> Option<Pointer> {
    match &name.key {
        Key::Commit(_) => None,
        Key::Default => Some(Pointer::Default),
        Key::Head(branch) => Some(Pointer::Branch(branch.name().unwrap_or_else(|| branch.to_string()))),
    }
}

/// Refuses a commit that speaks of something else than its ref.
fn labelled(entry: &Entry, commit: ArtifactCommit) -> Result<ArtifactCommit, String> {
    let same =
        commit.source_commit == entry.sha && Component::of(commit.repo_id.as_str()).as_ref() == Some(&entry.repo);
    if same { Ok(commit) } else { Err(format!("it is of {} at {}", commit.repo_id, commit.source_commit)) }
}

fn details(commit: ArtifactCommit) -> Details {
    Details {
        checksum: commit.checksum,
        branch: commit.branch,
        time: commit.time,
        extractor: commit.extractor,
        chain: commit.chain,
        signed: commit.signature.is_some(),
    }
}

impl Published {
    /// The repositories, by id where it is known and by escaped name where not.
    pub fn repositories(&self) -> BTreeSet<String> {
        let name = |entry: &Entry| entry.repo_id.as_ref().map_or_else(|| entry.repo.to_string(), ToString::to_string);
        self.entries.iter().map(name).collect()
    }
}
