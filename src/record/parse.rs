//! One text through a pack's grammar and queries: what was captured, where, and
//! which limits were met.
//!
//! Every limit counts steps and none looks at a clock, so that hitting one
//! happens at the same byte everywhere. Nothing here recurses per tree level.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use tree_sitter::{
    Node, ParseOptions, ParseState, Parser, QueryCursor, QueryCursorOptions, QueryCursorState, QueryMatch,
    StreamingIterator, Tree,
};

use super::boundary::{ceil, floor};
use super::nest::unquoted;
use super::{Problem, Span, Word, problem};
use super::{errors, junk};
use crate::language::Readable;
use crate::language::declarator::{declared, last_name};
use crate::language::program::{Capture, Narrow, Program};

/// Levels of the tree that are read.
pub(super) const MAX_DEPTH: u32 = 600;
/// Matches of a query that may be in progress at once.
const MAX_OPEN_MATCHES: u32 = 8_192;
/// Definitions of one file.
const MAX_DEFINITIONS: usize = 100_000;
/// References of one file.
const MAX_REFERENCES: usize = 100_000;
/// Parse problems listed of one file; the last then reaches to the end of the text.
const MAX_PROBLEMS: usize = 100;
/// Progress reports (one each hundred steps) that any parse or query may use, and
/// how many more for each thousand bytes. Dense code needs under forty of these.
const FREE_REPORTS: usize = 10_000;
const REPORTS_PER_KILOBYTE: usize = 100;
/// Unnamed children of an error node in a row. A query looks past such a run from
/// each of its members, so that its cost grows with the square.
const MAX_UNNAMED_RUN: usize = 2_000;
/// Progress reports of a parse while no reading of the text is free of errors. The
/// grammars recover from error after error at a cost that grows with the square.
const MAX_REPORTS_IN_ERROR: usize = 400;
/// Bytes of a text whose half is tried when it cannot be parsed to its end.
const LEAST_HALF: usize = 4 << 10;
/// Brackets that may stand open at one place. Text with brackets that never close costs
/// far more than its progress reports tell, and none of them is in error.
const MAX_OPEN_BRACKETS: usize = 5_000;

/// Everything the queries captured in one text.
#[derive(Default)]
pub(super) struct Harvest {
    pub(super) definitions: Vec<RawDefinition>,
    pub(super) references: Vec<RawReference>,
    pub(super) imports: RawImports,
    /// Comments and attributes, in order.
    pub(super) trivia: Vec<Trivia>,
    pub(super) wrappers: HashMap<usize, Wrapper>,
    pub(super) docstrings: Vec<Span>,
    pub(super) visibilities: Vec<Span>,
    /// Visibilities of all that follows.
    pub(super) sections: Vec<Span>,
    /// Stretches with such visibilities of their own.
    pub(super) stretches: Vec<Span>,
    pub(super) scopes: Vec<Span>,
    pub(super) modules: Vec<Span>,
    pub(super) ignored: Vec<Span>,
    pub(super) injections: Vec<Injection>,
    pub(super) ignored_nodes: HashSet<usize>,
    pub(super) problems: Vec<Problem>,
    /// Whether the grammar met errors.
    pub(super) partial: bool,
}

/// A captured definition.
#[derive(Clone, Debug)]
pub(super) struct RawDefinition {
    pub(super) node: usize,
    pub(super) node_kind: &'static str,
    pub(super) span: Span,
    pub(super) pattern: usize,
    pub(super) capture: usize,
    pub(super) name: Span,
    pub(super) body: Option<Span>,
    pub(super) value: Option<Span>,
    pub(super) owner: Option<Span>,
    pub(super) title: Option<String>,
    /// Whether it takes parameters.
    pub(super) called: bool,
}

/// A captured mention.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawReference {
    pub(super) span: Span,
    pub(super) pattern: usize,
    pub(super) capture: usize,
    pub(super) receiver: Option<Span>,
}

/// A comment or an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trivia {
    pub(super) span: Span,
    pub(super) comment: bool,
    /// Whether it belongs to what follows even with a blank line between.
    pub(super) far: bool,
}

impl Trivia {
    fn comment(span: Span, far: bool) -> Self {
        Self { span, comment: true, far }
    }
}

