//! Our own bare repositories, and what they exchange with the remote.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use git2::{Oid, Repository, RepositoryInitOptions};
use sha2::{Digest, Sha256};

use super::names::{Component, Key, Namespace, RefName};
use super::reading;
use super::{ArtifactCommit, CacheError};
use crate::git::{GitError, GitErrorKind, Program, RemoteUrl, Transport};
use crate::record::canonical::hex;

/// The name our repositories know their remote by. Its URL is never written down.
const REMOTE: &str = "cce";

/// The most refs of ours that a remote may list.
const MAX_REFS: usize = 200_000;

/// The most bytes a remote may list.
const MAX_LISTING: u64 = 64 << 20;

/// A lock file of git's older than this was left by a child that was killed.
const STALE_LOCK: Duration = Duration::from_secs(600);

/// What one of our repositories holds, which decides what it may tell a server it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Artifacts, whole. Pulls read here and need every object.
    Artifacts,
    /// Bases without their blobs, and what was published from here.
    Publishing,
    /// Commits of artifacts only.
    Commits,
    /// Commits of the source only, for questions of ancestry.
    History,
}

impl Role {
    /// All of them.
    pub(super) const ALL: [Self; 4] = [Self::Artifacts, Self::Publishing, Self::Commits, Self::History];

    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::Artifacts => "",
            Self::Publishing => ".publishing",
            Self::Commits => ".commits",
            Self::History => ".history",
        }
    }
}

/// Which objects a fetch leaves out; every fetch says so, because git remembers the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// None: everything comes.
    Nothing,
    /// Blobs.
    Blobs,
    /// Trees and blobs: only commits come.
    Trees,
}

impl Filter {
    fn option(self) -> &'static str {
        match self {
            Self::Nothing => "--no-filter",
            Self::Blobs => "--filter=blob:none",
            Self::Trees => "--filter=tree:0",
        }
    }
}

/// How to reach one remote, and where our repositories for it are.
#[derive(Clone, Debug)]
pub struct Connection {
    caches: PathBuf,
    url: RemoteUrl,
    transport: Transport,
    deadline: Duration,
}

impl Connection {
    /// Prepares to speak with `url`, as the repository at `source` would. `caches` is the
    /// directory that holds the bare caches; `deadline` holds for each call of git.
    ///
    /// # Errors
    /// When the cache cannot be made or the source's configuration cannot be read.
    pub fn new(caches: &Path, url: &RemoteUrl, source: Option<&Path>, deadline: Duration) -> Result<Self, CacheError> {
        let plain = Self { caches: caches.to_path_buf(), url: url.clone(), transport: Transport::default(), deadline };
        let own = plain.directory(Role::Commits);
        // Only its configuration is read, so whoever uses it, this process too, is no hindrance.
        if !own.join("HEAD").exists() {
            Cache::open(&plain, Role::Commits)?;
        } else if let Ok(lock) = File::options().append(true).open(own.with_extension("lock")) {
            mark_used(&lock);
        }
        let transport = Transport::of(source, &own)?;
        Ok(Self { transport, ..plain })
    }

    /// The remote.
    pub fn url(&self) -> &RemoteUrl {
        &self.url
    }

    /// The same remote, with repositories of ours in another directory.
    pub fn beside(&self, caches: &Path) -> Self {
        Self { caches: caches.to_path_buf(), ..self.clone() }
    }

    /// The directory that holds the bare caches.
    pub fn caches(&self) -> &Path {
        &self.caches
    }

    /// One place a remote, whoever's password its URL holds.
    fn directory(&self, role: Role) -> PathBuf {
        let name = hex(&Sha256::digest(self.url.without_user().as_bytes())[..16]);
        self.caches.join(format!("{name}{}.git", role.suffix()))
    }
}

/// What a remote lists of the key space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Refs of ours, in order of their meaning.
    pub refs: BTreeMap<RefName, Oid>,
    /// Whether the remote filters fetches.
    pub filters: bool,
}

