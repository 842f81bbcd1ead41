//! From a request to an answer.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};

use rayon::prelude::*;

use super::answer::{Answer, Explanation, FieldShare, Filter, Hit, NoResult, Request, TermShare};
use super::bm25f::{Bm25f, millionths};
use super::corpus::{At, Corpus, Evidence, Gatherer, Numbered, Spread, lengths};
use super::filter::Filters;
use super::query::{Query, QueryTerm, fold};
use super::ranker::{Features, FileTraits, NameMatch, Ranker};
use super::selection::{Candidate, same_text_elsewhere, select};
use super::{SearchError, suggest};
use crate::record::canonical::hex;
use crate::record::passages::Part;
use crate::record::{Span, flag};
use crate::store::terms::{Shape, for_each_term};
use crate::store::{Field, FileEntry, IndexError, PassageEntry, View, shown_text};

/// How many passages are looked at closely.
const CANDIDATES: usize = 200;
/// How many passages are looked at first, to find those.
const FIRST_LOOK: usize = 4 * CANDIDATES;
/// No more passages of one name than this join them beyond that.
const NAMESAKES: usize = 1000;

/// Answers `request` from `views`, with the ranking rule of the product.
///
/// # Errors
/// When an index does not hold or a path filter is no pattern.
pub fn search(views: &[View], request: &Request) -> Result<Answer, SearchError> {
    search_with(views, request, &Bm25f)
}

/// Answers `request` from `views`, ranked by `ranker`.
///
/// # Errors
/// Like [`search`].
pub fn search_with(views: &[View], request: &Request, ranker: &dyn Ranker) -> Result<Answer, SearchError> {
    let filters = Filters::new(request)?;
    let query = Query::parse(&request.query);
    let corpus = Corpus::new(views)?;
    if corpus.statistics.passages == 0 {
        return Ok(Answer { reason: Some(NoResult::EmptyIndex), ..Answer::default() });
    }
    if query.terms.is_empty() {
        return Ok(Answer { reason: Some(NoResult::NoTerms), ..Answer::default() });
    }
    Search { corpus, query, filters, ranker, request }.run()
}

struct Search<'a> {
    corpus: Corpus<'a>,
    query: Query,
    filters: Filters<'a>,
    ranker: &'a dyn Ranker,
    request: &'a Request,
}

/// The sums of the terms, passage by passage.
struct Sums {
    /// By document; 0 where no term stands.
    by_document: Vec<f64>,
    /// The documents with a term, in order of first sight.
    touched: Vec<u32>,
    /// Rarity of each term of the question; `None` for one that occurs nowhere.
    rarities: Vec<Option<f64>>,
    /// Passages whose name may be one that is asked for.
    namesakes: Vec<u32>,
}

/// What is known of a file while one question is answered.
#[derive(Clone, Copy)]
struct FileVerdict {
    language: bool,
    path: bool,
    prior: f64,
}