/// A node that adds to what it wraps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrapper {
    pub(super) node: usize,
    pub(super) span: Span,
    pub(super) pattern: usize,
}

/// Text that may be code of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Injection {
    pub(super) span: Span,
    /// The word that names its language; the language around it where there is none.
    pub(super) language: Option<String>,
}

/// Captured imports, still apart.
#[derive(Default)]
pub(super) struct RawImports {
    pub(super) statements: Vec<RawStatement>,
    pub(super) entries: Vec<RawEntry>,
    pub(super) groups: Vec<RawGroup>,
    pub(super) again: Vec<Span>,
}

/// An import as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawStatement {
    pub(super) span: Span,
    pub(super) pattern: usize,
    pub(super) specifier: Option<Span>,
}

/// One bound name.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawEntry {
    pub(super) bound: Bound,
    /// Its own specifier; the statement's where `None`.
    pub(super) specifier: Option<Span>,
    pub(super) pattern: usize,
}

/// How a name is bound.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    Name { name: Span, alias: Option<Span> },
    Default { local: Span },
    Namespace { local: Span },
    All { mark: Span },
}

/// A nested list and the path before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawGroup {
    pub(super) span: Span,
    pub(super) prefix: Span,
}

struct Engine {
    parser: Parser,
    cursor: QueryCursor,
}

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::new(Engine { parser: Parser::new(), cursor: QueryCursor::new() });
}

/// Parses `text` and runs the program over it.
///
/// Where there is a readable form of the text, the grammar reads that.
pub(super) fn harvest(program: &Program, text: &str, readable: Option<&Readable>) -> Harvest {
    let readable = readable.filter(|readable| readable.text.len() == text.len());
    let read = readable.map_or(text, |readable| readable.text.as_str());
    let mut harvest = ENGINE.with_borrow_mut(|engine| engine.harvest(program, text, read));
    for range in readable.iter().flat_map(|readable| &readable.adornments) {
        let span = Span::new(floor(text, range.start) as u32, ceil(text, range.end) as u32);
        harvest.trivia.push(Trivia { comment: false, ..Trivia::comment(span, true) });
    }
    harvest
}

/// Counts progress reports against a limit.
struct Meter {
    left: Cell<usize>,
    stopped_at: Cell<Option<usize>>,
}

impl Meter {
    fn new(text: &str) -> Self {
        Self::counting(FREE_REPORTS + REPORTS_PER_KILOBYTE * text.len() / 1_000)
    }

    fn counting(reports: usize) -> Self {
        Self { left: Cell::new(reports), stopped_at: Cell::new(None) }
    }

    fn tick(&self, byte: usize) -> ControlFlow<()> {
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                ControlFlow::Continue(())
            }
            None => {
                self.stopped_at.set(Some(self.stopped_at.get().unwrap_or(byte)));
                ControlFlow::Break(())
            }
        }
    }
}

impl Engine {
    fn harvest(&mut self, program: &Program, text: &str, read: &str) -> Harvest {
        let mut harvest = Harvest::default();
        self.fill(&mut harvest, program, text, read);
        harvest.problems.sort_by_key(|problem| (problem.span, problem.kind.clone()));
        harvest
    }

    fn fill(&mut self, harvest: &mut Harvest, program: &Program, text: &str, read: &str) {
        if let Some(byte) = opened_too_far(read) {
            return harvest.limit(problem::TOO_COMPLEX, text, byte);
        }
        if self.parser.set_language(&program.language).is_err() {
            return harvest.limit(problem::TOO_COMPLEX, text, 0);
        }
        let parsable = floor(text, junk::parsable(&mut self.parser, read));
        let (tree, end) = self.parse_as_far(&read[..parsable]);
        if end < text.len() {
            harvest.limit(problem::TOO_COMPLEX, text, end);
        }
        let Some(tree) = tree else { return };
        let (text, read) = (&text[..end], &read[..end]);
        let root = tree.root_node();
        note_depth(root, text, harvest);
        match note_errors(root, text, harvest) {
            Some(run) => harvest.limit(problem::TOO_COMPLEX, text, run),
            None => self.query(program, root, text, read, harvest),
        }
    }

