//! A checkout as consumer: what `cce sync pull --latest` brings in each situation, what is
//! kept, what is answered, and what `cce sync status` says.

mod sandbox;

use sandbox::{Sandbox, small_repository};

const ID: &str = "example.com/harbour/tide";

/// A team's remote with the source and the index of `main`, and two checkouts: the
/// publisher's `repo` and the developer's `dev`.
struct Team {
    sandbox: Sandbox,
}

impl Team {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let url = sandbox.remote("remote.git");
        small_repository(&sandbox, "repo");
        sandbox.write("repo/cce.toml", format!("repo_id = \"{ID}\"\n"));
        sandbox.commit("repo", "identity");
        sandbox.git("repo", &["remote", "add", "origin", &url]);
        sandbox.git("repo", &["push", "-q", "-u", "origin", "main"]);
        sandbox.git(".", &["clone", "-q", &url, "dev"]);
        Self { sandbox }
    }

    fn published() -> Self {
        let team = Self::new();
        team.publish();
        team
    }

    fn publish(&self) {
        self.sandbox.cce("repo", &["sync", "push"]).succeeds();
    }

    /// Somebody else's commit on main, published.
    fn goes_on(&self, name: &str) -> String {
        self.sandbox.write(&format!("repo/src/{name}.rs"), format!("/// Hoists.\nfn hoist_{name}() {{}}\n"));
        let sha = self.sandbox.commit("repo", name);
        self.sandbox.git("repo", &["push", "-q", "origin", "main"]);
        self.publish();
        sha
    }

    fn pull(&self, place: &str) -> serde_json::Value {
        self.sandbox.json(place, &["sync", "pull", "--latest", "--json"])
    }

    fn head(&self, place: &str) -> String {
        self.sandbox.git(place, &["rev-parse", "HEAD"])
    }

    /// Searches a place and checks that its first result is in `path`, and what it answers for.
    #[track_caller]
    fn finds(&self, place: &str, query: &str, path: &str, dirty: bool) {
        let found = self.sandbox.json(place, &["search", query, "--json"]);
        assert_eq!(found["results"][0]["path"], path, "{found}");
        assert_eq!(found["snapshot"]["sha"], self.head(place).as_str());
        assert_eq!(found["snapshot"]["dirty"], dirty);
    }

    /// The three lines of status without the addresses.
    fn status(&self, place: &str) -> Vec<String> {
        let said = self.sandbox.cce(place, &["sync", "status"]).succeeds();
        let said = said.replace(&self.sandbox.url("remote.git"), "REMOTE");
        said.lines().map(str::to_owned).collect()
    }
}

fn short(sha: &str) -> &str {
    &sha[..12]
}

#[test]
fn a_checkout_follows_its_branch() {
    let team = Team::published();
    let first = team.pull("dev");
    assert_eq!((&first["became"], &first["sha"]), (&"installed".into(), &team.head("dev").into()));
    assert_eq!(team.pull("dev")["became"], "unchanged");
    let second = team.goes_on("jib");
    team.sandbox.git("dev", &["pull", "-q"]);
    let pulled = team.pull("dev");
    assert_eq!((&pulled["became"], &pulled["sha"]), (&"installed".into(), &second.as_str().into()));
    assert_eq!(pulled["before"], first["sha"]);
    team.finds("dev", "hoist_jib", "src/jib.rs", false);
}

#[test]
fn a_checkout_that_is_behind_answers_for_itself() {
    let team = Team::published();
    let second = team.goes_on("jib");
    let pulled = team.pull("dev");
    assert_eq!(pulled["sha"], second.as_str());
    team.sandbox.cce("dev", &["search", "hoist_jib"]).fails(1);
    team.finds("dev", "renew_lease", "src/lease.rs", false);
}

#[test]
fn a_switch_of_branches_is_followed() {
    let team = Team::published();
    team.pull("dev");
    team.sandbox.git("repo", &["switch", "-q", "-c", "feature/sails"]);
    team.sandbox.write("repo/src/sails.rs", "/// Unfurls the spinnaker.\nfn unfurl_spinnaker() {}\n");
    let feature = team.sandbox.commit("repo", "sails");
    team.sandbox.git("repo", &["push", "-q", "-u", "origin", "feature/sails"]);
    team.publish();
    team.sandbox.git("dev", &["fetch", "-q"]);
    team.sandbox.git("dev", &["switch", "-q", "feature/sails"]);
    let pulled = team.pull("dev");
    assert_eq!(pulled["sha"], feature.as_str());
    assert_eq!(pulled["pointer"], "heads/feature/sails");
    team.finds("dev", "unfurl_spinnaker", "src/sails.rs", false);
    team.sandbox.git("dev", &["switch", "-q", "main"]);
    team.pull("dev");
    team.sandbox.cce("dev", &["search", "unfurl_spinnaker"]).fails(1);
}

