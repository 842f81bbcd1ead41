//! From captured imports to the imports of a record.
//!
//! A statement becomes one import for each distinct specifier in it. `use a::{b,
//! c::{d, e as f}}` therefore gives `a` with `b`, and `a::c` with `d` and `e as f`.
//! How names are bound:
//!
//! | bound | name | alias |
//! | --- | --- | --- |
//! | a name | the name | the local name, where it differs |
//! | the default export | `default` | the local name |
//! | the whole module | `*` | the local name, or the path (or its last part) it is used by |
//! | every name | `*` | none |
//!
//! A path of one part (`use serde;`) binds the whole module.

use std::collections::HashMap;

use super::boundary::floor;
use super::nest::unquoted;
use super::parse::{Bound, Harvest, RawEntry, RawGroup, RawStatement};
use super::{Import, ImportedName, Span};
use crate::language::program::Program;

/// The longest specifier that is kept, in bytes.
const MAX_SPECIFIER: usize = 1_000;

/// The imports of a record, and the names they mention.
#[derive(Default)]
pub(super) struct Imports {
    pub(super) imports: Vec<Import>,
    pub(super) mentions: Vec<Span>,
    /// The spans of whole statements, in order.
    pub(super) statements: Vec<Span>,
}

/// Sorts the statements of `harvest`, and merges those that describe the same node.
pub(super) fn tidy(harvest: &mut Harvest) {
    let statements = &mut harvest.imports.statements;
    statements.sort_by_key(|found| (found.span.start, u32::MAX - found.span.end, found.pattern));
    statements.dedup_by(|later, kept| {
        let same = later.span == kept.span;
        if same && kept.specifier.is_none() {
            kept.specifier = later.specifier;
            kept.pattern = later.pattern;
        }
        same
    });
    let mut outer: Option<RawStatement> = None;
    statements.retain(|found| {
        let repeats = outer.is_some_and(|outer| outer.span.contains(found.span) && outer.specifier == found.specifier);
        if !repeats {
            outer = Some(*found);
        }
        !repeats
    });
    let imports = &mut harvest.imports;
    imports.entries.sort_by_key(|entry| (entry.place(), entry.pattern));
    imports.entries.dedup_by_key(|entry| entry.place());
    imports.groups.sort_by_key(|group| (group.span.start, u32::MAX - group.span.end));
    imports.again.sort_unstable();
}

impl RawEntry {
    /// What of the statement says this name.
    fn place(&self) -> Span {
        match self.bound {
            Bound::Name { name, .. } => name,
            Bound::Default { local } | Bound::Namespace { local } => local,
            Bound::All { mark } => mark,
        }
    }

    fn clause(&self) -> Span {
        let alias = if let Bound::Name { alias, .. } = self.bound { alias } else { None };
        [self.specifier, alias].into_iter().flatten().fold(self.place(), hull)
    }
}

fn hull(a: Span, b: Span) -> Span {
    Span::new(a.start.min(b.start), a.end.max(b.end))
}

/// The last part of a `/` path that is not a version, without a version behind a dot:
/// `yaml` of `example.com/yaml/v3` and of `example.com/yaml.v3`.
fn last_part(path: &str) -> &str {
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    let last = path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path);
    match last.rsplit_once('.') {
        Some((name, version)) if is_version(version) => name,
        _ => last,
    }
}

/// Puts the imports of a tidied harvest together.
pub(super) fn imports(program: &Program, separator: &str, text: &str, harvest: &Harvest) -> Imports {
    let mut out = Imports::default();
    let raw = &harvest.imports;
    for (index, statement) in raw.statements.iter().enumerate() {
        let next = raw.statements.get(index + 1).map(|next| next.span).filter(|next| statement.span.contains(*next));
        let entries = within(&raw.entries, statement.span, RawEntry::place);
        let entries = entries.iter().filter(|entry| next.is_none_or(|next| !next.contains(entry.place())));
        let reader = Reader { program, separator, text, statement, groups: &raw.groups };
        let again = !within(&raw.again, statement.span, |span| *span).is_empty();
        reader.read(entries, again, &mut out);
        out.statements.push(statement.span);
    }
    out.imports.sort_by(|a, b| (a.span, &a.specifier).cmp(&(b.span, &b.specifier)));
    out
}

/// The items, sorted by place, that begin inside `span`.
fn within<T>(items: &[T], span: Span, place: impl Fn(&T) -> Span) -> &[T] {
    let from = items.partition_point(|item| place(item).start < span.start);
    let to = items.partition_point(|item| place(item).start < span.end);
    &items[from..to.max(from)]
}

