//! The word that somebody meant.

/// The known word that is written most like `word`, if any comes near: one that shares
/// nothing with it does not.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len() / 3 + 1 && *distance < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shares_nothing_is_not_near() {
        assert_eq!(nearest("", ["c", "go"]), None);
        assert_eq!(nearest("x", ["c"]), None);
        assert_eq!(nearest("wy", ["why", "man"]), Some("why"));
    }
}
