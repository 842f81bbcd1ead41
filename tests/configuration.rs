//! Settings in layers, over the real binary.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // tests read the files of the project

mod sandbox;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use sandbox::{Ran, Sandbox, one_file_repository};

/// Where the user's file is when `XDG_CONFIG_HOME` says nothing.
const USERS: &str = "home/.config/cce/config.toml";

fn cce_with(sandbox: &Sandbox, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let mut program = sandbox.program(env!("CARGO_BIN_EXE_cce"));
    program.envs(variables.iter().copied()).current_dir(sandbox.path("r")).args(arguments);
    program.output().unwrap().into()
}

/// Runs a command that is refused with exactly this line.
#[track_caller]
fn refused(sandbox: &Sandbox, variables: &[(&str, &str)], arguments: &[&str], expected: &str) {
    let expected = expected.replace("HOME", &sandbox.path("home").display().to_string());
    assert_eq!(cce_with(sandbox, variables, arguments).fails(2), format!("error: {expected}\n"), "{arguments:?}");
}

fn text(sandbox: &Sandbox, name: &str) -> String {
    fs::read_to_string(sandbox.path(name)).unwrap()
}

#[test]
fn each_layer_lies_over_the_one_below() {
    let sandbox = one_file_repository();
    let get = |variables: &[(&str, &str)]| cce_with(&sandbox, variables, &["config", "get", "search.top_k"]).succeeds();
    assert_eq!(get(&[]), "10\n");
    sandbox.write("r/cce.toml", "search.top_k = 1\n");
    assert_eq!(get(&[]), "1\n");
    sandbox.write(USERS, "search.top_k = 2\n");
    assert_eq!(get(&[]), "2\n");
    sandbox.write("xdg/cce/config.toml", "search.top_k = 3\n");
    let xdg = sandbox.path("xdg").display().to_string();
    assert_eq!(get(&[("XDG_CONFIG_HOME", &xdg)]), "3\n");
    assert_eq!(get(&[("XDG_CONFIG_HOME", "not/absolute")]), "2\n");
    assert_eq!(get(&[("CCE_SEARCH_TOP_K", "4"), ("XDG_CONFIG_HOME", &xdg)]), "4\n");
    assert_eq!(get(&[("CCE_SEARCH_TOP_K", "")]), "2\n");
}

#[test]
fn the_list_says_where_each_value_comes_from() {
    let sandbox = one_file_repository();
    sandbox.write("r/cce.toml", "# ours\n[index]\nexclude = ['gen/']\n[languages]\n'*.x' = 'rust'\n");
    sandbox.write(USERS, "\n[sync]\nremote = 'up'\n");
    let listed = cce_with(&sandbox, &[("CCE_SYNC_TIMEOUT", "7")], &["config", "list"]).succeeds();
    let rows: Vec<String> = listed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let users = sandbox.path(USERS).display().to_string();
    assert_eq!(
        rows,
        [
            "index.exclude [\"gen/\"] (cce.toml:3)",
            "index.packs (unset)",
            "index.size_limit 2097152 (default)",
            "languages.*.x rust (cce.toml:5)",
            "repo_id (unset)",
            "search.top_k 10 (default)",
            "sync.allow_protocols (unset)",
            "sync.auto_pull 0 (default)",
            "sync.keep 100 (default)",
            &format!("sync.remote up ({users}:3)"),
            "sync.timeout 7 (CCE_SYNC_TIMEOUT)",
        ]
    );
    let document = sandbox.json("r", &["config", "list", "--json"]);
    assert_eq!(document["schema"], "cce.config/1");
    let settings = document["settings"].as_array().unwrap();
    let row = |key: &str| settings.iter().find(|row| row["key"] == key).unwrap();
    assert_eq!(
        *row("sync.remote"),
        serde_json::json!({
            "key": "sync.remote", "value": "up", "origin": "user", "file": users, "line": 3,
            "variable": null, "changes_records": false,
        })
    );
    assert_eq!(row("index.exclude")["value"], serde_json::json!(["gen/"]));
    assert_eq!(row("index.exclude")["changes_records"], true);
    assert_eq!((&row("repo_id")["value"], &row("repo_id")["origin"]), (&serde_json::Value::Null, &"default".into()));
}

