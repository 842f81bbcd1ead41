//! The manifest: first line of the canonical stream, `manifest.json` in the remote.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Checksum, RecordEntry};
use crate::config::{RepoId, RepoIdError};
use crate::record::Word;
use crate::record::canonical::{RecordError, path_fields, path_of, same_bytes, unhex, write_json};
use crate::record::extract::ExtractorId;
use crate::source::{SkipReason, Skipped};

/// The format this build writes.
pub const FORMAT: &str = "3.0";

/// The longest manifest line a reader accepts, in bytes.
pub const MAX_MANIFEST: usize = 256 << 20;

/// Who a snapshot is, what made it and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The repository; `None` for a local index of something without a name.
    pub repo_id: Option<RepoId>,
    /// The commit, 40 lower-case hex digits; `None` where there is no commit.
    pub sha: Option<String>,
    /// Which extractor made the records.
    pub extractor: ExtractorId,
    /// Digest of the record-affecting settings, 64 lower-case hex digits.
    pub settings: String,
    /// Number of records.
    pub file_count: u64,
    /// Files that contribute no text, in path order.
    pub skipped: Vec<Skipped>,
    /// Number of problems in all records, by kind.
    pub problem_counts: BTreeMap<Word, u64>,
    /// The checksum, 64 lower-case hex digits.
    pub checksum: String,
}

