//! Publishing a range of commits: all but the last in batches, the last as any push.
//!
//! A batch is one push of many refs, each under its own lease. What is published already
//! is left as it is, so a run that was interrupted goes on where it ended.

use std::sync::atomic::{AtomicUsize, Ordering};

use git2::Oid;

use super::base::{Bases, ChainEnd};
use super::branch::branch_of;
use super::history::SourceHistory;
use super::job::Job;
use super::push::{PushOptions, PushReport, TRIES, is_passing, push, wait};
use super::series::{Draft, Series};
use super::{Place, Publication, SyncError};
use crate::cache::commit::MAX_CHAIN;
use crate::cache::remote::Sent;
use crate::cache::{ArtifactCommit, Cache, CacheError, Component, Connection, Listing, RefName, RefUpdate, Role};
use crate::config::RepoId;
use crate::git::GitErrorKind;
use crate::snapshot::{Manifest, Redactions};
use crate::source::redact::masked;

/// How many artifacts go in one push: a whole chain.
const BATCH: usize = MAX_CHAIN as usize;

/// What holds for every commit of a range.
pub struct RangeOptions<'a> {
    /// The name under which all of them are published.
    pub repo_id: RepoId,
    /// The branch whose pointer is to move; see [`PushOptions::branch`].
    pub branch: Option<String>,
    /// The continuous-integration job that publishes.
    pub job: Option<Job>,
    /// The source's own remote.
    pub source_remote: String,
    /// Moves pointers whatever the rule says.
    pub force: bool,
    /// Told, on any thread, how many commits of how many are done.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// A commit that has no artifact, because none could be built of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The commit.
    pub sha: String,
    /// Why.
    pub why: String,
}

/// What the push of a range did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeReport {
    /// Number of commits in the range.
    pub commits: u64,
    /// How many artifacts are new on the remote, or took the place of an earlier extractor's.
    pub created: u64,
    /// How many commits were published already.
    pub already: u64,
    /// Commits of which no artifact could be built.
    pub left_out: Vec<LeftOut>,
    /// Number of files that were read and extracted.
    pub extracted: u64,
    /// Objects sent.
    pub objects: u64,
    /// Bytes sent, as git reports them.
    pub bytes: u64,
    /// Secrets replaced in the files that were read.
    pub redactions: Redactions,
    /// The manifest of the last commit's artifact.
    pub manifest: Manifest,
    /// What became of the last commit and of the pointers.
    pub last: PushReport,
    /// What people should know, besides the notices of `last`.
    pub notices: Vec<String>,
}

/// Publishes `earlier` commits, oldest first, and then `last`, whose pointers move.
///
/// # Errors
/// As [`push`]. A commit of `earlier` whose contents are refused is no error: it is left
/// out and reported. What was published before an error stays.
pub fn push_range(
    place: &Place,
    earlier: &[String],
    last: &str,
    options: &RangeOptions<'_>,
) -> Result<RangeReport, SyncError> {
    let source = place.source.as_deref().ok_or(SyncError::Unpublishable("there is no source repository here"))?;
    let connection = place.writing()?;
    let repo = Component::of(options.repo_id.as_str()).ok_or(SyncError::Unpublishable("its repository id is empty"))?;
    // Its notices come again with the last commit.
    let asked = options.branch.as_deref();
    let branch = branch_of(asked, options.job.as_ref(), Some(source), last, &mut Vec::new())?;
    let total = earlier.len() + 1;
    let done = AtomicUsize::new(0);
    let pulse = || (options.progress)(done.load(Ordering::Relaxed), total);
    let mut publisher = RangePublisher {
        place,
        options,
        connection: &connection,
        repo,
        branch,
        series: Series::new(source, options.repo_id.clone(), &pulse),
        end: None,
        tally: Tally::default(),
    };
    let listing = publisher.open()?.list(Some(&publisher.repo))?;
    let missing: Vec<&String> = earlier.iter().filter(|sha| listing.get(&publisher.name(sha)).is_none()).collect();
    publisher.tally.already = (earlier.len() - missing.len()) as u64;
    done.store(earlier.len() - missing.len(), Ordering::Relaxed);
    for batch in missing.chunks(BATCH) {
        publisher.batch(batch, &|| {
            done.fetch_add(1, Ordering::Relaxed);
            pulse();
        })?;
    }
    publisher.finish(last, total as u64)
}

