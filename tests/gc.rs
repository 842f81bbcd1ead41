//! `cce gc` frees what nobody needs in the home, and nothing else.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // tests start programs

mod sandbox;

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use sandbox::{Sandbox, small_repository};
use serde_json::Value;

const ID: &str = "example.com/acme/harbour";

fn names(sandbox: &Sandbox, directory: &str) -> Vec<String> {
    let read = fs::read_dir(sandbox.path("cce-home").join(directory)).into_iter().flatten();
    let mut names: Vec<String> = read.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The reasons for which something went.
fn reasons(collected: &Value) -> Vec<&str> {
    collected["freed"].as_array().unwrap().iter().map(|row| row["why"].as_str().unwrap()).collect()
}

/// A bare repository with an index, which is kept in the home.
fn bare_with_index() -> Sandbox {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    sandbox.git(".", &["clone", "-q", "--bare", "repo", "bare.git"]);
    sandbox.cce("bare.git", &["search", "tide"]).succeeds();
    sandbox
}

/// A repository that was published and pulled, and the remote's URL.
fn travelled() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    small_repository(&sandbox, "repo");
    let url = sandbox.remote("cache.git");
    sandbox.git("cache.git", &["config", "uploadpack.allowFilter", "true"]);
    publish(&sandbox, &url);
    pull(&sandbox, &url, "one");
    (sandbox, url)
}

fn publish(sandbox: &Sandbox, url: &str) {
    sandbox.cce("repo", &["sync", "push", "--remote", url, "--repo-id", ID]).succeeds();
}

fn pull(sandbox: &Sandbox, url: &str, into: &str) {
    fs::create_dir_all(sandbox.path(into)).unwrap();
    sandbox.cce(into, &["sync", "pull", "--remote", url, "--branch", "main", "--into", "."]).succeeds();
    sandbox.cce(into, &["search", "tide"]).succeeds();
}

fn locks(sandbox: &Sandbox) -> Vec<PathBuf> {
    let locks = names(sandbox, "caches").into_iter().filter(|name| name.ends_with(".lock"));
    locks.map(|name| sandbox.path("cce-home/caches").join(name)).collect()
}

fn opened_long_ago(path: &PathBuf) {
    let then = SystemTime::now() - Duration::from_secs(40 * 24 * 60 * 60);
    File::options().append(true).open(path).unwrap().set_modified(then).unwrap();
    let directory = path.with_extension("git");
    if directory.is_dir() {
        File::open(directory).unwrap().set_modified(then).unwrap();
    }
}

#[test]
fn a_store_goes_with_its_project() {
    let sandbox = bare_with_index();
    let stores = names(&sandbox, "stores");
    assert_eq!(stores.len(), 1);
    let kept = sandbox.json(".", &["gc", "--json"]);
    assert_eq!((reasons(&kept), names(&sandbox, "stores")), (vec![], stores.clone()));
    fs::remove_dir_all(sandbox.path("bare.git")).unwrap();
    let told = sandbox.json(".", &["gc", "--dry-run", "--json"]);
    assert_eq!((reasons(&told), names(&sandbox, "stores")), (vec!["project-gone"], stores));
    let said = sandbox.cce(".", &["gc"]).succeeds();
    assert!(said.contains("its project is gone") && said.contains("freed "), "{said}");
    assert_eq!(names(&sandbox, "stores"), Vec::<String>::new());
}

#[test]
fn generations_that_nothing_names_go() {
    let sandbox = bare_with_index();
    let generations = format!("stores/{}/generations", names(&sandbox, "stores")[0]);
    let before = names(&sandbox, &generations);
    for name in [format!("{}.idx", "0".repeat(32)), "new-abc".to_owned()] {
        sandbox.write(&format!("cce-home/{generations}/{name}"), "left by a crash");
    }
    assert_eq!(reasons(&sandbox.json(".", &["gc", "--json"])), ["unreferenced"]);
    assert_eq!(names(&sandbox, &generations), before);
    sandbox.cce("bare.git", &["search", "tide"]).succeeds();
}

#[test]
fn caches_without_use_go_and_what_is_in_use_stays() {
    let (sandbox, url) = travelled();
    let locks = locks(&sandbox);
    assert!(locks.len() >= 3);
    locks.iter().for_each(opened_long_ago);
    let held = locks.iter().find(|path| path.with_extension("git").is_dir()).unwrap();
    let lock = File::options().append(true).open(held).unwrap();
    lock.lock().unwrap();
    let collected = sandbox.json(".", &["gc", "--json"]);
    assert!(reasons(&collected).iter().all(|why| *why == "unused") && reasons(&collected).len() >= 2, "{collected}");
    assert_eq!(collected["in_use"].as_array().unwrap().len(), 1, "{collected}");
    let left: Vec<String> = names(&sandbox, "caches").into_iter().filter(|name| name.ends_with(".git")).collect();
    assert_eq!(left, [held.with_extension("git").file_name().unwrap().to_str().unwrap()]);
    drop(lock);
    // Opening one makes it used again.
    pull(&sandbox, &url, "two");
    assert_eq!(reasons(&sandbox.json(".", &["gc", "--json"])).iter().filter(|why| **why == "unused").count(), 0);
    pull(&sandbox, &url, "three");
}

