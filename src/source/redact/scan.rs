//! One pass over the text for the literals next to which a secret can stand.

use super::Edit;
use super::runs::Runs;
use super::{address, assignment, command, discord, keyblock, kinds};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::LazyLock;

/// What a literal may be the beginning of.
#[derive(Clone, Copy)]
enum Role {
    Shape(usize),
    Block,
    Url,
    Bearer,
    Basic,
    Auth,
    Curl,
    Key,
}

/// The words that names of secrets hold.
const KEY_WORDS: [&str; 7] = ["pass", "pwd", "secret", "token", "key", "credential", "identified by"];

struct Anchors {
    automaton: AhoCorasick,
    roles: Vec<Role>,
}

static ANCHORS: LazyLock<Anchors> = LazyLock::new(|| {
    let mut literals: Vec<(&str, Role)> = Vec::new();
    literals.extend(kinds::SHAPES.iter().enumerate().map(|(index, shape)| (shape.anchor, Role::Shape(index))));
    literals.extend(keyblock::ANCHORS.map(|literal| (literal, Role::Block)));
    literals.extend(KEY_WORDS.map(|word| (word, Role::Key)));
    literals.extend(address::AUTH.map(|literal| (literal, Role::Auth)));
    literals.push((command::CURL, Role::Curl));
    literals.extend([(address::URL, Role::Url), (address::BEARER, Role::Bearer), (address::BASIC, Role::Basic)]);
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(literals.iter().map(|(literal, _)| literal))
        .expect("the literals are few and short");
    Anchors { automaton, roles: literals.into_iter().map(|(_, role)| role).collect() }
});

/// The edits of one round, in order. Values under a key wait until no token is left,
/// because a value that holds a token is judged with its marker in place.
pub(super) fn edits(text: &str) -> Vec<Edit> {
    let mut runs = Runs::default();
    let mut found: Vec<Found> = Vec::new();
    let mut keys: Vec<Range<usize>> = Vec::new();
    let (mut block_end, mut command_end) = (0, 0);
    for hit in ANCHORS.automaton.find_overlapping_iter(text) {
        let at = hit.start();
        match ANCHORS.roles[hit.pattern().as_usize()] {
            Role::Key => keys.push(hit.range()),
            Role::Shape(index) => {
                let shape = &kinds::SHAPES[index];
                if let Some(span) = shape.match_at(text.as_bytes(), at, &mut runs) {
                    found.push(Found::token(span, shape.kind, index));
                }
            }
            Role::Block if at >= block_end => {
                if let Some(pieces) = keyblock::block_at(text, at, &mut runs) {
                    block_end = pieces.last().map_or(block_end, |piece| piece.end);
                    found.push(Found { pieces, label: kinds::PRIVATE_KEY, order: 0 });
                }
            }
            Role::Block => {}
            Role::Url => found
                .extend(address::password_at(text, at).map(|span| Found::token(span, kinds::URL_PASSWORD, usize::MAX))),
            Role::Bearer => {
                found.extend(
                    address::bearer_at(text, at, &mut runs)
                        .map(|span| Found::token(span, kinds::BEARER_TOKEN, usize::MAX)),
                );
            }
            Role::Auth => found.extend(
                address::auth_at(text, hit.end(), &mut runs)
                    .map(|span| Found::token(span, kinds::BASIC_AUTH, usize::MAX)),
            ),
            Role::Curl if at >= command_end => {
                let (passwords, end) = command::passwords(text, hit.end(), &mut runs);
                command_end = end;
                found.extend(passwords.into_iter().map(|span| Found::token(span, kinds::BASIC_AUTH, usize::MAX)));
            }
            Role::Curl => {}
            Role::Basic => {
                found.extend(
                    address::basic_at(text, at, &mut runs)
                        .map(|span| Found::token(span, kinds::BASIC_AUTH, usize::MAX)),
                );
            }
        }
    }
    found.extend(discord::tokens(text).into_iter().map(|span| Found::token(span, kinds::DISCORD_TOKEN, 0)));
    if found.is_empty() { assignment::edits(text, &keys, &mut runs) } else { disjoint(found) }
}

struct Found {
    pieces: Vec<Range<usize>>,
    label: &'static str,
    order: usize,
}

impl Found {
    fn token(span: Range<usize>, label: &'static str, order: usize) -> Self {
        Self { pieces: vec![span], label, order }
    }

    fn start(&self) -> usize {
        self.pieces[0].start
    }

    fn end(&self) -> usize {
        self.pieces[self.pieces.len() - 1].end
    }
}

/// Leftmost first, then the longest, then the earlier shape; the rest waits for the next round.
fn disjoint(mut found: Vec<Found>) -> Vec<Edit> {
    found.sort_by_key(|one| (one.start(), Reverse(one.end()), one.order));
    let mut done = 0;
    let mut edits = Vec::new();
    for one in found {
        if one.start() < done {
            continue;
        }
        done = one.end();
        let label = one.label;
        let pieces = one.pieces.into_iter().enumerate().filter(|(index, piece)| *index == 0 || !piece.is_empty());
        edits.extend(pieces.map(|(index, span)| Edit { span, label: (index == 0).then_some(label) }));
    }
    edits
}
