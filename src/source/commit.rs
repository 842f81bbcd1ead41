//! The tree of a commit, read from the object database.
//!
//! Nothing but the objects counts: no work tree, no index, no `info/` file, no
//! configuration. The same commit lists and reads the same from a checkout, a
//! linked worktree, a bare repository and any clone of them.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use git2::{ErrorCode, ObjectType, Oid, Repository};

use super::ignore::parent;
use super::listing::{Builder, Finding};
use super::repository::{self, Blob, BlobError, CommitId, Objects};
use super::rules::{MAX_RULE_FILE, Rules, Verdict, is_rule_file};
use super::{
    Absence, Content, ContentId, FileEntry, FlagRules, Inspect, Listing, RepoPath, SkipReason, Source, SourceError,
};
use crate::config::ProjectFile;

/// The files of one commit.
pub struct CommitSource {
    commit: CommitId,
    objects: Objects,
    entries: Vec<Entry>,
    project: ProjectFile,
    rules: Mutex<Rules>,
}

struct Entry {
    path: RepoPath,
    finding: Finding,
}

impl CommitSource {
    /// Opens a commit by any revision git's library understands: an id or the start of
    /// one, a branch, a tag (annotated tags lead to their commit), `HEAD~3`.
    /// `repository` is the root of a work tree, a `.git` or a bare repository.
    ///
    /// # Errors
    /// When the repository cannot be opened, the revision names no commit, the tree
    /// holds a path that no source may hold, or a rule file cannot be read.
    pub fn open(repository: &Path, revision: &str) -> Result<Self, SourceError> {
        let opened = repository::open(repository)?;
        let (commit, entries) = {
            let commit = resolve(&opened, repository, revision)?;
            (repository::commit_id(&commit), entries(&opened, &commit)?)
        };
        let objects = Objects::new(opened);
        let (rules, project) = Rules::new(rule_files(&objects, &entries)?)?;
        Ok(Self { commit, objects, entries, project, rules: Mutex::new(rules) })
    }

    /// The blobs of a listing that the repository does not hold, with the first path of
    /// each, in path order. A partial clone fetches them in one go before a build.
    ///
    /// # Errors
    /// When the repository can no longer be opened.
    pub fn missing_blobs(&self, listing: &Listing) -> Result<Vec<(RepoPath, ContentId)>, SourceError> {
        let files = listing.files.iter().map(|file| (&file.path, file.content));
        self.objects.with(|repository| missing(repository, files))
    }

    /// Whether the repository is a partial clone, which can fetch what it lacks.
    pub fn is_partial(&self) -> bool {
        self.objects.is_partial()
    }
}

impl Source for CommitSource {
    fn commit(&self) -> Option<&CommitId> {
        Some(&self.commit)
    }

    fn list(&self) -> Result<Listing, SourceError> {
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let mut builder = Builder::new(self.project.clone());
        for entry in &self.entries {
            builder.add(entry.path.clone(), entry.finding, &mut rules);
        }
        Ok(builder.finish())
    }

    fn read(&self, file: &FileEntry) -> Result<Content, SourceError> {
        let limit = self.project.settings.size_limit;
        match self.objects.blob(file.content, limit)? {
            Ok(Blob::Bytes(bytes)) => Ok(Content::of(bytes, limit)),
            Ok(Blob::TooLarge) => Ok(Content::Skip(SkipReason::Oversize)),
            Err(error) => Err(failure(&self.objects, &file.path, file.content, error)),
        }
    }

    fn judge(&self, path: &RepoPath) -> Result<Verdict, SourceError> {
        Ok(self.rules.lock().unwrap_or_else(PoisonError::into_inner).judge(path.as_bytes()))
    }
}

impl Inspect for CommitSource {
    fn flag_rules(&self, path: &RepoPath) -> Result<FlagRules, SourceError> {
        Ok(self.rules.lock().unwrap_or_else(PoisonError::into_inner).flag_rules(path.as_bytes()))
    }

    fn absence(&self, path: &RepoPath) -> Result<Absence, SourceError> {
        let mut above = parent(path.as_bytes());
        while !above.is_empty() {
            if let Ok(at) = self.entries.binary_search_by(|entry| entry.path.as_bytes().cmp(above)) {
                let entry = &self.entries[at];
                return Ok(match entry.finding {
                    Finding::Skip(SkipReason::Link, _) => Absence::BehindLink(entry.path.clone()),
                    Finding::Skip(SkipReason::Submodule, _) => Absence::InRepository(entry.path.clone()),
                    _ => Absence::Nothing,
                });
            }
            above = parent(above);
        }
        Ok(Absence::Nothing)
    }

    fn size(&self, _: &RepoPath, content: Option<ContentId>) -> Option<u64> {
        self.objects.size(content?)
    }

    fn target(&self, _: &RepoPath, content: Option<ContentId>) -> Option<Vec<u8>> {
        self.objects.link_target(content?)
    }
}

