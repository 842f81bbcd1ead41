//! Tokens of a text in C or C++, as it is before the preprocessor.

/// The parts of a text that matter here; comments and preprocessor lines are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::language) enum Kind {
    Word,
    Number,
    Literal,
    /// One byte of punctuation; `::` is one too, as `:` doubled.
    Mark(u8),
    Scope,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::language) struct Token {
    pub(in crate::language) kind: Kind,
    pub(in crate::language) start: usize,
    pub(in crate::language) end: usize,
}

/// The tokens of a text.
pub(in crate::language) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { bytes: text.as_bytes(), at: 0, line_start: true, tokens: Vec::new() };
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    lexer.tokens
}

struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    line_start: bool,
    tokens: Vec<Token>,
}

impl<'t> Lexer<'t> {
    fn step(&mut self) {
        let byte = self.bytes[self.at];
        match byte {
            b'\n' => {
                self.line_start = true;
                self.at += 1;
            }
            _ if byte.is_ascii_whitespace() => self.at += 1,
            b'#' if self.line_start => self.skip_directive(),
            b'/' if self.follows(b"//") => self.skip_line(),
            b'/' if self.follows(b"/*") => self.skip_comment(),
            b'\\' if self.bytes.get(self.at + 1).is_some_and(|next| matches!(next, b'\n' | b'\r')) => self.at += 1,
            _ => self.token(byte),
        }
    }

    fn follows(&self, what: &[u8]) -> bool {
        self.bytes[self.at..].starts_with(what)
    }

    /// Leaves the line, and those that a backslash joins to it.
    fn skip_line(&mut self) {
        while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
            let joined = self.follows(b"\\\n") || self.follows(b"\\\r\n");
            self.at += if !joined {
                1
            } else if self.follows(b"\\\n") {
                2
            } else {
                3
            };
        }
    }

    /// Leaves a preprocessor line; a comment in it may reach over its end.
    fn skip_directive(&mut self) {
        while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
            if self.follows(b"/*") {
                self.skip_comment();
            } else if self.follows(b"//") {
                self.skip_line();
            } else {
                let joined = self.follows(b"\\\n") || self.follows(b"\\\r\n");
                self.at += if !joined {
                    1
                } else if self.follows(b"\\\n") {
                    2
                } else {
                    3
                };
            }
        }
    }

    fn skip_comment(&mut self) {
        let rest = &self.bytes[self.at + 2..];
        let end = rest.windows(2).position(|pair| pair == b"*/");
        self.at = end.map_or(self.bytes.len(), |end| self.at + end + 4);
    }

    fn token(&mut self, byte: u8) {
        self.line_start = false;
        let start = self.at;
        let kind = match byte {
            b'"' | b'\'' => {
                self.skip_quoted(byte);
                Kind::Literal
            }
            b'0'..=b'9' => {
                self.skip_while(|byte| is_word(byte) || matches!(byte, b'.' | b'\''));
                Kind::Number
            }
            _ if is_word(byte) => {
                self.skip_while(is_word);
                let word = &self.bytes[start..self.at];
                if self.follows(b"\"") && matches!(word, b"R" | b"LR" | b"uR" | b"UR" | b"u8R") {
                    self.skip_raw();
                    Kind::Literal
                } else {
                    Kind::Word
                }
            }
            b':' if self.follows(b"::") => {
                self.at += 2;
                Kind::Scope
            }
            _ => {
                self.at += 1;
                Kind::Mark(byte)
            }
        };
        self.tokens.push(Token { kind, start, end: self.at });
    }

    fn skip_while(&mut self, holds: impl Fn(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|byte| holds(*byte)) {
            self.at += 1;
        }
    }

    /// Leaves a literal, which ends with its line at the latest.
    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at).filter(|byte| **byte != b'\n') {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == quote {
                break;
            }
        }
        self.at = self.at.min(self.bytes.len());
    }

    fn skip_raw(&mut self) {
        let open = self.bytes[self.at..].iter().position(|byte| *byte == b'(');
        let Some(open) = open.filter(|open| *open <= 17) else { return self.skip_quoted(b'"') };
        let mark = [b")", &self.bytes[self.at + 1..self.at + open], b"\""].concat();
        let rest = &self.bytes[self.at + open..];
        let end = rest.windows(mark.len()).position(|piece| piece == mark);
        self.at = end.map_or(self.bytes.len(), |end| self.at + open + end + mark.len());
    }
}

/// Whether a byte is part of a word; those of characters beyond ASCII are.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}
