//! The tracked files of a work tree, as its index holds them.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use git2::{Index, IndexEntry};

use super::glob::Case;
use super::native::{SECOND, Stat};
use super::{ContentId, SourceError};

/// One tracked path.
#[derive(Debug)]
pub(crate) struct Tracked {
    /// The path's bytes.
    pub(crate) path: Vec<u8>,
    /// What git holds for it.
    pub(crate) held: Held,
    /// The mode git holds.
    pub(crate) mode: u32,
    stat: IndexStat,
}

/// What the index holds for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// A blob (or a submodule's commit) that the work tree's file stands for.
    Content(ContentId),
    /// The same, and the file is not to be looked at: skip-worktree or assume-unchanged.
    Fixed(ContentId),
    /// Nothing yet: a conflict, or `git add --intent-to-add`.
    Nothing,
}

#[derive(Debug)]
struct IndexStat {
    mtime: (i32, u32),
    ctime: (i32, u32),
    inode: u32,
    size: u32,
}

/// Bits of the index format.
const STAGE: u16 = 0x3000;
const ASSUME_UNCHANGED: u16 = 0x8000;
const SKIP_WORKTREE: u16 = 1 << 14;
const INTENT_TO_ADD: u16 = 1 << 13;

/// All tracked paths, in path order.
#[derive(Debug, Default)]
pub(crate) struct TrackedFiles {
    /// In path order.
    pub(crate) files: Vec<Tracked>,
    by_path: HashMap<Vec<u8>, usize>,
    directories: HashSet<Vec<u8>>,
    /// The second in which the index was written.
    written: i128,
}

impl TrackedFiles {
    /// Reads an index. A work tree without one tracks nothing.
    pub(crate) fn read(index: &Path, case: Case) -> Result<Self, SourceError> {
        let Ok(metadata) = index.metadata() else { return Ok(Self::default()) };
        let written = Stat::from(&metadata).mtime.div_euclid(SECOND);
        let opened = Index::open(index).map_err(|error| refusal(index, &error))?;
        let mut files: Vec<Tracked> = Vec::with_capacity(opened.len());
        for entry in opened.iter() {
            let conflict = entry.flags & STAGE != 0;
            match files.last_mut() {
                Some(last) if conflict && last.path == entry.path => last.held = Held::Nothing,
                _ => files.push(Tracked::from(entry)),
            }
        }
        let mut directories = HashSet::new();
        for file in &files {
            add_directories(&mut directories, &file.path);
        }
        let by_path = files.iter().enumerate().map(|(number, file)| (fold(&file.path, case), number)).collect();
        if case == Case::Fold {
            directories = directories.iter().map(|directory| fold(directory, case)).collect();
        }
        Ok(Self { files, by_path, directories, written })
    }

    /// The number of a tracked path.
    pub(crate) fn number(&self, path: &[u8], case: Case) -> Option<usize> {
        match case {
            Case::Sensitive => self.by_path.get(path).copied(),
            Case::Fold => self.by_path.get(&fold(path, case)).copied(),
        }
    }

    /// Whether tracked paths stand below a directory.
    pub(crate) fn holds_below(&self, directory: &[u8], case: Case) -> bool {
        match case {
            Case::Sensitive => self.directories.contains(directory),
            Case::Fold => self.directories.contains(&fold(directory, case)),
        }
    }

    /// Whether the system's word on a file proves that it is what the index holds.
    pub(crate) fn proves_unchanged(&self, file: &Tracked, stat: &Stat, trust_ctime: bool, racy: Racy) -> bool {
        let in_doubt = racy == Racy::Doubted && i128::from(file.stat.mtime.0) >= self.written;
        !in_doubt && file.stat.agrees(stat, trust_ctime)
    }
}

/// Whether a file that changed in the second in which the index was written is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Racy {
    /// It has to be looked at.
    Doubted,
    /// It has to be believed, because only a driver that is never run could tell.
    Believed,
}

fn fold(path: &[u8], case: Case) -> Vec<u8> {
    match case {
        Case::Sensitive => path.to_vec(),
        Case::Fold => path.to_ascii_lowercase(),
    }
}

fn add_directories(directories: &mut HashSet<Vec<u8>>, path: &[u8]) {
    let mut directory = super::ignore::parent(path);
    while !directory.is_empty() && !directories.contains(directory) {
        directories.insert(directory.to_vec());
        directory = super::ignore::parent(directory);
    }
}

fn refusal(index: &Path, error: &git2::Error) -> SourceError {
    let extension =
        |cause: &str, fix| SourceError::Unsupported { path: index.to_owned(), cause: cause.to_owned(), fix };
    let message = error.message();
    if message.contains("'sdir'") {
        extension("its index is sparse", "run `git sparse-checkout reapply --no-sparse-index`")
    } else if message.contains("'link'") {
        extension("its index is split", "run `git update-index --no-split-index`")
    } else {
        SourceError::Repository { path: index.to_owned(), why: message.to_owned() }
    }
}

impl From<IndexEntry> for Tracked {
    fn from(entry: IndexEntry) -> Self {
        let id = ContentId::from(entry.id);
        let held = if entry.flags & STAGE != 0 || entry.flags_extended & INTENT_TO_ADD != 0 {
            Held::Nothing
        } else if entry.flags & ASSUME_UNCHANGED != 0 || entry.flags_extended & SKIP_WORKTREE != 0 {
            Held::Fixed(id)
        } else {
            Held::Content(id)
        };
        let stat = IndexStat {
            mtime: (entry.mtime.seconds(), entry.mtime.nanoseconds()),
            ctime: (entry.ctime.seconds(), entry.ctime.nanoseconds()),
            inode: entry.ino,
            size: entry.file_size,
        };
        Self { path: entry.path, held, mode: entry.mode, stat }
    }
}

impl IndexStat {
    /// Whether the file is in the state that was recorded. What was not recorded (zero)
    /// is not compared; the index keeps the low 32 bits of each number.
    #[expect(clippy::cast_possible_truncation, reason = "the index format truncates")]
    fn agrees(&self, stat: &Stat, trust_ctime: bool) -> bool {
        let same_time = |(seconds, nanoseconds): (i32, u32), now: i128| {
            now.div_euclid(SECOND) as i32 == seconds
                && (nanoseconds == 0 || now.rem_euclid(SECOND) as u32 == nanoseconds)
        };
        self.size == stat.size as u32
            && same_time(self.mtime, stat.mtime)
            && (!trust_ctime || self.ctime == (0, 0) || stat.ctime == 0 || same_time(self.ctime, stat.ctime))
            && (self.inode == 0 || stat.inode == 0 || self.inode == stat.inode as u32)
    }
}
