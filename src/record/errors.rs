//! Where a tree holds errors.

use std::ops::ControlFlow;

use tree_sitter::Node;

/// Visits in order every node that is reached through nodes that hold errors, until
/// `visit` breaks; gives what it breaks with.
pub(super) fn visit<'t, B>(root: Node<'t>, mut visit: impl FnMut(Node<'t>) -> ControlFlow<B>) -> Option<B> {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if let ControlFlow::Break(found) = visit(node) {
            return Some(found);
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}
