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
