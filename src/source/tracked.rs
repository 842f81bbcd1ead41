//! The tracked files of a work tree, as its index holds them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::glob::Case;
use super::ignore::parent;
use super::index_file::{self, Entry, IndexError};
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
    /// The same, and the file is not to be looked at: assume-unchanged.
    Fixed(ContentId),
    /// The same, and the file is not checked out: skip-worktree.
    Hidden(ContentId),
    /// Nothing yet: a conflict, or `git add --intent-to-add`.
    Nothing,
}

#[derive(Debug)]
struct IndexStat {
    mtime: (u32, u32),
    ctime: (u32, u32),
    inode: u32,
    size: u32,
}

/// All tracked paths, in path order.
#[derive(Debug, Default)]
pub(crate) struct TrackedFiles {
    /// In path order.
    pub(crate) files: Vec<Tracked>,
    /// The second in which the index was written.
    written: i128,
}

impl TrackedFiles {
    /// Reads an index. A work tree without one tracks nothing.
    pub(crate) fn read(index: &Path) -> Result<Self, SourceError> {
        let failure = |why| SourceError::Io { path: index.to_owned(), why };
        let mut file = match File::open(index) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(failure(error)),
        };
        let written = Stat::from(&file.metadata().map_err(failure)?).mtime.div_euclid(SECOND);
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failure)?;
        let entries = index_file::parse(&bytes).map_err(|error| refusal(index, &error))?;
        let mut files: Vec<Tracked> = Vec::with_capacity(entries.len());
        for entry in entries {
            match files.last_mut() {
                Some(last) if entry.conflict && last.path == entry.path => last.held = Held::Nothing,
                _ => files.push(Tracked::from(entry)),
            }
        }
        Ok(Self { files, written })
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

/// Finds tracked files and the directories they stand in by path. Where case is folded,
/// a path that is tracked as it is written goes before one that differs in case.
pub(crate) struct Lookup<'a> {
    case: Case,
    by_path: HashMap<&'a [u8], usize>,
    by_folded_path: HashMap<Cow<'a, [u8]>, usize>,
    directories: HashSet<Cow<'a, [u8]>>,
}

impl<'a> Lookup<'a> {
    /// Prepares the questions below.
    pub(crate) fn new(tracked: &'a TrackedFiles, case: Case) -> Self {
        let mut by_path = HashMap::with_capacity(tracked.files.len());
        let mut by_folded_path = HashMap::new();
        let mut directories = HashSet::new();
        let mut last: &[u8] = b"";
        for (number, file) in tracked.files.iter().enumerate() {
            by_path.insert(file.path.as_slice(), number);
            if case == Case::Fold {
                by_folded_path.insert(fold(&file.path, case), number);
            }
            let mut directory = parent(&file.path);
            // In path order the files of a directory mostly follow each other.
            if directory != last {
                last = directory;
                while !directory.is_empty() && directories.insert(fold(directory, case)) {
                    directory = parent(directory);
                }
            }
        }
        Self { case, by_path, by_folded_path, directories }
    }

    /// The number of a tracked path.
    pub(crate) fn number(&self, path: &[u8]) -> Option<usize> {
        let folded = || self.by_folded_path.get(&*fold(path, self.case)).filter(|_| self.case == Case::Fold);
        self.by_path.get(path).or_else(folded).copied()
    }

    /// Whether tracked paths stand below a directory.
    pub(crate) fn holds_below(&self, directory: &[u8]) -> bool {
        self.directories.contains(&*fold(directory, self.case))
    }
}

fn fold(path: &[u8], case: Case) -> Cow<'_, [u8]> {
    match case {
        Case::Sensitive => Cow::Borrowed(path),
        Case::Fold => Cow::Owned(path.to_ascii_lowercase()),
    }
}

fn refusal(index: &Path, error: &IndexError) -> SourceError {
    let (cause, fix) = match error {
        IndexError::Damaged => ("its index is damaged".to_owned(), "run `git reset` to write a new one"),
        IndexError::Version(version) => {
            (format!("its index has version {version}"), "run `git update-index --index-version 2`")
        }
        IndexError::Extension([b's', b'd', b'i', b'r']) => {
            ("its index is sparse".to_owned(), "run `git sparse-checkout reapply --no-sparse-index`")
        }
        IndexError::Extension([b'l', b'i', b'n', b'k']) => {
            ("its index is split".to_owned(), "run `git update-index --no-split-index`")
        }
        IndexError::Extension(name) => {
            (format!("its index uses `{}`", name.escape_ascii()), "index a commit of it instead")
        }
    };
    SourceError::Unsupported { path: index.to_owned(), cause, fix }
}

impl From<Entry> for Tracked {
    fn from(entry: Entry) -> Self {
        let id = ContentId(entry.id);
        let held = if entry.conflict || entry.intent_to_add {
            Held::Nothing
        } else if entry.assume_unchanged {
            Held::Fixed(id)
        } else if entry.skip_worktree {
            Held::Hidden(id)
        } else {
            Held::Content(id)
        };
        let stat = IndexStat { mtime: entry.mtime, ctime: entry.ctime, inode: entry.inode, size: entry.size };
        Self { path: entry.path, held, mode: entry.mode, stat }
    }
}

impl IndexStat {
    /// Whether the file is in the state that was recorded. What was not recorded (zero)
    /// is not compared; the index keeps the low 32 bits of each number.
    #[expect(clippy::cast_possible_truncation, reason = "the index format truncates")]
    fn agrees(&self, stat: &Stat, trust_ctime: bool) -> bool {
        let same_time = |(seconds, nanoseconds): (u32, u32), now: i128| {
            now.div_euclid(SECOND) as u32 == seconds
                && (nanoseconds == 0 || now.rem_euclid(SECOND) as u32 == nanoseconds)
        };
        self.size == stat.size as u32
            && same_time(self.mtime, stat.mtime)
            && (!trust_ctime || self.ctime == (0, 0) || stat.ctime == 0 || same_time(self.ctime, stat.ctime))
            && (self.inode == 0 || stat.inode == 0 || self.inode == stat.inode as u32)
    }
}
