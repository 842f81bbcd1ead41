//! What redaction does to real code: every line it alters, and what it costs.
//!
//! `cargo bench --bench redaction -- DIR…` reads every file that an index of `DIR` would
//! hold and prints each altered line: package, path, line, kinds. A package is a
//! directory in `DIR`, or one level deeper where `DIR` sorts packages by language.
//! Options, anywhere among the directories:
//!
//! - `--show` prints the line before and after as well; the values are credentials or
//!   look like some, so they are printed only on request;
//! - `--list FILE` holds the run against a list of lines that are known, prints
//!   only what is not in it and exits with 1 when there is any;
//! - `--speed` measures redaction against the whole extraction, in one thread.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a benchmark prints

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cce::config::Settings;
use cce::record::extract::Extractor;
use cce::source::decode::Decoded;
use cce::source::redact::{markers, redact};
use cce::source::{Content, Directory, FileEntry, Source};

/// Directories that hold packages of one language.
const LANGUAGES: [&str; 10] = ["c", "cpp", "go", "java", "javascript", "python", "ruby", "rust", "tsx", "typescript"];
/// How much of a long line is shown around what was altered, in bytes.
const WINDOW: usize = 100;

fn main() -> ExitCode {
    let options = Options::parse(std::env::args().skip(1));
    if options.directories.is_empty() {
        eprintln!("nothing to read: name directories of packages, `cargo bench --bench redaction -- DIR`");
        return ExitCode::SUCCESS;
    }
    let known = options.list.as_deref().map(Known::read);
    let mut run = Run::new(&options, known.as_ref());
    for directory in &options.directories {
        for package in packages(directory) {
            run.package(&package);
        }
    }
    run.summary()
}

#[derive(Default)]
struct Options {
    directories: Vec<PathBuf>,
    list: Option<PathBuf>,
    show: bool,
    speed: bool,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--show" => options.show = true,
                "--speed" => options.speed = true,
                "--list" => options.list = Some(arguments.next().expect("`--list` takes a file").into()),
                "--bench" => {} // what cargo adds
                other => {
                    assert!(!other.starts_with('-'), "`{other}` is no option; there are --show, --speed and --list");
                    options.directories.push(other.into());
                }
            }
        }
        options
    }
}

/// One altered place: a line, or several that a key block or a long value covers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    package: String,
    path: String,
    line: usize,
    kinds: String,
}

impl Place {
    fn row(&self) -> String {
        format!("{}\t{}\t{}\t{}", self.package, self.path, self.line, self.kinds)
    }
}

/// The places that are known: package, path, line, kinds, and a verdict that only
/// people read. A line `*` stands for every line of a file, as in files of test vectors.
struct Known {
    places: BTreeSet<Place>,
    files: BTreeSet<(String, String, String)>,
}

impl Known {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
        let mut known = Self { places: BTreeSet::new(), files: BTreeSet::new() };
        for row in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let cells: Vec<&str> = row.split('\t').collect();
            let [package, path, line, kinds, _verdict] = cells[..] else { panic!("`{row}` is no row of a list") };
            let (package, path, kinds) = (package.to_owned(), path.to_owned(), kinds.to_owned());
            if line == "*" {
                known.files.insert((package, path, kinds));
                continue;
            }
            let line = line.parse().unwrap_or_else(|_| panic!("`{line}` is no line number"));
            known.places.insert(Place { package, path, line, kinds });
        }
        known
    }

    fn has(&self, place: &Place) -> bool {
        let file = (place.package.clone(), place.path.clone(), place.kinds.clone());
        self.places.contains(place) || self.files.contains(&file)
    }
}

struct Package {
    name: String,
    root: PathBuf,
}

fn packages(directory: &Path) -> Vec<Package> {
    let mut found = Vec::new();
    let own = directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if is_language(&own) {
        return packages_of(&own, directory);
    }
    for (name, root) in directories_in(directory) {
        if is_language(&name) {
            found.extend(packages_of(&name, &root));
        } else {
            found.push(Package { name, root });
        }
    }
    found
}

fn is_language(name: &str) -> bool {
    LANGUAGES.contains(&name)
}

fn packages_of(language: &str, directory: &Path) -> Vec<Package> {
    let inner = directories_in(directory).into_iter();
    inner.map(|(name, root)| Package { name: format!("{language}/{name}"), root }).collect()
}

fn directories_in(directory: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(directory).unwrap_or_else(|error| panic!("`{}`: {error}", directory.display()));
    let mut found: Vec<(String, PathBuf)> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .collect();
    found.sort();
    found
}

struct Run<'a> {
    options: &'a Options,
    known: Option<&'a Known>,
    extractor: Extractor,
    packages: usize,
    files: usize,
    lines: usize,
    bytes: usize,
    altered: usize,
    unlisted: usize,
    met: usize,
    kinds: BTreeMap<String, usize>,
    redacting: Duration,
    extracting: Duration,
}

