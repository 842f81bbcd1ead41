//! The committed rules of a source: which files it leaves out, which flags it sets.

use super::attributes::{AttributeFile, AttributeFiles, AttributeRules, State};
use super::glob::Case;
use super::ignore::{IgnoreFile, IgnoreRules, Rule, parent};
use super::path::printable;
use super::sensitive::is_sensitive_name;
use super::{Attributes, FlagRules, RepoPath, SkipReason, SourceError};
use crate::config::{self, ProjectFile};

/// The largest rule file that is read, in bytes.
pub(crate) const MAX_RULE_FILE: u64 = 4 << 20;

/// The name of ignore files.
pub(crate) const IGNORE_FILE: &[u8] = b".cceignore";
/// The name of attributes files.
pub(crate) const ATTRIBUTE_FILE: &[u8] = b".gitattributes";
/// The path of the project file.
pub(crate) const PROJECT_FILE: &[u8] = config::PROJECT_FILE.as_bytes();

const WANTED: [&str; 4] = ["cce-ignore", "linguist-generated", "linguist-vendored", "filter"];

/// Whether a source with this `cce.toml` could be read.
///
/// # Errors
/// With what is refused.
pub fn check_project_file(bytes: &[u8]) -> Result<(), SourceError> {
    let path = RepoPath::parse(PROJECT_FILE).expect("a fixed name");
    Rules::new(vec![(path, bytes.to_owned())]).map(drop)
}

/// What the rules say about a file, before its bytes are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may contribute.
    Take(Attributes),
    /// It contributes nothing.
    Skip {
        /// Why.
        reason: SkipReason,
        /// The line that decided, where a line did.
        rule: Option<Rule>,
    },
}

/// The rules of one source.
#[derive(Debug)]
pub(crate) struct Rules {
    ignored: IgnoreRules,
    excluded: IgnoreRules,
    attributes: AttributeRules,
}

/// Whether a file is one that rules are read from.
pub(crate) fn is_rule_file(path: &[u8]) -> bool {
    let name = &path[path.len() - name_length(path)..];
    name == IGNORE_FILE || name == ATTRIBUTE_FILE || path == PROJECT_FILE
}

fn name_length(path: &[u8]) -> usize {
    path.iter().rev().take_while(|&&byte| byte != b'/').count()
}

impl Rules {
    /// Reads the rules from a source's rule files, in any order.
    pub(crate) fn new(files: Vec<(RepoPath, Vec<u8>)>) -> Result<(Self, ProjectFile), SourceError> {
        let mut project = ProjectFile::default();
        let mut ignored = Vec::new();
        let mut attributes = AttributeFiles::default();
        for (path, bytes) in files {
            let directory = parent(path.as_bytes());
            if path.as_bytes() == PROJECT_FILE {
                project = ProjectFile::parse(&bytes)?;
            } else if path.file_name() == IGNORE_FILE {
                ignored.push(IgnoreFile::parse(&bytes, directory, path.to_string(), Case::Sensitive));
            } else {
                let file = AttributeFile::parse(&bytes, path.to_string(), directory.is_empty(), Case::Sensitive);
                attributes.nested.insert(directory.to_vec(), file);
            }
        }
        let exclude = project.settings.exclude.iter().map(String::as_str);
        let excluded = IgnoreFile::from_patterns(exclude, "cce.toml: index.exclude")
            .map_err(|pattern| SourceError::Exclude { pattern: printable(pattern.as_bytes()).into_owned() })?;
        let rules = Self {
            ignored: IgnoreRules::new(ignored),
            excluded: IgnoreRules::new([excluded]),
            attributes: AttributeRules::new(attributes, &WANTED),
        };
        Ok((rules, project))
    }

