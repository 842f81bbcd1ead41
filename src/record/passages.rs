//! Passages: the units that search ranks and serves, derived from a record by fixed rules.
//!
//! * A definition that fits [`PASSAGE_BUDGET`] is one passage; so are its members,
//!   whose text it then does not own.
//! * A larger one is its outline (up to the first member) and slices of what
//!   stands between and behind its members.
//! * Fields stay in the text of what holds them, and so does what fits on one line
//!   inside something callable, or is nothing but its name.
//! * Text outside every definition is cut at headings, blank lines, line ends.
//! * White space, punctuation without a word, and the end of a conditional stretch
//!   (`#endif`) go to the passage before; so does a lone word that ends a definition;
//!   one between its members goes to the one after.
//!
//! Two promises follow, whatever the record: **every byte is in the span of at
//! least one passage, and every byte that is not white is owned by exactly one.**

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::branches;
use super::cut::{Sizes, Style, cut};
use super::nest::is_callable;
use super::{Definition, Record, Span, kind, language};
use crate::language as packs;
use crate::source::RepoPath;

/// The largest definition that is one passage, in bytes of text.
pub const PASSAGE_BUDGET: u32 = 3_200;
/// What a passage of text outside definitions should come to, in bytes.
const LOOSE_TARGET: u32 = 1_200;
/// The largest stretch with a single word that is no passage of its own, in bytes.
const MAX_LONE_WORD: u32 = 200;
/// Containers that a qualified name goes back through.
const MAX_QUALIFIERS: usize = 32;

/// A contiguous stretch of a record's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// What is shown.
    pub span: Span,
    /// The definition it stands for; `None` for text outside every definition.
    pub definition: Option<u32>,
    /// How it relates to that definition.
    pub part: Part,
    /// The stretches of `span`, in order, whose words belong to this passage in the
    /// body field: all of it, less what member passages hold.
    pub own: Vec<Span>,
}

/// How a passage relates to its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The definition as a whole.
    Whole,
    /// Head of a definition that is too large for one passage.
    Outline,
    /// A later stretch of such a definition.
    Slice,
    /// Text outside every definition.
    Loose,
}

/// The id of a passage: the first 8 bytes of SHA-256 over path, NUL, start in
/// decimal, NUL, end in decimal, NUL, text. Listings write it as 16 hex digits.
pub fn passage_id(path: &RepoPath, span: Span, text: &str) -> [u8; 8] {
    let mut hash = Sha256::new();
    hash.update(path.as_bytes());
    hash.update(format!("\0{}\0{}\0", span.start, span.end));
    hash.update(text);
    let digest = hash.finalize();
    std::array::from_fn(|index| digest[index])
}

/// The name of a definition with those of its containers: `Store::open`, `Cart.items`.
///
/// A definition that names its owner has it before its name. An implementation block
/// lends the name of its type. A container whose name is not one word (a test's
/// description, `extern "C"`) lends none, nor does the function that declares a field of
/// the type around it; at most 32 containers are named.
pub fn qualified_name(record: &Record, definition_index: u32) -> String {
    let Some(definition) = record.definitions.get(definition_index as usize) else { return String::new() };
    let separator = packs::separator(record.language.as_str());
    let mut parts = vec![definition.name.as_str()];
    parts.extend(lent_owner(record, definition));
    let qualifier = qualifier(record, definition, separator);
    if !qualifier.is_empty() {
        parts.push(&qualifier);
    }
    let mut container = definition.container;
    while let Some(around) = container.and_then(|index| record.definitions.get(index as usize)) {
        let name = match around.kind == kind::IMPL {
            true => around.name_span.of(&record.text).unwrap_or_default(),
            false => around.name.as_str(),
        };
        let direct = definition.container == container;
        let declares = direct && definition.kind == kind::FIELD && is_callable(&around.kind);
        if !declares && !name.is_empty() && !name.contains(char::is_whitespace) {
            parts.push(name);
        }
        parts.extend(lent_owner(record, around));
        if parts.len() > MAX_QUALIFIERS {
            break;
        }
        container = around.container;
    }
    parts.reverse();
    parts.join(separator)
}

/// What stands before the name of a definition that is written as a path:
/// `Store` of `Store<T>::open`.
fn qualifier(record: &Record, definition: &Definition, separator: &str) -> String {
    let written = definition.name_span.of(&record.text).unwrap_or_default();
    let before = written.rsplit_once(definition.name.as_str()).map_or("", |(before, _)| before);
    let Some(path) = before.trim_end().strip_suffix(separator) else { return String::new() };
    let mut depth = 0u32;
    let mut kept = |c: char| {
        depth = if c == '<' { depth + 1 } else { depth };
        let outside = depth == 0 && !c.is_whitespace();
        depth = if c == '>' { depth.saturating_sub(1) } else { depth };
        outside
    };
    let path: String = path.chars().filter(|c| kept(*c)).collect();
    path.trim_start_matches(separator).to_owned()
}

