//! The hooks of `docs/ci` at work, and what they leave as it was.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "a test stands outside the program")]

mod sandbox;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sandbox::Sandbox;

const ID: &str = "example.com/acme/billing";
const REFS: &str = "refs/cce/hash/3.0/example.com%2Facme%2Fbilling";

/// A bare `origin.git` and the checkout `r` with one commit, which names the repository.
fn stage() -> Sandbox {
    let sandbox = Sandbox::new();
    let url = sandbox.remote("origin.git");
    sandbox.repository("r");
    sandbox.write("r/cce.toml", format!("repo_id = \"{ID}\"\n"));
    sandbox.write("r/main.rs", "fn main() {}\n");
    sandbox.commit("r", "first");
    sandbox.git("r", &["remote", "add", "origin", &url]);
    sandbox.git("r", &["push", "-q", "origin", "main"]);
    sandbox
}

/// Installs the script of that name as a hook. The binary stands first on the hook's path.
fn install(sandbox: &Sandbox, name: &str, hooks: &str) {
    let script = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci").join(name)).unwrap();
    assert!(script.starts_with("#!/bin/sh\n"), "{name}");
    let file = format!("{hooks}/{name}");
    sandbox.write(&file, script);
    fs::set_permissions(sandbox.path(&file), fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs git with the binary on the path, and gives what it printed.
#[track_caller]
fn git(sandbox: &Sandbox, directory: &str, arguments: &[&str]) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_cce")).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths([binary].into_iter().chain(std::env::split_paths(&path))).unwrap();
    let mut command = sandbox.program("git");
    let output = command.current_dir(sandbox.path(directory)).env("PATH", path).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {arguments:?}: {said}");
    said
}

fn head(sandbox: &Sandbox, directory: &str) -> String {
    sandbox.git(directory, &["rev-parse", "HEAD"])
}

/// The source commit that a pointer on `origin.git` names.
#[track_caller]
fn pointed(sandbox: &Sandbox, pointer: &str) -> String {
    let format = "--format=%(trailers:key=Source-Commit,valueonly,separator=)";
    sandbox.git("origin.git", &["log", "-1", format, &format!("{REFS}/{pointer}")])
}

fn exists(sandbox: &Sandbox, name: &str) -> bool {
    !sandbox.git("origin.git", &["for-each-ref", &format!("{REFS}/{name}")]).is_empty()
}

/// Everything below a git directory that people own, but for objects and what a push itself
/// writes of its remote.
fn owned(directory: &Path, below: &str, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(directory.join(below.trim_start_matches('/'))).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}/{}", entry.file_name().to_str().unwrap());
        if ["/objects", "/refs/remotes", "/logs/refs/remotes"].contains(&name.as_str()) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            owned(directory, &name, found);
        } else {
            found.push((name, fs::read(entry.path()).unwrap()));
        }
    }
}

fn state(sandbox: &Sandbox, git_directory: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    owned(&sandbox.path(git_directory), "", &mut found);
    found.sort();
    found
}

#[test]
fn what_a_bare_repository_receives_is_published_in_it() {
    let sandbox = stage();
    install(&sandbox, "post-receive", "origin.git/hooks");
    sandbox.write("r/lib.rs", "fn lib() {}\n");
    let second = sandbox.commit("r", "second");
    sandbox.git("r", &["tag", "v1"]);
    let heads = |sandbox: &Sandbox| sandbox.git("origin.git", &["for-each-ref", "refs/heads", "refs/tags"]);
    let said = git(&sandbox, "r", &["push", "origin", "main", "main:topic/a", "v1"]);
    assert!(said.contains(&format!("published {ID}@{}", &second[..12])), "{said}");
    assert!(said.contains("is published already"), "{said}");
    for pointer in ["heads/main", "heads/topic%2Fa", "default"] {
        assert_eq!(pointed(&sandbox, pointer), second, "{pointer}");
    }
    assert!(!exists(&sandbox, "heads/v1"));
    assert_eq!(heads(&sandbox).lines().count(), 3);
    // The branch that is forced takes its pointer along: the repository itself says what is its tip.
    sandbox.git("r", &["commit", "-q", "--amend", "-m", "other"]);
    let said = git(&sandbox, "r", &["push", "--force", "origin", "main"]);
    assert!(said.contains("pointer main moved here"), "{said}");
    assert_eq!(pointed(&sandbox, "heads/main"), head(&sandbox, "r"));
    assert_eq!(pointed(&sandbox, "default"), head(&sandbox, "r"));
    // What is deleted is not published.
    let said = git(&sandbox, "r", &["push", "origin", ":topic/a"]);
    assert!(!said.contains("published"), "{said}");
    assert_eq!(pointed(&sandbox, "heads/topic%2Fa"), second);
    sandbox.git("origin.git", &["fsck", "--strict"]);
}

