//! Many files, and many in one directory, over the real binary.

mod sandbox;

use std::fmt::Write as _;
use std::fs;

use sandbox::Sandbox;
use serde_json::Value;

/// Path and text of one of many files.
fn file(index: usize, directory_size: usize) -> (String, String) {
    let directory = index / directory_size;
    (format!("d{directory}/unit_{index}.py"), format!("def unit_{index}():\n    return {index}\n"))
}

/// Makes a bare repository of `count` committed files, so many in a directory.
fn commit_many(sandbox: &Sandbox, name: &str, count: usize, directory_size: usize) {
    sandbox.remote(name);
    let mut stream = "commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 0\n".to_owned();
    for index in 0..count {
        let (path, text) = file(index, directory_size);
        write!(stream, "M 100644 inline {path}\ndata {}\n{text}\n", text.len()).unwrap();
    }
    let mut import = sandbox.program("git");
    import.current_dir(sandbox.path(name)).args(["fast-import", "--quiet"]).write_stdin(stream).assert().success();
}

/// What a search finds, without what says where the index came from.
fn found(sandbox: &Sandbox, name: &str, query: &str) -> Vec<(Value, Value, Value)> {
    let document = sandbox.json(name, &["search", query, "--json"]);
    let results = document["results"].as_array().unwrap().iter();
    results.map(|hit| (hit["path"].clone(), hit["passage_id"].clone(), hit["score"].clone())).collect()
}

#[test]
fn a_directory_of_many_files_is_read_from_a_commit_and_from_a_work_tree() {
    const COUNT: usize = 10_000;
    let sandbox = Sandbox::new();
    commit_many(&sandbox, "committed", COUNT, COUNT);
    sandbox.repository("fresh");
    sandbox.git("fresh", &["commit", "-q", "--allow-empty", "-m", "empty"]);
    fs::create_dir(sandbox.path("fresh/d0")).unwrap();
    for (path, text) in (0..COUNT).map(|index| file(index, COUNT)) {
        fs::write(sandbox.path("fresh").join(path), text).unwrap();
    }

    for (name, dirty) in [("committed", false), ("fresh", true)] {
        let index = sandbox.json(name, &["index", "--json"]);
        let counts = ["files", "files_read", "passages"].map(|count| index[count].as_u64().unwrap());
        assert_eq!(counts, [COUNT as u64; 3], "{name}");
        assert_eq!(index["snapshot"]["dirty"], dirty, "{name}");
        let again = sandbox.json(name, &["index", "--json"]);
        assert_eq!(again["files_read"], 0, "{name}");
    }
    let last = format!("unit_{}", COUNT - 1);
    assert_eq!(found(&sandbox, "committed", &last), found(&sandbox, "fresh", &last));
    assert_eq!(found(&sandbox, "fresh", &last)[0].0, format!("d0/{last}.py"));
}

#[test]
#[ignore = "takes minutes: `cargo test --release --test scale -- --ignored`"]
fn two_hundred_thousand_files_are_read() {
    const COUNT: usize = 200_000;
    let sandbox = Sandbox::new();
    commit_many(&sandbox, "many", COUNT, 500);
    let index = sandbox.json("many", &["index", "--json"]);
    assert_eq!([index["files"].clone(), index["passages"].clone()], [COUNT, COUNT]);
    let last = format!("unit_{}", COUNT - 1);
    assert_eq!(found(&sandbox, "many", &last)[0].0, format!("d{}/{last}.py", (COUNT - 1) / 500));
}
