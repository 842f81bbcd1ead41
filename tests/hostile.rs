//! What a hostile repository, a damaged store or an unlucky command must not do.

mod sandbox;

use std::fs;
use std::os::unix::fs::symlink;

use sandbox::{Sandbox, small_repository};

const ID: &str = "example.com/harbour/tide";

/// A clone of a repository whose commit brings the links given as name and target.
fn clone_with_links(sandbox: &Sandbox, links: &[(&str, &str)]) {
    small_repository(sandbox, "evil");
    for (name, target) in links {
        let path = sandbox.path("evil").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }
    sandbox.git("evil", &["add", "-f", "-A"]);
    sandbox.commit("evil", "links");
    sandbox.git(".", &["clone", "-q", "evil", "clone"]);
}

#[test]
fn links_that_a_commit_brings_lead_nowhere() {
    for link in [".cce/generations", ".cce/at", ".cce/current", ".cce/stat", ".cce/lock", ".cce/.gitignore", ".cce"] {
        let sandbox = Sandbox::new();
        sandbox.write("victim/thesis.tex", "years of work");
        sandbox.write("victim/0123456789012345678901234567890123456789", "more");
        clone_with_links(&sandbox, &[(link, if link == ".cce" { "../victim" } else { "../../victim" })]);
        let found = sandbox.json("clone", &["search", "tide table", "--json"]);
        assert_eq!(found["results"][0]["name"], "TideTable", "{link}");
        sandbox.cce("clone", &["search", "tide table", "--at", "HEAD~1"]).succeeds();
        let left: Vec<_> = fs::read_dir(sandbox.path("victim")).unwrap().collect();
        assert_eq!(left.len(), 2, "{link}: nothing appears beside and nothing goes");
    }
}

#[test]
fn links_that_nobody_committed_are_refused() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    sandbox.write("victim/thesis.tex", "years of work");
    fs::create_dir(sandbox.path("repo/.cce")).unwrap();
    symlink("../../victim", sandbox.path("repo/.cce/generations")).unwrap();
    let said = sandbox.cce("repo", &["search", "tide"]).fails(3);
    assert!(said.contains("is a link"), "{said}");
    assert_eq!(fs::read_dir(sandbox.path("victim")).unwrap().count(), 1);
}

#[test]
fn an_index_that_a_commit_brings_is_not_believed() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "evil");
    sandbox.cce("evil", &["index"]).succeeds();
    fs::remove_file(sandbox.path("evil/.cce/.gitignore")).unwrap();
    sandbox.git("evil", &["add", "-f", ".cce"]);
    sandbox.write("evil/app/tide.py", "def innocent():\n    return 1\n");
    sandbox.commit("evil", "the index of another tree");
    sandbox.git(".", &["clone", "-q", "evil", "clone"]);
    let found = sandbox.json("clone", &["search", "innocent", "--json"]);
    assert_eq!(found["results"][0]["path"], "app/tide.py");
    let found = sandbox.json("clone", &["search", "TideTable", "--json"]);
    assert!(found["results"].as_array().unwrap().iter().all(|hit| hit["name"] != "TideTable"));
}

/// A pulled index in a directory without source.
fn consumer() -> Sandbox {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    let url = sandbox.remote("remote.git");
    sandbox.cce("repo", &["sync", "push", "--remote", &url, "--repo-id", ID]).succeeds();
    sandbox.cce(".", &["sync", "pull", "--remote", &url, "--into", "consumer"]).succeeds();
    sandbox
}

#[test]
fn a_pulled_index_is_not_replaced_by_an_empty_one() {
    let sandbox = consumer();
    let said = sandbox.cce("consumer", &["index"]).fails(2);
    assert!(said.contains("was pulled"), "{said}");
    assert!(sandbox.cce("consumer", &["search", "tide"]).succeeds().contains("TideTable"));
}

