//! The work tree of a git repository, as git would store it now.
//!
//! A tracked file contributes the bytes git holds as long as nothing changed, and the
//! bytes git would store where something did. So a clean work tree lists and reads
//! exactly as its commit, with line-end conversion, in a sparse checkout, in a linked
//! worktree. Untracked files that git does not ignore contribute what adding them
//! would store.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::commit;
use super::conversion::Conversions;
use super::disk::{self, Seen};
use super::git_config::CheckoutConfig;
use super::git_conversion::{ConvertedFiles, GitConversion};
use super::ignore::{Chain, IgnoreFile, parent};
use super::inspect;
use super::listing::{Builder, Finding};
use super::native::{self, Kind, Stat};
use super::repository::{self, Blob, CommitId, Objects};
use super::rules::{MAX_RULE_FILE, Rules, Verdict, is_rule_file};
use super::stat_cache::{Recorder, StatCache};
use super::tracked::{Held, Lookup, Racy, Tracked, TrackedFiles};
use super::walk::{self, Guide, What};
use super::{
    Absence, Attributes, Content, ContentId, FileEntry, FlagRules, Inspect, Listing, RepoPath, SkipReason, Source,
    SourceError,
};
use crate::config::ProjectFile;

/// The files of one work tree.
pub struct WorkTree {
    root: PathBuf,
    objects: Objects,
    cache: Option<PathBuf>,
    head: Option<CommitId>,
    state: Mutex<Option<Arc<State>>>,
}

/// What the last listing found out and reading needs to know.
struct State {
    size_limit: u64,
    rules: Mutex<Rules>,
    /// Where the bytes of files lie that git does not hold.
    places: HashMap<RepoPath, Place>,
    converted: Vec<ConvertedFiles>,
}

/// Where the bytes of a file lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the repository.
    Repository,
    /// On disk, as they are stored.
    Disk,
    /// Among the converted files of this number.
    Converted(usize),
}

/// A file whose bytes have to be found out.
struct Candidate {
    path: RepoPath,
    stat: Stat,
    /// The blob the index holds for it.
    held: Option<ContentId>,
    /// Whether the system's word would prove it unchanged, had the index been written later.
    agrees: bool,
}

/// What finding out gave.
#[derive(Clone, Copy, Debug)]
enum Settled {
    File(ContentId, Place),
    Skip(SkipReason),
    Gone,
}

impl WorkTree {
    /// Opens the work tree at `root` (of a main or a linked worktree). `cache`: the file
    /// that remembers what changed and untracked files held, so that the next listing
    /// need not read them again. [`Source::commit`] is the head as it is now; a listing
    /// always looks at the index and the files as they are then.
    ///
    /// # Errors
    /// When the repository cannot be opened or is bare.
    pub fn open(root: &Path, cache: Option<&Path>) -> Result<Self, SourceError> {
        let opened = repository::open(root)?;
        let workdir = opened.workdir().ok_or_else(|| SourceError::NoWorkTree { path: root.to_owned() })?;
        let root = workdir.canonicalize().map_err(|why| SourceError::Io { path: workdir.to_owned(), why })?;
        let head = repository::head(&opened)?;
        let objects = Objects::new(opened);
        Ok(Self { root, objects, cache: cache.map(Path::to_owned), head, state: Mutex::new(None) })
    }

    fn state(&self) -> Result<Arc<State>, SourceError> {
        let known = self.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match known {
            Some(state) => Ok(state),
            None => self.survey().map(|(_, state)| state),
        }
    }

    fn survey(&self) -> Result<(Listing, Arc<State>), SourceError> {
        let config = self.objects.with(|repository| Ok(CheckoutConfig::read(repository, &self.root)))?;
        let tracked = TrackedFiles::read(&self.objects.git_dir().join("index"))?;
        let (listing, state) = self.begin(&config, &tracked).run(self.cache.as_deref())?;
        let state = Arc::new(state);
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&state));
        Ok((listing, state))
    }

    fn begin<'a>(&'a self, config: &'a CheckoutConfig, tracked: &'a TrackedFiles) -> Survey<'a> {
        Survey {
            root: &self.root,
            objects: &self.objects,
            config,
            tracked,
            lookup: Lookup::new(tracked, config.case),
            cache: self.cache.as_deref().map(StatCache::load).unwrap_or_default(),
            recorder: Recorder::start(),
            places: HashMap::new(),
            converted: Vec::new(),
        }
    }

    fn bytes(&self, state: &State, file: &FileEntry) -> Result<Option<Vec<u8>>, SourceError> {
        let place = state.places.get(&file.path).copied().unwrap_or(Place::Repository);
        let objects = match place {
            Place::Disk => {
                return disk::read_listed(&self.root, &file.path, file.content, disk::MAX_FILE).map(Some);
            }
            Place::Converted(number) => state.converted[number].objects(),
            Place::Repository => &self.objects,
        };
        blob(objects, &file.path, file.content, state.size_limit)
    }
}

