//! The key space: how repositories, commits and branches become ref names.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::record::canonical::hex;

/// Escaped names over this many bytes are replaced by their start and a digest.
const LONGEST: usize = 200;

/// How much of the start is kept then.
const KEPT: usize = 120;

/// Stands between the kept start and the digest; no escaped byte looks like it.
const DIGEST_MARK: &str = "%-";

/// One component of a ref name: an escaped repository id or branch.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Component(String);

impl Component {
    /// Escapes `name`; `None` for the empty name, which no ref can hold.
    ///
    /// Distinct names give distinct components, also where letter case is ignored.
    ///
    /// ```
    /// use cce::cache::Component;
    ///
    /// assert_eq!(Component::of("github.com/Acme/x").unwrap().as_str(), "github.com%2F%41cme%2Fx");
    /// assert!(Component::of("").is_none());
    /// ```
    pub fn of(name: &str) -> Option<Self> {
        if name.is_empty() {
            return None;
        }
        let escaped = escape(name.as_bytes());
        if escaped.len() <= LONGEST && !escaped.ends_with(".lock") {
            return Some(Self(escaped));
        }
        let digest = hex(&Sha256::digest(name.as_bytes())[..16]);
        Some(Self(format!("{}{DIGEST_MARK}{digest}", start_of(&escaped))))
    }

    /// Takes a component of a ref name that a remote lists; `None` where no name gives it.
    pub fn parse(component: &str) -> Option<Self> {
        let possible = match component.split_once(DIGEST_MARK) {
            None => unescape(component).is_some_and(|name| {
                !name.is_empty()
                    && escape(&name) == component
                    && component.len() <= LONGEST
                    && !component.ends_with(".lock")
            }),
            Some((start, digest)) => {
                start.len() <= KEPT
                    && !start.is_empty()
                    && !start.starts_with('.')
                    && !start.contains("..")
                    && unescape(start).is_some()
                    && digest.len() == 32
                    && digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            }
        };
        possible.then(|| Self(component.to_owned()))
    }

    /// The component as it stands in the ref.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name it stands for, where the component holds all of it as UTF-8.
    pub fn name(&self) -> Option<String> {
        if self.0.contains(DIGEST_MARK) {
            return None;
        }
        String::from_utf8(unescape(&self.0)?).ok()
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

fn escape(name: &[u8]) -> String {
    let mut out = String::with_capacity(name.len() + name.len() / 4);
    for (at, &byte) in name.iter().enumerate() {
        let plain = match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' => true,
            b'.' => at > 0 && at + 1 < name.len() && name[at - 1] != b'.' && name[at + 1] != b'.',
            _ => false,
        };
        if plain {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// The first [`KEPT`] bytes, or fewer where the cut would fall inside a `%XX`.
fn start_of(escaped: &str) -> &str {
    let mut end = KEPT.min(escaped.len());
    if end < escaped.len()
        && let Some(at) = escaped[..end].rfind('%')
        && end - at < 3
    {
        end = at;
    }
    &escaped[..end]
}

fn unescape(component: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    };
    let mut out = Vec::with_capacity(component.len());
    let mut bytes = component.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => digit(bytes.next()?)? << 4 | digit(bytes.next()?)?,
            b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' => byte,
            _ => return None,
        });
    }
    Some(out)
}

/// Under which prefix a remote keeps artifacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Namespace {
    /// `refs/cce`: ordinary clones do not fetch it.
    #[default]
    Own,
    /// `refs/heads/cce`: for hosts that take only branches, in dedicated repositories.
    Branches,
}

impl Namespace {
    /// Both, in the order readers look.
    pub const ALL: [Self; 2] = [Self::Own, Self::Branches];

    /// The prefix of every ref of this format, with its last slash.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Own => "refs/cce/hash/3.0/",
            Self::Branches => "refs/heads/cce/hash/3.0/",
        }
    }

    /// Reads the value of `sync.namespace`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "refs/cce" => Some(Self::Own),
            "refs/heads/cce" => Some(Self::Branches),
            _ => None,
        }
    }
}

