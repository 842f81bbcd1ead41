//! Which language a file is in: committed override, `#!` line, file name, extension,
//! a note to an editor, and the signs that its lines bear.

use std::fmt;
use std::sync::OnceLock;

use regex::RegexSet;

use super::{PACKS, Pack, pack};
use crate::config::{Settings, nearest};
use crate::source::RepoPath;
use crate::source::glob::{Case, Pattern};

/// The name of what no pack claims.
const TEXT: &str = "text";

/// Why settings about languages are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DetectError {
    /// `index.packs` names a pack there is not.
    #[error("`index.packs` names `{name}`, which is not a pack{} (`cce packs` lists them)", suggestion(.nearest))]
    UnknownPack {
        /// The name.
        name: String,
        /// The known name that is written most like it.
        nearest: Option<&'static str>,
    },
    /// `languages` names a language there is not.
    #[error("`languages` gives `{pattern}` the language `{name}`, which is not known{} (`cce packs` lists the languages)", suggestion(.nearest))]
    UnknownLanguage {
        /// The pattern.
        pattern: String,
        /// The language.
        name: String,
        /// The known name that is written most like it.
        nearest: Option<&'static str>,
    },
    /// `languages` names a language that `index.packs` leaves out.
    #[error("`languages` gives `{pattern}` the language `{name}`, which `index.packs` leaves out; add it there")]
    Disabled {
        /// The pattern.
        pattern: String,
        /// The language.
        name: String,
    },
    /// `languages` names no language at all.
    #[error("`languages` gives `{pattern}` no language; name one that `cce packs` lists, or `text`")]
    NoLanguage {
        /// The pattern.
        pattern: String,
    },
    /// A pattern that can match nothing, or a negated one.
    #[error(
        "`{pattern}` in `languages` matches no path; write it in `.gitignore` syntax, without `!`, such as `*.ext` or `dir/`"
    )]
    Pattern {
        /// The pattern.
        pattern: String,
    },
    /// An extension where a pattern belongs.
    #[error(
        "`{pattern}` in `languages` matches only what has exactly that name; write `*.{extension}` for the extension, `{pattern}/` for a directory, `**/{pattern}` for a file"
    )]
    Extension {
        /// The pattern.
        pattern: String,
        /// The extension that it most likely means.
        extension: String,
    },
}

fn suggestion(nearest: &Option<&'static str>) -> String {
    nearest.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default()
}

/// Lines in which signs are looked for, and how long the lines may be.
const SIGN_LINES: usize = 4_000;
const SIGN_LINE_BYTES: usize = 400;
/// Lines at either end of a file that may hold a note to an editor.
const NOTE_LINES: usize = 5;
/// Signs that make a guess.
const GUESS: usize = 2;

/// What name and text of a file say of its language.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The pack; `None` for plain text.
    pub pack: Option<&'static Pack>,
    /// What decided.
    pub basis: Basis,
}

impl Claim {
    /// Whether the settings say so, so that nothing else may be tried.
    pub fn is_settled(&self) -> bool {
        matches!(self.basis, Basis::Override(_))
    }
}

/// Finds the pack of a file under given settings.
#[derive(Debug)]
pub struct Detector {
    enabled: Vec<&'static Pack>,
    overrides: Vec<Override>,
    signs: OnceLock<Signs>,
}

/// The signs of all enabled packs.
#[derive(Debug)]
struct Signs {
    set: RegexSet,
    /// By pattern, the index of its pack in [`Detector::enabled`].
    owners: Vec<usize>,
}

/// What decided about the language of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A pattern of the committed `languages`.
    Override(String),
    /// The whole file name.
    Name,
    /// The extension.
    Extension,
    /// The program of the `#!` line.
    Interpreter,
    /// Lines that show the language, where languages share the extension.
    Signs,
    /// A note to an editor.
    Note,
    /// The text says that it is markup.
    Markup,
    /// How well the text reads in this language and in the claimed one.
    Reading,
    /// Nothing: no pack claims the file.
    Unclaimed,
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Override(pattern) => write!(f, "`languages` in cce.toml: {}", pattern.escape_debug()),
            Self::Name => f.write_str("file name"),
            Self::Extension => f.write_str("extension"),
            Self::Interpreter => f.write_str("#! line"),
            Self::Signs => f.write_str("extension, and lines that show it"),
            Self::Note => f.write_str("note to an editor"),
            Self::Markup => f.write_str("it begins as markup"),
            Self::Reading => f.write_str("it reads best so"),
            Self::Unclaimed => f.write_str("no pack claims it"),
        }
    }
}

