//! Publishing: first the artifact, then the pointers.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::Duration;

use git2::Oid;

use super::base::{Base, Bases};
use super::branch::branch_of;
use super::history::SourceHistory;
use super::job::Job;
use super::pointer::{PointerState, Rule, Stay};
use super::{Place, SyncError};
use crate::cache::remote::{Sent, SourceHeads};
use crate::cache::{
    ArtifactCommit, Cache, CacheError, Component, Connection, Filter, Key, Listing, Namespace, RefName, RefUpdate,
    Role, TreePlan,
};
use crate::config::RepoId;
use crate::git::{GitError, GitErrorKind};
use crate::snapshot::Snapshot;
use crate::source::redact::masked;

/// How often a step is tried while others move the same refs.
pub(super) const TRIES: u32 = 24;

/// What to publish and how.
#[derive(Clone, Debug)]
pub struct PushOptions<'a> {
    /// The snapshot; it must have a repository id and a commit.
    pub snapshot: &'a Snapshot,
    /// The date of the source commit, seconds since 1970.
    pub source_time: i64,
    /// The branch whose pointer is to move. Where `None`, that of `job`, else the
    /// checked-out branch, if the commit belongs to it.
    pub branch: Option<String>,
    /// The continuous-integration job that publishes.
    pub job: Option<Job>,
    /// The source's own remote, asked for branch tips and the default branch.
    pub source_remote: String,
    /// Moves pointers whatever the rule says.
    pub force: bool,
    /// Signature to carry in the commit.
    pub signature: Option<String>,
}

impl<'a> PushOptions<'a> {
    /// Publishes `snapshot` for the checked-out branch, with the source remote `origin`.
    pub fn new(snapshot: &'a Snapshot, source_time: i64) -> Self {
        Self {
            snapshot,
            source_time,
            branch: None,
            job: None,
            source_remote: "origin".into(),
            force: false,
            signature: None,
        }
    }
}

/// What became of the artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Publication {
    /// It is new on the remote.
    Created,
    /// The same artifact was there.
    Already,
    /// It took the place of one from an earlier extractor.
    Replaced {
        /// Revision of that extractor.
        revision: u32,
    },
}

/// What a push did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushReport {
    /// The artifact's ref on the remote.
    pub name: String,
    /// The remote, without secrets.
    pub remote: String,
    /// The id of the artifact's commit.
    pub artifact: String,
    /// The branch, where one was known.
    pub branch: Option<String>,
    /// How many artifacts of the repository the remote lists, under this prefix.
    pub published: u64,
    /// What became of the artifact.
    pub publication: Publication,
    /// What became of the branch's pointer.
    pub pointer: PointerState,
    /// What became of the `default` pointer.
    pub default: PointerState,
    /// Objects sent.
    pub objects: u64,
    /// Bytes sent, as git reports them (rounded from 1 KiB on).
    pub bytes: u64,
    /// What people should know, in the order it came up.
    pub notices: Vec<String>,
}

