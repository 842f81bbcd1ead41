//! Machines without source: all repositories of a remote, pulled, refreshed, searched and
//! shown as one, over the real binary and real git.
#![allow(clippy::disallowed_methods)] // a test stands outside the program

mod sandbox;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cce::cache::Component;
use sandbox::{Ran, Sandbox, small_repository};
use serde_json::Value;

const TIDE: &str = "example.com/harbour/tide";
const CRANE: &str = "example.com/harbour/crane";
const OFFICE: &str = "example.com/office/desk";

/// A repository with files of its own, published under `id` from its branch.
fn publish(sandbox: &Sandbox, url: &str, name: &str, id: &str, files: &[(&str, &str)]) -> String {
    if !sandbox.path(name).exists() {
        sandbox.repository(name);
    }
    for (path, text) in files {
        sandbox.write(&format!("{name}/{path}"), text);
    }
    let sha = sandbox.commit(name, "more");
    sandbox.cce(name, &["sync", "push", "--remote", url, "--repo-id", id, "--force"]).succeeds();
    sha
}

/// A remote that holds three repositories.
fn harbour() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let url = sandbox.remote("remote.git");
    small_repository(&sandbox, "tide");
    publish(&sandbox, &url, "tide", TIDE, &[]);
    let crane = "/// Lifts a container off the ship.\npub fn lift_container(weight: u32) -> u32 {\n    weight + 1\n}\n";
    publish(&sandbox, &url, "crane", CRANE, &[("src/crane.rs", crane), ("NOTES.md", "# Crane\n\nLifts.\n")]);
    let desk = "def book_berth(ship):\n    \"\"\"Books a berth for the ship.\"\"\"\n    return ship\n";
    publish(&sandbox, &url, "desk", OFFICE, &[("desk.py", desk)]);
    (sandbox, url)
}

fn pull_all(sandbox: &Sandbox, url: &str, more: &[&str]) -> Ran {
    sandbox.cce(".", &[&["sync", "pull", "--all", "--remote", url, "--into", "ws"], more].concat())
}

fn pull_all_json(sandbox: &Sandbox, url: &str, more: &[&str]) -> Value {
    serde_json::from_str(&pull_all(sandbox, url, &[&["--json"], more].concat()).succeeds()).unwrap()
}

/// Outcome by repository.
fn outcomes(document: &Value) -> Vec<(&str, &str)> {
    let all = document["repositories"].as_array().unwrap().iter();
    all.map(|entry| (entry["repo_id"].as_str().unwrap(), entry["outcome"].as_str().unwrap())).collect()
}

fn store(sandbox: &Sandbox, id: &str) -> PathBuf {
    sandbox.path("ws/.cce/members").join(Component::of(id).unwrap().as_str())
}

fn index_file(store: &Path) -> PathBuf {
    let mut entries = fs::read_dir(store.join("generations")).unwrap().map(|entry| entry.unwrap().path());
    entries.find(|path| path.extension().is_some_and(|extension| extension == "idx")).unwrap()
}

/// Overwrites the middle of a read-only file.
fn damage(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Every file below a directory, with its length and when it was written; not the locks of
/// caches, whose time says when one was last used.
fn everything(root: &Path) -> BTreeSet<(PathBuf, u64, SystemTime)> {
    let mut found = BTreeSet::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let data = entry.metadata().unwrap();
            if entry.path().extension().is_some_and(|ending| ending == "lock") && data.len() == 0 {
                continue;
            }
            found.insert((entry.path(), data.len(), data.modified().unwrap()));
            if data.is_dir() {
                open.push(entry.path());
            }
        }
    }
    found
}

fn first_place(found: &Value) -> (String, String) {
    let hit = &found["results"][0];
    (hit["repo_id"].as_str().unwrap().to_owned(), hit["path"].as_str().unwrap().to_owned())
}

