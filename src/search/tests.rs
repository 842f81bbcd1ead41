//! The room's promises, tested over whole searches.

use proptest::prelude::*;

use super::{Answer, Filter, NoResult, Request, search};
use crate::source::RepoPath;
use crate::store::fixture::{index, index_bytes};
use crate::store::{Index, Overlay, View};
use std::sync::Arc;

fn view(files: &[(&str, &str)]) -> View {
    View::new(index(files), None).unwrap()
}

fn ask(files: &[(&str, &str)], query: &str) -> Answer {
    search(&[view(files)], &Request::new(query)).unwrap()
}

/// The hits of `query` as `path:line name`, best first.
fn check(files: &[(&str, &str)], query: &str, expected: &[&str]) {
    let hits: Vec<String> = ask(files, query)
        .results
        .iter()
        .map(|hit| format!("{}:{} {}", hit.path, hit.start_line, hit.name.as_deref().unwrap_or("-")))
        .collect();
    assert_eq!(hits, expected, "{query}");
}

const NET: (&str, &str) = (
    "src/net.rs",
    "/// Opens a connection to a host.\nfn dial(host) {\n    socket(host)\n}\n\nfn close(stream) {\n    stream.flush()\n}\n",
);
const CALLER: (&str, &str) = ("src/app.rs", "fn run() {\n    dial(dial(dial(host)))\n}\n");

#[test]
fn a_definition_stands_before_its_mentions() {
    check(&[NET, CALLER], "dial", &["src/net.rs:1 dial", "src/app.rs:1 run"]);
    check(&[NET, CALLER], "where do we open a connection?", &["src/net.rs:1 dial"]);
    check(&[NET, CALLER], "flushing the stream", &["src/net.rs:6 close"]);
}

#[test]
fn a_qualified_name_picks_its_container() {
    let files = [("a.rs", "mod one {\n  fn open() {\n  }\n}\nmod two {\n  fn open() {\n    x\n  }\n}\n")];
    let first = |query: &str| ask(&files, query).results[0].qualified_name.clone().unwrap().replace("::", ".");
    assert_eq!(first("two::open"), "two.open");
    assert_eq!(first("one.open()"), "one.open");
}

#[test]
fn spelling_of_identifiers_does_not_matter() {
    let files = [("a.rs", "fn parse_http_header() {\n}\n\nfn parse_other() {\n}\n")];
    for query in ["parseHttpHeader", "parse_http_header", "ParseHTTPHeader", "parse http header"] {
        assert_eq!(ask(&files, query).results[0].name.as_deref(), Some("parse_http_header"), "{query}");
    }
}

#[test]
fn tests_stand_back_unless_asked_for() {
    let body = "fn check_login() {\n  login password session\n}\n";
    let test = "mod tests {\n  fn login_works() {\n    login password session login\n  }\n}\n";
    let files = [("src/login.rs", body), ("src/other.rs", test)];
    assert_eq!(ask(&files, "login session").results[0].name.as_deref(), Some("check_login"));
    assert_eq!(ask(&files, "test login session").results[0].name.as_deref(), Some("login_works"));
}

#[test]
fn equal_texts_are_one_hit_with_two_places() {
    let text = "fn twin() {\n  unusual\n}\n";
    let answer = ask(&[("b.rs", text), ("a.rs", text), ("c.rs", "\n\nfn twin() {\n  unusual\n}")], "unusual");
    assert_eq!(answer.results.len(), 1);
    assert_eq!(answer.results[0].path, "a.rs");
    let places: Vec<_> =
        answer.results[0].also_at.iter().map(|place| (place.path.as_str(), place.start_line)).collect();
    assert_eq!(places, [("b.rs", 1), ("c.rs", 3)]);
}

#[test]
fn a_text_is_not_shown_inside_another() {
    let files = [("a.rs", "mod outer {\n  fn inner() {\n    needle\n  }\n}\n")];
    check(&files, "needle", &["a.rs:2 inner"]);
}

