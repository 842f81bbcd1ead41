//! One pattern of a `.gitignore`, `.cceignore` or `.gitattributes` file, matched as git matches it.
//!
//! Matching costs at most pattern length times path length, whatever a hostile
//! repository writes into its rule files: wildcards run as a state machine, without
//! backtracking and without a recursion limit that would change an answer.

/// Whether letters of different case are the same, as `core.ignoreCase` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Case {
    /// `A` is not `a`.
    #[default]
    Sensitive,
    /// `A` is `a`, for ASCII letters.
    Fold,
}

/// A parsed pattern.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    negative: bool,
    directories_only: bool,
    shape: Shape,
    case: Case,
}

/// What a pattern demands of every path that it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// Nothing in particular.
    Anything,
    /// These bytes, in a row; in lower case where case is folded.
    Bytes(Vec<u8>),
    /// It matches no path.
    Impossible,
}

/// How a pattern is compared. The literal start of an anchored pattern is split off
/// before its wildcards are read, as git does: `a**/b` therefore matches `ab`.
#[derive(Clone, Debug)]
enum Shape {
    /// No slash, no wildcard: the last part of the path is this.
    Name(Vec<u8>),
    /// `*` and a literal: the last part of the path ends with this.
    NameEnd(Vec<u8>),
    /// No slash: the last part of the path matches.
    NameGlob(Glob),
    /// Relative to the file's directory: a literal start and what follows.
    Path(Vec<u8>, Option<Glob>),
}

const WILDCARDS: &[u8] = b"*?[\\";

fn literal_length(pattern: &[u8]) -> usize {
    pattern.iter().position(|byte| WILDCARDS.contains(byte)).unwrap_or(pattern.len())
}

impl Pattern {
    /// Reads a pattern; comments and white space are the caller's business.
    pub(crate) fn parse(text: &[u8], case: Case) -> Self {
        let (negative, text) = match text.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (directories_only, body) = match text.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        Self { negative, directories_only, shape: Shape::parse(body, case), case }
    }

    /// Whether the pattern takes back what earlier ones said (`!`).
    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether the pattern matches `path`, relative to the directory of the pattern's file.
    pub(crate) fn matches(&self, path: &[u8], is_dir: bool) -> bool {
        if self.directories_only && !is_dir {
            return false;
        }
        let name = || path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        match &self.shape {
            Shape::Name(literal) => self.equal(literal, name()),
            Shape::NameEnd(end) => {
                let name = name();
                name.len() >= end.len() && self.equal(end, &name[name.len() - end.len()..])
            }
            Shape::NameGlob(glob) => glob.matches(name()),
            Shape::Path(literal, glob) => {
                path.len() >= literal.len()
                    && self.equal(literal, &path[..literal.len()])
                    && match glob {
                        None => path.len() == literal.len(),
                        Some(glob) => glob.matches(&path[literal.len()..]),
                    }
            }
        }
    }

    /// Whether the pattern matches `path` or one of the directories it lies in.
    pub(crate) fn reaches(&self, path: &[u8]) -> bool {
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        slashes
            .map(|(at, _)| (&path[..at], true))
            .chain([(path, false)])
            .any(|(part, is_dir)| self.matches(part, is_dir))
    }

    /// What every path has that the pattern matches.
    pub(crate) fn demand(&self) -> Demand {
        let literal = |bytes: &[u8]| match self.case {
            Case::Sensitive => bytes.to_vec(),
            Case::Fold => bytes.to_ascii_lowercase(),
        };
        let longest = match &self.shape {
            Shape::Name(bytes) | Shape::NameEnd(bytes) | Shape::Path(bytes, None) => Some(literal(bytes)),
            Shape::NameGlob(glob) => glob.longest_run(),
            Shape::Path(bytes, Some(glob)) => {
                let start = literal(bytes);
                glob.longest_run().map(|run| if run.len() > start.len() { run } else { start })
            }
        };
        match longest {
            None => Demand::Impossible,
            Some(bytes) if bytes.is_empty() => Demand::Anything,
            Some(bytes) => Demand::Bytes(bytes),
        }
    }

