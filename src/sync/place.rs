//! Which remote, seen from where, and how it may be reached.

use std::path::PathBuf;
use std::time::Duration;

use super::{SourceHistory, SyncError};
use crate::cache::{CacheError, Connection, Namespace};
use crate::git::{self, DEFAULT_DEADLINE, Remote, RemoteUrl};

/// The remote that is meant where none is named.
pub const DEFAULT_REMOTE: &str = "origin";

/// The remote of a workflow, and the surroundings it is reached from.
#[derive(Clone, Debug)]
pub struct Place {
    /// The directory of the bare caches (`caches` in the home).
    pub caches: PathBuf,
    /// The source repository, whose remotes and transport configuration count.
    pub source: Option<PathBuf>,
    /// Where a relative path given as remote starts.
    pub here: PathBuf,
    /// Name of a remote of the source, or a URL.
    pub remote: String,
    /// Where artifacts are written; readers look in both.
    pub namespace: Namespace,
    /// Protocols the user allows beyond `https` and `ssh`: `http`, `git`.
    pub allow_protocols: Vec<String>,
    /// How long one call of git may take.
    pub deadline: Duration,
}

impl Place {
    /// The remote `origin` of a repository in the current directory, with the defaults.
    pub fn new(caches: impl Into<PathBuf>) -> Self {
        Self {
            caches: caches.into(),
            source: None,
            here: PathBuf::from("."),
            remote: DEFAULT_REMOTE.into(),
            namespace: Namespace::default(),
            allow_protocols: Vec::new(),
            deadline: DEFAULT_DEADLINE,
        }
    }

    fn absolute_here(&self) -> Result<PathBuf, SyncError> {
        let fail =
            |error: std::io::Error| CacheError::Local { path: self.here.display().to_string(), why: error.to_string() };
        Ok(std::path::absolute(&self.here).map_err(fail)?)
    }

    fn resolve(&self, remote: &str) -> Result<Remote, SyncError> {
        let here = self.absolute_here()?;
        Ok(git::resolve(self.source.as_deref(), remote, &here, &self.allow_protocols)?)
    }

    /// The connection that reading uses.
    pub(super) fn reading(&self) -> Result<Connection, SyncError> {
        let url = self.resolve(&self.remote)?.fetch;
        Ok(Connection::new(&self.caches, &url, self.source.as_deref(), self.deadline)?)
    }

    /// The connection that publishing uses: it asks and verifies where it writes.
    pub(super) fn writing(&self) -> Result<Connection, SyncError> {
        let url = self.resolve(&self.remote)?.push;
        Ok(Connection::new(&self.caches, &url, self.source.as_deref(), self.deadline)?)
    }

    /// The connection to the source's own remote `name`. A bare repository that has none is
    /// where its commits are pushed to: it is asked itself.
    pub(super) fn source_remote(&self, name: &str) -> Result<Connection, SyncError> {
        let url = match (self.resolve(name), self.source.as_deref()) {
            (Err(error), Some(source)) if error.is_no_such_remote() && SourceHistory::of(source).is_bare() => {
                RemoteUrl::parse_from(&source.display().to_string(), &self.absolute_here()?, &[])?
            }
            (remote, _) => remote?.fetch,
        };
        Ok(Connection::new(&self.caches, &url, self.source.as_deref(), self.deadline)?)
    }
}
