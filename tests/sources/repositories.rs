//! Revisions, objects and repositories of every kind, the broken ones too.

use std::fs;

use cce::source::commit::CommitSource;
use cce::source::work_tree::WorkTree;
use cce::source::{Content, Source, SourceError, detect};

use crate::rich::rich;
use crate::sandbox::lab::{Lab, everything, of_commit, of_work_tree, text, write};

#[test]
fn revisions_of_every_kind() {
    let lab = Lab::new();
    let root = lab.repository("r");
    let unborn = CommitSource::open(&root, "HEAD").err().unwrap().to_string();
    assert!(unborn.contains("`HEAD`") && unborn.contains("nothing has been committed"), "{unborn}");
    assert!(WorkTree::open(&root, None).unwrap().commit().is_none());
    write(&root, "a", "1");
    lab.commit(&root);
    lab.git(&root, &["tag", "-a", "-m", "t", "annotated"]);
    lab.git(&root, &["tag", "-a", "-m", "t", "twice", "annotated"]);
    lab.git(&root, &["tag", "of-blob", "HEAD:a"]);
    let sha = lab.git(&root, &["rev-parse", "HEAD"]);
    write(&root, "a", "2");
    lab.commit(&root);
    for revision in ["HEAD~1", "main^", "annotated", "twice", "annotated^{}", &sha, &sha[..10], "refs/heads/main~1"] {
        let source = CommitSource::open(&root, revision).unwrap();
        let commit = source.commit().unwrap();
        assert_eq!((commit.sha.as_str(), commit.time), (sha.as_str(), 1_700_000_001), "{revision}");
        assert_eq!(text(&everything(&source), "a"), "1");
    }
    for revision in ["nope", "of-blob", "HEAD:a", "--help", "", "HEAD~9"] {
        let error = CommitSource::open(&root, revision).err().unwrap();
        assert!(error.to_string().contains(&format!("`{revision}` names no commit")), "{error}");
    }
}

#[test]
fn replaced_objects_and_missing_blobs() {
    let lab = Lab::new();
    let root = lab.repository("r");
    write(&root, "a", "original\n");
    write(&root, "b", "other\n");
    lab.commit(&root);
    lab.git(&root, &["replace", "HEAD:a", "HEAD:b"]);
    assert_eq!(text(&of_commit(&root), "a"), "original\n");

    let blob = lab.git(&root, &["--no-replace-objects", "rev-parse", "HEAD:a"]);
    fs::remove_file(root.join(".git/objects").join(&blob[..2]).join(&blob[2..])).unwrap();
    let source = CommitSource::open(&root, "HEAD").unwrap();
    let listing = source.list().unwrap();
    let error = source.read(&listing.files[0]).unwrap_err().to_string();
    assert!(error.contains("`a`") && error.contains(&blob) && error.contains("git fsck"), "{error}");
    let missing = source.missing_blobs(&listing).unwrap();
    assert_eq!(missing.len(), 1);
    assert_eq!(missing[0].1.to_string(), blob);
}

#[test]
fn a_partial_clone_names_what_it_lacks_and_how_to_get_it() {
    let lab = Lab::new();
    let root = rich(&lab);
    lab.git(&root, &["config", "uploadpack.allowFilter", "true"]);
    let clone = lab.path("partial");
    let url = format!("file://{}", root.display());
    lab.git(&root, &["clone", "-q", "--bare", "--filter=blob:none", &url, clone.to_str().unwrap()]);
    let error = CommitSource::open(&clone, "HEAD").err().unwrap();
    let SourceError::MissingBlobs { blobs, partial: true } = &error else { panic!("{error}") };
    assert_eq!(blobs.len(), 6, "all rule files at once");
    assert!(error.to_string().contains("git fetch --refetch --no-filter"), "{error}");
    lab.git(&clone, &["fetch", "-q", "--refetch", "--no-filter"]);
    assert_eq!(of_commit(&clone), of_commit(&root));
}

