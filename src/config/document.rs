//! A file of settings, read whole and checked against the table.

use std::ops::Range;

use toml_edit::{Item, Key as TomlKey, TableLike};

use super::key::PATTERNS;
use super::{ConfigError, KEYS, Layer, Name, Value, nearest};

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// Its settings, in the file's order.
    pub(super) entries: Vec<Entry>,
}

/// One setting of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Which.
    pub(super) name: Name,
    /// What it is set to.
    pub(super) value: Value,
    /// The line it stands on, from 1.
    pub(super) line: usize,
}

impl Document {
    /// Reads a file of `layer`; `file` is how messages call it.
    pub(super) fn parse(bytes: &[u8], file: &str, layer: Layer) -> Result<Self, ConfigError> {
        let syntax = |why: String| ConfigError::Syntax { file: file.to_owned(), why };
        let text = std::str::from_utf8(bytes).map_err(|error| syntax(error.to_string()))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document =
            toml_edit::Document::parse(text.to_owned()).map_err(|error| syntax(one_line(&error.to_string())))?;
        let mut reader = Reader { text, file, layer, entries: Vec::new() };
        reader.root(document.as_table())?;
        Ok(Self { entries: reader.entries })
    }
}

struct Reader<'a> {
    text: &'a str,
    file: &'a str,
    layer: Layer,
    entries: Vec<Entry>,
}

impl Reader<'_> {
    fn root(&mut self, root: &dyn TableLike) -> Result<(), ConfigError> {
        for (key, item) in pairs(root) {
            let name = key.get();
            let is_table = KEYS.iter().any(|known| known.name.split_once('.').is_some_and(|(table, _)| table == name));
            if is_table {
                self.table(key, item)?;
            } else {
                self.entry(Name::known(name), name, key, item)?;
            }
        }
        Ok(())
    }

    fn table(&mut self, table: &TomlKey, item: &Item) -> Result<(), ConfigError> {
        let name = table.get();
        let Some(inside) = item.as_table_like() else {
            return Err(self.wrong(name, table, "it must be a table".to_owned()));
        };
        for (key, item) in pairs(inside) {
            let full = format!("{name}.{}", key.get());
            let found = if name == PATTERNS { Name::of_pattern(key.get()) } else { Name::known(&full) };
            self.entry(found, &full, key, item)?;
        }
        Ok(())
    }

    fn entry(&mut self, found: Option<Name>, full: &str, key: &TomlKey, item: &Item) -> Result<(), ConfigError> {
        let line = self.line(key.span());
        let Some(name) = found else {
            return Err(ConfigError::UnknownKey {
                file: self.file.to_owned(),
                line,
                key: full.escape_default().to_string(),
                nearest: nearest(full, KEYS.iter().map(|key| key.name)).map(str::to_owned),
            });
        };
        ConfigError::check_place(&name, self.layer, &self.place(key))?;
        let value = Value::of_item(name.key().kind, item).map_err(|why| self.wrong(&name.to_string(), key, why))?;
        self.entries.push(Entry { name, value, line });
        Ok(())
    }

    fn wrong(&self, name: &str, key: &TomlKey, why: String) -> ConfigError {
        ConfigError::Value { key: name.to_owned(), place: self.place(key), why }
    }

    fn place(&self, key: &TomlKey) -> String {
        format!("line {} of `{}`", self.line(key.span()), self.file)
    }

    fn line(&self, span: Option<Range<usize>>) -> usize {
        let before = self.text.as_bytes().iter().take(span.map_or(0, |span| span.start));
        1 + before.filter(|&&byte| byte == b'\n').count()
    }
}

fn pairs(table: &dyn TableLike) -> impl Iterator<Item = (&TomlKey, &Item)> {
    table.iter().filter_map(|(key, _)| table.get_key_value(key))
}

fn one_line(message: &str) -> String {
    let mut parts = message.lines().map(str::trim).filter(|line| !line.is_empty() && !line.contains('|'));
    let place = parts.next().unwrap_or_default();
    parts.next().map_or_else(|| place.to_owned(), |reason| format!("{reason} ({place})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, layer: Layer, expected: &str) {
        let error = Document::parse(text.as_bytes(), "f.toml", layer).unwrap_err().to_string();
        assert_eq!(error, expected, "{text}");
    }

    #[test]
    fn every_spelling_of_a_key_is_that_key() {
        for text in
            ["[sync]\nremote = \"x\"", "sync.remote = 'x'", "sync = { remote = \"x\" }", "\"sync\".\"remote\" = 'x'"]
        {
            let entries = Document::parse(text.as_bytes(), "f", Layer::User).unwrap().entries;
            assert_eq!(entries.len(), 1);
            assert_eq!(entries[0].name.to_string(), "sync.remote");
            assert_eq!(entries[0].value, Value::Text("x".into()));
        }
    }

    #[test]
    fn lines_are_those_of_the_key() {
        let text = "\u{feff}# a\r\n\r\n[search]\r\ntop_k = 3 # b\r\n\r\n[sync]\r\n# c\r\nremote = \"x\"\r\n";
        let entries = Document::parse(text.as_bytes(), "f", Layer::User).unwrap().entries;
        assert_eq!(entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [4, 8]);
    }

    #[test]
    fn slips_are_told_with_their_line() {
        refused(
            "\n[sync]\nremot = 'x'",
            Layer::User,
            "line 3 of `f.toml` has an unknown key `sync.remot`; did you mean `sync.remote`?",
        );
        refused("zzzzzz = 1", Layer::User, "line 1 of `f.toml` has an unknown key `zzzzzz`");
        refused("sync = 3", Layer::User, "`sync` in line 1 of `f.toml`: it must be a table");
        refused("[[sync]]\nremote = 'x'", Layer::User, "`sync` in line 1 of `f.toml`: it must be a table");
        refused(
            "\nsearch.top_k = 0",
            Layer::Repository,
            "`search.top_k` in line 2 of `f.toml`: it must be a whole number from 1 to 1000",
        );
        refused(
            "sync.allow_protocols = ['http', 'ext']",
            Layer::User,
            "`sync.allow_protocols` in line 1 of `f.toml`: it must be an array of `git`, `http`",
        );
    }

    #[test]
    fn keys_have_their_places() {
        refused(
            "[index]\nexclude = []",
            Layer::User,
            "`index.exclude` in line 2 of `f.toml` is refused: it can change records, so it counts only from the `cce.toml` that a commit holds",
        );
        refused(
            "sync.allow_protocols = ['http']",
            Layer::Repository,
            "`sync.allow_protocols` in line 1 of `f.toml` is refused: it is the user's to decide, so only the user's file and variables may set it",
        );
    }
}
