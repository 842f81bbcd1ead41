//! Generations on disk: written aside, synced, activated by one rename.
//!
//! A store directory holds
//!
//! ```text
//! current          one JSON line: which generation is active
//! at/<sha>         the same for a commit that was asked for by name
//! generations/     index files, read-only, named by their own digest
//! stat             what the work tree looked like (a cache, see the source room)
//! lock             held while writing; the system frees it when its holder dies
//! pull-turn        its time says when a pull in the background last began
//! pull-failed      why the last one failed
//! project          the path of the project, where the store is not in it
//! ```
//!
//! An index file is never changed once it has its name, so a reader that opened one
//! keeps it. A pointer is replaced by rename only after the files it names are synced,
//! so a crash leaves the old state or the new.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::home::private_directory;
use super::homes::PROJECT_FILE;
use super::{BuildError, Index, IndexBuilder, IndexError, Overlay, View};
use crate::record::canonical::{hex, unhex};
use crate::source::native::read_file;
use crate::source::{PathError, RepoPath};

const SCHEMA: &str = "cce.store/1";
/// How many commits asked for by name keep their index.
const KEPT_AT: usize = 4;
/// The longest pointer that is read, in bytes: it lists every path that is gone.
const MAX_POINTER: u64 = 64 << 20;

/// A store directory.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
    /// The real path of the project, where the store is not in it.
    project: Option<PathBuf>,
}

/// What a store has active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Active {
    /// File name of the index that stands for a commit or a directory.
    pub base: String,
    /// What lies over it, when the work tree differs.
    pub overlay: Option<ActiveOverlay>,
    /// The commit that was checked out when this was activated.
    pub head: Option<String>,
    /// Whether the work tree differed from `head`.
    pub dirty: bool,
    /// Whether this was installed where there is no source to refresh it from.
    pub sourceless: bool,
}

/// The overlay of an active generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveOverlay {
    /// File name of the index of new and changed files.
    pub index: String,
    /// Paths of the base that are gone, in path order.
    pub removed: Vec<RepoPath>,
}

/// Why a store cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file operation failed.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// What was being done.
        action: &'static str,
        /// To which file.
        path: String,
        /// Why it failed.
        source: io::Error,
    },
    /// A part of the store is a link, which would lead out of it.
    #[error("`{path}` is a link, and a store follows none; delete it")]
    Link {
        /// Which part.
        path: String,
    },
    /// The pointer is not one that this build wrote.
    #[error("the store pointer `{path}` is damaged")]
    Pointer {
        /// Which pointer.
        path: String,
    },
    /// An index cannot be put together.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// What was just activated is not there.
    #[error("the store `{path}` was deleted while it was being written; run the command again")]
    Vanished {
        /// The store's directory.
        path: String,
    },
    /// An index file is refused.
    #[error("`{path}`: {source}")]
    Index {
        /// Which file.
        path: String,
        /// What is wrong with it.
        source: IndexError,
    },
}

/// Keeps the store's writers apart; released when dropped, or when the process dies.
#[derive(Debug)]
pub struct WriteLock {
    _file: File,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    base: String,
    dirty: bool,
    head: Option<String>,
    overlay: Option<String>,
    /// Lower-case hex, because a path may be any bytes.
    removed: Vec<String>,
    schema: String,
    sourceless: bool,
}

