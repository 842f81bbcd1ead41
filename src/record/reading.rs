//! Everything the grammars say of one file: a first parse, and second ones where the
//! first leaves code unread.
//!
//! * **Code inside code** (macro bodies, tagged strings, documents) is parsed by
//!   itself, outer stretches first, and counts where it parses without error.
//! * **Conditional lines** that break the syntax are blanked, and the branches of
//!   each choice read in turn ([`branches`](super::branches)).
//! * **A file in a dialect, or under a wrong extension** is read with the pack that
//!   leaves least of it unread.
//!
//! All decisions rest on counts of bytes, none on a clock.

use super::branches::choose;
use super::facts::{Facts, Part, Reading};
use super::parse::Injection;
use super::{Span, problem};
use crate::language::detect::{Basis, Claim, Detector};
use crate::language::embedded;
use crate::language::program::{Program, Programs};
use crate::language::{Branches, Pack, Rules};
use crate::source::RepoPath;

/// Levels of code inside code.
const MAX_LAYERS: usize = 3;
/// What is parsed again of code inside code, as a multiple of the file.
const MAX_EFFORT: usize = 4;
/// The least code inside code that can define something, in bytes.
const MIN_INJECTION: u32 = 8;
/// Stretches of code inside code that count in one file.
const MAX_PARTS: usize = 2_000;
/// Branches of a choice that are read.
const MAX_BRANCHES: usize = 4;
/// A text is read badly when more than one in so many bytes is unread.
const BADLY: u32 = 5;
/// A dialect is tried when more than one in so many bytes is unread.
const SLIGHTLY: u32 = 200;
/// Another language than the claimed one must leave so many times less unread.
const CLEARLY: u32 = 4;

/// Reads texts with the packs of one extractor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    pub(super) detector: &'a Detector,
    pub(super) programs: &'a Programs,
}

/// What a file turned out to be.
pub(super) struct Outcome {
    pub(super) pack: Option<&'static Pack>,
    pub(super) basis: Basis,
    pub(super) facts: Facts,
}

