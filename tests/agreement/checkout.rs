//! A generated tree as a commit, and the commit as a work tree.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::generated::{Bytes, Checkout, Driver, Form, Node};
use crate::sandbox::lab::{Lab, touch_all};

/// A commit in a bare repository, byte for byte what `tree` says.
pub fn bare(lab: &Lab, tree: &BTreeMap<Bytes, Node>) -> PathBuf {
    let path = lab.path("bare.git");
    fs::create_dir(&path).unwrap();
    lab.git(&path, &["init", "-q", "--bare", "-b", "main"]);
    let mut stream = b"commit refs/heads/main\ncommitter C <c@example.com> 1700000001 +0000\ndata 1\nm\n".to_vec();
    for (path, node) in tree {
        let quoted: String = path.iter().map(|byte| format!("\\{byte:03o}")).collect();
        let (mode, bytes) = match node {
            Node::File(bytes) => ("100644", &**bytes),
            Node::Program(bytes) => ("100755", &**bytes),
            Node::Link(target) => ("120000", target.as_bytes()),
            Node::Submodule => {
                stream.extend(format!("M 160000 {} \"{quoted}\"\n", "1".repeat(40)).into_bytes());
                continue;
            }
        };
        stream.extend(format!("M {mode} inline \"{quoted}\"\ndata {}\n", bytes.len()).into_bytes());
        stream.extend_from_slice(bytes);
        stream.push(b'\n');
    }
    let (success, _, error) = lab.ask(&path, &["fast-import", "--quiet"], &stream);
    assert!(success, "{error}");
    path
}

/// Checks the commit out, in the way and under the settings asked for.
pub fn check_out(lab: &Lab, bare: &Path, how: &Checkout) -> PathBuf {
    let clone = lab.path("clone");
    let user_excludes = lab.path("user-excludes");
    fs::write(&user_excludes, &*how.user_excludes).unwrap();
    let mut settings = vec![
        format!("core.autocrlf={}", how.autocrlf),
        format!("core.eol={}", how.eol),
        format!("core.safecrlf={}", how.safecrlf),
        format!("core.symlinks={}", how.symlinks),
        format!("core.ignoreCase={}", how.ignore_case),
        format!("core.excludesFile={}", user_excludes.display()),
        "core.attributesFile=/dev/null".to_owned(),
        "filter.lfs.clean=tr a-y b-z".to_owned(),
        "filter.lfs.smudge=tr b-z a-y".to_owned(),
    ];
    settings.extend(driver_settings(how.driver).into_iter().map(|(key, value)| format!("filter.other.{key}={value}")));
    let mut arguments = vec!["clone", "-q"];
    settings.iter().for_each(|setting| arguments.extend(["-c", setting]));
    arguments.extend([bare.to_str().unwrap(), clone.to_str().unwrap()]);
    lab.git(bare, &arguments);
    let form = match how.driver {
        // Git itself cannot change such a checkout.
        Driver::CleanFails { required: true } => &Form::Main,
        _ => &how.form,
    };
    let root = match form {
        Form::Main => clone.clone(),
        Form::Linked => {
            let linked = lab.path("linked");
            lab.git(&clone, &["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
            linked
        }
        Form::Cone(directories) => {
            let set = ["sparse-checkout", "set", "--cone", "--no-sparse-index"];
            lab.git(&clone, &[&set[..], directories].concat());
            clone.clone()
        }
        Form::Patterns(patterns) => {
            let set = ["sparse-checkout", "set", "--no-cone", "--stdin"];
            let (success, _, error) = lab.ask(&clone, &set, patterns.join("\n").as_bytes());
            assert!(success, "{error}");
            clone.clone()
        }
    };
    if how.driver == Driver::ProcessFails {
        lab.git(&clone, &["config", "filter.other.process", "false"]);
    }
    fs::create_dir_all(clone.join(".git/info")).unwrap();
    fs::write(clone.join(".git/info/exclude"), &*how.excludes).unwrap();
    if how.touched {
        touch_all(&root);
    }
    root
}

/// Turns two letters round, and back; none that `cce.toml` has.
const TURN: &str = "tr ow wo";

fn driver_settings(driver: Driver) -> Vec<(&'static str, &'static str)> {
    let required = |required| ("required", if required { "true" } else { "false" });
    match driver {
        Driver::Absent => Vec::new(),
        Driver::Working { required: is } => vec![("clean", TURN), ("smudge", TURN), required(is)],
        Driver::CleanFails { required: is } => vec![("clean", "false"), ("smudge", TURN), required(is)],
        Driver::BothFail => vec![("clean", "false"), ("smudge", "false"), required(false)],
        // Where a process fails at once, git may fail too: it comes after the checkout.
        Driver::ProcessFails => Vec::new(),
    }
}

/// Settings under which git runs no driver, as the program never does.
pub const SILENT: [&str; 14] = [
    "-c",
    "filter.lfs.clean=",
    "-c",
    "filter.lfs.required=false",
    "-c",
    "filter.other.clean=",
    "-c",
    "filter.other.smudge=",
    "-c",
    "filter.other.process=",
    "-c",
    "filter.other.required=false",
    "-c",
    "core.safecrlf=false",
];