/// The written owner of a definition, where it is one word.
fn lent_owner<'a>(record: &'a Record, definition: &Definition) -> Option<&'a str> {
    definition.owner?.of(&record.text).filter(|owner| !owner.is_empty() && !owner.contains(char::is_whitespace))
}

/// Derives the passages of `record`, in order of span start, outer before inner.
pub fn passages(record: &Record) -> Vec<Passage> {
    let regions = Regions::of(record);
    let mut pieces = Pieces { record, passages: Vec::new(), leftovers: Vec::new() };
    pieces.add_loose(&regions);
    for region in &regions.definitions {
        pieces.add_definition(region);
    }
    pieces.finish()
}

/// A definition that gets passages, and where its members do.
struct Region {
    definition: u32,
    span: Span,
    members: Vec<Span>,
}

/// The definitions that get passages, nested without crossing.
struct Regions {
    definitions: Vec<Region>,
    /// Those that lie in no other.
    top: Vec<Span>,
}

impl Regions {
    fn of(record: &Record) -> Self {
        let mut regions = Self { definitions: Vec::new(), top: Vec::new() };
        let mut open: Vec<usize> = Vec::new();
        let mut callables: usize = 0;
        for (index, definition) in record.definitions.iter().enumerate() {
            let span = definition.span;
            while let Some(&last) = open.last().filter(|last| regions.definitions[**last].span.end <= span.start) {
                callables -= usize::from(regions.is_callable(record, last));
                open.pop();
            }
            let around = open.last().map(|last| regions.definitions[*last].span);
            let crosses = around.is_some_and(|around| !around.contains(span));
            let inline = callables > 0 && !span.of(&record.text).unwrap_or_default().contains('\n');
            let bare = is_bare(record, definition);
            if span.is_empty() || crosses || inline || bare || definition.kind == kind::FIELD {
                continue;
            }
            match open.last() {
                Some(&last) => regions.definitions[last].members.push(span),
                None => regions.top.push(span),
            }
            callables += usize::from(is_callable(&definition.kind));
            open.push(regions.definitions.len());
            regions.definitions.push(Region { definition: index as u32, span, members: Vec::new() });
        }
        regions
    }

    fn is_callable(&self, record: &Record, region: usize) -> bool {
        is_callable(&record.definitions[self.definitions[region].definition as usize].kind)
    }
}

/// Whether a definition is its name and nothing else, as in `const { this, that } = pair`.
fn is_bare(record: &Record, definition: &Definition) -> bool {
    let text = definition.span.of(&record.text).unwrap_or_default();
    Some(text.trim_end_matches([',', ';'])) == definition.name_span.of(&record.text)
}

/// What of `span` lies between `members`.
fn between(span: Span, members: &[Span]) -> impl Iterator<Item = Span> {
    let ends = members.iter().map(|member| member.start).chain([span.end]);
    let starts = [span.start].into_iter().chain(members.iter().map(|member| member.end));
    starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| Span::new(start, end))
}

/// Where a word goes that is all there is of a stretch.
#[derive(Clone, Copy)]
enum LoneWord {
    /// Nowhere: it heads a definition, or stands outside all.
    Stays,
    /// To what follows it.
    Leads,
    /// To what stands before: it ends a definition.
    Ends,
}

/// A stretch that is no passage of its own.
struct Leftover {
    passage: Passage,
    /// Whether it belongs to what follows rather than to what stands before.
    leads: bool,
}

struct Pieces<'a> {
    record: &'a Record,
    passages: Vec<Passage>,
    /// Stretches that go to a neighbour.
    leftovers: Vec<Leftover>,
}

