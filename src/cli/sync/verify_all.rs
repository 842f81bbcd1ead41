//! `cce sync verify` in a workspace: is every member as it must be.

use rayon::prelude::*;
use serde_json::{Value, json};

use super::verify::{check_store, intact};
use crate::cli::terminal::{Terminal, named, note};
use crate::cli::{Exit, Failure};
use crate::config::RepoId;
use crate::snapshot::Manifest;
use crate::workspace::Workspace;

/// Checks every member down to every digest and says of each how it is.
pub fn run(workspace: &Workspace, as_json: bool, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let members: Vec<&RepoId> = workspace.members().collect();
    let verdicts: Vec<Result<Manifest, String>> = members.par_iter().map(|repo_id| check(workspace, repo_id)).collect();
    if as_json {
        let members = members.iter().zip(&verdicts).map(|(repo_id, verdict)| member_document(repo_id, verdict));
        terminal.json(&json!({ "schema": "cce.verify_all/1", "members": members.collect::<Vec<_>>() }))?;
    } else {
        for (repo_id, verdict) in members.iter().zip(&verdicts) {
            match verdict {
                Ok(manifest) => terminal.line(intact(manifest))?,
                Err(why) => terminal.line(format_args!("damaged: {}: {}", named(repo_id.as_str()), named(why)))?,
            }
        }
    }
    if members.is_empty() {
        note("the workspace has no member; bring some with `cce sync pull --all`");
    }
    Ok(if verdicts.iter().all(Result::is_ok) { Exit::Fine } else { Exit::Data })
}

fn check(workspace: &Workspace, repo_id: &RepoId) -> Result<Manifest, String> {
    let again = "`cce sync pull --all` brings it again";
    match check_store(&workspace.store(repo_id)) {
        Ok(Some(manifest)) if manifest.repo_id.as_ref() == Some(repo_id) => Ok(manifest),
        Ok(Some(manifest)) => {
            let found = manifest.repo_id.as_ref().map_or("no repository", RepoId::as_str);
            Err(format!("its index is of {found}; {again}"))
        }
        Ok(None) => Err(format!("it has no index; {again}")),
        Err(failure) => Err(failure.message),
    }
}

fn member_document(repo_id: &RepoId, verdict: &Result<Manifest, String>) -> Value {
    let manifest = verdict.as_ref().ok();
    json!({
        "repo_id": repo_id.as_str(),
        "result": if manifest.is_some() { "intact" } else { "damaged" },
        "sha": manifest.and_then(|manifest| manifest.sha.clone()),
        "checksum": manifest.map(|manifest| manifest.checksum.clone()),
        "records": manifest.map(|manifest| manifest.file_count),
        "problem": verdict.as_ref().err(),
    })
}
