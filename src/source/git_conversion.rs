//! The git program, asked for the form in which it stores files and checks them out.
//!
//! Drivers (`filter.*`) are configured by whoever owns the machine and never run: the
//! commands of every one of them are emptied. Objects go to a directory of our own,
//! so the repository is not written, and nothing is fetched.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::index_file;
use super::repository::{self, Objects, blob_id};
use super::{ContentId, RepoPath, SourceError};
use crate::git::{Output, Program};

/// The git program in one checkout.
pub(crate) struct GitConversion {
    root: PathBuf,
    git_dir: PathBuf,
    silenced: Vec<(String, &'static str)>,
    scratch: tempfile::TempDir,
    lent: git2::Repository,
}

/// Converted files, readable as long as this lives.
pub(crate) struct ConvertedFiles {
    objects: Objects,
    _scratch: tempfile::TempDir,
}

impl ConvertedFiles {
    /// The converted bytes.
    pub(crate) fn objects(&self) -> &Objects {
        &self.objects
    }
}

/// A setting that shows whether this git takes settings from the environment.
const PROBE: &str = "filter.cce-probe.required";

impl GitConversion {
    /// Prepares to ask. Finds out which drivers there are, to silence them.
    pub(crate) fn start(root: &Path, git_dir: &Path) -> Result<Self, SourceError> {
        let failure = |why: String| SourceError::Conversion { path: root.display().to_string(), why };
        let scratch = tempfile::tempdir().map_err(|error| failure(error.to_string()))?;
        let lent = git2::Repository::init_bare(scratch.path()).map_err(|error| failure(error.message().to_owned()))?;
        let probe = vec![(PROBE.to_owned(), "false")];
        let mut conversion =
            Self { root: root.to_owned(), git_dir: git_dir.to_owned(), silenced: probe, scratch, lent };
        let drivers = r"^filter\..*\.(clean|smudge|process|required)$";
        let ask = conversion.call(root, root, "config").args(["-z", "--name-only", "--get-regexp", drivers]);
        let output = ask.answer().map_err(|error| failure(error.to_string()))?;
        let names: Vec<String> = output
            .stdout
            .split(|&byte| byte == 0)
            .filter(|name| !name.is_empty())
            .map(|name| String::from_utf8(name.to_vec()))
            .collect::<Result<_, _>>()
            .map_err(|_| failure("the name of a filter driver is not UTF-8; rename it".to_owned()))?;
        if !names.iter().any(|name| name == PROBE) {
            return Err(failure(said(&output, "it takes no settings from the environment; git 2.31 or newer does")));
        }
        conversion.silenced = names
            .into_iter()
            .map(|name| {
                let value = if name.ends_with(".required") { "false" } else { "" };
                (name, value)
            })
            .collect();
        Ok(conversion)
    }

    /// Puts a blob where [`Self::store`] finds it.
    pub(crate) fn lend(&self, bytes: &[u8]) -> Result<(), SourceError> {
        let failure = |error: git2::Error| failure(&[], error.message().to_owned());
        self.lent.blob(bytes).map(|_| ()).map_err(failure)
    }

    /// Stores files as `git add` would, in an index and among objects of our own; `None`
    /// for one that git cannot convert.
    pub(crate) fn store(&self, paths: &[&RepoPath]) -> Result<Vec<Option<ContentId>>, SourceError> {
        let mut ids = vec![None; paths.len()];
        let mut waiting: Vec<Range<usize>> = std::iter::once(0..paths.len()).collect();
        while let Some(range) = waiting.pop() {
            if range.is_empty() {
                continue;
            }
            match self.store_all(&paths[range.clone()])? {
                Some(stored) => stored.into_iter().zip(&mut ids[range]).for_each(|(id, slot)| *slot = Some(id)),
                // One bad file fails the batch: it is found by halving.
                None if range.len() > 1 => {
                    let middle = range.start + range.len() / 2;
                    waiting.extend([range.start..middle, middle..range.end]);
                }
                None => {}
            }
        }
        Ok(ids)
    }

