//! From a pulled artifact to a store that answers: verified record by record, activated last.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;

use super::{Pulled, SyncError};
use crate::cache::CacheError;
use crate::record::Record;
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
    let (builder, manifest) = checked(pulled, &contents, progress)?;
    let lock = store.lock()?;
    let base = store.write_index(&lock, builder, pulled.artifact.manifest_line())?;
    let active =
        Active { base, overlay: None, head: Some(pulled.sha.clone()), dirty: false, sourceless: source.is_none() };
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
    contents: &Contents,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<(IndexBuilder, Manifest), InstallError> {
    let mut verifier = Verifier::new(pulled.artifact.manifest_line())?;
    let announced = verifier.manifest().clone();
    let total = usize::try_from(announced.file_count).unwrap_or(usize::MAX);
    let mut builder = IndexBuilder::new();
    let mut batch = Vec::with_capacity(BATCH);
    let mut done = 0;
    pulled.artifact.visit(|path, line| {
        batch.push(verifier.record(Some(path), line)?);
        done += 1;
        progress(done, total);
        if batch.len() == BATCH { add(&mut builder, &mut batch, contents, &announced) } else { Ok(()) }
    })?;
    add(&mut builder, &mut batch, contents, &announced)?;
    let manifest = verifier.finish()?;
    for skipped in &manifest.skipped {
        builder.skip(skipped.clone(), contents.of_skipped(&skipped.path));
    }
    Ok((builder, manifest))
}

fn add(
    builder: &mut IndexBuilder,
    batch: &mut Vec<Record>,
    contents: &Contents,
    manifest: &Manifest,
) -> Result<(), InstallError> {
    let records = std::mem::take(batch);
    let image = |record: Record| {
        let key = contents.key(manifest, &record.path);
        FileImage::from_record(record, key)
    };
    for image in records.into_par_iter().map(image).collect::<Vec<_>>() {
        builder.add(image?);
    }
    Ok(())
}