    /// Whether there is a path that the pattern matches: it is neither empty nor malformed.
    pub(crate) fn can_match(&self) -> bool {
        let sound = match &self.shape {
            Shape::Name(name) => !name.is_empty(),
            Shape::Path(start, None) => !start.is_empty() && !start.starts_with(b"/"),
            Shape::Path(start, Some(_)) => !start.starts_with(b"/"),
            Shape::NameEnd(_) | Shape::NameGlob(_) => true,
        };
        sound && self.demand() != Demand::Impossible
    }

    fn equal(&self, a: &[u8], b: &[u8]) -> bool {
        match self.case {
            Case::Sensitive => a == b,
            Case::Fold => a.eq_ignore_ascii_case(b),
        }
    }
}

impl Shape {
    fn parse(body: &[u8], case: Case) -> Self {
        let literal = literal_length(body);
        if body.contains(&b'/') {
            let anchored = body.strip_prefix(b"/").unwrap_or(body);
            let literal = literal_length(anchored);
            let rest = &anchored[literal..];
            let glob = (!rest.is_empty()).then(|| Glob::parse(rest, true, case));
            Self::Path(anchored[..literal].to_vec(), glob)
        } else if literal == body.len() {
            Self::Name(body.to_vec())
        } else if body[0] == b'*' && literal_length(&body[1..]) == body.len() - 1 {
            Self::NameEnd(body[1..].to_vec())
        } else {
            Self::NameGlob(Glob::parse(body, false, case))
        }
    }
}

/// The wildcard part of a pattern as a list of steps.
#[derive(Clone, Debug)]
struct Glob {
    steps: Vec<Step>,
    case: Case,
}

#[derive(Clone, Debug)]
enum Step {
    /// This byte.
    Byte(u8),
    /// Any byte of the set.
    Set(Box<[bool; 256]>),
    /// Any run of bytes without a slash.
    Star,
    /// Any run of bytes.
    Cross,
    /// `**/`: the two steps after this one, or none of them.
    Directories,
    /// The pattern is malformed here and matches nothing.
    Never,
}

impl Glob {
    /// `in_path`: wildcards stop at slashes, `**` crosses them.
    fn parse(pattern: &[u8], in_path: bool, case: Case) -> Self {
        let mut steps = Vec::with_capacity(pattern.len());
        let mut at = 0;
        while at < pattern.len() {
            match pattern[at] {
                b'\\' => {
                    at += 1;
                    steps.push(pattern.get(at).map_or(Step::Never, |&byte| Step::Byte(byte)));
                    at += 1;
                }
                b'?' => {
                    let mut any = Box::new([true; 256]);
                    any[usize::from(b'/')] = !in_path;
                    steps.push(Step::Set(any));
                    at += 1;
                }
                b'*' => at = stars(pattern, at, in_path, &mut steps),
                b'[' => match set(&pattern[at + 1..], case) {
                    Some((mut members, length)) => {
                        members[usize::from(b'/')] &= !in_path;
                        steps.push(Step::Set(members));
                        at += 1 + length;
                    }
                    None => {
                        steps.push(Step::Never);
                        break;
                    }
                },
                byte => {
                    steps.push(Step::Byte(if case == Case::Fold { byte.to_ascii_lowercase() } else { byte }));
                    at += 1;
                }
            }
        }
        Self { steps, case }
    }

    /// The longest run of bytes that no match can do without; `None` where nothing matches.
    fn longest_run(&self) -> Option<Vec<u8>> {
        let (mut longest, mut run) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < self.steps.len() {
            match self.steps[at] {
                Step::Never => return None,
                Step::Byte(byte) => run.push(byte),
                _ => run.clear(),
            }
            if run.len() > longest.len() {
                longest.clone_from(&run);
            }
            // The two steps after this one may be passed over.
            at += if matches!(self.steps[at], Step::Directories) { 3 } else { 1 };
        }
        Some(longest)
    }

    fn matches(&self, text: &[u8]) -> bool {
        let mut now = States::new(self.steps.len());
        let mut next = States::new(self.steps.len());
        now.enter(0, &self.steps);
        for &byte in text {
            let byte = if self.case == Case::Fold { byte.to_ascii_lowercase() } else { byte };
            next.clear();
            for &state in &now.list {
                match self.steps.get(state) {
                    Some(Step::Byte(wanted)) if *wanted == byte => next.enter(state + 1, &self.steps),
                    Some(Step::Set(members)) if members[usize::from(byte)] => next.enter(state + 1, &self.steps),
                    Some(Step::Star) if byte != b'/' => next.enter(state, &self.steps),
                    Some(Step::Cross) => next.enter(state, &self.steps),
                    _ => {}
                }
            }
            if next.list.is_empty() {
                return false;
            }
            std::mem::swap(&mut now, &mut next);
        }
        now.on[self.steps.len()]
    }
}

