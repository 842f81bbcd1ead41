//! What stands where a value will be: markers, stand-ins, fillers and templates.

use super::words::{LEADERS, NO_SECRETS, STAND_INS, is_known, words_of};

/// Exactly one marker.
pub(super) fn is_marker(value: &str) -> bool {
    value.strip_prefix("[REDACTED:").and_then(|rest| rest.strip_suffix(']')).is_some_and(|kind| !kind.contains(']'))
}

pub(super) fn holds_more_than_markers(value: &str) -> bool {
    let mut rest = value;
    while let Some(start) = rest.find("[REDACTED:") {
        if holds_text(&rest[..start]) {
            return true;
        }
        let Some(end) = rest[start..].find(']') else { return false };
        rest = &rest[start + end + 1..];
    }
    holds_text(rest)
}

/// Whether anything is left besides signs and the escapes of line ends.
fn holds_text(piece: &str) -> bool {
    piece.replace("\\n", "").replace("\\r", "").bytes().any(|byte| byte.is_ascii_alphanumeric())
}

/// Something that stands where a value will be: whole, never only at its beginning.
pub(super) fn is_placeholder(value: &str) -> bool {
    let inner =
        value.trim_matches(|character: char| matches!(character, '_' | '*' | '.' | '-' | '#' | '?' | ' ' | '…' | '•'));
    let elided = value.contains("...") || value.contains('…');
    if inner.is_empty() || elided || is_wrapped(value) || is_filler(value) {
        return true;
    }
    if NO_SECRETS.iter().any(|prefix| value.starts_with(prefix)) {
        return true;
    }
    let lower = inner.to_ascii_lowercase();
    if STAND_INS.contains(&lower.as_str()) {
        return true;
    }
    let told = ["changeme", "change_me", "change-me", "replaceme", "replace_me", "replace-me"];
    if told.iter().any(|words| lower.contains(words)) && !lower.bytes().any(|byte| byte.is_ascii_digit()) {
        return true;
    }
    if lower.starts_with("your") && !lower.bytes().any(|byte| byte.is_ascii_digit()) {
        return true;
    }
    LEADERS.iter().any(|leader| {
        lower.strip_prefix(leader).is_some_and(|rest| {
            let bare = rest.trim_start_matches(|character: char| !character.is_ascii_alphanumeric());
            let glued =
                bare.len() == rest.len() && !inner.as_bytes().get(leader.len()).is_some_and(u8::is_ascii_uppercase);
            words_of(&inner[inner.len() - bare.len()..]).all(|word| is_stand_in_word(word, glued))
        })
    })
}

fn is_stand_in_word(word: &str, glued: bool) -> bool {
    match word.as_bytes()[0] {
        b'0'..=b'9' => word.len() <= 4,
        _ if glued => is_known(word) || word == "ing",
        _ => is_known(word) || matches!(word, "fake" | "super" | "secure" | "very") || is_filler(word),
    }
}

/// `<…>`, `[…]`, `{…}`, `$NAME`, `%NAME%`, `@NAME@`: from end to end.
fn is_wrapped(value: &str) -> bool {
    let (Some(first), Some(last)) = (value.chars().next(), value.chars().next_back()) else { return true };
    if value.len() < 2 || value.starts_with("[REDACTED:") {
        return false;
    }
    let named = |inner: &str| {
        let inner = inner.trim_matches('#');
        inner.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-'))
    };
    match (first, last) {
        ('<', '>') | ('{', '}') | ('[', ']') | ('«', '»') => true,
        ('%', '%') | ('@', '@') | ('!', '!') | ('#', '#') => named(&value[1..value.len() - 1]),
        ('$', _) => named(&value[1..]) && !value.bytes().any(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// One character repeated, or a few such runs (`xxxxyyyy`, `xxxx-xxxx`), or nothing but `x`, `*`, `.` and the like.
pub(super) fn is_filler(value: &str) -> bool {
    let bytes = value.as_bytes();
    let runs = bytes.chunk_by(|a, b| a == b);
    runs.clone().count() <= 5 && runs.clone().all(|run| run.len() >= 3 || !run[0].is_ascii_alphanumeric())
        || bytes
            .iter()
            .all(|byte| matches!(byte, b'x' | b'X' | b'*' | b'.' | b'-' | b'_' | b'#' | b'?' | b'/' | b'+' | b'='))
}

/// What names a secret that is kept elsewhere.
const STORES: [&str; 9] =
    ["@env:", "env:", "file:", "vault:", "ssm:", "keyring:", "secretsmanager:", "credentialsJSON:", "op:"];

/// A template: its real value is made elsewhere.
pub(super) fn is_interpolated(value: &str) -> bool {
    const MARKS: [&str; 14] = ["${", "{{", "#{", "$(", "%(", "<%", "\\(", "{}", "@{", "$env:", "[[", "%{", "{%", "$$"];
    if MARKS.iter().any(|mark| value.contains(mark)) || STORES.iter().any(|store| value.starts_with(store)) {
        return true;
    }
    let mut parts = value.split('%');
    if parts.next().is_some()
        && parts.any(|part| {
            part.len() > 2
                && value.contains(&format!("%{part}%"))
                && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        })
    {
        return true;
    }
    let bytes = value.as_bytes();
    bytes.windows(2).enumerate().any(|(at, pair)| {
        pair[0] == b'%'
            && matches!(pair[1], b's' | b'd' | b'v' | b'q' | b'@' | b'p')
            && !bytes.get(at + 2).is_some_and(u8::is_ascii_alphanumeric)
    })
}

/// `%HTTPPORT`: a name of capitals behind a `%`, as test harnesses write what they fill in.
pub(super) fn is_named_part(value: &str) -> bool {
    value.strip_prefix('%').is_some_and(|rest| {
        let name = rest.bytes().take_while(|byte| byte.is_ascii_uppercase() || *byte == b'_').count();
        name >= 3 && rest[..name].bytes().any(|byte| !byte.is_ascii_hexdigit())
    })
}
