//! Walks a directory tree with its ignore files, level by level and in parallel.
//!
//! Depth costs no stack, links are never followed, and a directory that cannot be
//! read is reported, not passed over.

use std::borrow::Cow;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::glob::Case;
use super::ignore::{Chain, IgnoreFile};
use super::native::{self, Kind, Stat};
use super::rules::MAX_RULE_FILE;

/// What the walk knows beforehand and how it treats what it meets.
pub(crate) trait Guide: Sync {
    /// The number of a tracked file; ignore rules do not apply to it.
    fn tracked(&self, path: &[u8]) -> Option<usize>;

    /// Whether tracked files stand below a directory.
    fn holds_tracked(&self, directory: &[u8]) -> bool;

    /// Whether a directory is a tracked submodule.
    fn is_submodule(&self, directory: &[u8]) -> bool;

    /// The bytes of an ignore file that is tracked and deliberately not checked out.
    fn hidden_ignore_file(&self, path: &[u8]) -> Option<Vec<u8>>;

    /// Whether a name is passed over: git's own directory and cce's.
    fn passes_over(&self, directory: &[u8], name: &[u8]) -> bool;

    /// Whether directories that are repositories are listed and not entered.
    fn stops_at_repositories(&self) -> bool;

    /// Whether sockets, pipes and devices are reported.
    fn reports_special_files(&self) -> bool;
}

/// Something the walk met.
#[derive(Debug)]
pub(crate) struct Found {
    /// Where, relative to the root; left empty for a tracked file, whose number says it.
    pub(crate) path: Vec<u8>,
    /// What.
    pub(crate) what: What,
}

/// What the walk met.
#[derive(Debug)]
pub(crate) enum What {
    /// The tracked file of this number; it may be of any kind but a directory.
    Tracked(usize, Stat),
    /// A file, a link or something special that no ignore rule drops.
    Untracked(Stat),
    /// A repository of its own.
    Repository,
    /// Something that the system would not let us read.
    Unreadable,
}

/// The ignore file of each directory.
const IGNORE_FILE: &[u8] = b".gitignore";

struct Directory {
    path: Vec<u8>,
    native: PathBuf,
    ignores: Chain,
}

#[derive(Default)]
struct Level {
    found: Vec<Found>,
    below: Vec<Directory>,
}

/// Walks everything below `root`. `ignores` are the rules that hold everywhere.
///
/// # Errors
/// When the root itself cannot be read.
pub(crate) fn walk(root: &Path, ignores: Chain, case: Case, guide: &dyn Guide) -> std::io::Result<Vec<Found>> {
    let root = Directory { path: Vec::new(), native: root.to_owned(), ignores };
    std::fs::read_dir(&root.native)?;
    let mut found = Vec::new();
    let mut level = vec![root];
    while !level.is_empty() {
        let read: Vec<Level> = match level.len() {
            1 => level.iter().map(|directory| directory.read(case, guide)).collect(),
            _ => level.par_iter().map(|directory| directory.read(case, guide)).collect(),
        };
        level.clear();
        for part in read {
            found.extend(part.found);
            level.extend(part.below);
        }
    }
    Ok(found)
}

impl Directory {
    fn read(&self, case: Case, guide: &dyn Guide) -> Level {
        let mut level = Level::default();
        let Ok(entries) = self.entries() else {
            level.found.push(Found { path: self.path.clone(), what: What::Unreadable });
            return level;
        };
        let ignores = self.ignores_here(&entries, case, guide);
        let mut path = self.child(b"");
        for entry in entries {
            self.take(&entry, &mut path, &ignores, guide, &mut level);
        }
        level
    }

    fn entries(&self) -> std::io::Result<Vec<DirEntry>> {
        std::fs::read_dir(&self.native)?.collect()
    }

    fn ignores_here(&self, entries: &[DirEntry], case: Case, guide: &dyn Guide) -> Chain {
        let on_disk = entries.iter().find(|entry| entry.file_name().as_encoded_bytes() == IGNORE_FILE);
        let bytes = match on_disk {
            Some(entry) => native::read_file(&entry.path(), MAX_RULE_FILE).ok(),
            None => guide.hidden_ignore_file(&self.child(IGNORE_FILE)),
        };
        with_file(&self.ignores, &self.path, bytes, case)
    }

    fn child(&self, name: &[u8]) -> Vec<u8> {
        let mut path = Vec::with_capacity(self.path.len() + 1 + name.len());
        if !self.path.is_empty() {
            path.extend_from_slice(&self.path);
            path.push(b'/');
        }
        path.extend_from_slice(name);
        path
    }

