//! Credentials inside URLs and in HTTP authorization headers.

use super::runs::Runs;
use super::shape::Class;
use super::{base64, literal, placeholder, value};
use std::ops::Range;

/// The literal by which the scan finds a URL with an authority.
pub(super) const URL: &str = "://";
/// The literals by which the scan finds authorization headers.
pub(super) const BEARER: &str = "bearer ";
/// See [`BEARER`].
pub(super) const BASIC: &str = "basic ";
/// The literals by which the scan finds the credential of a package or image registry.
pub(super) const AUTH: [&str; 2] = ["\"auth\"", "_auth"];

/// The password in `scheme://user:PASSWORD@host`, or the token in `scheme://TOKEN@host`.
pub(super) fn password_at(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let scheme =
        bytes[..at].iter().rev().take(20).take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'+').count();
    if scheme < 2 {
        return None;
    }
    let start = at + URL.len();
    let rest = &text[start..];
    let length = rest.bytes().take(600).position(ends_authority).unwrap_or(rest.len().min(600));
    let at_sign = rest.as_bytes()[..length].iter().rposition(|&byte| byte == b'@')?;
    let host = *rest.as_bytes().get(at_sign + 1)?;
    if !(host.is_ascii_alphanumeric() || matches!(host, b'[' | b'$' | b'{' | b'%' | b'_')) {
        return None;
    }
    let user_info = &rest[..at_sign];
    if user_info.split_once('?').is_some_and(|(_, query)| query.contains('=')) {
        return None;
    }
    match user_info.find(':') {
        Some(colon) => {
            let (user, password) = (&user_info[..colon], &user_info[colon + 1..]);
            is_password(user, password).then(|| start + colon + 1..start + at_sign)
        }
        None => (value::is_random(user_info) && user_info.len() >= 20).then(|| start..start + at_sign),
    }
}

fn ends_authority(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(byte, b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'|' | b',' | b';' | b'(' | b')')
}

pub(super) fn is_password(user: &str, password: &str) -> bool {
    unescaped(password).len() >= 4
        && !placeholder::is_named_part(password)
        && !password.eq_ignore_ascii_case(user)
        && !placeholder::is_marker(password)
        && !placeholder::is_placeholder(password)
        && !placeholder::is_interpolated(password)
        && !value::is_worded(&unescaped(password))
        && !is_numbered_word(password)
        && password.bytes().any(|byte| byte.is_ascii_alphanumeric())
        && !matches!(password, "p%40ss" | "p@ss" | "passw0rd" | "password1" | "pass1234" | "pass123" | "tiger")
        && !password.bytes().all(|byte| byte.is_ascii_digit())
}

/// `pass1`, `key_1234`: short words of examples.
fn is_numbered_word(password: &str) -> bool {
    let stem = password.trim_end_matches(|last: char| last.is_ascii_digit() || last == '_' || last == '-');
    password.len() <= 8 && value::is_worded(stem)
}

/// A password with a blank for each `%XX`, so that its words can be told.
fn unescaped(password: &str) -> String {
    let mut parts = password.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push(' ');
        out.push_str(part.get(2..).unwrap_or_default());
    }
    out
}

/// The credential after `Bearer `.
pub(super) fn bearer_at(text: &str, at: usize, runs: &mut Runs) -> Option<Range<usize>> {
    let start = at + BEARER.len();
    let mut end = runs.end(text.as_bytes(), start, Class::Base64);
    while text.as_bytes().get(end) == Some(&b'.') {
        end = runs.end(text.as_bytes(), end + 1, Class::Base64);
    }
    let credential = &text[start..end];
    (credential.len() >= 20 && value::is_random(credential)).then_some(start..end)
}

/// The credential after `Basic `, if it really is a user and a password.
pub(super) fn basic_at(text: &str, at: usize, runs: &mut Runs) -> Option<Range<usize>> {
    user_and_password(text, at + BASIC.len(), runs)
}

/// The credential after `"auth":` or `_auth=`, if it really is a user and a password.
pub(super) fn auth_at(text: &str, at: usize, runs: &mut Runs) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let closed = at + usize::from(matches!(bytes.get(at), Some(b'"' | b'\'')));
    let operator = literal::skip_blanks(bytes, closed);
    if !matches!(bytes.get(operator), Some(b':' | b'=')) {
        return None;
    }
    let start = literal::skip_blanks(bytes, operator + 1);
    let start = start + usize::from(matches!(bytes.get(start), Some(b'"' | b'\'')));
    user_and_password(text, start, runs)
}

fn user_and_password(text: &str, start: usize, runs: &mut Runs) -> Option<Range<usize>> {
    let end = runs.end(text.as_bytes(), start, Class::Base64);
    let credential = &text[start..end];
    if !(12..=400).contains(&credential.len()) {
        return None;
    }
    let plain = base64::decode(credential)?;
    let (user, password) = plain.split_once(':')?;
    (is_password(user, password) && plain.bytes().all(|byte| matches!(byte, b' '..=b'~'))).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use crate::source::redact::redact;

    fn check(input: &str, expect: &str) {
        assert_eq!(redact(input.to_owned()).text, expect);
        assert_eq!(redact(expect.to_owned()).text, expect);
    }

    #[test]
    fn passwords_in_urls() {
        check(concat!("postgres://app:", "hunter2", "@db:5432/x"), "postgres://app:[REDACTED:URL_PASSWORD]@db:5432/x");
        check(concat!("redis://:", "p4ssw0rdz", "@cache"), "redis://:[REDACTED:URL_PASSWORD]@cache");
        check(concat!("amqp+tls://u:", "a@b9q1", "@h, next"), "amqp+tls://u:[REDACTED:URL_PASSWORD]@h, next");
        check(
            concat!("https://", "9f86d081884c7d659a2feaa0c55ad015", "@git.example.com"),
            "https://[REDACTED:URL_PASSWORD]@git.example.com",
        );
    }

    #[test]
    fn placeholders_in_urls_are_left() {
        for url in [
            "http://user:password@host",
            "http://user:pass@host/p",
            "postgres://postgres:postgres@localhost",
            "https://${USER}:${PASS}@host",
            "https://{user}:{pass}@host",
            "https://<user>:<password>@host",
            "https://%s:%s@host",
            "https://user:****@host",
            "https://git@github.com/a/b",
            "see http://example.com:8080/a@b",
            "ssh://git@host:22/x",
            "http://%HOSTIP:%HTTPPORT#@127.0.0.1/x",
            "http://%4d%65:%4d^%70@the.host",
            "http://host:8080?mail=name9x@example.com/",
        ] {
            check(url, url);
        }
    }

    #[test]
    fn authorization_headers() {
        let token = concat!("9f86d081884c7d65", "9a2feaa0c55ad015");
        check(&format!("Authorization: Bearer {token}\n"), "Authorization: Bearer [REDACTED:BEARER_TOKEN]\n");
        check(
            "Authorization: Bearer YOUR_ACCESS_TOKEN_GOES_HERE\n",
            "Authorization: Bearer YOUR_ACCESS_TOKEN_GOES_HERE\n",
        );
        // `app:h4unter2`, and the placeholder `username:password`.
        check(concat!("'Basic ", "YXBwOmg0dW50ZXIy", "'"), "'Basic [REDACTED:BASIC_AUTH]'");
        check("'Basic dXNlcm5hbWU6cGFzc3dvcmQ='", "'Basic dXNlcm5hbWU6cGFzc3dvcmQ='");
        check("Basic authentication needs more", "Basic authentication needs more");
    }
}