#[test]
fn a_push_from_a_linked_worktree_publishes_and_leaves_everything_as_it_was() {
    let sandbox = stage();
    install(&sandbox, "pre-push", "r/.git/hooks");
    sandbox.git("r", &["worktree", "add", "-q", "-b", "topic", "../tree"]);
    sandbox.write("tree/topic.rs", "fn topic() {}\n");
    let sha = sandbox.commit("tree", "topic");
    // A change that is staged, one that is not, and one elsewhere.
    sandbox.write("tree/staged.rs", "fn staged() {}\n");
    sandbox.git("tree", &["add", "staged.rs"]);
    sandbox.write("tree/main.rs", "fn changed() {}\n");
    sandbox.write("r/main.rs", "fn changed_here() {}\n");
    // It may write the index, so it comes first.
    let status = sandbox.git("tree", &["status", "--porcelain"]);
    let before = state(&sandbox, "r/.git");
    let said = git(&sandbox, "tree", &["push", "origin", "topic"]);
    assert_eq!(pointed(&sandbox, "heads/topic"), sha, "{said}");
    assert!(before == state(&sandbox, "r/.git"), "the hook changed the repository");
    assert_eq!(sandbox.git("tree", &["status", "--porcelain"]), status);
    assert_eq!(sandbox.git("r", &["for-each-ref", "refs/cce"]), "");
    let files = sandbox.git("origin.git", &["ls-tree", "-r", "--name-only", &format!("{REFS}/heads/topic")]);
    assert!(files.contains("_topic.rs") && !files.contains("_staged.rs"), "{files}");
}

#[test]
fn a_hook_that_fails_holds_up_no_push() {
    let sandbox = stage();
    install(&sandbox, "pre-push", "r/.git/hooks");
    sandbox.write("r/cce.toml", "nonsense = 1\n");
    let sha = sandbox.commit("r", "bad");
    let said = git(&sandbox, "r", &["push", "origin", "main"]);
    assert!(said.contains("nonsense"), "{said}");
    assert_eq!(sandbox.git("origin.git", &["rev-parse", "main"]), sha);
    assert!(!exists(&sandbox, "commits"));
}

/// Whatever git or its caller set for a hook, the commit that was named is published.
#[test]
fn variables_for_hooks_lead_nothing_astray() {
    let sandbox = stage();
    let sha = head(&sandbox, "r");
    sandbox.repository("elsewhere");
    sandbox.write("elsewhere/secret.rs", "fn elsewhere() {}\n");
    sandbox.commit("elsewhere", "other");
    let before = (state(&sandbox, "r/.git"), state(&sandbox, "elsewhere/.git"));
    let elsewhere = |name: &str| sandbox.path(&format!("elsewhere/{name}"));
    let mut command = sandbox.program(env!("CARGO_BIN_EXE_cce"));
    command
        .current_dir(sandbox.path("r"))
        .args(["sync", "push"])
        .env("GIT_DIR", elsewhere(".git"))
        .env("GIT_WORK_TREE", elsewhere(""))
        .env("GIT_INDEX_FILE", elsewhere(".git/index"))
        .env("GIT_OBJECT_DIRECTORY", elsewhere(".git/objects"))
        .env("GIT_COMMON_DIR", elsewhere(".git"))
        .env("GIT_QUARANTINE_PATH", elsewhere("quarantine"))
        .env("GIT_PREFIX", "src/")
        .env("GIT_NAMESPACE", "elsewhere")
        .env("GIT_LITERAL_PATHSPECS", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(pointed(&sandbox, "heads/main"), sha);
    assert!(before == (state(&sandbox, "r/.git"), state(&sandbox, "elsewhere/.git")));
}

/// What the workflow files run is understood, and they use nothing but the checkout.
#[test]
fn workflow_files_run_commands_that_exist() {
    let sandbox = Sandbox::new();
    for (name, publishes) in [("github.yml", 1), ("gitlab.yml", 1)] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci").join(name)).unwrap();
        let lines = || text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        let commands: Vec<&str> = lines()
            .filter_map(|line| line.strip_prefix("- run: ").or(line.strip_prefix("- ")))
            .filter(|line| line.starts_with("cce "))
            .collect();
        assert_eq!(commands.iter().filter(|line| line.contains("sync push")).count(), publishes, "{name}");
        assert!(commands.contains(&"cce index"), "{name}");
        for command in commands {
            let words = command.split(" #").next().unwrap().split_whitespace().skip(1);
            let words: Vec<&str> = words.map(|word| word.trim_matches('"')).chain(["--help"]).collect();
            sandbox.cce(".", &words).succeeds();
        }
        let uses: Vec<&str> = lines().filter_map(|line| line.strip_prefix("- uses: ")).collect();
        assert!(uses.iter().all(|action| action.starts_with("actions/checkout@")), "{name}: {uses:?}");
        assert!(lines().filter(|line| line.starts_with("contents: write")).count() <= 1, "{name}");
    }
}
