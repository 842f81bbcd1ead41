//! The room's promises, tested over its parts together.

use std::sync::Arc;

use proptest::prelude::*;
use sha2::{Digest, Sha256};

use super::fixture::{image, index, index_bytes, record};
use super::{FileImage, Index, IndexBuilder, IndexError, Overlay, View};
use crate::record::canonical;
use crate::snapshot::RecordKey;
use crate::source::{ContentId, RepoPath, SkipReason, Skipped};

const FILES: [(&str, &str); 3] = [
    ("src/net.rs", "use std::io;\n\n/// Opens a connection.\nfn open_stream(host) {\n    dial(host)\n}\n"),
    ("README.md", "Streams for everyone.\nRead the docs.\n"),
    ("src/lib.rs", "mod inner {\n    fn parseHeader2() {\n        let größe = 1;\n    }\n}\n"),
];

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text).unwrap()
}

#[test]
fn what_goes_in_comes_out() {
    let index = index(&FILES);
    index.verify().unwrap();
    assert_eq!(index.manifest(), b"{\"format\":\"3.0\"}\n");
    let paths: Vec<_> = index.files().map(|file| String::from_utf8(file.unwrap().path.to_vec()).unwrap()).collect();
    assert_eq!(paths, ["README.md", "src/lib.rs", "src/net.rs"]);
    for (at, text) in FILES {
        let file = index.find(&path(at)).unwrap().unwrap();
        let record = record(at, text);
        assert_eq!(index.text(file).unwrap(), text);
        assert_eq!(index.record_line(file).unwrap(), canonical::line(&record));
        assert_eq!(index.record(file).unwrap(), record);
        assert_eq!(index.image(file).unwrap(), image(at, text));
    }
    assert_eq!(index.find(&path("src")).unwrap(), None);
    let skipped: Vec<_> = index.skipped().map(Result::unwrap).collect();
    assert_eq!((skipped[0].path, skipped[0].reason), (&b"logo.png"[..], SkipReason::Binary));
}

#[test]
fn passages_say_where_they_stand() {
    let index = index(&FILES);
    let all: Vec<String> = (0..index.passage_count())
        .map(|passage| {
            let passage = index.passage(passage).unwrap();
            format!(
                "{}:{}-{} {} {}",
                String::from_utf8_lossy(index.path_bytes(passage.file).unwrap()),
                passage.first_line,
                passage.last_line,
                passage.kind,
                passage.qualified_name
            )
        })
        .collect();
    insta::with_settings!({ snapshot_path => "../../golden/store", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("passages", all.join("\n"));
    });
}

#[test]
fn the_format_is_pinned_to_the_byte() {
    let mut builder = IndexBuilder::new();
    builder.add(image("a.rs", "/// Says hi.\nfn say_hi() {\n}\n"));
    builder.skip(Skipped { path: path("b.bin"), reason: SkipReason::Binary }, Some(ContentId([7; 20])));
    let mut bytes = Vec::new();
    builder.finish(b"{}\n", &mut bytes).unwrap();
    let dump: Vec<String> = bytes
        .chunks(16)
        .enumerate()
        .map(|(row, bytes)| {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let printable = bytes.iter().map(|byte| if (32..127).contains(byte) { char::from(*byte) } else { '.' });
            format!("{:04x}  {:<47}  {}", row * 16, digits.join(" "), printable.collect::<String>())
        })
        .collect();
    insta::with_settings!({ snapshot_path => "../../golden/store", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("tiny_index", dump.join("\n"));
    });
}

#[test]
fn order_and_threads_do_not_show() {
    let files: Vec<(String, String)> = (0..40)
        .map(|n| (format!("d{}/f{n}.rs", n % 7), format!("fn f{n}() {{\n  common word{} x{n}\n}}\n", n % 5)))
        .collect();
    let build = |order: &mut dyn Iterator<Item = &(String, String)>, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut builder = IndexBuilder::new();
        order.for_each(|(path, text)| builder.add(image(path, text)));
        let mut bytes = Vec::new();
        pool.install(|| builder.finish(b"m", &mut bytes)).unwrap();
        bytes
    };
    let first = build(&mut files.iter(), 1);
    assert_eq!(first, build(&mut files.iter().rev(), 4));
    Index::from_bytes(first).unwrap().verify().unwrap();
}

#[test]
fn one_path_twice_is_refused() {
    let mut builder = IndexBuilder::new();
    builder.add(image("a.rs", "x"));
    builder.add(image("a.rs", "y"));
    let message = builder.finish(b"", &mut Vec::new()).unwrap_err().to_string();
    assert_eq!(message, "`a.rs` is in the index twice; give each path once");
}

#[test]
fn an_empty_index_is_an_index() {
    let mut bytes = Vec::new();
    let summary = IndexBuilder::new().finish(b"", &mut bytes).unwrap();
    assert_eq!((summary.files, summary.terms, summary.bytes), (0, 0, bytes.len() as u64));
    let index = Index::from_bytes(bytes).unwrap();
    index.verify().unwrap();
    assert_eq!(index.find(&path("a")).unwrap(), None);
}

#[test]
fn opening_maps_a_file_and_names_it_when_it_cannot() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().join("index");
    std::fs::write(&at, index_bytes(&FILES)).unwrap();
    Index::open(&at).unwrap().verify().unwrap();
    std::fs::write(&at, "something else").unwrap();
    assert!(matches!(Index::open(&at), Err(IndexError::NotAnIndex { .. })));
    std::fs::write(&at, "").unwrap();
    assert!(Index::open(&at).is_err());
    assert!(matches!(Index::open(&directory.path().join("none")), Err(IndexError::Open { .. })));
    let mut later = index_bytes(&FILES);
    later[8] = 2;
    assert!(matches!(Index::from_bytes(later), Err(IndexError::Version { found: 2, .. })));
}