#[test]
fn commands_follow_the_settings_and_flags_come_last() {
    let sandbox = one_file_repository();
    for number in 0..4 {
        sandbox.write(&format!("r/f{number}.rs"), format!("/// Anchor {number}.\nfn anchor_{number}() {{}}\n"));
    }
    sandbox.commit("r", "anchors");
    let results = |variables: &[(&str, &str)], more: &[&str]| {
        let out = cce_with(&sandbox, variables, &[&["search", "anchor", "--json"], more].concat()).succeeds();
        let document: serde_json::Value = serde_json::from_str(&out).unwrap();
        document["results"].as_array().unwrap().len()
    };
    assert_eq!(results(&[], &[]), 4);
    sandbox.write(USERS, "search.top_k = 3\n");
    assert_eq!(results(&[], &[]), 3);
    assert_eq!(results(&[("CCE_SEARCH_TOP_K", "2")], &[]), 2);
    assert_eq!(results(&[("CCE_SEARCH_TOP_K", "2")], &["-k", "1"]), 1);
}

#[test]
fn sync_goes_where_the_settings_say() {
    let sandbox = one_file_repository();
    sandbox.remote("one");
    sandbox.remote("two");
    sandbox.remote("three");
    // A relative path in the repository's file starts at its root, wherever we are.
    sandbox.write("r/cce.toml", "repo_id = \"h/x\"\nsync.remote = \"../one\"\n");
    sandbox.write("r/deep/down/a.rs", "fn a() {}\n");
    sandbox.commit("r", "settings");
    sandbox.cce("r/deep/down", &["sync", "push"]).succeeds();
    let refs = |name: &str| sandbox.git(name, &["for-each-ref"]).lines().count();
    assert!(refs("one") > 0 && refs("two") == 0);
    let two = sandbox.url("two");
    sandbox.write(USERS, format!("sync.remote = \"{two}\"\n"));
    assert_eq!(sandbox.cce("r", &["sync", "list"]).code, 1);
    sandbox.cce("r", &["sync", "push"]).succeeds();
    assert!(refs("two") > 0);
    for command in [&["sync", "list"][..], &["sync", "status"], &["sync", "pull"], &["sync", "verify"]] {
        let pulled = cce_with(&sandbox, &[("CCE_SYNC_REMOTE", &sandbox.url("gone"))], command);
        assert_eq!(pulled.code, 4, "{command:?}: {}", pulled.err);
        assert_eq!(cce_with(&sandbox, &[("CCE_SYNC_REMOTE", &two)], command).code, 0, "{command:?}");
    }
    let three = sandbox.url("three");
    cce_with(&sandbox, &[("CCE_SYNC_REMOTE", &two)], &["sync", "push", "--remote", &three]).succeeds();
    assert!(refs("three") > 0);
}

#[test]
fn protocols_and_deadlines_reach_git() {
    let sandbox = one_file_repository();
    // Nobody listens there, so nothing leaves the machine.
    let proxy = ("http_proxy", "http://127.0.0.1:1");
    let list = ["sync", "list", "--remote", "http://example.invalid/x.git"];
    let closed = cce_with(&sandbox, &[proxy], &list).fails(2);
    assert!(
        closed.contains("not allowed") && closed.contains("`cce config set --user sync.allow_protocols http`"),
        "{closed}"
    );
    let open = cce_with(&sandbox, &[proxy, ("CCE_SYNC_ALLOW_PROTOCOLS", "http")], &list).fails(4);
    assert!(!open.contains("not allowed"), "{open}");
    let list = ["sync", "list", "--remote", "ssh://h.invalid/x"];
    let late = cce_with(&sandbox, &[("GIT_SSH_COMMAND", "sleep 600 #"), ("CCE_SYNC_TIMEOUT", "1")], &list).fails(4);
    assert!(late.contains("1 s"), "{late}");
}

