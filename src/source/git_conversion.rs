//! The git program, asked for the form in which it stores files and checks them out.
//!
//! Drivers (`filter.*`) are configured by whoever owns the machine and never run: the
//! commands of every one of them are emptied. Objects go to a directory of our own,
//! so the repository is not written, and nothing is fetched.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::repository::{self, Objects, blob_id};
use super::{ContentId, RepoPath, SourceError};
use crate::git::{Output, Program};

/// The git program in one checkout.
pub(crate) struct GitConversion {
    root: PathBuf,
    git_dir: PathBuf,
    silenced: Vec<(String, &'static str)>,
    scratch: tempfile::TempDir,
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
        git2::Repository::init_bare(scratch.path()).map_err(|error| failure(error.message().to_owned()))?;
        let probe = vec![(PROBE.to_owned(), "false")];
        let mut conversion = Self { root: root.to_owned(), git_dir: git_dir.to_owned(), silenced: probe, scratch };
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

    /// Stores files as `git hash-object --path` would; `None` for one that git cannot convert.
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
        let input: Vec<u8> = paths.iter().flat_map(|path| quoted(path.as_bytes())).collect();
        let call = self
            .call(&self.root, &self.root, "hash-object")
            .env("GIT_OBJECT_DIRECTORY", self.scratch.path().join("objects"))
            .args(["-w", "--stdin-paths"]);
        let output = call.stdin(input).answer().map_err(|error| failure(paths, error.to_string()))?;
        if output.code != 0 {
            return Ok(None);
        }
        let ids = output.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(parse_id);
        let ids = ids.collect::<Option<Vec<_>>>().filter(|ids| ids.len() == paths.len());
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
            .config("core.safecrlf", "false");
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

fn parse_id(line: &[u8]) -> Option<ContentId> {
    let text = std::str::from_utf8(line).ok().filter(|text| text.len() == 40)?;
    git2::Oid::from_str(text).ok().map(ContentId::from)
}

/// A path as a C-quoted line, which git reads back to the same bytes whatever they are.
fn quoted(path: &[u8]) -> Vec<u8> {
    let mut line = vec![b'"'];
    for &byte in path {
        match byte {
            b'"' | b'\\' => line.extend([b'\\', byte]),
            0x20..=0x7e => line.push(byte),
            _ => line.extend(format!("\\{byte:03o}").into_bytes()),
        }
    }
    line.extend(b"\"\n");
    line
}
