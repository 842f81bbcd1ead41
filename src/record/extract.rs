//! From one file's bytes to its record.

use std::collections::BTreeMap;

use super::Record;

/// What extraction gives for one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extraction {
    /// The record.
    pub record: Record,
    /// How many secrets of which kind were replaced in it.
    pub redactions: BTreeMap<&'static str, u32>,
}

use serde::{Deserialize, Serialize};

/// Which extractor made a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtractorId {
    /// Digest over packs, queries and the versions that shape records.
    pub digest: String,
    /// Grows with every change that can alter a record.
    pub revision: u32,
}
