//! Values without quotes: lines of settings, options, queries, connection strings.

use super::assignment::{Joint, Slot, path_start};
use super::line::{self, line_before};
use super::literal::{self, skip_blanks};
use super::runs::Runs;
use super::value::{self, Place};
use std::ops::Range;

/// What stands around a value without quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Setting {
    Line,
    Option,
    Query,
    Connection,
    Environment,
}

pub(super) fn bare(
    text: &str,
    name: &Range<usize>,
    closed: usize,
    joint: Joint,
    after: usize,
    runs: &mut Runs,
) -> Option<Slot> {
    let bytes = text.as_bytes();
    let start = skip_blanks(bytes, after);
    if let Some(slot) = template(text, name, closed, start) {
        return Some(slot);
    }
    let before = line_before(text, name.start).unwrap_or_default();
    let bold = before.ends_with(line::BOLD) && bytes[start..].starts_with(line::BOLD.as_bytes());
    let start = if bold { skip_blanks(bytes, start + line::BOLD.len()) } else { start };
    let tight = joint == Joint::Equals && start == name.end + 1;
    let setting = setting(text, name, tight)?;
    if closed > name.end && setting != Setting::Line {
        return None;
    }
    let stop: fn(u8) -> bool = match setting {
        Setting::Line => |_| false,
        Setting::Query => |byte| matches!(byte, b'&' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b')'),
        Setting::Connection => |byte| matches!(byte, b';' | b'"' | b'\'' | b'`' | b'<' | b','),
        Setting::Option | Setting::Environment => |byte| matches!(byte, b'"' | b'\'' | b'`' | b'<'),
    };
    let run = start..runs.blank(bytes, start);
    let limit = run.end.min(start + 4096);
    let enclosed = (setting == Setting::Line || setting == Setting::Environment)
        .then(|| line::closed(before, &text[run.start..run.end.min(runs.line_end(bytes, start))], closed > name.end))
        .flatten()
        .map(|length| start + length);
    let next = next_assignment(bytes, start..limit);
    let glued = enclosed.into_iter().chain(next).min();
    let end = cut(bytes, start..glued.unwrap_or(run.end), stop);
    let span = trimmed(text, start..end);
    if text[span.end..].starts_with("...") {
        return None;
    }
    let continued = &text[span.end..run.end] == "\\";
    let whole = glued.is_some()
        || continued
        || setting != Setting::Line
        || line_is_over(text, joint, span.end, run.end, runs)
        || span.end == run.end && line::closed(before, next_word(text, run.end), closed > name.end) == Some(0);
    let place = if setting == Setting::Environment { Place::Environment } else { Place::Bare };
    if !whole {
        return None;
    }
    let mut pieces = vec![span];
    if setting == Setting::Line || setting == Setting::Environment {
        pieces.extend(next_lines(text, run.end, runs));
    }
    Some(Slot::new(pieces, place))
}

/// `${db.password:value}`, `${DB_PASSWORD:-value}`: the default of a template.
fn template(text: &str, name: &Range<usize>, closed: usize, start: usize) -> Option<Slot> {
    let bytes = text.as_bytes();
    let opened = closed == name.end && bytes[..path_start(bytes, name.start)].ends_with(b"${");
    let start = start + usize::from(matches!(bytes.get(start), Some(b'-' | b'=')));
    let length = bytes[start.min(bytes.len())..].iter().take(400).position(|byte| b"} \t\r\n$\"'".contains(byte))?;
    (opened && bytes[start + length] == b'}').then(|| Slot::word(start..start + length, Place::Bare))
}

/// The next few bytes after the blanks at `at`, at most as long as what closes a text.
fn next_word(text: &str, at: usize) -> &str {
    let start = skip_blanks(text.as_bytes(), at);
    text.get(start..start + 3).or_else(|| text.get(start..start + 2)).or_else(|| text.get(start..)).unwrap_or_default()
}

/// The words on the next lines by which a value goes on that ends in a backslash at `end`.
fn next_lines(text: &str, mut end: usize, runs: &mut Runs) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    while pieces.len() < literal::PIECES && end > 0 && bytes[end - 1] == b'\\' && runs.line_end(bytes, end) - end <= 1 {
        let start = skip_blanks(bytes, (runs.line_end(bytes, end) + 1).min(bytes.len()));
        end = runs.blank(bytes, start);
        let word = text[start..end].trim_end_matches('\\');
        if word.is_empty() || word.contains(['=', ':', '"', '\'', '`']) {
            break;
        }
        pieces.push(start..start + word.len());
    }
    pieces
}

