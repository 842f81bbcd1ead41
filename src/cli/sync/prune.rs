//! `cce sync prune`: keeping the newest artifacts of each branch.

use std::path::Path;

use serde_json::{Value, json};

use super::list::date;
use super::{RemoteArgs, source_remote};
use crate::cli::index::short;
use crate::cli::project::Project;
use crate::cli::settings::settings;
use crate::cli::terminal::{Terminal, count, named, note, safe};
use crate::cli::{Exit, Failure};
use crate::source::redact::masked;
use crate::sync::retention::{self, Dropped, PruneOptions, Pruned};

/// Remove all but the newest artifacts of each branch
///
/// Artifacts of tags stay, and those that a pointer names. Artifacts that were published for
/// no known branch count as one branch. A push does the same with `sync.keep`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  cce sync prune --keep 20 --dry-run
  cce sync prune --keep 1 --branch feature/tides --branch feature/charts")]
pub struct Args {
    #[command(flatten)]
    remote: RemoteArgs,
    /// How many artifacts of each branch stay [default: sync.keep]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    keep: Option<u64>,
    /// Look at this branch only; may be repeated
    #[arg(long, value_name = "NAME")]
    branch: Vec<String>,
    /// Say what would go, and remove nothing
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON document instead (schema cce.prune/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory).ok();
    let place = args.remote.place(project.as_ref(), directory)?;
    let repo_id = args.remote.repo(project.as_ref())?;
    let options = PruneOptions {
        source_remote: source_remote(repo_id.as_ref(), project.as_ref()),
        repo_id,
        keep: keep(args, project.as_ref())?,
        branches: args.branch.clone(),
        spared: None,
        dry_run: args.dry_run,
    };
    let pruned = retention::prune(&place, &options)?;
    for notice in &pruned.notices {
        note(safe(notice));
    }
    for name in &pruned.moved {
        note(format_args!("`{}` was moved by others meanwhile and stays", named(name)));
    }
    if args.json {
        terminal.json(&document(&pruned, &options))?;
        return Ok(Exit::Fine);
    }
    for dropped in &pruned.dropped {
        let branch = dropped.branch.as_deref().map_or_else(|| "(no branch)".to_owned(), named);
        terminal.line(format_args!("{} {} {branch}", short(&dropped.sha), date(dropped.time)))?;
    }
    let verb = if args.dry_run { "would remove" } else { "removed" };
    let gone = count(pruned.dropped.len() as u64, "artifact");
    terminal.line(format_args!(
        "{verb} {gone} of {} from {}; {} stay",
        named(&pruned.repo),
        named(&pruned.remote),
        pruned.kept
    ))?;
    Ok(Exit::Fine)
}

fn keep(args: &Args, project: Option<&Project>) -> Result<u64, Failure> {
    let configured = || Ok::<_, Failure>(settings(project)?.number("sync.keep").filter(|keep| *keep > 0));
    match args.keep {
        Some(keep) => Ok(keep),
        None => configured()?.ok_or_else(|| Failure::usage("`sync.keep` is 0, which keeps all; pass `--keep N`")),
    }
}

fn document(pruned: &Pruned, options: &PruneOptions) -> Value {
    json!({
        "schema": "cce.prune/1",
        "remote": pruned.remote,
        "repo_id": pruned.repo,
        "keep": options.keep,
        "dry_run": options.dry_run,
        "removed": pruned.dropped.iter().map(row).collect::<Vec<_>>(),
        "kept": pruned.kept,
        "moved": pruned.moved,
        "notices": pruned.notices.iter().map(|notice| masked(notice)).collect::<Vec<_>>(),
    })
}

fn row(dropped: &Dropped) -> Value {
    json!({ "sha": dropped.sha, "branch": dropped.branch, "time": dropped.time, "ref": dropped.name })
}
