//! Setting one key in the text of a file, and nothing else in it.

use toml_edit::{DocumentMut, Item, Table, TableLike};

use super::document::Document;
use super::{ConfigError, Layer, Name, Value};

/// The text of a file of `layer` with `name` set to `value`: comments, order and other
/// values stay. `file` is how messages call it.
///
/// # Errors
/// When the file is refused as it is, or the layer may not hold the key.
pub fn set(text: &[u8], file: &str, layer: Layer, name: &Name, value: &Value) -> Result<String, ConfigError> {
    ConfigError::check_place(name, layer, &format!("`{file}`"))?;
    Document::parse(text, file, layer)?;
    let text = str::from_utf8(text).unwrap_or_default();
    let (mark, body) = text.strip_prefix('\u{feff}').map_or(("", text), |body| ("\u{feff}", body));
    let syntax = |why: toml_edit::TomlError| ConfigError::Syntax { file: file.to_owned(), why: why.to_string() };
    let mut document: DocumentMut = body.parse().map_err(syntax)?;
    put(document.as_table_mut(), name, value);
    let changed = format!("{mark}{}", with_line_ends_of(body, document.to_string()));
    Document::parse(changed.as_bytes(), file, layer)?;
    Ok(changed)
}

fn put(root: &mut Table, name: &Name, value: &Value) {
    let (table, key) = name.parts();
    let Some(table) = table else { return put_value(root, key, value) };
    let inside = root.entry(table).or_insert_with(|| Item::Table(Table::new()));
    if let Some(inside) = inside.as_table_like_mut() {
        put_value(inside, key, value);
    }
}

/// What stands around a value, such as its comment, stays around the new one.
fn put_value(table: &mut dyn TableLike, key: &str, value: &Value) {
    let mut value = value.to_toml();
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => drop(table.insert(key, Item::Value(value))),
    }
}

/// The editor of TOML writes line feeds only.
fn with_line_ends_of(old: &str, new: String) -> String {
    let (all, with_return) = (old.matches('\n').count(), old.matches("\r\n").count());
    if all > 0 && all == with_return { new.replace('\n', "\r\n") } else { new }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::{KEYS, Kind, Scope};

    #[track_caller]
    fn check(text: &str, name: &str, words: &[&str], expected: &str) {
        let name = Name::parse(name).unwrap();
        let value = Value::of_words(name.key().kind, words).unwrap();
        assert_eq!(set(text.as_bytes(), "f", Layer::Repository, &name, &value).unwrap(), expected);
    }

    #[test]
    fn a_key_goes_where_its_table_is() {
        check("", "repo_id", &["h/x"], "repo_id = \"h/x\"\n");
        check("", "sync.remote", &["x"], "[sync]\nremote = \"x\"\n");
        check("[sync]\n# c\n", "sync.remote", &["x"], "[sync]\nremote = \"x\"\n# c\n");
        check("sync.timeout = 3\n", "sync.remote", &["x"], "sync.timeout = 3\nsync.remote = \"x\"\n");
        check("sync = { timeout = 3 }\n", "sync.remote", &["x"], "sync = { timeout = 3 , remote = \"x\" }\n");
        check(
            "# a\n\n[sync] # b\ntimeout = 3\n",
            "repo_id",
            &["h/x"],
            "repo_id = \"h/x\"\n# a\n\n[sync] # b\ntimeout = 3\n",
        );
        check("", "languages.*.x", &["rust"], "[languages]\n\"*.x\" = \"rust\"\n");
    }

    #[test]
    fn what_stands_around_stays() {
        check(
            "# top\n[search] # s\ntop_k   =  5  # few\n# end\n",
            "search.top_k",
            &["7"],
            "# top\n[search] # s\ntop_k   =  7  # few\n# end\n",
        );
        check("[search]\r\ntop_k = 5\r\n", "search.top_k", &["7"], "[search]\r\ntop_k = 7\r\n");
        check("\u{feff}search.top_k = 5", "search.top_k", &["7"], "\u{feff}search.top_k = 7\n");
        check(
            "index.exclude = [ # why\n  'a',\n]\n",
            "index.exclude",
            &["b,c", "d"],
            "index.exclude = [\"b,c\", \"d\"]\n",
        );
    }

    #[test]
    fn a_file_that_is_refused_is_not_edited() {
        let name = Name::parse("sync.remote").unwrap();
        let value = Value::Text("x".into());
        for text in ["[sync]\nremot = 'y'\n", "sync = 3\n", "sync = ", "[index]\nexclude = []"] {
            set(text.as_bytes(), "f", Layer::User, &name, &value).unwrap_err();
        }
    }

    /// Any setting that the repository's file may hold, with a value that fits.
    fn setting() -> impl Strategy<Value = (Name, Value)> {
        let names: Vec<&str> = KEYS.iter().filter(|key| key.scope != Scope::User).map(|key| key.name).collect();
        let words = proptest::collection::vec("\\PC{1,8}", 0..4);
        (proptest::sample::select(names), words, "[a-z*.\"'# =]{1,6}", 1..=1000u64).prop_map(
            |(name, words, pattern, number)| {
                let name = name.replace("PATTERN", &pattern);
                let name = Name::parse(&name).unwrap();
                let value = match name.key().kind {
                    Kind::RepoId => Value::Text(format!("h/{number}")),
                    Kind::Remote => Value::Text(format!("h:{number}")),
                    Kind::Text => Value::Text(words.concat()),
                    Kind::Number { .. } => Value::Number(number),
                    Kind::List | Kind::Choices(_) => Value::List(words),
                };
                (name, value)
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_set_is_there_and_nothing_else_moves(
            settings in proptest::collection::vec(setting(), 1..6),
            returns: bool,
        ) {
            let mut text = "# top\n\n# about [index]\n[index] # i\nsize_limit = 5 # small\n# end\n".to_owned();
            if returns {
                text = text.replace('\n', "\r\n");
            }
            for (name, value) in settings {
                let before = Document::parse(text.as_bytes(), "f", Layer::Repository).unwrap().entries;
                let changed = set(text.as_bytes(), "f", Layer::Repository, &name, &value).unwrap();
                let after = Document::parse(changed.as_bytes(), "f", Layer::Repository).unwrap().entries;
                let got = after.iter().find(|entry| entry.name == name);
                prop_assert_eq!(&got.unwrap().value, &value);
                let others = |entries: &[super::super::document::Entry]| {
                    let others = entries.iter().filter(|entry| entry.name != name);
                    let mut others: Vec<_> = others.map(|entry| (entry.name.to_string(), entry.value.clone())).collect();
                    others.sort_by(|a, b| a.0.cmp(&b.0));
                    others
                };
                prop_assert_eq!(others(&before), others(&after));
                let own = before.iter().find(|entry| entry.name == name).map(|entry| entry.line);
                let mut rest = changed.split_inclusive('\n');
                for (number, line) in text.split_inclusive('\n').enumerate() {
                    prop_assert!(
                        Some(number + 1) == own || rest.any(|kept| kept == line),
                        "{line:?} of {text:?} is not in its place in {changed:?}"
                    );
                }
                text = changed;
            }
        }
    }
}
