//! `cce artifact`: artifacts as files.

mod diff;
mod install;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::{Value, json};

use super::project::{Project, identify, under};
use super::terminal::{Progress, Terminal, bytes, count, note, safe, style};
use super::{Exit, Failure, faults, redactions};
use crate::config::RepoId;
use crate::snapshot::{self, Manifest, stream};
use crate::source::{SkipReason, Source, redact};

/// Work with artifacts as files
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  cce artifact export -o head.cce3
  cce artifact verify head.cce3
  cce artifact show head.cce3
  cce artifact diff v1.cce3 v2.cce3
  cce artifact install head.cce3 --into billing")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Export(ExportArgs),
    Verify(VerifyArgs),
    Show(ShowArgs),
    Diff(diff::Args),
    Install(install::Args),
}

/// Write the artifact of a commit to a file
#[derive(Debug, clap::Args)]
#[command(after_help = "The artifact is built from the commit, never from the work tree, and is the same on
every machine.

Examples:
  cce artifact export -o head.cce3
  cce artifact export --commit v1.2.0 --repo-id github.com/acme/billing -o v1.2.0.cce3")]
struct ExportArgs {
    /// The commit: any revision that git understands
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    commit: String,
    /// Who the repository is, over cce.toml and the URL of origin
    #[arg(long, value_name = "ID")]
    repo_id: Option<String>,
    /// The file to write; standard output where this is absent or `-`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Check every promise of an artifact file
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code 0: every byte is as it must be. 3: it is not, and the first fault is named.

Example:
  cce artifact verify head.cce3")]
struct VerifyArgs {
    /// The artifact
    file: PathBuf,
    /// Print one JSON document instead (schema cce.artifact/1)
    #[arg(long)]
    json: bool,
}

/// Show what an artifact file is and holds
#[derive(Debug, clap::Args)]
#[command(after_help = "The artifact is verified while it is read.

Examples:
  cce artifact show head.cce3
  cce artifact show --json head.cce3")]
struct ShowArgs {
    /// The artifact
    file: PathBuf,
    /// Print one JSON document instead (schema cce.artifact/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    match args.command {
        Command::Export(args) => export(&args, directory, terminal),
        Command::Verify(args) => verify(&under(directory, &args.file), args.json, terminal),
        Command::Show(args) => show(&under(directory, &args.file), args.json, terminal),
        Command::Diff(args) => diff::run(&args, directory, terminal),
        Command::Install(args) => install::run(&args, directory, terminal),
    }
}

fn export(args: &ExportArgs, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let file = args.output.as_deref().filter(|output| *output != Path::new("-"));
    if let Some(given) = file {
        check_place(given, &under(directory, given))?;
    }
    let project = Project::open(directory)?;
    let source = project.commit(&args.commit)?;
    let listing = source.list()?;
    let repo_id = identify(args.repo_id.as_deref(), &listing.project, project.root())?;
    let progress = Progress::new("extracting");
    let (snapshot, replaced) =
        snapshot::collect(&source, listing, Some(repo_id), &|done, total| progress.at(done, total))?;
    drop(progress);
    match file {
        None => stream::write(&snapshot, terminal.bytes())?,
        Some(given) => write_file(&snapshot, &under(directory, given))
            .map_err(|error| Failure::data(format!("cannot write `{}`: {error}", given.display())))?,
    }
    let manifest = &snapshot.manifest;
    note(format_args!(
        "exported {} at {}: {}, checksum {}",
        manifest.repo_id.as_ref().map_or("", RepoId::as_str),
        manifest.sha.as_deref().unwrap_or_default(),
        count(manifest.file_count, "record"),
        manifest.checksum
    ));
    redactions::report(&replaced, "`cce artifact show --json` of the file");
    faults::report(manifest);
    Ok(Exit::Fine)
}

/// Refuses a file that cannot come to be, before there is any work done for it. `given` is
/// the path as it was given, `output` the same from here.
fn check_place(given: &Path, output: &Path) -> Result<(), Failure> {
    let refuse = |why: String| Err(Failure::data(format!("cannot write `{}`: {why}", given.display())));
    if output.is_dir() {
        return refuse("it is a directory; name a file in it".to_owned());
    }
    match given.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) if !parent_of(output).is_dir() => {
            refuse(format!("there is no directory `{}`; create it first", parent.display()))
        }
        _ => Ok(()),
    }
}

fn parent_of(output: &Path) -> &Path {
    output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes aside and renames, so that a file of this name is always a whole artifact. A
/// link leads to the file that is replaced; a pipe or a device is written to.
fn write_file(snapshot: &snapshot::Snapshot, output: &Path) -> io::Result<()> {
    let there = std::fs::metadata(output).ok();
    if there.as_ref().is_some_and(|data| !data.is_file()) {
        return stream::write(snapshot, &mut File::options().write(true).open(output)?);
    }
    let real = there.as_ref().and_then(|_| std::fs::canonicalize(output).ok());
    let output = real.as_deref().unwrap_or(output);
    let mut file = tempfile::NamedTempFile::with_prefix_in(".cce-", parent_of(output))?;
    {
        let mut out = io::BufWriter::with_capacity(1 << 20, file.as_file_mut());
        stream::write(snapshot, &mut out)?;
        out.flush()?;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = there.map_or(0o644, |data| data.permissions().mode() & 0o777);
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode))?;
    }
    file.as_file().sync_all()?;
    file.persist(output)?;
    Ok(())
}

