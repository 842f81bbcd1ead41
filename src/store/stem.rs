//! The light stemmer: English plurals, `-ing` and `-ed`, and nothing cleverer.
//!
//! It is written to agree with itself over the forms of one word (`parse`, `parses`,
//! `parsing`, `parsed` are all `pars`), not to give dictionary words. Words of three
//! letters lose only a plural (`ids`), shorter ones nothing.

/// Stems the lower-case ASCII word in `word` in place; returns its new length.
pub(super) fn stem(word: &mut [u8]) -> usize {
    if !may_change(word) || !word.iter().all(u8::is_ascii_lowercase) {
        return word.len();
    }
    let singular = singular(word);
    if word.len() == 3 {
        return singular;
    }
    let base = without_ending(&word[..singular]);
    let mut len = undoubled(&word[..base]);
    if len > 3 && word[len - 1] == b'e' {
        len -= 1;
    }
    if len > 3 && word[len - 1] == b'y' && !is_vowel(word[len - 2]) {
        word[len - 1] = b'i';
    }
    len
}

/// Whether the last letters allow a change at all: a quick look, because most words have none.
fn may_change(word: &[u8]) -> bool {
    match word {
        [_, .., before, last] => matches!(last, b's' | b'g' | b'd' | b'e' | b'y') || before == last,
        _ => false,
    }
}

fn singular(word: &mut [u8]) -> usize {
    let len = word.len();
    if word.ends_with(b"ies") && len > 4 {
        word[len - 3] = b'y';
        return len - 2;
    }
    let sibilant: [&[u8]; 5] = [b"sses", b"xes", b"ches", b"shes", b"zes"];
    if sibilant.iter().any(|ending| word.ends_with(ending)) {
        return len - 2;
    }
    let kept: [&[u8]; 3] = [b"ss", b"us", b"is"];
    if word.ends_with(b"s") && !kept.iter().any(|ending| word.ends_with(ending)) { len - 1 } else { len }
}

fn without_ending(word: &[u8]) -> usize {
    let ending = if word.ends_with(b"ing") {
        3
    } else if word.ends_with(b"ed") && !word.ends_with(b"eed") {
        2
    } else {
        return word.len();
    };
    let base = word.len() - ending;
    if base >= 3 && word[..base].iter().any(|byte| is_vowel(*byte)) { base } else { word.len() }
}

/// Drops one of two equal consonants at the end (`runn` → `run`), but for those that
/// English doubles in the base form (`call`, `pass`, `buzz`).
fn undoubled(word: &[u8]) -> usize {
    match word {
        [.., a, b] if a == b && word.len() > 3 && !is_vowel(*a) && !matches!(a, b'l' | b's' | b'z') => word.len() - 1,
        _ => word.len(),
    }
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str, expected: &str) {
        for word in words.split(' ') {
            let mut bytes = word.as_bytes().to_vec();
            let len = stem(&mut bytes);
            assert_eq!(std::str::from_utf8(&bytes[..len]).unwrap(), expected, "{word}");
        }
    }

    #[test]
    fn forms_of_a_word_agree() {
        check("parse parses parsing parsed", "pars");
        check("cache caches caching cached", "cach");
        check("match matches matching matched", "match");
        check("entry entries", "entri");
        check("apply applies applying applied", "appli");
        check("run runs running", "run");
        check("add adds adding added", "add");
        check("call calls calling called", "call");
        check("index indexes indexing indexed", "index");
        check("class classes", "class");
        check("id ids", "id");
    }

    #[test]
    fn words_that_only_look_inflected_stay() {
        for word in ["string", "status", "this", "need", "bus", "axis", "red", "über"] {
            check(word, word);
        }
    }
}