#[test]
fn filters_keep_what_they_name() {
    let files = [NET, ("web/net.js", "top\n\nfn dial() {\n}\n")];
    let with = |change: &dyn Fn(&mut Request)| {
        let mut request = Request::new("dial");
        change(&mut request);
        search(&[view(&files)], &request).unwrap()
    };
    let only = |answer: Answer| answer.results.into_iter().map(|hit| hit.path).collect::<Vec<_>>();
    assert_eq!(only(with(&|r| r.languages = vec!["JS".into()])), ["web/net.js"]);
    assert_eq!(only(with(&|r| r.paths = vec!["src/".into()])), ["src/net.rs"]);
    assert_eq!(only(with(&|r| r.top_k = 1)).len(), 1);
    let answer = with(&|r| r.kinds = vec!["class".into()]);
    assert_eq!(answer.reason, Some(NoResult::Filtered { matches: 2, lift: vec![Filter::Kinds] }));
    assert_eq!(answer.notices, ["no passage has the kind `class`; there is `function`, `text`"]);
}

#[test]
fn an_empty_answer_says_why() {
    assert_eq!(search(&[], &Request::new("x")).unwrap().reason, Some(NoResult::EmptyIndex));
    assert_eq!(ask(&[NET], "?!").reason, Some(NoResult::NoTerms));
    let Some(NoResult::UnknownTerms { terms }) = ask(&[NET], "conection").reason else { panic!("something was found") };
    assert_eq!((terms[0].word.as_str(), terms[0].nearest.as_slice()), ("conection", &["connection".to_owned()][..]));
    let answer = ask(&[NET], "dial zzyzx");
    assert_eq!(answer.notices, ["`zzyzx` occurs nowhere"]);
    assert_eq!(answer.results.len(), 1);
}

#[test]
fn an_explanation_adds_up() {
    let mut request = Request::new("open connection dial");
    request.explain = true;
    let answer = search(&[view(&[NET, CALLER])], &request).unwrap();
    let hit = &answer.results[0];
    let explanation = hit.explain.as_ref().unwrap();
    let mut score = explanation.terms.iter().map(|term| term.score).sum::<i64>() as f64;
    for factor in &explanation.factors {
        if factor.name.ends_with("(added)") { score += factor.value as f64 } else { score *= factor.value as f64 / 1e6 }
    }
    assert!((score - hit.score as f64).abs() < 20.0, "{score} is not {}", hit.score);
    assert!(explanation.terms[0].fields.iter().any(|share| share.field == "doc"));
}

#[test]
fn several_repositories_answer_as_one() {
    let views = [view(&[NET]).with_repo("b"), view(&[CALLER, NET]).with_repo("a")];
    let answer = search(&views, &Request::new("dial")).unwrap();
    assert_eq!(answer.results[0].repo.as_deref(), Some("a"));
    assert_eq!(answer.results[0].also_at[0].repo.as_deref(), Some("b"));
}

#[test]
fn one_answer_is_pinned() {
    let mut request = Request::new("dial a host");
    request.explain = true;
    let answer = search(&[view(&[NET, CALLER])], &request).unwrap();
    insta::with_settings!({ snapshot_path => "../../golden/search", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("answer", serde_json::to_string_pretty(&answer).unwrap());
    });
}

#[derive(Clone, Debug)]
struct Change {
    file: usize,
    text: Option<String>,
}

fn toy_text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["alpha", "betaGamma", "delta", "open", "tests", "x1", "wert"]);
    let line = (prop::sample::select(vec!["fn ", "/// ", "", "mod "]), prop::collection::vec(word, 1..4))
        .prop_map(|(start, words)| format!("{start}{}\n", words.join(" ")));
    let line = prop_oneof![4 => line, 2 => Just("}\n".to_owned()), 1 => Just("\n".to_owned())];
    prop::collection::vec(line, 1..9).prop_map(|lines| lines.concat())
}

