//! The full check of an index: every byte, every row, every record.

use sha2::{Digest, Sha256};

use super::layout::{Counts, Field, Section, TRAILER};
use super::{Index, IndexError};
use crate::record::Record;
use crate::record::passages::passages;

impl Index {
    /// Checks the whole file: its digest, every row, every text and record, the order
    /// of files, passages and terms, every list, and the sums.
    ///
    /// # Errors
    /// Names the first section that does not hold.
    pub fn verify(&self) -> Result<(), IndexError> {
        self.verify_digest()?;
        let sums = self.verify_files()?;
        if &sums != self.expected_counts() {
            return Err(IndexError::damaged(Section::Counts, "a sum differs from what it sums"));
        }
        self.verify_terms()?;
        let mut before = None;
        for entry in self.skipped() {
            let entry = entry?;
            let now = (entry.path, entry.reason);
            if before.is_some_and(|before| before > now) {
                return Err(IndexError::damaged(Section::Skipped, "entries are out of order"));
            }
            before = Some(now);
        }
        Ok(())
    }

    /// Checks that the bytes of the file are those that were written, and nothing else.
    ///
    /// # Errors
    /// When its digest is another.
    pub fn verify_digest(&self) -> Result<(), IndexError> {
        let (content, trailer) = self.bytes().split_at(self.bytes().len() - TRAILER);
        if Sha256::digest(content).as_slice() == trailer {
            Ok(())
        } else {
            Err(IndexError::Damaged { section: "trailer", why: "the digest is not that of the file" })
        }
    }

    /// Checks files, passages, texts and records; returns what the counts should be.
    fn verify_files(&self) -> Result<Counts, IndexError> {
        let given = self.expected_counts();
        let mut sums = Counts { terms: given.terms, skipped: given.skipped, ..Counts::default() };
        let mut before: &[u8] = &[];
        for number in 0..self.file_count() {
            let file = self.file(number)?;
            let record = self.record(number)?;
            if file.path <= before {
                return Err(IndexError::damaged(Section::Files, "files are out of order"));
            }
            before = file.path;
            if file.passages.0 != sums.passages || record.language.as_str() != file.language {
                return Err(IndexError::damaged(Section::Files, "a row differs from its record"));
            }
            self.verify_passages(number, &record)?;
            for passage in file.passage_range() {
                for (sum, length) in sums.lengths.iter_mut().zip(self.lengths(passage)?) {
                    *sum += u64::from(length);
                }
            }
            sums.lengths[Field::Path as usize] += u64::from(file.path_terms) * u64::from(file.passages.1);
            sums.files += 1;
            sums.passages += file.passages.1;
            sums.text += u64::from(file.text_len);
        }
        Ok(sums)
    }

    fn verify_passages(&self, number: u32, record: &Record) -> Result<(), IndexError> {
        let wrong = || IndexError::damaged(Section::Passages, "a passage differs from its record");
        let expected = passages(record);
        let range = self.file(number)?.passage_range();
        if expected.len() != range.len() {
            return Err(wrong());
        }
        for (row, expected) in range.zip(expected) {
            let row = self.passage(row)?;
            let same = row.span == expected.span && row.definition == expected.definition && row.part == expected.part;
            if row.file != number || !same {
                return Err(wrong());
            }
            self.passage_text(&row)?;
        }
        Ok(())
    }

    fn verify_terms(&self) -> Result<(), IndexError> {
        let mut before: Vec<u8> = Vec::new();
        let mut result = Ok(());
        let mut end = 0;
        self.dictionary().for_each(|term, entry| {
            if result.is_err() {
                return;
            }
            if term <= before.as_slice() || std::str::from_utf8(term).is_err() || entry.start != end {
                result = Err(IndexError::damaged(Section::Terms, "terms are out of order"));
                return;
            }
            end = entry.end;
            before.clear();
            before.extend_from_slice(term);
            result = self.entry(entry, |_, _| {});
        })?;
        result
    }
}