/// Follows the nested lists of one statement while its entries are read in order.
struct Lists<'a> {
    ahead: &'a [RawGroup],
    around: Vec<RawGroup>,
}

impl<'a> Lists<'a> {
    fn new(groups: &'a [RawGroup]) -> Self {
        Self { ahead: groups, around: Vec::new() }
    }

    /// The lists around `place`, outermost first.
    fn around(&mut self, place: Span) -> &[RawGroup] {
        while let Some((next, rest)) = self.ahead.split_first().filter(|(next, _)| next.prefix.end <= place.start) {
            self.around.retain(|open| open.span.contains(next.span));
            self.around.push(*next);
            self.ahead = rest;
        }
        self.around.retain(|open| open.span.contains(place));
        &self.around
    }
}

struct Reader<'a> {
    program: &'a Program,
    separator: &'a str,
    text: &'a str,
    statement: &'a RawStatement,
    groups: &'a [RawGroup],
}

impl Reader<'_> {
    fn read<'e>(&self, entries: impl Iterator<Item = &'e RawEntry>, reexport: bool, out: &mut Imports) {
        let mut found: Vec<Import> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut lists = Lists::new(within(self.groups, self.statement.span, |group| group.span));
        let bare = self.statement.specifier.map(|span| self.path(span));
        for entry in entries {
            let (specifier, name) = self.bind(entry, lists.around(entry.place()), bare.as_deref());
            if specifier.is_empty() {
                continue;
            }
            out.mentions.extend(self.mention(entry));
            match places.get(&specifier) {
                Some(&place) => {
                    found[place].names.push(name);
                    found[place].span = hull(found[place].span, entry.clause());
                }
                None => {
                    places.insert(specifier.clone(), found.len());
                    found.push(Import { names: vec![name], reexport, span: entry.clause(), specifier });
                }
            }
        }
        if found.is_empty()
            && let Some(specifier) = bare.filter(|specifier| !specifier.is_empty())
        {
            found.push(Import { names: Vec::new(), reexport, span: self.statement.span, specifier });
        }
        if let [only] = found.as_mut_slice() {
            only.span = self.statement.span;
        }
        out.imports.append(&mut found);
    }

    /// The specifier of an entry, and the name it binds.
    fn bind(&self, entry: &RawEntry, lists: &[RawGroup], bare: Option<&str>) -> (String, ImportedName) {
        let own = entry.specifier.map(|span| self.path(span));
        let mut parts: Vec<String> = lists.iter().map(|list| self.word(list.prefix)).collect();
        parts.extend(own.or_else(|| bare.map(str::to_owned)));
        let specifier = parts.join(self.separator);
        let name = match entry.bound {
            Bound::Name { name, alias } if specifier.is_empty() => {
                let module = self.word(name);
                let local = self.word(alias.unwrap_or(name));
                return (module, ImportedName { alias: Some(local), name: "*".to_owned() });
            }
            Bound::Name { name, alias } => {
                let name = self.word(unquoted(self.text, name));
                let alias = alias.map(|alias| self.word(alias)).filter(|alias| *alias != name);
                ImportedName { alias, name }
            }
            Bound::Default { local } => ImportedName { alias: Some(self.word(local)), name: "default".to_owned() },
            Bound::Namespace { local } => {
                let path = self.word(local);
                let last = self.program.settings[entry.pattern].bind_last;
                let alias = if last { last_part(&path).to_owned() } else { path };
                ImportedName { alias: Some(alias), name: "*".to_owned() }
            }
            Bound::All { .. } => ImportedName { alias: None, name: "*".to_owned() },
        };
        (specifier, name)
    }

    /// The name an entry mentions of another file, as far as it has one.
    fn mention(&self, entry: &RawEntry) -> Option<Span> {
        match entry.bound {
            Bound::Name { name, .. } => Some(unquoted(self.text, name)),
            Bound::Default { local } => Some(local),
            Bound::Namespace { .. } => entry.specifier,
            Bound::All { .. } => None,
        }
    }

    fn path(&self, specifier: Span) -> String {
        let word = self.word(specifier);
        match &self.program.settings[self.statement.pattern].prefix {
            Some(prefix) => [prefix, self.separator, &word].concat(),
            None => word,
        }
    }

    fn word(&self, span: Span) -> String {
        let written = span.of(self.text).unwrap_or_default();
        let mut word: String =
            if written.contains('\n') { written.split_whitespace().collect() } else { written.to_owned() };
        word.truncate(floor(&word, MAX_SPECIFIER));
        word
    }
}
