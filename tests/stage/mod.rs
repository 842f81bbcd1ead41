//! A stage for tests with real git: directories, a source repository, remotes, and an
//! environment that nothing of the user's reaches.
#![allow(dead_code, reason = "each test binary uses its part")]
#![allow(clippy::disallowed_methods, reason = "a stage stands outside the program")]

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use cce::config::RepoId;
use cce::record::extract::ExtractorId;
use cce::record::{Record, encoding, language};
use cce::snapshot::{Manifest, RecordEntry, Snapshot};
use cce::source::RepoPath;
use cce::sync::Place;

/// Runs `body` in a process of its own, whose environment is fixed but for `extra`.
///
/// The library reads the environment of its process, and a test must not change that of
/// its neighbours, so the test starts its own binary again for itself alone.
pub fn alone(test: &str, extra: &[(&str, &str)], body: fn()) {
    const MARK: &str = "CCE_TEST_ALONE";
    if env::var(MARK).as_deref() == Ok(test) {
        return body();
    }
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env_clear();
    for name in ["PATH", "SystemRoot", "TMPDIR", "RUST_BACKTRACE", "LD_LIBRARY_PATH"] {
        if let Some(value) = env::var_os(name) {
            command.env(name, value);
        }
    }
    command.env("HOME", home.path()).env(MARK, test).env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "A").env(format!("GIT_{who}_EMAIL"), "a@example.com");
        command.env(format!("GIT_{who}_DATE"), "1700000000 +0000");
    }
    command.envs(extra.iter().copied());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// Runs git, apart from anything the library does.
pub fn git(directory: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(arguments);
    for name in [
        "GIT_DIR",
        "GIT_ALLOW_PROTOCOL",
        "GIT_TRACE",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_NAMESPACE",
        "GIT_CONFIG_COUNT",
        "GIT_QUARANTINE_PATH",
    ] {
        command.env_remove(name);
    }
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// A source repository with an `origin`, and a remote for artifacts.
pub struct Stage {
    directory: tempfile::TempDir,
}

pub const REPO: &str = "example.com/acme/billing";

impl Stage {
    /// Both remotes allow filters and check every object they receive.
    pub fn new() -> Self {
        let stage = Self { directory: tempfile::tempdir().unwrap() };
        for name in ["cache.git", "origin.git"] {
            stage.bare(name);
        }
        let source = stage.path("source");
        std::fs::create_dir(&source).unwrap();
        git(&source, &["init", "-q", "-b", "main", "."]);
        git(&source, &["remote", "add", "origin", stage.path("origin.git").to_str().unwrap()]);
        stage
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn bare(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir(&path).unwrap();
        git(&path, &["init", "-q", "--bare", "-b", "main", "."]);
        for setting in ["uploadpack.allowFilter", "receive.fsckObjects", "transfer.fsckObjects"] {
            git(&path, &["config", setting, "true"]);
        }
        path
    }

    pub fn source(&self) -> PathBuf {
        self.path("source")
    }

    /// Makes a commit on what is checked out and gives its id.
    pub fn commit(&self, message: &str) -> String {
        git(&self.source(), &["commit", "-q", "--allow-empty", "-m", message]);
        git(&self.source(), &["rev-parse", "HEAD"])
    }

    /// Publishes the source's branches on its own remote.
    pub fn push_source(&self) {
        git(&self.source(), &["push", "-q", "--all", "origin"]);
    }

    /// The place of a machine called `machine`, with the artifact remote.
    pub fn place(&self, machine: &str) -> Place {
        Place {
            source: Some(self.source()),
            remote: format!("file://{}", self.path("cache.git").display()),
            deadline: Duration::from_secs(60),
            ..Place::new(self.path(machine))
        }
    }

    /// The refs of the artifact remote, with `refs/cce/hash/3.0/` cut off.
    pub fn refs(&self) -> BTreeMap<String, String> {
        let text = git(&self.path("cache.git"), &["for-each-ref", "--format=%(refname) %(objectname)"]);
        let refs = text.lines().filter_map(|line| line.split_once(' '));
        refs.map(|(name, id)| (name.trim_start_matches("refs/cce/hash/3.0/").to_owned(), id.to_owned())).collect()
    }

    /// The source commit that a pointer on the artifact remote names.
    pub fn pointed(&self, pointer: &str) -> String {
        let name = format!("refs/cce/hash/3.0/example.com%2Facme%2Fbilling/{pointer}");
        git(&self.path("cache.git"), &["log", "-1", "--format=%(trailers:key=Source-Commit,valueonly)", &name])
            .trim()
            .to_owned()
    }
}

/// A snapshot of `files` (path and text) at `sha`, as extractor `revision` makes it.
pub fn snapshot(sha: &str, revision: u32, files: &[(&str, &str)]) -> Snapshot {
    snapshot_of(REPO, sha, revision, files)
}

pub fn snapshot_of(repo: &str, sha: &str, revision: u32, files: &[(&str, &str)]) -> Snapshot {
    let mut records: Vec<RecordEntry> = files.iter().map(|(path, text)| RecordEntry::of(&record(path, text))).collect();
    records.sort_by(|a, b| a.path.cmp(&b.path));
    let manifest = Manifest {
        repo_id: Some(RepoId::parse(repo).unwrap()),
        sha: Some(sha.to_owned()),
        extractor: ExtractorId { digest: format!("{revision:064x}"), revision },
        settings: "5".repeat(64),
        file_count: records.len() as u64,
        skipped: Vec::new(),
        problem_counts: BTreeMap::new(),
        checksum: String::new(),
    }
    .seal_entries(&records);
    Snapshot { manifest, records }
}

fn record(path: &str, text: &str) -> Record {
    Record {
        path: RepoPath::parse(path).unwrap(),
        language: language::TEXT,
        encoding: encoding::UTF_8,
        flags: std::collections::BTreeSet::new(),
        text: text.to_owned(),
        definitions: vec![],
        references: vec![],
        imports: vec![],
        problems: vec![],
    }
}
