//! The workspace that a command runs in: which members are asked, and what they answer from.

use std::collections::BTreeSet;

use super::Failure;
use crate::config::RepoId;
use crate::store::{Active, View};
use crate::workspace::{Unmatched, Workspace, nearest_id, select};

/// A member that answers.
pub struct Member {
    /// Which repository.
    pub repo_id: RepoId,
    /// What its store has active.
    pub active: Active,
    /// The view, which carries the id as its name.
    pub view: View,
}

/// The members that `wanted` means, by id or pattern; all of them where it is empty.
pub fn chosen(workspace: &Workspace, wanted: &[String]) -> Result<Vec<RepoId>, Failure> {
    let ids: BTreeSet<&str> = workspace.members().map(RepoId::as_str).collect();
    let chosen = select(wanted, &ids).map_err(|Unmatched(text)| unknown(&text, &ids))?;
    Ok(workspace.members().filter(|repo_id| chosen.contains(repo_id.as_str())).cloned().collect())
}

/// The failure of naming a repository that is not in the workspace.
pub fn unknown(text: &str, ids: &BTreeSet<&str>) -> Failure {
    let hint = nearest_id(text, ids).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let text = text.escape_debug();
    Failure::usage(format!("no repository of this workspace is `{text}`{hint} (`cce sync verify` lists them)"))
}

/// Opens `members`; those that cannot answer are told in sentences.
pub fn open(workspace: &Workspace, members: Vec<RepoId>) -> Result<(Vec<Member>, Vec<String>), Failure> {
    let (mut answering, mut silent) = (Vec::new(), Vec::new());
    for repo_id in members {
        match workspace.store(&repo_id).open() {
            Ok(Some((active, view))) => {
                let view = view.with_repo(repo_id.as_str());
                answering.push(Member { repo_id, active, view });
            }
            Ok(None) => silent.push(format!("`{repo_id}` has no index yet; run `cce sync pull --all` again")),
            Err(error) => silent.push(format!("`{repo_id}` does not answer: {error}")),
        }
    }
    match silent.first() {
        Some(first) if answering.is_empty() => Err(Failure::data(first)),
        _ => Ok((answering, silent)),
    }
}