impl Store {
    /// Takes a directory as a store; it need not exist.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), project: None }
    }

    /// Says whose store it is. One that is not in its project says so on disk, so that it can
    /// be removed when the project is gone.
    #[must_use]
    pub fn of_project(mut self, project: &Path) -> Self {
        let real = fs::canonicalize(project).unwrap_or_else(|_| project.to_path_buf());
        self.project = Some(real).filter(|real| self.directory.parent() != Some(project) && real.is_absolute());
        self
    }

    /// The store's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where the source room may remember what the work tree looked like.
    ///
    /// # Errors
    /// When a part of the store is a link.
    pub fn stat_cache(&self) -> Result<PathBuf, StoreError> {
        self.refuse_links()?;
        Ok(self.directory.join("stat"))
    }

    /// A repository can bring links where a store would be; following one would read and
    /// delete elsewhere.
    pub(super) fn refuse_links(&self) -> Result<(), StoreError> {
        let parts =
            ["generations", "at", "current", "stat", "lock", ".gitignore", "pull-turn", "pull-failed", PROJECT_FILE]
                .map(|name| self.directory.join(name));
        for path in parts.iter().chain([&self.directory]) {
            if path.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
                return Err(StoreError::Link { path: path.display().to_string() });
            }
        }
        Ok(())
    }

    /// Waits until no other process writes, then keeps others out.
    ///
    /// # Errors
    /// When the lock file cannot be made or locked.
    pub fn lock(&self) -> Result<WriteLock, StoreError> {
        self.refuse_links()?;
        self.make_directory("generations")?;
        self.hide_from_git()?;
        self.name_project()?;
        let path = self.directory.join("lock");
        let file = lock_file(&path).map_err(|source| failed("open", &path, source))?;
        file.lock().map_err(|source| failed("lock", &path, source))?;
        Ok(WriteLock { _file: file })
    }

    /// Keeps others out where nobody writes; `None` where somebody does.
    pub(super) fn try_lock(&self) -> io::Result<Option<WriteLock>> {
        self.refuse_links().map_err(io::Error::other)?;
        let file = lock_file(&self.directory.join("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(WriteLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Removes what no pointer names.
    pub(super) fn tidy(&self, _lock: &WriteLock) {
        self.retire();
    }

    /// What is active now, if anything.
    ///
    /// # Errors
    /// When the pointer cannot be read or is damaged.
    pub fn active(&self) -> Result<Option<Active>, StoreError> {
        self.read_pointer(&self.directory.join("current"))
    }

    /// Opens what is active, if anything, as one view.
    ///
    /// # Errors
    /// When the pointer or an index is damaged.
    pub fn open(&self) -> Result<Option<(Active, View)>, StoreError> {
        self.open_pointer(&self.directory.join("current"))
    }

    /// Opens the index kept for the commit `sha`, if there is one.
    ///
    /// # Errors
    /// When the pointer or the index is damaged.
    pub fn open_at(&self, sha: &str) -> Result<Option<(Active, View)>, StoreError> {
        self.open_pointer(&self.directory.join("at").join(sha))
    }

    /// Opens a pointer. A writer may retire files between our reading the pointer and
    /// opening them; then there is a newer pointer, and it is read instead.
    fn open_pointer(&self, pointer: &Path) -> Result<Option<(Active, View)>, StoreError> {
        let mut tries = 0;
        loop {
            let Some(active) = self.read_pointer(pointer)? else { return Ok(None) };
            match self.view(&active) {
                Err(StoreError::Index { source: IndexError::Open { source: error, .. }, .. })
                    if error.kind() == io::ErrorKind::NotFound && tries < 8 =>
                {
                    tries += 1;
                }
                Err(error) => return Err(error),
                Ok(view) => return Ok(Some((active, view))),
            }
        }
    }

    fn view(&self, active: &Active) -> Result<View, StoreError> {
        let base = Arc::new(self.open_index(&active.base)?);
        let overlay = match &active.overlay {
            None => None,
            Some(overlay) => {
                Some(Overlay { index: Arc::new(self.open_index(&overlay.index)?), removed: overlay.removed.clone() })
            }
        };
        View::new(base, overlay)
            .map_err(|source| StoreError::Index { path: self.directory.display().to_string(), source })
    }

    /// Opens one index file of this store.
    ///
    /// # Errors
    /// When the file is missing or damaged.
    pub fn open_index(&self, name: &str) -> Result<Index, StoreError> {
        let path = self.directory.join("generations").join(name);
        Index::open(&path).map_err(|source| StoreError::Index { path: path.display().to_string(), source })
    }

    /// Writes an index file and gives it its name; it is not active yet.
    ///
    /// # Errors
    /// When the disk refuses; nothing is left behind then.
    pub fn write_index(&self, _lock: &WriteLock, builder: IndexBuilder, manifest: &[u8]) -> Result<String, StoreError> {
        let directory = self.make_directory("generations")?;
        let mut file = NamedTempFile::with_prefix_in("new-", &directory)
            .map_err(|source| failed("create a file in", &directory, source))?;
        let summary = {
            let mut out = io::BufWriter::with_capacity(1 << 20, file.as_file_mut());
            let summary = builder.finish(manifest, &mut out)?;
            out.flush().map_err(|source| failed("write", &directory, source))?;
            summary
        };
        let name = format!("{}.idx", hex(&summary.digest[..16]));
        let path = directory.join(&name);
        seal(file, &path)?;
        Ok(name)
    }

    /// Makes `active` what the store answers from.
    ///
    /// # Errors
    /// When the disk refuses; what was active stays so.
    pub fn activate(&self, _lock: &WriteLock, active: &Active) -> Result<(), StoreError> {
        self.write_pointer(&self.directory, "current", active)?;
        self.retire();
        Ok(())
    }

    /// Keeps `base` as the index of the commit `sha`, beside what is active.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn keep_at(&self, _lock: &WriteLock, sha: &str, base: String) -> Result<(), StoreError> {
        let directory = self.make_directory("at")?;
        let active = Active { base, overlay: None, head: Some(sha.to_owned()), dirty: false, sourceless: false };
        self.write_pointer(&directory, sha, &active)?;
        self.retire();
        Ok(())
    }

    /// The failure of finding nothing where something was just activated.
    pub(super) fn vanished(&self) -> StoreError {
        StoreError::Vanished { path: self.directory.display().to_string() }
    }

    /// A store in a project is nobody's untracked file.
    fn hide_from_git(&self) -> Result<(), StoreError> {
        let path = self.directory.join(".gitignore");
        if path.exists() {
            return Ok(());
        }
        fs::write(&path, "*\n").map_err(|source| failed("write", &path, source))
    }

    fn name_project(&self) -> Result<(), StoreError> {
        let path = self.directory.join(PROJECT_FILE);
        match &self.project {
            Some(project) if !path.exists() => fs::write(&path, project.as_os_str().as_encoded_bytes())
                .map_err(|source| failed("write", &path, source)),
            _ => Ok(()),
        }
    }

    fn make_directory(&self, name: &str) -> Result<PathBuf, StoreError> {
        let path = self.directory.join(name);
        private_directory(&path).map_err(|source| failed("make the directory", &path, source))?;
        Ok(path)
    }

    fn read_pointer(&self, path: &Path) -> Result<Option<Active>, StoreError> {
        self.refuse_links()?;
        let bytes = match read_file(path, MAX_POINTER) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(failed("read", path, source)),
        };
        let damaged = || StoreError::Pointer { path: path.display().to_string() };
        let wire: Wire = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        Active::of(wire).map(Some).ok_or_else(damaged)
    }

    fn write_pointer(&self, directory: &Path, name: &str, active: &Active) -> Result<(), StoreError> {
        let mut line = serde_json::to_vec(&active.wire()).expect("a pointer is plain data");
        line.push(b'\n');
        replace_file(directory, name, &line)
    }

    /// Removes what no pointer names, and what a writer that died left half-made.
    /// Failing to tidy up is no failure of the command that asked.
    fn retire(&self) {
        self.forget_old_commits();
        let mut named: Vec<String> = Vec::new();
        let pointers =
            names_in(&self.directory.join("at")).into_iter().map(|name| self.directory.join("at").join(name));
        for pointer in pointers.chain([self.directory.join("current")]) {
            match self.read_pointer(&pointer) {
                Ok(Some(active)) => {
                    named.push(active.base);
                    named.extend(active.overlay.map(|overlay| overlay.index));
                }
                Ok(None) => {}
                Err(_) => return,
            }
        }
        let generations = self.directory.join("generations");
        let ours = |name: &String| name.ends_with(".idx") || name.starts_with("new-");
        for name in names_in(&generations).into_iter().filter(|name| ours(name) && !named.contains(name)) {
            drop(fs::remove_file(generations.join(name)));
        }
        for name in names_in(&self.directory).into_iter().filter(|name| name.starts_with("new-")) {
            drop(fs::remove_file(self.directory.join(name)));
        }
    }

    fn forget_old_commits(&self) {
        let directory = self.directory.join("at");
        let age = |name: &String| fs::metadata(directory.join(name)).and_then(|data| data.modified()).ok();
        let ours = |name: &String| name.len() == 40 || name.starts_with("new-");
        let mut names: Vec<String> = names_in(&directory).into_iter().filter(ours).collect();
        names.sort_by_cached_key(|name| std::cmp::Reverse(age(name)));
        for name in names.into_iter().skip(KEPT_AT) {
            drop(fs::remove_file(directory.join(name)));
        }
    }
}

