//! The source room against the git program: what it lists and reads, and from where.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, clippy::print_stderr)] // tests start programs and say what they skip

mod changed;
mod clean;
mod directories;
mod repositories;
mod rich;
mod rules;
#[path = "../sandbox/mod.rs"]
mod sandbox;
