//! Macros that stand where the grammar of Objective-C knows none.
//!
//! Frameworks declare with macros: `typedef NS_ENUM(NSInteger, Color) {…}`,
//! `RCT_EXPORT_METHOD(show:(NSString *)text) {…}`, `NS_ASSUME_NONNULL_BEGIN`. The grammar
//! loses its way at each. They are told by what stands around them and rewritten to what
//! they declare; what remains is C and read as [`read_c`] reads it. Qualifiers of pointers
//! and the scopes of C++ go too: they name nothing that the grammar could.

use std::ops::Range;

use crate::language::Readable;
use crate::language::cfamily::{Kind, Token, in_capitals, read_c, tokens};

/// Tokens that a pair of brackets may hold.
const MAX_BRACKET: usize = 5_000;

/// Reads Objective-C.
pub(super) fn read(text: &str) -> Option<Readable> {
    let own = Reader::new(text).read();
    let rest = read_rest(own.as_ref().map_or(text, |own| &own.text));
    match (own, rest) {
        (Some(own), Some(rest)) => {
            Some(Readable { text: rest.text, adornments: [own.adornments, rest.adornments].concat() })
        }
        (own, rest) => own.or(rest),
    }
}

/// Reads what is C. There a declaration ends with a semicolon or a brace, so the words that
/// end one of Objective-C are shown with a semicolon for their last letter.
fn read_rest(text: &str) -> Option<Readable> {
    const END: &str = "@end";
    let ends: Vec<usize> = text.match_indices(END).map(|(at, _)| at + END.len() - 1).collect();
    let mut bytes = text.as_bytes().to_vec();
    ends.iter().for_each(|at| bytes[*at] = b';');
    let rest = read_c(std::str::from_utf8(&bytes).ok()?)?;
    let mut bytes = rest.text.into_bytes();
    ends.iter().for_each(|at| bytes[*at] = b'd');
    Some(Readable { text: String::from_utf8(bytes).ok()?, adornments: rest.adornments })
}

/// Whether a word qualifies a pointer or a variable and declares nothing.
fn is_qualifier(word: &str) -> bool {
    let words = ["_Nullable", "_Nonnull", "_Null_unspecified", "_Nullable_result"];
    let reserved = [
        "__autoreleasing",
        "__block",
        "__kindof",
        "__nonnull",
        "__nullable",
        "__strong",
        "__unsafe_unretained",
        "__unused",
        "__weak",
    ];
    words.contains(&word) || reserved.contains(&word)
}

/// What is around a place outside of every body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Interface,
    Implementation,
}

