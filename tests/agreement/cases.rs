//! Cases that were once decided in another way than git decides them.

use std::fs;
use std::time::Duration;

use crate::dirty::{gist, shown};
use crate::sandbox::lab::{self, Lab, of_commit, of_work_tree, paths, zero_separated};
use crate::sandbox::{Ran, Sandbox};

/// How many bytes `new` has as it would be stored, asked of the program.
fn stored_bytes(sandbox: &Sandbox, environment: &[(&str, &str)]) -> u64 {
    let mut command = sandbox.program(env!("CARGO_BIN_EXE_cce"));
    command.current_dir(sandbox.path("r")).envs(environment.iter().copied()).args(["why", "--json", "new"]);
    let ran: Ran = command.output().unwrap().into();
    let document: serde_json::Value = serde_json::from_str(&ran.succeeds()).unwrap();
    document["paths"][0]["text_bytes"].as_u64().unwrap()
}

#[test]
fn settings_count_wherever_git_takes_them_from() {
    let sandbox = Sandbox::new();
    sandbox.repository("r");
    sandbox.write("r/new", "one\r\ntwo\r\n");
    assert_eq!(stored_bytes(&sandbox, &[]), 10);
    let counted = [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "core.autocrlf"), ("GIT_CONFIG_VALUE_0", "true")];
    assert_eq!(stored_bytes(&sandbox, &counted), 8);
    assert_eq!(stored_bytes(&sandbox, &[("GIT_CONFIG_PARAMETERS", "'core.autocrlf'='input'")]), 8);

    sandbox.write("home/.gitconfig", "[includeIf \"hasconfig:remote.*.url:https://example.com/**\"]\npath = work\n");
    sandbox.write("home/work", "[core]\nautocrlf = true\n");
    assert_eq!(stored_bytes(&sandbox, &[]), 10);
    sandbox.git("r", &["remote", "add", "origin", "https://example.com/a/b"]);
    assert_eq!(stored_bytes(&sandbox, &[]), 8);

    sandbox.write("home/.gitconfig", "[includeIf \"gitdir:**/r/\"]\npath = work\n");
    assert_eq!(stored_bytes(&sandbox, &[]), 8);
    sandbox.write("home/.gitconfig", "[core]\nexcludesFile = ~/ignored\n");
    assert_eq!(stored_bytes(&sandbox, &[]), 10);
    sandbox.write("home/ignored", "new\n");
    assert_eq!(sandbox.cce("r", &["why", "new"]).code, 1);
    sandbox.write("home/.gitconfig", "");
    sandbox.write("home/.config/git/ignore", "new\n");
    assert_eq!(sandbox.cce("r", &["why", "new"]).code, 1);
}

#[test]
fn a_changed_file_keeps_the_line_ends_that_are_stored() {
    let lab = Lab::new();
    let root = lab.repository("r");
    lab::write(&root, "crlf", "one\r\n");
    lab::write(&root, "lf", "one\n");
    lab.commit(&root);
    lab.git(&root, &["config", "core.autocrlf", "true"]);
    for path in ["crlf", "lf", "new"] {
        lab::write(&root, path, "two, and longer\r\n");
    }
    let listed = of_work_tree(&root);
    let text = |path| lab::text(&listed, path);
    assert_eq!(
        [text("crlf"), text("lf"), text("new")],
        ["two, and longer\r\n", "two, and longer\n", "two, and longer\n"]
    );
    lab.commit(&root);
    assert_eq!(gist(&of_commit(&root)), gist(&listed));
}

#[test]
fn attributes_of_a_deleted_file_convert_still() {
    let lab = Lab::new();
    let root = lab.repository("r");
    lab::write(&root, ".gitattributes", "* text\n");
    lab::write(&root, "sub/.gitattributes", "keep -text\n");
    lab.commit(&root);
    fs::remove_file(root.join(".gitattributes")).unwrap();
    fs::remove_file(root.join("sub/.gitattributes")).unwrap();
    lab::write(&root, "sub/other", "two\r\n");
    lab::write(&root, "sub/keep", "two\r\n");
    let listed = of_work_tree(&root);
    let text = |path| lab::text(&listed, path);
    assert_eq!([text("sub/other"), text("sub/keep")], ["two\n", "two\r\n"]);
    lab.git(&root, &["add", "sub/other", "sub/keep"]);
    let stored = |path: &str| lab.ask(&root, &["cat-file", "blob", &format!(":{path}")], b"").1;
    assert_eq!([stored("sub/other"), stored("sub/keep")], [b"two\n".to_vec(), b"two\r\n".to_vec()]);
}

#[test]
fn what_a_sparse_checkout_holds_all_the_same_is_looked_at() {
    let lab = Lab::new();
    let root = lab.repository("r");
    for path in ["top", "d/a", "e/a", "e/b"] {
        lab::write(&root, path, "one\n");
    }
    lab.commit(&root);
    lab.git(&root, &["sparse-checkout", "set", "--cone", "--no-sparse-index", "d"]);
    lab::write(&root, "e/a", "two, written by hand\n");
    let listed = of_work_tree(&root);
    let text = |path| lab::text(&listed, path);
    assert_eq!([text("e/a"), text("e/b")], ["two, written by hand\n", "one\n"]);
    lab.git(&root, &["config", "sparse.expectFilesOutsideOfPatterns", "true"]);
    assert_eq!(lab::text(&of_work_tree(&root), "e/a"), "one\n");
}

