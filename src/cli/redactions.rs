//! What people and programs are told of the secrets that were kept out.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::terminal::{count, named, note};
use crate::snapshot::{Redactions, SecretName};

/// How many files a notice names.
const NAMED: usize = 3;

/// Says how many of which kind were replaced where; the values are nowhere. `list` is
/// the command that names every file.
pub(super) fn report(redactions: &Redactions, list: &str) {
    for name in redactions.names() {
        warn_of_name("file", name);
    }
    let files = redactions.files();
    if files.len() == 0 {
        return;
    }
    note(format_args!("secrets replaced: {} in {}", counts(&redactions.totals()), count(files.len() as u64, "file")));
    let more = files.len().saturating_sub(NAMED) as u64;
    for (path, kinds) in redactions.files().take(NAMED) {
        note(format_args!("  {}: {}", named(&path.display()), counts(kinds)));
    }
    if more > 0 {
        note(format_args!("  … and {}; {list} lists all", count(more, "more file")));
    }
}

/// Warns of a name that holds a secret, which git and the index keep as it is.
pub(super) fn warn_of_name(what: &str, name: &SecretName) {
    note(format_args!(
        "warning: the name of the {what} `{}` holds a secret ({}); names are published as git holds them, so rename it and revoke the secret",
        named(&name.masked),
        name.kinds.join(", ")
    ));
}

/// Every file with the kinds and counts of what was replaced in it.
pub(super) fn rows(redactions: &Redactions) -> Vec<Value> {
    let rows = redactions.files().flat_map(|(path, kinds)| kinds.iter().map(move |(kind, count)| (path, kind, count)));
    rows.map(|(path, kind, count)| json!({ "path": path.display(), "kind": kind, "count": count })).collect()
}

fn counts(kinds: &BTreeMap<&'static str, u64>) -> String {
    let parts: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    parts.join(", ")
}
