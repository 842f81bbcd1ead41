//! Counts the terms of one file: which stands how often in which field of which passage.

use super::layout::Field;
use super::terms::for_each_term;

/// The terms of a file in bytewise order, with their occurrences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TermRuns {
    /// The terms, one after the other.
    bytes: Vec<u8>,
    /// Where each term ends in `bytes`.
    ends: Vec<u32>,
    /// Ordered by term, field, passage.
    pub runs: Vec<Run>,
}

/// How often a term stands in one field of one passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Position among the terms of the file.
    pub term: u32,
    /// Which field.
    pub field: Field,
    /// Position among the passages of the file; 0 in the path field.
    pub passage: u32,
    /// How often.
    pub count: u32,
}

impl TermRuns {
    /// The terms in order.
    pub fn terms(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start as usize..end as usize])
    }
}

/// Collects occurrences while a file is read, in any order.
#[derive(Default)]
pub(super) struct Counter {
    interner: Interner,
    /// Term in the high half; field and passage in the low one.
    occurrences: Vec<u64>,
}

/// Bits of an occurrence that hold the passage; a text of 64 MiB has far fewer.
const PASSAGE_BITS: u32 = 29;

impl Counter {
    /// Counts the terms of `text` in one field of one passage; returns how many there were.
    pub fn count(&mut self, text: &str, field: Field, passage: u32) -> u32 {
        let place = u64::from(field as u8) << PASSAGE_BITS | u64::from(passage);
        let before = self.occurrences.len();
        for_each_term(text, |term| {
            let id = self.interner.id(term.bytes);
            self.occurrences.push(u64::from(id) << 32 | place);
        });
        (self.occurrences.len() - before) as u32
    }

    /// Sorts terms and occurrences.
    pub fn finish(self) -> TermRuns {
        let mut order: Vec<u32> = (0..self.interner.ends.len() as u32).collect();
        order.sort_unstable_by(|a, b| self.interner.term(*a).cmp(self.interner.term(*b)));
        let mut rank = vec![0u32; order.len()];
        let mut bytes = Vec::with_capacity(self.interner.bytes.len());
        let mut ends = Vec::with_capacity(order.len());
        for (position, &id) in (0..).zip(&order) {
            rank[id as usize] = position;
            bytes.extend_from_slice(self.interner.term(id));
            ends.push(bytes.len() as u32);
        }
        TermRuns { bytes, ends, runs: self.runs(&rank) }
    }

    /// The occurrences by term, field and passage, equal ones counted. They come by passage, so that
    /// dealing them out by term leaves little to sort.
    fn runs(&self, rank: &[u32]) -> Vec<Run> {
        let rank_of = |occurrence: u64| rank[(occurrence >> 32) as usize];
        let mut starts = vec![0u32; rank.len() + 1];
        for &occurrence in &self.occurrences {
            starts[rank_of(occurrence) as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut places = vec![0u32; self.occurrences.len()];
        for &occurrence in &self.occurrences {
            let slot = &mut next[rank_of(occurrence) as usize];
            places[*slot as usize] = occurrence as u32;
            *slot += 1;
        }
        let mut runs = Vec::with_capacity(places.len());
        for term in 0..rank.len() as u32 {
            let places = &mut places[starts[term as usize] as usize..starts[term as usize + 1] as usize];
            places.sort_unstable();
            for same in places.chunk_by(|a, b| a == b) {
                runs.push(Run {
                    term,
                    field: Field::ALL[(same[0] >> PASSAGE_BITS) as usize],
                    passage: same[0] & ((1 << PASSAGE_BITS) - 1),
                    count: same.len() as u32,
                });
            }
        }
        runs.shrink_to_fit();
        runs
    }
}

/// Gives each distinct term a number, in order of first sight.
#[derive(Default)]
pub(super) struct Interner {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    hashes: Vec<u32>,
    /// Number plus 1 by hash, 0 where free; a power of two long.
    slots: Vec<u32>,
}

impl Interner {
    /// The term with number `id`.
    pub fn term(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let start = id.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[id] as usize]
    }

    /// How many terms have a number.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many bytes the terms take together.
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// The number of `term`.
    pub fn id(&mut self, term: &[u8]) -> u32 {
        if self.ends.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let hash = hash(term);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => break,
                taken if self.hashes[taken as usize - 1] == hash && self.term(taken - 1) == term => return taken - 1,
                _ => slot = (slot + 1) & mask,
            }
        }
        let id = self.ends.len() as u32;
        self.bytes.extend_from_slice(term);
        self.ends.push(self.bytes.len() as u32);
        self.hashes.push(hash);
        self.slots[slot] = id + 1;
        id
    }

    fn grow(&mut self) {
        let len = (self.slots.len() * 2).max(1024);
        self.slots.clear();
        self.slots.resize(len, 0);
        for (id, &hash) in (1..).zip(&self.hashes) {
            let mut slot = hash as usize & (len - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = id;
        }
    }
}

/// A hash for the table only; it shows in no output.
fn hash(term: &[u8]) -> u32 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = term.len() as u64;
    let mut chunks = term.chunks_exact(8);
    for chunk in &mut chunks {
        let word = chunk.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        state = (state ^ word).wrapping_mul(MIX).rotate_left(29);
    }
    let tail = chunks.remainder().iter().fold(0u64, |tail, byte| tail << 8 | u64::from(*byte));
    state = (state ^ tail).wrapping_mul(MIX);
    (state >> 32) as u32 ^ state as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_term_field_and_passage() {
        let mut counter = Counter::default();
        assert_eq!(counter.count("b a b", Field::Body, 1), 3);
        assert_eq!(counter.count("b", Field::Name, 0), 1);
        let found = counter.finish();
        assert_eq!(found.terms().collect::<Vec<_>>(), [b"a", b"b"]);
        let runs: Vec<_> = found.runs.iter().map(|run| (run.term, run.field, run.passage, run.count)).collect();
        assert_eq!(runs, [(0, Field::Body, 1, 1), (1, Field::Name, 0, 1), (1, Field::Body, 1, 2)]);
    }

    #[test]
    fn many_terms_keep_their_numbers() {
        let mut interner = Interner::default();
        let word = |at: usize| format!("w{}", at * 7919);
        for at in 0..5000 {
            assert_eq!(interner.id(word(at).as_bytes()), at as u32);
        }
        for at in 0..5000 {
            assert_eq!(interner.id(word(at).as_bytes()), at as u32);
            assert_eq!(interner.term(at as u32), word(at).as_bytes());
        }
    }
}
