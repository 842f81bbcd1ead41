//! What jobs of continuous-integration services leave on the remote, over real git.

mod sandbox;

use std::fs;

use sandbox::{Ran, Sandbox};

const ID: &str = "example.com/acme/billing";
const REFS: &str = "refs/cce/hash/3.0/example.com%2Facme%2Fbilling";

/// A remote with its developer, and one checkout a job.
struct Forge {
    sandbox: Sandbox,
}

type Variables<'a> = &'a [(&'a str, &'a str)];

/// How a job gets its commit.
#[derive(Clone, Copy)]
enum Checkout {
    /// The commit alone, detached.
    Shallow,
    /// All of the history, detached.
    Whole,
}

/// What a job printed, and where it says the commit went.
struct Job {
    said: String,
    noticed: String,
}

impl Forge {
    /// The remote holds `main` with one commit; `dev` is the developer's repository.
    fn new() -> Self {
        let forge = Self { sandbox: Sandbox::new() };
        forge.sandbox.remote("origin.git");
        for setting in ["uploadpack.allowFilter", "receive.fsckObjects"] {
            forge.sandbox.git("origin.git", &["config", setting, "true"]);
        }
        forge.sandbox.repository("dev");
        forge.sandbox.git("dev", &["remote", "add", "origin", &forge.sandbox.url("origin.git")]);
        forge.sandbox.write("dev/cce.toml", format!("repo_id = \"{ID}\"\n"));
        forge.push("main", "first");
        forge
    }

    /// Commits on what `dev` has checked out and pushes it to `branch`.
    fn push(&self, branch: &str, message: &str) -> String {
        self.sandbox.write("dev/main.rs", format!("fn {message}() {{}}\n"));
        let sha = self.sandbox.commit("dev", message);
        self.sandbox.git("dev", &["push", "-q", "--force", "origin", &format!("HEAD:refs/heads/{branch}")]);
        sha
    }

    fn head(&self) -> String {
        self.sandbox.git("dev", &["rev-parse", "HEAD"])
    }

    /// Makes the checkout `name` of `what`, which is a commit or a ref of the remote.
    fn checkout(&self, name: &str, what: &str, how: Checkout) {
        fs::create_dir(self.sandbox.path(name)).unwrap();
        self.sandbox.git(name, &["init", "-q", "-b", "unborn"]);
        self.sandbox.git(name, &["remote", "add", "origin", &self.sandbox.url("origin.git")]);
        match how {
            Checkout::Shallow => self.sandbox.git(name, &["fetch", "-q", "--depth=1", "origin", what]),
            Checkout::Whole => self.sandbox.git(name, &["fetch", "-q", "origin", what]),
        };
        self.sandbox.git(name, &["checkout", "-q", "--detach", "FETCH_HEAD"]);
    }

    /// Runs `cce sync push` in `name`, which has a home of its own, under `variables`.
    fn run(&self, name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.sandbox.program(env!("CARGO_BIN_EXE_cce"));
        command.current_dir(self.sandbox.path(name)).env("CCE_HOME", self.sandbox.path(&format!("{name}-home")));
        command.args(["sync", "push"]).args(arguments).envs(variables.iter().copied());
        command.output().unwrap().into()
    }

    #[track_caller]
    fn job(&self, name: &str, what: &str, how: Checkout, variables: &[(&str, &str)]) -> Job {
        self.checkout(name, what, how);
        self.again(name, variables)
    }

    #[track_caller]
    fn again(&self, name: &str, variables: &[(&str, &str)]) -> Job {
        let ran = self.run(name, &[], variables);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        Job { said: ran.out, noticed: ran.err }
    }

    /// A job of GitHub Actions for `branch` at `sha`, with nothing but the commit.
    #[track_caller]
    fn branch_job(&self, name: &str, branch: &str, sha: &str) -> Job {
        self.job(name, sha, Checkout::Shallow, &on_branch(&format!("refs/heads/{branch}"), sha))
    }

