//! The words of an index that are written most like a word that is not in it.

use std::collections::BTreeMap;

use super::answer::UnknownTerm;
use super::corpus::{Corpus, Numbered};
use super::query::QueryTerm;
use crate::store::terms::for_each_term;
use crate::store::{Field, IndexError};

/// How many words to suggest.
const SUGGESTIONS: usize = 3;

/// A term that comes near, over all segments.
#[derive(Default)]
struct Near {
    distance: usize,
    passages: usize,
    /// Place and spelling of the first of them.
    first: Option<(Place, String)>,
}

/// Repository, path and number of a passage.
type Place = (Option<String>, Vec<u8>, u32);

/// What is written most like `unknown`, nearest first.
pub(super) fn nearest(corpus: &Corpus<'_>, unknown: &QueryTerm) -> Result<UnknownTerm, IndexError> {
    let mut near: BTreeMap<String, Near> = BTreeMap::new();
    for numbered in corpus.segments() {
        let mut candidates = Vec::new();
        numbered.segment.index().dictionary().for_each(|term, entry| {
            if let Ok(term) = std::str::from_utf8(term)
                && let Some(distance) = distance(&unknown.term, term)
            {
                candidates.push((term.to_owned(), distance, entry));
            }
        })?;
        for (term, distance, entry) in candidates {
            let (passages, first) = live(numbered, &term, entry)?;
            if passages > 0 {
                let known = near.entry(term).or_default();
                known.distance = distance;
                known.passages += passages;
                let firsts = [known.first.take(), first];
                known.first = firsts.into_iter().flatten().min();
            }
        }
    }
    let mut near: Vec<(String, Near)> = near.into_iter().collect();
    near.sort_by(|(a_term, a), (b_term, b)| {
        a.distance.cmp(&b.distance).then(b.passages.cmp(&a.passages)).then(a_term.cmp(b_term))
    });
    let mut words: Vec<String> = Vec::new();
    for word in near.into_iter().filter_map(|(_, near)| near.first).map(|(_, word)| word) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.truncate(SUGGESTIONS);
    Ok(UnknownTerm { word: unknown.word.clone(), nearest: words })
}

/// How far two terms are apart; `None` where they are not alike. A start counts as one step.
fn distance(asked: &str, term: &str) -> Option<usize> {
    let len = asked.chars().count();
    if len >= 3 && term.starts_with(asked) {
        return Some(1);
    }
    let most = match len {
        0..=2 => return None,
        3..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    if term.len().abs_diff(asked.len()) > most * 4 || term.chars().count().abs_diff(len) > most {
        return None;
    }
    Some(strsim::damerau_levenshtein(asked, term)).filter(|distance| *distance <= most)
}

/// In how many live passages a term stands, and the first of them with the spelling there.
fn live(
    numbered: &Numbered<'_>,
    term: &str,
    entry: std::ops::Range<usize>,
) -> Result<(usize, Option<(Place, String)>), IndexError> {
    let (segment, index) = (numbered.segment, numbered.segment.index());
    let mut passages: Vec<u32> = Vec::new();
    let mut files: Vec<u32> = Vec::new();
    index.entry(entry, |field, posting| match field {
        Field::Path if !segment.is_hidden_file(posting.document) => files.push(posting.document),
        Field::Path => {}
        _ if !segment.is_hidden_passage(posting.document) => passages.push(posting.document),
        _ => {}
    })?;
    passages.sort_unstable();
    passages.dedup();
    let repo = numbered.repo.map(str::to_owned);
    if let Some(&first) = passages.first() {
        let passage = index.passage(first)?;
        let path = index.path_bytes(passage.file)?.to_vec();
        let places = [passage.qualified_name, index.passage_text(&passage)?];
        let word = places.iter().find_map(|text| spelling(text, term)).unwrap_or_else(|| term.to_owned());
        return Ok((passages.len(), Some(((repo, path, passage.span.start), word))));
    }
    let Some(&file) = files.first() else { return Ok((0, None)) };
    let path = index.path_bytes(file)?.to_vec();
    let word = spelling(&String::from_utf8_lossy(&path), term).unwrap_or_else(|| term.to_owned());
    Ok((files.len(), Some(((repo, path, 0), word))))
}

/// The first word of `text` that gives `term`.
fn spelling(text: &str, term: &str) -> Option<String> {
    let mut found = None;
    for_each_term(text, |here| {
        if found.is_none() && here.bytes == term.as_bytes() {
            found = Some(text[here.start..here.end].to_owned());
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness() {
        assert_eq!(distance("pars", "parsehttpheader"), Some(1));
        assert_eq!(distance("passage", "pasage"), Some(1));
        assert_eq!(distance("header", "haeder"), Some(1));
        assert_eq!(distance("ab", "abc"), None);
        assert_eq!(distance("cat", "dog"), None);
    }
}
