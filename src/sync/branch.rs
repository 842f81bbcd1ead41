//! For which branch a commit is published.

use std::path::Path;

use super::SyncError;
use super::history::{Ancestry, SourceHistory};
use super::job::{Job, Ruling};
use crate::cache::commit::is_branch;

/// Finds the branch of `sha`: the one asked for, else what the job says, else the one
/// checked out, if `sha` belongs to it. Why there is none goes to `notices`.
pub(super) fn branch_of(
    asked: Option<&str>,
    job: Option<&Job>,
    source: Option<&Path>,
    sha: &str,
    notices: &mut Vec<String>,
) -> Result<Option<String>, SyncError> {
    if let Some(branch) = asked {
        return usable(branch).map(Some);
    }
    match job.map(|job| job.rule(sha)) {
        Some(Ruling::Branch(branch)) => return Ok(Some(branch)),
        Some(Ruling::NoBranch(why)) => {
            notices.push(no_pointer(&why));
            return Ok(None);
        }
        Some(Ruling::Unheeded(why)) => notices.push(why),
        None => {}
    }
    match checked_out(source, sha)? {
        Ok(branch) => Ok(Some(branch)),
        Err(why) => {
            notices.push(no_pointer(&why));
            Ok(None)
        }
    }
}

fn no_pointer(why: &str) -> String {
    format!("{why}, so no pointer moves; name the branch with `--branch`")
}

fn usable(branch: &str) -> Result<String, SyncError> {
    let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
    if is_branch(branch) && !branch.starts_with('-') {
        Ok(branch.to_owned())
    } else {
        Err(SyncError::Branch(branch.escape_debug().to_string()))
    }
}

/// The branch checked out at `source`, or why it is not that of `sha`.
fn checked_out(source: Option<&Path>, sha: &str) -> Result<Result<String, String>, SyncError> {
    let Some(source) = source else { return Ok(Err("there is no source repository here".into())) };
    let history = SourceHistory::of(source);
    let head = history.head()?;
    Ok(match (head.branch, head.sha) {
        (Some(branch), Some(tip)) if is_branch(&branch) && history.descends(&tip, sha) == Ancestry::Yes => Ok(branch),
        (Some(branch), _) => Err(format!("the commit is not known to belong to the branch `{branch}`")),
        (None, _) => Err("the head is detached".into()),
    })
}
