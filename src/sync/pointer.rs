//! When a pointer moves.
//!
//! It moves to a commit that descends from the one it names, or that is the branch's
//! tip on the source remote now. What cannot be decided stays, and is said.

use super::history::{self, Ancestry, SourceHistory};
use crate::cache::Connection;
use crate::cache::remote::SourceHeads;

/// What became of a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointerState {
    /// It was not there and names the artifact now.
    Created,
    /// It named another commit and names the artifact now.
    Moved {
        /// The source commit it named.
        from: String,
    },
    /// It named the artifact before.
    Current,
    /// It names another commit still.
    Stays(Stay),
    /// Nobody asked for it: no branch is known, or `default` follows another one.
    NotAsked,
}

/// Why a pointer stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stay {
    /// The commit does not descend from the one the pointer names, and is not the branch's tip.
    NotForward {
        /// The source commit the pointer names.
        names: String,
    },
    /// The history at hand does not say.
    Undecidable {
        /// The source commit the pointer names, or what it names instead.
        names: String,
    },
    /// Which branch is the default is not known.
    UnknownDefault {
        /// The source commit the pointer names.
        names: String,
    },
}

impl Stay {
    /// The notice for people; `pointer` is what the pointer is called.
    pub fn notice(&self, pointer: &str) -> String {
        match self {
            Self::NotForward { names } => format!(
                "the pointer `{pointer}` stays at {names}: the published commit does not descend from it and is \
                 not the branch's tip; move it with `--force`"
            ),
            Self::Undecidable { names } => format!(
                "the pointer `{pointer}` stays at {names}: the history at hand does not say whether the published \
                 commit descends from it; move it with `--force`"
            ),
            Self::UnknownDefault { names } => format!(
                "the pointer `{pointer}` stays at {names}: the remote's HEAD names no branch that it has, \
                 so which one is the default is not known; set HEAD there, or move the pointer with `--force`"
            ),
        }
    }
}

/// What the rule looks at.
pub(super) struct Rule<'a> {
    /// The source's history, where there is one.
    pub history: Option<SourceHistory<'a>>,
    /// The source's own remote, where it can be asked, and whether it filters.
    pub remote: Option<(&'a Connection, bool)>,
    /// What that remote says now.
    pub heads: &'a SourceHeads,
    /// Whether the user overrules.
    pub force: bool,
}

impl Rule<'_> {
    /// Whether a pointer that names `names` may move to `sha`: `None` when it may.
    pub fn refusal(&self, sha: &str, names: &str) -> Option<Stay> {
        if self.force || names == sha || self.heads.tip.as_deref() == Some(sha) {
            return None;
        }
        let local = self.history.map_or(Ancestry::Unknown, |history| history.descends(sha, names));
        let answer = match (local, self.remote) {
            (Ancestry::Unknown, Some((remote, true))) => {
                history::descends_on_remote(remote, sha, names).unwrap_or(Ancestry::Unknown)
            }
            (answer, _) => answer,
        };
        match answer {
            Ancestry::Yes => None,
            Ancestry::No => Some(Stay::NotForward { names: names.to_owned() }),
            Ancestry::Unknown => Some(Stay::Undecidable { names: names.to_owned() }),
        }
    }
}
