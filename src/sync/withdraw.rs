//! Removing artifacts for good.
//!
//! Their refs go, and no artifact that stays is reached through them any more, so that the
//! remote can collect what they alone held. The commits and trees needed for that are looked
//! at in a repository that is thrown away; what is here of the remote's artifacts is thrown
//! away too, so that nothing of ours holds what was withdrawn.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use git2::{ObjectType, Oid};

use super::history::SourceHistory;
use super::list::{Pointer, pointer};
use super::reroot::{Graph, Plan};
use super::retention::the_repository;
use super::{Place, SyncError};
use crate::cache::reading::{known_objects, record_at, records_in};
use crate::cache::{Cache, CacheError, Component, Connection, Filter, Key, RefUpdate, Role};
use crate::config::RepoId;
use crate::git::GitErrorKind;
use crate::source::RepoPath;

/// How often it is tried while others move the same refs.
const TRIES: u32 = 8;

/// The shortest abbreviation of a commit that is looked up, in digits.
const SHORTEST_REV: usize = 7;

/// What to withdraw.
#[derive(Clone, Debug)]
pub struct WithdrawOptions {
    /// The repository; the remote's only one where `None`.
    pub repo_id: Option<RepoId>,
    /// The source commits whose artifacts go: ids, starts of them, or revisions of the source.
    pub revs: Vec<String>,
    /// The file that has to go, to find the other artifacts that hold it.
    pub file: Option<RepoPath>,
    /// Withdraws those that hold the same record of `file` as well.
    pub with_sharing: bool,
    /// Finds out, and changes nothing.
    pub dry_run: bool,
}

/// One artifact that goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    /// The source commit.
    pub sha: String,
    /// The branch it was published for.
    pub branch: Option<String>,
    /// The source commit's date, seconds since 1970.
    pub time: i64,
    /// Whether it has a ref; else only the chain of another one held it.
    pub listed: bool,
}

/// An artifact that stays and holds what a withdrawn one holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sharing {
    /// The repository.
    pub repo_id: String,
    /// The source commit.
    pub sha: String,
    /// How many records are the same.
    pub records: u64,
    /// Whether it has a ref; else only the chain of another one holds it.
    pub listed: bool,
}

/// Which artifacts that stay hold the file that has to go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holders {
    /// Source commits of those that hold the same record of it.
    pub same: BTreeSet<String>,
    /// Source commits of those that hold another one, which may have the same text in it.
    pub other: BTreeSet<String>,
}

/// What withdrawing did, or would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// The remote, without secrets.
    pub remote: String,
    /// The repository, as far as its name is known.
    pub repo: String,
    /// The artifacts that go.
    pub withdrawn: Vec<Withdrawn>,
    /// How many that stay were written again without them.
    pub rerooted: u64,
    /// The pointers that named one, and the source commit each names now; `None` where it went.
    pub pointers: Vec<(Pointer, Option<String>)>,
    /// How many records the withdrawn ones hold.
    pub records: u64,
    /// How many of those no other artifact holds.
    pub unique: u64,
    /// The artifacts that hold the others, those with the most first.
    pub sharing: Vec<Sharing>,
    /// Who holds the file that has to go, where one was named.
    pub holders: Option<Holders>,
    /// What people should know.
    pub notices: Vec<String>,
}

/// Removes artifacts so that nothing on the remote reaches what they alone held.
///
/// # Errors
/// When an artifact is not there, the remote fails or lets nobody delete, or others stay
/// faster. What was done until then stays done, and loses nothing that should be kept.
pub fn withdraw(place: &Place, options: &WithdrawOptions) -> Result<Withdrawal, SyncError> {
    let connection = place.writing()?;
    let mut report: Option<Withdrawal> = None;
    let mut decided = BTreeSet::new();
    for _ in 0..TRIES {
        let scene = Scene::look(place, &connection, options, &decided)?;
        decided.clone_from(&scene.shas);
        let first = report.get_or_insert_with(|| scene.report(&connection));
        if options.dry_run {
            return Ok(first.clone());
        }
        if scene.plan.updates.is_empty() || scene.carry_out(&connection)? {
            let mut done = first.clone();
            if let Err(error) = forget(place, &connection) {
                done.notices
                    .push(format!("withdrawn there, but what is here of the remote could not be deleted: {error}"));
            }
            return Ok(done);
        }
    }
    let name = options.revs.join(", ");
    Err(SyncError::Contended { name, tries: TRIES })
}

