//! Which repositories somebody means.

use std::collections::BTreeSet;

use crate::cache::Component;
use crate::config::nearest;
use crate::source::glob::{Case, Pattern};

/// A pattern that no repository answers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmatched(pub String);

/// The ids among `ids` that `wanted` names: a whole id names itself, anything else is a
/// pattern as in `.gitignore` (`!` excludes). All of them where nothing is wanted.
///
/// # Errors
/// The first pattern that matches none of them.
pub fn select<'a>(wanted: &[String], ids: &BTreeSet<&'a str>) -> Result<BTreeSet<&'a str>, Unmatched> {
    let mut chosen = BTreeSet::new();
    let mut excluded = BTreeSet::new();
    for text in wanted {
        let matches = matching(text, ids);
        if matches.is_empty() {
            return Err(Unmatched(text.clone()));
        }
        if text.starts_with('!') { excluded.extend(matches) } else { chosen.extend(matches) }
    }
    if wanted.iter().all(|text| text.starts_with('!')) {
        chosen.clone_from(ids);
    }
    Ok(chosen.difference(&excluded).copied().collect())
}

/// The ids that one entry names, whether it chooses or excludes them.
fn matching<'a>(text: &str, ids: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let plain = text.strip_prefix('!').unwrap_or(text);
    if let Some(id) = ids.get(plain) {
        return vec![*id];
    }
    // An id whose name in the remote does not give it back still is what it escapes to.
    if let Some(id) = Component::of(plain).and_then(|component| ids.get(component.as_str()).copied()) {
        return vec![id];
    }
    if plain.trim().is_empty() {
        return Vec::new();
    }
    let pattern = Pattern::parse(plain.as_bytes(), Case::Sensitive);
    ids.iter().copied().filter(|id| pattern.reaches(id.as_bytes())).collect()
}

/// The id that is written most like `text`, as a whole or in its last part.
pub fn nearest_id<'a>(text: &str, ids: &BTreeSet<&'a str>) -> Option<&'a str> {
    let last = |id: &&'a str| id.rsplit('/').next().unwrap_or_default();
    let whole = nearest(text, ids.iter().copied());
    whole.or_else(|| {
        let part = nearest(text.rsplit('/').next()?, ids.iter().map(last))?;
        ids.iter().copied().find(|id| last(id) == part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 5] = ["h/acme/billing", "h/acme/billing/web", "h/acme/rx", "h/Acme/rx", "o/lone"];

    fn check(wanted: &[&str], expected: Result<&[&str], &str>) {
        let ids = BTreeSet::from(IDS);
        let wanted: Vec<String> = wanted.iter().map(|text| (*text).to_owned()).collect();
        let expected =
            expected.map(|ids| ids.iter().copied().collect::<BTreeSet<_>>()).map_err(|text| Unmatched(text.to_owned()));
        assert_eq!(select(&wanted, &ids), expected, "{wanted:?}");
    }

    #[test]
    fn ids_name_themselves_and_patterns_read_as_in_gitignore() {
        check(&[], Ok(&IDS));
        check(&["h/acme/billing"], Ok(&["h/acme/billing"]));
        check(&["billing"], Ok(&["h/acme/billing", "h/acme/billing/web"]));
        check(&["h/acme/*"], Ok(&["h/acme/billing", "h/acme/billing/web", "h/acme/rx"]));
        check(&["rx"], Ok(&["h/acme/rx", "h/Acme/rx"]));
        check(&["h/", "!billing"], Ok(&["h/acme/rx", "h/Acme/rx"]));
        check(&["!h/acme/rx"], Ok(&["h/acme/billing", "h/acme/billing/web", "h/Acme/rx", "o/lone"]));
        check(&["lone", "lonely"], Err("lonely"));
        check(&[""], Err(""));
        check(&["!"], Err("!"));
    }

    #[test]
    fn an_id_with_a_digest_in_its_name_is_chosen_by_the_id() {
        let long = "a/".repeat(120) + "b";
        let name = Component::of(&long).unwrap();
        let ids = BTreeSet::from([name.as_str()]);
        assert_eq!(select(&[long], &ids), Ok(ids.clone()));
    }

    #[test]
    fn slips_are_seen_in_the_last_part_too() {
        let ids = BTreeSet::from(IDS);
        assert_eq!(nearest_id("h/acme/biling", &ids), Some("h/acme/billing"));
        assert_eq!(nearest_id("biling", &ids), Some("h/acme/billing"));
        assert_eq!(nearest_id("zzzzzz", &ids), None);
    }
}
