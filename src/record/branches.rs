//! Conditional lines (`#if`, `#else`, `#endif`) that a grammar trips over.
//!
//! Such lines may split a statement, or repeat its head in every branch, and then no
//! grammar of the whole text fits. With the lines themselves blanked and one branch
//! of each choice kept, it does. Blanking keeps every offset.

use super::Span;
use crate::language::Branches;

/// A text in which one branch of each choice stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    /// The text, as long as the original.
    pub(super) text: String,
    /// The stretches that were blanked because another branch was kept, in order.
    pub(super) dropped: Vec<Span>,
}

/// A choice that is open at some line.
struct Choice {
    /// The branch that the line is in.
    branch: usize,
    /// The branch to keep; `None` keeps none.
    keep: Option<usize>,
    /// Whether the choice itself stands in a kept branch.
    reached: bool,
}

/// What a conditional line does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Open { never: bool },
    Other,
    Close,
}

/// Keeps the branch `wanted` of each choice, or its last where it has fewer.
///
/// `None` where there is no choice, or where choices and their ends do not match.
pub(super) fn choose(branches: &Branches, text: &str, wanted: usize) -> Option<Chosen> {
    let lines = lines(branches, text);
    let counts = branch_counts(&lines)?;
    let mut counts = counts.into_iter();
    let mut chosen = Chosen { text: String::with_capacity(text.len()), dropped: Vec::new() };
    let mut open: Vec<Choice> = Vec::new();
    for (span, step) in lines {
        let line = span.of(text)?;
        match step {
            Some(Step::Open { never }) => {
                let keep = kept_branch(counts.next()?, never, wanted);
                open.push(Choice { branch: 0, keep, reached: kept(&open) });
            }
            Some(Step::Other) => open.last_mut()?.branch += 1,
            Some(Step::Close) => {
                open.pop()?;
            }
            None if !kept(&open) => note(&mut chosen.dropped, span),
            None => {
                chosen.text.push_str(line);
                continue;
            }
        }
        blank(&mut chosen.text, line);
    }
    Some(chosen)
}

/// Which of `count` branches to keep.
fn kept_branch(count: usize, never: bool, wanted: usize) -> Option<usize> {
    match never {
        true => (count > 1).then(|| wanted.clamp(1, count - 1)),
        false => Some(wanted.min(count - 1)),
    }
}

/// Whether a line inside these choices is kept.
fn kept(open: &[Choice]) -> bool {
    open.last().is_none_or(|choice| choice.reached && choice.keep == Some(choice.branch))
}

fn note(dropped: &mut Vec<Span>, line: Span) {
    match dropped.last_mut().filter(|last| last.end == line.start) {
        Some(last) => last.end = line.end,
        None => dropped.push(line),
    }
}

