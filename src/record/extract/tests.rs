use std::collections::BTreeSet;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::record::boundary::floor;
use crate::record::passages::{self, Part};
use crate::record::{Problem, Span, kind, role};

static EXTRACTOR: LazyLock<Extractor> = LazyLock::new(|| Extractor::new(&Settings::default()).unwrap());

pub(in crate::record) fn extract(path: &str, text: &str) -> Record {
    let decoded = Decoded { text: text.to_owned(), encoding: Encoding::Utf8 };
    let record = EXTRACTOR.extract(&RepoPath::parse(path).unwrap(), decoded, Attributes::default()).record;
    assert!(record.problems.iter().all(|found| found.kind != problem::FAULT), "{path}: extraction failed");
    record
}

/// Checks one definition: its text, its head and its documentation.
fn check(path: &str, text: &str, name: &str, whole: &str, head: &str, doc: Option<&str>) {
    let record = extract(path, text);
    let found = record.definitions.iter().find(|found| found.name == name).expect(name);
    assert_eq!(found.span.of(text), Some(whole));
    assert_eq!(found.signature.of(text), Some(head));
    assert_eq!(found.doc.map(|doc| doc.of(text).unwrap()), doc);
}

#[test]
fn a_definition_takes_in_what_documents_and_adorns_it() {
    check(
        "a.rs",
        "// far\n\n/// Near.\n#[must_use]\n\n// and this\npub fn f<T>(x: T) -> T\nwhere T: Copy {\n    x\n}\n// after\n",
        "f",
        "/// Near.\n#[must_use]\n\n// and this\npub fn f<T>(x: T) -> T\nwhere T: Copy {\n    x\n}",
        "pub fn f<T>(x: T) -> T\nwhere T: Copy",
        Some("/// Near.\n#[must_use]\n\n// and this"),
    );
    check(
        "a.py",
        "x = 1  # not mine\n# Mine.\n@one\n@two(3)\ndef f(a) -> int:\n    \"\"\"Doc.\"\"\"\n    return a\n",
        "f",
        "# Mine.\n@one\n@two(3)\ndef f(a) -> int:\n    \"\"\"Doc.\"\"\"\n    return a",
        "def f(a) -> int:",
        Some("\"\"\"Doc.\"\"\""),
    );
    check(
        "a.ts",
        "/** Doc. */\n@Inject()\nexport default class A<T> extends B {\n}\n",
        "A",
        "/** Doc. */\n@Inject()\nexport default class A<T> extends B {\n}",
        "export default class A<T> extends B",
        Some("/** Doc. */"),
    );
    check(
        "a.js",
        "// Doc.\nexport const f = async (x) => {\n  return x\n}; // done\nrest()\n",
        "f",
        "// Doc.\nexport const f = async (x) => {\n  return x\n}; // done",
        "export const f = async (x) =>",
        Some("// Doc."),
    );
    check(
        "a.rs",
        "mod m {\n    //! In.\n    //! Side.\n    fn f() {}\n}\n",
        "m",
        "mod m {\n    //! In.\n    //! Side.\n    fn f() {}\n}",
        "mod m",
        Some("//! In.\n    //! Side."),
    );
    check("a.rs", "//! Of the file.\nfn f() {}\n", "f", "fn f() {}", "fn f()", None);
    check("a.rs", "enum E {\n    A, // first\n    B(u8),\n}", "A", "A, // first", "A", None);
    check("a.py", "A = [\n  1,\n]\n", "A", "A = [\n  1,\n]", "A =", None);
    check("a.py", "def f():\n    x\n    # inside\ndef g(): pass\n", "g", "def g(): pass", "def g():", None);
}

