//! What a grammar says of one text, and how what is said of parts of it comes in.

use super::parse::{self, Harvest, Injection};
use super::{Definition, Import, Problem, Reference, Span, Word, flag, problem};
use super::{imports, nest, references};
use crate::language::program::Program;
use crate::language::{Pack, Rules};

/// What a grammar says of one text.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) definitions: Vec<Definition>,
    pub(super) references: Vec<Reference>,
    pub(super) imports: Vec<Import>,
    pub(super) problems: Vec<Problem>,
    /// Whether the grammar met errors.
    pub(super) partial: bool,
}

/// What one parse of a text gives.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) facts: Facts,
    /// Stretches to read once more, outer ones first.
    pub(super) injections: Vec<Injection>,
}

/// Facts of a part of a text, with their offsets in the whole.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) span: Span,
    pub(super) facts: Facts,
}

impl Reading {
    /// Parses `text` and puts together what the pack's queries captured.
    pub(super) fn of(pack: &Pack, program: &Program, text: &str) -> Self {
        let readable = pack.readable.and_then(|readable| readable(text));
        let mut harvest: Harvest = parse::harvest(program, text, readable.as_ref());
        imports::tidy(&mut harvest);
        let definitions = nest::definitions(program, &pack.rules, text, &mut harvest);
        let imports = imports::imports(program, pack.rules.separator, text, &harvest);
        let references =
            references::references(program, pack.rules.separator, text, &mut harvest, &definitions, &imports);
        let mut injections = harvest.injections;
        injections.sort_by_key(|found| (found.span.start, u32::MAX - found.span.end, found.language.is_none()));
        injections.dedup_by_key(|found| found.span);
        let facts = Facts {
            definitions,
            references,
            imports: imports.imports,
            problems: harvest.problems,
            partial: harvest.partial,
        };
        Self { facts, injections }
    }
}

impl Facts {
    /// The facts of a text that could not be read at all.
    pub(super) fn none(kind: Word, text: &str) -> Self {
        let problem = Problem { kind, span: Span::new(0, text.len() as u32) };
        Self { problems: vec![problem], ..Self::default() }
    }

    /// The flags that the problems call for.
    pub(super) fn flags(&self) -> impl Iterator<Item = Word> {
        let met = |kind: Word| self.problems.iter().any(|problem| problem.kind == kind);
        [
            (flag::PARTIAL_PARSE, self.partial || met(problem::FAULT)),
            (flag::TOO_DEEP, met(problem::TOO_DEEP)),
            (flag::TOO_COMPLEX, met(problem::TOO_COMPLEX)),
        ]
        .into_iter()
        .filter_map(|(flag, holds)| holds.then_some(flag))
    }

    /// How many bytes the grammar could not read.
    pub(super) fn unread(&self) -> u32 {
        let mut reached = 0;
        let mut unread = 0;
        for span in self.problems.iter().map(|problem| problem.span) {
            unread += span.end.saturating_sub(span.start.max(reached)).max(u32::from(span.is_empty()));
            reached = reached.max(span.end);
        }
        unread
    }

    /// Moves everything `by` bytes on.
    pub(super) fn shifted(mut self, by: u32) -> Self {
        let shift = |span: &mut Span| *span = Span::new(span.start + by, span.end + by);
        for found in &mut self.definitions {
            found.doc.iter_mut().chain(&mut found.owner).for_each(shift);
            [&mut found.name_span, &mut found.signature, &mut found.span].into_iter().for_each(shift);
        }
        self.references.iter_mut().for_each(|found| shift(&mut found.span));
        self.imports.iter_mut().for_each(|found| shift(&mut found.span));
        self.problems.iter_mut().for_each(|found| shift(&mut found.span));
        self
    }

    /// Tells the facts apart by which of `spans` they lie in, and drops the others. The
    /// spans are sorted and do not touch.
    pub(super) fn split(mut self, spans: &[Span]) -> Vec<Part> {
        let holder = |span: Span| {
            let at = spans.partition_point(|candidate| candidate.start <= span.start).checked_sub(1)?;
            spans[at].contains(span).then_some(at)
        };
        self.keep_definitions(|found| holder(found.span).is_some());
        let mut parts: Vec<Part> = spans.iter().map(|span| Part { span: *span, facts: Self::default() }).collect();
        let mut firsts = vec![0; spans.len()];
        for (index, mut found) in self.definitions.into_iter().enumerate() {
            let Some(at) = holder(found.span) else { continue };
            let facts = &mut parts[at].facts;
            if facts.definitions.is_empty() {
                firsts[at] = index as u32;
            }
            found.container = found.container.map(|index| index - firsts[at]);
            facts.definitions.push(found);
        }
        for mut found in self.references {
            let Some(at) = holder(found.span) else { continue };
            let around = found.enclosing.and_then(|index| index.checked_sub(firsts[at]));
            found.enclosing = around.filter(|index| (*index as usize) < parts[at].facts.definitions.len());
            parts[at].facts.references.push(found);
        }
        for found in self.imports {
            let Some(at) = holder(found.span) else { continue };
            parts[at].facts.imports.push(found);
        }
        parts
    }

