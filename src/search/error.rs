//! Why a search cannot be answered.

use crate::store::IndexError;

/// Why a search cannot be answered.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The index does not hold.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A path filter that is no pattern.
    #[error("path filter `{0}` is not a pattern; write one as in `.gitignore`, like `src/**/*.rs`")]
    Pattern(String),
    /// More passages than one search can number.
    #[error("the repositories hold too many passages for one search; search fewer of them at once")]
    TooLarge,
}
