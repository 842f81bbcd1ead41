//! The local, derived files that search reads: immutable once written, read in place.
//!
//! An index is one file (`layout` states it to the byte), written by an
//! [`IndexBuilder`] from [`FileImage`]s and read through a map by [`Index`]. A
//! [`View`] lays the index of a changed work tree over that of its commit. The room promises:
//!
//! * **the same files give the same index, byte for byte**, whatever the order they
//!   were added in and the number of threads;
//! * **opening costs the same for a small and a large index**: nothing is parsed;
//! * **a damaged index gives an error that names the section**, never a panic and never
//!   more memory than the file could fill;
//! * **a view answers as one index of all its files would**, statistics included.

mod builder;
mod counting;
pub(crate) mod dictionary;
mod difference;
mod error;
mod facts;
#[cfg(test)]
pub(crate) mod fixture;
mod generation;
mod home;
mod homes;
mod image;
mod index;
mod layout;
pub(crate) mod postings;
mod refresh;
mod stem;
pub mod terms;
#[cfg(test)]
mod tests;
mod turn;
mod varint;
mod verify;
mod view;

pub use builder::{IndexBuilder, IndexSummary};
pub use error::{BuildError, IndexError};
pub(crate) use generation::replace_file;
pub use generation::{Active, ActiveOverlay, Store, StoreError, WriteLock};
pub use home::{Home, HomeError, PROJECT_DIR};
pub use homes::HomeStore;
pub(crate) use homes::{entries, is_directory, size_of};
pub use image::FileImage;
pub(crate) use image::shown_text;
pub use index::{FileEntry, Index, PassageEntry, SkippedEntry};
pub use layout::{FORMAT_VERSION, Field};
pub use refresh::{Refresh, RefreshError, Report};
pub use view::{Figures, Overlay, Segment, Statistics, View};

/// The longest facts of one file, in bytes before compression.
pub(crate) const FACTS_LIMIT: usize = crate::record::canonical::MAX_LINE;
