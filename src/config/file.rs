//! Reading a file of settings, and replacing one as a whole.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The most bytes of a file of settings, as for other rule files.
const MAX_FILE: u64 = 4 << 20;

/// A file of settings that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} `{}`: {why}", path.display())]
pub struct FileError {
    what: &'static str,
    path: PathBuf,
    why: io::Error,
}

/// The bytes of a file of settings; `None` where there is none.
///
/// # Errors
/// When it is not a file, is too large, or cannot be read.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    match bytes_of(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(why) if matches!(why.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(why) => Err(FileError { what: "read", path: path.to_owned(), why }),
    }
}

fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    // Opening something else may wait for ever.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(io::Error::other(format!("it is over {MAX_FILE} bytes")));
    }
    Ok(bytes)
}

/// Puts `text` in the place of a file, whole or not at all; directories are made. Where
/// the path is a link, the file that it leads to is replaced.
///
/// # Errors
/// When it cannot be written; then the file is as it was.
pub fn replace(path: &Path, text: &str) -> Result<(), FileError> {
    put(path, text).map_err(|why| FileError { what: "write", path: path.to_owned(), why })
}

fn put(path: &Path, text: &str) -> io::Result<()> {
    let path = match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        found => found?,
    };
    let directory = path.parent().ok_or_else(|| io::Error::other("it has no directory"))?;
    fs::create_dir_all(directory)?;
    let old = fs::metadata(&path).ok().map(|metadata| metadata.permissions());
    let mut file = new_file(directory)?;
    file.write_all(text.as_bytes())?;
    if let Some(old) = old {
        file.as_file().set_permissions(old)?;
    }
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}

/// A temporary file that others may read as far as the user's mask lets them.
fn new_file(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cce-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(directory)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_keeps_its_mode() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a/b/config.toml");
        assert_eq!(read(&path).unwrap(), None);
        replace(&path, "x = 1\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let link = place.path().join("link.toml");
        symlink(&path, &link).unwrap();
        replace(&link, "x = 2\n").unwrap();
        assert_eq!(read(&path).unwrap().unwrap(), b"x = 2\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let error = read(place.path()).unwrap_err().to_string();
        assert!(error.ends_with("it is not a file"), "{error}");
        replace(place.path(), "x").unwrap_err();
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
