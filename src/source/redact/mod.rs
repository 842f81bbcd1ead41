//! Secrets out of text.
//!
//! [`redact`] puts `[REDACTED:<KIND>]` in the place of each credential it knows:
//! published token shapes, private key blocks, passwords in URLs and headers, and
//! values whose key says what they are. It promises:
//!
//! - **ordinary code stays**: an unquoted right-hand side is an expression, a string
//!   of plain words is a name or a message, a placeholder is no secret;
//! - **the number of lines never changes** and line ends stay as they are: of a key
//!   block over several lines the first becomes the marker and the others keep
//!   their line ends, quotes and comment signs around nothing;
//! - **it is idempotent**, and a marker is never redacted again;
//! - time is linear in the text, whatever the text.
//!
//! One pass of one automaton finds the literals that can begin a secret; all other
//! work happens next to them.

mod address;
mod assignment;
mod base64;
mod block;
mod command;
mod discord;
mod key;
mod keyblock;
mod kinds;
mod line;
mod literal;
mod message;
mod placeholder;
mod runs;
mod scan;
mod setting;
mod shape;
mod value;
mod words;

pub use kinds::{KINDS, Kind};
pub use message::masked;

use std::collections::BTreeMap;
use std::ops::Range;

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    /// The text; the very one that was given when nothing was found.
    pub text: String,
    /// How many markers of each kind were put in, by label.
    pub counts: BTreeMap<&'static str, u32>,
}

/// What happens to one piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edit {
    span: Range<usize>,
    /// The label of the marker to put there; without one the piece just goes.
    label: Option<&'static str>,
}

/// Rounds until nothing changes: one finds tokens, one finds values (which may hold
/// tokens already replaced), and strings inside strings take one more.
const ROUNDS: usize = 16;

/// Replaces every secret by a marker; pure, deterministic, idempotent.
pub fn redact(text: String) -> Redacted {
    let mut text = text;
    let mut counts = BTreeMap::new();
    for _ in 0..ROUNDS {
        let edits = scan::edits(&text);
        if edits.is_empty() {
            break;
        }
        text = apply(&text, &edits, &mut counts);
    }
    counts.retain(|_, count| *count > 0);
    Redacted { text, counts }
}

/// The markers in a text, by kind: what was replaced in it, whenever that was.
pub fn markers(text: &str) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for rest in text.split("[REDACTED:").skip(1) {
        let label = rest.split(']').next().unwrap_or_default();
        if KINDS.iter().any(|kind| kind.label == label) {
            *counts.entry(label).or_default() += 1;
        }
    }
    counts
}

/// Applies edits that are in order and do not overlap.
fn apply(text: &str, edits: &[Edit], counts: &mut BTreeMap<&'static str, u32>) -> String {
    let mut out = String::with_capacity(text.len() + edits.len() * 16);
    let mut done = 0;
    for Edit { span, label } in edits {
        out.push_str(&text[done..span.start]);
        done = span.end;
        uncount(&text[span.clone()], counts);
        if let Some(label) = label {
            out.push_str("[REDACTED:");
            out.push_str(label);
            out.push(']');
            *counts.entry(label).or_default() += 1;
        }
    }
    out.push_str(&text[done..]);
    out
}

/// Takes back the markers of an earlier round that a larger one swallows.
fn uncount(piece: &str, counts: &mut BTreeMap<&'static str, u32>) {
    for rest in piece.split("[REDACTED:").skip(1) {
        if let Some(count) = rest.split(']').next().and_then(|label| counts.get_mut(label)) {
            *count = count.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
