//! Artifacts that travel as files: compared, and installed without any remote.

mod sandbox;

use std::fs;

use sandbox::{Sandbox, small_repository};
use serde_json::{Value, json};

const OLD: &str = "class Harbour:\n    def enter(self, ship):\n        return ship\n\n    def leave(self, ship):\n        return None\n\n\ndef tide():\n    return 1\n";
const NEW: &str = "def tide():\n    return 1\n\n\nclass Harbour:\n    def enter(self, ship):\n        return [ship]\n\n    def moor(self, ship):\n        return ship\n";

/// A repository with an identity, two commits and an artifact file of each.
fn two_artifacts(sandbox: &Sandbox) {
    sandbox.repository("repo");
    sandbox.write("repo/cce.toml", "repo_id = \"example.com/team/harbour\"\n");
    sandbox.write("repo/harbour.py", OLD);
    sandbox.write("repo/gone.py", "def gone():\n    pass\n");
    sandbox.write("repo/note.md", "# Note\n\nOne.\n");
    sandbox.commit("repo", "old");
    sandbox.cce("repo", &["artifact", "export", "-o", "old.cce3"]).succeeds();
    sandbox.write("repo/harbour.py", NEW);
    sandbox.write("repo/fresh.py", "def fresh():\n    pass\n");
    sandbox.write("repo/note.md", "# Note\n\nTwo.\n");
    fs::remove_file(sandbox.path("repo/gone.py")).unwrap();
    sandbox.git("repo", &["add", "harbour.py", "fresh.py", "note.md", "gone.py"]);
    sandbox.git("repo", &["commit", "-q", "-m", "new"]);
    sandbox.cce("repo", &["artifact", "export", "-o", "new.cce3"]).succeeds();
}

#[test]
fn a_difference_names_files_and_definitions() {
    let sandbox = Sandbox::new();
    two_artifacts(&sandbox);
    let ran = sandbox.cce("repo", &["artifact", "diff", "old.cce3", "new.cce3"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert_eq!(
        ran.out,
        "+ fresh.py\n  + function fresh\n- gone.py\n  - function gone\n~ harbour.py\n  ~ class Harbour\n  \
         ~ method Harbour.enter\n  - method Harbour.leave\n  + method Harbour.moor\n~ note.md\n\
         files: 1 added, 1 removed, 2 changed; definitions: 2 added, 2 removed, 2 changed\n"
    );
}

#[test]
fn a_difference_as_a_document() {
    let sandbox = Sandbox::new();
    two_artifacts(&sandbox);
    let ran = sandbox.cce("repo", &["artifact", "diff", "--json", "new.cce3", "old.cce3"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["schema"], "cce.diff/1");
    assert_eq!(document["old"]["sha"], sandbox.git("repo", &["rev-parse", "HEAD"]));
    assert_eq!(document["new"]["repo_id"], "example.com/team/harbour");
    assert_eq!(
        document["files"][0],
        json!({
            "path": "fresh.py",
            "change": "removed",
            "definitions": [{ "change": "removed", "kind": "function", "name": "fresh" }],
        })
    );
}

#[test]
fn equal_artifacts_do_not_differ() {
    let sandbox = Sandbox::new();
    two_artifacts(&sandbox);
    let said = sandbox.cce("repo", &["artifact", "diff", "new.cce3", "new.cce3"]).succeeds();
    assert_eq!(said, "the same 4 records\n");
}

#[test]
fn a_damaged_side_is_named() {
    let sandbox = Sandbox::new();
    two_artifacts(&sandbox);
    let mut bytes = fs::read(sandbox.path("repo/new.cce3")).unwrap();
    bytes.truncate(bytes.len() - 1);
    sandbox.write("repo/cut.cce3", bytes);
    for sides in [["cut.cce3", "new.cce3"], ["new.cce3", "cut.cce3"]] {
        let said = sandbox.cce("repo", &["artifact", "diff", sides[0], sides[1]]).fails(3);
        assert!(said.contains("cut.cce3`: the stream ends in the middle of line"), "{said}");
    }
}

#[test]
fn a_file_answers_where_there_is_no_source() {
    let sandbox = Sandbox::new();
    two_artifacts(&sandbox);
    fs::create_dir(sandbox.path("away")).unwrap();
    fs::copy(sandbox.path("repo/new.cce3"), sandbox.path("away/new.cce3")).unwrap();
    let said = sandbox.cce("away", &["artifact", "install", "new.cce3", "--into", "harbour"]).succeeds();
    assert!(said.starts_with("installed example.com/team/harbour@"), "{said}");
    assert!(said.contains(": 4 records verified, checksum "), "{said}");
    let found = sandbox.json("away/harbour", &["search", "moor the ship", "--json"]);
    let expected = sandbox.json("repo", &["search", "moor the ship", "--at", "HEAD", "--json"]);
    assert_eq!(found["results"], expected["results"]);
    assert_eq!(found["results"][0]["path"], "harbour.py");
    sandbox.cce("away/harbour", &["sync", "verify", "--offline"]).succeeds();
    let document = sandbox.json("away", &["artifact", "install", "new.cce3", "--into", "harbour", "--json"]);
    assert_eq!(document["schema"], "cce.install/1");
    assert_eq!(document["records"], 4);
}

#[test]
fn a_file_becomes_the_base_of_a_checkout() {
    let sandbox = Sandbox::new();
    two_artifacts(&sandbox);
    sandbox.write("repo/fresh.py", "def fresher():\n    pass\n");
    let said = sandbox.cce("repo", &["artifact", "install", "new.cce3"]).succeeds();
    assert!(said.contains("with its uncommitted changes"), "{said}");
    let found = sandbox.json("repo", &["search", "fresher", "--json"]);
    assert_eq!(found["results"][0]["path"], "fresh.py");
}

#[test]
fn what_does_not_fit_leaves_what_was() {
    let sandbox = Sandbox::new();
    two_artifacts(&sandbox);
    small_repository(&sandbox, "other");
    sandbox.cce("other", &["index"]).succeeds();
    let before = sandbox.json("other", &["search", "lease", "--json"]);
    let artifact = sandbox.path("repo/new.cce3").display().to_string();
    let said = sandbox.cce("other", &["artifact", "install", &artifact, "--repo-id", "example.com/b"]).fails(3);
    assert!(said.contains("it is of `example.com/team/harbour`, and this repository is `example.com/b`"), "{said}");

    let mut bytes = fs::read(&artifact).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    sandbox.write("damaged.cce3", bytes);
    let said = sandbox.cce("other", &["artifact", "install", "../damaged.cce3", "--into", "../new"]).fails(3);
    assert!(said.contains("damaged.cce3`: the artifact is refused"), "{said}");
    assert!(!sandbox.path("new/.cce").exists());

    let said = sandbox.cce("other", &["artifact", "install", "../damaged.cce3", "--into", "."]).fails(2);
    assert!(said.contains("is in a git repository; leave out `--into`"), "{said}");
    fs::create_dir(sandbox.path("plain")).unwrap();
    let said = sandbox.cce("plain", &["artifact", "install", &artifact]).fails(2);
    assert!(said.contains("name a directory for the index with `--into`"), "{said}");
    let said = sandbox.cce("plain", &["artifact", "install", "nowhere.cce3"]).fails(3);
    assert!(said.contains("nowhere.cce3`"), "{said}");
    assert_eq!(before, sandbox.json("other", &["search", "lease", "--json"]));
}