impl<'a> Run<'a> {
    fn new(options: &'a Options, known: Option<&'a Known>) -> Self {
        let extractor = Extractor::new(&Settings::default()).expect("the default settings are fine");
        extractor.prepare().expect("every pack fits its grammar");
        Self {
            options,
            known,
            extractor,
            packages: 0,
            files: 0,
            lines: 0,
            bytes: 0,
            altered: 0,
            unlisted: 0,
            met: 0,
            kinds: BTreeMap::new(),
            redacting: Duration::ZERO,
            extracting: Duration::ZERO,
        }
    }

    fn package(&mut self, package: &Package) {
        let source = Directory::open(&package.root, None)
            .unwrap_or_else(|error| panic!("`{}`: {error}", package.root.display()));
        let listing = source.list().unwrap_or_else(|error| panic!("`{}`: {error}", package.root.display()));
        self.packages += 1;
        for file in listing.files.iter().filter(|file| !is_patched_copy(file)) {
            if let Ok(Content::Text(decoded)) = source.read(file) {
                self.file(package, file, decoded);
            }
        }
    }

    fn file(&mut self, package: &Package, file: &FileEntry, decoded: Decoded) {
        let before = decoded.text.clone();
        self.files += 1;
        self.bytes += before.len();
        let start = Instant::now();
        let after = redact(before.clone());
        self.redacting += start.elapsed();
        if self.options.speed {
            let start = Instant::now();
            std::hint::black_box(self.extractor.extract(&file.path, decoded, file.attributes));
            self.extracting += start.elapsed();
        }
        self.lines += before.split('\n').count();
        if !after.counts.is_empty() {
            self.compare(package, &file.path.to_string(), &before, &after.text);
        }
    }

    fn compare(&mut self, package: &Package, path: &str, before: &str, after: &str) {
        assert_eq!(before.split('\n').count(), after.split('\n').count(), "{}: {path}: lines went", package.name);
        for (at, (old, new)) in before.split('\n').zip(after.split('\n')).enumerate() {
            let (old, new) = (old.trim_end(), new.trim_end());
            let kinds = if old == new { BTreeMap::new() } else { new_markers(old, new) };
            if kinds.is_empty() {
                continue; // a line without a marker belongs to the block above it
            }
            for (kind, count) in &kinds {
                *self.kinds.entry(kind.clone()).or_default() += count;
            }
            let kinds: Vec<&str> = kinds.keys().map(String::as_str).collect();
            let (package, path) = (package.name.clone(), path.to_owned());
            self.place(Place { package, path, line: at + 1, kinds: kinds.join(",") }, old, new);
        }
    }

    fn place(&mut self, place: Place, old: &str, new: &str) {
        self.altered += 1;
        if self.known.is_some_and(|known| known.has(&place)) {
            self.met += 1;
            return;
        }
        self.unlisted += 1;
        println!("{}", place.row());
        if self.options.show {
            let (old_window, new_window) = windows(old, new);
            println!("    - {}\n    + {}", &old[old_window], &new[new_window]);
        }
    }

    fn summary(&self) -> ExitCode {
        println!(
            "\n{} packages, {} files, {} lines, {:.1} MB",
            self.packages,
            self.files,
            self.lines,
            self.megabytes()
        );
        println!("{} lines altered, one in {}", self.altered, self.lines / self.altered.max(1));
        for (kind, count) in &self.kinds {
            println!("  {kind} {count}");
        }
        let seconds = self.redacting.as_secs_f64();
        println!("redaction: {:.2} s, {:.0} MB/s", seconds, self.megabytes() / seconds);
        if self.options.speed {
            let whole = self.extracting.as_secs_f64();
            println!("extraction with it: {whole:.2} s; redaction is {:.1} % of that", 100.0 * seconds / whole);
        }
        if self.known.is_none() {
            return ExitCode::SUCCESS;
        }
        println!("{} of them are in the list, {} are not", self.met, self.unlisted);
        if self.unlisted == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn megabytes(&self) -> f64 {
        self.bytes as f64 / 1e6
    }
}

/// The markers that a line has more than before, by kind.
fn new_markers(old: &str, new: &str) -> BTreeMap<String, usize> {
    let had = markers(old);
    let mut more = BTreeMap::new();
    for (kind, count) in markers(new) {
        let count = count.saturating_sub(had.get(kind).copied().unwrap_or_default());
        if count > 0 {
            more.insert(kind.to_owned(), count as usize);
        }
    }
    more
}

/// Debian's source packages keep the files that their patches change twice.
fn is_patched_copy(file: &FileEntry) -> bool {
    file.path.as_bytes().starts_with(b".pc/")
}

/// Where two lines differ, with some of what stands around it.
fn windows(old: &str, new: &str) -> (Range<usize>, Range<usize>) {
    let same = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same;
    let tail = old.bytes().rev().zip(new.bytes().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let start = same.saturating_sub(WINDOW);
    let around = |text: &str| {
        let end = (text.len() - tail.saturating_sub(WINDOW)).min(start + 6 * WINDOW);
        floor(text, start)..floor(text, end)
    };
    (around(old), around(new))
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
