//! Passages: the units that search ranks and serves, derived from a record by fixed rules.

use super::{Record, Span};

/// A contiguous stretch of a record's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// What is shown.
    pub span: Span,
    /// The definition it stands for; `None` for text outside every definition.
    pub definition: Option<u32>,
    /// How it relates to that definition.
    pub part: Part,
    /// The stretches of `span`, in order, whose words belong to this passage in the
    /// body field: all of it, less what member passages hold.
    pub own: Vec<Span>,
}

/// How a passage relates to its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The definition as a whole.
    Whole,
    /// Head of a definition that is too large for one passage.
    Outline,
    /// A later stretch of such a definition.
    Slice,
    /// Text outside every definition.
    Loose,
}

/// Derives the passages of `record`, in order of span start, outer before inner.
pub fn passages(_record: &Record) -> Vec<Passage> {
    Vec::new()
}
