//! Remote URLs: which are accepted, what they may use, how they are shown.

use std::fmt;
use std::net::Ipv4Addr;
use std::path::{Component, Path, PathBuf};

use super::{GitError, GitErrorKind};

/// The URL of a remote, as configured, that git may be given.
///
/// It shows itself without user name, password, query and fragment; only this room sees
/// the rest.
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
        if let Shape::Scheme { scheme, rest } = shape(text)
            && let Some(why) = fault(scheme, rest)
        {
            return refuse(why);
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

    /// The URL without user name and password, which tells one remote from another. It may
    /// still hold secrets: for hashing only.
    pub(crate) fn without_user(&self) -> String {
        let (before, rest) = match shape(&self.text) {
            Shape::Scheme { scheme, rest } => (format!("{scheme}://"), rest),
            Shape::Scp { .. } => (String::new(), self.text.as_str()),
            Shape::Local | Shape::Helper => return self.text.clone(),
        };
        let end = rest.find(if before.is_empty() { &[':'][..] } else { &['/', '?', '#'] }).unwrap_or(rest.len());
        let user = rest[..end].rfind('@').map_or(0, |at| at + 1);
        before + &rest[user..]
    }

    /// The URL for people; see [`printable`].
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

/// Why a URL with a scheme that git itself knows is not taken.
fn fault(scheme: &str, rest: &str) -> Option<&'static str> {
    const KNOWN: [&str; 7] = ["https", "ssh", "http", "git", "file", "git+ssh", "ssh+git"];
    let lower = scheme.to_ascii_lowercase();
    if !KNOWN.contains(&lower.as_str()) {
        return None;
    }
    if lower != scheme {
        return Some("git takes a scheme in lower case only");
    }
    if scheme == "file" {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if scheme == "git" && rest.contains('@') {
        return Some("`git://` knows no user and no password");
    }
    let host = authority.rsplit('@').next().unwrap_or_default();
    let after = host.rfind(']').map_or(host, |at| &host[at..]);
    let port = after.split_once(':').map_or("", |(_, port)| port);
    (!port.bytes().all(|byte| byte.is_ascii_digit())).then_some(
        "its port is no number; in a password, `/`, `?`, `#` and `@` are written as `%2F`, `%3F`, `%23` and `%40`",
    )
}

/// The URL for people: without user name, password, query and fragment, and without
/// control characters.
pub fn printable(url: &str) -> String {
    let shown = match shape(url) {
        Shape::Scp { host, path } if host.contains('@') && !path.contains('@') && !host_user(host).contains(':') => {
            masked(&format!("{}:{path}", host.rsplit('@').next().unwrap_or_default()), true)
        }
        Shape::Local if url.starts_with(r"\\?\") || (is_drive(url) && url.as_bytes()[2] == b'\\') => url.to_owned(),
        _ => masked(url, true),
    };
    shown.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn host_user(host: &str) -> &str {
    host.rfind('@').map_or("", |at| &host[..at])
}

/// Takes user name, password, query and fragment out of every URL in a text.
pub fn scrub(text: &str) -> String {
    let ends = |c: char| matches!(c, '\'' | '"' | '`' | '<' | '>') || c.is_whitespace();
    text.split_inclusive(ends)
        .map(|piece| {
            let end = piece.char_indices().next_back().filter(|&(_, c)| ends(c)).map_or(piece.len(), |(at, _)| at);
            masked(&piece[..end], false) + &piece[end..]
        })
        .collect()
}

/// One URL without what may be a secret in it. Where a password may hold the characters
/// that end it, too much is taken rather than too little.
///
/// `is_url` says that the text is one for certain; a word of a sentence is taken for one
/// where it has `://` or a slash.
fn masked(text: &str, is_url: bool) -> String {
    let (prefix, rest) = text.split_at(scheme_end(text));
    let tail = rest.find(['?', '#']).filter(|&at| {
        is_url || !prefix.is_empty() || rest[at..].contains('@') || (rest[..at].contains('/') && at + 1 < rest.len())
    });
    let head = tail.map_or(rest, |at| &rest[..at]);
    if rest[head.len()..].contains('@') {
        return format!("{prefix}…");
    }
    let from = head.rfind('@').map_or(0, |last| {
        let authority = head.find('/').unwrap_or(head.len());
        let misspelt = || {
            let words = head[..last].split('/');
            words.rev().skip(1).any(|word| matches!(word, "http" | "https" | "ssh" | "git"))
        };
        if head[..last].contains(':') || misspelt() {
            last + 1
        } else if prefix.is_empty() {
            0
        } else {
            head[..authority].rfind('@').map_or(0, |at| at + 1)
        }
    });
    let tail = tail.map_or("", |at| if rest[at..].starts_with('?') { "?…" } else { "#…" });
    format!("{prefix}{}{tail}", &head[from..])
}

/// Where the text after `scheme://` begins; 0 where that does not begin a URL.
fn scheme_end(text: &str) -> usize {
    let Some(colon) = text.find("://") else { return 0 };
    let before = text[..colon].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let is_plain = before.len() < colon && !before.contains([':', '@', '?', '#']);
    if is_plain { colon + "://".len() } else { 0 }
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
            (format!("https://{secret}@h.example/x@y"), "https://h.example/x@y"),
            (format!("https://{secret}@h.example:8443/x@y"), "https://y"),
            (format!("https://u:a@{secret}@h.example"), "https://h.example"),
            (format!("{secret}@h.example:x/y"), "h.example:x/y"),
            ("/srv/a@b".to_owned(), "/srv/a@b"),
        ] {
            assert_eq!(printable(&url), shown);
            assert!(!format!("{:?}", RemoteUrl::parse(&url, &[]).unwrap()).contains(secret));
        }
    }

    #[test]
    fn printing_masks_what_may_be_a_secret() {
        let secret = concat!("tok", "en99");
        for (url, shown) in [
            (format!("https://u:{secret}/PW@127.0.0.1:1/x"), "https://127.0.0.1:1/x"),
            (format!("https://u:a?{secret}@h/x"), "https://…"),
            (format!("https://{secret}#b@h/x"), "https://…"),
            (format!("git://u:{secret}@h/x"), "git://h/x"),
            (format!("ssh://u:{secret}@h:22/x"), "ssh://h:22/x"),
            (format!("HTTPS://u:{secret}@h/x"), "HTTPS://h/x"),
            (format!("https//u:{secret}@h/x"), "h/x"),
            (format!("https//{secret}@h/x"), "h/x"),
            (format!("/here/https/{secret}@h/x"), "h/x"),
            (format!("https:/u:{secret}@h/x"), "h/x"),
            (format!("u:{secret}@h/x"), "h/x"),
            (format!("u:{secret}@h:x/y"), "h:x/y"),
            (format!("u:{secret}://@h/x"), "h/x"),
            (format!("https://h/x?token={secret}"), "https://h/x?…"),
            (format!("https://h?token={secret}"), "https://h?…"),
            (format!("https://h/x#{secret}"), "https://h/x#…"),
            (format!("https//h/x?token={secret}"), "https//h/x?…"),
        ] {
            assert_eq!(printable(&url), shown, "{url}");
            assert_eq!(scrub(&format!("to '{url}': no")), format!("to '{shown}': no"), "{url}");
            assert_eq!(scrub(shown), shown);
        }
        for plain in
            ["git@h.example:a/b", "git@h.example: Permission denied", "/srv/a@b", "what? a:b#c", "@", "://", ""]
        {
            assert_eq!(scrub(plain), plain);
        }
        assert_eq!(printable("git@h.example:a/b"), "h.example:a/b");
        assert_eq!(printable("C:\\a@b\\c"), "C:\\a@b\\c");
    }

    #[test]
    fn urls_that_git_would_misread_are_refused_without_their_secret() {
        let secret = concat!("tok", "en99");
        for (url, why) in [
            (format!("https://u:{secret}/PW@127.0.0.1:1/x"), "port"),
            (format!("ssh://u:{secret}#PW@h/x"), "port"),
            (format!("git://u:{secret}@127.0.0.1/x"), "knows no user"),
            (format!("HTTPS://u:{secret}@h/x"), "lower case"),
            ("FILE:///x".to_owned(), "lower case"),
        ] {
            let error = RemoteUrl::parse(&url, &["git".into()]).unwrap_err();
            assert_eq!(error.kind(), GitErrorKind::Url);
            assert!(error.to_string().contains(why) && !error.to_string().contains(secret), "{error}");
        }
        for fine in ["https://h:/x", "https://u:p@h:8443/x@y", "http://[::1]:80/a", "ssh://[::1]/a", "hub://a:b/c"] {
            assert!(RemoteUrl::parse(fine, &[]).is_ok(), "{fine}");
        }
    }

    #[test]
    fn one_remote_is_one_whoever_asks() {
        let key = |url: &str| RemoteUrl::parse(url, &[]).unwrap().without_user();
        assert_eq!(key("https://u:p@h/x"), key("https://h/x"));
        assert_eq!(key("u@h:x"), "h:x");
        assert_ne!(key("https://h/x?a"), key("https://h/x?b"));
        assert_ne!(key("/srv/c#/a"), key("/srv/c#/b"));
    }

    proptest::proptest! {
        #[test]
        fn no_password_is_shown(password in "\\PC{0,12}", word in "[!#-&(-;=?-_a-z{-~é]{0,12}", path in "[a-z]{0,5}") {
            for scheme in ["https", "ssh", "git"] {
                let shown = [format!("{scheme}://h.example/{path}"), format!("{scheme}://…")];
                let url = |password: &str| format!("{scheme}://u:{password}@h.example/{path}");
                proptest::prop_assert!(shown.contains(&printable(&url(&password))), "{}", printable(&url(&password)));
                proptest::prop_assert!(shown.contains(&scrub(&url(&word))), "{}", scrub(&url(&word)));
            }
            for begin in ["https//user:", "user:", "https:/user:"] {
                // Two slashes at the start of a password would make a scheme of the user before it.
                let (password, word) = (password.trim_start_matches('/'), word.trim_start_matches('/'));
                let shown = [format!("h.example/{path}"), "…".to_owned()];
                let url = |password: &str| format!("{begin}{password}@h.example/{path}");
                proptest::prop_assert!(shown.contains(&printable(&url(password))), "{}", printable(&url(password)));
                proptest::prop_assert!(shown.contains(&scrub(&url(word))), "{}", scrub(&url(word)));
            }
            let shown = [format!("https://h.example/{path}?…"), "https://…".to_owned()];
            let url = |secret: &str| format!("https://h.example/{path}?token={secret}");
            proptest::prop_assert!(shown.contains(&printable(&url(&password))));
            proptest::prop_assert!(shown.contains(&scrub(&url(&word))));
        }
    }
}
