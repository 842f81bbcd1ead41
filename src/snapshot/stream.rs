//! The canonical stream: the manifest line, then the record lines in path order.
//!
//! Exported to a file it ends in `.cce3`.

use std::io::{self, BufRead, Read, Write};

use super::manifest::MAX_MANIFEST;
use super::{Manifest, Snapshot, SnapshotError, Verifier};
use crate::record::Record;
use crate::record::canonical::MAX_LINE;

/// Why a stream could not be read to its end.
#[derive(Debug, thiserror::Error)]
pub enum StreamError<E> {
    /// The reader failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
    /// The contents are refused.
    #[error(transparent)]
    Snapshot(SnapshotError),
    /// A line is longer than any this format has.
    #[error("line {0} is longer than a line may be")]
    LineTooLong(u64),
    /// The last line has no line feed, so the stream was cut.
    #[error("the stream ends in the middle of line {0}")]
    Cut(u64),
    /// The caller's own failure.
    #[error("{0}")]
    Visitor(E),
}

/// Writes the canonical stream of `snapshot`.
///
/// # Errors
/// When `out` fails.
pub fn write(snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&snapshot.manifest.line())?;
    snapshot.records.iter().try_for_each(|entry| out.write_all(&entry.line))
}

/// Reads and checks a stream, handing the manifest, each record and its line to `visit`.
///
/// `visit` sees them before the whole is vouched for, so it must not activate
/// anything; the manifest comes back only when everything was right.
///
/// # Errors
/// When reading fails, the contents are refused, or `visit` fails.
pub fn read<E>(
    input: &mut dyn BufRead,
    mut visit: impl FnMut(&Manifest, Record, &[u8]) -> Result<(), E>,
) -> Result<Manifest, StreamError<E>> {
    let mut line = Vec::new();
    let mut number = 1;
    if !read_line(input, MAX_MANIFEST, number, &mut line)? {
        return Err(StreamError::Cut(number));
    }
    let mut verifier = Verifier::new(&line).map_err(StreamError::Snapshot)?;
    loop {
        number += 1;
        if !read_line(input, MAX_LINE, number, &mut line)? {
            return verifier.finish().map_err(StreamError::Snapshot);
        }
        let record = verifier.record(None, &line).map_err(StreamError::Snapshot)?;
        visit(verifier.manifest(), record, &line).map_err(StreamError::Visitor)?;
    }
}

/// Reads one line into `line`; `false` at the end of the stream.
fn read_line<E>(
    input: &mut dyn BufRead,
    limit: usize,
    number: u64,
    line: &mut Vec<u8>,
) -> Result<bool, StreamError<E>> {
    line.clear();
    let mut bounded = input.take(limit as u64);
    bounded.read_until(b'\n', line)?;
    match line.last() {
        None => Ok(false),
        Some(b'\n') => Ok(true),
        Some(_) if line.len() == limit => Err(StreamError::LineTooLong(number)),
        Some(_) => Err(StreamError::Cut(number)),
    }
}
