//! Holds a language pack to what it declares.

use super::reading::Reader;
use super::{Definition, Import, ImportedName, Problem, Record, Reference, canonical, encoding, passages};
use crate::language::detect::Detector;
use crate::language::program::{Program, Programs};
use crate::language::validate::{Diagnostic, Findings, validate as validate_alone};
use crate::language::{ExpectedDefinition, ExpectedReference, Pack};
use crate::record::Word;
use crate::source::RepoPath;

/// Checks a pack by itself, and that its sample yields exactly what it declares.
///
/// An empty answer means that the pack may be registered.
pub fn validate(pack: &Pack) -> Vec<Diagnostic> {
    let mut found = validate_alone(pack);
    if found.is_empty() {
        found.extend(behaviour(pack));
    }
    found
}

fn behaviour(pack: &Pack) -> Vec<Diagnostic> {
    let mut findings = Findings::of(pack);
    let record = match sample_record(pack) {
        Ok(record) => record,
        Err(problem) => {
            findings.note("sample", problem, "mend what it names");
            return findings.list();
        }
    };
    if let Err(error) = canonical::check(&record) {
        let problem = format!("its sample makes a record that is not valid: {error}");
        findings.note("sample.text", problem, "see which capture gives such a span");
    }
    for problem in &record.problems {
        findings.note("sample.text", parse_problem(&record, problem), "write code that the grammar reads");
    }
    let definitions = |index: usize, definition: &Definition| -> ExpectedPair {
        (definition.kind.to_string(), passages::qualified_name(&record, index as u32))
    };
    compare(
        "definition",
        record.definitions.iter().enumerate().map(|(index, found)| definitions(index, found)),
        pack.sample.definitions.iter().map(|expected: &ExpectedDefinition| (expected.0.into(), expected.1.into())),
        &mut findings,
    );
    compare(
        "reference",
        record.references.iter().map(|reference| (reference.role.to_string(), mention(&record, reference))),
        pack.sample.references.iter().map(|expected: &ExpectedReference| (expected.0.into(), expected.1.into())),
        &mut findings,
    );
    compare(
        "import",
        record.imports.iter().map(|import| ("import".into(), describe(import))),
        pack.sample.imports.iter().map(|expected| ("import".into(), (*expected).into())),
        &mut findings,
    );
    findings.list()
}

type ExpectedPair = (String, String);

fn sample_record(pack: &Pack) -> Result<Record, String> {
    let program = Program::compile(pack).map_err(|error| error.to_string())?;
    let (detector, programs) = (Detector::every_pack(), Programs::default());
    let facts = Reader { detector: &detector, programs: &programs }.code_with(pack, &program, pack.sample.text);
    Ok(Record {
        path: RepoPath::parse(pack.sample.path).map_err(|error| error.to_string())?,
        language: Word::parse(pack.name).map_err(|error| error.to_string())?,
        encoding: encoding::UTF_8,
        flags: Default::default(),
        text: pack.sample.text.to_owned(),
        definitions: facts.definitions,
        references: facts.references,
        imports: facts.imports,
        problems: facts.problems,
    })
}

fn parse_problem(record: &Record, problem: &Problem) -> String {
    let line = record.text[..problem.span.start as usize].matches('\n').count() + 1;
    format!("its sample has a {} in line {line}", problem.kind)
}

fn compare(
    what: &str,
    found: impl Iterator<Item = ExpectedPair>,
    expected: impl Iterator<Item = ExpectedPair>,
    findings: &mut Findings<'_>,
) {
    let found: Vec<ExpectedPair> = found.collect();
    let expected: Vec<ExpectedPair> = expected.collect();
    if found == expected {
        return;
    }
    let at = found.iter().zip(&expected).position(|(a, b)| a != b).unwrap_or(found.len().min(expected.len()));
    let show = |pair: Option<&ExpectedPair>| {
        pair.map_or_else(|| "nothing".to_owned(), |(kind, name)| format!("`{kind}` `{name}`"))
    };
    let (declared, yielded) = (show(expected.get(at)), show(found.get(at)));
    findings.note(
        format!("sample.{what}s[{at}]"),
        format!("its sample declares {declared} there and yields {yielded}"),
        "declare what is right, or mend the query",
    );
}

/// A mention as samples write it.
fn mention(record: &Record, reference: &Reference) -> String {
    let name = reference.span.of(&record.text).unwrap_or_default();
    reference.receiver.as_ref().map_or_else(|| name.to_owned(), |receiver| format!("{receiver} {name}"))
}

/// An import as samples write it.
fn describe(import: &Import) -> String {
    let names: Vec<String> = import.names.iter().map(describe_name).collect();
    let colon = if names.is_empty() { "" } else { ": " };
    let again = if import.reexport { " (again)" } else { "" };
    format!("{}{colon}{}{again}", import.specifier, names.join(", "))
}