impl Listing {
    /// The id a ref names.
    pub fn get(&self, name: &RefName) -> Option<Oid> {
        self.refs.get(name).copied()
    }

    /// The published commits of `repo`: source sha and artifact id.
    pub fn commits<'a>(
        &'a self,
        namespace: Namespace,
        repo: &'a Component,
    ) -> impl Iterator<Item = (&'a str, Oid)> + 'a {
        self.refs.iter().filter_map(move |(name, &id)| match &name.key {
            Key::Commit(sha) if name.namespace == namespace && name.repo == *repo => Some((sha.as_str(), id)),
            _ => None,
        })
    }

    /// The source sha that artifact `id` is published for.
    pub fn source_of<'a>(&'a self, namespace: Namespace, repo: &'a Component, id: Oid) -> Option<&'a str> {
        self.commits(namespace, repo).find(|(_, found)| *found == id).map(|(sha, _)| sha)
    }
}

/// What the source remote says of branches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceHeads {
    /// The branch its `HEAD` names.
    pub default_branch: Option<String>,
    /// The commit at the tip of the branch asked about.
    pub tip: Option<String>,
}

/// One ref to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefUpdate {
    /// Which ref.
    pub name: RefName,
    /// What it must name now; `None` where it must not exist.
    pub old: Option<Oid>,
    /// What it shall name; `None` deletes it.
    pub new: Option<Oid>,
}

/// What a push sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Objects in the pack.
    pub objects: u64,
    /// Bytes of the pack as git reports them, rounded by it from 1 KiB on.
    pub bytes: u64,
}

/// One of our bare repositories. Nobody else uses it while this value lives.
pub struct Cache {
    connection: Connection,
    directory: PathBuf,
    repo: Repository,
    _lock: File,
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("directory", &self.directory).finish_non_exhaustive()
    }
}

impl Cache {
    /// Opens the repository for `role`, made where it is missing. Waits for its other user.
    ///
    /// # Errors
    /// When it cannot be made or opened, or stays in use for as long as the deadline.
    pub fn open(connection: &Connection, role: Role) -> Result<Self, CacheError> {
        let directory = connection.directory(role);
        let local = |why: String| CacheError::Local { path: directory.display().to_string(), why };
        private_directory(&connection.caches).map_err(|error| local(error.to_string()))?;
        let lock = take_lock(&directory.with_extension("lock"), connection.deadline).map_err(local)?;
        let repo = if directory.join("HEAD").exists() {
            Repository::open_bare(&directory)
        } else {
            let mut options = RepositoryInitOptions::new();
            Repository::init_opts(&directory, options.bare(true).external_template(false))
        };
        let repo = repo.map_err(|error| local(error.message().to_owned()))?;
        remove_left_over_locks(&directory);
        Ok(Self { connection: connection.clone(), directory, repo, _lock: lock })
    }

    /// The repository, for its objects.
    pub fn repo(&self) -> &Repository {
        &self.repo
    }

    /// Gives up the exclusive use and keeps the repository for reading. Objects are
    /// never removed or changed, so reading needs no lock.
    pub fn into_reader(self) -> Repository {
        self.repo
    }

