//! The workspace file, and the stores it speaks of.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use git2::Oid;
use serde::{Deserialize, Serialize};

use super::WorkspaceError;
use crate::cache::Component;
use crate::cache::names::is_sha;
use crate::config::RepoId;
use crate::source::native::read_file;
use crate::source::{Place, detect};
use crate::store::{PROJECT_DIR, Store, replace_file};

const SCHEMA: &str = "cce.workspace/1";
/// The workspace file, below `.cce/`.
const FILE: &str = "workspace.json";
/// What keeps two pulls apart, below `.cce/`.
const LOCK: &str = "workspace.lock";
/// The directory of the stores, below `.cce/`.
const MEMBERS: &str = "members";
/// The longest file that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// A directory that holds the indexes of several repositories of one remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
    remote: String,
    /// The commit of the artifact that is installed, by repository; `None` where none is yet.
    members: BTreeMap<RepoId, Option<Oid>>,
}

/// Keeps the workspace's writers apart; released when dropped, or when the process dies.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    members: Vec<WireMember>,
    remote: String,
    schema: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireMember {
    artifact: Option<String>,
    repo_id: String,
}

impl Workspace {
    /// Takes `root` as a workspace of `remote`: the one that is there, else a new one, of
    /// which nothing is written yet.
    ///
    /// # Errors
    /// When it is a workspace of another remote, holds the index of one repository, or its
    /// file is damaged.
    pub fn of(root: &Path, remote: &str) -> Result<Self, WorkspaceError> {
        if let Some(found) = Self::at(root)? {
            if found.remote == remote {
                return Ok(found);
            }
            let path = root.display().to_string();
            return Err(WorkspaceError::OtherRemote { path, theirs: found.remote, ours: remote.to_owned() });
        }
        if root.join(PROJECT_DIR).join("current").exists() {
            return Err(WorkspaceError::Single { path: root.display().to_string() });
        }
        Ok(Self { root: root.to_owned(), remote: remote.to_owned(), members: BTreeMap::new() })
    }

