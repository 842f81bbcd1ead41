//! Questions about the history of the source, answered without changing it.
//!
//! `git` itself is asked, not the library: it opens every repository its user can use,
//! and knows shallow and partial clones.

use std::collections::BTreeSet;
use std::path::Path;

use super::SyncError;
use crate::cache::names::is_sha;
use crate::cache::{Cache, Connection, Filter, Role};
use crate::git::{GitError, Program};

/// How far back the nearest published ancestor is looked for, in commits.
const HORIZON: usize = 200_000;

/// Whether one commit descends from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ancestry {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// The history at hand does not say.
    Unknown,
}

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The commit; `None` before the first one.
    pub sha: Option<String>,
    /// The branch; `None` when the head is detached.
    pub branch: Option<String>,
}

/// The history of one source repository.
#[derive(Clone, Copy, Debug)]
pub struct SourceHistory<'a> {
    source: &'a Path,
}

impl<'a> SourceHistory<'a> {
    /// The history of the repository at `source`.
    pub fn of(source: &'a Path) -> Self {
        Self { source }
    }

    fn ask(&self, subcommand: &str) -> Program {
        Program::source(self.source, subcommand).env("GIT_NO_REPLACE_OBJECTS", "1")
    }

    /// What is checked out.
    ///
    /// # Errors
    /// When there is no repository that git would open.
    pub fn head(&self) -> Result<Head, SyncError> {
        let call = self.ask("rev-parse").args(["--is-inside-git-dir"]);
        call.run().map_err(SyncError::Source)?;
        let branch = self.ask("symbolic-ref").args(["-q"]).values(["HEAD"]).answer().map_err(SyncError::Source)?;
        let branch = branch.text().strip_prefix("refs/heads/").map(str::to_owned);
        Ok(Head { sha: self.resolve("HEAD")?, branch })
    }

    /// The commit that `rev` stands for; `None` where it stands for none.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub fn resolve(&self, rev: &str) -> Result<Option<String>, SyncError> {
        let call = self.ask("rev-parse").args(["--verify", "--quiet"]).values([format!("{rev}^{{commit}}")]);
        let text = call.answer().map_err(SyncError::Source)?.text();
        Ok(is_sha(&text).then_some(text))
    }

    /// Whether `descendant` descends from `ancestor` (or is it).
    pub fn descends(&self, descendant: &str, ancestor: &str) -> Ancestry {
        if descendant == ancestor {
            return Ancestry::Yes;
        }
        match is_ancestor(self.ask("merge-base"), ancestor, descendant) {
            Ancestry::No if self.is_shallow() => Ancestry::Unknown,
            answer => answer,
        }
    }

    /// Whether part of the history is cut off; taken for so when git does not say.
    pub fn is_shallow(&self) -> bool {
        let answer = self.ask("rev-parse").args(["--is-shallow-repository"]).answer();
        answer.map_or(true, |output| output.text() != "false")
    }

    /// Whether there is no work tree, so that commits come here by being pushed.
    pub fn is_bare(&self) -> bool {
        let answer = self.ask("rev-parse").args(["--is-bare-repository"]).answer();
        answer.is_ok_and(|output| output.text() == "true")
    }

    /// The commits that its tags name.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub fn tagged(&self) -> Result<BTreeSet<String>, SyncError> {
        let call = self.ask("for-each-ref").args(["--format=%(objectname) %(*objectname)"]).values(["refs/tags"]);
        let text = call.run().map_err(SyncError::Source)?.text();
        Ok(text.split_whitespace().map(str::to_owned).collect())
    }

    /// The nearest ancestor of `sha` that is in `published`, and how many commits `sha`
    /// has beyond it.
    pub fn nearest(&self, sha: &str, published: &BTreeSet<&str>) -> Option<(String, u64)> {
        if published.is_empty() || !is_sha(sha) {
            return None;
        }
        let call = self.ask("rev-list").args([format!("--max-count={HORIZON}")]).values([sha]);
        let output = call.run().ok()?;
        let text = output.text();
        let found = text.lines().skip_while(|line| *line == sha).find(|line| published.contains(line))?;
        let count = self.ask("rev-list").args(["--count"]).values([format!("{found}..{sha}")]).run().ok()?;
        Some((found.to_owned(), count.text().parse().ok()?))
    }

    /// The commits that `tip` has beyond `since` (all of them where that is `None`), oldest
    /// first, `tip` last. Only first parents are followed: what a branch itself was.
    ///
    /// # Errors
    /// When the history at hand is cut off before `since`, or git cannot be asked.
    pub fn range(&self, since: Option<&str>, tip: &str) -> Result<Vec<String>, SyncError> {
        let whole = match since {
            Some(since) => self.descends(tip, since) != Ancestry::Unknown,
            None => !self.is_shallow(),
        };
        if !whole {
            return Err(SyncError::CutOff);
        }
        let revision = since.map_or_else(|| tip.to_owned(), |since| format!("{since}..{tip}"));
        let call = self.ask("rev-list").args(["--first-parent", "--reverse"]).values([revision]);
        let output = call.run().map_err(SyncError::Source)?;
        Ok(output.text().lines().map(str::to_owned).collect())
    }

    /// How many commits `a` and `b` have beyond each other; `None` where it cannot be told.
    pub fn distance(&self, a: &str, b: &str) -> Option<(u64, u64)> {
        if self.is_shallow() {
            return None;
        }
        let call = self.ask("rev-list").args(["--left-right", "--count"]).values([format!("{a}...{b}")]);
        let text = call.run().ok()?.text();
        let (left, right) = text.split_once('\t')?;
        Some((left.parse().ok()?, right.parse().ok()?))
    }
}

fn is_ancestor(call: Program, ancestor: &str, descendant: &str) -> Ancestry {
    match call.args(["--is-ancestor"]).values([ancestor, descendant]).answer() {
        Ok(output) if output.code == 0 => Ancestry::Yes,
        Ok(output) if output.code == 1 => Ancestry::No,
        _ => Ancestry::Unknown,
    }
}

/// Answers from the source's own remote, whose commits alone are fetched into a
/// repository of ours. For sources whose own history is cut.
///
/// # Errors
/// When our repository or the remote fails; the caller then knows no more than before.
pub(super) fn descends_on_remote(
    connection: &Connection,
    descendant: &str,
    ancestor: &str,
) -> Result<Ancestry, SyncError> {
    let cache = Cache::open(connection, Role::History)?;
    let wanted = |sha: &str| cache.remembered(&format!("refs/known/{sha}")).is_none();
    let wants: Vec<String> = [descendant, ancestor].into_iter().filter(|sha| wanted(sha)).map(str::to_owned).collect();
    cache.fetch(&wants, Filter::Trees, false)?;
    for sha in [descendant, ancestor] {
        let id = git2::Oid::from_str(sha)
            .map_err(|error| GitError::new(crate::git::GitErrorKind::Failed, error.message()))?;
        cache.remember(&format!("refs/known/{sha}"), id)?;
    }
    Ok(is_ancestor(cache.ask("merge-base"), ancestor, descendant))
}
