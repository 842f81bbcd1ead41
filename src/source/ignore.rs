//! Ignore files in gitignore syntax, nested, with git's precedence.
//!
//! The same rules serve `.gitignore` (which untracked files a work tree hides) and
//! the committed `.cceignore`. A directory that is ignored takes everything below
//! it along, and ignore files below it are not asked.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::candidates::Candidates;
use super::glob::{Case, Pattern};

/// One ignore file.
#[derive(Debug)]
pub(crate) struct IgnoreFile {
    /// Directory its patterns are relative to; empty for the root.
    directory: Vec<u8>,
    /// Where it stands, for people.
    name: String,
    lines: Vec<Line>,
    candidates: Option<Candidates>,
}

#[derive(Debug)]
struct Line {
    number: usize,
    text: String,
    pattern: Pattern,
}

/// The line of a rule file that decided about a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The file the rule stands in, as a path inside the source where it has one.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The line itself, made printable.
    pub text: String,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.text)
    }
}

const UTF_8_MARK: &[u8] = b"\xef\xbb\xbf";

impl IgnoreFile {
    /// Reads an ignore file that stands in `directory` (empty for the root).
    pub(crate) fn parse(bytes: &[u8], directory: &[u8], name: String, case: Case) -> Self {
        let bytes = bytes.strip_prefix(UTF_8_MARK).unwrap_or(bytes);
        let lines = bytes
            .split(|&byte| byte == b'\n')
            .enumerate()
            .filter_map(|(index, line)| Line::parse(line.strip_suffix(b"\r").unwrap_or(line), index + 1, case))
            .collect();
        Self::new(directory.to_vec(), name, lines, case)
    }

    fn new(directory: Vec<u8>, name: String, lines: Vec<Line>, case: Case) -> Self {
        let candidates = Candidates::new(lines.iter().map(|line| &line.pattern), case);
        Self { directory, name, lines, candidates }
    }

    /// Makes an ignore file of the root from patterns, one a line.
    ///
    /// # Errors
    /// Gives back the first pattern that can match nothing.
    pub(crate) fn from_patterns<'a>(patterns: impl IntoIterator<Item = &'a str>, name: &str) -> Result<Self, &'a str> {
        let line = |(index, pattern): (usize, &'a str)| {
            let line = Line::parse(pattern.as_bytes(), index + 1, Case::Sensitive);
            line.filter(|line| line.pattern.can_match()).ok_or(pattern)
        };
        let lines = patterns.into_iter().enumerate().map(line).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::new(Vec::new(), name.to_owned(), lines, Case::Sensitive))
    }

    /// Whether the file says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn decide(&self, path: &[u8], is_dir: bool) -> Option<&Line> {
        let relative = match self.directory.len() {
            0 => path,
            length => path.get(length + 1..)?,
        };
        let matches = |line: &&Line| line.pattern.matches(relative, is_dir);
        match &self.candidates {
            None => self.lines.iter().rev().find(matches),
            Some(candidates) => candidates.of(relative).into_iter().map(|number| &self.lines[number]).find(matches),
        }
    }
}

impl Line {
    fn parse(line: &[u8], number: usize, case: Case) -> Option<Self> {
        // Git reads a line as a C string.
        let line = line.split(|&byte| byte == 0).next().unwrap_or_default();
        if line.is_empty() || line[0] == b'#' {
            return None;
        }
        let line = without_trailing_spaces(line);
        Some(Self { number, text: super::path::printable(line).into_owned(), pattern: Pattern::parse(line, case) })
    }
}

fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            b' ' => {}
            b'\\' if at + 1 == line.len() => return line,
            b'\\' => {
                at += 1;
                end = at + 1;
            }
            _ => end = at + 1,
        }
        at += 1;
    }
    &line[..end]
}

/// The ignore files that apply in one directory, weakest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain(Option<Arc<Link>>);

#[derive(Debug)]
struct Link {
    weaker: Chain,
    file: IgnoreFile,
}

impl Drop for Link {
    // Without this, dropping the chain of a very deep tree would recurse once a level.
    fn drop(&mut self) {
        let mut next = self.weaker.0.take();
        while let Some(link) = next {
            next = Arc::into_inner(link).and_then(|mut link| link.weaker.0.take());
        }
    }
}

impl Chain {
    /// The chain with one more file, which outranks those before it.
    pub(crate) fn with(&self, file: IgnoreFile) -> Self {
        if file.is_empty() { self.clone() } else { Self(Some(Arc::new(Link { weaker: self.clone(), file }))) }
    }

    /// The rule that ignores `path`, whose parent directories are known not to be ignored.
    pub(crate) fn ignoring(&self, path: &[u8], is_dir: bool) -> Option<Rule> {
        let (file, line) = self.deciding(path, is_dir)?;
        (!line.pattern.is_negative()).then(|| Rule {
            file: file.name.clone(),
            line: line.number,
            text: line.text.clone(),
        })
    }

