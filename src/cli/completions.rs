//! `cce completions` and `cce man`: generated from the same command tree as the help.

use std::fs;
use std::path::PathBuf;

use clap_complete::Shell;

use super::terminal::Terminal;
use super::{Exit, Failure};

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  cce completions bash > ~/.local/share/bash-completion/completions/cce")]
pub struct Args {
    /// Which shell
    shell: Shell,
}

/// Print the man page, or write one page a command into a directory
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  cce man | man -l -
  cce man --out ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write `cce.1`, `cce-search.1` and so on into DIR
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(args: &Args, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "cce", &mut script);
    terminal.bytes().write_all(&script)?;
    Ok(Exit::Fine)
}

pub fn man(args: &ManArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    match &args.out {
        None => clap_mangen::Man::new(super::command()).render(terminal.bytes())?,
        Some(directory) => {
            let refuse =
                |error| Failure::data(format!("cannot write man pages into `{}`: {error}", directory.display()));
            fs::create_dir_all(directory).map_err(refuse)?;
            clap_mangen::generate_to(super::command(), directory).map_err(refuse)?;
        }
    }
    Ok(Exit::Fine)
}
