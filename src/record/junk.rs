//! Text that is no code in its language, found before it is parsed at length.
//!
//! In error, a parser of the kind used here copies everything it skipped with each
//! further token, so that a stretch of text that never makes sense costs the square of
//! its length: minutes for a table of numbers under the name of a C file. None of its
//! progress reports tells. So small windows of a long text are parsed first. Where one
//! after the other makes no sense, the text up to there is parsed, with its open brackets
//! closed: a table or a literal then makes sense, and what does not is not gone into.

use std::convert::Infallible;
use std::ops::ControlFlow;

use tree_sitter::{InputEdit, Node, Parser, Point, Tree};

use super::boundary::floor;
use super::errors;

/// Bytes of a text that a window stands for.
const STRETCH: usize = 8 << 10;
/// Bytes of a window.
const WINDOW: usize = 768;
/// Lines of which the least indented begins a window: code makes most sense from there.
const CHOICE: usize = 40;
/// Children of one error that make a window suspect. Code that a window cuts apart stays
/// below, but for comments and tables.
const SUSPECT: usize = 80;
/// Suspect stretches in a row that are looked into. Shorter texts are parsed as they are.
const RUN: usize = 3;
/// Children of one error that are too many for such a row.
const TOO_MANY: usize = 3_000;

/// How many bytes at the start of `text` can be parsed in a time that is about linear.
pub(super) fn parsable(parser: &mut Parser, text: &str) -> usize {
    if text.len() < RUN * STRETCH {
        return text.len();
    }
    let mut known: Option<(Tree, String)> = None;
    let mut run = 0;
    for start in (0..text.len()).step_by(STRETCH) {
        run = if is_suspect(parser, window(text, start)) { run + 1 } else { 0 };
        if run < RUN {
            continue;
        }
        let piece = closed(&text[..floor(text, start + STRETCH)]);
        let before = known.take().map(|(tree, before)| turned(tree, &before, &piece));
        match parser.parse(&piece, before.as_ref()) {
            Some(tree) if largest_error(tree.root_node()) <= TOO_MANY => known = Some((tree, piece)),
            _ => return floor(text, start + STRETCH - RUN * STRETCH),
        }
        run = 0;
    }
    text.len()
}

fn is_suspect(parser: &mut Parser, window: &str) -> bool {
    parser.parse(window, None).is_none_or(|tree| largest_error(tree.root_node()) > SUSPECT)
}

/// A piece of the stretch from `start`, from the line that is indented least.
fn window(text: &str, start: usize) -> &str {
    let stretch = &text[floor(text, start)..floor(text, start + STRETCH)];
    let lines = stretch.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((line.len() - line.trim_start().len(), start))
    });
    // The first line may be the rest of one.
    let begin = lines.take(CHOICE).skip(usize::from(start > 0)).min().map_or(0, |(_, at)| at);
    let rest = &stretch[begin..];
    let window = &rest[..floor(rest, WINDOW)];
    window.rfind('\n').map_or(window, |end| &window[..end])
}

/// The whole lines of `text`, and the brackets that would close those open at its end.
fn closed(text: &str) -> String {
    let lines = &text[..text.rfind('\n').map_or(text.len(), |end| end + 1)];
    let mut open = Vec::new();
    for line in lines.lines() {
        let mut quote = None;
        let mut escaped = false;
        for c in line.chars() {
            match (c, quote) {
                _ if escaped => escaped = false,
                ('\\', _) => escaped = true,
                (_, Some(end)) => quote = Some(end).filter(|end| *end != c),
                ('"' | '\'' | '`', None) => quote = Some(c),
                ('(', None) => open.push(')'),
                ('[', None) => open.push(']'),
                ('{', None) => open.push('}'),
                (')' | ']' | '}', None) => drop(open.pop()),
                _ => {}
            }
        }
    }
    lines.chars().chain(open.into_iter().rev()).collect()
}

/// The tree of `before`, told what is other in `after`.
fn turned(mut tree: Tree, before: &str, after: &str) -> Tree {
    let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let same = floor(before, same);
    tree.edit(&InputEdit {
        start_byte: same,
        old_end_byte: before.len(),
        new_end_byte: after.len(),
        start_position: end_of(&before[..same]),
        old_end_position: end_of(before),
        new_end_position: end_of(after),
    });
    tree
}

fn end_of(text: &str) -> Point {
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    Point { row: text.bytes().filter(|byte| *byte == b'\n').count(), column: text.len() - line }
}

/// The most children that an error below `root` has.
fn largest_error(root: Node<'_>) -> usize {
    let mut most = 0;
    errors::visit::<Infallible>(root, |node| {
        if node.is_error() {
            most = most.max(node.child_count());
        }
        ControlFlow::Continue(())
    });
    most
}
