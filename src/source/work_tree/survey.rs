//! One listing in the making: the index and the files, laid side by side.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Mutex;

use super::settle::{Candidate, Settled};
use super::unseen::{OnDisk, Unseen};
use super::{Place, State, blob};
use crate::config::ProjectFile;
use crate::source::git_config::CheckoutConfig;
use crate::source::git_conversion::ConvertedFiles;
use crate::source::ignore::{Chain, IgnoreFile, parent};
use crate::source::listing::{Builder, Finding};
use crate::source::native::{self, Kind, Stat};
use crate::source::repository::Objects;
use crate::source::rules::{MAX_RULE_FILE, Rules, Verdict, is_rule_file};
use crate::source::stat_cache::{Recorder, StatCache};
use crate::source::tracked::{Held, Lookup, Racy, Tracked, TrackedFiles};
use crate::source::walk::{self, Guide, What};
use crate::source::{Attributes, ContentId, Listing, RepoPath, SkipReason, SourceError, commit, disk};

/// One listing in the making.
pub(super) struct Survey<'a> {
    pub(super) root: &'a Path,
    pub(super) objects: &'a Objects,
    pub(super) config: &'a CheckoutConfig,
    pub(super) tracked: &'a TrackedFiles,
    pub(super) lookup: Lookup<'a>,
    pub(super) cache: StatCache,
    pub(super) recorder: Recorder,
    pub(super) places: HashMap<RepoPath, Place>,
    pub(super) converted: Vec<ConvertedFiles>,
}

/// A path whose bytes are known or still to be found out.
enum Item {
    Found(RepoPath, Finding),
    Open(Candidate),
}

impl Item {
    fn path(&self) -> &RepoPath {
        match self {
            Self::Found(path, _) => path,
            Self::Open(candidate) => &candidate.path,
        }
    }
}

/// Tracked paths that cannot stay where they are: a path is a file or a directory.
#[derive(Default)]
struct Displaced {
    /// Files where a directory with something in it stands, by number.
    files: HashSet<usize>,
    /// Directories where a file stands.
    directories: HashSet<Vec<u8>>,
}

impl Displaced {
    fn contains(&self, number: usize, path: &[u8]) -> bool {
        let mut above = parent(path);
        while !self.directories.is_empty() && !above.is_empty() {
            if self.directories.contains(above) {
                return true;
            }
            above = parent(above);
        }
        self.files.contains(&number)
    }
}

