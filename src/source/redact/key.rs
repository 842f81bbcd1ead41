//! Which names say that what follows is a secret.

use std::ops::Range;

/// How strongly a name says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// A password: any text can be one, even a phrase.
    Password,
    /// A secret, an API key, an access token: a value without spaces.
    Key,
    /// A bare `token` or a key of unclear use: the word has many other meanings.
    Token,
}

/// What a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Says {
    /// What kind of value belongs to it.
    pub class: Class,
    /// Whether the name could as well stand for a message, a flag or a page, so
    /// that only a value that looks like a secret counts.
    pub doubtful: bool,
}

/// Names longer than this are not names.
pub(super) const LONGEST: usize = 100;

/// The identifier around an anchor: letters, digits, `_`, and `-` inside.
pub(super) fn identifier(text: &[u8], anchor: Range<usize>) -> Option<Range<usize>> {
    let before = text[..anchor.start].iter().rev().take(LONGEST).take_while(|&&byte| is_ident(byte) || byte == b'-');
    let mut start = anchor.start - before.count();
    let after = text[anchor.end..].iter().take(LONGEST).take_while(|&&byte| is_ident(byte) || byte == b'-').count();
    let mut end = anchor.end + after;
    while start < anchor.start && text[start] == b'-' {
        start += 1;
    }
    while text[end - 1] == b'-' {
        end -= 1;
    }
    (end - start <= LONGEST).then_some(start..end)
}

fn is_ident(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// What a name says, if anything.
pub(super) fn judge(name: &str) -> Option<Says> {
    let words = words(name);
    let kept = words.iter().rposition(|word| !is_suffix(word))? + 1;
    let words = &words[..kept];
    let (last, before) = words.split_last()?;
    let class = class_of(last, before)?;
    let unclear = class == Class::Token && !before.is_empty();
    let doubtful = unclear || before.iter().any(|word| DOUBT.contains(&word.as_str()));
    if last.ends_with("token") && before.iter().any(|word| OTHER_TOKENS.contains(&word.as_str())) {
        return None;
    }
    Some(Says { class, doubtful })
}

/// The words of a name in lower case: cut at `_`, `-`, humps and digits.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let bytes = name.as_bytes();
    let mut open = false;
    for (at, character) in name.char_indices() {
        if matches!(character, '_' | '-') {
            open = false;
            continue;
        }
        let previous = at.checked_sub(1).map(|at| bytes[at]);
        let next = bytes.get(at + 1);
        let hump = character.is_ascii_uppercase()
            && (previous.is_some_and(|byte| !byte.is_ascii_uppercase()) || next.is_some_and(u8::is_ascii_lowercase));
        let digit = character.is_ascii_digit() != previous.is_some_and(|byte| byte.is_ascii_digit());
        if !open || hump || digit {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(character.to_ascii_lowercase());
        }
        open = true;
    }
    words
}

fn class_of(last: &str, before: &[String]) -> Option<Class> {
    let previous = before.last().map(String::as_str);
    if let Some(class) = GLUED.iter().find(|(end, _)| glued(last, end)).map(|(_, class)| *class) {
        return Some(class);
    }
    match (last, previous) {
        ("pwd" | "passcode", _) => Some(Class::Password),
        ("pass", Some(owner)) if PASS_OWNERS.contains(&owner) => Some(Class::Password),
        ("word", Some("pass")) | ("phrase", Some("pass")) => Some(Class::Password),
        ("secret" | "credential" | "credentials", _) => Some(Class::Key),
        ("key", Some(owner)) if KEY_OWNERS.contains(&owner) => Some(Class::Key),
        ("key", Some(owner)) if WEAK_KEY_OWNERS.contains(&owner) => Some(Class::Token),
        ("token", Some(owner)) if TOKEN_OWNERS.contains(&owner) => Some(Class::Key),
        ("token", _) => Some(Class::Token),
        _ => None,
    }
}

/// Whether a word ends in `end`, alone or glued to something plain (`dbpassword`).
fn glued(word: &str, end: &str) -> bool {
    word.strip_suffix(end).is_some_and(|front| front.len() <= 24 && front.bytes().all(|byte| byte.is_ascii_lowercase()))
}

fn is_suffix(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit()) || SUFFIXES.contains(&word)
}

const GLUED: &[(&str, Class)] = &[
    ("password", Class::Password),
    ("passwd", Class::Password),
    ("passphrase", Class::Password),
    ("userpass", Class::Password),
    ("dbpass", Class::Password),
    ("passwort", Class::Password),
    ("apikey", Class::Key),
    ("secretkey", Class::Key),
    ("accesskey", Class::Key),
    ("privatekey", Class::Key),
    ("authkey", Class::Key),
    ("masterkey", Class::Key),
    ("accountkey", Class::Key),
    ("authtoken", Class::Key),
    ("accesstoken", Class::Key),
    ("refreshtoken", Class::Key),
    ("apitoken", Class::Key),
    ("bottoken", Class::Key),
    ("clientsecret", Class::Key),
    ("appsecret", Class::Key),
    ("apisecret", Class::Key),
];

const PASS_OWNERS: &[&str] = &[
    "account", "admin", "auth", "broker", "cert", "database", "db", "email", "ftp", "http", "imap", "key", "ldap",
    "login", "mail", "mongo", "mqtt", "my", "mysql", "pg", "postgres", "proxy", "rabbitmq", "redis", "root", "sa",
    "service", "sftp", "smtp", "sql", "ssh", "sudo", "user", "vpn", "wifi",
];

