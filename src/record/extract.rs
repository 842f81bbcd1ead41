//! From one file's text to its record.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::parse::{self, Harvest};
use super::{Definition, Import, Problem, Record, Reference, Word, canonical, flag, language, problem};
use super::{flags, imports, nest, references};
use crate::config::Settings;
use crate::language::detect::{DetectError, Detector};
use crate::language::program::{Program, ProgramError};
use crate::language::{PACKS, Pack};
use crate::source::decode::{Decoded, Encoding};
use crate::source::redact::redact;
use crate::source::{Attributes, RepoPath};

/// Grows with every change to the program that can alter a record.
pub const EXTRACTOR_REVISION: u32 = 1;

/// What extraction gives for one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extraction {
    /// The record.
    pub record: Record,
    /// How many secrets of which kind were replaced in it.
    pub redactions: BTreeMap<&'static str, u32>,
}

/// Which extractor made a record. Two equal ids make equal records of equal input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtractorId {
    /// Lower-case hex SHA-256 over the revision, the pinned crates and every pack.
    pub digest: String,
    /// [`EXTRACTOR_REVISION`] of the program.
    pub revision: u32,
}

/// Why there is no extractor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractorError {
    /// The settings name what there is not.
    #[error(transparent)]
    Settings(#[from] DetectError),
    /// A pack of this build does not fit its grammar.
    #[error("language pack `{pack}` cannot be used: {error}")]
    Pack {
        /// The pack.
        pack: &'static str,
        /// What is wrong with it.
        error: ProgramError,
    },
}

/// Makes records under given settings; shared freely between threads.
#[derive(Debug)]
pub struct Extractor {
    detector: Detector,
    id: ExtractorId,
    /// Compiled when first needed, in the order of [`PACKS`].
    programs: Vec<OnceLock<Result<Program, ProgramError>>>,
}

impl Extractor {
    /// Checks the settings that choose languages.
    ///
    /// # Errors
    /// On an unknown pack or language, with the known one that is written most like it.
    pub fn new(settings: &Settings) -> Result<Self, ExtractorError> {
        let programs = PACKS.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { detector: Detector::new(settings)?, id: identify(), programs })
    }

    /// Compiles every pack now, where it would otherwise happen with the first file.
    ///
    /// # Errors
    /// Names the pack that does not fit its grammar.
    pub fn prepare(&self) -> Result<(), ExtractorError> {
        for (pack, program) in PACKS.iter().zip(&self.programs) {
            if let Err(error) = program.get_or_init(|| Program::compile(pack)) {
                return Err(ExtractorError::Pack { pack: pack.name, error: error.clone() });
            }
        }
        Ok(())
    }

    /// Which extractor this is; the same for all settings.
    pub fn id(&self) -> &ExtractorId {
        &self.id
    }

    /// Makes the record of one file.
    ///
    /// Never fails: what could not be read is among the record's problems, and a
    /// file that is too much to parse still contributes its text.
    pub fn extract(&self, path: &RepoPath, decoded: Decoded, attributes: Attributes) -> Extraction {
        let redacted = redact(decoded.text);
        let text = redacted.text;
        let pack = self.detector.detect(path, &text);
        let mut flags = flags::flags(path, &text, attributes, pack);
        if decoded.encoding != Encoding::Utf8 {
            flags.insert(flag::NOT_UTF8);
        }
        let facts = match pack {
            Some(pack) if !flags.contains(&flag::MINIFIED) => self.read(pack, &text),
            _ => Facts::default(),
        };
        flags.extend(facts.flags());
        let language = pack.map_or(language::TEXT, |pack| Word::known(pack.name));
        let record = Record {
            path: path.clone(),
            language,
            encoding: decoded.encoding.into(),
            flags,
            text,
            definitions: facts.definitions,
            references: facts.references,
            imports: facts.imports,
            problems: facts.problems,
        };
        debug_assert!(canonical::check(&record).is_ok(), "{path}: {:?}", canonical::check(&record));
        Extraction { record, redactions: redacted.counts }
    }

    fn read(&self, pack: &'static Pack, text: &str) -> Facts {
        match self.program(pack) {
            Some(program) => Facts::read(pack, program, text),
            None => Facts { problems: vec![Problem::unreadable(text)], ..Facts::default() },
        }
    }

    fn program(&self, pack: &'static Pack) -> Option<&Program> {
        let index = PACKS.iter().position(|candidate| candidate.name == pack.name)?;
        self.programs[index].get_or_init(|| Program::compile(pack)).as_ref().ok()
    }
}