    fn store_all(&self, paths: &[&RepoPath]) -> Result<Option<Vec<ContentId>>, SourceError> {
        let index = self.scratch.path().join("index");
        copy_index(&self.git_dir.join("index"), &index).map_err(|error| failure(paths, error.to_string()))?;
        let input: Vec<u8> = paths.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
        let call = self
            .call(&self.root, &self.root, "update-index")
            .env("GIT_OBJECT_DIRECTORY", self.scratch.path().join("objects"))
            .env("GIT_INDEX_FILE", &index)
            .args(["--add", "--replace", "-z", "--stdin"]);
        let output = call.stdin(input).answer().map_err(|error| failure(paths, error.to_string()))?;
        if output.code != 0 {
            return Ok(None);
        }
        let stored = stored(&index).map_err(|why| failure(paths, why))?;
        let ids = paths.iter().map(|path| stored.get(path.as_bytes()).copied()).collect::<Option<Vec<_>>>();
        ids.map(Some).ok_or_else(|| failure(paths, said(&output, "its answer was not understood")))
    }

    /// The ids of the bytes that a checkout of tracked files would write; `None` where
    /// it would write nothing. The work tree is an empty one, because a checkout takes
    /// attributes from the index before it takes them from disk.
    pub(crate) fn check_out(&self, paths: &[&RepoPath]) -> Result<Vec<Option<ContentId>>, SourceError> {
        let place = self.scratch.path().join("checkout");
        let empty = self.scratch.path().join("empty");
        std::fs::create_dir_all(&empty).map_err(|error| failure(paths, error.to_string()))?;
        let mut prefix = place.clone().into_os_string();
        prefix.push("/");
        let mut argument = std::ffi::OsString::from("--prefix=");
        argument.push(prefix);
        let input: Vec<u8> = paths.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
        let call = self.call(&empty, &empty, "checkout-index").args(["-q", "-f", "-z", "--stdin"]).args([argument]);
        call.stdin(input).answer().map_err(|error| failure(paths, error.to_string()))?;
        let limit = super::disk::MAX_FILE;
        let ids = paths.iter().map(|path| super::disk::read(&place, path, limit).ok().map(|bytes| blob_id(&bytes)));
        let ids = ids.collect();
        // The files have been read; leaving them would only cost space until the end.
        let _ = std::fs::remove_dir_all(&place);
        Ok(ids)
    }

    /// Keeps what was stored.
    pub(crate) fn finish(self) -> Result<ConvertedFiles, SourceError> {
        let objects = Objects::new(repository::open(self.scratch.path())?);
        Ok(ConvertedFiles { objects, _scratch: self.scratch })
    }

    /// A call in the checkout, with every driver silenced and nothing fetched.
    fn call(&self, directory: &Path, work_tree: &Path, subcommand: &str) -> Program {
        let call = Program::source(directory, subcommand)
            .env("GIT_DIR", &self.git_dir)
            .env("GIT_WORK_TREE", work_tree)
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .config("core.safecrlf", "false")
            .config("core.splitIndex", "false")
            .config("index.sparse", "false");
        self.silenced.iter().fold(call, |call, (name, value)| call.config(name, value))
    }
}

fn failure(paths: &[&RepoPath], why: String) -> SourceError {
    SourceError::Conversion { path: paths.first().map(ToString::to_string).unwrap_or_default(), why }
}

fn said(output: &Output, otherwise: &str) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines().next().map_or(otherwise, str::trim).to_owned()
}

/// Copies an index, if there is one, with its time: git doubts files that are not older.
fn copy_index(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut index = match std::fs::File::open(from) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        index => index?,
    };
    let mut copy = std::fs::File::create(to)?;
    std::io::copy(&mut index, &mut copy)?;
    copy.set_modified(index.metadata()?.modified()?)
}

/// What an index holds by path.
fn stored(index: &Path) -> Result<HashMap<Vec<u8>, ContentId>, String> {
    let bytes = std::fs::read(index).map_err(|error| error.to_string())?;
    let entries = index_file::parse(&bytes).map_err(|_| "the index it wrote was not understood".to_owned())?;
    Ok(entries.into_iter().map(|entry| (entry.path, ContentId(entry.id))).collect())
}
