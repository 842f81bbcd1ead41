//! How many artifacts a remote keeps.
//!
//! Kept are the newest of each branch, those of tags, those that a pointer names, and
//! whatever is no artifact of ours. The branch is the one an artifact was published for;
//! those of no known branch are one group of their own. Only refs are removed: what the
//! chain of a kept artifact holds stays until the chain ends.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use git2::Oid;

use super::history::SourceHistory;
use super::{Place, SyncError};
use crate::cache::{
    ArtifactCommit, Cache, CacheError, Component, Connection, Filter, Key, Listing, Namespace, RefName, RefUpdate, Role,
};
use crate::config::RepoId;
use crate::git::GitErrorKind;
use crate::source::redact::masked;

/// What to keep.
#[derive(Clone, Debug)]
pub struct PruneOptions {
    /// The repository; the remote's only one where `None`.
    pub repo_id: Option<RepoId>,
    /// How many artifacts of each branch stay, the newest first.
    pub keep: u64,
    /// The branches to look at; all where there are none.
    pub branches: Vec<String>,
    /// The source's own remote, asked for tags. `None` where the place's source is not the
    /// repository that the artifacts are of.
    pub source_remote: Option<String>,
    /// A source commit whose artifact stays whatever its age.
    pub spared: Option<String>,
    /// Finds out, and removes nothing.
    pub dry_run: bool,
}

/// One artifact that goes, or would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The source commit.
    pub sha: String,
    /// The branch it was published for.
    pub branch: Option<String>,
    /// The source commit's date, seconds since 1970.
    pub time: i64,
    /// Its ref.
    pub name: String,
}

/// What pruning did, or would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// The remote, without secrets.
    pub remote: String,
    /// The repository, as far as its name is known.
    pub repo: String,
    /// What was removed, by branch, the oldest last.
    pub dropped: Vec<Dropped>,
    /// How many artifacts stay.
    pub kept: u64,
    /// Refs that others moved meanwhile; they stay.
    pub moved: Vec<String>,
    /// What people should know.
    pub notices: Vec<String>,
}

/// An artifact with what its commit says.
#[derive(Clone, Debug)]
struct Stored {
    name: RefName,
    sha: String,
    id: Oid,
    commit: ArtifactCommit,
}

/// Removes the artifacts that are more than `keep` of their branch.
///
/// # Errors
/// When the remote fails, does not say which tags the source has, or lets nobody delete.
pub fn prune(place: &Place, options: &PruneOptions) -> Result<Pruned, SyncError> {
    let connection = place.writing()?;
    match attempt(place, &connection, options) {
        // Something was removed between two questions.
        Err(SyncError::Cache(CacheError::Git(error))) if error.kind() == GitErrorKind::BaseGone => {
            attempt(place, &connection, options)
        }
        answer => answer,
    }
}

/// Keeps `keep` artifacts a branch after a push that left `published` of them there.
///
/// Where there are no more than that, nothing can be too many and nothing is asked. 0 keeps
/// all. `sha` is the commit that was just published.
///
/// # Errors
/// As [`prune`]; the publication itself stands.
pub fn after_push(
    place: &Place,
    repo_id: &RepoId,
    sha: &str,
    published: u64,
    keep: u64,
) -> Result<Option<Pruned>, SyncError> {
    if keep == 0 || published <= keep {
        return Ok(None);
    }
    let options = PruneOptions {
        repo_id: Some(repo_id.clone()),
        keep,
        branches: Vec::new(),
        source_remote: Some("origin".to_owned()),
        spared: Some(sha.to_owned()),
        dry_run: false,
    };
    prune(place, &options).map(Some)
}

fn attempt(place: &Place, connection: &Connection, options: &PruneOptions) -> Result<Pruned, SyncError> {
    let cache = Cache::open(connection, Role::Commits)?;
    let asked = options.repo_id.as_ref().and_then(|id| Component::of(id.as_str()));
    let listing = cache.list(asked.as_ref())?;
    let repo = the_repository(connection, &listing, options.repo_id.as_ref())?;
    let mut report = Pruned {
        remote: connection.url().printable(),
        repo: repo.name().unwrap_or_else(|| repo.to_string()),
        dropped: Vec::new(),
        kept: count(&listing, &repo),
        moved: Vec::new(),
        notices: Vec::new(),
    };
    if report.kept <= options.keep {
        return Ok(report);
    }
    let stored = stored(connection, &cache, &listing, &repo)?;
    let mut excess = excess(&stored, &listing, options);
    if !excess.is_empty() {
        let tagged = tagged(place, &cache, options, &mut report.notices)?;
        excess.retain(|artifact| !tagged.contains(&artifact.sha));
    }
    remove(&cache, &excess, options.dry_run, &mut report)?;
    Ok(report)
}

