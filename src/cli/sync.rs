//! `cce sync`: publishing artifacts to a git remote and bringing them back.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::{Value, json};

use super::artifact::report_redactions;
use super::index::short;
use super::project::{Project, home, identify};
use super::terminal::{Progress, Terminal, bytes, count, note, safe, style};
use super::{Exit, Failure};
use crate::cache::identity;
use crate::config::RepoId;
use crate::snapshot::{self, Manifest, Snapshot, Verifier};
use crate::source::{CommitSource, Source};
use crate::store::{Store, View};
use crate::sync::{
    self, Entry, Failure as SyncFailure, InstallError, Place, Pointer, PointerState, Publication, PullOptions, Pulled,
    PushOptions, PushReport, Relation, Status, SyncError, Wanted,
};

/// Publish indexes to a git remote, and bring published ones here
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Push(PushArgs),
    Pull(PullArgs),
    List(ListArgs),
    Status(StatusArgs),
    Verify(VerifyArgs),
}

/// Which remote, and which repository in it.
#[derive(Debug, clap::Args)]
struct RemoteArgs {
    /// The remote: a name that git knows here, or a URL
    #[arg(long, value_name = "NAME|URL", default_value = "origin")]
    remote: String,
    /// Who the repository is, over cce.toml and the URL of origin
    #[arg(long, value_name = "ID")]
    repo_id: Option<String>,
}

/// Build the artifact of a commit and publish it
///
/// The artifact is built from the commit, so uncommitted changes do not matter. It goes to
/// a ref of its own that ordinary clones do not fetch. The branch's pointer moves forward
/// only.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  cce sync push
  cce sync push --commit v1.2.0 --branch release
  cce sync push --remote git@example.com:indexes.git --repo-id github.com/acme/billing")]
struct PushArgs {
    #[command(flatten)]
    remote: RemoteArgs,
    /// The commit: any revision that git understands
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    commit: String,
    /// The branch whose pointer moves; the one checked out where this is absent
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Move pointers whatever they name now
    #[arg(long)]
    force: bool,
    /// Print one JSON document instead (schema cce.push/1)
    #[arg(long)]
    json: bool,
}

/// Bring a published artifact here, verify it and answer searches from it
///
/// In a checkout it becomes the base of the local index, with the differences of the work
/// tree laid over it. With --into it needs no source: searches in that directory are
/// answered from it, offline.
#[derive(Debug, clap::Args)]
#[command(after_help = "Where the commit asked for is not published, its nearest published ancestor is taken,
and that is said.

Examples:
  cce sync pull --latest
  cce sync pull --commit v1.2.0
  cce sync pull --remote https://example.com/acme/billing.git --into billing")]
struct PullArgs {
    #[command(flatten)]
    remote: RemoteArgs,
    /// The newest artifact of the branch; this is the default
    #[arg(long, conflicts_with = "commit")]
    latest: bool,
    /// The artifact of this commit
    #[arg(long, value_name = "REV", conflicts_with = "branch")]
    commit: Option<String>,
    /// The branch; where this is absent the one checked out, else the remote's default
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// A directory for the index alone; made if need be
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Print one JSON document instead (schema cce.pull/1)
    #[arg(long)]
    json: bool,
}

/// List what a remote holds
#[derive(Debug, clap::Args)]
#[command(after_help = "Without --repo-id every repository in the remote is listed.

Examples:
  cce sync list
  cce sync list --remote https://example.com/indexes.git --json")]
struct ListArgs {
    #[command(flatten)]
    remote: RemoteArgs,
    /// Print one JSON document instead (schema cce.list/1)
    #[arg(long)]
    json: bool,
}

/// Say how the checkout, the local index and the remote relate
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  cce sync status")]
struct StatusArgs {
    #[command(flatten)]
    remote: RemoteArgs,
    /// Print one JSON document instead (schema cce.status/1)
    #[arg(long)]
    json: bool,
}

/// Check a published artifact against the source, or the local index against itself
///
/// With the source at hand the artifact is fetched, every promise of it is checked, the
/// commit is built again and compared record by record. With --offline, or where there is
/// no source, the installed index is checked down to every digest.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code 0: as it must be. 1: the artifact differs from what the commit gives. 3: damaged.

Examples:
  cce sync verify
  cce sync verify --commit v1.2.0
  cce sync verify --offline")]
