//! The head of a declaration: what stands before its name, and behind it.

use std::ops::Range;

use super::lexer::Kind;
use super::words::{Role, role};
use super::{Block, MAX_HEAD, Reader};

/// A stretch of a declaration's head that could be its type.
#[derive(Clone, Debug)]
struct Unit {
    tokens: Range<usize>,
    sort: Sort,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    /// A macro with arguments.
    Call,
    /// One word in capitals.
    Capitals,
    /// One other word.
    Plain,
    /// What can only be a type.
    Type,
}

/// The head of a declaration.
struct Head {
    units: Vec<Unit>,
    /// The token behind it.
    end: usize,
    /// Whether a unit stands directly before `end`.
    last: bool,
}

impl Reader<'_> {
    /// A place where a declaration can begin.
    pub(super) fn head(&mut self, start: usize) {
        if self.class_macro(start) || self.lone_macro(start) || self.lone_call(start) {
            return;
        }
        let Some(Head { mut units, end, last }) = self.units(start) else { return };
        if self.old_prototype(&units, end) {
            units.truncate(units.len() - 2);
            self.choose_type(&units);
            return;
        }
        if self.is(end, b'(') && self.is(end + 1, b'*') && units.len() > 1 {
            self.choose_type(&units);
            return;
        }
        if self.word(end) == Some("operator") {
            self.operator(&units, end);
            return;
        }
        if !last {
            return;
        }
        self.late_macros(&mut units, end);
        let Some(name) = units.pop().filter(|unit| unit.sort != Sort::Call) else { return };
        if self.is(end, b'(') && self.constructs(&name, end) {
            let macros = units.iter().filter(|unit| unit.sort <= Sort::Capitals);
            let macros: Vec<Range<usize>> = macros.map(|unit| unit.tokens.clone()).collect();
            macros.into_iter().enumerate().for_each(|(index, tokens)| self.blank(tokens, index == 0));
            self.parameters(end);
            return;
        }
        if units.is_empty() {
            return;
        }
        self.choose_type(&units);
        if self.is(end, b'(') {
            self.parameters(end);
        } else if self.is(end, b'[')
            && let Some(behind) = self.behind(end, b'[', b']')
        {
            self.trailing(behind);
        }
    }

    /// What stands before `operator`: a type, but for conversions.
    fn operator(&mut self, units: &[Unit], at: usize) {
        let converts = self.word(at + 1).is_some_and(|word| !matches!(word, "new" | "delete" | "co_await"));
        if !converts {
            self.choose_type(units);
            return;
        }
        for (index, unit) in units.iter().enumerate().filter(|(_, unit)| unit.sort == Sort::Capitals) {
            self.blank(unit.tokens.clone(), index == 0);
        }
    }

    /// `int name UNUSED = 1`: macros behind the name.
    fn late_macros(&mut self, units: &mut Vec<Unit>, end: usize) {
        if self.is(end, b'(') || self.is(end, b'{') {
            return;
        }
        while let [first, .., name, late] = units.as_slice()
            && late.sort == Sort::Capitals
            && name.sort == Sort::Plain
            && first.sort >= Sort::Plain
        {
            let tokens = late.tokens.clone();
            self.blank(tokens, false);
            units.pop();
        }
    }

    /// Whether what is named before the parenthesis at `open` is a constructor or destructor.
    fn constructs(&self, name: &Unit, open: usize) -> bool {
        if !self.plus {
            return false;
        }
        let last = self.word(name.tokens.end - 1);
        let inside = matches!(self.around.last(), Some(Block::Type(around)) if last == Some(*around));
        let outside = last == self.word(name.tokens.start) && name.tokens.len() > 1;
        let begins = self.behind(open, b'(', b')').is_some_and(|behind| self.is(behind, b':')) && !self.in_statements();
        inside || outside || begins
    }

    /// Cuts the head that begins at `start` into what could be its type, and its name.
    fn units(&self, start: usize) -> Option<Head> {
        let mut units: Vec<Unit> = Vec::new();
        let mut at = start;
        let mut last = false;
        while at < self.tokens.len() && at < start + MAX_HEAD {
            let from = at;
            match self.tokens[at].kind {
                Kind::Mark(b'*' | b'&') if !units.is_empty() => {
                    at += 1;
                    last = false;
                    continue;
                }
                Kind::Literal if at > start && self.word(at - 1) == Some("extern") => {
                    at += 1;
                    continue;
                }
                Kind::Word => {}
                Kind::Scope if self.is(at + 1, b'~') && self.word(at + 2).is_some() => {
                    let class = units.pop()?;
                    at += 3;
                    units.push(Unit { tokens: class.tokens.start..at, sort: Sort::Type });
                    last = true;
                    continue;
                }
                Kind::Scope if units.is_empty() => {
                    at += 1;
                    continue;
                }
                Kind::Scope if self.word(at + 1) == Some("operator") => {
                    units.pop();
                    return Some(Head { units, end: at + 1, last: false });
                }
                _ => break,
            }
            match role(self.word(at)?) {
                Role::Qualifier | Role::Opener => {
                    if matches!(
                        self.word(at),
                        Some("namespace" | "using" | "template" | "public" | "private" | "protected")
                    ) {
                        return None;
                    }
                    at += 1;
                    continue;
                }
                Role::Other if self.word(at) == Some("operator") => {
                    return Some(Head { units, end: at, last: false });
                }
                Role::Other => return None,
                Role::Elaborator => {
                    at = self.path(at + 1)?;
                    units.push(Unit { tokens: from..at, sort: Sort::Type });
                }
                Role::Primitive => {
                    while matches!(self.role(at), Some(Role::Primitive | Role::Qualifier)) {
                        at += 1;
                    }
                    units.push(Unit { tokens: from..at, sort: Sort::Type });
                }
                Role::Plain => {
                    let end = self.path(at)?;
                    let single = end == at + 1;
                    let call = single && self.is(end, b'(') && self.is_macro(at);
                    match call.then(|| self.behind(end, b'(', b')')).flatten() {
                        Some(behind) if self.word(behind).is_some() && self.role(behind) != Some(Role::Other) => {
                            units.push(Unit { tokens: from..behind, sort: Sort::Call });
                            at = behind;
                        }
                        _ => {
                            let sort = match single {
                                true if self.is_macro(at) => Sort::Capitals,
                                true => Sort::Plain,
                                false => Sort::Type,
                            };
                            units.push(Unit { tokens: from..end, sort });
                            at = end;
                        }
                    }
                }
            }
            last = true;
        }
        let stops = matches!(self.kind(at)?, Kind::Mark(b'(' | b';' | b'=' | b'[' | b'{' | b',' | b':'));
        stops.then_some(Head { units, end: at, last })
    }

    /// The token behind a path (`a::b<c>`) that begins at `at`.
    fn path(&self, mut at: usize) -> Option<usize> {
        loop {
            self.word(at)?;
            at += 1;
            if self.plus && self.is(at, b'<') {
                at = self.behind(at, b'<', b'>')?;
            }
            let on = self.kind(at) == Some(Kind::Scope) && self.word(at + 1).is_some_and(|word| word != "operator");
            if !on {
                return Some(at);
            }
            at += 1;
        }
    }

    /// Of several that could be the type keeps one.
    fn choose_type(&mut self, units: &[Unit]) {
        if units.len() < 2 {
            if let [only] = units
                && only.sort == Sort::Call
                && self.plus
            {
                self.unwrap(&only.tokens.clone());
            }
            return;
        }
        let best = units.iter().map(|unit| unit.sort).max();
        let kept = units.iter().rposition(|unit| Some(unit.sort) == best);
        for (index, unit) in units.iter().enumerate() {
            let first = index == 0;
            if Some(index) != kept && unit.sort != Sort::Type {
                self.blank(unit.tokens.clone(), first);
            }
        }
    }

    /// `EXPORT(int) name(`: the type stands in the macro.
    fn unwrap(&mut self, tokens: &Range<usize>) {
        let inside = tokens.start + 2..tokens.end - 1;
        let is_type =
            inside.clone().all(|at| matches!(self.kind(at), Some(Kind::Word | Kind::Mark(b'*') | Kind::Scope)));
        if is_type && !inside.is_empty() {
            self.blank(tokens.start..tokens.start + 2, true);
            self.blank(tokens.end - 1..tokens.end, false);
        }
    }

    /// `int name PARAMS((int a));`: parameters in a macro.
    fn old_prototype(&mut self, units: &[Unit], end: usize) -> bool {
        let [.., name, wrapper] = units else { return false };
        if !self.is(end, b'(') || !self.is(end + 1, b'(') || wrapper.sort < Sort::Capitals || name.sort == Sort::Call {
            return false;
        }
        let (Some(outer), Some(inner)) = (self.behind(end, b'(', b')'), self.behind(end + 1, b'(', b')')) else {
            return false;
        };
        if outer != inner + 1 || units.len() < 3 {
            return false;
        }
        self.blank(wrapper.tokens.start..end + 1, false);
        self.blank(inner..outer, false);
        self.trailing(outer);
        true
    }

    /// The parameters that open at `open`, and what stands behind them.
    fn parameters(&mut self, open: usize) {
        let Some(behind) = self.behind(open, b'(', b')') else { return };
        let mut at = open + 1;
        while at < behind {
            at = self.parameter(at, behind);
        }
        self.trailing(behind);
    }

    /// One parameter: of more than a type and a name, what is in capitals goes.
    fn parameter(&mut self, start: usize, behind: usize) -> usize {
        let mut at = start;
        let mut units: Vec<Unit> = Vec::new();
        let mut simple = true;
        while at + 1 < behind && !self.is(at, b',') {
            match self.kind(at) {
                Some(Kind::Word) => match role(self.word(at).unwrap_or_default()) {
                    Role::Qualifier | Role::Opener => at += 1,
                    Role::Other => {
                        simple = false;
                        at += 1;
                    }
                    Role::Primitive => {
                        let from = at;
                        while matches!(self.role(at), Some(Role::Primitive | Role::Qualifier)) {
                            at += 1;
                        }
                        units.push(Unit { tokens: from..at, sort: Sort::Type });
                    }
                    Role::Elaborator | Role::Plain => {
                        let from = at;
                        let skipped = usize::from(self.role(at) == Some(Role::Elaborator));
                        at = self.path(at + skipped).unwrap_or(at + 1);
                        let single = at == from + 1;
                        let sort = if single && self.is_macro(from) { Sort::Capitals } else { Sort::Plain };
                        units.push(Unit { tokens: from..at, sort });
                    }
                },
                Some(Kind::Mark(b'*' | b'&')) => at += 1,
                Some(Kind::Mark(b'(')) => {
                    simple = false;
                    at = self.behind(at, b'(', b')').unwrap_or(at + 1).min(behind);
                }
                _ => {
                    simple = false;
                    at += 1;
                }
            }
        }
        let mut spare = units.len().saturating_sub(2);
        for unit in units.iter().rev().filter(|_| simple) {
            if spare > 0 && unit.sort == Sort::Capitals {
                self.blank(unit.tokens.clone(), false);
                spare -= 1;
            }
        }
        at.max(start) + 1
    }

    /// Macros between the parameters and the end of the head.
    fn trailing(&mut self, start: usize) {
        let mut found = Vec::new();
        let mut at = start;
        loop {
            if self.is_macro(at) {
                let from = at;
                at += 1;
                if self.is(at, b'(') {
                    let Some(behind) = self.behind(at, b'(', b')') else { return };
                    at = behind;
                }
                found.push(from..at);
            } else if self.role(at) == Some(Role::Qualifier) {
                at += 1;
            } else {
                break;
            }
        }
        if matches!(self.kind(at), Some(Kind::Mark(b';' | b'{' | b'=' | b':'))) {
            found.into_iter().for_each(|range| self.blank(range, false));
        }
    }
}
