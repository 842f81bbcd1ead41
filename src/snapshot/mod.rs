//! The records of one source in path order, with identity, manifest and checksum.
//!
//! The room promises that **one commit and one extractor give one byte sequence**,
//! whatever the machine, the number of threads or the way it was built, and that
//! **nothing that fails a check gets past it**: a [`Verifier`] looks at one record
//! at a time and accepts only what this room itself would write. The canonical
//! stream is stated in `SPEC/artifact.md`.

mod build;
mod checksum;
mod difference;
mod manifest;
mod redactions;
pub mod stream;
mod verifier;

pub use build::{BuildError, Built, Outcome, Pipeline, RecordKey, add_counts, collect, problem_counts, record_key};
pub use checksum::Checksum;
pub use difference::{Change, Difference, FileDifference, Named, Side, difference};
pub use manifest::{FORMAT, Manifest, ManifestError};
pub use redactions::{Redactions, SecretName};
pub use verifier::{SnapshotError, Verifier};

use crate::record::{Record, canonical};
use crate::source::RepoPath;
use sha2::{Digest, Sha256};

/// One record as it travels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordEntry {
    /// Path of the file.
    pub path: RepoPath,
    /// SHA-256 of `line`.
    pub digest: [u8; 32],
    /// The canonical line, its LF included.
    pub line: Vec<u8>,
}

impl RecordEntry {
    /// Encodes a record and digests its line.
    pub fn of(record: &Record) -> Self {
        let line = canonical::line(record);
        Self { path: record.path.clone(), digest: Sha256::digest(&line).into(), line }
    }
}

/// A whole snapshot in memory: what is exported and published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Identity, what was skipped, and the checksum over everything.
    pub manifest: Manifest,
    /// The records in bytewise path order.
    pub records: Vec<RecordEntry>,
}
