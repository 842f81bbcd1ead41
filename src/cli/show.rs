//! `cce show`: the text of one file, as the index holds it.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::index::repo_id;
use super::project::Project;
use super::terminal::{Terminal, count, named, note};
use super::{Exit, Failure, workspace};
use crate::config::RepoId;
use crate::source::{RepoPath, SkipReason};
use crate::store::{IndexError, View};
use crate::workspace::{Workspace, select};

/// How many near paths are named.
const NEAREST: usize = 3;

/// Print a file, or lines of it, as the index holds it: secrets replaced, no source needed
#[derive(Debug, clap::Args)]
#[command(after_help = "A place is written as `cce search` prints it: PATH or PATH:FIRST-LAST, and in a workspace
with the repository before it, as in example.com/acme/billing:src/lease.rs:10-20. A
repository's id holds no colon, so the first colon ends it; a pattern that means one
repository alone will do. PATH is from the root. Where a file's whole name fits, it counts,
colons and all; else digits after the last colon are lines.

Exit code 1: there is no such file, or it contributes no text.

Examples:
  cce show src/lease.rs
  cce show src/lease.rs:10-20
  cce show billing:src/lease.rs:10-20              in a workspace
  cce show src/lease.rs --at v1.2.0")]
pub struct Args {
    /// What to print
    #[arg(value_name = "[REPO:]PATH[:FIRST[-LAST]]")]
    place: String,
    /// The file as it is in this commit
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    /// Print one JSON document instead (schema cce.show/1)
    #[arg(long)]
    json: bool,
}

/// Where a file is looked for.
struct Shelf {
    view: View,
    repo_id: Option<String>,
    sha: Option<String>,
}

/// A part of a text, in whole lines.
#[derive(Debug, PartialEq, Eq)]
struct Excerpt<'t> {
    text: &'t str,
    first: u64,
    last: u64,
    /// Lines of the whole text.
    of: u64,
}

/// Why there is nothing to print.
struct Absence {
    path: String,
    problem: String,
    nearest: Vec<String>,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let (shelf, rest) = match Workspace::around(directory)? {
        Some(workspace) => of_workspace(&workspace, args)?,
        None => of_project(&Project::open(directory)?, args)?,
    };
    if rest.is_empty() {
        return Err(Failure::usage(format!(
            "`{}` names no file; write the path after the colon",
            args.place.escape_debug()
        )));
    }
    let readings = readings(&rest);
    for reading in &readings {
        if let Some((path, language, text)) = shelf.find(reading.path)? {
            let excerpt = excerpt(text, reading.lines).map_err(|why| Failure::usage(format!("`{path}` {why}")))?;
            return show(&shelf, &path, language, &excerpt, args.json, terminal);
        }
    }
    let wanted = readings.last().map_or(rest.as_str(), |reading| reading.path);
    let absence = shelf.absence(wanted)?;
    if args.json {
        terminal.json(&shelf.absence_document(&absence))?;
    } else {
        note(&absence.problem);
    }
    Ok(Exit::Negative)
}

fn of_project(project: &Project, args: &Args) -> Result<(Shelf, String), Failure> {
    let (active, view) = project.view_for_search(args.at.as_deref())?;
    let repo_id = repo_id(&view)?;
    let rest = match (args.place.split_once(':'), &repo_id) {
        (Some((repo, rest)), Some(own)) if repo == own => rest.to_owned(),
        _ => args.place.clone(),
    };
    Ok((Shelf { view, repo_id, sha: active.head }, rest))
}

fn of_workspace(workspace: &Workspace, args: &Args) -> Result<(Shelf, String), Failure> {
    if let Some(rev) = &args.at {
        return Err(Failure::usage(format!(
            "`--at {}` needs a repository, and `{}` is a workspace of pulled indexes; leave it out",
            rev.escape_debug(),
            workspace.root().display()
        )));
    }
    let Some((repo, rest)) = args.place.split_once(':') else {
        return Err(Failure::usage(format!(
            "`{}` says no repository, and `{}` is a workspace; write `REPO:PATH`",
            args.place.escape_debug(),
            workspace.root().display()
        )));
    };
    let member = the_member(workspace, repo)?;
    let (members, silent) = workspace::open(workspace, vec![member])?;
    let member = members.into_iter().next().ok_or_else(|| Failure::data(silent.join("; ")))?;
    let (view, repo_id) = (member.view, Some(member.repo_id.to_string()));
    Ok((Shelf { view, repo_id, sha: member.active.head }, rest.to_owned()))
}

