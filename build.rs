//! Tells the extractor which crate versions it is built from.

use std::path::Path;

#[allow(clippy::disallowed_methods)] // a build script is told where it stands by the environment
fn main() {
    println!("cargo::rerun-if-changed=Cargo.toml");
    println!("cargo::rerun-if-changed=build.rs");
    let manifest = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("the manifest is beside the build script");
    println!("cargo::rustc-env=PINNED_CRATES={}", pinned(&manifest).join(" "));
}

/// The dependencies behind `=`, as `name=version`, sorted.
fn pinned(manifest: &str) -> Vec<String> {
    let mut pins: Vec<String> = manifest
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .filter_map(|line| {
            let (name, requirement) = line.split_once('=')?;
            let version = requirement.split("\"=").nth(1)?.split('"').next()?;
            Some(format!("{}={}", name.trim(), version.trim()))
        })
        .collect();
    pins.sort();
    pins
}
