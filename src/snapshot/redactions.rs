//! What was replaced where, and which names hold what cannot be replaced in them.

use std::collections::BTreeMap;

use crate::source::RepoPath;
use crate::source::redact::{markers, masked};

/// Which secrets were replaced in which files, and which file names hold one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redactions {
    files: BTreeMap<RepoPath, BTreeMap<&'static str, u64>>,
    names: Vec<SecretName>,
}

/// A name that holds a secret. Git keeps it as it is; messages show it masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretName {
    /// The name with its markers.
    pub masked: String,
    /// The kinds of the secrets in it.
    pub kinds: Vec<String>,
}

impl SecretName {
    /// Looks for secrets in a name.
    pub fn of(name: &str) -> Option<Self> {
        let masked = masked(name);
        if masked == name {
            return None;
        }
        let kinds = markers(&masked).into_keys().map(str::to_owned).collect();
        Some(Self { masked, kinds })
    }
}

impl Redactions {
    /// Adds what was replaced in a file.
    pub fn add(&mut self, path: &RepoPath, counts: BTreeMap<&'static str, u32>) {
        if counts.is_empty() {
            return;
        }
        let file = self.files.entry(path.clone()).or_default();
        for (kind, count) in counts {
            *file.entry(kind).or_default() += u64::from(count);
        }
    }

    /// Looks at the name of a file.
    pub fn look_at(&mut self, path: &RepoPath) {
        self.names.extend(SecretName::of(&path.display()));
    }

    /// Takes in what another run over other files found.
    pub fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
        for name in other.names {
            if !self.names.contains(&name) {
                self.names.push(name);
            }
        }
    }

    /// The files in which something was replaced, in path order, with the counts by kind.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&RepoPath, &BTreeMap<&'static str, u64>)> {
        self.files.iter()
    }

    /// The file names that hold a secret.
    pub fn names(&self) -> &[SecretName] {
        &self.names
    }

    /// How many secrets of each kind were replaced in all files.
    pub fn totals(&self) -> BTreeMap<&'static str, u64> {
        let mut totals = BTreeMap::new();
        for (kind, count) in self.files.values().flatten() {
            *totals.entry(*kind).or_default() += count;
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_over_all_files() {
        let mut redactions = Redactions::default();
        let path = |name: &str| RepoPath::parse(name).unwrap();
        redactions.add(&path("b"), BTreeMap::from([("JWT", 1), ("SECRET", 2)]));
        redactions.add(&path("none"), BTreeMap::new());
        let mut more = Redactions::default();
        more.add(&path("a"), BTreeMap::from([("SECRET", 3)]));
        redactions.extend(more);
        assert_eq!(redactions.totals(), BTreeMap::from([("JWT", 1), ("SECRET", 5)]));
        assert_eq!(redactions.files().map(|(path, _)| path.to_string()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn names_are_shown_masked() {
        let mut redactions = Redactions::default();
        redactions.look_at(&RepoPath::parse("src/lib.rs").unwrap());
        assert!(redactions.names().is_empty());
        let token = format!("ghp_{}", "a7Kq2ZxM9wTbR4vNc8LpY3sJdH6gFe5Q1uXi");
        redactions.look_at(&RepoPath::parse(format!("conf/{token}.txt")).unwrap());
        let expect =
            SecretName { masked: "conf/[REDACTED:GITHUB_TOKEN].txt".into(), kinds: vec!["GITHUB_TOKEN".into()] };
        assert_eq!(redactions.names(), [expect]);
    }
}
