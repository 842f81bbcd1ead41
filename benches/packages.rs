//! What the packs make of real code: the table that they are judged by.
//!
//! `benches/packages/fetch DIR` unpacks well-known packages of each language below
//! `DIR/LANGUAGE/`; this reads them with the library and counts what came of it.
//!
//! ```console
//! $ cargo bench --bench packages -- DIR [--language L] [--outliers] [--speed] [--write]
//! ```
//!
//! The same packages give the same table, so `--write` puts it where it is kept: the
//! languages into `docs/languages.md`, the packages into `benches/packages/table.md`.
//! Speed is a matter of the machine and only shown.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a benchmark prints

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cce::config::Settings;
use cce::language::{PACKS, Pack};
use cce::record::extract::Extractor;
use cce::record::{Record, flag, kind};
use cce::source::decode::Decoded;
use cce::source::{Content, Directory, FileEntry, Source, SourceError};
use rayon::prelude::*;
use tree_sitter::Parser;

/// Files that `--outliers` names in each respect.
const OUTLIERS: usize = 15;
/// A file too small to say anything about its pack, in lines of text.
const SMALL: u64 = 60;
/// The lines of a document that the table stands between.
const MARKS: [&str; 2] = ["<!-- packages: begin -->", "<!-- packages: end -->"];

fn main() -> ExitCode {
    match Order::read(std::env::args().skip(1)).and_then(|order| order.run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// What the command line asks for.
#[derive(Default)]
struct Order {
    directory: PathBuf,
    language: Option<String>,
    outliers: bool,
    speed: bool,
    write: bool,
}

impl Order {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut order = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--bench" => {} // cargo's own
                "--outliers" => order.outliers = true,
                "--speed" => order.speed = true,
                "--write" => order.write = true,
                "--language" => order.language = Some(words.next().ok_or("`--language` needs a language")?),
                _ if word.starts_with('-') => return Err(format!("`{word}` is not an option")),
                _ => order.directory = word.into(),
            }
        }
        if order.directory.as_os_str().is_empty() {
            return Err("no directory; fill one with `benches/packages/fetch DIR` and name it".to_owned());
        }
        if order.write && order.language.is_some() {
            return Err("`--write` keeps the table of every language; leave out `--language`".to_owned());
        }
        Ok(order)
    }

    fn run(&self) -> Result<(), String> {
        let extractor = Extractor::new(&Settings::default()).map_err(|error| error.to_string())?;
        extractor.prepare().map_err(|error| error.to_string())?;
        let packs = PACKS.into_iter().filter(|pack| self.language.as_deref().is_none_or(|name| name == pack.name));
        let mut corpus = Vec::new();
        for pack in packs {
            corpus.push(Language::measure(&extractor, pack, &self.directory, self.speed)?);
        }
        if corpus.is_empty() {
            return Err("`--language` names no pack; see `cce packs`".to_owned());
        }
        let (languages, packages) = (languages(&corpus, self.speed), packages(&corpus));
        println!("{languages}\n{packages}");
        if self.outliers {
            corpus.iter().for_each(|language| print!("{}", outliers(language)));
        }
        if self.write { keep(&languages, &packages) } else { Ok(()) }
    }
}

/// What one pack made of the packages of its language.
struct Language {
    pack: &'static Pack,
    packages: BTreeMap<String, Vec<File>>,
}

/// What came of one file.
struct File {
    path: String,
    counts: Counts,
    /// Line and text where the grammar first lost its way.
    problem: Option<(usize, String)>,
}

/// Sums over files that were parsed.
#[derive(Clone, Copy, Default)]
struct Counts {
    files: u64,
    clean: u64,
    bytes: u64,
    lines: u64,
    /// Bytes inside a definition.
    defined: u64,
    /// Definitions other than fields, and those of them with documentation.
    definitions: u64,
    documented: u64,
    references: u64,
    extraction: Duration,
    parse: Duration,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.files += other.files;
        self.clean += other.clean;
        self.bytes += other.bytes;
        self.lines += other.lines;
        self.defined += other.defined;
        self.definitions += other.definitions;
        self.documented += other.documented;
        self.references += other.references;
        self.extraction += other.extraction;
        self.parse += other.parse;
    }
}