/// Why a manifest line is refused.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// Not JSON of a manifest's shape, or not canonical.
    #[error("the manifest is damaged: {0}")]
    Form(#[from] RecordError),
    /// A format this build does not read.
    #[error("the artifact has format {0:?}; this build reads 3.0, so update cce")]
    Format(String),
    /// A repository id that is none.
    #[error("the manifest is damaged: {0}")]
    RepoId(#[from] RepoIdError),
    /// A member that does not have the form it must have.
    #[error("the manifest is damaged: `{0}` is not what it must be")]
    Member(&'static str),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    checksum: String,
    extractor: ExtractorId,
    file_count: u64,
    format: String,
    problem_counts: BTreeMap<Word, u64>,
    repo_id: Option<String>,
    settings: String,
    sha: Option<String>,
    skipped: Vec<WireSkipped>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSkipped {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    reason: String,
}

impl Manifest {
    /// The canonical line, its LF included.
    pub fn line(&self) -> Vec<u8> {
        self.line_with(&self.checksum)
    }

    /// A checksum that has seen the manifest and no record yet.
    pub fn start_checksum(&self) -> Checksum {
        Checksum::new(&self.line_with(""))
    }

    /// Fills in the checksum over `records`, which are in path order.
    #[must_use]
    pub fn seal<'a>(self, records: impl IntoIterator<Item = (&'a crate::source::RepoPath, &'a [u8; 32])>) -> Self {
        let mut checksum = self.start_checksum();
        for (path, digest) in records {
            checksum.add(path, digest);
        }
        Self { checksum: checksum.finish(), ..self }
    }

    /// As [`Self::seal`], over entries.
    #[must_use]
    pub fn seal_entries(self, records: &[RecordEntry]) -> Self {
        self.seal(records.iter().map(|entry| (&entry.path, &entry.digest)))
    }

    fn line_with(&self, checksum: &str) -> Vec<u8> {
        let wire = Wire {
            checksum: checksum.to_owned(),
            extractor: self.extractor.clone(),
            file_count: self.file_count,
            format: FORMAT.to_owned(),
            problem_counts: self.problem_counts.clone(),
            repo_id: self.repo_id.as_ref().map(|id| id.as_str().to_owned()),
            settings: self.settings.clone(),
            sha: self.sha.clone(),
            skipped: self.skipped.iter().map(WireSkipped::of).collect(),
        };
        let mut line = Vec::new();
        write_json(&mut line, &wire);
        line.push(b'\n');
        line
    }

    /// Reads a canonical manifest line (LF included).
    ///
    /// # Errors
    /// When the format is another, or the line is not exactly what [`Self::line`] writes.
    pub fn parse(line: &[u8]) -> Result<Self, ManifestError> {
        if line.len() > MAX_MANIFEST {
            return Err(RecordError::TooLong(line.len()).into());
        }
        refuse_other_formats(line)?;
        let wire: Wire = serde_json::from_slice(line).map_err(|error| RecordError::Shape(error.to_string()))?;
        let manifest = Self {
            repo_id: wire.repo_id.as_deref().map(RepoId::parse).transpose()?,
            sha: wire.sha,
            extractor: wire.extractor,
            settings: wire.settings,
            file_count: wire.file_count,
            skipped: wire.skipped.into_iter().map(WireSkipped::read).collect::<Result<_, _>>()?,
            problem_counts: wire.problem_counts,
            checksum: wire.checksum,
        };
        manifest.check()?;
        same_bytes(line, &manifest.line())?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), ManifestError> {
        let digest = |text: &str| text.len() == 64 && unhex(text).is_some();
        let sha = self.sha.as_deref().is_none_or(|sha| sha.len() == 40 && unhex(sha).is_some());
        let sorted = self.skipped.windows(2).all(|pair| pair[0].path < pair[1].path);
        for (member, fine) in [
            ("checksum", digest(&self.checksum)),
            ("extractor", digest(&self.extractor.digest)),
            ("settings", digest(&self.settings)),
            ("sha", sha),
            ("skipped", sorted),
            ("problem_counts", self.problem_counts.values().all(|&count| count > 0)),
        ] {
            if !fine {
                return Err(ManifestError::Member(member));
            }
        }
        Ok(())
    }
}

/// Another format may have another shape, so it is looked at before the shape is.
fn refuse_other_formats(line: &[u8]) -> Result<(), ManifestError> {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    let head: Head = serde_json::from_slice(line).map_err(|error| RecordError::Shape(error.to_string()))?;
    if head.format == FORMAT { Ok(()) } else { Err(ManifestError::Format(head.format.chars().take(32).collect())) }
}

impl WireSkipped {
    fn of(skipped: &Skipped) -> Self {
        let (path, path_bytes) = path_fields(&skipped.path);
        Self { path: path.map(str::to_owned), path_bytes, reason: skipped.reason.as_str().to_owned() }
    }

    fn read(self) -> Result<Skipped, ManifestError> {
        Ok(Skipped {
            path: path_of(self.path, self.path_bytes)?,
            reason: SkipReason::parse(&self.reason).ok_or(ManifestError::Member("skipped"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::RepoPath;

    fn sample() -> Manifest {
        Manifest {
            repo_id: Some(RepoId::parse("example.com/a/b").unwrap()),
            sha: Some("0".repeat(40)),
            extractor: ExtractorId { digest: "1".repeat(64), revision: 1 },
            settings: "2".repeat(64),
            file_count: 0,
            skipped: vec![Skipped { path: RepoPath::parse("logo.png").unwrap(), reason: SkipReason::Binary }],
            problem_counts: BTreeMap::new(),
            checksum: String::new(),
        }
        .seal_entries(&[])
    }

    #[test]
    fn line_to_the_byte() {
        let (zero, one, two) = ("0".repeat(40), "1".repeat(64), "2".repeat(64));
        let expected = format!(
            concat!(
                r#"{{"checksum":"{}","extractor":{{"digest":"{}","revision":1}},"file_count":0,"format":"3.0","#,
                r#""problem_counts":{{}},"repo_id":"example.com/a/b","settings":"{}","sha":"{}","#,
                r#""skipped":[{{"path":"logo.png","reason":"binary"}}]}}"#,
                "\n"
            ),
            sample().checksum,
            one,
            two,
            zero
        );
        assert_eq!(String::from_utf8(sample().line()).unwrap(), expected);
        assert_eq!(Manifest::parse(&sample().line()).unwrap(), sample());
    }

    #[test]
    fn another_format_is_named_whatever_its_shape() {
        let error = Manifest::parse(b"{\"format\":\"4.1\",\"new\":1}\n").unwrap_err().to_string();
        assert!(error.contains("4.1") && error.contains("update cce"), "{error}");
    }

    #[test]
    fn other_spellings_are_refused() {
        let good = String::from_utf8(sample().line()).unwrap();
        for (from, to) in [
            ("\"binary\"", "\"boring\""),
            ("\"file_count\":0", "\"file_count\": 0"),
            ("\"file_count\":0", "\"file_count\":-1"),
            ("logo.png", "../logo.png"),
            ("\"sha\":\"0", "\"sha\":\"X"),
            ("\"sha\":\"0", "\"sha\":\""),
            ("{}", "{\"parse-error\":0}"),
            ("}\n", "}"),
        ] {
            assert!(Manifest::parse(good.replacen(from, to, 1).as_bytes()).is_err(), "{from} as {to}");
        }
    }
}