/// What a ref of one repository stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// The artifact of a commit, by 40 lower-case hex digits.
    Commit(String),
    /// The pointer of a branch.
    Head(Component),
    /// The pointer of the default branch.
    Default,
}

/// A ref of the key space.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefName {
    /// The prefix it stands under.
    pub namespace: Namespace,
    /// The repository.
    pub repo: Component,
    /// What it names.
    pub key: Key,
}

impl RefName {
    /// The artifact of `sha`.
    pub fn commit(namespace: Namespace, repo: &Component, sha: &str) -> Self {
        Self { namespace, repo: repo.clone(), key: Key::Commit(sha.to_owned()) }
    }

    /// The pointer of `branch`.
    pub fn head(namespace: Namespace, repo: &Component, branch: &Component) -> Self {
        Self { namespace, repo: repo.clone(), key: Key::Head(branch.clone()) }
    }

    /// The `default` pointer.
    pub fn default_of(namespace: Namespace, repo: &Component) -> Self {
        Self { namespace, repo: repo.clone(), key: Key::Default }
    }

    /// Reads a ref that a remote lists; `None` for a ref that is not of this key space.
    pub fn parse(name: &str) -> Option<Self> {
        let (namespace, rest) =
            Namespace::ALL.into_iter().find_map(|space| Some((space, name.strip_prefix(space.prefix())?)))?;
        let (repo, key) = rest.split_once('/')?;
        let key = match key.split_once('/') {
            None if key == "default" => Key::Default,
            Some(("commits", sha)) if is_sha(sha) => Key::Commit(sha.to_owned()),
            Some(("heads", branch)) => Key::Head(Component::parse(branch)?),
            _ => return None,
        };
        Some(Self { namespace, repo: Component::parse(repo)?, key })
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}/", self.namespace.prefix(), self.repo)?;
        match &self.key {
            Key::Commit(sha) => write!(f, "commits/{sha}"),
            Key::Head(branch) => write!(f, "heads/{branch}"),
            Key::Default => f.write_str("default"),
        }
    }
}

