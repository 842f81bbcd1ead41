//! Work trees with changed, deleted and untracked files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::rich::rich;
use crate::sandbox::lab::{Lab, id, of_commit, of_work_tree, paths, reasons, text, write, zero_separated};

#[test]
fn untracked_files_are_those_git_lists() {
    let lab = Lab::new();
    let root = rich(&lab);
    let user = lab.path("user-ignore");
    fs::write(&user, "*.user\n!hidden\n").unwrap();
    lab.git(&root, &["config", "core.excludesFile", user.to_str().unwrap()]);
    for path in [
        "new.rs",
        "new.user",
        "hidden",
        "sub/hidden",
        "a.tmp",
        "sub/kept.tmp",
        "sub/n.x",
        "sub/deep/y.x",
        "ignored/new",
        "fresh/dir/file",
        "fresh/.gitignore",
        "fresh/own",
        ".cce/store",
        "sub/.cce/store",
        "odd \"n\\a\nme",
        "excluded/a",
        "gone/nested/inner",
        "plain/.git/not-a-repository",
        "plain/file",
        "dir0/now-a-directory",
    ] {
        if path == "dir0/now-a-directory" {
            fs::remove_file(root.join("dir0")).unwrap();
        }
        write(&root, path, "x\n");
    }
    write(&root, "fresh/.gitignore", "own\n");
    write(&root, b"fresh/\xff\xfe", "x");
    symlink("new.rs", root.join("new-link")).unwrap();
    symlink("sub", root.join("link-to-directory")).unwrap();
    lab.git(&root, &["init", "-q", "fresh/nested"]);
    lab.git(&root, &["init", "-q", "fresh/nested-and-ignored"]);
    write(&root, ".git/info/exclude", "hidden\n/excluded/*\nnested-and-ignored\n");
    Command::new("mkfifo").arg(root.join("fresh/pipe")).status().unwrap();

    let (success, out, error) = lab.ask(&root, &["ls-files", "-o", "--exclude-standard", "-z"], b"");
    assert!(success, "{error}");
    let oracle: BTreeSet<Vec<u8>> = zero_separated(&out)
        .into_iter()
        .map(|path| path.strip_suffix(b"/").map_or(path.clone(), <[u8]>::to_vec))
        .filter(|path| !path.starts_with(b".cce/"))
        .collect();
    let tracked = zero_separated(&lab.ask(&root, &["ls-files", "-z"], b"").1);
    let listed = of_work_tree(&root);
    let untracked: BTreeSet<Vec<u8>> = paths(&listed.0).difference(&tracked).cloned().collect();
    let show =
        |paths: &BTreeSet<Vec<u8>>| paths.iter().map(|p| String::from_utf8_lossy(p).into_owned()).collect::<Vec<_>>();
    assert_eq!(show(&untracked), show(&oracle));
    assert!(untracked.contains(b"plain/file".as_slice()) && untracked.contains(b"fresh/nested".as_slice()));
    assert_eq!(reasons(&listed)["fresh/nested"], "submodule");
    assert_eq!(reasons(&listed)["new-link"], "link");
    assert!(!paths(&listed.0).contains(b"dir0".as_slice()), "a file that became a directory is gone");
}

#[test]
fn changed_files_are_what_git_would_store() {
    let lab = Lab::new();
    let root = rich(&lab);
    let loud = "sed s/quiet/LOUD/";
    lab.git(&root, &["config", "filter.shout.clean", loud]);
    lab.git(&root, &["config", "filter.shout.required", "true"]);
    lab.git(&root, &["config", "core.safecrlf", "true"]);
    write(&root, ".git/info/attributes", "*.info text\n");
    let changes: [(&str, &[u8]); 12] = [
        ("a.rs", b"changed\n"),
        ("crlf.win", b"new\r\nline\n"),
        ("lf.auto", b"was lf\r\nis crlf\r\n"),
        ("crlf.raw", b"raw\r\n"),
        ("crlf.none", b"none\r\n"),
        ("key.id", b"x $Id: 1234 $ y $Id$\n"),
        ("wide.u16", b"\xff\xfez\0\r\0\n\0"),
        ("loud.drv", b"still quiet\n"),
        ("new.win", b"untracked\r\n"),
        ("new.info", b"by info\r\n"),
        ("new\nline", b"odd\r\nname"),
        ("tab\t", b"other\n"),
    ];
    for autocrlf in ["false", "true", "input"] {
        lab.git(&root, &["config", "core.autocrlf", autocrlf]);
        for (path, bytes) in changes {
            write(&root, path, bytes);
        }
        let before = snapshot(&root.join(".git"));
        let listed = of_work_tree(&root);
        assert_eq!(snapshot(&root.join(".git")), before, "the repository was written");
        let index = lab.path("index");
        // Git doubts what is not older than the index, so the copy is as old as the index.
        let written = fs::metadata(root.join(".git/index")).unwrap().modified().unwrap();
        fs::copy(root.join(".git/index"), &index).unwrap();
        fs::File::options().append(true).open(&index).unwrap().set_modified(written).unwrap();
        let git = |arguments: &[&str]| {
            let silent =
                ["-c", "filter.shout.clean=", "-c", "filter.shout.required=false", "-c", "core.safecrlf=false"];
            let output =
                lab.git_command(&root).args(silent).args(arguments).env("GIT_INDEX_FILE", &index).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        for (path, _) in changes {
            git(&["add", "--", path]);
            let expected = git(&["ls-files", "-s", "-z", "--", path])[7..47].to_owned();
            assert_eq!(id(&listed.0, path), Some(expected), "{path}, autocrlf={autocrlf}");
        }
        assert_eq!(text(&listed, "wide.u16"), "z\n");
        assert_eq!(text(&listed, "loud.drv"), "still quiet\n");
        assert_eq!(text(&listed, "key.id"), "x $Id$ y $Id$\n");
        assert_eq!(text(&listed, "new.info"), "by info\n");
    }
}

/// The files below a directory with their sizes and times.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, (u64, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() {
                waiting.push(entry.path());
            }
            found.insert(entry.path(), (metadata.len(), metadata.modified().unwrap()));
        }
    }
    found
}

