//! `cce gc`: freeing local space.

use std::path::Path;
use std::time::SystemTime;

use serde_json::json;

use super::project::home;
use super::terminal::{Terminal, bytes, named, note, safe};
use super::{Exit, Failure};
use crate::sync::gc::{self, Collected, GcOptions, Why};

/// Free local space that nobody needs
///
/// Looks at the shared home only ($CCE_HOME, else the user's cache directory): stores of
/// projects that are gone, caches of remotes that were not used for 30 days, what crashes left,
/// and objects and generations that nothing names. All of it can be built or pulled again.
/// What is in use stays.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  cce gc --dry-run
  cce gc --quota 2GB

Exit code 1: more than the quota is still in use.")]
pub struct Args {
    /// Remove what was least recently used until this much is left (500MB, 2GB)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    quota: Option<u64>,
    /// Say what would go, and remove nothing; what git would throw away is not counted
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON document instead (schema cce.gc/1)
    #[arg(long)]
    json: bool,
}

#[allow(clippy::disallowed_methods)] // how long a cache was not used is no content
pub fn run(args: &Args, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let home = home()?;
    let collected = gc::collect(&home, &GcOptions { quota: args.quota, dry_run: args.dry_run, now: SystemTime::now() });
    for notice in &collected.notices {
        note(safe(notice));
    }
    if args.json {
        document(&collected, args, home.path(), terminal)?;
    } else {
        lines(&collected, args, home.path(), terminal)?;
    }
    let over = args.quota.is_some_and(|quota| collected.bytes > quota);
    Ok(if over { Exit::Negative } else { Exit::Fine })
}

fn lines(collected: &Collected, args: &Args, home: &Path, terminal: &mut Terminal) -> Result<(), Failure> {
    for freed in &collected.freed {
        let place = freed.path.strip_prefix(home).unwrap_or(&freed.path).display().to_string();
        terminal.line(format_args!("{} {}: {}", bytes(freed.bytes), named(&place), reason(freed.why)))?;
    }
    for path in &collected.in_use {
        note(format_args!("`{}` is in use and stays", named(&path.display().to_string())));
    }
    let verb = if args.dry_run { "would free" } else { "freed" };
    let total: u64 = collected.freed.iter().map(|freed| freed.bytes).sum();
    terminal.line(format_args!(
        "{verb} {} in {}; {} stay",
        bytes(total),
        named(&home.display().to_string()),
        bytes(collected.bytes)
    ))
}

fn reason(why: Why) -> &'static str {
    match why {
        Why::ProjectGone => "its project is gone",
        Why::Unused => "not used for 30 days",
        Why::LeftOver => "left by a process that died",
        Why::OverQuota => "over the quota",
        Why::Unreferenced => "named by nothing",
    }
}

fn word(why: Why) -> &'static str {
    match why {
        Why::ProjectGone => "project-gone",
        Why::Unused => "unused",
        Why::LeftOver => "left-over",
        Why::OverQuota => "over-quota",
        Why::Unreferenced => "unreferenced",
    }
}

fn document(collected: &Collected, args: &Args, home: &Path, terminal: &mut Terminal) -> Result<(), Failure> {
    let shown = |path: &Path| safe(&path.strip_prefix(home).unwrap_or(path).display().to_string());
    let freed = |freed: &gc::Freed| json!({ "path": shown(&freed.path), "why": word(freed.why), "bytes": freed.bytes });
    terminal.json(&json!({
        "schema": "cce.gc/1",
        "home": safe(&home.display().to_string()),
        "dry_run": args.dry_run,
        "quota": args.quota,
        "freed": collected.freed.iter().map(freed).collect::<Vec<_>>(),
        "in_use": collected.in_use.iter().map(|path| shown(path)).collect::<Vec<_>>(),
        "bytes": collected.bytes,
        "notices": collected.notices,
    }))
}

/// A size as people write it: `800`, `500MB`, `2 GB`.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text[digits.len()..].trim().to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "KB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        _ => return Err("a size is a whole number and B, KB, MB, GB or TB".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "a size is a whole number and B, KB, MB, GB or TB".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "this is more than any disk".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, value) in [("0", 0), ("800", 800), ("12B", 12), ("500MB", 500_000_000), ("2 gb", 2_000_000_000)] {
            assert_eq!(size(text), Ok(value), "{text}");
        }
        for text in ["", "x", "-1", "1.5GB", "2XB", "99999999999TB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