    /// Whether some rule ignores `path`, whose parent directories are known not to be ignored.
    pub(crate) fn ignores(&self, path: &[u8], is_dir: bool) -> bool {
        self.deciding(path, is_dir).is_some_and(|(_, line)| !line.pattern.is_negative())
    }

    fn deciding(&self, path: &[u8], is_dir: bool) -> Option<(&IgnoreFile, &Line)> {
        let mut next = self.0.as_deref();
        while let Some(link) = next {
            if let Some(line) = link.file.decide(path, is_dir) {
                return Some((&link.file, line));
            }
            next = link.weaker.0.as_deref();
        }
        None
    }
}

/// All ignore files of a source, asked by path.
#[derive(Debug, Default)]
pub(crate) struct IgnoreRules {
    files: HashMap<Vec<u8>, IgnoreFile>,
    directories: HashMap<Vec<u8>, Directory>,
}

#[derive(Clone, Debug)]
enum Directory {
    Ignored(Rule),
    Open(Chain),
}

impl IgnoreRules {
    /// Rules from ignore files, at most one a directory.
    pub(crate) fn new(files: impl IntoIterator<Item = IgnoreFile>) -> Self {
        let files = files.into_iter().filter(|file| !file.is_empty()).map(|file| (file.directory.clone(), file));
        Self { files: files.collect(), directories: HashMap::new() }
    }

    /// Whether no path can be ignored.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.directories.is_empty()
    }

    /// The rule that ignores a file, by itself or with a directory above it.
    pub(crate) fn ignoring(&mut self, path: &[u8], is_dir: bool) -> Option<Rule> {
        if self.is_empty() {
            return None;
        }
        match self.directory(parent(path)) {
            Directory::Ignored(rule) => Some(rule.clone()),
            Directory::Open(chain) => chain.ignoring(path, is_dir),
        }
    }

    fn directory(&mut self, wanted: &[u8]) -> &Directory {
        let mut known = wanted;
        let mut unknown = Vec::new();
        while !self.directories.contains_key(known) {
            unknown.push(known);
            if known.is_empty() {
                break;
            }
            known = parent(known);
        }
        for directory in unknown.into_iter().rev() {
            let state = self.enter(directory);
            self.directories.insert(directory.to_vec(), state);
        }
        &self.directories[wanted]
    }

    fn enter(&mut self, directory: &[u8]) -> Directory {
        let above = if directory.is_empty() {
            Chain::default()
        } else {
            match &self.directories[parent(directory)] {
                Directory::Ignored(rule) => return Directory::Ignored(rule.clone()),
                Directory::Open(chain) => match chain.ignoring(directory, true) {
                    Some(rule) => return Directory::Ignored(rule),
                    None => chain.clone(),
                },
            }
        };
        Directory::Open(match self.files.remove(directory) {
            Some(file) => above.with(file),
            None => above,
        })
    }
}

/// The directory a path stands in; empty for the root.
pub(crate) fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|&byte| byte == b'/').map_or(&[], |slash| &path[..slash])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(files: &[(&str, &str)]) -> IgnoreRules {
        IgnoreRules::new(files.iter().map(|(directory, text)| {
            IgnoreFile::parse(text.as_bytes(), directory.as_bytes(), format!("{directory}/.x"), Case::Sensitive)
        }))
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], ignored: &[&str], kept: &[&str]) {
        let mut rules = rules(files);
        for path in ignored {
            assert!(rules.ignoring(path.as_bytes(), false).is_some(), "{path} should be ignored");
        }
        for path in kept {
            assert!(rules.ignoring(path.as_bytes(), false).is_none(), "{path} should be kept");
        }
    }

    #[test]
    fn nearest_file_and_last_line_win() {
        check(&[("", "*.o\n!keep.o"), ("a", "keep.o\n!b.o")], &["x.o", "a/keep.o", "z/x.o"], &["keep.o", "a/b.o"]);
    }

    #[test]
    fn an_ignored_directory_takes_everything_along() {
        check(&[("", "gen/"), ("gen", "!*")], &["gen/x", "gen/y/z", "q/gen/x"], &["gen.x"]);
        check(&[("", "/gen/*\n!/gen/x")], &["gen/y", "gen/q/x"], &["gen/x"]);
    }

    #[test]
    fn lines_are_read_as_git_reads_them() {
        let text = "\u{feff}a \r\n# b\n\\#c\nd\\ \n\ne\t\n";
        check(&[("", text)], &["a", "#c", "d ", "e\t"], &["# b", "d", "e", "a "]);
    }

    #[test]
    fn the_deciding_line_is_known() {
        let rule = rules(&[("a", "x\n\ny*")]).ignoring(b"a/yes", false).unwrap();
        assert_eq!(rule, Rule { file: "a/.x".to_owned(), line: 3, text: "y*".to_owned() });
    }
}
