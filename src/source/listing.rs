//! Puts a listing together, in path order.

use super::rules::{Rules, Verdict};
use super::{ContentId, FileEntry, Listing, RepoPath, SkipReason, Skipped, SkippedFile};
use crate::config::ProjectFile;

/// What was found out about one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// A file whose bytes have this id.
    File(ContentId),
    /// Something that contributes nothing, whatever the rules say.
    Skip(SkipReason, Option<ContentId>),
}

/// A listing in the making.
pub(crate) struct Builder {
    listing: Listing,
}

impl Builder {
    /// Starts a listing.
    pub(crate) fn new(project: ProjectFile) -> Self {
        Self { listing: Listing { files: Vec::new(), skipped: Vec::new(), project } }
    }

    /// Takes a file the rules let pass.
    pub(crate) fn take(&mut self, path: RepoPath, content: ContentId, attributes: super::Attributes) {
        self.listing.files.push(FileEntry { path, content, attributes });
    }

    /// Takes something that contributes nothing.
    pub(crate) fn skip(&mut self, path: RepoPath, reason: SkipReason, content: Option<ContentId>) {
        self.listing.skipped.push(SkippedFile { skipped: Skipped { path, reason }, content });
    }

    /// Judges what was found at a path and takes it accordingly.
    pub(crate) fn add(&mut self, path: RepoPath, finding: Finding, rules: &mut Rules) {
        let (content, otherwise) = match finding {
            Finding::File(content) => (Some(content), None),
            // What cannot be read is judged by its name first, as where it can be read.
            Finding::Skip(SkipReason::Unreadable, content) => (content, Some(SkipReason::Unreadable)),
            Finding::Skip(reason, content) => return self.skip(path, reason, content),
        };
        match (rules.judge(path.as_bytes()), content, otherwise) {
            (Verdict::Skip { reason, .. }, ..) => self.skip(path, reason, content),
            (Verdict::Take(attributes), Some(content), None) => self.take(path, content, attributes),
            (Verdict::Take(_), ..) => self.skip(path, SkipReason::Unreadable, content),
        }
    }

    /// Sorts what was taken. The caller takes no path twice.
    pub(crate) fn finish(mut self) -> Listing {
        self.listing.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.listing.skipped.sort_by(|a, b| a.skipped.path.cmp(&b.skipped.path));
        self.listing
    }
}
