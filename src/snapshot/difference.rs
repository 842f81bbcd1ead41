//! What changed from one artifact to another: files, and the definitions in them.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::BufRead;

use sha2::{Digest, Sha256};

use super::stream::{self, StreamError};
use super::{Manifest, RepoPath};
use crate::record::{Record, Word};

/// What happened to a file or a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It is only in the new artifact.
    Added,
    /// It is only in the old artifact.
    Removed,
    /// It is in both, and not the same.
    Changed,
}

/// One of the two artifacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one before.
    Old,
    /// The one after.
    New,
}

/// A definition as it is told apart from others of its file: by what holds it, not by where
/// it stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    /// Names of what holds it, outermost first, and its own, with `.` between.
    pub name: String,
    /// What it is.
    pub kind: Word,
}

/// A file that is not the same in both artifacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDifference {
    /// Where it is.
    pub path: RepoPath,
    /// What happened to it.
    pub change: Change,
    /// What happened to its definitions, by name. Empty where only other text changed.
    pub definitions: Vec<(Change, Named)>,
}

/// Two artifacts side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What the old artifact is.
    pub old: Manifest,
    /// What the new artifact is.
    pub new: Manifest,
    /// Files that are not the same, in path order.
    pub files: Vec<FileDifference>,
}

/// The digest of a stretch of text.
type TextDigest = [u8; 32];

/// Definitions of one file with the digests of their texts, sorted; overloads share a name.
type Outline = BTreeMap<Named, Vec<TextDigest>>;

/// A file of the old artifact: its record's digest and its outline.
struct Before {
    record: TextDigest,
    outline: Outline,
}

/// Verifies both streams and compares them.
///
/// A definition counts as changed when its own text (documentation and body included)
/// is another. Memory: the outlines of the old artifact.
///
/// # Errors
/// The first fault of either stream, and which it was.
pub fn difference(old: &mut dyn BufRead, new: &mut dyn BufRead) -> Result<Difference, (Side, StreamError<Infallible>)> {
    let mut before = BTreeMap::new();
    let old = stream::read(old, |_, record, line| {
        let file = Before { record: Sha256::digest(line).into(), outline: outline(&record) };
        before.insert(record.path, file);
        Ok(())
    })
    .map_err(|error| (Side::Old, error))?;
    let mut files = Vec::new();
    let new = stream::read(new, |_, record, line| {
        let known = before.remove(&record.path);
        if known.as_ref().is_some_and(|known| known.record[..] == Sha256::digest(line)[..]) {
            return Ok(());
        }
        let change = if known.is_some() { Change::Changed } else { Change::Added };
        let definitions = compare(&known.map(|known| known.outline).unwrap_or_default(), &outline(&record));
        files.push(FileDifference { path: record.path, change, definitions });
        Ok(())
    })
    .map_err(|error| (Side::New, error))?;
    files.extend(before.into_iter().map(|(path, gone)| FileDifference {
        path,
        change: Change::Removed,
        definitions: compare(&gone.outline, &Outline::new()),
    }));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Difference { old, new, files })
}

fn outline(record: &Record) -> Outline {
    let mut outline = Outline::new();
    let mut names: Vec<String> = Vec::with_capacity(record.definitions.len());
    for definition in &record.definitions {
        // A container comes before what it holds.
        let around = definition.container.and_then(|index| names.get(index as usize));
        let owner = definition.owner.and_then(|span| span.of(&record.text)).map(str::to_owned);
        let name = match around.cloned().or(owner) {
            Some(around) => format!("{around}.{}", definition.name),
            None => definition.name.clone(),
        };
        names.push(name.clone());
        let text = definition.span.of(&record.text).unwrap_or_default();
        outline.entry(Named { name, kind: definition.kind.clone() }).or_default().push(Sha256::digest(text).into());
    }
    outline.values_mut().for_each(|digests| digests.sort_unstable());
    outline
}

/// Compares outlines. Of several definitions of one name, those with equal text are the
/// same ones, as many of the rest as there are on both sides have changed.
fn compare(old: &Outline, new: &Outline) -> Vec<(Change, Named)> {
    let mut names: Vec<&Named> = old.keys().chain(new.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let none = Vec::new();
    let mut changes = Vec::new();
    for name in names {
        let (was, is) = (old.get(name).unwrap_or(&none), new.get(name).unwrap_or(&none));
        let (gone, come) = (beyond(was, is), beyond(is, was));
        let both = gone.min(come);
        for (change, count) in [(Change::Changed, both), (Change::Removed, gone - both), (Change::Added, come - both)] {
            changes.extend(std::iter::repeat_n((change, name.clone()), count));
        }
    }
    changes
}

/// How many of `these` are not among `those`, each of which stands for one. Both are sorted.
fn beyond(these: &[TextDigest], those: &[TextDigest]) -> usize {
    let mut those = those.iter().peekable();
    these
        .iter()
        .filter(|digest| {
            while those.next_if(|other| other < digest).is_some() {}
            those.next_if(|other| other == digest).is_none()
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::kind;

    fn outline_of(entries: &[(&str, &str)]) -> Outline {
        let mut outline = Outline::new();
        for (name, text) in entries {
            let named = Named { name: (*name).to_owned(), kind: kind::FUNCTION };
            outline.entry(named).or_default().push(Sha256::digest(text).into());
        }
        outline.values_mut().for_each(|digests| digests.sort_unstable());
        outline
    }

    fn check(old: &[(&str, &str)], new: &[(&str, &str)], expect: &[(Change, &str)]) {
        let found = compare(&outline_of(old), &outline_of(new));
        let found: Vec<(Change, &str)> = found.iter().map(|(change, named)| (*change, named.name.as_str())).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn definitions_are_matched_by_name() {
        check(&[("a", "1"), ("b", "1")], &[("b", "1"), ("a", "1")], &[]);
        check(&[("a", "1")], &[("a", "2")], &[(Change::Changed, "a")]);
        check(&[("a", "1")], &[("b", "1")], &[(Change::Removed, "a"), (Change::Added, "b")]);
    }

    #[test]
    fn overloads_are_counted() {
        check(&[("a", "1"), ("a", "2")], &[("a", "2"), ("a", "1")], &[]);
        check(&[("a", "1"), ("a", "2")], &[("a", "2"), ("a", "3")], &[(Change::Changed, "a")]);
        check(&[("a", "1")], &[("a", "1"), ("a", "1")], &[(Change::Added, "a")]);
        check(
            &[("a", "1"), ("a", "1"), ("a", "2")],
            &[("a", "3")],
            &[(Change::Changed, "a"), (Change::Removed, "a"), (Change::Removed, "a")],
        );
    }
}