    /// Judges a file by its path alone.
    pub(crate) fn judge(&mut self, path: &[u8]) -> Verdict {
        let skip = |reason, rule| Verdict::Skip { reason, rule };
        if let Some(rule) = self.ignored.ignoring(path, false).or_else(|| self.excluded.ignoring(path, false)) {
            return skip(SkipReason::IgnoredByCceignore, Some(rule));
        }
        if self.attributes.is_empty() {
            return match is_sensitive_name(path) {
                true => skip(SkipReason::Sensitive, None),
                false => Verdict::Take(Attributes::default()),
            };
        }
        let answer = self.attributes.of(path);
        let [ignored, generated, vendored, filter] = &answer[..] else {
            unreachable!("an answer is as long as its question")
        };
        if let Some(decision) = ignored.as_ref().filter(|decision| decision.state.is_on()) {
            return skip(SkipReason::IgnoredByAttribute, Some(decision.rule()));
        }
        if is_sensitive_name(path) {
            return skip(SkipReason::Sensitive, None);
        }
        if let Some(decision) = filter.as_ref().filter(|decision| *decision.state == State::Value(b"lfs".to_vec())) {
            return skip(SkipReason::LfsPointer, Some(decision.rule()));
        }
        let is_on = |decision: &Option<super::attributes::Decision<'_>>| {
            decision.as_ref().is_some_and(|decision| decision.state.is_on())
        };
        Verdict::Take(Attributes { generated: is_on(generated), vendored: is_on(vendored) })
    }

    /// The lines that set the flags of a file.
    pub(crate) fn flag_rules(&self, path: &[u8]) -> FlagRules {
        let answer = self.attributes.of(path);
        let line = |name: &str| {
            let decision = answer[WANTED.iter().position(|wanted| *wanted == name)?].as_ref()?;
            decision.state.is_on().then(|| decision.rule())
        };
        FlagRules { generated: line("linguist-generated"), vendored: line("linguist-vendored") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(files: &[(&str, &str)], path: &str) -> (Option<SkipReason>, Attributes) {
        let files =
            files.iter().map(|(path, text)| (RepoPath::parse(*path).unwrap(), text.as_bytes().to_vec())).collect();
        match Rules::new(files).unwrap().0.judge(path.as_bytes()) {
            Verdict::Take(attributes) => (None, attributes),
            Verdict::Skip { reason, .. } => (Some(reason), Attributes::default()),
        }
    }

    #[test]
    fn reasons_have_an_order() {
        let both = [(".gitattributes", "* cce-ignore filter=lfs"), ("a/.cceignore", "*")];
        assert_eq!(judge(&both, "a/.env").0, Some(SkipReason::IgnoredByCceignore));
        assert_eq!(judge(&both, ".env").0, Some(SkipReason::IgnoredByAttribute));
        assert_eq!(judge(&[(".gitattributes", "* filter=lfs")], ".env").0, Some(SkipReason::Sensitive));
        assert_eq!(judge(&[(".gitattributes", "* filter=lfs")], "x").0, Some(SkipReason::LfsPointer));
        assert_eq!(judge(&[(".gitattributes", "* filter=other")], "x").0, None);
    }

    #[test]
    fn excludes_of_the_project_file() {
        let files = [("cce.toml", "[index]\nexclude = [\"gen/\", \"!gen/x\", \"*.min.js\", \"!keep.min.js\"]")];
        assert_eq!(judge(&files, "a/gen/x").0, Some(SkipReason::IgnoredByCceignore));
        assert_eq!(judge(&files, "a.min.js").0, Some(SkipReason::IgnoredByCceignore));
        assert_eq!(judge(&files, "keep.min.js").0, None);
    }

    #[test]
    fn excludes_that_match_nothing_are_refused() {
        for pattern in ["[", "a[b", "", "/", "!", "# generated", "//a", "a\\\\"] {
            let text = format!("[index]\nexclude = [\"gen/\", \"{pattern}\"]");
            let error = Rules::new(vec![(RepoPath::parse("cce.toml").unwrap(), text.into_bytes())]).unwrap_err();
            assert!(error.is_usage());
            let shown = pattern.replace("\\\\", "\\");
            assert!(
                error.to_string().starts_with(&format!("`index.exclude` in `cce.toml` holds `{shown}`, ")),
                "{error}"
            );
        }
    }

    #[test]
    fn flags() {
        let files = [(
            ".gitattributes",
            "*.pb linguist-generated=true\nv/** linguist-vendored\nv/own/** -linguist-vendored\n*.x linguist-generated=false",
        )];
        assert_eq!(judge(&files, "a.pb").1, Attributes { generated: true, vendored: false });
        assert_eq!(judge(&files, "v/a.pb").1, Attributes { generated: true, vendored: true });
        assert_eq!(judge(&files, "v/own/a.x").1, Attributes::default());
    }

    #[test]
    fn the_deciding_line_is_named() {
        let path = RepoPath::parse(".gitattributes").unwrap();
        let (mut rules, _) = Rules::new(vec![(path, b"\n[attr]skip cce-ignore\n*.x skip".to_vec())]).unwrap();
        let Verdict::Skip { rule: Some(rule), .. } = rules.judge(b"a.x") else { panic!() };
        assert_eq!((rule.file.as_str(), rule.line, rule.text.as_str()), (".gitattributes", 3, "*.x"));
    }
}
