//! Remote URLs: which are accepted, what they may use, how they are shown.

use std::fmt;
use std::net::Ipv4Addr;
use std::path::{Component, Path, PathBuf};

use super::{GitError, GitErrorKind};

/// The URL of a remote, as configured, that git may be given.
///
/// It shows itself without user name and password; only this room sees the rest.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RemoteUrl {
    text: String,
    protocols: String,
}

/// How a URL is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape<'a> {
    /// `scheme://rest`.
    Scheme {
        /// The scheme.
        scheme: &'a str,
        /// What follows `://`.
        rest: &'a str,
    },
    /// `[user@]host:path`.
    Scp {
        /// What stands before the colon.
        host: &'a str,
        /// What follows it.
        path: &'a str,
    },
    /// A path on this machine.
    Local,
    /// `helper::address`, which runs a program of that name.
    Helper,
}

impl RemoteUrl {
    /// Checks a URL. `allowed` names protocols (`http`, `git`) the user allows beyond
    /// `https` and `ssh`; a local path or `file://` allows `file` for itself.
    ///
    /// # Errors
    /// When the text could be taken for an option, runs a helper program, or is empty.
    pub fn parse(text: &str, allowed: &[String]) -> Result<Self, GitError> {
        let refuse = |why: &str| {
            Err(GitError::new(GitErrorKind::Url, format!("`{}` is not a usable remote url: {why}", printable(text))))
        };
        if text.is_empty() || text.chars().any(char::is_control) {
            return refuse("it is empty or holds control characters");
        }
        if text.starts_with('-') {
            return refuse("it begins with `-`, as an option does");
        }
        let mut protocols = String::from("https:ssh");
        let loopback = match shape(text) {
            Shape::Helper => return refuse("`name::` runs a remote helper program"),
            Shape::Scheme { scheme, rest } if scheme.eq_ignore_ascii_case("file") => {
                protocols.push_str(":file");
                if rest.is_empty() {
                    return refuse("it names no path");
                }
                false
            }
            Shape::Scheme { rest, .. } => {
                if host_of(rest).starts_with('-') {
                    return refuse("its host begins with `-`, as an option does");
                }
                is_loopback(host_of(rest))
            }
            Shape::Scp { host, path } => {
                if host_of(host).starts_with('-') || path.starts_with('-') {
                    return refuse("a part begins with `-`, as an option does");
                }
                false
            }
            Shape::Local => {
                protocols.push_str(":file");
                false
            }
        };
        for name in ["http", "git"] {
            if loopback || allowed.iter().any(|entry| entry == name) {
                protocols.push(':');
                protocols.push_str(name);
            }
        }
        Ok(Self { text: text.to_owned(), protocols })
    }

    /// As [`Self::parse`]; a relative local path is taken from `base`.
    ///
    /// # Errors
    /// As [`Self::parse`], and for a local path that is not UTF-8.
    pub fn parse_from(text: &str, base: &Path, allowed: &[String]) -> Result<Self, GitError> {
        if text.starts_with('-') || shape(text) != Shape::Local || Path::new(text).is_absolute() || text.is_empty() {
            return Self::parse(text, allowed);
        }
        let joined = without_dots(&base.join(text));
        let path = joined
            .to_str()
            .ok_or_else(|| GitError::new(GitErrorKind::Url, format!("the path `{}` is not utf-8", joined.display())))?;
        Self::parse(path, allowed)
    }

    /// The whole URL, secrets included: for the child's environment and for hashing only.
    pub(crate) fn secret_text(&self) -> &str {
        &self.text
    }

    /// What `GIT_ALLOW_PROTOCOL` must be for this URL.
    pub(super) fn protocols(&self) -> &str {
        &self.protocols
    }

    /// The URL without user name and password.
    pub fn printable(&self) -> String {
        printable(&self.text)
    }
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.printable())
    }
}

impl fmt::Debug for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RemoteUrl({})", self.printable())
    }
}

/// Tells how `text` is written, as git would take it.
pub(crate) fn shape(text: &str) -> Shape<'_> {
    let scheme_end = text
        .bytes()
        .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')))
        .unwrap_or(text.len());
    let (scheme, after) = text.split_at(scheme_end);
    if after.starts_with("::") {
        return Shape::Helper;
    }
    if let Some(rest) = after.strip_prefix("://")
        && !scheme.is_empty()
    {
        return Shape::Scheme { scheme, rest };
    }
    match scp_colon(text) {
        Some(colon) if !is_drive(text) => Shape::Scp { host: &text[..colon], path: &text[colon + 1..] },
        _ => Shape::Local,
    }
}