    /// Opens the repository once more, for reading beside others.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn reader(&self) -> Result<Repository, CacheError> {
        Repository::open_bare(&self.directory).map_err(|error| CacheError::Local {
            path: self.directory.display().to_string(),
            why: error.message().to_owned(),
        })
    }

    /// Removes the repository; the next use makes it again.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn delete(self) -> Result<(), CacheError> {
        let Self { directory, repo, _lock, .. } = self;
        drop(repo);
        fs::remove_dir_all(&directory)
            .map_err(|error| CacheError::Local { path: directory.display().to_string(), why: error.to_string() })
    }

    /// The object database.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn odb(&self) -> Result<git2::Odb<'_>, CacheError> {
        reading::odb(&self.repo)
    }

    /// Lists the refs of ours, of one repository or of all, and asks about filters.
    ///
    /// # Errors
    /// When the remote cannot be asked or lists too much.
    pub fn list(&self, repo: Option<&Component>) -> Result<Listing, CacheError> {
        let patterns = Namespace::ALL.map(|space| match repo {
            Some(repo) => format!("{}{repo}/*", space.prefix()),
            None => format!("{}*", space.prefix()),
        });
        let call = self.call("ls-remote").env("GIT_TRACE_PACKET", "1").output_limit(MAX_LISTING);
        let output = call.values([REMOTE]).values(patterns).run()?;
        let mut listing = Listing { refs: BTreeMap::new(), filters: offers_filters(&output.stderr) };
        for (id, name) in listed(&output.stdout) {
            if let (Some(name), Ok(id)) = (RefName::parse(name), Oid::from_str(id)) {
                listing.refs.insert(name, id);
            }
            if listing.refs.len() > MAX_REFS {
                return Err(CacheError::TooManyRefs(MAX_REFS));
            }
        }
        Ok(listing)
    }

    /// Asks a source remote for its default branch and the tip of `branch`.
    ///
    /// # Errors
    /// When the remote cannot be asked.
    pub fn source_heads(&self, branch: Option<&str>) -> Result<(SourceHeads, bool), CacheError> {
        let wanted = branch.map(|branch| format!("refs/heads/{branch}"));
        let call = self.call("ls-remote").args(["--symref"]).env("GIT_TRACE_PACKET", "1").output_limit(MAX_LISTING);
        let output = call.values([REMOTE, "HEAD"]).values(&wanted).run()?;
        let mut heads = SourceHeads::default();
        for (value, name) in listed(&output.stdout) {
            if name == "HEAD" {
                if let Some(branch) = value.strip_prefix("ref: refs/heads/") {
                    heads.default_branch = Some(branch.to_owned());
                }
            } else if Some(name) == wanted.as_deref() {
                heads.tip = Some(value.to_owned());
            }
        }
        Ok((heads, offers_filters(&output.stderr)))
    }

    /// The commits that the remote's tags name.
    ///
    /// # Errors
    /// When the remote cannot be asked or lists too much.
    pub fn tagged(&self) -> Result<BTreeSet<String>, CacheError> {
        let call = self.call("ls-remote").args(["--tags"]).output_limit(MAX_LISTING);
        let output = call.values([REMOTE]).run()?;
        // An annotated tag is listed twice: as itself, and as the commit it names.
        Ok(listed(&output.stdout).into_iter().map(|(id, _)| id.to_owned()).collect())
    }

    /// Fetches objects by id, `--depth=1` where `shallow`.
    ///
    /// # Errors
    /// When the remote cannot be reached or has not got them.
    pub fn fetch(&self, wants: &[String], filter: Filter, shallow: bool) -> Result<(), CacheError> {
        if wants.is_empty() {
            return Ok(());
        }
        let options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", filter.option()];
        let depth = shallow.then_some("--depth=1");
        let call = self.call("fetch").args(options).args(depth).args(["--stdin"]).values([REMOTE]);
        call.stdin(wants.join("\n") + "\n").run()?;
        Ok(())
    }

    /// Brings an artifact here to build on or to point to, without its blobs where the
    /// remote can leave them out (`filters`).
    ///
    /// # Errors
    /// When the remote cannot be reached or has not got it.
    pub fn fetch_artifact(&self, id: Oid, filters: bool) -> Result<(), CacheError> {
        if self.odb()?.exists(id) {
            return Ok(());
        }
        let filter = if filters { Filter::Blobs } else { Filter::Nothing };
        self.fetch(&[id.to_string()], filter, true)
    }

    /// Fetches what is not here yet of the artifact commits `ids`, without their trees.
    ///
    /// # Errors
    /// When the remote cannot be reached or has not got them.
    pub fn fetch_commits(&self, ids: impl IntoIterator<Item = Oid>) -> Result<(), CacheError> {
        let odb = self.odb()?;
        let mut missing: Vec<String> = ids.into_iter().filter(|id| !odb.exists(*id)).map(|id| id.to_string()).collect();
        missing.sort();
        missing.dedup();
        self.fetch(&missing, Filter::Trees, true)
    }

    /// Reads an artifact commit that is here.
    ///
    /// # Errors
    /// When it is missing or no artifact.
    pub fn commit(&self, id: Oid) -> Result<ArtifactCommit, CacheError> {
        reading::read_commit(&self.odb()?, id)
    }

    /// Writes an artifact commit and gives its id.
    ///
    /// # Errors
    /// When the object database cannot be written.
    pub fn write_commit(&self, commit: &ArtifactCommit) -> Result<Oid, CacheError> {
        let id = commit.id()?;
        let written = self.odb()?.write(git2::ObjectType::Commit, &commit.encode());
        written.map_err(|error| CacheError::object(id, error.message()))
    }

    /// Remembers `id` under a local name, so that later fetches and pushes build on it.
    ///
    /// # Errors
    /// When the ref cannot be written.
    pub fn remember(&self, name: &str, id: Oid) -> Result<(), CacheError> {
        self.repo.reference(name, id, true, "").map(|_| ()).map_err(|error| CacheError::Local {
            path: self.directory.display().to_string(),
            why: error.message().to_owned(),
        })
    }

    /// The id remembered under `name`.
    pub fn remembered(&self, name: &str) -> Option<Oid> {
        self.repo.refname_to_id(name).ok()
    }

    /// Moves refs on the remote, each by compare-and-swap, all or none.
    ///
    /// # Errors
    /// [`GitErrorKind::Stale`] when a ref was not what its update says,
    /// [`GitErrorKind::BaseGone`] when the remote lacks what the push builds on.
    pub fn push(&self, updates: &[RefUpdate]) -> Result<Sent, CacheError> {
        self.send(updates, (updates.len() > 1).then_some("--atomic"))
    }

    /// As [`Self::push`], but one ref that cannot move holds up no other.
    ///
    /// # Errors
    /// As [`Self::push`], when at least one ref did not move.
    pub fn push_each(&self, updates: &[RefUpdate]) -> Result<Sent, CacheError> {
        self.send(updates, None)
    }

    fn send(&self, updates: &[RefUpdate], together: Option<&str>) -> Result<Sent, CacheError> {
        let output = self.push_call(updates).args(together).answer()?;
        if output.code == 0 {
            return Ok(sent(&output.stderr));
        }
        Err(push_error(&output.stdout, &output.stderr).into())
    }

    /// A push of `updates`, each with its lease.
    pub(super) fn push_call(&self, updates: &[RefUpdate]) -> Program {
        let options =
            ["--porcelain", "--progress", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no"];
        let leases = updates.iter().map(|update| {
            let old = update.old.map(|id| id.to_string()).unwrap_or_default();
            format!("--force-with-lease={}:{old}", update.name)
        });
        let refspecs = updates.iter().map(|update| {
            let new = update.new.map(|id| id.to_string()).unwrap_or_default();
            format!("{new}:{}", update.name)
        });
        self.call("push").args(options).args(leases).values([REMOTE]).values(refspecs)
    }

    fn call(&self, subcommand: &str) -> Program {
        let connection = &self.connection;
        Program::own(&self.directory, subcommand)
            .remote(REMOTE, &connection.url, &connection.transport)
            .deadline(connection.deadline)
    }

    /// Runs a question in this repository without reaching the remote.
    pub(crate) fn ask(&self, subcommand: &str) -> Program {
        Program::own(&self.directory, subcommand).deadline(self.connection.deadline)
    }
}

