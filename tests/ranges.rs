//! Whole histories are published in one go, and each artifact is what a push of its commit gives.

mod sandbox;

use std::collections::BTreeSet;
use std::fmt::Write;

use sandbox::{Ran, Sandbox};

const ID: &str = "example.com/acme/billing";
const REFS: &str = "refs/cce/hash/3.0/example.com%2Facme%2Fbilling";
const FILES: usize = 12;

/// A repository `r` with a long history, and a remote `origin.git`.
fn history(commits: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    let url = sandbox.remote("origin.git");
    for setting in ["uploadpack.allowFilter", "receive.fsckObjects"] {
        sandbox.git("origin.git", &["config", setting, "true"]);
    }
    sandbox.repository("r");
    let mut stream = String::new();
    for number in 0..commits {
        let data = |text: &str| format!("data {}\n{text}\n", text.len());
        let person = format!("A <a@example.com> {} +0000", 1_700_000_000 + number);
        write!(stream, "commit refs/heads/main\ncommitter {person}\n{}", data(&format!("c{number}"))).unwrap();
        let changed = if number == 0 { 0..FILES } else { number % FILES..number % FILES + 1 };
        for file in changed {
            let text = format!("/// Number {number}.\npub fn f{file}_{number}() {{}}\n");
            write!(stream, "M 100644 inline src/m{}/f{file}.rs\n{}", file % 3, data(&text)).unwrap();
        }
    }
    let imported = sandbox
        .program("git")
        .current_dir(sandbox.path("r"))
        .args(["fast-import", "--quiet"])
        .write_stdin(stream)
        .output();
    assert!(imported.unwrap().status.success());
    sandbox.git("r", &["reset", "-q", "--hard"]);
    sandbox.git("r", &["remote", "add", "origin", &url]);
    sandbox.git("r", &["push", "-q", "origin", "main"]);
    keep(&sandbox, 0);
    sandbox
}

fn keep(sandbox: &Sandbox, newest: u32) {
    sandbox.cce("r", &["config", "set", "--user", "sync.keep", &newest.to_string()]).succeeds();
}

fn push(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.cce("r", &[&["sync", "push", "--repo-id", ID], arguments].concat())
}

#[track_caller]
fn push_json(sandbox: &Sandbox, arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&push(sandbox, &[arguments, &["--json"]].concat()).succeeds()).unwrap()
}

/// The source commits published on a remote.
fn published(sandbox: &Sandbox, remote: &str) -> BTreeSet<String> {
    let names = sandbox.git(remote, &["for-each-ref", "--format=%(refname)", &format!("{REFS}/commits")]);
    names.lines().filter_map(|name| Some(name.rsplit_once('/')?.1.to_owned())).collect()
}

fn pointed(sandbox: &Sandbox, pointer: &str) -> String {
    let format = "--format=%(trailers:key=Source-Commit,valueonly,separator=)";
    sandbox.git("origin.git", &["log", "-1", format, &format!("{REFS}/{pointer}")])
}

/// Tree and checksum of the artifact of `sha` on a remote.
fn artifact(sandbox: &Sandbox, remote: &str, sha: &str) -> String {
    let format = "--format=%T %at %(trailers:key=Checksum,valueonly,separator=)";
    sandbox.git(remote, &["log", "-1", format, &format!("{REFS}/commits/{sha}")])
}