#[test]
fn what_stands_in_the_place_of_a_tracked_path_replaces_it() {
    let lab = Lab::new();
    let root = lab.repository("r");
    for path in ["file", "directory/a", "nested"] {
        lab::write(&root, path, "one\n");
    }
    lab.commit(&root);
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        lab.git(&root, &["update-index", flag, "file", "directory/a", "nested"]);
    }
    fs::remove_file(root.join("file")).unwrap();
    lab::write(&root, "file/inner", "two\n");
    fs::remove_dir_all(root.join("directory")).unwrap();
    lab::write(&root, "directory", "two\n");
    fs::remove_file(root.join("nested")).unwrap();
    lab.git(&root, &["init", "-q", "nested"]);
    let listed = of_work_tree(&root);
    let found = shown(&paths(&listed.0));
    assert_eq!(found, ["directory", "file/inner", "nested"]);
    assert_eq!(listed.0.files.len() + listed.0.skipped.len(), 3);
}

#[test]
fn an_ignore_file_that_is_assumed_unchanged_and_gone_hides_nothing() {
    let lab = Lab::new();
    let root = lab.repository("r");
    lab::write(&root, ".gitignore", "*.x\n");
    lab::write(&root, "sub/.gitignore", "*.y\n");
    lab.commit(&root);
    lab.git(&root, &["update-index", "--assume-unchanged", ".gitignore"]);
    lab.git(&root, &["update-index", "--skip-worktree", "sub/.gitignore"]);
    fs::remove_file(root.join(".gitignore")).unwrap();
    fs::remove_file(root.join("sub/.gitignore")).unwrap();
    lab::write(&root, "sub/a.x", "");
    lab::write(&root, "sub/a.y", "");
    let untracked = zero_separated(&lab.ask(&root, &["ls-files", "-o", "--exclude-standard", "-z"], b"").1);
    assert_eq!(shown(&untracked), ["sub/a.x"]);
    assert_eq!(shown(&paths(&of_work_tree(&root).0)), [".gitignore", "sub/.gitignore", "sub/a.x"]);
}

#[test]
fn a_repository_in_the_place_of_a_tracked_file_is_a_submodule_even_where_it_is_ignored() {
    let lab = Lab::new();
    let root = lab.repository("r");
    lab::write(&root, "a", "one\n");
    lab.commit(&root);
    fs::write(root.join(".git/info/exclude"), "*\n").unwrap();
    fs::remove_file(root.join("a")).unwrap();
    lab.git(&root, &["init", "-q", "a"]);
    lab::write(&root, "a/inner", "two\n");
    lab.commit(&root.join("a"));
    let listed = of_work_tree(&root);
    assert_eq!(lab::reasons(&listed)["a"], "submodule");
    lab.commit(&root);
    assert_eq!(gist(&of_commit(&root)), gist(&listed));
}

#[test]
fn names_that_differ_in_case_are_told_apart_where_both_are_tracked() {
    let lab = Lab::new();
    let root = lab.repository("r");
    lab::write(&root, "A", "one\n");
    std::os::unix::fs::symlink("A", root.join("a")).unwrap();
    lab.commit(&root);
    lab.git(&root, &["config", "core.ignoreCase", "true"]);
    assert_eq!(gist(&of_work_tree(&root)), gist(&of_commit(&root)));
    lab::write(&root, "A", "two\n");
    assert_eq!(lab::text(&of_work_tree(&root), "A"), "two\n");
    assert_eq!(lab::reasons(&of_work_tree(&root))["a"], "link");
}

#[test]
fn a_link_in_the_place_of_a_rule_file_gives_no_rules() {
    let lab = Lab::new();
    let root = lab.repository("r");
    lab::write(&root, "rules", "*.x cce-ignore\n*.y\n");
    for name in [".gitignore", ".gitattributes", ".cceignore"] {
        std::os::unix::fs::symlink("rules", root.join(name)).unwrap();
    }
    lab::write(&root, "a.x", "one\n");
    lab::write(&root, "a.y", "two\n");
    let listed = of_work_tree(&root);
    let untracked = zero_separated(&lab.ask(&root, &["ls-files", "-o", "--exclude-standard", "-z"], b"").1);
    assert_eq!(shown(&paths(&listed.0)), shown(&untracked));
    let links = [".cceignore", ".gitattributes", ".gitignore"].map(|name| (name.to_owned(), "link"));
    assert_eq!(lab::reasons(&listed), links.into());
    lab.commit(&root);
    assert_eq!(gist(&of_commit(&root)), gist(&listed));
    assert_eq!(gist(&of_work_tree(&root)), gist(&listed));
}

#[test]
fn a_driver_that_came_after_the_checkout_changes_no_file() {
    let lab = Lab::new();
    let origin = lab.repository("origin");
    lab::write(&origin, "a.big", "one\n");
    lab.commit(&origin);
    let root = lab.path("clone");
    lab.git(&origin, &["clone", "-q", "-c", "core.autocrlf=true", origin.to_str().unwrap(), root.to_str().unwrap()]);
    fs::write(root.join(".git/info/attributes"), "*.big -text filter=late\n").unwrap();
    let file = root.join("a.big");
    assert_eq!(fs::read(&file).unwrap(), b"one\r\n");
    let checked_out = fs::metadata(&file).unwrap().modified().unwrap();
    // Git looks again at a file that is no older than its index; what it then finds hangs on the clock.
    for seconds in [0, 60] {
        let index = fs::File::options().append(true).open(root.join(".git/index")).unwrap();
        index.set_modified(checked_out + Duration::from_secs(seconds)).unwrap();
        assert_eq!(lab::text(&of_work_tree(&root), "a.big"), "one\n", "an index {seconds} seconds younger");
    }
    lab.git(&root, &["add", "-A"]);
    assert_eq!(lab.git(&root, &["diff", "--cached", "--name-only"]), "");
    lab::touch_all(&root);
    assert_eq!(lab::text(&of_work_tree(&root), "a.big"), "one\r\n");
    lab.commit(&root);
    assert_eq!(lab::text(&of_commit(&root), "a.big"), "one\r\n");
}
