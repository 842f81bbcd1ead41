//! How git is started: what reaches it, what does not, and that it always ends.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "a test stands outside the program")]

mod stage;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cce::git::{GitErrorKind, Program, RemoteUrl, Transport};
use cce::sync::{Failure, Place, Publication, PullOptions, PushOptions, SyncError, Wanted, list, pull, push};
use stage::{Stage, alone, git, snapshot};

/// Declares tests that each run in a process of their own.
macro_rules! alone {
    ($($(#[$meta:meta])* fn $name:ident() $body:block)+) => {
        $($(#[$meta])* #[test] fn $name() { alone(stringify!($name), &[], || $body) })+
    };
}

/// Writes a program that stands in for ssh.
fn script(stage: &Stage, name: &str, body: &str) -> PathBuf {
    let path = stage.path(name);
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn remote_of(stage: &Stage, url: &str) -> Place {
    Place { remote: url.to_owned(), deadline: Duration::from_secs(20), ..stage.place("m") }
}

/// The error of listing `url`, as kind, class and text.
fn refusal(place: &Place) -> (GitErrorKind, Failure, String) {
    let error = list(place, None).unwrap_err();
    let class = error.kind();
    match error {
        SyncError::Cache(cce::cache::CacheError::Git(error)) => (error.kind(), class, error.to_string()),
        other => panic!("{other}"),
    }
}

#[test]
fn a_poisoned_environment_changes_nothing() {
    let poison = [
        ("GIT_DIR", "/nonexistent/poison.git"),
        ("GIT_WORK_TREE", "/nonexistent"),
        ("GIT_INDEX_FILE", "/nonexistent/index"),
        ("GIT_OBJECT_DIRECTORY", "/nonexistent/objects"),
        ("GIT_NAMESPACE", "elsewhere"),
        ("GIT_QUARANTINE_PATH", "/nonexistent/quarantine"),
        ("GIT_ALLOW_PROTOCOL", "ext"),
        ("GIT_TRACE", "1"),
        ("LC_ALL", "de_DE.UTF-8"),
        ("LANGUAGE", "de"),
    ];
    alone("a_poisoned_environment_changes_nothing", &poison, || {
        let stage = Stage::new();
        let sent = snapshot(&stage.commit("one"), 1, &[("a", "1")]);
        stage.push_source();
        let report = push(&stage.place("m"), &PushOptions::new(&sent, 0)).unwrap();
        assert_eq!(report.publication, Publication::Created);
        assert_eq!(stage.refs().len(), 3);
        let options = PullOptions { repo_id: None, wanted: Wanted::Latest { branch: None }, exact: true };
        assert_eq!(pull(&stage.place("n"), &options).unwrap().sha, sent.manifest.sha.unwrap());
    });
}

alone! {
    fn urls_that_run_programs_are_refused() {
        let stage = Stage::new();
        let mark = stage.path("ran");
        for url in [
            format!("--upload-pack=touch {}", mark.display()),
            format!("ext::touch {}", mark.display()),
            format!("ssh://-oProxyCommand=touch%20{}/x", mark.display()),
            format!("-oProxyCommand=touch {}:x", mark.display()),
        ] {
            let (kind, class, message) = refusal(&remote_of(&stage, &url));
            assert_eq!((kind, class), (GitErrorKind::Url, Failure::Usage), "{message}");
        }
        // The user's configuration cannot turn a good URL into such a one either.
        git(&stage.source(), &["config", "protocol.ext.allow", "always"]);
        git(&stage.source(), &["config", &format!("url.ext::touch {} .insteadOf", mark.display()), "https://rewritten.invalid/"]);
        let (kind, _, message) = refusal(&remote_of(&stage, "https://rewritten.invalid/x"));
        assert_eq!(kind, GitErrorKind::Url, "{message}");
        // Nor reach files through a URL that is not a local one.
        let local = format!("file://{}/", stage.path(".").display());
        git(&stage.source(), &["config", &format!("url.{local}.insteadOf"), "https://local.invalid/"]);
        assert_eq!(refusal(&remote_of(&stage, "https://local.invalid/cache.git")).0, GitErrorKind::Url);
        assert_eq!(refusal(&remote_of(&stage, "http://example.invalid/x")).0, GitErrorKind::Url);
        assert!(!mark.exists());
    }

    fn a_hanging_remote_hits_the_deadline() {
        let stage = Stage::new();
        let mark = stage.path("mark");
        let ssh = script(&stage, "slow", &format!("sleep 4; touch '{}'; sleep 600", mark.display()));
        git(&stage.source(), &["config", "core.sshCommand", ssh.to_str().unwrap()]);
        let start = Instant::now();
        let place = Place { deadline: Duration::from_secs(1), ..remote_of(&stage, "ssh://slow.invalid/x") };
        let (kind, class, message) = refusal(&place);
        assert_eq!((kind, class), (GitErrorKind::Deadline, Failure::Remote), "{message}");
        assert!(start.elapsed() < Duration::from_secs(4));
        std::thread::sleep(Duration::from_millis(4500).saturating_sub(start.elapsed()));
        assert!(!mark.exists(), "what git started went on");
    }

    /// Token and password stay out of messages, of reports and of our own repositories.
    fn secrets_of_urls_are_not_shown() {
        let stage = Stage::new();
        let secret = concat!("s3", "cr3t");
        let place = remote_of(&stage, &format!("https://user:{secret}@127.0.0.1:9/x"));
        let (kind, class, message) = refusal(&place);
        assert_eq!((kind, class), (GitErrorKind::Unreachable, Failure::Remote), "{message}");
        assert!(!message.contains(secret) && message.contains("127.0.0.1"), "{message}");
        assert_eq!(holding(&stage.path("m"), secret), Vec::<PathBuf>::new());
        let (_, _, message) = refusal(&remote_of(&stage, &format!("bad://user:{secret}@h.invalid/x")));
        assert!(!message.contains(secret), "{message}");
    }

    /// What a checkout's own configuration says of the wire holds for our calls, and
    /// nothing of it stands in the arguments.
    fn the_sources_transport_configuration_is_handed_over() {
        let stage = Stage::new();
        let log = stage.path("log");
        let ssh = script(&stage, "ssh-local", &format!("echo local \"$@\" >> '{}'; exit 1", log.display()));
        git(&stage.source(), &["config", "core.sshCommand", ssh.to_str().unwrap()]);
        git(&stage.source(), &["config", "url.ssh://real.invalid/.insteadOf", "work:"]);
        refusal(&remote_of(&stage, "work:x"));
        let said = fs::read_to_string(&log).unwrap();
        assert!(said.contains("local real.invalid") && !said.contains("BatchMode"), "{said}");
        assert_ne!(refusal(&Place { source: None, ..remote_of(&stage, "ssh://real.invalid/x") }).0, GitErrorKind::Url);
        assert_eq!(fs::read_to_string(&log).unwrap(), said, "without the source its configuration does not count");
    }

    fn includes_by_directory_hold_as_in_the_source() {
        let stage = Stage::new();
        let log = stage.path("log");
        let ssh = script(&stage, "ssh-included", &format!("echo included >> '{}'; exit 1", log.display()));
        let home = PathBuf::from(std::env::var_os("HOME").unwrap());
        fs::write(home.join("work.inc"), format!("[core]\nsshCommand = {}\n", ssh.display())).unwrap();
        let source = stage.source().canonicalize().unwrap();
        let condition = format!("[includeIf \"gitdir:{}/\"]\npath = work.inc\n", source.display());
        fs::write(home.join(".gitconfig"), condition).unwrap();
        refusal(&remote_of(&stage, "ssh://real.invalid/x"));
        assert!(fs::read_to_string(&log).unwrap().starts_with("included\n"));
    }

    fn ssh_never_asks() {
        let stage = Stage::new();
        let log = stage.path("log");
        script(&stage, "ssh", &format!("echo \"$@\" >> '{}'; echo 'x@y: Permission denied (publickey).' >&2; exit 255", log.display()));
        let path = format!("{}:{}", stage.path(".").display(), std::env::var("PATH").unwrap());
        let url = RemoteUrl::parse("git@real.invalid:x", &[]).unwrap();
        let cache = stage.path("cache.git");
        let call = Program::own(&cache, "ls-remote").remote("r", &url, &Transport::of(None, &cache).unwrap());
        let error = call.env("PATH", path).values(["r"]).run().unwrap_err();
        assert_eq!(error.kind(), GitErrorKind::Refused, "{error}");
        assert!(error.to_string().contains("Permission denied"), "{error}");
        assert!(fs::read_to_string(&log).unwrap().contains("-oBatchMode=yes"));
    }

    /// A source that is asked runs none of its hooks and monitors and is not written to.
    fn questions_to_a_source_only_read() {
        let stage = Stage::new();
        stage.commit("one");
        let mark = stage.path("ran");
        let monitor = script(&stage, "monitor", &format!("touch '{}'", mark.display()));
        git(&stage.source(), &["config", "core.fsmonitor", monitor.to_str().unwrap()]);
        fs::write(stage.source().join("new"), "x").unwrap();
        let output = Program::source(&stage.source(), "ls-files").args(["-o", "--exclude-standard", "-z"]).run().unwrap();
        assert_eq!(output.stdout, b"new\0");
        let output = Program::source(&stage.source(), "cat-file").args(["--batch-check"]).stdin("HEAD\n").run().unwrap();
        assert!(output.text().contains(" commit "));
        assert!(!mark.exists());
    }
}

/// Files below `directory` that hold `text`.
fn holding(directory: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(text) {
            found.push(path);
        }
    }
    found
}
