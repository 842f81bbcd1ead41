//! `cce sync withdraw`: removing artifacts for good.

use std::path::Path;

use serde_json::{Value, json};

use super::list::date;
use super::{RemoteArgs, pointer_name};
use crate::cli::index::short;
use crate::cli::project::Project;
use crate::cli::terminal::{Terminal, count, named, note, safe};
use crate::cli::{Exit, Failure};
use crate::source::RepoPath;
use crate::source::redact::masked;
use crate::sync::withdraw::{self, Holders, Sharing, WithdrawOptions, Withdrawal, Withdrawn};

/// How many artifacts are named in one line.
const MOST_NAMED: usize = 10;

/// Remove artifacts for good, so that nothing in the remote reaches them
///
/// Later artifacts stay as they are, contents, checksums and signatures; only their chain is
/// cut. The text is gone from the remote when it next collects its garbage, and not from
/// clones and pulled indexes. Without --yes it is only said what would happen.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  cce sync withdraw 1f2e3d4c                                  what would happen
  cce sync withdraw 1f2e3d4c --yes
  cce sync withdraw 1f2e3d4c --file config/prod.yml --with-sharing --yes

Exit code 1 without --yes: nothing was changed.")]
pub struct Args {
    #[command(flatten)]
    remote: RemoteArgs,
    /// The commits whose artifacts go, also those that only a chain still holds
    #[arg(value_name = "SHA", required = true)]
    commits: Vec<String>,
    /// The file that has to go: names the other artifacts that hold it
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Withdraw those that hold the same record of --file too
    #[arg(long, requires = "file")]
    with_sharing: bool,
    /// Do it
    #[arg(long)]
    yes: bool,
    /// Print one JSON document instead (schema cce.withdraw/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory).ok();
    let place = args.remote.place(project.as_ref(), directory)?;
    let file = args.file.as_deref().map(RepoPath::parse).transpose().map_err(Failure::usage)?;
    let options = WithdrawOptions {
        repo_id: args.remote.repo(project.as_ref())?,
        revs: args.commits.clone(),
        file,
        with_sharing: args.with_sharing,
        dry_run: !args.yes,
    };
    let withdrawal = withdraw::withdraw(&place, &options)?;
    for notice in &withdrawal.notices {
        note(safe(notice));
    }
    if args.json {
        terminal.json(&document(&withdrawal, args))?;
    } else {
        lines(&withdrawal, args, terminal)?;
    }
    if args.yes {
        return Ok(Exit::Fine);
    }
    note("nothing was changed; pass `--yes` to do it");
    Ok(Exit::Negative)
}

fn lines(withdrawal: &Withdrawal, args: &Args, terminal: &mut Terminal) -> Result<(), Failure> {
    let verb = if args.yes { "withdrew" } else { "would withdraw" };
    for one in &withdrawal.withdrawn {
        let branch = one.branch.as_deref().map_or_else(|| "(no branch)".to_owned(), named);
        let held = if one.listed { "" } else { " (no ref, held by a chain)" };
        terminal.line(format_args!("{verb} {} {} {branch}{held}", short(&one.sha), date(one.time)))?;
    }
    if withdrawal.rerooted > 0 {
        let which = count(withdrawal.rerooted, "later artifact");
        terminal.line(format_args!("{which} begin a new chain, with the same contents and checksums"))?;
    }
    for (pointer, to) in &withdrawal.pointers {
        let place = to.as_deref().map_or_else(|| "is deleted".to_owned(), |sha| format!("goes to {}", short(sha)));
        terminal.line(format_args!("pointer {} {place}", named(&pointer_name(pointer))))?;
    }
    let shared = withdrawal.records - withdrawal.unique;
    terminal.line(format_args!(
        "{}, {} in no other artifact, {shared} in {} that stay",
        count(withdrawal.records, "record"),
        withdrawal.unique,
        count(withdrawal.sharing.len() as u64, "other"),
    ))?;
    match (&args.file, &withdrawal.holders) {
        (Some(file), Some(holders)) => holder_lines(file, holders, terminal)?,
        _ if shared > 0 => note("name the file that has to go with `--file PATH` to see which others hold it"),
        _ => {}
    }
    Ok(())
}

fn holder_lines(file: &str, holders: &Holders, terminal: &mut Terminal) -> Result<(), Failure> {
    let file = named(file);
    if holders.same.is_empty() && holders.other.is_empty() {
        terminal.line(format_args!("no other artifact holds `{file}`"))?;
    }
    if !holders.same.is_empty() {
        let same = shorts(holders.same.iter());
        terminal.line(format_args!("the same `{file}` is in {same}; withdraw those too with `--with-sharing`"))?;
    }
    if !holders.other.is_empty() {
        let other = shorts(holders.other.iter());
        terminal.line(format_args!(
            "another version of `{file}` is in {other}; look with `cce sync pull --commit`, and withdraw by name what has the text"
        ))?;
    }
    Ok(())
}

fn shorts<'a>(shas: impl ExactSizeIterator<Item = &'a String>) -> String {
    let more = shas.len().saturating_sub(MOST_NAMED);
    let named: Vec<&str> = shas.take(MOST_NAMED).map(|sha| short(sha)).collect();
    let rest = if more > 0 { format!(" and {more} more (`--json` names all)") } else { String::new() };
    named.join(", ") + &rest
}

fn document(withdrawal: &Withdrawal, args: &Args) -> Value {
    let pointers: Vec<Value> = withdrawal
        .pointers
        .iter()
        .map(|(pointer, to)| json!({ "pointer": pointer_name(pointer), "sha": to }))
        .collect();
    json!({
        "schema": "cce.withdraw/1",
        "remote": withdrawal.remote,
        "repo_id": withdrawal.repo,
        "done": args.yes,
        "withdrawn": withdrawal.withdrawn.iter().map(withdrawn_row).collect::<Vec<_>>(),
        "rerooted": withdrawal.rerooted,
        "pointers": pointers,
        "records": withdrawal.records,
        "unique": withdrawal.unique,
        "sharing": withdrawal.sharing.iter().map(sharing_row).collect::<Vec<_>>(),
        "file": withdrawal.holders.as_ref().map(|holders| json!({
            "path": args.file,
            "same": holders.same,
            "other": holders.other,
        })),
        "notices": withdrawal.notices.iter().map(|notice| masked(notice)).collect::<Vec<_>>(),
    })
}

fn withdrawn_row(one: &Withdrawn) -> Value {
    json!({ "sha": one.sha, "branch": one.branch, "time": one.time, "listed": one.listed })
}

fn sharing_row(one: &Sharing) -> Value {
    json!({ "repo_id": one.repo_id, "sha": one.sha, "records": one.records, "listed": one.listed })
}
