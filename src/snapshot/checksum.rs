//! The checksum of a snapshot: a digest over the manifest and the digests of its records.

use sha2::{Digest, Sha256};

use crate::record::canonical::{hex, path_fields, write_json};
use crate::source::RepoPath;

/// A checksum in the making. Because it covers digests and not texts, an unchanged
/// record's digest can be reused, and one file can be verified alone.
#[derive(Clone, Debug)]
pub struct Checksum(Sha256);

impl Checksum {
    /// Starts from the manifest line whose `checksum` is the empty string.
    pub fn new(manifest_line: &[u8]) -> Self {
        Self(Sha256::new_with_prefix(manifest_line))
    }

    /// Adds the next record in path order.
    pub fn add(&mut self, path: &RepoPath, digest: &[u8; 32]) {
        let mut row = hex(digest).into_bytes();
        row.extend_from_slice(b"  ");
        match path_fields(path) {
            (Some(text), _) => write_json(&mut row, text),
            (None, digits) => write_json(&mut row, &digits.unwrap_or_default()),
        }
        row.push(b'\n');
        self.0.update(&row);
    }

    /// The checksum as lower-case hex.
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}
