//! Bringing one artifact here.

use std::collections::BTreeSet;

use git2::Oid;

use super::history::SourceHistory;
use super::list::{Pointer, pointer};
use super::{Place, SyncError};
use crate::cache::names::is_sha;
use crate::cache::remote::Connection;
use crate::cache::{Artifact, Cache, Component, Filter, Key, Listing, Namespace, RefName, Role};
use crate::config::RepoId;

/// The shortest abbreviation of a commit that is looked up, in digits.
const SHORTEST_REV: usize = 7;

/// How many names an error lists.
const MOST_NAMED: usize = 20;

/// Which artifact to bring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// What a pointer names: of `branch`, else of the checked-out branch. Where that has
    /// none, the checked-out commit or its nearest published ancestor. Else what `default`
    /// names, or the only pointer.
    Latest {
        /// The branch, where one was named.
        branch: Option<String>,
    },
    /// A commit: its id, the start of one, or any revision the source understands.
    Commit(String),
}

/// What to pull.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullOptions {
    /// The repository; the remote's only one where `None`.
    pub repo_id: Option<RepoId>,
    /// The artifact.
    pub wanted: Wanted,
    /// Refuses the nearest published ancestor of a commit that is not published itself.
    pub exact: bool,
}

/// The published ancestor that stands in for a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The commit that was wanted.
    pub wanted: String,
    /// How many commits it has beyond the one that was brought.
    pub beyond: u64,
}

/// An artifact that is here, whole but not yet verified.
#[derive(Debug)]
pub struct Pulled {
    /// The artifact: manifest line and records, for a verifier.
    pub artifact: Artifact,
    /// The repository.
    pub repo_id: RepoId,
    /// The source commit it was built from.
    pub sha: String,
    /// The pointer that led to it.
    pub pointer: Option<Pointer>,
    /// Set when it stands in for a commit that is not published.
    pub nearest: Option<Nearest>,
    /// The remote, without secrets.
    pub remote: String,
    /// What people should know.
    pub notices: Vec<String>,
}

/// An artifact that the remote lists, not brought here yet.
#[derive(Debug)]
pub struct Found {
    connection: Connection,
    cache: Cache,
    repo: Component,
    choice: Choice,
    /// The source commit, where the listing says it; a pointer to no listed artifact has none.
    pub sha: Option<String>,
    /// Set when it stands in for a commit that is not published.
    pub nearest: Option<Nearest>,
    notices: Vec<String>,
}

/// Brings an artifact here; nothing is fetched when it is here already.
///
/// # Errors
/// When it is not published, the request does not say which one, or the remote fails.
pub fn pull(place: &Place, options: &PullOptions) -> Result<Pulled, SyncError> {
    find(place, options)?.bring()
}

/// Finds out which artifact is meant, from the remote's listing alone.
///
/// # Errors
/// When it is not published, the request does not say which one, or the remote fails.
pub fn find(place: &Place, options: &PullOptions) -> Result<Found, SyncError> {
    let connection = place.reading()?;
    let cache = Cache::open(&connection, Role::Artifacts)?;
    let wanted_repo = options.repo_id.as_ref().and_then(|id| Component::of(id.as_str()));
    let listing = cache.list(wanted_repo.as_ref())?;
    let mut notices = Vec::new();
    let (namespace, repo) = repository(&connection, &cache, &listing, options, &mut notices)?;
    let shelf = Shelf { place, listing: &listing, namespace, repo };
    let choice = match &options.wanted {
        Wanted::Latest { branch } => shelf.latest(branch.as_deref())?,
        Wanted::Commit(rev) => shelf.commit(rev, options.exact)?,
    };
    let listed = listing.source_of(shelf.namespace, &shelf.repo, choice.artifact).map(str::to_owned);
    let sha = choice.sha.clone().or(listed);
    let (nearest, repo) = (choice.nearest.clone(), shelf.repo);
    Ok(Found { connection, cache, repo, choice, sha, nearest, notices })
}

impl Found {
    /// The repository, as people read it.
    pub fn repo(&self) -> String {
        readable(&self.repo)
    }

    /// The remote, without secrets.
    pub fn remote(&self) -> String {
        self.connection.url().printable()
    }

