//! `cce search`: ranked search over the repository, or over a pulled index.

use std::path::Path;

use serde_json::{Value, json};

use super::auto_pull;
use super::index::{repo_id, short};
use super::project::Project;
use super::settings::settings;
use super::terminal::{Terminal, count, named, note, safe, style};
use super::{Exit, Failure, workspace};
use crate::config::{Layers, nearest};
use crate::language::{self, PACKS};
use crate::record::kind;
use crate::search::{self, Answer, Explanation, Filter, Hit, NoResult, Request, SearchError};
use crate::store::View;
use crate::workspace::Workspace;

/// Lines of a result shown in the terminal.
const SHOWN_LINES: usize = 3;
/// Characters of a line shown in the terminal.
const SHOWN_WIDTH: usize = 120;

/// Search the repository by words, names or a question
///
/// The index is built or refreshed first when it is not up to date. Where an index was
/// pulled and there is no source, the pulled index answers. In a workspace (see
/// `cce sync pull --all`) all its repositories answer as one index.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code 0: something was found. 1: nothing was, and the reason is said.

Examples:
  cce search 'where is the lease of a push decided'
  cce search parse_header --kind function --lang rust
  cce search 'retry with backoff' --path 'src/**' --top-k 3 --json
  cce search 'old parser' --at v1.2.0
  cce search 'retry with backoff' --repo 'example.com/acme/*'     in a workspace")]
pub struct Args {
    /// What to look for
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// Only files of this language (see `cce packs`; `text` for the rest); repeatable
    #[arg(long, value_name = "LANG")]
    lang: Vec<String>,
    /// Only files whose path, from the root, matches this pattern, as in .gitignore; `!` excludes;
    /// repeatable
    #[arg(long, value_name = "PATTERN")]
    path: Vec<String>,
    /// Only passages of this kind: function, method, class, struct, ..., text; repeatable
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// How many results at the most [default: search.top_k, else 10]
    #[arg(short = 'k', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    top_k: Option<u32>,
    /// In a workspace: only this repository, by its id or a pattern as in .gitignore (`!` excludes);
    /// repeatable
    #[arg(long, value_name = "ID|GLOB")]
    repo: Vec<String>,
    /// Search this commit instead of the work tree
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    /// Print one JSON document instead (schema cce.search/1)
    #[arg(long)]
    json: bool,
    /// Show what each score is made of
    #[arg(long)]
    explain: bool,
}

/// What was searched.
struct Searched {
    repo_id: Option<String>,
    sha: Option<String>,
    dirty: bool,
}

/// What a search is answered from.
struct Ground {
    settings: Layers,
    views: Vec<View>,
    searched: Vec<Searched>,
    /// Absent in a workspace, however many repositories of it are asked.
    project: Option<Project>,
    /// What keeps the answer from being whole.
    gaps: Vec<String>,
}

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    args.lang.iter().try_for_each(|name| known_language(name))?;
    args.kind.iter().try_for_each(|name| known_kind(name))?;
    let ground = match Workspace::around(directory)? {
        Some(workspace) => Ground::of_workspace(&workspace, args)?,
        None => Ground::of_project(Project::open(directory)?, args)?,
    };
    let top_k = args.top_k.map(u64::from).or_else(|| ground.settings.number("search.top_k"));
    let request = Request {
        query: args.query.join(" "),
        languages: args.lang.clone(),
        paths: args.path.clone(),
        kinds: args.kind.clone(),
        top_k: top_k.unwrap_or_default() as usize,
        explain: args.explain,
    };
    let mut answer = search::search(&ground.views, &request)?;
    answer.notices.extend(ground.gaps.iter().cloned());
    if args.json {
        terminal.json(&document(&request, &ground, &answer))?;
    } else {
        render(&answer, terminal)?;
        for notice in &answer.notices {
            note(safe(notice));
        }
    }
    if let Some(project) = ground.project.as_ref().filter(|_| args.at.is_none()) {
        auto_pull::start(project, &ground.settings);
    }
    if answer.results.is_empty() {
        if let Some(reason) = answer.reason.as_ref().filter(|_| !args.json) {
            note(format_args!("no match in {}: {}", ground.place(), safe(&sentence(reason))));
        }
        return Ok(Exit::Negative);
    }
    Ok(Exit::Fine)
}

impl Ground {
    fn of_project(project: Project, args: &Args) -> Result<Self, Failure> {
        if let Some(repo) = args.repo.first() {
            return Err(Failure::usage(format!(
                "`--repo {}` chooses in a workspace, and `{}` is none; leave it out",
                repo.escape_debug(),
                project.root().display()
            )));
        }
        let settings = settings(Some(&project))?;
        let (active, view) = project.view_for_search(args.at.as_deref())?;
        let searched = Searched { repo_id: repo_id(&view)?, sha: active.head, dirty: active.dirty };
        Ok(Self { settings, views: vec![view], searched: vec![searched], project: Some(project), gaps: Vec::new() })
    }