struct Reader<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    bytes: Vec<u8>,
    adornments: Vec<Range<usize>>,
    place: Place,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes().to_vec();
        Self { text, tokens: tokens(text), bytes, adornments: Vec::new(), place: Place::Outside }
    }

    fn read(mut self) -> Option<Readable> {
        let mut at = 0;
        // Braces around the place; what another language's linkage opens holds declarations.
        let mut bodies = Vec::new();
        let mut begins = true;
        while at < self.tokens.len() {
            let outside = !bodies.contains(&true);
            if begins
                && outside
                && let Some(next) = self.declaration(at)
            {
                (at..next).for_each(|at| self.plain(at));
                at = next;
                continue;
            }
            self.plain(at);
            begins = self.ends_declaration(at);
            if outside {
                self.spare_semicolon(at);
            }
            match self.tokens[at].kind {
                Kind::Mark(b'{') => bodies.push(at == 0 || self.tokens[at - 1].kind != Kind::Literal),
                Kind::Mark(b'}') => drop(bodies.pop()),
                _ => {}
            }
            begins |= self.is(at, b'{') && !bodies.contains(&true);
            at += 1;
        }
        let changed = self.bytes != self.text.as_bytes();
        let text = changed.then(|| String::from_utf8(self.bytes).ok()).flatten()?;
        Some(Readable { text, adornments: self.adornments })
    }

    /// `void f(void) {};` among methods.
    fn spare_semicolon(&mut self, at: usize) {
        if self.place == Place::Implementation && self.is(at, b';') && at > 0 && self.is(at - 1, b'}') {
            self.blank(at..at + 1);
        }
    }

    /// Takes out what declares nothing wherever it stands.
    fn plain(&mut self, at: usize) {
        let scope = self.tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Scope);
        if self.word(at).is_some_and(is_qualifier) {
            self.blank(at..at + 1);
        } else if scope && self.word(at).is_some() && self.word(at + 2).is_some() {
            self.blank(at..at + 2);
        } else if self.place != Place::Outside && self.is(at, b'&') && self.is(at + 1, b')') {
            self.blank(at..at + 1);
        }
    }

    /// Reads what can be said of the declaration that begins at `at`; gives the place
    /// where the next begins, if that is known.
    fn declaration(&mut self, at: usize) -> Option<usize> {
        match self.tokens[at].kind {
            Kind::Mark(b'@') => self.directive(at),
            Kind::Mark(b'-' | b'+') if self.place != Place::Outside => {
                self.trailing(at);
                None
            }
            Kind::Word if self.word(at) == Some("typedef") => self.enumeration(at + 1, Some(at)),
            Kind::Word if self.word(at) == Some("using") => self.using(at),
            Kind::Word if self.is_macro(at) && self.leads(at) => self.lead(at),
            Kind::Word if self.is_macro(at) && self.is(at + 1, b'(') => self.call(at),
            Kind::Word if self.is_macro(at) => self.lone_word(at),
            _ => None,
        }
    }

    /// `@interface`, `@property` and their like.
    fn directive(&mut self, at: usize) -> Option<usize> {
        match self.word(at + 1)? {
            "interface" => self.head(at + 2, Place::Interface),
            "protocol" => self.head(at + 2, Place::Interface),
            "implementation" => self.head(at + 2, Place::Implementation),
            "end" => {
                self.place = Place::Outside;
                Some(at + 2)
            }
            "optional" | "required" => Some(at + 2),
            "property" => {
                self.trailing(at);
                None
            }
            _ => None,
        }
    }

    /// `using namespace a::b;`
    fn using(&mut self, at: usize) -> Option<usize> {
        let end = self.end_of_head(at).filter(|end| self.is(*end, b';'))?;
        let path = (at + 1..end).all(|at| self.word(at).is_some() || self.tokens[at].kind == Kind::Scope);
        path.then(|| self.blank(at..end + 1)).map(|()| end + 1)
    }

    /// The head of a type whose name stands at `at`; gives the place behind it.
    fn head(&mut self, name: usize, place: Place) -> Option<usize> {
        self.word(name)?;
        let mut at = name + 1;
        if self.is_macro(name) && self.is(at, b'(') {
            at = self.named_by_call(name)?;
        }
        loop {
            at = match self.tokens.get(at)?.kind {
                Kind::Mark(b'<') => self.behind(at, b'<', b'>')?,
                Kind::Mark(b'(') => self.behind(at, b'(', b')')?,
                Kind::Mark(b':') if self.word(at + 1).is_some() => at + 2,
                _ => break,
            };
        }
        if !self.is(at, b';') && !self.is(at, b',') {
            self.place = place;
        }
        Some(at)
    }

    /// `@interface EXTERN_MODULE(Name, Super)`: the name stands first in the call.
    fn named_by_call(&mut self, at: usize) -> Option<usize> {
        let behind = self.behind(at + 1, b'(', b')')?;
        self.word(at + 2)?;
        self.blank(at..at + 2);
        self.blank(at + 3..behind);
        Some(behind)
    }

    /// `MACRO(Type, Name) {`, of which the typedef at `before` may be a part.
    fn enumeration(&mut self, at: usize, before: Option<usize>) -> Option<usize> {
        if !self.is_macro(at) || !self.is(at + 1, b'(') || self.token_length(at) < "enum".len() {
            return None;
        }
        let behind = self.behind(at + 1, b'(', b')')?;
        if !self.is(behind, b'{') {
            return None;
        }
        let comma = (at + 2..behind).rev().find(|at| self.is(*at, b','));
        let name = comma.map(|comma| comma + 1).filter(|name| self.word(*name).is_some() && name + 2 == behind);
        if let Some(typedef) = before {
            self.adornments.push(self.bytes_of(typedef..at));
            self.blank(typedef..at);
        }
        self.blank(at..behind);
        let start = self.tokens[at].start;
        self.bytes[start..start + 4].copy_from_slice(b"enum");
        if let Some(name) = name {
            let range = self.bytes_of(name..name + 1);
            self.bytes[range.clone()].copy_from_slice(&self.text.as_bytes()[range]);
        }
        let closed = self.behind(behind, b'{', b'}')?;
        let mut end = closed;
        while self.is_macro(end) {
            end = self.behind_macro(end)?;
        }
        if end > closed && self.is(end, b';') {
            self.blank(closed..end);
        }
        Some(end)
    }

    /// A call of a macro where a declaration begins.
    fn call(&mut self, at: usize) -> Option<usize> {
        let behind = self.behind(at + 1, b'(', b')')?;
        let listed = self.word(at).is_some_and(|word| word.ends_with("ENUM") || word.ends_with("OPTIONS"));
        if listed && self.is(behind, b'{') {
            return self.enumeration(at, None);
        }
        if self.place == Place::Implementation && self.is(behind, b'{') {
            return self.method(at, behind);
        }
        if self.place == Place::Outside {
            let apart = self.on_new_line(behind) && self.word(behind).is_none();
            return apart.then(|| self.blank(at..behind)).map(|()| behind);
        }
        if self.selector(at + 2, behind - 1).is_some_and(|name| self.is(name + 1, b':')) {
            return self.method(at, behind);
        }
        let end = if self.is(behind, b';') { behind + 1 } else { behind };
        self.blank(at..end);
        Some(end)
    }

    /// `EXPORT_METHOD(show:(NSString *)text)`: a method whose head stands in a macro.
    fn method(&mut self, at: usize, behind: usize) -> Option<usize> {
        const HEAD: &[u8] = b"-(void)";
        let close = behind - 1;
        let start = self.tokens[at].start;
        let name = self.selector(at + 2, close).filter(|name| self.tokens[*name].start >= start + HEAD.len())?;
        let last = if self.is(name + 1, b':') { close } else { name + 1 };
        self.blank(at..name);
        self.blank(last..behind);
        self.bytes[start..start + HEAD.len()].copy_from_slice(HEAD);
        if !self.is(behind, b'{') && !self.is(behind, b';') {
            self.bytes[self.tokens[close].start] = b';';
        }
        Some(behind)
    }

    /// Where the selector begins among the arguments of a macro: at the first that is a word
    /// and a colon, else at the first that is a word.
    fn selector(&self, from: usize, to: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut starts = vec![from];
        for at in from..to {
            match self.tokens[at].kind {
                Kind::Mark(b'(') => depth += 1,
                Kind::Mark(b')') => depth = depth.saturating_sub(1),
                Kind::Mark(b',') if depth == 0 => starts.push(at + 1),
                _ => {}
            }
        }
        let named = starts.iter().copied().find(|at| self.word(*at).is_some() && self.is(at + 1, b':') && *at < to);
        named.or_else(|| Some(from).filter(|from| self.word(*from).is_some()))
    }

    /// A macro that is no call, where a declaration begins.
    fn lone_word(&mut self, at: usize) -> Option<usize> {
        let next = at + 1;
        let before_type = self.word(next).is_some()
            && (self.word(next + 1).is_some() || self.is(next + 1, b'*') || self.is(next + 1, b'<'));
        if before_type && !self.on_new_line(next) {
            self.adorn(at..next);
            return Some(next);
        }
        let apart = self.leaves_line_free(next) || self.word(next).is_none_or(|word| word == "typedef");
        let alone = self.on_new_line(next) && !self.is(next, b'*') && (self.place != Place::Outside || apart);
        alone.then(|| self.blank(at..next)).map(|()| next)
    }

    /// Whether the macros from `at` on stand before a declaration of Objective-C.
    fn leads(&self, at: usize) -> bool {
        self.run_of_macros(at).is_some_and(|end| self.opens_directive(end))
    }

    /// Takes out macros that stand before a declaration; they adorn it unless a line is free.
    fn lead(&mut self, at: usize) -> Option<usize> {
        let end = self.run_of_macros(at)?;
        if self.leaves_line_free(end) {
            self.blank(at..end);
        } else {
            self.adorn(at..end);
        }
        Some(end)
    }

    /// Whether a declaration of Objective-C opens at `at`.
    fn opens_directive(&self, at: usize) -> bool {
        let words = ["interface", "implementation", "protocol", "class", "property"];
        self.is(at, b'@') && self.word(at + 1).is_some_and(|word| words.contains(&word))
    }

    /// Macros between the last name of a method or property and its end.
    fn trailing(&mut self, start: usize) {
        let method = !self.is(start, b'@');
        let Some(end) = self.end_of_head(start) else { return };
        let mut at = start + 1;
        while at < end {
            let named = if method { self.ends_name(at - 1) } else { self.ends_declarator(at - 1) };
            let behind = if self.is_macro(at) && named { self.run_of_macros(at) } else { None };
            match behind {
                Some(behind) if behind == end => {
                    self.blank(at..end);
                    return;
                }
                _ => at += 1,
            }
        }
    }

    /// The token that ends the head of a method or property.
    fn end_of_head(&self, start: usize) -> Option<usize> {
        let end = self.tokens.len().min(start + MAX_BRACKET);
        (start..end).find(|at| matches!(self.tokens[*at].kind, Kind::Mark(b';' | b'{' | b'}')))
    }

    fn ends_name(&self, at: usize) -> bool {
        self.word(at).is_some() || self.is(at, b'.')
    }

    /// Whether the word at `at` is declared: what stands before it is a type.
    fn ends_declarator(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        let typed =
            self.word(before).is_some_and(|word| word != "property") || self.is(before, b'*') || self.is(before, b'>');
        typed && self.word(at).is_some()
    }

    /// The token behind macros in a row, each a word or a call.
    fn run_of_macros(&self, mut at: usize) -> Option<usize> {
        while self.is_macro(at) {
            at = self.behind_macro(at)?;
        }
        Some(at)
    }

    fn behind_macro(&self, at: usize) -> Option<usize> {
        if self.is(at + 1, b'(') { self.behind(at + 1, b'(', b')') } else { Some(at + 1) }
    }

    fn ends_declaration(&self, at: usize) -> bool {
        self.is(at, b';') || self.is(at, b'}')
    }

    fn is(&self, at: usize, mark: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Mark(mark))
    }

    fn word(&self, at: usize) -> Option<&'t str> {
        self.tokens.get(at).filter(|token| token.kind == Kind::Word).map(|token| &self.text[token.start..token.end])
    }

    fn is_macro(&self, at: usize) -> bool {
        self.word(at).is_some_and(in_capitals)
    }

    fn token_length(&self, at: usize) -> usize {
        self.tokens[at].end - self.tokens[at].start
    }

    fn on_new_line(&self, at: usize) -> bool {
        self.gap(at).is_none_or(|gap| gap.contains('\n'))
    }

    fn leaves_line_free(&self, at: usize) -> bool {
        self.gap(at).is_none_or(|gap| gap.matches('\n').count() > 1)
    }

    /// The text before a token; `None` behind the last one.
    fn gap(&self, at: usize) -> Option<&'t str> {
        let before = at.checked_sub(1).map_or(0, |before| self.tokens[before].end);
        self.tokens.get(at).map(|token| &self.text[before..token.start])
    }

    /// The token behind the bracket that closes the one at `at`.
    fn behind(&self, at: usize, open: u8, close: u8) -> Option<usize> {
        let mut depth = 0usize;
        for index in at..self.tokens.len().min(at + MAX_BRACKET) {
            if self.is(index, open) {
                depth += 1;
            } else if self.is(index, close) {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index + 1);
                }
            }
        }
        None
    }

    fn bytes_of(&self, tokens: Range<usize>) -> Range<usize> {
        match tokens.is_empty() {
            true => 0..0,
            false => self.tokens[tokens.start].start..self.tokens[tokens.end - 1].end,
        }
    }

    /// Blanks all but the ends of lines, and comments.
    fn blank(&mut self, tokens: Range<usize>) {
        for at in tokens {
            let range = self.bytes_of(at..at + 1);
            Readable::blank(&mut self.bytes[range]);
        }
    }

    fn adorn(&mut self, tokens: Range<usize>) {
        self.adornments.push(self.bytes_of(tokens.clone()));
        self.blank(tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what is left of a text, in which white space counts as one space.
    fn check(text: &str, expect: &str) {
        let found = read(text).map_or_else(|| text.to_owned(), |readable| readable.text);
        assert_eq!(found.len(), text.len(), "{text}");
        assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), expect, "{text}");
    }

    #[test]
    fn enumerations_in_macros_are_enumerations() {
        check("typedef NS_ENUM(NSInteger, Color) { Red };", "enum Color { Red };");
        check("typedef NS_OPTIONS(NSUInteger, Edge) { Top } NS_SWIFT_NAME(E.F);", "enum Edge { Top } ;");
        check("NS_ENUM(NSInteger) { Red };", "enum { Red };");
        check("typedef struct { int a; } Point;", "typedef struct { int a; } Point;");
    }

    #[test]
    fn methods_in_macros_are_methods() {
        let inside = |text: &str, expect: &str| {
            check(
                &format!("@implementation A\n{text}\n@end"),
                format!("@implementation A {expect} @end").replace("  ", " ").as_str(),
            );
        };
        inside("EXPORT_METHOD(show:(int)a with:(int)b) { }", "-(void) show:(int)a with:(int)b { }");
        inside("REMAP_METHOD(name, show:(int)a) { }", "-(void) show:(int)a { }");
        inside("VIEW_PROPERTY(name, NSString *, View) { }", "-(void) name { }");
        inside("EXPORT_METHOD(show : (a::B &)c) { }", "-(void) show : ( B )c { }");
        inside("EXTERN_METHOD(show:(int)a)", "-(void) show:(int)a;");
        inside("EXPORT_MODULE()", "");
        inside("EXPORT_PROPERTY(name, NSString);", "");
    }

    #[test]
    fn macros_around_types_go() {
        check("NS_BEGIN\n\n@class A;\nNS_END", "@class A;");
        check("NS_BEGIN\n\ntypedef NS_ENUM(int, A) { B };", "enum A { B };");
        check("API_AVAILABLE(ios(11.0))\nLIB_EXPORT @interface A\n@end", "@interface A @end");
        check("@interface EXTERN_MODULE(A, NSObject)\n@end", "@interface A @end");
        check("extern \"C\" {\nNS_BEGIN\n@class A;\n}", "extern \"C\" { @class A; }");
    }

    #[test]
    fn macros_behind_members_go() {
        let inside = |text: &str, expect: &str| {
            check(&format!("@interface A\n{text}\n@end"), &format!("@interface A {expect} @end"));
        };
        inside("- (id)init NS_UNAVAILABLE;", "- (id)init ;");
        inside("- (id)a:(int)b API_AVAILABLE(ios(9.0)) NS_X;", "- (id)a:(int)b ;");
        inside("@property (copy) NSString *name UI_SELECTOR;", "@property (copy) NSString *name ;");
    }

    #[test]
    fn qualifiers_and_scopes_go() {
        check("NSString *_Nullable f(__unused int a);", "NSString * f( int a);");
        check("using namespace a::b;\na::b::C *d;", "C *d;");
        check("@implementation A\n- (void)f:(a::B &)c {}\n@end", "@implementation A - (void)f:( B )c {} @end");
        check("@interface A\n@end\nLIB_EXTERN void f(int a);", "@interface A @end void f(int a);");
        check("@interface A\n@end\nLIB_EXTERN A<B> *f(int a);", "@interface A @end A<B> *f(int a);");
        check("@implementation A\nvoid f(void) {};\n@end", "@implementation A void f(void) {} @end");
    }

    #[test]
    fn plain_code_is_left_alone() {
        for text in [
            "@interface A : B <C>\n@property int URL;\n@property (copy) NSURL *URL;\n- (id)URL;\n- (id)a:(int)b URL:(int)c;\n@end",
            "@implementation A\n- (void)run { FOO(a); [self go:BAR]; }\n@end",
            "@protocol A;\nBOOL\nrun(void) { return YES; }\nNSString *const NAME = @\"a\";",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn any_text_keeps_its_length() {
        for text in [
            "",
            "@",
            "@interface",
            "A(",
            "typedef ÄÖ(é) {",
            "@implementation A\nÄÖÜÄ(é) {",
            "}}} A",
            "@end @end",
            "NS_ENUM(é, É) {",
        ] {
            assert!(read(text).is_none_or(|readable| readable.text.len() == text.len()), "{text}");
        }
    }
}