    /// Brings the artifact here; nothing is fetched when it is here already.
    ///
    /// # Errors
    /// When the remote fails, or what comes is not what its name says.
    pub fn bring(self) -> Result<Pulled, SyncError> {
        let Self { connection, cache, repo, choice, nearest, notices, .. } = self;
        let label = label(choice.artifact);
        if cache.remembered(&label).is_none() {
            cache.fetch(&[choice.artifact.to_string()], Filter::Nothing, true)?;
            cache.remember(&label, choice.artifact)?;
        }
        let artifact = Artifact::open(cache.into_reader(), choice.artifact)?;
        let commit = artifact.commit();
        let (repo_id, sha) = (commit.repo_id.clone(), commit.source_commit.clone());
        let same_repo = Component::of(repo_id.as_str()).as_ref() == Some(&repo);
        if !same_repo || choice.sha.as_ref().is_some_and(|wanted| *wanted != sha) {
            return Err(SyncError::Mislabelled { name: choice.name.to_string(), found: format!("{repo_id} at {sha}") });
        }
        let remote = connection.url().printable();
        Ok(Pulled { artifact, repo_id, sha, pointer: pointer(&choice.name), nearest, remote, notices })
    }
}

/// Settles which repository is meant, and under which prefix it stands.
fn repository(
    connection: &Connection,
    cache: &Cache,
    listing: &Listing,
    options: &PullOptions,
    notices: &mut Vec<String>,
) -> Result<(Namespace, Component), SyncError> {
    let found: BTreeSet<&Component> = listing.refs.keys().map(|name| &name.repo).collect();
    let repo = match (&options.repo_id, found.first()) {
        (Some(id), None) => {
            let others: BTreeSet<String> = cache.list(None)?.refs.keys().map(|name| readable(&name.repo)).collect();
            return Err(SyncError::Nothing { wanted: format!("`{id}`"), published: named(others.iter()) });
        }
        (None, None) => {
            let wanted = format!("any repository at `{}`", connection.url());
            return Err(SyncError::Nothing { wanted, published: named(std::iter::empty()) });
        }
        (None, Some(_)) if found.len() > 1 => {
            let ids: BTreeSet<String> = found.into_iter().map(readable).collect();
            return Err(SyncError::SeveralIds(named(ids.iter())));
        }
        (given, Some(repo)) => {
            if given.is_none() {
                notices.push(format!("the remote holds one repository, `{}`", readable(repo)));
            }
            (*repo).clone()
        }
    };
    Ok((namespace_of(listing, &repo), repo))
}

/// The first prefix that holds a repository.
pub(super) fn namespace_of(listing: &Listing, repo: &Component) -> Namespace {
    let holds = |space: &Namespace| listing.refs.keys().any(|name| name.namespace == *space && name.repo == *repo);
    Namespace::ALL.into_iter().find(holds).unwrap_or_default()
}

pub(super) fn readable(repo: &Component) -> String {
    repo.name().unwrap_or_else(|| repo.to_string())
}

/// The local name that says an artifact is here, whole.
pub(super) fn label(artifact: Oid) -> String {
    format!("refs/whole/{artifact}")
}

fn plain_branch(branch: &str) -> &str {
    branch.strip_prefix("refs/heads/").unwrap_or(branch)
}

/// What there is, for an error: the first so many names, and how many more.
pub(super) fn named<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<&str> = names.map(String::as_str).collect();
    match names.len() {
        0 => "nothing".into(),
        count if count > MOST_NAMED => format!("{} and {} more", names[..MOST_NAMED].join(", "), count - MOST_NAMED),
        _ => names.join(", "),
    }
}

/// Which artifact was settled on.
#[derive(Debug)]
pub(super) struct Choice {
    /// The ref that names it.
    pub name: RefName,
    /// Its commit.
    pub artifact: Oid,
    /// The source commit its ref stands for, where it is not a pointer.
    sha: Option<String>,
    nearest: Option<Nearest>,
}

/// The refs of one repository under one prefix.
pub(super) struct Shelf<'a> {
    pub place: &'a Place,
    pub listing: &'a Listing,
    pub namespace: Namespace,
    pub repo: Component,
}

