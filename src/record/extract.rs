//! From one file's text to its record.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::parse::{self, Harvest};
use super::{Definition, Import, Problem, Record, Reference, Word, canonical, encoding, flag, language, problem};
use super::{flags, imports, nest, references};
use crate::config::Settings;
use crate::language::detect::{DetectError, Detector};
use crate::language::program::{Program, ProgramError};
use crate::language::{PACKS, Pack};
use crate::source::decode::Decoded;
use crate::source::redact::redact;
use crate::source::{Attributes, RepoPath};

/// Grows with every change to the program that can alter a record.
pub const EXTRACTOR_REVISION: u32 = 1;

/// What extraction gives for one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extraction {
    /// The record.
    pub record: Record,
    /// How many secrets of which kind were replaced in it.
    pub redactions: BTreeMap<&'static str, u32>,
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
    /// Compiled when first needed, in the order of [`PACKS`].
    programs: Vec<OnceLock<Result<Program, ProgramError>>>,
}

impl Extractor {
    /// Checks the settings that choose languages.
    ///
    /// # Errors
    /// On an unknown pack or language, with the known one that is written most like it.
    pub fn new(settings: &Settings) -> Result<Self, ExtractorError> {
        let programs = PACKS.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { detector: Detector::new(settings)?, id: identify(), programs })
    }

    /// Compiles every pack now, where it would otherwise happen with the first file.
    ///
    /// # Errors
    /// Names the pack that does not fit its grammar.
    pub fn prepare(&self) -> Result<(), ExtractorError> {
        for (pack, program) in PACKS.iter().zip(&self.programs) {
            if let Err(error) = program.get_or_init(|| Program::compile(pack)) {
                return Err(ExtractorError::Pack { pack: pack.name, error: error.clone() });
            }
        }
        Ok(())
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
        let pack = self.detector.detect(path, &text);
        let mut flags = flags::flags(path, &text, attributes, pack);
        if decoded.encoding != encoding::UTF_8 {
            flags.insert(flag::NOT_UTF8);
        }
        let facts = match pack {
            Some(pack) if !flags.contains(&flag::MINIFIED) => self.read(pack, &text),
            _ => Facts::default(),
        };
        flags.extend(facts.flags());
        let language = pack.map_or(language::TEXT, |pack| Word::known(pack.name));
        let record = Record {
            path: path.clone(),
            language,
            encoding: decoded.encoding,
            flags,
            text,
            definitions: facts.definitions,
            references: facts.references,
            imports: facts.imports,
            problems: facts.problems,
        };
        debug_assert!(canonical::check(&record).is_ok(), "{path}: {:?}", canonical::check(&record));
        Extraction { record, redactions: redacted.counts }
    }

    fn read(&self, pack: &'static Pack, text: &str) -> Facts {
        match self.program(pack) {
            Some(program) => Facts::read(pack, program, text),
            None => Facts { problems: vec![Problem::unreadable(text)], ..Facts::default() },
        }
    }

    fn program(&self, pack: &'static Pack) -> Option<&Program> {
        let index = PACKS.iter().position(|candidate| candidate.name == pack.name)?;
        self.programs[index].get_or_init(|| Program::compile(pack)).as_ref().ok()
    }
}

/// What a grammar says of one text.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) definitions: Vec<Definition>,
    pub(super) references: Vec<Reference>,
    pub(super) imports: Vec<Import>,
    pub(super) problems: Vec<Problem>,
    partial: bool,
}

impl Facts {
    /// Parses `text` and puts together what the pack's queries captured.
    pub(super) fn read(pack: &Pack, program: &Program, text: &str) -> Self {
        let mut harvest: Harvest = parse::harvest(program, text);
        imports::tidy(&mut harvest);
        let definitions = nest::definitions(program, &pack.rules, text, &mut harvest);
        let imports = imports::imports(program, pack.rules.separator, text, &harvest);
        let references = references::references(program, text, &mut harvest, &definitions, &imports);
        Self { definitions, references, imports: imports.imports, problems: harvest.problems, partial: harvest.partial }
    }

    fn flags(&self) -> impl Iterator<Item = Word> {
        let met = |kind: Word| self.problems.iter().any(|problem| problem.kind == kind);
        [
            (flag::PARTIAL_PARSE, self.partial),
            (flag::TOO_DEEP, met(problem::TOO_DEEP)),
            (flag::TOO_COMPLEX, met(problem::TOO_COMPLEX)),
        ]
        .into_iter()
        .filter_map(|(flag, holds)| holds.then_some(flag))
    }
}

impl Problem {
    fn unreadable(text: &str) -> Self {
        Self { kind: problem::TOO_COMPLEX, span: super::Span::new(0, text.len() as u32) }
    }
}

fn identify() -> ExtractorId {
    let mut hash = Sha256::new();
    let mut part = |part: &str| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    };
    part(&EXTRACTOR_REVISION.to_string());
    part(env!("CCE_PINNED_CRATES"));
    PACKS.iter().for_each(|pack| pack.describe(&mut part));
    ExtractorId { digest: canonical::hex(&hash.finalize()), revision: EXTRACTOR_REVISION }
}
