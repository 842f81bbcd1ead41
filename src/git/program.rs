//! One call of `git`, put together piece by piece.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::child::{self, ChildError};
use super::environment::{self, HARDENING, UserConfiguration};
use super::{GitError, GitErrorKind, RemoteUrl, Transport};

/// How long a child may take where nothing else is said.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(300);

/// How many bytes a child may write to its standard output where nothing else is said.
const DEFAULT_OUTPUT_LIMIT: u64 = 256 << 20;

/// What a child answered.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its exit code; -1 where a signal ended it.
    pub code: i32,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// The start and the end of its standard error.
    pub stderr: Vec<u8>,
}

impl Output {
    /// The standard output as text, without the line feed at its end.
    pub fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.stdout);
        text.strip_suffix('\n').unwrap_or(&text).to_owned()
    }
}

/// A call of `git` in one directory.
#[derive(Debug)]
#[must_use = "nothing runs before `run` or `answer`"]
pub struct Program {
    directory: PathBuf,
    arguments: Vec<OsString>,
    values: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    configuration: Vec<(OsString, OsString)>,
    user_configuration: UserConfiguration,
    protocols: String,
    lazy: bool,
    stdin: Option<Vec<u8>>,
    deadline: Duration,
    output_limit: u64,
}

impl Program {
    /// A call in a repository of ours; `subcommand` is a fixed word.
    pub fn own(directory: &Path, subcommand: &str) -> Self {
        Self {
            directory: directory.to_path_buf(),
            arguments: vec![subcommand.into()],
            values: Vec::new(),
            environment: Vec::new(),
            configuration: Vec::new(),
            user_configuration: UserConfiguration::Removed,
            protocols: String::new(),
            lazy: false,
            stdin: None,
            deadline: DEFAULT_DEADLINE,
            output_limit: DEFAULT_OUTPUT_LIMIT,
        }
    }

    /// A question to a repository of the user's: local, without lazy fetching, and with
    /// the configuration that the user's environment carries.
    pub fn source(directory: &Path, subcommand: &str) -> Self {
        Self { user_configuration: UserConfiguration::Kept, ..Self::own(directory, subcommand) }
    }

    /// Adds options: words of ours, never anything that came from outside.
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Adds values, which go after `--end-of-options`.
    pub fn values<S: AsRef<OsStr>>(mut self, values: impl IntoIterator<Item = S>) -> Self {
        self.values.extend(values.into_iter().map(|value| value.as_ref().to_owned()));
        self
    }

    /// Sets a variable for the child.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Sets configuration for the child, through its environment.
    pub fn config(mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.configuration.push((key.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Lets the child speak to `url`, under the name `remote`, with the transport
    /// configuration of the source repository. For [`Program::own`].
    pub fn remote(self, remote: &str, url: &RemoteUrl, transport: &Transport) -> Self {
        let mut call = transport.hand_over(self);
        call.protocols = url.protocols().to_owned();
        call.lazy = true;
        call.config(format!("remote.{remote}.url"), url.secret_text())
    }

    /// Lets a [`Program::source`] call fetch from the repository's own remote, whose URL
    /// is `url` (the missing blobs of a partial clone).
    pub fn reaching(mut self, url: &RemoteUrl, transport: &Transport) -> Self {
        self.protocols = url.protocols().to_owned();
        self.lazy = true;
        transport.batch_mode(self)
    }

    /// Bytes for the child's standard input, which is empty otherwise.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// How long the child may take.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// How many bytes the child may write to its standard output.
    pub fn output_limit(mut self, bytes: u64) -> Self {
        self.output_limit = bytes;
        self
    }

    /// Runs the call; an exit code other than 0 is an error.
    ///
    /// # Errors
    /// When git is missing, fails, takes too long or writes too much.
    pub fn run(self) -> Result<Output, GitError> {
        let what = self.what();
        let output = self.answer()?;
        if output.code == 0 { Ok(output) } else { Err(GitError::from_stderr(&what, &output.stderr)) }
    }

    /// Runs the call; the exit code is part of the answer.
    ///
    /// # Errors
    /// When git is missing, takes too long or writes too much.
    pub fn answer(mut self) -> Result<Output, GitError> {
        let what = self.what();
        let command = self.command();
        let finished = child::run(command, self.stdin.take(), self.deadline, self.output_limit)
            .map_err(|error| self.explain(&what, error))?;
        Ok(Output { code: finished.status.code().unwrap_or(-1), stdout: finished.stdout, stderr: finished.stderr })
    }

    fn what(&self) -> String {
        self.arguments[0].to_string_lossy().into_owned()
    }

    #[allow(clippy::disallowed_methods, reason = "this is the place that starts git")]
    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.directory);
        for setting in HARDENING {
            command.args(["-c", setting]);
        }
        command.args(&self.arguments);
        if !self.values.is_empty() {
            command.arg("--end-of-options").args(&self.values);
        }
        environment::prepare(&mut command, self.user_configuration);
        command.env("GIT_ALLOW_PROTOCOL", &self.protocols);
        if !self.lazy {
            command.env("GIT_NO_LAZY_FETCH", "1");
        }
        if !self.configuration.is_empty() {
            let kept = environment::kept_settings(self.user_configuration);
            command.env("GIT_CONFIG_COUNT", (kept + self.configuration.len()).to_string());
            for (number, (key, value)) in (kept..).zip(&self.configuration) {
                command.env(format!("GIT_CONFIG_KEY_{number}"), key);
                command.env(format!("GIT_CONFIG_VALUE_{number}"), value);
            }
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    fn explain(&self, what: &str, error: ChildError) -> GitError {
        match error {
            ChildError::Start(error) if error.kind() == io::ErrorKind::NotFound => GitError::new(
                GitErrorKind::NotFound,
                "the `git` program is not found; install git and put it on the path",
            ),
            ChildError::Start(error) => {
                GitError::new(GitErrorKind::Start, format!("`git {what}` could not be run: {error}"))
            }
            ChildError::Deadline => GitError::new(
                GitErrorKind::Deadline,
                format!("`git {what}` did not finish within {} s and was stopped", self.deadline.as_secs_f32()),
            ),
            ChildError::OutputLimit => GitError::new(
                GitErrorKind::OutputLimit,
                format!("`git {what}` wrote more than {} bytes and was stopped", self.output_limit),
            ),
        }
    }
}

/// The version of the installed git, as it names itself (`2.47.3`).
///
/// # Errors
/// When git is missing or does not answer.
pub fn version() -> Result<String, GitError> {
    let output = Program::own(Path::new("."), "version").deadline(Duration::from_secs(10)).run()?;
    let text = output.text();
    Ok(text.strip_prefix("git version ").unwrap_or(&text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_has_a_version() {
        assert!(version().unwrap().starts_with(|c: char| c.is_ascii_digit()));
    }

    #[test]
    fn values_never_become_options() {
        let place = tempfile::tempdir().unwrap();
        Program::own(place.path(), "init").args(["-q", "--bare", "."]).run().unwrap();
        let output =
            Program::source(place.path(), "rev-parse").args(["--verify"]).values(["--git-dir"]).answer().unwrap();
        assert_ne!(output.code, 0);
    }

    #[test]
    fn a_directory_without_repository_says_so() {
        let place = tempfile::tempdir().unwrap();
        let error = Program::source(place.path(), "rev-parse").args(["--verify"]).values(["HEAD"]).run().unwrap_err();
        assert_eq!(error.kind(), GitErrorKind::NoSuchRepository, "{error}");
    }
}
