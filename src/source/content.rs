//! What the bytes of one file say about the file.

use super::SkipReason;
use super::decode::{Decoded, decode, utf16_mark};

/// What one file gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text, decoded and not yet redacted.
    Text(Decoded),
    /// Nothing: `oversize`, `lfs-pointer`, `binary` or `unreadable`.
    Skip(SkipReason),
}

/// How far a NUL is looked for, in bytes.
const NUL_WINDOW: usize = 8192;
/// The largest pointer to large-file storage, in bytes.
const MAX_POINTER: usize = 1024;
const POINTER_START: &[u8] = b"version https://git-lfs.github.com/spec/v1";

impl Content {
    /// Judges the stored bytes of a file: size first, then pointer, then NULs.
    pub(crate) fn of(bytes: Vec<u8>, size_limit: u64) -> Self {
        if bytes.len() as u64 > size_limit {
            Self::Skip(SkipReason::Oversize)
        } else if bytes.len() <= MAX_POINTER && bytes.starts_with(POINTER_START) {
            Self::Skip(SkipReason::LfsPointer)
        } else if utf16_mark(&bytes).is_none() && bytes[..bytes.len().min(NUL_WINDOW)].contains(&0) {
            Self::Skip(SkipReason::Binary)
        } else {
            Self::Text(decode(bytes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], reason: Option<SkipReason>) {
        let found = match Content::of(bytes.to_vec(), 10_000) {
            Content::Skip(reason) => Some(reason),
            Content::Text(_) => None,
        };
        assert_eq!(found, reason);
    }

    #[test]
    fn reasons() {
        check(b"", None);
        check(b"a\0b", Some(SkipReason::Binary));
        check(b"\xff\xfea\0", None);
        check(b"\xff\xfe\0\0a\0\0\0", Some(SkipReason::Binary));
        check(&[b'a'; 10_000], None);
        check(&[b'a'; 10_001], Some(SkipReason::Oversize));
        check(&[&[b'a'; 8191][..], b"\0"].concat(), Some(SkipReason::Binary));
        check(&[&[b'a'; 8192][..], b"\0"].concat(), None);
    }

    #[test]
    fn pointers() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
        check(pointer, Some(SkipReason::LfsPointer));
        check(&[&pointer[..], &[b' '; 1024]].concat(), None);
        check(&[b" ", &pointer[..]].concat(), None);
    }
}
