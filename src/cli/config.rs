//! `cce config`: what is set, where, and setting it.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::json;

use super::project::Project;
use super::settings::{is_file_itself, settings, users_file};
use super::terminal::{Terminal, named, note, safe, style};
use super::{Exit, Failure};
use crate::config::{self, Layer, Name, Origin, PROJECT_FILE, ProjectFile, Row, Scope, Value};
use crate::language::detect::Detector;
use crate::source::check_project_file;

/// Show and change settings
///
/// Settings come from `cce.toml` of the repository, the user's file, `CCE_*` variables and
/// options of commands; the later wins. What can change records counts only from the
/// `cce.toml` that a commit holds.
#[derive(Debug, clap::Args)]
#[command(after_help = "The user's file is cce/config.toml in $XDG_CONFIG_HOME, else in ~/.config.

Examples:
  cce config list                                    every setting, its value and where that is set
  cce config get sync.remote
  cce config set --user search.top_k 20
  cce config set index.exclude 'gen/' '*.min.js'     an array has a value an argument
  cce config set 'languages.*.inc' cpp")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(ListArgs),
    Get(GetArgs),
    Set(SetArgs),
}

/// List every setting with its value and where that comes from
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  cce config list --json")]
struct ListArgs {
    /// Print one JSON document instead (schema cce.config/1)
    #[arg(long)]
    json: bool,
}

/// Print the value of a setting, an array as one value a line; exit 1 where it is unset
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  cce config get sync.remote")]
struct GetArgs {
    /// The setting, such as sync.remote
    #[arg(value_name = "KEY")]
    key: String,
}

/// Set a setting in cce.toml of the repository, or in the user's file
///
/// Comments and order of the file stay. What would be refused later is refused now, and
/// the file stays as it was.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  cce config set sync.remote https://example.com/indexes.git
  cce config set --user sync.timeout 60
  cce config set index.exclude 'gen/' '*.min.js'")]
struct SetArgs {
    /// The setting, such as sync.remote
    #[arg(value_name = "KEY")]
    key: String,
    /// Its value; several for an array
    #[arg(value_name = "VALUE", required = true)]
    values: Vec<String>,
    /// Write the user's file instead of cce.toml
    #[arg(long)]
    user: bool,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    match &args.command {
        Command::List(args) => list(args, directory, terminal),
        Command::Get(args) => get(args, directory, terminal),
        Command::Set(args) => set(args, directory, terminal),
    }
}

fn list(args: &ListArgs, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory)?;
    let rows = settings(Some(&project))?.rows();
    note_unheeded(&rows, &project);
    if args.json {
        let settings: Vec<_> = rows.iter().map(row_document).collect();
        terminal.json(&json!({ "schema": "cce.config/1", "settings": settings }))?;
        return Ok(Exit::Fine);
    }
    let width = rows.iter().map(|row| named(&row.name).chars().count()).max().unwrap_or(0);
    for row in &rows {
        let (name, faint) = (style::NAME, style::FAINT);
        let value = row.value.as_ref().map(|value| format!("{} ", named(&value.to_string()))).unwrap_or_default();
        let shown = named(&row.name);
        terminal.line(format_args!("{name}{shown:width$}{name:#}  {value}{faint}({}){faint:#}", place(row)))?;
    }
    Ok(Exit::Fine)
}

/// Says when a value is shown that does not count yet.
fn note_unheeded(rows: &[Row], project: &Project) {
    if rows.iter().any(|row| row.key.scope == Scope::Commit && row.origin != Origin::Default) {
        project.note_unheeded_settings();
    }
}

fn place(row: &Row) -> String {
    match &row.origin {
        Origin::Default if row.value.is_none() => "unset".to_owned(),
        Origin::Default => "default".to_owned(),
        Origin::File { file, line, .. } => format!("{}:{line}", named(file)),
        Origin::Variable(name) => named(name),
    }
}

fn row_document(row: &Row) -> serde_json::Value {
    let (origin, file, line, variable) = match &row.origin {
        Origin::Default => ("default", None, None, None),
        Origin::File { layer: Layer::User, file, line } => ("user", Some(file), Some(line), None),
        Origin::File { file, line, .. } => ("repository", Some(file), Some(line), None),
        Origin::Variable(name) => ("variable", None, None, Some(name)),
    };
    json!({
        "key": row.name,
        "value": row.value,
        "origin": origin,
        "file": file,
        "line": line,
        "variable": variable,
        "changes_records": row.key.scope == Scope::Commit,
    })
}

