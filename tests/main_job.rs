//! The main job over the real binary and real git: build, publish, pull, verify, search.

mod sandbox;

use std::fs;

use sandbox::{Sandbox, small_repository};

const ID: &str = "example.com/harbour/tide";

/// A repository whose `origin` is a remote on disk, published.
fn published() -> (Sandbox, String, String) {
    let sandbox = Sandbox::new();
    let sha = small_repository(&sandbox, "repo");
    let url = sandbox.remote("remote.git");
    sandbox.git("repo", &["remote", "add", "origin", &url]);
    sandbox.git("repo", &["push", "-q", "origin", "main"]);
    sandbox.cce("repo", &["sync", "push", "--repo-id", ID]).succeeds();
    (sandbox, sha, url)
}

#[test]
fn a_machine_without_source_pulls_verifies_and_searches() {
    let (sandbox, sha, url) = published();
    sandbox.cce(".", &["sync", "pull", "--remote", &url, "--into", "consumer"]).succeeds();
    fs::rename(sandbox.path("remote.git"), sandbox.path("unreachable.git")).unwrap();
    fs::rename(sandbox.path("repo"), sandbox.path("gone")).unwrap();

    let verified = sandbox.cce("consumer", &["sync", "verify", "--offline"]).succeeds();
    assert!(verified.contains("checksum"), "{verified}");
    let found = sandbox.json("consumer", &["search", "renew the lease", "--json"]);
    assert_eq!(found["schema"], "cce.search/1");
    assert_eq!(found["snapshot"]["sha"], sha.as_str());
    assert_eq!(found["snapshot"]["repo_id"], ID);
    assert_eq!(found["snapshot"]["dirty"], false);
    let first = &found["results"][0];
    assert_eq!(first["path"], "src/lease.rs");
    assert_eq!(first["name"], "renew_lease");
    assert_eq!(first["rank"], 1);
    assert!(first["text"].as_str().unwrap().contains("self.ends += period"));
    let names: Vec<_> = fs::read_dir(sandbox.path("consumer")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, [".cce"], "a consumer holds no source");
}

#[test]
fn pulled_equals_built() {
    let (sandbox, _, url) = published();
    sandbox.cce(".", &["sync", "pull", "--remote", &url, "--into", "consumer"]).succeeds();
    for query in ["tide", "renew lease", "draw chart", "anchor slowly", "DEFAULT_PERIOD"] {
        let here = sandbox.json("repo", &["search", query, "--json"]);
        let there = sandbox.json("consumer", &["search", query, "--json"]);
        let plain = |found: &serde_json::Value| {
            let results = found["results"].as_array().unwrap().iter();
            results.map(|hit| (hit["passage_id"].clone(), hit["score"].clone())).collect::<Vec<_>>()
        };
        assert_eq!(plain(&here), plain(&there), "{query}");
        assert!(!plain(&here).is_empty(), "{query}");
    }
}

#[test]
fn a_checkout_pulls_and_lays_its_changes_over() {
    let (sandbox, sha, url) = published();
    sandbox.git(".", &["clone", "-q", &url, "clone"]);
    sandbox.cce("clone", &["sync", "pull", "--latest"]).succeeds();
    sandbox.write("clone/src/extra.rs", "/// Weighs the anchor.\nfn weigh_anchor() {}\n");
    let found = sandbox.json("clone", &["search", "weigh anchor", "--json"]);
    assert_eq!(found["results"][0]["path"], "src/extra.rs");
    assert_eq!(found["snapshot"]["sha"], sha.as_str());
    assert_eq!(found["snapshot"]["dirty"], true);
    let base = sandbox.json("clone", &["search", "anchor", "--at", "HEAD", "--json"]);
    assert!(base["results"].as_array().unwrap().iter().all(|hit| hit["path"] != "src/extra.rs"));
}

#[test]
fn verify_says_yes_and_no() {
    let (sandbox, _, url) = published();
    let said = sandbox.cce("repo", &["sync", "verify"]).succeeds();
    assert!(said.contains("same"), "{said}");
    // Somebody with write access publishes other contents for the commit.
    small_repository(&sandbox, "evil");
    sandbox.write("evil/src/lease.rs", "fn renew_lease() { steal() }\n");
    let evil = sandbox.commit("evil", "evil");
    sandbox.git("evil", &["remote", "add", "origin", &url]);
    sandbox.cce("evil", &["sync", "push", "--repo-id", ID, "--branch", "evil"]).succeeds();
    let prefix = "refs/cce/hash/3.0/example.com%2Fharbour%2Ftide/commits";
    let good = sandbox.git("repo", &["rev-parse", "HEAD"]);
    let wrong = sandbox.git("remote.git", &["rev-parse", &format!("{prefix}/{evil}")]);
    sandbox.git("remote.git", &["update-ref", &format!("{prefix}/{good}"), &wrong]);
    let failed = sandbox.cce("repo", &["sync", "verify"]);
    assert!(matches!(failed.code, 1 | 3), "{} {}", failed.out, failed.err);
    assert!(!failed.err.is_empty() || !failed.out.is_empty());
}

