//! Where settings come from: the repository's file, the user's, the environment.

use std::path::{Path, PathBuf};

use super::Failure;
use super::project::{Project, environment};
use crate::config::{ConfigError, FileError, Layer, Layers, PROJECT_FILE, read};

/// What holds in a project, or outside every one.
pub(super) fn settings(project: Option<&Project>) -> Result<Layers, Failure> {
    let mut layers = Layers::default();
    if let Some(path) = project.and_then(Project::settings_file).filter(|path| is_file_itself(path))
        && let Some(bytes) = read(&path)?
    {
        layers.add_file(&bytes, PROJECT_FILE, Layer::Repository)?;
    }
    if let Some(path) = users_file()
        && let Some(bytes) = read(&path)?
    {
        layers.add_file(&bytes, &path.display().to_string(), Layer::User)?;
    }
    layers.add_variables(variables()?)?;
    Ok(layers)
}

/// `cce/config.toml` in `XDG_CONFIG_HOME`, else in `.config` of `HOME`.
pub(super) fn users_file() -> Option<PathBuf> {
    let absolute = |name| environment(name).filter(|path: &PathBuf| path.is_absolute());
    let base = absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")))?;
    Some(base.join("cce/config.toml"))
}

/// A link may lead out of the repository, and counts no more for records.
pub(super) fn is_file_itself(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
}

/// The variables that are ours.
fn variables() -> Result<Vec<(String, String)>, Failure> {
    let own = std::env::vars_os().filter_map(|(name, text)| Some((name.into_string().ok()?, text)));
    let mut variables = own
        .filter(|(name, _)| Layers::reads(name))
        .map(|(name, text)| match text.into_string() {
            Ok(text) => Ok((name, text)),
            Err(_) => Err(Failure::usage(format!("the variable `{name}` is not utf-8; set it to text"))),
        })
        .collect::<Result<Vec<_>, _>>()?;
    variables.sort();
    Ok(variables)
}

impl Project {
    /// The repository's file of settings as it lies there; `None` where there are no files.
    pub(super) fn settings_file(&self) -> Option<PathBuf> {
        self.has_files().then(|| self.root().join(PROJECT_FILE))
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::usage(error)
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::data(error)
    }
}