fn private_directory(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
    }
    #[cfg(not(unix))]
    fs::create_dir_all(path)
}

fn take_lock(path: &Path, deadline: Duration) -> Result<File, String> {
    let file = File::options().create(true).append(true).open(path).map_err(|error| error.to_string())?;
    let end = Instant::now() + deadline;
    loop {
        match file.try_lock() {
            Ok(()) => {
                mark_used(&file);
                return Ok(file);
            }
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(Duration::from_millis(20)),
            Err(TryLockError::WouldBlock) => {
                return Err(format!("another cce has used it for {} s", deadline.as_secs()));
            }
            Err(TryLockError::Error(error)) => return Err(error.to_string()),
        }
    }
}

/// The date of the lock says when the repository was last opened. Where it cannot be set, it
/// is removed early and made again.
#[allow(clippy::disallowed_methods, reason = "the age of a lock file is no content")]
fn mark_used(lock: &File) {
    drop(lock.set_modified(SystemTime::now()));
}

#[allow(clippy::disallowed_methods, reason = "the age of a lock file is no content")]
fn remove_left_over_locks(directory: &Path) {
    for name in ["shallow.lock", "config.lock", "packed-refs.lock"] {
        let path = directory.join(name);
        let age = fs::metadata(&path)
            .and_then(|data| data.modified())
            .ok()
            .and_then(|time| SystemTime::now().duration_since(time).ok());
        if age.is_some_and(|age| age > STALE_LOCK) {
            // Where it cannot be removed, git names it in its own error.
            let _ = fs::remove_file(&path);
        }
    }
}