impl Pieces<'_> {
    fn add_loose(&mut self, regions: &Regions) {
        let text = &self.record.text;
        let sizes = Sizes { target: LOOSE_TARGET, budget: PASSAGE_BUDGET };
        for stretch in between(Span::new(0, text.len() as u32), &regions.top) {
            self.add_stretch(stretch, None, LoneWord::Stays, sizes);
        }
    }

    fn add_definition(&mut self, region: &Region) {
        let definition = Some(region.definition);
        if region.span.len() <= PASSAGE_BUDGET {
            let own = between(region.span, &region.members).filter(|span| !self.is_white(*span)).collect();
            self.passages.push(Passage { span: region.span, definition, part: Part::Whole, own });
            return;
        }
        let sizes = Sizes { target: PASSAGE_BUDGET, budget: PASSAGE_BUDGET };
        let first = self.passages.len();
        let first_member = region.members.first().map_or(region.span.end, |member| member.start);
        for stretch in between(region.span, &region.members) {
            let lone = match stretch {
                _ if stretch.start == region.span.start => LoneWord::Stays,
                _ if stretch.end == region.span.end => LoneWord::Ends,
                _ => LoneWord::Leads,
            };
            self.add_stretch(stretch, definition, lone, sizes);
        }
        if let Some(head) = self.passages.get_mut(first).filter(|head| head.span.start < first_member) {
            head.part = Part::Outline;
        }
    }

    fn add_stretch(&mut self, stretch: Span, definition: Option<u32>, lone: LoneWord, sizes: Sizes) {
        let part = if definition.is_some() { Part::Slice } else { Part::Loose };
        let text = stretch.of(&self.record.text).unwrap_or_default();
        let leftover = |span, leads| Leftover { passage: Passage { span, definition, part, own: Vec::new() }, leads };
        if !self.has_words(text) {
            self.leftovers.push(leftover(stretch, false));
            return;
        }
        let white = &text[..text.len() - text.trim_start().len()];
        let lines = white.rfind('\n').map_or(0, |newline| newline + 1) as u32;
        let body = Span::new(stretch.start + lines, stretch.end);
        if lines > 0 {
            self.leftovers.push(leftover(Span::new(stretch.start, body.start), false));
        }
        let short = words(text) == 1 && self.record.language != language::TEXT && body.len() <= MAX_LONE_WORD;
        match lone {
            LoneWord::Leads if short => self.leftovers.push(leftover(body, true)),
            LoneWord::Ends if short => self.leftovers.push(leftover(body, false)),
            _ => self.push_pieces(body, definition, part, sizes),
        }
    }

    /// Whether there is anything to search for in a stretch of the text.
    fn has_words(&self, stretch: &str) -> bool {
        let branches = packs::pack(self.record.language.as_str()).and_then(|pack| pack.rules.branches.as_ref());
        let ends = |line: &str| branches.is_some_and(|branches| branches::only_ends(branches, line));
        stretch.lines().any(|line| line.contains(|c: char| c.is_alphanumeric() || c == '_') && !ends(line))
    }

    fn push_pieces(&mut self, span: Span, definition: Option<u32>, part: Part, sizes: Sizes) {
        let text = self.record.language == language::TEXT;
        let style = if text { Style::of_text(self.record.path.file_name(), &self.record.text) } else { Style::Code };
        for piece in cut(&self.record.text, span, sizes, style) {
            let own = if self.is_white(piece) { Vec::new() } else { vec![piece] };
            self.passages.push(Passage { span: piece, definition, part, own });
        }
    }

    fn is_white(&self, span: Span) -> bool {
        span.of(&self.record.text).unwrap_or_default().trim().is_empty()
    }

    fn finish(mut self) -> Vec<Passage> {
        sort(&mut self.passages);
        let mut leftovers = std::mem::take(&mut self.leftovers);
        leftovers.sort_by_key(|leftover| place(&leftover.passage));
        let mut neighbours = Neighbours::of(&self.passages);
        for Leftover { passage: leftover, leads } in leftovers {
            let span = leftover.span;
            let near = neighbours.find(span, leads).filter(|_| span.len() <= PASSAGE_BUDGET);
            match near {
                Some(index) => {
                    let white = self.is_white(span);
                    absorb(&mut self.passages[index], span, white);
                    neighbours.grow(index, self.passages[index].span);
                }
                None => {
                    let first = self.passages.len();
                    let sizes = Sizes { target: PASSAGE_BUDGET, budget: PASSAGE_BUDGET };
                    self.push_pieces(span, leftover.definition, leftover.part, sizes);
                    for (index, passage) in self.passages.iter().enumerate().skip(first) {
                        neighbours.grow(index, passage.span);
                    }
                }
            }
        }
        sort(&mut self.passages);
        self.passages
    }
}

fn sort(passages: &mut [Passage]) {
    passages.sort_by_key(place);
}

fn place(passage: &Passage) -> (u32, u32, Option<u32>) {
    (passage.span.start, u32::MAX - passage.span.end, passage.definition)
}

/// How many words stand in `text`; two stand for any more.
fn words(text: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty()).take(2).count()
}

/// Adds a stretch at one end of a passage.
fn absorb(passage: &mut Passage, span: Span, white: bool) {
    if span.start == passage.span.end {
        passage.span.end = span.end;
        match passage.own.last_mut() {
            _ if white => {}
            Some(last) if last.end == span.start => last.end = span.end,
            _ => passage.own.push(span),
        }
    } else {
        passage.span.start = span.start;
        match passage.own.first_mut() {
            _ if white => {}
            Some(first) if first.start == span.end => first.start = span.start,
            _ => passage.own.insert(0, span),
        }
    }
}

/// Finds the outermost passage that ends or begins at a byte.
struct Neighbours {
    ending: HashMap<u32, usize>,
    beginning: HashMap<u32, usize>,
}

impl Neighbours {
    fn of(passages: &[Passage]) -> Self {
        let mut neighbours = Self { ending: HashMap::new(), beginning: HashMap::new() };
        for (index, passage) in passages.iter().enumerate() {
            neighbours.grow(index, passage.span);
        }
        neighbours
    }

    fn grow(&mut self, index: usize, span: Span) {
        self.ending.entry(span.end).or_insert(index);
        self.beginning.entry(span.start).or_insert(index);
    }

    /// The passage before `span`, else the one after it; the other way round where it leads.
    fn find(&self, span: Span, leads: bool) -> Option<usize> {
        let (before, after) = (self.ending.get(&span.start), self.beginning.get(&span.end));
        if leads { after.or(before) } else { before.or(after) }.copied()
    }
}

#[cfg(test)]
pub(super) mod tests;
