//! Which passage holds what: for each shape of code and prose, the passage that a
//! search for it answers with.

use std::sync::LazyLock;

use cce::config::Settings;
use cce::record::extract::Extractor;
use cce::record::passages::{PASSAGE_BUDGET, Part, Passage, passages, qualified_name};
use cce::record::{Record, Span, problem};
use cce::source::decode::{Decoded, Encoding};
use cce::source::{Attributes, RepoPath};

static EXTRACTOR: LazyLock<Extractor> = LazyLock::new(|| Extractor::new(&Settings::default()).unwrap());

fn record(path: &str, text: &str) -> Record {
    let decoded = Decoded { text: text.to_owned(), encoding: Encoding::Utf8 };
    let record = EXTRACTOR.extract(&RepoPath::parse(path).unwrap(), decoded, Attributes::default()).record;
    assert!(record.problems.iter().all(|found| found.kind != problem::FAULT), "{path}: extraction failed");
    record
}

/// The passage that owns the first byte of `words`.
fn holder(record: &Record, words: &str) -> Passage {
    let at = record.text.find(words).unwrap_or_else(|| panic!("`{words}` is not in the text")) as u32;
    let owns = |passage: &Passage| passage.own.iter().any(|own| own.start <= at && at < own.end);
    passages(record).into_iter().find(owns).unwrap_or_else(|| panic!("no passage owns `{words}`"))
}

fn words(record: &Record, span: Span) -> &str {
    span.of(&record.text).unwrap()
}

/// Checks that the passage which holds `needle` stands for `name`, as a whole, and
/// shows `beginning` first.
#[track_caller]
fn check(path: &str, text: &str, needle: &str, name: &str, beginning: &str) {
    let record = record(path, text);
    let found = holder(&record, needle);
    let shown = words(&record, found.span).trim_start();
    let qualified = found.definition.map(|index| qualified_name(&record, index)).unwrap_or_default();
    assert_eq!((qualified.as_str(), found.part), (name, Part::Whole), "{path}: `{needle}` is in:\n{shown}");
    assert!(shown.starts_with(beginning), "{path}: the passage of `{needle}` begins:\n{shown}");
}

/// Checks that `needle` is outside every definition, in a passage that also shows `others`.
#[track_caller]
fn check_loose(path: &str, text: &str, needle: &str, others: &[&str]) {
    let record = record(path, text);
    let found = holder(&record, needle);
    let shown = words(&record, found.span);
    assert_eq!((found.definition, found.part), (None, Part::Loose), "{path}: `{needle}` is in:\n{shown}");
    for other in others {
        assert!(shown.contains(other), "{path}: `{other}` is not beside `{needle}` in:\n{shown}");
    }
}

#[test]
fn classes_in_every_form() {
    let text = "/** Doc. */\nexport abstract class Shape {\n  abstract area(): number\n  name() { return 1 }\n}\n";
    check("a.ts", text, "abstract class", "Shape", "/** Doc. */\nexport abstract");
    check("a.ts", text, "abstract area", "Shape.area", "abstract area(): number");
    check(
        "a.js",
        "// Doc.\nconst Shape = class extends Base {\n  area() { return 1 }\n}\n",
        "class extends",
        "Shape",
        "// Doc.",
    );
    check("a.js", "const Shape = class extends Base {\n  area() { return 1 }\n}\n", "return 1", "Shape.area", "area()");
    check("a.js", "exports.Shape = class Inner {\n  area() { return 1 }\n}\n", "return 1", "Shape.area", "area()");
    check(
        "a.py",
        "@final\nclass Shape(ABC):\n    \"\"\"Doc.\"\"\"\n    @abstractmethod\n    def area(self): ...\n",
        "@final",
        "Shape",
        "@final",
    );
}

