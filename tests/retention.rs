//! What a remote keeps, and what goes from it for good, with the real binary and real git.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // tests start programs

mod sandbox;

use std::collections::BTreeSet;
use std::fs;

use sandbox::{Ran, Sandbox};
use serde_json::Value;

const ID: &str = "example.com/acme/harbour";
const PREFIX: &str = "refs/cce/hash/3.0/example.com%2Facme%2Fharbour";

/// A source `r` with its `origin.git`, and a remote for artifacts that sends commits alone.
struct Harbour {
    sandbox: Sandbox,
    url: String,
}

impl Harbour {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.repository("r");
        let origin = sandbox.remote("origin.git");
        sandbox.git("r", &["remote", "add", "origin", &origin]);
        let url = sandbox.remote("cache.git");
        sandbox.git("cache.git", &["config", "uploadpack.allowFilter", "true"]);
        Self { sandbox, url }
    }

    /// Commits `text` as `name` and gives the commit.
    fn commit(&self, name: &str, text: &str) -> String {
        self.sandbox.write(&format!("r/{name}"), text);
        let sha = self.sandbox.commit("r", "m");
        self.sandbox.git("r", &["push", "-q", "--all", "origin"]);
        sha
    }

    fn sync(&self, verb: &str, arguments: &[&str]) -> Ran {
        let all = [&["sync", verb, "--remote", self.url.as_str(), "--repo-id", ID], arguments].concat();
        self.sandbox.cce("r", &all)
    }

    #[track_caller]
    fn json(&self, verb: &str, arguments: &[&str]) -> Value {
        let ran = self.sync(verb, &[arguments, &["--json"]].concat());
        serde_json::from_str(&ran.succeeds()).unwrap()
    }

    /// Commits `text` as `name`, publishes the commit and gives it.
    fn publish(&self, name: &str, text: &str) -> String {
        let sha = self.commit(name, text);
        self.sync("push", &[]).succeeds();
        sha
    }

    fn configure(&self, key: &str, value: &str) {
        self.sandbox.cce("r", &["config", "set", "--user", key, value]).succeeds();
    }

    /// The source commits that are published.
    fn published(&self) -> BTreeSet<String> {
        let prefix = format!("{PREFIX}/commits/");
        let listed = self.sandbox.git("cache.git", &["for-each-ref", "--format=%(refname)", &prefix]);
        listed.lines().map(|name| name[prefix.len()..].to_owned()).collect()
    }

    fn pointer(&self, name: &str) -> Option<String> {
        let name = format!("{PREFIX}/{name}");
        let listed = self.sandbox.git("cache.git", &["for-each-ref", "--format=%(objectname)", &name]);
        let format = "--format=%(trailers:key=Source-Commit,valueonly,separator=)";
        (!listed.is_empty()).then(|| self.sandbox.git("cache.git", &["log", "-1", format, &name]))
    }

    fn set(shas: &[&String]) -> BTreeSet<String> {
        shas.iter().map(|sha| (*sha).clone()).collect()
    }

    /// Whether the remote holds `text` in a blob that some ref reaches, or in any at all.
    fn holds(&self, text: &str, everywhere: bool) -> bool {
        let mut arguments = vec!["cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"];
        if !everywhere {
            arguments = vec!["rev-list", "--objects", "--all", "--no-object-names"];
        }
        let listed = self.sandbox.git("cache.git", &arguments);
        let text_of = |id: &str| self.sandbox.git("cache.git", &["cat-file", "-p", id]);
        listed.lines().any(|line| text_of(line.split(' ').next().unwrap()).contains(text))
    }

    /// The checksum that an artifact verifies with when it is pulled to an empty machine.
    #[track_caller]
    fn checksum(&self, sha: &str) -> String {
        let place = format!("pulled-{sha}-{}", fs::read_dir(self.sandbox.path("")).unwrap().count());
        let output = self
            .sandbox
            .program(env!("CARGO_BIN_EXE_cce"))
            .env("CCE_HOME", self.sandbox.path(&format!("home-of-{place}")))
            .current_dir(self.sandbox.path("."))
            .args(["sync", "pull", "--remote", &self.url, "--commit", sha, "--into", &place, "--json"])
            .output()
            .unwrap();
        let pulled: Value = serde_json::from_str(&Ran::from(output).succeeds()).unwrap();
        assert_eq!(pulled["sha"], sha);
        pulled["checksum"].as_str().unwrap().to_owned()
    }
}

