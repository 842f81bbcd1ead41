//! What a ranking rule is asked, and with what.

use super::answer::Factor;
use super::query::Intent;
use crate::record::passages::Part;
use crate::store::Field;

/// Turns evidence into scores. An implementation keeps no state and uses no arithmetic that differs
/// between machines: logarithms come from `libm`, sums keep their order.
pub trait Ranker: Sync {
    /// The name and version of the rule, as reports write it.
    fn name(&self) -> &'static str;

    /// How rare a term is that stands in `found` of `passages` passages.
    fn rarity(&self, found: u64, passages: u64) -> f64;

    /// What `count` occurrences in a field of `length` terms are worth, where fields have `average` terms.
    fn field(&self, field: Field, count: u32, length: u32, average: f64) -> f64;

    /// What a term adds to a passage, given the sum of its fields and its rarity times its weight.
    fn term(&self, evidence: f64, rarity: f64) -> f64;

    /// How much a file counts before the question is looked at closely: from 0 to 1.
    fn prior(&self, traits: FileTraits, intent: Intent) -> f64;

    /// The score of a passage out of the sum of its terms. Pushes every step onto `steps`.
    fn score(&self, sum: f64, features: &Features, steps: &mut Vec<Factor>) -> f64;

    /// What the score of a further passage of one file is multiplied by, when `before` of them stand above it.
    fn repeat(&self, before: usize) -> f64;
}

/// Average number of terms a field has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Averages(pub [f64; Field::COUNT]);

impl Averages {
    /// The average of one field; 1 where no passage has any.
    pub fn of(&self, field: Field) -> f64 {
        let average = self.0[field as usize];
        if average > 0.0 { average } else { 1.0 }
    }
}

/// What kind of file a passage stands in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileTraits {
    /// Test code.
    pub test: bool,
    /// Examples and benchmarks.
    pub example: bool,
    /// Somebody else's code.
    pub vendored: bool,
    /// Generated or minified code, and lock files.
    pub generated: bool,
    /// Change logs and their like.
    pub history: bool,
}

/// How well the name of a definition meets an identifier of the question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameMatch {
    /// It does not.
    #[default]
    None,
    /// The name is the same, but the question puts it into another container.
    Elsewhere,
    /// The same but for case and `_`.
    Folded,
    /// The same.
    Same,
    /// The same, in the container the question names.
    Qualified,
}

/// What a ranker is told of one passage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Features {
    /// The kind of file.
    pub traits: FileTraits,
    /// Whether the definition is a test or stands among tests.
    pub in_tests: bool,
    /// How the passage relates to its definition.
    pub part: Part,
    /// What the question names.
    pub intent: Intent,
    /// Share of the pieces of the name that the question covers, from 0 to 1.
    pub name_covered: f64,
    /// Whether the definition is asked for by name.
    pub name_match: NameMatch,
    /// Whether the question gives the name of the file.
    pub file_named: bool,
    /// The sum of weight times rarity over the terms of the question: no sum of terms is larger.
    pub most: f64,
}
