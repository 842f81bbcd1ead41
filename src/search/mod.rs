//! Ranked search over the indexes of a store.
//!
//! [`search`] turns a question into terms, adds up the evidence for every live passage,
//! lets a [`Ranker`] judge it, and gives the best passages with their place, text and
//! (where asked) the whole sum. The room promises:
//!
//! * **the same files give the same answer**, whether they come from one index, from a
//!   base and an overlay, or from several repositories; scores are whole millionths
//!   and ties go by repository, path and span;
//! * **an empty answer says why**: no words, words nobody wrote (with the nearest that
//!   were), filters that left nothing (with those to lift), or nothing indexed;
//! * **nothing is silently ignored**: a filter that names something unknown is noticed.

mod answer;
mod bm25f;
mod corpus;
mod engine;
mod error;
mod filter;
mod query;
mod ranker;
mod selection;
mod suggest;
#[cfg(test)]
mod tests;

pub use answer::{
    Answer, Explanation, Factor, FieldShare, Filter, Hit, NoResult, Place, Request, TermShare, UnknownTerm,
};
pub use bm25f::Bm25f;
pub use engine::{search, search_with};
pub use error::SearchError;
pub use ranker::{Averages, Features, FileTraits, NameMatch, Ranker};
