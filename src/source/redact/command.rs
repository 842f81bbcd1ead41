//! User and password in the arguments of a command: `curl -u user:password`.

use super::address::is_password;
use super::literal::skip_blanks;
use super::runs::Runs;
use std::ops::Range;

/// The literal by which the scan finds a command.
pub(super) const CURL: &str = "curl ";

/// How far a command is followed, in bytes.
const LONGEST: usize = 4096;
const OPTIONS: [&str; 4] = ["-u", "-U", "--user", "--proxy-user"];

/// The passwords of the command whose arguments begin at `at`, and where it ends.
pub(super) fn passwords(text: &str, at: usize, runs: &mut Runs) -> (Vec<Range<usize>>, usize) {
    let bytes = text.as_bytes();
    let end = command_end(bytes, at, runs);
    let mut found = Vec::new();
    let mut start = skip_blanks(bytes, at);
    while start < end {
        let word_end = runs.blank(bytes, start).min(end);
        let value = option_value(text, start..word_end);
        if let Some(value) = value {
            found.extend(password(text, value, end, runs));
        }
        start = word_end + bytes[word_end..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count().max(1);
    }
    (found, end)
}

/// The end of the line, or of the last line by which a backslash continues it.
fn command_end(bytes: &[u8], at: usize, runs: &mut Runs) -> usize {
    let mut end = runs.line_end(bytes, at);
    while end < bytes.len() && end - at < LONGEST && bytes[at..end].trim_ascii_end().ends_with(b"\\") {
        end = runs.line_end(bytes, end + 1);
    }
    end.min(at + LONGEST)
}

/// Where the value of an option begins that takes user and password: glued, behind `=`, or next.
fn option_value(text: &str, word: Range<usize>) -> Option<usize> {
    let bytes = text.as_bytes();
    let option = text.get(word.clone())?.trim_start_matches(['"', '\'']);
    if OPTIONS.contains(&option) {
        return Some(skip_blanks(bytes, word.end));
    }
    let glued = ["--user=", "--proxy-user=", "-u"].iter().find(|name| option.starts_with(**name))?;
    Some(word.end - option.len() + glued.len())
}

/// The password in `user:password`, with or without quotes around it.
fn password(text: &str, start: usize, end: usize, runs: &mut Runs) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let quote = bytes.get(start).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    let start = start + usize::from(quote.is_some());
    let value_end = match quote {
        Some(quote) => runs.quote(bytes, start, quote),
        None => runs.blank(bytes, start),
    };
    let value = text.get(start..value_end.min(end))?.trim_end_matches(['"', '\'', '`', ')', ',', ';']);
    let (user, password) = value.split_once(':')?;
    let sane = !password.contains([' ', '$', '<', '`']) && !user.is_empty() && !user.contains(['/', ' ']);
    (sane && is_password(user, password)).then(|| start + user.len() + 1..start + value.len())
}

#[cfg(test)]
mod tests {
    use crate::source::redact::redact;

    fn check(form: &str) {
        let expect = form.replace('@', "[REDACTED:BASIC_AUTH]");
        assert_eq!(redact(form.replace('@', concat!("hunter2", "lamp"))).text, expect);
        assert_eq!(redact(expect.clone()).text, expect);
    }

    #[test]
    fn passwords_of_commands() {
        check("curl -u app:@ https://h/x\n");
        check("  curl -sS -uapp:@ https://h/x\r\n");
        check("curl --user 'app:@' https://h/x\n");
        check("RUN curl https://h/x --user=app:@ -o y\n");
        check("curl -X POST \\\n  -H 'A: b' \\\n  -u \"app:@\" \\\n  https://h/x\n");
        check("`curl -u app:@`");
        check("curl -U p:@ -u app:@ https://h\n");
    }

    #[test]
    fn commands_without_a_password_are_left() {
        for command in [
            "curl -u user:password https://h\n",
            "curl -u $USER:$PASS https://h\n",
            "curl -u \"${USER}:${PASS}\" https://h\n",
            "curl -u app: https://h\n",
            "curl -u <user>:<password> https://h\n",
            "curl --user-agent app:hunter2lamp/1.0 https://h\n",
            "curl https://h\nsort -u app:hunter2lamp\n",
            "id -u app:hunter2lamp\n",
        ] {
            assert_eq!(redact(command.to_owned()).text, command);
        }
    }
}
