//! The artifacts of many commits of one history, each record extracted once.
//!
//! A record is a function of its path, its blob, its attributes and the settings, so a
//! file that stays as it is gives the same record in commit after commit. Its line goes
//! to the object database when it is first made; what is kept here is where it went.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use git2::{ObjectType, Oid};

use super::SyncError;
use crate::cache::reading::read_record;
use crate::cache::{Cache, CacheError, TreePlan};
use crate::config::RepoId;
use crate::record::Word;
use crate::record::extract::Extractor;
use crate::snapshot::{
    BuildError, Built, Manifest, Outcome, Pipeline, RecordEntry, RecordKey, Redactions, Snapshot, add_counts,
    problem_counts, record_key,
};
use crate::source::{CommitSource, ContentId, FileEntry, Listing, RepoPath, SkipReason, SkippedFile, Source};

/// An artifact that is written but for its commit, which needs a place in a chain.
pub(super) struct Draft {
    /// The source commit's date.
    pub time: i64,
    /// The manifest.
    pub manifest: Manifest,
    /// The artifact's tree.
    pub tree: Oid,
}

/// Builds artifacts one after the other.
pub(super) struct Series<'a> {
    source: &'a Path,
    repo_id: RepoId,
    /// By the digest of the settings.
    workshops: BTreeMap<String, Workshop>,
    /// Told whenever a file is done.
    pulse: &'a (dyn Fn() + Sync),
    /// Secrets replaced in the files that were read.
    pub redactions: Redactions,
    /// Number of files read and extracted.
    pub extracted: u64,
}

/// What was made under one kind of settings.
struct Workshop {
    extractor: Extractor,
    made: HashMap<RecordKey, Arc<Made>>,
    left_out: HashMap<(RepoPath, ContentId), SkipReason>,
}

/// Where the line of a record is, and what the manifest needs of it.
struct Made {
    key: RecordKey,
    path: RepoPath,
    digest: [u8; 32],
    blob: Oid,
    problems: BTreeMap<Word, u64>,
}

type MadeOrNot = Result<Arc<Made>, CacheError>;

impl<'a> Series<'a> {
    /// Artifacts of the commits of the repository at `source`, all under one name.
    pub fn new(source: &'a Path, repo_id: RepoId, pulse: &'a (dyn Fn() + Sync)) -> Self {
        Self { source, repo_id, workshops: BTreeMap::new(), pulse, redactions: Redactions::default(), extracted: 0 }
    }

    /// Writes everything of the artifact of `sha` into `cache` but its commit.
    pub fn draft(&mut self, cache: &Cache, sha: &str) -> Result<Draft, SyncError> {
        let (manifest, made, time) = self.build(cache, sha)?;
        let plan = TreePlan::over(&manifest, made.iter().map(|made| (&made.path, made.blob)))?;
        plan.write(&cache.odb()?, &HashSet::new())?;
        Ok(Draft { time, manifest, tree: plan.id() })
    }

    /// The whole snapshot of `sha`, and the commit's date.
    pub fn snapshot(&mut self, cache: &Cache, sha: &str) -> Result<(Snapshot, i64), SyncError> {
        let (manifest, made, time) = self.build(cache, sha)?;
        let odb = cache.odb()?;
        let entry = |made: &Arc<Made>| -> Result<RecordEntry, CacheError> {
            Ok(RecordEntry { path: made.path.clone(), digest: made.digest, line: read_record(&odb, made.blob)? })
        };
        let records = made.iter().map(entry).collect::<Result<_, _>>()?;
        Ok((Snapshot { manifest, records }, time))
    }

    fn build(&mut self, cache: &Cache, sha: &str) -> Result<(Manifest, Vec<Arc<Made>>, i64), SyncError> {
        let source = CommitSource::open(self.source, sha).map_err(BuildError::from)?;
        let listing = source.list().map_err(BuildError::from)?;
        let settings = listing.project.settings.digest();
        let workshop = workshop(&mut self.workshops, &listing, &settings)?;
        let built = workshop.run(&settings, &source, listing, cache, self.pulse)?;
        let made = workshop.keep(&built.skipped, built.made)?;
        let manifest = Manifest {
            repo_id: Some(self.repo_id.clone()),
            sha: Some(sha.to_owned()),
            extractor: workshop.extractor.id().clone(),
            settings,
            file_count: made.len() as u64,
            skipped: built.skipped.into_iter().map(|file| file.skipped).collect(),
            problem_counts: problems(&made),
            checksum: String::new(),
        }
        .seal(made.iter().map(|made| (&made.path, &made.digest)));
        self.redactions.extend(built.redactions);
        self.extracted += built.extracted as u64;
        Ok((manifest, made, source.commit().map_or(0, |commit| commit.time)))
    }
}

/// The workshop for the settings that `listing` was made under; `digest` is theirs.
fn workshop<'w>(
    workshops: &'w mut BTreeMap<String, Workshop>,
    listing: &Listing,
    digest: &str,
) -> Result<&'w mut Workshop, SyncError> {
    Ok(match workshops.entry(digest.to_owned()) {
        Entry::Occupied(there) => there.into_mut(),
        Entry::Vacant(place) => {
            let extractor = Extractor::new(&listing.project.settings).map_err(BuildError::from)?;
            place.insert(Workshop { extractor, made: HashMap::new(), left_out: HashMap::new() })
        }
    })
}

impl Workshop {
    fn run(
        &self,
        settings: &str,
        source: &CommitSource,
        listing: Listing,
        cache: &Cache,
        pulse: &(dyn Fn() + Sync),
    ) -> Result<Built<MadeOrNot>, SyncError> {
        let odb = cache.odb()?;
        let key = |file: &FileEntry| record_key(self.extractor.id(), settings, file);
        let pipeline = Pipeline {
            extractor: &self.extractor,
            reuse: &|file| self.reuse(file, key(file)),
            make: &|file, record| {
                let entry = RecordEntry::of(&record);
                let blob = odb
                    .write(ObjectType::Blob, &entry.line)
                    .map_err(|error| CacheError::object(Oid::ZERO_SHA1, error.message()))?;
                let problems = problem_counts(&record);
                Ok(Arc::new(Made { key: key(file), path: entry.path, digest: entry.digest, blob, problems }))
            },
            progress: &|_, _| pulse(),
        };
        Ok(pipeline.run(source, listing)?)
    }

    fn reuse(&self, file: &FileEntry, key: RecordKey) -> Option<Outcome<MadeOrNot>> {
        if let Some(made) = self.made.get(&key) {
            return Some(Outcome::Made(Ok(made.clone())));
        }
        let reason = self.left_out.get(&(file.path.clone(), file.content))?;
        Some(Outcome::Skipped(*reason))
    }

    /// Keeps what was made and what was left out for the commits to come.
    fn keep(&mut self, skipped: &[SkippedFile], made: Vec<MadeOrNot>) -> Result<Vec<Arc<Made>>, CacheError> {
        for file in skipped {
            if let Some(content) = file.content {
                self.left_out.insert((file.skipped.path.clone(), content), file.skipped.reason);
            }
        }
        let made = made.into_iter().collect::<Result<Vec<_>, _>>()?;
        self.made.extend(made.iter().map(|made| (made.key, made.clone())));
        Ok(made)
    }
}

fn problems(made: &[Arc<Made>]) -> BTreeMap<Word, u64> {
    let mut problems = BTreeMap::new();
    made.iter().for_each(|made| add_counts(&mut problems, &made.problems));
    problems
}