/// Publishes a snapshot.
///
/// # Errors
/// When the snapshot has no identity, other contents are published for its commit, the
/// remote fails, or others stay faster. A pointer that may not move is no error.
pub fn push(place: &Place, options: &PushOptions<'_>) -> Result<PushReport, SyncError> {
    let manifest = &options.snapshot.manifest;
    let repo_id = manifest
        .repo_id
        .clone()
        .ok_or(SyncError::Unpublishable("it has no repository id; give one with `--repo-id` or in `cce.toml`"))?;
    let sha = manifest.sha.clone().ok_or(SyncError::Unpublishable("it was not built from a commit"))?;
    let mut notices = Vec::new();
    let asked = options.branch.as_deref();
    let branch = branch_of(asked, options.job.as_ref(), place.source.as_deref(), &sha, &mut notices)?;
    let connection = place.writing()?;
    let cache = Cache::open(&connection, Role::Publishing)?;
    let repo = Component::of(repo_id.as_str()).ok_or(SyncError::Unpublishable("its repository id is empty"))?;
    let mut publisher = Publisher {
        place,
        options,
        connection: &connection,
        cache,
        repo_id,
        repo,
        sha,
        branch,
        plan: TreePlan::of(options.snapshot)?,
        sent: Sent::default(),
        notices,
    };
    let (artifact, publication, listing) = publisher.publish()?;
    let published = listing.commits(publisher.space(), &publisher.repo).count() as u64;
    let (pointer, default) = publisher.point(artifact, listing)?;
    let branch_name = publisher.branch.clone().unwrap_or_default();
    for (name, state) in [(branch_name.as_str(), &pointer), ("default", &default)] {
        if let PointerState::Stays(stay) = state {
            publisher.notices.push(stay.notice(name));
        }
    }
    Ok(PushReport {
        name: publisher.artifact_name().to_string(),
        remote: connection.url().printable(),
        artifact: artifact.to_string(),
        branch: publisher.branch.clone(),
        published,
        publication,
        pointer,
        default,
        objects: publisher.sent.objects,
        bytes: publisher.sent.bytes,
        notices: publisher.notices,
    })
}

struct Publisher<'a> {
    place: &'a Place,
    options: &'a PushOptions<'a>,
    connection: &'a Connection,
    cache: Cache,
    repo_id: RepoId,
    repo: Component,
    sha: String,
    branch: Option<String>,
    plan: TreePlan<'a>,
    sent: Sent,
    notices: Vec<String>,
}

/// What there is under the artifact's name.
enum Verdict {
    Free,
    Same,
    Older { id: Oid, revision: u32 },
}

