//! From one file's text to its record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::facts::Facts;
use super::reading::{Outcome, Reader};
use super::{Record, Word, canonical, fault, flag, flags, language, problem};
use crate::config::Settings;
use crate::language::PACKS;
use crate::language::detect::{Basis, Claim, DetectError, Detector};
use crate::language::program::{ProgramError, Programs};
use crate::source::decode::{Decoded, Encoding};
use crate::source::redact::redact;
use crate::source::{Attributes, RepoPath};

/// Grows with every change to the program that can alter a record.
pub const EXTRACTOR_REVISION: u32 = 4;

/// What extraction gives for one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extraction {
    /// The record.
    pub record: Record,
    /// How many secrets of which kind were replaced in it.
    pub redactions: BTreeMap<&'static str, u32>,
    /// What decided about the language.
    pub basis: Basis,
}

/// Which extractor made a record. Two equal ids make equal records of equal input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtractorId {
    /// Lower-case hex SHA-256 over the revision, the pinned crates and every pack.
    pub digest: String,
    /// [`EXTRACTOR_REVISION`] of the program.
    pub revision: u32,
}

/// Why there is no extractor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractorError {
    /// The settings name what there is not.
    #[error(transparent)]
    Settings(#[from] DetectError),
    /// A pack of this build does not fit its grammar.
    #[error("language pack `{pack}` cannot be used: {error}")]
    Pack {
        /// The pack.
        pack: &'static str,
        /// What is wrong with it.
        error: ProgramError,
    },
}

/// Makes records under given settings; shared freely between threads.
#[derive(Debug)]
pub struct Extractor {
    detector: Detector,
    id: ExtractorId,
    programs: Programs,
    /// How a text is read; another function only where a fault is tested.
    reading: fn(&Reader<'_>, &RepoPath, &str, Claim) -> Outcome,
}

impl Extractor {
    /// Checks the settings that choose languages.
    ///
    /// # Errors
    /// On an unknown pack or language, with the known one that is written most like it.
    pub fn new(settings: &Settings) -> Result<Self, ExtractorError> {
        let detector = Detector::new(settings)?;
        let reading = |reader: &Reader<'_>, path: &RepoPath, text: &str, claim: Claim| reader.read(path, text, claim);
        Ok(Self { detector, id: identify(), programs: Programs::default(), reading })
    }

    /// Compiles every pack now, where it would otherwise happen with the first file.
    ///
    /// # Errors
    /// Names the pack that does not fit its grammar.
    pub fn prepare(&self) -> Result<(), ExtractorError> {
        PACKS.into_iter().try_for_each(|pack| match self.programs.get(pack) {
            Ok(_) => Ok(()),
            Err(error) => Err(ExtractorError::Pack { pack: pack.name, error: error.clone() }),
        })
    }

    /// Which extractor this is; the same for all settings.
    pub fn id(&self) -> &ExtractorId {
        &self.id
    }

    /// Makes the record of one file.
    ///
    /// Never fails: what could not be read is among the record's problems, and a
    /// file that is too much to parse still contributes its text.
    pub fn extract(&self, path: &RepoPath, decoded: Decoded, attributes: Attributes) -> Extraction {
        let redacted = redact(decoded.text);
        let text = redacted.text;
        let claim = self.detector.detect(path, &text);
        let Outcome { pack, facts, basis } = match flags::is_minified(&text, claim.pack) {
            true => Outcome { pack: claim.pack, facts: Facts::default(), basis: claim.basis },
            false => self.read(path, &text, claim),
        };
        let mut flags = flags::flags(path, &text, attributes, pack);
        if decoded.encoding != Encoding::Utf8 {
            flags.insert(flag::NOT_UTF8);
        }
        flags.extend(facts.flags());
        let language = pack.map_or(language::TEXT, |pack| Word::known(pack.name));
        let record = Record {
            path: path.clone(),
            language,
            encoding: decoded.encoding.into(),
            flags,
            text,
            definitions: facts.definitions,
            references: facts.references,
            imports: facts.imports,
            problems: facts.problems,
        };
        debug_assert!(canonical::check(&record).is_ok(), "{path}: {:?}", canonical::check(&record));
        Extraction { record, redactions: redacted.counts, basis }
    }

    /// Reads a text; a fault of the program becomes a problem of the file it was met in.
    fn read(&self, path: &RepoPath, text: &str, claim: Claim) -> Outcome {
        let reader = Reader { detector: &self.detector, programs: &self.programs };
        fault::guard(|| (self.reading)(&reader, path, text, claim.clone())).unwrap_or_else(|fault::Fault| Outcome {
            pack: claim.pack,
            facts: Facts::none(problem::FAULT, text),
            basis: claim.basis,
        })
    }
}

fn identify() -> ExtractorId {
    let mut hash = Sha256::new();
    let mut part = |part: &str| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    };
    part(&EXTRACTOR_REVISION.to_string());
    part(env!("PINNED_CRATES"));
    PACKS.iter().for_each(|pack| pack.describe(&mut part));
    ExtractorId { digest: canonical::hex(&hash.finalize()), revision: EXTRACTOR_REVISION }
}

#[cfg(test)]
pub(super) mod tests;