impl Source for WorkTree {
    fn commit(&self) -> Option<&CommitId> {
        self.head.as_ref()
    }

    fn list(&self) -> Result<Listing, SourceError> {
        self.survey().map(|(listing, _)| listing)
    }

    fn read(&self, file: &FileEntry) -> Result<Content, SourceError> {
        let state = self.state()?;
        Ok(match self.bytes(&state, file)? {
            Some(bytes) => Content::of(bytes, state.size_limit),
            None => Content::Skip(SkipReason::Oversize),
        })
    }

    fn judge(&self, path: &RepoPath) -> Result<Verdict, SourceError> {
        Ok(self.state()?.rules.lock().unwrap_or_else(PoisonError::into_inner).judge(path.as_bytes()))
    }
}

impl Inspect for WorkTree {
    fn flag_rules(&self, path: &RepoPath) -> Result<FlagRules, SourceError> {
        Ok(self.state()?.rules.lock().unwrap_or_else(PoisonError::into_inner).flag_rules(path.as_bytes()))
    }

    fn absence(&self, path: &RepoPath) -> Result<Absence, SourceError> {
        let config = self.objects.with(|repository| Ok(CheckoutConfig::read(repository, &self.root)))?;
        let tracked = TrackedFiles::read(&self.objects.git_dir().join("index"))?;
        let survey = self.begin(&config, &tracked);
        Ok(inspect::absence(&self.root, survey.ignores_everywhere(), config.case, &survey, path))
    }

    fn size(&self, path: &RepoPath, content: Option<ContentId>) -> Option<u64> {
        let state = self.state().ok()?;
        let on_disk = || disk::size(&self.root, path);
        match state.places.get(path) {
            Some(Place::Disk) => on_disk(),
            Some(Place::Converted(number)) => state.converted[*number].objects().size(content?),
            Some(Place::Repository) | None => content.and_then(|id| self.objects.size(id)).or_else(on_disk),
        }
    }

    fn target(&self, path: &RepoPath, content: Option<ContentId>) -> Option<Vec<u8>> {
        let on_disk = native::below(&self.root, path.as_bytes()).and_then(|path| native::link_target(&path).ok());
        on_disk.or_else(|| self.objects.link_target(content?))
    }
}

/// A blob of at most `limit` bytes; `None` for a larger one.
fn blob(objects: &Objects, path: &RepoPath, id: ContentId, limit: u64) -> Result<Option<Vec<u8>>, SourceError> {
    match objects.blob(id, limit)? {
        Ok(Blob::Bytes(bytes)) => Ok(Some(bytes)),
        Ok(Blob::TooLarge) => Ok(None),
        Err(error) => Err(commit::failure(objects, path, id, error)),
    }
}

/// One listing in the making.
struct Survey<'a> {
    root: &'a Path,
    objects: &'a Objects,
    config: &'a CheckoutConfig,
    tracked: &'a TrackedFiles,
    lookup: Lookup<'a>,
    cache: StatCache,
    recorder: Recorder,
    places: HashMap<RepoPath, Place>,
    converted: Vec<ConvertedFiles>,
}