#[test]
fn prune_keeps_the_newest_of_each_branch() {
    let harbour = Harbour::new();
    let one = harbour.publish("a", "1");
    let two = harbour.publish("a", "2");
    let three = harbour.publish("a", "3");
    harbour.sandbox.git("r", &["checkout", "-q", "-b", "side", &one]);
    let side = ["4", "5"].map(|text| harbour.publish("b", text));
    let all = Harbour::set(&[&one, &two, &three, &side[0], &side[1]]);
    assert_eq!(harbour.published(), all);

    let plan = harbour.json("prune", &["--keep", "1", "--dry-run"]);
    assert_eq!((&plan["dry_run"], &plan["kept"]), (&true.into(), &2.into()));
    assert_eq!(harbour.published(), all, "a dry run removes nothing");
    let told: BTreeSet<String> =
        plan["removed"].as_array().unwrap().iter().map(|row| row["sha"].as_str().unwrap().to_owned()).collect();
    assert_eq!(told, Harbour::set(&[&one, &two, &side[0]]));

    let done = harbour.json("prune", &["--keep", "1", "--branch", "side"]);
    assert_eq!((done["removed"].as_array().unwrap().len(), &done["removed"][0]["branch"]), (1, &"side".into()));
    assert_eq!(harbour.published(), Harbour::set(&[&one, &two, &three, &side[1]]));
    let said = harbour.sync("prune", &["--keep", "2"]).succeeds();
    assert!(said.contains("removed 1 artifact of example.com/acme/harbour") && said.contains("3 stay"), "{said}");
    assert_eq!(harbour.published(), Harbour::set(&[&two, &three, &side[1]]));
    let said = harbour.sync("prune", &["--keep", "2"]).succeeds();
    assert!(said.starts_with("removed 0 artifacts"), "{said}");
    harbour.checksum(&two);
}

#[test]
fn the_date_of_the_source_decides_before_the_order_of_publishing() {
    let harbour = Harbour::new();
    let early = harbour.commit("a", "early");
    let later = harbour
        .sandbox
        .program("git")
        .current_dir(harbour.sandbox.path("r"))
        .env("GIT_COMMITTER_DATE", "1800000000 +0000")
        .args(["commit", "-q", "--allow-empty", "-m", "later"])
        .output()
        .unwrap();
    assert!(later.status.success());
    let later = harbour.sandbox.git("r", &["rev-parse", "HEAD"]);
    harbour.sandbox.git("r", &["push", "-q", "--all", "origin"]);
    harbour.sync("push", &["--commit", &later]).succeeds();
    harbour.sync("push", &["--commit", &early, "--branch", "main"]).succeeds();
    harbour.sync("prune", &["--keep", "1"]).succeeds();
    assert_eq!(harbour.published(), Harbour::set(&[&later]));
}

#[test]
fn what_tags_and_pointers_name_stays() {
    let harbour = Harbour::new();
    let shas = ["1", "2", "3", "4", "5"].map(|text| harbour.publish("a", text));
    harbour.sandbox.git("r", &["tag", "here", &shas[0]]);
    harbour.sandbox.git("r", &["tag", "-m", "annotated", "there", &shas[1]]);
    harbour.sandbox.git("r", &["push", "-q", "origin", "there"]);
    harbour.sandbox.git("r", &["tag", "-d", "there"]);
    // A second branch points to the third; its own artifact is the pointer's alone.
    let third = harbour.sandbox.git("cache.git", &["rev-parse", &format!("{PREFIX}/commits/{}", shas[2])]);
    harbour.sandbox.git("cache.git", &["update-ref", &format!("{PREFIX}/heads/release"), &third]);
    harbour.sync("prune", &["--keep", "1"]).succeeds();
    assert_eq!(harbour.published(), Harbour::set(&[&shas[0], &shas[1], &shas[2], &shas[4]]));
}

