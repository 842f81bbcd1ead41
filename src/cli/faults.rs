//! What people are told of files that extraction itself failed on.

use super::terminal::{count, note};
use crate::record::problem;
use crate::snapshot::Manifest;

/// Says that files hold text only because reading them failed.
pub(super) fn report(manifest: &Manifest) {
    if let Some(warning) = warning(manifest.problem_counts.get(&problem::FAULT).copied().unwrap_or(0)) {
        note(format_args!("{warning}"));
    }
}

fn warning(faults: u64) -> Option<String> {
    (faults > 0).then(|| {
        let files = count(faults, "file");
        format!("warning: cce failed while it read {files}, searched as plain text; this is a fault of cce, please report it")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_and_nothing_else() {
        assert_eq!(warning(0), None);
        assert!(warning(2).unwrap().contains("while it read 2 files"));
    }
}