#[test]
fn publishing_twice_is_the_same_and_small_changes_are_small_pushes() {
    let (sandbox, _, _) = published();
    let again = sandbox.json("repo", &["sync", "push", "--repo-id", ID, "--json"]);
    assert_eq!(again["schema"], "cce.push/1");
    assert_eq!(again["outcome"], "already");
    sandbox.write("repo/README.md", "# Harbour\n\nChanged.\n");
    sandbox.commit("repo", "second");
    sandbox.git("repo", &["push", "-q", "origin", "main"]);
    let second = sandbox.json("repo", &["sync", "push", "--repo-id", ID, "--json"]);
    assert_eq!(second["outcome"], "created");
    let listed = sandbox.json("repo", &["sync", "list", "--json"]);
    assert_eq!(listed["schema"], "cce.list/1");
    assert_eq!(listed["artifacts"].as_array().unwrap().len(), 2);
    let status = sandbox.cce("repo", &["sync", "status", "--repo-id", ID]).succeeds();
    assert!(!status.is_empty());
}

#[test]
fn an_export_is_the_same_from_a_clone_a_worktree_and_a_bare_repository() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    sandbox.git(".", &["clone", "-q", "--bare", "repo", "bare.git"]);
    sandbox.git(".", &["clone", "-q", "repo", "clone"]);
    sandbox.git("repo", &["worktree", "add", "-q", "../tree", "HEAD"]);
    sandbox.write("clone/untracked.rs", "fn never_committed() {}\n");
    let export = |place: &str| {
        let file = sandbox.path(&format!("{place}.cce3"));
        sandbox.cce(place, &["artifact", "export", "--repo-id", ID, "-o", file.to_str().unwrap()]).succeeds();
        let shown = sandbox.cce(".", &["artifact", "verify", file.to_str().unwrap()]).succeeds();
        assert!(shown.starts_with("ok: "), "{shown}");
        fs::read(file).unwrap()
    };
    let first = export("repo");
    for place in ["bare.git", "clone", "tree"] {
        assert!(export(place) == first, "{place} exports other bytes");
    }
    for threads in ["1", "3"] {
        let output = sandbox
            .program(env!("CARGO_BIN_EXE_cce"))
            .env("RAYON_NUM_THREADS", threads)
            .current_dir(sandbox.path("repo"))
            .args(["artifact", "export", "--repo-id", ID])
            .output()
            .unwrap();
        assert!(output.stdout == first, "{threads} threads export other bytes");
    }
}

#[test]
fn a_damaged_artifact_is_refused_with_the_record_named() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    sandbox.cce("repo", &["artifact", "export", "--repo-id", ID, "-o", "../a.cce3"]).succeeds();
    let good = fs::read_to_string(sandbox.path("a.cce3")).unwrap();
    sandbox.write("b.cce3", good.replacen("self.ends += period", "self.ends -= period", 1));
    let said = sandbox.cce(".", &["artifact", "verify", "b.cce3"]).fails(3);
    assert!(said.starts_with("error: ") && said.contains("checksum"), "{said}");
    sandbox.write("c.cce3", good.replacen("\"name_span\":[", "\"name_span\":[9", 1));
    let said = sandbox.cce(".", &["artifact", "verify", "c.cce3"]).fails(3);
    assert!(said.contains("is damaged"), "{said}");
    sandbox.write("d.cce3", &good[..good.len() - 10]);
    let said = sandbox.cce(".", &["artifact", "verify", "d.cce3"]).fails(3);
    assert!(said.contains("ends in the middle"), "{said}");
    let said = sandbox.cce(".", &["artifact", "verify", "none.cce3"]).fails(3);
    assert!(said.contains("none.cce3"), "{said}");
}

#[test]
fn a_repository_without_a_name_is_asked_for_one() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    let said = sandbox.cce("repo", &["artifact", "export"]).fails(2);
    assert!(said.contains("--repo-id") && said.contains("cce.toml"), "{said}");
    sandbox.write("repo/cce.toml", format!("repo_id = \"{ID}\"\n"));
    sandbox.commit("repo", "name it");
    let out = sandbox.cce("repo", &["artifact", "export"]).succeeds();
    assert!(out.contains(&format!("\"repo_id\":\"{ID}\"")));
}

