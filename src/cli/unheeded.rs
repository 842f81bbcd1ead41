//! What people are told of rule files that lie in their work tree and do not count.

use super::Failure;
use super::project::Project;
use super::terminal::{count, named, note};
use crate::config::PROJECT_FILE;
use crate::source::{Listing, RepoPath, SourceError, Unheeded, is_own_rule_file, lies_in, rule_files_of, unheeded};
use crate::store::View;

/// How many files a command names.
const NAMED: usize = 3;

impl Project {
    /// Says which rule files do not count for an index of the files as they are now: of
    /// those at the root, and of those that are indexed as files themselves.
    pub(super) fn note_unheeded(&self, view: &View) -> Result<(), Failure> {
        let mut files = rule_files_of(b"");
        let mut add = |path: &[u8]| {
            if is_own_rule_file(path) {
                files.extend(RepoPath::parse(path));
            }
        };
        for (index, file) in view.files()? {
            add(index.file(file)?.path);
        }
        view.skipped()?.iter().for_each(|skipped| add(skipped.path));
        self.note_of_work_tree(files);
        Ok(())
    }

    /// Says which rule files do not count for some paths.
    pub(super) fn note_unheeded_for(&self, paths: &[Vec<u8>], at: Option<&str>, listing: &Listing) {
        let files: Vec<RepoPath> = paths.iter().flat_map(|path| rule_files_of(path)).collect();
        match at {
            None => self.note_of_work_tree(files),
            Some(rev) => self.note_of_commit(files, rev, listing),
        }
    }

    /// Says when what the project file says of records does not count.
    pub(super) fn note_unheeded_settings(&self) {
        self.note_of_work_tree(RepoPath::parse(PROJECT_FILE.as_bytes()).into_iter().collect());
    }

    fn note_of_work_tree(&self, mut files: Vec<RepoPath>) {
        if !self.has_git() || !self.has_files() {
            return;
        }
        files.sort();
        files.dedup();
        let found: Result<_, SourceError> = unheeded(self.root(), files);
        // A repository that cannot be read is told of by whoever reads its files.
        report(found.unwrap_or_default().iter().map(|(path, why)| sentence(path, *why)).collect());
    }

    fn note_of_commit(&self, mut files: Vec<RepoPath>, rev: &str, listing: &Listing) {
        if !self.has_files() {
            return;
        }
        files.sort();
        files.dedup();
        let held = |path: &RepoPath| listing.files.binary_search_by(|file| file.path.cmp(path)).is_ok();
        let left_out = |path: &RepoPath| listing.skipped.iter().any(|file| file.skipped.path == *path);
        let lacking = files.iter().filter(|path| lies_in(self.root(), path) && !held(path) && !left_out(path));
        let shown = |path: &RepoPath| {
            format!("`{}` is not part of `{}`, so it does not count there", named(&path.display()), named(rev))
        };
        report(lacking.map(shown).collect());
    }
}

fn sentence(path: &RepoPath, why: Unheeded) -> String {
    let path = named(&path.display());
    // Of the settings, only those that can change records wait for git.
    let it = if path == PROJECT_FILE { "what it says of records" } else { "it" };
    match why {
        Unheeded::Untracked => format!("`{path}` is not tracked by git, so {it} does not count yet; `git add {path}`"),
        Unheeded::Ignored => format!("`{path}` is ignored by git, so {it} does not count; `git add -f {path}`"),
        Unheeded::Link => format!("`{path}` is a link, so it does not count; put the file itself there"),
    }
}

fn report(sentences: Vec<String>) {
    let more = sentences.len().saturating_sub(NAMED) as u64;
    sentences.iter().take(NAMED).for_each(note);
    if more > 0 {
        note(format_args!("… and {} that do not count", count(more, "more file")));
    }
}