fn path_of(file: usize) -> String {
    format!("{}/alpha{}.{}", ["src", "open"][file % 2], file, ["rs", "py"][file % 3 % 2])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn an_overlay_answers_as_a_fresh_index_does(
        base in prop::collection::vec(toy_text(), 1..9),
        changes in prop::collection::vec((0usize..12, prop::option::of(toy_text())).prop_map(|(file, text)| Change { file, text }), 0..6),
        words in prop::collection::vec(prop::sample::select(vec!["alpha", "beta", "betaGamma", "open", "the", "delta", "x1", "wret"]), 1..4),
    ) {
        let base: Vec<(String, String)> = base.into_iter().enumerate().map(|(n, text)| (path_of(n), text)).collect();
        let mut now: std::collections::BTreeMap<String, String> = base.iter().cloned().collect();
        let mut changed = std::collections::BTreeMap::new();
        let mut removed = Vec::new();
        for change in changes {
            let path = path_of(change.file);
            changed.remove(&path);
            removed.retain(|known| known != &path);
            match change.text {
                Some(text) => {
                    now.insert(path.clone(), text.clone());
                    changed.insert(path, text);
                }
                None => {
                    now.remove(&path);
                    removed.push(path);
                }
            }
        }
        let build = |files: &mut dyn Iterator<Item = (&String, &String)>| {
            let files: Vec<(&str, &str)> = files.map(|(path, text)| (path.as_str(), text.as_str())).collect();
            Arc::new(Index::from_bytes(index_bytes(&files)).unwrap())
        };
        let overlay = Overlay {
            index: build(&mut changed.iter()),
            removed: removed.into_iter().map(|path| RepoPath::parse(path).unwrap()).collect(),
        };
        let laid = View::new(build(&mut base.iter().map(|(path, text)| (path, text))), Some(overlay)).unwrap();
        let fresh = View::new(build(&mut now.iter()), None).unwrap();
        prop_assert_eq!(laid.statistics(), fresh.statistics());
        let request = Request { explain: true, ..Request::new(words.join(" ")) };
        prop_assert_eq!(search(&[laid], &request).unwrap(), search(&[fresh], &request).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn a_damaged_index_never_panics_a_search(at in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = index_bytes(&[NET, CALLER]);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(index) = Index::from_bytes(bytes)
            && let Ok(view) = View::new(Arc::new(index), None)
        {
            let request = Request { explain: true, kinds: vec!["function".into()], ..Request::new("dial open strem") };
            let _ = search(&[view], &request);
        }
    }
}

/// What is not looked at closely could not have come first: parts of the whole, each too small
/// for anything to be passed over, hold the same hits.
#[test]
fn nothing_that_is_passed_over_belongs_to_the_answer() {
    let places = ["src", "examples", "docs/changes.d", "demo/deep"];
    let files: Vec<(String, String)> = (0..1800)
        .map(|number| {
            let name = if number % 3 == 0 { "changelog" } else { "file" };
            let path = format!("part{:02}/{}/{number}/{name}.rs", number % 15, places[number % 7 % 4]);
            let words =
                ["alpha ".repeat(number % 5 + 1), "beta ".repeat(number * 7 % 11 / 4), "pad ".repeat(number % 13)];
            (path, format!("fn f{number}() {{\n  {} u{number}\n}}\n", words.concat()))
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let views = [view(&files)];
    for query in ["alpha", "beta alpha", "the alpha of a pad and f17"] {
        let hits = |paths: Vec<String>, top_k: usize| {
            let request = Request { paths, top_k, ..Request::new(query) };
            search(&views, &request).unwrap().results
        };
        let mut apart: Vec<_> = (0..15).flat_map(|part| hits(vec![format!("part{part:02}/")], 150)).collect();
        apart.sort_by(|a, b| b.score.cmp(&a.score).then(a.path.cmp(&b.path)));
        apart.truncate(20);
        let key = |hit: &super::Hit| (hit.path.clone(), hit.score);
        let together: Vec<_> = hits(Vec::new(), 20).iter().map(key).collect();
        assert_eq!(together, apart.iter().map(key).collect::<Vec<_>>(), "{query}");
    }
}
