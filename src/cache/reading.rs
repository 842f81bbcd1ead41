//! Reading an artifact out of an object database, one record at a time.

use std::collections::HashSet;
use std::fmt;
use std::vec;

use git2::{ObjectType, Odb, OdbObject, Oid, Repository};

use super::artifact_tree::{Entry, FILES, MANIFEST, PREFIX, bad, parse_tree};
use super::commit::MAX_COMMIT;
use super::{ArtifactCommit, CacheError};
use crate::record::canonical::MAX_LINE;
use crate::snapshot::Manifest;
use crate::source::RepoPath;

/// The largest manifest that is read, in bytes.
const MAX_MANIFEST: usize = 256 << 20;

/// The largest directory that is read, in bytes.
const MAX_TREE: usize = 64 << 20;

/// The longest path that a record may have, in bytes.
const MAX_PATH: usize = 4096;

/// The most objects that are taken as known from one base.
const MAX_KNOWN: usize = 8_000_000;

/// An artifact whose objects are all here.
///
/// Opening checks its commit, the shape of its top directory, the manifest's form, and
/// that commit and manifest say the same. The records are checked for their place only:
/// their contents are for [`crate::snapshot::Verifier`].
pub struct Artifact {
    repo: Repository,
    id: Oid,
    commit: ArtifactCommit,
    manifest: Manifest,
    manifest_line: Vec<u8>,
    files: Option<Oid>,
}

impl fmt::Debug for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Artifact").field("id", &self.id).field("commit", &self.commit).finish_non_exhaustive()
    }
}

impl Artifact {
    /// Opens the artifact whose commit is `id`.
    ///
    /// # Errors
    /// When an object is missing or too large, or anything is not what an artifact holds.
    pub fn open(repo: Repository, id: Oid) -> Result<Self, CacheError> {
        let odb = odb(&repo)?;
        let commit = read_commit(&odb, id)?;
        let (mut files, mut manifest) = (None, None);
        for entry in read_tree(&odb, commit.tree, "")? {
            match (entry.name.as_slice(), entry.is_tree) {
                (name, true) if name == FILES.as_bytes() => files = Some(entry.id),
                (name, false) if name == MANIFEST.as_bytes() => manifest = Some(entry.id),
                (name, _) => return Err(bad("", name, "does not belong there")),
            }
        }
        let manifest = manifest.ok_or_else(|| bad("", MANIFEST.as_bytes(), "is missing"))?;
        let manifest_line = read_object(&odb, manifest, ObjectType::Blob, MAX_MANIFEST)?.data().to_vec();
        let manifest = Manifest::parse(&manifest_line)?;
        agree(&commit, &manifest)?;
        drop(odb);
        Ok(Self { repo, id, commit, manifest, manifest_line, files })
    }

    /// The id of the artifact's commit.
    pub fn id(&self) -> Oid {
        self.id
    }

    /// What the commit says.
    pub fn commit(&self) -> &ArtifactCommit {
        &self.commit
    }

    /// The manifest. Its checksum is not yet checked against the records.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The manifest line, its LF included: what a verifier starts with.
    pub fn manifest_line(&self) -> &[u8] {
        &self.manifest_line
    }

    /// The record lines in path order, each with the path it stands under.
    ///
    /// # Errors
    /// When the object database cannot be opened.
    pub fn records(&self) -> Result<Records<'_>, CacheError> {
        let odb = odb(&self.repo)?;
        let mut records = Records { odb, stack: Vec::new(), path: Vec::new(), left: self.manifest.file_count };
        if let Some(files) = self.files {
            records.enter(files, 0)?;
        }
        Ok(records)
    }

    /// Hands every record to `visit` in path order: its path and its line.
    ///
    /// # Errors
    /// The first that occurs, of the reading or of `visit`.
    pub fn visit<E: From<CacheError>>(
        &self,
        mut visit: impl FnMut(&RepoPath, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for record in self.records()? {
            let (path, line) = record?;
            visit(&path, &line)?;
        }
        Ok(())
    }
}

