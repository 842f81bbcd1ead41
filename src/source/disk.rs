//! Files as they lie on disk: what they hold, found out in parallel and remembered.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::native::{self, Stat};
use super::repository::blob_id;
use super::rules::MAX_RULE_FILE;
use super::stat_cache::{Facts, StatCache};
use super::walk::{Found, What};
use super::{ContentId, RepoPath, SourceError};
use crate::config::MAX_SIZE_LIMIT;

/// Files over this many bytes are oversize unread: no encoding that git converts from
/// takes more than four times the bytes of UTF-8.
pub(crate) const MAX_FILE: u64 = 4 * MAX_SIZE_LIMIT;

/// What looking at a file gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The file is known. `learned`: it had to be read for that.
    Known {
        /// What it holds.
        facts: Facts,
        /// Whether it was read now.
        learned: bool,
    },
    /// It is larger than any file that is read.
    Oversize,
    /// The system would not let us read it.
    Unreadable,
    /// It is no longer there.
    Gone,
}

/// Looks at files in parallel; the answers are in the order of the question.
pub(crate) fn look(root: &Path, files: &[(&RepoPath, Stat)], cache: &StatCache) -> Vec<Seen> {
    files.par_iter().map(|(path, stat)| look_at(root, path, stat, cache)).collect()
}

fn look_at(root: &Path, path: &RepoPath, stat: &Stat, cache: &StatCache) -> Seen {
    if stat.size > MAX_FILE {
        return Seen::Oversize;
    }
    if let Some(facts) = cache.get(path.as_bytes(), stat) {
        return Seen::Known { facts, learned: false };
    }
    match read(root, path, MAX_FILE) {
        Ok(bytes) => Seen::Known { facts: facts(&bytes), learned: true },
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Seen::Gone,
            io::ErrorKind::FileTooLarge => Seen::Oversize,
            _ => Seen::Unreadable,
        },
    }
}

/// Reads a file below a root, at most `limit` bytes of it.
pub(crate) fn read(root: &Path, path: &RepoPath, limit: u64) -> io::Result<Vec<u8>> {
    let native = native::below(root, path.as_bytes())
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "this system has no such names"))?;
    native::read_file(&native, limit)
}

/// Reads a file that has to be the one with this id.
pub(crate) fn read_listed(root: &Path, path: &RepoPath, id: ContentId, limit: u64) -> Result<Vec<u8>, SourceError> {
    match read(root, path, limit) {
        Ok(bytes) if blob_id(&bytes) == id => Ok(bytes),
        _ => Err(SourceError::Changed { path: path.clone() }),
    }
}

/// The id of the blob git makes of a link; `None` where it cannot be read.
pub(crate) fn link_id(root: &Path, path: &RepoPath) -> Option<ContentId> {
    let native = native::below(root, path.as_bytes())?;
    native::link_target(&native).ok().map(|target| blob_id(&target))
}

/// The size of a file; `None` where nothing says it.
pub(crate) fn size(root: &Path, path: &RepoPath) -> Option<u64> {
    native::stat(&native::below(root, path.as_bytes())?).ok().map(|stat| stat.size)
}

fn facts(bytes: &[u8]) -> Facts {
    Facts {
        raw: blob_id(bytes),
        carriage_return: bytes.contains(&b'\r'),
        keyword: bytes.windows(3).any(|window| window == b"$Id"),
    }
}

/// Reads a rule file from disk.
pub(crate) fn rule_file(root: &Path, path: &RepoPath) -> Result<Vec<u8>, SourceError> {
    read(root, path, MAX_RULE_FILE).map_err(|why| match why.kind() {
        io::ErrorKind::FileTooLarge => SourceError::RuleFileSize { path: path.clone(), limit: MAX_RULE_FILE },
        _ => SourceError::RuleFile { path: path.clone(), why },
    })
}

/// Checks the paths a walk found. Where a path is one that no source may hold, its
/// directory is reported as unreadable, so that the gap shows.
pub(crate) fn named(found: Vec<Found>) -> Vec<(RepoPath, What)> {
    let mut named = Vec::with_capacity(found.len());
    let mut unreadable = BTreeSet::new();
    for Found { path, what } in found {
        match RepoPath::parse(path.as_slice()) {
            Ok(path) if matches!(what, What::Unreadable) => {
                unreadable.insert(path);
            }
            Ok(path) => named.push((path, what)),
            Err(_) => unreadable.extend(nearest_directory(&path)),
        }
    }
    named.extend(unreadable.into_iter().map(|path| (path, What::Unreadable)));
    named
}

fn nearest_directory(path: &[u8]) -> Option<RepoPath> {
    let mut directory = super::ignore::parent(path);
    while !directory.is_empty() {
        if let Ok(path) = RepoPath::parse(directory) {
            return Some(path);
        }
        directory = super::ignore::parent(directory);
    }
    None
}