/// The repository that is meant; the only one there is where none was named.
pub(super) fn the_repository(
    connection: &Connection,
    listing: &Listing,
    asked: Option<&RepoId>,
) -> Result<Component, SyncError> {
    if let Some(repo) = asked.and_then(|id| Component::of(id.as_str())) {
        return Ok(repo);
    }
    let found: BTreeSet<&Component> = listing.refs.keys().map(|name: &RefName| &name.repo).collect();
    match (found.first(), found.len()) {
        (Some(repo), 1) => Ok((*repo).clone()),
        (None, _) => Err(SyncError::Nothing {
            wanted: format!("any repository at `{}`", connection.url()),
            published: "nothing".to_owned(),
        }),
        (Some(_), _) => {
            let names: Vec<String> =
                found.into_iter().map(|repo| repo.name().unwrap_or_else(|| repo.to_string())).collect();
            Err(SyncError::SeveralIds(names.join(", ")))
        }
    }
}

fn count(listing: &Listing, repo: &Component) -> u64 {
    Namespace::ALL.iter().map(|space| listing.commits(*space, repo).count() as u64).sum()
}

/// The artifacts with their commits. What is no artifact, or one of something else than its
/// ref says, is not among them, and so stays.
fn stored(
    connection: &Connection,
    cache: &Cache,
    listing: &Listing,
    repo: &Component,
) -> Result<Vec<Stored>, SyncError> {
    let named = || Namespace::ALL.into_iter().flat_map(|space| listing.commits(space, repo).map(move |c| (space, c)));
    let whole;
    let source = if listing.filters {
        cache.fetch_commits(named().map(|(_, (_, id))| id))?;
        cache
    } else {
        whole = Cache::open(connection, Role::Artifacts)?;
        let ids: BTreeSet<String> = named().map(|(_, (_, id))| id.to_string()).collect();
        whole.fetch(&ids.into_iter().collect::<Vec<_>>(), Filter::Nothing, true)?;
        &whole
    };
    let read = |(space, (sha, id)): (Namespace, (&str, Oid))| {
        let commit = source.commit(id).ok()?;
        let fits = commit.source_commit == sha && Component::of(commit.repo_id.as_str()).as_ref() == Some(repo);
        fits.then(|| Stored { name: RefName::commit(space, repo, sha), sha: sha.to_owned(), id, commit })
    };
    Ok(named().filter_map(read).collect())
}

/// What is more than `keep` of its branch and named by no pointer.
fn excess<'a>(stored: &'a [Stored], listing: &Listing, options: &PruneOptions) -> Vec<&'a Stored> {
    let wanted: BTreeSet<String> = options.branches.iter().map(|branch| masked(branch)).collect();
    let pointed: HashSet<Oid> =
        listing.refs.iter().filter(|(name, _)| !matches!(name.key, Key::Commit(_))).map(|(_, id)| *id).collect();
    let mut branches: BTreeMap<(Namespace, Option<&str>), Vec<&Stored>> = BTreeMap::new();
    for artifact in stored {
        branches.entry((artifact.name.namespace, artifact.commit.branch.as_deref())).or_default().push(artifact);
    }
    if !wanted.is_empty() {
        branches.retain(|(_, branch), _| branch.is_some_and(|branch| wanted.contains(branch)));
    }
    let depths = depths(stored);
    let keep = usize::try_from(options.keep).unwrap_or(usize::MAX);
    let mut excess = Vec::new();
    for artifacts in branches.values_mut() {
        artifacts.sort_by_key(|artifact| (Reverse(artifact.commit.time), Reverse(depths[&artifact.id]), &artifact.sha));
        excess.extend(artifacts.iter().skip(keep));
    }
    excess
        .retain(|artifact: &&Stored| !pointed.contains(&artifact.id) && options.spared.as_ref() != Some(&artifact.sha));
    excess
}

/// How many artifacts each one stands on: of two with the same date, the later was built on
/// the earlier.
fn depths(stored: &[Stored]) -> HashMap<Oid, u32> {
    let parents: HashMap<Oid, Option<Oid>> =
        stored.iter().map(|artifact| (artifact.id, artifact.commit.parent)).collect();
    let depth = |id: &Oid| {
        let mut depth = 0;
        let mut at = *id;
        while let Some(Some(parent)) = parents.get(&at) {
            depth += 1;
            at = *parent;
        }
        (*id, depth)
    };
    parents.keys().map(depth).collect()
}

/// The commits of tags: the source's own, those of its remote, those of the remote asked.
fn tagged(
    place: &Place,
    cache: &Cache,
    options: &PruneOptions,
    notices: &mut Vec<String>,
) -> Result<BTreeSet<String>, SyncError> {
    let mut tagged = cache.tagged()?;
    let (Some(source), Some(remote)) = (place.source.as_deref(), options.source_remote.as_deref()) else {
        notices.push(
            "the source is not here, so only those tags count that the remote itself has; to keep the artifacts of \
             all tags, run this in a checkout of the source"
                .to_owned(),
        );
        return Ok(tagged);
    };
    tagged.extend(SourceHistory::of(source).tagged()?);
    match place.source_remote(remote) {
        Ok(connection) => tagged.extend(Cache::open(&connection, Role::History)?.tagged()?),
        // A source without a remote has all its tags here.
        Err(SyncError::Cache(CacheError::Git(error))) if error.kind() == GitErrorKind::NoSuchRemote => {}
        Err(error) => return Err(error),
    }
    Ok(tagged)
}