fn get(args: &GetArgs, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let name = Name::parse(&args.key)?;
    let project = Project::open(directory)?;
    let row = settings(Some(&project))?.get(&name);
    note_unheeded(std::slice::from_ref(&row), &project);
    match &row.value {
        None => {
            note(format_args!("`{}` is unset; `cce config set` sets it", named(&row.name)));
            return Ok(Exit::Negative);
        }
        Some(Value::List(words)) => words.iter().try_for_each(|word| terminal.line(safe(word)))?,
        Some(value) => terminal.line(safe(&value.to_string()))?,
    }
    Ok(Exit::Fine)
}

/// A file that a setting is written to.
struct Target {
    layer: Layer,
    path: PathBuf,
    /// How messages call it.
    file: String,
}

fn set(args: &SetArgs, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let name = Name::parse(&args.key)?;
    let project = Project::open(directory)?;
    let target = if args.user { of_user()? } else { of_project(&project)? };
    check_layer(&name, target.layer)?;
    let words: Vec<&str> = args.values.iter().map(String::as_str).collect();
    let value = Value::of_words(name.key().kind, &words)
        .map_err(|why| Failure::usage(format!("`{name}` cannot be set to that: {why}")))?;
    let old = config::read(&target.path)?.unwrap_or_default();
    let text = config::set(&old, &target.file, target.layer, &name, &value)?;
    if target.layer == Layer::Repository {
        check_project_file(text.as_bytes())?;
        Detector::new(&ProjectFile::parse(text.as_bytes())?.settings).map_err(Failure::usage)?;
    }
    config::replace(&target.path, &text)?;
    terminal.line(format_args!("set `{}` in `{}`", named(&name.to_string()), named(&target.file)))?;
    if name.key().scope == Scope::Commit && project.has_git() {
        note_of_commit(&name);
    }
    note_of_later_layer(&name, target.layer, &project)?;
    Ok(Exit::Fine)
}

fn of_user() -> Result<Target, Failure> {
    let path = users_file().ok_or_else(|| Failure::usage("no place for the user's file is known; set `HOME`"))?;
    Ok(Target { layer: Layer::User, file: path.display().to_string(), path })
}

fn of_project(project: &Project) -> Result<Target, Failure> {
    let path = project.settings_file().ok_or_else(|| {
        Failure::usage(format!(
            "`{}` is a bare repository, which has no files to write; set it where there is a work tree, or with `--user`",
            project.root().display()
        ))
    })?;
    if path.symlink_metadata().is_ok() && !is_file_itself(&path) {
        return Err(Failure::usage(format!(
            "`{}` is not a file itself, so it does not count and is not written; put a file there",
            path.display()
        )));
    }
    Ok(Target { layer: Layer::Repository, path, file: PROJECT_FILE.to_owned() })
}

fn check_layer(name: &Name, layer: Layer) -> Result<(), Failure> {
    if name.key().admits(layer) {
        return Ok(());
    }
    Err(Failure::usage(match layer {
        Layer::Repository => {
            format!(
                "`{name}` is the user's to decide, so a repository may not set it; add `--user` to set it for yourself"
            )
        }
        Layer::User | Layer::Variable => format!(
            "`{name}` can change records, so it counts only from the `{PROJECT_FILE}` that a commit holds; leave out `--user`"
        ),
    }))
}

fn note_of_commit(name: &Name) {
    note(format_args!(
        "`{}` can change records: it counts here once git tracks `{PROJECT_FILE}`, and in what is published once that is committed",
        named(&name.to_string())
    ));
}

/// Says when what was set does not hold because a later layer says something else.
fn note_of_later_layer(name: &Name, written: Layer, project: &Project) -> Result<(), Failure> {
    let row = settings(Some(project))?.get(name);
    let later = match &row.origin {
        Origin::Default => return Ok(()),
        Origin::File { layer, .. } => *layer > written,
        Origin::Variable(_) => true,
    };
    if later {
        note(format_args!("`{}` is also set by {}, which comes later and wins", named(&row.name), place(&row)));
    }
    Ok(())
}