#[derive(Debug)]
struct Override {
    text: String,
    pattern: Pattern,
    pack: Option<&'static Pack>,
}

impl Detector {
    /// Checks the settings.
    ///
    /// Where several override patterns match a path, the longest wins, and of equally
    /// long ones the last in byte order.
    ///
    /// # Errors
    /// On names that are not known, and on patterns that cannot be used.
    pub fn new(settings: &Settings) -> Result<Self, DetectError> {
        let enabled = match &settings.packs {
            None => PACKS.to_vec(),
            Some(names) => names.iter().map(|name| known_pack(name)).collect::<Result<_, _>>()?,
        };
        let mut order: Vec<(&String, &String)> = settings.languages.iter().collect();
        order.sort_by_key(|(pattern, _)| (pattern.len(), *pattern));
        let overrides = order
            .into_iter()
            .rev()
            .map(|(pattern, language)| read_override(pattern, language, &enabled))
            .collect::<Result<_, _>>()?;
        Ok(Self { enabled, overrides, signs: OnceLock::new() })
    }

    /// A detector without settings.
    pub fn every_pack() -> Self {
        Self { enabled: PACKS.to_vec(), overrides: Vec::new(), signs: OnceLock::new() }
    }

    /// The pack that claims a file.
    ///
    /// A `#!` line names what runs the file, so it beats an extension that another
    /// pack claims.
    pub fn detect(&self, path: &RepoPath, text: &str) -> Claim {
        if let Some(chosen) = self.overrides.iter().find(|entry| entry.pattern.reaches(path.as_bytes())) {
            return Claim { pack: chosen.pack, basis: Basis::Override(chosen.text.clone()) };
        }
        let claimed = |pack: Option<&'static Pack>, basis| pack.map(|pack| Claim { pack: Some(pack), basis });
        claimed(self.by_name(path), Basis::Name)
            .or_else(|| claimed(self.by_interpreter(text), Basis::Interpreter))
            .or_else(|| self.by_extension(path, text))
            .or_else(|| claimed(self.by_note(text), Basis::Note))
            .unwrap_or(Claim { pack: None, basis: Basis::Unclaimed })
    }