/// The member with the id `repo`, or the only one that it means as a pattern.
fn the_member(workspace: &Workspace, repo: &str) -> Result<RepoId, Failure> {
    let ids: BTreeSet<&str> = workspace.members().map(RepoId::as_str).collect();
    let chosen = select(&[repo.to_owned()], &ids).unwrap_or_default();
    let mut members = workspace.members().filter(|member| chosen.contains(member.as_str()));
    match (members.next(), members.count()) {
        (Some(member), 0) => Ok(member.clone()),
        (Some(_), _) => Err(Failure::usage(format!(
            "`{}` means several repositories; name one of them: {}",
            repo.escape_debug(),
            chosen.into_iter().collect::<Vec<_>>().join(", ")
        ))),
        (None, _) => Err(workspace::unknown(repo, &ids)),
    }
}

/// One way to read what was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Reading<'t> {
    path: &'t str,
    /// The lines as written.
    lines: Option<&'t str>,
}

/// The ways to read `[./]PATH[:LINES]`, the one that counts first.
fn readings(text: &str) -> Vec<Reading<'_>> {
    let text = text.strip_prefix("./").unwrap_or(text);
    let mut readings = vec![Reading { path: text, lines: None }];
    let of_lines = |end: &str| {
        end.starts_with(|c: char| c.is_ascii_digit()) && end.chars().all(|c| c.is_ascii_digit() || c == '-')
    };
    if let Some((path, lines)) = text.rsplit_once(':').filter(|(_, end)| of_lines(end)) {
        readings.push(Reading { path, lines: Some(lines) });
    }
    readings
}

/// The lines that `wanted` (`12`, `12-20`) means; all of them where it is absent.
fn excerpt<'t>(text: &'t str, wanted: Option<&str>) -> Result<Excerpt<'t>, String> {
    let of = text.split_inclusive('\n').count() as u64;
    let Some(wanted) = wanted else { return Ok(Excerpt { text, first: of.min(1), last: of, of }) };
    let number = |digits: &str| digits.parse::<u64>().ok().filter(|number| *number > 0);
    let (first, last) = wanted.split_once('-').unwrap_or((wanted, wanted));
    let (Some(first), Some(last)) = (number(first), number(last)) else {
        return Err(format!("has lines from 1 on, so `{wanted}` means none; write `10` or `10-20`"));
    };
    if first > last {
        return Err(format!("has no lines {wanted}: {first} comes after {last}; write the smaller number first"));
    }
    if last > of {
        return Err(format!("has {}, so {wanted} reaches beyond its end", count(of, "line")));
    }
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts.nth(first as usize - 1).unwrap_or_default();
    let end = starts.nth((last - first) as usize).unwrap_or(text.len());
    Ok(Excerpt { text: &text[start..end], first, last, of })
}

fn show(
    shelf: &Shelf,
    path: &str,
    language: &str,
    excerpt: &Excerpt<'_>,
    as_json: bool,
    terminal: &mut Terminal,
) -> Result<Exit, Failure> {
    if as_json {
        terminal.json(&json!({
            "schema": "cce.show/1",
            "repo_id": shelf.repo_id,
            "sha": shelf.sha,
            "path": path,
            "language": language,
            "start_line": excerpt.first,
            "end_line": excerpt.last,
            "lines": excerpt.of,
            "text": excerpt.text,
        }))?;
    } else {
        terminal.text(excerpt.text)?;
    }
    Ok(Exit::Fine)
}

impl Shelf {
    /// The file at a path as git holds it, or as listings write it: its path as listings
    /// write it, its language, its text.
    fn find(&self, path: &str) -> Result<Option<(String, &str, &str)>, Failure> {
        let exact = RepoPath::parse(path).ok().map(|path| self.view.find(&path)).transpose()?.flatten();
        let found = match exact {
            None if path.contains('\\') => self.written_as(path)?,
            exact => exact,
        };
        let Some((index, file)) = found else { return Ok(None) };
        Ok(Some((index.path(file)?.display().into_owned(), index.file(file)?.language, index.text(file)?)))
    }

    fn written_as(&self, path: &str) -> Result<Option<(&crate::store::Index, u32)>, IndexError> {
        for (index, file) in self.view.files()? {
            if index.path(file)?.display() == path {
                return Ok(Some((index, file)));
            }
        }
        Ok(None)
    }

    /// What there is instead of a file at `path`.
    fn absence(&self, path: &str) -> Result<Absence, Failure> {
        let skipped = self.view.skipped()?;
        let skipped = skipped.iter().find(|entry| entry.path == path.as_bytes()).map(|entry| entry.reason);
        let paths: Vec<String> = self
            .view
            .files()?
            .into_iter()
            .map(|(index, file)| Ok(index.path(file)?.display().into_owned()))
            .collect::<Result<_, IndexError>>()?;
        let directory = format!("{}/", path.trim_end_matches('/'));
        let below: Vec<&String> = paths.iter().filter(|known| known.starts_with(&directory)).collect();
        let nearest = if below.is_empty() {
            nearest(path, &paths)
        } else {
            below.iter().take(NEAREST).map(|path| (*path).clone()).collect()
        };
        let problem = problem(path, skipped, below.len(), &nearest);
        Ok(Absence { path: path.to_owned(), problem, nearest })
    }