#[test]
fn slips_are_refused_where_they_stand() {
    let sandbox = one_file_repository();
    let every = [&["index"][..], &["search", "main"], &["sync", "status"], &["sync", "list"], &["config", "list"]];
    sandbox.write("r/cce.toml", "\n[sync]\nremot = 'x'\n");
    for command in every {
        let line = "line 3 of `cce.toml` has an unknown key `sync.remot`; did you mean `sync.remote`?";
        refused(&sandbox, &[], command, line);
    }
    sandbox.write("r/cce.toml", "");
    sandbox.write(USERS, "[search]\ntopk = 3\n");
    for command in every {
        let line =
            "line 2 of `HOME/.config/cce/config.toml` has an unknown key `search.topk`; did you mean `search.top_k`?";
        refused(&sandbox, &[], command, line);
    }
    sandbox.write(USERS, "");
    for command in every {
        let line = "the variable `CCE_SYNC_REMOT` names no setting; did you mean `CCE_SYNC_REMOTE`?";
        refused(&sandbox, &[("CCE_SYNC_REMOT", "x")], command, line);
    }
}

#[test]
fn what_can_change_records_counts_only_from_the_commit() {
    let sandbox = one_file_repository();
    let reason = "it can change records, so it counts only from the `cce.toml` that a commit holds";
    for (setting, key, variable) in [
        ("index.exclude = []", "index.exclude", "CCE_INDEX_EXCLUDE"),
        ("index.packs = []", "index.packs", "CCE_INDEX_PACKS"),
        ("index.size_limit = 1", "index.size_limit", "CCE_INDEX_SIZE_LIMIT"),
        ("languages = { '*.x' = 'c' }", "languages.*.x", ""),
        ("repo_id = 'h/x'", "repo_id", "CCE_REPO_ID"),
    ] {
        sandbox.write(USERS, setting);
        let line = format!("`{key}` in line 1 of `HOME/.config/cce/config.toml` is refused: {reason}");
        refused(&sandbox, &[], &["index"], &line);
        sandbox.write(USERS, "");
        if !variable.is_empty() {
            let line = format!("`{key}` in the variable `{variable}` is refused: {reason}");
            refused(&sandbox, &[(variable, "1")], &["index"], &line);
        }
        let line = format!(
            "`{key}` can change records, so it counts only from the `cce.toml` that a commit holds; leave out `--user`"
        );
        refused(&sandbox, &[], &["config", "set", "--user", key, "1"], &line);
    }
    assert_eq!(text(&sandbox, USERS), "");
}

#[test]
fn a_repository_cannot_lower_a_guard() {
    let sandbox = one_file_repository();
    sandbox.write("r/cce.toml", "[sync]\nallow_protocols = ['http']\n");
    refused(
        &sandbox,
        &[],
        &["sync", "list"],
        "`sync.allow_protocols` in line 2 of `cce.toml` is refused: it is the user's to decide, so only the user's file and variables may set it",
    );
    sandbox.write("r/cce.toml", "");
    refused(
        &sandbox,
        &[],
        &["config", "set", "sync.allow_protocols", "http"],
        "`sync.allow_protocols` is the user's to decide, so a repository may not set it; add `--user` to set it for yourself",
    );
    sandbox.cce("r", &["config", "set", "--user", "sync.allow_protocols", "http", "git"]).succeeds();
    assert_eq!(sandbox.cce("r", &["config", "get", "sync.allow_protocols"]).succeeds(), "http\ngit\n");
}

#[test]
fn setting_keeps_what_stands_around() {
    let sandbox = one_file_repository();
    let before = "# who we are\nrepo_id = \"h/x\" # short\n\n# what to read\n[index]\nsize_limit = 5 # tiny\n# end\n";
    sandbox.write("r/cce.toml", before);
    let set = |arguments: &[&str]| sandbox.cce("r", &[&["config", "set"], arguments].concat());
    assert_eq!(set(&["index.size_limit", "700"]).succeeds(), "set `index.size_limit` in `cce.toml`\n");
    assert_eq!(text(&sandbox, "r/cce.toml"), before.replace("= 5", "= 700"));
    set(&["index.exclude", "gen/", "*.min.js"]).succeeds();
    set(&["sync.remote", "up"]).succeeds();
    set(&["languages.*.inc", "cpp"]).succeeds();
    let get = |key: &str| sandbox.cce("r", &["config", "get", key]).succeeds();
    assert_eq!(get("index.exclude"), "gen/\n*.min.js\n");
    assert_eq!((get("sync.remote"), get("languages.*.inc")), ("up\n".into(), "cpp\n".into()));
    for line in before.replace("= 5", "= 700").lines() {
        assert!(text(&sandbox, "r/cce.toml").lines().any(|kept| kept == line), "{line}");
    }
}

