//! What the main job costs, as ratios taken in one run on one machine.
//!
//! `cargo bench --bench main_job` makes a repository of about 1,000 source files out of
//! the sources of this project's own dependencies, which every machine that built it
//! has, and measures the real binary on it. `cargo bench --bench main_job -- DIR`
//! takes the files of another directory instead.
#![allow(clippy::print_stdout, clippy::disallowed_methods)] // a benchmark prints and starts programs

mod measure;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use cce::language::{PACKS, Pack};
use measure::{dependency_sources, files_below, median, megabytes, timed};
use tree_sitter::Parser;

const FILES: usize = 1000;
const RUNS: usize = 5;
const COLD_RUNS: usize = 21;

fn main() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let bench = Bench { root: place.path().to_owned() };
    let given = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).map(PathBuf::from);
    let corpus = bench.corpus(given.as_deref());
    println!("corpus: {} files of a language, {:.1} MB", corpus.len(), megabytes(total(&corpus)));
    bench.commit("first");
    bench.measure(&corpus);
}

struct Source {
    path: PathBuf,
    text: Vec<u8>,
    pack: &'static Pack,
}

struct Bench {
    root: PathBuf,
}

impl Bench {
    fn repository(&self) -> PathBuf {
        self.root.join("repo")
    }

    /// Copies source files into a new repository and gives them.
    fn corpus(&self, given: Option<&Path>) -> Vec<Source> {
        let roots = given.map_or_else(dependency_sources, |directory| vec![directory.to_owned()]);
        let mut sources = Vec::new();
        for root in roots {
            let name = root.file_name().unwrap_or(OsStr::new("root")).to_owned();
            for path in files_below(&root) {
                let Some(pack) = pack_of(&path) else { continue };
                let Ok(text) = fs::read(&path) else { continue };
                if text.len() > 2 << 20 || sources.len() == FILES && given.is_none() {
                    continue;
                }
                let target = self.repository().join(&name).join(path.strip_prefix(&root).expect("a path below"));
                fs::create_dir_all(target.parent().expect("a parent")).expect("a directory");
                fs::write(&target, &text).expect("a copy");
                sources.push(Source { path: target, text, pack });
            }
        }
        self.run(Command::new("git").args(["init", "-q", "-b", "main"]));
        sources
    }

    fn commit(&self, message: &str) {
        self.run(Command::new("git").args(["add", "-A"]));
        let identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"];
        self.run(Command::new("git").args(identity).args(["commit", "-q", "-m", message]));
    }

    fn cce(&self, arguments: &[&str]) -> Output {
        self.run(Command::new(env!("CARGO_BIN_EXE_cce")).args(arguments))
    }

