//! From bytes to text.

use crate::record::Word;

/// A file as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// What it was decoded from.
    pub encoding: Word,
}
