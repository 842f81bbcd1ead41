//! The stores that the home holds, and removing those that nobody needs.
//!
//! Nothing is followed that is a link, and nothing is removed that a store does not have: a
//! directory with anything else in it stays, and so does that.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::home::store_name;
use super::{Home, Store, WriteLock};

/// The file that says whose store it is; only stores in the home have it.
pub(super) const PROJECT_FILE: &str = "project";

/// The longest path of a project that is read, in bytes.
const MAX_PATH: u64 = 64 << 10;

/// One store in the home.
#[derive(Clone, Debug)]
pub struct HomeStore {
    store: Store,
    /// The project that it belongs to, where it says so.
    pub project: Option<PathBuf>,
    /// Its size on disk.
    pub bytes: u64,
    /// When it was last written.
    pub used: SystemTime,
}

impl Home {
    /// The stores in the home, in the order of their names.
    pub fn stores(&self) -> Vec<HomeStore> {
        let directory = self.path().join("stores");
        let named = entries(&directory).into_iter().filter_map(|name| name.into_string().ok());
        named
            .filter(|name| is_name(name) && is_directory(&directory.join(name)))
            .map(|name| HomeStore::at(&directory.join(&name), &name))
            .collect()
    }
}

impl HomeStore {
    fn at(directory: &Path, name: &str) -> Self {
        let times = ["current", "at", "stat", "generations"].map(|part| directory.join(part));
        let times = times.iter().filter_map(|path| path.symlink_metadata().and_then(|data| data.modified()).ok());
        Self {
            store: Store::at(directory),
            project: project_of(directory, name),
            bytes: size_of(directory),
            used: times.max().unwrap_or(SystemTime::UNIX_EPOCH),
        }
    }

    /// The store's directory.
    pub fn directory(&self) -> &Path {
        self.store.directory()
    }

    /// Whether the project is known, and gone.
    pub fn is_orphan(&self) -> bool {
        let gone = |path: &PathBuf| path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        self.project.as_ref().is_some_and(gone)
    }

    /// Removes the generations that no pointer names, and says how many bytes that freed;
    /// `None` while somebody writes.
    ///
    /// # Errors
    /// When the lock cannot be asked for.
    pub fn tidy(&self) -> io::Result<Option<u64>> {
        let Some(lock) = self.store.try_lock()? else { return Ok(None) };
        self.store.tidy(&lock);
        Ok(Some(self.bytes.saturating_sub(size_of(self.directory()))))
    }

    /// Removes the store, and says how many bytes that freed; `None` while somebody writes.
    /// While the project is there, lock and names stay.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn remove(&self) -> io::Result<Option<u64>> {
        let Some(lock) = self.store.try_lock()? else { return Ok(None) };
        self.remove_locked(&lock)?;
        Ok(Some(self.bytes.saturating_sub(size_of(self.directory()))))
    }

    /// The pointers go first, so that a reader finds an empty store and no damaged one.
    fn remove_locked(&self, _lock: &WriteLock) -> io::Result<()> {
        let directory = self.directory();
        gone(fs::remove_file(directory.join("current")))?;
        for (part, ours) in [("at", is_pointer as fn(&str) -> bool), ("generations", is_index)] {
            let part = directory.join(part);
            if !is_directory(&part) {
                continue;
            }
            for name in entries(&part).into_iter().filter(|name| name.to_str().is_some_and(ours)) {
                gone(fs::remove_file(part.join(name)))?;
            }
            // What is not ours keeps its directory.
            drop(fs::remove_dir(&part));
        }
        let left_over =
            entries(directory).into_iter().filter(|name| name.to_str().is_some_and(|n| n.starts_with("new-")));
        for name in [OsString::from("stat")].into_iter().chain(left_over) {
            gone(fs::remove_file(directory.join(name)))?;
        }
        if !self.is_orphan() {
            // Somebody may be waiting for the lock, and must wait for the same as the next.
            return Ok(());
        }
        for name in [PROJECT_FILE, ".gitignore", "lock"] {
            gone(fs::remove_file(directory.join(name)))?;
        }
        drop(fs::remove_dir(directory));
        Ok(())
    }
}

/// The project that a store names. Its path gives the name of the store, so that a file that
/// says something else says nothing.
fn project_of(directory: &Path, name: &str) -> Option<PathBuf> {
    let path = directory.join(PROJECT_FILE);
    let plain = path.symlink_metadata().is_ok_and(|data| data.is_file() && data.len() <= MAX_PATH);
    let project = path_of(fs::read(&path).ok().filter(|_| plain)?)?;
    (store_name(&project) == name).then_some(project)
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

fn is_name(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_pointer(name: &str) -> bool {
    name.starts_with("new-") || name.len() == 40
}

fn is_index(name: &str) -> bool {
    name.starts_with("new-") || name.ends_with(".idx")
}

/// What is not there is gone as well.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// Whether `path` is a directory itself, and no link to one.
pub(crate) fn is_directory(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_dir())
}

/// The names in a directory, sorted; none where it cannot be read.
pub(crate) fn entries(directory: &Path) -> Vec<OsString> {
    let read = fs::read_dir(directory).into_iter().flatten();
    let mut names: Vec<OsString> = read.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
    names.sort();
    names
}

/// The bytes of the files in `path`, links not followed.
pub(crate) fn size_of(path: &Path) -> u64 {
    match path.symlink_metadata() {
        Ok(data) if data.is_dir() => entries(path).iter().map(|name| size_of(&path.join(name))).sum(),
        Ok(data) => data.len(),
        Err(_) => 0,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_store_has_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let (project, home) = (place.path().join("project"), Home::at(place.path().join("home")));
        fs::create_dir(&project).unwrap();
        let project = project.canonicalize().unwrap();
        let directory = home.store_for(&project, true);
        let store = Store::at(&directory).of_project(&project);
        drop(store.lock().unwrap());
        fs::write(directory.join("generations/foreign.txt"), "x").unwrap();
        std::os::unix::fs::symlink(&project, home.path().join("stores").join("0".repeat(32))).unwrap();

        let found = home.stores();
        assert_eq!(found.len(), 1, "a link is no store");
        assert_eq!(found[0].project.as_deref(), Some(project.as_path()));
        assert!(!found[0].is_orphan());
        fs::remove_dir(&project).unwrap();
        assert!(found[0].is_orphan());
        let lock = store.lock().unwrap();
        assert_eq!(found[0].remove().unwrap(), None, "somebody writes");
        drop(lock);
        found[0].remove().unwrap();
        assert!(directory.join("generations/foreign.txt").exists());
        assert!(!directory.join("project").exists() && !directory.join("lock").exists());
        assert!(!home.stores()[0].is_orphan(), "without its name, nobody knows");
    }

    #[test]
    fn a_project_file_of_another_store_says_nothing() {
        let place = tempfile::tempdir().unwrap();
        let name = "0".repeat(32);
        let directory = place.path().join("stores").join(&name);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join(PROJECT_FILE), "/nowhere").unwrap();
        let found = Home::at(place.path()).stores();
        assert_eq!((found.len(), &found[0].project, found[0].is_orphan()), (1, &None, false));
    }
}
