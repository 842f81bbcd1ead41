//! What a machine without source waits for, with ten repositories in one workspace.
//!
//! `cargo bench --bench workspace` makes a repository of each of the ten largest of this
//! project's own dependencies, publishes their indexes to one remote, pulls all of them, and
//! measures the real binary there. `cargo bench --bench workspace -- DIR...` makes a
//! repository of each directory instead.
#![allow(clippy::print_stdout, clippy::disallowed_methods)] // a benchmark prints and starts programs

mod measure;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use measure::{dependency_sources, files_below, median, megabytes, timed};

const REPOSITORIES: usize = 10;
const RUNS: usize = 21;
const PULLS: usize = 5;

/// What is asked, and what kind of question it is.
const QUERIES: [(&str, &str); 4] = [
    ("a question of seven words", "read the next token from a buffer"),
    ("one identifier", "parse_header"),
    ("a word that is everywhere", "error"),
    ("a word that nobody wrote", "zzyzxqqfrobnicator"),
];

fn main() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let bench = Bench { root: place.path().to_owned() };
    let given: Vec<PathBuf> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).map(PathBuf::from).collect();
    let sources = if given.is_empty() { largest(dependency_sources()) } else { given };
    for (number, source) in sources.iter().enumerate() {
        bench.publish(number, source);
    }
    bench.measure(sources.len());
}

/// The directories with the most files, the largest first.
fn largest(directories: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut sized: Vec<(usize, PathBuf)> =
        directories.into_iter().map(|directory| (files_below(&directory).len(), directory)).collect();
    sized.sort_by(|a, b| b.cmp(a));
    sized.into_iter().take(REPOSITORIES).map(|(_, directory)| directory).collect()
}

struct Bench {
    root: PathBuf,
}

impl Bench {
    /// Copies a directory into a repository of its own and publishes the index of that.
    fn publish(&self, number: usize, source: &Path) {
        let repository = self.root.join(format!("repo{number}"));
        for path in files_below(source) {
            let below = path.strip_prefix(source).expect("a path below");
            if below.components().any(|part| part.as_os_str() == ".git" || part.as_os_str() == ".cce") {
                continue;
            }
            let target = repository.join(below);
            fs::create_dir_all(target.parent().expect("a parent")).expect("a directory");
            fs::copy(&path, &target).expect("a copy");
        }
        let git = |arguments: &[&str]| self.run(&repository, Command::new("git").args(arguments));
        git(&["init", "-q", "-b", "main"]);
        git(&["add", "-A", "-f"]);
        git(&["-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-q", "-m", "all"]);
        if number == 0 {
            git(&["init", "-q", "--bare", "../remote.git"]);
        }
        let name = source.file_name().map(|name| name.to_string_lossy().replace(|c: char| !c.is_alphanumeric(), "-"));
        let id = format!("bench/{}", name.unwrap_or_else(|| number.to_string()));
        let url = self.url();
        self.cce(&repository, &["sync", "push", "--remote", &url, "--repo-id", &id]);
    }

    fn url(&self) -> String {
        format!("file://{}", self.root.join("remote.git").display())
    }

    fn cce(&self, directory: &Path, arguments: &[&str]) -> Output {
        self.run(directory, Command::new(env!("CARGO_BIN_EXE_cce")).args(arguments))
    }

    /// Runs a program; a negative answer is an answer too.
    fn run(&self, directory: &Path, command: &mut Command) -> Output {
        let output = command.current_dir(directory).env("CCE_HOME", self.root.join("home")).output();
        let output = output.expect("a program that starts");
        let fine = matches!(output.status.code(), Some(0 | 1));
        assert!(fine, "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn measure(&self, repositories: usize) {
        let workspace = self.root.join("workspace");
        let url = self.url();
        let pull = || self.cce(&self.root, &["sync", "pull", "--all", "--remote", &url, "--into", "workspace"]);
        let first = timed(pull);
        let again = median(PULLS, |_| timed(pull));
        let verify = timed(|| self.cce(&workspace, &["sync", "verify", "--offline"]));
        let indexes: Vec<PathBuf> = files_below(&workspace)
            .into_iter()
            .filter(|path| path.extension().is_some_and(|end| end == "idx"))
            .collect();
        let bytes: u64 = indexes.iter().map(|path| fs::metadata(path).map_or(0, |data| data.len())).sum();
        let passages: u64 = indexes
            .iter()
            .map(|path| u64::from(cce::store::Index::open(path).expect("an index").passage_count()))
            .sum();
        println!("workspace: {repositories} repositories, {passages} passages, {:.1} MB of indexes", megabytes(bytes));
        println!("\n| what | time | goal |\n| --- | --- | --- |");
        for (what, query) in QUERIES {
            let time = median(RUNS, |_| timed(|| self.cce(&workspace, &["search", query, "--json"])));
            row(&format!("search, {what}"), time, "40 ms");
        }
        let place = self.some_place(&workspace);
        row("show lines of a file", median(RUNS, |_| timed(|| self.cce(&workspace, &["show", &place]))), "");
        row("first pull", first, "");
        row("pull with nothing new", again, "");
        row("verify every digest", verify, "");
    }

    /// A place that a search found.
    fn some_place(&self, workspace: &Path) -> String {
        let found = self.cce(workspace, &["search", QUERIES[0].1, "--json"]);
        let found: serde_json::Value = serde_json::from_slice(&found.stdout).expect("json");
        let hit = &found["results"][0];
        let text = |key: &str| hit[key].as_str().expect("a text").to_owned();
        format!("{}:{}:{}-{}", text("repo_id"), text("path"), hit["start_line"], hit["end_line"])
    }
}

fn row(what: &str, time: Duration, goal: &str) {
    println!("| {what} | {:.1} ms | {goal} |", time.as_secs_f64() * 1000.0);
}