#[test]
fn a_damaged_pulled_index_says_so_and_stays() {
    for damage in ["pointer gone", "pointer empty", "index cut"] {
        let sandbox = consumer();
        let pointer = sandbox.path("consumer/.cce/current");
        match damage {
            "pointer gone" => fs::remove_file(pointer).unwrap(),
            "pointer empty" => {
                fs::remove_file(&pointer).unwrap();
                fs::write(pointer, "").unwrap();
            }
            _ => {
                let entry = fs::read_dir(sandbox.path("consumer/.cce/generations")).unwrap().next().unwrap().unwrap();
                fs::remove_file(entry.path()).unwrap();
                fs::write(entry.path(), "short").unwrap();
            }
        }
        sandbox.cce("consumer", &["search", "tide"]).fails(3);
        sandbox.cce("consumer", &["sync", "verify", "--offline"]).fails(3);
    }
}

#[test]
fn a_refused_pull_leaves_nothing() {
    let sandbox = consumer();
    let name = sandbox.git("remote.git", &["for-each-ref", "--format=%(refname)", "refs/cce/hash/3.0/*/commits/*"]);
    let tree = sandbox.git("remote.git", &["ls-tree", "-r", &name]);
    assert!(tree.contains("files/_README.md"));
    // The same commit message over an empty tree: identity fits, contents do not.
    let message = sandbox.git("remote.git", &["cat-file", "commit", &name]);
    let empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    let forged = message.replacen(message.lines().next().unwrap(), &format!("tree {empty}"), 1) + "\n";
    sandbox.git("remote.git", &["hash-object", "-w", "-t", "tree", "/dev/null"]);
    sandbox.write("forged", forged);
    let id =
        sandbox.git("remote.git", &["hash-object", "-w", "-t", "commit", sandbox.path("forged").to_str().unwrap()]);
    for name in sandbox.git("remote.git", &["for-each-ref", "--format=%(refname)", "refs/cce"]).lines() {
        sandbox.git("remote.git", &["update-ref", name, &id]);
    }
    let url = sandbox.url("remote.git");
    sandbox.cce(".", &["sync", "pull", "--remote", &url, "--into", "fresh"]).fails(3);
    assert!(!sandbox.path("fresh/.cce").exists());
    assert!(sandbox.cce("consumer", &["search", "tide"]).succeeds().contains("TideTable"));
}

#[test]
fn a_broken_repository_is_no_plain_directory() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    fs::remove_file(sandbox.path("repo/.git/HEAD")).unwrap();
    let said = sandbox.cce("repo", &["search", "tide"]).fails(3);
    assert!(said.contains(".git"), "{said}");
}

#[test]
fn an_export_goes_through_links_and_keeps_modes() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    sandbox.write("target", "old");
    fs::set_permissions(sandbox.path("target"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("target", sandbox.path("link")).unwrap();
    sandbox.cce("repo", &["artifact", "export", "--repo-id", ID, "-o", "../link"]).succeeds();
    assert!(sandbox.path("link").is_symlink());
    assert_eq!(fs::metadata(sandbox.path("target")).unwrap().permissions().mode() & 0o777, 0o640);
    let through = sandbox.cce("repo", &["artifact", "export", "--repo-id", ID, "-o", "-"]).succeeds();
    assert_eq!(through, fs::read_to_string(sandbox.path("target")).unwrap());
    assert!(!sandbox.path("repo/-").exists());
}

#[test]
fn a_mistyped_command_is_one_line() {
    let sandbox = Sandbox::new();
    for arguments in
        [&["search", "--foo"][..], &["search", "x", "-k", "0"], &["serach"], &["sync", "pull", "--comit", "x"]]
    {
        let said = sandbox.cce(".", arguments).fails(2);
        assert!(said.starts_with("error: ") && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn shared_state_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    sandbox.git(".", &["clone", "-q", "--bare", "repo", "bare.git"]);
    sandbox.cce("bare.git", &["search", "tide"]).succeeds();
    for path in ["cce-home", "cce-home/stores"] {
        assert_eq!(fs::metadata(sandbox.path(path)).unwrap().permissions().mode() & 0o777, 0o700, "{path}");
    }
}

#[test]
fn replaced_secrets_are_counted_by_file() {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    let token = ["gh", "p_", "Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0LzXcVb"].concat();
    sandbox.write("repo/deploy.sh", format!("export API_TOKEN={token}\n"));
    sandbox.json("repo", &["index", "--json"]);
    let again = sandbox.json("repo", &["index", "--json"]);
    assert_eq!(again["redactions"], serde_json::json!([{ "path": "deploy.sh", "kind": "GITHUB_TOKEN", "count": 1 }]));
}
