//! The workflows.
