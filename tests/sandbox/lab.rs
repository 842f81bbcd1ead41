//! Repositories for tests of the source room, and everything that a source says of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cce::source::commit::CommitSource;
use cce::source::work_tree::WorkTree;
use cce::source::{Content, Listing, RepoPath, Source};
use tempfile::TempDir;

/// A place for repositories, with a git of its own.
pub struct Lab {
    home: TempDir,
}

impl Lab {
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(".gitconfig"), "[protocol \"file\"]\nallow = always\n").unwrap();
        Self { home }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().canonicalize().unwrap().join(name)
    }

    pub fn git_command(&self, directory: &Path) -> Command {
        let mut command = Command::new("git");
        command.current_dir(directory).env_clear();
        for (name, value) in [
            ("PATH", std::env::var_os("PATH").unwrap()),
            ("HOME", self.home.path().into()),
            ("GIT_CONFIG_GLOBAL", self.home.path().join(".gitconfig").into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_ATTR_NOSYSTEM", "1".into()),
            ("GIT_AUTHOR_NAME", "A".into()),
            ("GIT_AUTHOR_EMAIL", "a@example.com".into()),
            ("GIT_COMMITTER_NAME", "C".into()),
            ("GIT_COMMITTER_EMAIL", "c@example.com".into()),
            ("GIT_AUTHOR_DATE", "1700000000 +0000".into()),
            ("GIT_COMMITTER_DATE", "1700000001 +0100".into()),
        ] {
            command.env(name, value);
        }
        command
    }

    pub fn ask<S: AsRef<OsStr>>(&self, directory: &Path, arguments: &[S], input: &[u8]) -> (bool, Vec<u8>, String) {
        let mut child = self
            .git_command(directory)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().ok();
        (output.status.success(), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
    }

    #[track_caller]
    pub fn git(&self, directory: &Path, arguments: &[&str]) -> String {
        let (success, out, error) = self.ask(directory, arguments, b"");
        assert!(success, "git {arguments:?}: {error}");
        String::from_utf8_lossy(&out).trim_end().to_owned()
    }

    /// An empty repository whose checkout depends on nothing outside it.
    pub fn repository(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(&path).unwrap();
        self.git(&path, &["init", "-q", "-b", "main"]);
        let fixed = "[core]\nautocrlf = false\nexcludesFile = /dev/null\nattributesFile = /dev/null\n";
        fs::File::options().append(true).open(path.join(".git/config")).unwrap().write_all(fixed.as_bytes()).unwrap();
        path
    }

    pub fn commit(&self, path: &Path) {
        self.git(path, &["add", "-A"]);
        self.git(path, &["commit", "-q", "--allow-empty", "-m", "m"]);
    }
}

pub fn write(root: &Path, path: impl AsRef<[u8]>, bytes: impl AsRef<[u8]>) {
    let path = root.join(OsStr::from_bytes(path.as_ref()));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Gives every file another time, so that only its bytes can tell what it is.
pub fn touch_all(root: &Path) {
    for entry in fs::read_dir(root).unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && entry.file_name() != ".git" {
            touch_all(&entry.path());
        } else if kind.is_file() {
            let time = fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1234));
            fs::File::options().append(true).open(entry.path()).unwrap().set_times(time).unwrap();
        }
    }
}

pub type Everything = (Listing, BTreeMap<RepoPath, Content>);

#[track_caller]
pub fn everything(source: &dyn Source) -> Everything {
    let listing = source.list().unwrap();
    let contents = listing.files.iter().map(|file| (file.path.clone(), source.read(file).unwrap())).collect();
    assert!(listing.files.is_sorted_by(|a, b| a.path < b.path));
    assert!(listing.skipped.is_sorted_by(|a, b| a.skipped.path < b.skipped.path));
    (listing, contents)
}

#[track_caller]
pub fn of_commit(path: &Path) -> Everything {
    everything(&CommitSource::open(path, "HEAD").unwrap())
}

#[track_caller]
pub fn of_work_tree(path: &Path) -> Everything {
    everything(&WorkTree::open(path, None).unwrap())
}

pub fn reasons(everything: &Everything) -> BTreeMap<String, &'static str> {
    let listed = everything.0.skipped.iter().map(|file| (file.skipped.path.to_string(), file.skipped.reason.as_str()));
    let read = everything.1.iter().filter_map(|(path, content)| match content {
        Content::Skip(reason) => Some((path.to_string(), reason.as_str())),
        Content::Text(_) => None,
    });
    listed.chain(read).collect()
}

pub fn paths(listing: &Listing) -> BTreeSet<Vec<u8>> {
    let files = listing.files.iter().map(|file| file.path.as_bytes().to_vec());
    files.chain(listing.skipped.iter().map(|file| file.skipped.path.as_bytes().to_vec())).collect()
}

pub fn text(everything: &Everything, path: &str) -> String {
    match &everything.1[&RepoPath::parse(path).unwrap()] {
        Content::Text(decoded) => decoded.text.clone(),
        Content::Skip(reason) => panic!("{path} is {reason:?}"),
    }
}

pub fn id(listing: &Listing, path: &str) -> Option<String> {
    listing.files.iter().find(|file| file.path.as_bytes() == path.as_bytes()).map(|file| file.content.to_string())
}

pub fn zero_separated(bytes: &[u8]) -> BTreeSet<Vec<u8>> {
    bytes.split(|&byte| byte == 0).filter(|part| !part.is_empty()).map(<[u8]>::to_vec).collect()
}
