//! From captured mentions to the references of a record.

use super::boundary::head;
use super::imports::Imports;
use super::nest::one_line;
use super::parse::{Harvest, RawReference};
use super::{Definition, Reference, Span, Word, role};
use crate::language::program::{Capture, Program};

/// The longest receiver text that is kept, in bytes.
const MAX_RECEIVER: usize = 80;

/// Builds the references of a record, in order, one for each mentioned span.
pub(super) fn references(
    program: &Program,
    separator: &str,
    text: &str,
    harvest: &mut Harvest,
    definitions: &[Definition],
    imports: &Imports,
) -> Vec<Reference> {
    let filter = Filter::new(text, harvest, definitions, imports);
    let mut raw = std::mem::take(&mut harvest.references);
    raw.retain(|reference| filter.counts(program, reference));
    raw.sort_by_key(|reference| (reference.span, reference.pattern));
    raw.dedup_by_key(|reference| reference.span);
    let roles: Vec<Option<Word>> = program.captures.iter().map(role_of).collect();
    let mut all: Vec<Reference> = raw
        .iter()
        .filter_map(|reference| {
            let receiver =
                reference.receiver.and_then(|span| before(span, reference.span, separator, text)).map(receiver_text);
            let role = roles[reference.capture].clone()?;
            Some(Reference { enclosing: None, receiver, role, span: reference.span })
        })
        .chain(imports.mentions.iter().map(|span| Reference {
            enclosing: None,
            receiver: None,
            role: role::IMPORT,
            span: *span,
        }))
        .collect();
    all.sort_by(|a, b| (a.span, &a.role).cmp(&(b.span, &b.role)));
    enclose(&mut all, definitions);
    all
}

fn role_of(capture: &Capture) -> Option<Word> {
    match capture {
        Capture::Reference(word) => known_role(word).or_else(|| Word::parse(word).ok()),
        _ => None,
    }
}

/// The constant for a role, which costs nothing to copy.
fn known_role(word: &str) -> Option<Word> {
    let known = [role::CALL, role::TYPE, role::INHERIT, role::IMPLEMENT, role::READ, role::WRITE, role::ANNOTATION];
    known.into_iter().find(|role| role.as_str() == word)
}

/// Tells mentions from names that define, bind or declare.
struct Filter<'a> {
    text: &'a str,
    /// Spans that are no mention, sorted.
    names: Vec<Span>,
    statements: &'a [Span],
    attributes: Vec<Span>,
}

impl<'a> Filter<'a> {
    fn new(text: &'a str, harvest: &Harvest, definitions: &[Definition], imports: &'a Imports) -> Self {
        let mut names: Vec<Span> = definitions.iter().map(|definition| definition.name_span).collect();
        names.extend(&harvest.ignored);
        names.sort_unstable();
        let attributes = harvest.trivia.iter().filter(|trivia| !trivia.comment).map(|trivia| trivia.span).collect();
        Self { text, names, statements: &imports.statements, attributes }
    }

    fn counts(&self, program: &Program, reference: &RawReference) -> bool {
        let settings = &program.settings[reference.pattern];
        let span = reference.span;
        let Some(name) = span.of(self.text).filter(|name| !name.is_empty()) else { return false };
        if settings.upper && !name.starts_with(char::is_uppercase) {
            return false;
        }
        if let Some(next) = &settings.before
            && !self.text[span.end as usize..].starts_with(next.as_str())
        {
            return false;
        }
        self.names.binary_search(&span).is_err()
            && !covered(self.statements, span)
            && !(settings.outside_attribute && covered(&self.attributes, span))
    }
}

/// Whether one of the sorted spans is around `span`. Nested spans are found by the
/// outermost that begins last, which suffices where spans nest only rarely.
fn covered(spans: &[Span], span: Span) -> bool {
    let after = spans.partition_point(|candidate| candidate.start <= span.start);
    after.checked_sub(1).is_some_and(|at| spans[at].contains(span))
}

/// The text of a receiver; of one that holds the mention, what stands before it.
fn before<'t>(receiver: Span, mention: Span, separator: &str, text: &'t str) -> Option<&'t str> {
    if !receiver.contains(mention) {
        return receiver.of(text);
    }
    let written = Span::new(receiver.start, mention.start).of(text)?.trim_end();
    Some(written.strip_suffix(separator).unwrap_or(written).trim_end()).filter(|written| !written.is_empty())
}

/// A receiver on one line, cut to [`MAX_RECEIVER`].
fn receiver_text(written: &str) -> String {
    let start = head(written, 4 * MAX_RECEIVER);
    if start.contains('\n') {
        let joined: String = start.lines().map(str::trim).collect();
        return one_line(&joined, MAX_RECEIVER);
    }
    one_line(start, MAX_RECEIVER)
}

/// Gives each reference the innermost definition around it.
fn enclose(references: &mut [Reference], definitions: &[Definition]) {
    let mut open: Vec<u32> = Vec::new();
    let mut next = 0;
    for reference in references {
        while definitions.get(next).is_some_and(|definition| definition.span.start <= reference.span.start) {
            close(&mut open, definitions, definitions[next].span);
            open.push(next as u32);
            next += 1;
        }
        close(&mut open, definitions, reference.span);
        reference.enclosing = open.last().copied();
    }
}

fn close(open: &mut Vec<u32>, definitions: &[Definition], span: Span) {
    while open.last().is_some_and(|last| !definitions[*last as usize].span.contains(span)) {
        open.pop();
    }
}