#[test]
fn the_head_of_a_group_belongs_to_its_first_member() {
    let text = "// Both.\nconst (\n\tA = 1 // one\n\t// Second.\n\tB = 2\n)\n";
    check("a.go", text, "A", "// Both.\nconst (\n\tA = 1 // one", "A = 1", Some("// Both."));
    check("a.go", text, "B", "// Second.\n\tB = 2", "B = 2", Some("// Second."));
    let text = "// Both.\nvar (\n\t// First.\n\tA, B int\n)\n";
    check("a.go", text, "A", "// First.\n\tA,", "A", Some("// First."));
    let text = "// Both.\ntype (\n\t// First.\n\tA int\n)\n";
    check("a.go", text, "A", "// Both.\ntype (\n\t// First.\n\tA int", "A int", Some("// First."));
    check("a.go", "// Alone.\nvar A = 1\n", "A", "// Alone.\nvar A = 1", "var A = 1", Some("// Alone."));
}

#[test]
fn what_only_counts_with_documentation_needs_it() {
    let count = |text: &str| extract("a.go", text).definitions.len();
    assert_eq!(count("// Package a is.\npackage a\n"), 1);
    assert_eq!(count("// Licence.\n\npackage a\n"), 0);
    assert_eq!(count("package a\n"), 0);
}

#[test]
fn a_java_package_is_defined_where_a_file_is_about_nothing_else() {
    let names = |text: &str| -> Vec<String> {
        extract("package-info.java", text).definitions.into_iter().map(|found| found.name).collect()
    };
    assert_eq!(names("/** Of it. */\n@Pure\npackage a.b;\n"), ["a.b"]);
    assert_eq!(names("/** Of it. */\n@Pure\npackage a.b;\n\nimport c.Pure;\n"), ["a.b"]);
    assert_eq!(names("@Pure\npackage a.b;\n"), [""; 0]);
    assert_eq!(names("/** Licence. */\npackage a.b;\nclass A { }\n"), ["A"]);
}

#[test]
fn a_far_comment_costs_nothing() {
    let record = extract("a.go", &format!("// Far.\n\npackage a\n{}", "var a = 1\n".repeat(20_000)));
    assert_eq!(record.definitions.len(), 20_000);
    assert!(record.definitions.iter().all(|found| found.doc.is_none()));
}

#[test]
fn documentation_may_stand_a_line_apart() {
    let doc = |text: &str| {
        let record = extract("a.js", text);
        record.definitions.first().and_then(|found| found.doc).map(|doc| doc.of(text).unwrap().to_owned())
    };
    let near = Some("/** What. */".to_owned());
    assert_eq!(doc("f();\n/** What. */\nfunction a() {}\n"), near);
    assert_eq!(doc("f();\n/** What. */\n\nfunction a() {}\n"), near);
    assert_eq!(doc("f();\n/** What. */\n\n\nfunction a() {}\n"), None);
    assert_eq!(doc("f();\n/* Aside. */\n\nfunction a() {}\n"), None);
    assert_eq!(doc("/** A file. */\n\nfunction a() {}\n"), None);
    assert_eq!(doc("/** A file. */\nfunction a() {}\n"), Some("/** A file. */".to_owned()));
}

#[test]
fn visibility_is_as_written() {
    let visibility = |path: &str, text: &str, name: &str| {
        let record = extract(path, text);
        record.definitions.into_iter().find(|found| found.name == name).unwrap().visibility
    };
    assert_eq!(visibility("a.rs", "pub(crate) struct S { x: u8 }", "S").as_deref(), Some("pub(crate)"));
    assert_eq!(visibility("a.rs", "struct S { pub x: u8 }", "x").as_deref(), Some("pub"));
    assert_eq!(visibility("a.rs", "struct S { pub x: u8 }", "S"), None);
    assert_eq!(visibility("a.rs", "struct S(pub u8);", "S"), None);
    assert_eq!(visibility("a.ts", "class A { private x = 1; y = 2 }", "x").as_deref(), Some("private"));
    assert_eq!(visibility("a.ts", "class A { constructor(private x: B) {} }", "constructor"), None);
    assert_eq!(visibility("a.ts", "export interface I {}", "I").as_deref(), Some("export"));
    assert_eq!(visibility("a.py", "def f(): pass", "f"), None);
    assert_eq!(visibility("a.c", "static int f(void) { static int g; }", "f").as_deref(), Some("static"));
    let class = "class A { int a; public: int b; struct B { int c; private: int d; }; int e; }; int f;";
    let found = ["a", "b", "B", "c", "d", "e", "f"].map(|name| visibility("a.cpp", class, name));
    assert_eq!(
        found.each_ref().map(|word| word.as_deref()),
        [None, Some("public"), Some("public"), None, Some("private"), Some("public"), None]
    );
}

