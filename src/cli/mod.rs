//! The command line: arguments in, a call into the library, rendering out.
//!
//! One file a command. This is the only room that prints, reads the environment and
//! knows about terminals. It promises: results on stdout and everything else on
//! stderr, one line for a failure, and exit codes that mean the same everywhere
//! ([`Exit`]).

mod artifact;
mod auto_pull;
mod completions;
mod config;
mod demo;
mod failure;
mod faults;
mod gc;
mod index;
mod packs;
mod project;
mod redactions;
mod search;
mod settings;
mod show;
mod sync;
mod terminal;
mod unheeded;
mod why;
mod workspace;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

use crate::config::nearest;
use crate::record::fault;
pub use failure::{Exit, Failure};
use terminal::{Terminal, note, style};

/// Turns a repository at a commit into a checksummed index that travels through git
/// and is searched offline.
#[derive(Debug, Parser)]
#[command(name = "cce", version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "Examples:
  cce search 'where are refs escaped'     search this repository; builds the index first if needed
  cce sync push                           publish the index of HEAD to origin
  cce sync pull --latest                  fetch the newest published index
  cce demo                                see the whole of it on this repository, offline

Exit codes: 0 fine, 1 negative answer, 2 usage, 3 data or integrity, 4 remote.")]
struct Cli {
    /// Run as if started in DIR
    #[arg(
        short = 'C',
        long = "directory",
        value_name = "DIR",
        global = true,
        default_value = ".",
        hide_default_value = true
    )]
    directory: PathBuf,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Search(search::Args),
    Show(show::Args),
    Index(index::Args),
    Why(why::Args),
    Sync(sync::Args),
    Artifact(artifact::Args),
    Packs(packs::Args),
    Config(config::Args),
    Gc(gc::Args),
    Demo(demo::Args),
    Completions(completions::Args),
    Man(completions::ManArgs),
}

/// Runs the command that the process was started with.
pub fn run() -> Exit {
    keep_caught_panics_quiet();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return explain(&error),
    };
    let mut terminal = Terminal::of_process();
    let result = cli.command.run(&cli.directory, &mut terminal);
    // What was said before a failure stays said.
    let flushed = terminal.finish();
    let result = result.and_then(|exit| flushed.map(|()| exit));
    match result {
        Ok(exit) => exit,
        Err(failure) if failure.is_closed_pipe() => Exit::Fine,
        Err(failure) => {
            note(format_args!("{}error{:#}: {}", style::ERROR, style::ERROR, failure.message));
            failure.exit
        }
    }
}

/// A panic that extraction catches becomes a problem of its file, and is told as one.
fn keep_caught_panics_quiet() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !fault::guarded() {
            usual(panic);
        }
    }));
}

impl Command {
    fn run(self, directory: &std::path::Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
        match self {
            Self::Search(args) => search::run(&args, directory, terminal),
            Self::Show(args) => show::run(&args, directory, terminal),
            Self::Index(args) => index::run(&args, directory, terminal),
            Self::Why(args) => why::run(&args, directory, terminal),
            Self::Sync(args) => sync::run(args, directory, terminal),
            Self::Artifact(args) => artifact::run(args, directory, terminal),
            Self::Packs(args) => packs::run(&args, terminal),
            Self::Config(args) => config::run(&args, directory, terminal),
            Self::Gc(args) => gc::run(&args, terminal),
            Self::Demo(args) => demo::run(&args, directory, terminal),
            Self::Completions(args) => completions::run(&args, terminal),
            Self::Man(args) => completions::man(&args, terminal),
        }
    }
}

/// Help and version go to stdout; a command that was not understood is one line on stderr.
fn explain(error: &clap::Error) -> Exit {
    if error.use_stderr() && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let said = usage(&error.to_string(), nearest_command(error));
        note(format_args!("{}error{:#}: {said}", style::ERROR, style::ERROR));
        return Exit::Usage;
    }
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed.map_err(Failure::from) {
        Err(failure) if !failure.is_closed_pipe() => {
            note(format_args!("{}error{:#}: {}", style::ERROR, style::ERROR, failure.message));
            failure.exit
        }
        _ if error.use_stderr() => Exit::Usage,
        _ => Exit::Fine,
    }
}

/// The command that a short one with a slip is nearest to, where clap sees none.
fn nearest_command(error: &clap::Error) -> Option<String> {
    let ContextValue::String(given) = error.get(ContextKind::InvalidSubcommand)? else { return None };
    if error.get(ContextKind::SuggestedSubcommand).is_some() {
        return None;
    }
    let root = command();
    let said = error.to_string();
    let group = root.get_subcommands().find(|group| said.contains(&format!("Usage: cce {} ", group.get_name())));
    let all: Vec<&str> = group.unwrap_or(&root).get_subcommands().map(clap::Command::get_name).collect();
    nearest(given, all).map(str::to_owned)
}

/// What clap says of a mistake, as one line: the mistake, the tips, where help is.
fn usage(said: &str, nearest: Option<String>) -> String {
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let kept = lines.filter(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    let line = kept.collect::<Vec<_>>().join("; ").replace(":; ", ": ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    let tip = nearest.map(|name| format!("; tip: a similar subcommand exists: '{name}'")).unwrap_or_default();
    format!("{line}{tip} (`cce help` lists the commands, `cce help COMMAND` its options)")
}

/// The command tree, for completions, man pages and the reference page.
fn command() -> clap::Command {
    Cli::command()
}