struct VerifyArgs {
    #[command(flatten)]
    remote: RemoteArgs,
    /// The commit whose artifact is checked
    #[arg(long, value_name = "REV", default_value = "HEAD", conflicts_with = "offline")]
    commit: String,
    /// Check what is installed here, without a remote
    #[arg(long, alias = "checksum-only")]
    offline: bool,
    /// Print one JSON document instead (schema cce.verify/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    match args.command {
        Command::Push(args) => push(&args, directory, terminal),
        Command::Pull(args) => pull(&args, directory, terminal),
        Command::List(args) => list(&args, directory, terminal),
        Command::Status(args) => status(&args, directory, terminal),
        Command::Verify(args) => verify(&args, directory, terminal),
    }
}

impl RemoteArgs {
    /// The remote as seen from `project`, or from a directory that holds no source.
    fn place(&self, project: Option<&Project>, here: &Path) -> Result<Place, Failure> {
        let mut place = Place::new(home()?.directory("caches")?);
        place.source = project.filter(|project| project.has_git()).map(|project| project.root().to_owned());
        place.here = here.to_owned();
        place.remote.clone_from(&self.remote);
        Ok(place)
    }

    /// The repository that is meant; `None` leaves it to what the remote holds.
    fn repo(&self, project: Option<&Project>) -> Result<Option<RepoId>, Failure> {
        if let Some(id) = &self.repo_id {
            return RepoId::parse(id).map(Some).map_err(Failure::usage);
        }
        let Some(project) = project.filter(|project| project.has_git()) else { return Ok(None) };
        let committed = CommitSource::open(project.root(), "HEAD").and_then(|head| head.list());
        let committed = committed.ok().and_then(|listing| listing.project.repo_id);
        Ok(committed.or_else(|| identity::of_origin(project.root()).ok()))
    }
}

fn push(args: &PushArgs, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory)?;
    let source = project.commit(&args.commit)?;
    let place = args.remote.place(Some(&project), directory)?;
    let (snapshot, time) = build(&source, args.remote.repo_id.as_deref(), project.root())?;
    let mut options = PushOptions::new(&snapshot, time);
    options.branch.clone_from(&args.branch);
    options.force = args.force;
    let report = sync::push(&place, &options)?;
    for notice in &report.notices {
        note(safe(notice));
    }
    if args.json {
        terminal.json(&push_document(&snapshot.manifest, &report))?;
        return Ok(Exit::Fine);
    }
    terminal.line(push_sentence(&snapshot.manifest, &report))?;
    for (name, state) in [(report.branch.as_deref().unwrap_or_default(), &report.pointer), ("default", &report.default)]
    {
        if let Some(sentence) = pointer_sentence(state) {
            terminal.line(format_args!("pointer {} {sentence}", safe(name)))?;
        }
    }
    Ok(Exit::Fine)
}

/// Builds the snapshot of a commit for publishing, with the commit's date.
pub(super) fn build(source: &CommitSource, given: Option<&str>, root: &Path) -> Result<(Snapshot, i64), Failure> {
    let listing = source.list()?;
    let repo_id = identify(given, &listing.project, root)?;
    let progress = Progress::new("extracting");
    let (snapshot, redactions) =
        snapshot::collect(source, listing, Some(repo_id), &|done, total| progress.at(done, total))?;
    drop(progress);
    report_redactions(&redactions);
    Ok((snapshot, source.commit().map_or(0, |commit| commit.time)))
}

fn push_sentence(manifest: &Manifest, report: &PushReport) -> String {
    let sha = short(manifest.sha.as_deref().unwrap_or_default()).to_owned();
    let repo = manifest.repo_id.as_ref().map_or("", RepoId::as_str);
    let records = count(manifest.file_count, "record");
    match report.publication {
        Publication::Created => {
            format!("published {repo}@{sha}: {records}, {} sent to {}", bytes(report.bytes), safe(&report.remote))
        }
        Publication::Already => format!("{repo}@{sha} is published already, with the same {records}"),
        Publication::Replaced { revision } => {
            format!("published {repo}@{sha} in place of the artifact of extractor {revision}: {records}")
        }
    }
}

fn pointer_sentence(state: &PointerState) -> Option<String> {
    match state {
        PointerState::Created => Some("names it now".to_owned()),
        PointerState::Moved { from } => Some(format!("moved here from {}", short(from))),
        PointerState::Current => Some("names it already".to_owned()),
        PointerState::Stays(_) | PointerState::NotAsked => None,
    }
}

