//! Names and file states as the operating system gives them.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What kind of thing stands at a path, not following links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A socket, a pipe or a device.
    Special,
}

impl From<std::fs::FileType> for Kind {
    fn from(kind: std::fs::FileType) -> Self {
        if kind.is_symlink() {
            Self::Link
        } else if kind.is_dir() {
            Self::Directory
        } else if kind.is_file() {
            Self::File
        } else {
            Self::Special
        }
    }
}

/// What the system says about a file without opening it. Times count nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    /// What stands there.
    pub(crate) kind: Kind,
    /// Size in bytes.
    pub(crate) size: u64,
    /// When the bytes changed last.
    pub(crate) mtime: i128,
    /// When anything about the file changed last; 0 where the system does not say.
    pub(crate) ctime: i128,
    /// The file's number; 0 where the system does not say.
    pub(crate) inode: u64,
}

/// A second, in the unit of [`Stat`]'s times.
pub(crate) const SECOND: i128 = 1_000_000_000;

#[cfg(unix)]
impl From<&Metadata> for Stat {
    fn from(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let time = |seconds: i64, nanoseconds: i64| i128::from(seconds) * SECOND + i128::from(nanoseconds);
        Self {
            kind: metadata.file_type().into(),
            size: metadata.len(),
            mtime: time(metadata.mtime(), metadata.mtime_nsec()),
            ctime: time(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }
}

#[cfg(not(unix))]
impl From<&Metadata> for Stat {
    fn from(metadata: &Metadata) -> Self {
        let mtime = metadata.modified().map_or(0, since_epoch);
        Self { kind: metadata.file_type().into(), size: metadata.len(), mtime, ctime: 0, inode: 0 }
    }
}

/// Nanoseconds since 1970.
pub(crate) fn since_epoch(time: std::time::SystemTime) -> i128 {
    let nanoseconds = |duration: std::time::Duration| i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX);
    match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => nanoseconds(after),
        Err(before) => -nanoseconds(before.duration()),
    }
}

/// The state of what stands at a path, not following a link in its last part.
pub(crate) fn stat(path: &Path) -> io::Result<Stat> {
    path.symlink_metadata().map(|metadata| Stat::from(&metadata))
}

/// The bytes of a name, as git would hold them; `None` where the system's name has none.
pub(crate) fn name_bytes(name: &OsStr) -> Option<Cow<'_, [u8]>> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Some(Cow::Borrowed(name.as_bytes()))
    }
    #[cfg(not(unix))]
    {
        name.to_str().map(|name| Cow::Owned(name.as_bytes().to_vec()))
    }
}

/// The place of a path below a root; `None` where the system cannot have such a name.
pub(crate) fn below(root: &Path, path: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Some(root.join(OsStr::from_bytes(path)))
    }
    #[cfg(not(unix))]
    {
        std::str::from_utf8(path).ok().filter(|path| !path.contains(['\\', ':'])).map(|path| root.join(path))
    }
}

/// Where a link points, in bytes.
pub(crate) fn link_target(path: &Path) -> io::Result<Vec<u8>> {
    let target = std::fs::read_link(path)?;
    Ok(name_bytes(target.as_os_str()).map(Cow::into_owned).unwrap_or_default())
}

/// Reads a regular file that is not larger than it was, without following a link in
/// its last part.
pub(crate) fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let mut bytes = Vec::with_capacity(usize::try_from(file.metadata()?.len().min(limit)).unwrap_or(0) + 1);
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large"));
    }
    Ok(bytes)
}

/// Opens a regular file for reading; links, pipes and devices are refused.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let file = open_file(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

/// Opens without following a link that took the file's place after it was looked at,
/// and without waiting for the writer of a pipe that did.
#[cfg(unix)]
fn open_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options()
        .read(true)
        .custom_flags((rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits().cast_signed())
        .open(path)
}

#[cfg(not(unix))]
fn open_file(path: &Path) -> io::Result<File> {
    if path.symlink_metadata()?.file_type().is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}
