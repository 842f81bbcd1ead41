//! The tree of an artifact: `manifest.json`, and `files/` in the source tree's shape.
//!
//! Every component below `files/` carries one `_` in front, so that none can be `..`,
//! `.git` in any disguise, or a file that hosts look into. The tree depends on the
//! snapshot alone; an unchanged file is the same blob as before, an unchanged directory
//! the same tree.

use std::collections::HashSet;

use git2::{ObjectType, Odb, Oid};

use super::CacheError;
use crate::snapshot::{Manifest, Snapshot};
use crate::source::RepoPath;

/// Name of the manifest's blob.
pub const MANIFEST: &str = "manifest.json";

/// Name of the directory that holds the records.
pub const FILES: &str = "files";

/// What goes in front of every component below [`FILES`].
pub const PREFIX: u8 = b'_';

const BLOB_MODE: &str = "100644";
const TREE_MODE: &str = "40000";

/// The objects of an artifact, named but not yet written.
#[derive(Debug)]
pub struct TreePlan<'a> {
    root: Oid,
    trees: Vec<(Oid, Vec<u8>)>,
    blobs: Vec<(Oid, &'a [u8])>,
    manifest: (Oid, Vec<u8>),
}

/// A directory that still takes entries.
struct Open {
    /// Its name with the prefix; [`FILES`] for the outermost.
    name: Vec<u8>,
    /// Raw entries so far.
    bytes: Vec<u8>,
    /// The files among them.
    files: HashSet<Vec<u8>>,
}

impl<'a> TreePlan<'a> {
    /// Names every object of `snapshot`; nothing is written.
    ///
    /// # Errors
    /// When the records are not in path order, or a path is file and directory at once.
    pub fn of(snapshot: &'a Snapshot) -> Result<Self, CacheError> {
        let mut blobs = Vec::with_capacity(snapshot.records.len());
        for entry in &snapshot.records {
            blobs.push((hash(ObjectType::Blob, &entry.line)?, entry.line.as_slice()));
        }
        let files = snapshot.records.iter().zip(&blobs).map(|(entry, (id, _))| (&entry.path, *id));
        let plan = Self::over(&snapshot.manifest, files)?;
        Ok(Self { blobs, ..plan })
    }

    /// Names the trees and the manifest over records that are written already: their
    /// paths, in order, and their blobs.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn over<'p>(
        manifest: &Manifest,
        files: impl IntoIterator<Item = (&'p RepoPath, Oid)>,
    ) -> Result<Self, CacheError> {
        let mut builder = Builder::default();
        for (path, id) in files {
            builder.add(path, id)?;
        }
        let files = builder.finish()?;
        let line = manifest.line();
        let manifest = (hash(ObjectType::Blob, &line)?, line);
        let mut root = Vec::new();
        if let Some(files) = files {
            push_entry(&mut root, TREE_MODE, FILES.as_bytes(), files);
        }
        push_entry(&mut root, BLOB_MODE, MANIFEST.as_bytes(), manifest.0);
        let id = hash(ObjectType::Tree, &root)?;
        let mut trees = builder.trees;
        trees.push((id, root));
        Ok(Self { root: id, trees, blobs: Vec::new(), manifest })
    }

    /// The id of the artifact's tree.
    pub fn id(&self) -> Oid {
        self.root
    }

    /// Writes the objects that are neither in `odb` nor in `known`, which the remote holds.
    ///
    /// # Errors
    /// When the object database cannot be written.
    pub fn write(&self, odb: &Odb<'_>, known: &HashSet<Oid>) -> Result<(), CacheError> {
        let manifest = (self.manifest.0, self.manifest.1.as_slice());
        for &(id, bytes) in self.blobs.iter().chain([&manifest]) {
            write_missing(odb, known, ObjectType::Blob, id, bytes)?;
        }
        for (id, bytes) in &self.trees {
            write_missing(odb, known, ObjectType::Tree, *id, bytes)?;
        }
        Ok(())
    }
}

