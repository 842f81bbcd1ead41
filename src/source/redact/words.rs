//! Words: how a value falls into them, and which ones say that it is no secret.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that code is written with, counted over public packages; only asked
/// whether a word is among them.
static VOCABULARY: LazyLock<HashSet<&'static str>> = LazyLock::new(|| include_str!("vocabulary.txt").lines().collect());

/// The words of a value: runs of digits and runs of letters, cut at humps.
pub(super) fn words_of(value: &str) -> impl Iterator<Item = &str> + Clone {
    let bytes = value.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !(bytes[at].is_ascii_alphanumeric() || bytes[at] >= 0x80) {
            at += 1;
        }
        let start = at;
        let first = *bytes.get(at)?;
        at += 1;
        if first.is_ascii_digit() {
            while at < bytes.len() && bytes[at].is_ascii_digit() {
                at += 1;
            }
            return Some(&value[start..at]);
        }
        let letter = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80;
        let capitals = first.is_ascii_uppercase() && bytes.get(at).is_some_and(u8::is_ascii_uppercase);
        while at < bytes.len() && letter(bytes[at]) {
            let hump = bytes[at].is_ascii_uppercase();
            if !capitals && hump {
                break;
            }
            if capitals && hump && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase) {
                break;
            }
            if capitals && !hump {
                break;
            }
            at += 1;
        }
        Some(&value[start..at])
    })
}

pub(super) fn is_known(word: &str) -> bool {
    if word.len() > 20 || word.is_empty() {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    VOCABULARY.contains(lower.as_str())
        || lower.strip_suffix('s').is_some_and(|one| one.len() >= 3 && VOCABULARY.contains(one))
}

/// Whole values that stand for one that is missing.
pub(super) const STAND_INS: &[&str] = &[
    "abcdefgh",
    "changeit",
    "changeme",
    "change_me",
    "change-me",
    "false",
    "fixme",
    "hidden",
    "masked",
    "nil",
    "none",
    "null",
    "omitted",
    "placeholder",
    "redacted",
    "removed",
    "replaceme",
    "replace_me",
    "replace-me",
    "sanitized",
    "secret",
    "tbd",
    "todo",
    "true",
    "undefined",
    "unset",
];

/// Published prefixes of what is no secret: test mode and publishable keys, public ssh keys.
pub(super) const NO_SECRETS: &[&str] =
    &["sk_test_", "rk_test_", "pk_test_", "pk_live_", "ssh-rsa", "ssh-ed25519", "ecdsa-sha2-", "rzp_test_"];

/// First words of a placeholder; what follows must be plain words too.
pub(super) const LEADERS: &[&str] = &[
    "your",
    "my",
    "the",
    "example",
    "changeme",
    "change",
    "placeholder",
    "dummy",
    "testing",
    "test",
    "sample",
    "xxx",
    "insert",
    "replace",
    "enter",
    "mock",
    "todo",
    "redacted",
];

/// Words that messages hold and pass phrases do not.
pub(super) const MESSAGE: &[&str] = &[
    "a",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "by",
    "can",
    "does",
    "enter",
    "field",
    "for",
    "forgot",
    "from",
    "has",
    "if",
    "in",
    "invalid",
    "is",
    "key",
    "missing",
    "must",
    "no",
    "not",
    "of",
    "on",
    "or",
    "passphrase",
    "password",
    "please",
    "required",
    "reset",
    "secret",
    "should",
    "that",
    "the",
    "this",
    "to",
    "token",
    "use",
    "used",
    "was",
    "when",
    "will",
    "with",
    "wrong",
    "you",
    "your",
];

pub(super) const TECHNICAL_NUMBERS: &[&str] =
    &["1", "2", "4", "5", "6", "8", "16", "32", "64", "128", "256", "384", "509", "512"];

/// Names whose digits are part of a word.
pub(super) const TECHNICAL: &[&str] = &[
    "base64", "base32", "utf-8", "utf8", "utf-16", "sha-1", "sha1", "sha256", "sha-256", "sha384", "sha512", "sha-512",
    "md5", "oauth2", "oauth1", "x509", "http2", "http1", "http3", "v1", "v2", "v3", "v4", "int8", "int16", "int32",
    "int64", "uint8", "uint32", "uint64", "u8", "u16", "u32", "u64", "i32", "i64", "s3", "ec2", "ed25519", "rs256",
    "hs256", "es256", "aes128", "aes256", "pbkdf2", "argon2", "k8s", "i18n", "l10n", "p12", "2fa",
];

pub(super) const EXTENSIONS: &[&str] = &[
    "cert", "cfg", "conf", "crt", "css", "csv", "go", "html", "ini", "java", "jks", "js", "json", "jsx", "key", "md",
    "p12", "pem", "php", "pub", "py", "rb", "rs", "sh", "svg", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let words = |value| words_of(value).collect::<Vec<_>>();
        assert_eq!(words("X-AuthToken_v12"), ["X", "Auth", "Token", "v", "12"]);
        assert_eq!(words("HTTPServer"), ["HTTP", "Server"]);
        assert!(words("--").is_empty());
    }

    #[test]
    fn vocabulary_is_sorted_and_plain() {
        let words: Vec<&str> = include_str!("vocabulary.txt").lines().collect();
        assert!(words.is_sorted_by(|a, b| a < b));
        assert!(words.iter().all(|word| word.chars().all(|c| c.is_lowercase())));
    }
}