fn commits(sandbox: &Sandbox, range: &str) -> Vec<String> {
    let text = sandbox.git("r", &["rev-list", "--first-parent", "--reverse", range]);
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_history_of_three_hundred_commits_is_published_in_one_go() {
    let sandbox = history(300);
    let shas = commits(&sandbox, "main");
    let said = push_json(&sandbox, &["--all-history"]);
    assert_eq!(said["schema"], "cce.push-range/1");
    assert_eq!((&said["commits"], &said["created"], &said["already"]), (&300.into(), &300.into(), &0.into()), "{said}");
    // Each file that differs is read once, whatever the number of commits that hold it.
    assert_eq!(said["files_read"], 299 + FILES as u64, "{said}");
    assert_eq!((&said["since"], &said["last"]["pointer"]), (&serde_json::Value::Null, &"created".into()), "{said}");
    assert_eq!(published(&sandbox, "origin.git"), shas.iter().cloned().collect());
    assert_eq!((&pointed(&sandbox, "heads/main"), &pointed(&sandbox, "default")), (&shas[299], &shas[299]));
    sandbox.git("origin.git", &["fsck", "--strict", "--full"]);
    let chains = sandbox.git(
        "origin.git",
        &["for-each-ref", "--format=%(contents:trailers:key=Chain,valueonly,separator=)", &format!("{REFS}/commits")],
    );
    let chains: Vec<u32> = chains.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!((chains.iter().max(), chains.iter().filter(|chain| **chain == 1).count()), (Some(&64), 5));
    // A push of one commit, from elsewhere to elsewhere, gives the same.
    let other = sandbox.remote("other.git");
    for sha in [&shas[0], &shas[150], &shas[299]] {
        push(&sandbox, &["--remote", &other, "--commit", sha, "--branch", "main"]).succeeds();
        assert_eq!(artifact(&sandbox, "origin.git", sha), artifact(&sandbox, "other.git", sha));
        let into = format!("consumer-{sha}");
        let url = sandbox.url("origin.git");
        sandbox.cce(".", &["sync", "pull", "--remote", &url, "--commit", sha, "--into", &into]).succeeds();
        sandbox.cce(&into, &["sync", "verify", "--offline"]).succeeds();
    }
    // Once more: there is nothing to do, and nothing is read but the last commit.
    let said = push(&sandbox, &["--all-history"]).succeeds();
    let expected = format!("published {ID}@{}: 300 commits, 0 new, 300 there already; 0 B sent to ", &shas[299][..12]);
    assert!(said.starts_with(&expected) && said.contains("pointer main names it already"), "{said}");
}

/// What would be removed at once is not published, and what is older goes.
#[test]
fn a_range_keeps_no_more_than_a_branch_may_have() {
    let sandbox = history(8);
    let shas = commits(&sandbox, "main");
    keep(&sandbox, 3);
    let said = push_json(&sandbox, &["--all-history", "--commit", "main~4", "--branch", "main"]);
    assert_eq!((&said["commits"], &said["created"], &said["removed"]), (&3.into(), &3.into(), &0.into()), "{said}");
    let notices = said["notices"].to_string();
    assert!(notices.contains("has 4 commits") && notices.contains("newest 3"), "{said}");
    assert_eq!(published(&sandbox, "origin.git"), shas[1..4].iter().cloned().collect());
    let ran = push(&sandbox, &["--since", "main~2"]);
    assert_eq!(ran.err, "");
    let said = ran.succeeds();
    assert!(said.contains("2 commits, 2 new") && said.contains("removed 2 older artifacts (`sync.keep`)"), "{said}");
    assert_eq!(published(&sandbox, "origin.git"), [&shas[3], &shas[6], &shas[7]].map(Clone::clone).into());
    sandbox.git("origin.git", &["fsck", "--strict", "--full"]);
}

#[test]
fn a_range_begins_after_its_start_and_follows_first_parents() {
    let sandbox = history(4);
    sandbox.git("r", &["checkout", "-q", "-b", "side"]);
    sandbox.write("r/side.rs", "fn side() {}\n");
    let side = sandbox.commit("r", "side");
    sandbox.git("r", &["checkout", "-q", "main"]);
    sandbox.write("r/main.rs", "fn main() {}\n");
    sandbox.commit("r", "main goes on");
    sandbox.git("r", &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    sandbox.git("r", &["push", "-q", "origin", "main"]);
    let said = push(&sandbox, &["--since", "main~3"]).succeeds();
    assert!(said.contains("3 commits, 3 new, 0 there already"), "{said}");
    let expected = commits(&sandbox, "main~3..main");
    assert_eq!(published(&sandbox, "origin.git"), expected.iter().cloned().collect());
    assert!(!published(&sandbox, "origin.git").contains(&side));
    assert_eq!(pointed(&sandbox, "heads/main"), expected[2]);
    // What is older is added later, and the pointer stays where it is.
    let said = push_json(&sandbox, &["--all-history"]);
    assert_eq!((&said["commits"], &said["created"], &said["already"]), (&6.into(), &3.into(), &3.into()), "{said}");
    let said = push_json(&sandbox, &["--all-history", "--commit", "main~4"]);
    assert_eq!((&said["created"], &said["last"]["pointer"]), (&0.into(), &"stays".into()), "{said}");
    assert_eq!(pointed(&sandbox, "heads/main"), expected[2]);
    // A range without a commit is no failure.
    let said = push(&sandbox, &["--since", "main"]).succeeds();
    assert!(said.starts_with("nothing to publish"), "{said}");
    let said = push_json(&sandbox, &["--since", "main"]);
    assert_eq!((&said["commits"], &said["last"]), (&0.into(), &serde_json::Value::Null), "{said}");
}

/// A file that goes, comes back, changes its attributes or is left out is what it is in
/// each commit.
#[test]
fn what_is_kept_from_commit_to_commit_is_no_more_than_may_be() {
    let sandbox = history(2);
    let steps: &[(&str, &str)] = &[
        ("src/a.rs", "fn a() {}\n"),
        ("src/a.rs", "fn b() {}\n"),
        ("src/a.rs", "fn a() {}\n"),
        (".gitattributes", "*.rs linguist-generated\n"),
        ("image.bin", "\0\0"),
        ("src/b.rs", "fn a() {}\n"),
        (".gitattributes", "src/a.rs cce-ignore\n"),
        ("cce.toml", "[language.extensions]\nrs = \"text\"\n"),
        ("cce.toml", "[index]\n"),
        ("image.bin", "text\n"),
        ("key.txt", concat!("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPx", "RfiCYzzzzzzzzKEY\n")),
    ];
    for (path, text) in steps {
        sandbox.write(&format!("r/{path}"), text);
        sandbox.commit("r", path);
    }
    sandbox.git("r", &["rm", "-q", "src/b.rs"]);
    sandbox.commit("r", "gone");
    sandbox.git("r", &["push", "-q", "origin", "main"]);
    let ran = push(&sandbox, &["--all-history"]);
    let other = sandbox.remote("other.git");
    let shas = commits(&sandbox, "main");
    let mut same = 0;
    for sha in &shas {
        let alone = push(&sandbox, &["--remote", &other, "--commit", sha, "--branch", "main", "--force"]);
        assert_eq!(alone.code == 0, published(&sandbox, "origin.git").contains(sha), "{sha}: {}{}", alone.err, ran.err);
        if alone.code == 0 {
            assert_eq!(artifact(&sandbox, "origin.git", sha), artifact(&sandbox, "other.git", sha), "{sha}");
            same += 1;
        }
    }
    assert!(same > 10 && ran.err.contains("secrets replaced: "), "{same} {}", ran.err);
}

/// A commit of long ago that cannot be indexed holds up no other.
#[test]
fn what_cannot_be_built_is_left_out_and_told() {
    let sandbox = history(2);
    sandbox.write("r/cce.toml", "nonsense = 1\n");
    let bad = sandbox.commit("r", "bad");
    sandbox.write("r/cce.toml", "");
    let good = sandbox.commit("r", "good");
    sandbox.git("r", &["push", "-q", "origin", "main"]);
    let ran = push(&sandbox, &["--all-history"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("4 commits, 3 new, 0 there already, 1 left out"), "{}", ran.out);
    assert!(ran.err.contains(&format!("{} is left out: ", &bad[..12])) && ran.err.contains("nonsense"), "{}", ran.err);
    assert_eq!(pointed(&sandbox, "heads/main"), good);
    let ran = push(&sandbox, &["--all-history", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &said["left_out"][0]["sha"]), (1, &bad.as_str().into()), "{said}");
    // The last commit is the one that was asked for.
    push(&sandbox, &["--all-history", "--commit", &bad]).fails(2);
}

#[cfg(unix)]
#[test]
fn a_run_that_was_interrupted_goes_on() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = history(150);
    // The second push is refused.
    let hook = "#!/bin/sh\nif [ -e seen ]; then exit 1; fi\ntouch seen\n";
    sandbox.write("origin.git/hooks/pre-receive", hook);
    let path = sandbox.path("origin.git/hooks/pre-receive");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let said = push(&sandbox, &["--all-history"]).fails(4);
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    let first = published(&sandbox, "origin.git");
    assert_eq!(first.len(), 64);
    assert!(commits(&sandbox, "main")[..64].iter().all(|sha| first.contains(sha)));
    std::fs::remove_file(path).unwrap();
    let said = push_json(&sandbox, &["--all-history"]);
    assert_eq!((&said["created"], &said["already"]), (&86.into(), &64.into()), "{said}");
    assert_eq!(published(&sandbox, "origin.git").len(), 150);
    sandbox.git("origin.git", &["fsck", "--strict", "--full"]);
}

#[test]
fn a_history_that_is_cut_off_is_said_to_be() {
    let sandbox = history(6);
    let url = sandbox.url("origin.git");
    sandbox.git(".", &["clone", "-q", "--depth=2", &url, "shallow"]);
    let shas = commits(&sandbox, "main");
    let push = |arguments: &[&str]| sandbox.cce("shallow", &[&["sync", "push", "--repo-id", ID], arguments].concat());
    for start in [&["--all-history"][..], &["--since", &shas[1]]] {
        let said = push(start).fails(2);
        assert!(said.contains("shallow"), "{said}");
    }
    let said = push(&["--since", "HEAD~1"]).succeeds();
    assert!(said.contains("1 commit, 1 new"), "{said}");
    let said = push(&["--since", "HEAD", "--all-history"]).fails(2);
    assert!(said.contains("--all-history"), "{said}");
    push(&["--since", "no-such"]).fails(2);
}

/// What this clone lacks is no reason to leave a commit out.
#[test]
fn what_is_missing_here_fails() {
    let sandbox = history(5);
    let url = sandbox.url("origin.git");
    sandbox.git(".", &["clone", "-q", "--no-checkout", "--filter=blob:none", &url, "partial"]);
    let ran = sandbox.cce("partial", &["sync", "push", "--repo-id", ID, "--all-history"]);
    let said = ran.fails(3);
    assert!(!said.contains("left out") && said.contains("blob"), "{said}");
    assert_eq!(published(&sandbox, "origin.git"), BTreeSet::new());
}

/// Two machines publish the same range at once: both end well, with one artifact a commit.
#[test]
fn racing_ranges_end_well() {
    let sandbox = history(90);
    sandbox.git(".", &["clone", "-q", &sandbox.url("origin.git"), "twin"]);
    let run = |directory: &str| {
        let mut command = sandbox.program(env!("CARGO_BIN_EXE_cce"));
        command.current_dir(sandbox.path(directory)).env("CCE_HOME", sandbox.path(&format!("{directory}-home")));
        command.args(["sync", "push", "--repo-id", ID, "--all-history", "--json"]).output().unwrap().into()
    };
    let (one, two): (Ran, Ran) = std::thread::scope(|scope| {
        let one = scope.spawn(|| run("r"));
        let two = run("twin");
        (one.join().unwrap(), two)
    });
    for ran in [one, two] {
        let said: serde_json::Value = serde_json::from_str(&ran.succeeds()).unwrap();
        assert_eq!(said["created"].as_u64().unwrap() + said["already"].as_u64().unwrap(), 90, "{said}");
    }
    assert_eq!(published(&sandbox, "origin.git").len(), 90);
    sandbox.git("origin.git", &["fsck", "--strict", "--full"]);
}
