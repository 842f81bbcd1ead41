//! `cce packs`: the languages this build knows.

use serde_json::json;

use super::terminal::{Terminal, style};
use super::{Exit, Failure};
use crate::language::PACKS;

/// List the languages this build knows
#[derive(Debug, clap::Args)]
#[command(after_help = "Files of no pack are indexed as text.

Examples:
  cce packs
  cce packs --json")]
pub struct Args {
    /// Print one JSON document instead (schema cce.packs/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, terminal: &mut Terminal) -> Result<Exit, Failure> {
    if args.json {
        let rows: Vec<_> = PACKS
            .iter()
            .map(|pack| json!({ "name": pack.name, "extensions": pack.claims.extensions, "file_names": pack.claims.file_names, "interpreters": pack.claims.interpreters }))
            .collect();
        terminal.json(&json!({ "schema": "cce.packs/1", "packs": rows }))?;
        return Ok(Exit::Fine);
    }
    let width = PACKS.iter().map(|pack| pack.name.len()).max().unwrap_or(0);
    for pack in PACKS {
        let name = pack.name;
        let claims: Vec<String> = pack
            .claims
            .extensions
            .iter()
            .map(|extension| format!(".{extension}"))
            .chain(pack.claims.file_names.iter().map(|name| (*name).to_owned()))
            .collect();
        let bold = style::NAME;
        terminal.line(format_args!("{bold}{name:width$}{bold:#}  {}", claims.join(" ")))?;
    }
    Ok(Exit::Fine)
}