/// Writes white space of the same length, ends of lines kept.
fn blank(out: &mut String, lines: &str) {
    out.extend(lines.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' }));
}

/// The lines of a text; a conditional line comes with those that continue it.
fn lines(branches: &Branches, text: &str) -> Vec<(Span, Option<Step>)> {
    let mut found: Vec<(Span, Option<Step>)> = Vec::new();
    let mut at = 0;
    let mut continues = false;
    for line in text.split_inclusive('\n') {
        let span = Span::new(at, at + line.len() as u32);
        at = span.end;
        match found.last_mut().filter(|_| continues) {
            Some((last, _)) => last.end = span.end,
            None => found.push((span, step(branches, line))),
        }
        continues = line.trim_end().ends_with('\\') && found.last().is_some_and(|(_, step)| step.is_some());
    }
    found
}

fn step(branches: &Branches, line: &str) -> Option<Step> {
    let rest = line.trim_start().strip_prefix(branches.marker)?.trim_start();
    let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    if branches.open.contains(&word) {
        let condition = rest[word.len()..].split_whitespace().next();
        return Some(Step::Open { never: word == branches.open[0] && condition == Some(branches.never) });
    }
    if branches.other.contains(&word) {
        return Some(Step::Other);
    }
    branches.close.contains(&word).then_some(Step::Close)
}

/// Whether a line ends a branch and says nothing else.
pub(super) fn only_ends(branches: &Branches, line: &str) -> bool {
    match step(branches, line) {
        Some(Step::Close) => true,
        Some(Step::Other) => line.split_whitespace().count() == 1,
        _ => false,
    }
}

/// How many branches each choice has, in the order in which choices open; `None` where
/// there is no choice, or where one has no end.
fn branch_counts(lines: &[(Span, Option<Step>)]) -> Option<Vec<usize>> {
    let mut counts = Vec::new();
    let mut open = Vec::new();
    for step in lines.iter().filter_map(|(_, step)| *step) {
        match step {
            Step::Open { .. } => {
                open.push(counts.len());
                counts.push(1);
            }
            Step::Other => counts[*open.last()?] += 1,
            Step::Close => {
                open.pop()?;
            }
        }
    }
    (open.is_empty() && !counts.is_empty()).then_some(counts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HASH: Branches =
        Branches { marker: '#', open: &["if", "ifdef"], other: &["else", "elif"], close: &["endif"], never: "0" };

    fn check(text: &str, wanted: usize, expected: &str, dropped: &[&str]) {
        let chosen = choose(&HASH, text, wanted).unwrap();
        let shown: Vec<&str> = chosen.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(shown.join(" "), expected, "branch {wanted}");
        let found: Vec<&str> = chosen.dropped.iter().map(|span| span.of(text).unwrap().trim()).collect();
        assert_eq!(found, dropped, "branch {wanted}");
        assert_eq!(chosen.text.len(), text.len());
    }

    #[test]
    fn one_branch_of_each_choice_stands() {
        let text = "a\n#if X\nb\n#elif Y\nc\n# else\nd\n#endif\ne\n  #ifdef Z\nf\n#endif\n";
        check(text, 0, "a b e f", &["c", "d"]);
        check(text, 1, "a c e f", &["b", "d"]);
        check(text, 9, "a d e f", &["b", "c"]);
    }

    #[test]
    fn choices_nest() {
        let text = "#if X\na\n#if Y\nb\n#else\nc\n#endif\n#else\n#if Z\nd\n#endif\ne\n#endif\n";
        check(text, 0, "a b", &["c", "d", "e"]);
        check(text, 1, "d e", &["a", "b", "c"]);
    }

    #[test]
    fn what_is_never_read_is_never_kept() {
        check("#if 0\na\n#endif\nb\n", 0, "b", &["a"]);
        check("#if 0\na\n#else\nb\n#endif\n", 0, "b", &["a"]);
        check("#ifdef 0\na\n#endif\n", 0, "a", &[]);
    }

    #[test]
    fn a_condition_may_go_on() {
        check("#if X && \\\n  Y\na \\\nb\n#endif\n", 0, "a \\ b", &[]);
    }

    #[test]
    fn what_does_not_match_up_is_left_alone() {
        for text in ["", "a\n", "#endif\n", "#if X\n", "#else\n", "#define X\n", "#if X\n#endif\n#endif\n"] {
            assert_eq!(choose(&HASH, text, 0), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_offset_stays(lines in prop::collection::vec(prop::sample::select(vec!["#if 0", "#if é", "#else", "#endif", "é", "\r", ""]), 0..40), wanted in 0usize..3) {
            let text = lines.join("\n");
            if let Some(chosen) = choose(&HASH, &text, wanted) {
                prop_assert_eq!(chosen.text.len(), text.len());
                prop_assert_eq!(chosen.text.matches('\n').count(), text.matches('\n').count());
                prop_assert!(chosen.dropped.windows(2).all(|pair| pair[0].end <= pair[1].start));
            }
        }
    }
}
