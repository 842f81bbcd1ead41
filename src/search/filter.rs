//! Which passages may answer.

use super::{Request, SearchError};
use crate::source::glob::{Case, Pattern};

/// The filters of a request, ready to use.
pub(super) struct Filters<'a> {
    languages: &'a [String],
    kinds: &'a [String],
    patterns: Vec<Pattern>,
}

impl<'a> Filters<'a> {
    /// Reads the patterns.
    pub fn new(request: &'a Request) -> Result<Self, SearchError> {
        let patterns = request.paths.iter().map(|text| {
            let plain = text.strip_prefix("./").unwrap_or(text);
            let empty = plain.trim_start_matches('!').trim().is_empty();
            if empty {
                Err(SearchError::Pattern(text.clone()))
            } else {
                Ok(Pattern::parse(plain.as_bytes(), Case::Sensitive))
            }
        });
        Ok(Self { languages: &request.languages, kinds: &request.kinds, patterns: patterns.collect::<Result<_, _>>()? })
    }

    pub fn has_languages(&self) -> bool {
        !self.languages.is_empty()
    }

    pub fn has_kinds(&self) -> bool {
        !self.kinds.is_empty()
    }

    pub fn has_paths(&self) -> bool {
        !self.patterns.is_empty()
    }

    pub fn language(&self, language: &str) -> bool {
        !self.has_languages() || self.languages.iter().any(|wanted| wanted.eq_ignore_ascii_case(language))
    }

    pub fn kind(&self, kind: &str) -> bool {
        !self.has_kinds() || self.kinds.iter().any(|wanted| wanted.eq_ignore_ascii_case(kind))
    }

    /// Whether `path`, or a directory it lies in, is wanted and none of them is excluded.
    pub fn path(&self, path: &[u8]) -> bool {
        let (excluded, wanted): (Vec<&Pattern>, Vec<&Pattern>) = self.patterns.iter().partition(|p| p.is_negative());
        let any = |patterns: &[&Pattern]| patterns.iter().any(|pattern| pattern.reaches(path));
        (wanted.is_empty() || any(&wanted)) && !any(&excluded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(patterns: &[&str], yes: &[&str], no: &[&str]) {
        let paths = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        let request = Request { paths, ..Request::new("") };
        let filters = Filters::new(&request).unwrap();
        for path in yes {
            assert!(filters.path(path.as_bytes()), "{patterns:?} should let {path} through");
        }
        for path in no {
            assert!(!filters.path(path.as_bytes()), "{patterns:?} should stop {path}");
        }
    }

    #[test]
    fn patterns_read_as_in_gitignore() {
        check(&["src"], &["src/a.rs", "lib/src/b.rs"], &["srcs/a.rs"]);
        check(&["src/"], &["src/a.rs"], &["src"]);
        check(&["./src/store"], &["src/store/a.rs"], &["x/src/store/a.rs"]);
        check(&["*.rs"], &["a.rs", "x/y.rs"], &["a.py"]);
        check(&["src/**/*.rs", "!tests"], &["src/a/b.rs"], &["src/tests/b.rs", "b.rs"]);
        check(&["!docs/"], &["a.md"], &["docs/a.md"]);
    }

    #[test]
    fn an_empty_pattern_is_refused() {
        let request = Request { paths: vec![String::new()], ..Request::new("") };
        assert!(matches!(Filters::new(&request), Err(SearchError::Pattern(_))));
    }
}