const KEY_OWNERS: &[&str] = &[
    "access",
    "account",
    "aes",
    "api",
    "auth",
    "crypt",
    "crypto",
    "decryption",
    "encrypt",
    "encryption",
    "hmac",
    "jwt",
    "licence",
    "license",
    "master",
    "private",
    "secret",
    "shared",
    "signing",
    "webhook",
];

const WEAK_KEY_OWNERS: &[&str] = &[
    "admin",
    "app",
    "application",
    "consumer",
    "deploy",
    "ingest",
    "ingestion",
    "instrumentation",
    "root",
    "server",
    "service",
    "session",
    "sign",
    "signature",
    "ssh",
    "subscription",
    "write",
];

const TOKEN_OWNERS: &[&str] = &[
    "access",
    "admin",
    "api",
    "app",
    "auth",
    "bearer",
    "bot",
    "cloudflare",
    "consul",
    "deploy",
    "discord",
    "gh",
    "github",
    "gitlab",
    "hf",
    "id",
    "jwt",
    "npm",
    "oauth",
    "personal",
    "pypi",
    "refresh",
    "registry",
    "secret",
    "security",
    "service",
    "session",
    "slack",
    "telegram",
    "user",
    "vault",
    "webhook",
];

/// Words that make a `token` a token of text, of paging or of a protocol.
const OTHER_TOKENS: &[&str] = &[
    "additional",
    "after",
    "audio",
    "before",
    "begin",
    "bos",
    "block",
    "cached",
    "cancel",
    "cancellation",
    "char",
    "close",
    "closing",
    "cls",
    "comma",
    "comment",
    "completion",
    "continuation",
    "count",
    "csrfmiddleware",
    "css",
    "current",
    "cursor",
    "delimiter",
    "end",
    "eof",
    "eos",
    "eol",
    "first",
    "ident",
    "identifier",
    "image",
    "input",
    "keyword",
    "last",
    "left",
    "lexer",
    "line",
    "mask",
    "max",
    "min",
    "nesting",
    "newline",
    "next",
    "node",
    "num",
    "open",
    "opening",
    "operator",
    "output",
    "pad",
    "page",
    "pagination",
    "parse",
    "parser",
    "peek",
    "prev",
    "previous",
    "prompt",
    "punctuation",
    "reasoning",
    "right",
    "semantic",
    "sep",
    "separator",
    "special",
    "start",
    "stop",
    "string",
    "syntax",
    "text",
    "this",
    "total",
    "unk",
    "unknown",
    "video",
    "word",
    "public",
];

/// Words that make a name a message, a flag, an action or a page.
const DOUBT: &[&str] = &[
    "bad",
    "can",
    "change",
    "check",
    "choose",
    "clear",
    "create",
    "disable",
    "empty",
    "enable",
    "enter",
    "error",
    "expired",
    "forgot",
    "forgotten",
    "generate",
    "get",
    "has",
    "hide",
    "incorrect",
    "invalid",
    "is",
    "kind",
    "label",
    "lost",
    "mismatch",
    "missing",
    "needs",
    "no",
    "parse",
    "print",
    "recover",
    "remember",
    "request",
    "require",
    "required",
    "reset",
    "revoke",
    "rotate",
    "send",
    "show",
    "toggle",
    "type",
    "unset",
    "update",
    "use",
    "validate",
    "verify",
    "with",
    "without",
    "wrong",
];

const SUFFIXES: &[&str] = &[
    "base",
    "base64",
    "b",
    "dev",
    "development",
    "live",
    "local",
    "new",
    "old",
    "plain",
    "plaintext",
    "primary",
    "prod",
    "production",
    "qa",
    "raw",
    "secondary",
    "staging",
    "str",
    "string",
    "test",
    "testing",
    "v",
    "val",
    "value",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets() {
        for name in [
            "password",
            "db_password",
            "dbPassword",
            "DB-PASSWORD",
            "dbpassword",
            "MYSQL_PWD",
            "smtp_pass",
            "passwordProd",
        ] {
            assert_eq!(judge(name).map(|says| says.class), Some(Class::Password), "{name}");
        }
        for name in [
            "secret",
            "AWS_SECRET_ACCESS_KEY",
            "apiKey",
            "X-Api-Key",
            "client_secret",
            "OPENAI_API_KEY_2",
            "accessToken",
        ] {
            assert_eq!(judge(name).map(|says| says.class), Some(Class::Key), "{name}");
        }
        assert_eq!(judge("token").map(|says| says.class), Some(Class::Token));
    }

    #[test]
    fn names_of_other_things() {
        for name in [
            "passwords",
            "secret_name",
            "key",
            "cache_key",
            "primaryKey",
            "next_token",
            "password_field",
            "tokenizer",
            "token_type",
            "bypass",
            "compass",
            "eos_token",
            "publicKey",
            "publicKeyToken",
            "access_key_id",
            "éapikeys",
        ] {
            assert_eq!(judge(name), None, "{name}");
        }
        assert!(judge("forgot_password").is_some_and(|says| says.doubtful));
    }

    #[test]
    fn identifiers() {
        let text = b"--db-password=x";
        assert_eq!(identifier(text, 5..9), Some(2..13));
    }
}
