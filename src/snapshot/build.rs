//! From a source to the records of a snapshot, in parallel and in path order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::{Manifest, RecordEntry, Redactions, Snapshot};
use crate::config::RepoId;
use crate::record::extract::{Extractor, ExtractorId};
use crate::record::{Record, Word};
use crate::source::{Content, FileEntry, Listing, SkipReason, Skipped, SkippedFile, Source, SourceError};

/// What a record is a function of, digested: equal keys mean equal records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordKey(pub [u8; 32]);

/// The key of `file` under an extractor and settings.
pub fn record_key(extractor: &ExtractorId, settings: &str, file: &FileEntry) -> RecordKey {
    let mut hash = Sha256::new();
    hash.update(extractor.revision.to_be_bytes());
    hash.update(extractor.digest.as_bytes());
    hash.update(settings.as_bytes());
    hash.update(file.content.0);
    hash.update([u8::from(file.attributes.generated), u8::from(file.attributes.vendored)]);
    hash.update(file.path.as_bytes());
    RecordKey(hash.finalize().into())
}

/// Why a snapshot could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The source failed.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The settings name something this build does not have.
    #[error(transparent)]
    Extractor(#[from] crate::record::extract::ExtractorError),
}

impl BuildError {
    /// As [`SourceError::is_of_contents`].
    pub fn is_of_contents(&self) -> bool {
        match self {
            Self::Source(error) => error.is_of_contents(),
            Self::Extractor(_) => true,
        }
    }
}

/// What became of one file.
#[derive(Clone, Debug)]
pub enum Outcome<T> {
    /// It contributes, and this was made of its record.
    Made(T),
    /// It contributes no text.
    Skipped(SkipReason),
}

/// Everything a source gave.
#[derive(Debug)]
pub struct Built<T> {
    /// What was made of each record, in path order.
    pub made: Vec<T>,
    /// The files that contribute no text, in path order. A content is given only where it
    /// decided: under other rules the same bytes would be left out all the same.
    pub skipped: Vec<SkippedFile>,
    /// Secrets replaced in the files that were read in this run, and names that hold one.
    pub redactions: Redactions,
    /// Number of files read and extracted in this run (the rest was reused).
    pub extracted: usize,
}

/// How files become results: what to reuse, what to make of a record, whom to tell.
pub struct Pipeline<'a, T> {
    /// The extractor.
    pub extractor: &'a Extractor,
    /// Gives what an earlier run already made of a file, if it is still good.
    pub reuse: &'a (dyn Fn(&FileEntry) -> Option<Outcome<T>> + Sync),
    /// Makes the result of one record; runs on many threads.
    pub make: &'a (dyn Fn(&FileEntry, Record) -> T + Sync),
    /// Told how many files of how many are done.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

struct One<T> {
    outcome: Outcome<T>,
    redactions: BTreeMap<&'static str, u32>,
    fresh: bool,
}

impl<T: Send> Pipeline<'_, T> {
    /// Runs every file of `listing` through; the result does not depend on the schedule.
    ///
    /// # Errors
    /// When the source cannot read a file that it listed.
    pub fn run(&self, source: &dyn Source, listing: Listing) -> Result<Built<T>, BuildError> {
        let done = AtomicUsize::new(0);
        let total = listing.files.len();
        let results = listing
            .files
            .par_iter()
            .with_max_len(16)
            .map(|file| {
                let one = self.one(source, file);
                (self.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                one
            })
            .collect::<Result<Vec<One<T>>, BuildError>>()?;
        Ok(gather(listing, results))
    }

    fn one(&self, source: &dyn Source, file: &FileEntry) -> Result<One<T>, BuildError> {
        if let Some(outcome) = (self.reuse)(file) {
            return Ok(One { outcome, redactions: BTreeMap::new(), fresh: false });
        }
        let decoded = match source.read(file)? {
            Content::Text(decoded) => decoded,
            Content::Skip(reason) => {
                return Ok(One { outcome: Outcome::Skipped(reason), redactions: BTreeMap::new(), fresh: true });
            }
        };
        let extraction = self.extractor.extract(&file.path, decoded, file.attributes);
        let outcome = Outcome::Made((self.make)(file, extraction.record));
        Ok(One { outcome, redactions: extraction.redactions, fresh: true })
    }
}

fn gather<T>(listing: Listing, results: Vec<One<T>>) -> Built<T> {
    let by_rule = listing.skipped.into_iter().map(|file| SkippedFile { content: None, ..file });
    let mut built =
        Built { made: Vec::new(), skipped: by_rule.collect(), redactions: Redactions::default(), extracted: 0 };
    built.skipped.iter().for_each(|file: &SkippedFile| built.redactions.look_at(&file.skipped.path));
    for (file, one) in listing.files.into_iter().zip(results) {
        built.redactions.add(&file.path, one.redactions);
        if one.fresh {
            built.redactions.look_at(&file.path);
        }
        match one.outcome {
            Outcome::Made(made) => {
                built.extracted += usize::from(one.fresh);
                built.made.push(made);
            }
            Outcome::Skipped(reason) => {
                let skipped = Skipped { path: file.path, reason };
                built.skipped.push(SkippedFile { skipped, content: Some(file.content) });
            }
        }
    }
    built.skipped.sort_by(|a, b| a.skipped.cmp(&b.skipped));
    built
}

/// Builds the whole snapshot of `source` in memory, as it is exported and published.
/// `listing` is what `source` listed.
///
/// # Errors
/// When the source or its settings fail.
pub fn collect(
    source: &dyn Source,
    listing: Listing,
    repo_id: Option<RepoId>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<(Snapshot, Redactions), BuildError> {
    let settings = listing.project.settings.clone();
    let extractor = Extractor::new(&settings)?;
    let pipeline = Pipeline {
        extractor: &extractor,
        reuse: &|_| None,
        make: &|_, record| (RecordEntry::of(&record), problem_counts(&record)),
        progress,
    };
    let built = pipeline.run(source, listing)?;
    let mut problems = BTreeMap::new();
    let mut records = Vec::with_capacity(built.made.len());
    for (entry, counts) in built.made {
        add_counts(&mut problems, &counts);
        records.push(entry);
    }
    let manifest = Manifest {
        repo_id,
        sha: source.commit().map(|commit| commit.sha.clone()),
        extractor: extractor.id().clone(),
        settings: settings.digest(),
        file_count: records.len() as u64,
        skipped: built.skipped.into_iter().map(|file| file.skipped).collect(),
        problem_counts: problems,
        checksum: String::new(),
    }
    .seal_entries(&records);
    Ok((Snapshot { manifest, records }, built.redactions))
}

/// Number of problems of a record, by kind.
pub fn problem_counts(record: &Record) -> BTreeMap<Word, u64> {
    let mut counts = BTreeMap::new();
    for problem in &record.problems {
        *counts.entry(problem.kind.clone()).or_default() += 1;
    }
    counts
}

/// Adds counts by kind to a total.
pub fn add_counts(total: &mut BTreeMap<Word, u64>, counts: &BTreeMap<Word, u64>) {
    for (kind, count) in counts {
        *total.entry(kind.clone()).or_default() += count;
    }
}