/// `value TAB name` lines.
fn listed(stdout: &[u8]) -> Vec<(&str, &str)> {
    let lines = stdout.split(|&byte| byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    lines.filter_map(|line| line.split_once('\t')).collect()
}

/// Looks for the capability in the packets a server sent: `fetch=… filter` in protocol 2,
/// the list behind the first ref before it.
///
/// Before protocol 2 a server that filters may still refuse to send a single left-out
/// object later, which a push on a blobless base needs; such a server counts as without.
fn offers_filters(trace: &[u8]) -> bool {
    let text = String::from_utf8_lossy(trace);
    text.lines().filter(|line| line.contains(" packet: ")).filter_map(|line| line.split_once("< ")).any(
        |(_, packet)| {
            let has = |list: &str, wanted: &str| list.split(' ').any(|capability| capability == wanted);
            match (packet.strip_prefix("fetch="), packet.split_once("\\0")) {
                (Some(list), _) => has(list, "filter"),
                (None, Some((_, list))) => has(list, "filter") && has(list, "allow-reachable-sha1-in-want"),
                (None, None) => false,
            }
        },
    )
}

/// Reads the numbers from git's progress: `Writing objects: 100% (3/3), 1.20 KiB | …`.
fn sent(stderr: &[u8]) -> Sent {
    let text = String::from_utf8_lossy(stderr);
    let Some(line) = text.split(['\n', '\r']).rfind(|line| line.starts_with("Writing objects: 100%")) else {
        return Sent::default();
    };
    let objects = line.split_once('(').and_then(|(_, rest)| rest.split('/').next()?.parse().ok());
    let size = line.split_once("), ").map(|(_, rest)| rest.split([',', '|']).next().unwrap_or_default().trim());
    Sent { objects: objects.unwrap_or_default(), bytes: size.and_then(bytes).unwrap_or_default() }
}

/// `812 bytes`, `1.20 KiB`, `3.05 MiB`, in whole bytes.
fn bytes(size: &str) -> Option<u64> {
    let (number, unit) = size.split_once(' ')?;
    let shift = match unit {
        "byte" | "bytes" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        _ => return None,
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let hundredths =
        whole.parse::<u64>().ok()?.checked_mul(100)? + format!("{part:0<2}").get(..2)?.parse::<u64>().ok()?;
    Some((hundredths << shift) / 100)
}

/// Tells from the status lines why a push failed.
pub(super) fn push_error(stdout: &[u8], stderr: &[u8]) -> GitError {
    let text = String::from_utf8_lossy(stdout);
    let refused: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| line.strip_prefix("!\t"))
        .filter_map(|line| line.split_once('\t'))
        .map(|(refs, why)| (refs.rsplit(':').next().unwrap_or_default(), why))
        .collect();
    let cause = |(_, why): &&(&str, &str)| !why.contains("atomic push fail") && !why.contains("transaction");
    let Some((name, why)) = refused.iter().find(cause).or(refused.first()) else {
        return GitError::from_stderr_of_push(stderr);
    };
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| why.contains(phrase));
    let kind = if has(&[
        "stale info",
        "cannot lock ref",
        "failed to update ref",
        "reference already exists",
        "incorrect old value",
        "failed to lock",
        "fetch first",
        "remote ref updated since checkout",
        "atomic transaction failed",
    ]) {
        GitErrorKind::Stale
    } else if has(&["unpacker error", "missing necessary objects", "shallow update not allowed"]) {
        GitErrorKind::BaseGone
    } else if has(&["unable to migrate objects"]) {
        GitErrorKind::Busy
    } else {
        GitErrorKind::Refused
    };
    GitError::new(kind, format!("the remote did not take `{name}`: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_seen_in_both_protocols() {
        let v2 = b"19:21 pkt-line.c:86  packet:  ls-remote< fetch=shallow wait-for-done filter\n";
        let v0 = b"19:21 pkt-line.c:86  packet:  fetch< 1234 HEAD\\0multi_ack allow-reachable-sha1-in-want filter\n";
        let v0_strict = b"19:21 pkt-line.c:86  packet:  fetch< 1234 HEAD\\0multi_ack filter agent=x\n";
        assert!(!offers_filters(v0_strict));
        assert!(offers_filters(v2) && offers_filters(v0));
        let without = b"19:21 pkt-line.c:86  packet:  ls-remote< fetch=shallow wait-for-done\n";
        let own = b"19:21 pkt-line.c:86  packet:  upload-pack> fetch=shallow filter\n";
        let named = b"19:21 pkt-line.c:86  packet:  ls-remote< 1234 refs/heads/filter\nfetch=filter\n";
        assert!(!offers_filters(without) && !offers_filters(own) && !offers_filters(named));
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!(bytes("812 bytes"), Some(812));
        assert_eq!(bytes("1.50 KiB"), Some(1536));
        assert_eq!(bytes("2.05 MiB"), Some(2_149_580));
        assert_eq!(bytes("x KiB"), None);
        let progress = b"Counting objects: 100% (3/3), done.\nWriting objects:  33% (1/3)\rWriting objects: 100% (3/3), 1.50 KiB | 1.50 MiB/s, done.\nTotal 3\n";
        assert_eq!(sent(progress), Sent { objects: 3, bytes: 1536 });
        assert_eq!(sent(b""), Sent::default());
    }

    #[test]
    fn push_failures_are_told_apart() {
        let kind = |line: &str| push_error(line.as_bytes(), b"").kind();
        assert_eq!(kind("!\ta:refs/x\t[rejected] (stale info)\n"), GitErrorKind::Stale);
        assert_eq!(kind("!\ta:refs/x\t[remote rejected] (failed to update ref)\n"), GitErrorKind::Stale);
        assert_eq!(kind("!\ta:refs/x\t[remote rejected] (unpacker error)\n"), GitErrorKind::BaseGone);
        let busy = "!\ta:refs/x\t[remote rejected] (unable to migrate objects to permanent storage)\n";
        assert_eq!(kind(busy), GitErrorKind::Busy);
        assert_eq!(kind("!\ta:refs/x\t[remote rejected] (pre-receive hook declined)\n"), GitErrorKind::Refused);
        let both = "!\ta:refs/y\t[rejected] (atomic push failed)\n!\ta:refs/x\t[rejected] (stale info)\n";
        assert_eq!(kind(both), GitErrorKind::Stale);
        assert!(push_error(b"", b"fatal: boom\n").to_string().contains("boom"));
    }
}