#[test]
fn every_repository_comes_in_one_pull_and_answers_without_remote_source_or_git() {
    let (sandbox, url) = harbour();
    let said = pull_all(&sandbox, &url, &[]).succeeds();
    for id in [TIDE, CRANE, OFFICE] {
        assert!(said.lines().any(|line| line.starts_with("new ") && line.contains(&format!("{id}@"))), "{said}");
    }
    assert!(said.ends_with("3 new\n"), "{said}");
    for name in ["remote.git", "tide", "crane", "desk", "cce-home"] {
        fs::remove_dir_all(sandbox.path(name)).unwrap();
    }
    fs::create_dir_all(sandbox.path("ws/notes/deep")).unwrap();
    fs::create_dir(sandbox.path("empty")).unwrap();
    let offline = |directory: &str, arguments: &[&str]| -> Ran {
        let mut program = sandbox.program(env!("CARGO_BIN_EXE_cce"));
        let program = program.env("PATH", sandbox.path("empty")).current_dir(sandbox.path(directory));
        program.args(arguments).output().unwrap().into()
    };
    for directory in ["ws", "ws/notes/deep"] {
        let out = offline(directory, &["search", "lift a container off the ship"]).succeeds();
        assert!(out.starts_with(&format!("{CRANE}:src/crane.rs:1-4")), "{out}");
        let out = offline(directory, &["search", "next_high_water"]).succeeds();
        assert!(out.starts_with(&format!("{TIDE}:app/tide.py:")), "{out}");
    }
    let found: Value = serde_json::from_str(&offline("ws", &["search", "book a berth", "--json"]).succeeds()).unwrap();
    assert_eq!(first_place(&found), (OFFICE.to_owned(), "desk.py".to_owned()));
    assert!(found["snapshot"].is_null());
    let snapshots: Vec<&str> =
        found["snapshots"].as_array().unwrap().iter().map(|snapshot| snapshot["repo_id"].as_str().unwrap()).collect();
    assert_eq!(snapshots, [CRANE, TIDE, OFFICE]);
    let out = offline("ws", &["show", "crane:src/crane.rs:2"]).succeeds();
    assert_eq!(out, "pub fn lift_container(weight: u32) -> u32 {\n");
    assert_eq!(offline("ws", &["sync", "verify", "--offline"]).succeeds().lines().count(), 3);
    let said = offline("ws", &["search", "zzyzxqq"]).fails(1);
    assert!(said.starts_with("no match in 3 repositories: "), "{said}");
}

/// The same files in one repository and in three give the same scores.
#[test]
fn members_are_ranked_as_one_corpus() {
    let (sandbox, url) = harbour();
    pull_all(&sandbox, &url, &[]).succeeds();
    sandbox.repository("union");
    for from in ["tide", "crane", "desk"] {
        for path in sandbox.git(from, &["ls-files"]).lines() {
            sandbox.write(&format!("union/{path}"), fs::read(sandbox.path(from).join(path)).unwrap());
        }
    }
    sandbox.commit("union", "all");
    for query in ["lift container", "ship berth", "high water tide", "renew the lease"] {
        let scores = |directory: &str| {
            let found = sandbox.json(directory, &["search", query, "--json"]);
            let results = found["results"].as_array().unwrap().iter();
            // Equal scores go by repository, and so in another order.
            let scored = |hit: &Value| (-hit["score"].as_i64().unwrap(), hit["name"].to_string());
            results.map(scored).collect::<BTreeSet<_>>()
        };
        let one = scores("union");
        assert!(!one.is_empty() && scores("ws") == one, "{query}: {one:?} and {:?}", scores("ws"));
    }
}

#[test]
fn refreshing_brings_what_is_new_and_touches_nothing_else() {
    let (sandbox, url) = harbour();
    let first = pull_all_json(&sandbox, &url, &[]);
    assert_eq!(first["schema"], "cce.pull_all/1");
    assert_eq!(outcomes(&first), [(CRANE, "new"), (TIDE, "new"), (OFFICE, "new")]);
    assert_eq!(first["artifacts_fetched"], 3);
    let before = everything(&sandbox.path("ws"));
    let objects = everything(&sandbox.path("cce-home/caches"));
    let again = pull_all_json(&sandbox, &url, &[]);
    assert_eq!(outcomes(&again), [(CRANE, "unchanged"), (TIDE, "unchanged"), (OFFICE, "unchanged")]);
    assert_eq!(again["artifacts_fetched"], 0);
    assert!(pull_all(&sandbox, &url, &[]).succeeds().contains("nothing new: 3 repositories"));
    for arguments in [&["--remote", &url][..], &[]] {
        let said = sandbox.cce("ws", &[&["sync", "pull", "--all"], arguments].concat()).succeeds();
        assert!(said.contains("nothing new"), "{said}");
    }
    assert_eq!(everything(&sandbox.path("ws")), before);
    assert_eq!(everything(&sandbox.path("cce-home/caches")), objects);
    // What is installed is known without the cache.
    fs::remove_dir_all(sandbox.path("cce-home")).unwrap();
    assert_eq!(pull_all_json(&sandbox, &url, &[])["artifacts_fetched"], 0);

    let sha = publish(&sandbox, &url, "crane", CRANE, &[("src/hook.rs", "/// Hooks it.\npub fn hook_it() {}\n")]);
    let third = pull_all_json(&sandbox, &url, &[]);
    assert_eq!(outcomes(&third), [(CRANE, "updated"), (TIDE, "unchanged"), (OFFICE, "unchanged")]);
    assert_eq!((&third["artifacts_fetched"], &third["repositories"][0]["sha"]), (&1.into(), &sha.clone().into()));
    let found = sandbox.json("ws", &["search", "hook_it", "--json"]);
    assert_eq!(first_place(&found), (CRANE.to_owned(), "src/hook.rs".to_owned()));
    assert_eq!(found["snapshots"][0]["sha"], sha.as_str());
}

