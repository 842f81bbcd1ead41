//! A plain directory that belongs to no repository.
//!
//! Everything counts but what the directory's own `.gitignore` files drop, `.git`
//! and `.cce`. There is no commit, so the rule files that count are those that lie
//! there.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::disk::{self, Seen};
use super::glob::Case;
use super::ignore::Chain;
use super::inspect;
use super::listing::{Builder, Finding};
use super::native::{self, Kind, Stat};
use super::repository::CommitId;
use super::rules::{Rules, Verdict, is_rule_file};
use super::stat_cache::{Recorder, StatCache};
use super::walk::{self, Guide, What};
use super::{
    Absence, Attributes, Content, ContentId, FileEntry, FlagRules, Inspect, Listing, RepoPath, SkipReason, Source,
    SourceError,
};
use crate::config::ProjectFile;

/// The files of a plain directory.
pub struct Directory {
    root: PathBuf,
    cache: Option<PathBuf>,
    size_limit: Mutex<Option<u64>>,
}

/// How the walk treats a plain directory.
struct Plain;

impl Guide for Plain {
    fn tracked(&self, _: &[u8]) -> Option<usize> {
        None
    }

    fn holds_tracked(&self, _: &[u8]) -> bool {
        false
    }

    fn is_submodule(&self, _: &[u8]) -> bool {
        false
    }

    fn hidden_ignore_file(&self, _: &[u8]) -> Option<Vec<u8>> {
        None
    }

    fn passes_over(&self, _: &[u8], name: &[u8]) -> bool {
        name.eq_ignore_ascii_case(b".git") || name == b".cce"
    }

    fn stops_at_repositories(&self) -> bool {
        false
    }

    fn reports_special_files(&self) -> bool {
        true
    }
}

impl Directory {
    /// Opens a directory. `cache`: the file that remembers what files held, so that
    /// the next listing need not read them again.
    ///
    /// # Errors
    /// When it is no directory or cannot be read.
    pub fn open(root: &Path, cache: Option<&Path>) -> Result<Self, SourceError> {
        let failure = |why| SourceError::Io { path: root.to_owned(), why };
        let root = root.canonicalize().map_err(failure)?;
        std::fs::read_dir(&root).map_err(failure)?;
        Ok(Self { root, cache: cache.map(Path::to_owned), size_limit: Mutex::new(None) })
    }

    fn listing(&self) -> Result<Listing, SourceError> {
        let found = self.survey()?;
        let (mut rules, project) = self.rules(&found)?;
        let limit = project.settings.size_limit;
        *self.size_limit.lock().unwrap_or_else(PoisonError::into_inner) = Some(limit);
        let mut builder = Builder::new(project);
        let mut candidates = Vec::new();
        for (path, what) in found {
            match finding(&self.root, &path, &what) {
                Some(finding) => builder.add(path, finding, &mut rules),
                None => match (rules.judge(path.as_bytes()), what) {
                    (Verdict::Skip { reason, .. }, _) => builder.skip(path, reason, None),
                    (Verdict::Take(_), What::Untracked(stat)) if stat.size > limit => {
                        builder.skip(path, SkipReason::Oversize, None);
                    }
                    (Verdict::Take(attributes), What::Untracked(stat)) => candidates.push((path, stat, attributes)),
                    (Verdict::Take(_), _) => builder.skip(path, SkipReason::Unreadable, None),
                },
            }
        }
        self.look(candidates, &mut builder);
        Ok(builder.finish())
    }

    fn look(&self, candidates: Vec<(RepoPath, Stat, Attributes)>, builder: &mut Builder) {
        let mut recorder = Recorder::start();
        let cache = self.cache.as_deref().map(StatCache::load).unwrap_or_default();
        let questions: Vec<(&RepoPath, Stat)> = candidates.iter().map(|(path, stat, _)| (path, *stat)).collect();
        let answers = disk::look(&self.root, &questions, &cache);
        for ((path, stat, attributes), seen) in candidates.into_iter().zip(answers) {
            match seen {
                Seen::Known { facts, learned } => {
                    recorder.remember(path.as_bytes(), &stat, &facts, learned);
                    builder.take(path, facts.raw, attributes);
                }
                Seen::Oversize => builder.skip(path, SkipReason::Oversize, None),
                Seen::Unreadable => builder.skip(path, SkipReason::Unreadable, None),
                Seen::Gone => {}
            }
        }
        if let Some(path) = &self.cache {
            recorder.store(path, &cache);
        }
    }

    fn survey(&self) -> Result<Vec<(RepoPath, What)>, SourceError> {
        let found = walk::walk(&self.root, Chain::default(), Case::Sensitive, &Plain)
            .map_err(|why| SourceError::Io { path: self.root.clone(), why })?;
        Ok(disk::named(found))
    }

    fn rules(&self, found: &[(RepoPath, What)]) -> Result<(Rules, ProjectFile), SourceError> {
        let mut files = Vec::new();
        for (path, what) in found {
            if is_rule_file(path.as_bytes()) && matches!(what, What::Untracked(stat) if stat.kind == Kind::File) {
                files.push((path.clone(), disk::rule_file(&self.root, path)?));
            }
        }
        Rules::new(files)
    }

    fn limit(&self) -> Result<u64, SourceError> {
        let mut limit = self.size_limit.lock().unwrap_or_else(PoisonError::into_inner);
        match *limit {
            Some(limit) => Ok(limit),
            None => Ok(*limit.insert(self.rules(&self.survey()?)?.1.settings.size_limit)),
        }
    }
}

/// What the kind of a thing says, before its bytes.
fn finding(root: &Path, path: &RepoPath, what: &What) -> Option<Finding> {
    match what {
        What::Untracked(stat) => match stat.kind {
            Kind::Link => Some(Finding::Skip(SkipReason::Link, disk::link_id(root, path))),
            Kind::Special => Some(Finding::Skip(SkipReason::Unreadable, None)),
            Kind::File | Kind::Directory => None,
        },
        What::Unreadable => Some(Finding::Skip(SkipReason::Unreadable, None)),
        What::Repository => Some(Finding::Skip(SkipReason::Submodule, None)),
        What::Tracked(..) => None,
    }
}

impl Inspect for Directory {
    fn flag_rules(&self, path: &RepoPath) -> Result<FlagRules, SourceError> {
        Ok(self.rules(&self.survey()?)?.0.flag_rules(path.as_bytes()))
    }

    fn absence(&self, path: &RepoPath) -> Result<Absence, SourceError> {
        Ok(inspect::absence(&self.root, Chain::default(), Case::Sensitive, &Plain, path))
    }

    fn size(&self, path: &RepoPath, _: Option<ContentId>) -> Option<u64> {
        disk::size(&self.root, path)
    }

    fn target(&self, path: &RepoPath, _: Option<ContentId>) -> Option<Vec<u8>> {
        native::link_target(&native::below(&self.root, path.as_bytes())?).ok()
    }
}

impl Source for Directory {
    fn commit(&self) -> Option<&CommitId> {
        None
    }

    fn list(&self) -> Result<Listing, SourceError> {
        self.listing()
    }

    fn read(&self, file: &FileEntry) -> Result<Content, SourceError> {
        let limit = self.limit()?;
        disk::read_listed(&self.root, &file.path, file.content, limit).map(|bytes| Content::of(bytes, limit))
    }

    fn judge(&self, path: &RepoPath) -> Result<Verdict, SourceError> {
        Ok(self.rules(&self.survey()?)?.0.judge(path.as_bytes()))
    }
}
