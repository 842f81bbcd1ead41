//! What stands at tracked paths that a walk did not come by.

use std::collections::HashMap;
use std::path::Path;

use crate::source::ignore::parent;
use crate::source::native::{self, Kind, Stat};

/// What stands on disk at a tracked path.
#[derive(Clone, Copy, Debug)]
pub(super) enum OnDisk {
    /// It does not matter.
    Unasked,
    Nothing,
    Unreadable,
    Something(Stat),
}

/// Looks at tracked paths that the walk did not come by, such as those in ignored directories.
pub(super) struct Unseen<'a> {
    root: &'a Path,
    /// Whether a directory is there, and is no link.
    directories: HashMap<Vec<u8>, bool>,
}

impl<'a> Unseen<'a> {
    /// Prepares to look below `root`.
    pub(super) fn below(root: &'a Path) -> Self {
        Self { root, directories: HashMap::new() }
    }

    /// What stands at a path.
    pub(super) fn look(&mut self, path: &[u8]) -> OnDisk {
        if !self.is_directory(parent(path)) {
            return OnDisk::Nothing;
        }
        match native::below(self.root, path).map(|path| native::stat(&path)) {
            Some(Ok(stat)) => OnDisk::Something(stat),
            Some(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => OnDisk::Nothing,
            _ => OnDisk::Unreadable,
        }
    }

    fn is_directory(&mut self, directory: &[u8]) -> bool {
        let mut known = directory;
        let mut unknown = Vec::new();
        while !known.is_empty() && !self.directories.contains_key(known) {
            unknown.push(known);
            known = parent(known);
        }
        let mut there = known.is_empty() || self.directories[known];
        for directory in unknown.into_iter().rev() {
            let stat = native::below(self.root, directory).filter(|_| there).map(|path| native::stat(&path));
            there = match stat {
                Some(Ok(stat)) => stat.kind == Kind::Directory,
                // A directory that may not be searched: its files are looked at, and reported.
                Some(Err(error)) => error.kind() == std::io::ErrorKind::PermissionDenied,
                None => false,
            };
            self.directories.insert(directory.to_vec(), there);
        }
        there
    }
}
