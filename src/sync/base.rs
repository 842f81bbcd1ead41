//! The artifact that a new one builds on.

use std::collections::HashSet;

use git2::Oid;

use super::SyncError;
use crate::cache::commit::MAX_CHAIN;
use crate::cache::reading::known_objects;
use crate::cache::{Cache, CacheError, Namespace};
use crate::config::RepoId;
use crate::git::GitErrorKind;

/// The last artifact of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChainEnd {
    /// Its commit.
    pub id: Oid,
    /// Its position, from 1.
    pub chain: u32,
}

impl ChainEnd {
    /// Whether an artifact may follow in this chain. Roots are cut where old ones can be
    /// removed; among branches nothing is.
    pub fn takes_more(self, namespace: Namespace) -> bool {
        self.chain < MAX_CHAIN || namespace != Namespace::Own
    }
}

/// What a new artifact builds on.
pub(super) struct Base {
    /// Where its chain goes on.
    pub end: ChainEnd,
    /// Objects that the remote holds because of it.
    pub known: HashSet<Oid>,
}

/// Where bases come from.
pub(super) struct Bases<'a> {
    /// The repository they are brought to.
    pub cache: &'a Cache,
    /// Where artifacts are written.
    pub namespace: Namespace,
    /// Whose artifacts serve.
    pub repo_id: &'a RepoId,
}

impl Bases<'_> {
    /// The first of `candidates` that serves, and what people should know of those that
    /// do not. `None` starts a chain.
    pub fn pick(
        &self,
        candidates: impl Iterator<Item = Oid>,
        filters: bool,
    ) -> Result<(Option<Base>, Vec<String>), SyncError> {
        let mut tried = HashSet::new();
        let mut notices = Vec::new();
        for id in candidates.filter(|id| tried.insert(*id)) {
            match self.bring(id, filters) {
                Ok(base) => return Ok((Some(base).filter(|base| base.end.takes_more(self.namespace)), notices)),
                Err(SyncError::Cache(CacheError::Git(error))) if error.kind() != GitErrorKind::BaseGone => {
                    return Err(error.into());
                }
                Err(error) => notices.push(format!("an earlier artifact does not serve as base: {error}")),
            }
        }
        Ok((None, notices))
    }

    /// Brings a base here, without its blobs where the remote can leave them out.
    fn bring(&self, id: Oid, filters: bool) -> Result<Base, SyncError> {
        self.cache.fetch_artifact(id, filters)?;
        let commit = self.cache.commit(id)?;
        if commit.repo_id != *self.repo_id {
            return Err(SyncError::Mislabelled { name: id.to_string(), found: commit.repo_id.to_string() });
        }
        let known = known_objects(&self.cache.odb()?, commit.tree)?;
        Ok(Base { end: ChainEnd { id, chain: commit.chain }, known })
    }
}