#[test]
fn variables_count_where_others_can_reach_them() {
    let names = |path: &str, text: &str| -> Vec<String> {
        extract(path, text).definitions.into_iter().map(|found| format!("{} {}", found.kind, found.name)).collect()
    };
    assert_eq!(
        names("a.py", "A = 1\nb = 2\ndef f():\n    c = 3\nclass K:\n    D = 4\nif x:\n    e = 5\n"),
        ["constant A", "variable b", "function f", "class K", "field D", "variable e"]
    );
    assert_eq!(
        names("a.js", "const a = 1; let b;\n(() => { const c = 2; const d = () => 1 })()\n"),
        ["constant a", "variable b", "function d"]
    );
    for [before, after] in [
        ["(function () {", "})()"],
        ["(function () {", "}())"],
        ["(function () {", "}).call(this)"],
        ["!function (x) {", "}(y)"],
        ["(function (x, y) {}(this, function () {", "}))"],
        ["define(['x'], function (x) {", "})"],
    ] {
        let text = format!("{before} const a = 1; let b; function f() {{ const c = 2 }} {after}\n");
        assert_eq!(names("a.js", &text), ["constant a", "variable b", "function f"], "{text}");
    }
    for before in ["(async function () {", "(async () => {", "run(function () {"] {
        let after = if before.starts_with('r') { "})" } else { "})()" };
        assert_eq!(names("a.js", &format!("{before} const a = 1 {after}\n")), [""; 0], "{before}");
    }
    let pair = "const { a, b } = require('x')\nconst { c, d } = x\nfunction f() { const [e] = x }\n";
    assert_eq!(names("a.js", pair), ["constant c", "constant d", "function f"]);
    assert_eq!(
        names("a.ts", "class A { constructor(public a: B, c: D) {} }\nfunction f(this: A) {}\n"),
        ["class A", "method constructor", "field a", "function f"]
    );
    assert_eq!(
        names("a.cpp", "int A::a, *b; const int c = 1; void f() { int d; A e(g); struct S { int h; void i(); }; }"),
        ["variable a", "variable b", "constant c", "function f", "struct S", "field h", "method i"]
    );
    assert_eq!(
        names("a.js", "run({ a: () => 1 }); const o = { b: () => 1 }; (() => ({ c: () => 1 }))()"),
        ["method a", "constant o", "method b"]
    );
}

#[test]
fn attributes_make_tests() {
    let record = extract("a.rs", "#[tokio::test(flavor = \"x\")]\nasync fn a() {}\n#[cfg(test)]\nfn b() {}\n");
    let kinds: Vec<&str> = record.definitions.iter().map(|found| found.kind.as_str()).collect();
    assert_eq!(kinds, ["test", "function"]);
}

#[test]
fn a_symbol_names_without_its_colon() {
    let text = "class A\n  # Where.\n  attr_reader :a, :b\n  attr_writer :c\n  autoload :D, 'd'\nend\n";
    let record = extract("a.rb", text);
    let found: Vec<(&str, &str)> =
        record.definitions.iter().map(|found| (found.name.as_str(), found.span.of(text).unwrap())).collect();
    assert_eq!(found[1..], [("a", "# Where.\n  attr_reader :a,"), ("b", ":b"), ("c", "attr_writer :c")]);
    assert_eq!(record.imports[0].names[0].name, "D");
    assert_eq!(record.references.iter().find(|found| found.role == role::IMPORT).unwrap().span.of(text), Some("D"));
}

