//! Rule files that lie in a work tree and do not count.
//!
//! Only what the commit will hold may shape a record. Somebody who has just written a
//! rule file, or keeps one that git ignores, should hear that it does nothing.

use std::path::Path;

use super::native::{self, Kind};
use super::repository;
use super::rules::{IGNORE_FILE, PROJECT_FILE};
use super::tracked::TrackedFiles;
use super::{RepoPath, SourceError};

/// Why a rule file of a work tree does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unheeded {
    /// Git does not track it.
    Untracked,
    /// Git ignores it.
    Ignored,
    /// It is a link, and rules are not read through links.
    Link,
}

/// The files whose rules may decide about a path: the project file, and the ignore file of
/// the path itself and of each directory above it.
pub fn rule_files_of(path: &[u8]) -> Vec<RepoPath> {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1);
    let starts = std::iter::once(0).chain(slashes).map(|end| path[..end].to_vec());
    let below = Some([path, b"/"].concat()).filter(|_| !path.is_empty());
    let ignores = starts.chain(below).map(|directory| [directory.as_slice(), IGNORE_FILE].concat());
    ignores.chain([PROJECT_FILE.to_vec()]).filter_map(|path| RepoPath::parse(path).ok()).collect()
}

/// Whether a path is one of a file that [`rule_files_of`] names.
pub fn is_own_rule_file(path: &[u8]) -> bool {
    path == PROJECT_FILE || path.rsplit(|&byte| byte == b'/').next() == Some(IGNORE_FILE)
}

/// Whether a file or a link lies at a path of a work tree.
pub fn lies_in(root: &Path, path: &RepoPath) -> bool {
    kind(root, path).is_some_and(|kind| matches!(kind, Kind::File | Kind::Link))
}

/// Those of some rule files that lie in the work tree at `root` and do not count.
///
/// # Errors
/// When the repository cannot be opened, or its index cannot be read.
pub fn unheeded(root: &Path, files: Vec<RepoPath>) -> Result<Vec<(RepoPath, Unheeded)>, SourceError> {
    let files: Vec<RepoPath> = files.into_iter().filter(|path| lies_in(root, path)).collect();
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let opened = repository::open(root)?;
    let tracked = TrackedFiles::read(&opened.path().join("index"))?;
    let why = |path: &RepoPath| {
        if kind(root, path) == Some(Kind::Link) {
            Some(Unheeded::Link)
        } else if tracked.files.binary_search_by(|file| file.path.as_slice().cmp(path.as_bytes())).is_ok() {
            None
        } else if native::below(Path::new(""), path.as_bytes())
            .is_some_and(|path| opened.is_path_ignored(path).unwrap_or(false))
        {
            Some(Unheeded::Ignored)
        } else {
            Some(Unheeded::Untracked)
        }
    };
    Ok(files.into_iter().filter_map(|path| why(&path).map(|why| (path, why))).collect())
}

fn kind(root: &Path, path: &RepoPath) -> Option<Kind> {
    native::stat(&native::below(root, path.as_bytes())?).ok().map(|stat| stat.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_files_of_a_path() {
        let names = |path: &str| rule_files_of(path.as_bytes()).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(""), [".cceignore", "cce.toml"]);
        assert_eq!(names("a/b"), [".cceignore", "a/.cceignore", "a/b/.cceignore", "cce.toml"]);
        assert!(names("a/b").iter().all(|path| is_own_rule_file(path.as_bytes())));
        assert!(!is_own_rule_file(b"a/cce.toml") && !is_own_rule_file(b"a.cceignore"));
    }
}