    /// Parses `read`, or where that comes to no end, the first half of what was read of it.
    ///
    /// Gives the tree, if there is one, and how much of the text was read.
    fn parse_as_far(&mut self, read: &str) -> (Option<Tree>, usize) {
        let mut end = read.len();
        loop {
            let stopped = match self.parse(&read[..end]) {
                Ok(tree) => return (Some(tree), end),
                Err(stopped) => stopped,
            };
            let half = &read[..floor(read, stopped.min(end) / 2)];
            end = half.rfind('\n').map_or(0, |line| line + 1);
            if end < LEAST_HALF {
                return (None, end);
            }
        }
    }

    /// Parses `text`; gives where a limit stopped that, if one did.
    fn parse(&mut self, text: &str) -> Result<Tree, usize> {
        let meter = Meter::new(text);
        let bytes = text.as_bytes();
        let in_error = Meter::counting(MAX_REPORTS_IN_ERROR);
        let mut progress = |state: &ParseState| {
            let byte = state.current_byte_offset();
            if state.has_error() && in_error.tick(byte).is_break() {
                return ControlFlow::Break(());
            }
            meter.tick(byte)
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree =
            self.parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
        tree.ok_or_else(|| {
            self.parser.reset();
            meter.stopped_at.get().or(in_error.stopped_at.get()).unwrap_or(0)
        })
    }

    fn query(&mut self, program: &Program, root: Node<'_>, text: &str, read: &str, harvest: &mut Harvest) {
        let meter = Meter::new(text);
        let mut progress = |state: &QueryCursorState| meter.tick(state.current_byte_offset());
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        self.cursor.set_match_limit(MAX_OPEN_MATCHES);
        self.cursor.set_max_start_depth(Some(MAX_DEPTH));
        let mut full_at = None;
        {
            let mut matches = self.cursor.matches_with_options(&program.query, root, read.as_bytes(), options);
            while let Some(found) = matches.next() {
                harvest.take(program, found, text);
                if harvest.definitions.len() >= MAX_DEFINITIONS || harvest.references.len() >= MAX_REFERENCES {
                    full_at = found.captures.first().map(|capture| capture.node.start_byte());
                    break;
                }
            }
        }
        let dropped = self.cursor.did_exceed_match_limit().then_some(0);
        if let Some(byte) = full_at.or(meter.stopped_at.get()).or(dropped) {
            harvest.limit(problem::TOO_COMPLEX, text, byte);
        }
    }
}

impl Harvest {
    /// Notes a limit that was met at `byte`; what follows it may be missing.
    fn limit(&mut self, kind: Word, text: &str, byte: usize) {
        let start = floor(text, byte) as u32;
        self.problems.push(Problem { kind, span: Span::new(start, text.len() as u32) });
    }

    /// Notes one error; the last that is listed stands for all that follow.
    fn note_error(&mut self, span: Span, text: &str) {
        let listed = self.problems.iter().filter(|problem| problem.kind == problem::PARSE_ERROR).count();
        if listed < MAX_PROBLEMS {
            let end = if listed + 1 == MAX_PROBLEMS { text.len() as u32 } else { span.end };
            self.problems.push(Problem { kind: problem::PARSE_ERROR, span: Span::new(span.start, end) });
        }
    }

