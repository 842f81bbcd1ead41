//! The source repository's transport configuration, handed to calls in our own repositories.
//!
//! A checkout made by a continuous-integration job keeps its token in the checkout's
//! own configuration; people choose keys by directory with `includeIf`. Both must hold
//! when git runs in a repository of ours, so the effective values are asked where they
//! hold, and what our repository would not see by itself is handed over.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use super::{GitError, Program};

/// Configuration of the wire: credentials, headers, proxies, rewriting, the ssh command.
const KEYS: &str = r"^(http\..*|credential\..*|url\..*|core\.sshcommand|core\.askpass|core\.gitproxy|ssh\.variant)$";

/// What a call that meets a remote needs to know of the source repository.
#[derive(Clone, Default)]
pub struct Transport {
    entries: Vec<(OsString, OsString)>,
    ssh_command: bool,
}

impl std::fmt::Debug for Transport {
    /// Names the keys only: the values are secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.entries.iter().map(|(key, _)| key)).finish()
    }
}

type Entry = (Vec<u8>, Vec<u8>);

impl Transport {
    /// Asks for the configuration that holds in `source` (includes followed) and keeps
    /// what a call in `own` would not see. Without a source, `own` itself is asked, for
    /// the sake of what the user's environment carries.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub fn of(source: Option<&Path>, own: &Path) -> Result<Self, GitError> {
        let there = ask(Program::source(source.unwrap_or(own), "config"))?;
        let here = ask(Program::own(own, "config"))?;
        let ssh_command = there.iter().any(|(key, _)| key == b"core.sshcommand");
        let entries = difference(&there, &here).into_iter().map(|(key, value)| (os(key), os(value))).collect();
        Ok(Self { entries, ssh_command })
    }

    /// Puts the configuration into the child's environment.
    pub(super) fn hand_over(&self, call: Program) -> Program {
        let call = self.entries.iter().fold(call, |call, (key, value)| call.config(key, value));
        self.batch_mode(call)
    }

    /// Keeps ssh from asking, where the user has not chosen the ssh command.
    #[allow(clippy::disallowed_methods, reason = "git itself reads these two variables")]
    pub(super) fn batch_mode(&self, call: Program) -> Program {
        let chosen =
            self.ssh_command || ["GIT_SSH_COMMAND", "GIT_SSH"].iter().any(|name| std::env::var_os(name).is_some());
        if chosen { call } else { call.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes") }
    }
}

fn ask(call: Program) -> Result<Vec<Entry>, GitError> {
    let output = call.args(["-z", "--get-regexp", KEYS]).output_limit(4 << 20).answer()?;
    // Exit code 1 says that no key matches.
    if output.code > 1 || output.code < 0 {
        return Err(GitError::from_stderr("config", &output.stderr));
    }
    Ok(output.stdout.split(|&byte| byte == 0).filter(|entry| !entry.is_empty()).map(split_entry).collect())
}

/// `key LF value`; a key alone stands for a true boolean.
pub(super) fn split_entry(entry: &[u8]) -> Entry {
    match entry.iter().position(|&byte| byte == b'\n') {
        Some(at) => (entry[..at].to_vec(), entry[at + 1..].to_vec()),
        None => (entry.to_vec(), b"true".to_vec()),
    }
}

/// What must follow `here` so that it means `there`.
///
/// Values that both see are not sent twice, because some servers refuse a request with
/// two equal authorization headers.
fn difference(there: &[Entry], here: &[Entry]) -> Vec<Entry> {
    let values = |list: &[Entry], key: &[u8]| -> Vec<Vec<u8>> {
        list.iter().filter(|(name, _)| name == key).map(|(_, value)| value.clone()).collect()
    };
    let mut out = Vec::new();
    let mut seen: std::collections::BTreeMap<&[u8], usize> = std::collections::BTreeMap::new();
    let mut reset = BTreeSet::new();
    for (key, value) in there {
        let number = seen.entry(key).or_default();
        *number += 1;
        let (all, own) = (values(there, key), values(here, key));
        if all.starts_with(&own) {
            if *number > own.len() {
                out.push((key.clone(), value.clone()));
            }
            continue;
        }
        if is_list(key) && reset.insert(key) {
            out.push((key.clone(), Vec::new()));
        }
        out.push((key.clone(), value.clone()));
    }
    out
}

/// Keys whose values add up and whose empty value clears the list.
fn is_list(key: &[u8]) -> bool {
    let lower = key.to_ascii_lowercase();
    lower.ends_with(b".extraheader") || lower.ends_with(b".helper")
}

pub(super) fn os(bytes: Vec<u8>) -> OsString {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        OsString::from_vec(bytes)
    }
    #[cfg(not(unix))]
    OsString::from(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(pairs: &[(&str, &str)]) -> Vec<Entry> {
        pairs.iter().map(|(key, value)| (key.as_bytes().to_vec(), value.as_bytes().to_vec())).collect()
    }

    #[test]
    fn only_what_is_not_seen_is_handed_over() {
        let here = list(&[("http.extraheader", "a"), ("credential.helper", "x")]);
        let there = list(&[("http.extraheader", "a"), ("credential.helper", "x"), ("http.extraheader", "b")]);
        assert_eq!(difference(&there, &here), list(&[("http.extraheader", "b")]));
        assert_eq!(difference(&here, &here), list(&[]));
    }

    #[test]
    fn a_list_that_differs_from_its_start_is_cleared_first() {
        let here = list(&[("http.extraheader", "z"), ("http.proxy", "p")]);
        let there = list(&[("http.extraheader", "a"), ("http.proxy", "q")]);
        let expected = list(&[("http.extraheader", ""), ("http.extraheader", "a"), ("http.proxy", "q")]);
        assert_eq!(difference(&there, &here), expected);
    }

    #[test]
    fn values_stay_out_of_debug_output() {
        let secret = concat!("bea", "rer 1");
        let transport = Transport { entries: vec![("http.extraheader".into(), secret.into())], ssh_command: false };
        assert!(!format!("{transport:?}").contains(secret));
    }
}