    /// The source commit that a pointer names.
    fn pointer(&self, pointer: &str) -> Option<String> {
        let name = format!("{REFS}/{pointer}");
        let format = "--format=%(trailers:key=Source-Commit,valueonly,separator=)";
        let refs = self.sandbox.git("origin.git", &["for-each-ref", "--format=%(refname)", REFS]);
        refs.lines().any(|line| line == name).then(|| self.sandbox.git("origin.git", &["log", "-1", format, &name]))
    }

    #[track_caller]
    fn points(&self, branch: &str, sha: &str) {
        assert_eq!(self.pointer(&format!("heads/{branch}")).as_deref(), Some(sha), "{branch}");
    }

    fn is_published(&self, sha: &str) -> bool {
        self.pointer(&format!("commits/{sha}")).as_deref() == Some(sha)
    }

    /// Every pointer there is.
    fn pointers(&self) -> Vec<String> {
        let refs = self.sandbox.git("origin.git", &["for-each-ref", "--format=%(refname)", REFS]);
        let names = refs.lines().filter_map(|line| line.strip_prefix(&format!("{REFS}/")));
        names.filter(|name| !name.starts_with("commits/")).map(str::to_owned).collect()
    }
}

fn on_branch<'a>(reference: &'a str, sha: &'a str) -> [(&'static str, &'a str); 4] {
    [("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_NAME", "push"), ("GITHUB_REF", reference), ("GITHUB_SHA", sha)]
}

#[test]
fn a_detached_head_without_a_job_moves_nothing() {
    let forge = Forge::new();
    let job = forge.job("job", "main", Checkout::Whole, &[]);
    assert!(job.noticed.contains("the head is detached, so no pointer moves"), "{}", job.noticed);
    assert!(forge.is_published(&forge.head()) && forge.pointers().is_empty());
}

#[test]
fn a_checkout_of_one_commit_moves_the_pointer_forward() {
    let forge = Forge::new();
    let first = forge.head();
    let job = forge.branch_job("one", "main", &first);
    assert!(job.said.contains("pointer main names it now") && job.noticed.is_empty(), "{}{}", job.said, job.noticed);
    let second = forge.push("main", "second");
    let job = forge.branch_job("two", "main", &second);
    assert!(job.said.contains(&format!("pointer main moved here from {}", &first[..12])), "{}", job.said);
    forge.points("main", &second);
    assert_eq!(forge.pointer("default"), Some(second));
    // One that is behind the branch by now, and ahead of the pointer, as far as it may.
    let third = forge.push("main", "third");
    forge.push("main", "fourth");
    let job = forge.branch_job("three", "main", &third);
    assert!(job.said.contains("pointer main moved here"), "{}{}", job.said, job.noticed);
    forge.points("main", &third);
}

#[test]
fn an_old_job_that_runs_again_leaves_the_pointer() {
    let forge = Forge::new();
    let first = forge.head();
    let second = forge.push("main", "second");
    forge.branch_job("two", "main", &second);
    for (name, how) in [("shallow", Checkout::Shallow), ("whole", Checkout::Whole)] {
        let job = forge.job(name, &first, how, &on_branch("refs/heads/main", &first));
        assert!(job.noticed.contains(&format!("the pointer `main` stays at {second}")), "{}", job.noticed);
        assert!(forge.is_published(&first));
        forge.points("main", &second);
        assert_eq!(forge.pointer("default").as_deref(), Some(second.as_str()));
    }
}

#[test]
fn two_jobs_of_one_commit_publish_once() {
    let forge = Forge::new();
    let head = forge.head();
    forge.branch_job("one", "main", &head);
    let job = forge.branch_job("two", "main", &head);
    assert!(
        job.said.contains("is published already") && job.said.contains("pointer main names it already"),
        "{}",
        job.said
    );
    assert_eq!(job.noticed, "");
    forge.points("main", &head);
}