impl Search<'_> {
    fn run(&self) -> Result<Answer, SearchError> {
        let sums = self.sums()?;
        let mut answer = Answer { notices: self.filter_notices()?, ..Answer::default() };
        let unknown = self.unknown_terms(&sums);
        if sums.touched.is_empty() {
            let terms = unknown.into_iter().map(|term| suggest::nearest(&self.corpus, term));
            answer.reason = Some(NoResult::UnknownTerms { terms: terms.collect::<Result<_, _>>()? });
            return Ok(answer);
        }
        self.notice_unknown(&unknown, &mut answer.notices)?;
        let allowed = self.allowed(&sums)?;
        if allowed.is_empty() {
            answer.reason = Some(self.filtered(&sums)?);
            return Ok(answer);
        }
        let best = self.best(&sums, allowed)?;
        let chosen = select(&self.corpus, best, self.ranker, self.request.top_k)?;
        answer.results = self.hits(&chosen, &sums)?;
        Ok(answer)
    }

    /// Adds up what each term brings to each passage. Segments are independent but for the
    /// rarity of a term, so each is worked on by itself.
    fn sums(&self) -> Result<Sums, IndexError> {
        let corpus = &self.corpus;
        let gathered: Vec<Vec<Vec<Evidence>>> =
            corpus.segments().par_iter().map(|numbered| self.gather(*numbered)).collect::<Result<_, _>>()?;
        let rarities: Vec<Option<f64>> =
            (0..self.query.terms.len()).map(|term| self.rarity(gathered.iter().map(|terms| &terms[term]))).collect();
        let mut by_document = vec![0.0; corpus.documents()];
        let mut rest = by_document.as_mut_slice();
        let mut parts = Vec::new();
        for (numbered, terms) in corpus.segments().iter().zip(&gathered) {
            let (own, others) = rest.split_at_mut(numbered.segment.index().passage_count() as usize);
            rest = others;
            parts.push((*numbered, terms, own));
        }
        let found: Vec<(Vec<u32>, Vec<u32>)> = parts
            .into_par_iter()
            .map(|(numbered, terms, sums)| self.add_up(numbered, terms, &rarities, sums))
            .collect::<Result<_, _>>()?;
        let (touched, namesakes): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        Ok(Sums { by_document, touched: touched.concat(), rarities, namesakes: namesakes.concat() })
    }

    /// The evidence for every term of the question in one segment.
    fn gather(&self, numbered: Numbered<'_>) -> Result<Vec<Vec<Evidence>>, IndexError> {
        let mut gatherer = Gatherer::new(numbered);
        self.query.terms.iter().map(|term| gatherer.gather(term.term.as_bytes())).collect()
    }

    /// How rare a term is, by its evidence in all segments; `None` for one that occurs nowhere.
    fn rarity<'e>(&self, evidence: impl Iterator<Item = &'e Vec<Evidence>>) -> Option<f64> {
        let spread = evidence.map(|found| Spread::of(found)).fold(Spread::default(), Spread::plus);
        spread.passages().map(|found| self.ranker.rarity(found, self.corpus.statistics.passages))
    }

    /// Adds what each term brings to the passages of one segment to `sums`, which has one
    /// place for each of them. Gives the passages with a term, and the namesakes.
    fn add_up(
        &self,
        numbered: Numbered<'_>,
        terms: &[Vec<Evidence>],
        rarities: &[Option<f64>],
        sums: &mut [f64],
    ) -> Result<(Vec<u32>, Vec<u32>), IndexError> {
        let (mut touched, mut namesakes) = (Vec::new(), Vec::new());
        let index = numbered.segment.index();
        for ((term, evidence), rarity) in self.query.terms.iter().zip(terms).zip(rarities) {
            let Some(rarity) = rarity else { continue };
            let by_name = term.shape != Shape::Part && self.names(term);
            for found in evidence {
                let passage = found.document - numbered.first;
                let sum = &mut sums[passage as usize];
                if *sum == 0.0 {
                    touched.push(found.document);
                }
                let lengths = lengths(index, passage, found.counts[Field::Path as usize] > 0)?;
                let evidence = self.evidence(&found.counts, &lengths);
                *sum += self.ranker.term(evidence, rarity * term.weight);
                if by_name && found.counts[Field::Name as usize] > 0 {
                    namesakes.push(found.document);
                }
            }
        }
        Ok((touched, namesakes))
    }

    /// Whether `term` comes from an identifier of the question.
    fn names(&self, term: &QueryTerm) -> bool {
        let folded = fold(&term.word);
        self.query.identifiers.iter().any(|identifier| identifier.folded == folded)
    }

    fn evidence(&self, counts: &[u32; Field::COUNT], lengths: &[u32; Field::COUNT]) -> f64 {
        let mut evidence = 0.0;
        for field in Field::ALL {
            let count = counts[field as usize];
            if count > 0 {
                let average = self.corpus.averages.of(field);
                evidence += self.ranker.field(field, count, lengths[field as usize], average);
            }
        }
        evidence
    }

    fn unknown_terms(&self, sums: &Sums) -> Vec<&QueryTerm> {
        let terms = self.query.terms.iter().zip(&sums.rarities);
        let missing = terms.filter(|(term, rarity)| rarity.is_none() && term.content && term.shape != Shape::Part);
        missing.map(|(term, _)| term).collect()
    }

    fn notice_unknown(&self, unknown: &[&QueryTerm], notices: &mut Vec<String>) -> Result<(), IndexError> {
        // A joined form is news only when its pieces are missing too: `parse_flags` may be two plain words.
        for term in unknown.iter().filter(|term| term.shape == Shape::Word) {
            let found = suggest::nearest(&self.corpus, term)?;
            let words: Vec<String> = found.nearest.iter().map(|word| format!("`{word}`")).collect();
            let hint = if words.is_empty() { String::new() } else { format!("; nearest: {}", words.join(", ")) };
            notices.push(format!("`{}` occurs nowhere{hint}", found.word));
        }
        if self.query.left_out > 0 {
            notices.push(format!("the question is long: its last {} terms were not used", self.query.left_out));
        }
        Ok(())
    }

    /// The touched passages that the filters let through, as far as they can come among the
    /// candidates or are namesakes. Looking at a passage costs more than adding up its terms, and
    /// most of them have too little to get that far, whatever file they stand in.
    fn allowed(&self, sums: &Sums) -> Result<Vec<(u32, f64)>, IndexError> {
        let sum = |document: u32| sums.by_document[document as usize];
        let mut files = FileVerdicts::new(self);
        let mut allowed = Vec::new();
        let mut look = |documents: Vec<u32>, allowed: &mut Vec<(u32, f64)>| -> Result<(), IndexError> {
            for document in documents {
                let at = self.corpus.at(document);
                let verdict = files.of(at)?;
                if verdict.language && verdict.path && self.kind_allowed(at)? {
                    debug_assert!(verdict.prior <= 1.0);
                    allowed.push((document, sum(document) * verdict.prior));
                }
            }
            Ok(())
        };
        let mut open = sums.touched.clone();
        let mut count = FIRST_LOOK;
        while !open.is_empty() {
            let rest = cut(&mut open, count, |a, b| sum(*b).total_cmp(&sum(*a)));
            look(std::mem::replace(&mut open, rest), &mut allowed)?;
            // No file raises a sum, so what is left stays below the largest of its sums.
            let most = open.iter().map(|document| sum(*document)).fold(0.0, f64::max);
            if allowed.iter().filter(|(_, value)| *value > most).count() >= CANDIDATES {
                break;
            }
            count *= 4;
        }
        let namesakes: HashSet<u32> = sums.namesakes.iter().copied().collect();
        open.retain(|document| namesakes.contains(document));
        look(open, &mut allowed)?;
        Ok(allowed)
    }

    fn kind_allowed(&self, at: At<'_>) -> Result<bool, IndexError> {
        Ok(!self.filters.has_kinds() || self.filters.kind(at.index.passage(at.passage)?.kind))
    }

    fn judge(&self, at: At<'_>, file: u32) -> Result<FileVerdict, IndexError> {
        let entry = at.index.file(file)?;
        Ok(FileVerdict {
            language: self.filters.language(entry.language),
            path: !self.filters.has_paths() || self.filters.path(entry.path),
            prior: self.ranker.prior(traits(&entry), self.query.intent),
        })
    }

    /// Which filters would give results if they alone were lifted.
    fn filtered(&self, sums: &Sums) -> Result<NoResult, IndexError> {
        let mut files = FileVerdicts::new(self);
        let mut lifts = [false; 3];
        for &document in &sums.touched {
            let at = self.corpus.at(document);
            let verdict = files.of(at)?;
            match (verdict.language, verdict.path, self.kind_allowed(at)?) {
                (false, true, true) => lifts[0] = true,
                (true, false, true) => lifts[1] = true,
                (true, true, false) => lifts[2] = true,
                _ => {}
            }
        }
        let filters = [Filter::Languages, Filter::Paths, Filter::Kinds];
        let lift = filters.into_iter().zip(lifts).filter(|(_, lifts)| *lifts).map(|(filter, _)| filter).collect();
        Ok(NoResult::Filtered { matches: sums.touched.len(), lift })
    }

    /// Notices for filters that name nothing there is.
    fn filter_notices(&self) -> Result<Vec<String>, IndexError> {
        let mut notices = Vec::new();
        if self.filters.has_languages() {
            let mut census = Census::new(&self.request.languages);
            for numbered in self.corpus.segments() {
                let index = numbered.segment.index();
                let mut files = (0..index.file_count()).filter(|file| !numbered.segment.is_hidden_file(*file));
                census.see_until_complete(&mut files, |file| Ok(index.file(file)?.language))?;
            }
            notices.extend(census.notices("language"));
        }
        if self.filters.has_kinds() {
            let mut census = Census::new(&self.request.kinds);
            for numbered in self.corpus.segments() {
                let index = numbered.segment.index();
                let mut passages = (0..index.passage_count()).filter(|at| !numbered.segment.is_hidden_passage(*at));
                census.see_until_complete(&mut passages, |passage| Ok(index.passage(passage)?.kind))?;
            }
            notices.extend(census.notices("kind"));
        }
        Ok(notices)
    }

    /// The best passages and all namesakes, scored in full, best first.
    fn best(&self, sums: &Sums, mut allowed: Vec<(u32, f64)>) -> Result<Vec<Candidate>, IndexError> {
        let mut failed = None;
        let mut order = |a: &(u32, f64), b: &(u32, f64)| {
            b.1.total_cmp(&a.1).then_with(|| {
                self.corpus.by_place(a.0, b.0).unwrap_or_else(|error| {
                    failed.get_or_insert(error);
                    Ordering::Equal
                })
            })
        };
        let mut rest = cut(&mut allowed, CANDIDATES, &mut order);
        let namesakes: HashSet<u32> = sums.namesakes.iter().copied().collect();
        rest.retain(|(document, _)| namesakes.contains(document));
        cut(&mut rest, NAMESAKES, &mut order);
        if let Some(error) = failed {
            return Err(error);
        }
        allowed.append(&mut rest);
        let most = self.most(sums);
        let candidates = allowed.into_iter().map(|(document, _)| {
            let mut steps = Vec::new();
            let features = self.features(document, most)?;
            let score = self.ranker.score(sums.by_document[document as usize], &features, &mut steps);
            Ok(Candidate { document, score, steps })
        });
        candidates.collect()
    }

    /// The sum of weight times rarity over the terms that occur.
    fn most(&self, sums: &Sums) -> f64 {
        let terms = self.query.terms.iter().zip(&sums.rarities);
        terms.map(|(term, rarity)| term.weight * rarity.unwrap_or(0.0)).sum()
    }

    fn features(&self, document: u32, most: f64) -> Result<Features, IndexError> {
        let at = self.corpus.at(document);
        let passage = at.index.passage(at.passage)?;
        let file = at.index.file(passage.file)?;
        Ok(Features {
            traits: traits(&file),
            in_tests: is_test(&passage),
            part: passage.part,
            intent: self.query.intent,
            name_covered: self.name_covered(passage.name),
            name_match: self.name_match(&passage),
            file_named: self.names_file(file.path),
            most,
        })
    }

    /// Share of the pieces of `name` that the question covers.
    fn name_covered(&self, name: &str) -> f64 {
        let (mut pieces, mut covered) = (0u32, 0u32);
        for_each_term(name, |term| {
            if term.shape != Shape::Whole {
                pieces += 1;
                let asked = |known: &&QueryTerm| known.content && known.term.as_bytes() == term.bytes;
                covered += u32::from(self.query.terms.iter().any(|known| asked(&known)));
            }
        });
        if pieces == 0 { 0.0 } else { f64::from(covered) / f64::from(pieces) }
    }

    fn name_match(&self, passage: &PassageEntry<'_>) -> NameMatch {
        let grade = |wanted: &super::query::Identifier| {
            let same = wanted.name == passage.name;
            if !same && wanted.folded != fold(passage.name) {
                return NameMatch::None;
            }
            if !wanted.containers.is_empty() {
                let containers = passage.qualified_name.strip_suffix(passage.name).unwrap_or_default();
                let mut names =
                    containers.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|n| !n.is_empty());
                let inside = wanted.containers.iter().rev().all(|wanted| names.next() == Some(wanted));
                return if inside { NameMatch::Qualified } else { NameMatch::Elsewhere };
            }
            if same { NameMatch::Same } else { NameMatch::Folded }
        };
        if passage.name.is_empty() || passage.part == Part::Slice {
            return NameMatch::None;
        }
        self.query.identifiers.iter().map(grade).max().unwrap_or_default()
    }

    /// Whether the question holds the path, or the name with its extension, of a file.
    fn names_file(&self, path: &[u8]) -> bool {
        let Ok(path) = std::str::from_utf8(path) else { return false };
        let trim = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/' | '.')) || c == '.';
        let words =
            self.request.query.split_whitespace().map(|word| word.trim_end_matches(trim).trim_start_matches('`'));
        let mut words = words.filter(|word| word.contains(['.', '/']) && !word.is_empty());
        words.any(|word| path.strip_suffix(word).is_some_and(|before| before.is_empty() || before.ends_with('/')))
    }

    fn hits(&self, chosen: &[Candidate], sums: &Sums) -> Result<Vec<Hit>, IndexError> {
        let mut files = FileVerdicts::new(self);
        let elsewhere = same_text_elsewhere(&self.corpus, chosen, &sums.touched, |at| {
            let verdict = files.of(at)?;
            Ok(verdict.language && verdict.path && self.kind_allowed(at)?)
        })?;
        let mut hits = Vec::with_capacity(chosen.len());
        for (candidate, also_at) in chosen.iter().zip(elsewhere) {
            let at = self.corpus.at(candidate.document);
            let passage = at.index.passage(at.passage)?;
            let file = at.index.file(passage.file)?;
            let some = |name: &str| (!name.is_empty()).then(|| name.to_owned());
            hits.push(Hit {
                repo: at.repo.map(str::to_owned),
                path: display(at, passage.file)?,
                start_line: passage.first_line,
                end_line: passage.last_line,
                kind: passage.kind.to_owned(),
                language: file.language.to_owned(),
                name: some(passage.name),
                qualified_name: some(passage.qualified_name),
                score: millionths(candidate.score),
                passage_id: hex(&passage.id),
                text: shown_text(at.index.passage_text(&passage)?).to_owned(),
                span: passage.span,
                indent: indent_at(at.index.text(passage.file)?, passage.span),
                partial: matches!(passage.part, Part::Outline | Part::Slice),
                signature: passage.signature,
                also_at,
                explain: None,
            });
        }
        if self.request.explain {
            self.explain(chosen, sums, &mut hits)?;
        }
        Ok(hits)
    }

    /// Walks the terms once more and notes what each brought to each hit.
    fn explain(&self, chosen: &[Candidate], sums: &Sums, hits: &mut [Hit]) -> Result<(), IndexError> {
        let mut explanations: Vec<Explanation> = chosen
            .iter()
            .map(|candidate| Explanation { terms: Vec::new(), factors: candidate.steps.clone() })
            .collect();
        for numbered in self.corpus.segments() {
            let terms = self.gather(*numbered)?;
            for ((term, evidence), rarity) in self.query.terms.iter().zip(terms).zip(&sums.rarities) {
                for found in evidence {
                    let hit = chosen.iter().position(|candidate| candidate.document == found.document);
                    if let (Some(hit), Some(rarity)) = (hit, *rarity) {
                        explanations[hit].terms.push(self.share(term, rarity, found.document, &found.counts)?);
                    }
                }
            }
        }
        for (hit, explanation) in hits.iter_mut().zip(explanations) {
            hit.explain = Some(explanation);
        }
        Ok(())
    }

    fn share(
        &self,
        term: &QueryTerm,
        rarity: f64,
        document: u32,
        counts: &[u32; Field::COUNT],
    ) -> Result<TermShare, IndexError> {
        let at = self.corpus.at(document);
        let lengths = lengths(at.index, at.passage, true)?;
        let fields = Field::ALL.into_iter().filter(|field| counts[*field as usize] > 0).map(|field| {
            let count = counts[field as usize];
            let average = self.corpus.averages.of(field);
            let evidence = self.ranker.field(field, count, lengths[field as usize], average);
            FieldShare { field: field.name(), count, evidence: millionths(evidence) }
        });
        Ok(TermShare {
            term: term.term.clone(),
            weight: millionths(term.weight),
            rarity: millionths(rarity),
            fields: fields.collect(),
            score: millionths(self.ranker.term(self.evidence(counts, &lengths), rarity * term.weight)),
        })
    }
}