#[test]
fn tags_that_cannot_be_asked_for_stop_it() {
    let harbour = Harbour::new();
    let shas = ["1", "2"].map(|text| harbour.publish("a", text));
    fs::rename(harbour.sandbox.path("origin.git"), harbour.sandbox.path("away.git")).unwrap();
    harbour.sync("prune", &["--keep", "1"]).fails(4);
    assert_eq!(harbour.published(), Harbour::set(&[&shas[0], &shas[1]]));
    // Where the source is not here at all, the remote's own tags count, and that is said.
    fs::create_dir(harbour.sandbox.path("empty")).unwrap();
    let ran = harbour.sandbox.cce("empty", &["sync", "prune", "--remote", &harbour.url, "--keep", "1"]);
    assert!(ran.err.contains("the source is not here"), "{}", ran.err);
    ran.succeeds();
    assert_eq!(harbour.published(), Harbour::set(&[&shas[1]]));
}

#[test]
fn artifacts_of_no_branch_are_a_group_of_their_own() {
    let harbour = Harbour::new();
    let on_branch = harbour.publish("a", "1");
    harbour.sandbox.git("r", &["checkout", "-q", "--detach"]);
    let detached = ["2", "3"].map(|text| harbour.publish("a", text));
    harbour.sync("prune", &["--keep", "1"]).succeeds();
    assert_eq!(harbour.published(), Harbour::set(&[&on_branch, &detached[1]]));
}

#[test]
fn a_remote_without_filters_is_pruned_too() {
    let harbour = Harbour::new();
    harbour.sandbox.git("cache.git", &["config", "uploadpack.allowFilter", "false"]);
    let shas = ["1", "2", "3"].map(|text| harbour.publish("a", text));
    harbour.sync("prune", &["--keep", "2"]).succeeds();
    assert_eq!(harbour.published(), Harbour::set(&[&shas[1], &shas[2]]));
}

#[test]
fn what_is_no_artifact_stays() {
    let harbour = Harbour::new();
    let shas = ["1", "2"].map(|text| harbour.publish("a", text));
    let tree = harbour.sandbox.git("cache.git", &["rev-parse", &format!("{PREFIX}/default^{{tree}}")]);
    let foreign = harbour.sandbox.git("cache.git", &["commit-tree", "-m", "foreign", &tree]);
    harbour.sandbox.git("cache.git", &["update-ref", &format!("{PREFIX}/commits/{}", "0".repeat(39) + "1"), &foreign]);
    harbour.sync("prune", &["--keep", "1"]).succeeds();
    assert_eq!(harbour.published(), Harbour::set(&[&("0".repeat(39) + "1"), &shas[1]]));
}

#[test]
fn a_push_keeps_what_the_setting_says() {
    let harbour = Harbour::new();
    let first = harbour.publish("a", "1");
    harbour.configure("sync.keep", "2");
    let second = harbour.publish("a", "2");
    assert_eq!(harbour.published(), Harbour::set(&[&first, &second]));
    let third = harbour.commit("a", "3");
    let pushed = harbour.json("push", &[]);
    assert_eq!((&pushed["removed"], &pushed["notices"]), (&1.into(), &serde_json::json!([])));
    assert_eq!(harbour.published(), Harbour::set(&[&second, &third]));
    // What was just published stays, however old it is.
    harbour.sandbox.git("r", &["checkout", "-q", "main"]);
    harbour.sync("push", &["--commit", &first]).succeeds();
    assert!(harbour.published().contains(&first));
    harbour.configure("sync.keep", "0");
    let before = harbour.published();
    let fourth = harbour.publish("a", "4");
    assert_eq!(harbour.published(), &before | &Harbour::set(&[&fourth]));
    let said = harbour.sync("prune", &[]).fails(2);
    assert!(said.contains("--keep N"), "{said}");
    harbour.sync("prune", &["--keep", "0"]).fails(2);
}

