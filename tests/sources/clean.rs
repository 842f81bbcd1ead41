//! Commits, and work trees that nobody touched.

use std::fs;

use cce::source::Source;
use cce::source::work_tree::WorkTree;

use crate::rich::rich;
use crate::sandbox::lab::{Lab, of_commit, of_work_tree, reasons, text, touch_all, write};

#[test]
fn a_commit_lists_everything_with_its_reason() {
    let lab = Lab::new();
    let commit = of_commit(&rich(&lab));
    let expected = [
        (".env", "sensitive"),
        ("a.log", "ignored-by-cceignore"),
        ("a.skip", "ignored-by-attribute"),
        ("app.min.js", "ignored-by-cceignore"),
        ("big.txt", "oversize"),
        ("binary.dat", "binary"),
        ("build/.cceignore", "ignored-by-cceignore"),
        ("build/out.rs", "ignored-by-cceignore"),
        ("dangling", "link"),
        ("image.psd", "lfs-pointer"),
        ("link", "link"),
        ("module", "submodule"),
        ("pointer.bin", "lfs-pointer"),
        ("sub/local", "ignored-by-cceignore"),
    ];
    assert_eq!(reasons(&commit), expected.map(|(path, reason)| (path.to_owned(), reason)).into());
    let flags =
        |path: &str| commit.0.files.iter().find(|file| file.path.as_bytes() == path.as_bytes()).unwrap().attributes;
    assert!(flags("b.pb.rs").generated && !flags("sub/a.pb.rs").generated && flags("with \"quote").generated);
    assert!(flags("vendor/c.rs").vendored && !flags("a.rs").vendored);
    assert!(flags("vendor/b.pb.rs").vendored && flags("vendor/b.pb.rs").generated);
    assert_eq!(text(&commit, "latin1.txt"), "caf\u{e9}\n");
    assert_eq!(text(&commit, "utf16.txt"), "hi\n");
    assert_eq!(text(&commit, "crlf.win"), "one\ntwo\n");
    assert_eq!(text(&commit, "crlf.raw"), "one\r\ntwo\r\n");
    assert_eq!(text(&commit, "wide.u16"), "a\nb\u{e4}");
    assert_eq!(commit.0.project.repo_id.as_ref().unwrap().as_str(), "example.com/rich");
}

#[test]
fn the_same_commit_is_the_same_from_everywhere() {
    let lab = Lab::new();
    let root = rich(&lab);
    let commit = of_commit(&root);
    assert_eq!(of_work_tree(&root), commit, "work tree");
    touch_all(&root);
    assert_eq!(of_work_tree(&root), commit, "touched work tree");

    let bare = lab.path("bare.git");
    lab.git(&root, &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    assert_eq!(of_commit(&bare), commit, "bare");

    let linked = lab.path("linked");
    lab.git(&root, &["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    fs::create_dir_all(linked.join("module")).unwrap();
    assert_eq!(of_commit(&linked), commit, "linked, by commit");
    assert_eq!(of_work_tree(&linked), commit, "linked");
    touch_all(&linked);
    assert_eq!(of_work_tree(&linked), commit, "touched linked");

    for autocrlf in ["true", "input", "false"] {
        let clone = lab.path(&format!("clone-{autocrlf}"));
        let setting = format!("core.autocrlf={autocrlf}");
        lab.git(
            &root,
            &["-c", &setting, "clone", "-q", "-c", &setting, bare.to_str().unwrap(), clone.to_str().unwrap()],
        );
        assert_eq!(fs::read(clone.join("a.rs")).unwrap().contains(&b'\r'), autocrlf == "true");
        assert_eq!(of_work_tree(&clone), commit, "clone, autocrlf={autocrlf}");
        touch_all(&clone);
        assert_eq!(of_work_tree(&clone), commit, "touched clone, autocrlf={autocrlf}");
    }
}

#[test]
fn a_sparse_checkout_is_its_commit() {
    let lab = Lab::new();
    let root = rich(&lab);
    let commit = of_commit(&root);
    fs::write(root.join(".git/info/attributes"), "").unwrap();
    lab.git(&root, &["sparse-checkout", "set", "--no-cone", "/sub/", "/vendor/"]);
    assert!(!root.join("a.rs").exists());
    fs::create_dir_all(root.join("module")).unwrap();
    assert_eq!(of_work_tree(&root), commit);
    write(&root, "ignored/untracked", "dropped by an ignore file that is not checked out");
    assert_eq!(of_work_tree(&root).0, commit.0);
    lab.git(&root, &["sparse-checkout", "init", "--cone", "--sparse-index"]);
    let error = WorkTree::open(&root, None).unwrap().list().unwrap_err().to_string();
    assert!(error.contains("--no-sparse-index"), "{error}");
}

#[test]
fn every_version_of_the_index() {
    let lab = Lab::new();
    let root = rich(&lab);
    let commit = of_commit(&root);
    for version in ["2", "3", "4"] {
        lab.git(&root, &["update-index", "--index-version", version]);
        assert_eq!(of_work_tree(&root), commit, "version {version}");
        lab.git(&root, &["update-index", "--skip-worktree", "a.rs"]);
        assert_eq!(of_work_tree(&root), commit, "version {version}, extended");
        lab.git(&root, &["update-index", "--no-skip-worktree", "a.rs"]);
    }
    fs::write(root.join(".git/index"), "DIRC").unwrap();
    let error = WorkTree::open(&root, None).unwrap().list().unwrap_err().to_string();
    assert!(error.contains("its index is damaged"), "{error}");
}

#[test]
fn assume_unchanged_is_believed() {
    let lab = Lab::new();
    let root = lab.repository("r");
    write(&root, "a", "one");
    write(&root, "b", "one");
    lab.commit(&root);
    lab.git(&root, &["update-index", "--assume-unchanged", "a"]);
    lab.git(&root, &["update-index", "--skip-worktree", "b"]);
    write(&root, "a", "two, and longer");
    fs::remove_file(root.join("b")).unwrap();
    assert_eq!(of_work_tree(&root), of_commit(&root));
}
