//! The vocabularies of a record: kinds, roles, flags and their like.
//!
//! A vocabulary may grow with the extractor, and a reader must be able to carry
//! a word that a later extractor wrote. So a word is checked for its form, not
//! against a list; the words this extractor writes are the constants below.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::source::decode::Encoding;

/// A lower-case word of up to 64 bytes: `a`-`z`, `0`-`9`, `-` and `_`, a letter first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Word(Cow<'static, str>);

/// A string that is not a [`Word`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a word (lower-case letters, digits, - and _, a letter first, 64 bytes at most)")]
pub struct WordError(String);

impl Word {
    /// A word known when the program is built. Panics at compile time on a bad form.
    pub const fn known(word: &'static str) -> Self {
        assert!(is_word(word.as_bytes()), "not a word");
        Self(Cow::Borrowed(word))
    }

    /// Checks a word that came from outside.
    ///
    /// # Errors
    /// When the form is wrong.
    pub fn parse(word: &str) -> Result<Self, WordError> {
        if is_word(word.as_bytes()) {
            Ok(Self(Cow::Owned(word.to_owned())))
        } else {
            Err(WordError(word.chars().take(64).collect()))
        }
    }

    /// The word itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

const fn is_word(bytes: &[u8]) -> bool {
    if bytes.is_empty() || bytes.len() > 64 || !bytes[0].is_ascii_lowercase() {
        return false;
    }
    let mut at = 1;
    while at < bytes.len() {
        let byte = bytes[at];
        if !(byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_') {
            return false;
        }
        at += 1;
    }
    true
}

impl TryFrom<String> for Word {
    type Error = WordError;

    fn try_from(word: String) -> Result<Self, WordError> {
        Self::parse(&word)
    }
}

impl From<Word> for String {
    fn from(word: Word) -> Self {
        word.0.into_owned()
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq<str> for Word {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

/// Declares a module of words, so that a vocabulary reads as a table.
macro_rules! vocabulary {
    ($(#[$doc:meta])* $module:ident { $($(#[$word_doc:meta])* $name:ident = $word:literal;)+ }) => {
        $(#[$doc])*
        pub mod $module {
            use super::Word;
            $($(#[$word_doc])* pub const $name: Word = Word::known($word);)+

            /// Every word of this list.
            pub const ALL: &[&str] = &[$($word),+];
        }
    };
}

vocabulary! {
    /// What a definition is.
    kind {
        /// A free function.
        FUNCTION = "function";
        /// A function that belongs to a type.
        METHOD = "method";
        /// A class.
        CLASS = "class";
        /// A struct or record type.
        STRUCT = "struct";
        /// A union type.
        UNION = "union";
        /// An enumeration.
        ENUM = "enum";
        /// An interface or protocol.
        INTERFACE = "interface";
        /// A trait.
        TRAIT = "trait";
        /// An implementation or extension block.
        IMPL = "impl";
        /// A module or namespace.
        MODULE = "module";
        /// A macro.
        MACRO = "macro";
        /// A constant or static.
        CONSTANT = "constant";
        /// A variable at module level.
        VARIABLE = "variable";
        /// A field, property or enum member.
        FIELD = "field";
        /// A type alias.
        TYPE = "type";
        /// A test case.
        TEST = "test";
    }
}

vocabulary! {
    /// What a reference does with the name it mentions.
    role {
        /// Calls it.
        CALL = "call";
        /// Uses it as a type.
        TYPE = "type";
        /// Imports it.
        IMPORT = "import";
        /// Inherits from it.
        INHERIT = "inherit";
        /// Implements it.
        IMPLEMENT = "implement";
        /// Reads it.
        READ = "read";
        /// Writes it.
        WRITE = "write";
        /// Annotates or decorates with it.
        ANNOTATION = "annotation";
    }
}

vocabulary! {
    /// Caveats about a file that still contributes.
    flag {
        /// Decoded from something other than UTF-8.
        NOT_UTF8 = "not-utf8";
        /// Marked or recognised as generated.
        GENERATED = "generated";
        /// Machine-squeezed lines.
        MINIFIED = "minified";
        /// Marked as somebody else's code.
        VENDORED = "vendored";
        /// Test code by its path.
        TEST = "test";
        /// The grammar met errors.
        PARTIAL_PARSE = "partial-parse";
        /// Nested deeper than extraction goes.
        TOO_DEEP = "too-deep";
        /// More work than extraction takes on.
        TOO_COMPLEX = "too-complex";
    }
}

vocabulary! {
    /// What extraction could not read.
    problem {
        /// The grammar reports an error here.
        PARSE_ERROR = "parse-error";
        /// The nesting limit was met here.
        TOO_DEEP = "too-deep";
        /// The work limit was met here.
        TOO_COMPLEX = "too-complex";
        /// Extraction itself failed: a fault of the program, not of the file.
        FAULT = "fault";
    }
}

vocabulary! {
    /// Encodings text is decoded from.
    encoding {
        /// UTF-8, with or without a mark.
        UTF_8 = "utf-8";
        /// UTF-16, little end first, by its mark.
        UTF_16LE = "utf-16le";
        /// UTF-16, big end first, by its mark.
        UTF_16BE = "utf-16be";
        /// Anything else, read as Windows-1252, which maps every byte.
        WINDOWS_1252 = "windows-1252";
    }
}

impl From<Encoding> for Word {
    fn from(encoding: Encoding) -> Self {
        match encoding {
            Encoding::Utf8 => encoding::UTF_8,
            Encoding::Utf16Le => encoding::UTF_16LE,
            Encoding::Utf16Be => encoding::UTF_16BE,
            Encoding::Windows1252 => encoding::WINDOWS_1252,
        }
    }
}

vocabulary! {
    /// The language of a file that no pack claims; packs bring their own names.
    language {
        /// Plain text.
        TEXT = "text";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_have_one_name() {
        for encoding in [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be, Encoding::Windows1252] {
            assert_eq!(&Word::from(encoding), encoding.as_str());
        }
    }

    #[test]
    fn form_is_checked() {
        for good in ["a", "utf-16le", "x_9"] {
            assert_eq!(Word::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "A", "9a", "-a", "a b", "ä", &"a".repeat(65)] {
            assert!(Word::parse(bad).is_err(), "{bad:?}");
        }
    }
}
