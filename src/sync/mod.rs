//! The travel of artifacts: push, pull, list and status, as functions without output.
//!
//! The room decides, the cache room carries. It promises that **a publication is lost
//! to no race** (every decision is tested again before each try), that **a pointer goes
//! forward only**, unless it is told otherwise, and that **what cannot be decided is said
//! and left alone**: the artifact is published all the same.

mod base;
mod branch;
mod error;
pub mod gc;
pub mod history;
mod install;
mod job;
mod list;
mod place;
mod pointer;
mod pull;
mod pull_all;
mod push;
mod range;
mod reroot;
pub mod retention;
mod series;
mod standing;
mod status;
pub mod withdraw;

pub use error::{Failure, SyncError};
pub use history::{Ancestry, Head, SourceHistory};
pub use install::{InstallError, install, install_stream, verify};
pub use job::{Job, Work};
pub use list::{Details, Entry, Pointer, Published, list};
pub use place::{DEFAULT_REMOTE, Place};
pub use pointer::{PointerState, Stay};
pub use pull::{Found, Nearest, PullOptions, Pulled, Wanted, find, pull};
pub use pull_all::{Installed, Outcome, PullAllError, PullAllOptions, PulledAll, pull_all};
pub use push::{Publication, PushOptions, PushReport, push};
pub use range::{LeftOut, RangeOptions, RangeReport, push_range};
pub use standing::{ahead, holds, installed};
pub use status::{PointerStatus, Relation, Status, status};
