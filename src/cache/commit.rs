//! The commit of an artifact: fixed people, the source's date, trailers.

use git2::Oid;

use super::CacheError;
use super::names::is_sha;
use crate::config::RepoId;
use crate::record::canonical::unhex;
use crate::record::extract::ExtractorId;

/// Who makes every artifact commit.
const PERSON: &str = "cce <cce@localhost>";

/// The largest commit a reader takes, in bytes; a signature is a few kilobytes.
pub const MAX_COMMIT: usize = 64 << 10;

/// The longest chain of artifacts before a root is cut.
pub const MAX_CHAIN: u32 = 64;

/// What an artifact's commit says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactCommit {
    /// The artifact's tree.
    pub tree: Oid,
    /// The artifact before it in the chain.
    pub parent: Option<Oid>,
    /// The source commit's date: seconds since 1970, not negative.
    pub time: i64,
    /// The commit the artifact was built from, 40 hex digits.
    pub source_commit: String,
    /// The snapshot's checksum, 64 hex digits.
    pub checksum: String,
    /// The repository.
    pub repo_id: RepoId,
    /// The branch it was published for.
    pub branch: Option<String>,
    /// What built the records.
    pub extractor: ExtractorId,
    /// Position in its chain, from 1.
    pub chain: u32,
    /// Signature over the statement; lines without line feed at the end.
    pub signature: Option<String>,
}

impl ArtifactCommit {
    /// The commit object's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = format!("tree {}\n", self.tree);
        if let Some(parent) = self.parent {
            out.push_str(&format!("parent {parent}\n"));
        }
        let time = self.time.max(0);
        out.push_str(&format!("author {PERSON} {time} +0000\ncommitter {PERSON} {time} +0000\n\n"));
        out.push_str(&format!("Index of {} at {}\n\n", self.repo_id, self.source_commit));
        let mut trailer = |name: &str, value: &str| {
            out.push_str(&format!("{name}: {}\n", value.replace('\n', "\n ")));
        };
        trailer("Source-Commit", &self.source_commit);
        trailer("Checksum", &self.checksum);
        trailer("Repo-Id", self.repo_id.as_str());
        if let Some(branch) = &self.branch {
            trailer("Branch", branch);
        }
        trailer("Extractor", &format!("{} {}", self.extractor.revision, self.extractor.digest));
        trailer("Chain", &self.chain.to_string());
        if let Some(signature) = &self.signature {
            trailer("Signature", signature);
        }
        out.into_bytes()
    }

    /// The id of the commit object.
    ///
    /// # Errors
    /// When the hash cannot be computed, which only a broken library does.
    pub fn id(&self) -> Result<Oid, CacheError> {
        Oid::hash_object(git2::ObjectType::Commit, &self.encode())
            .map_err(|error| CacheError::Commit { id: self.source_commit.clone(), why: error.message().to_owned() })
    }

    /// Reads the bytes of commit `id`, which must be exactly what [`Self::encode`] writes.
    ///
    /// # Errors
    /// Names the first rule that is broken.
    pub fn parse(id: Oid, bytes: &[u8]) -> Result<Self, CacheError> {
        let fail = |why: String| CacheError::Commit { id: id.to_string(), why };
        if bytes.len() > MAX_COMMIT {
            return Err(fail(format!("it is over {MAX_COMMIT} bytes long")));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| fail("it is not utf-8".into()))?;
        let commit = read(text).map_err(|why| fail(why.to_owned()))?;
        if commit.encode() == bytes { Ok(commit) } else { Err(fail("it is not written as cce writes it".into())) }
    }
}

fn read(text: &str) -> Result<ArtifactCommit, &'static str> {
    let (head, message) = text.split_once("\n\n").ok_or("it has no message")?;
    let mut head = head.lines().peekable();
    let oid = |text: Option<&str>| text.filter(|text| is_sha(text)).and_then(|text| Oid::from_str(text).ok());
    let tree = oid(head.next().and_then(|line| line.strip_prefix("tree "))).ok_or("it has no tree")?;
    let parent = match head.peek().and_then(|line| line.strip_prefix("parent ")) {
        None => None,
        given => {
            let parent = oid(given).ok_or("its parent is not an id")?;
            head.next();
            Some(parent)
        }
    };
    let author = head.next().and_then(|line| line.strip_prefix("author ")).ok_or("it has no author")?;
    let time =
        author.strip_suffix(" +0000").and_then(|line| line.rsplit(' ').next()).and_then(|time| time.parse().ok());
    let trailers = message.split_once("\n\n").ok_or("it has no trailers")?.1;
    let mut trailers = Trailers::read(trailers)?;
    let commit = ArtifactCommit {
        tree,
        parent,
        time: time.ok_or("its date cannot be read")?,
        source_commit: trailers.take("Source-Commit").filter(|sha| is_sha(sha)).ok_or("`Source-Commit` is wrong")?,
        checksum: trailers.take("Checksum").filter(|text| is_digest(text)).ok_or("`Checksum` is wrong")?,
        repo_id: trailers.take("Repo-Id").and_then(|id| RepoId::parse(&id).ok()).ok_or("`Repo-Id` is wrong")?,
        branch: trailers.take("Branch"),
        extractor: trailers.take("Extractor").and_then(|text| extractor(&text)).ok_or("`Extractor` is wrong")?,
        chain: trailers.take("Chain").and_then(|text| text.parse().ok()).ok_or("`Chain` is wrong")?,
        signature: trailers.take("Signature"),
    };
    if !trailers.0.is_empty() {
        return Err("it has a trailer that is unknown, repeated or out of order");
    }
    if commit.branch.as_deref().is_some_and(|branch| !is_branch(&unmarked(branch))) {
        return Err("`Branch` is wrong");
    }
    if commit.chain == 0 || (commit.chain == 1) != commit.parent.is_none() {
        return Err("`Chain` does not fit its parent");
    }
    Ok(commit)
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && unhex(text).is_some()
}

