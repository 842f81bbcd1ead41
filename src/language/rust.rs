//! Rust.

use super::{Claims, Pack, QueryText, Rules, Sample};

pub(super) static PACK: Pack = Pack {
    name: "rust",
    claims: Claims {
        extensions: &["rs"],
        file_names: &[],
        interpreters: &["cargo", "rust-script"],
        test_files: &["test.rs", "tests.rs", "*_test.rs", "*_tests.rs"],
        signs: &[
            r"^(pub )?use [\w:{}, *]+;$",
            r"^(pub(\(\w+\))? )?(fn|struct|enum|trait|mod|impl)\b.*[{;]$",
            r"^#!?\[\w+",
        ],
        ..Claims::NONE
    },
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    readable: None,
    queries: &[
        QueryText { file: "rust/definitions.scm", text: include_str!("rust/definitions.scm") },
        QueryText { file: "rust/references.scm", text: include_str!("rust/references.scm") },
        QueryText { file: "rust/imports.scm", text: include_str!("rust/imports.scm") },
    ],
    rules: Rules {
        separator: "::",
        inner_doc: &["//!", "/*!"],
        test_attributes: &["test", "rstest", "test_case", "proptest", "bench", "wasm_bindgen_test"],
        members: &[("function", "method")],
        ..Rules::NONE
    },
    sample: Sample {
        path: "src/store.rs",
        text: r#"//! Stores.
use std::{fmt::{self, Display as Show}, io};
pub use crate::index::*;
use serde;
extern crate alloc as heap;
pub mod cache;

/// At most.
pub const LIMIT: usize = 8;

/// Keeps records.
#[derive(Debug, Clone)]
pub struct Store<T> {
    /// Where.
    pub(crate) root: PathBuf,
    items: Vec<T>,
}

pub enum State { Open, Closed(u8) }

pub trait Source: Send {
    type Item;
    fn next(&mut self) -> Option<Self::Item>;
}

impl<T> Show for Store<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        assert!(check(f), "{}", self.root.display());
        self.count += 1;
        State::open(f)?.write()
    }
}

impl<T: Send> Store<T> {
    pub fn open(root: &Path) -> Self { load::<T>(root) }
}

macro_rules! twice { ($x:expr) => { $x }; }

extern "C" { fn getpid() -> i32; }

#[cfg(all(test, unix))]
mod tests {
    //! Inner words.
    use super::*;

    #[test]
    fn opens() {
        const PLACE: &str = "x";
        Store::<u8>::open(PLACE);
    }
}
"#,
        definitions: &[
            ("constant", "LIMIT"),
            ("struct", "Store"),
            ("field", "Store::root"),
            ("field", "Store::items"),
            ("enum", "State"),
            ("field", "State::Open"),
            ("field", "State::Closed"),
            ("trait", "Source"),
            ("type", "Source::Item"),
            ("method", "Source::next"),
            ("impl", "impl Show for Store<T>"),
            ("method", "Store::fmt"),
            ("impl", "impl Store<T>"),
            ("method", "Store::open"),
            ("macro", "twice"),
            ("module", "extern \"C\""),
            ("function", "getpid"),
            ("module", "tests"),
            ("test", "tests::opens"),
            ("constant", "tests::opens::PLACE"),
        ],
        references: &[
            ("import", "self"),
            ("import", "Display"),
            ("import", "io"),
            ("import", "serde"),
            ("annotation", "derive"),
            ("annotation", "Debug"),
            ("annotation", "Clone"),
            ("type", "PathBuf"),
            ("type", "Vec"),
            ("type", "T"),
            ("inherit", "Send"),
            ("type", "Option"),
            ("type", "Self Item"),
            ("implement", "Show"),
            ("type", "T"),
            ("type", "fmt Formatter"),
            ("type", "fmt Result"),
            ("call", "assert"),
            ("call", "check"),
            ("call", "display"),
            ("write", "self count"),
            ("type", "State"),
            ("call", "State open"),
            ("call", "State::open(f)? write"),
            ("type", "Send"),
            ("type", "T"),
            ("type", "Path"),
            ("type", "Self"),
            ("call", "load"),
            ("type", "T"),
            ("annotation", "cfg"),
            ("annotation", "test"),
            ("type", "Store"),
            ("call", "Store::<u8> open"),
        ],
        imports: &[
            "std::fmt: self, Display as Show",
            "std: io",
            "crate::index: * (again)",
            "serde: * as serde",
            "alloc: * as heap",
            "self::cache: * as cache (again)",
            "super: *",
        ],
    },
};
