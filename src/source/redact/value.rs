//! Whether a value is a secret, or a placeholder, a name, a message, a piece of code.

use super::key::{Class, Says};
use super::placeholder::{holds_more_than_markers, is_interpolated, is_marker, is_placeholder};
use super::words::{EXTENSIONS, MESSAGE, TECHNICAL, TECHNICAL_NUMBERS, is_known, words_of};
use super::{base64, shape};

/// Shorter values are not taken for secrets.
pub(super) const SHORTEST: usize = 8;
/// A longer value is judged by so much of it.
const JUDGED: usize = 256;

/// How far the place of a value vouches for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A string behind an assignment: a literal, whatever it says.
    Literal,
    /// A string behind something that is often no assignment.
    LooseLiteral,
    /// No quotes: a line of settings, an option, a query.
    Bare,
    /// No quotes, and a name in capitals tight at the `=`: shell and dotenv.
    Environment,
}

/// Whether `value` is a secret under a name that says so.
pub(super) fn is_secret(value: &str, says: Says, place: Place) -> bool {
    if value.len() < SHORTEST {
        return false;
    }
    let value = head(value);
    if is_number(value) || is_account(value) || is_short_binary(value) {
        return false;
    }
    if is_marker(value) || is_placeholder(value) || is_interpolated(value) || is_address(value) {
        return false;
    }
    if value.contains(|character: char| character.is_ascii_whitespace()) {
        return !value.split_ascii_whitespace().any(encodes_words)
            && says.class == Class::Password
            && place == Place::Literal
            && !says.doubtful
            && is_phrase(value);
    }
    if value.contains("[REDACTED:") {
        return holds_more_than_markers(value);
    }
    if encodes_words(value) {
        return false;
    }
    if is_random(value) {
        return true;
    }
    if is_code(value, place) || is_path(value) {
        return false;
    }
    if place == Place::LooseLiteral && value.contains('\\') {
        return false;
    }
    if says.class == Class::Token && (value.contains(['@', '$']) || says.doubtful && value.len() < 12) {
        return false;
    }
    let strict = says.doubtful || place == Place::LooseLiteral;
    match place {
        Place::Literal | Place::LooseLiteral if strict => is_mixed(value) && !is_numbered_name(value),
        Place::Literal | Place::LooseLiteral => is_literal_secret(value, says.class),
        Place::Environment => is_bare_secret(value, says.class) || (is_mixed(value) && !is_worded_loosely(value)),
        Place::Bare => is_bare_secret(value, says.class) && !is_identifier_chain(value),
    }
}

/// `UGFzc3dvcmQ6`: base 64 of a message or a placeholder, as protocols write them.
fn encodes_words(value: &str) -> bool {
    value.len() >= 8
        && value.len().is_multiple_of(4)
        && base64::decode(value).is_some_and(|plain| {
            plain.split(':').all(|part| part.is_empty() || is_worded(part) || is_placeholder(part))
        })
}

/// As much of a text as is judged.
pub(super) fn head(value: &str) -> &str {
    let mut end = value.len().min(JUDGED);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    &value[..end]
}

fn is_literal_secret(value: &str, class: Class) -> bool {
    if is_worded(value) || !value.is_ascii() && !value.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    if is_reference(value) {
        return false;
    }
    match class {
        Class::Password => value.bytes().filter(u8::is_ascii_alphanumeric).count() >= 3,
        Class::Key => is_token_like(value) && !is_constant_name(value) && !is_name_of_key(value),
        Class::Token => {
            is_token_like(value)
                && !is_compound_name(value)
                && !is_numbered_constant(value)
                && !is_worded_loosely(value)
        }
    }
}

fn is_bare_secret(value: &str, class: Class) -> bool {
    let kebab = class == Class::Password && value.bytes().filter(|&byte| byte == b'-').count() > 0;
    let label = class != Class::Password && value.split(['-', '_']).all(is_label_part);
    !label && (is_mixed(value) || kebab) && !is_worded_loosely(value) && !is_quantity(value)
}

/// A part of a resource's name, such as `regcred-prod-1` or `RSA-2048-BIS`.
fn is_label_part(part: &str) -> bool {
    let stem = part.trim_end_matches(|last: char| last.is_ascii_digit());
    let uniform =
        stem.bytes().all(|byte| byte.is_ascii_lowercase()) || stem.bytes().all(|byte| byte.is_ascii_uppercase());
    uniform && part.len() - stem.len() <= 4
}

/// A URL, a mail address, a media type.
fn is_address(value: &str) -> bool {
    let mail = value.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty()
            && (host.contains('.') || host == "localhost")
            && !host.contains('@')
            && host.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'.' | b'-'))
    });
    value.contains("://")
        || mail
        || value.starts_with("data:")
        || value.starts_with("mailto:")
        || value.starts_with("urn:")
        || value.starts_with("arn:")
}