fn agree(commit: &ArtifactCommit, manifest: &Manifest) -> Result<(), CacheError> {
    for (what, same) in [
        ("source commit", manifest.sha.as_ref() == Some(&commit.source_commit)),
        ("repository id", manifest.repo_id.as_ref() == Some(&commit.repo_id)),
        ("checksum", manifest.checksum == commit.checksum),
        ("extractor", manifest.extractor == commit.extractor),
    ] {
        if !same {
            return Err(CacheError::Disagree(what));
        }
    }
    Ok(())
}

/// The records of an [`Artifact`], in path order.
pub struct Records<'a> {
    odb: Odb<'a>,
    stack: Vec<Directory>,
    path: Vec<u8>,
    left: u64,
}

struct Directory {
    entries: vec::IntoIter<Entry>,
    /// How much of the path stands for the directories around this one.
    outer: usize,
}

impl fmt::Debug for Records<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("left", &self.left).finish_non_exhaustive()
    }
}

impl Records<'_> {
    fn enter(&mut self, tree: Oid, outer: usize) -> Result<(), CacheError> {
        let place = self.place();
        let entries = read_tree(&self.odb, tree, &place)?;
        if entries.is_empty() {
            // Nobody writes one, and a tree of trees of them would never end.
            return Err(bad(&place, b"", "is an empty directory"));
        }
        self.stack.push(Directory { entries: entries.into_iter(), outer });
        Ok(())
    }

    fn place(&self) -> String {
        let separator = if self.path.is_empty() { "" } else { "/" };
        format!("{FILES}{separator}{}", String::from_utf8_lossy(&self.path))
    }

    fn step(&mut self) -> Result<Option<(RepoPath, Vec<u8>)>, CacheError> {
        loop {
            let Some(directory) = self.stack.last_mut() else { return Ok(None) };
            let Some(entry) = directory.entries.next() else {
                self.path.truncate(directory.outer);
                self.stack.pop();
                continue;
            };
            let outer = self.path.len();
            let component = entry.name.strip_prefix(&[PREFIX]).filter(|component| !component.is_empty());
            let Some(component) = component else {
                return Err(bad(&self.place(), &entry.name, "does not carry the prefix `_`"));
            };
            if outer > 0 {
                self.path.push(b'/');
            }
            self.path.extend_from_slice(component);
            if self.path.len() > MAX_PATH {
                return Err(bad(&self.place(), b"", "is nested too deep"));
            }
            if entry.is_tree {
                self.enter(entry.id, outer)?;
                continue;
            }
            let record = self.record(entry.id)?;
            self.path.truncate(outer);
            return Ok(Some(record));
        }
    }

    fn record(&mut self, blob: Oid) -> Result<(RepoPath, Vec<u8>), CacheError> {
        let Ok(path) = RepoPath::parse(self.path.clone()) else {
            return Err(bad(&self.place(), b"", "is not a path that a record may have"));
        };
        self.left = self.left.checked_sub(1).ok_or(CacheError::Disagree("number of records"))?;
        let line = read_object(&self.odb, blob, ObjectType::Blob, MAX_LINE)?.data().to_vec();
        Ok((path, line))
    }
}

impl Iterator for Records<'_> {
    type Item = Result<(RepoPath, Vec<u8>), CacheError>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            self.stack.clear();
        }
        step.transpose()
    }
}

pub(super) fn odb(repo: &Repository) -> Result<Odb<'_>, CacheError> {
    repo.odb()
        .map_err(|error| CacheError::Local { path: repo.path().display().to_string(), why: error.message().to_owned() })
}

/// Reads and checks the artifact commit `id`.
///
/// # Errors
/// When it is not there, or is no artifact.
pub fn read_commit(odb: &Odb<'_>, id: Oid) -> Result<ArtifactCommit, CacheError> {
    ArtifactCommit::parse(id, read_object(odb, id, ObjectType::Commit, MAX_COMMIT)?.data())
}