#[test]
fn visibility_before_a_definition_is_its_own() {
    let text = "class A\n  # Doc.\n  private def a(b)\n    b\n  end\n  def c; end\n  private\n  def d; end\nend\n";
    check("a.rb", text, "a", "# Doc.\n  private def a(b)\n    b\n  end", "private def a(b)", Some("# Doc."));
    let visibility: Vec<Option<String>> =
        extract("a.rb", text).definitions.into_iter().map(|found| found.visibility).collect();
    let private = || Some("private".to_owned());
    assert_eq!(visibility, [None, private(), None, private()]);
}

#[test]
fn any_of_the_leading_attributes_makes_a_test() {
    let kind = |attributes: &str| {
        let record = extract("a.java", &format!("class A {{\n    {attributes} void a() {{ }}\n}}\n"));
        record.definitions[1].kind.clone()
    };
    for attributes in ["@Test", "@Slow @Test", "@Slow(1)\n    // Why.\n    @org.junit.Test", "@Test(timeout = 1)"] {
        assert_eq!(kind(attributes), kind::TEST, "{attributes}");
    }
    for attributes in ["", "@Testing", "@Slow", "// @Test\n", "@Test.Slow"] {
        assert_eq!(kind(attributes), kind::METHOD, "{attributes}");
    }
}

#[test]
fn mentions_know_where_they_stand() {
    let text = "@dec\ndef f():\n    a.b(\n    ).c()\n\nclass K(B):\n    def m(self): g()\n";
    let record = extract("a.py", text);
    let found: Vec<String> = record
        .references
        .iter()
        .map(|found| {
            let around = found.enclosing.map_or("-", |index| &record.definitions[index as usize].name);
            let name = found.span.of(text).unwrap();
            format!("{around}: {} {name} of {}", found.role, found.receiver.as_deref().unwrap_or("-"))
        })
        .collect();
    assert_eq!(
        found,
        ["f: annotation dec of -", "f: call b of a", "f: call c of a.b()", "K: inherit B of -", "m: call g of -",]
    );
}

#[test]
fn one_import_for_each_specifier() {
    let text = "use a::{b, c::{d, e as f}, g::*};\nuse {h, i::j};\n";
    let record = extract("a.rs", text);
    let found: Vec<(&str, &str)> =
        record.imports.iter().map(|found| (found.specifier.as_str(), found.span.of(text).unwrap())).collect();
    assert_eq!(found, [("a", "b"), ("a::c", "d, e as f"), ("a::g", "g::*"), ("h", "h"), ("i", "i::j")]);
}

#[test]
fn a_module_can_be_bound_by_the_end_of_its_path() {
    for (path, local) in [
        ("fmt", "fmt"),
        ("net/http", "http"),
        ("example.com/a/v2", "a"),
        ("example.com/yaml.v3", "yaml"),
        ("example.com/a.b", "a.b"),
        ("v1", "v1"),
    ] {
        let record = extract("a.go", &format!("package a\nimport \"{path}\"\n"));
        assert_eq!(record.imports[0].specifier, path);
        assert_eq!(record.imports[0].names[0].alias.as_deref(), Some(local));
    }
}

#[test]
fn macros_around_a_head_do_not_hide_it() {
    check(
        "a.h",
        "BEGIN\n\n/* Doc. */\nAPI\nint CALL f(void) NORETURN; /* end */\n",
        "f",
        "/* Doc. */\nAPI\nint CALL f(void) NORETURN; /* end */",
        "int CALL f(void) NORETURN",
        Some("/* Doc. */"),
    );
    check(
        "a.cpp",
        "/// Doc.\nTEST_CASE(\"it is\", \"[a]\")\n{\n  f();\n}\n",
        "it is",
        "/// Doc.\nTEST_CASE(\"it is\", \"[a]\")\n{\n  f();\n}",
        "TEST_CASE(\"it is\", \"[a]\")",
        Some("/// Doc."),
    );
}

