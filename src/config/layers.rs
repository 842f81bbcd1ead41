//! What holds: the layers over each other.

use super::document::{Document, Entry};
use super::{ConfigError, KEYS, Key, Layer, Name, Value, nearest};

/// The variable that says where local state lives; it is no setting.
const HOME: &str = "CCE_HOME";

/// The files and variables that say what holds.
#[derive(Debug, Default)]
pub struct Layers {
    /// Each setting with where it stands, later layers behind.
    said: Vec<(Entry, Origin)>,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// No layer says anything.
    Default,
    /// A line of a file.
    File {
        /// The repository's or the user's.
        layer: Layer,
        /// The file, as messages call it.
        file: String,
        /// The line, from 1.
        line: usize,
    },
    /// A variable.
    Variable(String),
}

/// A setting with what holds for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name; that of the key in the table where a pattern would name it.
    pub name: String,
    /// The key.
    pub key: &'static Key,
    /// What holds; `None` where it is unset.
    pub value: Option<Value>,
    /// Where that comes from.
    pub origin: Origin,
}

impl Layers {
    /// Lays a file over what is there.
    ///
    /// # Errors
    /// When the file is refused.
    pub fn add_file(&mut self, bytes: &[u8], file: &str, layer: Layer) -> Result<(), ConfigError> {
        for entry in Document::parse(bytes, file, layer)?.entries {
            let origin = Origin::File { layer, file: file.to_owned(), line: entry.line };
            self.said.push((entry, origin));
        }
        Ok(())
    }

    /// Whether a variable is one of ours that says what holds: of those that begin with
    /// `CCE_`, every one but the home.
    pub fn reads(variable: &str) -> bool {
        variable.starts_with("CCE_") && variable != HOME
    }

    /// Lays variables over what is there. Those that are empty count as unset, those that
    /// are not [read](Self::reads) belong to others. The value of a list has commas.
    ///
    /// # Errors
    /// When one names no setting, or one that a variable may not hold, or does not fit.
    pub fn add_variables(&mut self, variables: impl IntoIterator<Item = (String, String)>) -> Result<(), ConfigError> {
        for (variable, text) in variables.into_iter().filter(|(name, text)| Self::reads(name) && !text.is_empty()) {
            let name = named_by(&variable)?;
            let place = format!("the variable `{variable}`");
            ConfigError::check_place(&name, Layer::Variable, &place)?;
            let kind = name.key().kind;
            let words: Vec<&str> = if kind.is_list() { text.split(',').map(str::trim).collect() } else { vec![&text] };
            let value = Value::of_words(kind, &words).map_err(|why| ConfigError::Value {
                key: name.to_string(),
                place,
                why,
            })?;
            self.said.push((Entry { name, value, line: 0 }, Origin::Variable(variable)));
        }
        Ok(())
    }

    /// What holds for a setting.
    pub fn get(&self, name: &Name) -> Row {
        let said = self.said.iter().rev().find(|(entry, _)| entry.name == *name);
        let (value, origin) = match said {
            Some((entry, origin)) => (Some(entry.value.clone()), origin.clone()),
            None => (name.key().default_value(), Origin::Default),
        };
        Row { name: name.to_string(), key: name.key(), value, origin }
    }

    /// What holds for every setting, in the order of the table.
    pub fn rows(&self) -> Vec<Row> {
        KEYS.iter().flat_map(|key| self.rows_of(key)).collect()
    }

    fn rows_of(&self, key: &'static Key) -> Vec<Row> {
        let unset = || Row { name: key.name.to_owned(), key, value: None, origin: Origin::Default };
        if let Some(name) = Name::of(key) {
            return vec![self.get(&name)];
        }
        let patterns = self.said.iter().filter(|(entry, _)| entry.name.key() == key);
        let mut rows: Vec<Row> = patterns.map(|(entry, _)| self.get(&entry.name)).collect();
        rows.sort_by(|a, b| a.name.cmp(&b.name));
        if rows.is_empty() { vec![unset()] } else { rows }
    }

    /// The text that holds for a key of the table.
    pub fn text(&self, key: &str) -> Option<String> {
        match self.value(key)? {
            Value::Text(text) => Some(text),
            Value::Number(_) | Value::List(_) => None,
        }
    }