impl Active {
    /// One commit alone, as it is kept beside what is active.
    pub fn of_commit(sha: String) -> Self {
        Self { base: String::new(), overlay: None, head: Some(sha), dirty: false, sourceless: false }
    }

    fn wire(&self) -> Wire {
        let (overlay, removed) = match &self.overlay {
            None => (None, Vec::new()),
            Some(overlay) => {
                let removed = overlay.removed.iter().map(|path| hex(path.as_bytes())).collect();
                (Some(overlay.index.clone()), removed)
            }
        };
        Wire {
            base: self.base.clone(),
            dirty: self.dirty,
            head: self.head.clone(),
            overlay,
            removed,
            schema: SCHEMA.to_owned(),
            sourceless: self.sourceless,
        }
    }

    fn of(wire: Wire) -> Option<Self> {
        let plain = |name: &str| name.ends_with(".idx") && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.');
        if wire.schema != SCHEMA || !plain(&wire.base) || !wire.overlay.as_deref().is_none_or(plain) {
            return None;
        }
        let path = |digits: &String| -> Option<RepoPath> {
            let parsed: Result<RepoPath, PathError> = RepoPath::parse(unhex(digits)?);
            parsed.ok()
        };
        let removed = wire.removed.iter().map(path).collect::<Option<Vec<_>>>()?;
        let overlay = wire.overlay.map(|index| ActiveOverlay { index, removed });
        Some(Self { base: wire.base, overlay, head: wire.head, dirty: wire.dirty, sourceless: wire.sourceless })
    }
}