impl Publisher<'_> {
    fn space(&self) -> Namespace {
        self.place.namespace
    }

    fn artifact_name(&self) -> RefName {
        RefName::commit(self.space(), &self.repo, &self.sha)
    }

    fn list(&self) -> Result<Listing, SyncError> {
        Ok(self.cache.list(Some(&self.repo))?)
    }

    /// Step one: the artifact stands under its name.
    fn publish(&mut self) -> Result<(Oid, Publication, Listing), SyncError> {
        let name = self.artifact_name();
        let mut listing = self.list()?;
        let mut as_root = false;
        for attempt in 0..TRIES {
            let verdict = match listing.get(&name) {
                None => Verdict::Free,
                Some(id) => self.compare(id, &listing)?,
            };
            if let (Verdict::Same, Some(id)) = (&verdict, listing.get(&name)) {
                return Ok((id, Publication::Already, listing));
            }
            let base = if as_root { None } else { self.base(&listing)? };
            let artifact = self.write(base.as_ref())?;
            match self.cache.push(&self.artifact_updates(&verdict, artifact, &listing)) {
                Ok(sent) => {
                    self.count(sent);
                    listing = self.list()?;
                    return self.read_back(artifact, &verdict, listing);
                }
                Err(CacheError::Git(error)) if is_passing(&error, attempt) => wait(attempt),
                Err(CacheError::Git(error))
                    if base.is_some() && matches!(error.kind(), GitErrorKind::BaseGone | GitErrorKind::Failed) =>
                {
                    self.notices.push(format!("published without its base, because the push on it failed: {error}"));
                    as_root = true;
                }
                Err(error) => return Err(error.into()),
            }
            listing = self.list()?;
        }
        Err(SyncError::Contended { name: name.to_string(), tries: TRIES })
    }

    fn read_back(
        &self,
        artifact: Oid,
        verdict: &Verdict,
        listing: Listing,
    ) -> Result<(Oid, Publication, Listing), SyncError> {
        let name = self.artifact_name();
        if listing.get(&name) != Some(artifact) {
            return Err(SyncError::NotKept(name.to_string()));
        }
        self.cache.remember(&self.base_name(), artifact)?;
        let publication = match verdict {
            Verdict::Older { revision, .. } => Publication::Replaced { revision: *revision },
            _ => Publication::Created,
        };
        Ok((artifact, publication, listing))
    }

    /// Where our own repository remembers the latest artifact of this branch.
    fn base_name(&self) -> String {
        let branch = self.branch.as_deref().and_then(Component::of);
        format!("refs/base/{}/{}", self.repo, branch.map_or_else(|| "%".into(), |branch| branch.to_string()))
    }

    /// The artifact's ref, and with it every pointer that named what it replaces.
    fn artifact_updates(&self, verdict: &Verdict, artifact: Oid, listing: &Listing) -> Vec<RefUpdate> {
        let old = match verdict {
            Verdict::Older { id, .. } => Some(*id),
            _ => None,
        };
        let mut updates = vec![RefUpdate { name: self.artifact_name(), old, new: Some(artifact) }];
        if let Some(old) = old {
            let pointers = listing.refs.iter().filter(|(name, id)| {
                name.namespace == self.space() && !matches!(name.key, Key::Commit(_)) && **id == old
            });
            updates.extend(pointers.map(|(name, _)| RefUpdate {
                name: name.clone(),
                old: Some(old),
                new: Some(artifact),
            }));
        }
        updates
    }

    /// Compares ours with what is published under the same name.
    fn compare(&self, id: Oid, listing: &Listing) -> Result<Verdict, SyncError> {
        let manifest = &self.options.snapshot.manifest;
        let ours = format!("{} by extractor {}", manifest.checksum, manifest.extractor.revision);
        let conflict = |theirs: String| Err(SyncError::Conflict { sha: self.sha.clone(), ours: ours.clone(), theirs });
        match self.commit_of(id, listing) {
            Ok(theirs) if theirs.tree == self.plan.id() && theirs.checksum == manifest.checksum => Ok(Verdict::Same),
            Ok(theirs) if theirs.extractor.revision < manifest.extractor.revision => {
                Ok(Verdict::Older { id, revision: theirs.extractor.revision })
            }
            Ok(theirs) => conflict(format!("{} by extractor {}", theirs.checksum, theirs.extractor.revision)),
            Err(SyncError::Cache(error @ (CacheError::Commit { .. } | CacheError::Object { .. }))) => {
                conflict(error.to_string())
            }
            Err(error) => Err(error),
        }
    }

    /// The artifact commit `id`, brought here as cheaply as the remote allows.
    fn commit_of(&self, id: Oid, listing: &Listing) -> Result<ArtifactCommit, SyncError> {
        if self.cache.odb()?.exists(id) {
            return Ok(self.cache.commit(id)?);
        }
        if listing.filters {
            let commits = Cache::open(self.connection, Role::Commits)?;
            commits.fetch_commits([id])?;
            return Ok(commits.commit(id)?);
        }
        self.cache.fetch(&[id.to_string()], Filter::Nothing, true)?;
        Ok(self.cache.commit(id)?)
    }

    /// Picks the parent: the branch pointer's artifact, else that of the nearest published
    /// ancestor, else that of `default`. `None` starts a chain.
    fn base(&mut self, listing: &Listing) -> Result<Option<Base>, SyncError> {
        let candidates = [Self::pointer_artifact, Self::nearest_artifact, Self::default_artifact];
        let candidates = candidates.into_iter().filter_map(|candidate| candidate(self, listing));
        let bases = Bases { cache: &self.cache, namespace: self.space(), repo_id: &self.repo_id };
        let (base, notices) = bases.pick(candidates, listing.filters)?;
        self.notices.extend(notices);
        Ok(base)
    }

    fn pointer_artifact(&self, listing: &Listing) -> Option<Oid> {
        let branch = Component::of(self.branch.as_deref()?)?;
        listing.get(&RefName::head(self.space(), &self.repo, &branch))
    }

    fn nearest_artifact(&self, listing: &Listing) -> Option<Oid> {
        let published: BTreeSet<&str> = listing.commits(self.space(), &self.repo).map(|(sha, _)| sha).collect();
        let history = SourceHistory::of(self.place.source.as_deref()?);
        let (sha, _) = history.nearest(&self.sha, &published)?;
        listing.get(&RefName::commit(self.space(), &self.repo, &sha))
    }

    fn default_artifact(&self, listing: &Listing) -> Option<Oid> {
        listing.get(&RefName::default_of(self.space(), &self.repo))
    }

    /// Writes the artifact into our repository. A root needs every blob here, because
    /// nothing of it is taken for known on the remote.
    fn write(&self, base: Option<&Base>) -> Result<Oid, SyncError> {
        let odb = self.cache.odb()?;
        let nothing = HashSet::new();
        self.plan.write(&odb, base.map_or(&nothing, |base| &base.known))?;
        let manifest = &self.options.snapshot.manifest;
        let commit = ArtifactCommit {
            tree: self.plan.id(),
            parent: base.map(|base| base.end.id),
            time: self.options.source_time.max(0),
            source_commit: self.sha.clone(),
            checksum: manifest.checksum.clone(),
            repo_id: self.repo_id.clone(),
            branch: self.branch.as_deref().map(masked),
            extractor: manifest.extractor.clone(),
            chain: base.map_or(1, |base| base.end.chain.saturating_add(1)),
            signature: self.options.signature.clone(),
        };
        Ok(self.cache.write_commit(&commit)?)
    }

    fn count(&mut self, sent: Sent) {
        self.sent.objects += sent.objects;
        self.sent.bytes += sent.bytes;
    }

    /// Step two: the pointers, each by its rule, which is tested again before each try.
    fn point(&mut self, artifact: Oid, mut listing: Listing) -> Result<(PointerState, PointerState), SyncError> {
        let Some(branch) = self.branch.clone() else { return Ok((PointerState::NotAsked, PointerState::NotAsked)) };
        let component = Component::of(&branch).ok_or_else(|| SyncError::Branch(branch.clone()))?;
        let head = RefName::head(self.space(), &self.repo, &component);
        let default = RefName::default_of(self.space(), &self.repo);
        let remote = self.source_remote();
        for attempt in 0..TRIES {
            let (heads, filters) = self.source_heads(remote.as_ref(), attempt);
            let rule = Rule {
                history: self.place.source.as_deref().map(SourceHistory::of),
                remote: remote.as_ref().map(|remote| (remote, filters)),
                heads: &heads,
                force: self.options.force,
            };
            let states = (
                self.decide(&head, artifact, &listing, &rule),
                self.decide_default(&default, artifact, &listing, &rule, &branch),
            );
            let updates: Vec<RefUpdate> = [(&head, &states.0), (&default, &states.1)]
                .into_iter()
                .filter(|(_, state)| matches!(state, PointerState::Created | PointerState::Moved { .. }))
                .map(|(name, _)| RefUpdate { name: name.clone(), old: listing.get(name), new: Some(artifact) })
                .collect();
            if updates.is_empty() {
                return Ok(states);
            }
            // It may have been published from elsewhere.
            self.cache.fetch_artifact(artifact, listing.filters)?;
            match self.push_pointers(&updates) {
                Ok(()) => {
                    listing = self.list()?;
                    let lost = updates.iter().find(|update| listing.get(&update.name).is_none());
                    return lost.map_or(Ok(states), |update| Err(SyncError::NotKept(update.name.to_string())));
                }
                Err(CacheError::Git(error)) if is_passing(&error, attempt) => wait(attempt),
                Err(error) => return Err(error.into()),
            }
            listing = self.list()?;
        }
        Err(SyncError::Contended { name: head.to_string(), tries: TRIES })
    }

    /// Both at once; one by one where the remote cannot do several as one.
    fn push_pointers(&mut self, updates: &[RefUpdate]) -> Result<(), CacheError> {
        match self.cache.push(updates) {
            Ok(sent) => self.count(sent),
            Err(CacheError::Git(error)) if error.kind() == GitErrorKind::Failed && updates.len() > 1 => {
                for update in updates {
                    let sent = self.cache.push(std::slice::from_ref(update))?;
                    self.count(sent);
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn decide(&self, name: &RefName, artifact: Oid, listing: &Listing, rule: &Rule<'_>) -> PointerState {
        let id = match listing.get(name) {
            None => return PointerState::Created,
            Some(id) if id == artifact => return PointerState::Current,
            Some(id) => id,
        };
        let Some(names) = self.source_of(id, listing) else {
            let names = format!("{id}, which is no artifact");
            return if rule.force {
                PointerState::Moved { from: names }
            } else {
                PointerState::Stays(Stay::Undecidable { names })
            };
        };
        match rule.refusal(&self.sha, &names) {
            None => PointerState::Moved { from: names },
            Some(stay) => PointerState::Stays(stay),
        }
    }

    fn decide_default(
        &self,
        name: &RefName,
        artifact: Oid,
        listing: &Listing,
        rule: &Rule<'_>,
        branch: &str,
    ) -> PointerState {
        match rule.heads.default_branch.as_deref() {
            Some(default) if default == branch => self.decide(name, artifact, listing, rule),
            Some(_) => PointerState::NotAsked,
            None => match listing.get(name) {
                None => PointerState::Created,
                Some(id) if id == artifact => PointerState::Current,
                Some(_) if rule.force => self.decide(name, artifact, listing, rule),
                Some(id) => {
                    let names = self.source_of(id, listing).unwrap_or_else(|| format!("{id}, which is no artifact"));
                    PointerState::Stays(Stay::UnknownDefault { names })
                }
            },
        }
    }

    /// The source commit of the artifact a pointer names: a pointer is a second name of
    /// a published commit, so the listing says it; else the commit itself does.
    fn source_of(&self, id: Oid, listing: &Listing) -> Option<String> {
        if let Some(sha) = listing.source_of(self.space(), &self.repo, id) {
            return Some(sha.to_owned());
        }
        self.commit_of(id, listing).ok().map(|commit| commit.source_commit)
    }

    fn source_remote(&mut self) -> Option<Connection> {
        self.place.source.as_ref()?;
        match self.place.source_remote(&self.options.source_remote) {
            Ok(connection) => Some(connection),
            Err(error) => {
                self.notices.push(format!("the source's branches cannot be asked for: {error}"));
                None
            }
        }
    }

    fn source_heads(&mut self, remote: Option<&Connection>, attempt: u32) -> (SourceHeads, bool) {
        let Some(remote) = remote else { return (SourceHeads::default(), false) };
        let branch = self.branch.as_deref();
        match Cache::open(remote, Role::History).and_then(|cache| cache.source_heads(branch)) {
            Ok(answer) => answer,
            Err(error) => {
                if attempt == 0 {
                    self.notices.push(format!("the source's branches cannot be asked for: {error}"));
                }
                (SourceHeads::default(), false)
            }
        }
    }
}

/// Whether the next try may go better: others moved the ref, or the remote stumbled over
/// another push. The latter may be a fault that stays, and is soon taken for one.
pub(super) fn is_passing(error: &GitError, attempt: u32) -> bool {
    match error.kind() {
        GitErrorKind::Stale => true,
        GitErrorKind::Busy => attempt < 3,
        _ => false,
    }
}

/// Waits for a random while, longer from try to try, so that racers part.
pub(super) fn wait(attempt: u32) {
    let most = 40 * u64::from(attempt.min(10) + 1);
    let random = RandomState::new().hash_one(attempt) % most;
    thread::sleep(Duration::from_millis(10 + random));
}
