//! From a pulled artifact to a store that answers: verified record by record, activated last.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;

use rayon::prelude::*;

use super::{Pulled, SyncError};
use crate::cache::CacheError;
use crate::config::RepoId;
use crate::record::Record;
use crate::snapshot::stream::{self, StreamError};
use crate::snapshot::{Manifest, RecordKey, SnapshotError, Verifier, record_key};
use crate::source::{CommitSource, ContentId, FileEntry, RepoPath, Source};
use crate::store::{Active, BuildError, FileImage, IndexBuilder, Store, StoreError};

/// Records that are turned into images together: enough for all threads, little enough
/// to hold.
const BATCH: usize = 256;

/// Why an artifact was not installed; what was active before is active still.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The artifact could not be fetched or read.
    #[error(transparent)]
    Sync(#[from] SyncError),
    /// The artifact fails a check.
    #[error("the artifact is refused: {0}")]
    Refused(#[from] SnapshotError),
    /// The file of an artifact cannot be read to its end.
    #[error("the artifact is refused: {0}")]
    Unreadable(String),
    /// The file holds the index of a directory, which nobody published.
    #[error("it does not say which repository and commit it is of, so it is no artifact")]
    Anonymous,
    /// The artifact is of another repository.
    #[error("it is of `{found}`, and this repository is `{wanted}`; name a directory of its own with `--into`")]
    Foreign {
        /// What the artifact is of.
        found: RepoId,
        /// What was asked for.
        wanted: RepoId,
    },
    /// A record could not be made into a part of an index.
    #[error(transparent)]
    Image(#[from] BuildError),
    /// The store cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CacheError> for InstallError {
    fn from(error: CacheError) -> Self {
        Self::Sync(error.into())
    }
}

impl From<StreamError<InstallError>> for InstallError {
    fn from(error: StreamError<InstallError>) -> Self {
        match error {
            StreamError::Visitor(error) => error,
            StreamError::Snapshot(error) => Self::Refused(error),
            other => Self::Unreadable(other.to_string()),
        }
    }
}

/// Verifies `pulled` and makes it what `store` answers from.
///
/// `source` is the repository whose checkout the store belongs to, if there is one: then
/// its commit tells which content each record was made from, and what differs in the
/// work tree can be laid over later.
///
/// # Errors
/// When a check fails or the disk refuses.
pub fn install(
    pulled: &Pulled,
    store: &Store,
    source: Option<&Path>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Manifest, InstallError> {
    let contents = source.map(|source| contents_of(source, &pulled.sha)).unwrap_or_default();
    let (builder, manifest) = checked(pulled, contents, progress)?;
    activate(builder, manifest, pulled.artifact.manifest_line(), store, source)
}

/// Verifies the canonical stream `input` and makes it what `store` answers from.
///
/// `wanted` is the repository it must be of, where that is known; `source` as for
/// [`install`].
///
/// # Errors
/// When a check fails or the disk refuses.
pub fn install_stream(
    input: &mut dyn BufRead,
    wanted: Option<&RepoId>,
    store: &Store,
    source: Option<&Path>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Manifest, InstallError> {
    let mut making: Option<Making> = None;
    let begin = |manifest: &Manifest| {
        let sha = identity(manifest, wanted)?;
        let contents = source.map(|source| contents_of(source, sha)).unwrap_or_default();
        Ok::<Making, InstallError>(Making::new(manifest, contents))
    };
    let manifest = stream::read(input, |manifest, record, _| {
        let making = match &mut making {
            Some(making) => making,
            none => none.insert(begin(manifest)?),
        };
        making.take(record, progress)
    })?;
    let making = making.map_or_else(|| begin(&manifest), Ok)?;
    let builder = making.finish(&manifest)?;
    let line = manifest.line();
    activate(builder, manifest, &line, store, source)
}

/// The commit that `manifest` is of, where it is of the repository that is wanted.
fn identity<'a>(manifest: &'a Manifest, wanted: Option<&RepoId>) -> Result<&'a str, InstallError> {
    let (Some(found), Some(sha)) = (&manifest.repo_id, &manifest.sha) else { return Err(InstallError::Anonymous) };
    match wanted.filter(|wanted| *wanted != found) {
        Some(wanted) => Err(InstallError::Foreign { found: found.clone(), wanted: wanted.clone() }),
        None => Ok(sha),
    }
}

fn activate(
    builder: IndexBuilder,
    manifest: Manifest,
    manifest_line: &[u8],
    store: &Store,
    source: Option<&Path>,
) -> Result<Manifest, InstallError> {
    let lock = store.lock()?;
    let base = store.write_index(&lock, builder, manifest_line)?;
    let active = Active { base, overlay: None, head: manifest.sha.clone(), dirty: false, sourceless: source.is_none() };
    store.activate(&lock, &active)?;
    Ok(manifest)
}

/// Verifies every record of `pulled` and nothing else.
///
/// # Errors
/// The first check that fails.
pub fn verify(pulled: &Pulled) -> Result<Manifest, InstallError> {
    let mut verifier = Verifier::new(pulled.artifact.manifest_line())?;
    pulled.artifact.visit(|path, line| {
        verifier.record(Some(path), line)?;
        Ok::<(), InstallError>(())
    })?;
    Ok(verifier.finish()?)
}

/// The files of the commit that no rule leaves out, by path, where the repository has the commit.
#[derive(Default)]
struct Contents(BTreeMap<RepoPath, FileEntry>);

fn contents_of(source: &Path, sha: &str) -> Contents {
    let Ok(listing) = CommitSource::open(source, sha).and_then(|commit| commit.list()) else {
        return Contents::default();
    };
    Contents(listing.files.into_iter().map(|file| (file.path.clone(), file)).collect())
}

impl Contents {
    /// The key of a record; no key of ours where the content is not known.
    fn key(&self, manifest: &Manifest, path: &RepoPath) -> RecordKey {
        let file = self.0.get(path);
        file.map_or(RecordKey([0; 32]), |file| record_key(&manifest.extractor, &manifest.settings, file))
    }

    /// The bytes that made a file contribute nothing, where it was the bytes.
    fn of_skipped(&self, path: &RepoPath) -> Option<ContentId> {
        self.0.get(path).map(|file| file.content)
    }
}

/// Checks the whole artifact and makes everything an index needs of it.
fn checked(
    pulled: &Pulled,
    contents: Contents,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<(IndexBuilder, Manifest), InstallError> {
    let mut verifier = Verifier::new(pulled.artifact.manifest_line())?;
    let mut making = Making::new(verifier.manifest(), contents);
    pulled.artifact.visit(|path, line| making.take(verifier.record(Some(path), line)?, progress))?;
    let manifest = verifier.finish()?;
    Ok((making.finish(&manifest)?, manifest))
}

/// An index in the making, of records that passed their checks.
struct Making {
    builder: IndexBuilder,
    contents: Contents,
    announced: Manifest,
    batch: Vec<Record>,
    done: usize,
}

impl Making {
    fn new(announced: &Manifest, contents: Contents) -> Self {
        let batch = Vec::with_capacity(BATCH);
        Self { builder: IndexBuilder::new(), contents, announced: announced.clone(), batch, done: 0 }
    }

    fn take(&mut self, record: Record, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<(), InstallError> {
        self.batch.push(record);
        self.done += 1;
        progress(self.done, usize::try_from(self.announced.file_count).unwrap_or(usize::MAX));
        if self.batch.len() == BATCH { self.add() } else { Ok(()) }
    }

    fn add(&mut self) -> Result<(), InstallError> {
        let image = |record: Record| {
            let key = self.contents.key(&self.announced, &record.path);
            FileImage::from_record(record, key)
        };
        let records = std::mem::take(&mut self.batch);
        for image in records.into_par_iter().map(image).collect::<Vec<_>>() {
            self.builder.add(image?);
        }
        Ok(())
    }

    /// The index, of all records and of what `manifest` says was left out.
    fn finish(mut self, manifest: &Manifest) -> Result<IndexBuilder, InstallError> {
        self.add()?;
        for skipped in &manifest.skipped {
            self.builder.skip(skipped.clone(), self.contents.of_skipped(&skipped.path));
        }
        Ok(self.builder)
    }
}
