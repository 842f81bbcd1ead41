//! Names and messages that are shown to people.

use super::redact;

/// A name or a message as it may be shown: the same, with a marker for each secret in
/// it, even where a URL or a ref writes it with `%XX`.
pub fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in
        text.split_inclusive(|character: char| character.is_whitespace() || matches!(character, '`' | '"' | '\''))
    {
        match word.contains('%').then(|| unescaped(word)).flatten() {
            Some(plain) if redact(plain.clone()).text != plain => out.push_str(&plain),
            _ => out.push_str(word),
        }
    }
    redact(out).text
}

/// A text with the character for each `%XX`, if that is text.
fn unescaped(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::redact::samples::samples;

    #[test]
    fn secrets_are_masked_however_they_are_written() {
        for sample in samples() {
            let escaped: String = sample.text().bytes().map(|byte| format!("%{byte:02X}")).collect();
            for (before, after) in [("", ""), ("cannot read `conf/", "`: no such file"), ("see heads/fix/", " there")] {
                let expect = format!("{before}{}{after}", sample.redacted());
                assert_eq!(masked(&format!("{before}{}{after}", sample.text())), expect);
                assert_eq!(masked(&format!("{before}{escaped}{after}")), expect);
                assert_eq!(masked(&expect), expect);
            }
        }
    }

    #[test]
    fn ordinary_messages_stay() {
        for message in [
            "`refs/cce/hash/3.0/example.com%2Fa/heads/fix%2Fone` was moved by others 24 times in a row; try again",
            "100% of 5 files, 50%",
            "%zz %4",
            "published example.com/a@3ee882ea8ad3: 4 records",
            "",
        ] {
            assert_eq!(masked(message), message);
        }
    }
}
