//! A pack's queries, compiled into one and with every capture understood.
//!
//! | capture | what it marks |
//! | --- | --- |
//! | `@definition.KIND` | a whole definition, of kind KIND |
//! | `@name`, `@body`, `@value` | its name; its body; a value that belongs to its head while that is one line |
//! | `@owner` | what the definition belongs to, where it names that without standing in it |
//! | `@visibility` | a visibility modifier; it counts for the definition whose name follows |
//! | `@section` | a visibility that counts for all that follows in the same type |
//! | `@stretch` | a stretch that is no definition and has `@section`s of its own |
//! | `@wrapper` with `@wrapped` | a node that adds to the span of what it wraps (`export …`) |
//! | `@comment`, `@attribute` | what documents or adorns the definition that follows |
//! | `@documentation` | a comment that documents what follows even with a blank line between, unless it begins the file |
//! | `@docstring` | a documentation string, where it begins a body |
//! | `@scope` | an unnamed function: variables in it are local |
//! | `@module` | a `@scope` that stands around a whole module: what is in it counts as outside functions |
//! | `@reference.ROLE`, `@receiver` | a mention, and what it is a member of; where the receiver holds the mention, what stands before it |
//! | `@ignore` | a name that is no mention, a node that is no definition |
//! | `@import` | a whole import; alone, or with the specifier of all its names |
//! | `@import.specifier` | the module, as written |
//! | `@import.name`, `@import.alias` | a bound name and its local name |
//! | `@import.default`, `@import.namespace` | the local name of the default export, of the whole module |
//! | `@import.all` | every name |
//! | `@import.again` | the names are exported again |
//! | `@import.group` with `@import.prefix` | a nested list and the path before it |
//! | `@inject` | text that may be code of its own, which the grammar gives as tokens or as a string |
//! | `@inject.language` | the word that names its language; without it, the language around it |
//! | `@part.NAME` | a text for the pattern's `title`; captured again and again, all its texts in a row |
//! | `@_NAME` | for predicates only |
//!
//! | setting (`#set!`) | effect |
//! | --- | --- |
//! | `local` = `drop` | the definition counts only outside functions |
//! | `title` | the definition's name, with `{name}` and `{NAME}` replaced by the texts of those captures |
//! | `narrow` = `type` | the name is cut to the last part of a type path, without generic arguments |
//! | `documented` = `only` | the definition counts only if a comment documents it |
//! | `extent` = `head` | the wrapper adds only what stands before what it wraps, and what documents that |
//! | `narrow` = `path` | the name is what the grammar's fields `name` lead to; what stands before it qualifies it |
//! | `narrow` = `declarator` | the same, from the name that the declarator is around |
//! | `called` | the kind where the declared name takes parameters |
//! | `visibility` | the wrapper, or the pattern itself, gives its definition this visibility |
//! | `section` = `apart` | no `@section` before the definition counts for it |
//! | `local` = `keep` | the field counts inside functions too, as one of the type around them |
//! | `before` | the mention counts only if this text follows at once |
//! | `case` = `upper` | the mention counts only if it begins with a capital |
//! | `outside` = `attribute` | the mention counts only outside attributes |
//! | `prefix` | a path put before the import's specifier |
//! | `inside` = `brackets` | the injected text stands between the first and the last character |
//! | `bind` = `last` | the whole module is bound by the last part of its path that is not a version |

use std::sync::OnceLock;

use tree_sitter::{Language, Query};

use super::{PACKS, Pack};

/// What a capture means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the table above says it
pub enum Capture {
    Definition(String),
    Name,
    Body,
    Value,
    Owner,
    Visibility,
    Section,
    Stretch,
    Wrapper,
    Wrapped,
    Comment,
    Documentation,
    Attribute,
    Docstring,
    Scope,
    Module,
    Reference(String),
    Receiver,
    Ignore,
    Import,
    ImportSpecifier,
    ImportName,
    ImportAlias,
    ImportDefault,
    ImportNamespace,
    ImportAll,
    ImportAgain,
    ImportGroup,
    ImportPrefix,
    Inject,
    InjectLanguage,
    Part(String),
    Predicate,
}