/// A push is done when the artifact is there; what the remote thinks of deletion is a notice.
#[test]
fn a_remote_that_forbids_deletion_gets_one_notice() {
    let harbour = Harbour::new();
    executable(&harbour.sandbox, "cache.git/hooks/update", "case \"$3\" in 0000*) exit 1 ;; esac\n");
    harbour.configure("sync.keep", "1");
    harbour.publish("a", "1");
    harbour.commit("a", "2");
    let ran = harbour.sync("push", &[]);
    assert_eq!(ran.err.lines().filter(|line| line.contains("older artifacts stay")).count(), 1, "{}", ran.err);
    ran.succeeds();
    assert_eq!(harbour.published().len(), 2);
    let said = harbour.sync("prune", &["--keep", "1"]).fails(4);
    assert!(said.contains("hook declined") && said.contains("sync.keep"), "{said}");
}

/// Nothing more is asked of the remote while there cannot be too many.
#[test]
fn a_push_within_the_limit_asks_nothing_more() {
    let harbour = Harbour::new();
    let calls = |keep: &str, text: &str| {
        harbour.configure("sync.keep", keep);
        harbour.commit("a", text);
        let log = harbour.sandbox.path(&format!("trace-{text}"));
        let ran = harbour
            .sandbox
            .program(env!("CARGO_BIN_EXE_cce"))
            .current_dir(harbour.sandbox.path("r"))
            .args(["sync", "push", "--remote", &harbour.url, "--repo-id", ID])
            .env("PATH", recording_git(&harbour.sandbox, &log))
            .output()
            .unwrap();
        Ran::from(ran).succeeds();
        fs::read_to_string(log)
            .unwrap()
            .lines()
            .filter(|line| ["ls-remote", "fetch", "push"].iter().any(|word| line.contains(word)))
            .count()
    };
    calls("0", "1");
    let without = calls("0", "2");
    assert_eq!(calls("100", "3"), without);
    assert!(calls("1", "4") > without, "the counter counts");
}