/// Whether git would have a branch of this name, and it can stand in a trailer.
pub fn is_branch(branch: &str) -> bool {
    git2::Reference::is_valid_name(&format!("refs/heads/{branch}"))
        && branch.len() <= 1024
        && branch.trim() == branch
        && !branch.chars().any(|c| c.is_control() || crate::source::is_unprintable(c))
}

/// A branch with plain words for the markers of secrets in it: no ref may hold their signs.
fn unmarked(branch: &str) -> String {
    let mut parts = branch.split("[REDACTED:");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(&part.replacen(']', "", 1));
    }
    out
}

fn extractor(text: &str) -> Option<ExtractorId> {
    let (revision, digest) = text.split_once(' ')?;
    is_digest(digest).then_some(ExtractorId { digest: digest.to_owned(), revision: revision.parse().ok()? })
}

/// Trailers not yet taken, last first.
struct Trailers(Vec<(String, String)>);

impl Trailers {
    fn read(text: &str) -> Result<Self, &'static str> {
        let mut trailers: Vec<(String, String)> = Vec::new();
        for line in text.lines() {
            if let Some(folded) = line.strip_prefix(' ') {
                let (_, value) = trailers.last_mut().ok_or("its trailers begin with a folded line")?;
                value.push('\n');
                value.push_str(folded);
            } else {
                let (name, value) = line.split_once(": ").ok_or("a line among its trailers is none")?;
                trailers.push((name.to_owned(), value.to_owned()));
            }
        }
        trailers.reverse();
        Ok(Self(trailers))
    }

    /// The next trailer, if it is `name`: the order is fixed.
    fn take(&mut self, name: &str) -> Option<String> {
        self.0.pop_if(|(found, _)| found == name).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn sample() -> ArtifactCommit {
        ArtifactCommit {
            tree: Oid::from_str(&"a".repeat(40)).unwrap(),
            parent: Some(Oid::from_str(&"b".repeat(40)).unwrap()),
            time: 1_700_000_000,
            source_commit: "c".repeat(40),
            checksum: "d".repeat(64),
            repo_id: RepoId::parse("github.com/acme/billing").unwrap(),
            branch: Some("feature/x".into()),
            extractor: ExtractorId { digest: "e".repeat(64), revision: 7 },
            chain: 2,
            signature: Some("-----BEGIN\nabc\n\n-----END".into()),
        }
    }

    #[test]
    fn commit_to_the_byte() {
        let (a, b, c, d, e) = ("a".repeat(40), "b".repeat(40), "c".repeat(40), "d".repeat(64), "e".repeat(64));
        let expected = format!(
            "tree {a}\nparent {b}\nauthor cce <cce@localhost> 1700000000 +0000\n\
             committer cce <cce@localhost> 1700000000 +0000\n\n\
             Index of github.com/acme/billing at {c}\n\n\
             Source-Commit: {c}\nChecksum: {d}\nRepo-Id: github.com/acme/billing\nBranch: feature/x\n\
             Extractor: 7 {e}\nChain: 2\nSignature: -----BEGIN\n abc\n \n -----END\n"
        );
        assert_eq!(String::from_utf8(sample().encode()).unwrap(), expected);
        assert_eq!(ArtifactCommit::parse(Oid::ZERO_SHA1, expected.as_bytes()).unwrap(), sample());
    }

    #[test]
    fn dates_before_1970_become_1970() {
        let commit = ArtifactCommit { time: -5, ..sample() };
        assert_eq!(ArtifactCommit::parse(Oid::ZERO_SHA1, &commit.encode()).unwrap().time, 0);
    }

    #[test]
    fn other_commits_are_refused() {
        let good = String::from_utf8(sample().encode()).unwrap();
        for (from, to) in [
            ("Chain: 2", "Chain: 02"),
            ("Chain: 2", "Chain: 1"),
            ("Chain: 2", "Chain: -1"),
            ("Chain: 2", "Chain: 2\nExtra: 1"),
            ("Chain: 2", "Chain: 2\nChain: 2"),
            ("Repo-Id: github.com", "Repo-Id: ../github.com"),
            ("Branch: feature/x", "Branch: \u{202e}x"),
            ("Branch: feature/x\n", "Branch: \n"),
            ("cce <cce@localhost> 17", "eve <eve@localhost> 17"),
            ("+0000\ncommitter", "+0100\ncommitter"),
            ("Index of", "Index  of"),
            ("Extractor: 7", "Extractor: 99999999999"),
            ("committer", "gpgsig x\ncommitter"),
            ("Source-Commit: c", "Source-Commit: C"),
        ] {
            let bad = good.replacen(from, to, 1);
            assert_ne!(bad, good);
            assert!(ArtifactCommit::parse(Oid::ZERO_SHA1, bad.as_bytes()).is_err(), "{from} as {to}");
        }
    }

    proptest! {
        #[test]
        fn parsing_never_panics_and_accepts_only_the_canonical(text in "(tree |parent |author |[a-f0-9]{40}|\n|Chain: 1|: |\\PC){0,12}") {
            if let Ok(commit) = ArtifactCommit::parse(Oid::ZERO_SHA1, text.as_bytes()) {
                prop_assert_eq!(commit.encode(), text.into_bytes());
            }
        }
    }
}
