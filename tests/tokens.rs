//! A token that only the checkout's own configuration holds opens the remote, and shows nowhere.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "a test stands outside the program")]

mod sandbox;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sandbox::http::{HttpForge, on_path};
use sandbox::{Ran, Sandbox};

const ID: &str = "example.com/acme/billing";
const USER: &str = "ci-user";
const TOKEN: &str = "tkn4711verysecret";
/// User and token, as a basic authorization holds them.
const BASIC: &str = "Y2ktdXNlcjp0a240NzExdmVyeXNlY3JldA==";

/// A checkout `r` of `origin.git` that is reached over HTTP, and a `git` that writes down
/// every argument it is given.
struct Stage {
    sandbox: Sandbox,
    forge: HttpForge,
}

impl Stage {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let local = sandbox.remote("served/origin.git");
        for setting in ["uploadpack.allowFilter", "http.receivepack"] {
            sandbox.git("served/origin.git", &["config", setting, "true"]);
        }
        sandbox.repository("r");
        sandbox.write("r/cce.toml", format!("repo_id = \"{ID}\"\n"));
        sandbox.commit("r", "first");
        sandbox.git("r", &["push", "-q", &local, "main"]);
        let forge = HttpForge::start(&sandbox.path("served"), &format!("Basic {BASIC}"));
        sandbox.git("r", &["remote", "add", "origin", &forge.url("origin.git")]);
        let (log, git) = (sandbox.path("arguments"), on_path("git"));
        let script =
            format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >> '{}'\nexec '{}' \"$@\"\n", log.display(), git.display());
        sandbox.write("bin/git", script);
        fs::set_permissions(sandbox.path("bin/git"), fs::Permissions::from_mode(0o755)).unwrap();
        Self { sandbox, forge }
    }

    /// Runs the binary in `directory` with the writing `git` first on the path.
    fn cce(&self, directory: &str, arguments: &[&str]) -> Ran {
        let path = std::env::var_os("PATH").unwrap();
        let path = std::env::join_paths([self.sandbox.path("bin")].into_iter().chain(std::env::split_paths(&path)));
        let mut command = self.sandbox.program(env!("CARGO_BIN_EXE_cce"));
        command.current_dir(self.sandbox.path(directory)).env("PATH", path.unwrap()).args(arguments);
        command.output().unwrap().into()
    }

    /// Publishes from `r`, asks and pulls again, and looks for the token everywhere.
    #[track_caller]
    fn check(&self) {
        let head = self.sandbox.git("r", &["rev-parse", "HEAD"]);
        let mut said = String::new();
        for arguments in [
            &["sync", "push"][..],
            &["sync", "push", "--json"],
            &["sync", "list", "--json"],
            &["sync", "status", "--json"],
            &["sync", "pull", "--latest", "--json"],
            &["sync", "push", "--force", "--commit", "HEAD", "--branch", "other"],
        ] {
            let ran = self.cce("r", arguments);
            assert_eq!(ran.code, 0, "{arguments:?}: {}{}", ran.out, ran.err);
            said += &(ran.out + &ran.err);
        }
        assert!(said.contains(&format!("published {ID}@{}", &head[..12])), "{said}");
        assert!(said.contains("pointer other names it now"), "{said}");
        assert!(self.forge.admitted() > 10);
        assert_eq!(self.forge.faults(), Vec::<String>::new());
        self.check_silence(&said);
    }

    /// The token is in no output, in no argument and in no file of ours.
    #[track_caller]
    fn check_silence(&self, said: &str) {
        let arguments = fs::read_to_string(self.sandbox.path("arguments")).unwrap();
        assert!(arguments.lines().any(|line| line == "push") && arguments.lines().any(|line| line == "ls-remote"));
        for secret in [TOKEN, BASIC] {
            assert!(!said.contains(secret), "{said}");
            assert!(!arguments.contains(secret), "{arguments}");
            for home in ["cce-home", "r/.cce", "home"] {
                assert_eq!(holding(&self.sandbox.path(home), secret), Vec::<PathBuf>::new(), "{home}");
            }
        }
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

#[test]
fn without_the_token_nobody_gets_in() {
    let stage = Stage::new();
    let ran = stage.cce("r", &["sync", "push"]);
    assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("`git ls-remote` works with your credentials"), "{}", ran.err);
    assert_eq!(stage.forge.admitted(), 0);
}

/// As checkout actions leave it.
#[test]
fn a_header_of_the_local_configuration() {
    let stage = Stage::new();
    let key = format!("http.{}.extraheader", stage.forge.url(""));
    stage.sandbox.git("r", &["config", &key, &format!("AUTHORIZATION: Basic {BASIC}")]);
    stage.check();
}

/// As later checkout actions leave it: in a file elsewhere that the configuration includes.
#[test]
fn a_header_of_an_included_file() {
    for condition in ["include.path", "gitdir"] {
        let stage = Stage::new();
        let header = format!("[http \"{}\"]\n\textraheader = AUTHORIZATION: Basic {BASIC}\n", stage.forge.url(""));
        stage.sandbox.write("runner/credentials", header);
        let file = stage.sandbox.path("runner/credentials");
        let git_directory = stage.sandbox.path("r/.git").canonicalize().unwrap();
        let key = match condition {
            "gitdir" => format!("includeIf.gitdir:{}.path", git_directory.display()),
            plain => plain.to_owned(),
        };
        stage.sandbox.git("r", &["config", &key, file.to_str().unwrap()]);
        stage.check();
    }
}

#[test]
fn a_credential_helper_of_the_local_configuration() {
    let stage = Stage::new();
    let helper = format!("!f() {{ echo username={USER}; echo password={TOKEN}; }}; f");
    stage.sandbox.git("r", &["config", "credential.helper", &helper]);
    stage.check();
}

#[test]
fn a_url_that_the_local_configuration_rewrites() {
    let stage = Stage::new();
    let key = format!("url.{}.insteadOf", stage.forge.url_for(USER, TOKEN, ""));
    stage.sandbox.git("r", &["config", &key, &stage.forge.url("")]);
    stage.check();
}

/// In a linked worktree, in a configuration of its own.
#[test]
fn a_header_of_a_worktrees_own_configuration() {
    let stage = Stage::new();
    stage.sandbox.git("r", &["config", "extensions.worktreeConfig", "true"]);
    stage.sandbox.git("r", &["worktree", "add", "-q", "-b", "topic", "../tree"]);
    let key = format!("http.{}.extraheader", stage.forge.url(""));
    stage.sandbox.git("tree", &["config", "--worktree", &key, &format!("Authorization: Basic {BASIC}")]);
    let ran = stage.cce("tree", &["sync", "push"]);
    let said = ran.succeeds();
    assert!(said.contains("pointer topic names it now"), "{said}");
    fs::create_dir_all(stage.sandbox.path("r/.cce")).unwrap();
    stage.check_silence(&said);
    let ran = stage.cce("r", &["sync", "push"]);
    assert_eq!(ran.code, 4, "the other worktree has no token: {}", ran.out);
}
