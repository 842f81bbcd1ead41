//! Gitattributes files: macros, nesting and precedence as in git.
//!
//! Rules are reduced to the attributes that somebody asks for (and the macros that
//! lead to them), so a repository full of unrelated attributes costs nothing.

use std::collections::{HashMap, HashSet};

use super::candidates::Candidates;
use super::glob::{Case, Pattern};
use super::ignore::{Rule, parent};
use super::path::printable;

/// What attributes say about one attribute of one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// `name`
    Set,
    /// `-name`
    Unset,
    /// `!name`
    Unspecified,
    /// `name=value`
    Value(Vec<u8>),
}

impl State {
    /// Whether the attribute says yes: set, or any value but `false`.
    pub(crate) fn is_on(&self) -> bool {
        match self {
            Self::Set => true,
            Self::Value(value) => value != b"false",
            Self::Unset | Self::Unspecified => false,
        }
    }
}

/// One attributes file.
#[derive(Debug)]
pub(crate) struct AttributeFile {
    name: String,
    case: Case,
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    number: usize,
    subject: Subject,
    assignments: Vec<(Vec<u8>, State)>,
}

#[derive(Debug)]
enum Subject {
    Paths(Pattern, String),
    Macro(Vec<u8>),
}

/// Git ignores attribute lines that are longer.
const MAX_LINE: usize = 2048;
const MACRO_PREFIX: &[u8] = b"[attr]";
const UTF_8_MARK: &[u8] = b"\xef\xbb\xbf";

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

impl AttributeFile {
    /// Reads an attributes file. `macros`: whether the file may define macros, which
    /// only the root's and those outside the work tree may.
    pub(crate) fn parse(bytes: &[u8], name: String, macros: bool, case: Case) -> Self {
        Self::parse_indexed(bytes.strip_prefix(UTF_8_MARK).unwrap_or(bytes), name, macros, case)
    }

    /// Reads an attributes file as git reads it from its index, where it takes a leading
    /// mark for a part of the first line.
    pub(crate) fn parse_indexed(bytes: &[u8], name: String, macros: bool, case: Case) -> Self {
        let lines = bytes
            .split(|&byte| byte == b'\n')
            .enumerate()
            .filter_map(|(index, line)| Line::parse(line, index + 1, macros, case))
            .collect();
        Self { name, case, lines }
    }
}

impl Line {
    fn parse(line: &[u8], number: usize, macros: bool, case: Case) -> Option<Self> {
        let line = line.split(|&byte| byte == 0).next().unwrap_or_default();
        if line.len() >= MAX_LINE {
            return None;
        }
        let line = &line[line.iter().position(|&byte| !is_blank(byte))?..];
        if line[0] == b'#' {
            return None;
        }
        let (word, rest) = subject(line);
        let subject = match word.strip_prefix(MACRO_PREFIX) {
            Some(name) if !name.is_empty() => {
                let name = name.split(|&byte| is_blank(byte)).find(|part| !part.is_empty())?;
                (macros && is_attribute_name(name)).then(|| Subject::Macro(name.to_vec()))?
            }
            _ => {
                let pattern = Pattern::parse(&word, case);
                (!pattern.is_negative()).then(|| Subject::Paths(pattern, printable(&word).into_owned()))?
            }
        };
        let words = rest.split(|&byte| is_blank(byte)).filter(|word| !word.is_empty());
        let assignments = words.map(assignment).collect::<Option<Vec<_>>>()?;
        Some(Self { number, subject, assignments })
    }
}

fn split_blank(text: &[u8]) -> Option<(&[u8], &[u8])> {
    text.iter().position(|&byte| is_blank(byte)).map(|at| text.split_at(at))
}

/// The first word of a line, unquoted, and what follows it.
fn subject(line: &[u8]) -> (Vec<u8>, &[u8]) {
    if let Some((text, rest)) = line.strip_prefix(b"\"").and_then(unquote) {
        return (text, rest);
    }
    let (word, rest) = split_blank(line).unwrap_or((line, &[]));
    (word.to_vec(), rest)
}

