//! From captured definitions to the definitions of a record: spans with what
//! belongs to them, nesting, names, heads.

use std::collections::HashSet;

use super::boundary::floor;
use super::parse::{Harvest, RawDefinition, Trivia};
use super::{Definition, Span, Word, kind};
use crate::language::Rules;
use crate::language::program::{Capture, Narrow, Program};

/// The longest name a definition is given, in bytes.
const MAX_NAME: usize = 200;
/// The longest value that stays part of a head, in bytes.
const MAX_HEAD_VALUE: usize = 200;

/// Kinds whose text is run, not a place for members.
pub(super) fn is_callable(word: &Word) -> bool {
    [kind::FUNCTION, kind::METHOD, kind::TEST, kind::MACRO].contains(word)
}

/// Kinds that have members.
pub(super) fn is_type(word: &Word) -> bool {
    [kind::CLASS, kind::STRUCT, kind::UNION, kind::ENUM, kind::INTERFACE, kind::TRAIT, kind::IMPL].contains(word)
}

/// What `kind` becomes inside a type.
pub(super) fn member_kind(rules: &Rules, kind: Word) -> Word {
    let inside = rules.members.iter().find(|(from, _)| kind == **from);
    inside.and_then(|(_, to)| Word::parse(to).ok()).unwrap_or(kind)
}

/// Builds the definitions of a record, ordered and nested.
pub(super) fn definitions(program: &Program, rules: &Rules, text: &str, harvest: &mut Harvest) -> Vec<Definition> {
    tidy(harvest);
    let candidates = candidates(program, harvest);
    let mut nest =
        Nest { program, rules, text, harvest, open: Vec::new(), last_end: 0, out: Vec::new(), bodies: Vec::new() };
    for candidate in candidates {
        nest.visit(candidate);
    }
    let Nest { mut out, bodies, .. } = nest;
    attach_docstrings(&mut out, &bodies, harvest);
    out
}

/// Sorts the captures that are looked up by place.
fn tidy(harvest: &mut Harvest) {
    harvest.trivia.sort_by_key(|trivia| (trivia.span.start, u32::MAX - trivia.span.end, !trivia.far));
    let mut reached = 0;
    harvest.trivia.retain(|trivia| {
        let outer = trivia.span.start >= reached;
        reached = reached.max(trivia.span.end);
        outer
    });
    harvest.visibilities.sort_unstable();
    harvest.docstrings.sort_unstable();
    harvest.modules.sort_unstable();
    let modules = &harvest.modules;
    harvest.scopes.retain(|scope| modules.binary_search(scope).is_err());
}

/// What the sweep meets: a definition, a stretch that is none and may make variables
/// local, or a visibility of all that follows.
enum Candidate {
    Definition(Box<RawDefinition>, Wrapped),
    Stretch { span: Span, local: bool },
    Section(Span),
}

/// A definition's span with its wrappers, and what they say.
struct Wrapped {
    span: Span,
    /// Where its own head begins; behind the start where a wrapper only leads up to it.
    head: u32,
    visibility_pattern: Option<usize>,
}

fn candidates(program: &Program, harvest: &mut Harvest) -> Vec<Candidate> {
    let mut raw = std::mem::take(&mut harvest.definitions);
    raw.sort_by_key(|found| {
        (found.span.start, u32::MAX - found.span.end, found.pattern, found.body.is_none(), found.name)
    });
    let mut seen = HashSet::with_capacity(raw.len());
    raw.retain(|found| seen.insert(found.node) && !harvest.ignored_nodes.contains(&found.node));
    let mut all: Vec<(Span, bool, Candidate)> = raw
        .into_iter()
        .map(|definition| {
            let wrapped = wrapped(program, &definition, harvest);
            (wrapped.span, false, Candidate::Definition(Box::new(definition), wrapped))
        })
        .chain(stretches(&harvest.scopes, true))
        .chain(stretches(&harvest.stretches, false))
        .chain(harvest.sections.iter().map(|section| (*section, true, Candidate::Section(*section))))
        .collect();
    all.sort_by_key(|(span, scope, candidate)| {
        let pattern = if let Candidate::Definition(raw, _) = candidate { raw.pattern } else { 0 };
        (span.start, u32::MAX - span.end, *scope, pattern)
    });
    all.into_iter().map(|(_, _, candidate)| candidate).collect()
}