/// `\x55\x04\x23`: a few bytes, too few for a key, as identifiers are written.
fn is_short_binary(value: &str) -> bool {
    value.len() < 64
        && value.len().is_multiple_of(4)
        && value
            .as_bytes()
            .chunks(4)
            .all(|escape| escape.starts_with(b"\\x") && escape[2].is_ascii_hexdigit() && escape[3].is_ascii_hexdigit())
}

/// The public address of an account on a chain: 40 hex digits, where a key has 64.
fn is_account(value: &str) -> bool {
    value
        .strip_prefix("0x")
        .is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// `0x8009030D`: a number, as against a key in hex digits.
fn is_number(value: &str) -> bool {
    let digits = value.strip_prefix("0x").or(value.strip_prefix("0X")).unwrap_or_default();
    (1..=16).contains(&digits.trim_end_matches(['u', 'U', 'l', 'L']).len())
        && digits.trim_end_matches(['u', 'U', 'l', 'L']).bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'_')
}

fn is_path(value: &str) -> bool {
    let rooted = ["/", "./", "../", "~/", "~\\", ".\\", "\\\\"].iter().any(|root| value.starts_with(root));
    let drive = matches!(value.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    let nested = value.contains('/')
        && value.split('/').all(|part| part.len() < 16 || is_worded_loosely(part))
        && !value.contains('=');
    let file = value.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension));
    rooted || drive || nested || file
}

/// A piece of code, a pattern, a selector, markup.
fn is_code(value: &str, place: Place) -> bool {
    let has = |pattern: &str| value.contains(pattern);
    if has("\\d")
        || has("\\w")
        || has("\\s")
        || has("\\b")
        || has(".*")
        || has(".+")
        || has("=>")
        || has("->")
        || has("::")
        || has("</")
        || is_entity(value)
        || has("/>")
    {
        return true;
    }
    if value.contains(';') && place == Place::Literal && value.contains('=') {
        return true;
    }
    let call = value.find('(').is_some_and(|at| {
        at > 0 && value[..at].bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
    });
    let bracketed = [('(', ')'), ('[', ']'), ('{', '}')]
        .iter()
        .any(|&(open, close)| value.find(open).is_some_and(|at| value[at..].contains(close)));
    match place {
        Place::Literal | Place::LooseLiteral => {
            bracketed || value.starts_with(['+', ',', ')', ';', '}', ']']) || value.ends_with(['+', '(', ','])
        }
        Place::Environment => call,
        Place::Bare => {
            value.contains(|character: char| {
                matches!(character, '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '|' | '"' | '\'' | '`' | ';')
            }) || value.starts_with(|character: char| {
                matches!(character, '&' | '*' | '!' | '$' | '@' | '%' | '?' | '+' | ':' | ',')
            })
        }
    }
}

/// `&lt;b&gt;`: markup written as text.
fn is_entity(value: &str) -> bool {
    ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#"].iter().any(|entity| value.contains(entity))
}

/// `settings.password2`, `a.b.c`: names joined by dots.
fn is_identifier_chain(value: &str) -> bool {
    let name = |part: &str| {
        let part = part.trim_end_matches(['?', '!']);
        part.starts_with(|character: char| character.is_ascii_alphabetic() || character == '_')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if value.contains('.') {
        return value.split('.').all(name);
    }
    let humps = value.starts_with(|character: char| character.is_ascii_uppercase())
        && words_of(value).filter(|word| word.as_bytes()[0].is_ascii_alphabetic()).all(|word| word.len() >= 3);
    name(value)
        && (value.contains('_')
            || humps
            || value.bytes().all(|byte| byte.is_ascii_alphabetic())
            || trailing_digits_only(value))
}

fn trailing_digits_only(value: &str) -> bool {
    let stem = value.trim_end_matches(|character: char| character.is_ascii_digit());
    stem.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_') && value.len() - stem.len() <= 2
}

/// A number, a date, a version, an address of a host.
fn is_quantity(value: &str) -> bool {
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    letters <= 3 && !value.bytes().any(|byte| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'^' | b'&'))
        || value.contains("..")
}

/// Letters together with digits or signs that words do not hold.
fn is_mixed(value: &str) -> bool {
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let others = value.bytes().any(|byte| {
        byte.is_ascii_digit() || matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'~' | b'+')
    });
    letters && others
}

/// Only characters that tokens are written with.
fn is_token_like(value: &str) -> bool {
    value.bytes().all(|byte| (b'!'..=b'~').contains(&byte))
        && value.bytes().filter(u8::is_ascii_alphanumeric).count() * 2 > value.len()
}

