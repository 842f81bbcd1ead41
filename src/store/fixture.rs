//! Small records and indexes for tests.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{FileImage, Index, IndexBuilder};
use crate::record::{Definition, Record, Span, Word, encoding, kind};
use crate::snapshot::RecordKey;
use crate::source::{RepoPath, SkipReason, Skipped};

/// The record of a toy language: `fn name(…) {` and `mod name {` open a definition, a line `}` closes
/// it, `///` lines above belong to it. The extension is the language.
pub(crate) fn record(path: &str, text: &str) -> Record {
    let mut definitions: Vec<Definition> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut doc: Option<Span> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let start = (at + line.len() - line.trim_start().len()) as u32;
        let end = start + trimmed.len() as u32;
        at += line.len();
        let kinds = [("fn ", kind::FUNCTION), ("mod ", kind::MODULE)];
        if trimmed.starts_with("///") {
            doc = Some(Span::new(doc.map_or(start, |doc| doc.start), end));
            continue;
        }
        if trimmed == "}"
            && let Some(closed) = open.pop()
        {
            definitions[closed].span.end = end;
        } else if let Some((keyword, kind)) = kinds.into_iter().find(|(keyword, _)| trimmed.starts_with(keyword)) {
            let name: String =
                trimmed[keyword.len()..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let name_start = start + keyword.len() as u32;
            definitions.push(Definition {
                container: open.last().map(|at| *at as u32),
                doc,
                kind,
                name_span: Span::new(name_start, name_start + name.len() as u32),
                name,
                node: "toy".into(),
                owner: None,
                signature: Span::new(start, end),
                span: Span::new(doc.map_or(start, |doc| doc.start), end),
                visibility: None,
            });
            open.push(definitions.len() - 1);
        }
        doc = None;
    }
    for unclosed in open {
        definitions[unclosed].span.end = text.trim_end().len() as u32;
    }
    let language = path.rsplit_once('.').map_or("text", |(_, extension)| extension);
    Record {
        path: RepoPath::parse(path).unwrap(),
        language: Word::parse(language).unwrap(),
        encoding: encoding::UTF_8,
        flags: BTreeSet::new(),
        text: text.into(),
        definitions,
        references: vec![],
        imports: vec![],
        problems: vec![],
    }
}

/// The image of a toy file.
pub(crate) fn image(path: &str, text: &str) -> FileImage {
    let mut key = [0; 32];
    key[0] = text.len() as u8;
    FileImage::from_record(record(path, text), RecordKey(key)).unwrap()
}

/// The bytes of an index of toy files.
pub(crate) fn index_bytes(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = IndexBuilder::new();
    for (path, text) in files {
        builder.add(image(path, text));
    }
    builder.skip(Skipped { path: RepoPath::parse("logo.png").unwrap(), reason: SkipReason::Binary }, None);
    let mut bytes = Vec::new();
    builder.finish(b"{\"format\":\"3.0\"}\n", &mut bytes).unwrap();
    bytes
}

/// An index of toy files.
pub(crate) fn index(files: &[(&str, &str)]) -> Arc<Index> {
    Arc::new(Index::from_bytes(index_bytes(files)).unwrap())
}
