//! `cce packs`: the languages this build knows.

use serde_json::json;

use super::terminal::{Terminal, count, style};
use super::{Exit, Failure};
use crate::language::{PACKS, Pack};
use crate::record::conformance;

/// List the languages this build knows
#[derive(Debug, clap::Args)]
#[command(after_help = "Files of no pack are indexed as text. An extension with `?` is shared: the lines of a file
decide whose it is.

Examples:
  cce packs
  cce packs --json
  cce packs --validate")]
pub struct Args {
    /// Hold each pack to its grammar and to its sample instead; exit 1 if one fails
    #[arg(long)]
    validate: bool,
    /// Print one JSON document instead (schema cce.packs/1; with --validate, cce.validation/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, terminal: &mut Terminal) -> Result<Exit, Failure> {
    if args.validate {
        return validate(args.json, terminal);
    }
    if args.json {
        let rows: Vec<_> = PACKS
            .iter()
            .map(|pack| json!({ "name": pack.name, "extensions": pack.claims.extensions, "shared": pack.claims.shared, "file_names": pack.claims.file_names, "interpreters": pack.claims.interpreters }))
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
            .chain(pack.claims.shared.iter().map(|extension| format!(".{extension}?")))
            .chain(pack.claims.file_names.iter().map(|name| (*name).to_owned()))
            .collect();
        let bold = style::NAME;
        terminal.line(format_args!("{bold}{name:width$}{bold:#}  {}", claims.join(" ")))?;
    }
    Ok(Exit::Fine)
}

fn validate(json: bool, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let results: Vec<(&Pack, Vec<_>)> = PACKS.into_iter().map(|pack| (pack, conformance::validate(pack))).collect();
    let valid = results.iter().all(|(_, found)| found.is_empty());
    if json {
        let diagnostics: Vec<_> = results
            .iter()
            .flat_map(|(_, found)| found)
            .map(|found| json!({ "pack": found.pack, "member": found.member, "problem": found.problem, "fix": found.fix }))
            .collect();
        let names: Vec<&str> = results.iter().map(|(pack, _)| pack.name).collect();
        terminal.json(&json!({ "schema": "cce.validation/1", "packs": names, "diagnostics": diagnostics }))?;
        return Ok(if valid { Exit::Fine } else { Exit::Negative });
    }
    for (pack, found) in &results {
        if found.is_empty() {
            let sample = &pack.sample;
            let parts = [
                count(pack.queries.len() as u64, "query file"),
                count(sample.definitions.len() as u64, "definition"),
                count(sample.references.len() as u64, "reference"),
                count(sample.imports.len() as u64, "import"),
            ];
            terminal.line(format_args!("{}: sound ({} as declared)", pack.name, parts.join(", ")))?;
        }
        for diagnostic in found {
            terminal.line(format_args!("{diagnostic}"))?;
        }
    }
    Ok(if valid { Exit::Fine } else { Exit::Negative })
}