impl Counts {
    fn sum<'a>(files: impl IntoIterator<Item = &'a File>) -> Self {
        let mut sum = Self::default();
        files.into_iter().for_each(|file| sum += file.counts);
        sum
    }

    fn cells(&self) -> String {
        format!(
            "{} | {} | {} | {} | {:.0}",
            self.files,
            percent(self.clean, self.files),
            percent(self.defined, self.bytes),
            percent(self.documented, self.definitions),
            per_hundred(self.references, self.lines),
        )
    }
}

impl Language {
    fn measure(extractor: &Extractor, pack: &'static Pack, root: &Path, speed: bool) -> Result<Self, String> {
        let mut packages = BTreeMap::new();
        for place in directories(&root.join(pack.name)) {
            let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let files = measure_package(extractor, pack, &place, speed).map_err(|error| format!("{name}: {error}"))?;
            packages.insert(name, files);
        }
        Ok(Self { pack, packages })
    }

    fn files(&self) -> impl Iterator<Item = (&String, &File)> {
        self.packages.iter().flat_map(|(name, files)| files.iter().map(move |file| (name, file)))
    }
}

fn measure_package(
    extractor: &Extractor,
    pack: &'static Pack,
    place: &Path,
    speed: bool,
) -> Result<Vec<File>, SourceError> {
    let source = Directory::open(place, None)?;
    let listing = source.list()?;
    let files: Result<Vec<Option<File>>, SourceError> = listing
        .files
        .par_iter()
        .map(|entry| match source.read(entry)? {
            Content::Text(decoded) => Ok(measure_file(extractor, pack, entry, decoded, speed)),
            Content::Skip(_) => Ok(None),
        })
        .collect();
    Ok(files?.into_iter().flatten().collect())
}

/// Gives nothing for a file of another language, and for one that is not parsed.
fn measure_file(
    extractor: &Extractor,
    pack: &'static Pack,
    entry: &FileEntry,
    decoded: Decoded,
    speed: bool,
) -> Option<File> {
    let start = Instant::now();
    let record = extractor.extract(&entry.path, decoded, entry.attributes).record;
    let extraction = start.elapsed();
    if record.language.as_str() != pack.name || record.flags.contains(&flag::MINIFIED) {
        return None;
    }
    let parse = if speed { parse_alone(pack, &record.text) } else { Duration::ZERO };
    let counts = Counts { extraction, parse, ..count(&record) };
    let problem = record.problems.first().map(|problem| line_at(&record.text, problem.span.start as usize));
    Some(File { path: record.path.display().into_owned(), counts, problem })
}

fn count(record: &Record) -> Counts {
    let judged = || record.definitions.iter().filter(|definition| definition.kind != kind::FIELD);
    Counts {
        files: 1,
        clean: u64::from(record.problems.is_empty()),
        bytes: record.text.len() as u64,
        lines: record.text.lines().count() as u64,
        defined: defined(record),
        definitions: judged().count() as u64,
        documented: judged().filter(|definition| definition.doc.is_some()).count() as u64,
        references: record.references.len() as u64,
        ..Counts::default()
    }
}

/// Bytes that some definition holds. Definitions come in the order of their starts.
fn defined(record: &Record) -> u64 {
    let mut reached = 0;
    let mut sum = 0;
    for definition in &record.definitions {
        sum += u64::from(definition.span.end.saturating_sub(definition.span.start.max(reached)));
        reached = reached.max(definition.span.end);
    }
    sum
}

fn parse_alone(pack: &Pack, text: &str) -> Duration {
    let mut parser = Parser::new();
    parser.set_language(&(pack.grammar)()).expect("a grammar that fits");
    let start = Instant::now();
    std::hint::black_box(parser.parse(text, None));
    start.elapsed()
}

fn line_at(text: &str, at: usize) -> (usize, String) {
    let line = text[..at].matches('\n').count();
    let words = text.lines().nth(line).unwrap_or_default().trim();
    (line + 1, words.chars().take(100).collect())
}