#[test]
fn functions_in_every_form() {
    check("a.js", "export function* walk(tree) {\n  yield tree\n}\n", "yield", "walk", "export function* walk");
    check("a.js", "const o = {\n  *walk() {\n    yield 1\n  },\n}\n", "yield", "o.walk", "*walk()");
    check("a.py", "async def walk():\n    yield 1\n", "yield", "walk", "async def walk");
    check("a.rs", "const fn f() -> u8 {\n    1\n}\n", "1\n", "f", "const fn f");
    let nested = "def outer():\n    \"\"\"Doc.\"\"\"\n    def inner():\n        return 2\n    return inner\n";
    check("a.py", nested, "return 2", "outer.inner", "def inner");
    check("a.py", nested, "return inner", "outer", "def outer");
    check(
        "a.js",
        "function outer() {\n  function inner() {\n    return 2\n  }\n}\n",
        "return 2",
        "outer.inner",
        "function inner",
    );
    check("a.rs", "fn outer() {\n    fn inner() {\n        two();\n    }\n}\n", "two", "outer::inner", "fn inner");
}

#[test]
fn types_and_overloads() {
    check(
        "a.ts",
        "// Doc.\nexport type Handler = (event: Event) => void\n",
        "(event",
        "Handler",
        "// Doc.\nexport type",
    );
    check("a.rs", "/// Doc.\npub type Pair<T> = (T, T);\n", "(T, T)", "Pair", "/// Doc.\npub type");
    check("a.py", "type Pair[T] = tuple[T, T]\n", "tuple", "Pair", "type Pair");
    let overloads = "/** One. */\nexport function pick(a: string): string\nexport function pick(a: number): number\nexport function pick(a: any) { return a }\n";
    check("a.ts", overloads, "a: number", "pick", "export function pick(a: number)");
    check("a.ts", overloads, "One.", "pick", "/** One. */\nexport function pick(a: string)");
    check(
        "a.py",
        "@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str) -> str: ...\n",
        "x: str",
        "f",
        "@overload",
    );
}

#[test]
fn what_adorns_a_definition_is_with_it() {
    check("a.py", "@app.route('/x')\n@login\ndef view():\n    return 1\n", "route", "view", "@app.route");
    check("a.ts", "@Injectable({ scope: 'x' })\nexport class A {\n  b = 1\n}\n", "scope", "A", "@Injectable");
    check(
        "a.ts",
        "class A {\n  @Input() name: string\n\n  @Log()\n  run() { return 1 }\n}\n",
        "@Log",
        "A.run",
        "@Log()",
    );
    check(
        "a.rs",
        "/// Doc.\n#[derive(Debug)]\n#[serde(rename = \"x\")]\npub struct A {\n    b: u8,\n}\n",
        "Doc.",
        "A",
        "/// Doc.",
    );
    check(
        "a.rs",
        "/// Doc.\n#[derive(Debug)]\n#[serde(rename = \"x\")]\npub struct A {\n    b: u8,\n}\n",
        "rename",
        "A",
        "/// Doc.",
    );
    check("a.rs", "#[inline]\n/// Doc below an attribute.\nfn a() {\n    b()\n}\n", "Doc below", "a", "#[inline]");
}

#[test]
fn constants_and_tables() {
    check(
        "a.rs",
        "/// Doc.\npub const NAMES: [&str; 2] = [\n    \"one\",\n    \"two\",\n];\n",
        "two",
        "NAMES",
        "/// Doc.",
    );
    check("a.rs", "static PLACE: OnceLock<u8> = OnceLock::new();\n", "OnceLock::new", "PLACE", "static PLACE");
    check("a.py", "# Doc.\nNAMES = {\n    'one': 1,\n}\n", "'one'", "NAMES", "# Doc.");
    check("a.ts", "export const names: Record<string, number> = {\n  one: 1,\n}\n", "one: 1", "names", "export const");
    check("a.js", "const names = [\n  'one',\n]\n", "'one'", "names", "const names");
    let rows: String = (0..400).map(|row| format!("    ({row}, \"row {row}\"),\n")).collect();
    let table = record("a.rs", &format!("/// Doc.\nconst TABLE: &[(u16, &str)] = &[\n{rows}];\n"));
    for needle in ["Doc.", "row 7\"", "row 399"] {
        let found = holder(&table, needle);
        assert_eq!(found.definition, Some(0), "{needle}");
        assert!(found.span.len() <= PASSAGE_BUDGET, "{needle}");
    }
}