impl Reader<'_> {
    /// Reads a file that `claim` says the language of.
    pub(super) fn read(&self, path: &RepoPath, text: &str, claim: Claim) -> Outcome {
        let Some(pack) = claim.pack else { return self.unclaimed(path, text, claim) };
        let facts = self.code(pack, text);
        let claimed = Outcome { pack: Some(pack), facts, basis: claim.basis.clone() };
        if claim.is_settled() || claimed.facts.unread() <= text.len() as u32 / SLIGHTLY {
            return claimed;
        }
        self.reconsider(pack, claimed, text)
    }

    /// Reads a file that no pack claims: by its signs if it has no extension, else
    /// what code stands in it.
    fn unclaimed(&self, path: &RepoPath, text: &str, claim: Claim) -> Outcome {
        if !claim.is_settled() && !path.file_name().contains(&b'.') {
            let guesses = self.detector.by_signs(text).into_iter();
            let clean = guesses.map(|pack| (pack, self.code(pack, text)));
            let mut clean = clean.filter(|(_, facts)| facts.unread() == 0 && !facts.definitions.is_empty());
            if let Some((pack, facts)) = clean.next() {
                return Outcome { pack: Some(pack), facts, basis: Basis::Reading };
            }
        }
        Outcome { pack: None, facts: self.embedded(path, text), basis: claim.basis }
    }

    /// Looks for a pack that reads better what `pack` could not read.
    fn reconsider(&self, pack: &'static Pack, claimed: Outcome, text: &str) -> Outcome {
        let length = text.len() as u32;
        let dialects = pack.rules.dialects.iter().filter_map(|name| self.detector.enabled(name));
        let badly = claimed.facts.unread() > length / BADLY;
        let others = if badly { self.detector.by_signs(text) } else { Vec::new() };
        let mut best = claimed;
        let mut tried = vec![pack.name];
        for (candidate, dialect) in
            dialects.map(|pack| (pack, true)).chain(others.into_iter().map(|pack| (pack, false)))
        {
            if best.facts.unread() == 0 || tried.contains(&candidate.name) {
                continue;
            }
            tried.push(candidate.name);
            let facts = self.code(candidate, text);
            let bound = if dialect { best.facts.unread() } else { best.facts.unread() / CLEARLY };
            if facts.unread() < bound && !facts.definitions.is_empty() {
                best = Outcome { pack: Some(candidate), facts, basis: Basis::Reading };
            }
        }
        best
    }

    /// Reads the code of a document that is not code itself.
    fn embedded(&self, path: &RepoPath, text: &str) -> Facts {
        let mut facts = Facts::default();
        let parts = embedded::stretches(path.file_name(), text).into_iter().filter_map(|found| {
            let pack = self.detector.named(found.language)?;
            let span = Span::new(found.start as u32, found.end as u32);
            Some(Part { span, facts: self.code(pack, span.of(text)?).shifted(span.start) })
        });
        facts.take_in(parts.take(MAX_PARTS).collect(), &Rules::NONE);
        facts
    }

    /// Reads `text` as code of a registered pack, with what is inside.
    fn code(&self, pack: &'static Pack, text: &str) -> Facts {
        match self.programs.get(pack) {
            Ok(program) => self.code_with(pack, program, text),
            Err(_) => Facts::none(problem::TOO_COMPLEX, text),
        }
    }

    /// Reads `text` as code of a pack that was compiled to `program`.
    pub(super) fn code_with(&self, pack: &Pack, program: &Program, text: &str) -> Facts {
        let mut effort = MAX_EFFORT * text.len();
        self.layer((pack, program), text, MAX_LAYERS, &mut effort)
    }

    fn layer(&self, (pack, program): (&Pack, &Program), text: &str, layers: usize, effort: &mut usize) -> Facts {
        let Reading { mut facts, injections } = match &pack.rules.branches {
            Some(rules) => read_branches(|text| Reading::of(pack, program, text), rules, text),
            None => Reading::of(pack, program, text),
        };
        let mut parts: Vec<Part> = Vec::new();
        for injection in injections {
            let reached = parts.last().map_or(0, |part| part.span.end);
            if injection.span.start < reached || layers == 0 || parts.len() == MAX_PARTS {
                continue;
            }
            parts.extend(self.injected((pack, program), &injection, text, layers - 1, effort));
        }
        facts.take_in(parts, &pack.rules);
        facts
    }

    /// Reads code inside code; `None` where it does not parse or defines nothing.
    fn injected(
        &self,
        around: (&Pack, &Program),
        injection: &Injection,
        text: &str,
        layers: usize,
        effort: &mut usize,
    ) -> Option<Part> {
        let span = injection.span;
        let compiled = match &injection.language {
            Some(word) => self.detector.named(word).and_then(|pack| Some((pack, self.programs.get(pack).ok()?)))?,
            None => around,
        };
        let inner = span.of(text).filter(|_| span.len() >= MIN_INJECTION)?;
        *effort = effort.checked_sub(inner.len())?;
        let facts = self.layer(compiled, inner, layers, effort);
        let says_something = !facts.definitions.is_empty() || !facts.imports.is_empty();
        (facts.problems.is_empty() && says_something).then(|| Part { span, facts: facts.shifted(span.start) })
    }
}

/// Reads `text`, and where that leaves errors, one branch after the other of its choices.
fn read_branches(read: impl Fn(&str) -> Reading, rules: &Branches, text: &str) -> Reading {
    let whole = read(text);
    if whole.facts.unread() == 0 {
        return whole;
    }
    let Some(first) = choose(rules, text, 0) else { return whole };
    let mut best = read(&first.text);
    if best.facts.unread() >= whole.facts.unread() {
        return whole;
    }
    let mut missing = first.dropped;
    for branch in 1..MAX_BRANCHES {
        let Some(chosen) = choose(rules, text, branch).filter(|_| !missing.is_empty()) else { break };
        let is_dropped = |span: &Span| chosen.dropped.iter().any(|dropped| dropped.contains(*span));
        let (still, found): (Vec<Span>, Vec<Span>) = missing.into_iter().partition(is_dropped);
        missing = still;
        let reading = read(&chosen.text);
        best.facts.take_in(reading.facts.split(&found), &Rules::NONE);
        let inner = reading.injections.into_iter();
        best.injections.extend(inner.filter(|inner| found.iter().any(|span| span.contains(inner.span))));
    }
    best.injections.sort_by_key(|found| (found.span.start, u32::MAX - found.span.end));
    best
}
