//! What C and C++ share: macros that stand where the grammars know none.
//!
//! The grammars see a file as it was before the preprocessor, and a macro in the head
//! of a declaration (`ZEXTERN int ZEXPORT inflate(…)`) breaks it: names get lost, and
//! often the rest of the file with them. [`read_c`] and [`read_cpp`] find such macros by
//! what stands around them and blank them out. No table of macros is needed: two words
//! that could both be the type of one declaration cannot both be it.

mod head;
mod lexer;
mod words;

use std::ops::Range;

pub(super) use self::lexer::{Kind, Token, tokens};
pub(super) use self::words::in_capitals;
use self::words::{Role, role};
use super::{Branches, Readable};

/// The conditional lines of the preprocessor.
pub(super) const PREPROCESSOR: Branches = Branches {
    marker: '#',
    open: &["if", "ifdef", "ifndef"],
    other: &["elif", "elifdef", "elifndef", "else"],
    close: &["endif"],
    never: "0",
};

/// Reads C.
pub(super) fn read_c(text: &str) -> Option<Readable> {
    Reader::read(text, false)
}

/// Reads C++.
pub(super) fn read_cpp(text: &str) -> Option<Readable> {
    Reader::read(text, true)
}

struct Reader<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    plus: bool,
    /// What is blanked, and whether it adorns what follows.
    blanks: Vec<(Range<usize>, bool)>,
    /// Where a macro's missing semicolon goes.
    stops: Vec<usize>,
    /// The braces around the place that is read.
    around: Vec<Block<'t>>,
    /// Where the arguments end of the macro call that is the declaration being read.
    arguments_end: usize,
}

/// What a pair of braces holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block<'t> {
    /// Members of the type of that name, which may be empty.
    Type(&'t str),
    /// Declarations of a namespace or of another language.
    Declarations,
    /// Statements, or values.
    Statements,
}

impl<'t> Reader<'t> {
    fn read(text: &'t str, plus: bool) -> Option<Readable> {
        let mut reader = Self {
            text,
            tokens: tokens(text),
            plus,
            blanks: Vec::new(),
            stops: Vec::new(),
            around: Vec::new(),
            arguments_end: 0,
        };
        reader.sweep();
        reader.finish()
    }

    fn finish(self) -> Option<Readable> {
        if self.blanks.is_empty() && self.stops.is_empty() {
            return None;
        }
        let mut bytes = self.text.as_bytes().to_vec();
        let mut adornments = Vec::new();
        for (range, adorns) in self.blanks {
            Readable::blank(&mut bytes[range.clone()]);
            if adorns {
                adornments.push(range);
            }
        }
        for at in self.stops {
            bytes[at] = b';';
        }
        String::from_utf8(bytes).ok().map(|text| Readable { text, adornments })
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn is(&self, at: usize, mark: u8) -> bool {
        self.kind(at) == Some(Kind::Mark(mark))
    }

    fn word(&self, at: usize) -> Option<&'t str> {
        self.tokens.get(at).filter(|token| token.kind == Kind::Word).map(|token| &self.text[token.start..token.end])
    }

    fn role(&self, at: usize) -> Option<Role> {
        self.word(at).map(role)
    }

    fn is_macro(&self, at: usize) -> bool {
        self.word(at).is_some_and(|word| in_capitals(word) && role(word) == Role::Plain)
    }

    fn blank(&mut self, tokens: Range<usize>, adorns: bool) {
        if let (Some(first), Some(last)) = (self.tokens.get(tokens.start), self.tokens.get(tokens.end - 1)) {
            self.blanks.push((first.start..last.end, adorns));
        }
    }