/// Reads a C-quoted string after its opening quote.
fn unquote(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        match *text.get(at)? {
            b'"' => return Some((out, &text[at + 1..])),
            b'\\' => {
                at += 1;
                let escape = *text.get(at)?;
                out.push(match escape {
                    b'a' => 7,
                    b'b' => 8,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 11,
                    b'\\' | b'"' => escape,
                    b'0'..=b'3' => {
                        let digits = text.get(at..at + 3)?;
                        at += 2;
                        digits.iter().try_fold(0, |value, digit| {
                            matches!(digit, b'0'..=b'7').then(|| value << 3 | (digit - b'0'))
                        })?
                    }
                    _ => return None,
                });
            }
            byte => out.push(byte),
        }
        at += 1;
    }
}

fn assignment(word: &[u8]) -> Option<(Vec<u8>, State)> {
    let end = word.iter().position(|&byte| byte == b'=').unwrap_or(word.len());
    let (name, state) = match word[0] {
        b'-' => (&word[1..end], State::Unset),
        b'!' => (&word[1..end], State::Unspecified),
        _ if end < word.len() => (&word[..end], State::Value(word[end + 1..].to_vec())),
        _ => (word, State::Set),
    };
    is_attribute_name(name).then(|| (name.to_vec(), state))
}

fn is_attribute_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name[0] != b'-'
        && !name.starts_with(b"builtin_")
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
}

/// Attributes files, in the order in which they are asked.
#[derive(Debug, Default)]
pub(crate) struct AttributeFiles {
    /// Outrank everything (`info/attributes`).
    pub(crate) above: Vec<AttributeFile>,
    /// By directory.
    pub(crate) nested: HashMap<Vec<u8>, AttributeFile>,
    /// Below everything, the weakest first (system, user).
    pub(crate) below: Vec<AttributeFile>,
}

/// Attributes files reduced to the attributes that somebody asks for.
#[derive(Debug)]
pub(crate) struct AttributeRules {
    wanted: usize,
    attributes: usize,
    macros: Vec<Option<Vec<Assignment>>>,
    above: Vec<ReducedFile>,
    nested: HashMap<Vec<u8>, ReducedFile>,
    below: Vec<ReducedFile>,
}

#[derive(Clone, Debug)]
struct Assignment {
    attribute: usize,
    state: State,
}

#[derive(Debug)]
struct ReducedFile {
    name: String,
    lines: Vec<ReducedLine>,
    candidates: Option<Candidates>,
}

#[derive(Debug)]
struct ReducedLine {
    number: usize,
    pattern: Pattern,
    text: String,
    assignments: Vec<Assignment>,
}

/// The answer for one path, by the position of the attribute in the question.
pub(crate) type Answer<'a> = Vec<Option<Decision<'a>>>;

/// What decided about one attribute.
#[derive(Clone, Debug)]
pub(crate) struct Decision<'a> {
    /// What it is.
    pub(crate) state: &'a State,
    file: &'a str,
    line: usize,
    text: &'a str,
}

impl Decision<'_> {
    /// The line that decided.
    pub(crate) fn rule(&self) -> Rule {
        Rule { file: self.file.to_owned(), line: self.line, text: self.text.to_owned() }
    }
}

impl AttributeRules {
    /// Reduces files to the attributes in `wanted`.
    pub(crate) fn new(files: AttributeFiles, wanted: &[&str]) -> Self {
        let definitions = macro_definitions(&files);
        let mut names: Vec<Vec<u8>> = wanted.iter().map(|name| name.as_bytes().to_vec()).collect();
        names.extend(leading_macros(&definitions, &names));
        let index: HashMap<&[u8], usize> = names.iter().enumerate().map(|(at, name)| (name.as_slice(), at)).collect();
        let macros = names
            .iter()
            .map(|name| definitions.get(name.as_slice()).map(|assignments| reduce(assignments, &index)))
            .collect();
        let many = |files: Vec<AttributeFile>| files.into_iter().map(|file| reduce_file(file, &index)).collect();
        let nested = files
            .nested
            .into_iter()
            .map(|(directory, file)| (directory, reduce_file(file, &index)))
            .filter(|(_, file)| !file.lines.is_empty())
            .collect();
        Self {
            wanted: wanted.len(),
            attributes: names.len(),
            above: many(files.above),
            below: many(files.below),
            macros,
            nested,
        }
    }