/// Writes a shell script that can be started.
fn executable(sandbox: &Sandbox, name: &str, script: &str) {
    sandbox.write(name, format!("#!/bin/sh\n{script}"));
    fs::set_permissions(sandbox.path(name), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// A path on which `git` writes its arguments to `log` before it is git.
fn recording_git(sandbox: &Sandbox, log: &std::path::Path) -> std::ffi::OsString {
    let old = std::env::var_os("PATH").unwrap();
    let git = std::env::split_paths(&old).map(|place| place.join("git")).find(|git| git.is_file()).unwrap();
    let script = format!("echo \"$@\" >> '{}'\nexec '{}' \"$@\"\n", log.display(), git.display());
    executable(sandbox, "bin/git", &script);
    let places = std::iter::once(sandbox.path("bin")).chain(std::env::split_paths(&old));
    std::env::join_paths(places).unwrap()
}

const SECRET: &str = "the keel is rotten";

/// Publishes five artifacts; the second and the third hold the secret in `log.txt`.
fn with_a_secret(harbour: &Harbour) -> [String; 5] {
    let files = [("a", "1"), ("log.txt", SECRET), ("a", "2"), ("log.txt", "all is well"), ("a", "3")];
    files.map(|(name, text)| harbour.publish(name, text))
}

fn collect_garbage(harbour: &Harbour) {
    harbour.sandbox.git("cache.git", &["gc", "--quiet", "--prune=now"]);
    harbour.sandbox.git("cache.git", &["fsck", "--strict", "--full"]);
}

#[test]
fn a_withdrawn_text_can_be_collected() {
    let harbour = Harbour::new();
    let shas = with_a_secret(&harbour);
    let checksums: Vec<String> = [0, 3, 4].map(|at| harbour.checksum(&shas[at])).to_vec();
    let trees = |at: usize| {
        harbour.sandbox.git("cache.git", &["rev-parse", &format!("{PREFIX}/commits/{}^{{tree}}", shas[at])])
    };
    let before = [0, 3, 4].map(trees);
    let blob =
        harbour.sandbox.git("cache.git", &["rev-parse", &format!("{PREFIX}/commits/{}:files/_log.txt", shas[1])]);

    // Without `--yes` nothing happens, and it is said what would.
    let refs = harbour.sandbox.git("cache.git", &["for-each-ref"]);
    let ran = harbour.sync("withdraw", &[&shas[1], "--file", "log.txt", "--json"]);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &told["done"], &told["rerooted"]), (1, &false.into(), &3.into()));
    assert_eq!(told["file"]["same"], serde_json::json!([shas[2]]));
    assert_eq!(told["file"]["other"], serde_json::json!(Harbour::set(&[&shas[3], &shas[4]])));
    assert_eq!(harbour.sandbox.git("cache.git", &["for-each-ref"]), refs);

    // One of the two that hold it goes: the other keeps the text alive.
    let objects = || {
        let all = ["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"];
        harbour.sandbox.git("cache.git", &all).lines().count()
    };
    let known = objects();
    let done = harbour.json("withdraw", &[&shas[1], "--yes"]);
    assert_eq!(objects(), known + 3, "a commit for each later artifact is sent, and nothing else");
    assert_eq!((&done["done"], done["withdrawn"].as_array().unwrap().len()), (&true.into(), 1));
    collect_garbage(&harbour);
    assert!(harbour.holds(SECRET, false));
    let said = harbour.sync("withdraw", &[&shas[2][..10], "--yes"]).succeeds();
    assert!(said.contains("withdrew") && said.contains("2 later artifacts begin a new chain"), "{said}");
    assert!(!harbour.holds(SECRET, false));
    collect_garbage(&harbour);
    let gone = harbour
        .sandbox
        .program("git")
        .current_dir(harbour.sandbox.path("cache.git"))
        .args(["cat-file", "-e", &blob])
        .output()
        .unwrap();
    assert!(!gone.status.success());
    assert!(!harbour.sandbox.git("cache.git", &["rev-list", "--objects", "--all"]).contains(&blob));
    assert!(!harbour.holds(SECRET, true));

    // What stays is what it was.
    assert_eq!(harbour.published(), Harbour::set(&[&shas[0], &shas[3], &shas[4]]));
    assert_eq!([0, 3, 4].map(trees), before);
    assert_eq!([0, 3, 4].map(|at| harbour.checksum(&shas[at])).to_vec(), checksums);
    assert_eq!(harbour.pointer("default").as_ref(), Some(&shas[4]));
    assert_eq!(harbour.pointer("heads/main").as_ref(), Some(&shas[4]));

    // Publishing goes on from there, and brings nothing back.
    let next = harbour.publish("a", "4");
    collect_garbage(&harbour);
    assert!(!harbour.holds(SECRET, true));
    let log = harbour.sandbox.git(
        "cache.git",
        &["log", "--format=%(trailers:key=Chain,valueonly,separator=)", &format!("{PREFIX}/commits/{next}")],
    );
    assert_eq!(log, "3\n2\n1");
    harbour.sync("withdraw", &[&shas[1], "--yes"]).fails(3);
}