#[test]
fn one_repository_that_is_refused_spoils_nothing() {
    let (sandbox, url) = harbour();
    pull_all(&sandbox, &url, &[]).succeeds();
    let tide = "refs/cce/hash/3.0/example.com%2Fharbour%2Ftide";
    let crane = "refs/cce/hash/3.0/example.com%2Fharbour%2Fcrane";
    let remote = "remote.git";
    let id = sandbox.git(remote, &["rev-parse", &format!("{tide}/default")]);
    // Two records change places: each is whole, and neither is where it belongs.
    let raw = sandbox.git(remote, &["cat-file", "commit", &id]);
    let files = sandbox.git(remote, &["ls-tree", &format!("{id}:files/_web")]);
    let blobs: Vec<&str> = files.split_whitespace().filter(|word| word.len() == 40).collect();
    let swapped = files.replace(blobs[0], "X").replace(blobs[1], blobs[0]).replace('X', blobs[1]);
    let input = |arguments: &[&str], text: &str| -> String {
        let mut git = sandbox.program("git");
        let output = git.current_dir(sandbox.path(remote)).args(arguments).write_stdin(text).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let web = input(&["mktree"], &(swapped + "\n"));
    let top = sandbox.git(remote, &["ls-tree", &format!("{id}:files")]);
    let old_web = sandbox.git(remote, &["rev-parse", &format!("{id}:files/_web")]);
    let top = input(&["mktree"], &(top.replace(&old_web, &web) + "\n"));
    let root = sandbox.git(remote, &["ls-tree", &id]);
    let old_top = sandbox.git(remote, &["rev-parse", &format!("{id}:files")]);
    let root = input(&["mktree"], &(root.replace(&old_top, &top) + "\n"));
    let old_root = sandbox.git(remote, &["rev-parse", &format!("{id}^{{tree}}")]);
    let bad = input(&["hash-object", "-t", "commit", "-w", "--stdin"], &(raw.replace(&old_root, &root) + "\n"));
    sandbox.git(remote, &["update-ref", &format!("{tide}/default"), &bad]);
    sandbox.git(remote, &["update-ref", &format!("{tide}/heads/main"), &bad]);
    // And a commit that is no artifact at all.
    let foreign = sandbox.git("desk", &["rev-parse", "HEAD"]);
    sandbox.git("desk", &["push", "-q", &url, &format!("HEAD:{crane}/default"), "--force"]);
    let news = publish(&sandbox, &url, "desk", OFFICE, &[("news.py", "def fresh_news():\n    return 1\n")]);

    let ran = pull_all(&sandbox, &url, &["--json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(outcomes(&document), [(CRANE, "failed"), (TIDE, "failed"), (OFFICE, "updated")]);
    let problem = |n: usize| document["repositories"][n]["problem"].as_str().unwrap();
    assert!(problem(0).contains(&foreign) && problem(1).contains("web/"), "{document}");
    assert_eq!(document["repositories"][2]["sha"], news.as_str());
    let said = pull_all(&sandbox, &url, &[]).fails(3);
    assert!(said.contains(&format!("`{TIDE}` was not brought")) && said.contains(CRANE), "{said}");
    for (query, place) in [
        ("lift_container", (CRANE, "src/crane.rs")),
        ("TideTable", (TIDE, "app/tide.py")),
        ("fresh_news", (OFFICE, "news.py")),
    ] {
        let found = sandbox.json("ws", &["search", query, "--json"]);
        assert_eq!(first_place(&found), (place.0.to_owned(), place.1.to_owned()));
    }
    sandbox.cce("ws", &["sync", "verify", "--offline"]).succeeds();
}

/// What the remote cannot send, or nobody may take, is left out of the one fetch.
#[test]
fn objects_that_cannot_be_fetched_keep_only_their_own_repository_back() {
    let (sandbox, url) = harbour();
    let blob = sandbox.git(
        "remote.git",
        &["rev-parse", "refs/cce/hash/3.0/example.com%2Fharbour%2Fcrane/default:files/_src/_crane.rs"],
    );
    let loose = sandbox.path("remote.git/objects").join(&blob[..2]).join(&blob[2..]);
    assert!(loose.exists(), "the push was unpacked");
    fs::remove_file(loose).unwrap();
    let ran = pull_all(&sandbox, &url, &["--json"]);
    assert!(ran.code == 3 || ran.code == 4, "{}", ran.err);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(outcomes(&document), [(CRANE, "failed"), (TIDE, "new"), (OFFICE, "new")]);
}

#[test]
fn repositories_that_are_gone_are_dropped_only_when_asked() {
    let (sandbox, url) = harbour();
    pull_all(&sandbox, &url, &[]).succeeds();
    let prefix = "refs/cce/hash/3.0/example.com%2Foffice%2Fdesk";
    for name in sandbox.git("remote.git", &["for-each-ref", "--format=%(refname)", prefix]).lines() {
        sandbox.git("remote.git", &["update-ref", "-d", name]);
    }
    let said = pull_all(&sandbox, &url, &[]).succeeds();
    assert!(said.lines().any(|line| line.starts_with("gone ") && line.contains(OFFICE)), "{said}");
    sandbox.json("ws", &["search", "book_berth", "--json"]);
    // Only what is meant is dropped.
    let narrow = pull_all_json(&sandbox, &url, &["--prune", "--only", "example.com/harbour/*"]);
    assert_eq!(outcomes(&narrow), [(CRANE, "unchanged"), (TIDE, "unchanged")]);
    assert!(store(&sandbox, OFFICE).exists());
    let pruned = pull_all_json(&sandbox, &url, &["--prune"]);
    assert_eq!(outcomes(&pruned), [(CRANE, "unchanged"), (TIDE, "unchanged"), (OFFICE, "dropped")]);
    assert!(!store(&sandbox, OFFICE).exists());
    sandbox.cce("ws", &["search", "book_berth"]).fails(1);
    assert!(pull_all(&sandbox, &url, &["--prune"]).succeeds().contains("nothing new: 2 repositories"));
}

#[test]
fn only_narrows_and_says_what_there_is() {
    let (sandbox, url) = harbour();
    let said = pull_all(&sandbox, &url, &["--only", "example.com/nobody/*"]).fails(1);
    assert!([TIDE, CRANE, OFFICE].iter().all(|id| said.contains(id)) && said.lines().count() == 1, "{said}");
    let ran = pull_all(&sandbox, &url, &["--only", "example.com/nobody/*", "--json"]);
    assert_eq!(
        (ran.code, serde_json::from_str::<Value>(&ran.out).unwrap()["repositories"].clone()),
        (1, Value::Array(vec![]))
    );
    assert!(!sandbox.path("ws").exists(), "nothing was asked for, nothing is made");
    let pulled = pull_all_json(&sandbox, &url, &["--only", "example.com/harbour/*", "--only", "!crane"]);
    assert_eq!(outcomes(&pulled), [(TIDE, "new")]);
    let more = pull_all_json(&sandbox, &url, &["--only", OFFICE]);
    assert_eq!(outcomes(&more), [(OFFICE, "new")]);
    let found = sandbox.json("ws", &["search", "tide", "--json"]);
    assert_eq!(found["snapshots"].as_array().unwrap().len(), 2, "what was there stays");
}

#[test]
fn a_branch_applies_where_there_is_one() {
    let (sandbox, url) = harbour();
    sandbox.git("crane", &["switch", "-q", "-c", "next"]);
    let next = publish(&sandbox, &url, "crane", CRANE, &[("next.rs", "pub fn only_next() {}\n")]);
    // The default stays where it was.
    let main = sandbox.git("crane", &["rev-parse", "main"]);
    let prefix = "refs/cce/hash/3.0/example.com%2Fharbour%2Fcrane";
    let id = sandbox.git("remote.git", &["rev-parse", &format!("{prefix}/commits/{main}")]);
    sandbox.git("remote.git", &["update-ref", &format!("{prefix}/default"), &id]);
    let pulled = pull_all_json(&sandbox, &url, &["--branch", "next"]);
    let pointers: Vec<&str> =
        pulled["repositories"].as_array().unwrap().iter().map(|entry| entry["pointer"].as_str().unwrap()).collect();
    assert_eq!(pointers, ["heads/next", "default", "default"]);
    assert_eq!(pulled["repositories"][0]["sha"], next.as_str());
    let back = pull_all_json(&sandbox, &url, &[]);
    assert_eq!(
        (&back["repositories"][0]["sha"], &back["repositories"][0]["outcome"]),
        (&main.into(), &"updated".into())
    );
}

#[test]
fn alike_ids_do_not_meet_and_hostile_ones_do_not_leave() {
    let sandbox = Sandbox::new();
    let url = sandbox.remote("remote.git");
    let file = |name: &str| format!("pub fn {name}() {{}}\n");
    publish(&sandbox, &url, "one", "example.com/acme/rx", &[("one.rs", &file("lower_one"))]);
    publish(&sandbox, &url, "two", "example.com/Acme/Rx", &[("two.rs", &file("upper_two"))]);
    let long = format!("example.com/{}", "deep/".repeat(40) + "end");
    publish(&sandbox, &url, "three", &long, &[("three.rs", &file("long_three"))]);
    let good = sandbox.git("remote.git", &["for-each-ref", "--format=%(objectname)", "--count=1", "refs/cce"]);
    for name in ["%2E%2E%2F%2E%2E%2Fescape", "%2Fetc%2Fescape", "a%0A%1B%5B2%4A", "a%20b", "%FF"] {
        sandbox.git("remote.git", &["update-ref", &format!("refs/cce/hash/3.0/{name}/default"), &good]);
    }
    let ran = pull_all(&sandbox, &url, &[]);
    assert_eq!(ran.code, 3);
    assert_eq!(ran.err.lines().count(), 5, "{}", ran.err);
    assert!(!ran.err.contains('\u{1b}') && ran.out.ends_with("3 new, 5 failed\n"), "{}\n{}", ran.out, ran.err);
    let entries = |path: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(sandbox.path(path)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    assert_eq!(entries("ws"), BTreeSet::from([".cce".to_owned()]));
    assert_eq!(entries("ws/.cce/members").len(), 3);
    assert!(!entries(".").contains("escape"));
    for (query, id) in
        [("lower_one", "example.com/acme/rx"), ("upper_two", "example.com/Acme/Rx"), ("long_three", long.as_str())]
    {
        assert_eq!(first_place(&sandbox.json("ws", &["search", query, "--json"])).0, id);
        assert_eq!(
            sandbox.json("ws", &["search", query, "--repo", id, "--json"])["snapshots"].as_array().unwrap().len(),
            1
        );
    }
    sandbox.cce("ws", &["search", "upper_two", "--repo", "example.com/acme/rx"]).fails(1);
    let only = pull_all_json(&sandbox, &url, &["--only", &long]);
    assert_eq!(outcomes(&only), [(long.as_str(), "unchanged")]);
}

#[test]
fn a_directory_that_is_something_else_is_left_alone() {
    let (sandbox, url) = harbour();
    // In a checkout, or below one.
    for into in ["tide", "tide/src/deep"] {
        let said = sandbox.cce(".", &["sync", "pull", "--all", "--remote", &url, "--into", into]).fails(2);
        assert!(said.contains("git repository"), "{said}");
    }
    assert!(!sandbox.path("tide/.cce").exists() && !sandbox.path("tide/src/deep").exists());
    // Where one index was pulled.
    sandbox.cce(".", &["sync", "pull", "--remote", &url, "--repo-id", CRANE, "--into", "single"]).succeeds();
    let before = everything(&sandbox.path("single"));
    let said = sandbox.cce(".", &["sync", "pull", "--all", "--remote", &url, "--into", "single"]).fails(2);
    assert!(said.contains("one repository"), "{said}");
    assert_eq!(everything(&sandbox.path("single")), before);
    // And the other way round.
    pull_all(&sandbox, &url, &[]).succeeds();
    let said = sandbox.cce(".", &["sync", "pull", "--remote", &url, "--repo-id", CRANE, "--into", "ws"]).fails(2);
    assert!(said.contains("workspace"), "{said}");
    sandbox.write("ws/own.rs", "fn own() {}\n");
    for arguments in [&["index"][..], &["why", "own.rs"], &["search", "x", "--at", "HEAD"], &["show", "own.rs"]] {
        let said = sandbox.cce("ws", arguments).fails(2);
        assert!(said.contains("workspace"), "{arguments:?}: {said}");
    }
    // A workspace of another remote.
    let other = sandbox.remote("other.git");
    publish(&sandbox, &other, "crane", CRANE, &[]);
    let said = pull_all(&sandbox, &other, &[]).fails(2);
    assert!(said.contains("remote.git") && said.contains("other.git"), "{said}");
    // And no workspace at all.
    let said = sandbox.cce(".", &["sync", "pull", "--all", "--remote", &url]).fails(2);
    assert!(said.contains("--into"), "{said}");
    for flag in [&["--commit", "x"][..], &["--repo-id", CRANE]] {
        pull_all(&sandbox, &url, flag).fails(2);
    }
    for flag in [&["--only", "x"][..], &["--prune"]] {
        sandbox.cce(".", &[&["sync", "pull", "--remote", &url, "--into", "x"], flag].concat()).fails(2);
    }
}

#[test]
fn a_remote_that_is_empty_or_away_changes_nothing() {
    let (sandbox, url) = harbour();
    let empty = sandbox.remote("empty.git");
    let said = pull_all(&sandbox, &empty, &[]).fails(3);
    assert!(said.contains("nothing is published"), "{said}");
    assert!(!sandbox.path("ws").exists());
    pull_all(&sandbox, &url, &[]).succeeds();
    let before = everything(&sandbox.path("ws"));
    fs::rename(sandbox.path("remote.git"), sandbox.path("away.git")).unwrap();
    pull_all(&sandbox, &url, &["--prune"]).fails(4);
    assert_eq!(everything(&sandbox.path("ws")), before);
}

#[test]
fn two_pulls_at_once_do_not_disturb_each_other() {
    let (sandbox, url) = harbour();
    let pulls: Vec<i32> = std::thread::scope(|scope| {
        let pulls: Vec<_> = (0..3).map(|_| scope.spawn(|| pull_all(&sandbox, &url, &[]).code)).collect();
        pulls.into_iter().map(|pull| pull.join().unwrap()).collect()
    });
    assert_eq!(pulls, [0, 0, 0]);
    assert_eq!(sandbox.cce("ws", &["sync", "verify"]).succeeds().lines().count(), 3);
    assert!(pull_all(&sandbox, &url, &[]).succeeds().contains("nothing new"));
}

/// Whenever a run is cut off, the next one brings the rest.
#[test]
fn a_pull_that_was_cut_off_is_completed_by_the_next() {
    let (sandbox, url) = harbour();
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_cce"));
    program.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", sandbox.path("home"));
    program.env("CCE_HOME", sandbox.path("cce-home")).current_dir(sandbox.path("."));
    let mut child = program.args(["sync", "pull", "--all", "--remote", &url, "--into", "ws"]).spawn().unwrap();
    while !store(&sandbox, CRANE).join("current").exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = sandbox.cce("ws", &["search", "lift_container", "--json"]);
    assert_eq!(first_place(&serde_json::from_str(&ran.succeeds()).unwrap()).0, CRANE);
    pull_all(&sandbox, &url, &[]).succeeds();
    assert_eq!(sandbox.cce("ws", &["sync", "verify"]).succeeds().lines().count(), 3);

    // The state between two members, made for certain.
    fs::remove_dir_all(store(&sandbox, TIDE)).unwrap();
    let path = sandbox.path("ws/.cce/workspace.json");
    let mut file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    file["members"].as_array_mut().unwrap().iter_mut().for_each(|member| member["artifact"] = Value::Null);
    fs::remove_file(&path).unwrap();
    fs::write(&path, serde_json::to_vec(&file).unwrap()).unwrap();
    let ran = sandbox.cce("ws", &["search", "lift_container"]);
    assert!(ran.code == 0 && ran.err.contains(&format!("`{TIDE}` has no index yet")), "{}", ran.err);
    let said = sandbox.cce("ws", &["sync", "verify"]);
    assert!(said.code == 3 && said.out.contains(&format!("damaged: {TIDE}: it has no index")), "{}", said.out);
    let said = sandbox.cce("ws", &["show", &format!("{TIDE}:README.md")]).fails(3);
    assert!(said.contains("no index yet"), "{said}");
    let completed = pull_all_json(&sandbox, &url, &[]);
    assert_eq!(outcomes(&completed), [(CRANE, "unchanged"), (TIDE, "new"), (OFFICE, "unchanged")]);
    assert_eq!(completed["artifacts_fetched"], 0, "what was fetched is not fetched again");
}

#[test]
fn a_damaged_member_is_named_by_verify_left_out_of_search_and_healed_by_pull() {
    let (sandbox, url) = harbour();
    pull_all(&sandbox, &url, &[]).succeeds();
    let intact = sandbox.cce("ws", &["sync", "verify", "--offline"]).succeeds();
    assert!(intact.lines().all(|line| line.starts_with("intact: ")), "{intact}");
    damage(&index_file(&store(&sandbox, TIDE)));
    let ran = sandbox.cce("ws", &["sync", "verify", "--offline", "--json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["schema"], "cce.verify_all/1");
    let results: Vec<_> =
        document["members"].as_array().unwrap().iter().map(|member| member["result"].clone()).collect();
    assert_eq!(results, ["intact", "damaged", "intact"]);
    let said = sandbox.cce("ws", &["sync", "verify"]).out;
    assert!(said.lines().nth(1).unwrap().starts_with(&format!("damaged: {TIDE}: ")), "{said}");
    assert_eq!(outcomes(&pull_all_json(&sandbox, &url, &[]))[1], (TIDE, "updated"));
    sandbox.cce("ws", &["sync", "verify"]).succeeds();

    let index = index_file(&store(&sandbox, TIDE));
    fs::remove_file(&index).unwrap();
    fs::write(&index, "no index").unwrap();
    let found = sandbox.json("ws", &["search", "lift_container", "--json"]);
    assert_eq!(first_place(&found).0, CRANE);
    assert!(found["notices"].to_string().contains(&format!("`{TIDE}` does not answer")), "{found}");
    sandbox.cce("ws", &["search", "tide", "--repo", TIDE]).fails(3);
    // Another repository's index in its place.
    fs::remove_dir_all(store(&sandbox, TIDE)).unwrap();
    fs::rename(store(&sandbox, OFFICE), store(&sandbox, TIDE)).unwrap();
    let said = sandbox.cce("ws", &["sync", "verify"]);
    assert!(said.code == 3 && said.out.contains(&format!("its index is of {OFFICE}")), "{}", said.out);
    assert_eq!(
        outcomes(&pull_all_json(&sandbox, &url, &[])),
        [(CRANE, "unchanged"), (TIDE, "updated"), (OFFICE, "updated")]
    );
    sandbox.cce("ws", &["sync", "verify"]).succeeds();
    for arguments in [["--commit", "x"], ["--remote", &url], ["--repo-id", TIDE]] {
        sandbox.cce("ws", &[&["sync", "verify"], &arguments[..]].concat()).fails(2);
    }
}

#[test]
fn repo_narrows_a_search_and_slips_are_answered() {
    let (sandbox, url) = harbour();
    pull_all(&sandbox, &url, &[]).succeeds();
    let repos = |arguments: &[&str]| -> BTreeSet<String> {
        let found = sandbox.json("ws", &[&["search", "ship lifts tide", "--json"], arguments].concat());
        let results = found["results"].as_array().unwrap().iter();
        results.map(|hit| hit["repo_id"].as_str().unwrap().to_owned()).collect()
    };
    let set = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(repos(&[]), set(&[TIDE, CRANE, OFFICE]));
    assert_eq!(repos(&["--repo", CRANE]), set(&[CRANE]));
    assert_eq!(repos(&["--repo", "example.com/harbour/*"]), set(&[TIDE, CRANE]));
    assert_eq!(repos(&["--repo", "crane", "--repo", "desk"]), set(&[CRANE, OFFICE]));
    assert_eq!(repos(&["--repo", "!tide"]), set(&[CRANE, OFFICE]));
    let said = sandbox.cce("ws", &["search", "ship", "--repo", "example.com/harbour/cran"]).fails(2);
    assert!(said.contains(&format!("did you mean `{CRANE}`")), "{said}");
    let said = sandbox.cce("tide", &["search", "ship", "--repo", TIDE]).fails(2);
    assert!(said.contains("workspace"), "{said}");
}

#[test]
fn show_prints_what_the_index_holds() {
    let (sandbox, url) = harbour();
    let token = ["gh", "p_", "Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0LzXcVb"].concat();
    let odd = "one\r\n\u{1b}[31mtwo\nthree";
    let files = [
        ("deploy.sh", format!("export API_TOKEN={token}\n")),
        ("we:ird:2.txt", odd.to_owned()),
        ("a:1", "a:1\n".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    publish(&sandbox, &url, "crane", CRANE, &files);
    pull_all(&sandbox, &url, &[]).succeeds();
    for (directory, repo) in [("crane", String::new()), ("crane", format!("{CRANE}:")), ("ws", format!("{CRANE}:"))] {
        // In a checkout the id in front needs a project that knows its own.
        sandbox.write("crane/cce.toml", format!("repo_id = \"{CRANE}\"\n"));
        sandbox.commit("crane", "named");
        let show = |place: &str| sandbox.cce(directory, &["show", &format!("{repo}{place}")]);
        assert_eq!(
            show("deploy.sh").succeeds(),
            "export API_TOKEN=[REDACTED:github-token]\n".replace("github-token", &marker(&show("deploy.sh").out))
        );
        assert_eq!(
            show("./src/crane.rs:2-3").succeeds(),
            "pub fn lift_container(weight: u32) -> u32 {\n    weight + 1\n"
        );
        assert_eq!(show("we:ird:2.txt").succeeds(), odd, "to the byte into a pipe");
        assert_eq!(show("we:ird:2.txt:2").succeeds(), "\u{1b}[31mtwo\n");
        assert_eq!(show("a:1").succeeds(), "a:1\n", "a whole name counts before lines");
        assert_eq!(show("a:1:1").succeeds(), "a:1\n");
        let said = show("src/crane.rs:4-9").fails(2);
        assert!(said.contains("has 4 lines"), "{said}");
        show("src/crane.rs:0").fails(2);
        show("src/crane.rs:3-2").fails(2);
        let said = show("src/cranes.rs:1-2").fails(1);
        assert!(said.contains("near it are `src/crane.rs`"), "{said}");
        let said = show("src").fails(1);
        assert!(said.contains("directory") && said.contains("src/crane.rs"), "{said}");
        let shown = sandbox.json(directory, &["show", &format!("{repo}src/crane.rs:1-1"), "--json"]);
        assert_eq!(shown["schema"], "cce.show/1");
        assert_eq!((&shown["repo_id"], &shown["lines"], &shown["end_line"]), (&CRANE.into(), &4.into(), &1.into()));
        assert_eq!(shown["text"], "/// Lifts a container off the ship.\n");
    }
    let said = sandbox.cce("ws", &["show", &format!("{TIDE}:logo.png")]).fails(1);
    assert!(said.contains("binary"), "{said}");
    let absent = sandbox.cce("ws", &["show", "--json", &format!("{TIDE}:readme.md")]);
    let document: Value = serde_json::from_str(&absent.out).unwrap();
    assert_eq!((absent.code, &document["text"], &document["nearest"][0]), (1, &Value::Null, &"README.md".into()));
    let said = sandbox.cce("ws", &["show", "example.com/harbour/tid:README.md"]).fails(2);
    assert!(said.contains(&format!("did you mean `{TIDE}`")), "{said}");
    for empty in [CRANE, &format!("{CRANE}:"), ""] {
        sandbox.cce("ws", &["show", empty]).fails(2);
    }
    let said = sandbox.cce("ws", &["show", "harbour:README.md"]).fails(2);
    assert!(said.contains("several"), "{said}");
    let said = sandbox.cce("crane", &["show", r"C:\src\crane.rs"]).fails(1);
    assert!(said.contains("there is no"), "{said}");
    let old = sandbox.cce("crane", &["show", "NOTES.md:1", "--at", "HEAD~1"]).succeeds();
    assert_eq!(old, "# Crane\n");
}

/// The kind that stands in the marker of a shown text.
fn marker(text: &str) -> String {
    let start = text.find("[REDACTED:").unwrap_or_else(|| panic!("no marker in {text}")) + "[REDACTED:".len();
    text[start..].split(']').next().unwrap().to_owned()
}