impl Shelf<'_> {
    fn history(&self) -> Option<SourceHistory<'_>> {
        self.place.source.as_deref().map(SourceHistory::of)
    }

    fn head(&self, branch: &str) -> Option<RefName> {
        let name = RefName::head(self.namespace, &self.repo, &Component::of(branch)?);
        self.listing.get(&name).is_some().then_some(name)
    }

    fn pointers(&self) -> Vec<(&RefName, String)> {
        let ours = self.listing.refs.keys().filter(|name| name.namespace == self.namespace && name.repo == self.repo);
        ours.filter_map(|name| match pointer(name)? {
            Pointer::Default => Some((name, "default".to_owned())),
            Pointer::Branch(branch) => Some((name, branch)),
        })
        .collect()
    }

    /// As [`Self::latest`]; a branch that this repository has not got does not count.
    pub(super) fn latest_of_any(&self, branch: Option<&str>) -> Result<Choice, SyncError> {
        self.latest(branch.filter(|branch| self.head(plain_branch(branch)).is_some()))
    }

    fn latest(&self, branch: Option<&str>) -> Result<Choice, SyncError> {
        let pointers = self.pointers();
        let names = || named(pointers.iter().map(|(_, name)| name));
        if let Some(branch) = branch {
            let branch = plain_branch(branch);
            let name = self.head(branch).ok_or_else(|| SyncError::Nothing {
                wanted: format!("the branch `{}` of `{}`", branch.escape_debug(), readable(&self.repo)),
                published: names(),
            })?;
            return self.choice(name, None, None);
        }
        let head = self.history().and_then(|history| history.head().ok());
        if let Some(name) = head.as_ref().and_then(|head| self.head(head.branch.as_deref()?)) {
            return self.choice(name, None, None);
        }
        if let Some(near) = head.and_then(|head| self.nearest_to(&head.sha?)) {
            return near;
        }
        let default = RefName::default_of(self.namespace, &self.repo);
        let name = (self.listing.get(&default).is_some().then_some(default))
            .or_else(|| (pointers.len() == 1).then(|| pointers[0].0.clone()))
            .ok_or_else(|| SyncError::NoPointer { repo: readable(&self.repo), pointers: names() })?;
        self.choice(name, None, None)
    }

    /// The artifact of `sha` or of its nearest published ancestor, if there is one.
    fn nearest_to(&self, sha: &str) -> Option<Result<Choice, SyncError>> {
        let published = self.published_commits();
        if published.contains(sha) {
            return Some(self.published(sha, None));
        }
        let (found, beyond) = self.history()?.nearest(sha, &published)?;
        Some(self.published(&found, Some(Nearest { wanted: sha.to_owned(), beyond })))
    }

    fn published_commits(&self) -> BTreeSet<&str> {
        self.listing.commits(self.namespace, &self.repo).map(|(sha, _)| sha).collect()
    }

    fn commit(&self, rev: &str, exact: bool) -> Result<Choice, SyncError> {
        let published = self.published_commits();
        if published.contains(rev) {
            return self.published(rev, None);
        }
        let resolved = match self.history() {
            Some(history) => history.resolve(rev)?,
            None => None,
        };
        let Some(sha) = resolved else { return self.abbreviated(rev, &published) };
        if published.contains(sha.as_str()) {
            return self.published(&sha, None);
        }
        let nearest = self.history().and_then(|history| history.nearest(&sha, &published));
        match nearest {
            Some((found, beyond)) if !exact => self.published(&found, Some(Nearest { wanted: sha, beyond })),
            Some((found, beyond)) => Err(self.unknown(&sha, format!("the nearest is {found}, {beyond} before it"))),
            None => Err(self.unknown(&sha, self.some_commits(&published))),
        }
    }

    /// A commit the source does not know: by its start.
    fn abbreviated(&self, rev: &str, published: &BTreeSet<&str>) -> Result<Choice, SyncError> {
        let digits = rev.len() >= SHORTEST_REV && rev.bytes().all(|byte| byte.is_ascii_hexdigit());
        let start = rev.to_ascii_lowercase();
        let matches: Vec<String> =
            published.iter().filter(|sha| digits && sha.starts_with(&start)).map(|sha| (*sha).to_owned()).collect();
        match matches.as_slice() {
            [sha] => self.published(sha, None),
            [] => Err(self.unknown(&rev.escape_debug().to_string(), self.some_commits(published))),
            _ => Err(SyncError::Ambiguous { rev: start, matches: named(matches.iter()) }),
        }
    }

    fn some_commits(&self, published: &BTreeSet<&str>) -> String {
        let names: Vec<String> = published.iter().map(|sha| sha[..12].to_owned()).collect();
        named(names.iter())
    }

    fn unknown(&self, rev: &str, published: String) -> SyncError {
        SyncError::Nothing { wanted: format!("`{rev}` of `{}`", readable(&self.repo)), published }
    }

    fn published(&self, sha: &str, nearest: Option<Nearest>) -> Result<Choice, SyncError> {
        debug_assert!(is_sha(sha));
        self.choice(RefName::commit(self.namespace, &self.repo, sha), Some(sha.to_owned()), nearest)
    }

    fn choice(&self, name: RefName, sha: Option<String>, nearest: Option<Nearest>) -> Result<Choice, SyncError> {
        debug_assert!(sha.is_none() || matches!(name.key, Key::Commit(_)));
        let artifact = self.listing.get(&name).ok_or_else(|| SyncError::NotKept(name.to_string()))?;
        Ok(Choice { name, artifact, sha, nearest })
    }
}