#[test]
fn those_that_hold_the_same_file_go_with_it() {
    let harbour = Harbour::new();
    let shas = with_a_secret(&harbour);
    let said = harbour.sync("withdraw", &[&shas[2], "--file", "log.txt", "--with-sharing", "--yes"]).succeeds();
    assert_eq!(said.lines().filter(|line| line.starts_with("withdrew")).count(), 2, "{said}");
    assert_eq!(harbour.published(), Harbour::set(&[&shas[0], &shas[3], &shas[4]]));
    collect_garbage(&harbour);
    assert!(!harbour.holds(SECRET, true));
    harbour.sync("withdraw", &[&shas[0], "--with-sharing"]).fails(2);
    let said = harbour.sync("withdraw", &[&shas[0], "--file", "nosuch"]).fails(2);
    assert!(said.contains("`nosuch`"), "{said}");
}

#[test]
fn what_was_pruned_and_hangs_in_a_chain_is_withdrawn_too() {
    let harbour = Harbour::new();
    let shas = with_a_secret(&harbour);
    harbour.sync("prune", &["--keep", "1"]).succeeds();
    assert_eq!(harbour.published(), Harbour::set(&[&shas[4]]));
    collect_garbage(&harbour);
    assert!(harbour.holds(SECRET, false), "a chain holds what was pruned");
    let said = harbour.sync("withdraw", &[&shas[1], "--file", "log.txt", "--with-sharing", "--yes"]).succeeds();
    assert!(said.contains("held by a chain"), "{said}");
    collect_garbage(&harbour);
    assert!(!harbour.holds(SECRET, true));
    harbour.checksum(&shas[4]);
}

#[test]
fn pointers_go_to_the_nearest_left_and_then_away() {
    let harbour = Harbour::new();
    let shas = ["1", "2", "3"].map(|text| harbour.publish("a", text));
    let said = harbour.sync("withdraw", &[&shas[2], "--yes"]).succeeds();
    assert!(said.contains(&format!("pointer default goes to {}", &shas[1][..12])), "{said}");
    assert_eq!(harbour.pointer("heads/main").as_ref(), Some(&shas[1]));
    let said = harbour.sync("withdraw", &[&shas[0], &shas[1], "--yes"]).succeeds();
    assert!(said.contains("pointer heads/main is deleted"), "{said}");
    assert_eq!(harbour.sandbox.git("cache.git", &["for-each-ref"]), "");
}

/// Neither the lack of filters nor that of atomic pushes changes what is withdrawn.
#[test]
fn plain_servers_withdraw_as_well() {
    for setting in ["uploadpack.allowFilter", "receive.advertiseAtomic"] {
        let harbour = Harbour::new();
        let shas = with_a_secret(&harbour);
        harbour.sandbox.git("cache.git", &["config", setting, "false"]);
        let checksum = harbour.checksum(&shas[4]);
        harbour.sync("withdraw", &[&shas[1], &shas[2], "--yes"]).succeeds();
        collect_garbage(&harbour);
        assert!(!harbour.holds(SECRET, true), "{setting}");
        assert_eq!(harbour.published(), Harbour::set(&[&shas[0], &shas[3], &shas[4]]), "{setting}");
        assert_eq!((harbour.checksum(&shas[4]), harbour.pointer("default")), (checksum, Some(shas[4].clone())));
    }
}

/// Other repositories in a shared remote are not touched, and are told of.
#[test]
fn other_repositories_in_the_remote_are_told_of() {
    let harbour = Harbour::new();
    let sha = harbour.publish("log.txt", SECRET);
    let other = ["sync", "push", "--remote", &harbour.url, "--repo-id", "example.com/acme/fork"];
    harbour.sandbox.cce("r", &other).succeeds();
    let told = harbour.json("withdraw", &[&sha, "--file", "log.txt", "--yes"]);
    assert_eq!((&told["sharing"][0]["repo_id"], &told["unique"]), (&"example.com/acme/fork".into(), &0.into()));
    assert!(harbour.published().is_empty() && harbour.holds(SECRET, false));
}