fn pointer_word(state: &PointerState) -> &'static str {
    match state {
        PointerState::Created => "created",
        PointerState::Moved { .. } => "moved",
        PointerState::Current => "current",
        PointerState::Stays(_) => "stays",
        PointerState::NotAsked => "not-asked",
    }
}

fn push_document(manifest: &Manifest, report: &PushReport) -> Value {
    let outcome = match report.publication {
        Publication::Created => "created",
        Publication::Already => "already",
        Publication::Replaced { .. } => "replaced",
    };
    json!({
        "schema": "cce.push/1",
        "repo_id": manifest.repo_id.as_ref().map(RepoId::as_str),
        "sha": manifest.sha,
        "checksum": manifest.checksum,
        "records": manifest.file_count,
        "remote": report.remote,
        "ref": report.name,
        "branch": report.branch,
        "outcome": outcome,
        "pointer": pointer_word(&report.pointer),
        "default": pointer_word(&report.default),
        "objects": report.objects,
        "bytes": report.bytes,
        "notices": report.notices,
    })
}

fn pull(args: &PullArgs, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory).ok();
    let place = args.remote.place(project.as_ref(), directory)?;
    let repo_id = args.remote.repo(project.as_ref())?;
    let wanted = match &args.commit {
        Some(rev) => Wanted::Commit(rev.clone()),
        None => Wanted::Latest { branch: args.branch.clone() },
    };
    let pulled = sync::pull(&place, &PullOptions { repo_id, wanted, exact: false })?;
    for notice in &pulled.notices {
        note(safe(notice));
    }
    let manifest = match &args.into {
        Some(into) => install_into(&pulled, &directory.join(into))?,
        None => install_here(&pulled, project.as_ref(), directory)?,
    };
    if args.json {
        terminal.json(&pull_document(&pulled, &manifest))?;
        return Ok(Exit::Fine);
    }
    if let Some(nearest) = &pulled.nearest {
        terminal.line(format_args!(
            "{} is not published; its nearest published ancestor is {} back",
            short(&nearest.wanted),
            count(nearest.beyond, "commit")
        ))?;
    }
    terminal.line(format_args!(
        "pulled {}@{}: {} verified, checksum {}",
        pulled.repo_id,
        short(&pulled.sha),
        count(manifest.file_count, "record"),
        manifest.checksum
    ))?;
    Ok(Exit::Fine)
}

/// Installs where there is no source; the directory holds the index and nothing else.
pub(super) fn install_into(pulled: &Pulled, into: &Path) -> Result<Manifest, Failure> {
    std::fs::create_dir_all(into)
        .map_err(|error| Failure::data(format!("cannot make the directory `{}`: {error}", into.display())))?;
    let project = Project::open(into)?;
    if project.has_git() {
        return Err(Failure::usage(format!(
            "`{}` is in a git repository; leave out `--into` to pull into a checkout, or name a directory outside it",
            into.display()
        )));
    }
    install(pulled, project.store(), None)
}

fn install_here(pulled: &Pulled, project: Option<&Project>, directory: &Path) -> Result<Manifest, Failure> {
    let Some(project) = project.filter(|project| project.has_git()) else {
        return Err(Failure::usage(format!(
            "`{}` is not a git repository; name a directory for the index with `--into`",
            directory.display()
        )));
    };
    let manifest = install(pulled, project.store(), Some(project.root()))?;
    project.refresh(false)?;
    Ok(manifest)
}

fn install(pulled: &Pulled, store: &Store, source: Option<&Path>) -> Result<Manifest, Failure> {
    let progress = Progress::new("verifying");
    Ok(sync::install(pulled, store, source, &|done, total| progress.at(done, total))?)
}

fn pull_document(pulled: &Pulled, manifest: &Manifest) -> Value {
    json!({
        "schema": "cce.pull/1",
        "repo_id": pulled.repo_id.as_str(),
        "sha": pulled.sha,
        "checksum": manifest.checksum,
        "records": manifest.file_count,
        "remote": pulled.remote,
        "pointer": pulled.pointer.as_ref().map(pointer_name),
        "nearest_to": pulled.nearest.as_ref().map(|nearest| json!({ "sha": nearest.wanted, "commits": nearest.beyond })),
        "notices": pulled.notices,
    })
}

fn pointer_name(pointer: &Pointer) -> String {
    match pointer {
        Pointer::Default => "default".to_owned(),
        Pointer::Branch(name) => format!("heads/{name}"),
    }
}