fn remove(cache: &Cache, excess: &[&Stored], dry_run: bool, report: &mut Pruned) -> Result<(), SyncError> {
    let mut gone: BTreeSet<RefName> = excess.iter().map(|artifact| artifact.name.clone()).collect();
    if !dry_run && !excess.is_empty() {
        let updates: Vec<RefUpdate> = excess
            .iter()
            .map(|artifact| RefUpdate { name: artifact.name.clone(), old: Some(artifact.id), new: None })
            .collect();
        let apart = cache.push_apart(&updates)?;
        if let Some((_, why)) = apart.refused.first() {
            return Err(SyncError::Undeleted { refused: apart.refused.len(), of: updates.len(), why: why.clone() });
        }
        gone = apart.done.into_iter().collect();
        report.moved = apart.moved.iter().map(ToString::to_string).collect();
    }
    let dropped = excess.iter().filter(|artifact| gone.contains(&artifact.name)).map(|artifact| Dropped {
        sha: artifact.sha.clone(),
        branch: artifact.commit.branch.clone(),
        time: artifact.commit.time,
        name: artifact.name.to_string(),
    });
    report.dropped = dropped.collect();
    report.kept = report.kept.saturating_sub(report.dropped.len() as u64);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::extract::ExtractorId;

    /// `branch`, date and parent (by its place in the list) of each artifact.
    type Case<'a> = (Option<&'a str>, i64, Option<usize>);

    fn artifacts(cases: &[Case<'_>]) -> Vec<Stored> {
        let repo = Component::of("example.com/a/b").unwrap();
        let oid = |n: usize| Oid::from_str(&format!("{:040x}", n + 1)).unwrap();
        let one = |(n, (branch, time, parent)): (usize, &Case<'_>)| {
            let sha = format!("{n:040x}");
            Stored {
                name: RefName::commit(Namespace::Own, &repo, &sha),
                id: oid(n),
                commit: ArtifactCommit {
                    tree: Oid::ZERO_SHA1,
                    parent: parent.map(oid),
                    time: *time,
                    source_commit: sha.clone(),
                    checksum: "d".repeat(64),
                    repo_id: RepoId::parse("example.com/a/b").unwrap(),
                    branch: branch.map(str::to_owned),
                    extractor: ExtractorId { digest: "e".repeat(64), revision: 1 },
                    chain: 1,
                    signature: None,
                },
                sha,
            }
        };
        cases.iter().enumerate().map(one).collect()
    }

    fn options(keep: u64, branches: &[&str]) -> PruneOptions {
        PruneOptions {
            repo_id: None,
            keep,
            branches: branches.iter().map(|branch| (*branch).to_owned()).collect(),
            source_remote: None,
            spared: None,
            dry_run: false,
        }
    }

    #[track_caller]
    fn check(cases: &[Case<'_>], pointed: &[usize], options: &PruneOptions, expected: &[usize]) {
        let stored = artifacts(cases);
        let repo = stored[0].name.repo.clone();
        let mut listing = Listing::default();
        for at in pointed {
            let branch = Component::of(&format!("b{at}")).unwrap();
            listing.refs.insert(RefName::head(Namespace::Own, &repo, &branch), stored[*at].id);
        }
        let gone: BTreeSet<String> = excess(&stored, &listing, options).iter().map(|one| one.sha.clone()).collect();
        let expected: BTreeSet<String> = expected.iter().map(|at| stored[*at].sha.clone()).collect();
        assert_eq!(gone, expected);
    }

    #[test]
    fn the_newest_of_each_branch_stay() {
        let (main, side) = (Some("main"), Some("side"));
        let cases =
            [(main, 1, None), (main, 3, None), (main, 2, None), (side, 1, None), (None, 1, None), (None, 2, None)];
        check(&cases, &[], &options(1, &[]), &[0, 2, 4]);
        check(&cases, &[], &options(2, &[]), &[0]);
        check(&cases, &[], &options(3, &[]), &[]);
        check(&cases, &[0], &options(1, &[]), &[2, 4]);
        check(&cases, &[], &options(1, &["main"]), &[0, 2]);
        check(&cases, &[], &options(1, &["nosuch"]), &[]);
    }

    #[test]
    fn of_one_date_the_later_in_the_chain_is_newer() {
        let main = Some("main");
        check(&[(main, 1, Some(1)), (main, 1, Some(2)), (main, 1, None)], &[], &options(1, &[]), &[1, 2]);
        check(&[(main, 1, None), (main, 1, Some(0)), (main, 1, Some(1))], &[], &options(2, &[]), &[0]);
    }

    #[test]
    fn what_was_just_published_stays() {
        let cases = [(Some("main"), 1, None), (Some("main"), 2, None)];
        let spared = PruneOptions { spared: Some(format!("{:040x}", 0)), ..options(1, &[]) };
        check(&cases, &[], &spared, &[]);
    }
}
