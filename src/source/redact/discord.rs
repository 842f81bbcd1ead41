//! Discord bot tokens: no literal gives them away, but their form does. The first of
//! three parts is the bot's number in base 64.

use super::base64;
use super::shape::Class;
use std::ops::Range;

const SHORTEST: usize = 59;
const LONGEST: usize = 80;

/// Every token in a text. Looks at one byte in `SHORTEST` where no long word is.
pub(super) fn tokens(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let held = |byte: &u8| Class::UrlSafe.has(*byte) || *byte == b'.';
    let mut found = Vec::new();
    let (mut at, mut done) = (SHORTEST - 1, 0);
    while at < bytes.len() {
        if !held(&bytes[at]) {
            at += SHORTEST;
            continue;
        }
        let start = at - bytes[done..at].iter().rev().take_while(|byte| held(byte)).count();
        let end = at + bytes[at..].iter().take_while(|byte| held(byte)).count();
        if (SHORTEST..=LONGEST).contains(&(end - start)) && is_token(&text[start..end]) {
            found.push(start..end);
        }
        done = end;
        at = end + SHORTEST;
    }
    found
}

/// A token of the bot 123456789012345678.
#[cfg(test)]
pub(super) fn sample(check: &str) -> String {
    format!("{}{}.GaBc_d.{check}", "MTIzNDU2Nzg5", "MDEyMzQ1Njc4")
}

fn is_token(word: &str) -> bool {
    let mut parts = word.split('.');
    let (Some(number), Some(time), Some(check), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    (23..=28).contains(&number.len())
        && (6..=7).contains(&time.len())
        && (27..=38).contains(&check.len())
        && base64::decode(number)
            .is_some_and(|plain| plain.len() >= 17 && plain.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::tokens;

    fn token(number: &str, check: &str) -> String {
        format!("{number}.GaBc_d.{check}")
    }

    #[test]
    fn a_number_a_time_and_a_check() {
        // Base 64 of 123456789012345678.
        let number = concat!("MTIzNDU2Nzg5", "MDEyMzQ1Njc4");
        let check = "a7Kq2ZxM9wTbR4vNc8LpY3sJdH6gFe5Q1uXi0oWz";
        for length in 27..=38 {
            let token = token(number, &check[..length]);
            for (before, after) in [("", ""), ("run(\"", "\")"), ("Bot ", "\r\n"), ("TOKEN=", "\n")] {
                let text = format!("{before}{token}{after}");
                let found: Vec<&str> = tokens(&text).into_iter().map(|span| &text[span]).collect();
                assert_eq!(found, [token.as_str()], "{text}");
            }
            assert_eq!(tokens(&format!("{token} {token}")).len(), 2);
        }
        for near in [
            token(number, &check[..26]),
            token(number, &check[..39]),
            token(&number.replace("MT", "QU"), &check[..38]),
            token(&number[..22], &check[..38]),
            token(number, &check[..38]).replace('.', "-"),
            format!("a.{}", token(number, &check[..27])),
        ] {
            assert!(tokens(&near).is_empty(), "{near}");
        }
    }
}