#[test]
fn what_a_checkout_writes_is_unchanged() {
    let lab = Lab::new();
    let root = lab.repository("r");
    write(&root, "mixed.txt", "one\r\ntwo\n");
    lab.commit(&root);
    write(&root, ".gitattributes", "*.txt text eol=crlf\n");
    lab.git(&root, &["add", ".gitattributes"]);
    lab.git(&root, &["commit", "-q", "-m", "m"]);
    let commit = of_commit(&root);
    write(&root, "mixed.txt", "one\r\ntwo\r\n");
    assert_eq!(of_work_tree(&root), commit);
    write(&root, "mixed.txt", "one\r\nthree\r\n");
    assert_eq!(text(&of_work_tree(&root), "mixed.txt"), "one\nthree\n");
}

#[test]
fn a_driver_is_never_run_and_a_clean_tree_stays_clean() {
    let lab = Lab::new();
    let root = lab.repository("r");
    lab.git(&root, &["config", "filter.crypt.clean", "tr a-y b-z"]);
    lab.git(&root, &["config", "filter.crypt.smudge", "tr b-z a-y"]);
    write(&root, ".gitattributes", "*.c filter=crypt text\n");
    write(&root, "x.c", "abc\n");
    lab.commit(&root);
    let commit = of_commit(&root);
    assert_eq!(text(&commit, "x.c"), "bcd\n");
    let trap = lab.path("ran");
    lab.git(&root, &["config", "filter.crypt.clean", &format!("touch {}; cat", trap.display())]);
    lab.git(&root, &["config", "filter.crypt.process", &format!("touch {}; cat", trap.display())]);
    assert_eq!(of_work_tree(&root), commit, "just written, so that times prove nothing");
    write(&root, "x.c", "changed\r\n");
    assert_eq!(text(&of_work_tree(&root), "x.c"), "changed\n");
    assert!(!trap.exists());
}

#[test]
fn rules_of_a_work_tree_are_its_tracked_files_as_they_are_now() {
    let lab = Lab::new();
    let root = lab.repository("r");
    write(&root, "a.x", "a\n");
    write(&root, "b.x", "b\n");
    write(&root, ".cceignore", "a.x\n");
    lab.commit(&root);
    write(&root, ".cceignore", "b.x\r\n");
    write(&root, "sub/.cceignore", "*\n");
    write(&root, "sub/file", "untracked rules do not count\n");
    let listed = of_work_tree(&root);
    assert_eq!(reasons(&listed), [("b.x".to_owned(), "ignored-by-cceignore")].into());
    fs::remove_file(root.join(".cceignore")).unwrap();
    assert_eq!(reasons(&of_work_tree(&root)), [].into());
    lab.git(&root, &["add", "sub"]);
    assert_eq!(reasons(&of_work_tree(&root)).len(), 2);
}

#[test]
fn deleted_conflicted_and_intended_files() {
    let lab = Lab::new();
    let root = lab.repository("r");
    write(&root, "conflict", "base\n");
    write(&root, "deleted", "x\n");
    write(&root, "typechange", "x\n");
    write(&root, "d/file", "x\n");
    symlink("x", root.join("was-link")).unwrap();
    lab.commit(&root);
    lab.git(&root, &["checkout", "-q", "-b", "side"]);
    write(&root, "conflict", "side\n");
    lab.commit(&root);
    lab.git(&root, &["checkout", "-q", "main"]);
    write(&root, "conflict", "main\n");
    lab.commit(&root);
    assert!(!lab.ask(&root, &["merge", "-q", "side"], b"").0);
    fs::remove_file(root.join("deleted")).unwrap();
    fs::remove_file(root.join("typechange")).unwrap();
    symlink("d", root.join("typechange")).unwrap();
    fs::remove_file(root.join("was-link")).unwrap();
    write(&root, "was-link", "now a file\n");
    write(&root, "intended", "soon\n");
    lab.git(&root, &["add", "-N", "intended"]);
    fs::rename(root.join("d"), root.join("moved")).unwrap();
    symlink("moved", root.join("d")).unwrap();
    let listed = of_work_tree(&root);
    assert!(text(&listed, "conflict").contains("<<<<<<<"));
    assert_eq!(text(&listed, "was-link"), "now a file\n");
    assert_eq!(text(&listed, "intended"), "soon\n");
    assert_eq!(text(&listed, "moved/file"), "x\n");
    assert_eq!(reasons(&listed), [("d".to_owned(), "link"), ("typechange".to_owned(), "link")].into());
    assert!(!paths(&listed.0).contains(b"d/file".as_slice()), "nothing is read through a link");
    assert!(!paths(&listed.0).contains(b"deleted".as_slice()));
}