/// What reading an artifact to its end gives.
struct Contents {
    manifest: Manifest,
    bytes: u64,
    text_bytes: u64,
    definitions: u64,
    references: u64,
    languages: BTreeMap<String, u64>,
    redactions: Vec<Value>,
}

/// Why the artifact in `path` is not taken.
fn refused(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::data(format!("`{}`: {error}", path.display()))
}

fn open(path: &Path) -> Result<BufReader<File>, Failure> {
    let file = File::open(path).map_err(|error| refused(path, &error))?;
    Ok(BufReader::with_capacity(1 << 20, file))
}

fn read(path: &Path) -> Result<Contents, Failure> {
    let refuse = |error: &dyn std::fmt::Display| refused(path, error);
    let mut file = open(path)?;
    let mut contents = (0, 0, 0, 0, BTreeMap::new());
    let mut redactions = Vec::new();
    let manifest = stream::read(&mut file, |_, record, line| {
        contents.0 += line.len() as u64;
        contents.1 += record.text.len() as u64;
        contents.2 += record.definitions.len() as u64;
        contents.3 += record.references.len() as u64;
        *contents.4.entry(record.language.to_string()).or_default() += 1;
        for (kind, count) in redact::markers(&record.text) {
            redactions.push(json!({ "path": record.path.display(), "kind": kind, "count": count }));
        }
        Ok::<(), Infallible>(())
    })
    .map_err(|error| refuse(&error))?;
    if manifest.repo_id.is_none() || manifest.sha.is_none() {
        return Err(refuse(&"it does not say which repository and commit it is of, so it is no artifact"));
    }
    let (records, text_bytes, definitions, references, languages) = contents;
    let bytes = records + manifest.line().len() as u64;
    Ok(Contents { manifest, bytes, text_bytes, definitions, references, languages, redactions })
}

fn verify(path: &Path, as_json: bool, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let contents = read(path)?;
    if as_json {
        terminal.json(&document(&contents))?;
        return Ok(Exit::Fine);
    }
    let manifest = &contents.manifest;
    terminal.line(format_args!(
        "ok: {}, {}, checksum {}",
        count(manifest.file_count, "record"),
        bytes(contents.bytes),
        manifest.checksum
    ))?;
    Ok(Exit::Fine)
}

fn show(path: &Path, as_json: bool, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let contents = read(path)?;
    if as_json {
        terminal.json(&document(&contents))?;
        return Ok(Exit::Fine);
    }
    let manifest = &contents.manifest;
    let languages: Vec<String> = contents.languages.iter().map(|(name, files)| format!("{name} {files}")).collect();
    let rows = [
        ("repository", safe(manifest.repo_id.as_ref().map_or("(none)", RepoId::as_str))),
        ("commit", manifest.sha.clone().unwrap_or_else(|| "(none)".to_owned())),
        ("checksum", manifest.checksum.clone()),
        ("format", snapshot::FORMAT.to_owned()),
        ("extractor", format!("{} {}", manifest.extractor.revision, manifest.extractor.digest)),
        ("settings", manifest.settings.clone()),
        ("records", format!("{} ({})", manifest.file_count, languages.join(", "))),
        ("definitions", contents.definitions.to_string()),
        ("references", contents.references.to_string()),
        ("size", format!("{}, of which text {}", bytes(contents.bytes), bytes(contents.text_bytes))),
        ("problems", counts_line(manifest.problem_counts.iter().map(|(kind, count)| (kind.as_str(), *count)))),
        ("skipped", counts_line(skipped_counts(manifest.skipped.iter().map(|skipped| skipped.reason)).into_iter())),
    ];
    for (label, value) in rows {
        let bold = style::NAME;
        terminal.line(format_args!("{bold}{label:12}{bold:#}{value}"))?;
    }
    Ok(Exit::Fine)
}

fn counts_line<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> String {
    let parts: Vec<String> = counts.map(|(name, count)| format!("{name} {count}")).collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// How many files were left out, by reason.
pub(super) fn skipped_counts(reasons: impl Iterator<Item = SkipReason>) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    for reason in reasons {
        *counts.entry(reason.as_str()).or_default() += 1;
    }
    counts
}

fn document(contents: &Contents) -> serde_json::Value {
    let manifest = &contents.manifest;
    let skipped: Vec<_> = manifest
        .skipped
        .iter()
        .map(|skipped| json!({ "path": skipped.path.display(), "reason": skipped.reason.as_str() }))
        .collect();
    json!({
        "schema": "cce.artifact/1",
        "format": snapshot::FORMAT,
        "repo_id": manifest.repo_id.as_ref().map(RepoId::as_str),
        "sha": manifest.sha,
        "checksum": manifest.checksum,
        "extractor": { "revision": manifest.extractor.revision, "digest": manifest.extractor.digest },
        "settings": manifest.settings,
        "records": manifest.file_count,
        "languages": contents.languages,
        "definitions": contents.definitions,
        "references": contents.references,
        "bytes": contents.bytes,
        "text_bytes": contents.text_bytes,
        "problems": manifest.problem_counts.iter().map(|(kind, count)| (kind.to_string(), *count)).collect::<BTreeMap<_, _>>(),
        "redactions": contents.redactions,
        "skipped": skipped,
    })
}