    /// Drops definitions; what they held falls to what holds them.
    fn keep_definitions(&mut self, keep: impl Fn(&Definition) -> bool) {
        let mut place: Vec<Option<u32>> = Vec::with_capacity(self.definitions.len());
        let mut kept = 0;
        for found in &self.definitions {
            let around = found.container.and_then(|index| place[index as usize]);
            place.push(if keep(found) { Some(kept) } else { around });
            kept += u32::from(keep(found));
        }
        let moved = |index: Option<u32>| index.and_then(|index| place[index as usize]);
        for found in &mut self.definitions {
            found.container = moved(found.container);
        }
        for found in &mut self.references {
            found.enclosing = moved(found.enclosing);
        }
        self.definitions.retain(keep);
    }

    /// Lays `parts` over the facts: inside their spans, only they are believed.
    ///
    /// What is outermost in a part comes to stand in the definition around the part,
    /// and there takes the kind that `rules` give members.
    pub(super) fn take_in(&mut self, parts: Vec<Part>, rules: &Rules) {
        if parts.is_empty() {
            return;
        }
        let spans: Vec<Span> = parts.iter().map(|part| part.span).collect();
        let replaced = |span: Span| {
            let at = spans.partition_point(|candidate| candidate.start <= span.start);
            at.checked_sub(1).is_some_and(|at| spans[at].contains(span))
        };
        self.keep_definitions(|found| !replaced(found.span));
        self.references.retain(|found| !replaced(found.span));
        self.imports.retain(|found| !replaced(found.span));
        for part in parts {
            self.append(part, rules);
        }
        self.put_in_order();
    }

    /// Adds a part behind everything else.
    fn append(&mut self, part: Part, rules: &Rules) {
        let Part { span, facts } = part;
        let host = innermost(&self.definitions, span);
        let first = self.definitions.len() as u32;
        let moved = |index: Option<u32>| index.map_or(host, |index| Some(first + index));
        let in_type = host.is_some_and(|index| nest::is_type(&self.definitions[index as usize].kind));
        for mut found in facts.definitions {
            if in_type && found.container.is_none() {
                found.kind = nest::member_kind(rules, found.kind);
            }
            found.container = moved(found.container);
            self.definitions.push(found);
        }
        for mut found in facts.references {
            found.enclosing = moved(found.enclosing);
            self.references.push(found);
        }
        self.imports.extend(facts.imports);
        self.problems.extend(facts.problems);
        self.partial |= facts.partial;
    }

    fn put_in_order(&mut self) {
        let mut order: Vec<u32> = (0..self.definitions.len() as u32).collect();
        order.sort_by_key(|index| {
            let span = self.definitions[*index as usize].span;
            (span.start, u32::MAX - span.end)
        });
        let mut place = vec![0; order.len()];
        for (now, before) in order.iter().enumerate() {
            place[*before as usize] = now as u32;
        }
        let mut ordered: Vec<Option<Definition>> =
            std::mem::take(&mut self.definitions).into_iter().map(Some).collect();
        self.definitions = order.iter().filter_map(|before| ordered[*before as usize].take()).collect();
        for found in &mut self.definitions {
            found.container = found.container.map(|index| place[index as usize]);
        }
        for found in &mut self.references {
            found.enclosing = found.enclosing.map(|index| place[index as usize]);
        }
        self.references.sort_by(|a, b| (a.span, &a.role).cmp(&(b.span, &b.role)));
        self.references.dedup_by_key(|found| found.span);
        self.imports.sort_by(|a, b| (a.span, &a.specifier).cmp(&(b.span, &b.specifier)));
        self.problems.sort_by_key(|found| (found.span, found.kind.clone()));
    }
}

/// The innermost definition around `span`. Definitions of parts that were added last
/// are not in order, and none of them is around another part.
fn innermost(definitions: &[Definition], span: Span) -> Option<u32> {
    let around = definitions.iter().enumerate().filter(|(_, found)| found.span.contains(span) && found.span != span);
    around.min_by_key(|(_, found)| found.span.len()).map(|(index, _)| index as u32)
}
