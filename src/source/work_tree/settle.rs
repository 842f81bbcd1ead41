//! Which bytes a file contributes that is changed, untracked, or may be either.
//!
//! Most files show it by their bytes alone. The rest is asked of the git program: what it
//! would store, and what it would have written.

use std::collections::HashSet;

use super::Place;
use super::survey::Survey;
use crate::source::conversion::Conversions;
use crate::source::disk::{self, Seen};
use crate::source::git_conversion::GitConversion;
use crate::source::native::Stat;
use crate::source::repository::Blob;
use crate::source::rules::{MAX_RULE_FILE, is_rule_file};
use crate::source::tracked::Held;
use crate::source::{ContentId, RepoPath, SkipReason, SourceError};

/// A file whose bytes have to be found out.
pub(super) struct Candidate {
    pub(super) path: RepoPath,
    pub(super) stat: Stat,
    /// The blob the index holds for it.
    pub(super) held: Option<ContentId>,
    /// Whether the system's word would prove it unchanged, had the index been written later.
    pub(super) agrees: bool,
}

/// What finding out gave.
#[derive(Clone, Copy, Debug)]
pub(super) enum Settled {
    File(ContentId, Place),
    Skip(SkipReason),
    Gone,
}

impl Survey<'_> {
    /// Finds out which bytes files contribute.
    pub(super) fn settle(&mut self, candidates: &[Candidate]) -> Result<Vec<Settled>, SourceError> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let questions: Vec<(&RepoPath, Stat)> = candidates.iter().map(|file| (&file.path, file.stat)).collect();
        let seen = disk::look(self.root, &questions, &self.cache);
        let paths = candidates.iter().map(|candidate| candidate.path.as_bytes());
        let conversions =
            Conversions::read(self.root, self.config, paths, &|path| self.tracked_bytes(path, MAX_RULE_FILE));
        let mut settled = Vec::with_capacity(candidates.len());
        let mut doubtful = Vec::new();
        for (number, (candidate, seen)) in candidates.iter().zip(seen).enumerate() {
            settled.push(match seen {
                Seen::Oversize => Settled::Skip(SkipReason::Oversize),
                Seen::Unreadable => Settled::Skip(SkipReason::Unreadable),
                Seen::Gone => Settled::Gone,
                Seen::Known { facts, learned } => {
                    self.recorder.remember(candidate.path.as_bytes(), &candidate.stat, &facts, learned);
                    let believed = candidate.agrees && conversions.has_driver(candidate.path.as_bytes());
                    match candidate.held {
                        Some(held) if held == facts.raw || believed => Settled::File(held, Place::Repository),
                        _ => {
                            if conversions.may_convert(candidate.path.as_bytes(), &facts) {
                                doubtful.push((number, facts.raw));
                            }
                            Settled::File(facts.raw, Place::Disk)
                        }
                    }
                }
            });
        }
        if !doubtful.is_empty() {
            self.convert(candidates, &doubtful, &mut settled)?;
        }
        Ok(settled)
    }

    /// Asks git about files it may store in another form, or may have checked out so.
    fn convert(
        &mut self,
        candidates: &[Candidate],
        doubtful: &[(usize, ContentId)],
        settled: &mut [Settled],
    ) -> Result<(), SourceError> {
        let git = GitConversion::start(self.root, self.objects.git_dir())?;
        self.lend(candidates, doubtful, &git)?;
        let paths: Vec<&RepoPath> = doubtful.iter().map(|(number, _)| &candidates[*number].path).collect();
        let mut changed = Vec::new();
        for ((number, raw), stored) in doubtful.iter().zip(git.store(&paths)?) {
            let held = candidates[*number].held;
            settled[*number] = match stored {
                Some(id) if held == Some(id) => Settled::File(id, Place::Repository),
                Some(id) => Settled::File(id, Place::Converted(self.converted.len())),
                // What git cannot convert stays as it is.
                None => Settled::File(*raw, Place::Disk),
            };
            if let (Some(held), Settled::File(id, _)) = (held, settled[*number])
                && held != id
            {
                changed.push((*number, *raw, held));
            }
        }
        let paths: Vec<&RepoPath> = changed.iter().map(|(number, ..)| &candidates[*number].path).collect();
        if !paths.is_empty() {
            for ((number, raw, held), written) in changed.iter().zip(git.check_out(&paths)?) {
                if written == Some(*raw) {
                    settled[*number] = Settled::File(*held, Place::Repository);
                }
            }
        }
        self.converted.push(git.finish()?);
        Ok(())
    }

    /// Gives git the blobs it may ask for: it keeps the line ends of a file that is stored
    /// with carriage returns, and takes attributes from the index where the file is gone.
    fn lend(
        &self,
        candidates: &[Candidate],
        doubtful: &[(usize, ContentId)],
        git: &GitConversion,
    ) -> Result<(), SourceError> {
        let mut paths: HashSet<&[u8]> = doubtful.iter().map(|(at, _)| candidates[*at].path.as_bytes()).collect();
        paths.extend(self.tracked.files.iter().map(|file| file.path.as_slice()).filter(|path| is_rule_file(path)));
        paths
            .into_iter()
            .filter_map(|path| self.tracked_bytes(path, disk::MAX_FILE))
            .try_for_each(|bytes| git.lend(&bytes))
    }

    /// The blob of a tracked path.
    pub(super) fn tracked_bytes(&self, path: &[u8], limit: u64) -> Option<Vec<u8>> {
        let number = self.lookup.number(path)?;
        let (Held::Content(id) | Held::Fixed(id) | Held::Hidden(id)) = self.tracked.files[number].held else {
            return None;
        };
        match self.objects.blob(id, limit) {
            Ok(Ok(Blob::Bytes(bytes))) => Some(bytes),
            _ => None,
        }
    }
}
