//! `cce artifact install`: from a file that travelled by any means to a store that answers.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{open, refused};
use crate::cli::project::{Project, under};
use crate::cli::sync::{refreshed, repository, sourceless, verified, with_source};
use crate::cli::terminal::{Progress, Terminal};
use crate::cli::{Exit, Failure};
use crate::config::RepoId;
use crate::sync;

/// Verify an artifact file and answer searches from it
///
/// In a checkout it becomes the base of the local index, with the differences of the work
/// tree laid over it. With --into it needs no source: searches in that directory are
/// answered from it, offline.
#[derive(Debug, clap::Args)]
#[command(after_help = "The file is checked as a pulled artifact is. A fault leaves what was there as it was.

Examples:
  cce artifact install head.cce3
  cce artifact install head.cce3 --into billing")]
pub struct Args {
    /// The artifact
    file: PathBuf,
    /// A directory for the index alone; made if need be
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Who the repository is, over cce.toml and the URL of origin
    #[arg(long, value_name = "ID")]
    repo_id: Option<String>,
    /// Print one JSON document instead (schema cce.install/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let path = under(directory, &args.file);
    let mut file = open(&path)?;
    let (project, wanted, has_source) = match &args.into {
        Some(into) => (sourceless(&under(directory, into))?, repository(args.repo_id.as_deref(), None)?, false),
        None => {
            let project = Project::open(directory)?;
            with_source(Some(&project), directory)?;
            let wanted = repository(args.repo_id.as_deref(), Some(&project))?;
            (project, wanted, true)
        }
    };
    let progress = Progress::new("verifying");
    let source = has_source.then(|| project.root());
    let step = |done, total| progress.at(done, total);
    let manifest = sync::install_stream(&mut file, wanted.as_ref(), project.store(), source, &step)
        .map_err(|error| refused(&path, &error))?;
    drop(progress);
    let here = if has_source { Some(refreshed(&project)?) } else { None };
    if args.json {
        terminal.json(&json!({
            "schema": "cce.install/1",
            "repo_id": manifest.repo_id.as_ref().map(RepoId::as_str),
            "sha": manifest.sha,
            "checksum": manifest.checksum,
            "records": manifest.file_count,
        }))?;
        return Ok(Exit::Fine);
    }
    terminal.line(format_args!("installed {}", verified(&manifest)))?;
    here.map_or(Ok(()), |here| terminal.line(here))?;
    Ok(Exit::Fine)
}
