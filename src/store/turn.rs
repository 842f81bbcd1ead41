//! Work that is done now and then, beside everything else: whose turn it is, how it ended.
//!
//! Two files of the store keep it: `pull-turn`, whose time says when the last turn began,
//! and `pull-failed`, which says why the last one failed, if it did.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::time::Duration;

use tempfile::NamedTempFile;

use super::Store;
use super::generation::{StoreError, failed, seal};
use crate::source::native::read_file;

const TURN: &str = "pull-turn";
const FAILED: &str = "pull-failed";
/// The longest reason that is read, in bytes.
const MAX_REASON: u64 = 4096;

impl Store {
    /// Takes the turn to pull, if the last one began `interval` or more ago. Of several
    /// processes that ask at once one gets it.
    ///
    /// # Errors
    /// When there is no store yet, or its files cannot be written.
    pub fn take_turn(&self, interval: Duration) -> Result<bool, StoreError> {
        self.refuse_links()?;
        let path = self.directory().join(TURN);
        let io = |source| failed("write", &path, source);
        let mut file = File::options().create(true).truncate(false).write(true).open(&path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        let begun = file.metadata().map_err(io)?;
        // A time to come is a clock that was set back.
        let recent = begun.modified().ok().and_then(|time| time.elapsed().ok()).is_some_and(|age| age < interval);
        if begun.len() > 0 && recent {
            return Ok(false);
        }
        // Writing sets the time.
        file.set_len(0).and_then(|()| file.write_all(b"pull\n")).map_err(io)?;
        Ok(true)
    }

    /// Notes how a turn ended: why it failed, or that it did not.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn end_turn(&self, failure: Option<&str>) -> Result<(), StoreError> {
        self.refuse_links()?;
        let path = self.directory().join(FAILED);
        let Some(reason) = failure else {
            return match fs::remove_file(&path) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(failed("remove", &path, source)),
                _ => Ok(()),
            };
        };
        let mut file = NamedTempFile::with_prefix_in("new-", self.directory())
            .map_err(|source| failed("create a file in", self.directory(), source))?;
        let reason = &reason[..reason.floor_char_boundary(MAX_REASON as usize)];
        file.write_all(reason.as_bytes()).map_err(|source| failed("write", &path, source))?;
        seal(file, &path)
    }

    /// Why the last turn failed, if it did.
    pub fn last_failure(&self) -> Option<String> {
        self.refuse_links().ok()?;
        let bytes = read_file(&self.directory().join(FAILED), MAX_REASON).ok()?;
        String::from_utf8(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(86_400);

    #[test]
    fn a_turn_is_given_once_in_an_interval() {
        let place = tempfile::tempdir().unwrap();
        let store = Store::at(place.path());
        assert!(store.take_turn(DAY).unwrap());
        assert!(!store.take_turn(DAY).unwrap());
        assert!(store.take_turn(Duration::ZERO).unwrap());
        let turn = File::options().write(true).open(place.path().join(TURN)).unwrap();
        let begun = turn.metadata().unwrap().modified().unwrap();
        turn.set_modified(begun - 2 * DAY).unwrap();
        assert!(store.take_turn(DAY).unwrap());
        turn.set_modified(begun + 2 * DAY).unwrap();
        assert!(store.take_turn(DAY).unwrap(), "a time to come does not block for ever");
    }

    #[test]
    fn two_cannot_have_it_at_once() {
        let place = tempfile::tempdir().unwrap();
        let store = Store::at(place.path());
        let held = File::create(place.path().join(TURN)).unwrap();
        held.lock().unwrap();
        assert!(!store.take_turn(Duration::ZERO).unwrap());
        drop(held);
        assert!(store.take_turn(Duration::ZERO).unwrap());
    }

    #[test]
    fn the_end_of_a_turn_is_remembered() {
        let place = tempfile::tempdir().unwrap();
        let store = Store::at(place.path());
        assert_eq!(store.last_failure(), None);
        store.end_turn(None).unwrap();
        store.end_turn(Some("the remote is away")).unwrap();
        assert_eq!(store.last_failure().as_deref(), Some("the remote is away"));
        store.end_turn(None).unwrap();
        assert_eq!(store.last_failure(), None);
    }
}