#[derive(Default)]
struct Tally {
    created: u64,
    already: u64,
    left_out: Vec<LeftOut>,
    sent: Sent,
    notices: Vec<String>,
}

struct RangePublisher<'a> {
    place: &'a Place,
    options: &'a RangeOptions<'a>,
    connection: &'a Connection,
    repo: Component,
    branch: Option<String>,
    series: Series<'a>,
    /// The last artifact of this run, which the next one builds on.
    end: Option<ChainEnd>,
    tally: Tally,
}

impl RangePublisher<'_> {
    /// Our repository, for one batch: others on this machine get their turn in between.
    fn open(&self) -> Result<Cache, SyncError> {
        Ok(Cache::open(self.connection, Role::Publishing)?)
    }

    fn name(&self, sha: &str) -> RefName {
        RefName::commit(self.place.namespace, &self.repo, sha)
    }

    /// Builds and publishes some commits, oldest first.
    fn batch(&mut self, shas: &[&String], built: &dyn Fn()) -> Result<(), SyncError> {
        let cache = self.open()?;
        let mut drafts = Vec::with_capacity(shas.len());
        for sha in shas {
            match self.series.draft(&cache, sha) {
                Ok(draft) => drafts.push(((*sha).clone(), draft)),
                Err(SyncError::Build(error)) if error.is_of_contents() => {
                    self.tally.left_out.push(LeftOut { sha: (*sha).clone(), why: error.to_string() });
                }
                Err(error) => return Err(error),
            }
            built();
        }
        self.publish(&cache, drafts)
    }

    fn publish(&mut self, cache: &Cache, mut drafts: Vec<(String, Draft)>) -> Result<(), SyncError> {
        let mut as_root = false;
        for attempt in 0..TRIES {
            let listing = cache.list(Some(&self.repo))?;
            let before = drafts.len();
            drafts.retain(|(sha, _)| listing.get(&self.name(sha)).is_none());
            self.tally.already += (before - drafts.len()) as u64;
            let Some((first, _)) = drafts.first() else { return Ok(()) };
            let base = if as_root { None } else { self.base(cache, first, &listing)? };
            let chain = self.chain(cache, &drafts, base)?;
            match cache.push_each(&self.updates(&drafts, &chain)) {
                Ok(sent) => {
                    self.tally.sent.objects += sent.objects;
                    self.tally.sent.bytes += sent.bytes;
                    return self.read_back(cache, &drafts, &chain);
                }
                Err(CacheError::Git(error)) if is_passing(&error, attempt) => wait(attempt),
                Err(CacheError::Git(error))
                    if base.is_some() && matches!(error.kind(), GitErrorKind::BaseGone | GitErrorKind::Failed) =>
                {
                    let notice = format!("published without their base, because the push on it failed: {error}");
                    self.tally.notices.push(notice);
                    as_root = true;
                }
                Err(error) => return Err(error.into()),
            }
        }
        let name = drafts.first().map(|(sha, _)| self.name(sha).to_string()).unwrap_or_default();
        Err(SyncError::Contended { name, tries: TRIES })
    }

    /// What the first commit of a batch builds on: this run's last artifact, else that of
    /// the nearest published ancestor, of the branch's pointer, of `default`.
    fn base(&mut self, cache: &Cache, first: &str, listing: &Listing) -> Result<Option<ChainEnd>, SyncError> {
        if self.end.is_some() {
            return Ok(self.end.filter(|end| end.takes_more(self.place.namespace)));
        }
        let space = self.place.namespace;
        let published = listing.commits(space, &self.repo).map(|(sha, _)| sha).collect();
        let nearest =
            self.place.source.as_deref().and_then(|source| SourceHistory::of(source).nearest(first, &published));
        let branch = self.branch.as_deref().and_then(Component::of);
        let names = [
            nearest.map(|(sha, _)| self.name(&sha)),
            branch.map(|branch| RefName::head(space, &self.repo, &branch)),
            Some(RefName::default_of(space, &self.repo)),
        ];
        let candidates = names.into_iter().flatten().filter_map(|name| listing.get(&name));
        let bases = Bases { cache, namespace: space, repo_id: &self.options.repo_id };
        let (base, notices) = bases.pick(candidates, listing.filters)?;
        self.tally.notices.extend(notices);
        Ok(base.map(|base| base.end))
    }

    /// Writes the commits of `drafts`, each on the one before it.
    fn chain(
        &self,
        cache: &Cache,
        drafts: &[(String, Draft)],
        base: Option<ChainEnd>,
    ) -> Result<Vec<ChainEnd>, SyncError> {
        let mut last = base;
        let mut chain = Vec::with_capacity(drafts.len());
        for (sha, draft) in drafts {
            let parent = last.filter(|end| end.takes_more(self.place.namespace));
            let position = parent.map_or(1, |parent| parent.chain.saturating_add(1));
            let id = cache.write_commit(&self.commit(sha, draft, parent.map(|parent| parent.id), position))?;
            let end = ChainEnd { id, chain: position };
            chain.push(end);
            last = Some(end);
        }
        Ok(chain)
    }

    fn commit(&self, sha: &str, draft: &Draft, parent: Option<Oid>, chain: u32) -> ArtifactCommit {
        ArtifactCommit {
            tree: draft.tree,
            parent,
            time: draft.time.max(0),
            source_commit: sha.to_owned(),
            checksum: draft.manifest.checksum.clone(),
            repo_id: self.options.repo_id.clone(),
            branch: self.branch.as_deref().map(masked),
            extractor: draft.manifest.extractor.clone(),
            chain,
            signature: None,
        }
    }

    fn updates(&self, drafts: &[(String, Draft)], chain: &[ChainEnd]) -> Vec<RefUpdate> {
        let update =
            |(sha, end): (&String, &ChainEnd)| RefUpdate { name: self.name(sha), old: None, new: Some(end.id) };
        drafts.iter().map(|(sha, _)| sha).zip(chain).map(update).collect()
    }

    /// Asks the remote whether it kept what it took.
    fn read_back(&mut self, cache: &Cache, drafts: &[(String, Draft)], chain: &[ChainEnd]) -> Result<(), SyncError> {
        let listing = cache.list(Some(&self.repo))?;
        for ((sha, _), end) in drafts.iter().zip(chain) {
            let name = self.name(sha);
            if listing.get(&name) != Some(end.id) {
                return Err(SyncError::NotKept(name.to_string()));
            }
        }
        self.tally.created += drafts.len() as u64;
        self.end = chain.last().copied();
        Ok(())
    }

    /// Publishes the last commit as any other push does, and sums up.
    fn finish(mut self, last: &str, commits: u64) -> Result<RangeReport, SyncError> {
        let (snapshot, time) = self.series.snapshot(&self.open()?, last)?;
        let options = PushOptions {
            branch: self.options.branch.clone(),
            job: self.options.job.clone(),
            source_remote: self.options.source_remote.clone(),
            force: self.options.force,
            ..PushOptions::new(&snapshot, time)
        };
        let report = push(self.place, &options)?;
        let new = u64::from(report.publication != Publication::Already);
        Ok(RangeReport {
            commits,
            created: self.tally.created + new,
            already: self.tally.already + 1 - new,
            left_out: self.tally.left_out,
            extracted: self.series.extracted,
            objects: self.tally.sent.objects + report.objects,
            bytes: self.tally.sent.bytes + report.bytes,
            redactions: self.series.redactions,
            manifest: snapshot.manifest,
            last: report,
            notices: self.tally.notices,
        })
    }
}
