//! Character boundaries of a text.

/// The last boundary at or before `byte`.
pub(super) fn floor(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}

/// The first boundary at or after `byte`.
pub(super) fn ceil(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte += 1;
    }
    byte
}

/// As much of `text` as fits into `limit` bytes.
pub(super) fn head(text: &str, limit: usize) -> &str {
    &text[..floor(text, limit)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_stay_whole() {
        assert_eq!((floor("aé", 2), ceil("aé", 2)), (1, 3));
        assert_eq!((floor("aé", 9), ceil("aé", 9)), (3, 3));
        assert_eq!(head("éa", 1), "");
        assert_eq!(head("éa", 2), "é");
    }
}
