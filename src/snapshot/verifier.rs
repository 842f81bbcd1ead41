//! Checks a snapshot that came from somewhere else, one record at a time.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::{Checksum, Manifest, ManifestError};
use crate::record::canonical::{self, RecordError};
use crate::record::{Record, Word};
use crate::source::RepoPath;

/// Why a snapshot is refused.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The manifest is refused.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A record is refused.
    #[error("the record of `{path}` is damaged: {source}")]
    Record {
        /// The path, or the record's number where the path cannot be told.
        path: String,
        /// What is wrong.
        source: RecordError,
    },
    /// A record stands under a path that is not its own.
    #[error("the record of `{found}` stands where `{expected}` belongs")]
    Misplaced {
        /// The path it stands under.
        expected: String,
        /// The path it names.
        found: String,
    },
    /// Records are not in strictly ascending path order.
    #[error("the record of `{0}` is out of order or there twice")]
    Order(String),
    /// A path is a file and a directory, or both recorded and skipped.
    #[error("`{0}` is listed twice, as two different things")]
    Twice(String),
    /// There are more or fewer records than announced.
    #[error("the manifest announces {announced} records and there are {found}")]
    Count {
        /// What the manifest says.
        announced: u64,
        /// What is there.
        found: u64,
    },
    /// The problem counts do not follow from the records.
    #[error("the manifest's problem counts are not those of its records")]
    Problems,
    /// The checksum does not follow from the contents.
    #[error("the checksum is {announced} in the manifest and {found} over the contents")]
    Checksum {
        /// What the manifest says.
        announced: String,
        /// What the contents give.
        found: String,
    },
}

/// Takes a manifest line and then every record line, and vouches for the whole at the end.
///
/// Memory: the listing and one record. Nothing may be activated before
/// [`Verifier::finish`] has returned the manifest.
#[derive(Debug)]
pub struct Verifier {
    manifest: Manifest,
    checksum: Checksum,
    problems: BTreeMap<Word, u64>,
    paths: Vec<RepoPath>,
}

impl Verifier {
    /// Starts with the manifest line (LF included).
    ///
    /// # Errors
    /// When the manifest is refused.
    pub fn new(manifest_line: &[u8]) -> Result<Self, SnapshotError> {
        let manifest = Manifest::parse(manifest_line)?;
        let checksum = manifest.start_checksum();
        Ok(Self { manifest, checksum, problems: BTreeMap::new(), paths: Vec::new() })
    }

    /// The manifest, whose form is checked but whose checksum is not yet.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Checks the next record line; `expected` is the path it was found under, if any.
    ///
    /// # Errors
    /// When the record is damaged, misplaced or out of order, or one too many.
    pub fn record(&mut self, expected: Option<&RepoPath>, line: &[u8]) -> Result<Record, SnapshotError> {
        if self.paths.len() as u64 >= self.manifest.file_count {
            return Err(self.count_error(self.paths.len() as u64 + 1));
        }
        let record = canonical::parse(line).map_err(|source| SnapshotError::Record {
            path: expected.map_or_else(|| format!("record {}", self.paths.len() + 1), ToString::to_string),
            source,
        })?;
        if let Some(expected) = expected
            && *expected != record.path
        {
            return Err(SnapshotError::Misplaced { expected: expected.to_string(), found: record.path.to_string() });
        }
        if self.paths.last().is_some_and(|last| *last >= record.path) {
            return Err(SnapshotError::Order(record.path.to_string()));
        }
        for problem in &record.problems {
            *self.problems.entry(problem.kind.clone()).or_default() += 1;
        }
        self.checksum.add(&record.path, &Sha256::digest(line).into());
        self.paths.push(record.path.clone());
        Ok(record)
    }

    /// Vouches for everything seen.
    ///
    /// # Errors
    /// When counts, paths or the checksum do not fit.
    pub fn finish(self) -> Result<Manifest, SnapshotError> {
        if self.paths.len() as u64 != self.manifest.file_count {
            return Err(self.count_error(self.paths.len() as u64));
        }
        if self.problems != self.manifest.problem_counts {
            return Err(SnapshotError::Problems);
        }
        self.check_paths()?;
        let found = self.checksum.finish();
        if found != self.manifest.checksum {
            return Err(SnapshotError::Checksum { announced: self.manifest.checksum, found });
        }
        Ok(self.manifest)
    }

    fn count_error(&self, found: u64) -> SnapshotError {
        SnapshotError::Count { announced: self.manifest.file_count, found }
    }

    /// No path may be recorded and skipped, and none may be a directory of another.
    fn check_paths(&self) -> Result<(), SnapshotError> {
        let mut all: Vec<&[u8]> = self.paths.iter().map(RepoPath::as_bytes).collect();
        all.extend(self.manifest.skipped.iter().map(|skipped| skipped.path.as_bytes()));
        all.sort_unstable();
        let twice = |path: &[u8]| SnapshotError::Twice(String::from_utf8_lossy(path).escape_default().to_string());
        if let Some(pair) = all.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(twice(pair[0]));
        }
        for path in &all {
            let parents = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &path[..at]);
            if let Some(parent) = parents.into_iter().find(|parent| all.binary_search(parent).is_ok()) {
                return Err(twice(parent));
            }
        }
        Ok(())
    }
}
