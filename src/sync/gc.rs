//! Freeing local space: stores without a project, caches without use, what crashes left.
//!
//! All of it is derived, so that removing too much costs time and nothing else. What is
//! locked stays, and so does what is not known.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::cache::{LocalCache, left_over, local_caches};
use crate::store::{Home, HomeStore, size_of};

/// A cache that was not opened for so long is removed.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What to free.
#[derive(Clone, Copy, Debug)]
pub struct GcOptions {
    /// The most bytes that stay; the least recently used goes first.
    pub quota: Option<u64>,
    /// Finds out, and removes nothing.
    pub dry_run: bool,
    /// The time to count ages from.
    pub now: SystemTime,
}

/// Why something was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The project of the store is gone.
    ProjectGone,
    /// The cache was not opened for 30 days.
    Unused,
    /// A process that died left it.
    LeftOver,
    /// It was the least recently used over the quota.
    OverQuota,
    /// Parts of it that nothing names.
    Unreferenced,
}

/// What was freed in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freed {
    /// The place.
    pub path: PathBuf,
    /// Why.
    pub why: Why,
    /// How many bytes.
    pub bytes: u64,
}

/// What was freed, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// By place, in the order it went.
    pub freed: Vec<Freed>,
    /// What stays because somebody uses it.
    pub in_use: Vec<PathBuf>,
    /// The bytes that stay.
    pub bytes: u64,
    /// What could not be done, for people.
    pub notices: Vec<String>,
}

/// A store or a cache, by what can be done with it.
enum Item {
    Store(HomeStore),
    Cache(LocalCache),
}

/// Frees space in the home.
pub fn collect(home: &Home, options: &GcOptions) -> Collected {
    let mut work = Work { options, report: Collected::default() };
    let caches = home.path().join("caches");
    for path in left_over(&caches) {
        work.remove_left_over(&path);
    }
    let items = home.stores().into_iter().map(Item::Store).chain(local_caches(&caches).into_iter().map(Item::Cache));
    let mut kept: Vec<Item> = items.filter(|item| !work.remove_useless(item)).collect();
    kept.sort_by_key(Item::used);
    let sizes: Vec<u64> = kept.iter().map(|item| work.compact(item)).collect();
    work.report.bytes = sizes.iter().sum();
    for (item, size) in kept.iter().zip(sizes) {
        if options.quota.is_some_and(|quota| work.report.bytes > quota) {
            work.report.bytes -= work.remove(item, Why::OverQuota, size).unwrap_or(0);
        }
    }
    work.report
}

struct Work<'a> {
    options: &'a GcOptions,
    report: Collected,
}

impl Work<'_> {
    fn remove_left_over(&mut self, path: &Path) {
        let bytes = size_of(path);
        let removed = if self.options.dry_run { Ok(()) } else { fs::remove_dir_all(path) };
        let outcome = removed.map(|()| Some(bytes)).map_err(|error| format!("{error}"));
        self.note(path, Why::LeftOver, outcome);
    }

    /// Removes what nobody needs whatever room there is, and says whether it went.
    fn remove_useless(&mut self, item: &Item) -> bool {
        item.useless(self.options.now).is_some_and(|why| self.remove(item, why, item.bytes()).is_some())
    }

    /// Removes an item of `size` bytes, and says how many bytes that freed; `None` where it stays.
    fn remove(&mut self, item: &Item, why: Why, size: u64) -> Option<u64> {
        let removed = if self.options.dry_run { Ok(Some(size)) } else { item.remove() };
        self.note(item.path(), why, removed.map(|freed| freed.map(|bytes| bytes.min(size))))
    }

    /// Frees what nothing names in it, and says how many bytes it has then.
    fn compact(&mut self, item: &Item) -> u64 {
        if self.options.dry_run {
            return item.bytes();
        }
        self.note(item.path(), Why::Unreferenced, item.compact());
        // What git writes for itself may have made it larger.
        size_of(item.path())
    }

    /// Reports what became of a place; `None` where nothing was done.
    fn note(&mut self, path: &Path, why: Why, outcome: Result<Option<u64>, String>) -> Option<u64> {
        match outcome {
            Ok(Some(bytes)) => {
                if bytes > 0 || !matches!(why, Why::Unreferenced | Why::OverQuota) {
                    self.report.freed.push(Freed { path: path.to_owned(), why, bytes });
                }
                Some(bytes)
            }
            Ok(None) => {
                if !self.report.in_use.iter().any(|known| known == path) {
                    self.report.in_use.push(path.to_owned());
                }
                None
            }
            Err(error) => {
                self.report.notices.push(format!("`{}` cannot be freed: {error}", path.display()));
                None
            }
        }
    }
}

impl Item {
    fn path(&self) -> &Path {
        match self {
            Self::Store(store) => store.directory(),
            Self::Cache(cache) => &cache.directory,
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Store(store) => store.bytes,
            Self::Cache(cache) => cache.bytes,
        }
    }

    fn used(&self) -> SystemTime {
        match self {
            Self::Store(store) => store.used,
            Self::Cache(cache) => cache.used,
        }
    }

    fn useless(&self, now: SystemTime) -> Option<Why> {
        match self {
            Self::Store(store) => store.is_orphan().then_some(Why::ProjectGone),
            Self::Cache(cache) => {
                let age = now.duration_since(cache.used).unwrap_or_default();
                (age > UNUSED).then_some(Why::Unused)
            }
        }
    }

    fn remove(&self) -> Result<Option<u64>, String> {
        match self {
            Self::Store(store) => store.remove().map_err(|error| error.to_string()),
            Self::Cache(cache) => cache.remove().map_err(|error| error.to_string()),
        }
    }

    fn compact(&self) -> Result<Option<u64>, String> {
        match self {
            Self::Store(store) => store.tidy().map_err(|error| error.to_string()),
            Self::Cache(cache) => cache.compact().map_err(|error| error.to_string()),
        }
    }
}
