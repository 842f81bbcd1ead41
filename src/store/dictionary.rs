//! The terms of an index in order, front-coded in blocks of 16.
//!
//! A block is the offset of its first entry in `postings` (varint), then its terms. A term is
//! the number of bytes it shares with the term before it (varint; left out for the first of a
//! block), the number of bytes that follow (varint), those bytes, and the length of
//! its entry in `postings` (varint); entries stand in the order of the terms. The section
//! `term-blocks` says where each block begins, and a term is found by halving over the
//! blocks' first terms.
//!
//! A finite-state map would be a little smaller, but the crates that read one trust
//! its bytes; here every step is checked.

use std::ops::Range;

use super::layout::Section;
use super::terms::MAX_TERM;
use super::{IndexError, varint};

const BLOCK: usize = 16;

/// Writes a dictionary from terms that come in bytewise order, each once.
#[derive(Default)]
pub(super) struct Writer {
    pub terms: Vec<u8>,
    pub blocks: Vec<u8>,
    previous: Vec<u8>,
    count: usize,
    postings: u64,
}

impl Writer {
    /// Adds a term whose entry has `entry_len` bytes; false where an offset outgrows 32 bits.
    #[must_use]
    pub fn push(&mut self, term: &[u8], entry_len: usize) -> bool {
        let shared = if self.count.is_multiple_of(BLOCK) {
            let (Ok(block), Ok(postings)) = (u32::try_from(self.terms.len()), u32::try_from(self.postings)) else {
                return false;
            };
            self.blocks.extend_from_slice(&block.to_le_bytes());
            varint::write(&mut self.terms, postings);
            0
        } else {
            let shared = self.previous.iter().zip(term).take_while(|(a, b)| a == b).count();
            varint::write(&mut self.terms, shared as u32);
            shared
        };
        varint::write(&mut self.terms, (term.len() - shared) as u32);
        self.terms.extend_from_slice(&term[shared..]);
        let Ok(len) = u32::try_from(entry_len) else { return false };
        varint::write(&mut self.terms, len);
        self.previous.clear();
        self.previous.extend_from_slice(term);
        self.count += 1;
        self.postings += u64::from(len);
        true
    }
}

/// Reads the sections `terms` and `term-blocks`.
#[derive(Clone, Copy)]
pub(crate) struct Dictionary<'a> {
    pub(super) terms: &'a [u8],
    pub(super) blocks: &'a [u8],
    pub(super) count: u32,
}

/// How many bytes `term-blocks` has for `terms` terms.
pub(super) fn blocks_len(terms: u32) -> u64 {
    u64::from(terms).div_ceil(BLOCK as u64) * 4
}

impl<'a> Dictionary<'a> {
    /// The range in `postings` of the entry of `term`, if it is there.
    pub fn find(self, term: &[u8]) -> Result<Option<Range<usize>>, IndexError> {
        let (mut low, mut high) = (0, self.block_count());
        while low < high {
            let middle = low + (high - low) / 2;
            let mut cursor = self.block(middle)?;
            cursor.advance()?;
            if cursor.term() <= term { low = middle + 1 } else { high = middle }
        }
        let Some(block) = low.checked_sub(1) else { return Ok(None) };
        let mut cursor = self.block(block)?;
        while cursor.advance()? {
            match cursor.term().cmp(term) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Ok(Some(cursor.entry())),
                std::cmp::Ordering::Greater => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Hands every term and the range of its entry to `visit`, in order.
    pub fn for_each(self, mut visit: impl FnMut(&[u8], Range<usize>)) -> Result<(), IndexError> {
        for block in 0..self.block_count() {
            let mut cursor = self.block(block)?;
            while cursor.advance()? {
                visit(cursor.term(), cursor.entry());
            }
        }
        Ok(())
    }

    fn block_count(self) -> usize {
        (self.count as usize).div_ceil(BLOCK)
    }

    fn block(self, index: usize) -> Result<Cursor<'a>, IndexError> {
        let offset = self.blocks.get(index * 4..index * 4 + 4).and_then(|bytes| bytes.first_chunk());
        let offset = offset.map(|bytes| u32::from_le_bytes(*bytes) as usize);
        let mut rest = offset
            .and_then(|offset| self.terms.get(offset..))
            .ok_or(IndexError::damaged(Section::TermBlocks, "a block lies outside the terms"))?;
        let postings = varint::read(&mut rest).ok_or(SHORT)?;
        let left = (self.count as usize).saturating_sub(index * BLOCK).min(BLOCK);
        Ok(Cursor { rest, left, first: true, term: [0; MAX_TERM], len: 0, entry: 0..postings as usize })
    }
}

/// Why a block is refused.
struct Broken(&'static str);

const SHORT: Broken = Broken("a block ends too early");

impl From<Broken> for IndexError {
    fn from(Broken(why): Broken) -> Self {
        Self::damaged(Section::Terms, why)
    }
}

/// Walks the terms of one block.
struct Cursor<'a> {
    rest: &'a [u8],
    left: usize,
    first: bool,
    term: [u8; MAX_TERM],
    len: usize,
    entry: Range<usize>,
}

impl Cursor<'_> {
    fn term(&self) -> &[u8] {
        &self.term[..self.len]
    }

