//! Which files git would store in another form than they have on disk.
//!
//! Most files need no conversion, and that shows from their bytes and the attributes
//! that are in force in this checkout. Only the rest are handed to the git program,
//! which is the one judge of its own conversions.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::attributes::{AttributeFile, AttributeFiles, AttributeRules, Decision, State};
use super::git_config::CheckoutConfig;
use super::ignore::parent;
use super::native;
use super::rules::ATTRIBUTE_FILE;
use super::stat_cache::Facts;

/// The largest attributes file that git reads, in bytes.
const MAX_ATTRIBUTE_FILE: u64 = 100 << 20;

const WANTED: [&str; 6] = ["working-tree-encoding", "ident", "filter", "text", "crlf", "eol"];

/// The conversions of one checkout, for the paths it was made for.
#[derive(Debug)]
pub(crate) struct Conversions {
    rules: AttributeRules,
    converts_line_ends: bool,
}

impl Conversions {
    /// Reads every attributes file that git asks about one of `paths`. `tracked` gives
    /// the tracked bytes of one that is not on disk.
    pub(crate) fn read<'a>(
        root: &Path,
        config: &CheckoutConfig,
        paths: impl Iterator<Item = &'a [u8]>,
        tracked: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
    ) -> Self {
        let parse = |bytes: Vec<u8>, macros| AttributeFile::parse(&bytes, String::new(), macros, config.case);
        let outside = |path: &Path| std::fs::read(path).ok().map(|bytes| parse(bytes, true));
        let mut nested = HashMap::new();
        for directory in directories(paths) {
            let mut path = directory.to_vec();
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(ATTRIBUTE_FILE);
            let on_disk = native::below(root, &path).and_then(|path| native::read_file(&path, MAX_ATTRIBUTE_FILE).ok());
            if let Some(bytes) = on_disk.or_else(|| tracked(&path)) {
                nested.insert(directory.to_vec(), parse(bytes, directory.is_empty()));
            }
        }
        let files = AttributeFiles {
            above: outside(&config.info_attributes).into_iter().collect(),
            nested,
            below: config.attribute_files.iter().filter_map(|path| outside(path)).collect(),
        };
        Self { rules: AttributeRules::new(files, &WANTED), converts_line_ends: config.converts_line_ends }
    }

    /// Whether git may store other bytes than these. True where git's own answer is needed.
    pub(crate) fn may_convert(&self, path: &[u8], facts: &Facts) -> bool {
        let answer = self.rules.of(path);
        let says = |name: &str| answer[position(name)].as_ref().is_some_and(is_said);
        says("working-tree-encoding")
            || facts.keyword && says("ident")
            || facts.carriage_return && (self.converts_line_ends || says("text") || says("crlf") || says("eol"))
    }

    /// Whether a driver outside git converts the path, which is never run here.
    pub(crate) fn has_driver(&self, path: &[u8]) -> bool {
        self.rules.of(path)[position("filter")].as_ref().is_some_and(is_said)
    }
}

fn position(name: &str) -> usize {
    WANTED.iter().position(|wanted| *wanted == name).unwrap_or_default()
}

fn is_said(decision: &Decision<'_>) -> bool {
    matches!(decision.state, State::Set | State::Value(_))
}

fn directories<'a>(paths: impl Iterator<Item = &'a [u8]>) -> HashSet<&'a [u8]> {
    let mut directories = HashSet::from([&[][..]]);
    for path in paths {
        let mut directory = parent(path);
        while directories.insert(directory) {
            directory = parent(directory);
        }
    }
    directories
}
