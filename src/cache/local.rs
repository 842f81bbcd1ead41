//! Our bare repositories as files: which there are, and removing those that nobody needs.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::CacheError;
use super::remote::Role;
use crate::git::Program;
use crate::store::{entries, is_directory, size_of};

/// One bare repository in the home.
#[derive(Clone, Debug)]
pub struct LocalCache {
    /// Its directory.
    pub directory: PathBuf,
    /// What it holds.
    pub role: Role,
    /// Its size on disk.
    pub bytes: u64,
    /// When it was last opened.
    pub used: SystemTime,
}

/// The bare repositories in `caches`, in the order of their names.
pub fn local_caches(caches: &Path) -> Vec<LocalCache> {
    let named = entries(caches).into_iter().filter_map(|name| name.into_string().ok());
    let one = |name: String| {
        let role = role_of(name.strip_suffix(".git")?)?;
        let directory = caches.join(&name);
        if !is_directory(&directory) || !directory.join("HEAD").is_file() {
            return None;
        }
        let time = |path: &Path| path.symlink_metadata().and_then(|data| data.modified()).ok();
        let used = time(&directory.with_extension("lock")).max(time(&directory)).unwrap_or(SystemTime::UNIX_EPOCH);
        Some(LocalCache { role, bytes: size_of(&directory), used, directory })
    };
    named.filter_map(one).collect()
}

fn role_of(stem: &str) -> Option<Role> {
    let (digits, suffix) = stem.split_at_checked(32)?;
    let ours = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    Role::ALL.into_iter().find(|role| ours && role.suffix() == suffix)
}

impl LocalCache {
    /// Removes the repository, and says how many bytes that freed; `None` while it is in use.
    /// Its lock stays, because somebody may be waiting for it.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn remove(&self) -> Result<Option<u64>, CacheError> {
        let Some(_lock) = self.lock()? else { return Ok(None) };
        fs::remove_dir_all(&self.directory).map_err(|error| self.failed(&error))?;
        Ok(Some(self.bytes))
    }

    /// Has git throw away what no ref reaches, and says how many bytes that freed; `None`
    /// while it is in use. Repositories whose objects no ref names are left as they are.
    ///
    /// # Errors
    /// When git fails.
    pub fn compact(&self) -> Result<Option<u64>, CacheError> {
        if !matches!(self.role, Role::Artifacts | Role::Publishing) {
            return Ok(Some(0));
        }
        let Some(_lock) = self.lock()? else { return Ok(None) };
        Program::own(&self.directory, "gc").args(["--quiet", "--prune=now"]).run()?;
        Ok(Some(self.bytes.saturating_sub(size_of(&self.directory))))
    }

    fn lock(&self) -> Result<Option<File>, CacheError> {
        try_lock(&self.directory.with_extension("lock")).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &io::Error) -> CacheError {
        CacheError::Local { path: self.directory.display().to_string(), why: error.to_string() }
    }
}

/// Temporary directories in `caches` whose process is dead: nobody holds a lock in them.
pub fn left_over(caches: &Path) -> Vec<PathBuf> {
    let named = entries(caches).into_iter().filter(|name| name.to_str().is_some_and(|name| name.starts_with("new-")));
    named.map(|name| caches.join(name)).filter(|path| is_directory(path) && !is_held(path)).collect()
}

fn is_held(directory: &Path) -> bool {
    let locks = entries(directory).into_iter().map(|name| directory.join(name));
    let mut locks = locks.filter(|path| path.extension().is_some_and(|ending| ending == "lock")).peekable();
    // Without a lock yet, its process may be about to make one.
    locks.peek().is_none() || locks.any(|path| !matches!(try_lock(&path), Ok(Some(_))))
}

fn try_lock(path: &Path) -> io::Result<Option<File>> {
    let file = File::options().create(true).append(true).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_role() {
        let name = "0123456789abcdef0123456789abcdef";
        assert_eq!(role_of(name), Some(Role::Artifacts));
        assert_eq!(role_of(&format!("{name}.history")), Some(Role::History));
        for foreign in ["", "mine", &format!("{name}.other"), &name.to_uppercase(), &format!("{name}0"), "\u{e4}"] {
            assert_eq!(role_of(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn a_temporary_directory_is_left_over_when_its_lock_is_free() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("new-x");
        fs::create_dir(&path).unwrap();
        assert_eq!(left_over(place.path()), Vec::<PathBuf>::new());
        let held = try_lock(&path.join("a.lock")).unwrap().unwrap();
        assert_eq!(left_over(place.path()), Vec::<PathBuf>::new());
        drop(held);
        assert_eq!(left_over(place.path()), [path]);
    }
}