#[test]
fn a_comment_behind_a_definition_documents_it_where_it_says_so() {
    check("a.c", "int a; ///< Doc.\nint b;", "a", "int a; ///< Doc.", "int a", Some("///< Doc."));
    check("a.c", "int a; // other\nint b;", "a", "int a; // other", "int a", None);
    check("a.c", "struct s {\n  int a;\n  ///< Doc.\n  int b;\n};", "b", "int b;", "int b", None);
}

#[test]
fn a_type_that_is_named_behind_its_body_keeps_a_short_head() {
    check("a.c", "typedef struct {\n  int a;\n} s;\n", "s", "typedef struct {\n  int a;\n} s;", "typedef struct", None);
}

#[test]
fn broken_text_is_read_as_far_as_it_goes() {
    let record = extract("a.rs", "fn a() {}\n}}} ][ fn\nfn b() {}\n");
    assert!(record.flags.contains(&flag::PARTIAL_PARSE));
    assert!(record.definitions.iter().any(|found| found.name == "a"));
    assert!(record.problems.iter().all(|found| found.kind == problem::PARSE_ERROR));
    assert!(!record.problems.is_empty());
}

#[test]
fn many_problems_are_few() {
    let record = extract("a.js", &"let = ;\n".repeat(2_000));
    assert!(record.problems.len() <= 100, "{}", record.problems.len());
}

#[test]
fn depth_is_bounded() {
    for (path, open, close) in [
        ("a.py", "(", ")"),
        ("a.js", "[", "]"),
        ("a.ts", "f(", ")"),
        ("a.tsx", "<a>{", "}</a>"),
        ("a.rs", "const X: u8 = {", "};"),
        ("a.js", "function f(){", "}"),
        ("a.c", "int x = (", ");"),
        ("a.cpp", "namespace a {", "}"),
        ("a.cpp", "a<", ">"),
    ] {
        let lines = |bracket: &str| format!("{}\n", bracket.repeat(20)).repeat(100);
        let record = extract(path, &format!("{}1{}", lines(open), lines(close)));
        let limits = BTreeSet::from([flag::TOO_DEEP, flag::TOO_COMPLEX]);
        assert!(!record.flags.is_disjoint(&limits), "{path} {open}: {:?}", record.flags);
        assert!(!passages::passages(&record).is_empty());
    }
}

#[test]
fn text_that_is_not_in_its_language_costs_little() {
    for (path, line) in [
        ("a.py", "def ( ] } class lambda => ; ' \" import ::\n"),
        ("a.py", "(\n"),
        ("a.ts", "`${\n"),
        ("a.c", ") ( ] } struct => ; ' \" int ::\n"),
        ("a.cpp", ") ( ] } class => ; ' \" int :: >\n"),
    ] {
        let record = extract(path, &line.repeat(300_000 / line.len()));
        assert!(record.flags.contains(&flag::TOO_COMPLEX), "{path} {line}: {:?}", record.flags);
        assert!(record.problems.iter().any(|found| found.kind == problem::TOO_COMPLEX));
    }
}

#[test]
fn neither_order_nor_thread_shows() {
    let texts: Vec<(String, String)> = PACKS
        .iter()
        .flat_map(|pack| {
            let broken = pack.sample.text.replace('(', "( ] }");
            let path = |name: &str| format!("{name}.{}", pack.claims.extensions[0]);
            [(path("a"), pack.sample.text.to_owned()), (path("b"), broken.repeat(40)), (path("c"), "(\n".repeat(9_000))]
        })
        .collect();
    let forwards: Vec<Record> = texts.iter().map(|(path, text)| extract(path, text)).collect();
    let backwards = std::thread::scope(|scope| {
        let read = || texts.iter().rev().map(|(path, text)| extract(path, text)).collect::<Vec<Record>>();
        scope.spawn(read).join().unwrap()
    });
    assert!(forwards.iter().eq(backwards.iter().rev()));
}