    fn take<'t>(&mut self, program: &Program, found: &QueryMatch<'_, '_>, text: &'t str) {
        let pattern = found.pattern_index;
        let mut parts: Parts<'_, 't> = Parts::default();
        for capture in found.captures {
            let node = capture.node;
            let span = span_of(text, node);
            let index = capture.index as usize;
            match &program.captures[index] {
                Capture::Definition(_) => parts.definition = Some((node, index)),
                Capture::Reference(_) => parts.reference = Some((span, index)),
                Capture::Name => match program.settings[pattern].narrow {
                    None | Some(Narrow::Type) => parts.name = Some(span),
                    Some(Narrow::Path) => parts.name_path(text, node, last_name(node)),
                    Some(Narrow::Declarator) => {
                        let found = declared(node);
                        parts.name_path(text, found.path, found.name);
                        parts.called = found.called;
                    }
                },
                Capture::Body => parts.body = Some(span),
                Capture::Value => parts.value = Some(span),
                Capture::Owner => parts.owner = Some(span),
                Capture::Receiver => parts.receiver = Some(span),
                Capture::Wrapper => parts.wrapper = Some(node),
                Capture::Wrapped => parts.wrapped = Some(node.id()),
                Capture::Comment => self.trivia.push(Trivia::comment(trimmed(text, span), false)),
                Capture::Documentation => self.trivia.push(Trivia::comment(trimmed(text, span), true)),
                Capture::Attribute => {
                    self.trivia.push(Trivia { comment: false, ..Trivia::comment(trimmed(text, span), true) });
                }
                Capture::Docstring => self.docstrings.push(span),
                Capture::Visibility => self.visibilities.push(span),
                Capture::Section => self.sections.push(span),
                Capture::Stretch => self.stretches.push(span),
                Capture::Scope => self.scopes.push(span),
                Capture::Module => self.modules.push(span),
                Capture::Ignore => {
                    self.ignored.push(span);
                    self.ignored_nodes.insert(node.id());
                }
                Capture::Import => parts.import = Some(trimmed(text, span)),
                Capture::ImportSpecifier => parts.specifier = Some(span),
                Capture::ImportName => parts.bound = Some(Bound::Name { name: span, alias: None }),
                Capture::ImportAlias => parts.alias = Some(span),
                Capture::ImportDefault => parts.bound = Some(Bound::Default { local: span }),
                Capture::ImportNamespace => parts.bound = Some(Bound::Namespace { local: span }),
                Capture::ImportAll => parts.bound = Some(Bound::All { mark: span }),
                Capture::ImportAgain => self.imports.again.push(span),
                Capture::ImportGroup => parts.group = Some(span),
                Capture::ImportPrefix => parts.prefix = Some(span),
                Capture::Inject => parts.inject = Some(span),
                Capture::InjectLanguage => parts.inject_language = Some(span),
                Capture::Part(name) => parts.texts.push((name.clone(), span)),
                Capture::Predicate => {}
            }
        }
        self.put(program, pattern, parts, text);
    }

    fn put(&mut self, program: &Program, pattern: usize, parts: Parts<'_, '_>, text: &str) {
        if let (Some((node, capture)), Some(name)) = (parts.definition, parts.name) {
            let title = program.settings[pattern].title.as_deref();
            self.definitions.push(RawDefinition {
                node: node.id(),
                node_kind: node.kind(),
                span: trimmed(text, span_of(text, node)),
                pattern,
                capture,
                name,
                body: parts.body,
                value: parts.value,
                owner: parts.owner,
                called: parts.called,
                title: match title {
                    Some(title) => Some(fill(title, name, &parts.texts, text)),
                    None => parts.own_name.map(str::to_owned),
                },
            });
        }
        if let Some((span, capture)) = parts.reference {
            self.references.push(RawReference {
                span: unquoted(text, span),
                pattern,
                capture,
                receiver: parts.receiver,
            });
        }
        if let (Some(node), Some(wrapped)) = (parts.wrapper, parts.wrapped) {
            self.wrappers.entry(wrapped).or_insert(Wrapper { node: node.id(), span: span_of(text, node), pattern });
        }
        if let (Some(span), Some(prefix)) = (parts.group, parts.prefix) {
            self.imports.groups.push(RawGroup { span, prefix });
        }
        if let Some(span) = parts.inject {
            let language = parts.inject_language.and_then(|span| span.of(text)).map(str::to_owned);
            let inside = program.settings[pattern].inside_brackets;
            self.injections.push(Injection { span: if inside { without_ends(text, span) } else { span }, language });
        }
        let mut own_specifier = parts.specifier;
        if let Some(span) = parts.import {
            let specifier = own_specifier.take();
            self.imports.statements.push(RawStatement { span, pattern, specifier });
        }
        if let Some(bound) = parts.bound {
            let bound = match bound {
                Bound::Name { name, .. } => Bound::Name { name, alias: parts.alias },
                other => other,
            };
            self.imports.entries.push(RawEntry { bound, specifier: own_specifier, pattern });
        }
    }
}

