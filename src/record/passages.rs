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
pub(super) mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::record::boundary::floor;
    use crate::record::extract::tests::extract as record;
    use crate::record::{Word, canonical, encoding};

    /// What must hold of the passages of any record.
    pub(in crate::record) fn check_promises(record: &Record) {
        let passages = passages(record);
        let text = &record.text;
        let mut reached = 0;
        let mut order = None;
        let mut owners = vec![0u8; text.len()];
        for passage in &passages {
            assert!(!passage.span.is_empty() && passage.span.of(text).is_some(), "{passage:?}");
            assert!(passage.span.len() <= 3 * PASSAGE_BUDGET, "{passage:?}");
            assert!(passage.span.start <= reached, "bytes {reached}.. are in no passage");
            reached = reached.max(passage.span.end);
            let key = (passage.span.start, u32::MAX - passage.span.end);
            assert!(order <= Some(key));
            order = Some(key);
            for own in &passage.own {
                assert!(own.of(text).is_some() && passage.span.contains(*own), "{passage:?}");
                owners[own.start as usize..own.end as usize].iter_mut().for_each(|count| *count += 1);
            }
        }
        assert_eq!(reached as usize, text.len());
        for (at, character) in text.char_indices() {
            let count = owners[at];
            assert!(count <= 1 && (count == 1 || character.is_whitespace()), "byte {at} has {count} owners");
        }
    }

    /// Checks parts, definition names and texts, all white space at the ends left out.
    fn check(path: &str, text: &str, expected: &[(Part, &str, &str)]) {
        let record = record(path, text);
        check_promises(&record);
        let passages = passages(&record);
        let found: Vec<(Part, String, &str)> = passages
            .iter()
            .map(|passage| {
                let name = passage.definition.map_or_else(String::new, |index| qualified_name(&record, index));
                (passage.part, name, passage.span.of(text).unwrap().trim())
            })
            .collect();
        let expected: Vec<(Part, String, &str)> =
            expected.iter().map(|(part, name, text)| (*part, (*name).to_owned(), *text)).collect();
        assert_eq!(found, expected);
    }

    /// A line of code of 40 bytes.
    const LINE: &str = "    let some_value = compute_it(12345);\n";

    #[test]
    fn nothing_gives_nothing() {
        check("a.rs", "", &[]);
    }

    #[test]
    fn white_space_alone_is_one_passage_that_owns_nothing() {
        let record = record("a.rs", " \n\n");
        let passages = passages(&record);
        assert_eq!(passages.len(), 1);
        assert!(passages[0].own.is_empty());
        check_promises(&record);
    }

    #[test]
    fn a_definition_that_fits_is_whole_and_the_rest_is_loose() {
        check(
            "a.rs",
            "//! Doc.\nuse a::b;\n\n/// One.\nfn one() {}\n\n\nfn two() {}\n",
            &[
                (Part::Loose, "", "//! Doc.\nuse a::b;"),
                (Part::Whole, "one", "/// One.\nfn one() {}"),
                (Part::Whole, "two", "fn two() {}"),
            ],
        );
    }

    #[test]
    fn a_container_does_not_own_its_members() {
        let text = "struct S { a: u8 }\nimpl S {\n    fn f() {}\n    const C: u8 = 1;\n}\n";
        let record = record("a.rs", text);
        let passages = passages(&record);
        let own: Vec<String> = passages
            .iter()
            .map(|passage| passage.own.iter().map(|span| span.of(text).unwrap()).collect::<Vec<_>>().join("|"))
            .collect();
        assert_eq!(own, ["struct S { a: u8 }", "impl S {\n    |\n}", "fn f() {}", "const C: u8 = 1;"]);
        check_promises(&record);
    }

    #[test]
    fn a_large_container_is_its_outline_and_what_stands_between() {
        let body = LINE.repeat(50);
        let text = format!(
            "/// Doc.\nimpl S {{\n    const A: u8 = 1;\n\n    // about both\n\n    fn f() {{\n{body}    }}\n\n    fn g() {{\n{body}    }}\n}}\n"
        );
        check(
            "a.rs",
            &text,
            &[
                (Part::Outline, "impl S", "/// Doc.\nimpl S {"),
                (Part::Whole, "S::A", "const A: u8 = 1;"),
                (Part::Slice, "impl S", "// about both"),
                (Part::Whole, "S::f", &format!("fn f() {{\n{body}    }}")),
                (Part::Whole, "S::g", &format!("fn g() {{\n{body}    }}\n}}")),
            ],
        );
    }

    #[test]
    fn a_large_function_is_cut_at_its_blank_lines() {
        let part = LINE.repeat(30);
        let text = format!("fn f() {{\n{part}\n{part}\n{part}\n{part}}}\n");
        check(
            "a.rs",
            &text,
            &[
                (Part::Outline, "f", format!("fn f() {{\n{part}\n{part}").trim()),
                (Part::Slice, "f", format!("{part}\n{part}}}").trim()),
            ],
        );
    }

    #[test]
    fn one_line_inside_a_function_is_no_passage() {
        check(
            "a.py",
            "def f():\n    def g(): return 1\n    def h():\n        return 2\n    return g\n",
            &[
                (Part::Whole, "f", "def f():\n    def g(): return 1\n    def h():\n        return 2\n    return g"),
                (Part::Whole, "f.h", "def h():\n        return 2"),
            ],
        );
    }

    #[test]
    fn prose_begins_at_headings() {
        let words = "Some words to read in a row. ".repeat(20);
        let text = format!("# One\n\n{words}\n\n{words}\n\n## Two\n\n{words}\n");
        check(
            "a.md",
            &text,
            &[
                (Part::Loose, "", format!("# One\n\n{words}\n\n{words}").trim()),
                (Part::Loose, "", format!("## Two\n\n{words}").trim()),
            ],
        );
    }

    #[test]
    fn punctuation_goes_to_a_neighbour() {
        check("a.js", ";;\nfunction f() {\n}\n;\n", &[(Part::Whole, "f", ";;\nfunction f() {\n}\n;")]);
        check("a.md", "=====\n", &[(Part::Loose, "", "=====")]);
    }

    #[test]
    fn the_end_of_a_branch_goes_to_a_neighbour() {
        check(
            "a.c",
            "#ifdef ONE\nint one(void) { return 1; }\n#else\nint two(void) { return 2; }\n#endif /* ONE */\n\n#ifdef X\nint x;\n#endif\n",
            &[
                (Part::Loose, "", "#ifdef ONE"),
                (Part::Whole, "one", "int one(void) { return 1; }\n#else"),
                (Part::Whole, "two", "int two(void) { return 2; }"),
                (Part::Loose, "", "#endif /* ONE */\n\n#ifdef X"),
                (Part::Whole, "x", "int x;\n#endif"),
            ],
        );
    }

    #[test]
    fn a_word_alone_goes_to_a_neighbour() {
        let body = "    some_value = compute_it(12345, 678)\n".repeat(60);
        let f = format!("def f\n{body}  end");
        let g = format!("def g\n{body}  end");
        check(
            "a.rb",
            &format!("class C < D\n  {f}\n\n  private\n\n  {g}\nend\n\nclass E\nend\n"),
            &[
                (Part::Outline, "C", "class C < D"),
                (Part::Whole, "C::f", &f),
                (Part::Whole, "C::g", &format!("private\n\n  {g}\nend")),
                (Part::Whole, "E", "class E\nend"),
            ],
        );
        check("a.md", "word\n", &[(Part::Loose, "", "word")]);
    }

    #[test]
    fn names_are_qualified_by_their_containers() {
        let record = record("a.rs", "mod m { impl<T> fmt::Display for a::Wrap<T> { fn fmt(&self) {} } }");
        let names: Vec<String> = (0..3).map(|index| qualified_name(&record, index)).collect();
        assert_eq!(names, ["m", "m::impl fmt::Display for a::Wrap<T>", "m::Wrap::fmt"]);
        assert_eq!(qualified_name(&record, 9), "");
    }

    #[test]
    fn a_written_owner_qualifies_too() {
        let text = "package p\nfunc (s *Store[T]) Open() {\n\ttype pair struct{ key int }\n}\n";
        let record = record("a.go", text);
        let names: Vec<String> = (0..3).map(|index| qualified_name(&record, index)).collect();
        assert_eq!(names, ["Store.Open", "Store.Open.pair", "Store.Open.pair.key"]);
        assert_eq!(record.definitions[0].owner.and_then(|owner| owner.of(text)), Some("Store"));
    }

    #[test]
    fn the_id_is_of_place_and_text() {
        let path = |path: &str| RepoPath::parse(path).unwrap();
        let id = passage_id(&path("a"), Span::new(0, 3), "abc");
        let whole = Sha256::digest(b"a\x000\x003\x00abc");
        assert_eq!(id, whole[..8]);
        assert_ne!(id, passage_id(&path("b"), Span::new(0, 3), "abc"));
        assert_ne!(id, passage_id(&path("a"), Span::new(1, 4), "abc"));
        assert_ne!(id, passage_id(&path("a"), Span::new(0, 3), "abd"));
    }

    fn definition(start: u32, end: u32, kind: Word) -> Definition {
        let span = Span::new(start, end);
        Definition {
            container: None,
            doc: None,
            kind,
            name: "n".into(),
            name_span: Span::new(start, start),
            node: "n".into(),
            owner: None,
            signature: Span::new(start, start),
            span,
            visibility: None,
        }
    }

    /// Any record that [`canonical::check`] lets pass, crossing definitions included.
    fn any_record() -> impl Strategy<Value = Record> {
        let kinds = vec![kind::FUNCTION, kind::CLASS, kind::FIELD, kind::IMPL];
        let spans = prop::collection::vec((0u32..9_000, 0u32..6_000, prop::sample::select(kinds)), 0..24);
        let text =
            prop::collection::vec(prop::sample::select(vec!["word ", "\n", "\n\n", ";", "    ", "}", "é"]), 0..4_000);
        (spans, text).prop_map(|(spans, text)| {
            let text = text.concat();
            let place = |at: u32| floor(&text, at as usize) as u32;
            let mut definitions: Vec<Definition> = spans
                .into_iter()
                .map(|(start, length, kind)| definition(place(start), place(start + length), kind))
                .collect();
            definitions.sort_by_key(|found| (found.span.start, u32::MAX - found.span.end));
            Record {
                path: RepoPath::parse("a").unwrap(),
                language: language::TEXT,
                encoding: encoding::UTF_8,
                flags: BTreeSet::new(),
                text,
                definitions,
                references: vec![],
                imports: vec![],
                problems: vec![],
            }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn every_byte_is_shown_and_every_word_owned_once(record in any_record()) {
            prop_assert!(canonical::check(&record).is_ok());
            check_promises(&record);
        }
    }
}
