//! Where a term stands, field by field.
//!
//! The entry of a term is one byte with bit *f* set for each field it occurs in
//! ([`Field`], name first), and the list of each such field in that order. A list
//! is its length (varint), then blocks of 128 documents, then the rest:
//!
//! * a block: bits a gap (u8), 128 gaps bit-packed ([`BitPacker4x`]), bits a count
//!   (u8), 128 counts bit-packed;
//! * the rest, per document: varint of gap·2, plus 1 when the count is over 1; then, if so, varint
//!   of the count less 2.
//!
//! A *document* is a passage, in the path list a file. The *gap* is its number less the
//! number before it less 1 (the first: the number itself); a packed *count* is the
//! number of occurrences less 1. Numbers over 32 bits cannot occur.

use bitpacking::{BitPacker, BitPacker4x};

use super::layout::Field;
use super::varint;

const BLOCK: usize = BitPacker4x::BLOCK_LEN;

/// A document and how often the term stands in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posting {
    pub document: u32,
    pub count: u32,
}

/// Appends an entry; `lists` are ascending by document, with counts from 1.
pub(super) fn write_entry(out: &mut Vec<u8>, lists: [&[Posting]; Field::COUNT]) {
    let mask = lists.iter().enumerate().filter(|(_, list)| !list.is_empty()).fold(0u8, |mask, (at, _)| mask | 1 << at);
    out.push(mask);
    for list in lists.into_iter().filter(|list| !list.is_empty()) {
        write_list(out, list);
    }
}

fn write_list(out: &mut Vec<u8>, list: &[Posting]) {
    varint::write(out, list.len() as u32);
    let packer = BitPacker4x::new();
    let mut expected = 0;
    let mut gap = |document: u32| {
        let gap = document - expected;
        expected = document + 1;
        gap
    };
    let blocks = list.chunks_exact(BLOCK);
    let rest = blocks.remainder();
    for block in blocks {
        let mut gaps = [0; BLOCK];
        let mut counts = [0; BLOCK];
        for (at, posting) in block.iter().enumerate() {
            gaps[at] = gap(posting.document);
            counts[at] = posting.count - 1;
        }
        for numbers in [gaps, counts] {
            let bits = packer.num_bits(&numbers);
            let mut packed = [0; BLOCK * 4];
            let len = packer.compress(&numbers, &mut packed, bits);
            out.push(bits);
            out.extend_from_slice(&packed[..len]);
        }
    }
    for posting in rest {
        let gap = gap(posting.document);
        // A gap of 31 bits needs 2^31 documents, more than the counts of a builder allow.
        varint::write(out, gap << 1 | u32::from(posting.count > 1));
        if posting.count > 1 {
            varint::write(out, posting.count - 2);
        }
    }
}

/// Reads an entry and hands each posting to `emit`, field by field, ascending by
/// document. Documents are below `passages`, in the path list below `files`.
///
/// Returns which rule is broken where the bytes are not an entry; `emit` may have been called by then.
pub(super) fn read_entry(
    bytes: &[u8],
    passages: u32,
    files: u32,
    mut emit: impl FnMut(Field, Posting),
) -> Result<(), &'static str> {
    let (&mask, mut rest) = bytes.split_first().ok_or("an entry is empty")?;
    if mask == 0 || mask >> Field::COUNT != 0 {
        return Err("an entry names no field or an unknown one");
    }
    for field in Field::ALL {
        if mask & 1 << field as u8 != 0 {
            let limit = if field == Field::Path { files } else { passages };
            read_list(&mut rest, limit, |posting| emit(field, posting))?;
        }
    }
    if rest.is_empty() { Ok(()) } else { Err("an entry is longer than its lists") }
}

fn read_list(bytes: &mut &[u8], limit: u32, mut emit: impl FnMut(Posting)) -> Result<(), &'static str> {
    const SHORT: &str = "a list ends too early";
    let len = varint::read(bytes).ok_or(SHORT)?;
    if len == 0 || len > limit {
        return Err("a list has an impossible length");
    }
    let mut expected = 0u32;
    let mut step = |gap: u32, count: u32| -> Result<(), &'static str> {
        let document = expected.checked_add(gap).filter(|document| *document < limit);
        let document = document.ok_or("a list names a document that is not there")?;
        expected = document + 1;
        emit(Posting { document, count });
        Ok(())
    };
    let len = len as usize;
    for _ in 0..len / BLOCK {
        let gaps = read_block(bytes).ok_or(SHORT)?;
        let counts = read_block(bytes).ok_or(SHORT)?;
        for (gap, count) in gaps.into_iter().zip(counts) {
            step(gap, count.saturating_add(1))?;
        }
    }
    for _ in 0..len % BLOCK {
        let gap = varint::read(bytes).ok_or(SHORT)?;
        let count = if gap & 1 == 0 { 1 } else { varint::read(bytes).ok_or(SHORT)?.saturating_add(2) };
        step(gap >> 1, count)?;
    }
    Ok(())
}

fn read_block(bytes: &mut &[u8]) -> Option<[u32; BLOCK]> {
    let (&bits, rest) = bytes.split_first()?;
    if bits > 32 {
        return None;
    }
    let (packed, rest) = rest.split_at_checked(BitPacker4x::compressed_block_size(bits))?;
    *bytes = rest;
    let mut numbers = [0; BLOCK];
    BitPacker4x::new().decompress(packed, &mut numbers, bits);
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lists() -> impl Strategy<Value = Vec<Vec<Posting>>> {
        let list = prop::collection::btree_map(0u32..3000, 1u32..9, 0..400)
            .prop_map(|map| map.into_iter().map(|(document, count)| Posting { document, count }).collect::<Vec<_>>());
        prop::collection::vec(list, Field::COUNT)
    }

    fn encode(lists: &[Vec<Posting>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_entry(&mut bytes, std::array::from_fn(|at| lists[at].as_slice()));
        bytes
    }

    proptest! {
        #[test]
        fn an_entry_reads_back(lists in lists()) {
            let mut found: Vec<Vec<Posting>> = vec![Vec::new(); Field::COUNT];
            let result = read_entry(&encode(&lists), 3000, 3000, |field, posting| found[field as usize].push(posting));
            if lists.iter().all(Vec::is_empty) {
                prop_assert!(result.is_err());
            } else {
                prop_assert_eq!(result, Ok(()));
                prop_assert_eq!(found, lists);
            }
        }

        #[test]
        fn damage_is_found_or_harmless(lists in lists(), at: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
            let mut bytes = encode(&lists);
            let index = at.index(bytes.len());
            bytes[index] = byte;
            bytes.truncate(cut.index(bytes.len()) + 1);
            let _ = read_entry(&bytes, 3000, 3000, |_, posting| assert!(posting.document < 3000));
        }
    }

    #[test]
    fn an_entry_to_the_byte() {
        let name = [Posting { document: 3, count: 1 }];
        let body = [Posting { document: 0, count: 4 }, Posting { document: 3, count: 2 }];
        let mut bytes = Vec::new();
        write_entry(&mut bytes, [&name, &[], &[], &body, &[]]);
        assert_eq!(bytes, [0b1001, 1, 6, 2, 1, 2, 5, 0]);
    }
}