/// Whether `text` is a whole commit id: 40 lower-case hex digits.
pub fn is_sha(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    fn escaped(name: &str) -> String {
        Component::of(name).unwrap().to_string()
    }

    #[test]
    fn names_to_the_byte() {
        for (name, component) in [
            ("main", "main"),
            ("github.com/acme/billing", "github.com%2Facme%2Fbilling"),
            ("feature/X", "feature%2F%58"),
            (".a.b.", "%2Ea.b%2E"),
            ("a..b", "a%2E%2Eb"),
            ("v1.2.3", "v1.2.3"),
            ("é", "%C3%A9"),
            ("a%2F", "a%252%46"),
            ("@", "%40"),
            ("a_-9", "a_-9"),
        ] {
            assert_eq!(escaped(name), component);
        }
    }

    #[test]
    fn long_names_and_locks_end_in_a_digest() {
        assert_eq!(escaped(&"a".repeat(200)), "a".repeat(200));
        let digest = |name: &str| hex(&Sha256::digest(name.as_bytes())[..16]);
        let long = "a".repeat(201);
        assert_eq!(escaped(&long), format!("{}%-{}", "a".repeat(120), digest(&long)));
        let cut = format!("{}/{}", "a".repeat(118), "b".repeat(100));
        assert_eq!(escaped(&cut), format!("{}%-{}", "a".repeat(118), digest(&cut)));
        let whole = format!("{}/{}", "a".repeat(117), "b".repeat(100));
        assert_eq!(escaped(&whole), format!("{}%2F%-{}", "a".repeat(117), digest(&whole)));
        assert_eq!(escaped("x.lock"), "x.lock%-f53b5310e1aea3b0923ba4231a65e703");
        assert_eq!(Component::of(""), None);
    }

    #[test]
    fn refs_to_the_byte_and_back() {
        let repo = Component::of("github.com/acme/billing").unwrap();
        let sha = "0123456789abcdef0123456789abcdef01234567";
        for (name, text) in [
            (
                RefName::commit(Namespace::Own, &repo, sha),
                format!("refs/cce/hash/3.0/github.com%2Facme%2Fbilling/commits/{sha}"),
            ),
            (
                RefName::head(Namespace::Own, &repo, &Component::of("feature/x").unwrap()),
                "refs/cce/hash/3.0/github.com%2Facme%2Fbilling/heads/feature%2Fx".to_owned(),
            ),
            (
                RefName::default_of(Namespace::Branches, &repo),
                "refs/heads/cce/hash/3.0/github.com%2Facme%2Fbilling/default".to_owned(),
            ),
        ] {
            assert_eq!(name.to_string(), text);
            assert_eq!(RefName::parse(&text), Some(name));
        }
    }

    #[test]
    fn foreign_refs_are_not_ours() {
        for name in [
            "refs/heads/main",
            "refs/cce/hash/3.0/a",
            "refs/cce/hash/3.0/A/default",
            "refs/cce/hash/3.0/a%2f/default",
            "refs/cce/hash/3.0/a%41/default/x",
            "refs/cce/hash/3.0/a/commits/0123",
            "refs/cce/hash/3.0/a/heads/b/c",
            "refs/cce/hash/3.0/a/heads/x.lock",
            "refs/cce/hash/3.0/%61/default",
            "refs/cce/hash/3.0/a%-12/default",
            "refs/cce/hash/4.0/a/default",
        ] {
            assert_eq!(RefName::parse(name), None, "{name}");
        }
    }

    #[allow(clippy::disallowed_methods, reason = "asks git beside the room under test")]
    fn git_accepts(name: &str) -> bool {
        Command::new("git").args(["check-ref-format", name]).status().unwrap().success()
    }

    #[test]
    fn git_accepts_what_it_would_refuse_unescaped() {
        for name in [
            "..", ".", "a..b", "x.lock", "a b", "-x", "@{", "a~1", "a^", "a:b", "a\\b", "a*", "[", "HEAD", "a/", "/",
            "\u{7f}",
        ] {
            let name = RefName::head(Namespace::Own, &Component::of("r").unwrap(), &Component::of(name).unwrap());
            assert!(git_accepts(&name.to_string()), "{name}");
        }
    }

    proptest! {
        #[test]
        fn escaping_keeps_names_apart(names in proptest::collection::btree_set("[a-bA-B./%é_-]{1,6}|[a-b/.]{190,210}(\\.lock)?", 2..20)) {
            let components: BTreeSet<String> = names.iter().map(|name| escaped(name).to_lowercase()).collect();
            prop_assert_eq!(components.len(), names.len());
        }

        #[test]
        fn escaping_is_read_back(name in "\\PC{1,80}|[a-c./%-]{150,260}") {
            let component = Component::of(&name).unwrap();
            prop_assert!(component.as_str().len() <= 200);
            prop_assert_eq!(Component::parse(component.as_str()), Some(component.clone()));
            if let Some(read) = component.name() {
                prop_assert_eq!(read, name);
            }
        }

        #[test]
        fn parsing_takes_only_what_escaping_gives(text in "[a-cA-F0-9%./-]{0,12}") {
            if let Some(name) = Component::parse(&text).and_then(|component| component.name()) {
                prop_assert_eq!(escaped(&name), text);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn git_accepts_every_component(name in "\\PC{1,60}|[a-c./]{190,230}|[a-z]{1,5}\\.lock") {
            let name = RefName::head(Namespace::Own, &Component::of("r").unwrap(), &Component::of(&name).unwrap());
            prop_assert!(git_accepts(&name.to_string()), "{}", name);
        }
    }
}