    /// Whether no path can have any of the attributes.
    pub(crate) fn is_empty(&self) -> bool {
        self.nested.is_empty() && self.above.iter().chain(&self.below).all(|file| file.lines.is_empty())
    }

    /// What the files say about a path that is not a directory.
    pub(crate) fn of(&self, path: &[u8]) -> Answer<'_> {
        let mut answer: Answer<'_> = vec![None; self.attributes];
        if !self.is_empty() {
            self.fill(path, &mut answer);
        }
        answer.truncate(self.wanted);
        answer
    }

    fn fill<'a>(&'a self, path: &[u8], answer: &mut Answer<'a>) {
        for file in self.above.iter().rev() {
            self.ask(file, path, answer);
        }
        let mut directory = parent(path);
        loop {
            if let Some(file) = self.nested.get(directory) {
                let start = if directory.is_empty() { 0 } else { directory.len() + 1 };
                self.ask(file, &path[start..], answer);
            }
            if directory.is_empty() {
                break;
            }
            directory = parent(directory);
        }
        for file in self.below.iter().rev() {
            self.ask(file, path, answer);
        }
    }

    fn ask<'a>(&'a self, file: &'a ReducedFile, relative: &[u8], answer: &mut Answer<'a>) {
        let mut try_line = |line: &'a ReducedLine| {
            let open = line.assignments.iter().any(|assignment| answer[assignment.attribute].is_none());
            if open && line.pattern.matches(relative, false) {
                self.assign(file, line, answer);
            }
        };
        match &file.candidates {
            None => file.lines.iter().rev().for_each(try_line),
            Some(candidates) => candidates.of(relative).into_iter().for_each(|number| try_line(&file.lines[number])),
        }
    }

    fn assign<'a>(&'a self, file: &'a ReducedFile, line: &'a ReducedLine, answer: &mut Answer<'a>) {
        let mut waiting: Vec<&Assignment> = line.assignments.iter().collect();
        while let Some(assignment) = waiting.pop() {
            let slot = &mut answer[assignment.attribute];
            if slot.is_some() {
                continue;
            }
            *slot = Some(Decision { state: &assignment.state, file: &file.name, line: line.number, text: &line.text });
            if assignment.state == State::Set {
                waiting.extend(self.macros[assignment.attribute].iter().flatten());
            }
        }
    }
}

/// Every macro with what it stands for; the highest-ranking definition counts.
fn macro_definitions(files: &AttributeFiles) -> HashMap<Vec<u8>, Vec<(Vec<u8>, State)>> {
    let unset = |name: &[u8]| (name.to_vec(), State::Unset);
    let mut definitions = HashMap::from([(b"binary".to_vec(), vec![unset(b"diff"), unset(b"merge"), unset(b"text")])]);
    for file in files.below.iter().chain(files.nested.get(&[][..])).chain(&files.above) {
        for line in &file.lines {
            if let Subject::Macro(name) = &line.subject {
                definitions.insert(name.clone(), line.assignments.clone());
            }
        }
    }
    definitions
}

/// The macros that can decide about a wanted attribute, in order of name.
fn leading_macros(definitions: &HashMap<Vec<u8>, Vec<(Vec<u8>, State)>>, wanted: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut users: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
    for (name, assignments) in definitions {
        for (used, _) in assignments {
            users.entry(used).or_default().push(name);
        }
    }
    let mut found: HashSet<&[u8]> = HashSet::new();
    let mut waiting: Vec<&[u8]> = wanted.iter().map(Vec::as_slice).collect();
    while let Some(name) = waiting.pop() {
        waiting.extend(users.get(name).into_iter().flatten().filter(|user| found.insert(user)));
    }
    let mut leading: Vec<Vec<u8>> =
        found.into_iter().filter(|name| wanted.iter().all(|wanted| wanted != name)).map(<[u8]>::to_vec).collect();
    leading.sort();
    leading
}

