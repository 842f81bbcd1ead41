//! Base 64, in either alphabet, as far as what is in it must be looked at.

/// The text that `text` encodes, if it encodes any.
pub(super) fn decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(digit)) & 0xff_ffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn texts() {
        assert_eq!(decode("YTpi").as_deref(), Some("a:b"));
        assert_eq!(decode("YTo_fg==").as_deref(), Some("a:?~"));
        assert_eq!(decode("a b"), None);
        assert_eq!(decode("/////w"), None);
    }
}
