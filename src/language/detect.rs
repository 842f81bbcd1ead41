//! Which language a file is in: committed override, file name, extension, `#!` line.

use std::fmt;

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
    #[error("`index.packs` names `{name}`, which is not a pack{}", suggestion(.nearest))]
    UnknownPack {
        /// The name.
        name: String,
        /// The known name that is written most like it.
        nearest: Option<&'static str>,
    },
    /// `languages` names a language there is not.
    #[error("`languages` gives `{pattern}` the language `{name}`, which is not known{}", suggestion(.nearest))]
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
    /// A pattern that can match nothing, or a negated one.
    #[error("`{pattern}` in `languages` is not a pattern; use gitignore syntax without `!`")]
    Pattern {
        /// The pattern.
        pattern: String,
    },
}

fn suggestion(nearest: &Option<&'static str>) -> String {
    nearest.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default()
}

/// Finds the pack of a file under given settings.
#[derive(Debug)]
pub struct Detector {
    enabled: Vec<&'static Pack>,
    overrides: Vec<Override>,
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
        Ok(Self { enabled, overrides })
    }

    /// The pack for a file; `None` where it is plain text.
    pub fn detect(&self, path: &RepoPath, text: &str) -> Option<&'static Pack> {
        self.choose(path, text).0
    }

    /// The pack for a file, with what decided.
    pub fn choose(&self, path: &RepoPath, text: &str) -> (Option<&'static Pack>, Basis) {
        if let Some(chosen) = self.overrides.iter().find(|entry| entry.pattern.reaches(path.as_bytes())) {
            return (chosen.pack, Basis::Override(chosen.text.clone()));
        }
        let claimed = |pack: Option<&'static Pack>, basis| pack.map(|pack| (Some(pack), basis));
        claimed(self.by_name(path), Basis::Name)
            .or_else(|| claimed(self.by_extension(path), Basis::Extension))
            .or_else(|| claimed(self.by_interpreter(text), Basis::Interpreter))
            .unwrap_or((None, Basis::Unclaimed))
    }

    fn by_name(&self, path: &RepoPath) -> Option<&'static Pack> {
        let name = std::str::from_utf8(path.file_name()).ok()?;
        self.claiming(|pack| pack.claims.file_names.contains(&name))
    }

    fn by_extension(&self, path: &RepoPath) -> Option<&'static Pack> {
        let name = path.file_name();
        let dot = name.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0)?;
        let extension = std::str::from_utf8(&name[dot + 1..]).ok()?.to_ascii_lowercase();
        self.claiming(|pack| pack.claims.extensions.contains(&extension.as_str()))
    }

    fn by_interpreter(&self, text: &str) -> Option<&'static Pack> {
        let program = interpreter(text)?;
        self.claiming(|pack| pack.claims.interpreters.contains(&program))
    }

    fn claiming(&self, claims: impl Fn(&Pack) -> bool) -> Option<&'static Pack> {
        self.enabled.iter().copied().find(|pack| claims(pack))
    }
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
    if parsed.is_negative() || pattern.trim().is_empty() {
        return Err(DetectError::Pattern { pattern: shown() });
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
        Detector::new(settings).unwrap().detect(&path, text).map_or(TEXT, |pack| pack.name)
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
            ("a.py", "#!/usr/bin/node", "extension"),
            ("run", "#!/usr/bin/node", "#! line"),
            ("README", "", "no pack claims it"),
        ] {
            assert_eq!(detector.choose(&RepoPath::parse(path).unwrap(), text).1.to_string(), expected, "{path}");
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
        assert_eq!(error(&packs), "`index.packs` names `pyhton`, which is not a pack; did you mean `python`?");
        assert_eq!(
            error(&with(&[("*.x", "rsut")])),
            "`languages` gives `*.x` the language `rsut`, which is not known; did you mean `rust`?"
        );
        assert!(error(&with(&[("!a", "rust")])).contains("is not a pattern"));
        let disabled = Settings { packs: Some(vec!["python".into()]), ..with(&[("*.x", "rust")]) };
        assert!(error(&disabled).contains("leaves out"));
    }
}