impl Survey<'_> {
    pub(super) fn run(mut self, cache: Option<&Path>) -> Result<(Listing, State), SourceError> {
        let (mut items, untracked) = self.look_around()?;
        let (mut rules, project) = self.rules(&mut items)?;
        let size_limit = project.settings.size_limit;
        items.extend(untracked);
        let mut builder = Builder::new(project);
        let mut open = Vec::new();
        for item in items {
            match item {
                Item::Found(path, finding) => builder.add(path, finding, &mut rules),
                Item::Open(candidate) => match rules.judge(candidate.path.as_bytes()) {
                    Verdict::Skip { reason, .. } => builder.skip(candidate.path, reason, candidate.held),
                    Verdict::Take(attributes) => open.push((candidate, attributes)),
                },
            }
        }
        self.take_open(open, &mut builder)?;
        if let Some(path) = cache {
            self.recorder.store(path, &self.cache);
        }
        let state = State { size_limit, rules: Mutex::new(rules), places: self.places, converted: self.converted };
        Ok((builder.finish(), state))
    }

    fn take_open(&mut self, open: Vec<(Candidate, Attributes)>, builder: &mut Builder) -> Result<(), SourceError> {
        let (candidates, attributes): (Vec<_>, Vec<_>) = open.into_iter().unzip();
        let settled = self.settle(&candidates)?;
        for ((candidate, attributes), settled) in candidates.into_iter().zip(attributes).zip(settled) {
            match settled {
                Settled::File(id, place) => {
                    if place != Place::Repository {
                        self.places.insert(candidate.path.clone(), place);
                    }
                    builder.take(candidate.path, id, attributes);
                }
                Settled::Skip(reason) => builder.skip(candidate.path, reason, candidate.held),
                Settled::Gone => {}
            }
        }
        Ok(())
    }

    /// Walks the work tree: the tracked paths, in path order, and the untracked ones.
    fn look_around(&self) -> Result<(Vec<Item>, Vec<Item>), SourceError> {
        let mut found = walk::walk(self.root, self.ignores_everywhere(), self.config.case, self)
            .map_err(|why| SourceError::Io { path: self.root.to_owned(), why })?;
        let mut on_disk = vec![None; self.tracked.files.len()];
        found.retain(|found| match found.what {
            What::Tracked(number, stat) => {
                on_disk[number] = Some(OnDisk::Something(stat));
                false
            }
            _ => true,
        });
        let mut untracked = Vec::new();
        for (path, what) in disk::named(found) {
            match what {
                What::Tracked(..) => {}
                What::Unreadable => match self.lookup.number(path.as_bytes()) {
                    Some(number) => on_disk[number] = Some(OnDisk::Unreadable),
                    None => untracked.push(Item::Found(path, Finding::Skip(SkipReason::Unreadable, None))),
                },
                What::Repository => untracked.push(Item::Found(path, Finding::Skip(SkipReason::Submodule, None))),
                What::Untracked(stat) => untracked.push(self.untracked(path, stat)),
            }
        }
        let mut unseen = Unseen::below(self.root);
        let displaced = self.displaced(&untracked);
        let mut items = Vec::with_capacity(on_disk.len());
        for (number, (file, on_disk)) in self.tracked.files.iter().zip(on_disk).enumerate() {
            let path = RepoPath::parse(file.path.as_slice())?;
            if !displaced.contains(number, &file.path) {
                items.extend(self.tracked(file, path, || on_disk.unwrap_or_else(|| unseen.look(&file.path))));
            }
        }
        Ok((items, untracked))
    }

    /// The ignore rules that belong to no directory.
    pub(super) fn ignores_everywhere(&self) -> Chain {
        self.config.ignore_files.iter().fold(Chain::default(), |chain, path| {
            let name = path.strip_prefix(self.root).unwrap_or(path).display().to_string();
            match std::fs::read(path) {
                Ok(bytes) => chain.with(IgnoreFile::parse(&bytes, b"", name, self.config.case)),
                Err(_) => chain,
            }
        })
    }

    /// The tracked paths in whose place something untracked stands.
    fn displaced(&self, untracked: &[Item]) -> Displaced {
        let mut displaced = Displaced::default();
        for item in untracked {
            let path = item.path().as_bytes();
            let mut at = path;
            while !at.is_empty() {
                displaced.files.extend(self.lookup.number(at));
                at = parent(at);
            }
            if self.lookup.holds_below(path) {
                displaced.directories.insert(path.to_vec());
            }
        }
        displaced
    }

    fn untracked(&self, path: RepoPath, stat: Stat) -> Item {
        match stat.kind {
            Kind::Link => {
                let id = disk::link_id(self.root, &path);
                Item::Found(path, Finding::Skip(SkipReason::Link, id))
            }
            _ => Item::Open(Candidate { path, stat, held: None, agrees: false }),
        }
    }

    fn tracked(&self, file: &Tracked, path: RepoPath, on_disk: impl FnOnce() -> OnDisk) -> Option<Item> {
        let on_disk = match file.held {
            Held::Fixed(_) => OnDisk::Unasked,
            Held::Hidden(_) if !self.config.sparse => OnDisk::Unasked,
            _ => on_disk(),
        };
        let held = match (file.held, on_disk) {
            (Held::Fixed(id), _) | (Held::Hidden(id), OnDisk::Unasked | OnDisk::Nothing) => {
                return Some(Item::Found(path, commit::finding(file.mode, id)));
            }
            (Held::Content(id) | Held::Hidden(id), _) => Some(id),
            (Held::Nothing, _) => None,
        };
        let as_held = held.map(|id| commit::finding(file.mode, id));
        let stat = match on_disk {
            OnDisk::Nothing | OnDisk::Unasked => return None,
            OnDisk::Unreadable => return Some(Item::Found(path, Finding::Skip(SkipReason::Unreadable, held))),
            OnDisk::Something(stat) => stat,
        };
        let finding = match (stat.kind, as_held) {
            (Kind::Directory, Some(Finding::Skip(SkipReason::Submodule, id))) => {
                Finding::Skip(SkipReason::Submodule, id)
            }
            // Ignored or not: git takes a repository in the place of a tracked file for a submodule.
            (Kind::Directory, _) if self.is_repository(&path) => Finding::Skip(SkipReason::Submodule, None),
            (Kind::Directory, _) => return None,
            (Kind::Special, _) => Finding::Skip(SkipReason::Unreadable, held),
            (Kind::Link, _) => Finding::Skip(SkipReason::Link, disk::link_id(self.root, &path)),
            (Kind::File, Some(link @ Finding::Skip(SkipReason::Link, _))) if !self.config.symlinks => link,
            (Kind::File, Some(Finding::File(id))) => return Some(self.tracked_file(file, path, stat, id)),
            (Kind::File, _) => {
                return Some(Item::Open(Candidate { path, stat, held: None, agrees: false }));
            }
        };
        Some(Item::Found(path, finding))
    }

    fn is_repository(&self, path: &RepoPath) -> bool {
        native::below(self.root, path.as_bytes()).is_some_and(|directory| walk::is_repository(&directory))
    }

    fn tracked_file(&self, file: &Tracked, path: RepoPath, stat: Stat, id: ContentId) -> Item {
        let proves = |racy| self.tracked.proves_unchanged(file, &stat, self.config.trust_ctime, racy);
        if proves(Racy::Doubted) {
            Item::Found(path, Finding::File(id))
        } else {
            Item::Open(Candidate { path, stat, held: Some(id), agrees: proves(Racy::Believed) })
        }
    }

    /// Reads the rules from the tracked rule files, in the form git would store them now.
    fn rules(&mut self, items: &mut [Item]) -> Result<(Rules, ProjectFile), SourceError> {
        let mut files = Vec::new();
        for item in items.iter_mut() {
            match item {
                Item::Found(path, Finding::File(id)) if is_rule_file(path.as_bytes()) => {
                    files.push((path.clone(), self.rule_file(path, *id, Place::Repository)?));
                }
                Item::Open(candidate) if is_rule_file(candidate.path.as_bytes()) => {
                    let settled = self.settle(std::slice::from_ref(candidate))?;
                    if let Some(Settled::File(id, place)) = settled.first() {
                        files.push((candidate.path.clone(), self.rule_file(&candidate.path, *id, *place)?));
                    }
                }
                _ => {}
            }
        }
        Rules::new(files)
    }

    fn rule_file(&self, path: &RepoPath, id: ContentId, place: Place) -> Result<Vec<u8>, SourceError> {
        let objects = match place {
            Place::Disk => return disk::rule_file(self.root, path),
            Place::Converted(number) => self.converted[number].objects(),
            Place::Repository => self.objects,
        };
        blob(objects, path, id, MAX_RULE_FILE)?
            .ok_or_else(|| SourceError::RuleFileSize { path: path.clone(), limit: MAX_RULE_FILE })
    }
}

impl Guide for Survey<'_> {
    fn tracked(&self, path: &[u8]) -> Option<usize> {
        self.lookup.number(path)
    }

    fn holds_tracked(&self, directory: &[u8]) -> bool {
        self.lookup.holds_below(directory)
    }

    fn is_submodule(&self, directory: &[u8]) -> bool {
        let number = self.lookup.number(directory);
        number.is_some_and(|number| self.tracked.files[number].mode == 0o160_000)
    }

    fn hidden_ignore_file(&self, path: &[u8]) -> Option<Vec<u8>> {
        let number = self.lookup.number(path)?;
        matches!(self.tracked.files[number].held, Held::Hidden(_))
            .then(|| self.tracked_bytes(path, MAX_RULE_FILE))
            .flatten()
    }

    fn passes_over(&self, directory: &[u8], name: &[u8]) -> bool {
        name.eq_ignore_ascii_case(b".git") || directory.is_empty() && name == b".cce"
    }

    fn stops_at_repositories(&self) -> bool {
        true
    }

    fn reports_special_files(&self) -> bool {
        false
    }
}
