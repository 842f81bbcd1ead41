//! A repository that holds one of everything.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::sandbox::lab::{Lab, write};

pub const POINTER: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n";

/// A repository that holds one of everything.
pub fn rich(lab: &Lab) -> PathBuf {
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