fn write_missing(
    odb: &Odb<'_>,
    known: &HashSet<Oid>,
    kind: ObjectType,
    id: Oid,
    bytes: &[u8],
) -> Result<(), CacheError> {
    if known.contains(&id) || odb.exists(id) {
        return Ok(());
    }
    let written = odb.write(kind, bytes).map_err(|error| CacheError::object(id, error.message()))?;
    debug_assert_eq!(written, id);
    Ok(())
}

pub(super) fn hash(kind: ObjectType, bytes: &[u8]) -> Result<Oid, CacheError> {
    Oid::hash_object(kind, bytes).map_err(|error| CacheError::object(Oid::ZERO_SHA1, error.message()))
}

fn push_entry(tree: &mut Vec<u8>, mode: &str, name: &[u8], id: Oid) {
    tree.extend_from_slice(mode.as_bytes());
    tree.push(b' ');
    tree.extend_from_slice(name);
    tree.push(0);
    tree.extend_from_slice(id.as_bytes());
}

/// Builds nested trees from paths in bytewise order, which is git's own order of trees:
/// a directory sorts as if its name ended in `/`.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    trees: Vec<(Oid, Vec<u8>)>,
    last: Option<RepoPath>,
}

impl Builder {
    fn add(&mut self, path: &RepoPath, id: Oid) -> Result<(), CacheError> {
        let refuse = |why| Err(CacheError::Tree { entry: path.to_string(), why });
        if self.last.as_ref().is_some_and(|last| last >= path) {
            return refuse("is out of path order");
        }
        self.last = Some(path.clone());
        let mut components: Vec<Vec<u8>> = path.components().map(prefixed).collect();
        let name = components.pop().unwrap_or_default();
        self.enter(&components)?;
        let Some(directory) = self.open.last_mut() else { return refuse("has no directory") };
        push_entry(&mut directory.bytes, BLOB_MODE, &name, id);
        directory.files.insert(name);
        Ok(())
    }

    /// Closes what `directories` does not share with the open ones and opens the rest.
    fn enter(&mut self, directories: &[Vec<u8>]) -> Result<(), CacheError> {
        if self.open.is_empty() {
            self.open.push(Open { name: FILES.into(), bytes: Vec::new(), files: HashSet::new() });
        }
        let shared =
            self.open[1..].iter().zip(directories).take_while(|(open, directory)| open.name == **directory).count();
        while self.open.len() > shared + 1 {
            self.close()?;
        }
        for directory in &directories[shared..] {
            if self.open.last().is_some_and(|parent| parent.files.contains(directory)) {
                let entry = String::from_utf8_lossy(&directory[1..]).into_owned();
                return Err(CacheError::Tree { entry, why: "is a file and a directory" });
            }
            self.open.push(Open { name: directory.clone(), bytes: Vec::new(), files: HashSet::new() });
        }
        Ok(())
    }

    fn close(&mut self) -> Result<Oid, CacheError> {
        let closed = self.open.pop().ok_or_else(|| CacheError::object(Oid::ZERO_SHA1, "no directory is open"))?;
        let id = hash(ObjectType::Tree, &closed.bytes)?;
        self.trees.push((id, closed.bytes));
        if let Some(parent) = self.open.last_mut() {
            push_entry(&mut parent.bytes, TREE_MODE, &closed.name, id);
        }
        Ok(id)
    }

    /// The id of `files/`; `None` without records, because git keeps no empty directories.
    fn finish(&mut self) -> Result<Option<Oid>, CacheError> {
        let mut id = None;
        while !self.open.is_empty() {
            id = Some(self.close()?);
        }
        Ok(id)
    }
}

fn prefixed(component: &[u8]) -> Vec<u8> {
    let mut name = Vec::with_capacity(component.len() + 1);
    name.push(PREFIX);
    name.extend_from_slice(component);
    name
}

/// One entry of a tree object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: Vec<u8>,
    pub is_tree: bool,
    pub id: Oid,
}