#[test]
fn repositories_that_cannot_be_read_say_why_and_what_helps() {
    let lab = Lab::new();
    for (name, option, fix) in
        [("sha256", "--object-format=sha256", "git archive"), ("reftable", "--ref-format=reftable", "git refs migrate")]
    {
        let root = lab.path(name);
        fs::create_dir(&root).unwrap();
        if !lab.ask(&root, &["init", "-q", option], b"").0 {
            continue;
        }
        for error in [detect(&root).err(), CommitSource::open(&root, "HEAD").err(), WorkTree::open(&root, None).err()] {
            let error = error.unwrap().to_string();
            assert!(error.contains(fix) && error.contains(name), "{error}");
        }
    }
    let root = lab.repository("foreign");
    if std::os::unix::fs::chown(&root, Some(4321), None).is_ok()
        && std::os::unix::fs::chown(root.join(".git"), Some(4321), None).is_ok()
    {
        let error = CommitSource::open(&root, "HEAD").err().unwrap().to_string();
        assert!(error.contains("git config --global --add safe.directory"), "{error}");
    }
    let root = lab.repository("promised");
    lab.git(&root, &["config", "core.repositoryFormatVersion", "1"]);
    lab.git(&root, &["config", "extensions.partialClone", "origin"]);
    let error = CommitSource::open(&root, "HEAD").err().unwrap().to_string();
    assert!(error.contains("git config --unset extensions.partialClone"), "{error}");
    let root = lab.repository("split");
    write(&root, "a", "x");
    lab.commit(&root);
    lab.git(&root, &["update-index", "--split-index"]);
    let error = WorkTree::open(&root, None).unwrap().list().unwrap_err().to_string();
    assert!(error.contains("--no-split-index"), "{error}");
}

#[test]
fn rule_files_that_are_refused() {
    let lab = Lab::new();
    let root = lab.repository("r");
    write(&root, "cce.toml", "nonsense = 1\n");
    lab.commit(&root);
    for error in [CommitSource::open(&root, "HEAD").err(), WorkTree::open(&root, None).unwrap().list().err()] {
        assert!(error.unwrap().to_string().contains("unknown key `nonsense`"));
    }
    write(&root, "cce.toml", "");
    write(&root, ".cceignore", vec![b'#'; 5 << 20]);
    lab.commit(&root);
    for error in [CommitSource::open(&root, "HEAD").err(), WorkTree::open(&root, None).unwrap().list().err()] {
        assert!(error.unwrap().to_string().contains("`.cceignore` is larger"));
    }
}

#[test]
fn trees_that_git_itself_would_not_write() {
    let lab = Lab::new();
    let root = lab.repository("r");
    write(&root, "a", "x");
    lab.commit(&root);
    let blob = lab.git(&root, &["rev-parse", "HEAD:a"]);
    for (entries, expected) in [
        (vec!["100644 a", "100644 a"], "holds `a` twice"),
        (vec!["100644 .git"], "`.git`"),
        (vec!["100644 .."], "`..`"),
    ] {
        let mut tree = Vec::new();
        for entry in entries {
            tree.extend_from_slice(entry.as_bytes());
            tree.push(0);
            tree.extend((0..20).map(|at| u8::from_str_radix(&blob[at * 2..at * 2 + 2], 16).unwrap()));
        }
        let (_, id, error) = lab.ask(&root, &["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &tree);
        let tree = String::from_utf8(id).unwrap();
        let commit = lab.git(&root, &["commit-tree", "-m", "m", tree.trim()]);
        let error = CommitSource::open(&root, &commit).map(|_| error).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn many_and_deep() {
    let lab = Lab::new();
    let root = lab.repository("r");
    for number in 0..10_000 {
        write(&root, format!("flat/{number}"), format!("{}\n", number % 7));
    }
    write(&root, "d/".repeat(1500) + "leaf", "deep\n");
    lab.commit(&root);
    let commit = of_commit(&root);
    assert_eq!(commit.0.files.len(), 10_001);
    assert_eq!(of_work_tree(&root), commit);
}

#[test]
fn one_thread_reads_what_many_read() {
    use rayon::prelude::*;
    let lab = Lab::new();
    let root = rich(&lab);
    write(&root, "crlf.win", "changed\r\n");
    let source = WorkTree::open(&root, None).unwrap();
    let listing = source.list().unwrap();
    let many: Vec<Content> = listing.files.par_iter().map(|file| source.read(file).unwrap()).collect();
    let one: Vec<Content> = listing.files.iter().map(|file| source.read(file).unwrap()).collect();
    assert_eq!(many, one);
}
