//! A dirty work tree against the commit that git makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use cce::source::{Content, ContentId, FileEntry, RepoPath, SkipReason};
use proptest::prelude::*;

use crate::checkout::SILENT;
use crate::sandbox::lab::{Everything, Lab, of_commit, of_work_tree, paths, zero_separated};

/// What a listing comes to: which file holds which bytes, and what is left out why.
pub type Gist = (BTreeMap<RepoPath, (ContentId, bool, bool, Content)>, BTreeMap<RepoPath, SkipReason>);

pub fn gist(everything: &Everything) -> Gist {
    let file = |file: &FileEntry| {
        let content = everything.1[&file.path].clone();
        (file.path.clone(), (file.content, file.attributes.generated, file.attributes.vendored, content))
    };
    let skipped = everything.0.skipped.iter().map(|file| (file.skipped.path.clone(), file.skipped.reason));
    (everything.0.files.iter().map(file).collect(), skipped.collect())
}

pub fn held(lab: &Lab, root: &Path) -> BTreeMap<Vec<u8>, String> {
    let (success, out, error) = lab.ask(root, &["ls-files", "-s", "-z"], b"");
    assert!(success, "{error}");
    let entry = |line: Vec<u8>| {
        let tab = line.iter().position(|&byte| byte == b'\t').unwrap();
        (line[tab + 1..].to_vec(), String::from_utf8(line[7..47].to_vec()).unwrap())
    };
    zero_separated(&out).into_iter().map(entry).collect()
}

/// What a checkout of the index would write at a path, with attributes as a checkout takes them.
fn written_by_checkout(lab: &Lab, root: &Path, index: &Path, path: &[u8], silent: &[&str]) -> Option<Vec<u8>> {
    let (place, empty) = (lab.path("place"), lab.path("empty"));
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&empty).unwrap();
    let git_dir = lab.git(root, &["rev-parse", "--absolute-git-dir"]);
    let prefix = format!("--prefix={}/", place.display());
    let mut command = lab.git_command(&empty);
    command.args(silent).args(["-c", "filter.lfs.smudge=", "checkout-index", "-q", "-f", &prefix, "--"]);
    command
        .arg(OsStr::from_bytes(path))
        .env("GIT_DIR", git_dir)
        .env("GIT_WORK_TREE", &empty)
        .env("GIT_INDEX_FILE", index);
    command.output().unwrap();
    fs::read(place.join(OsStr::from_bytes(path))).ok()
}

/// The dirty work tree against the commit of it.
pub fn check_dirty(lab: &Lab, root: &Path) -> Result<(), TestCaseError> {
    let before = held(lab, root);
    let dirty = of_work_tree(root);
    let untracked: BTreeSet<Vec<u8>> =
        zero_separated(&lab.ask(root, &["ls-files", "-o", "--exclude-standard", "-z"], b"").1)
            .into_iter()
            .map(|path| path.strip_suffix(b"/").map_or(path.clone(), <[u8]>::to_vec))
            .collect();
    let listed = paths(&dirty.0);
    let beyond: BTreeSet<Vec<u8>> = listed.iter().filter(|path| !before.contains_key(*path)).cloned().collect();
    prop_assert_eq!(shown(&beyond), shown(&untracked), "untracked");

    let index = lab.path("index-before");
    let git_dir = PathBuf::from(lab.git(root, &["rev-parse", "--absolute-git-dir"]));
    fs::copy(git_dir.join("index"), &index).unwrap();
    if let Err(error) = add_all(lab, root) {
        // A file that is not in the encoding that its attributes name: git stores nothing.
        prop_assert!(error.contains("encod") || error.contains("BOM"), "{}", error);
        return Ok(());
    }
    lab.git(root, &[&SILENT[..], &["commit", "-q", "--allow-empty", "-m", "all"]].concat());
    let (mut found, mut wanted) = (gist(&dirty), gist(&of_commit(root)));
    let names: Vec<RepoPath> = found.0.keys().cloned().collect();
    for path in names {
        let kept = before.get(path.as_bytes()) == Some(&found.0[&path].0.to_string());
        if kept && wanted.0.get(&path) != found.0.get(&path) {
            // What git holds, stores or writes is unchanged, even where storing it again without
            // its driver would alter it.
            prop_assert!(is_unchanged(lab, root, &index, path.as_bytes(), &before), "{path} is taken for unchanged");
            found.0.remove(&path);
            wanted.0.remove(&path);
        }
    }
    prop_assert_eq!(found, wanted);
    Ok(())
}

/// Adds everything as it would be added file by file: what is deleted comes last, because git
/// goes by the attributes of a deleted file only until it has taken it out of its index.
fn add_all(lab: &Lab, root: &Path) -> Result<(), String> {
    [&["--ignore-removal", "."][..], &["-A"]].iter().try_for_each(|which| {
        let (success, _, error) = lab.ask(root, &[&SILENT[..], &["add", "--sparse"], which].concat(), b"");
        if success { Ok(()) } else { Err(error) }
    })
}

/// Whether git has a reason to take a file for what its index held.
fn is_unchanged(lab: &Lab, root: &Path, index: &Path, path: &[u8], before: &BTreeMap<Vec<u8>, String>) -> bool {
    let relative = OsStr::from_bytes(path);
    let on_disk = fs::read(root.join(relative)).ok();
    let stored = |options: &[&str]| {
        let mut arguments: Vec<&OsStr> = std::iter::once(&"hash-object").chain(options).map(OsStr::new).collect();
        arguments.extend([OsStr::new("--"), relative]);
        String::from_utf8(lab.ask(root, &arguments, b"").1).unwrap().trim_end() == before[path]
    };
    let written = |silent| written_by_checkout(lab, root, index, path, silent) == on_disk;
    is_untouched(lab, root, index, path)
        || stored(&["--no-filters"])
        || stored(&[])
        || written(&SILENT[..])
        || written(&[])
}

/// Whether the system says of a file what git's index has of it. Git believes that, whatever
/// attributes came since, but for a file of the second in which the index was written.
fn is_untouched(lab: &Lab, root: &Path, index: &Path, path: &[u8]) -> bool {
    let mut command = lab.git_command(root);
    command.args(["--literal-pathspecs", "ls-files", "--debug", "--"]).arg(OsStr::from_bytes(path));
    let shown = command.env("GIT_INDEX_FILE", index).output().unwrap().stdout;
    let shown = String::from_utf8(shown).unwrap();
    let value = |name: &str| {
        let line = shown.lines().find_map(|line| line.strip_prefix("  ")?.strip_prefix(name)?.strip_prefix(": "));
        line.unwrap().split('\t').next().unwrap().to_owned()
    };
    let file = fs::symlink_metadata(root.join(OsStr::from_bytes(path))).unwrap();
    let time = |seconds, nanoseconds| format!("{seconds}:{nanoseconds}");
    [value("mtime"), value("ctime"), value("size")]
        == [time(file.mtime(), file.mtime_nsec()), time(file.ctime(), file.ctime_nsec()), file.size().to_string()]
}

pub fn shown(paths: &BTreeSet<Vec<u8>>) -> Vec<String> {
    paths.iter().map(|path| path.escape_ascii().to_string()).collect()
}
