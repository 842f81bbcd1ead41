//! What the benchmarks share: sources that every machine has, and medians.
#![allow(dead_code, clippy::disallowed_methods)] // each benchmark uses its part

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The unpacked sources of the packages that the lock file names, in its order.
pub fn dependency_sources() -> Vec<PathBuf> {
    let lock = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock")).expect("the lock file");
    let lock: toml_edit::DocumentMut = lock.parse().expect("a lock file is toml");
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cargo"))).expect("a home for cargo");
    let registries: Vec<PathBuf> =
        fs::read_dir(home.join("registry/src")).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let packages = lock["package"].as_array_of_tables().expect("packages");
    let names = packages.iter().filter_map(|package| {
        Some(format!("{}-{}", package.get("name")?.as_str()?, package.get("version")?.as_str()?))
    });
    names.filter_map(|name| registries.iter().map(|place| place.join(&name)).find(|path| path.is_dir())).collect()
}

/// The files below a directory, in order; links are not followed.
pub fn files_below(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// How long some work takes.
pub fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed()
}

/// The median of several runs, each given its number.
pub fn median(runs: usize, mut work: impl FnMut(usize) -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..runs).map(&mut work).collect();
    times.sort();
    times[runs / 2]
}

/// Bytes in millions.
pub fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