#[test]
fn setting_says_what_counts_when() {
    let sandbox = one_file_repository();
    let records = sandbox.cce("r", &["config", "set", "repo_id", "h/x"]);
    assert!(
        records.err.contains("`repo_id` can change records: it counts here once git tracks `cce.toml`"),
        "{}",
        records.err
    );
    let shown = sandbox.cce("r", &["config", "get", "repo_id"]);
    let untracked =
        "`cce.toml` is not tracked by git, so what it says of records does not count yet; `git add cce.toml`\n";
    assert_eq!((shown.out.as_str(), shown.err.as_str()), ("h/x\n", untracked));
    assert_eq!(sandbox.cce("r", &["config", "list"]).err, untracked);
    sandbox.git("r", &["add", "cce.toml"]);
    assert_eq!(sandbox.cce("r", &["config", "list"]).err, "");
    let plain = sandbox.cce("r", &["config", "set", "search.top_k", "3"]);
    assert_eq!((plain.code, plain.err.as_str()), (0, ""));
    let user = sandbox.cce("r", &["config", "set", "--user", "search.top_k", "4"]).succeeds();
    assert_eq!(user, format!("set `search.top_k` in `{}`\n", sandbox.path(USERS).display()));
    let covered = sandbox.cce("r", &["config", "set", "search.top_k", "5"]);
    let users = sandbox.path(USERS).display().to_string();
    assert_eq!(
        covered.err,
        format!("`search.top_k` is also set by {users}:1, which comes later and wins\n").replace(":1,", ":2,")
    );
}

#[test]
fn what_is_unset_is_a_negative_answer() {
    let sandbox = one_file_repository();
    let unset = sandbox.cce("r", &["config", "get", "repo_id"]);
    assert_eq!((unset.code, unset.out.as_str()), (1, ""));
    assert_eq!(sandbox.cce("r", &["config", "get", "languages.*.x"]).code, 1);
    let line = "there is no setting `repoid`; did you mean `repo_id`? (`cce config list` lists them)";
    refused(&sandbox, &[], &["config", "get", "repoid"], line);
    let line = "`languages` holds a language for each pattern; name one, as in `languages.*.x`";
    refused(&sandbox, &[], &["config", "get", "languages"], line);
}

#[test]
fn a_value_that_does_not_fit_leaves_the_file_as_it_was() {
    let sandbox = one_file_repository();
    let before = "# mine\nsearch.top_k = 5\n";
    sandbox.write("r/cce.toml", before);
    for (arguments, expected) in [
        (&["search.top_k", "0"][..], "whole number from 1 to 1000"),
        (&["search.top_k", "1", "2"], "whole number from 1 to 1000"),
        (&["repo_id", "a//b"], "slashes"),
        (&["sync.remote", "https://u:pw@h/x"], "credential helper"),
        (&["languages.*.x", "rsut"], "did you mean `rust`?"),
        (&["languages.ts", "typescript"], "write `*.ts`"),
        (&["index.packs", "zzz"], "not a pack"),
        (&["index.exclude", "["], "matches no path"),
        (&["sync.remotes", "x"], "did you mean `sync.remote`?"),
    ] {
        let error = sandbox.cce("r", &[&["config", "set"], arguments].concat()).fails(2);
        assert!(error.contains(expected) && error.lines().count() == 1, "{error}");
        assert!(!error.contains("pw"), "{error}");
        assert_eq!(text(&sandbox, "r/cce.toml"), before);
    }
    sandbox.write("r/cce.toml", "search.top_k = \n");
    let error = sandbox.cce("r", &["config", "set", "search.top_k", "3"]).fails(2);
    assert!(error.contains("`cce.toml` is not valid toml"), "{error}");
    assert_eq!(text(&sandbox, "r/cce.toml"), "search.top_k = \n");
}