#[test]
fn a_fault_in_one_file_is_a_problem_of_that_file() {
    let reading = |_: &Reader<'_>, _: &RepoPath, text: &str, _: Claim| panic!("cannot read {} bytes", text.len());
    let faulty = Extractor { reading, ..Extractor::new(&Settings::default()).unwrap() };
    let decoded = Decoded { text: "fn f() {}\n".to_owned(), encoding: Encoding::Utf8 };
    let record = faulty.extract(&RepoPath::parse("a.rs").unwrap(), decoded, Attributes::default()).record;
    assert_eq!(record.text, "fn f() {}\n");
    assert_eq!(record.language, *"rust");
    assert_eq!(record.problems, [Problem { kind: problem::FAULT, span: Span::new(0, 10) }]);
    assert_eq!(record.flags, BTreeSet::from([flag::PARTIAL_PARSE]));
    assert!(!passages::passages(&record).is_empty());
}

/// Checks kinds and qualified names of all definitions, and that all is read.
fn check_names(path: &str, text: &str, language: &str, expected: &[&str]) {
    let record = extract(path, text);
    let name = |index: usize| passages::qualified_name(&record, index as u32);
    let found: Vec<String> =
        record.definitions.iter().enumerate().map(|(index, found)| format!("{} {}", found.kind, name(index))).collect();
    assert_eq!(found, expected, "{path}");
    assert_eq!(record.language, *language, "{path}");
    assert!(record.problems.is_empty(), "{path}: {:?}", record.problems);
    canonical::check(&record).unwrap();
    passages::tests::check_promises(&record);
}

#[test]
fn code_in_macros_is_code() {
    check_names(
        "a.rs",
        "cfg_io! {\n    /// Doc.\n    pub fn a() { b(); }\n}\nimpl S {\n    cfg_rt! {\n        fn c() {}\n    }\n}\n",
        "rust",
        &["function a", "impl impl S", "method S::c"],
    );
    check_names(
        "a.rs",
        "cfg_if! {\n    if #[cfg(unix)] {\n        mod sys { fn a() {} }\n    } else {\n        fn b() {}\n    }\n}\n",
        "rust",
        &["module sys", "function sys::a", "function b"],
    );
    let record = extract("a.rs", "cfg_rt! { pub use a::b; }\n");
    assert_eq!(record.imports[0].specifier, "a");
    check_names("a.rs", "fn f() { select! { x = y() => { z } } }\n", "rust", &["function f"]);
    check_names("a.rs", "a! { b! { fn c() { d! { fn e() {} } } } }\n", "rust", &["function c", "function c::e"]);
    let record = extract("a.rs", "cfg_io! {\n    /// Doc.\n    fn a() { b(); }\n}\n");
    assert_eq!(record.definitions[0].doc, Some(Span::new(14, 22)));
    let calls: Vec<_> = record.references.iter().map(|found| (found.span.of(&record.text), found.enclosing)).collect();
    assert_eq!(calls, [(Some("cfg_io"), None), (Some("b"), Some(0))]);
}

#[test]
fn scripts_in_documents_are_code() {
    check_names(
        "a.vue",
        "<script setup lang=\"ts\">\ninterface P { a: number }\nfunction f() {}\n</script>\n<template><p/></template>\n<script>\nfunction g() {}\n</script>\n",
        "text",
        &["interface P", "field P.a", "function f", "function g"],
    );
    check_names("a.md", "```rust\nfn f() {}\n```\n", "text", &[]);
}