    fn of_workspace(workspace: &Workspace, args: &Args) -> Result<Self, Failure> {
        if let Some(rev) = &args.at {
            return Err(Failure::usage(format!(
                "`--at {}` needs a repository, and `{}` is a workspace of pulled indexes; leave it out",
                rev.escape_debug(),
                workspace.root().display()
            )));
        }
        let settings = settings(None)?;
        let (members, gaps) = workspace::open(workspace, workspace::chosen(workspace, &args.repo)?)?;
        let (mut views, mut searched) = (Vec::new(), Vec::new());
        for member in members {
            let repo_id = Some(member.repo_id.to_string());
            searched.push(Searched { repo_id, sha: member.active.head, dirty: member.active.dirty });
            views.push(member.view);
        }
        Ok(Self { settings, views, searched, project: None, gaps })
    }

    /// Where nothing was found.
    fn place(&self) -> String {
        match self.searched.as_slice() {
            [one] if self.project.is_some() => one.place(),
            all => count(all.len() as u64, "repository"),
        }
    }
}

impl Searched {
    fn place(&self) -> String {
        match (&self.sha, self.dirty) {
            (None, _) => "this directory".to_owned(),
            (Some(sha), false) => short(sha).to_owned(),
            (Some(sha), true) => format!("{} with uncommitted changes", short(sha)),
        }
    }

    fn document(&self) -> Value {
        json!({ "repo_id": self.repo_id, "sha": self.sha, "dirty": self.dirty })
    }
}

/// A language that no pack has is a slip, not an empty answer.
fn known_language(name: &str) -> Result<(), Failure> {
    let known = || PACKS.iter().map(|pack| pack.name).chain(["text"]);
    if known().any(|language| language.eq_ignore_ascii_case(name)) {
        return Ok(());
    }
    let claims = |pack: &&&language::Pack| pack.claims.extensions.contains(&name.trim_start_matches('.'));
    let hint = PACKS
        .iter()
        .find(claims)
        .map(|pack| pack.name)
        .or_else(|| nearest(name, known()))
        .map(|near| format!("; did you mean `{near}`?"))
        .unwrap_or_default();
    Err(Failure::usage(format!("there is no language `{name}`{hint} (`cce packs` lists them, `text` is the rest)")))
}

/// The kind of a passage outside every definition.
const LOOSE: &str = "text";

/// A kind that no passage can have is a slip too.
fn known_kind(name: &str) -> Result<(), Failure> {
    let known = || kind::ALL.iter().copied().chain([LOOSE]);
    if known().any(|kind| kind.eq_ignore_ascii_case(name)) {
        return Ok(());
    }
    let hint = nearest(name, known()).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let kinds = known().collect::<Vec<_>>().join(", ");
    Err(Failure::usage(format!("there is no kind `{name}`{hint} (there are {kinds})")))
}

pub(super) fn render(answer: &Answer, terminal: &mut Terminal) -> Result<(), Failure> {
    for (number, hit) in answer.results.iter().enumerate() {
        if number > 0 {
            terminal.line("")?;
        }
        render_hit(hit, terminal)?;
    }
    Ok(())
}

fn render_hit(hit: &Hit, terminal: &mut Terminal) -> Result<(), Failure> {
    let (place, name, faint) = (style::PLACE, style::NAME, style::FAINT);
    let part = if hit.partial { ", part" } else { "" };
    let title = hit.qualified_name.as_deref().map(safe);
    let title = title.map(|title| format!("  {name}{title}{name:#} {faint}{}{part}{faint:#}", hit.kind));
    let title = title.unwrap_or_default();
    let at = located(hit.repo.as_deref(), &hit.path, hit.start_line, hit.end_line);
    terminal.line(format_args!("{place}{at}{place:#}{title}"))?;
    for line in shown_lines(hit) {
        terminal.line(format_args!("    {line}"))?;
    }
    for place in &hit.also_at {
        let at = located(place.repo.as_deref(), &place.path, place.start_line, place.end_line);
        terminal.line(format_args!("    {faint}also at {at}{faint:#}"))?;
    }
    if let Some(explanation) = &hit.explain {
        for line in explained(hit.score, explanation) {
            terminal.line(format_args!("    {faint}{}{faint:#}", safe(&line)))?;
        }
    }
    Ok(())
}

/// A place as `cce show` takes it: `[REPO:]PATH:FIRST-LAST`.
fn located(repo: Option<&str>, path: &str, first: u32, last: u32) -> String {
    let repo = repo.map(|repo| format!("{}:", named(repo))).unwrap_or_default();
    format!("{repo}{}:{first}-{last}", named(path))
}

