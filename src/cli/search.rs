//! `cce search`: ranked search over the repository, or over a pulled index.

use std::path::Path;

use serde_json::{Value, json};

use super::auto_pull;
use super::index::{repo_id, short};
use super::project::Project;
use super::settings::settings;
use super::terminal::{Terminal, named, note, safe, style};
use super::{Exit, Failure};
use crate::config::nearest;
use crate::language::{self, PACKS};
use crate::record::kind;
use crate::search::{self, Answer, Explanation, Filter, Hit, NoResult, Request, SearchError};

/// Lines of a result shown in the terminal.
const SHOWN_LINES: usize = 3;
/// Characters of a line shown in the terminal.
const SHOWN_WIDTH: usize = 120;

/// Search the repository by words, names or a question
///
/// The index is built or refreshed first when it is not up to date. Where an index was
/// pulled and there is no source, the pulled index answers.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code 0: something was found. 1: nothing was, and the reason is said.

Examples:
  cce search 'where is the lease of a push decided'
  cce search parse_header --kind function --lang rust
  cce search 'retry with backoff' --path 'src/**' --top-k 3 --json
  cce search 'old parser' --at v1.2.0")]
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

pub fn run(args: &Args, directory: &Path, terminal: &mut Terminal) -> Result<Exit, Failure> {
    args.lang.iter().try_for_each(|name| known_language(name))?;
    args.kind.iter().try_for_each(|name| known_kind(name))?;
    let project = Project::open(directory)?;
    let settings = settings(Some(&project))?;
    let request = Request {
        query: args.query.join(" "),
        languages: args.lang.clone(),
        paths: args.path.clone(),
        kinds: args.kind.clone(),
        top_k: args.top_k.map(u64::from).or_else(|| settings.number("search.top_k")).unwrap_or_default() as usize,
        explain: args.explain,
    };
    let (active, view) = project.view_for_search(args.at.as_deref())?;
    let searched = Searched { repo_id: repo_id(&view)?, sha: active.head, dirty: active.dirty };
    let answer = search::search(std::slice::from_ref(&view), &request)?;
    if args.json {
        terminal.json(&document(&request, &searched, &answer))?;
    } else {
        render(&answer, terminal)?;
        for notice in &answer.notices {
            note(safe(notice));
        }
    }
    if args.at.is_none() {
        auto_pull::start(&project, &settings);
    }
    if answer.results.is_empty() {
        if let Some(reason) = answer.reason.as_ref().filter(|_| !args.json) {
            note(format_args!("no match in {}: {}", place(&searched), safe(&sentence(reason))));
        }
        return Ok(Exit::Negative);
    }
    Ok(Exit::Fine)
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

fn place(searched: &Searched) -> String {
    match (&searched.sha, searched.dirty) {
        (None, _) => "this directory".to_owned(),
        (Some(sha), false) => short(sha).to_owned(),
        (Some(sha), true) => format!("{} with uncommitted changes", short(sha)),
    }
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
    terminal.line(format_args!("{place}{}:{}-{}{place:#}{title}", named(&hit.path), hit.start_line, hit.end_line))?;
    for line in shown_lines(hit) {
        terminal.line(format_args!("    {line}"))?;
    }
    for place in &hit.also_at {
        terminal.line(format_args!(
            "    {faint}also at {}:{}-{}{faint:#}",
            named(&place.path),
            place.start_line,
            place.end_line
        ))?;
    }
    if let Some(explanation) = &hit.explain {
        for line in explained(hit.score, explanation) {
            terminal.line(format_args!("    {faint}{}{faint:#}", safe(&line)))?;
        }
    }
    Ok(())
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

fn document(request: &Request, searched: &Searched, answer: &Answer) -> Value {
    let mut notices = answer.notices.clone();
    if answer.results.is_empty() {
        notices.extend(answer.reason.as_ref().map(sentence));
    }
    let repo = searched.repo_id.as_deref();
    let results: Vec<Value> =
        answer.results.iter().enumerate().map(|(at, hit)| hit_document(at + 1, hit, repo)).collect();
    json!({
        "schema": "cce.search/1",
        "query": request.query,
        "snapshot": { "repo_id": searched.repo_id, "sha": searched.sha, "dirty": searched.dirty },
        "results": results,
        "notices": notices,
    })
}

fn hit_document(rank: usize, hit: &Hit, repo: Option<&str>) -> Value {
    let also_at: Vec<Value> = hit
        .also_at
        .iter()
        .map(|place| {
            json!({ "repo": repo, "path": place.path, "start_line": place.start_line, "end_line": place.end_line })
        })
        .collect();
    let mut document = json!({
        "rank": rank,
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