#[test]
fn blocks_that_extend_a_type() {
    let text =
        "/// Doc.\nimpl<T> Show for Wrap<T> {\n    const A: u8 = 1;\n    fn show(&self) {\n        two()\n    }\n}\n";
    check("a.rs", text, "Doc.", "impl Show for Wrap<T>", "/// Doc.\nimpl");
    check("a.rs", text, "two()", "Wrap::show", "fn show");
    check("a.rs", text, "const A", "Wrap::A", "const A");
    check(
        "a.ts",
        "declare module 'x' {\n  interface Window {\n    y: number\n  }\n}\n",
        "y: number",
        "x.Window",
        "interface Window",
    );
}

#[test]
fn documentation_of_a_file() {
    check_loose(
        "a.rs",
        "//! Of the file.\n//! More.\n\nuse a::b;\n\n/// Of f.\nfn f() {\n    b()\n}\n",
        "Of the file",
        &["More.", "use a::b"],
    );
    check_loose("a.py", "\"\"\"Of the file.\"\"\"\nimport os\n\ndef f():\n    pass\n", "Of the file", &["import os"]);
    check_loose(
        "a.js",
        "/** @file Of the file. */\n\nimport a from 'a'\n\nrun()\n",
        "Of the file",
        &["import a", "run()"],
    );
}

#[test]
fn prose_by_heading() {
    let words = "Some words in a row to read. ".repeat(20);
    let text = format!("# One\n\n{words}\n\n## Two\n\n{words}\n\nThree\n-----\n\nneedle {words}\n");
    for path in ["a.md", "a.rst", "a.txt", "README"] {
        check_loose(path, &text, "needle", &["Three\n-----"]);
        check_loose(path, &text, "# One", &[]);
        let record = record(path, &text);
        let found = holder(&record, "Two");
        assert!(words_of(&record, &found).starts_with("## Two"), "{path}");
    }
}

fn words_of<'a>(record: &'a Record, passage: &Passage) -> &'a str {
    words(record, passage.span)
}

#[test]
fn data_by_structure() {
    let entry = |name: &str| {
        format!("  \"{name}\": {{\n{}    \"last\": 0\n  }},\n", "    \"some key\": \"some value\",\n".repeat(20))
    };
    let json = format!("{{\n{}{}{}  \"end\": 0\n}}\n", entry("one"), entry("two"), entry("three"));
    let section = |name: &str| format!("{name}:\n{}\n", "  some_key: some value\n".repeat(30));
    let yaml = format!("{}{}{}", section("one"), section("two"), section("three"));
    let table = |name: &str| format!("[{name}]\n{}\n", "some_key = \"some value\"\n".repeat(30));
    let toml = format!("{}{}{}", table("one"), table("two"), table("three"));
    for (path, text, begins) in [("a.json", json, "  \"two\": {"), ("a.yaml", yaml, "two:"), ("a.toml", toml, "[two]")]
    {
        let record = record(path, &text);
        let found = holder(&record, "two");
        let shown = words_of(&record, &found);
        assert!(shown.starts_with(begins) && !shown.contains("three"), "{path}:\n{shown}");
    }
}

#[test]
fn squeezed_lines_at_a_width() {
    let text = (0..3_000).map(|index| format!("function f{index}(a){{return a+{index}}};")).collect::<String>();
    let record = record("a.min.js", &text);
    let found = holder(&record, "f2900(");
    assert_eq!((found.definition, found.part), (None, Part::Loose));
    assert!(passages(&record).iter().all(|passage| passage.span.len() <= PASSAGE_BUDGET));
}
