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
    use crate::language::PACKS;

    #[test]
    fn every_pack_does_what_it_declares() {
        let found: Vec<Diagnostic> = PACKS.into_iter().flat_map(validate).collect();
        assert!(found.is_empty(), "{found:#?}");
    }
}