fn stretches(spans: &[Span], local: bool) -> impl Iterator<Item = (Span, bool, Candidate)> {
    spans.iter().map(move |span| (*span, true, Candidate::Stretch { span: *span, local }))
}

fn wrapped(program: &Program, definition: &RawDefinition, harvest: &Harvest) -> Wrapped {
    let start = definition.span.start;
    let mut wrapped = Wrapped { span: definition.span, head: start, visibility_pattern: None };
    let mut node = definition.node;
    while let Some(wrapper) = harvest.wrappers.get(&node) {
        wrapped.span.start = wrapped.span.start.min(wrapper.span.start);
        if !program.settings[wrapper.pattern].head {
            wrapped.head = wrapped.head.min(wrapper.span.start);
            wrapped.span.end = wrapped.span.end.max(wrapper.span.end);
        }
        wrapped.visibility_pattern = Some(wrapper.pattern);
        if node == wrapper.node {
            break;
        }
        node = wrapper.node;
    }
    wrapped
}

struct Nest<'a> {
    program: &'a Program,
    rules: &'a Rules,
    text: &'a str,
    harvest: &'a Harvest,
    open: Vec<Open>,
    /// End of the last definition at the top level.
    last_end: u32,
    out: Vec<Definition>,
    /// Where the bodies of `out` begin.
    bodies: Vec<Option<u32>>,
}

struct Open {
    end: u32,
    /// The definition; `None` for a stretch that is none.
    definition: Option<u32>,
    local: bool,
    /// End of the last definition inside.
    last_end: u32,
    /// The visibility of what follows inside.
    section: Option<Span>,
}

