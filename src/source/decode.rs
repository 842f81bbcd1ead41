//! From bytes to text.
//!
//! Every sequence of bytes decodes, and to the same text everywhere: UTF-16 by its
//! mark, else UTF-8, else Windows-1252, which maps each byte to one character. A
//! leading mark is dropped, so offsets into the text never count it.

use std::fmt;

/// What a text was decoded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// UTF-8, with or without a mark.
    Utf8,
    /// UTF-16, little end first, by its mark.
    Utf16Le,
    /// UTF-16, big end first, by its mark.
    Utf16Be,
    /// Anything else.
    Windows1252,
}

impl Encoding {
    /// The encoding as records write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Windows1252 => "windows-1252",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text and what it was decoded from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text, without a leading mark.
    pub text: String,
    /// What it was decoded from.
    pub encoding: Encoding,
}

const UTF_8_MARK: &[u8] = b"\xef\xbb\xbf";

/// The UTF-16 encoding whose mark the bytes begin with.
///
/// `ff fe 00 00` is the mark of UTF-32, whose text would be half NULs: not UTF-16.
pub fn utf16_mark(bytes: &[u8]) -> Option<Encoding> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => None,
        [0xff, 0xfe, ..] => Some(Encoding::Utf16Le),
        [0xfe, 0xff, ..] => Some(Encoding::Utf16Be),
        _ => None,
    }
}

/// Decodes a file. What is malformed in UTF-16 becomes U+FFFD.
pub fn decode(bytes: Vec<u8>) -> Decoded {
    if let Some(encoding) = utf16_mark(&bytes) {
        let from = if encoding == Encoding::Utf16Le { encoding_rs::UTF_16LE } else { encoding_rs::UTF_16BE };
        return Decoded { text: from.decode_without_bom_handling(&bytes[2..]).0.into_owned(), encoding };
    }
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            if text.as_bytes().starts_with(UTF_8_MARK) {
                text.drain(..UTF_8_MARK.len());
            }
            Decoded { text, encoding: Encoding::Utf8 }
        }
        Err(error) => {
            let text = encoding_rs::WINDOWS_1252.decode_without_bom_handling(error.as_bytes()).0.into_owned();
            Decoded { text, encoding: Encoding::Windows1252 }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], text: &str, encoding: Encoding) {
        assert_eq!(decode(bytes.to_vec()), Decoded { text: text.to_owned(), encoding });
    }

    #[test]
    fn encodings() {
        check(b"", "", Encoding::Utf8);
        check("h\u{e4}".as_bytes(), "h\u{e4}", Encoding::Utf8);
        check(b"\xef\xbb\xbfx", "x", Encoding::Utf8);
        check(b"\xff\xfea\0\xe4\0", "a\u{e4}", Encoding::Utf16Le);
        check(b"\xfe\xff\0a\0\xe4", "a\u{e4}", Encoding::Utf16Be);
        check(b"\xff\xfea\0b", "a\u{fffd}", Encoding::Utf16Le);
        check(b"\xff\xfe\x00\xd8a\0", "\u{fffd}a", Encoding::Utf16Le);
        check(b"h\xe4\x80 \x81", "h\u{e4}\u{20ac} \u{81}", Encoding::Windows1252);
    }

    proptest! {
        #[test]
        fn every_byte_counts(bytes: Vec<u8>) {
            let decoded = decode(bytes.clone());
            match decoded.encoding {
                Encoding::Windows1252 => prop_assert_eq!(decoded.text.chars().count(), bytes.len()),
                Encoding::Utf8 => prop_assert!(bytes.ends_with(decoded.text.as_bytes())),
                _ => prop_assert!(decoded.text.len() <= bytes.len() * 3 / 2 + 3),
            }
        }
    }
}