fn reduce(assignments: &[(Vec<u8>, State)], index: &HashMap<&[u8], usize>) -> Vec<Assignment> {
    assignments
        .iter()
        .filter_map(|(name, state)| {
            index.get(name.as_slice()).map(|&attribute| Assignment { attribute, state: state.clone() })
        })
        .collect()
}

fn reduce_file(file: AttributeFile, index: &HashMap<&[u8], usize>) -> ReducedFile {
    let lines = file.lines.into_iter().filter_map(|line| {
        let assignments = reduce(&line.assignments, index);
        match line.subject {
            Subject::Paths(pattern, text) if !assignments.is_empty() => {
                Some(ReducedLine { number: line.number, pattern, text, assignments })
            }
            _ => None,
        }
    });
    let lines: Vec<ReducedLine> = lines.collect();
    let candidates = Candidates::new(lines.iter().map(|line| &line.pattern), file.case);
    ReducedFile { name: file.name, lines, candidates }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(files: &[(&str, &str)], wanted: &[&str]) -> AttributeRules {
        let nested = files.iter().map(|(directory, text)| {
            let name = format!("{directory}/.gitattributes");
            let file = AttributeFile::parse(text.as_bytes(), name, directory.is_empty(), Case::Sensitive);
            (directory.as_bytes().to_vec(), file)
        });
        AttributeRules::new(AttributeFiles { nested: nested.collect(), ..AttributeFiles::default() }, wanted)
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], path: &str, expected: Option<State>) {
        let rules = rules(files, &["x"]);
        assert_eq!(rules.of(path.as_bytes())[0].as_ref().map(|decision| decision.state.clone()), expected);
    }

    #[test]
    fn states() {
        check(&[("", "a x")], "a", Some(State::Set));
        check(&[("", "a -x")], "a", Some(State::Unset));
        check(&[("", "a !x")], "q/a", Some(State::Unspecified));
        check(&[("", "a x=1=2")], "a", Some(State::Value(b"1=2".to_vec())));
        check(&[("", "a x -x")], "a", Some(State::Unset));
        check(&[("", "a x\nb x")], "c", None);
    }

    #[test]
    fn nearest_file_and_last_line_win() {
        check(&[("", "*.c x"), ("d", "*.c -x")], "d/a.c", Some(State::Unset));
        check(&[("", "*.c x\n*.c x=2")], "d/a.c", Some(State::Value(b"2".to_vec())));
        check(&[("d", "/a x")], "d/e/a", None);
    }

    #[test]
    fn macros() {
        check(&[("", "[attr]m n\n[attr]n x=1\na m")], "a", Some(State::Value(b"1".to_vec())));
        check(&[("", "[attr]m x\na m -x")], "a", Some(State::Unset));
        check(&[("", "[attr]m x\na x=1 m")], "a", Some(State::Set));
        check(&[("", "[attr]m x\na -m")], "a", None);
        check(&[("", "[attr]m x\na m"), ("d", "a -m")], "d/a", None);
        check(&[("", "a m"), ("d", "[attr]m x")], "a", None);
        check(&[("", "[attr]x x\na x")], "a", Some(State::Set));
    }

    #[test]
    fn lines_git_does_not_take() {
        check(&[("", "!a x")], "a", None);
        check(&[("", "a x %bad")], "a", None);
        check(&[("", "a/ x")], "a", None);
        check(&[("", &format!("a x {}", "y ".repeat(1100)))], "a", None);
        check(&[("", "  # a x\n\ta x\r")], "a", Some(State::Set));
    }

    #[test]
    fn quoted_patterns() {
        check(&[("", "\"a b\" x")], "a b", Some(State::Set));
        check(&[("", "\"\\303\\244\\t\" x")], "\u{e4}\t", Some(State::Set));
        check(&[("", "\"a x")], "\"a", Some(State::Set));
    }

    #[test]
    fn unrelated_attributes_cost_nothing() {
        assert!(rules(&[("", "*.sh text eol=lf\n*.png binary")], &["x"]).is_empty());
        assert!(!rules(&[("", "*.png binary")], &["text"]).is_empty());
    }
}