fn describe_name(name: &ImportedName) -> String {
    name.alias.as_ref().map_or_else(|| name.name.clone(), |alias| format!("{} as {alias}", name.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Claims, PACKS, QueryText, Rules, Sample};
    use crate::record::Span;
    use crate::record::nest::one_line;

    #[test]
    fn every_pack_does_what_it_declares() {
        let found: Vec<Diagnostic> = PACKS.into_iter().flat_map(validate).collect();
        assert!(found.is_empty(), "{found:#?}");
    }

    /// What a record says, as a reader would check it.
    fn render(record: &Record) -> String {
        let mut out = String::new();
        let line = |at: u32| record.text[..at as usize].matches('\n').count() + 1;
        let words = |span: Span| one_line(span.of(&record.text).unwrap(), 100);
        for (index, found) in record.definitions.iter().enumerate() {
            let lines = format!("{}-{}", line(found.span.start), line(found.span.end));
            let name = passages::qualified_name(record, index as u32);
            out += &format!("{} {name} ({}, lines {lines})\n    {}\n", found.kind, found.node, words(found.signature));
            out += &found.visibility.as_ref().map(|word| format!("    visibility: {word}\n")).unwrap_or_default();
            out += &found.doc.map(|doc| format!("    doc: {}\n", words(doc))).unwrap_or_default();
        }
        out.push('\n');
        for found in &record.references {
            let around = found.enclosing.map_or_else(|| "-".into(), |index| passages::qualified_name(record, index));
            out += &format!("{} {} in {around}, line {}\n", found.role, mention(record, found), line(found.span.start));
        }
        out.push('\n');
        record
            .imports
            .iter()
            .for_each(|found| out += &format!("import {}\n    {}\n", describe(found), words(found.span)));
        out.push('\n');
        for found in passages::passages(record) {
            let name = found.definition.map(|index| passages::qualified_name(record, index)).unwrap_or_default();
            let own: Vec<String> = found.own.iter().map(|span| words(*span)).collect();
            out += &format!(
                "{:?} {name} lines {}-{}: {}\n",
                found.part,
                line(found.span.start),
                line(found.span.end - 1),
                own.join(" | ")
            );
        }
        out
    }

    #[test]
    fn samples_are_read_as_recorded() {
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path("../../golden");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| {
            for pack in PACKS {
                insta::assert_snapshot!(format!("sample_{}", pack.name), render(&sample_record(pack).unwrap()));
            }
        });
    }

    #[test]
    fn a_pack_that_breaks_its_word_is_refused() {
        let good = crate::language::pack("javascript").unwrap();
        let told = |pack: Pack| -> Vec<String> { validate(&pack).iter().map(ToString::to_string).collect() };
        let copy = || Pack {
            name: good.name,
            claims: good.claims,
            grammar: good.grammar,
            readable: good.readable,
            queries: good.queries,
            rules: good.rules,
            sample: good.sample,
        };
        let query = |text: &'static str| -> Vec<String> {
            let queries = Box::leak(Box::new([QueryText { file: "x.scm", text }]));
            told(Pack { queries, ..copy() })
        };
        assert!(told(copy()).is_empty());

        let less = Sample { definitions: &good.sample.definitions[1..], ..good.sample };
        assert_eq!(
            told(Pack { sample: less, ..copy() })[0],
            "javascript: sample.definitions[0]: its sample declares `class` `Auth` there and yields `function` `signIn`; \
             declare what is right, or mend the query"
        );
        let broken = Sample { text: "function (", ..good.sample };
        assert!(
            told(Pack { sample: broken, ..copy() })[0].contains("sample.text: its sample has a parse-error in line 1")
        );
        assert_eq!(
            query("(comment) @comment\n(function_declartion) @b"),
            [
                "javascript: x.scm:2: the grammar has no node `function_declartion`; did you mean `function_declaration`?"
            ]
        );
        assert_eq!(
            query("(function_declaration nam: (_) @name)"),
            ["javascript: x.scm:1: the grammar has no field `nam`; did you mean `name`?"]
        );
        assert!(query("(comment (comment) @name)")[0].contains("x.scm:1: the grammar never gives this shape"));
        assert!(query("(comment")[0].contains("x.scm:1: this is no query"));
        assert_eq!(
            query("\n(comment) @coment"),
            ["javascript: x.scm:2: capture `@coment` is not in the vocabulary; did you mean `comment`?"]
        );
        assert!(query("((comment) @comment (#set! loud yes))")[0].contains("x.scm:1: query setting `loud` = `yes`"));
        assert!(told(Pack { name: "No Name", ..copy() })[0].contains("name: `No Name` cannot be a pack's name"));
        let claims = Claims { extensions: &[".JS"], ..good.claims };
        assert!(told(Pack { claims, ..copy() })[0].contains("claims.extensions: `.JS` is empty, has a dot"));
        let claims = Claims { extensions: &["rs"], ..good.claims };
        assert!(told(Pack { claims, ..copy() })[0].contains("pack `rust` claims `rs` too"));
        let claims = Claims { signs: &["("], ..good.claims };
        assert!(told(Pack { claims, ..copy() })[0].contains("claims.signs: `(` is not a regular expression"));
        let rules = Rules { dialects: &["tsxx"], ..good.rules };
        assert!(told(Pack { rules, ..copy() })[0].contains("`tsxx` is not a pack; did you mean `tsx`?"));
    }
}