impl Nest<'_> {
    fn visit(&mut self, candidate: Candidate) {
        match candidate {
            Candidate::Stretch { span, local } => {
                self.close(span);
                self.open.push(Open { end: span.end, definition: None, local, last_end: span.start, section: None });
            }
            Candidate::Section(span) => {
                self.close(span);
                if let Some(open) = self.open.last_mut() {
                    open.section = Some(span);
                }
            }
            Candidate::Definition(raw, wrapped) => {
                self.close(wrapped.span);
                self.define(&raw, &wrapped);
            }
        }
    }

    /// Leaves everything that `span` is not inside of.
    fn close(&mut self, span: Span) {
        while self.open.last().is_some_and(|open| open.end <= span.start || open.end < span.end) {
            self.open.pop();
        }
    }

    fn define(&mut self, raw: &RawDefinition, wrapped: &Wrapped) {
        let settings = &self.program.settings[raw.pattern];
        let container = self.open.iter().rev().find_map(|open| open.definition);
        let local = self.open.iter().any(|open| open.local);
        if raw.name.is_empty() || (settings.drop_local && local) || self.binds_an_import(raw) {
            return;
        }
        let Some(kind) = self.kind(raw, container, settings.keep_local) else { return };
        let lead = self.lead(wrapped.span.start, self.floor(container));
        let mut span = Span::new(lead.start, wrapped.span.end);
        span.end = self.trail(span.end, container);
        let name_span = match settings.narrow {
            Some(Narrow::Type) => narrow(self.text, raw.name),
            Some(Narrow::Path | Narrow::Declarator) => raw.name,
            None => unquoted(self.text, raw.name),
        };
        let signature = self.signature(raw, Span::new(wrapped.head, wrapped.span.end), name_span);
        let doc = self.own_doc(wrapped).or(lead.doc).or_else(|| self.inner_doc(raw));
        let doc = doc.or_else(|| self.trailing_doc(wrapped.span, span));
        if settings.documented && doc.is_none() {
            return;
        }
        if !span.contains(name_span) || !span.contains(signature) {
            return;
        }
        let kind = if lead.test && is_callable(&kind) { kind::TEST } else { kind };
        let local = is_callable(&kind);
        let index = self.out.len() as u32;
        self.out.push(Definition {
            container,
            doc,
            name: self.name(raw, name_span),
            name_span,
            node: raw.node_kind.to_owned(),
            owner: raw.owner.filter(|owner| span.contains(*owner)),
            signature,
            span,
            visibility: self.visibility(raw, wrapped, signature.start, name_span),
            kind,
        });
        self.bodies.push(raw.body.map(|body| body.start));
        self.note_end(span.end);
        self.open.push(Open {
            end: wrapped.span.end,
            definition: Some(index),
            local,
            last_end: name_span.end,
            section: None,
        });
    }

    /// Whether the definition is the local name of an import, or one of several.
    fn binds_an_import(&self, raw: &RawDefinition) -> bool {
        let statements = &self.harvest.imports.statements;
        let after = statements.partition_point(|statement| statement.span.start <= raw.span.start);
        let Some(last) = statements[..after].last() else { return false };
        let from = statements.partition_point(|statement| statement.span.start < last.span.start);
        statements[from..after].iter().any(|statement| statement.span.contains(raw.span))
    }

    fn kind(&self, raw: &RawDefinition, container: Option<u32>, keep_local: bool) -> Option<Word> {
        let Capture::Definition(word) = &self.program.captures[raw.capture] else { return None };
        let around = container.map(|index| &self.out[index as usize].kind);
        let called = self.program.settings[raw.pattern].called.as_deref().filter(|_| raw.called);
        let qualified = raw.title.is_some() && (called.is_some() || raw.body.is_some()) && self.is_path(raw);
        let mut kind = Word::parse(called.unwrap_or(word.as_str())).ok()?;
        if around.is_some_and(is_type) || qualified {
            kind = member_kind(self.rules, kind);
        }
        if kind == kind::VARIABLE && self.rules.constants_by_case && in_capitals(raw.name.of(self.text)?) {
            return Some(kind::CONSTANT);
        }
        if kind == kind::FIELD && around.is_none_or(|around| is_callable(around) && !keep_local) {
            return None;
        }
        Some(kind)
    }

    /// Whether the name is written with what it belongs to.
    fn is_path(&self, raw: &RawDefinition) -> bool {
        let narrow = self.program.settings[raw.pattern].narrow;
        let written = raw.name.of(self.text).unwrap_or_default();
        narrow == Some(Narrow::Declarator) && raw.title.as_ref().is_some_and(|own| own.len() < written.len())
    }

    /// The first byte that a definition inside `container` may reach back to.
    fn floor(&self, container: Option<u32>) -> u32 {
        match container {
            None => self.last_end,
            Some(_) => self.open.iter().rev().find(|open| open.definition.is_some()).map_or(0, |open| open.last_end),
        }
    }

    fn note_end(&mut self, end: u32) {
        match self.open.iter_mut().rev().find(|open| open.definition.is_some()) {
            Some(open) => open.last_end = open.last_end.max(end),
            None => self.last_end = self.last_end.max(end),
        }
    }

    /// Walks back over the comments and attributes that stand directly before `start`.
    fn lead(&self, start: u32, floor: u32) -> Lead {
        let mut lead = Lead { start, doc: None, test: false };
        let trivia = &self.harvest.trivia;
        let mut at = trivia.partition_point(|trivia| trivia.span.end <= start);
        lead.test = self.opens_as_test(start, &trivia[at..]);
        while let Some(before) = at.checked_sub(1).map(|index| trivia[index]) {
            let gap = &self.text.as_bytes()[before.span.end as usize..lead.start as usize];
            if !is_adjacent(gap, before) || before.span.start < floor || !self.leads(before) {
                break;
            }
            if before.comment {
                let end = lead.doc.map_or(before.span.end, |doc| doc.end);
                lead.doc = Some(Span::new(before.span.start, end));
            }
            lead.test |= self.marks_test(before);
            lead.start = before.span.start;
            at -= 1;
        }
        lead
    }

    /// Whether one of the attributes that a definition begins with makes it a test.
    fn opens_as_test(&self, start: u32, trivia: &[Trivia]) -> bool {
        let mut at = start;
        let mut leading = trivia.iter().take_while(|trivia| {
            let next = trivia.span.start == skip_white(self.text, at);
            at = trivia.span.end;
            next
        });
        leading.any(|trivia| self.marks_test(*trivia))
    }

    /// What documents a definition itself, where a wrapper that leads up to it is documented as well.
    fn own_doc(&self, wrapped: &Wrapped) -> Option<Span> {
        (wrapped.head > wrapped.span.start).then(|| self.lead(wrapped.head, wrapped.span.start).doc)?
    }

    /// Whether a comment or attribute may belong to what follows it.
    fn leads(&self, trivia: Trivia) -> bool {
        let words = trivia.span.of(self.text).unwrap_or_default();
        !trivia.comment
            || (starts_line(self.text, trivia.span.start)
                && !self.rules.inner_doc.iter().any(|mark| words.starts_with(mark)))
    }

    fn marks_test(&self, trivia: Trivia) -> bool {
        if trivia.comment || self.rules.test_attributes.is_empty() {
            return false;
        }
        let words = trivia.span.of(self.text).unwrap_or_default();
        let path = words.trim_start_matches(|c: char| !c.is_alphanumeric());
        let path = path.split(|c: char| !(c.is_alphanumeric() || "_:.".contains(c))).next().unwrap_or_default();
        self.rules.test_attributes.contains(&path.rsplit([':', '.']).next().unwrap_or_default())
    }

    /// Takes in a separator and a comment that finish the line after `end`.
    fn trail(&self, end: u32, container: Option<u32>) -> u32 {
        let limit = container.map_or(self.text.len() as u32, |index| self.out[index as usize].span.end);
        let rest = &self.text[end as usize..limit as usize];
        let mut taken = 0;
        let blank = |at: usize| rest[at..].len() - rest[at..].trim_start_matches([' ', '\t']).len();
        let separator = blank(0);
        if rest[separator..].starts_with([';', ',']) {
            taken = separator + 1;
        }
        let comment_at = end + (taken + blank(taken)) as u32;
        let trivia = &self.harvest.trivia;
        let index = trivia.partition_point(|trivia| trivia.span.start < comment_at);
        if let Some(comment) = trivia.get(index).filter(|found| found.comment && found.span.start == comment_at)
            && comment.span.end <= limit
            && ends_line(self.text, comment.span.end)
        {
            return comment.span.end;
        }
        end + taken as u32
    }

    /// The head: from behind comments, attributes and decorators up to the body.
    fn signature(&self, raw: &RawDefinition, span: Span, name: Span) -> Span {
        let start = self.head_start(span.start, name.start);
        let limit = match (raw.body, raw.value) {
            (Some(body), _) => body.start,
            (None, Some(value)) if !self.is_short(start, value) => value.start,
            _ => raw.span.end,
        };
        let end = self.head_end(start, limit);
        let end = if name.start < limit { end.max(name.end) } else { end };
        Span::new(start, end.min(span.end))
    }

    fn head_start(&self, start: u32, name: u32) -> u32 {
        let mut start = start;
        let trivia = &self.harvest.trivia;
        let from = trivia.partition_point(|trivia| trivia.span.start < start);
        for trivia in &trivia[from..] {
            if trivia.span.end > name || trivia.span.start != skip_white(self.text, start) {
                break;
            }
            start = trivia.span.end;
        }
        skip_white(self.text, start).min(name)
    }

    fn head_end(&self, start: u32, limit: u32) -> u32 {
        let trivia = &self.harvest.trivia;
        let mut end = limit.max(start);
        loop {
            let head = self.text[start as usize..end as usize].trim_end();
            end = start + head.trim_end_matches([';', '{']).trim_end().len() as u32;
            let index = trivia.partition_point(|trivia| trivia.span.end < end);
            match trivia.get(index) {
                Some(found) if found.comment && found.span.end == end && found.span.start > start => {
                    end = found.span.start;
                }
                _ => return end,
            }
        }
    }

    fn is_short(&self, start: u32, value: Span) -> bool {
        let words = &self.text[start as usize..value.end.max(start) as usize];
        value.len() as usize <= MAX_HEAD_VALUE && !words.contains('\n')
    }

    fn inner_doc(&self, raw: &RawDefinition) -> Option<Span> {
        if self.rules.inner_doc.is_empty() {
            return None;
        }
        let mut at = skip_white(self.text, raw.body?.start + 1);
        let mut doc: Option<Span> = None;
        let trivia = &self.harvest.trivia;
        let from = trivia.partition_point(|trivia| trivia.span.start < at);
        for trivia in &trivia[from..] {
            let words = trivia.span.of(self.text).unwrap_or_default();
            let inner = self.rules.inner_doc.iter().any(|mark| words.starts_with(mark));
            if !inner || trivia.span.start != at {
                break;
            }
            doc = Some(Span::new(doc.map_or(at, |doc| doc.start), trivia.span.end));
            at = skip_white(self.text, trivia.span.end);
        }
        doc
    }

    /// A comment that finishes the definition's line and says that it documents it.
    fn trailing_doc(&self, inside: Span, whole: Span) -> Option<Span> {
        let trivia = &self.harvest.trivia;
        let last = trivia.partition_point(|trivia| trivia.span.end < whole.end);
        let found = trivia.get(last).filter(|found| found.comment && found.span.end == whole.end)?;
        let words = found.span.of(self.text)?;
        let marked = self.rules.inner_doc.iter().any(|mark| words.starts_with(mark));
        (marked && found.span.start >= inside.end).then_some(found.span)
    }

    fn name(&self, raw: &RawDefinition, name_span: Span) -> String {
        let words = raw.title.as_deref().or_else(|| name_span.of(self.text)).unwrap_or_default();
        one_line(words, MAX_NAME)
    }

    /// The visibility that stands before a definition for all that follow it.
    fn section(&self, raw: &RawDefinition) -> Option<Span> {
        let apart = self.program.settings[raw.pattern].section_apart;
        self.open.last().and_then(|open| open.section).filter(|_| !apart)
    }

    fn visibility(&self, raw: &RawDefinition, wrapped: &Wrapped, head: u32, name: Span) -> Option<String> {
        let all = &self.harvest.visibilities;
        let found = all.get(all.partition_point(|span| span.start < head)).filter(|span| span.end <= name.start);
        match found {
            Some(span) => span.of(self.text).map(|words| one_line(words, MAX_NAME)),
            None => match self.section(raw) {
                Some(section) => section.of(self.text).map(|words| one_line(words, MAX_NAME)),
                None => self.program.settings[wrapped.visibility_pattern.unwrap_or(raw.pattern)].visibility.clone(),
            },
        }
    }
}

