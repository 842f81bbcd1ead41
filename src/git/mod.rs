//! The one place that starts the `git` program.
//!
//! Objects are read and written in process; everything that meets a network is left
//! to the user's own `git`, because it knows their credentials, ssh configuration and
//! proxies. The room promises that **no shell is started**, that **the child sees a
//! fixed environment** (nothing of a hook's `GIT_DIR` or of a locale gets through),
//! that **every child has a deadline and an output limit**, and that **no secret of
//! a URL is shown**: not in messages, and not in process lists either, because URLs
//! and tokens reach the child through its environment.

mod child;
mod environment;
mod error;
mod program;
mod remotes;
mod transport;
pub mod url;

pub use error::{GitError, GitErrorKind};
pub use program::{DEFAULT_DEADLINE, Output, Program, version};
pub use remotes::{Remote, configured_url, resolve};
pub use transport::Transport;
pub use url::RemoteUrl;