/// Leaves the first `count` of `list` in it and returns the others; neither is sorted.
fn cut<T>(list: &mut Vec<T>, count: usize, order: impl FnMut(&T, &T) -> Ordering) -> Vec<T> {
    if list.len() <= count {
        return Vec::new();
    }
    list.select_nth_unstable_by(count, order);
    list.split_off(count)
}

/// Judges each file once.
struct FileVerdicts<'s, 'a> {
    search: &'s Search<'a>,
    known: Vec<Vec<Option<FileVerdict>>>,
}

impl<'s, 'a> FileVerdicts<'s, 'a> {
    fn new(search: &'s Search<'a>) -> Self {
        let segments = search.corpus.segments().iter();
        let known = segments.map(|numbered| vec![None; numbered.segment.index().file_count() as usize]).collect();
        Self { search, known }
    }

    fn of(&mut self, at: At<'_>) -> Result<FileVerdict, IndexError> {
        let file = at.index.file_of(at.passage)?;
        let known = &mut self.known[at.segment][file as usize];
        match known {
            Some(verdict) => Ok(*verdict),
            None => Ok(*known.insert(self.search.judge(at, file)?)),
        }
    }
}

/// The path of a file as people see it.
pub(super) fn display(at: At<'_>, file: u32) -> Result<String, IndexError> {
    Ok(at.index.path(file)?.display().into_owned())
}

