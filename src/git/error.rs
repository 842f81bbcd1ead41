//! What went wrong with `git`, as a kind for programs and a sentence for people.

use super::url;

/// Why a run of `git` did not give what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitErrorKind {
    /// There is no `git` to run.
    NotFound,
    /// The child could not be started or spoken to.
    Start,
    /// The URL is none, or its protocol is not allowed.
    Url,
    /// The repository has no remote of that name.
    NoSuchRemote,
    /// The directory is no repository that git would open.
    NoSuchRepository,
    /// The other side wants other credentials, or no access is granted.
    Refused,
    /// The other side does not answer, or nothing is there.
    Unreachable,
    /// The deadline passed.
    Deadline,
    /// The child wrote more than its output limit.
    OutputLimit,
    /// A ref was not what the lease says: somebody else was faster.
    Stale,
    /// The other side stumbled over another push of the same objects, or so it seems.
    Busy,
    /// Objects that the push builds on are gone from the other side.
    BaseGone,
    /// Anything else.
    Failed,
}

/// A failed run of `git`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct GitError {
    kind: GitErrorKind,
    message: String,
}

impl GitError {
    /// Makes an error; secrets in URLs and control characters are taken out of `message`.
    pub fn new(kind: GitErrorKind, message: impl AsRef<str>) -> Self {
        Self { kind, message: presentable(message.as_ref()) }
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> GitErrorKind {
        self.kind
    }

    /// Reads the standard error of a failed push.
    pub(crate) fn from_stderr_of_push(stderr: &[u8]) -> Self {
        Self::from_stderr("push", stderr)
    }

    /// Reads what git wrote to its standard error when `what` (`push`, `fetch`) failed.
    pub(super) fn from_stderr(what: &str, stderr: &[u8]) -> Self {
        let text = String::from_utf8_lossy(stderr);
        let kind = kind_of(&text);
        let said = telling_line(&text).unwrap_or("it says nothing");
        let advice = match kind {
            GitErrorKind::Refused => "; check that `git ls-remote` works with your credentials",
            GitErrorKind::Url
                if ["'http' not allowed", "'git' not allowed"].iter().any(|phrase| text.contains(phrase)) =>
            {
                "; `http` and `git` are not encrypted and allowed on this machine only, so use `https` or `ssh`, or allow them with `cce config set --user sync.allow_protocols http`"
            }
            GitErrorKind::Url => "; allowed are `https`, `ssh` and a local path",
            _ => "",
        };
        Self::new(kind, format!("`git {what}` failed: {said}{advice}"))
    }
}

/// Phrases of git, curl and ssh by the kind they stand for; the first that occurs decides.
const PHRASES: &[(GitErrorKind, &[&str])] = &[
    (GitErrorKind::Url, &["' not allowed", "strange hostname", "strange pathname", "Unable to find remote helper"]),
    (
        GitErrorKind::Refused,
        &[
            "Permission denied",
            "Authentication failed",
            "could not read Username",
            "could not read Password",
            "terminal prompts disabled",
            "Host key verification failed",
            "returned error: 401",
            "returned error: 403",
            "HTTP 401",
            "HTTP 403",
            "Access denied",
        ],
    ),
    (
        GitErrorKind::BaseGone,
        &[
            "from promisor remote",
            "not our ref",
            "remote unpack failed",
            "unresolved deltas",
            "missing necessary objects",
        ],
    ),
    (
        GitErrorKind::Unreachable,
        &[
            "Could not resolve",
            "Connection refused",
            "Connection timed out",
            "Connection reset",
            "Connection closed",
            "Network is unreachable",
            "No route to host",
            "Couldn't connect",
            "Failed to connect",
            "unable to access",
            "unable to connect",
            "does not appear to be a git repository",
            "epository not found",
            "Could not read from remote repository",
            "hung up unexpectedly",
            "early EOF",
        ],
    ),
    (GitErrorKind::NoSuchRepository, &["not a git repository", "dubious ownership"]),
];

fn kind_of(text: &str) -> GitErrorKind {
    PHRASES
        .iter()
        .find(|(_, phrases)| phrases.iter().any(|phrase| text.contains(phrase)))
        .map_or(GitErrorKind::Failed, |(kind, _)| *kind)
}

/// Lines that only follow from an earlier one.
const ECHOES: &[&str] = &[
    "the remote end hung up",
    "Could not read from remote repository",
    "failed to push some refs",
    "expected flush after ref listing",
];

/// The first line that says why: git's own `fatal:` or `error:`, else the first line at all
/// (what ssh says comes before git's echo of it).
fn telling_line(text: &str) -> Option<&str> {
    let lines = || text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty() && !is_noise(line));
    let marked = lines().find_map(|line| {
        let said = ["fatal: ", "error: ", "remote: error: ", "remote: fatal: ", "ERROR: ", "remote: ERROR: "]
            .iter()
            .find_map(|mark| line.strip_prefix(mark))?;
        (!ECHOES.iter().any(|echo| said.contains(echo))).then_some(said)
    });
    marked.or_else(|| lines().find(|line| !line.starts_with("warning: "))).or_else(|| lines().next())
}

fn is_noise(line: &str) -> bool {
    line.contains(" packet: ") || line.starts_with("hint: ") || (line.contains("% (") && line.contains(" objects"))
}

fn presentable(message: &str) -> String {
    const LONGEST: usize = 400;
    let mut out: String = url::scrub(message).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if let Some((cut, _)) = out.char_indices().nth(LONGEST) {
        out.truncate(cut);
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stderr: &str, kind: GitErrorKind, message: &str) {
        let error = GitError::from_stderr("fetch", stderr.as_bytes());
        assert_eq!((error.kind(), error.to_string().as_str()), (kind, message));
    }

    #[test]
    fn the_first_cause_is_told() {
        check(
            "ssh: connect to host x port 22: Connection refused\r\nfatal: Could not read from remote repository.\n\nPlease make sure\n",
            GitErrorKind::Unreachable,
            "`git fetch` failed: ssh: connect to host x port 22: Connection refused",
        );
        check(
            "warning: x\nfatal: couldn't find remote ref a\nfatal: the remote end hung up unexpectedly\n",
            GitErrorKind::Unreachable,
            "`git fetch` failed: couldn't find remote ref a",
        );
        check("", GitErrorKind::Failed, "`git fetch` failed: it says nothing");
    }

    #[test]
    fn advice_follows_the_scheme() {
        check(
            "fatal: transport 'http' not allowed\n",
            GitErrorKind::Url,
            "`git fetch` failed: transport 'http' not allowed; `http` and `git` are not encrypted and allowed on this machine only, so use `https` or `ssh`, or allow them with `cce config set --user sync.allow_protocols http`",
        );
        check(
            "fatal: transport 'ftp' not allowed\n",
            GitErrorKind::Url,
            "`git fetch` failed: transport 'ftp' not allowed; allowed are `https`, `ssh` and a local path",
        );
    }

    #[test]
    fn secrets_and_control_characters_stay_out() {
        let line = concat!(
            "fatal: unable to access 'https://me:hun",
            "ter2@example.com/x/': The requested URL returned error: 403\n"
        );
        let error = GitError::from_stderr("push", line.as_bytes());
        assert_eq!(error.kind(), GitErrorKind::Refused);
        assert!(!error.to_string().contains(concat!("hun", "ter2")), "{error}");
        assert!(error.to_string().contains("https://example.com/x/"), "{error}");
        assert_eq!(GitError::new(GitErrorKind::Failed, "a\u{1b}[2Jb").to_string(), "a [2Jb");
    }
}
