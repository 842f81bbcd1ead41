//! Who a repository is, told from the URL of its `origin`.

use std::path::Path;

use crate::config::RepoId;
use crate::git::url::{Shape, host_of, printable, shape};
use crate::git::{self, GitError};

/// Why no id can be told.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// Git could not be asked.
    #[error(transparent)]
    Git(#[from] GitError),
    /// There is no `origin`.
    #[error("the repository has no remote `origin` to take an id from; give one with `--repo-id` or in `cce.toml`")]
    NoOrigin,
    /// The URL means nothing on another machine.
    #[error("`{0}` is a place on this machine and no id; give one with `--repo-id` or in `cce.toml`")]
    Local(String),
    /// The URL holds nothing an id can be made of.
    #[error("no id can be made of the url `{0}`; give one with `--repo-id` or in `cce.toml`")]
    Unusable(String),
}

/// The id that the configured URL of `origin` gives.
///
/// # Errors
/// When there is no such remote, or its URL gives no id.
pub fn of_origin(source: &Path) -> Result<RepoId, IdentityError> {
    let url = match read_in_process(source) {
        Ok(url) => url,
        Err(_) => git::configured_url(source, "origin")?,
    };
    of_url(&url.ok_or(IdentityError::NoOrigin)?)
}

/// Every search asks for the id, and starting git would take as long as the search. A
/// repository that the library cannot open is left to git itself.
fn read_in_process(source: &Path) -> Result<Option<String>, git2::Error> {
    match git2::Repository::open(source)?.config()?.get_string("remote.origin.url") {
        Ok(url) => Ok(Some(url)),
        Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The id that a URL gives: no scheme, user, port or final `.git`, the host in lower case.
///
/// # Errors
/// For local paths and `file://`, for URLs without a host or a path, and for those that
/// hold something which may be a secret: a query, a fragment, an `@` after the user.
pub fn of_url(url: &str) -> Result<RepoId, IdentityError> {
    let (host, path) = match shape(url) {
        Shape::Local => return Err(IdentityError::Local(printable(url))),
        Shape::Scheme { scheme, .. } if scheme.eq_ignore_ascii_case("file") => {
            return Err(IdentityError::Local(printable(url)));
        }
        Shape::Scheme { rest, .. } => {
            let path = rest.find('/').map_or("", |at| &rest[at..]);
            (host_of(rest), path)
        }
        Shape::Scp { host, path } => (host_of(host), path),
        Shape::Helper => return Err(IdentityError::Unusable(printable(url))),
    };
    if url.contains(['?', '#']) || host.contains('@') || path.contains('@') {
        return Err(IdentityError::Unusable(printable(url)));
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let path = parts.join("/");
    let path = path.strip_suffix(".git").map_or(path.as_str(), |path| path.trim_end_matches('/'));
    if host.is_empty() || path.is_empty() {
        return Err(IdentityError::Unusable(printable(url)));
    }
    RepoId::parse(&format!("{}/{path}", host.to_lowercase())).map_err(|_| IdentityError::Unusable(printable(url)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_repository_has_one_id_however_it_is_reached() {
        for url in [
            "https://github.com/acme/billing",
            "https://github.com/acme/billing.git",
            "https://GitHub.com:443/acme/billing.git/",
            "https://me:pass@github.com/acme/billing.git",
            "http://github.com//acme//billing",
            "ssh://git@github.com:22/acme/billing.git",
            "git://github.com/acme/billing.git",
            "git@github.com:acme/billing.git",
            "github.com:acme/billing",
            "git@github.com:/acme/billing",
            "[git@github.com:2222]:acme/billing.git",
        ] {
            assert_eq!(of_url(url).unwrap().as_str(), "github.com/acme/billing", "{url}");
        }
    }

    #[test]
    fn case_of_the_path_and_odd_names_stay() {
        assert_eq!(of_url("git@Host:Acme/Billing.git.git").unwrap().as_str(), "host/Acme/Billing.git");
        assert_eq!(of_url("https://h/a/.git").unwrap().as_str(), "h/a");
    }

    #[test]
    fn places_on_this_machine_are_no_ids() {
        for url in ["/srv/a.git", "../a", "a", "file:///srv/a.git", "FILE:///x/y", "C:\\a\\b", "C:/a/b"] {
            assert!(matches!(of_url(url), Err(IdentityError::Local(_))), "{url}");
        }
        for url in [
            "https://h",
            "https:///x",
            "h:",
            "https://h/.git",
            "ext::x",
            "https://h/a/../b",
            "https://h/a b",
            "ssh://[fe80::1]:22/x/y",
        ] {
            assert!(matches!(of_url(url), Err(IdentityError::Unusable(_))), "{url}");
        }
    }

    #[test]
    fn secrets_are_no_ids_and_not_told() {
        let secret = concat!("hun", "ter2");
        for url in [
            format!("https://h/x?token={secret}"),
            format!("https://h?token={secret}/x"),
            format!("https://h/x#{secret}"),
            format!("https://u:{secret}/y@h/x"),
            format!("https://u:1/{secret}@h/x"),
            format!("ssh://u:a?{secret}@h/x"),
            format!("u:{secret}@h/x"),
            format!("u:{secret}@h:x/y"),
            format!("git@h:x/y?{secret}"),
        ] {
            let error = of_url(&url).unwrap_err();
            assert!(matches!(error, IdentityError::Unusable(_)), "{error}");
            assert!(!error.to_string().contains(secret) && !format!("{error:?}").contains(secret), "{error}");
        }
        let error = of_url(&format!("https//u:{secret}@h/x")).unwrap_err();
        assert!(!error.to_string().contains(secret), "{error}");
    }
}