#[test]
fn dialects_and_wrong_names_are_read_as_what_they_are() {
    check_names(
        "a.js",
        "type A = { b: string };\nfunction f(x: A): void {}\n",
        "tsx",
        &["type A", "field A.b", "function f"],
    );
    check_names("a.js", "import os\nfrom a import b\n\ndef f():\n    return 1\n", "python", &["function f"]);
    check_names("tool", "import os\nfrom a import b\n\ndef f():\n    return 1\n", "python", &["function f"]);
    let broken = extract("a.c", "#if A\nint f(){\n");
    assert_eq!((broken.language.as_str(), broken.flags.contains(&flag::PARTIAL_PARSE)), ("c", true));
    check_names("NOTES", "import os\nis how it begins, and\nimport sys\n", "text", &[]);
    check_names(
        "a.ts",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE TS>\n<TS><message>Some words here</message></TS>\n",
        "text",
        &[],
    );
}

#[test]
fn minified_code_is_text() {
    let record = extract("a.js", &"function f(){return 1};".repeat(100));
    assert!(record.definitions.is_empty());
    assert_eq!(record.language, *"javascript");
    assert!(passages::passages(&record).iter().all(|passage| passage.part == Part::Loose));
}

#[test]
fn the_id_is_of_the_build_not_of_the_settings() {
    let narrow = Settings { packs: Some(vec!["rust".into()]), ..Settings::default() };
    let ids = [Settings::default(), narrow].map(|settings| Extractor::new(&settings).unwrap().id().clone());
    assert_eq!(ids[0], ids[1]);
    assert_eq!(ids[0].digest.len(), 64);
    assert!(env!("PINNED_CRATES").contains("tree-sitter=0.26"));
}

#[test]
fn the_language_can_be_overridden() {
    let settings = Settings { languages: [("*.rs".into(), "text".into())].into(), ..Settings::default() };
    let extractor = Extractor::new(&settings).unwrap();
    let decoded = Decoded { text: "fn f() {}".into(), encoding: Encoding::Utf16Le };
    let record = extractor.extract(&RepoPath::parse("a.rs").unwrap(), decoded, Attributes::default()).record;
    assert_eq!(record.language, language::TEXT);
    assert_eq!(record.flags, BTreeSet::from([flag::NOT_UTF8]));
    assert!(record.definitions.is_empty());
}

/// Pieces of code that, thrown together, make trees as odd as can be.
const SHARDS: [&str; 48] = [
    "fn f",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "\n",
    "\n\n",
    "  ",
    "\t",
    "// c\n",
    "/// d\n",
    "# x\n",
    "/* y */",
    "#[t]\n",
    "@d\n",
    "class A",
    "def g():",
    "    ",
    "export ",
    "default ",
    "const x = ",
    "=> ",
    "function h",
    ";",
    ",",
    ":",
    "::",
    "<",
    ">",
    "\"s\"",
    "'",
    "\"\"\"",
    "`",
    "é",
    "use a::{",
    "import ",
    "from ",
    "as b",
    "*",
    "impl T for U",
    "pub ",
    "mod m",
    "return",
    "x.y()",
    "\u{feff}",
    "\r\n",
];

fn shards() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(SHARDS.to_vec()), 0..80).prop_map(|shards| shards.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_text_makes_a_valid_record(text in prop_oneof![shards(), any::<String>()]) {
        for pack in PACKS {
            let extension = pack.claims.extensions[0];
            let record = extract(&format!("a.{extension}"), &text);
            prop_assert_eq!(canonical::parse(&canonical::line(&record)).unwrap(), record);
        }
    }

    #[test]
    fn cut_samples_make_valid_records(at in 0usize..2000, length in 0usize..400, shard in shards()) {
        for pack in PACKS {
            let mut text = pack.sample.text.to_owned();
            let start = floor(&text, at);
            let end = floor(&text, start + length);
            text.replace_range(start..end, &shard);
            let record = extract(pack.sample.path, &text);
            prop_assert_eq!(canonical::parse(&canonical::line(&record)).unwrap(), record.clone());
            passages::tests::check_promises(&record);
        }
    }
}