    /// `path` holds the directory's own path with its slash, and is given back so.
    fn take(&self, entry: &DirEntry, path: &mut Vec<u8>, ignores: &Chain, guide: &dyn Guide, level: &mut Level) {
        let name = entry.file_name();
        let Some(name) = native::name_bytes(&name) else {
            level.found.push(Found { path: self.path.clone(), what: What::Unreadable });
            return;
        };
        if guide.passes_over(&self.path, &name) {
            return;
        }
        let length = path.len();
        path.extend_from_slice(&name);
        match entry.file_type().map(Kind::from) {
            Err(_) => level.found.push(Found { path: path.clone(), what: What::Unreadable }),
            Ok(Kind::Directory) => self.take_directory(path.clone(), entry, ignores, guide, level),
            Ok(kind) => level.found.extend(file(path, kind, entry, ignores, guide)),
        }
        path.truncate(length);
    }

    fn take_directory(&self, path: Vec<u8>, entry: &DirEntry, ignores: &Chain, guide: &dyn Guide, level: &mut Level) {
        if guide.is_submodule(&path) || ignores.ignores(&path, true) {
            return;
        }
        let native = entry.path();
        if !guide.holds_tracked(&path) && guide.stops_at_repositories() && is_repository(&native) {
            level.found.push(Found { path, what: What::Repository });
        } else {
            level.below.push(Directory { path, native, ignores: ignores.clone() });
        }
    }
}

fn file(path: &[u8], kind: Kind, entry: &DirEntry, ignores: &Chain, guide: &dyn Guide) -> Option<Found> {
    let tracked = guide.tracked(path);
    if tracked.is_none() {
        let special = kind == Kind::Special && !guide.reports_special_files();
        if special || ignores.ignores(path, false) {
            return None;
        }
    }
    match (entry.metadata().map(|metadata| Stat::from(&metadata)), tracked) {
        (Ok(stat), Some(number)) => Some(Found { path: Vec::new(), what: What::Tracked(number, stat) }),
        (Ok(stat), None) => Some(Found { path: path.to_vec(), what: What::Untracked(stat) }),
        // Gone since the directory was read: as if it had never been seen.
        (Err(error), _) if error.kind() == std::io::ErrorKind::NotFound => None,
        (Err(_), _) => Some(Found { path: path.to_vec(), what: What::Unreadable }),
    }
}

/// The rules inside a directory, given those above it; for asking about one path.
pub(super) fn enter(above: &Chain, native: &Path, directory: &[u8], case: Case, guide: &dyn Guide) -> Chain {
    let file = native.join(".gitignore");
    let bytes = match native::read_file(&file, MAX_RULE_FILE) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            guide.hidden_ignore_file(&ignore_file_of(directory))
        }
        bytes => bytes.ok(),
    };
    with_file(above, directory, bytes, case)
}

fn with_file(above: &Chain, directory: &[u8], bytes: Option<Vec<u8>>, case: Case) -> Chain {
    match bytes {
        Some(bytes) => {
            let name = super::path::printable(&ignore_file_of(directory)).into_owned();
            above.with(IgnoreFile::parse(&bytes, directory, name, case))
        }
        None => above.clone(),
    }
}

fn ignore_file_of(directory: &[u8]) -> Vec<u8> {
    [directory, if directory.is_empty() { b"" } else { b"/" }, IGNORE_FILE].concat()
}

/// Whether a directory is the work tree of a repository of its own, as git decides it.
pub(super) fn is_repository(directory: &Path) -> bool {
    let dot_git = directory.join(".git");
    let Ok(metadata) = dot_git.metadata() else { return false };
    if metadata.is_dir() {
        return is_git_directory(&dot_git);
    }
    if !metadata.is_file() {
        return false;
    }
    match std::fs::read(&dot_git) {
        Ok(bytes) => bytes
            .strip_prefix(b"gitdir: ")
            .map(|target| target.strip_suffix(b"\n").unwrap_or(target))
            .and_then(|target| native::below(directory, target.strip_suffix(b"\r").unwrap_or(target)))
            .is_some_and(|target| is_git_directory(&target)),
        Err(_) => true,
    }
}

fn is_git_directory(path: &Path) -> bool {
    let common = match std::fs::read(path.join("commondir")) {
        Ok(bytes) => native::below(path, bytes.trim_ascii_end()).unwrap_or_else(|| path.to_owned()),
        Err(_) => path.to_owned(),
    };
    is_head(&path.join("HEAD")) && common.join("objects").is_dir() && common.join("refs").exists()
}

fn is_head(path: &Path) -> bool {
    if let Ok(target) = std::fs::read_link(path) {
        return native::name_bytes(target.as_os_str()).unwrap_or(Cow::Borrowed(b"")).starts_with(b"refs/");
    }
    let Ok(bytes) = std::fs::read(path) else { return false };
    match bytes.strip_prefix(b"ref:") {
        Some(target) => target.trim_ascii_start().starts_with(b"refs/"),
        None => bytes.len() >= 40 && bytes[..40].iter().all(u8::is_ascii_hexdigit),
    }
}