/// Reads a raw tree object. Only plain files and directories, in git's order, are taken.
pub(super) fn parse_tree(bytes: &[u8], place: &str) -> Result<Vec<Entry>, CacheError> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (entry, after) = parse_entry(rest, place)?;
        if entries.last().is_some_and(|last| sort_key(last) >= sort_key(&entry)) {
            return Err(bad(place, &entry.name, "is out of order or there twice"));
        }
        entries.push(entry);
        rest = after;
    }
    let mut names: HashSet<&[u8]> = HashSet::with_capacity(entries.len());
    if let Some(twice) = entries.iter().find(|entry| !names.insert(&entry.name)) {
        return Err(bad(place, &twice.name, "is a file and a directory"));
    }
    Ok(entries)
}

fn parse_entry<'b>(bytes: &'b [u8], place: &str) -> Result<(Entry, &'b [u8]), CacheError> {
    let cut = || bad(place, b"", "is cut short");
    let space = bytes.iter().position(|&byte| byte == b' ').ok_or_else(cut)?;
    let zero = bytes.iter().position(|&byte| byte == 0).filter(|&zero| zero > space).ok_or_else(cut)?;
    let (name, after) = (&bytes[space + 1..zero], &bytes[zero + 1..]);
    let is_tree = match &bytes[..space] {
        mode if mode == BLOB_MODE.as_bytes() => false,
        mode if mode == TREE_MODE.as_bytes() => true,
        _ => return Err(bad(place, name, "is neither a plain file nor a directory")),
    };
    let id = after.get(..20).and_then(|id| Oid::from_bytes(id).ok()).ok_or_else(cut)?;
    Ok((Entry { name: name.to_vec(), is_tree, id }, &after[20..]))
}

fn sort_key(entry: &Entry) -> Vec<u8> {
    let mut key = entry.name.clone();
    if entry.is_tree {
        key.push(b'/');
    }
    key
}

pub(super) fn bad(place: &str, name: &[u8], why: &'static str) -> CacheError {
    let name: String = String::from_utf8_lossy(name).escape_debug().take(200).collect();
    let entry = if place.is_empty() { name } else { format!("{place}/{name}") };
    CacheError::Tree { entry, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(paths: &[&str]) -> Result<Vec<String>, CacheError> {
        let mut builder = Builder::default();
        for path in paths {
            builder.add(&RepoPath::parse(*path).unwrap(), Oid::ZERO_SHA1)?;
        }
        builder.finish()?;
        let mut names = Vec::new();
        for (_, tree) in &builder.trees {
            names.extend(parse_tree(tree, "")?.into_iter().map(|entry| String::from_utf8(entry.name).unwrap()));
        }
        Ok(names)
    }

    #[test]
    fn trees_close_in_gits_order() {
        let names = check(&["a.b", "a/x", "a/y/z", "a0", ".gitattributes"]);
        assert!(names.is_err(), "the dot sorts first");
        let names = check(&[".gitattributes", "a.b", "a/x", "a/y/z", "a0"]).unwrap();
        assert_eq!(names, ["_z", "_x", "_y", "_.gitattributes", "_a.b", "_a", "_a0"]);
    }

    #[test]
    fn a_file_is_no_directory() {
        assert!(check(&["a", "a/b"]).is_err());
        assert!(check(&["a", "a"]).is_err());
        assert!(check(&["a", "a.b", "a/b"]).is_err());
    }

    fn raw(entries: &[(&str, &str)]) -> Vec<u8> {
        let mut out = Vec::new();
        entries.iter().for_each(|(mode, name)| push_entry(&mut out, mode, name.as_bytes(), Oid::ZERO_SHA1));
        out
    }

    #[test]
    fn only_files_and_directories_are_read() {
        assert_eq!(parse_tree(&raw(&[("100644", "a"), ("40000", "b")]), "").unwrap().len(), 2);
        for bad in [
            raw(&[("100755", "a")]),
            raw(&[("120000", "a")]),
            raw(&[("160000", "a")]),
            raw(&[("040000", "a")]),
            raw(&[("100644", "b"), ("100644", "a")]),
            raw(&[("100644", "a"), ("100644", "a")]),
            raw(&[("100644", "a"), ("100644", "a.b"), ("40000", "a")]),
            b"100644 a\x00123".to_vec(),
            b"100644".to_vec(),
        ] {
            assert!(parse_tree(&bad, "files").is_err());
        }
    }
}