#[test]
fn a_new_worktree_pulls_for_itself() {
    let team = Team::published();
    team.pull("dev");
    team.sandbox.git("dev", &["worktree", "add", "-q", "-b", "topic", "../tree"]);
    let pulled = team.pull("tree");
    assert_eq!((&pulled["became"], &pulled["sha"]), (&"installed".into(), &team.head("dev").into()));
    team.finds("tree", "renew_lease", "src/lease.rs", false);
}

#[test]
fn a_feature_branch_builds_on_its_nearest_published_ancestor() {
    let team = Team::published();
    let base = team.head("dev");
    team.sandbox.git("dev", &["switch", "-q", "-c", "topic"]);
    team.sandbox.write("dev/src/keel.rs", "/// Lays the keel.\nfn lay_keel() {}\n");
    team.sandbox.commit("dev", "keel");
    // The default branch goes on meanwhile.
    team.goes_on("jib");
    team.sandbox.write("dev/src/mast.rs", "/// Steps the mast.\nfn step_mast() {}\n");
    let pulled = team.pull("dev");
    assert_eq!(pulled["sha"], base.as_str());
    assert_eq!(pulled["nearest_to"]["sha"], team.head("dev").as_str());
    assert_eq!(pulled["nearest_to"]["commits"], 1);
    team.finds("dev", "lay_keel", "src/keel.rs", true);
    team.finds("dev", "step_mast", "src/mast.rs", true);
}

#[test]
fn where_nothing_is_published_the_checkout_is_indexed_and_the_reason_said() {
    let team = Team::new();
    let ran = team.sandbox.cce("dev", &["sync", "pull", "--latest"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains(&format!("nothing is published for `{ID}`")), "{}", ran.err);
    assert!(ran.out.contains(&format!("searches here answer for {}", short(&team.head("dev")))), "{}", ran.out);
    assert_eq!(team.pull("dev")["became"], "local");
    team.finds("dev", "renew_lease", "src/lease.rs", false);
    // Who asks for one artifact gets no other.
    for asked in [&["--commit", "HEAD"][..], &["--branch", "main"], &["--into", "../elsewhere"]] {
        let ran = team.sandbox.cce("dev", &[&["sync", "pull"], asked].concat());
        assert_eq!(ran.code, 3, "{asked:?}: {}", ran.err);
    }
}

#[test]
fn a_newer_local_index_is_kept_and_said_so() {
    let team = Team::published();
    let published = team.head("dev");
    team.sandbox.write("dev/src/keel.rs", "/// Lays the keel.\nfn lay_keel() {}\n");
    let local = team.sandbox.commit("dev", "keel");
    team.sandbox.cce("dev", &["index", "--rebuild"]).succeeds();
    let said = team.sandbox.cce("dev", &["sync", "pull", "--latest"]).succeeds();
    let expected = format!("kept the local index of {}, which is 1 commit ahead", short(&local));
    assert!(said.starts_with(&expected), "{said}");
    let kept = team.pull("dev");
    assert_eq!((&kept["became"], &kept["sha"]), (&"kept".into(), &local.as_str().into()));
    assert_eq!((&kept["published"], &kept["ahead"]), (&published.as_str().into(), &1.into()));
    let forced = team.sandbox.json("dev", &["sync", "pull", "--latest", "--force", "--json"]);
    assert_eq!((&forced["became"], &forced["before"]), (&"installed".into(), &local.as_str().into()));
    team.finds("dev", "lay_keel", "src/keel.rs", false);
}

#[test]
fn a_damaged_index_is_pulled_again() {
    let team = Team::published();
    team.pull("dev");
    let generations = team.sandbox.path("dev/.cce/generations");
    let index = std::fs::read_dir(generations).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&index).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::remove_file(&index).unwrap();
    std::fs::write(&index, bytes).unwrap();
    assert_eq!(team.pull("dev")["became"], "installed");
    team.sandbox.cce("dev", &["sync", "verify", "--offline"]).succeeds();
}

#[test]
fn a_place_without_source_says_what_it_answered_for_before() {
    let team = Team::published();
    let first = team.head("dev");
    let into = || team.sandbox.json("dev", &["sync", "pull", "--into", "../index", "--json"]);
    assert_eq!(into()["before"], serde_json::Value::Null);
    assert_eq!(into()["became"], "unchanged");
    let second = team.goes_on("jib");
    team.sandbox.git("dev", &["pull", "-q"]);
    let said = team.sandbox.cce("dev", &["sync", "pull", "--into", "../index"]).succeeds();
    assert!(said.contains(short(&second)) && said.contains(&format!("in the place of {}", short(&first))), "{said}");
}