/// Which of the names that a filter wants there are.
struct Census<'a> {
    missing: Vec<&'a str>,
    known: BTreeSet<&'a str>,
}

impl<'a> Census<'a> {
    fn new(wanted: &'a [String]) -> Self {
        Self { missing: wanted.iter().map(String::as_str).collect(), known: BTreeSet::new() }
    }

    /// Notes the name of each item, until all that are wanted were seen.
    fn see_until_complete(
        &mut self,
        items: &mut dyn Iterator<Item = u32>,
        name: impl Fn(u32) -> Result<&'a str, IndexError>,
    ) -> Result<(), IndexError> {
        while !self.missing.is_empty()
            && let Some(item) = items.next()
        {
            let name = name(item)?;
            if self.known.insert(name) {
                self.missing.retain(|wanted| !wanted.eq_ignore_ascii_case(name));
            }
        }
        Ok(())
    }

    fn notices(&self, what: &str) -> Vec<String> {
        let known = self.known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let missing = self.missing.iter();
        missing.map(|wanted| format!("no passage has the {what} `{wanted}`; there is {known}")).collect()
    }
}

/// Whether a passage is a test or stands among tests (`mod tests`).
fn is_test(passage: &PassageEntry<'_>) -> bool {
    let among = |name: &str| name == "test" || name == "tests";
    passage.kind == "test" || passage.qualified_name.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(among)
}

