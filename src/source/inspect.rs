//! Questions about one path that a listing does not answer.
//!
//! A listing says what is in and what is left out. Why a path is in neither, which line
//! set a flag, where a link leads: that is asked for one path at a time, by people.

use std::path::Path;

use super::glob::Case;
use super::ignore::{Chain, Rule};
use super::native::{self, Kind};
use super::walk::{self, Guide};
use super::{ContentId, RepoPath, Source, SourceError};

/// A source that can be asked about one path.
pub trait Inspect: Source {
    /// Says which committed lines set the flags of a path.
    ///
    /// # Errors
    /// When the rule files cannot be read.
    fn flag_rules(&self, path: &RepoPath) -> Result<FlagRules, SourceError>;

    /// Says why a path is not in the listing.
    ///
    /// # Errors
    /// When the source cannot be read.
    fn absence(&self, path: &RepoPath) -> Result<Absence, SourceError>;

    /// The size of a file in bytes, as it is stored; `content` is what the listing says of
    /// it. `None` where it cannot be had.
    fn size(&self, path: &RepoPath, content: Option<ContentId>) -> Option<u64>;

    /// Where a listed link leads, in bytes; `None` where that cannot be read.
    fn target(&self, path: &RepoPath, content: Option<ContentId>) -> Option<Vec<u8>>;
}

/// The lines that set the flags of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlagRules {
    /// What set `linguist-generated`.
    pub generated: Option<Rule>,
    /// What set `linguist-vendored`.
    pub vendored: Option<Rule>,
}

/// Why a path is not in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// Nothing stands there.
    Nothing,
    /// Git tracks it, and the work tree no longer has it.
    Deleted,
    /// It is a directory with nothing in it that could be listed.
    EmptyDirectory,
    /// A rule of git's ignores it, or a directory above it.
    Ignored(Rule),
    /// It belongs to git's own directory, or to cce's.
    Private,
    /// A link stands above it, and links are not followed.
    BehindLink(RepoPath),
    /// It belongs to a repository of its own.
    InRepository(RepoPath),
    /// It is a socket, a pipe or a device.
    Special,
    /// The system does not let us look.
    Unreadable,
}

/// Finds out why a walk of `root` does not come by `path`. `ignores` are the rules that
/// hold everywhere.
pub(super) fn absence(root: &Path, ignores: Chain, case: Case, guide: &dyn Guide, path: &RepoPath) -> Absence {
    let mut ignores = walk::enter(&ignores, root, b"", case, guide);
    let parts: Vec<&[u8]> = path.components().collect();
    for depth in 1..=parts.len() {
        let at = parts[..depth].join(&b'/');
        let last = depth == parts.len();
        if guide.passes_over(&parts[..depth - 1].join(&b'/'), parts[depth - 1]) {
            return Absence::Private;
        }
        let Some(native) = native::below(root, &at) else { return Absence::Unreadable };
        let kind = match native::stat(&native) {
            Ok(stat) => stat.kind,
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return Absence::Unreadable,
            Err(_) if guide.tracked(path.as_bytes()).is_some() => return Absence::Deleted,
            Err(_) => return Absence::Nothing,
        };
        let here = |absence: fn(RepoPath) -> Absence| RepoPath::parse(at.clone()).map_or(Absence::Private, absence);
        match kind {
            Kind::Directory if guide.is_submodule(&at) => return here(Absence::InRepository),
            Kind::Directory => {
                if let Some(rule) = ignores.ignoring(&at, true) {
                    return Absence::Ignored(rule);
                }
                if guide.stops_at_repositories() && !guide.holds_tracked(&at) && walk::is_repository(&native) {
                    return here(Absence::InRepository);
                }
                ignores = walk::enter(&ignores, &native, &at, case, guide);
            }
            Kind::Link if !last => return here(Absence::BehindLink),
            Kind::File | Kind::Special if !last => return Absence::Nothing,
            Kind::Special => return Absence::Special,
            Kind::File | Kind::Link => return ignores.ignoring(&at, false).map_or(Absence::Nothing, Absence::Ignored),
        }
    }
    Absence::EmptyDirectory
}