fn list(args: &ListArgs, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory).ok();
    let place = args.remote.place(project.as_ref(), directory)?;
    let only = args.remote.repo_id.as_deref().map(RepoId::parse).transpose().map_err(Failure::usage)?;
    let published = sync::list(&place, only.as_ref())?;
    if args.json {
        let artifacts: Vec<Value> = published.entries.iter().map(entry_document).collect();
        terminal.json(&json!({
            "schema": "cce.list/1",
            "remote": published.remote,
            "detailed": published.detailed,
            "artifacts": artifacts,
        }))?;
    } else {
        for entry in &published.entries {
            terminal.line(entry_line(entry))?;
        }
    }
    if published.entries.is_empty() {
        note(format_args!("nothing is published at {}; publish with `cce sync push`", safe(&published.remote)));
        return Ok(Exit::Negative);
    }
    if !published.detailed {
        note("the remote cannot send commits alone, so dates and checksums are not shown");
    }
    Ok(Exit::Fine)
}

fn entry_line(entry: &Entry) -> String {
    let repo = entry.repo_id.as_ref().map_or(entry.repo.as_str(), RepoId::as_str);
    let date = entry.details.as_ref().map(|details| date(details.time)).unwrap_or_default();
    let pointers: Vec<String> = entry.pointers.iter().map(pointer_name).collect();
    let (name, place, faint) = (style::NAME, style::PLACE, style::FAINT);
    let problem = entry.problem.as_deref().map(|problem| format!(" not usable: {}", safe(problem))).unwrap_or_default();
    format!(
        "{name}{}{name:#} {place}{}{place:#} {date} {faint}{}{faint:#}{problem}",
        safe(repo),
        short(&entry.sha),
        safe(&pointers.join(" "))
    )
    .trim_end()
    .to_owned()
}

/// A date for people: the day, in UTC.
fn date(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map(|at| at.strftime("%Y-%m-%d").to_string()).unwrap_or_default()
}

fn entry_document(entry: &Entry) -> Value {
    let details = entry.details.as_ref();
    json!({
        "repo_id": entry.repo_id.as_ref().map(RepoId::as_str),
        "sha": entry.sha,
        "checksum": details.map(|details| details.checksum.clone()),
        "branch": details.and_then(|details| details.branch.clone()),
        "time": details.map(|details| details.time),
        "extractor": details.map(|details| json!(details.extractor)),
        "chain": details.map(|details| details.chain),
        "signed": details.map(|details| details.signed),
        "pointers": entry.pointers.iter().map(pointer_name).collect::<Vec<_>>(),
        "problem": entry.problem,
    })
}

fn status(args: &StatusArgs, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory)?;
    if !project.has_git() {
        return Err(Failure::usage(format!(
            "`{}` is not a git repository; `cce sync list --remote URL` shows what is published",
            project.root().display()
        )));
    }
    let place = args.remote.place(Some(&project), directory)?;
    let repo_id = match args.remote.repo(Some(&project))? {
        Some(id) => id,
        None => only_id(&place)?,
    };
    let status = sync::status(&place, &repo_id)?;
    let installed = project.store().active()?;
    if args.json {
        let installed = installed.map(|active| json!({ "sha": active.head, "dirty": active.dirty }));
        terminal.json(&status_document(&status, installed))?;
        return Ok(Exit::Fine);
    }
    let here = match &installed {
        None => "no index; `cce index` or `cce sync pull --latest` makes one".to_owned(),
        Some(active) => {
            let dirty = if active.dirty { " with uncommitted changes" } else { "" };
            format!("index of {}{dirty}", short(active.head.as_deref().unwrap_or("a directory")))
        }
    };
    terminal.line(format_args!("local   {here}"))?;
    terminal.line(format_args!("HEAD    {}", head_sentence(&status)))?;
    terminal.line(format_args!("remote  {}", remote_sentence(&status)))?;
    Ok(Exit::Fine)
}

/// The id of the only repository that the remote holds.
fn only_id(place: &Place) -> Result<RepoId, Failure> {
    let published = sync::list(place, None)?;
    let mut ids: Vec<RepoId> = published.entries.into_iter().filter_map(|entry| entry.repo_id).collect();
    ids.dedup();
    match ids.as_slice() {
        [id] => Ok(id.clone()),
        [] => Err(Failure::usage("this repository has no id and nothing is published; pass `--repo-id`")),
        many => {
            let names: Vec<&str> = many.iter().map(RepoId::as_str).collect();
            Err(Failure::usage(format!(
                "the remote holds several repositories; name one with `--repo-id`: {}",
                names.join(", ")
            )))
        }
    }
}

