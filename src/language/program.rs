//! A pack's queries, compiled into one and with every capture understood.
//!
//! | capture | what it marks |
//! | --- | --- |
//! | `@definition.KIND` | a whole definition, of kind KIND |
//! | `@name`, `@body`, `@value` | its name; its body; a value that belongs to its head while that is one line |
//! | `@visibility` | a visibility modifier; it counts for the definition whose name follows |
//! | `@wrapper` with `@wrapped` | a node that adds to the span of what it wraps (`export …`) |
//! | `@comment`, `@attribute` | what documents or adorns the definition that follows |
//! | `@documentation` | a comment that documents what follows even with a blank line between, unless it begins the file |
//! | `@docstring` | a documentation string, where it begins a body |
//! | `@scope` | an unnamed function: variables in it are local |
//! | `@module` | a `@scope` that stands around a whole module: what is in it counts as outside functions |
//! | `@reference.ROLE`, `@receiver` | a mention, and what it is a member of |
//! | `@ignore` | a name that is no mention |
//! | `@import` | a whole import; alone, or with the specifier of all its names |
//! | `@import.specifier` | the module, as written |
//! | `@import.name`, `@import.alias` | a bound name and its local name |
//! | `@import.default`, `@import.namespace` | the local name of the default export, of the whole module |
//! | `@import.all` | every name |
//! | `@import.again` | the names are exported again |
//! | `@import.group` with `@import.prefix` | a nested list and the path before it |
//! | `@part.NAME` | a text for the pattern's `title` |
//! | `@_NAME` | for predicates only |
//!
//! | setting (`#set!`) | effect |
//! | --- | --- |
//! | `local` = `drop` | the definition counts only outside functions |
//! | `title` | the definition's name, with `{name}` and `{NAME}` replaced by the texts of those captures |
//! | `narrow` = `type` | the name is cut to the last part of a type path, without generic arguments |
//! | `visibility` | the wrapper, or the pattern itself, gives its definition this visibility |
//! | `local` = `keep` | the field counts inside functions too, as one of the type around them |
//! | `before` | the mention counts only if this text follows at once |
//! | `case` = `upper` | the mention counts only if it begins with a capital |
//! | `outside` = `attribute` | the mention counts only outside attributes |
//! | `prefix` | a path put before the import's specifier |

use tree_sitter::{Language, Query};

use super::Pack;

/// What a capture means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the table above says it
pub enum Capture {
    Definition(String),
    Name,
    Body,
    Value,
    Visibility,
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
    Part(String),
    Predicate,
}

impl Capture {
    fn read(name: &str) -> Option<Self> {
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
            "visibility" => Self::Visibility,
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
            name if name.starts_with('_') => Self::Predicate,
            _ => return None,
        })
    }
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
    /// The name is cut to the last part of a type path.
    pub narrow: bool,
    /// What the wrapper or the pattern says of visibility.
    pub visibility: Option<String>,
    /// The text that must follow the mention.
    pub before: Option<String>,
    /// The mention must begin with a capital.
    pub upper: bool,
    /// The mention must stand outside attributes.
    pub outside_attribute: bool,
    /// A path put before the import's specifier.
    pub prefix: Option<String>,
}

impl Settings {
    fn set(&mut self, key: &str, value: &str) -> bool {
        match (key, value) {
            ("local", "drop") => self.drop_local = true,
            ("local", "keep") => self.keep_local = true,
            ("title", title) => self.title = Some(title.to_owned()),
            ("narrow", "type") => self.narrow = true,
            ("visibility", word) => self.visibility = Some(word.to_owned()),
            ("before", text) => self.before = Some(text.to_owned()),
            ("case", "upper") => self.upper = true,
            ("outside", "attribute") => self.outside_attribute = true,
            ("prefix", path) => self.prefix = Some(path.to_owned()),
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

fn read_settings(query: &Query, pattern: usize) -> Result<Settings, ProgramError> {
    let mut settings = Settings::default();
    for property in query.property_settings(pattern) {
        let value = property.value.as_deref().unwrap_or_default();
        if !settings.set(&property.key, value) {
            return Err(ProgramError::Setting { key: property.key.to_string(), value: value.to_owned() });
        }
    }
    Ok(settings)
}
