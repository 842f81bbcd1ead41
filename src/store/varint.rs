//! Numbers in as few bytes as they need: seven bits a byte, low bits first, the high
//! bit set on all but the last.

/// Appends `value`.
pub(super) fn write(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number off the front of `bytes`; `None` where they end too early or the
/// number does not fit 32 bits.
pub(super) fn read(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0u32;
    for shift in [0, 7, 14, 21, 28] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u32::from(byte & 0x7f);
        if shift == 28 && bits > 0xf {
            return None;
        }
        value |= bits << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn reads_back(value: u32) {
            let mut bytes = Vec::new();
            write(&mut bytes, value);
            let mut rest = bytes.as_slice();
            assert_eq!(read(&mut rest), Some(value));
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn refuses_what_does_not_end_or_fit() {
        assert_eq!(read(&mut &[0x80u8][..]), None);
        assert_eq!(read(&mut &[0xff, 0xff, 0xff, 0xff, 0x1f][..]), None);
        assert_eq!(read(&mut &[0xff, 0xff, 0xff, 0xff, 0x8f, 0][..]), None);
    }
}