fn head_sentence(status: &Status) -> String {
    let Some(sha) = &status.head.sha else { return "no commit yet".to_owned() };
    let branch = status.head.branch.as_deref().map(|branch| format!(" on {}", safe(branch))).unwrap_or_default();
    let published = match (&status.published, &status.nearest) {
        (true, _) => "published; `cce sync pull` brings it".to_owned(),
        (false, Some((ancestor, commits))) => format!(
            "not published; {} is, {} back: `cce sync push` publishes HEAD",
            short(ancestor),
            count(*commits, "commit")
        ),
        (false, None) => "not published; `cce sync push` publishes it".to_owned(),
    };
    format!("{}{branch}: {published}", short(sha))
}

fn remote_sentence(status: &Status) -> String {
    let pointer = |name: &str, pointer: &sync::PointerStatus| {
        let sha = pointer.sha.as_deref().map_or("nothing that is listed", short);
        format!("{name} at {sha}, {}", relation(pointer.relation))
    };
    let mut parts = vec![format!("{} {}", safe(&status.remote), count(status.artifacts, "artifact"))];
    parts.extend(status.branch.as_ref().map(|branch| pointer("branch", branch)));
    parts.extend(status.default.as_ref().map(|default| pointer("default", default)));
    parts.join("; ")
}

fn relation(relation: Relation) -> String {
    match relation {
        Relation::Same => "the same as HEAD".to_owned(),
        Relation::Ahead(commits) => format!("HEAD is {} ahead", count(commits, "commit")),
        Relation::Behind(commits) => format!("HEAD is {} behind", count(commits, "commit")),
        Relation::Diverged { ahead, behind } => format!("HEAD is {ahead} ahead and {behind} behind"),
        Relation::Unknown => "how HEAD relates is not known here".to_owned(),
    }
}

fn relation_word(relation: Relation) -> &'static str {
    match relation {
        Relation::Same => "same",
        Relation::Ahead(_) => "ahead",
        Relation::Behind(_) => "behind",
        Relation::Diverged { .. } => "diverged",
        Relation::Unknown => "unknown",
    }
}

fn status_document(status: &Status, installed: Option<Value>) -> Value {
    let pointer =
        |pointer: &sync::PointerStatus| json!({ "sha": pointer.sha, "head_is": relation_word(pointer.relation) });
    json!({
        "schema": "cce.status/1",
        "remote": status.remote,
        "repo_id": status.repo_id.as_str(),
        "head": { "sha": status.head.sha, "branch": status.head.branch },
        "installed": installed,
        "published": status.published,
        "nearest": status.nearest.as_ref().map(|(sha, commits)| json!({ "sha": sha, "commits": commits })),
        "branch": status.branch.as_ref().map(pointer),
        "default": status.default.as_ref().map(pointer),
        "artifacts": status.artifacts,
    })
}

/// What a verification found.
enum Verdict {
    /// The records are intact; there was nothing to compare them with.
    Intact,
    /// They are what the commit gives.
    Same,
    /// They are intact, and of another extractor.
    NotComparable { theirs: u32, ours: u32 },
    /// They are intact, and not what the commit gives.
    Differs(String),
}

fn verify(args: &VerifyArgs, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let project = Project::open(directory)?;
    let (manifest, verdict) = if args.offline || !project.has_git() {
        (verify_installed(&project)?, Verdict::Intact)
    } else {
        verify_published(args, &project, directory)?
    };
    if args.json {
        terminal.json(&verify_document(&manifest, &verdict))?;
    } else {
        terminal.line(verdict_sentence(&manifest, &verdict))?;
    }
    Ok(if matches!(verdict, Verdict::Differs(_)) { Exit::Negative } else { Exit::Fine })
}

fn verify_installed(project: &Project) -> Result<Manifest, Failure> {
    let Some((_, view)) = project.store().open()? else {
        return Err(Failure::data(format!(
            "`{}` has no index to verify; make one with `cce index` or `cce sync pull`",
            project.root().display()
        )));
    };
    view.segments().iter().try_for_each(|segment| segment.index().verify())?;
    check_base(&view)
}