    fn entry(&self) -> Range<usize> {
        self.entry.clone()
    }

    fn advance(&mut self) -> Result<bool, IndexError> {
        if self.left == 0 {
            return Ok(false);
        }
        let shared = if self.first { 0 } else { varint::read(&mut self.rest).ok_or(SHORT)? as usize };
        let added = varint::read(&mut self.rest).ok_or(SHORT)? as usize;
        if shared > self.len || shared + added > MAX_TERM {
            return Err(Broken("a term is too long").into());
        }
        let (bytes, rest) = self.rest.split_at_checked(added).ok_or(SHORT)?;
        self.rest = rest;
        self.term[shared..shared + added].copy_from_slice(bytes);
        self.len = shared + added;
        let len = varint::read(&mut self.rest).ok_or(SHORT)? as usize;
        self.entry = self.entry.end..self.entry.end.saturating_add(len);
        self.first = false;
        self.left -= 1;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn build(words: &std::collections::BTreeSet<String>) -> Writer {
        let mut writer = Writer::default();
        for (at, word) in words.iter().enumerate() {
            assert!(writer.push(word.as_bytes(), at % 7 + 1));
        }
        writer
    }

    proptest! {
        #[test]
        fn every_term_is_found_and_no_other(words in prop::collection::btree_set("[a-c]{1,5}", 0..120), other in "[a-c]{1,5}") {
            let writer = build(&words);
            let dictionary =
                Dictionary { terms: &writer.terms, blocks: &writer.blocks, count: words.len() as u32 };
            prop_assert_eq!(writer.blocks.len() as u64, blocks_len(words.len() as u32));
            let mut start = 0;
            for (at, word) in words.iter().enumerate() {
                let end = start + at % 7 + 1;
                prop_assert_eq!(dictionary.find(word.as_bytes()).unwrap(), Some(start..end));
                start = end;
            }
            prop_assert_eq!(dictionary.find(other.as_bytes()).unwrap().is_some(), words.contains(&other));
            let mut all = Vec::new();
            dictionary.for_each(|term, _| all.push(String::from_utf8(term.to_vec()).unwrap())).unwrap();
            prop_assert_eq!(all, words.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn damage_gives_an_error_or_a_term(words in prop::collection::btree_set("[a-c]{1,5}", 1..60), at: prop::sample::Index, byte: u8) {
            let mut writer = build(&words);
            let index = at.index(writer.terms.len());
            writer.terms[index] = byte;
            let dictionary =
                Dictionary { terms: &writer.terms, blocks: &writer.blocks, count: words.len() as u32 };
            let _ = dictionary.for_each(|_, _| {});
            let _ = dictionary.find(b"abc");
        }
    }
}
