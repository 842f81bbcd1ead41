//! What can go wrong with an index file.

use std::io;
use std::path::PathBuf;

use crate::record::canonical::RecordError;

/// Why an index cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Two files with one path.
    #[error("`{0}` is in the index twice; give each path once")]
    DuplicatePath(String),
    /// A table that outgrows its offsets.
    #[error("the index has too many {0}; leave files out with `index.exclude` in `cce.toml`")]
    TooLarge(&'static str),
    /// The record's facts cannot be compressed.
    #[error("the facts of `{path}` cannot be compressed: {why}")]
    Compress {
        /// Which file.
        path: String,
        /// What the compressor says.
        why: String,
    },
    /// A file that cannot be copied out of an older index.
    #[error(transparent)]
    Copy(#[from] IndexError),
    /// The output failed.
    #[error("the index cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// Why an index cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The file cannot be opened or mapped.
    #[error("index `{path}` cannot be opened: {source}")]
    Open {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Not an index at all.
    #[error("`{path}` is not a cce index; build one with `cce index`")]
    NotAnIndex {
        /// Which file.
        path: PathBuf,
    },
    /// An index of another format.
    #[error(
        "index `{path}` has format {found}, this program reads {known}; build it again with `cce index --rebuild`, or pull it again where there is no source"
    )]
    Version {
        /// Which file.
        path: PathBuf,
        /// The format it says it has.
        found: u32,
        /// The format that is known here.
        known: u32,
    },
    /// Bytes that break a rule of the format.
    #[error(
        "the index is damaged in its section `{section}`: {why}; build it again with `cce index --rebuild`, or pull it again where there is no source"
    )]
    Damaged {
        /// Which section.
        section: &'static str,
        /// Which rule is broken.
        why: &'static str,
    },
    /// A file of the index whose record does not hold.
    #[error(
        "the index is damaged: the record of `{path}` does not hold: {source}; build it again with `cce index --rebuild`, or pull it again where there is no source"
    )]
    Record {
        /// Which file.
        path: String,
        /// Which promise is broken.
        source: RecordError,
    },
}

impl IndexError {
    pub(super) fn damaged(section: super::layout::Section, why: &'static str) -> Self {
        Self::Damaged { section: section.name(), why }
    }
}
