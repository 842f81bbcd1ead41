//! Text that is out of all measure costs a flag, never a crash or a stall.
//!
//! Every pack of the build is given every shape, so that a new pack is covered the
//! day it is added. Limits count steps, and so the same text always meets the same one.

use std::sync::LazyLock;

use cce::config::Settings;
use cce::language::{PACKS, Pack};
use cce::record::extract::Extractor;
use cce::record::{Record, canonical, flag};
use cce::source::decode::{Decoded, Encoding};
use cce::source::{Attributes, RepoPath};

/// More levels than any grammar is followed into.
const DEEP: usize = 20_000;

/// One for all: its queries take longer to compile than most texts to read.
static EXTRACTOR: LazyLock<Extractor> =
    LazyLock::new(|| Extractor::new(&Settings::default()).expect("settings by default"));

fn read(pack: &Pack, text: &str) -> Record {
    // A shared extension would be decided by signs, which such text does not bear.
    let name = format!("a.{}", pack.claims.extensions[0]);
    let path = RepoPath::parse(name.as_str()).expect("a path");
    let decoded = Decoded { text: text.to_owned(), encoding: Encoding::Utf8 };
    let record = EXTRACTOR.extract(&path, decoded, Attributes::default()).record;
    assert_eq!(record.text, text, "{}", pack.name);
    canonical::check(&record).unwrap_or_else(|error| panic!("{}: {error}", pack.name));
    record
}

fn pack(name: &str) -> &'static Pack {
    cce::language::pack(name).expect(name)
}

/// Whether the record owns up to not having read everything.
fn confesses(record: &Record) -> bool {
    let caveats = [flag::PARTIAL_PARSE, flag::TOO_DEEP, flag::TOO_COMPLEX, flag::MINIFIED];
    caveats.iter().any(|caveat| record.flags.contains(caveat))
}

/// The same text many times, on lines that are short enough to be read.
fn lines(unit: &str, count: usize) -> String {
    format!("{unit}\n").repeat(count)
}

#[test]
fn brackets_without_an_end_are_confessed() {
    for pack in PACKS {
        for open in ["(", "[", "{", "<", "f(", "[(", "{[", "if (", "x = ("] {
            let record = read(pack, &lines(open, DEEP));
            assert!(confesses(&record), "{} {open}", pack.name);
        }
    }
}

#[test]
fn brackets_that_close_are_confessed() {
    for pack in PACKS {
        for (open, close) in [("(", ")"), ("[", "]"), ("f(", ")"), ("{", "}")] {
            let text = format!("x = {}1{}", lines(open, DEEP), lines(close, DEEP));
            assert!(confesses(&read(pack, &text)), "{} {open}", pack.name);
        }
    }
}

#[test]
fn blocks_in_blocks_are_confessed() {
    let nested = [
        ("javascript", "function f() {", "}"),
        ("javascript", "x = () => {", "}"),
        ("typescript", "namespace N {", "}"),
        ("typescript", "class A { m() {", "} }"),
        ("tsx", "x = <a>{", "}</a>"),
        ("rust", "fn f() {", "}"),
        ("rust", "mod m {", "}"),
        ("rust", "if x {", "}"),
    ];
    for (name, open, close) in nested {
        let record = read(pack(name), &format!("{}{}", lines(open, DEEP), lines(close, DEEP)));
        assert!(confesses(&record), "{name} {open}");
    }
    let steps: String = (0..1_500).map(|depth| format!("{}if x:\n", " ".repeat(depth.min(900)))).collect();
    assert!(confesses(&read(pack("python"), &steps)));
}

#[test]
fn types_in_types_are_confessed() {
    for (name, before) in [("typescript", "type T ="), ("tsx", "type T ="), ("rust", "type T =")] {
        let text = format!("{before}\n{}A{};\n", lines("A<", DEEP), lines(">>", DEEP / 2));
        assert!(confesses(&read(pack(name), &text)), "{name}");
    }
}

#[test]
fn escapes_in_a_string_end() {
    for (name, before, after) in [
        ("javascript", "x = `", "`"),
        ("typescript", "x = `", "`"),
        ("python", "x = \"\"\"", "\"\"\""),
        ("rust", "const X: &str = \"", "\";"),
    ] {
        let record = read(pack(name), &format!("{before}{}{after}\n", lines(&"\\n".repeat(50), 1_000)));
        assert!(!record.flags.contains(&flag::PARTIAL_PARSE), "{name}");
    }
}

#[test]
fn input_without_an_end_is_confessed() {
    for pack in PACKS {
        for unit in ["fn f() { (", "class A {", "x = ({[", "if (a) {"] {
            let record = read(pack, &lines(unit, 2_000_000 / (unit.len() + 1)));
            assert!(record.flags.contains(&flag::TOO_COMPLEX), "{} {unit}", pack.name);
            assert!(record.definitions.is_empty(), "{} {unit}", pack.name);
        }
    }
}

#[test]
fn brackets_count_where_they_stand_open_together() {
    for pack in PACKS {
        let code = lines(pack.sample.text, 12_000 / pack.sample.text.matches('(').count().max(1));
        let record = read(pack, &code[..code.len().min(200_000)]);
        assert!(!record.definitions.is_empty(), "{}", pack.name);
    }
}