struct Lead {
    start: u32,
    doc: Option<Span>,
    test: bool,
}

/// A docstring documents the definition whose body it begins.
fn attach_docstrings(definitions: &mut [Definition], bodies: &[Option<u32>], harvest: &Harvest) {
    if harvest.docstrings.is_empty() {
        return;
    }
    for (definition, body) in definitions.iter_mut().zip(bodies) {
        let Some(start) = *body else { continue };
        let strings = &harvest.docstrings;
        let at = strings.partition_point(|span| span.start < start);
        if let Some(doc) = strings.get(at).filter(|doc| doc.start == start && definition.span.contains(**doc)) {
            definition.doc = Some(*doc);
        }
    }
}

/// Whether nothing but white space stands between a definition and what leads up to it,
/// and before a comment's definition no blank line; one, where documentation may stand apart.
///
/// Looks from behind: the last comment may be the whole file away.
fn is_adjacent(gap: &[u8], before: Trivia) -> bool {
    let lines = || gap.iter().filter(|byte| **byte == b'\n').count();
    let limit = if before.far && before.span.start > 0 { 2 } else { 1 };
    gap.iter().rev().all(u8::is_ascii_whitespace) && (!before.comment || lines() <= limit)
}

fn skip_white(text: &str, at: u32) -> u32 {
    let rest = text.get(at as usize..).unwrap_or_default();
    at + (rest.len() - rest.trim_start().len()) as u32
}