/// The captures that are one word, and the beginnings of the others.
pub(super) const CAPTURES: [&str; 32] = [
    "attribute",
    "body",
    "comment",
    "definition.",
    "docstring",
    "documentation",
    "ignore",
    "import",
    "import.again",
    "import.alias",
    "import.all",
    "import.default",
    "import.group",
    "import.name",
    "import.namespace",
    "import.prefix",
    "import.specifier",
    "inject",
    "inject.language",
    "module",
    "name",
    "owner",
    "part.",
    "receiver",
    "reference.",
    "scope",
    "section",
    "stretch",
    "value",
    "visibility",
    "wrapped",
    "wrapper",
];

impl Capture {
    pub(super) fn read(name: &str) -> Option<Self> {
        if let Some((group, rest)) = name.split_once('.') {
            match group {
                "definition" => return Some(Self::Definition(rest.to_owned())),
                "reference" => return Some(Self::Reference(rest.to_owned())),
                "part" => return Some(Self::Part(rest.to_owned())),
                _ => {}
            }
        }
        Some(match name {
            "name" => Self::Name,
            "body" => Self::Body,
            "value" => Self::Value,
            "owner" => Self::Owner,
            "visibility" => Self::Visibility,
            "section" => Self::Section,
            "stretch" => Self::Stretch,
            "wrapper" => Self::Wrapper,
            "wrapped" => Self::Wrapped,
            "comment" => Self::Comment,
            "documentation" => Self::Documentation,
            "attribute" => Self::Attribute,
            "docstring" => Self::Docstring,
            "scope" => Self::Scope,
            "module" => Self::Module,
            "receiver" => Self::Receiver,
            "ignore" => Self::Ignore,
            "import" => Self::Import,
            "import.specifier" => Self::ImportSpecifier,
            "import.name" => Self::ImportName,
            "import.alias" => Self::ImportAlias,
            "import.default" => Self::ImportDefault,
            "import.namespace" => Self::ImportNamespace,
            "import.all" => Self::ImportAll,
            "import.again" => Self::ImportAgain,
            "import.group" => Self::ImportGroup,
            "import.prefix" => Self::ImportPrefix,
            "inject" => Self::Inject,
            "inject.language" => Self::InjectLanguage,
            name if name.starts_with('_') => Self::Predicate,
            _ => return None,
        })
    }
}

/// How a name is cut out of what was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// To the last part of a type path, without generic arguments.
    Type,
    /// To what the grammar's fields `name` lead to.
    Path,
    /// To the name inside a declarator, and in it as a path.
    Declarator,
}

/// What a pattern's settings say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The definition counts only outside functions.
    pub drop_local: bool,
    /// The field counts inside functions too.
    pub keep_local: bool,
    /// How the definition's name is put together.
    pub title: Option<String>,
    /// The definition counts only if a comment documents it.
    pub documented: bool,
    /// The wrapper adds only what stands before what it wraps.
    pub head: bool,
    /// How the name is cut out of what was captured.
    pub narrow: Option<Narrow>,
    /// The kind where the declared name takes parameters.
    pub called: Option<String>,
    /// What the wrapper or the pattern says of visibility.
    pub visibility: Option<String>,
    /// No visibility of all that follows counts for the definition.
    pub section_apart: bool,
    /// The text that must follow the mention.
    pub before: Option<String>,
    /// The mention must begin with a capital.
    pub upper: bool,
    /// The mention must stand outside attributes.
    pub outside_attribute: bool,
    /// A path put before the import's specifier.
    pub prefix: Option<String>,
    /// The injected text stands between brackets or quotes that are captured with it.
    pub inside_brackets: bool,
    /// The whole module is bound by the last part of its path.
    pub bind_last: bool,
}