#[test]
fn status_says_what_is_here_what_is_there_and_what_to_run() {
    let team = Team::new();
    let head = team.head("dev");
    let now = short(&head);
    let check = |expect: [&str; 3]| assert_eq!(team.status("dev"), expect);
    check([
        &format!("index   none; HEAD is {now} on main"),
        "remote  REMOTE: 0 artifacts; HEAD is not published",
        "run     `cce index` makes an index here; nothing is published yet",
    ]);
    team.publish();
    let same = format!(
        "remote  REMOTE: 1 artifact; HEAD is published; the branch at {now}, the same as HEAD; the default at {now}, the same as HEAD"
    );
    check([
        &format!("index   none; HEAD is {now} on main"),
        &same,
        "run     `cce sync pull --latest` brings the newest published index",
    ]);
    team.pull("dev");
    check([&format!("index   of {now}, which is HEAD on main"), &same, "run     nothing; searches answer for HEAD"]);
    team.sandbox.write("dev/src/keel.rs", "fn lay_keel() {}\n");
    let next = team.sandbox.commit("dev", "keel");
    let next = short(&next);
    check([
        &format!("index   of {now}; HEAD is {next} on main"),
        &format!(
            "remote  REMOTE: 1 artifact; HEAD is not published, {now} is, 1 commit back; the branch at {now}, HEAD is 1 commit ahead; the default at {now}, HEAD is 1 commit ahead"
        ),
        "run     nothing; the next search reads what differs",
    ]);
    team.sandbox.cce("dev", &["search", "keel"]).succeeds();
    assert_eq!(team.status("dev")[0], format!("index   of {next}, which is HEAD on main, laid over {now}"));
    team.sandbox.git("dev", &["reset", "-q", "--hard", now]);
    let second = team.goes_on("jib");
    team.sandbox.git("dev", &["fetch", "-q"]);
    assert_eq!(
        team.status("dev")[2],
        "run     `git pull`, then `cce sync pull --latest`: newer commits are published",
        "{second}"
    );
}

#[test]
fn a_remote_that_is_away_leaves_the_index_line_and_the_index() {
    let team = Team::published();
    team.pull("dev");
    std::fs::rename(team.sandbox.path("remote.git"), team.sandbox.path("away.git")).unwrap();
    let ran = team.sandbox.cce("dev", &["sync", "status"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.out.starts_with("index   of "), "{}", ran.out);
    team.sandbox.cce("dev", &["sync", "pull", "--latest"]).fails(4);
    team.finds("dev", "renew_lease", "src/lease.rs", false);
}

/// Waits for what a process in the background does; a test that hangs is a failed one.
#[track_caller]
fn eventually(what: &str, done: impl Fn() -> bool) {
    for _ in 0..1200 {
        if done() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("{what} did not happen");
}

#[test]
fn a_search_pulls_behind_itself_once_in_an_interval() {
    let team = Team::published();
    team.pull("dev");
    let second = team.goes_on("jib");
    team.sandbox.git("dev", &["pull", "-q"]);
    let search = || {
        let mut cce = team.sandbox.program(env!("CARGO_BIN_EXE_cce"));
        let cce = cce.env("CCE_SYNC_AUTO_PULL", "86400").current_dir(team.sandbox.path("dev"));
        let ran: sandbox::Ran = cce.args(["search", "hoist_jib"]).output().unwrap().into();
        assert!(ran.succeeds().contains("src/jib.rs"));
    };
    search();
    let base = || team.sandbox.json("dev", &["sync", "status", "--json"])["installed"]["base"].clone();
    eventually("the pull", || base() == second.as_str());
    let turn = team.sandbox.path("dev/.cce/pull-turn");
    let begun = || std::fs::metadata(&turn).unwrap().modified().unwrap();
    let first = begun();
    search();
    assert_eq!(begun(), first);

    // A pull that fails is told by status, and by no search.
    std::fs::rename(team.sandbox.path("remote.git"), team.sandbox.path("away.git")).unwrap();
    std::fs::remove_file(&turn).unwrap();
    search();
    eventually("the note", || team.sandbox.path("dev/.cce/pull-failed").exists());
    let ran = team.sandbox.cce("dev", &["sync", "status"]);
    assert!(ran.err.starts_with("the last pull in the background failed: "), "{}", ran.err);
    std::fs::rename(team.sandbox.path("away.git"), team.sandbox.path("remote.git")).unwrap();
    std::fs::remove_file(&turn).unwrap();
    search();
    eventually("the end of the note", || !team.sandbox.path("dev/.cce/pull-failed").exists());
}

#[test]
fn a_search_pulls_nothing_where_nobody_asked_for_it() {
    let team = Team::published();
    team.pull("dev");
    team.sandbox.cce("dev", &["search", "tide"]).succeeds();
    assert!(!team.sandbox.path("dev/.cce/pull-turn").exists());
    // A repository cannot switch it on for those who clone it.
    team.sandbox.write("dev/cce.toml", format!("repo_id = \"{ID}\"\n\n[sync]\nauto_pull = 1\n"));
    let refused = team.sandbox.cce("dev", &["search", "tide"]).fails(2);
    assert!(refused.contains("sync.auto_pull"), "{refused}");
}
