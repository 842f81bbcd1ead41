//! Several published repositories, installed beside each other and searched as one.
//!
//! A workspace is a directory without source. Its `.cce/workspace.json` names the remote
//! and the repositories it holds of it; each has a store of its own below `.cce/members/`
//! (`SPEC/store.md` states both). The room promises that **no repository's id leads out of
//! the directory** (a store is named by the escaped id, which has no separator and no
//! capital letter), that **the file is replaced by one rename**, and that **no commit
//! brings a workspace**: in a git repository there is none.

mod error;
mod file;
mod selection;

pub use error::WorkspaceError;
pub use file::{Lock, Workspace};
pub use selection::{Unmatched, nearest_id, select};