#[test]
fn what_cannot_work_says_why_and_with_which_code() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    fs::create_dir(sandbox.path("plain")).unwrap();
    let said = sandbox.cce("repo", &["search", "tide", "--at", "nosuch"]).fails(2);
    assert!(said.contains("nosuch"), "{said}");
    let said = sandbox.cce("plain", &["artifact", "export"]).fails(2);
    assert!(said.contains("not a git repository"), "{said}");
    let said = sandbox.cce("repo", &["sync", "pull", "--remote", "file:///nonexistent/x.git", "--into", "c"]).fails(4);
    assert_eq!(said.lines().count(), 1, "{said}");
    let said = sandbox.cce("repo", &["sync", "push", "--repo-id", ID]).fails(2);
    assert!(said.contains("origin"), "{said}");
    let said = sandbox.cce("repo", &["search", "tide", "--lang", "cobol"]).fails(2);
    assert!(said.contains("cobol"), "{said}");
    sandbox.cce("repo", &["serach", "tide"]).fails(2);
    let said = sandbox.cce("repo", &["-C", "nowhere", "search", "tide"]).fails(3);
    assert!(said.contains("nowhere"), "{said}");
    sandbox.write("repo/cce.toml", "repo_id = \"x\"\n");
    let said = sandbox.cce("repo", &["search", "tide"]);
    assert!(said.code == 0 && said.err.contains("is not tracked by git"), "{}", said.err);
    sandbox.write("repo/cce.toml", "repoid = \"x\"\n");
    for _ in ["untracked", "tracked"] {
        let said = sandbox.cce("repo", &["search", "tide"]).fails(2);
        assert!(said.contains("did you mean `repo_id`"), "{said}");
        sandbox.git("repo", &["add", "cce.toml"]);
    }
}

#[test]
fn no_match_is_exit_one_with_a_reason() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    let said = sandbox.cce("repo", &["search", "zzyzxqq"]).fails(1);
    assert!(said.starts_with("no match in "), "{said}");
    let found = sandbox.cce("repo", &["search", "zzyzxqq", "--json"]);
    assert_eq!(found.code, 1);
    let found: serde_json::Value = serde_json::from_str(&found.out).unwrap();
    assert_eq!(found["results"].as_array().unwrap().len(), 0);
    assert!(!found["notices"].as_array().unwrap().is_empty());
    let said = sandbox.cce("repo", &["search", "tide", "--path", "nowhere/**"]).fails(1);
    assert!(said.contains("--path") || said.contains("nowhere"), "{said}");
}

#[test]
fn secrets_reach_neither_artifact_nor_index() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    let token = ["gh", "p_", "Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0LzXcVb"].concat();
    sandbox.write("repo/deploy.sh", format!("export API_TOKEN={token}\n"));
    sandbox.write("repo/.env", "SECRET=whatever\n");
    sandbox.commit("repo", "oops");
    let exported = sandbox.cce("repo", &["artifact", "export", "--repo-id", ID]);
    assert!(exported.err.contains("secrets replaced"), "{}", exported.err);
    assert!(!exported.out.contains(&token));
    assert!(exported.out.contains(r#"{"path":".env","reason":"sensitive"}"#));
    sandbox.cce("repo", &["index"]).succeeds();
    let mut open = vec![sandbox.path("repo/.cce")];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                open.push(entry.path());
            } else {
                let bytes = fs::read(entry.path()).unwrap();
                assert!(!bytes.windows(token.len()).any(|part| part == token.as_bytes()), "{:?}", entry.path());
            }
        }
    }
}

#[test]
fn demo_runs_on_any_repository_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    let out = sandbox.cce(".", &["demo", "repo"]).succeeds();
    for step in ["build", "publish", "pull", "verify", "search"] {
        assert!(out.contains(step), "{step}: {out}");
    }
    assert!(!sandbox.path("repo/.cce").exists());
    assert_eq!(sandbox.git("repo", &["for-each-ref", "refs/cce"]), "");
    assert_eq!(sandbox.git("repo", &["status", "--porcelain"]), "");
}

#[test]
fn packs_lists_the_languages() {
    let sandbox = Sandbox::new();
    let listed = sandbox.json(".", &["packs", "--json"]);
    let names: Vec<_> = listed["packs"].as_array().unwrap().iter().map(|pack| pack["name"].as_str().unwrap()).collect();
    assert!(names.is_sorted());
    for name in ["c", "cpp", "go", "java", "javascript", "python", "ruby", "rust", "tsx", "typescript"] {
        assert!(names.contains(&name), "{name} is missing");
    }
}