    /// The enabled pack of this name.
    pub fn enabled(&self, name: &str) -> Option<&'static Pack> {
        self.claiming(|pack| pack.name == name)
    }

    /// The enabled pack that people call `word`: by its name, an extension or an interpreter.
    pub fn named(&self, word: &str) -> Option<&'static Pack> {
        let word = word.to_ascii_lowercase();
        let called = |words: &[&str]| words.contains(&word.as_str());
        self.enabled(&word)
            .or_else(|| self.claiming(|pack| called(pack.claims.extensions) || called(pack.claims.interpreters)))
    }

    /// The packs whose signs stand in `text`, most of them first.
    pub fn by_signs(&self, text: &str) -> Vec<&'static Pack> {
        let counts = self.count_signs(text);
        let mut found: Vec<usize> = (0..counts.len()).filter(|index| counts[*index] >= GUESS).collect();
        found.sort_by_key(|index| (usize::MAX - counts[*index], *index));
        found.into_iter().map(|index| self.enabled[index]).collect()
    }

    /// How many lines bear signs of each enabled pack.
    fn count_signs(&self, text: &str) -> Vec<usize> {
        let signs = self.signs.get_or_init(|| Signs::of(&self.enabled));
        let mut counts = vec![0; self.enabled.len()];
        for line in text.lines().take(SIGN_LINES).filter(|line| line.len() <= SIGN_LINE_BYTES) {
            let mut last = None;
            for owner in signs.set.matches(line).into_iter().map(|pattern| signs.owners[pattern]) {
                counts[owner] += usize::from(last != Some(owner));
                last = Some(owner);
            }
        }
        counts
    }

    fn by_name(&self, path: &RepoPath) -> Option<&'static Pack> {
        let name = std::str::from_utf8(path.file_name()).ok()?;
        self.claiming(|pack| pack.claims.file_names.contains(&name))
    }

    fn by_extension(&self, path: &RepoPath, text: &str) -> Option<Claim> {
        let name = path.file_name();
        let dot = name.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0)?;
        let extension = std::str::from_utf8(&name[dot + 1..]).ok()?.to_ascii_lowercase();
        let shared = self.sharing(&extension, text).map(|pack| Claim { pack: Some(pack), basis: Basis::Signs });
        let claimed = shared.or_else(|| {
            let pack = self.claiming(|pack| pack.claims.extensions.contains(&extension.as_str()))?;
            Some(Claim { pack: Some(pack), basis: Basis::Extension })
        })?;
        Some(if is_markup(text) { Claim { pack: None, basis: Basis::Markup } } else { claimed })
    }

    /// The pack that shares an extension and whose signs are the most in `text`.
    fn sharing(&self, extension: &str, text: &str) -> Option<&'static Pack> {
        let shares = |pack: &Pack| pack.claims.shared.contains(&extension);
        if !self.enabled.iter().any(|pack| shares(pack)) {
            return None;
        }
        let counts = self.count_signs(text);
        let best = (0..counts.len()).filter(|index| counts[*index] > 0 && shares(self.enabled[*index]));
        best.max_by_key(|index| (counts[*index], usize::MAX - index)).map(|index| self.enabled[index])
    }

    /// The pack that a note to an editor names: `-*- mode: … -*-`, `vim: ft=…`.
    fn by_note(&self, text: &str) -> Option<&'static Pack> {
        let last = text.lines().rev().take(NOTE_LINES);
        let words = text.lines().take(NOTE_LINES).chain(last).filter_map(note);
        words.filter_map(|word| self.named(word)).next()
    }

    fn by_interpreter(&self, text: &str) -> Option<&'static Pack> {
        let program = interpreter(text)?;
        self.claiming(|pack| pack.claims.interpreters.contains(&program))
    }

    fn claiming(&self, claims: impl Fn(&Pack) -> bool) -> Option<&'static Pack> {
        self.enabled.iter().copied().find(|pack| claims(pack))
    }
}

impl Signs {
    fn of(packs: &[&'static Pack]) -> Self {
        let signs =
            packs.iter().enumerate().flat_map(|(index, pack)| pack.claims.signs.iter().map(move |sign| (sign, index)));
        let (patterns, owners): (Vec<&str>, Vec<usize>) = signs.unzip();
        // Validation compiles every sign; a set of none never matches.
        Self { set: RegexSet::new(patterns).unwrap_or_else(|_| RegexSet::empty()), owners }
    }
}

/// Whether a text says of itself that it is XML or HTML, whatever its extension.
fn is_markup(text: &str) -> bool {
    let start = text.trim_start();
    let start = start.get(..start.floor_char_boundary(9)).unwrap_or_default().to_ascii_lowercase();
    start.starts_with("<?xml ") || start.starts_with("<!doctype")
}

/// The language that a line tells an editor.
fn note(line: &str) -> Option<&str> {
    let line = line.get(..line.floor_char_boundary(SIGN_LINE_BYTES)).unwrap_or_default();
    if let Some((note, _)) = line.split_once("-*-").and_then(|(_, rest)| rest.split_once("-*-")) {
        let mode = note.split(';').find_map(|part| part.split_once(':').filter(|(key, _)| key.trim() == "mode"));
        return Some(mode.map_or(note, |(_, mode)| mode).trim());
    }
    let (_, options) = line.split_once("vim:").or_else(|| line.split_once("vi:"))?;
    let options = options.split([' ', ':', '\t']);
    options
        .filter_map(|option| option.split_once('='))
        .find(|(key, _)| matches!(*key, "ft" | "filetype" | "syntax"))
        .map(|(_, word)| word)
}

fn known_pack(name: &str) -> Result<&'static Pack, DetectError> {
    pack(name).ok_or_else(|| DetectError::UnknownPack {
        name: name.escape_default().to_string(),
        nearest: nearest(name, PACKS.iter().map(|pack| pack.name)),
    })
}