    /// The workspace whose directory is `root`, if it is one.
    ///
    /// # Errors
    /// When its file cannot be read or is damaged.
    pub fn at(root: &Path) -> Result<Option<Self>, WorkspaceError> {
        let path = root.join(PROJECT_DIR).join(FILE);
        let bytes = match read_file(&path, MAX_FILE) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(failed("read", &path, error)),
        };
        let damaged = |why: String| WorkspaceError::Damaged { path: path.display().to_string(), why };
        let wire: Wire = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if wire.schema != SCHEMA {
            return Err(damaged(format!("its schema is `{}`, this program reads `{SCHEMA}`", wire.schema)));
        }
        let mut members = BTreeMap::new();
        for member in wire.members {
            let repo_id = RepoId::parse(&member.repo_id).map_err(|error| damaged(error.to_string()))?;
            let artifact = match member.artifact {
                None => None,
                Some(id) if is_sha(&id) => Oid::from_str(&id).ok(),
                Some(_) => return Err(damaged(format!("the artifact of `{repo_id}` is no commit"))),
            };
            if members.insert(repo_id.clone(), artifact).is_some() {
                return Err(damaged(format!("it names `{repo_id}` twice")));
            }
        }
        let workspace = Self { root: root.to_owned(), remote: wire.remote, members };
        workspace.refuse_links()?;
        Ok(Some(workspace))
    }

    /// The workspace that `directory` is, or lies in. The nearest index counts, so there is
    /// none where one of a single repository is nearer, and none in a git repository.
    ///
    /// # Errors
    /// As [`Self::at`].
    pub fn around(directory: &Path) -> Result<Option<Self>, WorkspaceError> {
        let Ok(start) = directory.canonicalize() else { return Ok(None) };
        for (height, root) in start.ancestors().enumerate() {
            let home = root.join(PROJECT_DIR);
            if home.join(FILE).exists() {
                let trusted = height == 0 || is_ones_own(&home.join(FILE), &start);
                let in_git = !matches!(detect(&start), Ok(Place::Directory { .. }));
                return if in_git || !trusted { Ok(None) } else { Self::at(root) };
            }
            if home.join("current").exists() {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// The directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The remote it is of, without secrets.
    pub fn remote(&self) -> &str {
        &self.remote
    }

    /// The repositories, in order.
    pub fn members(&self) -> impl Iterator<Item = &RepoId> {
        self.members.keys()
    }

    /// The commit of the artifact that is installed of a repository.
    pub fn artifact(&self, repo_id: &RepoId) -> Option<Oid> {
        self.members.get(repo_id).copied().flatten()
    }

    /// The store of a repository.
    pub fn store(&self, repo_id: &RepoId) -> Store {
        Store::at(self.store_directory(repo_id))
    }

    fn store_directory(&self, repo_id: &RepoId) -> PathBuf {
        let name = Component::of(repo_id.as_str()).expect("an id is not empty");
        self.root.join(PROJECT_DIR).join(MEMBERS).join(name.as_str())
    }

    /// Notes that a repository belongs here, whatever is installed of it.
    pub fn add(&mut self, repo_id: &RepoId) {
        self.members.entry(repo_id.clone()).or_default();
    }

    /// Notes which artifact is installed of a repository.
    pub fn set_artifact(&mut self, repo_id: &RepoId, artifact: Oid) {
        self.members.insert(repo_id.clone(), Some(artifact));
    }

    /// Notes that a repository does not belong here any more.
    pub fn remove(&mut self, repo_id: &RepoId) {
        self.members.remove(repo_id);
    }

    /// Waits until no other process writes this workspace, then keeps others out.
    ///
    /// # Errors
    /// When the lock cannot be made or taken.
    pub fn lock(&self) -> Result<Lock, WorkspaceError> {
        self.refuse_links()?;
        let home = self.root.join(PROJECT_DIR);
        fs::create_dir_all(home.join(MEMBERS)).map_err(|error| failed("make the directory", &home, error))?;
        let ignore = home.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").map_err(|error| failed("write", &ignore, error))?;
        }
        let path = home.join(LOCK);
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| failed("open", &path, error))?;
        file.lock().map_err(|error| failed("lock", &path, error))?;
        Ok(Lock { _file: file })
    }

    /// Writes the file, unless it says the same already.
    ///
    /// # Errors
    /// When the disk refuses; the old file stays then.
    pub fn write(&self, _lock: &Lock) -> Result<(), WorkspaceError> {
        if Self::at(&self.root).is_ok_and(|found| found.as_ref() == Some(self)) {
            return Ok(());
        }
        let members = self.members.iter().map(|(repo_id, artifact)| WireMember {
            artifact: artifact.map(|id| id.to_string()),
            repo_id: repo_id.to_string(),
        });
        let wire = Wire { members: members.collect(), remote: self.remote.clone(), schema: SCHEMA.to_owned() };
        let mut line = serde_json::to_vec(&wire).expect("a workspace is plain data");
        line.push(b'\n');
        Ok(replace_file(&self.root.join(PROJECT_DIR), FILE, &line)?)
    }

    /// Deletes every store that the file does not speak of.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn sweep(&self, _lock: &Lock) -> Result<(), WorkspaceError> {
        let directory = self.root.join(PROJECT_DIR).join(MEMBERS);
        let kept: Vec<PathBuf> = self.members().map(|repo_id| self.store_directory(repo_id)).collect();
        let entries = fs::read_dir(&directory).map_err(|error| failed("read", &directory, error))?;
        for path in entries.flatten().map(|entry| entry.path()).filter(|path| !kept.contains(path)) {
            fs::remove_dir_all(&path).map_err(|error| failed("delete", &path, error))?;
        }
        Ok(())
    }

    /// Links would lead reading, writing and deleting elsewhere.
    fn refuse_links(&self) -> Result<(), WorkspaceError> {
        let home = self.root.join(PROJECT_DIR);
        for path in [home.join(FILE), home.join(LOCK), home.join(MEMBERS), home] {
            if path.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
                return Err(WorkspaceError::Link { path: path.display().to_string() });
            }
        }
        Ok(())
    }
}

/// Whether the workspace file above `start` is of this user, or of the owner of `start`: in
/// a directory that everybody may write to, others could lay one over what one asks.
#[cfg(unix)]
fn is_ones_own(file: &Path, start: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| fs::symlink_metadata(path).ok().map(|data| data.uid());
    let found = owner(file);
    found.is_some() && (found == Some(rustix::process::geteuid().as_raw()) || found == owner(start))
}

#[cfg(not(unix))]
fn is_ones_own(_file: &Path, _start: &Path) -> bool {
    true
}

