//! What the rules of a commit must give, as git itself reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use cce::source::commit::CommitSource;
use cce::source::{RepoPath, SkipReason, Source, Verdict};
use proptest::prelude::*;

use crate::generated::{Bytes, Node};
use crate::sandbox::lab::{Lab, zero_separated};
use crate::steps::put;

pub fn joined<'a>(paths: impl IntoIterator<Item = &'a Bytes>) -> Vec<u8> {
    paths.into_iter().flat_map(|path| [path, &b"\0"[..]].concat()).collect()
}

/// What the rules of a commit must give, by git's own reading of them.
pub struct RuleOracle {
    ignored: BTreeSet<Vec<u8>>,
    attributes: BTreeMap<Vec<u8>, Vec<Vec<u8>>>,
}

pub const ATTRIBUTES: [&str; 4] = ["cce-ignore", "linguist-generated", "linguist-vendored", "filter"];

pub fn rule_oracle(lab: &Lab, tree: &BTreeMap<Bytes, Node>) -> RuleOracle {
    let scratch = lab.repository("scratch");
    for (path, node) in tree {
        for (name, as_name) in [(&b".cceignore"[..], &b".gitignore"[..]), (b".gitattributes", b".gitattributes")] {
            if let Some(directory) = path.strip_suffix(name)
                && (directory.is_empty() || directory.ends_with(b"/"))
            {
                let path = scratch.join(OsStr::from_bytes(&[directory, as_name].concat()));
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                put(&scratch, &path, node);
            }
        }
    }
    let input = joined(tree.keys());
    let (_, out, error) = lab.ask(&scratch, &["check-ignore", "--no-index", "-z", "--stdin"], &input);
    // Git says that it passes over a link.
    assert!(error.lines().all(|line| line.ends_with("Too many levels of symbolic links")), "{error}");
    let ignored = zero_separated(&out);
    // Asked of files, because git passes over a leading mark only there.
    let (success, out, error) =
        lab.ask(&scratch, &[&["check-attr", "-z", "--stdin"][..], &ATTRIBUTES].concat(), &input);
    assert!(success, "{error}");
    let mut attributes: BTreeMap<Vec<u8>, Vec<Vec<u8>>> = BTreeMap::new();
    let fields: Vec<&[u8]> = out.split(|&byte| byte == 0).collect();
    for answer in fields.chunks_exact(3) {
        attributes.entry(answer[0].to_vec()).or_default().push(answer[2].to_vec());
    }
    RuleOracle { ignored, attributes }
}

impl RuleOracle {
    pub fn check(&self, source: &CommitSource, path: &[u8]) -> Result<(), TestCaseError> {
        let on = |state: &Vec<u8>| !matches!(state.as_slice(), b"unset" | b"unspecified" | b"false");
        let [ignore, generated, vendored, filter] = &self.attributes[path][..] else { panic!("four answers") };
        let verdict = source.judge(&RepoPath::parse(path).unwrap()).unwrap();
        let shown = String::from_utf8_lossy(path);
        match verdict {
            Verdict::Skip { reason: SkipReason::IgnoredByCceignore, rule } => {
                let excluded = rule.is_some_and(|rule| rule.file.starts_with("cce.toml"));
                prop_assert!(excluded || self.ignored.contains(path), "{shown} is not ignored");
                return Ok(());
            }
            _ => prop_assert!(!self.ignored.contains(path), "{shown} is ignored"),
        }
        match verdict {
            Verdict::Skip { reason: SkipReason::IgnoredByAttribute, .. } => prop_assert!(on(ignore), "{shown}"),
            Verdict::Skip { reason: SkipReason::LfsPointer, .. } => prop_assert_eq!(filter.as_slice(), b"lfs"),
            Verdict::Skip { reason, .. } => prop_assert_eq!(reason, SkipReason::Sensitive),
            Verdict::Take(attributes) => {
                prop_assert!(!on(ignore) && filter.as_slice() != b"lfs", "{shown}");
                prop_assert_eq!(attributes.generated, on(generated), "generated: {}", &shown);
                prop_assert_eq!(attributes.vendored, on(vendored), "vendored: {}", &shown);
            }
        }
        Ok(())
    }
}