/// What the remote holds, and what has to happen there.
struct Scene {
    /// Holds every commit and tree that refs of ours reach, and no blob where the remote filters.
    look: Cache,
    _directory: tempfile::TempDir,
    filters: bool,
    graph: Graph,
    repo: Component,
    /// The source commits whose artifacts go.
    shas: BTreeSet<String>,
    withdrawn: HashSet<Oid>,
    plan: Plan,
    sharing: Shares,
    notices: Vec<String>,
}

/// What the withdrawn ones hold, and who else.
#[derive(Default)]
struct Shares {
    records: u64,
    unique: u64,
    others: Vec<Sharing>,
    holders: Option<Holders>,
}

impl Scene {
    /// Looks, and chooses what goes; `decided` is what an earlier look has chosen.
    fn look(
        place: &Place,
        connection: &Connection,
        options: &WithdrawOptions,
        decided: &BTreeSet<String>,
    ) -> Result<Self, SyncError> {
        let local = |error: std::io::Error| CacheError::Local {
            path: connection.caches().display().to_string(),
            why: error.to_string(),
        };
        let directory = tempfile::Builder::new().prefix("new-").tempdir_in(connection.caches()).map_err(local)?;
        let look = Cache::open(&connection.beside(directory.path()), Role::Commits)?;
        let listing = look.list(None)?;
        let filter = if listing.filters { Filter::Blobs } else { Filter::Nothing };
        let ids: BTreeSet<String> = listing.refs.values().map(ToString::to_string).collect();
        look.fetch(&ids.into_iter().collect::<Vec<_>>(), filter, false)?;
        let repo = the_repository(connection, &listing, options.repo_id.as_ref())?;
        let mut scene = Self {
            filters: listing.filters,
            graph: Graph { commits: HashMap::new(), refs: listing.refs },
            look,
            _directory: directory,
            repo,
            shas: decided.clone(),
            withdrawn: HashSet::new(),
            plan: Plan::default(),
            sharing: Shares::default(),
            notices: Vec::new(),
        };
        scene.read_chains()?;
        scene.choose(place, options)?;
        Ok(scene)
    }

