//! Every way to read a repository agrees with every other, and with the git program.
//!
//! A generated repository is read as a commit from a bare repository, from clones and
//! linked work trees, and as a clean work tree; then steps make the work tree dirty, and
//! it is compared with the commit that `git add -A && git commit` makes of it.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // soaking asks the environment for the number of cases

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use cce::source::commit::CommitSource;
use cce::source::{Source, WorkTree};
use cce::store::Store;
use proptest::prelude::*;

mod cases;
mod checkout;
mod dirty;
mod generated;
mod index;
mod rules;
#[path = "../sandbox/mod.rs"]
mod sandbox;
mod steps;

use checkout::{bare, check_out};
use dirty::{check_dirty, shown};
use generated::{checkout, folded_step, folded_tree, step, tree};
use index::{answers, found, held, refreshed};
use rules::rule_oracle;
use sandbox::lab::{Lab, of_commit, of_work_tree, paths, zero_separated};
use steps::{take_step, track_rules};

fn ls_tree(lab: &Lab, repository: &Path) -> BTreeMap<Vec<u8>, String> {
    let (success, out, error) = lab.ask(repository, &["ls-tree", "-r", "-z", "HEAD"], b"");
    assert!(success, "{error}");
    zero_separated(&out)
        .into_iter()
        .map(|line| {
            let tab = line.iter().position(|&byte| byte == b'\t').unwrap();
            let id = String::from_utf8(line[..tab].rsplit(|&byte| byte == b' ').next().unwrap().to_vec()).unwrap();
            (line[tab + 1..].to_vec(), id)
        })
        .collect()
}

/// The number of cases: few in the suite, more when soaking.
fn cases(usual: u32) -> ProptestConfig {
    let wanted = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok());
    ProptestConfig { cases: wanted.unwrap_or(usual), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn a_commit_is_the_same_from_everywhere(tree in tree(), how in checkout()) {
        let lab = Lab::new();
        let only_git_tells = how.touched && how.driver.smudges();
        // Git adds no two names that are one on such a disk.
        let tree = if only_git_tells && how.ignore_case { folded_tree(&tree) } else { tree };
        let bare = bare(&lab, &tree);
        let commit = of_commit(&bare);
        let listed = ls_tree(&lab, &bare);
        prop_assert_eq!(shown(&paths(&commit.0)), shown(&listed.keys().cloned().collect()));
        for file in &commit.0.files {
            prop_assert_eq!(file.content.to_string(), listed[file.path.as_bytes()].clone());
        }
        let oracle = rule_oracle(&lab, &tree);
        let source = CommitSource::open(&bare, "HEAD").unwrap();
        for path in tree.keys() {
            oracle.check(&source, path)?;
        }
        let root = check_out(&lab, &bare, &how);
        prop_assert_eq!(of_commit(&root), commit.clone(), "by commit from a checkout");
        if only_git_tells {
            // Only the driver could tell that these files are unchanged.
            return check_dirty(&lab, &root);
        }
        prop_assert_eq!(of_work_tree(&root), commit.clone(), "clean work tree");
        let records = |source: &dyn Source| {
            let built = cce::snapshot::collect(source, source.list().unwrap(), None, &|_, _| {}).unwrap().0;
            built.manifest.checksum
        };
        prop_assert_eq!(records(&WorkTree::open(&root, None).unwrap()), records(&source));
        let info = lab.path("clone/.git/info/attributes");
        fs::write(&info, &*how.info_attributes).unwrap();
        prop_assert_eq!(of_commit(&root), commit, "with attributes of the machine's own");
    }

    #[test]
    fn a_dirty_work_tree_is_the_commit_of_it(
        tree in tree(),
        how in checkout(),
        steps in prop::collection::vec(step(), 1..12),
        machine_attributes: bool,
        laid_over in prop::bool::weighted(0.7),
    ) {
        let lab = Lab::new();
        let (tree, steps) = match how.ignore_case {
            true => (folded_tree(&tree), steps.iter().map(folded_step).collect()),
            false => (tree, steps),
        };
        let bare = bare(&lab, &tree);
        let root = check_out(&lab, &bare, &how);
        let store = laid_over.then(|| Store::at(lab.path("store")));
        if let Some(store) = &store {
            prop_assert_eq!(held(&refreshed(store, &root)), answers(&of_work_tree(&root)), "of a clean tree");
        }
        steps.iter().for_each(|step| take_step(&lab, &root, step));
        track_rules(&lab, &root);
        if machine_attributes {
            fs::write(lab.path("clone/.git/info/attributes"), &*how.info_attributes).unwrap();
        }
        let overlay = store.as_ref().map(|store| refreshed(store, &root));
        if let Some(overlay) = &overlay {
            prop_assert_eq!(held(overlay), answers(&of_work_tree(&root)), "laid over the commit");
        }
        check_dirty(&lab, &root)?;
        if let (Some(store), Some(overlay)) = (&store, &overlay) {
            let fresh = refreshed(&Store::at(lab.path("fresh")), &root);
            if held(overlay) == held(&fresh) {
                prop_assert_eq!(found(overlay), found(&fresh), "searched, laid over and made afresh");
            }
            let again = refreshed(store, &root);
            prop_assert_eq!((held(&again), found(&again)), (held(&fresh), found(&fresh)), "brought up to the new commit");
        }
    }
}