    /// The token behind the bracket that closes the one at `at`; `None` if none does soon.
    fn behind(&self, at: usize, open: u8, close: u8) -> Option<usize> {
        let mut depth = 0usize;
        for index in at..self.tokens.len().min(at + MAX_BRACKET) {
            match self.tokens[index].kind {
                Kind::Mark(mark) if mark == open => depth += 1,
                Kind::Mark(mark) if mark == close => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(index + 1);
                    }
                }
                Kind::Mark(b';' | b'{' | b'}') if open == b'<' => return None,
                _ => {}
            }
        }
        None
    }

    fn on_new_line(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return true };
        let before = at.checked_sub(1).map_or(0, |before| self.tokens[before].end);
        self.text[before..token.start].contains('\n')
    }

    /// Goes through the text and looks at each place where a declaration can begin.
    fn sweep(&mut self) {
        let mut begin = 0;
        let mut begins = true;
        for at in 0..self.tokens.len() {
            if begins {
                begin = at;
                self.begin(at);
            }
            self.pointer_convention(at);
            self.pointer_size(at);
            self.type_argument(at);
            match self.tokens[at].kind {
                Kind::Mark(b'{') => {
                    let block = self.block(begin..at);
                    self.around.push(block);
                }
                Kind::Mark(b'}') => {
                    self.around.pop();
                }
                _ => {}
            }
            begins = match self.tokens[at].kind {
                Kind::Mark(b';' | b'{' | b'}') => true,
                Kind::Mark(b':') => {
                    at > begin
                        && matches!(self.word(at - 1), Some("public" | "private" | "protected" | "slots" | "Q_SLOTS"))
                }
                Kind::Mark(b')') => self.in_statements() && self.on_new_line(at + 1),
                Kind::Mark(b'>') => self.plus && self.closes_template(at),
                Kind::Word => matches!(self.word(at), Some("else" | "do")),
                _ => false,
            };
        }
    }

    fn begin(&mut self, at: usize) {
        self.arguments_end = self.declaring_call(at).unwrap_or(0);
        if self.word(at) == Some("extern") && self.word(at + 1) == Some("template") {
            self.blank(at..at + 1, false);
        } else if self.is(at, b'~') {
            self.head(at + 1);
        } else if self.word(at).is_some() && !self.sections(at) {
            self.head(at);
        }
    }

    /// The end of the arguments where a macro call with its semicolon is a whole declaration.
    fn declaring_call(&self, at: usize) -> Option<usize> {
        let called = self.is_macro(at) && self.is(at + 1, b'(');
        let behind = called.then(|| self.behind(at + 1, b'(', b')')).flatten()?;
        self.is(behind, b';').then_some(behind)
    }

    fn in_statements(&self) -> bool {
        self.around.last() == Some(&Block::Statements)
    }

    /// What the braces hold that open behind `head`.
    fn block(&self, head: Range<usize>) -> Block<'t> {
        if self.in_statements() && !head.clone().any(|at| self.role(at) == Some(Role::Elaborator)) {
            return Block::Statements;
        }
        let mut name = None;
        for at in head.clone() {
            match (self.tokens[at].kind, self.word(at)) {
                (Kind::Mark(b'(' | b'='), _) => return Block::Statements,
                (_, Some("namespace")) => return Block::Declarations,
                (Kind::Literal, _) if at > head.start && self.word(at - 1) == Some("extern") => {
                    return Block::Declarations;
                }
                (_, Some("enum")) => return Block::Statements,
                (_, Some("class" | "struct" | "union")) if name.is_none() => name = Some(""),
                (Kind::Mark(b':'), _) => break,
                (_, Some(word)) if name.is_some_and(|name| name.is_empty() || !in_capitals(word)) => {
                    name = Some(word).filter(|word| role(word) == Role::Plain).or(name);
                }
                _ => {}
            }
        }
        name.map_or(Block::Statements, Block::Type)
    }

    /// `public slots:` and `signals:`, which a tool takes out before the compiler.
    fn sections(&mut self, at: usize) -> bool {
        if !matches!(self.around.last(), Some(Block::Type(_))) {
            return false;
        }
        match self.word(at) {
            Some("public" | "private" | "protected") if self.is(at + 2, b':') && self.word(at + 1).is_some() => {
                self.blank(at + 1..at + 2, false);
                true
            }
            Some("signals" | "Q_SIGNALS") if self.is(at + 1, b':') => {
                self.blank(at..at + 2, false);
                true
            }
            _ => false,
        }
    }

    /// `type FAR *name`: a word that neither is the type nor can multiply.
    fn pointer_size(&mut self, at: usize) {
        let typed = matches!(self.role(at), Some(Role::Plain | Role::Primitive)) && !self.is_macro(at);
        if typed && self.is_macro(at + 1) && self.is(at + 2, b'*') {
            self.blank(at + 1..at + 2, false);
        }
    }

    fn closes_template(&self, at: usize) -> bool {
        let mut depth = 0usize;
        for index in (at.saturating_sub(MAX_TEMPLATE)..=at).rev() {
            match self.tokens[index].kind {
                Kind::Mark(b'>') => depth += 1,
                Kind::Mark(b'<') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return index > 0 && self.word(index - 1) == Some("template");
                    }
                }
                Kind::Mark(b';' | b'{' | b'}') => return false,
                _ => {}
            }
        }
        false
    }

    /// `(WINAPI *name)`: a calling convention.
    fn pointer_convention(&mut self, at: usize) {
        if self.is(at, b'(')
            && self.is_macro(at + 1)
            && self.is(at + 2, b'*')
            && self.word(at + 3).is_some()
            && self.is(at + 4, b')')
            && self.is(at + 5, b'(')
        {
            self.blank(at + 1..at + 2, false);
        }
    }

    /// `class EXPORT Name {`: a macro between the keyword and the name.
    fn class_macro(&mut self, start: usize) -> bool {
        let mut at = start;
        while matches!(self.role(at), Some(Role::Opener | Role::Qualifier)) {
            at += 1;
        }
        if self.role(at) != Some(Role::Elaborator) {
            return false;
        }
        at += 1;
        let first = at;
        while self.role(at) == Some(Role::Plain) {
            at += 1;
            if self.is(at, b'(') && self.is_macro(at - 1) {
                let Some(behind) = self.behind(at, b'(', b')') else { return false };
                at = behind;
            }
        }
        let opens = self.is(at, b'{') || self.is(at, b':') || self.word(at) == Some("final");
        if at < first + 2 || !opens {
            return false;
        }
        let name = (first..at).rev().find(|at| self.role(*at) == Some(Role::Plain) && !self.is_macro(*at));
        let name = name.unwrap_or(at - 1);
        for range in [first..name, name + 1..at].into_iter().filter(|range| !range.is_empty()) {
            self.blank(range, false);
        }
        true
    }

    /// `container_of(node, struct item, link)`, `NEW(int, 3)`: a type among the arguments of
    /// a call. It stands behind `mark`; as the first argument it shows only in a macro's call.
    fn type_argument(&mut self, mark: usize) {
        let follows = self.is(mark, b',') || (self.is(mark, b'(') && mark > 0 && self.is_macro(mark - 1));
        if !follows || !(self.in_statements() || mark < self.arguments_end) {
            return;
        }
        let first = mark + 1;
        let mut at = first;
        while self.word(at).is_some() && self.role(at) != Some(Role::Other) {
            at += 1;
        }
        let words = at;
        while self.is(at, b'*') {
            at += 1;
        }
        let ends = self.is(at, b')') || self.is(at, b',');
        let is_type =
            at > words || matches!(self.role(first), Some(Role::Elaborator | Role::Primitive | Role::Qualifier));
        if words == first || !ends || !is_type {
            return;
        }
        if self.role(words - 1) == Some(Role::Plain) {
            for range in [first..words - 1, words..at].into_iter().filter(|range| !range.is_empty()) {
                self.blank(range, false);
            }
        } else if self.is(mark, b',') {
            self.blank(mark..at, false);
        } else {
            self.blank(first..at + usize::from(self.is(at, b',')), false);
        }
    }

    /// A macro before what must begin by itself.
    fn lone_macro(&mut self, start: usize) -> bool {
        if !self.is_macro(start) || self.is(start + 1, b'(') {
            return false;
        }
        let next = start + 1;
        if self.plus && self.is(next, b'~') {
            self.blank(start..next, true);
            self.head(next + 1);
            return true;
        }
        let ends = next >= self.tokens.len() || (self.is(next, b'}') && self.on_new_line(next));
        if ends {
            self.blank(start..next, false);
            return true;
        }
        let apart = self.on_new_line(next);
        let opens = match self.role(next) {
            Some(Role::Opener) => true,
            Some(Role::Elaborator) => apart,
            Some(_) => self.leaves_line_free(next) || (apart && self.is_macro(next) && !self.is(next + 1, b'(')),
            None => false,
        };
        if opens {
            self.blank(start..next, !self.leaves_line_free(next));
            self.begin(next);
        }
        opens
    }

    /// Whether a blank line stands before the token.
    fn leaves_line_free(&self, at: usize) -> bool {
        let before = self.tokens[at - 1].end;
        self.text[before..self.tokens[at].start].matches('\n').count() > 1
    }

    /// A call of a macro that is a statement, or a whole declaration, without a semicolon.
    fn lone_call(&mut self, start: usize) -> bool {
        let called = self.role(start) == Some(Role::Plain) && self.is(start + 1, b'(');
        let Some(behind) = called.then(|| self.behind(start + 1, b'(', b')')).flatten() else { return false };
        let gap = self.tokens[behind - 1].end;
        if self.is(behind, b'{') {
            let literal = self.kind(start + 2) == Some(Kind::Literal);
            let words = !self.plus && self.is_macro(start) && self.only_words(start + 2..behind - 1);
            if literal || words || self.in_statements() {
                self.stop(gap);
            }
            return true;
        }
        if !self.on_new_line(behind) {
            return false;
        }
        if self.in_statements() {
            if self.word(behind).is_some() || self.is(behind, b'}') {
                self.stop(gap);
            }
            return true;
        }
        if !self.is_macro(start) {
            return false;
        }
        match self.role(behind) {
            None if self.is(behind, b'}') || behind == self.tokens.len() => self.stop(gap),
            Some(Role::Opener) => {
                self.blank(start..behind, !self.leaves_line_free(behind));
                self.head(behind);
            }
            _ => return false,
        }
        true
    }

    /// Whether the words between are single and apart by commas.
    fn only_words(&self, inside: Range<usize>) -> bool {
        inside.clone().all(|at| match (at - inside.start) % 2 {
            0 => matches!(self.kind(at), Some(Kind::Word | Kind::Number)),
            _ => self.is(at, b','),
        })
    }

    /// Puts a semicolon on the white space at `at`.
    fn stop(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        let directive = || self.text[at..].trim_start().starts_with('#');
        if bytes.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
            || (bytes.get(at) == Some(&b'\n') && !directive())
        {
            self.stops.push(at);
        }
    }
}

