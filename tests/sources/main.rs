//! The source room against the git program: what it lists and reads, and from where.
#![allow(clippy::disallowed_methods, clippy::print_stderr)] // tests start programs and say what they skip

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use cce::source::commit::CommitSource;
use cce::source::directory::Directory;
use cce::source::work_tree::WorkTree;
use cce::source::{Content, Place, RepoPath, SkipReason, Source, SourceError, Verdict, detect};
use proptest::prelude::*;

mod sandbox;
use sandbox::lab::{
    Lab, everything, id, of_commit, of_work_tree, paths, reasons, text, touch_all, write, zero_separated,
};

const POINTER: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n";

/// A repository that holds one of everything.
fn rich(lab: &Lab) -> PathBuf {
    let root = lab.repository("rich");
    write(
        &root,
        ".gitattributes",
        concat!(
            "[attr]made linguist-generated=true -linguist-vendored\n",
            "*.pb.rs made\n",
            "vendor/** linguist-vendored\n",
            "*.skip cce-ignore\n",
            "*.psd filter=lfs diff=lfs merge=lfs -text\n",
            "*.win text eol=crlf\n",
            "*.auto text=auto\n",
            "*.id ident\n",
            "*.u16 text working-tree-encoding=UTF-16LE-BOM\n",
            "*.raw -text\n",
            "*.drv filter=shout\n",
            "\"with \\\"quote\" linguist-generated\n",
        ),
    );
    write(
        &root,
        "sub/.gitattributes",
        "*.pb.rs -linguist-generated\nkept.skip !cce-ignore\n[attr]no cce-ignore\nx no\n",
    );
    write(&root, ".cceignore", "*.log\n!keep.log\n/build/\n");
    write(&root, "sub/.cceignore", "!special.log\nlocal\n");
    write(&root, "build/.cceignore", "!*\n");
    write(&root, "cce.toml", "repo_id = \"example.com/rich\"\n[index]\nexclude = [\"*.min.js\"]\nsize_limit = 5000\n");
    write(&root, ".gitignore", "ignored/\n*.tmp\n!sub/kept.tmp\n");
    write(&root, "sub/.gitignore", "*.x\n!y.x\n");
    for path in [
        "a.rs",
        "sub/a.pb.rs",
        "b.pb.rs",
        "vendor/b.pb.rs",
        "vendor/c.rs",
        "a.skip",
        "sub/kept.skip",
        "sub/x",
        "a.log",
        "keep.log",
        "sub/special.log",
        "sub/local",
        "local",
        "build/out.rs",
        "app.min.js",
        "sub/kept.tmp",
        "sub/y.x",
        "Case",
        "case",
        "with \"quote",
        "back\\slash",
        "new\nline",
        "tab\t",
        "excluded-by-info",
        ".env",
        "d/e/e/p/er",
        "dir.x/1",
        "dir/1",
        "dir0",
        "n\u{e4}me",
    ] {
        write(&root, path, format!("content of {path:?}\n"));
    }
    write(&root, b"latin-\xe9", "name is not utf-8\n");
    write(&root, "latin1.txt", b"caf\xe9\n");
    write(&root, "utf16.txt", b"\xff\xfeh\0i\0\n\0");
    write(&root, "binary.dat", b"a\0b");
    write(&root, "empty", b"");
    write(&root, "big.txt", "x".repeat(5001));
    write(&root, "pointer.bin", POINTER);
    write(&root, "image.psd", POINTER);
    write(&root, "crlf.win", "one\r\ntwo\r\n");
    write(&root, "lf.auto", "one\ntwo\n");
    write(&root, "crlf.raw", "one\r\ntwo\r\n");
    write(&root, "crlf.none", "one\r\ntwo\r\n");
    write(&root, "key.id", "$Id$ and $Id: old $\n");
    write(&root, "wide.u16", b"\xff\xfea\0\r\0\n\0b\0\xe4\0");
    write(&root, "loud.drv", "quiet\n");
    write(&root, "ignored/tracked", "tracked all the same\n");
    symlink("a.rs", root.join("link")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    lab.git(&root, &["add", "-A"]);
    lab.git(&root, &["add", "-f", "ignored/tracked"]);
    fs::create_dir(root.join("module")).unwrap();
    let module = "160000,1111111111111111111111111111111111111111,module";
    lab.git(&root, &["update-index", "--add", "--cacheinfo", module]);
    lab.git(&root, &["commit", "-q", "-m", "m"]);
    fs::write(root.join(".git/info/exclude"), "excluded-by-info\nhidden\n").unwrap();
    fs::write(root.join(".git/info/attributes"), "a.rs cce-ignore\n").unwrap();
    root
}

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

#[test]
fn unreadable_files_are_listed() {
    use std::os::unix::fs::PermissionsExt;
    let lab = Lab::new();
    let root = lab.path("plain");
    write(&root, "open", "x");
    write(&root, "closed", "x");
    write(&root, "vault/inner", "x");
    Command::new("mkfifo").arg(root.join("pipe")).status().unwrap();
    for path in ["closed", "vault"] {
        fs::set_permissions(root.join(path), fs::Permissions::from_mode(0o000)).unwrap();
    }
    let privileged = fs::read(root.join("closed")).is_ok();
    let listed = everything(&Directory::open(&root, None).unwrap());
    fs::set_permissions(root.join("vault"), fs::Permissions::from_mode(0o700)).unwrap();
    let mut expected: BTreeMap<String, &str> = [("pipe".to_owned(), "unreadable")].into();
    if !privileged {
        expected.extend([("closed".to_owned(), "unreadable"), ("vault".to_owned(), "unreadable")]);
    }
    assert_eq!(reasons(&listed), expected);
}

#[test]
fn a_plain_directory_has_its_own_rules() {
    let lab = Lab::new();
    let root = lab.path("plain");
    write(&root, ".gitignore", "*.o\n!keep.o\n/out/\n");
    write(&root, "sub/.gitignore", "secret\n");
    write(&root, ".cceignore", "*.skip\n");
    write(&root, ".gitattributes", "*.gen linguist-generated\n*.crlf text\n");
    write(&root, "cce.toml", "[index]\nsize_limit = 100\n");
    for path in [
        "a.o",
        "keep.o",
        "out/x",
        "sub/secret",
        "secret",
        "a.skip",
        "a.gen",
        ".git/config",
        "sub/.git/x",
        ".cce/x",
        "sub/.cce/x",
        ".env",
    ] {
        write(&root, path, "x\r\n");
    }
    write(&root, "big", "x".repeat(101));
    write(&root, "text.crlf", "kept\r\n");
    symlink("a.gen", root.join("link")).unwrap();
    let source = Directory::open(&root, None).unwrap();
    let listed = everything(&source);
    assert!(source.commit().is_none());
    let names: Vec<String> = listed.0.files.iter().map(|file| file.path.to_string()).collect();
    assert_eq!(
        names,
        [
            ".cceignore",
            ".gitattributes",
            ".gitignore",
            "a.gen",
            "cce.toml",
            "keep.o",
            "secret",
            "sub/.gitignore",
            "text.crlf"
        ]
    );
    let expected = [(".env", "sensitive"), ("a.skip", "ignored-by-cceignore"), ("big", "oversize"), ("link", "link")];
    assert_eq!(reasons(&listed), expected.map(|(path, reason)| (path.to_owned(), reason)).into());
    assert_eq!(text(&listed, "text.crlf"), "kept\r\n");
    let entry = &listed.0.files[3];
    assert!(entry.attributes.generated);
    write(&root, "a.gen", "changed after it was listed");
    assert!(matches!(source.read(entry), Err(SourceError::Changed { .. })));
}

#[test]
fn the_stat_cache_saves_work_and_changes_nothing() {
    let lab = Lab::new();
    let root = lab.repository("r");
    write(&root, "tracked", "x\n");
    lab.commit(&root);
    write(&root, "tracked", "changed\r\n");
    write(&root, "untracked", "y\n");
    touch_all(&root);
    let cache = lab.path("cache/stat");
    let list = |cache: Option<&Path>| everything(&WorkTree::open(&root, cache).unwrap());
    let without = list(None);
    assert_eq!(list(Some(&cache)), without);
    assert!(cache.exists());
    assert_eq!(list(Some(&cache)), without);
    fs::write(&cache, "damaged").unwrap();
    assert_eq!(list(Some(&cache)), without);
    lab.git(&root, &["config", "core.autocrlf", "true"]);
    assert_eq!(text(&list(Some(&cache)), "tracked"), "changed\n", "the cache outlives a change of configuration");
    write(&root, "untracked", "z\n");
    assert_eq!(text(&list(Some(&cache)), "untracked"), "z\n", "same size, other bytes, just now");
    let plain = lab.path("plain");
    write(&plain, "a", "a");
    touch_all(&plain);
    let list = |cache: Option<&Path>| everything(&Directory::open(&plain, cache).unwrap());
    let first = list(Some(&cache));
    assert_eq!(list(Some(&cache)), first);
    assert_eq!(list(None), first);
}

#[test]
fn places_are_told_apart() {
    let lab = Lab::new();
    let root = lab.repository("r");
    write(&root, "sub/file", "x");
    lab.commit(&root);
    let bare = lab.path("bare.git");
    lab.git(&root, &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let plain = lab.path("plain");
    fs::create_dir(&plain).unwrap();
    assert_eq!(detect(&root).unwrap(), Place::WorkTree { root: root.clone() });
    assert_eq!(detect(&root.join("sub")).unwrap(), Place::WorkTree { root });
    assert_eq!(detect(&bare).unwrap(), Place::BareRepository { path: bare.clone() });
    assert_eq!(detect(&plain).unwrap(), Place::Directory { path: plain.clone() });
    assert!(matches!(detect(&plain.join("nothing")), Err(SourceError::Io { .. })));
    assert!(matches!(WorkTree::open(&bare, None), Err(SourceError::NoWorkTree { .. })));
    assert!(matches!(CommitSource::open(&plain, "HEAD"), Err(SourceError::NotARepository { .. })));
}

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

/// A name, pattern part or file body from a small alphabet, so that rules and paths meet.
fn path_strategy() -> impl Strategy<Value = String> {
    prop::collection::vec("[ab.]{1,3}", 1..4)
        .prop_map(|parts| parts.join("/"))
        .prop_filter("a path", |path| path.split('/').all(|part| part != "." && part != ".."))
}

fn pattern_strategy() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        4 => "[ab.]{1,2}".boxed(),
        2 => Just("*".to_owned()).boxed(),
        2 => Just("**".to_owned()).boxed(),
        3 => Just("/".to_owned()).boxed(),
        1 => Just("?".to_owned()).boxed(),
        1 => Just("[a-b]".to_owned()).boxed(),
        1 => Just("[!a]".to_owned()).boxed(),
        1 => Just("[".to_owned()).boxed(),
        1 => Just("\\".to_owned()).boxed(),
        1 => Just("[[:alpha:]]".to_owned()).boxed(),
    ];
    (prop::bool::weighted(0.25), prop::collection::vec(atom, 1..7))
        .prop_map(|(negative, atoms)| format!("{}{}", if negative { "!" } else { "" }, atoms.concat()))
}