/// The steps that may come next; the state past the last step is acceptance.
struct States {
    on: Vec<bool>,
    list: Vec<usize>,
}

impl States {
    fn new(steps: usize) -> Self {
        Self { on: vec![false; steps + 1], list: Vec::new() }
    }

    fn clear(&mut self) {
        for state in self.list.drain(..) {
            self.on[state] = false;
        }
    }

    /// Enters a state and those that follow from it without reading a byte.
    fn enter(&mut self, first: usize, steps: &[Step]) {
        let mut waiting = [Some(first), None];
        while let Some(state) = waiting[0].take().or_else(|| waiting[1].take()) {
            if std::mem::replace(&mut self.on[state], true) {
                continue;
            }
            self.list.push(state);
            match steps.get(state) {
                Some(Step::Star | Step::Cross) => waiting[0] = Some(state + 1),
                Some(Step::Directories) => {
                    self.enter(state + 1, steps);
                    waiting[0] = Some(state + 3);
                }
                _ => {}
            }
        }
    }
}

/// Reads a run of stars and gives the position after it.
fn stars(pattern: &[u8], start: usize, in_path: bool, steps: &mut Vec<Step>) -> usize {
    let end = start + pattern[start..].iter().take_while(|&&byte| byte == b'*').count();
    let rest = &pattern[end..];
    let bounded_left = start == 0 || pattern[start - 1] == b'/';
    let bounded_right = rest.is_empty() || rest.starts_with(b"/") || rest.starts_with(b"\\/");
    if !in_path {
        steps.push(Step::Cross);
    } else if end - start > 1 && bounded_left && bounded_right {
        if rest.starts_with(b"/") {
            steps.push(Step::Directories);
        }
        steps.push(Step::Cross);
    } else {
        steps.push(Step::Star);
    }
    end
}

/// Reads a bracket expression after its `[`: the members and the length up to and
/// with the closing `]`; `None` where it is malformed.
fn set(pattern: &[u8], case: Case) -> Option<(Box<[bool; 256]>, usize)> {
    let mut members = Box::new([false; 256]);
    let mut at = 0;
    let negated = matches!(pattern.first(), Some(b'!' | b'^'));
    at += usize::from(negated);
    let mut previous = None;
    loop {
        let byte = *pattern.get(at)?;
        previous = match byte {
            b'\\' => {
                at += 1;
                let escaped = *pattern.get(at)?;
                members[usize::from(escaped)] = true;
                Some(escaped)
            }
            b'-' if previous.is_some() && pattern.get(at + 1).is_some_and(|&next| next != b']') => {
                at += 1;
                if pattern[at] == b'\\' {
                    at += 1;
                }
                add_range(&mut members, previous.unwrap_or_default(), *pattern.get(at)?, case);
                None
            }
            b'[' if pattern.get(at + 1) == Some(&b':') => {
                let name_start = at + 2;
                let close = name_start + pattern[name_start..].iter().position(|&byte| byte == b']')?;
                if close > name_start && pattern[close - 1] == b':' {
                    add_class(&mut members, &pattern[name_start..close - 1], case)?;
                    at = close;
                    None
                } else {
                    members[usize::from(b'[')] = true;
                    Some(b'[')
                }
            }
            _ => {
                members[usize::from(byte)] = true;
                Some(byte)
            }
        };
        at += 1;
        if *pattern.get(at)? == b']' {
            break;
        }
    }
    if negated {
        members.iter_mut().for_each(|member| *member = !*member);
    }
    Some((members, at + 1))
}

fn add_range(members: &mut [bool; 256], first: u8, last: u8, case: Case) {
    for byte in first..=last {
        members[usize::from(byte)] = true;
        if case == Case::Fold && byte.is_ascii_uppercase() {
            members[usize::from(byte.to_ascii_lowercase())] = true;
        }
    }
}

