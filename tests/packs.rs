//! Language packs: what the program says of them, and that nothing outside their room
//! knows one by name.
#![allow(clippy::disallowed_methods)] // tests look at the sources

mod sandbox;

use std::fs;
use std::path::{Path, PathBuf};

use cce::language::PACKS;
use sandbox::Sandbox;

#[test]
fn every_pack_is_sound() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("empty")).unwrap();
    let told = sandbox.cce("empty", &["packs", "--validate"]).succeeds();
    for pack in PACKS {
        assert!(told.contains(&format!("{}: sound (", pack.name)), "{told}");
    }
    let json = sandbox.json("empty", &["packs", "--validate", "--json"]);
    assert_eq!(json["schema"], "cce.validation/1");
    assert_eq!(json["packs"].as_array().unwrap().len(), PACKS.len());
    assert_eq!(json["diagnostics"], serde_json::json!([]));
}

/// Source files outside the room of languages, without their tests. Redaction knows
/// extensions as words of text, which tell a file name from a secret.
fn core() -> Vec<(PathBuf, String)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let excepted = [source.join("language"), source.join("source/redact")];
    let mut found = Vec::new();
    let mut open = vec![source.clone()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.extend(Some(path).filter(|path| !excepted.contains(path)));
            } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
                found.push((path, code));
            }
        }
    }
    assert!(found.len() > 50, "the sources are where this test looks for them");
    found
}

#[test]
fn the_core_names_no_language() {
    let mut wrong = Vec::new();
    for (path, code) in core() {
        for (number, line) in code.lines().enumerate() {
            let spoken = line.split("//").next().unwrap_or_default();
            let names = PACKS.iter().map(|pack| pack.name).filter(|name| spoken.contains(&format!("\"{name}\"")));
            let grammars =
                PACKS.iter().map(|pack| pack.name).filter(|name| spoken.contains(&format!("tree_sitter_{name}")));
            wrong.extend(names.chain(grammars).map(|name| format!("{}:{}: {name}", path.display(), number + 1)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
