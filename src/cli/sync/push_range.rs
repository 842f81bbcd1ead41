//! `cce sync push --since` and `--all-history`: a range of commits in one go.

use serde_json::{Value, json};

use super::push::{
    Args, job, keep_newest, kept, pointer_lines, pointer_word, publication_word, say_removed, warn_of_names,
};
use crate::cli::index::short;
use crate::cli::project::{Project, identify};
use crate::cli::terminal::{Progress, Terminal, bytes, count, named, note, safe};
use crate::cli::{Exit, Failure, faults, redactions};
use crate::config::RepoId;
use crate::source::redact::masked;
use crate::source::{CommitSource, Source};
use crate::sync::{self, LeftOut, Place, RangeOptions, RangeReport, SourceHistory};

/// How many commits that were left out are named to people.
const NAMED: usize = 5;

/// Where a range begins.
pub(super) enum Start<'a> {
    /// After this revision.
    After(&'a str),
    /// With the first commit of the history.
    Root,
}

/// A range that is to be published.
pub(super) struct Request<'a> {
    pub project: &'a Project,
    pub place: &'a Place,
    pub start: Start<'a>,
    /// The last commit.
    pub last: &'a CommitSource,
    pub repo_id: Option<&'a str>,
    /// What else was asked for.
    pub args: &'a Args,
}

pub(super) fn run(request: &Request<'_>, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let last = sha_of(request.last);
    let since = match request.start {
        Start::After(rev) => Some(sha_of(&request.project.commit(rev)?)),
        Start::Root => None,
    };
    let repo_id = identify(request.repo_id, &request.last.list()?.project, request.project.root())?;
    let commits = SourceHistory::of(request.project.root()).range(since.as_deref(), &last)?;
    let Some((_, earlier)) = commits.split_last() else {
        return nothing(request, &repo_id, since.as_deref(), &last, terminal);
    };
    let keep = kept(request.project)?;
    let kept_alone = newest_of(earlier, keep);
    let notice = (kept_alone.len() < earlier.len()).then(|| {
        let all = count(commits.len() as u64, "commit");
        format!("the range has {all}, and `sync.keep` leaves the newest {keep} of a branch: only these are published; 0 keeps all")
    });
    let progress = Progress::of("publishing", "commits");
    let at = |done, total| progress.at(done, total);
    let options = RangeOptions {
        repo_id: repo_id.clone(),
        branch: request.args.branch.clone(),
        job: job(),
        source_remote: "origin".into(),
        force: request.args.force,
        progress: &at,
    };
    let report = sync::push_range(request.place, kept_alone, &last, &options);
    drop(progress);
    let mut report = report?;
    report.notices.extend(notice);
    let removed = keep_newest(request.place, &report.manifest, &report.last, keep);
    let told = Told { report: &report, removed, repo_id: &repo_id, since: since.as_deref() };
    told.tell(request.args.json, terminal)
}

/// Those of the commits before the last whose artifacts stay where `keep` of a branch do: what
/// would be removed at once is not published.
fn newest_of(earlier: &[String], keep: u64) -> &[String] {
    let room = match usize::try_from(keep) {
        Ok(0) | Err(_) => usize::MAX,
        Ok(keep) => keep - 1,
    };
    &earlier[earlier.len().saturating_sub(room)..]
}

fn sha_of(commit: &CommitSource) -> String {
    commit.commit().map(|commit| commit.sha.clone()).unwrap_or_default()
}

fn nothing(
    request: &Request<'_>,
    repo_id: &RepoId,
    since: Option<&str>,
    last: &str,
    terminal: &mut Terminal,
) -> Result<Exit, Failure> {
    if request.args.json {
        terminal.json(&document(None, repo_id, since, last))?;
    } else {
        let from = since.map_or("the beginning", short);
        terminal.line(format_args!("nothing to publish: there is no commit after {from} up to {}", short(last)))?;
    }
    Ok(Exit::Fine)
}

/// A range that was published, with what people are told of it.
struct Told<'a> {
    report: &'a RangeReport,
    /// How many older artifacts went.
    removed: u64,
    repo_id: &'a RepoId,
    since: Option<&'a str>,
}

impl Told<'_> {
    fn tell(&self, json: bool, terminal: &mut Terminal) -> Result<Exit, Failure> {
        let Self { report, repo_id, .. } = self;
        redactions::report(&report.redactions, "`--json`");
        faults::report(&report.manifest);
        report.notices.iter().chain(&report.last.notices).for_each(|notice| note(safe(notice)));
        note_left_out(&report.left_out);
        warn_of_names(report.last.branch.as_deref(), Some(repo_id));
        if json {
            let last = report.manifest.sha.as_deref().unwrap_or_default();
            let mut document = document(Some(report), repo_id, self.since, last);
            document["removed"] = self.removed.into();
            terminal.json(&document)?;
        } else {
            terminal.line(sentence(report, repo_id))?;
            pointer_lines(&report.last, terminal)?;
            say_removed(self.removed, terminal)?;
        }
        Ok(if report.left_out.is_empty() { Exit::Fine } else { Exit::Negative })
    }
}

fn sentence(report: &RangeReport, repo_id: &RepoId) -> String {
    let last = short(report.manifest.sha.as_deref().unwrap_or_default()).to_owned();
    let commits = count(report.commits, "commit");
    let left_out = match report.left_out.len() {
        0 => String::new(),
        number => format!(", {number} left out"),
    };
    format!(
        "published {}@{last}: {commits}, {} new, {} there already{left_out}; {} sent to {}",
        named(repo_id.as_str()),
        report.created,
        report.already,
        bytes(report.bytes),
        named(&report.last.remote)
    )
}

fn note_left_out(left_out: &[LeftOut]) {
    for LeftOut { sha, why } in left_out.iter().take(NAMED) {
        note(safe(&format!("{} is left out: {why}", short(sha))));
    }
    if left_out.len() > NAMED {
        let more = count((left_out.len() - NAMED) as u64, "more commit");
        note(format_args!("… and {more}; `--json` lists all"));
    }
}

fn document(report: Option<&RangeReport>, repo_id: &RepoId, since: Option<&str>, last: &str) -> Value {
    let left_out = report.map_or(&[][..], |report| &report.left_out);
    let notices = report.into_iter().flat_map(|report| report.notices.iter().chain(&report.last.notices));
    json!({
        "schema": "cce.push-range/1",
        "repo_id": repo_id.as_str(),
        "since": since,
        "sha": last,
        "commits": report.map_or(0, |report| report.commits),
        "created": report.map_or(0, |report| report.created),
        "already": report.map_or(0, |report| report.already),
        "left_out": left_out.iter().map(|out| json!({ "sha": out.sha, "why": masked(&out.why) })).collect::<Vec<_>>(),
        "files_read": report.map_or(0, |report| report.extracted),
        "objects": report.map_or(0, |report| report.objects),
        "bytes": report.map_or(0, |report| report.bytes),
        "removed": 0,
        "last": report.map(last_document),
        "notices": notices.map(|notice| masked(notice)).collect::<Vec<_>>(),
        "redactions": report.map(|report| redactions::rows(&report.redactions)).unwrap_or_default(),
    })
}

fn last_document(report: &RangeReport) -> Value {
    json!({
        "checksum": report.manifest.checksum,
        "records": report.manifest.file_count,
        "remote": report.last.remote,
        "ref": report.last.name,
        "branch": report.last.branch,
        "outcome": publication_word(&report.last.publication),
        "pointer": pointer_word(&report.last.pointer),
        "default": pointer_word(&report.last.default),
    })
}