fn starts_line(text: &str, at: u32) -> bool {
    let before = text[..at as usize].trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
    before.is_empty() || before.ends_with('\n')
}

fn ends_line(text: &str, at: u32) -> bool {
    let after = text[at as usize..].trim_start_matches([' ', '\t', '\r']);
    after.is_empty() || after.starts_with('\n')
}

fn in_capitals(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}

/// Leaves out the quotes around a name, or the colon that makes it a symbol.
pub(super) fn unquoted(text: &str, span: Span) -> Span {
    let words = span.of(text).unwrap_or_default();
    if words.len() > 1 && words.starts_with(':') && !words.starts_with("::") {
        return Span::new(span.start + 1, span.end);
    }
    let quoted =
        ['"', '\'', '`'].iter().any(|quote| words.len() > 2 && words.starts_with(*quote) && words.ends_with(*quote));
    if quoted { Span::new(span.start + 1, span.end - 1) } else { span }
}

/// Cuts a type path to its last part: `fmt::Wrapper<T>` to `Wrapper`.
fn narrow(text: &str, span: Span) -> Span {
    let Some(words) = span.of(text) else { return span };
    let head = words.split('<').next().unwrap_or_default().trim_end();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
    let start = head.char_indices().rev().take_while(|(_, c)| is_part(*c)).last().map(|(at, _)| at);
    start.map_or(span, |at| Span::new(span.start + at as u32, span.start + head.len() as u32))
}

/// Joins the words of `text` by single spaces, and cuts the result to `limit` bytes.
pub(super) fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::with_capacity(text.len().min(limit));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > limit {
            break;
        }
    }
    line.truncate(floor(&line, limit));
    line.truncate(line.trim_end().len());
    line
}
