//! Faults of the program while it reads one file.
//!
//! A panic in the extraction of one file must not cost the run: it is caught here,
//! and becomes a problem of that file. Whoever installs a panic hook asks
//! [`guarded`] first, so that a caught panic prints nothing.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The work ended in a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside work whose panic is caught.
pub fn guarded() -> bool {
    GUARDED.get()
}

/// Does `work`, and gives a fault where it panics.
///
/// The work must leave nothing behind that a later call could find half done.
pub(super) fn guard<T>(work: impl FnOnce() -> T) -> Result<T, Fault> {
    let before = GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(before);
    done.map_err(|_| Fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_guarded_and_nothing_else() {
        assert!(!guarded());
        assert_eq!(guard(guarded), Ok(true));
        assert!(!guarded());
    }
}