fn setting(text: &str, name: &Range<usize>, tight: bool) -> Option<Setting> {
    let bytes = text.as_bytes();
    let capitals =
        bytes[name.clone()].iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    let member = matches!(bytes[..name.start], [.., b'.' | b'$' | b')' | b']']);
    if capitals && tight && !member {
        return Some(Setting::Environment);
    }
    if line_before(text, name.start).is_some_and(line::opens_setting) {
        return Some(Setting::Line);
    }
    match bytes[..name.start] {
        [.., b'-'] if tight => Some(Setting::Option),
        [.., b'?' | b'&'] if tight => Some(Setting::Query),
        [.., b';' | b'"' | b'\'' | b'`'] if tight => Some(Setting::Connection),
        [.., b';', b' '] if tight => Some(Setting::Connection),
        [.., b' ' | b'\t'] if tight && line_before(text, name.start).is_some_and(connects) => Some(Setting::Connection),
        [.., b','] if tight && line_before(text, name.start).is_some_and(is_chain) => Some(Setting::Connection),
        _ if tight && line_before(text, name.start).is_some_and(opens_argument) => Some(Setting::Option),
        _ => None,
    }
}

/// `host=h,password=x,`: settings glued together on a line of their own.
fn is_chain(before: &str) -> bool {
    let line = before.trim_start();
    let plain = |byte: u8| !matches!(byte, b'(' | b')' | b' ' | b'\t' | b'"' | b'\'' | b'{' | b'}');
    line.bytes().all(plain) && line.trim_end_matches(',').split(',').all(|part| part.contains('='))
}

/// The words of a connection string besides its password.
const CONNECTION: [&str; 12] = [
    "host", "hostaddr", "hostname", "server", "port", "user", "username", "uid", "dbname", "database", "sslmode",
    "service",
];

/// `host=h user=me `: other words of a connection string stand right before.
fn connects(before: &str) -> bool {
    let last = before.split_ascii_whitespace().next_back().unwrap_or_default();
    last.trim_start_matches(['"', '\'', '`']).split_once('=').is_some_and(|(word, value)| {
        CONNECTION.contains(&word.to_ascii_lowercase().as_str())
            && !value.is_empty()
            && !value.ends_with([',', ')', ';', '"', '\''])
    })
}

/// Options whose argument is `key=value`.
const SETTERS: [&str; 8] =
    ["--from-literal", "--set", "--set-string", "--build-arg", "--env", "-e", "--secret", "--label"];

/// Whether `key=` stands in the argument of an option that sets it: `--set db.`, `--from-literal=`, `-Ddb.`.
fn opens_argument(before: &str) -> bool {
    let (options, head) = before.rsplit_once([' ', '\t']).unwrap_or(("", before));
    let head = head.trim_start_matches(['"', '\'']);
    let plain = |path: &str| {
        path.trim_start_matches(['"', '\''])
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b','))
    };
    if let Some(path) = head.strip_prefix("-D") {
        return plain(path);
    }
    match head.split_once('=') {
        Some((option, path)) => SETTERS.contains(&option) && plain(path),
        None => plain(head) && options.split_ascii_whitespace().next_back().is_some_and(|last| SETTERS.contains(&last)),
    }
}

/// Whether a settings line ends after the value: nothing, a comment, or, behind `=`, more plain words.
pub(super) fn line_is_over(text: &str, joint: Joint, end: usize, run_end: usize, runs: &mut Runs) -> bool {
    if end != run_end {
        return false;
    }
    let line_end = runs.line_end(text.as_bytes(), end);
    let rest = value::head(&text[end..line_end]).trim_ascii();
    rest.is_empty()
        || rest.starts_with('#')
        || rest.starts_with("//")
        || joint == Joint::Equals && rest.as_bytes()[0].is_ascii_alphanumeric() && !starts_with_keyword(rest)
}

fn starts_with_keyword(rest: &str) -> bool {
    ["if ", "unless ", "and ", "or ", "in ", "is ", "not ", "as ", "for ", "else ", "then", "rescue ", "where "]
        .iter()
        .any(|word| rest.starts_with(word))
}

/// Where a second assignment begins that is glued to the first: `a=b,c=d`, `a=b;c = d`.
pub(super) fn next_assignment(bytes: &[u8], run: Range<usize>) -> Option<usize> {
    (run.start + 1..run.end).find(|&at| {
        matches!(bytes[at], b',' | b';' | b'&') && {
            let name = bytes[at + 1..]
                .iter()
                .take(60)
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
                .count();
            let after = skip_blanks(bytes, at + 1 + name);
            name > 0
                && matches!(bytes.get(after), Some(b'=' | b':'))
                && !matches!(bytes.get(after + 1), Some(b'=' | b':'))
        }
    })
}

pub(super) fn cut(bytes: &[u8], span: Range<usize>, stop: impl Fn(u8) -> bool) -> usize {
    span.clone().take(4096).find(|&at| stop(bytes[at])).unwrap_or(span.end)
}

/// The span without the punctuation of the text around it.
pub(super) fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let value = &text[span.clone()];
    let short = if value.starts_with("[REDACTED:") {
        value.trim_end_matches([',', ';', '.'])
    } else {
        value.trim_end_matches([',', ';', '.', ')', ']', '}', '\\'])
    };
    span.start..span.start + short.len()
}