fn lock_file(path: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(path)
}

pub(super) fn failed(action: &'static str, path: &Path, source: io::Error) -> StoreError {
    StoreError::Io { action, path: path.display().to_string(), source }
}

/// Puts a small read-only file in place by rename: the old contents stay, or the new are whole.
pub(crate) fn replace_file(directory: &Path, name: &str, contents: &[u8]) -> Result<(), StoreError> {
    let mut file = NamedTempFile::with_prefix_in("new-", directory)
        .map_err(|source| failed("create a file in", directory, source))?;
    let path = directory.join(name);
    file.write_all(contents).map_err(|source| failed("write", &path, source))?;
    seal(file, &path)
}

/// Syncs a finished file, makes it read-only, gives it its name and syncs the name.
pub(super) fn seal(file: NamedTempFile, path: &Path) -> Result<(), StoreError> {
    let write = |source| failed("write", path, source);
    let mut permissions = file.as_file().metadata().map_err(write)?.permissions();
    permissions.set_readonly(true);
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o444);
    file.as_file().set_permissions(permissions).map_err(write)?;
    file.as_file().sync_all().map_err(write)?;
    file.persist(path).map_err(|error| failed("name", path, error.error))?;
    if let Some(parent) = path.parent() {
        sync_directory(parent).map_err(write)?;
    }
    Ok(())
}

/// A rename is durable once its directory is synced; not every system can open one.
fn sync_directory(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}
