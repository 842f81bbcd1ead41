//! How the facts of a record are packed: numbers apart from words, then zstd.
//!
//! Facts are mostly spans, that is numbers that grow steadily, and zstd sees nothing in
//! their digits. So the JSON is split into its *frame*, in which the byte 01 stands for a
//! number, and the numbers as differences:
//!
//! ```text
//! varint   length of the frame
//! frame
//! varint…  one a number: (d << 1) ^ (d >> 31) for the difference d, modulo 2^32, to what was
//!          expected
//! ```
//!
//! Expected is the number before, where nothing but a comma stands between; else the last
//! number that followed the same eight bytes of frame (more exactly: the same slot of 256, by a hash
//! of them), 0 at first. A number is 1 to 9 digits without a leading zero, outside strings, that follow `:`, `[`
//! or `,`; anything else stays in the frame. The split form is compressed by zstd at level 1, which on it
//! is both faster and no worse than the levels up to 5.
//!
//! The codec knows nothing else of records, so a new member needs no new format.

use std::cell::RefCell;
use std::io::{self, Read};

use super::varint;

const NUMBER: u8 = 1;
const LEVEL: i32 = 1;
/// No number takes more bytes apart than this.
const WIDEST: usize = 6;

thread_local! {
    static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
}

/// Packs facts.
pub(super) fn pack(facts: &[u8]) -> io::Result<Vec<u8>> {
    let split = split(facts);
    COMPRESSOR.with_borrow_mut(|slot| {
        let compressor = match slot {
            Some(compressor) => compressor,
            None => slot.insert(zstd::bulk::Compressor::new(LEVEL)?),
        };
        compressor.compress(&split)
    })
}

/// Unpacks facts of `len` bytes; `None` where the bytes are not such. Memory grows with
/// what is really there, not with what is said.
pub(super) fn unpack(packed: &[u8], len: usize) -> Option<Vec<u8>> {
    let limit = len.checked_mul(WIDEST)?.checked_add(8)?;
    let mut split = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(packed).ok()?;
    decoder.take(limit as u64 + 1).read_to_end(&mut split).ok()?;
    join(&split, len)
}

/// The last numbers, by what stood before them.
struct Expectations {
    by_frame: [u32; 256],
    previous: u32,
}

impl Expectations {
    fn new() -> Self {
        Self { by_frame: [0; 256], previous: 0 }
    }

    /// What is expected after `frame`, and the slot to remember the number in.
    fn after(&self, frame: &[u8]) -> (u32, usize) {
        let tail = &frame[frame.len().saturating_sub(8)..];
        let hash = tail.iter().fold(0u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
        let slot = (hash >> 24) as usize;
        let expected = if frame.ends_with(&[NUMBER, b',']) { self.previous } else { self.by_frame[slot] };
        (expected, slot)
    }

    fn learn(&mut self, slot: usize, number: u32) {
        self.by_frame[slot] = number;
        self.previous = number;
    }
}

fn split(facts: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(facts.len());
    let mut numbers = Vec::new();
    let mut expectations = Expectations::new();
    let mut at = 0;
    let mut in_string = false;
    while let Some(&byte) = facts.get(at) {
        if !in_string && byte.is_ascii_digit() && matches!(frame.last(), Some(b':' | b'[' | b',')) {
            let digits = facts[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits <= 9 && (byte != b'0' || digits == 1) {
                let number = facts[at..at + digits].iter().fold(0, |n, digit| n * 10 + u32::from(digit - b'0'));
                let (expected, slot) = expectations.after(&frame);
                let difference = number.wrapping_sub(expected) as i32;
                varint::write(&mut numbers, (difference << 1 ^ difference >> 31) as u32);
                expectations.learn(slot, number);
                frame.push(NUMBER);
                at += digits;
                continue;
            }
        }
        if in_string && byte == b'\\' {
            frame.push(byte);
            at += 1;
        } else if byte == b'"' {
            in_string = !in_string;
        }
        frame.extend(facts.get(at));
        at += 1;
    }
    let mut out = Vec::with_capacity(frame.len() + numbers.len() + 5);
    varint::write(&mut out, frame.len() as u32);
    out.extend_from_slice(&frame);
    out.extend_from_slice(&numbers);
    out
}

fn join(split: &[u8], len: usize) -> Option<Vec<u8>> {
    let mut rest = split;
    let frame_len = varint::read(&mut rest)? as usize;
    let (frame, mut numbers) = rest.split_at_checked(frame_len)?;
    let mut facts = Vec::with_capacity(frame.len());
    let mut expectations = Expectations::new();
    for (at, &byte) in frame.iter().enumerate() {
        if byte == NUMBER {
            let (expected, slot) = expectations.after(&frame[..at]);
            let folded = varint::read(&mut numbers)?;
            let difference = folded >> 1 ^ (folded & 1).wrapping_neg();
            let number = expected.wrapping_add(difference);
            expectations.learn(slot, number);
            facts.extend_from_slice(number.to_string().as_bytes());
        } else {
            facts.push(byte);
        }
        if facts.len() > len {
            return None;
        }
    }
    (facts.len() == len && numbers.is_empty()).then_some(facts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(facts: &str) {
        assert_eq!(join(&split(facts.as_bytes()), facts.len()).as_deref(), Some(facts.as_bytes()), "{facts}");
        let packed = pack(facts.as_bytes()).unwrap();
        assert_eq!(unpack(&packed, facts.len()).as_deref(), Some(facts.as_bytes()));
        assert_eq!(unpack(&packed, facts.len() + 1), None);
    }

    #[test]
    fn what_is_packed_unpacks() {
        check("");
        check(r#"{"a":[1,2],"b":[1000,1010],"c":0,"d":"x9:3\",4"}"#);
        check(r#"{"span":[007,12345678901,999999999],"x":-4,"y":1.5,"z":"\\",9:8}"#);
    }

    #[test]
    fn steady_numbers_become_small() {
        let spans: Vec<String> =
            (0..50).map(|n| format!(r#"{{"span":[{},{}]}}"#, 1000 + n * 20, 1009 + n * 20)).collect();
        let facts = format!("[{}]", spans.join(","));
        let split = split(facts.as_bytes());
        assert_eq!(&split[split.len() - 6..], [40, 18, 40, 18, 40, 18]);
    }

    proptest! {
        #[test]
        fn any_json_like_text_comes_back(facts in "([a-z0-9:,\\[\\]\"\\\\{}é]|[0-9]{1,11}){0,60}") {
            check(&facts);
        }

        #[test]
        fn damage_is_refused_or_harmless(at: prop::sample::Index, byte: u8) {
            let mut split = split(br#"{"a":[1,2],"b":[1000,1010],"c":0}"#);
            let at = at.index(split.len());
            split[at] = byte;
            let _ = join(&split, 33);
        }
    }
}
