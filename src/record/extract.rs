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
