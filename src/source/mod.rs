//! Where bytes come from: a commit, the work tree of a git repository, a plain directory.
//!
//! All three answer through [`Source`]: which files there are, which are left out
//! and why, and the bytes of one file. The room promises that **a clean work tree
//! gives exactly what its commit gives**, that **nothing is dropped in silence**
//! and that **no secret passes**: text leaves this room decoded and redacted.

pub mod decode;
mod path;
pub mod redact;
pub mod sensitive;

pub use path::{PathError, RepoPath, is_unprintable};

use std::fmt;

/// The git blob id of the bytes a file contributes, whether or not git holds them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId(pub [u8; 20]);

impl fmt::Debug for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What committed attributes say about one path, as far as a record cares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attributes {
    /// `linguist-generated`.
    pub generated: bool,
    /// `linguist-vendored`.
    pub vendored: bool,
}

/// A file that may contribute text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Where it is.
    pub path: RepoPath,
    /// Which bytes it holds.
    pub content: ContentId,
    /// What the committed attributes say of it.
    pub attributes: Attributes,
}

/// A file that contributes no text, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Where it is.
    pub path: RepoPath,
    /// Why it contributes nothing.
    pub reason: SkipReason,
}

/// Why a file contributes no text: a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// A symbolic link; links are never followed.
    Link,
    /// Another repository at a commit, or nested in this work tree.
    Submodule,
    /// A pointer to large-file storage.
    LfsPointer,
    /// A NUL in the first 8,192 bytes of something that is not UTF-16.
    Binary,
    /// Over the size limit.
    Oversize,
    /// A name that says credentials; never opened.
    Sensitive,
    /// The work tree would not let us read it.
    Unreadable,
    /// A committed `.cceignore` or an `exclude` of the committed `cce.toml`.
    IgnoredByCceignore,
    /// The committed attribute `cce-ignore`.
    IgnoredByAttribute,
}

impl SkipReason {
    const ALL: [Self; 9] = [
        Self::Link,
        Self::Submodule,
        Self::LfsPointer,
        Self::Binary,
        Self::Oversize,
        Self::Sensitive,
        Self::Unreadable,
        Self::IgnoredByCceignore,
        Self::IgnoredByAttribute,
    ];

    /// The reason as manifests and listings write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Submodule => "submodule",
            Self::LfsPointer => "lfs-pointer",
            Self::Binary => "binary",
            Self::Oversize => "oversize",
            Self::Sensitive => "sensitive",
            Self::Unreadable => "unreadable",
            Self::IgnoredByCceignore => "ignored-by-cceignore",
            Self::IgnoredByAttribute => "ignored-by-attribute",
        }
    }

    /// Reads a reason back; `None` for a word that is not on the list.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }
}
