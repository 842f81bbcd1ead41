//! Secrets out of text.

use std::collections::BTreeMap;

/// Text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    /// The text.
    pub text: String,
    /// How many secrets of which kind were replaced.
    pub counts: BTreeMap<&'static str, u32>,
}

/// Replaces the secrets of `text`.
pub fn redact(text: String) -> Redacted {
    Redacted { text, counts: BTreeMap::new() }
}