#[test]
fn a_quota_drops_what_was_used_least_recently() {
    let (sandbox, url) = travelled();
    let oldest = locks(&sandbox).into_iter().find(|path| path.with_extension("git").is_dir()).unwrap();
    let then = SystemTime::now() - Duration::from_secs(24 * 60 * 60);
    for path in [&oldest, &oldest.with_extension("git")] {
        File::open(path).unwrap().set_modified(then).unwrap();
    }
    let all = sandbox.json(".", &["gc", "--json"])["bytes"].as_u64().unwrap();
    let collected = sandbox.json(".", &["gc", "--quota", &(all - 1).to_string(), "--json"]);
    assert_eq!(reasons(&collected), ["over-quota"]);
    assert!(!oldest.with_extension("git").exists() && collected["bytes"].as_u64().unwrap() < all);

    let lock = File::options()
        .append(true)
        .open(locks(&sandbox).iter().find(|path| path.with_extension("git").is_dir()).unwrap())
        .unwrap();
    lock.lock().unwrap();
    let ran = sandbox.cce(".", &["gc", "--quota", "0", "--json"]);
    let collected: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(ran.code == 1 && collected["bytes"].as_u64().unwrap() > 0, "{collected}");
    drop(lock);
    sandbox.cce(".", &["gc", "--quota", "0MB"]).succeeds();
    assert!(names(&sandbox, "caches").iter().all(|name| name.ends_with(".lock")));
    pull(&sandbox, &url, "two");
    sandbox.cce(".", &["gc", "--quota", "much"]).fails(2);
}

/// What git throws away is needed by nobody: everything goes on, here and there.
#[test]
fn publishing_and_pulling_go_on_afterwards() {
    let (sandbox, url) = travelled();
    for text in ["2", "3"] {
        sandbox.cce(".", &["gc"]).succeeds();
        sandbox.write("repo/new.md", text);
        sandbox.commit("repo", "m");
        publish(&sandbox, &url);
        pull(&sandbox, &url, "one");
    }
    let log = sandbox.git(
        "cache.git",
        &[
            "log",
            "--format=%(trailers:key=Chain,valueonly,separator=)",
            "refs/cce/hash/3.0/example.com%2Facme%2Fharbour/heads/main",
        ],
    );
    assert_eq!(log, "3\n2\n1", "bases are still found");
}

#[test]
fn what_is_not_known_stays() {
    let sandbox = bare_with_index();
    let outside = sandbox.path("outside");
    sandbox.write("outside/precious.idx", "x");
    for place in ["stores", "caches"] {
        fs::create_dir_all(sandbox.path("cce-home").join(place)).unwrap();
        for name in ["0".repeat(32), format!("{}.git", "0".repeat(32)), "new-link".to_owned()] {
            std::os::unix::fs::symlink(&outside, sandbox.path("cce-home").join(place).join(name)).unwrap();
        }
        sandbox.write(&format!("cce-home/{place}/mine/notes.txt"), "x");
        sandbox.write(&format!("cce-home/{place}/notes.txt"), "x");
    }
    let store = names(&sandbox, "stores").into_iter().find(|name| name.len() == 32 && *name != "0".repeat(32)).unwrap();
    sandbox.write(&format!("cce-home/stores/{store}/mine.txt"), "x");
    fs::remove_dir_all(sandbox.path("bare.git")).unwrap();
    let before = (names(&sandbox, "stores"), names(&sandbox, "caches"));
    let collected = sandbox.json(".", &["gc", "--json"]);
    assert_eq!(reasons(&collected), ["project-gone"]);
    assert_eq!((names(&sandbox, "stores"), names(&sandbox, "caches")), before);
    assert_eq!(names(&sandbox, &format!("stores/{store}")), ["mine.txt"]);
    assert!(outside.join("precious.idx").exists());
}

#[test]
fn temporary_directories_of_the_dead_go() {
    let sandbox = Sandbox::new();
    sandbox.write("cce-home/caches/new-dead/x.lock", "");
    sandbox.write("cce-home/caches/new-alive/x.lock", "");
    let lock = File::options().append(true).open(sandbox.path("cce-home/caches/new-alive/x.lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(reasons(&sandbox.json(".", &["gc", "--json"])), ["left-over"]);
    assert_eq!(names(&sandbox, "caches"), ["new-alive"]);
}