/// What a grammar says of one text.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) definitions: Vec<Definition>,
    pub(super) references: Vec<Reference>,
    pub(super) imports: Vec<Import>,
    pub(super) problems: Vec<Problem>,
    partial: bool,
}

impl Facts {
    /// Parses `text` and puts together what the pack's queries captured.
    pub(super) fn read(pack: &Pack, program: &Program, text: &str) -> Self {
        let mut harvest: Harvest = parse::harvest(program, text);
        imports::tidy(&mut harvest);
        let definitions = nest::definitions(program, &pack.rules, text, &mut harvest);
        let imports = imports::imports(program, pack.rules.separator, text, &harvest);
        let references = references::references(program, text, &mut harvest, &definitions, &imports);
        Self { definitions, references, imports: imports.imports, problems: harvest.problems, partial: harvest.partial }
    }

    fn flags(&self) -> impl Iterator<Item = Word> {
        let met = |kind: Word| self.problems.iter().any(|problem| problem.kind == kind);
        [
            (flag::PARTIAL_PARSE, self.partial),
            (flag::TOO_DEEP, met(problem::TOO_DEEP)),
            (flag::TOO_COMPLEX, met(problem::TOO_COMPLEX)),
        ]
        .into_iter()
        .filter_map(|(flag, holds)| holds.then_some(flag))
    }
}

impl Problem {
    fn unreadable(text: &str) -> Self {
        Self { kind: problem::TOO_COMPLEX, span: super::Span::new(0, text.len() as u32) }
    }
}

fn identify() -> ExtractorId {
    let mut hash = Sha256::new();
    let mut part = |part: &str| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    };
    part(&EXTRACTOR_REVISION.to_string());
    part(env!("CCE_PINNED_CRATES"));
    PACKS.iter().for_each(|pack| pack.describe(&mut part));
    ExtractorId { digest: canonical::hex(&hash.finalize()), revision: EXTRACTOR_REVISION }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::record::boundary::floor;
    use crate::record::passages::{self, Part};

    static EXTRACTOR: LazyLock<Extractor> = LazyLock::new(|| Extractor::new(&Settings::default()).unwrap());

    pub(in crate::record) fn extract(path: &str, text: &str) -> Record {
        let decoded = Decoded { text: text.to_owned(), encoding: Encoding::Utf8 };
        EXTRACTOR.extract(&RepoPath::parse(path).unwrap(), decoded, Attributes::default()).record
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
        ] {
            let text = format!("{}1{}\n", open.repeat(20_000), close.repeat(20_000));
            let lines = text.replace(&open.repeat(20), &format!("{}\n", open.repeat(20)));
            let lines = lines.replace(&close.repeat(20), &format!("{}\n", close.repeat(20)));
            let record = extract(path, &lines);
            let limits = BTreeSet::from([flag::TOO_DEEP, flag::TOO_COMPLEX]);
            assert!(!record.flags.is_disjoint(&limits), "{path} {open}: {:?}", record.flags);
            assert!(!passages::passages(&record).is_empty());
        }
    }

    #[test]
    fn text_that_is_not_in_its_language_costs_little() {
        for (path, line) in
            [("a.py", "def ( ] } class lambda => ; ' \" import ::\n"), ("a.py", "(\n"), ("a.ts", "`${\n")]
        {
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
                [
                    (path("a"), pack.sample.text.to_owned()),
                    (path("b"), broken.repeat(40)),
                    (path("c"), "(\n".repeat(9_000)),
                ]
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
        assert!(env!("CCE_PINNED_CRATES").contains("tree-sitter=0.26"));
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
}