/// Where the colon of `host:path` stands: before any slash, and outside brackets.
fn scp_colon(text: &str) -> Option<usize> {
    let skip = text.find('[').filter(|&at| at == 0 || text[..at].ends_with('@')).and_then(|_| text.find(']'));
    let from = skip.unwrap_or(0);
    let colon = from + text[from..].find(':')?;
    let slash = text.find('/').unwrap_or(text.len());
    (colon < slash && colon > 0).then_some(colon)
}

/// `C:\x` and `C:/x` are paths, on every machine alike.
fn is_drive(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 3 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\')
}

/// The host in what follows `://`, or in the part of an scp-like URL before its colon:
/// without user name, port and brackets.
pub(crate) fn host_of(rest: &str) -> &str {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    match host.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((inner, _)) if inner.matches(':').count() > 1 => inner,
        Some((inner, _)) => inner.split(':').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host == "::1"
        || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

fn without_dots(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The URL for people: without user name and password, without control characters.
pub fn printable(url: &str) -> String {
    let shown = match shape(url) {
        Shape::Scp { host, path } if host.contains('@') => {
            format!("{}:{path}", host.rsplit('@').next().unwrap_or_default())
        }
        _ => scrub(url),
    };
    shown.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// Takes user name and password out of every `scheme://…` in a text.
pub fn scrub(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + "://".len());
        out.push_str(before);
        let end = after
            .find(|c: char| matches!(c, '/' | '?' | '#' | '\'' | '"' | '`' | '<' | '>') || c.is_whitespace())
            .unwrap_or(after.len());
        let authority = &after[..end];
        out.push_str(authority.rsplit('@').next().unwrap_or_default());
        rest = &after[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(url: &str) -> String {
        RemoteUrl::parse(url, &[]).unwrap().protocols().to_owned()
    }

    #[test]
    fn options_and_helpers_are_refused() {
        for bad in [
            "--upload-pack=touch x",
            "-x",
            "ext::sh -c x",
            "fd::17",
            "",
            "a\nb",
            "ssh://-oProxyCommand=x/y",
            "-h:x",
            "u@-h:x",
            "h:-x",
        ] {
            let error = RemoteUrl::parse(bad, &[]).unwrap_err();
            assert_eq!(error.kind(), GitErrorKind::Url, "{bad}");
        }
    }

    #[test]
    fn protocols_follow_the_url() {
        assert_eq!(allowed("https://example.com/a"), "https:ssh");
        assert_eq!(allowed("git@example.com:a/b"), "https:ssh");
        assert_eq!(allowed("/srv/a.git"), "https:ssh:file");
        assert_eq!(allowed("file:///srv/a.git"), "https:ssh:file");
        assert_eq!(allowed("http://127.0.0.1:80/a"), "https:ssh:http:git");
        assert_eq!(allowed("http://[::1]:80/a"), "https:ssh:http:git");
        assert_eq!(allowed("http://u:p@localhost/a"), "https:ssh:http:git");
        assert_eq!(allowed("http://localhost.example.com/a"), "https:ssh");
        let http = RemoteUrl::parse("http://example.com/a", &["http".into(), "ext".into()]).unwrap();
        assert_eq!(http.protocols(), "https:ssh:http");
    }

    #[test]
    fn shapes() {
        assert_eq!(shape("a@h:p/q"), Shape::Scp { host: "a@h", path: "p/q" });
        assert_eq!(shape("[a@h:22]:p"), Shape::Scp { host: "[a@h:22]", path: "p" });
        assert_eq!(shape("./a:b"), Shape::Local);
        assert_eq!(shape("C:\\x"), Shape::Local);
        assert_eq!(shape("dir"), Shape::Local);
        assert_eq!(shape("[::1]:x"), Shape::Scp { host: "[::1]", path: "x" });
        assert_eq!(shape("ext::x"), Shape::Helper);
    }

    #[test]
    fn relative_paths_get_a_base() {
        let url = RemoteUrl::parse_from("../r.git", Path::new("/a/b"), &[]).unwrap();
        assert_eq!(url.secret_text(), "/a/r.git");
    }

    #[test]
    fn printing_strips_user_and_password() {
        let secret = concat!("tok", "en99");
        for (url, shown) in [
            (format!("https://u:{secret}@h.example/x"), "https://h.example/x"),
            (format!("https://{secret}@h.example:8443/x@y"), "https://h.example:8443/x@y"),
            (format!("https://u:a@{secret}@h.example"), "https://h.example"),
            (format!("{secret}@h.example:x/y"), "h.example:x/y"),
            ("/srv/a@b".to_owned(), "/srv/a@b"),
        ] {
            assert_eq!(printable(&url), shown);
            assert!(!format!("{:?}", RemoteUrl::parse(&url, &[]).unwrap()).contains(secret));
        }
    }
}