fn directories(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let mut places: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    places.sort();
    places
}

const MEASURES: &str = "files | parsed without error | inside definitions | documented | references per 100 lines";

fn languages(corpus: &[Language], speed: bool) -> String {
    let mut table = format!("| language | packages | {MEASURES} |");
    table += if speed { " MB/s | of parsing |\n" } else { "\n" };
    table += "| --- | --- | --- | --- | --- | --- | --- |";
    table += if speed { " --- | --- |\n" } else { "\n" };
    for language in corpus {
        let sum = Counts::sum(language.files().map(|(_, file)| file));
        let _ = write!(table, "| {} | {} | {} |", language.pack.name, language.packages.len(), sum.cells());
        if speed {
            let (whole, parse) = (sum.extraction.as_secs_f64(), sum.parse.as_secs_f64());
            let _ = write!(table, " {:.1} | {:.2} |", sum.bytes as f64 / 1e6 / whole, whole / parse);
        }
        table.push('\n');
    }
    table
}

fn packages(corpus: &[Language]) -> String {
    let mut table = format!("| language | package | {MEASURES} |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for language in corpus {
        for (name, files) in &language.packages {
            let _ = writeln!(table, "| {} | {name} | {} |", language.pack.name, Counts::sum(files).cells());
        }
    }
    table
}

/// A part of a file and the whole that it is of.
type Share = fn(&Counts) -> (u64, u64);

/// The files that are worst in each respect.
fn outliers(language: &Language) -> String {
    let large = || language.files().filter(|(_, file)| file.counts.lines >= SMALL);
    let mut text = format!("\n# {}\n", language.pack.name);
    text += "\n## not parsed without error\n\n";
    for (package, file) in language.files() {
        if let Some((line, words)) = &file.problem {
            let _ = writeln!(text, "{package}/{}:{line}: {words}", file.path);
        }
    }
    let respects: [(&str, Share); 3] = [
        ("fewest bytes inside definitions", |counts| (counts.defined, counts.bytes)),
        ("fewest documented", |counts| (counts.documented, counts.definitions)),
        ("fewest references", |counts| (counts.references, counts.lines)),
    ];
    for (title, share) in respects {
        let _ = writeln!(text, "\n## {title}\n");
        let mut files: Vec<_> = large().filter(|(_, file)| share(&file.counts).1 >= 5).collect();
        // Of equal shares the larger file comes first: it hides more.
        files.sort_by(|(_, a), (_, b)| {
            let ((part, whole), (other, of)) = (share(&a.counts), share(&b.counts));
            (part * of).cmp(&(other * whole)).then(b.counts.bytes.cmp(&a.counts.bytes)).then(a.path.cmp(&b.path))
        });
        for (package, file) in files.into_iter().take(OUTLIERS) {
            let (part, whole) = share(&file.counts);
            let _ = writeln!(text, "{part} of {whole}: {package}/{}", file.path);
        }
    }
    text
}

/// Puts the tables where they are kept.
fn keep(languages: &str, packages: &str) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = root.join("docs/languages.md");
    let text = fs::read_to_string(&document).map_err(|error| format!("cannot read `docs/languages.md`: {error}"))?;
    let text = between_marks(&text, languages).ok_or("`docs/languages.md` has lost the marks around its table")?;
    let write = |path: &Path, text: String| {
        fs::write(path, text).map_err(|error| format!("cannot write `{}`: {error}", path.display()))
    };
    write(&document, text)?;
    let title = "# Every package\n\nWritten by `cargo bench --bench packages -- DIR --write`; the columns are those of `docs/languages.md`.\n";
    write(&root.join("benches/packages/table.md"), format!("{title}\n{packages}"))
}

fn between_marks(text: &str, table: &str) -> Option<String> {
    let (before, rest) = text.split_once(MARKS[0])?;
    let (_, after) = rest.split_once(MARKS[1])?;
    Some(format!("{before}{}\n\n{table}\n{}{after}", MARKS[0], MARKS[1]))
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.1} %", part as f64 * 100.0 / whole as f64) }
}

fn per_hundred(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}