/// The kind of a file, by its flags and, where those are silent, its path.
fn traits(file: &FileEntry<'_>) -> FileTraits {
    let mut traits = FileTraits {
        test: file.has(&flag::TEST),
        example: false,
        vendored: file.has(&flag::VENDORED),
        generated: file.has(&flag::GENERATED) || file.has(&flag::MINIFIED),
        history: false,
    };
    let mut parts = file.path.split(|byte| *byte == b'/').map(<[u8]>::to_ascii_lowercase).rev();
    let name = parts.next().unwrap_or_default();
    for directory in parts {
        match directory.as_slice() {
            b"examples" | b"example" | b"samples" | b"demo" | b"demos" | b"bench" | b"benches" | b"benchmarks" => {
                traits.example = true;
            }
            _ => {}
        }
    }
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or_default();
    traits.history = matches!(stem, b"changelog" | b"changes" | b"history" | b"news" | b"releases" | b"release_notes");
    traits.generated |= name.ends_with(b".lock") || name == b"package-lock.json" || name == b"pnpm-lock.yaml";
    traits
}

/// White space between the start of the line and the start of a span, in characters.
fn indent_at(text: &str, span: Span) -> usize {
    let before = text.get(..span.start as usize).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    if line.trim().is_empty() { line.chars().count() } else { 0 }
}
