//! The environment a child sees: what is removed, what is fixed.

use std::process::Command;

/// What `git rev-parse --local-env-vars` lists, but for the variables that carry configuration.
///
/// A hook sets them, and they would point the child at the hook's repository. A test
/// compares the list with the installed git, so that asking at run time is not needed.
const LOCAL: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
];

/// Variables that carry configuration (`git -c`, a continuous-integration job).
const CONFIGURATION: &[&str] = &["GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"];

/// More that changes what a command means or writes, though git does not call it local.
const MEANING: &[&str] = &[
    "GIT_NAMESPACE",
    "GIT_QUARANTINE_PATH",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_ATTR_SOURCE",
    "GIT_DEFAULT_HASH",
    "GIT_DEFAULT_REF_FORMAT",
    "GIT_PROTOCOL",
    "GIT_PROTOCOL_FROM_USER",
    "GIT_REF_PARANOIA",
    "GIT_FLUSH",
    "GIT_NO_LAZY_FETCH",
    "GIT_LFS_SKIP_SMUDGE",
    "GIT_REDIRECT_STDIN",
    "GIT_REDIRECT_STDOUT",
    "GIT_REDIRECT_STDERR",
    "GIT_CURL_VERBOSE",
    "GIT_TRACE",
    "GIT_TRACE_PACKET",
    "GIT_TRACE_PACK_ACCESS",
    "GIT_TRACE_PERFORMANCE",
    "GIT_TRACE_SETUP",
    "GIT_TRACE_SHALLOW",
    "GIT_TRACE_CURL",
    "GIT_TRACE_REFS",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
];

/// Whether the configuration that the user's environment carries reaches the child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UserConfiguration {
    /// It does: questions to the user's own repository.
    Kept,
    /// It does not: work in a repository of ours.
    Removed,
}

/// Settings that go before the subcommand of every call.
pub(super) const HARDENING: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=0",
    "submodule.recurse=false",
    "fetch.fsckObjects=true",
    "push.pushOption=",
];

/// How many settings the user's environment carries that a child is to see: ours follow them.
#[allow(clippy::disallowed_methods, reason = "the variable belongs to git")]
pub(super) fn kept_settings(configuration: UserConfiguration) -> usize {
    match configuration {
        UserConfiguration::Kept => {
            std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.trim().parse().ok()).unwrap_or(0)
        }
        UserConfiguration::Removed => 0,
    }
}

/// Removes and fixes what must not vary.
pub(super) fn prepare(command: &mut Command, configuration: UserConfiguration) {
    for name in LOCAL.iter().chain(MEANING) {
        command.env_remove(name);
    }
    if configuration == UserConfiguration::Removed {
        for name in CONFIGURATION {
            command.env_remove(name);
        }
    }
    command.envs([
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GCM_INTERACTIVE", "never"),
        ("SSH_ASKPASS_REQUIRE", "never"),
        ("LC_ALL", "C"),
        ("GIT_OPTIONAL_LOCKS", "0"),
    ]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::disallowed_methods, reason = "asks git beside the room under test")]
    fn the_installed_git_knows_no_other_local_variable() {
        let answer = Command::new("git").args(["rev-parse", "--local-env-vars"]).output().unwrap();
        for name in String::from_utf8(answer.stdout).unwrap().lines() {
            assert!(LOCAL.contains(&name) || CONFIGURATION.contains(&name) || MEANING.contains(&name), "{name}");
        }
    }
}