fn add_class(members: &mut [bool; 256], name: &[u8], case: Case) -> Option<()> {
    let class: fn(&u8) -> bool = match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| (0x20..=0x7e).contains(byte),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" if case == Case::Fold => u8::is_ascii_alphabetic,
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    };
    (0..=u8::MAX).filter(class).for_each(|byte| members[usize::from(byte)] = true);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, hits: &[&str], misses: &[&str]) {
        let parsed = Pattern::parse(pattern.as_bytes(), Case::Sensitive);
        for (paths, expected) in [(hits, true), (misses, false)] {
            for path in paths {
                let (bare, is_dir) = path.strip_suffix('/').map_or((*path, false), |bare| (bare, true));
                assert_eq!(parsed.matches(bare.as_bytes(), is_dir), expected, "{pattern} on {path}");
            }
        }
    }

    #[test]
    fn names() {
        check("a", &["a", "x/a", "a/"], &["ab", "a/b"]);
        check("*.o", &[".o", "x/y.o"], &["o", "x.o/y"]);
        check("a?c", &["abc", "x/abc"], &["ac", "a/c"]);
        check("dir/", &["dir/", "x/dir/"], &["dir", "x/dir"]);
        check("\\!a", &["!a"], &["a", "\\!a"]);
        check("\\", &[], &["\\", ""]);
        check("\t", &["\t"], &["a"]);
    }

    #[test]
    fn paths() {
        check("/a", &["a", "a/"], &["x/a"]);
        check("a/b", &["a/b"], &["x/a/b", "a/b/c"]);
        check("a/*", &["a/b", "a/b/"], &["a/b/c", "a", "a/"]);
        check("**/b", &["b", "a/b", "x/y/b"], &["ab", "b/a"]);
        check("a/**", &["a/b", "a/b/c"], &["a", "b/a"]);
        check("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab", "a/xb"]);
        check("a**/b", &["ab", "axx/b", "ax/y/b"], &["a"]);
        check("x/a**b", &["x/ab", "x/aqqb"], &["x/a/b"]);
        check("//a", &[], &["a", "x/a"]);
    }

    #[test]
    fn sets() {
        check("[a-c]", &["a", "c"], &["d", "-"]);
        check("[]-]", &["]", "-"], &["a"]);
        check("[!a]", &["b"], &["a"]);
        check("[^a]", &["b"], &["a"]);
        check("[[:digit:]x]", &["1", "x"], &["y"]);
        check("[[:nope:]]", &[], &["n", "]"]);
        check("[a", &[], &["a", "[a"]);
        check("[\\]]", &["]"], &["\\"]);
        check("x[/]y/z", &[], &["x/y/z"]);
    }

    #[test]
    fn patterns_that_match_nothing_are_known() {
        for nothing in ["", "/", "!", "[", "a[", "x/[y", "a\\", "//a", "[[:nope:]]"] {
            assert!(!Pattern::parse(nothing.as_bytes(), Case::Sensitive).can_match(), "{nothing}");
        }
        for something in ["a", "/a", "!a/", "*", "**", "[a]", "\\[", "**/a/", " ", "?"] {
            assert!(Pattern::parse(something.as_bytes(), Case::Sensitive).can_match(), "{something}");
        }
    }

    #[test]
    fn case_folds_when_asked() {
        for (pattern, path) in [("A*", "abc"), ("[A-C]x", "bX"), ("A/B", "a/b"), ("*.TXT", "x.txt")] {
            assert!(Pattern::parse(pattern.as_bytes(), Case::Fold).matches(path.as_bytes(), false), "{pattern}");
            assert!(!Pattern::parse(pattern.as_bytes(), Case::Sensitive).matches(path.as_bytes(), false), "{pattern}");
        }
    }

    #[test]
    fn hostile_patterns_end() {
        let pattern = format!("/{}b", "**/a/".repeat(60));
        let path = "a/".repeat(2000) + "c";
        assert!(!Pattern::parse(pattern.as_bytes(), Case::Sensitive).matches(path.as_bytes(), false));
        let stars = "a*".repeat(200) + "b";
        assert!(!Pattern::parse(stars.as_bytes(), Case::Sensitive).matches("a".repeat(4000).as_bytes(), false));
    }
}
