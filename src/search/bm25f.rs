//! BM25 over weighted fields: fields are weighed and shortened first, then one saturation.

use super::answer::Factor;
use super::query::Intent;
use super::ranker::{Features, FileTraits, NameMatch, Ranker};
use crate::record::passages::Part;
use crate::store::Field;

/// The first ranking rule, with its constants.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bm25f;

/// Evidence at which a term has half its effect.
const SATURATION: f64 = 1.6;

/// Weight and strength of length normalisation of each field.
const fn constants(field: Field) -> (f64, f64) {
    match field {
        Field::Name => (4.0, 0.3),
        Field::Signature => (1.8, 0.3),
        Field::Path => (1.6, 0.4),
        Field::Doc => (1.3, 0.4),
        Field::Body => (1.0, 0.6),
    }
}

impl Ranker for Bm25f {
    fn name(&self) -> &'static str {
        "bm25f-1"
    }

    fn rarity(&self, found: u64, passages: u64) -> f64 {
        let (found, passages) = (found as f64, passages as f64);
        libm::log(1.0 + (passages - found + 0.5) / (found + 0.5))
    }

    fn field(&self, field: Field, count: u32, length: u32, average: f64) -> f64 {
        let (weight, shortening) = constants(field);
        let norm = 1.0 - shortening + shortening * f64::from(length) / average;
        weight * f64::from(count) / norm
    }

    fn term(&self, evidence: f64, rarity: f64) -> f64 {
        rarity * evidence / (SATURATION + evidence)
    }

    fn prior(&self, traits: FileTraits, intent: Intent) -> f64 {
        let kinds = [
            (traits.test && !intent.tests, 0.6),
            (traits.example && !intent.examples, 0.75),
            (traits.vendored && !intent.vendored, 0.5),
            (traits.generated && !intent.generated, 0.4),
            (traits.history && !intent.history, 0.45),
        ];
        kinds.into_iter().filter(|(applies, _)| *applies).map(|(_, factor)| factor).product()
    }

    fn score(&self, sum: f64, features: &Features, steps: &mut Vec<Factor>) -> f64 {
        let mut step = |name, value: f64| {
            if value != 1.0 {
                steps.push(Factor { name, value: millionths(value) });
            }
            value
        };
        let traits = FileTraits { test: features.traits.test || features.in_tests, ..features.traits };
        let mut score = sum;
        score *= step("kind of file", self.prior(traits, features.intent));
        score *= step("name covered", 1.0 + 0.18 * features.name_covered);
        score *= step("loose text", if features.part == Part::Loose { 0.8 } else { 1.0 });
        score *= step("file named", if features.file_named { 1.4 } else { 1.0 });
        let bonus = features.most * self.prior(traits, features.intent) * bonus(features.name_match);
        if bonus > 0.0 {
            steps.push(Factor { name: "asked for by name (added)", value: millionths(bonus) });
        }
        score + bonus
    }

    fn repeat(&self, before: usize) -> f64 {
        1.0 / (1.0 + 0.12 * before as f64)
    }
}

/// What a definition that is asked for by name gains, in parts of the largest sum of terms. From 2 on it
/// stands above everything that is not.
fn bonus(name_match: NameMatch) -> f64 {
    match name_match {
        NameMatch::None => 0.0,
        NameMatch::Elsewhere => 0.2,
        NameMatch::Folded => 1.5,
        NameMatch::Same => 2.0,
        NameMatch::Qualified => 2.5,
    }
}

/// A score as it is compared and shown.
pub(super) fn millionths(value: f64) -> i64 {
    libm::round(value * 1e6) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_outweighs_a_mention_and_repetition_saturates() {
        let ranker = Bm25f;
        let evidence = |field, count| ranker.term(ranker.field(field, count, 10, 10.0), 1.0);
        assert!(evidence(Field::Name, 1) > evidence(Field::Body, 1));
        assert!(evidence(Field::Body, 1000) < 1.0);
        assert!(ranker.rarity(1, 100) > ranker.rarity(50, 100));
        assert!(ranker.rarity(100, 100) > 0.0);
    }

    #[test]
    fn a_prior_gives_way_when_the_question_names_the_kind() {
        let test = FileTraits { test: true, ..FileTraits::default() };
        assert!(Bm25f.prior(test, Intent::default()) < 1.0);
        assert_eq!(Bm25f.prior(test, Intent { tests: true, ..Intent::default() }), 1.0);
    }
}
