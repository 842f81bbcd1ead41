//! What files held when they were last read, so that they need not be read again.
//!
//! The cache only saves work: it is ignored when it is damaged, of another version,
//! or older than the file it speaks of, and failing to write it fails nothing. It
//! maps a path and the system's word on the file to facts that are a pure function
//! of the bytes, so no change of configuration can make it wrong.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::ContentId;
use super::native::{Kind, SECOND, Stat, since_epoch};

/// What is remembered of a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The blob id of the bytes as they lie on disk.
    pub(crate) raw: ContentId,
    /// Whether they hold a carriage return.
    pub(crate) carriage_return: bool,
    /// Whether they hold `$Id`.
    pub(crate) keyword: bool,
}

/// The remembered files of one root.
#[derive(Debug, Default)]
pub(crate) struct StatCache {
    entries: HashMap<Vec<u8>, (Stat, Facts)>,
    /// Files changed at or after this time may have changed again unnoticed.
    racy_from: i128,
}

const MAGIC: &[u8; 8] = b"ccestat1";
const MAX_BYTES: u64 = 1 << 30;

impl StatCache {
    /// Reads a cache; an empty one where there is none that can be used.
    pub(crate) fn load(path: &Path) -> Self {
        Self::read(path).unwrap_or_default()
    }

    fn read(path: &Path) -> Option<Self> {
        let file = super::native::open_regular(path).ok()?;
        let written = Stat::from(&file.metadata().ok()?).mtime;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(20)?)?;
        if super::repository::blob_id(body).0 != *sum {
            return None;
        }
        let mut reader = Reader(body.strip_prefix(MAGIC)?);
        let started = reader.time()?;
        let mut cache = Self { entries: HashMap::new(), racy_from: started.min(written).div_euclid(SECOND) * SECOND };
        while !reader.0.is_empty() {
            let (path, stat, facts) = reader.entry()?;
            cache.entries.insert(path, (stat, facts));
        }
        Some(cache)
    }

    /// What is known of a file in this state.
    pub(crate) fn get(&self, path: &[u8], stat: &Stat) -> Option<Facts> {
        let (known, facts) = self.entries.get(path)?;
        (known == stat && stat.mtime < self.racy_from && stat.ctime < self.racy_from).then_some(*facts)
    }

    /// How many files are remembered.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// Collects what the next run will want to know.
pub(crate) struct Recorder {
    started: i128,
    bytes: Vec<u8>,
    count: usize,
    learned: bool,
}

impl Recorder {
    /// Starts before the first file is looked at.
    pub(crate) fn start() -> Self {
        #[allow(clippy::disallowed_methods)] // decides what is read again, never what it says
        let started = since_epoch(SystemTime::now());
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&started.to_le_bytes());
        Self { started, bytes, count: 0, learned: false }
    }

    /// Remembers a file. `learned`: whether it had to be read for that.
    pub(crate) fn remember(&mut self, path: &[u8], stat: &Stat, facts: &Facts, learned: bool) {
        self.learned |= learned && stat.mtime < self.started.div_euclid(SECOND) * SECOND;
        self.count += 1;
        let length = u32::try_from(path.len()).unwrap_or(u32::MAX);
        self.bytes.extend_from_slice(&length.to_le_bytes());
        self.bytes.extend_from_slice(path);
        self.bytes.extend_from_slice(&stat.size.to_le_bytes());
        self.bytes.extend_from_slice(&stat.mtime.to_le_bytes());
        self.bytes.extend_from_slice(&stat.ctime.to_le_bytes());
        self.bytes.extend_from_slice(&stat.inode.to_le_bytes());
        self.bytes.extend_from_slice(&facts.raw.0);
        self.bytes.push(u8::from(facts.carriage_return) | u8::from(facts.keyword) << 1);
    }

    /// Writes the cache where that brings anything over the last one. Best effort.
    pub(crate) fn store(mut self, path: &Path, last: &StatCache) {
        if !self.learned && self.count == last.len() {
            return;
        }
        let sum = super::repository::blob_id(&self.bytes).0;
        self.bytes.extend_from_slice(&sum);
        // Nothing depends on the outcome: without a cache files are read again.
        let _ = write_aside(path, &self.bytes);
    }
}

fn write_aside(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let directory: PathBuf = path.parent().map(Path::to_owned).unwrap_or_default();
    std::fs::create_dir_all(&directory)?;
    let mut file = tempfile::NamedTempFile::new_in(&directory)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes(&mut self, count: usize) -> Option<&[u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    fn time(&mut self) -> Option<i128> {
        self.array().map(i128::from_le_bytes)
    }

    fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn entry(&mut self) -> Option<(Vec<u8>, Stat, Facts)> {
        let length = self.array().map(u32::from_le_bytes)?;
        let path = self.bytes(usize::try_from(length).ok()?)?.to_vec();
        let (size, mtime, ctime, inode) = (self.number()?, self.time()?, self.time()?, self.number()?);
        let raw = ContentId(self.array()?);
        let [marks] = self.array()?;
        let facts = Facts { raw, carriage_return: marks & 1 != 0, keyword: marks & 2 != 0 };
        Some((path, Stat { kind: Kind::File, size, mtime, ctime, inode }, facts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(mtime: i128) -> Stat {
        Stat { kind: Kind::File, size: 3, mtime, ctime: mtime, inode: 7 }
    }

    fn facts() -> Facts {
        Facts { raw: ContentId([5; 20]), carriage_return: true, keyword: false }
    }

    fn stored(mtime: i128) -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/stat");
        let mut recorder = Recorder::start();
        recorder.remember(b"a\n\xff", &stat(mtime), &facts(), true);
        recorder.store(&path, &StatCache::default());
        (directory, path)
    }

    #[test]
    fn remembers_by_the_whole_state() {
        let (_directory, path) = stored(12 * SECOND);
        let cache = StatCache::load(&path);
        assert_eq!(cache.get(b"a\n\xff", &stat(12 * SECOND)), Some(facts()));
        assert_eq!(cache.get(b"a\n\xff", &stat(12 * SECOND + 1)), None);
        assert_eq!(cache.get(b"a\n\xff", &Stat { size: 4, ..stat(12 * SECOND) }), None);
        assert_eq!(cache.get(b"a", &stat(12 * SECOND)), None);
    }

    #[test]
    fn what_changed_lately_is_not_believed() {
        #[allow(clippy::disallowed_methods)]
        let now = since_epoch(SystemTime::now());
        let (_directory, path) = stored(now);
        assert_eq!(StatCache::load(&path).get(b"a\n\xff", &stat(now)), None);
    }

    #[test]
    fn damage_is_ignored() {
        let (_directory, path) = stored(12 * SECOND);
        let good = std::fs::read(&path).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            std::fs::write(&path, &bad).unwrap();
            assert_eq!(StatCache::load(&path).len(), 0, "byte {at}");
            std::fs::write(&path, &good[..at]).unwrap();
            assert_eq!(StatCache::load(&path).len(), 0, "cut at {at}");
        }
    }
}
