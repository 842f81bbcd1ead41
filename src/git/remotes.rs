//! From the name of a remote, or a URL, to the URLs git will use.

use std::path::{Path, PathBuf};

use super::transport::split_entry;
use super::url::{Shape, printable, shape};
use super::{GitError, GitErrorKind, Program, RemoteUrl};

/// Where to fetch from and where to push to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The URL for reading.
    pub fetch: RemoteUrl,
    /// The URL for writing; differs where a `pushurl` is configured.
    pub push: RemoteUrl,
}

/// Resolves `choice`: a remote of the repository at `source`, else a URL or a path.
///
/// Relative paths of a configured remote start at the top of the repository, those of a
/// path given by hand in `here`. `allowed` are the protocols the user allows.
///
/// # Errors
/// When neither fits, or the URL is refused.
pub fn resolve(source: Option<&Path>, choice: &str, here: &Path, allowed: &[String]) -> Result<Remote, GitError> {
    if let Some(source) = source
        && let Some(url) = configured(source, choice, "url")?
    {
        let base = top_of(source)?;
        let fetch = RemoteUrl::parse_from(&url, &base, allowed)?;
        let push = match configured(source, choice, "pushurl")? {
            Some(url) => RemoteUrl::parse_from(&url, &base, allowed)?,
            None => fetch.clone(),
        };
        return Ok(Remote { fetch, push });
    }
    let is_name =
        shape(choice) == Shape::Local && !choice.starts_with(['.', '-', '/']) && !choice.contains(['/', '\\']);
    if is_name && !choice.is_empty() {
        let message = match source {
            Some(_) => {
                format!("there is no remote `{}`; `git remote -v` lists the remotes there are", printable(choice))
            }
            None => format!("`{}` names a remote, but there is no repository here; give a url", printable(choice)),
        };
        return Err(GitError::new(GitErrorKind::NoSuchRemote, message));
    }
    let url = RemoteUrl::parse_from(choice, here, allowed)?;
    Ok(Remote { fetch: url.clone(), push: url })
}

/// The URL of the remote `name` as configured in the repository at `source`.
///
/// # Errors
/// When git cannot be asked.
pub fn configured_url(source: &Path, name: &str) -> Result<Option<String>, GitError> {
    configured(source, name, "url")
}

fn configured(source: &Path, name: &str, member: &str) -> Result<Option<String>, GitError> {
    let call = Program::source(source, "config").args(["-z", "--get-regexp", r"^remote\..*\.(url|pushurl)$"]);
    let output = call.answer()?;
    if output.code > 1 || output.code < 0 {
        return Err(GitError::from_stderr("config", &output.stderr));
    }
    let wanted = format!("remote.{name}.{member}");
    let values = output.stdout.split(|&byte| byte == 0).filter(|entry| !entry.is_empty()).map(split_entry);
    let first = values.into_iter().find(|(key, _)| key == wanted.as_bytes());
    Ok(first.map(|(_, value)| String::from_utf8_lossy(&value).into_owned()))
}

fn top_of(source: &Path) -> Result<PathBuf, GitError> {
    for question in ["--show-toplevel", "--absolute-git-dir"] {
        let output = Program::source(source, "rev-parse").args([question]).answer()?;
        if output.code == 0 && !output.stdout.is_empty() {
            return Ok(PathBuf::from(output.text()));
        }
    }
    Err(GitError::new(GitErrorKind::NoSuchRepository, format!("`{}` is not in a git repository", source.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_urls() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().canonicalize().unwrap();
        Program::own(&path, "init").args(["-q", "."]).run().unwrap();
        for (key, value) in [
            ("remote.origin.url", "../r.git"),
            ("remote.two.url", "https://example.com/a"),
            ("remote.two.pushurl", "git@example.com:a"),
        ] {
            Program::own(&path, "config").args([key, value]).run().unwrap();
        }
        let resolve = |choice: &str| resolve(Some(&path), choice, Path::new("/here"), &[]);
        assert_eq!(
            resolve("origin").unwrap().fetch.secret_text(),
            path.parent().unwrap().join("r.git").to_str().unwrap()
        );
        assert_eq!(resolve("two").unwrap().push.secret_text(), "git@example.com:a");
        assert_eq!(resolve("./x").unwrap().fetch.secret_text(), "/here/x");
        assert_eq!(resolve("three").unwrap_err().kind(), GitErrorKind::NoSuchRemote);
        assert_eq!(resolve("--upload-pack=x").unwrap_err().kind(), GitErrorKind::Url);
        assert_eq!(resolve("ext::sh -c x").unwrap_err().kind(), GitErrorKind::Url);
    }
}
