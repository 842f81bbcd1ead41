//! What the program says of secrets, and where none may ever show.

mod sandbox;

use cce::source::redact::KINDS;
use sandbox::{Ran, Sandbox, small_repository};
use serde_json::{Value, json};

const ID: &str = "example.com/harbour/tide";

fn token() -> String {
    ["gh", "p_", "Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0LzXcVb"].concat()
}

/// A repository with a secret in five files, and a bare remote next to it.
fn leaky_repository(sandbox: &Sandbox) {
    small_repository(sandbox, "repo");
    for name in ["a.sh", "b.sh", "c.sh", "d.sh", "e.sh"] {
        sandbox.write(&format!("repo/{name}"), format!("export API_TOKEN={}\n", token()));
    }
    sandbox.write("repo/a.sh", format!("export API_TOKEN={}\nDB_PASSWORD={}\n", token(), ["hunter2", "lamp"].concat()));
    sandbox.commit("repo", "oops");
    sandbox.git(".", &["init", "-q", "--bare", "remote.git"]);
}

fn push(sandbox: &Sandbox, more: &[&str]) -> Ran {
    let remote = format!("file://{}", sandbox.path("remote.git").display());
    let mut arguments = vec!["sync", "push", "--remote", &remote, "--repo-id", ID];
    arguments.extend(more);
    sandbox.cce("repo", &arguments)
}

fn every_row() -> Value {
    let token = |name: &str| json!({ "path": name, "kind": "GITHUB_TOKEN", "count": 1 });
    let password = json!({ "path": "a.sh", "kind": "SECRET", "count": 1 });
    json!([token("a.sh"), password, token("b.sh"), token("c.sh"), token("d.sh"), token("e.sh")])
}

/// The summary that people read; `list` is the command that says more.
#[track_caller]
fn check_summary(ran: &Ran, list: &str) {
    assert_eq!(ran.code, 0, "{}", ran.err);
    let expect = format!(
        "secrets replaced: GITHUB_TOKEN 5, SECRET 1 in 5 files\n  a.sh: GITHUB_TOKEN 1, SECRET 1\n  \
         b.sh: GITHUB_TOKEN 1\n  c.sh: GITHUB_TOKEN 1\n  … and 2 more files; {list} lists all\n"
    );
    assert!(ran.err.contains(&expect), "{}", ran.err);
    assert!(!ran.err.contains(&token()) && !ran.out.contains(&token()), "{}{}", ran.out, ran.err);
}

#[test]
fn index_push_and_export_say_what_was_replaced_where() {
    let sandbox = Sandbox::new();
    leaky_repository(&sandbox);
    check_summary(&sandbox.cce("repo", &["index"]), "`cce index --json`");
    assert_eq!(sandbox.json("repo", &["index", "--json"])["redactions"], every_row());
    check_summary(&push(&sandbox, &[]), "`--json`");
    let pushed = push(&sandbox, &["--json"]).succeeds();
    assert_eq!(serde_json::from_str::<Value>(&pushed).unwrap()["redactions"], every_row());
    let export = ["artifact", "export", "--repo-id", ID, "-o", "../head.cce3"];
    check_summary(&sandbox.cce("repo", &export), "`cce artifact show --json` of the file");
    assert_eq!(sandbox.json(".", &["artifact", "show", "--json", "head.cce3"])["redactions"], every_row());
}

#[test]
fn nothing_is_said_where_nothing_was_replaced() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    let indexed = sandbox.cce("repo", &["index"]);
    assert!(!indexed.err.contains("secret"), "{}", indexed.err);
    assert_eq!(sandbox.json("repo", &["index", "--json"])["redactions"], json!([]));
}