/// What stands on disk at a tracked path.
#[derive(Clone, Copy, Debug)]
enum OnDisk {
    /// It does not matter.
    Unasked,
    Nothing,
    Unreadable,
    Something(Stat),
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
    fn run(mut self, cache: Option<&Path>) -> Result<(Listing, State), SourceError> {
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
        let mut unseen = Unseen { root: self.root, directories: HashMap::new() };
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
    fn ignores_everywhere(&self) -> Chain {
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

    /// Finds out which bytes files contribute.
    fn settle(&mut self, candidates: &[Candidate]) -> Result<Vec<Settled>, SourceError> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let questions: Vec<(&RepoPath, Stat)> = candidates.iter().map(|file| (&file.path, file.stat)).collect();
        let seen = disk::look(self.root, &questions, &self.cache);
        let paths = candidates.iter().map(|candidate| candidate.path.as_bytes());
        let conversions =
            Conversions::read(self.root, self.config, paths, &|path| self.tracked_bytes(path, MAX_RULE_FILE));
        let mut settled = Vec::with_capacity(candidates.len());
        let mut doubtful = Vec::new();
        for (number, (candidate, seen)) in candidates.iter().zip(seen).enumerate() {
            settled.push(match seen {
                Seen::Oversize => Settled::Skip(SkipReason::Oversize),
                Seen::Unreadable => Settled::Skip(SkipReason::Unreadable),
                Seen::Gone => Settled::Gone,
                Seen::Known { facts, learned } => {
                    self.recorder.remember(candidate.path.as_bytes(), &candidate.stat, &facts, learned);
                    let believed = candidate.agrees && conversions.has_driver(candidate.path.as_bytes());
                    match candidate.held {
                        Some(held) if held == facts.raw || believed => Settled::File(held, Place::Repository),
                        _ => {
                            if conversions.may_convert(candidate.path.as_bytes(), &facts) {
                                doubtful.push((number, facts.raw));
                            }
                            Settled::File(facts.raw, Place::Disk)
                        }
                    }
                }
            });
        }
        if !doubtful.is_empty() {
            self.convert(candidates, &doubtful, &mut settled)?;
        }
        Ok(settled)
    }

    /// Asks git about files it may store in another form, or may have checked out so.
    fn convert(
        &mut self,
        candidates: &[Candidate],
        doubtful: &[(usize, ContentId)],
        settled: &mut [Settled],
    ) -> Result<(), SourceError> {
        let git = GitConversion::start(self.root, self.objects.git_dir())?;
        self.lend(candidates, doubtful, &git)?;
        let paths: Vec<&RepoPath> = doubtful.iter().map(|(number, _)| &candidates[*number].path).collect();
        let mut changed = Vec::new();
        for ((number, raw), stored) in doubtful.iter().zip(git.store(&paths)?) {
            let held = candidates[*number].held;
            settled[*number] = match stored {
                Some(id) if held == Some(id) => Settled::File(id, Place::Repository),
                Some(id) => Settled::File(id, Place::Converted(self.converted.len())),
                // What git cannot convert stays as it is.
                None => Settled::File(*raw, Place::Disk),
            };
            if let (Some(held), Settled::File(id, _)) = (held, settled[*number])
                && held != id
            {
                changed.push((*number, *raw, held));
            }
        }
        let paths: Vec<&RepoPath> = changed.iter().map(|(number, ..)| &candidates[*number].path).collect();
        if !paths.is_empty() {
            for ((number, raw, held), written) in changed.iter().zip(git.check_out(&paths)?) {
                if written == Some(*raw) {
                    settled[*number] = Settled::File(*held, Place::Repository);
                }
            }
        }
        self.converted.push(git.finish()?);
        Ok(())
    }

    /// Gives git the blobs it may ask for: it keeps the line ends of a file that is stored
    /// with carriage returns, and takes attributes from the index where the file is gone.
    fn lend(
        &self,
        candidates: &[Candidate],
        doubtful: &[(usize, ContentId)],
        git: &GitConversion,
    ) -> Result<(), SourceError> {
        let mut paths: HashSet<&[u8]> = doubtful.iter().map(|(at, _)| candidates[*at].path.as_bytes()).collect();
        paths.extend(self.tracked.files.iter().map(|file| file.path.as_slice()).filter(|path| is_rule_file(path)));
        paths
            .into_iter()
            .filter_map(|path| self.tracked_bytes(path, disk::MAX_FILE))
            .try_for_each(|bytes| git.lend(&bytes))
    }

    /// The blob of a tracked path.
    fn tracked_bytes(&self, path: &[u8], limit: u64) -> Option<Vec<u8>> {
        let number = self.lookup.number(path)?;
        let (Held::Content(id) | Held::Fixed(id) | Held::Hidden(id)) = self.tracked.files[number].held else {
            return None;
        };
        match self.objects.blob(id, limit) {
            Ok(Ok(Blob::Bytes(bytes))) => Some(bytes),
            _ => None,
        }
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

/// Looks at tracked paths that the walk did not come by, such as those in ignored directories.
struct Unseen<'a> {
    root: &'a Path,
    /// Whether a directory is there, and is no link.
    directories: HashMap<Vec<u8>, bool>,
}

impl Unseen<'_> {
    fn look(&mut self, path: &[u8]) -> OnDisk {
        if !self.is_directory(parent(path)) {
            return OnDisk::Nothing;
        }
        match native::below(self.root, path).map(|path| native::stat(&path)) {
            Some(Ok(stat)) => OnDisk::Something(stat),
            Some(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => OnDisk::Nothing,
            _ => OnDisk::Unreadable,
        }
    }

    fn is_directory(&mut self, directory: &[u8]) -> bool {
        let mut known = directory;
        let mut unknown = Vec::new();
        while !known.is_empty() && !self.directories.contains_key(known) {
            unknown.push(known);
            known = parent(known);
        }
        let mut there = known.is_empty() || self.directories[known];
        for directory in unknown.into_iter().rev() {
            let stat = native::below(self.root, directory).filter(|_| there).map(|path| native::stat(&path));
            there = match stat {
                Some(Ok(stat)) => stat.kind == Kind::Directory,
                // A directory that may not be searched: its files are looked at, and reported.
                Some(Err(error)) => error.kind() == std::io::ErrorKind::PermissionDenied,
                None => false,
            };
            self.directories.insert(directory.to_vec(), there);
        }
        there
    }
}
