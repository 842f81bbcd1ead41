//! The Code Context Engine: a repository at a commit becomes a deterministic,
//! checksummed index that travels through git and is searched offline.
//!
//! ```text
//! work tree ──┐   walk, redact     extract        order, manifest
//! commit ─────┼──────► file ──────► RECORD ──────► SNAPSHOT ──┬─► artifact   (snapshot, cache, sync)
//! directory ──┘                        ▲                      └─► index      (store, search)
//! pulled artifact ─────────────────────┘ (validated)
//! ```
//!
//! [`source`] lists and reads files and takes secrets out of them, [`language`] and
//! [`record`] turn one file into its record, [`snapshot`] orders and seals records,
//! [`store`] keeps the index on disk, [`search`] ranks, [`git`] and [`cache`] speak with
//! remotes, [`workspace`] holds several repositories, [`sync`] composes the workflows, and
//! [`cli`] is the program. A room uses the
//! rooms before it and never one behind it; `docs/architecture.md` is the map.

pub mod cache;
pub mod cli;
pub mod config;
pub mod git;
pub mod language;
pub mod record;
pub mod search;
pub mod snapshot;
pub mod source;
pub mod store;
pub mod sync;
pub mod workspace;