#[test]
fn a_branch_that_was_forced_or_rebased_takes_its_pointer_along() {
    let forge = Forge::new();
    let base = forge.head();
    let dropped = forge.push("topic", "dropped");
    forge.branch_job("one", "topic", &dropped);
    forge.sandbox.git("dev", &["reset", "-q", "--hard", &base]);
    let forced = forge.push("topic", "forced");
    let job = forge.branch_job("two", "topic", &forced);
    assert!(job.said.contains("pointer topic moved here from"), "{}{}", job.said, job.noticed);
    forge.points("topic", &forced);
    // Rebased onto a main that went on.
    forge.sandbox.git("dev", &["reset", "-q", "--hard", &base]);
    forge.sandbox.write("dev/other.rs", "fn other() {}\n");
    forge.sandbox.commit("dev", "other");
    forge.sandbox.git("dev", &["push", "-q", "origin", "HEAD:refs/heads/main"]);
    forge.sandbox.git("dev", &["cherry-pick", &forced]);
    forge.sandbox.git("dev", &["push", "-q", "--force", "origin", "HEAD:refs/heads/topic"]);
    let rebased = forge.head();
    forge.branch_job("three", "topic", &rebased);
    forge.points("topic", &rebased);
    // The job of what was there before runs once more.
    let job = forge.branch_job("late", "topic", &forced);
    assert!(job.noticed.contains(&format!("the pointer `topic` stays at {rebased}")), "{}", job.noticed);
    forge.points("topic", &rebased);
}

