//! The few settings of git's that say how this checkout hides and converts files.
//!
//! Only a work tree asks for them, and only for untracked and changed files: what is
//! committed never depends on configuration.
// Where git's own configuration lies is told by variables that belong to git.
#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use git2::{Config, ConfigLevel, Repository};

use super::glob::Case;
use crate::git::Program;

/// Settings of one checkout, with the files they name.
#[derive(Clone, Debug)]
pub(crate) struct CheckoutConfig {
    /// `core.ignoreCase`.
    pub(crate) case: Case,
    /// Whether links are checked out as links (`core.symlinks`).
    pub(crate) symlinks: bool,
    /// Whether the change time counts (`core.trustctime`).
    pub(crate) trust_ctime: bool,
    /// Whether a file counts although it should not be checked out, as in a sparse checkout.
    pub(crate) sparse: bool,
    /// Whether `core.autocrlf` converts line ends.
    pub(crate) converts_line_ends: bool,
    /// Files of ignore patterns for every directory, the weakest first.
    pub(crate) ignore_files: Vec<PathBuf>,
    /// Attributes files below those of the work tree, the weakest first.
    pub(crate) attribute_files: Vec<PathBuf>,
    /// The attributes file above those of the work tree.
    pub(crate) info_attributes: PathBuf,
}

impl CheckoutConfig {
    /// Reads the settings of the checkout whose work tree is at `root`.
    pub(crate) fn read(repository: &Repository, root: &Path) -> Self {
        let settings = Settings::of(repository, root);
        let info = repository.commondir().join("info");
        let user = |key, name| match settings.path(key) {
            Some(path) if path.as_os_str().is_empty() => None,
            Some(path) => Some(root.join(path)),
            None => user_file(name),
        };
        let mut attribute_files = system_attributes();
        attribute_files.extend(user("core.attributesFile", "attributes"));
        let mut ignore_files: Vec<PathBuf> = user("core.excludesFile", "ignore").into_iter().collect();
        ignore_files.push(info.join("exclude"));
        Self {
            case: if settings.flag("core.ignoreCase", false) { Case::Fold } else { Case::Sensitive },
            symlinks: settings.flag("core.symlinks", true),
            trust_ctime: settings.flag("core.trustctime", true),
            sparse: settings.flag("core.sparseCheckout", false)
                && !settings.flag("sparse.expectFilesOutsideOfPatterns", false),
            converts_line_ends: settings.text("core.autocrlf").is_some_and(|value| !is_false(&value)),
            ignore_files,
            attribute_files,
            info_attributes: info.join("attributes"),
        }
    }
}

/// Where settings come from.
enum Settings {
    /// Configuration files, the strongest first, chosen as the git program chooses them.
    Files(Vec<Config>),
    /// The git program, asked in this directory for each setting: part of the configuration
    /// is in the environment, or included under a condition that only git can judge.
    Git(PathBuf),
}

/// Variables that carry settings.
const CARRIERS: [&str; 2] = ["GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"];

impl Settings {
    fn of(repository: &Repository, root: &Path) -> Self {
        let files = files(repository);
        if CARRIERS.iter().any(|name| std::env::var_os(name).is_some()) || files.iter().any(includes_by_remote) {
            return Self::Git(root.to_owned());
        }
        Self::Files(files)
    }

    fn text(&self, key: &str) -> Option<String> {
        match self {
            Self::Files(files) => files.iter().find_map(|file| file.get_string(key).ok()),
            Self::Git(root) => ask(root, "--no-type", key),
        }
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        match self {
            Self::Files(files) => files.iter().find_map(|file| file.get_path(key).ok()),
            Self::Git(root) => ask(root, "--type=path", key).map(PathBuf::from),
        }
    }

    fn flag(&self, key: &str, default: bool) -> bool {
        match self {
            Self::Files(files) => files.iter().find_map(|file| file.get_bool(key).ok()).unwrap_or(default),
            Self::Git(root) => ask(root, "--type=bool", key).map_or(default, |value| value == "true"),
        }
    }
}

/// What the git program says of one setting. A git that cannot be asked says nothing, as
/// where there is none: files it would have to convert are refused later.
fn ask(root: &Path, form: &str, key: &str) -> Option<String> {
    let output = Program::source(root, "config").args([form, "-z", "--get"]).values([key]).answer().ok()?;
    let value = output.stdout.strip_suffix(b"\0").filter(|_| output.code == 0)?;
    String::from_utf8(value.to_vec()).ok()
}

/// Whether a file includes another where a remote has a certain URL.
fn includes_by_remote(file: &Config) -> bool {
    let mut found = false;
    if let Ok(entries) = file.entries(Some(r"^includeif\.hasconfig:.*\.path$")) {
        // An entry that cannot be read leaves what was found so far.
        let _ = entries.for_each(|_| found = true);
    }
    found
}

fn files(repository: &Repository) -> Vec<Config> {
    let Ok(config) = repository.config() else { return Vec::new() };
    let level = |level| config.open_level(level).ok();
    let mut layers = vec![level(ConfigLevel::Worktree), level(ConfigLevel::Local)];
    match std::env::var_os("GIT_CONFIG_GLOBAL") {
        Some(file) => layers.push(Config::open(Path::new(&file)).ok()),
        None => layers.extend([level(ConfigLevel::Global), level(ConfigLevel::XDG)]),
    }
    let without_system = std::env::var("GIT_CONFIG_NOSYSTEM").is_ok_and(|value| !is_false(&value));
    match std::env::var_os("GIT_CONFIG_SYSTEM") {
        _ if without_system => {}
        Some(file) => layers.push(Config::open(Path::new(&file)).ok()),
        None => layers.extend([level(ConfigLevel::System), level(ConfigLevel::ProgramData)]),
    }
    layers.into_iter().flatten().collect()
}

fn is_false(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0" | "")
}

/// `$XDG_CONFIG_HOME/git/<name>`, else `~/.config/git/<name>`.
fn user_file(name: &str) -> Option<PathBuf> {
    let base = match std::env::var_os("XDG_CONFIG_HOME").filter(|value| !value.is_empty()) {
        Some(base) => PathBuf::from(base),
        None => std::env::home_dir()?.join(".config"),
    };
    Some(base.join("git").join(name))
}

/// Where installations of git keep the attributes of the whole system.
fn system_attributes() -> Vec<PathBuf> {
    if std::env::var("GIT_ATTR_NOSYSTEM").is_ok_and(|value| !is_false(&value)) {
        return Vec::new();
    }
    let beside_config = Config::find_system().ok().and_then(|path| path.parent().map(|dir| dir.join("gitattributes")));
    let usual = ["/etc/gitattributes", "/usr/local/etc/gitattributes", "/opt/homebrew/etc/gitattributes"];
    let mut paths: Vec<PathBuf> = usual.iter().map(PathBuf::from).chain(beside_config).collect();
    paths.sort();
    paths.dedup();
    paths
}