/// What git names stays as git holds it; what people read shows a marker.
#[test]
fn secrets_in_names_are_reported_and_masked() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    sandbox.git(".", &["init", "-q", "--bare", "remote.git"]);
    let (file, branch) = (format!("conf/{}.py", token()), format!("fix/{}", token()));
    sandbox.write(&format!("repo/{file}"), "def tide_of_the_name():\n    return 1\n");
    sandbox.git("repo", &["checkout", "-q", "-b", &branch]);
    sandbox.commit("repo", "names");

    let masked = |name: &str| name.replace(&token(), "[REDACTED:GITHUB_TOKEN]");
    let file_warning = format!("the name of the file `{}` holds a secret (GITHUB_TOKEN)", masked(&file));
    let branch_warning = format!("the name of the branch `{}` holds a secret (GITHUB_TOKEN)", masked(&branch));
    let silent = |ran: Ran| {
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(!ran.err.contains(&token()) && !ran.out.contains(&token()), "{}{}", ran.out, ran.err);
        ran
    };

    assert!(silent(sandbox.cce("repo", &["index"])).err.contains(&file_warning));
    let pushed = silent(push(&sandbox, &[]));
    assert!(pushed.err.contains(&file_warning) && pushed.err.contains(&branch_warning), "{}", pushed.err);
    assert!(pushed.out.contains(&format!("pointer {}", masked(&branch))), "{}", pushed.out);

    let refs = sandbox.git("remote.git", &["for-each-ref", "--format=%(refname)"]);
    assert!(refs.contains("/heads/fix%2Fghp_%5Ax9"), "the pointer is named after the branch as it is: {refs}");
    let artifact = refs.lines().find(|name| name.contains("/commits/")).unwrap();
    let message = sandbox.git("remote.git", &["log", "-1", "--format=%B", artifact]);
    assert!(message.contains(&format!("Branch: {}\n", masked(&branch))) && !message.contains(&token()), "{message}");

    let remote = format!("file://{}", sandbox.path("remote.git").display());
    for command in ["list", "status"] {
        silent(sandbox.cce("repo", &["sync", command, "--remote", &remote, "--repo-id", ID]));
    }
    silent(sandbox.cce("repo", &["sync", "pull", "--latest", "--remote", &remote, "--repo-id", ID]));
    silent(sandbox.cce("repo", &["search", "tide of the name"]));
    let found = sandbox.json("repo", &["search", "tide of the name", "--json"]);
    assert_eq!(found["results"][0]["path"], file);
    let again: Value = serde_json::from_str(&push(&sandbox, &["--json"]).succeeds()).unwrap();
    assert_eq!(again["branch"], branch);
}

#[test]
fn a_secret_in_the_id_of_a_repository_is_reported_and_masked() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    sandbox.git(".", &["init", "-q", "--bare", "remote.git"]);
    let remote = format!("file://{}", sandbox.path("remote.git").display());
    let id = format!("example.com/a/{}", token());
    let masked = "example.com/a/[REDACTED:GITHUB_TOKEN]";
    let run = |arguments: &[&str]| {
        let more = ["--remote", &remote, "--repo-id", &id];
        let ran = sandbox.cce("repo", &[&["sync"], arguments, &more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(!ran.err.contains(&token()) && !ran.out.contains(&token()), "{}{}", ran.out, ran.err);
        ran
    };

    for published in ["published ", "is published already"] {
        let pushed = run(&["push"]);
        assert!(pushed.out.contains(published) && pushed.out.contains(masked), "{}", pushed.out);
        let warning = format!("the name of the repository `{masked}` holds a secret (GITHUB_TOKEN)");
        assert!(pushed.err.contains(&warning), "{}", pushed.err);
    }
    for command in [&["list"][..], &["status"], &["pull", "--latest"], &["verify"]] {
        run(command);
    }
}

#[test]
fn the_manual_lists_every_kind() {
    let manual = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/secrets.md")).unwrap();
    let rows: Vec<&str> = manual.lines().filter(|line| line.starts_with("| `")).collect();
    let expect: Vec<String> = KINDS.iter().map(|kind| format!("| `{}` | {} |", kind.label, kind.what)).collect();
    assert_eq!(rows, expect);
    assert!(manual.contains(&format!("\n{} kinds. ", KINDS.len())));
}

#[test]
fn failures_do_not_repeat_a_secret() {
    let sandbox = Sandbox::new();
    leaky_repository(&sandbox);
    let bad = format!("bad..{}", token());
    let url = format!("https://app:{}@nowhere.invalid:1/x", ["hunter2", "lamp"].concat());
    for arguments in [
        vec!["sync", "push", "--branch", &bad, "--repo-id", ID],
        vec!["sync", "push", "--commit", &bad, "--repo-id", ID],
        vec!["search", "tide", "--at", &bad],
        vec!["search", "tide", "--lang", &bad],
        vec!["index", &bad],
        vec!["artifact", "show", &bad],
        vec!["artifact", "export", "-o", &bad, "--commit", &bad],
        vec!["sync", "list", "--remote", &url],
        vec![bad.as_str()],
        vec!["index", "--json", "--unknown", &bad],
    ] {
        let ran = sandbox.cce("repo", &arguments);
        assert!(ran.code >= 2, "{arguments:?}: {}", ran.code);
        assert!(!ran.err.contains(&token()) && !ran.err.contains("hunter2"), "{arguments:?}: {}", ran.err);
    }
}
