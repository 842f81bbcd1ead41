//! Where local state lives: `.cce/` in a project, `$CCE_HOME` for what is shared.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::record::canonical::hex;

/// The directory that holds a project's store.
pub const PROJECT_DIR: &str = ".cce";

/// The shared home: bare caches, and the stores of projects that cannot hold their own.
#[derive(Clone, Debug)]
pub struct Home(PathBuf);

/// Why no home could be found or made.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Neither variable nor home directory is set.
    #[error("no home directory is known; set CCE_HOME to a directory of your own")]
    Unknown,
    /// A home that would depend on where a command is run.
    #[error("CCE_HOME is `{0}`, which is not an absolute path; set it to one")]
    Relative(String),
    /// The directory cannot be made.
    #[error("cannot make the directory `{path}`: {source}")]
    Create {
        /// Which directory.
        path: String,
        /// Why not.
        source: io::Error,
    },
}

impl Home {
    /// Takes a directory as it is; nothing is created before it is needed.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Finds the home as the environment says: `CCE_HOME`, else `XDG_CACHE_HOME/cce`,
    /// else `.cache/cce` in `HOME`. `variable` looks a variable up.
    ///
    /// # Errors
    /// When none of the three is set to an absolute path, or `CCE_HOME` to a relative one.
    pub fn find(variable: impl Fn(&str) -> Option<PathBuf>) -> Result<Self, HomeError> {
        if let Some(given) = variable("CCE_HOME").filter(|path| !path.is_absolute()) {
            return Err(HomeError::Relative(given.display().to_string()));
        }
        let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
        absolute("CCE_HOME")
            .or_else(|| absolute("XDG_CACHE_HOME").map(|path| path.join("cce")))
            .or_else(|| absolute("HOME").map(|path| path.join(".cache/cce")))
            .map(Self)
            .ok_or(HomeError::Unknown)
    }

    /// The home's own path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Makes the directory `name` in the home, readable by its owner only.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn directory(&self, name: &str) -> Result<PathBuf, HomeError> {
        let path = self.0.join(name);
        private_directory(&self.0)
            .and_then(|()| private_directory(&path))
            .map_err(|source| HomeError::Create { path: path.display().to_string(), source })?;
        Ok(path)
    }

    /// Where the store of `project` belongs: in its own `.cce/`, or in the home when the
    /// project cannot hold one: `elsewhere` says so (a bare repository, one whose commit
    /// brings a `.cce` of its own), or it cannot be written to. Nothing is made before
    /// something is written.
    pub fn store_for(&self, project: &Path, elsewhere: bool) -> PathBuf {
        let own = project.join(PROJECT_DIR);
        let place = if own.exists() { &own } else { project };
        if !elsewhere && can_write(place) {
            return own;
        }
        let canonical = fs::canonicalize(project).unwrap_or_else(|_| project.to_path_buf());
        self.0.join("stores").join(store_name(&canonical))
    }
}

/// The name of the store of the project whose real path is `project`.
pub(super) fn store_name(project: &Path) -> String {
    hex(&Sha256::digest(project.as_os_str().as_encoded_bytes())[..16])
}

pub(super) fn private_directory(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
    }
    #[cfg(not(unix))]
    fs::create_dir_all(path)
}

#[cfg(unix)]
fn can_write(directory: &Path) -> bool {
    rustix::fs::access(directory, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn can_write(directory: &Path) -> bool {
    fs::metadata(directory).is_ok_and(|data| !data.permissions().readonly())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pairs: &[(&str, &str)]) -> Option<PathBuf> {
        let look = |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| PathBuf::from(value));
        Home::find(look).ok().map(|home| home.path().to_path_buf())
    }

    #[test]
    fn the_nearest_variable_wins_and_relative_ones_do_not_count() {
        assert_eq!(found(&[("CCE_HOME", "/a"), ("HOME", "/h")]), Some("/a".into()));
        assert_eq!(found(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]), Some("/x/cce".into()));
        assert_eq!(found(&[("XDG_CACHE_HOME", "rel"), ("HOME", "/h")]), Some("/h/.cache/cce".into()));
        assert_eq!(found(&[("CCE_HOME", "rel"), ("HOME", "/h")]), None);
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn a_store_has_its_place_before_it_exists() {
        let place = tempfile::tempdir().unwrap();
        let home = Home::at(place.path().join("home"));
        assert_eq!(home.store_for(place.path(), false), place.path().join(".cce"));
        assert!(home.store_for(place.path(), true).starts_with(place.path().join("home/stores")));
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