fn read_tree(odb: &Odb<'_>, id: Oid, place: &str) -> Result<Vec<Entry>, CacheError> {
    parse_tree(read_object(odb, id, ObjectType::Tree, MAX_TREE)?.data(), place)
}

/// Looks at kind and size before the contents are unpacked.
fn read_object<'o>(odb: &'o Odb<'_>, id: Oid, kind: ObjectType, max: usize) -> Result<OdbObject<'o>, CacheError> {
    let (size, found) = odb.read_header(id).map_err(|error| CacheError::object(id, error.message()))?;
    if found != kind {
        return Err(CacheError::object(id, format_args!("it is a {}", found.str())));
    }
    if size > max {
        return Err(CacheError::object(id, format_args!("it has {size} bytes, more than the {max} it may have")));
    }
    odb.read(id).map_err(|error| CacheError::object(id, error.message()))
}

/// The line of a record whose blob is `id`.
///
/// # Errors
/// When it is missing, no blob or too large.
pub fn read_record(odb: &Odb<'_>, id: Oid) -> Result<Vec<u8>, CacheError> {
    Ok(read_object(odb, id, ObjectType::Blob, MAX_LINE)?.data().to_vec())
}

/// Every blob and tree that `tree` reaches: what the remote holds once it holds the tree.
/// Blobs need not be here.
///
/// # Errors
/// When a tree is missing or damaged, or there are too many objects.
pub fn known_objects(odb: &Odb<'_>, tree: Oid) -> Result<HashSet<Oid>, CacheError> {
    let mut known = HashSet::from([tree]);
    let mut open = vec![tree];
    while let Some(tree) = open.pop() {
        for entry in read_tree(odb, tree, "")? {
            if known.insert(entry.id) && entry.is_tree {
                open.push(entry.id);
            }
        }
        if known.len() > MAX_KNOWN {
            return Err(CacheError::object(tree, "the artifact holds too many objects"));
        }
    }
    Ok(known)
}

/// The blobs of the records in the artifact whose tree is `tree`. They need not be here.
///
/// # Errors
/// When a tree is missing or damaged.
pub fn records_in(odb: &Odb<'_>, tree: Oid) -> Result<HashSet<Oid>, CacheError> {
    let mut records = HashSet::new();
    let mut seen = HashSet::new();
    let mut open: Vec<Oid> = files_of(odb, tree)?.into_iter().collect();
    while let Some(tree) = open.pop() {
        for entry in read_tree(odb, tree, FILES)? {
            match entry.is_tree {
                true if seen.insert(entry.id) => open.push(entry.id),
                true => {}
                false => drop(records.insert(entry.id)),
            }
        }
    }
    Ok(records)
}

/// The blob of the record that stands under `path` in the artifact whose tree is `tree`.
///
/// # Errors
/// When a tree is missing or damaged.
pub fn record_at(odb: &Odb<'_>, tree: Oid, path: &RepoPath) -> Result<Option<Oid>, CacheError> {
    let mut at = files_of(odb, tree)?.map(|id| (id, true));
    for component in path.components() {
        let Some((directory, true)) = at else { return Ok(None) };
        let entries = read_tree(odb, directory, FILES)?;
        let found = entries.into_iter().find(|entry| entry.name.strip_prefix(&[PREFIX]) == Some(component));
        at = found.map(|entry| (entry.id, entry.is_tree));
    }
    Ok(at.filter(|(_, is_tree)| !is_tree).map(|(id, _)| id))
}

fn files_of(odb: &Odb<'_>, tree: Oid) -> Result<Option<Oid>, CacheError> {
    let entries = read_tree(odb, tree, "")?;
    Ok(entries.into_iter().find(|entry| entry.is_tree && entry.name == FILES.as_bytes()).map(|entry| entry.id))
}