#[test]
fn jobs_that_are_about_no_branch_publish_and_move_nothing() {
    let forge = Forge::new();
    let first = forge.head();
    forge.branch_job("main", "main", &first);
    let tagged = forge.push("release", "tagged");
    forge.sandbox.git("dev", &["push", "-q", "origin", "HEAD:refs/tags/v1"]);
    let asked = forge.push("topic", "asked");
    forge.sandbox.git("origin.git", &["update-ref", "refs/pull/1/merge", &asked]);
    let queue = "refs/heads/gh-readonly-queue/main/pr-1-abc";
    let queued = forge.push("gh-readonly-queue/main/pr-1-abc", "queued");
    let before = forge.pointers();
    let jobs: &[(&str, &str, &str, Variables<'_>, &str)] = &[
        ("tag", "refs/tags/v1", &tagged, &[("GITHUB_REF", "refs/tags/v1"), ("GITHUB_EVENT_NAME", "push")], "a tag"),
        (
            "request",
            "refs/pull/1/merge",
            &asked,
            &[("GITHUB_REF", "refs/pull/1/merge"), ("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_HEAD_REF", "main")],
            "a pull or merge request",
        ),
        (
            "queue",
            queue,
            &queued,
            &[("GITHUB_REF", queue), ("GITHUB_EVENT_NAME", "merge_group")],
            "a candidate of a merge queue",
        ),
    ];
    for (name, what, sha, variables, told) in jobs {
        let variables = [*variables, &[("GITHUB_ACTIONS", "true"), ("GITHUB_SHA", sha)]].concat();
        let job = forge.job(name, what, Checkout::Shallow, &variables);
        let notice = format!("this job of GitHub Actions works on {told}, so no pointer moves");
        assert!(job.noticed.contains(&notice), "{}", job.noticed);
        assert!(job.said.starts_with("published ") && !job.said.contains("pointer"), "{}", job.said);
        assert!(forge.is_published(sha), "{name}");
        // Nor does what it has checked out say more than its variables.
        forge.sandbox.git(name, &["checkout", "-q", "-b", "main"]);
        forge.again(name, &variables);
        assert_eq!(forge.pointers(), before, "{name}");
        forge.points("main", &first);
    }
    // Who names the branch is heard.
    let variables = [("GITHUB_ACTIONS", "true"), ("GITHUB_REF", "refs/tags/v1"), ("GITHUB_SHA", tagged.as_str())];
    forge.run("tag", &["--branch", "release"], &variables).succeeds();
    forge.points("release", &tagged);
}

#[test]
fn the_branch_of_a_job_counts_for_its_commit_only() {
    let forge = Forge::new();
    let first = forge.head();
    let second = forge.push("main", "second");
    forge.checkout("job", &second, Checkout::Whole);
    let variables = on_branch("refs/heads/main", &second);
    let ran = forge.run("job", &["--commit", &first], &variables);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let expected = format!("started for {second}, not for the published commit, so its branch `main` does not count");
    assert!(ran.err.contains(&expected) && ran.err.contains("the head is detached"), "{}", ran.err);
    assert!(forge.is_published(&first) && forge.pointers().is_empty());
    // The branch that is checked out counts then.
    forge.sandbox.git("job", &["checkout", "-q", "-b", "old", &first]);
    let ran = forge.run("job", &[], &variables);
    assert!(ran.err.contains("does not count"), "{}", ran.err);
    forge.points("old", &first);
}

#[test]
fn without_filters_the_pointer_moves_to_the_tip_only() {
    let forge = Forge::new();
    forge.sandbox.git("origin.git", &["config", "uploadpack.allowFilter", "false"]);
    let first = forge.head();
    forge.branch_job("one", "main", &first);
    let second = forge.push("main", "second");
    forge.branch_job("two", "main", &second);
    forge.points("main", &second);
    let third = forge.push("main", "third");
    let fourth = forge.push("main", "fourth");
    let job = forge.branch_job("three", "main", &third);
    let told = format!("the pointer `main` stays at {second}: the history at hand does not say");
    assert!(job.noticed.contains(&told) && job.noticed.contains("`--force`"), "{}", job.noticed);
    assert!(forge.is_published(&third));
    forge.points("main", &second);
    forge.branch_job("four", "main", &fourth);
    forge.points("main", &fourth);
}

#[test]
fn variables_of_strangers_break_nothing() {
    let forge = Forge::new();
    let head = forge.head();
    forge.checkout("job", &head, Checkout::Shallow);
    for name in ["--force", "../../x", "a..b", "a\u{1b}[31mb", "a\nb", "refs/heads/", "\u{202e}x", " ", "@{-1}"] {
        for reference in [name.to_owned(), format!("refs/heads/{name}")] {
            let job = forge.again("job", &on_branch(&reference, &head));
            assert!(job.noticed.contains("names no usable branch"), "{reference:?}: {}", job.noticed);
            assert!(!job.noticed.contains(['\u{1b}', '\u{202e}']), "{reference:?}");
        }
        let job = forge.again("job", &on_branch("refs/heads/main", name));
        assert!(job.noticed.contains("does not count"), "{name:?}: {}", job.noticed);
        assert!(!job.noticed.contains(['\u{1b}', '\u{202e}']), "{name:?}");
    }
    assert_eq!(forge.pointers(), Vec::<String>::new());
}

/// Names that a file system or a ref would not hold as they are.
#[test]
fn every_branch_has_a_pointer_of_its_own() {
    let forge = Forge::new();
    let head = forge.head();
    forge.checkout("job", &head, Checkout::Shallow);
    for (name, key) in [
        ("feature", "feature"),
        ("feature/x", "feature%2Fx"),
        ("Feature", "%46eature"),
        ("heads/commits", "heads%2Fcommits"),
        ("gr\u{fc}n", "gr%C3%BCn"),
    ] {
        forge.again("job", &on_branch(&format!("refs/heads/{name}"), &head));
        forge.points(key, &head);
    }
}

/// The artifact is there from elsewhere and the pointer is not, or names another.
#[test]
fn a_job_points_to_what_another_published() {
    for filter in ["true", "false"] {
        let forge = Forge::new();
        forge.sandbox.git("origin.git", &["config", "uploadpack.allowFilter", filter]);
        let tag = [("GITHUB_ACTIONS", "true"), ("GITHUB_REF", "refs/tags/v1")];
        let first = forge.head();
        forge.job("tag", &first, Checkout::Shallow, &tag);
        let job = forge.branch_job("branch", "main", &first);
        assert!(
            job.said.contains("is published already") && job.said.contains("pointer main names it now"),
            "{}",
            job.said
        );
        forge.points("main", &first);
        let second = forge.push("main", "second");
        forge.job("tag two", &second, Checkout::Shallow, &tag);
        let job = forge.branch_job("branch two", "main", &second);
        assert!(
            job.said.contains("is published already") && job.said.contains("pointer main moved here"),
            "{}",
            job.said
        );
        forge.points("main", &second);
    }
}