fn resolve<'r>(repository: &'r Repository, path: &Path, revision: &str) -> Result<git2::Commit<'r>, SourceError> {
    let refuse = |why: String| SourceError::Revision { revision: revision.to_owned(), path: path.to_owned(), why };
    let object = repository.revparse_single(revision).map_err(|error| {
        let unborn = revision == "HEAD" && repository.head().is_err_and(|e| e.code() == ErrorCode::UnbornBranch);
        refuse(match error.code() {
            _ if unborn => "nothing has been committed yet".to_owned(),
            ErrorCode::NotFound => "there is no such revision; a shallow clone may lack it".to_owned(),
            ErrorCode::Ambiguous => "several objects begin so; give more digits".to_owned(),
            _ => error.message().to_owned(),
        })
    })?;
    let kind = object.kind();
    object
        .peel_to_commit()
        .map_err(|_| refuse(format!("it leads to a {}, not to a commit", kind.map_or("thing", |kind| kind.str()))))
}

/// Every entry of the tree that is not a tree, in path order.
fn entries(repository: &Repository, commit: &git2::Commit<'_>) -> Result<Vec<Entry>, SourceError> {
    let mut found = Vec::new();
    let mut waiting = vec![(Vec::new(), commit.tree_id())];
    while let Some((directory, id)) = waiting.pop() {
        let tree = repository.find_tree(id).map_err(|error| tree_failure(&directory, id, &error))?;
        for entry in &tree {
            let mut path = directory.clone();
            path.extend_from_slice(entry.name_bytes());
            let path = RepoPath::parse(path)?;
            if entry.kind() == Some(ObjectType::Tree) {
                waiting.push(([path.as_bytes(), b"/"].concat(), entry.id()));
            } else {
                found.push(Entry { finding: finding(entry.filemode_raw().cast_unsigned(), entry.id().into()), path });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    match found.windows(2).find(|pair| pair[0].path == pair[1].path) {
        Some(pair) => Err(SourceError::Duplicate { path: pair[0].path.clone() }),
        None => Ok(found),
    }
}

fn tree_failure(directory: &[u8], id: Oid, error: &git2::Error) -> SourceError {
    let path = String::from_utf8_lossy(directory).escape_debug().to_string();
    let path = if path.is_empty() { "the root".to_owned() } else { path };
    SourceError::Object { path, id: id.into(), why: error.message().to_owned() }
}

/// What a mode of git's says; the odd modes of old trees are plain files.
pub(crate) fn finding(mode: u32, id: ContentId) -> Finding {
    match mode & 0o170_000 {
        0o120_000 => Finding::Skip(SkipReason::Link, Some(id)),
        0o160_000 => Finding::Skip(SkipReason::Submodule, Some(id)),
        _ => Finding::File(id),
    }
}

fn rule_files(objects: &Objects, entries: &[Entry]) -> Result<Vec<(RepoPath, Vec<u8>)>, SourceError> {
    let mut files = Vec::new();
    let mut lacking = Vec::new();
    for entry in entries {
        let Finding::File(id) = entry.finding else { continue };
        if !is_rule_file(entry.path.as_bytes()) {
            continue;
        }
        match objects.blob(id, MAX_RULE_FILE)? {
            Ok(Blob::Bytes(bytes)) => files.push((entry.path.clone(), bytes)),
            Ok(Blob::TooLarge) => {
                return Err(SourceError::RuleFileSize { path: entry.path.clone(), limit: MAX_RULE_FILE });
            }
            Err(BlobError::Missing) => lacking.push((entry.path.clone(), id)),
            Err(error) => return Err(failure(objects, &entry.path, id, error)),
        }
    }
    if lacking.is_empty() {
        Ok(files)
    } else {
        Err(SourceError::MissingBlobs { blobs: lacking, partial: objects.is_partial() })
    }
}

/// Says which blob cannot be had, and what helps.
pub(crate) fn failure(objects: &Objects, path: &RepoPath, id: ContentId, error: BlobError) -> SourceError {
    match error {
        BlobError::Missing => {
            SourceError::MissingBlobs { blobs: vec![(path.clone(), id)], partial: objects.is_partial() }
        }
        BlobError::Broken(why) => SourceError::Object { path: path.to_string(), id, why },
    }
}

fn missing<'a>(
    handle: &Repository,
    files: impl Iterator<Item = (&'a RepoPath, ContentId)>,
) -> Result<Vec<(RepoPath, ContentId)>, SourceError> {
    let odb = handle.odb().map_err(|error| repository::refusal(handle.path(), &error))?;
    let mut seen = HashSet::new();
    let lacking = files
        .filter(|(_, id)| seen.insert(*id))
        .filter(|(_, id)| {
            let flags = git2::OdbLookupFlags::NO_REFRESH;
            Oid::from_bytes(&id.0).is_ok_and(|oid| !odb.exists_ext(oid, flags))
        })
        .map(|(path, id)| (path.clone(), id));
    Ok(lacking.collect())
}