/// Checks every record line of the base against its manifest, as for an artifact.
fn check_base(view: &View) -> Result<Manifest, Failure> {
    let base = view.base();
    let mut verifier = Verifier::new(base.manifest()).map_err(Failure::data)?;
    for file in 0..base.file_count() {
        verifier.record(Some(&base.path(file)?), &base.record_line(file)?).map_err(Failure::data)?;
    }
    verifier.finish().map_err(Failure::data)
}

fn verify_published(args: &VerifyArgs, project: &Project, directory: &Path) -> Result<(Manifest, Verdict), Failure> {
    let source = project.commit(&args.commit)?;
    let sha = source.commit().map(|commit| commit.sha.clone()).unwrap_or_default();
    let place = args.remote.place(Some(project), directory)?;
    let repo_id = args.remote.repo(Some(project))?;
    let pulled = sync::pull(&place, &PullOptions { repo_id, wanted: Wanted::Commit(sha), exact: true })?;
    let theirs = sync::verify(&pulled)?;
    let (ours, _) = build(&source, Some(pulled.repo_id.as_str()), project.root())?;
    let verdict = compare(&pulled, &theirs, &ours)?;
    Ok((theirs, verdict))
}

/// Compares an intact artifact with what the commit gives here.
fn compare(pulled: &Pulled, theirs: &Manifest, ours: &Snapshot) -> Result<Verdict, Failure> {
    if theirs.extractor != ours.manifest.extractor {
        let (theirs, ours) = (theirs.extractor.revision, ours.manifest.extractor.revision);
        return Ok(Verdict::NotComparable { theirs, ours });
    }
    if theirs.checksum == ours.manifest.checksum {
        return Ok(Verdict::Same);
    }
    let mut expected = ours.records.iter();
    for record in pulled.artifact.records().map_err(SyncError::from)? {
        let (path, line) = record.map_err(SyncError::from)?;
        match expected.next() {
            Some(entry) if entry.path == path && entry.line == line => {}
            Some(entry) if entry.path < path => return Ok(Verdict::Differs(format!("`{}` is missing", entry.path))),
            Some(entry) if entry.path == path => return Ok(Verdict::Differs(format!("`{path}` has another record"))),
            _ => return Ok(Verdict::Differs(format!("`{path}` is not in the commit"))),
        }
    }
    Ok(Verdict::Differs(match expected.next() {
        Some(entry) => format!("`{}` is missing", entry.path),
        None => "the manifest says something else about the same records".to_owned(),
    }))
}

fn verdict_sentence(manifest: &Manifest, verdict: &Verdict) -> String {
    let repo = manifest.repo_id.as_ref().map_or("(no id)", RepoId::as_str);
    let sha = manifest.sha.as_deref().map_or("(no commit)", short);
    let records = count(manifest.file_count, "record");
    let checksum = &manifest.checksum;
    match verdict {
        Verdict::Intact => format!("intact: {repo}@{sha}, {records}, checksum {checksum}"),
        Verdict::Same => format!("same: {repo}@{sha} is what the commit gives, {records}, checksum {checksum}"),
        Verdict::NotComparable { theirs, ours } => format!(
            "intact: {repo}@{sha}, {records}, checksum {checksum}; built by extractor {theirs}, this is {ours}: not comparable"
        ),
        Verdict::Differs(first) => format!("differs: {repo}@{sha} is not what the commit gives: {first}"),
    }
}

fn verify_document(manifest: &Manifest, verdict: &Verdict) -> Value {
    let (result, difference) = match verdict {
        Verdict::Intact => ("intact", None),
        Verdict::Same => ("same", None),
        Verdict::NotComparable { .. } => ("not-comparable", None),
        Verdict::Differs(first) => ("differs", Some(first)),
    };
    json!({
        "schema": "cce.verify/1",
        "result": result,
        "first_difference": difference,
        "repo_id": manifest.repo_id.as_ref().map(RepoId::as_str),
        "sha": manifest.sha,
        "checksum": manifest.checksum,
        "records": manifest.file_count,
    })
}

impl From<SyncError> for Failure {
    fn from(error: SyncError) -> Self {
        match error.kind() {
            SyncFailure::Usage => Self::usage(error),
            SyncFailure::Data => Self::data(error),
            SyncFailure::Remote => Self::remote(error),
        }
    }
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        match error {
            InstallError::Sync(error) => error.into(),
            other => Self::data(other),
        }
    }
}