#[test]
fn one_long_line_is_not_parsed() {
    for pack in PACKS {
        let record = read(pack, &"a(".repeat(1 << 20));
        assert!(record.flags.contains(&flag::MINIFIED) && record.definitions.is_empty(), "{}", pack.name);
    }
}

/// Text that opens what it never closes, in one language or another.
const OPENERS: [&str; 12] =
    ["\"", "'", "`", "\"\"\"", "'''", "/*", "<!--", "x = <<~EOS", "=begin", "r#\"", "R\"(", "%w["];

#[test]
fn strings_and_comments_without_an_end_are_text() {
    for pack in PACKS {
        for open in OPENERS {
            let rest = lines("int a = b(c, 1); // it's said", 400);
            let record = read(pack, &format!("{}\n{open}\n{rest}", pack.sample.text));
            assert!(!record.definitions.is_empty() || confesses(&record), "{} {open}", pack.name);
        }
    }
}

#[test]
fn chains_are_read_as_far_as_a_limit_goes() {
    let links = [("x", ".a()"), ("x", ".a"), ("x", " + a"), ("x = a", "[0]"), ("f", "(1)"), ("x", " ? a : b")];
    for pack in PACKS {
        for (start, link) in links {
            let chain = format!("{start}{};", link.repeat(900 / link.len()));
            read(pack, &lines(&chain, 12));
        }
        let whole = format!("x\n{}", lines("  .a()", 5_000));
        assert!(confesses(&read(pack, &whole)), "{}", pack.name);
    }
}

#[test]
fn references_are_counted() {
    let record = read(pack("javascript"), &lines(&"a.b();".repeat(20), 6_000));
    assert_eq!(record.references.len(), 100_000);
    assert!(record.flags.contains(&flag::TOO_COMPLEX));
}

/// Lines that are code in no language.
const NONSENSE: [&str; 8] = [
    "1 2 3 4 a b c",
    ") ( ] } struct => ; ' \" int ::",
    "class struct def fn function if else end import package => :: ;",
    "+ - * / = == => -> :: , ; . : ? !",
    "( ] { ) [ }",
    "if ( ; ) else } else {",
    "# @ $ % ^ & \\ ~",
    "a : b :: c ; = , d",
];

#[test]
fn nonsense_is_confessed() {
    for pack in PACKS {
        for line in NONSENSE {
            let record = read(pack, &lines(line, 30_000 / line.len()));
            // What is an operator to one language is a comment to another.
            assert!(confesses(&record) || line.starts_with('#'), "{} {line}", pack.name);
        }
    }
}

#[test]
fn what_comes_before_nonsense_is_kept() {
    for name in ["c", "cpp", "java"] {
        let pack = pack(name);
        let record = read(pack, &format!("{}\n{}", pack.sample.text, lines("1 2 3 4 a b c", 5_000)));
        assert!(!record.definitions.is_empty(), "{name}");
        assert!(record.flags.contains(&flag::TOO_COMPLEX), "{name}");
    }
}

#[test]
fn a_parse_that_is_given_up_is_tried_on_less() {
    // Signs in an order without a period, so that no two lines are in error alike.
    let signs: Vec<char> = "#@$%^&~".chars().collect();
    let mut state = 1_u32;
    let mut sign = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        signs[(state >> 16) as usize % signs.len()]
    };
    let noise: String = (0..8_000).map(|_| format!("{} {} {} {}\n", sign(), sign(), sign(), sign())).collect();
    for name in ["c", "javascript"] {
        let pack = pack(name);
        let code = lines(pack.sample.text, 20_000 / pack.sample.text.len() + 1);
        let record = read(pack, &format!("{code}{noise}"));
        assert!(!record.definitions.is_empty(), "{name}: {:?}", record.flags);
        assert!(record.flags.contains(&flag::TOO_COMPLEX), "{name}: {:?}", record.flags);
    }
}

#[test]
fn a_long_table_is_no_nonsense() {
    let row = r#"  { 0x12, 0x34, "}", 'a' }, { -1, 2, "(", '\'' },"#;
    for (name, before, after) in [
        ("c", "static const struct cell table[] = {", "};\nint after(void) { return 1; }"),
        ("cpp", "static const struct cell table[] = {", "};\nint after(void) { return 1; }"),
        ("go", "package p\nvar table = []cell{", "}\nfunc after() int { return 1 }"),
        ("java", "class After { Object[][] table = {", "};\nint after() { return 1; } }"),
    ] {
        let record = read(pack(name), &format!("{before}\n{}{after}\n", lines(row, 2_000)));
        assert!(!confesses(&record), "{name}: {:?}", record.problems);
        assert!(record.definitions.iter().any(|definition| definition.name == "after"), "{name}");
    }
}

#[test]
fn definitions_are_counted() {
    let many = [
        ("javascript", "function f() {}"),
        ("python", "def f(): pass"),
        ("rust", "fn f() {}"),
        ("typescript", "function f() {}"),
    ];
    for (name, definition) in many {
        let record = read(pack(name), &lines(definition, 100_001));
        assert_eq!(record.definitions.len(), 100_000, "{name}");
        assert!(record.flags.contains(&flag::TOO_COMPLEX), "{name}");
    }
}