fn read_override(pattern: &str, language: &str, enabled: &[&'static Pack]) -> Result<Override, DetectError> {
    let shown = || pattern.escape_default().to_string();
    let parsed = Pattern::parse(pattern.as_bytes(), Case::Sensitive);
    if parsed.is_negative() || pattern.trim().is_empty() || !parsed.can_match() {
        return Err(DetectError::Pattern { pattern: shown() });
    }
    let extension = pattern.strip_prefix('.').unwrap_or(pattern);
    if PACKS.iter().any(|pack| pack.claims.extensions.contains(&extension)) {
        return Err(DetectError::Extension { pattern: shown(), extension: extension.to_owned() });
    }
    if language.is_empty() {
        return Err(DetectError::NoLanguage { pattern: shown() });
    }
    if language == TEXT {
        return Ok(Override { text: pattern.to_owned(), pattern: parsed, pack: None });
    }
    let pack = pack(language).ok_or_else(|| DetectError::UnknownLanguage {
        pattern: shown(),
        name: language.escape_default().to_string(),
        nearest: nearest(language, PACKS.iter().map(|pack| pack.name).chain([TEXT])),
    })?;
    if !enabled.iter().any(|candidate| candidate.name == pack.name) {
        return Err(DetectError::Disabled { pattern: shown(), name: language.to_owned() });
    }
    Ok(Override { text: pattern.to_owned(), pattern: parsed, pack: Some(pack) })
}

/// The program a `#!` line starts, without directories, `env`, its options and version digits.
fn interpreter(text: &str) -> Option<&str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_ascii_whitespace();
    let mut program = base_name(words.next()?);
    if program == "env" {
        program = base_name(words.find(|word| !word.starts_with('-') && !word.contains('='))?);
    }
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(settings: &Settings, path: &str, text: &str) -> &'static str {
        let path = RepoPath::parse(path).unwrap();
        Detector::new(settings).unwrap().detect(&path, text).pack.map_or(TEXT, |pack| pack.name)
    }

    fn with(languages: &[(&str, &str)]) -> Settings {
        let languages = languages.iter().map(|(pattern, name)| ((*pattern).into(), (*name).into())).collect();
        Settings { languages, ..Settings::default() }
    }

    #[test]
    fn names_and_content() {
        let settings = Settings::default();
        for (path, text, expected) in [
            ("a.rs", "", "rust"),
            ("a.RS", "", "rust"),
            ("a.pyi", "", "python"),
            ("x/SConstruct", "", "python"),
            ("a.d.ts", "", "typescript"),
            ("a.mjs", "", "javascript"),
            ("a.tsx", "", "tsx"),
            (".py", "", "text"),
            ("README", "", "text"),
            ("run", "#!/usr/bin/env -S python3.12 -u\n", "python"),
            ("run", "#! /usr/bin/node\n", "javascript"),
            ("run", "#!/usr/bin/env A=1 deno run\n", "typescript"),
            ("run", "#!/bin/sh\n", "text"),
            ("run", "#!", "text"),
            ("run.js", "#!/usr/bin/env python3\n", "python"),
            ("run.py", "#!/bin/sh\n", "python"),
            ("conf", "# -*- mode: Python; tab-width: 4 -*-\n", "python"),
            ("conf", "a\nb\n// -*- rust -*-\n", "rust"),
            ("conf", "a\n# vim: set ts=4 ft=typescript :\n", "typescript"),
            ("conf", "# vim: set ts=4 :\n", "text"),
            ("conf.rs", "# -*- python -*-\n", "rust"),
            ("a.ts", "\n<?xml version='1.0'?>\n<TS/>\n", "text"),
            ("a.ts", "<!DOCTYPE html>", "text"),
            ("a.tsx", "<a/>", "tsx"),
            ("a.mm", "", "objc"),
            ("a.m", "@implementation A\n@end\n", "objc"),
            ("a.m", "#import <A/A.h>\nint main(void) {}\n", "objc"),
            ("a.m", "function y = f(x)\n% @property of x\ny = @(z) x * z;\nend\n", "text"),
            ("a.m", "classdef A < handle\n  properties\n    b\n  end\nend\n", "text"),
            ("a.m", "BeginPackage[\"A`\"]\nf[x_] := x @ y\n", "text"),
            ("a.h", "@class A;\nvoid f(A *a);\n", "objc"),
            ("a.h", "/**\n * @interface A\n * @property {int} b\n */\nint f(void);\n", "c"),
            ("a.h", "#include <stdio.h>\nint f(void);\n", "c"),
            ("a.h", "#ifdef __OBJC__\n@class A;\n#endif\nclass B : C {\n public:\n};\n", "cpp"),
        ] {
            assert_eq!(detect(&settings, path, text), expected, "{path} {text:?}");
        }
    }

    #[test]
    fn the_longest_override_wins() {
        let settings = with(&[("*.x", "rust"), ("gen/*.x", "text"), ("*.py", "text"), ("old/", "python")]);
        for (path, expected) in [
            ("a.x", "rust"),
            ("b/a.x", "rust"),
            ("gen/a.x", "text"),
            ("b/gen/a.x", "rust"),
            ("a.py", "text"),
            ("old/deep/file", "python"),
            ("old/a.py", "python"),
        ] {
            assert_eq!(detect(&settings, path, ""), expected, "{path}");
        }
    }

    #[test]
    fn what_decided_is_known() {
        let detector = Detector::new(&with(&[("*.x", "rust")])).unwrap();
        for (path, text, expected) in [
            ("a.x", "", "`languages` in cce.toml: *.x"),
            ("SConstruct", "", "file name"),
            ("a.py", "#!/usr/bin/node", "#! line"),
            ("a.py", "#!/bin/sh", "extension"),
            ("a.py", "<?xml ?>", "it begins as markup"),
            ("conf", "# vim: ft=rust", "note to an editor"),
            ("run", "#!/usr/bin/node", "#! line"),
            ("README", "", "no pack claims it"),
        ] {
            assert_eq!(detector.detect(&RepoPath::parse(path).unwrap(), text).basis.to_string(), expected, "{path}");
        }
    }

    #[test]
    fn packs_can_be_left_out() {
        let settings = Settings { packs: Some(vec!["python".into()]), ..Settings::default() };
        assert_eq!(detect(&settings, "a.rs", ""), "text");
        assert_eq!(detect(&settings, "a.py", ""), "python");
    }

    #[test]
    fn mistakes_are_named() {
        let error = |settings: &Settings| Detector::new(settings).unwrap_err().to_string();
        let packs = Settings { packs: Some(vec!["pyhton".into()]), ..Settings::default() };
        assert_eq!(
            error(&packs),
            "`index.packs` names `pyhton`, which is not a pack; did you mean `python`? (`cce packs` lists them)"
        );
        assert_eq!(
            error(&with(&[("*.x", "rsut")])),
            "`languages` gives `*.x` the language `rsut`, which is not known; did you mean `rust`? (`cce packs` lists the languages)"
        );
        for nothing in ["!a", "", " ", "[", "x/[y", "//a"] {
            assert!(error(&with(&[(nothing, "rust")])).contains("matches no path"), "{nothing}");
        }
        for extension in ["ts", ".ts"] {
            assert!(error(&with(&[(extension, "python")])).contains("write `*.ts` for the extension"), "{extension}");
        }
        for name in ["*.ts", "ts/", "**/ts", "Makefile", ".bashrc", "scripts"] {
            assert!(Detector::new(&with(&[(name, "python")])).is_ok(), "{name}");
        }
        assert!(error(&with(&[("*.x", "")])).contains("gives `*.x` no language; name one"));
        let disabled = Settings { packs: Some(vec!["python".into()]), ..with(&[("*.x", "rust")]) };
        assert!(error(&disabled).contains("leaves out"));
    }
}