    fn run(&self, command: &mut Command) -> Output {
        command.current_dir(self.repository()).env("CCE_HOME", self.root.join("home"));
        let output = command.output().expect("a program that starts");
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn measure(&self, corpus: &[Source]) {
        let parsing = median(RUNS, |_| parse_all(corpus));
        let full = median(RUNS, |_| timed(|| self.cce(&["index", "--rebuild"])));
        let unchanged = median(RUNS, |_| timed(|| self.cce(&["index"])));
        let edited = &corpus[corpus.len() / 2].path;
        let one_file = median(RUNS, |run| {
            append(edited, run);
            timed(|| self.cce(&["index"]))
        });
        self.run(Command::new("git").args(["checkout", "-q", "."]));
        self.cce(&["index", "--rebuild"]);
        let cold =
            median(COLD_RUNS, |_| timed(|| self.cce(&["search", "read the next token from a buffer", "--json"])));
        let (text, store, index) = self.sizes();

        println!("\n| what | time | ratio | goal |\n| --- | --- | --- | --- |");
        row("parsing alone, one thread", parsing, None, "");
        row("full index", full, Some((full, parsing)), "1.5 of parsing");
        row("nothing changed", unchanged, Some((unchanged, full)), "0.05 of full");
        row("one file changed", one_file, Some((one_file, full)), "0.10 of full");
        row("cold search, median", cold, None, "15 ms");
        println!("\n| what | size | ratio | goal |\n| --- | --- | --- | --- |");
        println!("| text | {:.2} MB | | |", megabytes(text));
        println!("| index file | {:.2} MB | {:.2} of text | 1.6 |", megabytes(index), ratio(index, text));
        println!("| store in total | {:.2} MB | {:.2} of text | 1.6 |", megabytes(store), ratio(store, text));
        self.pushes(edited);
    }

    fn sizes(&self) -> (u64, u64, u64) {
        let document: serde_json::Value = serde_json::from_slice(&self.cce(&["index", "--json"]).stdout).expect("json");
        let number = |key: &str| document[key].as_u64().expect("a number");
        let store = files_below(&self.repository().join(".cce"))
            .iter()
            .map(|path| fs::metadata(path).map_or(0, |m| m.len()))
            .sum();
        println!("passages: {}", number("passages"));
        (number("text_bytes"), store, number("index_bytes"))
    }

    /// What publishing adds to a remote: the first time, and after a change of one file.
    fn pushes(&self, edited: &Path) {
        let bare = |name: &str| {
            let path = self.root.join(name);
            fs::create_dir(&path).expect("a directory");
            self.run(Command::new("git").args(["init", "-q", "--bare"]).arg(&path));
            path
        };
        let (source, remote) = (bare("source.git"), bare("remote.git"));
        let url = format!("file://{}", remote.display());
        let publish = || {
            self.run(Command::new("git").args(["push", "-q"]).arg(&source).arg("HEAD:main"));
            self.cce(&["sync", "push", "--remote", &url, "--repo-id", "bench/corpus", "--branch", "main"]);
            (self.objects(&source), self.objects(&remote))
        };
        let first = publish();
        append(edited, 1);
        self.commit("second");
        let second = publish();
        println!("\n| bytes a push adds | source commit | artifact | ratio |\n| --- | --- | --- | --- |");
        for (what, source, artifact) in
            [("first", first.0, first.1), ("one file changed", second.0 - first.0, second.1 - first.1)]
        {
            println!(
                "| {what} | {:.1} KB | {:.1} KB | {:.2} |",
                kilobytes(source),
                kilobytes(artifact),
                ratio(artifact, source)
            );
        }
    }

    /// Bytes of a bare repository's object files.
    fn objects(&self, repository: &Path) -> u64 {
        let objects = files_below(&repository.join("objects"));
        let counted =
            objects.iter().filter(|path| !path.extension().is_some_and(|kind| kind == "idx" || kind == "rev"));
        counted.map(|path| fs::metadata(path).map_or(0, |data| data.len())).sum()
    }
}

fn pack_of(path: &Path) -> Option<&'static Pack> {
    let extension = path.extension()?.to_str()?;
    PACKS.into_iter().find(|pack| pack.claims.extensions.contains(&extension))
}

fn parse_all(corpus: &[Source]) -> Duration {
    let mut parser = Parser::new();
    timed(|| {
        for source in corpus {
            parser.set_language(&(source.pack.grammar)()).expect("a grammar that fits");
            let text = fs::read(&source.path).expect("a file that was just written");
            std::hint::black_box(parser.parse(&text, None));
        }
    })
}

fn append(path: &Path, run: usize) {
    let mut text = fs::read(path).expect("a file");
    text.extend_from_slice(format!("\n// edit {run}\n").as_bytes());
    fs::write(path, text).expect("a file");
}

fn row(what: &str, time: Duration, of: Option<(Duration, Duration)>, goal: &str) {
    let ratio = of.map(|(a, b)| format!("{:.2}", a.as_secs_f64() / b.as_secs_f64())).unwrap_or_default();
    println!("| {what} | {:.1} ms | {ratio} | {goal} |", time.as_secs_f64() * 1000.0);
}

fn total(corpus: &[Source]) -> u64 {
    corpus.iter().map(|source| source.text.len() as u64).sum()
}

fn kilobytes(bytes: u64) -> f64 {
    bytes as f64 / 1e3
}

fn ratio(a: u64, b: u64) -> f64 {
    a as f64 / b as f64
}