fn failed(action: &'static str, path: &Path, source: io::Error) -> WorkspaceError {
    WorkspaceError::Io { action, path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> RepoId {
        RepoId::parse(text).unwrap()
    }

    fn place() -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        (place, root)
    }

    #[test]
    fn the_file_to_the_byte_and_back() {
        let (_place, root) = place();
        let mut workspace = Workspace::of(&root, "h/cache").unwrap();
        workspace.add(&id("h/b"));
        workspace.set_artifact(&id("h/A"), Oid::from_str(&"1".repeat(40)).unwrap());
        workspace.write(&workspace.lock().unwrap()).unwrap();
        let text = fs::read_to_string(root.join(".cce/workspace.json")).unwrap();
        let expected = format!(
            "{{\"members\":[{{\"artifact\":\"{}\",\"repo_id\":\"h/A\"}},{{\"artifact\":null,\"repo_id\":\"h/b\"}}],\"remote\":\"h/cache\",\"schema\":\"cce.workspace/1\"}}\n",
            "1".repeat(40)
        );
        assert_eq!(text, expected);
        assert_eq!(Workspace::at(&root).unwrap(), Some(workspace.clone()));
        fs::create_dir_all(root.join("deep/er")).unwrap();
        assert_eq!(Workspace::around(&root.join("deep/er")).unwrap(), Some(workspace));
    }

    #[test]
    fn a_damaged_file_is_no_missing_one() {
        let (_place, root) = place();
        fs::create_dir(root.join(".cce")).unwrap();
        for (text, named) in [
            ("", "EOF"),
            (r#"{"members":[],"remote":"r","schema":"cce.workspace/2"}"#, "cce.workspace/2"),
            (r#"{"members":[{"artifact":null,"repo_id":"../x"}],"remote":"r","schema":"cce.workspace/1"}"#, ".."),
            (r#"{"members":[{"artifact":"../x","repo_id":"x"}],"remote":"r","schema":"cce.workspace/1"}"#, "no commit"),
            (
                r#"{"members":[{"artifact":null,"repo_id":"x"},{"artifact":null,"repo_id":"x"}],"remote":"r","schema":"cce.workspace/1"}"#,
                "twice",
            ),
            (r#"{"members":[],"remote":"r","schema":"cce.workspace/1","more":1}"#, "more"),
        ] {
            fs::write(root.join(".cce/workspace.json"), text).unwrap();
            let said = Workspace::around(&root).unwrap_err().to_string();
            assert!(said.contains(named), "{text}: {said}");
        }
    }

    #[test]
    fn the_nearest_index_counts_and_git_outdoes_a_workspace() {
        let (_place, root) = place();
        let workspace = Workspace::of(&root, "h/cache").unwrap();
        workspace.write(&workspace.lock().unwrap()).unwrap();
        fs::create_dir_all(root.join("own/.cce")).unwrap();
        assert!(Workspace::around(&root.join("own")).unwrap().is_some());
        fs::write(root.join("own/.cce/current"), "{}").unwrap();
        assert_eq!(Workspace::around(&root.join("own")).unwrap(), None);
        git2::Repository::init(root.join("repo")).unwrap();
        assert_eq!(Workspace::around(&root.join("repo")).unwrap(), None);
        git2::Repository::init(&root).unwrap();
        assert_eq!(Workspace::around(&root).unwrap(), None);
    }

    #[test]
    fn stores_of_alike_ids_are_apart_and_below() {
        let (_place, root) = place();
        let workspace = Workspace::of(&root, "h/cache").unwrap();
        let names: std::collections::BTreeSet<String> = ["h/Rx", "h/rx", "h/RX", "h/größe", "h/grösse", "~/-"]
            .iter()
            .map(|text| {
                let directory = workspace.store(&id(text)).directory().to_owned();
                assert_eq!(directory.parent().unwrap(), root.join(".cce/members"), "{text}");
                directory.file_name().unwrap().to_str().unwrap().to_lowercase()
            })
            .collect();
        assert_eq!(names.len(), 6);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        for part in ["workspace.lock", "members"] {
            let (_place, root) = place();
            let workspace = Workspace::of(&root, "h/cache").unwrap();
            workspace.write(&workspace.lock().unwrap()).unwrap();
            let path = root.join(".cce").join(part);
            if path.is_dir() {
                fs::remove_dir(&path).unwrap()
            } else {
                fs::remove_file(&path).unwrap()
            }
            std::os::unix::fs::symlink(&root, &path).unwrap();
            assert!(matches!(Workspace::at(&root), Err(WorkspaceError::Link { .. })), "{part}");
            assert!(matches!(workspace.lock(), Err(WorkspaceError::Link { .. })), "{part}");
        }
    }
}
