//! How the index that is installed compares to one that could be.

use std::path::Path;

use super::history::{Ancestry, SourceHistory};
use crate::snapshot::Manifest;
use crate::store::Store;

/// The manifest of what `store` has as its base, where that can be opened.
pub fn installed(store: &Store) -> Option<Manifest> {
    let (_, view) = store.open().ok().flatten()?;
    Manifest::parse(view.base().manifest()).ok()
}

/// Whether `store` already answers from exactly these records, and its file is undamaged.
pub fn holds(store: &Store, checksum: &str) -> bool {
    let Ok(Some((_, view))) = store.open() else { return false };
    let same = Manifest::parse(view.base().manifest()).is_ok_and(|manifest| manifest.checksum == checksum);
    same && view.base().verify_digest().is_ok()
}

/// How many commits an index of the commit `installed` is ahead of one of `found`, seen from
/// the checkout at `source`; `None` where it is not.
///
/// It counts only while the checkout still has that commit in its history: after a switch
/// of branches the other index may be the nearer one.
pub fn ahead(source: &Path, installed: &str, found: &str) -> Option<u64> {
    let history = SourceHistory::of(source);
    let head = history.head().ok()?.sha?;
    if history.descends(&head, installed) != Ancestry::Yes {
        return None;
    }
    let (ahead, behind) = history.distance(installed, found)?;
    (behind == 0 && ahead > 0).then_some(ahead)
}
