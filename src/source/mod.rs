//! Where bytes come from: a commit, the work tree of a git repository, a plain directory.
//!
//! All three answer through [`Source`]: which files there are, which are left out
//! and why, and the bytes of one file. The room promises that **a clean work tree
//! gives exactly what its commit gives**, that **nothing is dropped in silence**
//! and that **no secret passes**: text leaves this room decoded and redacted.

mod attributes;
mod candidates;
pub mod commit;
mod content;
mod conversion;
pub mod decode;
pub mod directory;
mod disk;
mod error;
mod git_config;
mod git_conversion;
pub(crate) mod glob;
mod ignore;
mod index_file;
mod inspect;
mod listing;
pub(crate) mod native;
mod path;
pub mod redact;
mod repository;
mod rules;
pub mod sensitive;
mod stat_cache;
mod tracked;
mod unheeded;
mod walk;
pub mod work_tree;

pub use commit::CommitSource;
pub use content::Content;
pub use directory::Directory;
pub use error::SourceError;
pub use ignore::Rule;
pub use inspect::{Absence, FlagRules, Inspect};
pub use path::{PathError, RepoPath, is_unprintable, path_bytes, printable};
pub use repository::{CommitId, Place, detect, head_holds};
pub use rules::{Verdict, check_project_file};
pub use unheeded::{Unheeded, is_own_rule_file, lies_in, rule_files_of, unheeded};
pub use work_tree::WorkTree;

use std::fmt;

use crate::config::ProjectFile;

/// A place bytes come from.
///
/// [`Source::list`] comes first; [`Source::read`] then reads what was listed, from
/// as many threads as the caller likes.
pub trait Source: Sync {
    /// The commit the source stands for; `None` where there is none.
    fn commit(&self) -> Option<&CommitId>;

    /// Lists every file, those that contribute and those that do not.
    ///
    /// # Errors
    /// When the source as a whole cannot be read, or a rule file is refused. A single
    /// unreadable file of a work tree or directory is listed as such instead.
    fn list(&self) -> Result<Listing, SourceError>;

    /// Reads one listed file. The text is decoded and not yet redacted.
    ///
    /// # Errors
    /// When the bytes that were listed can no longer be had.
    fn read(&self, file: &FileEntry) -> Result<Content, SourceError>;

    /// Says what the committed rules make of a path, with the line that decided.
    ///
    /// # Errors
    /// When the rule files cannot be read.
    fn judge(&self, path: &RepoPath) -> Result<Verdict, SourceError>;
}

/// Everything a source holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Files that may contribute, in path order.
    pub files: Vec<FileEntry>,
    /// Files that contribute nothing, in path order. What the bytes decide (binary,
    /// oversize, a pointer) shows only when they are read.
    pub skipped: Vec<SkippedFile>,
    /// The source's own committed `cce.toml`.
    pub project: ProjectFile,
}

/// A file that contributes nothing, with what git holds at its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedFile {
    /// Where and why.
    pub skipped: Skipped,
    /// The id git holds there (of a blob, of a submodule's commit), where it holds one.
    pub content: Option<ContentId>,
}

/// The git blob id of the bytes a file contributes, whether or not git holds them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId(pub [u8; 20]);

impl fmt::Debug for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ContentId {
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