#[test]
fn a_file_is_never_half_written() {
    let sandbox = one_file_repository();
    sandbox.write("r/cce.toml", "search.top_k = 5\n");
    let inode = |name: &str| std::os::unix::fs::MetadataExt::ino(&fs::metadata(sandbox.path(name)).unwrap());
    let open = fs::File::open(sandbox.path("r/cce.toml")).unwrap();
    let before = inode("r/cce.toml");
    sandbox.cce("r", &["config", "set", "search.top_k", "6"]).succeeds();
    // Whoever has the old file open reads the old file, whole.
    assert_eq!(std::io::read_to_string(open).unwrap(), "search.top_k = 5\n");
    assert_ne!(before, inode("r/cce.toml"));
    let left = fs::read_dir(sandbox.path("r")).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with(".cce-")), "{left:?}");
}

#[test]
fn a_directory_that_cannot_be_written_leaves_everything() {
    let sandbox = one_file_repository();
    sandbox.write("home/.config", "a file where the directory would be\n");
    sandbox.cce("r", &["config", "list"]).succeeds();
    let error = sandbox.cce("r", &["config", "set", "--user", "search.top_k", "6"]).fails(3);
    assert!(error.starts_with("error: cannot write `"), "{error}");
    assert_eq!(text(&sandbox, "home/.config"), "a file where the directory would be\n");
}

#[test]
fn links_lead_to_the_users_file_and_not_out_of_a_one_file_repository() {
    let sandbox = one_file_repository();
    sandbox.write("elsewhere.toml", "search.top_k = 7\n");
    symlink(sandbox.path("elsewhere.toml"), sandbox.path("r/cce.toml")).unwrap();
    assert_eq!(sandbox.cce("r", &["config", "get", "search.top_k"]).succeeds(), "10\n");
    let error = sandbox.cce("r", &["config", "set", "search.top_k", "3"]).fails(2);
    assert!(error.contains("is not a file itself"), "{error}");
    fs::create_dir_all(sandbox.path("home/.config/cce")).unwrap();
    symlink(sandbox.path("elsewhere.toml"), sandbox.path(USERS)).unwrap();
    fs::set_permissions(sandbox.path("elsewhere.toml"), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(sandbox.cce("r", &["config", "get", "search.top_k"]).succeeds(), "7\n");
    sandbox.cce("r", &["config", "set", "--user", "search.top_k", "3"]).succeeds();
    assert_eq!(text(&sandbox, "elsewhere.toml"), "search.top_k = 3\n");
    assert!(fs::symlink_metadata(sandbox.path(USERS)).unwrap().is_symlink());
    assert_eq!(fs::metadata(sandbox.path("elsewhere.toml")).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_bare_repository_has_the_users_settings() {
    let sandbox = one_file_repository();
    sandbox.git(".", &["clone", "-q", "--bare", "r", "b"]);
    let error = sandbox.cce("b", &["config", "set", "search.top_k", "3"]).fails(2);
    assert!(error.contains("is a bare repository") && error.contains("`--user`"), "{error}");
    sandbox.cce("b", &["config", "set", "--user", "search.top_k", "3"]).succeeds();
    assert_eq!(sandbox.cce("b", &["config", "get", "search.top_k"]).succeeds(), "3\n");
}

#[test]
fn the_page_of_settings_is_the_table() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/configuration.md")).unwrap();
    let shown: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let keys = cce::config::KEYS.iter().map(|key| {
        let default = key.default.map_or_else(|| "none".to_owned(), |default| format!("`{default}`"));
        format!("| `{}` | {} | {} | {default} | {} |", key.name, key.kind, key.scope, key.meaning)
    });
    assert_eq!(shown, keys.collect::<Vec<_>>());
}
