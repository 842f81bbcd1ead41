//! Names inside declarators, which languages after C wrap around what they declare:
//! `*(*name[3])(int)`.

use tree_sitter::Node;

/// What a declarator declares.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'tree> {
    /// The name with what qualifies it.
    pub path: Node<'tree>,
    /// The last part of the name.
    pub name: Node<'tree>,
    /// Whether the name itself takes parameters: not so of a pointer to a function.
    pub called: bool,
}

/// Follows the fields `declarator` from `node` to the name, and the fields `name` in it.
pub fn declared(node: Node<'_>) -> Declared<'_> {
    let mut path = node;
    let mut called = false;
    while let Some(next) = inside(path) {
        called = match path.child_by_field_name("parameters") {
            Some(_) => true,
            None => called && is_transparent(path),
        };
        path = next;
    }
    Declared { path, name: last_name(path), called }
}

/// What the fields `name` lead to from `node`.
pub fn last_name(node: Node<'_>) -> Node<'_> {
    let mut last = node;
    while let Some(next) = last.child_by_field_name("name") {
        last = next;
    }
    last
}

/// The declarator or name that a declarator is around.
fn inside(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(next) = node.child_by_field_name("declarator") {
        return Some(next);
    }
    let wraps = node.kind().ends_with("_declarator");
    let is_inner =
        |child: &Node<'_>| ["declarator", "identifier", "_name"].iter().any(|end| child.kind().ends_with(end));
    let mut cursor = node.walk();
    wraps.then(|| node.named_children(&mut cursor).find(is_inner)).flatten()
}

/// Whether a declarator changes nothing of what is declared.
fn is_transparent(node: Node<'_>) -> bool {
    ["parenthesized_", "attributed_"].iter().any(|kind| node.kind().starts_with(kind))
}