fn ignore_file_strategy() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        Just(String::new()),
        Just("# a".to_owned()),
        Just("a ".to_owned()),
        Just("\t".to_owned()),
        Just("a\\ ".to_owned()),
        Just("b\r".to_owned())
    ];
    prop::collection::vec(prop_oneof![9 => pattern_strategy().boxed(), 1 => odd.boxed()], 1..5)
        .prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ignore_rules_are_gits(
        files in prop::collection::btree_map(prop_oneof![Just(""), Just("a"), Just("b/a")], ignore_file_strategy(), 1..3),
        paths in prop::collection::btree_set(path_strategy(), 20..40),
    ) {
        let lab = Lab::new();
        let (git, plain) = (lab.repository("git"), lab.path("plain"));
        fs::create_dir(&plain).unwrap();
        for (directory, text) in &files {
            write(&git, format!("{directory}/.gitignore").trim_start_matches('/'), text);
            write(&plain, format!("{directory}/.cceignore").trim_start_matches('/'), text);
        }
        // Names that are directories on disk cannot be asked about as files.
        let paths: Vec<&String> = paths.iter().filter(|path| !git.join(path).is_dir()).collect();
        let input: Vec<u8> = paths.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
        let (_, out, error) = lab.ask(&git, &["check-ignore", "--no-index", "-z", "--stdin"], &input);
        prop_assert_eq!(error, "");
        let oracle = zero_separated(&out);
        let source = Directory::open(&plain, None).unwrap();
        for path in paths {
            let verdict = source.judge(&RepoPath::parse(path.as_str()).unwrap()).unwrap();
            let ignored = matches!(verdict, Verdict::Skip { reason: SkipReason::IgnoredByCceignore, .. });
            prop_assert_eq!(ignored, oracle.contains(path.as_bytes()), "{} with {:?}", path, files);
        }
    }

    #[test]
    fn attributes_are_gits(
        files in prop::collection::btree_map(
            prop_oneof![Just(""), Just("a"), Just("b/a")],
            prop::collection::vec((pattern_strategy(), "( (-|!|)(m|n|k|linguist-generated|linguist-vendored)(=false|=x|)){1,3}"), 1..5),
            1..3,
        ),
        macros in prop::collection::vec("\\[attr\\](m|n|k)( (-|!|)(m|n|k|linguist-generated|linguist-vendored)){1,2}", 0..4),
        paths in prop::collection::btree_set(path_strategy(), 10..30),
    ) {
        let lab = Lab::new();
        let git = lab.repository("git");
        for (directory, lines) in &files {
            let lines: Vec<String> = lines.iter().map(|(pattern, attributes)| format!("{pattern}{attributes}")).collect();
            let text = [macros.join("\n"), lines.join("\n")].join("\n");
            write(&git, format!("{directory}/.gitattributes").trim_start_matches('/'), text);
        }
        lab.commit(&git);
        let input: Vec<u8> = paths.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
        let ask = ["check-attr", "--cached", "-z", "--stdin", "linguist-generated", "linguist-vendored"];
        let (success, out, error) = lab.ask(&git, &ask, &input);
        prop_assert!(success, "{}", error);
        let fields: Vec<&[u8]> = out.split(|&byte| byte == 0).collect();
        let on = |state: &[u8]| !matches!(state, b"unset" | b"unspecified" | b"false");
        let source = CommitSource::open(&git, "HEAD").unwrap();
        for answer in fields.chunks_exact(6) {
            let Verdict::Take(attributes) = source.judge(&RepoPath::parse(answer[0]).unwrap()).unwrap() else { panic!() };
            let context = format!("{} with {macros:?} {files:?}", String::from_utf8_lossy(answer[0]));
            prop_assert_eq!(attributes.generated, on(answer[2]), "generated: {}", &context);
            prop_assert_eq!(attributes.vendored, on(answer[5]), "vendored: {}", &context);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_clean_clone_is_its_commit(
        files in prop::collection::btree_map("[a-d\u{e4}]{1,2}(/[a-d .]{1,3}[a-d]){0,2}", ".{0,3}(\r\n|\n|\\$Id\\$|\\$Id: x \\$|\0|\u{e4}){0,4}", 1..8),
        attributes in prop::collection::vec("(\\*|a\\*|/b/\\*\\*|\\*d)( text| -text| text=auto| eol=crlf| eol=lf| ident| cce-ignore| filter=lfs| filter=gone| working-tree-encoding=UTF-16LE){1,2}", 0..4),
        ignores in prop::collection::vec(pattern_strategy(), 0..3),
        autocrlf in prop_oneof![Just("true"), Just("false"), Just("input")],
        touched: bool,
    ) {
        let lab = Lab::new();
        let root = lab.repository("r");
        let mut taken: Vec<&str> = Vec::new();
        for (path, body) in &files {
            let clashes = |other: &&str| other.starts_with(&format!("{path}/")) || path.starts_with(&format!("{other}/"));
            if !taken.iter().any(clashes) {
                taken.push(path);
                write(&root, path, body);
            }
        }
        lab.git(&root, &["add", "-A"]);
        for (path, lines) in [(".gitattributes", &attributes), (".cceignore", &ignores)] {
            let (_, id, _) = lab.ask(&root, &["hash-object", "-w", "--stdin"], lines.join("\n").as_bytes());
            let entry = format!("100644,{},{path}", String::from_utf8(id).unwrap().trim());
            lab.git(&root, &["update-index", "--add", "--cacheinfo", &entry]);
        }
        lab.git(&root, &["commit", "-q", "-m", "m"]);
        let clone = lab.path("clone");
        let setting = format!("core.autocrlf={autocrlf}");
        let arguments = ["clone", "-q", "-c", &setting, root.to_str().unwrap(), clone.to_str().unwrap()];
        prop_assert!(lab.ask(&root, &arguments, b"").0);
        if touched {
            touch_all(&clone);
        }
        let commit = of_commit(&root);
        prop_assert_eq!(of_commit(&clone), commit.clone());
        prop_assert_eq!(of_work_tree(&clone), commit);
    }
}

#[test]
fn nested_names_survive_the_system() {
    let lab = Lab::new();
    let root = lab.path("plain");
    let name = OsString::from_vec(b"\xff/\n\xc3".to_vec());
    write(&root, name.as_bytes(), "x");
    let listing = Directory::open(&root, None).unwrap().list().unwrap();
    assert_eq!(listing.files[0].path.as_bytes(), name.as_bytes());
    assert_eq!(listing.files[0].content.to_string(), "c1b0730e0133447badcfd47fd144e254807b06e1");
}