    /// The number that holds for a key of the table.
    pub fn number(&self, key: &str) -> Option<u64> {
        match self.value(key)? {
            Value::Number(number) => Some(number),
            Value::Text(_) | Value::List(_) => None,
        }
    }

    /// The words that hold for a key of the table.
    pub fn list(&self, key: &str) -> Vec<String> {
        match self.value(key) {
            Some(Value::List(words)) => words,
            _ => Vec::new(),
        }
    }

    /// Where what holds for a key of the table comes from.
    pub fn origin(&self, key: &str) -> Origin {
        Name::known(key).map_or(Origin::Default, |name| self.get(&name).origin)
    }

    fn value(&self, key: &str) -> Option<Value> {
        self.get(&Name::known(key)?).value
    }
}

/// The setting that a variable names.
fn named_by(variable: &str) -> Result<Name, ConfigError> {
    // A pattern has no place in the name of a variable.
    let found = KEYS.iter().filter_map(Name::of).find(|name| name.key().variable_name() == variable);
    found.ok_or_else(|| {
        let known: Vec<String> = KEYS.iter().filter_map(Key::variable).chain([HOME.to_owned()]).collect();
        ConfigError::UnknownVariable {
            name: variable.escape_default().to_string(),
            nearest: nearest(variable, known.iter().map(String::as_str)).map(str::to_owned),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Result<Layers, ConfigError> {
        let mut layers = Layers::default();
        layers.add_variables(pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())))?;
        Ok(layers)
    }

    #[test]
    fn the_later_layer_wins() {
        let mut layers = Layers::default();
        assert_eq!(layers.number("search.top_k"), Some(10));
        layers.add_file(b"search.top_k = 1\nsync.remote = 'a'", "cce.toml", Layer::Repository).unwrap();
        layers.add_file(b"search.top_k = 2", "u", Layer::User).unwrap();
        assert_eq!((layers.number("search.top_k"), layers.text("sync.remote")), (Some(2), Some("a".into())));
        layers.add_variables([("CCE_SEARCH_TOP_K".into(), "3".into())]).unwrap();
        let row = layers.get(&Name::parse("search.top_k").unwrap());
        assert_eq!((row.value, row.origin), (Some(Value::Number(3)), Origin::Variable("CCE_SEARCH_TOP_K".into())));
    }

    #[test]
    fn variables_are_checked() {
        let refused = |name, text| variables(&[(name, text)]).unwrap_err().to_string();
        assert_eq!(
            refused("CCE_SYNC_REMOT", "x"),
            "the variable `CCE_SYNC_REMOT` names no setting; did you mean `CCE_SYNC_REMOTE`?"
        );
        assert_eq!(refused("CCE_ZZZZZZZZZZZZ", "x"), "the variable `CCE_ZZZZZZZZZZZZ` names no setting");
        assert_eq!(
            refused("CCE_SEARCH_TOP_K", "x"),
            "`search.top_k` in the variable `CCE_SEARCH_TOP_K`: it must be a whole number from 1 to 1000"
        );
        assert!(refused("CCE_INDEX_EXCLUDE", "x").contains("is refused: it can change records"));
        let fine = variables(&[("CCE_HOME", "/x"), ("CCE_SYNC_REMOTE", ""), ("OTHER", "x")]).unwrap();
        assert_eq!(fine.text("sync.remote"), Some("origin".into()));
        let lists = variables(&[("CCE_SYNC_ALLOW_PROTOCOLS", "http, git")]).unwrap();
        assert_eq!(lists.list("sync.allow_protocols"), ["http", "git"]);
    }

    #[test]
    fn each_pattern_has_a_row() {
        let mut layers = Layers::default();
        assert_eq!(layers.rows().len(), KEYS.len());
        layers.add_file(b"[languages]\n'*.y' = 'c'\n'*.x' = 'go'", "cce.toml", Layer::Repository).unwrap();
        let names: Vec<String> = layers.rows().into_iter().map(|row| row.name).collect();
        assert!(names.windows(2).any(|pair| pair == ["languages.*.x", "languages.*.y"]), "{names:?}");
    }
}