/// `AUTH_TOKEN`, `CHANNEL`, `auth.token.missing`: names, whatever words they are made of.
fn is_constant_name(value: &str) -> bool {
    let capitals = value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let dotted = value.contains(['.', ':'])
        && value.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'.' | b'_' | b'-' | b':'));
    capitals || dotted
}

/// `fake-access-token`, `ssh-privatekey`: letters only, and the last word says what it names.
fn is_name_of_key(value: &str) -> bool {
    let last = value.rsplit(['-', '_']).next().unwrap_or_default();
    value.contains(['-', '_'])
        && value.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'))
        && ["key", "token", "secret"].iter().any(|end| last.to_ascii_lowercase().ends_with(end))
}

/// `WSDL4J_JAR`: capitals and digits joined by `_`, as constants are and tokens are not.
fn is_numbered_constant(value: &str) -> bool {
    value.contains('_')
        && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && value.split('_').any(|part| part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// Any name of several words without a digit, or one in capitals.
fn is_compound_name(value: &str) -> bool {
    let plain = value.bytes().all(|byte| {
        byte.is_ascii_alphabetic() || matches!(byte, b'.' | b'_' | b'-' | b':' | b'/' | b'#' | b'$' | b'@')
    });
    let joined = value.contains(['.', '_', '-', ':', '/']);
    plain && (joined || is_humped(value) || value.bytes().all(|byte| byte.is_ascii_uppercase()))
}

fn is_humped(value: &str) -> bool {
    let humps = words_of(value).count();
    humps > 1 && value.len() >= humps * 4
}

/// Made of known words only, without digits that are no part of one.
pub(super) fn is_worded(value: &str) -> bool {
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    letters
        && words_of(value)
            .all(|word| is_known(word) || TECHNICAL_NUMBERS.contains(&word) || matches!(word, "x" | "X" | "a"))
        && !value.bytes().any(|byte| matches!(byte, b'!' | b'^' | b'&' | b'%'))
        && digits_are_technical(value)
}

fn digits_are_technical(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let without =
        TECHNICAL.iter().fold(lower, |rest, term| if rest.contains(term) { rest.replace(term, "") } else { rest });
    !without.bytes().any(|byte| byte.is_ascii_digit())
}

/// Made of known words, with short numbers allowed.
fn is_worded_loosely(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !value.bytes().any(|byte| matches!(byte, b'!' | b'^' | b'&' | b'%'))
        && words_of(value).all(|word| {
            if word.as_bytes()[0].is_ascii_digit() { word.len() <= 4 } else { word.len() == 1 || is_known(word) }
        })
}

/// Known words and numbers of any length: `0002_auto_20160226`, `TRAFFIC_SECRET_0`.
fn is_numbered_name(value: &str) -> bool {
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let counted = value.split_once('_').is_some_and(|(number, _)| number.len() == 4 && digits(number));
    let numbered = value.contains('_') && words_of(value).all(|word| digits(word) || is_known(word));
    is_parted(value) || counted || numbered || is_worded_loosely(value)
}

/// Parts joined by `_`, each of letters only or of digits only.
fn is_parted(value: &str) -> bool {
    let plain = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_digit()) || part.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    value.contains('_') && value.split('_').all(plain)
}

/// `ansible_ssh_pass`, `signUpPassword`, `app.forms.SetPasswordForm`: a reference to a variable or a module.
fn is_reference(value: &str) -> bool {
    let plain = value.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.'));
    let property = value.contains('.') && value.bytes().all(|byte| shape::is_word(byte) || byte == b'.');
    let joined = value.contains('_') || value.starts_with(|first: char| first.is_ascii_lowercase());
    let last = words_of(value).last().unwrap_or_default().to_ascii_lowercase();
    let named = matches!(last.as_str(), "pass" | "password" | "passwd" | "pwd" | "secret" | "token" | "key");
    let variable = joined && words_of(value).count() > 1 && named;
    let known = words_of(value).filter(|word| is_known(word)).count();
    property && named || plain && (variable || value.contains('.') && known * 3 >= words_of(value).count() * 2)
}

/// A pass phrase, as against a message: no capital at its head, none of the little
/// words and none of the words that messages about passwords are made of.
fn is_phrase(value: &str) -> bool {
    let plain = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let words: Vec<&str> = value.split_ascii_whitespace().collect();
    if !(2..=12).contains(&words.len()) {
        return false;
    }
    let odd = words.iter().any(|word| {
        word.len() >= 6
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && is_mixed(word)
            && word.bytes().all(|byte| {
                byte.is_ascii_graphic()
                    && !matches!(
                        byte,
                        b'(' | b')' | b'{' | b'}' | b'<' | b'>' | b'=' | b',' | b'.' | b';' | b'"' | b'\''
                    )
            })
            && !is_worded_loosely(word)
    });
    words.iter().all(|word| plain(word))
        && !words.iter().any(|word| MESSAGE.contains(word))
        && words.iter().any(|word| !is_known(word))
        && words.len() >= 3
        || odd && words.len() <= 4
}

/// Text without any pattern of words: long, mixed, with many different characters.
pub(super) fn is_random(value: &str) -> bool {
    let value = head(value);
    let bytes = value.as_bytes();
    if bytes.len() < 16
        || !bytes.iter().all(|&byte| shape::Class::Base64.has(byte) || matches!(byte, b'.' | b'~' | b'$' | b':'))
    {
        return false;
    }
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    if digits < 2
        || digits == bytes.len()
        || distinct(bytes) < 8
        || is_parted(value)
        || is_labelled(value)
        || digits_are_technical(value)
    {
        return false;
    }
    if bytes.iter().all(|&byte| byte.is_ascii_hexdigit() || byte == b'-') {
        return !is_alphabet(value);
    }
    let known: usize = words_of(value).filter(|word| word.len() >= 4 && is_known(word)).map(str::len).sum();
    let pieces = words_of(value).count();
    known * 3 < bytes.len() && pieces * 6 >= bytes.len() && !is_alphabet(value)
}

/// `ALICE_cf_brainpoolP192t1`: short parts, one of them a plain word.
fn is_labelled(value: &str) -> bool {
    let plain = |part: &str| {
        part.len() >= 3
            && (part.bytes().all(|byte| byte.is_ascii_uppercase())
                || part.bytes().all(|byte| byte.is_ascii_lowercase()))
    };
    let mut parts = value.split(['_', '-']);
    value.contains(['_', '-']) && parts.clone().all(|part| part.len() < 16) && parts.any(plain)
}

fn distinct(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    bytes.iter().filter(|&&byte| !std::mem::replace(&mut seen[usize::from(byte)], true)).count()
}

/// Mostly steps to the next character: `0123456789abcdef`.
fn is_alphabet(value: &str) -> bool {
    let steps = value.as_bytes().windows(2).filter(|pair| pair[1] == pair[0].wrapping_add(1)).count();
    steps * 3 > value.len() * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, class: Class, place: Place, expect: bool) {
        let says = Says { class, doubtful: false };
        assert_eq!(is_secret(value, says, place), expect, "{value} {class:?} {place:?}");
    }

    #[test]
    fn placeholders_are_whole() {
        for value in [
            "your-value-here",
            "my-fake-value",
            "the-fake-value",
            "example-value",
            "changeme-now",
            "placeholder",
            "testing-value",
            "xxxxyyyy",
            "EXAMPLE-VALUE",
            "<fake-value>",
            "${FAKE}",
            "--------",
            "00000000",
            "YOUR_API_KEY",
            "yourpassword",
            "test1234",
            "xxxx-xxxx-xxxx",
            "__PASSWORD__",
            "%PASSWORD%",
            "##INSERT_POD##",
        ] {
            check(value, Class::Password, Place::Literal, false);
        }
        for value in [
            concat!("testing-", "Qx7Zk29fJ2"),
            concat!("the-", "Qx7Zk29fJ2"),
            concat!("my-", "zebra9lamp"),
            "<fake-value",
        ] {
            check(value, Class::Password, Place::Literal, true);
        }
    }

    #[test]
    fn names_messages_and_code_are_left() {
        for value in [
            "password",
            "current-password",
            "X-Auth-Token",
            "AUTH_TOKEN",
            "auth.token.missing",
            "Enter your password",
            "The password is wrong.",
            "#user_password",
            "/auth/password",
            "https://host/reset",
            "config/secrets.yml",
            "^[a-z]+\\d$",
            "get_password()",
            "identifier",
            "token=%s",
            "Mot de passe",
            "contraseña",
        ] {
            for class in [Class::Password, Class::Key, Class::Token] {
                check(value, class, Place::Literal, false);
            }
        }
    }

    #[test]
    fn expressions_are_left() {
        for value in [
            "next_token(stream)",
            "Option<String>",
            "cfg.password",
            "settings.password2",
            "Uint8Array",
            "getpass.getpass()",
            "TokenKind::Ident",
            "user_password1",
            "os.environ",
            "12345678",
            "2024-01-31",
            "PasswordInput",
            "&self.token",
        ] {
            for class in [Class::Password, Class::Key, Class::Token] {
                check(value, class, Place::Bare, false);
            }
        }
        check(concat!("fake-", "value-1"), Class::Password, Place::Bare, true);
        check(concat!("9f86d081884c7d65", "9a2feaa0c55ad015"), Class::Token, Place::Bare, true);
    }
}
