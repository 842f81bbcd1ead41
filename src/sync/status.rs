//! How what is published relates to what is checked out.

use std::collections::BTreeSet;

use super::history::{Head, SourceHistory};
use super::{Place, SyncError};
use crate::cache::{Cache, Component, Listing, Namespace, RefName, Role};
use crate::config::RepoId;

/// How the checked-out commit relates to a published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They are the same.
    Same,
    /// The checkout has so many commits more.
    Ahead(u64),
    /// The checkout has so many commits less.
    Behind(u64),
    /// Each has commits that the other has not.
    Diverged {
        /// The checkout's.
        ahead: u64,
        /// The published one's.
        behind: u64,
    },
    /// The history at hand does not say.
    Unknown,
}

/// A pointer and the commit it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointerStatus {
    /// The source commit; `None` where the pointer names no listed artifact.
    pub sha: Option<String>,
    /// How the checkout relates to it.
    pub relation: Relation,
}

/// What is published of one repository, seen from a checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The remote, without secrets.
    pub remote: String,
    /// The repository.
    pub repo_id: RepoId,
    /// What is checked out.
    pub head: Head,
    /// Whether exactly that commit is published.
    pub published: bool,
    /// The nearest published ancestor, and how many commits the checkout has beyond it;
    /// set only where the commit itself is not published.
    pub nearest: Option<(String, u64)>,
    /// The pointer of the checked-out branch.
    pub branch: Option<PointerStatus>,
    /// The `default` pointer.
    pub default: Option<PointerStatus>,
    /// How many artifacts of the repository there are.
    pub artifacts: u64,
}

/// Compares a checkout (the place's source) with what is published of `repo_id`.
///
/// # Errors
/// When the place has no source, or the remote fails.
pub fn status(place: &Place, repo_id: &RepoId) -> Result<Status, SyncError> {
    let source = place.source.as_deref().ok_or(SyncError::Unpublishable("there is no source repository here"))?;
    let history = SourceHistory::of(source);
    let head = history.head()?;
    let connection = place.reading()?;
    let repo = Component::of(repo_id.as_str()).ok_or(SyncError::Unpublishable("its repository id is empty"))?;
    let listing = Cache::open(&connection, Role::Commits)?.list(Some(&repo))?;
    let holds = |space: &Namespace| listing.refs.keys().any(|name| name.namespace == *space);
    let space = Namespace::ALL.into_iter().find(holds).unwrap_or_default();
    let commits: BTreeSet<&str> = listing.commits(space, &repo).map(|(sha, _)| sha).collect();
    let sha = head.sha.as_deref();
    let published = sha.is_some_and(|sha| commits.contains(sha));
    let nearest = sha.filter(|_| !published).and_then(|sha| history.nearest(sha, &commits));
    let pointer = |name: &RefName| pointer_status(&listing, space, &repo, name, sha, history);
    let branch = head.branch.as_deref().and_then(Component::of);
    Ok(Status {
        remote: connection.url().printable(),
        repo_id: repo_id.clone(),
        published,
        nearest,
        branch: branch.and_then(|branch| pointer(&RefName::head(space, &repo, &branch))),
        default: pointer(&RefName::default_of(space, &repo)),
        artifacts: commits.len() as u64,
        head,
    })
}

fn pointer_status(
    listing: &Listing,
    space: Namespace,
    repo: &Component,
    name: &RefName,
    head: Option<&str>,
    history: SourceHistory<'_>,
) -> Option<PointerStatus> {
    let id = listing.get(name)?;
    let sha = listing.source_of(space, repo, id).map(str::to_owned);
    let relation = match (head, sha.as_deref()) {
        (Some(head), Some(sha)) => relation(history, head, sha),
        _ => Relation::Unknown,
    };
    Some(PointerStatus { sha, relation })
}

fn relation(history: SourceHistory<'_>, head: &str, sha: &str) -> Relation {
    if head == sha {
        return Relation::Same;
    }
    match history.distance(head, sha) {
        None => Relation::Unknown,
        Some((ahead, 0)) => Relation::Ahead(ahead),
        Some((0, behind)) => Relation::Behind(behind),
        Some((ahead, behind)) => Relation::Diverged { ahead, behind },
    }
}
