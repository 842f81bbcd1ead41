//! Pushes whose refs go one by one, and pushes of commits whose trees are not here.
//!
//! Both keep the rule of the room: every ref moves by compare-and-swap.

use super::remote::push_error;
use super::{Cache, CacheError, RefName, RefUpdate};
use crate::git::GitErrorKind;

/// How many refs one push names; their names and leases are arguments of a program.
const REFS_A_PUSH: usize = 400;

/// Keeps a push from bringing trees here that the remote has.
const NO_LAZY_FETCH: &str = "GIT_NO_LAZY_FETCH";

/// What became of refs that were pushed one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// Those that moved as asked.
    pub done: Vec<RefName>,
    /// Those that others moved before; they were left.
    pub moved: Vec<RefName>,
    /// Those that the remote did not take, each with its reason.
    pub refused: Vec<(RefName, String)>,
}

impl Cache {
    /// Moves refs on the remote, each by compare-and-swap and for itself: what others moved
    /// is left, the rest goes.
    ///
    /// # Errors
    /// When the remote fails as a whole. What it says of single refs is in the answer.
    pub fn push_apart(&self, updates: &[RefUpdate]) -> Result<Apart, CacheError> {
        let mut all = Apart::default();
        for part in updates.chunks(REFS_A_PUSH) {
            let output = self.push_call(part).env(NO_LAZY_FETCH, "1").answer()?;
            let apart = outcomes(&output.stdout, part);
            if output.code != 0 && apart.is_empty() {
                return Err(push_error(&output.stdout, &output.stderr).into());
            }
            all.done.extend(apart.done);
            all.moved.extend(apart.moved);
            all.refused.extend(apart.refused);
        }
        Ok(all)
    }

    /// Moves refs all or none, to commits whose trees are on the remote and need not be here.
    ///
    /// # Errors
    /// As [`Cache::push`]; [`GitErrorKind::Failed`] where the remote cannot do several as one.
    pub fn push_commits(&self, updates: &[RefUpdate]) -> Result<(), CacheError> {
        let output = self.push_call(updates).args(["--atomic"]).env(NO_LAZY_FETCH, "1").answer()?;
        if output.code == 0 { Ok(()) } else { Err(push_error(&output.stdout, &output.stderr).into()) }
    }
}

impl Apart {
    fn is_empty(&self) -> bool {
        self.done.is_empty() && self.moved.is_empty() && self.refused.is_empty()
    }
}

/// Reads the status lines: `flag TAB from:to TAB summary`.
fn outcomes(stdout: &[u8], updates: &[RefUpdate]) -> Apart {
    let text = String::from_utf8_lossy(stdout);
    let mut apart = Apart::default();
    for line in text.lines() {
        let mut parts = line.splitn(3, '\t');
        let (Some(flag), Some(refs)) = (parts.next(), parts.next()) else { continue };
        let told = refs.rsplit(':').next().unwrap_or_default();
        let Some(update) = updates.iter().find(|update| update.name.to_string() == told) else { continue };
        if flag != "!" {
            apart.done.push(update.name.clone());
            continue;
        }
        let error = push_error(line.as_bytes(), b"");
        match error.kind() {
            GitErrorKind::Stale => apart.moved.push(update.name.clone()),
            _ => apart.refused.push((update.name.clone(), error.to_string())),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use git2::Oid;

    use super::*;
    use crate::cache::{Component, Namespace};

    #[test]
    fn each_ref_has_its_outcome() {
        let repo = Component::of("r").unwrap();
        let name = |digit: &str| RefName::commit(Namespace::Own, &repo, &digit.repeat(40));
        let updates =
            ["a", "b", "c"].map(|digit| RefUpdate { name: name(digit), old: Some(Oid::ZERO_SHA1), new: None });
        let said = format!(
            "To file:///x\n-\t:{}\t[deleted]\n!\t:{}\t[rejected] (stale info)\n!\t:{}\t[remote rejected] (deletion \
             prohibited)\n!\t:refs/heads/foreign\t[rejected] (stale info)\nDone\n",
            name("a"),
            name("b"),
            name("c")
        );
        let apart = outcomes(said.as_bytes(), &updates);
        assert_eq!((&apart.done, &apart.moved), (&vec![name("a")], &vec![name("b")]));
        assert_eq!(apart.refused.len(), 1);
        assert!(apart.refused[0].1.contains("deletion prohibited"), "{apart:?}");
        assert!(outcomes(b"fatal: no\n", &updates).is_empty());
    }
}
