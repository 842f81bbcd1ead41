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
    /// As git reads attributes when it stores a file: from disk, else from the index.
    storing: AttributeRules,
    /// As git reads them when it checks a file out: from the index, else from disk.
    checking_out: AttributeRules,
    converts_line_ends: bool,
}

impl Conversions {
    /// Reads every attributes file that git asks about one of `paths`. `tracked` gives
    /// the tracked bytes of one.
    pub(crate) fn read<'a>(
        root: &Path,
        config: &CheckoutConfig,
        paths: impl Iterator<Item = &'a [u8]>,
        tracked: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
    ) -> Self {
        let mut storing = HashMap::new();
        let mut checking_out = HashMap::new();
        for directory in directories(paths) {
            let path = [directory, if directory.is_empty() { b"" } else { b"/" }, ATTRIBUTE_FILE].concat();
            let on_disk = native::below(root, &path).and_then(|path| native::read_file(&path, MAX_ATTRIBUTE_FILE).ok());
            let held = tracked(&path);
            let macros = directory.is_empty();
            let from_disk = || Some(AttributeFile::parse(on_disk.as_ref()?, String::new(), macros, config.case));
            let from_index = || Some(AttributeFile::parse_indexed(held.as_ref()?, String::new(), macros, config.case));
            storing.extend(from_disk().or_else(from_index).map(|file| (directory.to_vec(), file)));
            checking_out.extend(from_index().or_else(from_disk).map(|file| (directory.to_vec(), file)));
        }
        let rules = |nested| AttributeRules::new(AttributeFiles { nested, ..outside(config) }, &WANTED);
        Self {
            storing: rules(storing),
            checking_out: rules(checking_out),
            converts_line_ends: config.converts_line_ends,
        }
    }

    /// Whether git may store other bytes than these, or may have written these for other
    /// ones. True where git's own answer is needed.
    pub(crate) fn may_convert(&self, path: &[u8], facts: &Facts) -> bool {
        [&self.storing, &self.checking_out].iter().any(|rules| {
            let answer = rules.of(path);
            let says = |name: &str| answer[position(name)].as_ref().is_some_and(is_said);
            says("working-tree-encoding")
                || facts.keyword && says("ident")
                || facts.carriage_return && (self.converts_line_ends || says("text") || says("crlf") || says("eol"))
        })
    }

    /// Whether a driver outside git converts the path, which is never run here.
    pub(crate) fn has_driver(&self, path: &[u8]) -> bool {
        [&self.storing, &self.checking_out]
            .iter()
            .any(|rules| rules.of(path)[position("filter")].as_ref().is_some_and(is_said))
    }
}

/// The attributes files that lie outside the work tree.
fn outside(config: &CheckoutConfig) -> AttributeFiles {
    let read = |path: &Path| {
        let bytes = std::fs::read(path).ok()?;
        Some(AttributeFile::parse(&bytes, String::new(), true, config.case))
    };
    AttributeFiles {
        above: read(&config.info_attributes).into_iter().collect(),
        nested: HashMap::new(),
        below: config.attribute_files.iter().filter_map(|path| read(path)).collect(),
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