/// The lines that say most: from the signature on, blank lines left out.
fn shown_lines(hit: &Hit) -> impl Iterator<Item = String> {
    let head = hit.signature.start.saturating_sub(hit.span.start) as usize;
    let text = hit.text.get(head..).unwrap_or(&hit.text);
    text.lines().filter(|line| !line.trim().is_empty()).take(SHOWN_LINES).map(|line| {
        let line = without_indent(line, hit.indent);
        let mut shown: String = safe(line.trim_end()).chars().take(SHOWN_WIDTH).collect();
        if line.trim_end().chars().count() > SHOWN_WIDTH {
            shown.push('…');
        }
        shown
    })
}

/// A line with at most `indent` characters of white space taken off its start.
fn without_indent(line: &str, indent: usize) -> &str {
    let blank = line.char_indices().take(indent).take_while(|(_, c)| c.is_whitespace()).last();
    blank.map_or(line, |(at, c)| &line[at + c.len_utf8()..])
}

/// Why nothing was found, and what would help.
fn sentence(reason: &NoResult) -> String {
    match reason {
        NoResult::NoTerms => "the query holds no word to look for".to_owned(),
        NoResult::EmptyIndex => "nothing is indexed; `cce index --json` lists what was left out".to_owned(),
        NoResult::UnknownTerms { terms } => {
            let words: Vec<String> = terms.iter().map(|term| format!("`{}`", term.word)).collect();
            let nearest: Vec<String> =
                terms.iter().flat_map(|term| &term.nearest).map(|word| format!("`{word}`")).collect();
            let hint =
                if nearest.is_empty() { String::new() } else { format!("; near ones are {}", nearest.join(", ")) };
            format!("{} occurs in none of the indexed files{hint}", words.join(" or "))
        }
        NoResult::Filtered { matches, lift } => {
            let flags: Vec<&str> = lift.iter().map(|filter| flag(*filter)).collect();
            let hint = if flags.is_empty() {
                "lift several of them".to_owned()
            } else {
                format!("try without {}", flags.join(" or "))
            };
            format!("the filters leave out all {matches} matching passages; {hint}")
        }
    }
}

fn flag(filter: Filter) -> &'static str {
    match filter {
        Filter::Languages => "--lang",
        Filter::Paths => "--path",
        Filter::Kinds => "--kind",
    }
}

/// One line a term and a factor, in millionths as the index counts them.
fn explained(score: i64, explanation: &Explanation) -> Vec<String> {
    let mut lines = vec![format!("score {score}")];
    for term in &explanation.terms {
        let fields: Vec<String> = term.fields.iter().map(|field| format!("{} ×{}", field.field, field.count)).collect();
        lines.push(format!("  {} {} ({}; rarity {})", term.term, term.score, fields.join(", "), term.rarity));
    }
    lines.extend(explanation.factors.iter().map(|factor| format!("  {} {}", factor.name, factor.value)));
    lines
}

fn document(request: &Request, ground: &Ground, answer: &Answer) -> Value {
    let mut notices = answer.notices.clone();
    if answer.results.is_empty() {
        notices.extend(answer.reason.as_ref().map(sentence));
    }
    let only = ground.searched.first().filter(|_| ground.project.is_some());
    let repo = only.and_then(|searched| searched.repo_id.as_deref());
    let results: Vec<Value> =
        answer.results.iter().enumerate().map(|(at, hit)| hit_document(at + 1, hit, repo)).collect();
    json!({
        "schema": "cce.search/1",
        "query": request.query,
        "snapshot": only.map(Searched::document),
        "snapshots": ground.searched.iter().map(Searched::document).collect::<Vec<_>>(),
        "results": results,
        "notices": notices,
    })
}

/// `only` is the repository that a project is of; in a workspace each place names its own.
fn hit_document(rank: usize, hit: &Hit, only: Option<&str>) -> Value {
    let also_at: Vec<Value> = hit
        .also_at
        .iter()
        .map(|place| {
            let repo = place.repo.as_deref().or(only);
            json!({
                "repo_id": repo,
                "repo": repo,
                "path": place.path,
                "start_line": place.start_line,
                "end_line": place.end_line,
            })
        })
        .collect();
    let repo = hit.repo.as_deref().or(only);
    let mut document = json!({
        "rank": rank,
        "repo_id": repo,
        "repo": repo,
        "path": hit.path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "kind": hit.kind,
        "language": hit.language,
        "name": hit.name,
        "qualified_name": hit.qualified_name,
        "score": hit.score,
        "passage_id": hit.passage_id,
        "text": hit.text,
        "also_at": also_at,
    });
    if let (Some(explanation), Some(object)) = (&hit.explain, document.as_object_mut()) {
        object.insert("explain".to_owned(), json!(explanation));
    }
    document
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Pattern(_) | SearchError::TooLarge => Self::usage(error),
            SearchError::Index(error) => error.into(),
        }
    }
}