impl Settings {
    fn set(&mut self, key: &str, value: &str) -> bool {
        match (key, value) {
            ("local", "drop") => self.drop_local = true,
            ("local", "keep") => self.keep_local = true,
            ("title", title) => self.title = Some(title.to_owned()),
            ("documented", "only") => self.documented = true,
            ("extent", "head") => self.head = true,
            ("narrow", "type") => self.narrow = Some(Narrow::Type),
            ("narrow", "path") => self.narrow = Some(Narrow::Path),
            ("narrow", "declarator") => self.narrow = Some(Narrow::Declarator),
            ("called", kind) => self.called = Some(kind.to_owned()),
            ("visibility", word) => self.visibility = Some(word.to_owned()),
            ("section", "apart") => self.section_apart = true,
            ("before", text) => self.before = Some(text.to_owned()),
            ("case", "upper") => self.upper = true,
            ("outside", "attribute") => self.outside_attribute = true,
            ("prefix", path) => self.prefix = Some(path.to_owned()),
            ("inside", "brackets") => self.inside_brackets = true,
            ("bind", "last") => self.bind_last = true,
            _ => return false,
        }
        true
    }
}

/// Why a pack's queries cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// The grammar refuses a query.
    #[error("query `{file}` does not fit the grammar at line {line}: {why}")]
    Query {
        /// The query's file.
        file: &'static str,
        /// The line in it, from 1.
        line: usize,
        /// What the grammar said.
        why: String,
    },
    /// A capture outside the vocabulary.
    #[error("query capture `@{0}` is not in the vocabulary")]
    Capture(String),
    /// A setting outside the vocabulary.
    #[error("query setting `{key}` = `{value}` is not in the vocabulary")]
    Setting {
        /// Its key.
        key: String,
        /// Its value.
        value: String,
    },
}

/// A compiled pack.
#[derive(Debug)]
pub struct Program {
    /// The grammar.
    pub language: Language,
    /// All queries of the pack as one.
    pub query: Query,
    /// What each capture means, by capture index.
    pub captures: Vec<Capture>,
    /// What each pattern's settings say, by pattern index.
    pub settings: Vec<Settings>,
}

impl Program {
    /// Compiles the queries of `pack`.
    ///
    /// # Errors
    /// Names the query, capture or setting that is wrong.
    pub fn compile(pack: &Pack) -> Result<Self, ProgramError> {
        let language = (pack.grammar)();
        let source: String = pack.queries.iter().flat_map(|query| [query.text, "\n"]).collect();
        let query = Query::new(&language, &source).map_err(|error| locate(pack, &language, &error))?;
        let captures = query
            .capture_names()
            .iter()
            .map(|name| Capture::read(name).ok_or_else(|| ProgramError::Capture((*name).to_owned())))
            .collect::<Result<_, _>>()?;
        let settings =
            (0..query.pattern_count()).map(|index| read_settings(&query, index)).collect::<Result<_, _>>()?;
        Ok(Self { language, query, captures, settings })
    }
}

/// The programs of all packs, each compiled when it is first needed.
#[derive(Debug)]
pub struct Programs {
    /// In the order of [`PACKS`].
    compiled: Vec<OnceLock<Result<Program, ProgramError>>>,
}

impl Default for Programs {
    fn default() -> Self {
        Self { compiled: PACKS.iter().map(|_| OnceLock::new()).collect() }
    }
}

impl Programs {
    /// The program of a registered pack.
    ///
    /// # Errors
    /// When the pack does not fit its grammar, which its validation would have told.
    pub fn get(&self, pack: &'static Pack) -> Result<&Program, &ProgramError> {
        let index = PACKS.iter().position(|candidate| candidate.name == pack.name).unwrap_or_default();
        self.compiled[index].get_or_init(|| Program::compile(pack)).as_ref()
    }
}

/// Finds the file and line of an error by compiling the texts one by one.
fn locate(pack: &Pack, language: &Language, whole: &tree_sitter::QueryError) -> ProgramError {
    let alone = pack.queries.iter().find_map(|query| {
        let error = Query::new(language, query.text).err()?;
        Some(ProgramError::Query { file: query.file, line: error.row + 1, why: one_line(&error.to_string()) })
    });
    alone.unwrap_or_else(|| ProgramError::Query {
        file: pack.name,
        line: whole.row + 1,
        why: one_line(&whole.to_string()),
    })
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn read_settings(query: &Query, pattern: usize) -> Result<Settings, ProgramError> {
    let mut settings = Settings::default();
    for property in query.property_settings(pattern) {
        let value = property.value.as_deref().unwrap_or_default();
        if !settings.set(&property.key, value) {
            return Err(ProgramError::Setting { key: property.key.to_string(), value: value.to_owned() });
        }
    }
    Ok(settings)
}