    /// Reads every artifact that a ref reaches.
    fn read_chains(&mut self) -> Result<(), SyncError> {
        for (name, id) in self.graph.refs.clone() {
            let mut at = Some(id);
            while let Some(id) = at.filter(|id| !self.graph.commits.contains_key(id)) {
                match self.look.commit(id) {
                    Ok(commit) => {
                        at = commit.parent;
                        self.graph.commits.insert(id, commit);
                    }
                    Err(error) => {
                        self.notices.push(format!("what `{name}` holds was not looked into: {error}"));
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Finds the artifacts that go, plans, and finds those that hold the same.
    fn choose(&mut self, place: &Place, options: &WithdrawOptions) -> Result<(), SyncError> {
        if self.shas.is_empty() {
            self.shas = options.revs.iter().map(|rev| self.find(place, rev)).collect::<Result<_, _>>()?;
            self.refuse_missing(options.file.as_ref())?;
        }
        self.settle(options.file.as_ref())?;
        let same = self.sharing.holders.as_ref().map(|holders| holders.same.clone()).unwrap_or_default();
        if options.with_sharing && !same.is_empty() {
            self.shas.extend(same);
            self.settle(options.file.as_ref())?;
        }
        Ok(())
    }

    /// Plans, and finds out who else holds what goes.
    fn settle(&mut self, file: Option<&RepoPath>) -> Result<(), SyncError> {
        self.withdrawn = self.artifacts();
        self.plan = self.graph.without(&self.withdrawn)?;
        self.share(file)
    }

    /// Refuses a file that none of the artifacts holds: it would be in no other one either.
    fn refuse_missing(&self, file: Option<&RepoPath>) -> Result<(), SyncError> {
        let Some(path) = file else { return Ok(()) };
        let odb = self.look.odb()?;
        for commit in self.artifacts().iter().filter_map(|id| self.graph.commits.get(id)) {
            if record_at(&odb, commit.tree, path)?.is_some() {
                return Ok(());
            }
        }
        Err(SyncError::NoSuchRecord(path.to_string()))
    }

    /// The source commit that `rev` stands for, among those that have an artifact.
    fn find(&self, place: &Place, rev: &str) -> Result<String, SyncError> {
        let known: BTreeSet<String> = self
            .graph
            .refs
            .keys()
            .filter(|name| name.repo == self.repo)
            .filter_map(|name| match &name.key {
                Key::Commit(sha) => Some(sha.clone()),
                _ => None,
            })
            .chain(
                self.graph
                    .commits
                    .values()
                    .filter(|commit| self.is_ours(commit.repo_id.as_str()))
                    .map(|commit| commit.source_commit.clone()),
            )
            .collect();
        let digits = rev.len() >= SHORTEST_REV && rev.bytes().all(|byte| byte.is_ascii_hexdigit());
        let start = rev.to_ascii_lowercase();
        let matches: Vec<&String> = known.iter().filter(|sha| digits && sha.starts_with(&start)).collect();
        match matches.as_slice() {
            [sha] => return Ok((*sha).clone()),
            [] => {}
            _ => {
                let matches: Vec<&str> = matches.iter().map(|sha| sha.as_str()).collect();
                return Err(SyncError::Ambiguous { rev: start, matches: matches.join(", ") });
            }
        }
        let resolved = match place.source.as_deref() {
            Some(source) => SourceHistory::of(source).resolve(rev)?,
            None => None,
        };
        resolved.filter(|sha| known.contains(sha)).ok_or_else(|| SyncError::Nothing {
            wanted: format!("`{}` of `{}`", rev.escape_debug(), self.repo_name()),
            published: format!("the artifacts that `cce sync list` shows, {} commits with their chains", known.len()),
        })
    }

    fn repo_name(&self) -> String {
        self.repo.name().unwrap_or_else(|| self.repo.to_string())
    }

    fn is_ours(&self, repo_id: &str) -> bool {
        Component::of(repo_id).as_ref() == Some(&self.repo)
    }

    /// Every artifact of the source commits, whether a ref or a chain holds it.
    fn artifacts(&self) -> HashSet<Oid> {
        let shas = &self.shas;
        let named = self.graph.refs.iter().filter(|(name, _)| match &name.key {
            Key::Commit(sha) => name.repo == self.repo && shas.contains(sha),
            _ => false,
        });
        let held = self
            .graph
            .commits
            .iter()
            .filter(|(_, commit)| shas.contains(&commit.source_commit) && self.is_ours(commit.repo_id.as_str()));
        named.map(|(_, id)| *id).chain(held.map(|(id, _)| *id)).collect()
    }

    /// Finds out who else holds what the withdrawn ones hold.
    fn share(&mut self, file: Option<&RepoPath>) -> Result<(), SyncError> {
        let odb = self.look.odb()?;
        let trees = self.withdrawn.iter().filter_map(|id| self.graph.commits.get(id)).map(|commit| commit.tree);
        let (mut records, mut versions) = (HashSet::new(), BTreeSet::new());
        for tree in trees {
            records.extend(records_in(&odb, tree)?);
            if let Some(path) = file {
                versions.extend(record_at(&odb, tree, path)?);
            }
        }
        let listed: HashSet<Oid> = self.graph.refs.values().copied().collect();
        let mut shares = Shares { records: records.len() as u64, ..Shares::default() };
        let mut shared = HashSet::new();
        let mut holders = Holders::default();
        for id in &self.plan.staying {
            let Some(commit) = self.graph.commits.get(id) else { continue };
            let theirs = known_objects(&odb, commit.tree)?;
            let common: Vec<Oid> = records.intersection(&theirs).copied().collect();
            if let Some(path) = file
                && let Some(record) = record_at(&odb, commit.tree, path)?
            {
                let set = if versions.contains(&record) { &mut holders.same } else { &mut holders.other };
                set.insert(commit.source_commit.clone());
            }
            if !common.is_empty() {
                shares.others.push(Sharing {
                    repo_id: commit.repo_id.to_string(),
                    sha: commit.source_commit.clone(),
                    records: common.len() as u64,
                    listed: listed.contains(id),
                });
                shared.extend(common);
            }
        }
        shares.unique = (records.len() - shared.len()) as u64;
        shares.others.sort_by(|a, b| b.records.cmp(&a.records).then(a.cmp(b)));
        shares.holders = file.map(|_| holders);
        self.sharing = shares;
        Ok(())
    }

    fn report(&self, connection: &Connection) -> Withdrawal {
        let listed: HashSet<Oid> = self.graph.refs.values().copied().collect();
        let mut withdrawn: BTreeMap<String, Withdrawn> = BTreeMap::new();
        for id in &self.withdrawn {
            let Some(commit) = self.graph.commits.get(id) else { continue };
            let one = withdrawn.entry(commit.source_commit.clone()).or_insert_with(|| Withdrawn {
                sha: commit.source_commit.clone(),
                branch: commit.branch.clone(),
                time: commit.time,
                listed: false,
            });
            one.listed |= listed.contains(id);
        }
        let source = |id: Oid| {
            let before = self.graph.commits.get(&id).map(|commit| commit.source_commit.clone());
            let written = || self.plan.rewritten.iter().find(|commit| commit.id().ok() == Some(id));
            before.or_else(|| written().map(|commit| commit.source_commit.clone()))
        };
        let lost = |update: &&RefUpdate| update.old.is_some_and(|old| self.withdrawn.contains(&old));
        let pointers = self.plan.updates.iter().filter(lost);
        Withdrawal {
            remote: connection.url().printable(),
            repo: self.repo_name(),
            withdrawn: withdrawn.into_values().collect(),
            rerooted: self.plan.rewritten.len() as u64,
            pointers: pointers
                .filter_map(|update| Some((pointer(&update.name)?, update.new.and_then(source))))
                .collect(),
            records: self.sharing.records,
            unique: self.sharing.unique,
            sharing: self.sharing.others.clone(),
            holders: self.sharing.holders.clone(),
            notices: self.notices.clone(),
        }
    }

    /// Moves the refs, and says whether the remote then lists what it should.
    fn carry_out(&self, connection: &Connection) -> Result<bool, SyncError> {
        // With the trees taken for known because their commits are, a push sends commits alone.
        let commits;
        let cache = if self.filters {
            commits = Cache::open(connection, Role::Commits)?;
            let named = self.plan.updates.iter().flat_map(|update| [update.old, update.new]).flatten();
            commits.fetch_commits(named.filter(|id| self.graph.commits.contains_key(id)))?;
            &commits
        } else {
            &self.look
        };
        let odb = cache.odb()?;
        for commit in &self.plan.rewritten {
            odb.write(ObjectType::Commit, &commit.encode())
                .map_err(|error| CacheError::Object { id: commit.source_commit.clone(), why: error.to_string() })?;
        }
        drop(odb);
        match cache.push_commits(&self.plan.updates) {
            Ok(()) => {}
            Err(CacheError::Git(error)) if error.kind() == GitErrorKind::Stale => return Ok(false),
            Err(CacheError::Git(error)) if error.to_string().contains("atomic") => {
                if !one_by_one(cache, &self.plan.updates)? {
                    return Ok(false);
                }
            }
            Err(error) => return Err(error.into()),
        }
        let mut expected = self.graph.refs.clone();
        for update in &self.plan.updates {
            match update.new {
                Some(new) => expected.insert(update.name.clone(), new),
                None => expected.remove(&update.name),
            };
        }
        Ok(cache.list(None)?.refs == expected)
    }
}

/// For remotes that cannot move several refs as one: what stays moves first, and only when
/// all of it has its new place do refs go. So a failure in between loses nothing.
fn one_by_one(cache: &Cache, updates: &[RefUpdate]) -> Result<bool, SyncError> {
    let (moves, deletions): (Vec<_>, Vec<_>) = updates.iter().cloned().partition(|update| update.new.is_some());
    for part in [moves, deletions] {
        let apart = cache.push_apart(&part)?;
        if let Some((_, why)) = apart.refused.first() {
            return Err(SyncError::Undeleted { refused: apart.refused.len(), of: part.len(), why: why.clone() });
        }
        if !apart.moved.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Throws away what is here of the remote's artifacts.
fn forget(place: &Place, writing: &Connection) -> Result<(), SyncError> {
    for connection in [writing.clone(), place.reading()?] {
        for role in [Role::Artifacts, Role::Publishing, Role::Commits] {
            Cache::open(&connection, role)?.delete()?;
        }
    }
    Ok(())
}
