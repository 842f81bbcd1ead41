//! How a command fails: one sentence for a person, one exit code for a script.

use std::fmt;
use std::io;

use crate::source::redact::masked;

/// How a command ended. The numbers are a public contract; the table only grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Fine = 0,
    /// Done, and the answer is no: no match, verify differs.
    Negative = 1,
    /// The command was not understood or does not fit the situation.
    Usage = 2,
    /// Local data or an artifact is damaged, missing or refused.
    Data = 3,
    /// A remote failed or refused.
    Remote = 4,
}

/// Why a command could not do its work.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// One line, lower case: what failed, on what, what to do.
    pub message: String,
}

impl Failure {
    /// The command does not fit: exit code 2.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Data is missing, damaged or refused: exit code 3.
    pub fn data(message: impl fmt::Display) -> Self {
        Self::new(Exit::Data, message)
    }

    /// The remote failed: exit code 4.
    pub fn remote(message: impl fmt::Display) -> Self {
        Self::new(Exit::Remote, message)
    }

    fn new(exit: Exit, message: impl fmt::Display) -> Self {
        Self { exit, message: masked(&one_line(&message.to_string())) }
    }

    /// Whether the reader of our output went away, which is no failure of ours.
    pub fn is_closed_pipe(&self) -> bool {
        self.message == CLOSED_PIPE
    }
}

const CLOSED_PIPE: &str = "the output was closed";

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::data(CLOSED_PIPE);
        }
        Self::data(format!("cannot write the output: {error}"))
    }
}

/// Messages may quote foreign text; it must not break the line or drive the terminal.
fn one_line(message: &str) -> String {
    let mut line = String::with_capacity(message.len());
    for character in message.trim_end().chars() {
        match character {
            '\n' | '\r' | '\t' => line.push(' '),
            hostile if crate::source::is_unprintable(hostile) => line.extend(hostile.escape_unicode()),
            fine => line.push(fine),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_stay_on_one_line_and_off_the_terminal() {
        assert_eq!(Failure::data("a\nb\x1b[2J\u{202e}c").message, "a b\\u{1b}[2J\\u{202e}c");
    }
}