/// Tokens that a pair of brackets may hold.
const MAX_BRACKET: usize = 500;
/// Tokens that the parameters of a template may take.
const MAX_TEMPLATE: usize = 200;
/// Tokens of a declaration's head.
const MAX_HEAD: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what is left of a text; `·` stands for each byte that was blanked.
    fn check(read: fn(&str) -> Option<Readable>, text: &str, expect: &str) {
        let found = read(text).map_or_else(|| text.to_owned(), |readable| readable.text);
        assert_eq!(found.len(), text.len());
        let marked: String =
            text.chars().zip(found.chars()).map(|(was, is)| if was != is && is == ' ' { '·' } else { is }).collect();
        assert_eq!(marked, expect);
    }

    fn c(text: &str, expect: &str) {
        check(read_c, text, expect);
    }

    fn cpp(text: &str, expect: &str) {
        check(read_cpp, text, expect);
    }

    #[test]
    fn a_declaration_keeps_one_type() {
        c("ZEXTERN int ZEXPORT f(int a);", "······· int ······· f(int a);");
        c("static INLINE struct node *f(void) {}", "static ······ struct node *f(void) {}");
        c("DWORD f(void); static DWORD g;", "DWORD f(void); static DWORD g;");
        c("LIB_API DWORD f(void);", "······· DWORD f(void);");
        c("local void f(a) int a; {}", "····· void f(a) int a; {}");
        c("int x UNUSED = 1; char y[] ALIGNED = \"a\";", "int x ······ = 1; char y[] ······· = \"a\";");
        c("typedef int (WINAPI *f)(int); int CALL (*g)(int);", "typedef int (······ *f)(int); int ···· (*g)(int);");
        cpp("static const ::a::B c[] SECTION = {};", "static const ::a::B c[] ······· = {};");
        cpp("template <class T> API std::vector<T> f();", "template <class T> ··· std::vector<T> f();");
        cpp("API bool A::operator==(A);", "API bool A::operator==(A);".replace("API", "···").as_str());
    }

    #[test]
    fn parameters_lose_what_is_neither_type_nor_name() {
        c("int f(int a UNUSED, FAR char *b);", "int f(int a ······, ··· char *b);");
        c("int f(HANDLE a, FILE *, const FILE *b);", "int f(HANDLE a, FILE *, const FILE *b);");
        c(
            "int f(void) NONNULL(1) PURE;",
            "int f(void) ··········· ····;".replace("···········", "··········").as_str(),
        );
        c("int f PARAMS((int, char *));", "int f ·······(int, char *)·;");
    }

    #[test]
    fn macros_that_stand_alone_go() {
        c("BEGIN_DECLS\n\nint f(void);\nEND_DECLS", "···········\n\nint f(void);\n·········");
        c("int\nmain(void) {}\nBOOL\nf(void) {}", "int\nmain(void) {}\nBOOL\nf(void) {}");
        cpp(
            "class A {\n  Q_OBJECT\n public slots:\n signals:\n};",
            "class A {\n  ········\n public ·····:\n ········\n};",
        );
        cpp("class LIB_API A : B {}; struct A SEALED {};", "class ······· A : B {}; struct A ······ {};");
        cpp("extern template class A<int>;", "······ template class A<int>;");
    }

    #[test]
    fn constructors_have_no_type() {
        cpp("class A { INLINE HOST A(int a) THROWS : b(a) {} };", "class A { ······ ···· A(int a) ······ : b(a) {} };");
        cpp("INLINE A::A() {}", "······ A::A() {}");
        cpp("A::~A() THROWS {}", "A::~A() ······ {}");
        cpp(
            "class A { INLINE ~A() THROWS; INLINE operator bool(); };",
            "class A { ······ ~A() ······; ······ operator bool(); };",
        );
    }

    #[test]
    fn calls_without_a_semicolon_get_one() {
        c("int f() {\n  TRACE(a)\n  each(x, y) { g(); }\n}", "int f() {\n  TRACE(a);  each(x, y);{ g(); }\n}");
        cpp("TEST_CASE(\"a\") {}", "TEST_CASE(\"a\");{}");
        cpp("A::A(int a) {}", "A::A(int a) {}");
        c("int f() {\n  TRACE(a)\n#if X\n  g();\n#endif\n}", "int f() {\n  TRACE(a)\n#if X\n  g();\n#endif\n}");
    }

    #[test]
    fn types_among_arguments_become_words() {
        c("int f() { of(a, struct b, c); va(d, char *); }", "int f() { of(a, ······ b, c); va(d· ···· ·); }");
        c("int f(int, char *); int g() { return h(a, b * c); }", "int f(int, char *); int g() { return h(a, b * c); }");
        c("int f() { return NEW(int, 3) + SIZE(char *); }", "int f() { return NEW(···· 3) + SIZE(···· ·); }");
        c("int f() { return new(int, 3); }", "int f() { return new(int, 3); }");
        cpp("FLAG(int, a, 1); FLAG(b, long, A(c));", "FLAG(···· a, 1); FLAG(b· ····, A(c));");
        cpp("FLAG(int, a) {} int F(int, char);", "FLAG(int, a) {} int F(int, char);");
    }

    #[test]
    fn plain_code_is_left_alone() {
        let code = [
            "int a = FOO * b, c[MAX]; /* API int f(); */ #define API int x\n",
            "static const struct ops OPS = { .open = f, .size = SIZE };\n",
            "int f(void) { if (A) return B; else if (C) { D(e); } for (;;) { g(H, *i); } X: y(); }\n",
            "#define API int x \\\n API int y\nchar *s = \"API int x\"; char t = '\\'';\n",
        ];
        code.into_iter().for_each(|text| assert_eq!(read_c(text), None, "{text}"));
        let code = [
            "auto s = R\"x(API int f();)\" )x\"; namespace a { class B final : C<D> { B(E f); F<G> h; }; }\n",
            "template <typename T, int N> T A<T>::f() const noexcept { return T{N}; }\nenum class E { A, B };\n",
        ];
        code.into_iter().for_each(|text| assert_eq!(read_cpp(text), None, "{text}"));
    }

    #[test]
    fn any_text_keeps_its_length() {
        for text in [
            "",
            "\"",
            "/*",
            "R\"(",
            "#",
            "A(",
            "~",
            "'é",
            "ÄÖÜ int f(é UNUSED);",
            "API\u{a0}int x;",
            "extern \"C\"",
            "}}} ; {{{ A",
        ] {
            for read in [read_c, read_cpp] {
                assert!(read(text).is_none_or(|readable| readable.text.len() == text.len()), "{text}");
            }
        }
    }
}
