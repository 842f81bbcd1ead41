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
    /// When none of the three is set to an absolute path.
    pub fn find(variable: impl Fn(&str) -> Option<PathBuf>) -> Result<Self, HomeError> {
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

    /// Where the store of `project` lives: its own `.cce/`, or a place in the home when
    /// the project cannot be written to or has no directory of its own (a bare repository).
    ///
    /// # Errors
    /// When neither can be made.
    pub fn store_for(&self, project: &Path, bare: bool) -> Result<PathBuf, HomeError> {
        let own = project.join(PROJECT_DIR);
        if !bare && hidden_directory(&own).is_ok() {
            return Ok(own);
        }
        let canonical = fs::canonicalize(project).unwrap_or_else(|_| project.to_path_buf());
        let name = hex(&Sha256::digest(canonical.as_os_str().as_encoded_bytes())[..16]);
        self.directory(&format!("stores/{name}"))
    }
}

fn private_directory(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
    }
    #[cfg(not(unix))]
    fs::create_dir_all(path)
}

/// Makes a directory that git does not see, and finds out whether it can be written to.
fn hidden_directory(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    tempfile::Builder::new().prefix("probe-").tempfile_in(path)?;
    let ignore = path.join(".gitignore");
    if !ignore.exists() {
        fs::write(&ignore, "*\n")?;
    }
    Ok(())
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
        assert_eq!(found(&[("CCE_HOME", "rel"), ("HOME", "/h")]), Some("/h/.cache/cce".into()));
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn a_project_hides_its_store_from_git() {
        let place = tempfile::tempdir().unwrap();
        let store = Home::at(place.path().join("home")).store_for(place.path(), false).unwrap();
        assert_eq!(fs::read_to_string(store.join(".gitignore")).unwrap(), "*\n");
        let bare = Home::at(place.path().join("home")).store_for(place.path(), true).unwrap();
        assert!(bare.starts_with(place.path().join("home")));
    }
}
