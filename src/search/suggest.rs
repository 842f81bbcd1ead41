//! The words of an index that are written most like a word that is not in it.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::answer::UnknownTerm;
use super::corpus::{Corpus, Numbered};
use super::query::QueryTerm;
use crate::store::terms::{Shape, for_each_term};
use crate::store::{Field, IndexError};

/// How many words to suggest.
const SUGGESTIONS: usize = 3;

/// How many terms to look for spellings of; several may be spelled alike.
const SPELLED: usize = 2 * SUGGESTIONS;

/// A term that comes near.
struct Near {
    term: String,
    distance: usize,
    /// Over all segments.
    passages: usize,
}

/// What is written most like `unknown`, nearest first.
pub(super) fn nearest(corpus: &Corpus<'_>, unknown: &QueryTerm) -> Result<UnknownTerm, IndexError> {
    let asked = Asked::new(&unknown.term);
    let terms: Vec<BTreeMap<String, usize>> =
        corpus.segments().par_iter().map(|numbered| asked.alike_in(numbered)).collect::<Result<_, _>>()?;
    let terms: BTreeMap<String, usize> = terms.into_iter().flatten().collect();
    let mut near = Vec::new();
    for (term, distance) in terms {
        let mut passages = 0;
        for numbered in corpus.segments() {
            passages += Places::of(numbered, &term)?.count();
        }
        if passages > 0 {
            near.push(Near { term, distance, passages });
        }
    }
    near.sort_by(|a, b| a.distance.cmp(&b.distance).then(b.passages.cmp(&a.passages)).then(a.term.cmp(&b.term)));
    let mut words: Vec<String> = Vec::new();
    for near in near.into_iter().take(SPELLED) {
        let word = spelling(corpus, &near.term)?.unwrap_or(near.term);
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.truncate(SUGGESTIONS);
    Ok(UnknownTerm { word: unknown.word.clone(), nearest: words })
}

/// The term that is asked for, ready to be compared with many.
struct Asked<'a> {
    term: &'a str,
    /// Length in characters.
    len: usize,
    /// How far a term may be away.
    most: usize,
    /// How often each byte stands in it; `None` where it is not all ASCII.
    letters: Option<[u8; 128]>,
}

impl<'a> Asked<'a> {
    fn new(term: &'a str) -> Self {
        let len = term.chars().count();
        let most = match len {
            0..=2 => 0,
            3..=4 => 1,
            5..=8 => 2,
            _ => 3,
        };
        let letters = (term.is_ascii() && len < 256).then(|| {
            let mut letters = [0u8; 128];
            term.bytes().for_each(|byte| letters[usize::from(byte)] += 1);
            letters
        });
        Self { term, len, most, letters }
    }

    /// The terms of one segment that are alike, and how far they are away.
    fn alike_in(&self, numbered: &Numbered<'_>) -> Result<BTreeMap<String, usize>, IndexError> {
        let mut alike = BTreeMap::new();
        numbered.segment.index().dictionary().for_each(|term, _| {
            if let Ok(term) = std::str::from_utf8(term)
                && let Some(distance) = self.distance(term)
            {
                alike.insert(term.to_owned(), distance);
            }
        })?;
        Ok(alike)
    }

    /// How far a term is away; `None` where the two are not alike. A start counts as one step.
    fn distance(&self, term: &str) -> Option<usize> {
        if self.len >= 3 && term.starts_with(self.term) {
            return Some(1);
        }
        let too_long = term.len().abs_diff(self.term.len()) > self.most * 4;
        if self.most == 0
            || too_long
            || !self.has_letters_of(term)
            || term.chars().count().abs_diff(self.len) > self.most
        {
            return None;
        }
        Some(strsim::damerau_levenshtein(self.term, term)).filter(|distance| *distance <= self.most)
    }

    /// Whether the letters, whatever their order, leave it possible that a term is near: each
    /// step takes away one letter at most and brings one at most.
    fn has_letters_of(&self, term: &str) -> bool {
        let Some(mut letters) = self.letters.filter(|_| term.is_ascii()) else { return true };
        let mut foreign = 0;
        for byte in term.bytes() {
            match &mut letters[usize::from(byte)] {
                0 => foreign += 1,
                left => *left -= 1,
            }
            if foreign > self.most {
                return false;
            }
        }
        self.term.len() + foreign <= term.len() + self.most
    }
}

/// The live passages of a segment that hold a term, and the live files whose path does.
struct Places {
    passages: Vec<u32>,
    files: Vec<u32>,
}

impl Places {
    fn of(numbered: &Numbered<'_>, term: &str) -> Result<Self, IndexError> {
        let segment = numbered.segment;
        let mut places = Self { passages: Vec::new(), files: Vec::new() };
        segment.index().postings(term.as_bytes(), |field, posting| match field {
            Field::Path if !segment.is_hidden_file(posting.document) => places.files.push(posting.document),
            Field::Path => {}
            _ if !segment.is_hidden_passage(posting.document) => places.passages.push(posting.document),
            _ => {}
        })?;
        places.passages.sort_unstable();
        places.passages.dedup();
        Ok(places)
    }

    fn count(&self) -> usize {
        self.passages.len() + self.files.len()
    }
}

/// Where a passage stands: repository, path, start. The least comes first.
type Spot<'a> = (Option<&'a str>, Vec<u8>, u32);

/// How a term is written where it first is a word of its own; `None` where it is only a piece of longer words.
fn spelling(corpus: &Corpus<'_>, term: &str) -> Result<Option<String>, IndexError> {
    let mut first: Option<(Spot<'_>, String)> = None;
    for numbered in corpus.segments() {
        let index = numbered.segment.index();
        let places = Places::of(numbered, term)?;
        let mut found = None;
        for passage in places.passages {
            let entry = index.passage(passage)?;
            let texts = [entry.qualified_name, index.passage_text(&entry)?];
            if let Some(word) = texts.iter().find_map(|text| word_for(text, term)) {
                found = Some(((numbered.repo, index.path_bytes(entry.file)?.to_vec(), entry.span.start), word));
                break;
            }
        }
        first = [first, found].into_iter().flatten().min();
    }
    Ok(first.map(|(_, word)| word))
}

/// The first whole word of `text` that gives `term`.
fn word_for(text: &str, term: &str) -> Option<String> {
    let mut found = None;
    for_each_term(text, |here| {
        if found.is_none() && here.shape != Shape::Part && here.bytes == term.as_bytes() {
            found = Some(text[here.start..here.end].to_owned());
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn distance(asked: &str, term: &str) -> Option<usize> {
        Asked::new(asked).distance(term)
    }

    #[test]
    fn likeness() {
        assert_eq!(distance("pars", "parsehttpheader"), Some(1));
        assert_eq!(distance("passage", "pasage"), Some(1));
        assert_eq!(distance("header", "haeder"), Some(1));
        assert_eq!(distance("ab", "abc"), None);
        assert_eq!(distance("cat", "dog"), None);
    }

    proptest! {
        #[test]
        fn letters_rule_out_nothing_that_is_near(asked in "[abcdé]{0,12}", term in "[abcdé]{0,12}") {
            let most = Asked::new(&asked).most;
            let near = strsim::damerau_levenshtein(&asked, &term) <= most;
            prop_assert!(!near || Asked::new(&asked).has_letters_of(&term));
        }
    }
}