#[test]
fn a_withdrawal_empties_the_caches_here() {
    let harbour = Harbour::new();
    let shas = with_a_secret(&harbour);
    harbour
        .sandbox
        .cce("r", &["sync", "pull", "--remote", &harbour.url, "--repo-id", ID, "--commit", &shas[1], "--into", "../c"])
        .succeeds();
    harbour.sync("withdraw", &[&shas[1], &shas[2], "--yes"]).succeeds();
    let left = fs::read_dir(harbour.sandbox.path("cce-home/caches")).unwrap();
    let names: Vec<String> = left.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let remote = names.iter().find_map(|name| name.strip_suffix(".publishing.lock")).unwrap();
    let of_remote: Vec<&String> = names.iter().filter(|name| name.starts_with(remote)).collect();
    assert!(of_remote.len() >= 3 && of_remote.iter().all(|name| name.ends_with(".lock")), "{names:?}");
    assert!(names.iter().all(|name| !name.starts_with("new-")), "{names:?}");
}

/// Runs `cce sync VERB` with a `git` that runs `script` once, right before the first push.
fn with_a_racer(harbour: &Harbour, script: &str, verb: &str, arguments: &[&str]) -> Ran {
    let real = recording_git(&harbour.sandbox, &harbour.sandbox.path("calls"));
    let git = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|place| place.join("git"))
        .find(|git| git.is_file());
    let (git, done) = (git.unwrap(), harbour.sandbox.path("raced"));
    let git = git.display();
    let race = format!(
        "case \" $* \" in *\" push \"*) if mkdir '{}' 2>/dev/null; then ({script}) >&2; fi ;; esac\nexec '{git}' \"$@\"\n",
        done.display()
    );
    executable(&harbour.sandbox, "bin/git", &race);
    let all = [&["sync", verb, "--remote", harbour.url.as_str(), "--repo-id", ID], arguments].concat();
    let output = harbour
        .sandbox
        .program(env!("CARGO_BIN_EXE_cce"))
        .current_dir(harbour.sandbox.path("r"))
        .env("PATH", real)
        .args(all)
        .output()
        .unwrap();
    assert!(done.exists(), "nobody raced");
    output.into()
}

#[test]
fn a_ref_that_moves_meanwhile_is_not_pruned() {
    let harbour = Harbour::new();
    let shas = ["1", "2", "3"].map(|text| harbour.publish("a", text));
    let moved = format!("{PREFIX}/commits/{}", shas[0]);
    let script = format!(
        "git -C '{}' update-ref {moved} {PREFIX}/commits/{}",
        harbour.sandbox.path("cache.git").display(),
        shas[2]
    );
    let ran = with_a_racer(&harbour, &script, "prune", &["--keep", "1"]);
    assert!(ran.err.contains(&format!("`{moved}` was moved by others")), "{}", ran.err);
    assert!(ran.succeeds().contains("removed 1 artifact of"));
    assert_eq!(harbour.published(), Harbour::set(&[&shas[0], &shas[2]]));
}

/// A publication on top of what is being withdrawn is cut loose too.
#[test]
fn a_push_during_a_withdrawal_brings_nothing_back() {
    let harbour = Harbour::new();
    let shas = with_a_secret(&harbour);
    let late = harbour.commit("a", "late");
    let script = format!(
        "unset GIT_NO_LAZY_FETCH; CCE_HOME='{}' '{}' sync push --remote {} --repo-id {ID} -C '{}'",
        harbour.sandbox.path("other-home").display(),
        env!("CARGO_BIN_EXE_cce"),
        harbour.url,
        harbour.sandbox.path("r").display()
    );
    let ran = with_a_racer(&harbour, &script, "withdraw", &[&shas[1], &shas[2], "--yes"]);
    ran.succeeds();
    assert_eq!(harbour.published(), Harbour::set(&[&shas[0], &shas[3], &shas[4], &late]));
    collect_garbage(&harbour);
    assert!(!harbour.holds(SECRET, true));
    assert_eq!(harbour.pointer("default").as_ref(), Some(&late));
    harbour.checksum(&late);
}
