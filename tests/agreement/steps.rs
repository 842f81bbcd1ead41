//! Steps that make a work tree dirty, taken.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use proptest::sample::Index;

use crate::checkout::SILENT;
use crate::generated::{Node, Step};
use crate::sandbox::lab::{Lab, touch_all, zero_separated};

/// The files of a work tree, but for git's own and the settings.
pub fn on_disk(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            match entry.file_name() == ".git" || entry.file_name() == "cce.toml" {
                true => {}
                false if entry.file_type().unwrap().is_dir() => waiting.push(entry.path()),
                false => found.push(entry.path()),
            }
        }
    }
    found.sort();
    found
}

/// Whether nothing but directories leads to a path, so that no link leads out of the tree.
pub fn is_inside(root: &Path, path: &Path) -> bool {
    path.ancestors().skip(1).take_while(|above| *above != root).all(|above| !above.is_symlink() && !above.is_file())
}

pub fn put(root: &Path, path: &Path, node: &Node) {
    if !is_inside(root, path) || path.is_dir() && !path.is_symlink() {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(path);
    match node {
        Node::File(bytes) => fs::write(path, &**bytes).unwrap(),
        Node::Program(bytes) => {
            fs::write(path, &**bytes).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Node::Link(target) => symlink(target, path).unwrap(),
        Node::Submodule => unreachable!("steps make no submodules"),
    }
}

pub fn take_step(lab: &Lab, root: &Path, step: &Step) {
    let files = on_disk(root);
    let target = |at: &Index| (!files.is_empty()).then(|| at.get(&files).clone());
    let below = |path: &[u8]| root.join(OsStr::from_bytes(path));
    let git = |arguments: &[&str], path: &Path| {
        let mut all: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        all.extend([OsStr::new("--"), path.as_os_str()]);
        // What git refuses (an untracked path, an ignored one) changes nothing.
        let _ = lab.ask(root, &all, b"");
    };
    match step {
        Step::Write(path, node) => put(root, &below(path), node),
        Step::Change(at, body) => target(at).iter().for_each(|path| put(root, path, &Node::File(body.clone()))),
        Step::Delete(at) => target(at).iter().for_each(|path| fs::remove_file(path).unwrap()),
        Step::Rename(at, to) => {
            let to = below(to);
            if let Some(from) = target(at).filter(|_| is_inside(root, &to)) {
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                let _ = fs::rename(from, to);
            }
        }
        Step::FileToDirectory(at, body) => {
            if let Some(path) = target(at) {
                fs::remove_file(&path).unwrap();
                put(root, &path.join("inner"), &Node::File(body.clone()));
            }
        }
        Step::DirectoryToFile(at, body) => {
            if let Some(path) = target(at).filter(|path| path.parent() != Some(root)) {
                let directory = path.parent().unwrap();
                fs::remove_dir_all(directory).unwrap();
                put(root, directory, &Node::File(body.clone()));
            }
        }
        Step::FileToLink(at, to) => target(at).iter().for_each(|path| put(root, path, &Node::Link(to))),
        Step::Mode(at) => {
            if let Some(path) = target(at).filter(|path| !path.is_symlink()) {
                fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
        Step::Stage(at) => target(at).iter().for_each(|path| git(&["add", "--sparse"], path)),
        Step::Untrack(at) => target(at).iter().for_each(|path| git(&["rm", "-q", "--cached", "--sparse"], path)),
        Step::AssumeUnchanged(at) => {
            target(at).iter().for_each(|path| git(&["update-index", "--assume-unchanged"], path));
        }
        Step::SkipWorktree(at) => target(at).iter().for_each(|path| git(&["update-index", "--skip-worktree"], path)),
        Step::Nested(path) => {
            let path = below(path);
            if is_inside(root, &path) && !path.exists() && !path.is_symlink() {
                fs::create_dir_all(&path).unwrap();
                lab.git(&path, &["init", "-q", "-b", "main"]);
                fs::write(path.join("inner"), "x\n").unwrap();
                lab.commit(&path);
            }
        }
        Step::Rules(rules) => {
            let path = root.join(&rules.path);
            put(root, &path, &rules.node);
        }
        Step::Touch => touch_all(root),
    }
}

/// Rule files count once they are tracked, and what is compared is what will be.
pub fn track_rules(lab: &Lab, root: &Path) {
    let is_rule = |path: &&PathBuf| {
        [".cceignore", ".gitattributes"].iter().any(|name| path.file_name() == Some(OsStr::new(name)))
    };
    let files = on_disk(root);
    let untracked = zero_separated(&lab.ask(root, &["ls-files", "-o", "--exclude-standard", "-z"], b"").1);
    for path in files.iter().filter(is_rule) {
        if untracked.contains(path.strip_prefix(root).unwrap().as_os_str().as_bytes()) {
            lab.git(root, &[&SILENT[..], &["add", "-N", "--sparse", "--", path.to_str().unwrap()]].concat());
        }
    }
}