#[test]
fn unknown_sections_are_ignored() {
    // The table moves nothing: the new row takes the place of `manifest`, which then is missing…
    let mut bytes = index_bytes(&FILES);
    bytes[24 + 24..24 + 28].copy_from_slice(&99u32.to_le_bytes());
    assert!(matches!(Index::from_bytes(bytes), Err(IndexError::Damaged { section: "table", .. })));
    // …and a row more, of length 0 at the end of the last section, changes nothing.
    let bytes = index_bytes(&FILES);
    let shift = 24;
    let table = 24 + 13 * 24;
    let mut grown = bytes[..24].to_vec();
    grown[12..16].copy_from_slice(&14u32.to_le_bytes());
    grown[16..24].copy_from_slice(&(bytes.len() as u64 + shift).to_le_bytes());
    for row in bytes[24..table].chunks(24) {
        let mut row = row.to_vec();
        let offset = u64::from_le_bytes(row[8..16].try_into().unwrap()) + shift;
        row[8..16].copy_from_slice(&offset.to_le_bytes());
        grown.extend_from_slice(&row);
    }
    let end = bytes.len() as u64 + shift - 32;
    grown.extend_from_slice(&99u64.to_le_bytes());
    grown.extend_from_slice(&end.to_le_bytes());
    grown.extend_from_slice(&0u64.to_le_bytes());
    grown.extend_from_slice(&bytes[table..bytes.len() - 32]);
    let digest = Sha256::digest(&grown);
    grown.extend_from_slice(&digest);
    Index::from_bytes(grown).unwrap().verify().unwrap();
}

#[test]
fn a_changed_byte_does_not_pass_verification() {
    let good = index_bytes(&FILES);
    for at in (0..good.len()).step_by(37) {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        assert!(Index::from_bytes(bad).and_then(|index| index.verify()).is_err(), "byte {at}");
    }
}

/// Everything a reader can ask, so that damage has every chance to do harm.
fn read_all(index: &Index) {
    for file in 0..index.file_count().min(50) {
        let _ = (index.file(file), index.text(file), index.record(file), index.image(file), index.path(file));
    }
    for passage in 0..index.passage_count().min(50) {
        if let Ok(entry) = index.passage(passage) {
            let _ = index.passage_text(&entry);
        }
        let _ = (index.lengths(passage), index.file_of(passage), index.text_hash(passage));
    }
    index.skipped().take(50).for_each(drop);
    let _ = index.find(&path("src/lib.rs"));
    for term in ["open", "stream", "pars", "zzz"] {
        let _ = index.postings(term.as_bytes(), |_, _| {});
    }
    let _ = index.verify();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn damage_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
        mend in any::<bool>(),
    ) {
        let mut bytes = index_bytes(&FILES);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        // An attacker gets length and digest right.
        if mend && bytes.len() > 64 {
            let len = bytes.len() as u64;
            bytes[16..24].copy_from_slice(&len.to_le_bytes());
            let at = bytes.len() - 32;
            let digest = Sha256::digest(&bytes[..at]);
            bytes[at..].copy_from_slice(&digest);
        }
        if let Ok(index) = Index::from_bytes(bytes) {
            read_all(&index);
            let _ = View::new(Arc::new(index), None);
        }
    }

    #[test]
    fn an_image_copied_through_an_index_is_the_same(text in "(fn [a-c]{1,3}\\(\\) \\{\n|\\}\n|[a-dé ]{0,9}\n){0,12}") {
        let direct = FileImage::from_record(record("a.rs", &text), RecordKey([9; 32])).unwrap();
        let mut builder = IndexBuilder::new();
        builder.add(direct.clone());
        let mut bytes = Vec::new();
        builder.finish(b"", &mut bytes).unwrap();
        let index = Index::from_bytes(bytes).unwrap();
        index.verify().unwrap();
        prop_assert_eq!(index.image(0).unwrap(), direct);
    }
}

#[test]
fn a_view_hides_what_changed_and_what_is_gone() {
    let base = index(&[("a.rs", "fn a() {\n}\n"), ("b.rs", "fn b() {\n}\n"), ("c.rs", "fn c() {\n}\n")]);
    let over = index(&[("b.rs", "fn bb() {\n  more\n}\n"), ("d.rs", "fn d() {\n}\n")]);
    let view = View::new(base, Some(Overlay { index: over, removed: vec![path("c.rs"), path("logo.png")] })).unwrap();
    let texts: Vec<_> =
        view.files().unwrap().into_iter().map(|(index, file)| index.text(file).unwrap().to_owned()).collect();
    assert_eq!(texts, ["fn a() {\n}\n", "fn bb() {\n  more\n}\n", "fn d() {\n}\n"]);
    assert!(view.find(&path("c.rs")).unwrap().is_none());
    assert_eq!(view.skipped().unwrap().len(), 1, "the overlay still says that `logo.png` is skipped");
    let fresh = index(&[("a.rs", "fn a() {\n}\n"), ("b.rs", "fn bb() {\n  more\n}\n"), ("d.rs", "fn d() {\n}\n")]);
    assert_eq!(view.statistics(), View::new(fresh, None).unwrap().statistics());
}