#[test]
fn index_is_incremental_and_equal_to_a_full_build() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    sandbox.cce("repo", &["index"]).succeeds();
    assert_eq!(sandbox.json("repo", &["index", "--json"])["changed"], false);
    sandbox.write("repo/src/lease.rs", "/// Frees the lease early.\npub fn release_lease() {}\n");
    fs::remove_file(sandbox.path("repo/web/legacy.js")).unwrap();
    let second = sandbox.json("repo", &["index", "--json"]);
    assert_eq!((&second["changed"], &second["files_read"]), (&true.into(), &1.into()));
    let incremental = sandbox.json("repo", &["search", "lease tide chart", "--json"]);
    sandbox.cce("repo", &["index", "--rebuild"]).succeeds();
    let full = sandbox.json("repo", &["search", "lease tide chart", "--json"]);
    assert_eq!(incremental, full);
    let gone = sandbox.json("repo", &["search", "lease", "--json"]);
    assert!(gone["results"].as_array().unwrap().iter().all(|hit| hit["path"] != "web/legacy.js"));
    sandbox.git("repo", &["add", "-A"]);
    sandbox.git("repo", &["commit", "-q", "-m", "second"]);
    let committed = sandbox.json("repo", &["index", "--json"]);
    assert_eq!(committed["snapshot"]["dirty"], false);
    assert_eq!(sandbox.json("repo", &["search", "lease tide chart", "--json"])["results"], full["results"]);
}

#[test]
fn a_plain_directory_is_searched_too() {
    let sandbox = Sandbox::new();
    sandbox.write("plain/a.py", "def lonely_function():\n    return 1\n");
    sandbox.write("plain/.gitignore", "hidden/\n");
    sandbox.write("plain/hidden/b.py", "def zorblatt():\n    return 1\n");
    let found = sandbox.json("plain", &["search", "lonely function", "--json"]);
    assert_eq!(found["results"][0]["name"], "lonely_function");
    assert!(found["snapshot"]["sha"].is_null());
    sandbox.cce("plain", &["search", "zorblatt"]).fails(1);
}

#[test]
fn a_damaged_store_heals_by_itself() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    sandbox.cce("repo", &["index"]).succeeds();
    let pointer = sandbox.path("repo/.cce/current");
    fs::remove_file(&pointer).unwrap();
    fs::write(&pointer, "nonsense").unwrap();
    let found = sandbox.json("repo", &["search", "tide table", "--json"]);
    assert_eq!(found["results"][0]["name"], "TideTable");
    for entry in fs::read_dir(sandbox.path("repo/.cce/generations")).unwrap().map(Result::unwrap) {
        fs::remove_file(entry.path()).unwrap();
        fs::write(entry.path(), "CCE").unwrap();
    }
    let found = sandbox.json("repo", &["search", "tide table", "--json"]);
    assert_eq!(found["results"][0]["name"], "TideTable");
}

#[test]
fn a_rule_that_goes_brings_its_files_back() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    let rules =
        [(".cceignore", "app/\n"), (".gitattributes", "*.py cce-ignore\n"), (".gitattributes", "*.py filter=lfs\n")];
    for (file, rule) in rules {
        sandbox.write(&format!("repo/{file}"), rule);
        sandbox.git("repo", &["add", "-A"]);
        sandbox.git("repo", &["-c", "filter.lfs.clean=cat", "commit", "-q", "-m", "rule"]);
        let hidden = sandbox.json("repo", &["index", "--json"]);
        let path = |entry: &serde_json::Value| entry["path"] == "app/tide.py";
        assert!(hidden["skipped"].as_array().unwrap().iter().any(path), "{rule}");
        fs::remove_file(sandbox.path(&format!("repo/{file}"))).unwrap();
        let found = sandbox.json("repo", &["search", "next_high_water", "--json"]);
        assert_eq!(found["results"][0]["path"], "app/tide.py", "{rule}");
        sandbox.commit("repo", "rule gone");
        assert_eq!(sandbox.json("repo", &["index", "--rebuild", "--json"])["changed"], true);
    }
}

#[test]
fn bytes_that_are_no_text_are_looked_at_once() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    sandbox.write("repo/big.txt", "word ".repeat(500_000));
    sandbox.write("repo/pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n");
    sandbox.cce("repo", &["index"]).succeeds();
    assert_eq!(sandbox.json("repo", &["index", "--json"])["changed"], false);
    sandbox.commit("repo", "all of it");
    sandbox.cce("repo", &["index"]).succeeds();
    assert_eq!(sandbox.json("repo", &["index", "--json"])["changed"], false);
}