/// The captures of one match.
#[derive(Default)]
struct Parts<'tree, 'text> {
    definition: Option<(Node<'tree>, usize)>,
    reference: Option<(Span, usize)>,
    name: Option<Span>,
    /// The name without what qualifies it.
    own_name: Option<&'text str>,
    /// Whether what is declared takes parameters.
    called: bool,
    body: Option<Span>,
    value: Option<Span>,
    owner: Option<Span>,
    receiver: Option<Span>,
    wrapper: Option<Node<'tree>>,
    wrapped: Option<usize>,
    import: Option<Span>,
    specifier: Option<Span>,
    bound: Option<Bound>,
    alias: Option<Span>,
    group: Option<Span>,
    prefix: Option<Span>,
    inject: Option<Span>,
    inject_language: Option<Span>,
    texts: Vec<(String, Span)>,
}

impl<'text> Parts<'_, 'text> {
    /// Takes a name that is written as a path.
    fn name_path(&mut self, text: &'text str, path: Node<'_>, name: Node<'_>) {
        let own = span_of(text, name);
        self.name = Some(Span::new(span_of(text, path).start, own.end));
        self.own_name = own.of(text);
    }
}

fn fill(title: &str, name: Span, parts: &[(String, Span)], text: &str) -> String {
    let mut title = title.replace("{name}", name.of(text).unwrap_or_default());
    for (part, _) in parts {
        // A part that is captured again and again is all of its texts in a row.
        let texts: String =
            parts.iter().filter(|(other, _)| other == part).filter_map(|(_, span)| span.of(text)).collect();
        title = title.replace(&format!("{{{part}}}"), &texts);
    }
    title
}

/// The span of a node, on character boundaries.
fn span_of(text: &str, node: Node<'_>) -> Span {
    let start = floor(text, node.start_byte()) as u32;
    Span::new(start, start.max(ceil(text, node.end_byte()) as u32))
}

/// A span without its first and its last character.
fn without_ends(text: &str, span: Span) -> Span {
    let mut inside = span.of(text).unwrap_or_default().chars();
    let (first, last) = (inside.next(), inside.next_back());
    let cut = |end: Option<char>| end.map_or(0, char::len_utf8) as u32;
    Span::new(span.start + cut(first), span.end - cut(last))
}

/// A span without white space at its end: some grammars let comments hold their line's end.
fn trimmed(text: &str, span: Span) -> Span {
    let kept = span.of(text).unwrap_or_default().trim_end().len() as u32;
    Span::new(span.start, span.start + kept)
}

/// Where more than [`MAX_OPEN_BRACKETS`] stand open, whatever their kinds.
///
/// Brackets in strings and comments count too: no grammar has said yet where those are.
fn opened_too_far(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    text.bytes().position(|byte| {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open > MAX_OPEN_BRACKETS
    })
}

/// Notes where the tree first goes below [`MAX_DEPTH`].
///
/// A node with fewer descendants than there are levels left cannot reach the
/// limit, so only large nodes are entered.
fn note_depth(root: Node<'_>, text: &str, harvest: &mut Harvest) {
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        if depth > MAX_DEPTH {
            harvest.problems.push(Problem { kind: problem::TOO_DEEP, span: span_of(text, node) });
            return;
        }
        if node.descendant_count() > (MAX_DEPTH - depth) as usize && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            depth -= 1;
        }
    }
}

/// Notes the outermost error nodes, entering only nodes that hold errors.
///
/// Gives the first byte of a run of unnamed children that a query could not pass.
fn note_errors(root: Node<'_>, text: &str, harvest: &mut Harvest) -> Option<usize> {
    harvest.partial = root.has_error();
    let mut reached = None;
    let mut run = (0, 0);
    errors::visit(root, |node| {
        run = match (node.is_named(), run) {
            (true, _) => (0, 0),
            (false, (0, _)) => (1, node.start_byte()),
            (false, (length, start)) => (length + 1, start),
        };
        if run.0 > MAX_UNNAMED_RUN {
            return ControlFlow::Break(run.1);
        }
        if (node.is_error() || node.is_missing()) && reached.is_none_or(|end| end <= node.start_byte()) {
            reached = Some(node.end_byte());
            harvest.note_error(span_of(text, node), text);
        }
        ControlFlow::Continue(())
    })
}
