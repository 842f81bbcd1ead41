//! Paths as git holds them: bytes, `/` between the parts, never normalised.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use super::native::name_bytes;

/// A relative path inside a source, ordered bytewise.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Vec<u8>);

/// A path that no source may hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("path `{path}` is not allowed: {why}")]
pub struct PathError {
    /// The path, made printable.
    pub path: String,
    /// Which rule it breaks.
    pub why: &'static str,
}

impl RepoPath {
    /// Checks a path: not empty, not absolute, no empty, `.`, `..` or `.git` part, no NUL.
    ///
    /// # Errors
    /// When a rule is broken; the error names the rule.
    ///
    /// ```
    /// use cce::source::RepoPath;
    ///
    /// assert!(RepoPath::parse("src/lib.rs").is_ok());
    /// assert!(RepoPath::parse("src/../.git/config").is_err());
    /// ```
    pub fn parse(bytes: impl Into<Vec<u8>>) -> Result<Self, PathError> {
        let bytes = bytes.into();
        match broken_rule(&bytes) {
            None => Ok(Self(bytes)),
            Some(why) => Err(PathError { path: printable(&bytes).into_owned(), why }),
        }
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text, where it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The path for people: UTF-8 as it is, other bytes and control characters escaped.
    pub fn display(&self) -> Cow<'_, str> {
        printable(&self.0)
    }

    /// The parts between the slashes.
    pub fn components(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|&byte| byte == b'/')
    }

    /// The last part.
    pub fn file_name(&self) -> &[u8] {
        self.0.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
    }
}

/// A relative path of the system's as git would hold it; `None` where git has no such name.
pub fn path_bytes(path: &Path) -> Option<Vec<u8>> {
    let parts: Option<Vec<Cow<'_, [u8]>>> = path.iter().map(name_bytes).collect();
    Some(parts?.join(&b'/'))
}

fn broken_rule(bytes: &[u8]) -> Option<&'static str> {
    if bytes.is_empty() {
        return Some("it is empty");
    }
    if bytes.len() > 4096 {
        return Some("it is longer than 4096 bytes");
    }
    if bytes.contains(&0) {
        return Some("it holds a NUL byte");
    }
    if bytes[0] == b'/' {
        return Some("it is absolute");
    }
    bytes.split(|&byte| byte == b'/').find_map(|part| match part {
        b"" => Some("it has an empty part"),
        b"." | b".." => Some("it has a `.` or `..` part"),
        part if part.eq_ignore_ascii_case(b".git") => Some("it has a `.git` part"),
        _ => None,
    })
}

/// Bytes for people: UTF-8 as it is, other bytes and control characters escaped.
pub fn printable(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.chars().any(is_unprintable)
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if is_unprintable(character) {
                out.extend(character.escape_unicode());
            } else {
                out.push(character);
            }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    Cow::Owned(out)
}

/// Control characters and the bidirectional controls that can disguise a name.
pub fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}')
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.display(), f)
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        for good in ["a", "a/b.rs", ".github/x", "a b", "..a", ".gitignore"] {
            assert!(RepoPath::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "/a", "a//b", "a/", "../a", "a/..", "./a", ".git/config", "a/.GIT/x", "a\0b"] {
            assert!(RepoPath::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn display_hides_nothing_and_runs_nothing() {
        assert_eq!(RepoPath::parse(&b"a\x1b[31m\xff"[..]).unwrap().to_string(), "a\\u{1b}[31m\\xff");
    }
}
