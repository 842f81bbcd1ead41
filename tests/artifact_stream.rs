//! The canonical stream: import of an export is the identity, and no bit goes unnoticed.

mod sandbox;

use std::convert::Infallible;
use std::fs;

use cce::config::RepoId;
use cce::record::Record;
use cce::snapshot::{self, Snapshot, stream};
use cce::source::Directory;
use cce::source::Source;
use proptest::prelude::*;

/// Builds the snapshot of a directory of generated files.
fn snapshot_of(files: &[(String, Vec<u8>)]) -> Snapshot {
    let place = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let source = Directory::open(place.path(), None).unwrap();
    let listing = source.list().unwrap();
    let id = RepoId::parse("example.com/a").unwrap();
    snapshot::collect(&source, listing, Some(id), &|_, _| {}).unwrap().0
}

fn encoded(snapshot: &Snapshot) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream::write(snapshot, &mut bytes).unwrap();
    bytes
}

fn decoded(bytes: &[u8]) -> Result<(snapshot::Manifest, Vec<Record>), String> {
    let mut records = Vec::new();
    let manifest = stream::read(&mut &*bytes, |_, record, _| {
        records.push(record);
        Ok::<(), Infallible>(())
    })
    .map_err(|error| error.to_string())?;
    Ok((manifest, records))
}

fn file() -> impl Strategy<Value = (String, Vec<u8>)> {
    let name = "[a-d]{1,2}(/[a-d]{1,2})?\\.(py|rs|ts|tsx|js|md|bin)";
    let code = prop_oneof![
        Just("def f(x):\n    \"\"\"Doc.\"\"\"\n    return g(x)\n".to_owned()),
        Just("/// Doc.\nimpl A for B { fn m(&self) -> u8 { self.n() } }\n".to_owned()),
        Just("export class K extends L { m() { return n(); } }\n".to_owned()),
        "\\PC{0,80}",
    ];
    let bytes = prop_oneof![
        prop::collection::vec(code, 0..4).prop_map(|parts| parts.concat().into_bytes()),
        prop::collection::vec(any::<u8>(), 0..60),
    ];
    (name, bytes)
}

fn files() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    prop::collection::vec(file(), 0..6).prop_filter("a file is no directory", |files| {
        files.iter().all(|(name, _)| files.iter().all(|(other, _)| !other.starts_with(&format!("{name}/"))))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn import_of_an_export_is_the_identity(files in files()) {
        let snapshot = snapshot_of(&files);
        let bytes = encoded(&snapshot);
        let (manifest, records) = decoded(&bytes).unwrap();
        prop_assert_eq!(&manifest, &snapshot.manifest);
        let entries = records.iter().map(snapshot::RecordEntry::of).collect();
        prop_assert_eq!(&encoded(&Snapshot { manifest, records: entries }), &bytes);
    }

    #[test]
    fn no_changed_bit_and_no_cut_goes_unnoticed(files in files(), at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let good = encoded(&snapshot_of(&files));
        let at = at.index(good.len());
        let mut bad = good.clone();
        bad[at] ^= 1 << bit;
        prop_assert!(decoded(&bad).is_err(), "bit {} of byte {}", bit, at);
        prop_assert!(decoded(&good[..at]).is_err(), "cut at {}", at);
    }

    #[test]
    fn noise_is_refused_without_panic(noise in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(decoded(&noise).is_err());
    }
}

/// The exact bytes of a small artifact, reviewed like code: other machines and later
/// versions must give the same for the same extractor.
#[test]
fn bytes_of_a_small_artifact() {
    let sandbox = sandbox::Sandbox::new();
    sandbox::small_repository(&sandbox, "repo");
    let out = sandbox.cce("repo", &["artifact", "export", "--repo-id", "example.com/harbour/tide"]).succeeds();
    // The extractor digest names crate versions, so it changes when they do; the records
    // must not. It and the checksum over it are masked, everything else is to the byte.
    let manifest =
        cce::snapshot::Manifest::parse(out.lines().next().map(|line| format!("{line}\n")).unwrap().as_bytes());
    let manifest = manifest.unwrap();
    let masked = out.replace(&manifest.extractor.digest, "<extractor>").replace(&manifest.checksum, "<checksum>");
    insta::with_settings!({ snapshot_path => "../golden", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("artifact", masked);
    });
}

#[test]
fn an_artifact_names_its_repository_and_commit() {
    let sandbox = sandbox::Sandbox::new();
    sandbox.write("local.cce3", encoded(&snapshot_of(&[("a.md".to_owned(), b"text\n".to_vec())])));
    let said = sandbox.cce(".", &["artifact", "verify", "local.cce3"]).fails(3);
    assert!(said.contains("which repository and commit"), "{said}");
}
