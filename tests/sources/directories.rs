//! Plain directories, what is remembered of files, and what stands where.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use cce::source::commit::CommitSource;
use cce::source::directory::Directory;
use cce::source::work_tree::WorkTree;
use cce::source::{Place, Source, SourceError, detect};

use crate::sandbox::lab::{Lab, everything, reasons, text, touch_all, write};

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
fn nested_names_survive_the_system() {
    let lab = Lab::new();
    let root = lab.path("plain");
    let name = OsString::from_vec(b"\xff/\n\xc3".to_vec());
    write(&root, name.as_bytes(), "x");
    let listing = Directory::open(&root, None).unwrap().list().unwrap();
    assert_eq!(listing.files[0].path.as_bytes(), name.as_bytes());
    assert_eq!(listing.files[0].content.to_string(), "c1b0730e0133447badcfd47fd144e254807b06e1");
}