    fn absence_document(&self, absence: &Absence) -> Value {
        json!({
            "schema": "cce.show/1",
            "repo_id": self.repo_id,
            "sha": self.sha,
            "path": absence.path,
            "text": null,
            "problem": absence.problem,
            "nearest": absence.nearest,
        })
    }
}

fn problem(path: &str, skipped: Option<SkipReason>, below: usize, nearest: &[String]) -> String {
    let nearest: Vec<String> = nearest.iter().map(|path| format!("`{}`", named(path))).collect();
    let path = named(path);
    match (skipped, below) {
        (Some(reason), _) => format!("`{path}` contributes no text to the index: {}", reason.as_str()),
        (None, 0) if nearest.is_empty() => format!("there is no `{path}` in the index"),
        (None, 0) => format!("there is no `{path}` in the index; near it are {}", nearest.join(", ")),
        (None, 1) => format!("`{path}` is a directory; in it is {}", nearest.join(", ")),
        (None, files) => format!("`{path}` is a directory of {files} files; in it are {}", nearest.join(", ")),
    }
}

/// The paths whose last part is written most like that of `wanted`, nearest first.
fn nearest(wanted: &str, paths: &[String]) -> Vec<String> {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let name = last(wanted);
    let most = (name.chars().count() / 3 + 1).min(name.chars().count().saturating_sub(1));
    let mut near: Vec<(usize, usize, &String)> = paths
        .iter()
        .map(|path| (strsim::damerau_levenshtein(&name, &last(path)), path))
        .filter(|(distance, _)| *distance <= most)
        .map(|(distance, path)| (distance, strsim::damerau_levenshtein(wanted, path), path))
        .collect();
    near.sort();
    near.into_iter().take(NEAREST).map(|(_, _, path)| path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_reading(text: &str, expected: &[(&str, Option<&str>)]) {
        let expected: Vec<Reading<'_>> = expected.iter().map(|(path, lines)| Reading { path, lines: *lines }).collect();
        assert_eq!(readings(text), expected, "{text}");
    }

    #[test]
    fn places_are_read_whole_before_lines_are_taken_off() {
        check_reading("src/a.rs", &[("src/a.rs", None)]);
        check_reading("./src/a.rs:3", &[("src/a.rs:3", None), ("src/a.rs", Some("3"))]);
        check_reading("we:ird:3-9", &[("we:ird:3-9", None), ("we:ird", Some("3-9"))]);
        check_reading(r"C:\x.rs", &[(r"C:\x.rs", None)]);
        check_reading("a:b", &[("a:b", None)]);
        check_reading("a:", &[("a:", None)]);
        check_reading("a:0-", &[("a:0-", None), ("a", Some("0-"))]);
    }

    fn check_lines(text: &str, wanted: &str, expected: Result<&str, &str>) {
        match (excerpt(text, Some(wanted)), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found.text, expected, "{wanted} of {text:?}"),
            (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
            (found, expected) => panic!("{wanted} of {text:?}: {found:?} and not {expected:?}"),
        }
    }

    #[test]
    fn lines_are_whole_and_checked() {
        let text = "one\r\ntwo\n\nfour";
        check_lines(text, "1", Ok("one\r\n"));
        check_lines(text, "2-3", Ok("two\n\n"));
        check_lines(text, "3-4", Ok("\nfour"));
        check_lines(text, "1-4", Ok(text));
        check_lines("a\n", "1", Ok("a\n"));
        check_lines(text, "5", Err("has 4 lines"));
        check_lines("a\n", "1-2", Err("has 1 line,"));
        check_lines("", "1", Err("has 0 lines"));
        check_lines(text, "3-2", Err("3 comes after 2"));
        for none in ["0", "0-2", "2-", "1-2-3", "99999999999999999999"] {
            check_lines(text, none, Err("means none"));
        }
        let whole = excerpt(text, None).unwrap();
        assert_eq!((whole.text, whole.first, whole.last, whole.of), (text, 1, 4, 4));
        let empty = excerpt("", None).unwrap();
        assert_eq!((empty.first, empty.last, empty.of), (0, 0, 0));
    }

    #[test]
    fn near_paths_share_most_of_their_name() {
        let paths = ["src/lease.rs", "app/lease.rs", "src/Release.rs", "docs/lore.md"].map(str::to_owned);
        assert_eq!(nearest("src/leese.rs", &paths), ["src/lease.rs", "app/lease.rs", "src/Release.rs"]);
        assert_eq!(nearest("lease.rs", &paths)[0], "app/lease.rs");
        assert!(nearest("zzz", &paths).is_empty() && nearest("", &paths).is_empty());
    }
}
