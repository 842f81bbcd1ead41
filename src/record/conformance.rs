//! Holds a language pack to what it declares.

use super::extract::Facts;
use super::{Definition, Import, ImportedName, Problem, Record, Reference, canonical, encoding, passages};
use crate::language::program::Program;
use crate::language::validate::{Diagnostic, validate as validate_alone};
use crate::language::{ExpectedDefinition, ExpectedReference, Pack};
use crate::record::Word;
use crate::source::RepoPath;

/// Checks a pack by itself, and that its sample yields exactly what it declares.
///
/// An empty answer means that the pack may be registered.
pub fn validate(pack: &Pack) -> Vec<Diagnostic> {
    let mut found = validate_alone(pack);
    if found.is_empty() {
        let behaviour = behaviour(pack).into_iter();
        found.extend(behaviour.map(|problem| Diagnostic { pack: pack.name.to_owned(), problem }));
    }
    found
}

fn behaviour(pack: &Pack) -> Vec<String> {
    let record = match sample_record(pack) {
        Ok(record) => record,
        Err(problem) => return vec![problem],
    };
    let mut problems = Vec::new();
    if let Err(error) = canonical::check(&record) {
        problems.push(format!("its sample makes a record that is not valid: {error}"));
    }
    problems.extend(record.problems.iter().map(|problem| parse_problem(&record, problem)));
    let definitions = |index: usize, definition: &Definition| -> ExpectedPair {
        (definition.kind.to_string(), passages::qualified_name(&record, index as u32))
    };
    compare(
        "definition",
        record.definitions.iter().enumerate().map(|(index, found)| definitions(index, found)),
        pack.sample.definitions.iter().map(|expected: &ExpectedDefinition| (expected.0.into(), expected.1.into())),
        &mut problems,
    );
    compare(
        "reference",
        record.references.iter().map(|reference| (reference.role.to_string(), mention(&record, reference))),
        pack.sample.references.iter().map(|expected: &ExpectedReference| (expected.0.into(), expected.1.into())),
        &mut problems,
    );
    compare(
        "import",
        record.imports.iter().map(|import| ("import".into(), describe(import))),
        pack.sample.imports.iter().map(|expected| ("import".into(), (*expected).into())),
        &mut problems,
    );
    problems
}

type ExpectedPair = (String, String);

fn sample_record(pack: &Pack) -> Result<Record, String> {
    let program = Program::compile(pack).map_err(|error| error.to_string())?;
    let facts = Facts::read(pack, &program, pack.sample.text);
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
    problems: &mut Vec<String>,
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
    problems.push(format!(
        "its sample declares {} as {what} {at} and yields {}",
        show(expected.get(at)),
        show(found.get(at))
    ));
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
    use crate::language::{Claims, PACKS, QueryText, Sample};
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
        let good = crate::language::pack("javascript").expect("there is a pack for it");
        let problems = |pack: Pack| -> Vec<String> { validate(&pack).into_iter().map(|found| found.problem).collect() };
        let copy = || Pack {
            name: good.name,
            claims: good.claims,
            grammar: good.grammar,
            readable: good.readable,
            queries: good.queries,
            rules: good.rules,
            sample: good.sample,
        };
        assert!(problems(copy()).is_empty());

        let less = Sample { definitions: &good.sample.definitions[1..], ..good.sample };
        assert!(problems(Pack { sample: less, ..copy() })[0].starts_with("its sample declares"));
        let broken = Sample { text: "function (", ..good.sample };
        assert!(problems(Pack { sample: broken, ..copy() })[0].starts_with("its sample has a parse-error in line 1"));
        let unknown = &[QueryText { file: "x.scm", text: "(comment) @a\n(nowhere) @b" }];
        assert!(
            problems(Pack { queries: unknown, ..copy() })[0]
                .starts_with("query `x.scm` does not fit the grammar at line 2")
        );
        let capture = &[QueryText { file: "x.scm", text: "(comment) @remark" }];
        assert_eq!(problems(Pack { queries: capture, ..copy() }), ["query capture `@remark` is not in the vocabulary"]);
        let setting = &[QueryText { file: "x.scm", text: "((comment) @comment (#set! loud yes))" }];
        assert_eq!(
            problems(Pack { queries: setting, ..copy() }),
            ["query setting `loud` = `yes` is not in the vocabulary"]
        );
        assert_eq!(problems(Pack { name: "No Name", ..copy() }), ["`No Name` cannot be a pack's name"]);
        let claims = Claims { extensions: &[".JS"], ..good.claims };
        assert!(problems(Pack { claims, ..copy() })[0].contains("is empty, has a dot"));
    }
}
