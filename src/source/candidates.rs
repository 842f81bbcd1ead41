//! Which of many patterns may match a path, without trying each.
//!
//! Most patterns demand some bytes in a row. Of those, the rarest four among all the
//! patterns (or all, where there are fewer) are looked up in the path; only patterns that
//! demand nothing are tried every time.

use std::collections::HashMap;

use super::glob::{Case, Demand, Pattern};

/// So few patterns are faster tried one by one.
const FEW: usize = 16;
/// The most bytes in a row that are looked up.
const GRAM: usize = 4;

/// Up to four bytes in a row, with their number.
type Gram = (usize, [u8; GRAM]);

/// Patterns by what they demand of a path.
#[derive(Debug)]
pub(crate) struct Candidates {
    case: Case,
    by_gram: HashMap<Gram, Vec<usize>>,
    always: Vec<usize>,
}

impl Candidates {
    /// Sorts patterns, which share their `case`; `None` where they are few.
    pub(crate) fn new<'a>(patterns: impl ExactSizeIterator<Item = &'a Pattern>, case: Case) -> Option<Self> {
        if patterns.len() <= FEW {
            return None;
        }
        let demands: Vec<Demand> = patterns.map(Pattern::demand).collect();
        let mut counts: HashMap<Gram, usize> = HashMap::new();
        for demand in &demands {
            if let Demand::Bytes(bytes) = demand {
                grams(bytes).for_each(|gram| *counts.entry(gram).or_default() += 1);
            }
        }
        let mut candidates = Self { case, by_gram: HashMap::new(), always: Vec::new() };
        for (number, demand) in demands.iter().enumerate() {
            match demand {
                Demand::Impossible => {}
                Demand::Anything => candidates.always.push(number),
                Demand::Bytes(bytes) => match grams(bytes).min_by_key(|gram| (counts[gram], *gram)) {
                    Some(rarest) => candidates.by_gram.entry(rarest).or_default().push(number),
                    None => candidates.always.push(number),
                },
            }
        }
        Some(candidates)
    }

    /// The numbers of the patterns that may match, the last first.
    pub(crate) fn of(&self, path: &[u8]) -> Vec<usize> {
        let folded;
        let path = match self.case {
            Case::Sensitive => path,
            Case::Fold => {
                folded = path.to_ascii_lowercase();
                &folded
            }
        };
        let mut found = self.always.clone();
        for length in 1..=GRAM {
            found.extend(path.windows(length).filter_map(|bytes| self.by_gram.get(&gram(bytes))).flatten());
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.dedup();
        found
    }
}

/// Everything of `bytes` that could be looked up.
fn grams(bytes: &[u8]) -> impl Iterator<Item = Gram> {
    bytes.windows(bytes.len().clamp(1, GRAM)).map(gram)
}

fn gram(bytes: &[u8]) -> Gram {
    let mut gram = [0; GRAM];
    gram[..bytes.len()].copy_from_slice(bytes);
    (bytes.len(), gram)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn patterns(texts: &[String], case: Case) -> Vec<Pattern> {
        texts.iter().map(|text| Pattern::parse(text.as_bytes(), case)).collect()
    }

    proptest! {
        #[test]
        fn no_pattern_that_matches_is_left_out(
            texts in prop::collection::vec("!?/?([abAB.]{1,5}|\\*|\\*\\*|/|\\?|\\[a-b\\]|\\[|\\\\|\\*\\*/){1,5}/?", FEW + 1..60),
            paths in prop::collection::vec("[abAB.]{1,5}(/[abAB.]{1,5}){0,3}", 1..20),
            fold: bool,
        ) {
            let case = if fold { Case::Fold } else { Case::Sensitive };
            let patterns = patterns(&texts, case);
            let candidates = Candidates::new(patterns.iter(), case).unwrap();
            for path in paths {
                let found = candidates.of(path.as_bytes());
                prop_assert!(found.is_sorted_by(|a, b| a > b));
                for (number, pattern) in patterns.iter().enumerate() {
                    let matches = [true, false].into_iter().any(|is_dir| pattern.matches(path.as_bytes(), is_dir));
                    prop_assert!(!matches || found.contains(&number), "{} on {}", &texts[number], &path);
                }
            }
        }
    }

    #[test]
    fn few_of_many_are_tried() {
        let texts: Vec<String> = (0..20_000).map(|number| format!("*made-{number:05}*.x")).collect();
        let patterns = patterns(&texts, Case::Sensitive);
        let candidates = Candidates::new(patterns.iter(), Case::Sensitive).unwrap();
        assert!(candidates.of(b"src/other.rs").is_empty());
        let found = candidates.of(b"src/made-12345-b.x");
        assert!(found.contains(&12_345) && found.len() < 100, "{}", found.len());
    }

    #[test]
    fn few_patterns_are_not_sorted() {
        let texts = vec!["a".to_owned(); FEW];
        assert!(Candidates::new(patterns(&texts, Case::Sensitive).iter(), Case::Sensitive).is_none());
    }
}
