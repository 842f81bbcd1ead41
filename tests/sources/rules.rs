//! Ignore and attributes files, generated, and clean clones under them.

use std::fs;

use cce::source::commit::CommitSource;
use cce::source::directory::Directory;
use cce::source::{RepoPath, SkipReason, Source, Verdict};
use proptest::prelude::*;

use crate::sandbox::lab::{Lab, of_commit, of_work_tree, touch_all, write, zero_separated};

/// A name, pattern part or file body from a small alphabet, so that rules and paths meet.
fn path_strategy() -> impl Strategy<Value = String> {
    prop::collection::vec("[ab.]{1,3}", 1..4)
        .prop_map(|parts| parts.join("/"))
        .prop_filter("a path", |path| path.split('/').all(|part| part != "." && part != ".."))
}

fn pattern_strategy() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        4 => "[ab.]{1,2}".boxed(),
        2 => Just("*".to_owned()).boxed(),
        2 => Just("**".to_owned()).boxed(),
        3 => Just("/".to_owned()).boxed(),
        1 => Just("?".to_owned()).boxed(),
        1 => Just("[a-b]".to_owned()).boxed(),
        1 => Just("[!a]".to_owned()).boxed(),
        1 => Just("[".to_owned()).boxed(),
        1 => Just("\\".to_owned()).boxed(),
        1 => Just("[[:alpha:]]".to_owned()).boxed(),
    ];
    (prop::bool::weighted(0.25), prop::collection::vec(atom, 1..7))
        .prop_map(|(negative, atoms)| format!("{}{}", if negative { "!" } else { "" }, atoms.concat()))
}

fn ignore_file_strategy() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        Just(String::new()),
        Just("# a".to_owned()),
        Just("a ".to_owned()),
        Just("\t".to_owned()),
        Just("a\\ ".to_owned()),
        Just("b\r".to_owned())
    ];
    prop::collection::vec(prop_oneof![9 => pattern_strategy().boxed(), 1 => odd.boxed()], 1..5)
        .prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ignore_rules_are_gits(
        files in prop::collection::btree_map(prop_oneof![Just(""), Just("a"), Just("b/a")], ignore_file_strategy(), 1..3),
        paths in prop::collection::btree_set(path_strategy(), 20..40),
    ) {
        let lab = Lab::new();
        let (git, plain) = (lab.repository("git"), lab.path("plain"));
        fs::create_dir(&plain).unwrap();
        for (directory, text) in &files {
            write(&git, format!("{directory}/.gitignore").trim_start_matches('/'), text);
            write(&plain, format!("{directory}/.cceignore").trim_start_matches('/'), text);
        }
        // Names that are directories on disk cannot be asked about as files.
        let paths: Vec<&String> = paths.iter().filter(|path| !git.join(path).is_dir()).collect();
        let input: Vec<u8> = paths.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
        let (_, out, error) = lab.ask(&git, &["check-ignore", "--no-index", "-z", "--stdin"], &input);
        prop_assert_eq!(error, "");
        let oracle = zero_separated(&out);
        let source = Directory::open(&plain, None).unwrap();
        for path in paths {
            let verdict = source.judge(&RepoPath::parse(path.as_str()).unwrap()).unwrap();
            let ignored = matches!(verdict, Verdict::Skip { reason: SkipReason::IgnoredByCceignore, .. });
            prop_assert_eq!(ignored, oracle.contains(path.as_bytes()), "{} with {:?}", path, files);
        }
    }

    #[test]
    fn attributes_are_gits(
        files in prop::collection::btree_map(
            prop_oneof![Just(""), Just("a"), Just("b/a")],
            prop::collection::vec((pattern_strategy(), "( (-|!|)(m|n|k|linguist-generated|linguist-vendored)(=false|=x|)){1,3}"), 1..5),
            1..3,
        ),
        macros in prop::collection::vec("\\[attr\\](m|n|k)( (-|!|)(m|n|k|linguist-generated|linguist-vendored)){1,2}", 0..4),
        paths in prop::collection::btree_set(path_strategy(), 10..30),
    ) {
        let lab = Lab::new();
        let git = lab.repository("git");
        for (directory, lines) in &files {
            let lines: Vec<String> = lines.iter().map(|(pattern, attributes)| format!("{pattern}{attributes}")).collect();
            let text = [macros.join("\n"), lines.join("\n")].join("\n");
            write(&git, format!("{directory}/.gitattributes").trim_start_matches('/'), text);
        }
        lab.commit(&git);
        let input: Vec<u8> = paths.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
        let ask = ["check-attr", "--cached", "-z", "--stdin", "linguist-generated", "linguist-vendored"];
        let (success, out, error) = lab.ask(&git, &ask, &input);
        prop_assert!(success, "{}", error);
        let fields: Vec<&[u8]> = out.split(|&byte| byte == 0).collect();
        let on = |state: &[u8]| !matches!(state, b"unset" | b"unspecified" | b"false");
        let source = CommitSource::open(&git, "HEAD").unwrap();
        for answer in fields.chunks_exact(6) {
            let Verdict::Take(attributes) = source.judge(&RepoPath::parse(answer[0]).unwrap()).unwrap() else { panic!() };
            let context = format!("{} with {macros:?} {files:?}", String::from_utf8_lossy(answer[0]));
            prop_assert_eq!(attributes.generated, on(answer[2]), "generated: {}", &context);
            prop_assert_eq!(attributes.vendored, on(answer[5]), "vendored: {}", &context);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_clean_clone_is_its_commit(
        files in prop::collection::btree_map("[a-d\u{e4}]{1,2}(/[a-d .]{1,3}[a-d]){0,2}", ".{0,3}(\r\n|\n|\\$Id\\$|\\$Id: x \\$|\0|\u{e4}){0,4}", 1..8),
        attributes in prop::collection::vec("(\\*|a\\*|/b/\\*\\*|\\*d)( text| -text| text=auto| eol=crlf| eol=lf| ident| cce-ignore| filter=lfs| filter=gone| working-tree-encoding=UTF-16LE){1,2}", 0..4),
        ignores in prop::collection::vec(pattern_strategy(), 0..3),
        autocrlf in prop_oneof![Just("true"), Just("false"), Just("input")],
        touched: bool,
    ) {
        let lab = Lab::new();
        let root = lab.repository("r");
        let mut taken: Vec<&str> = Vec::new();
        for (path, body) in &files {
            let clashes = |other: &&str| other.starts_with(&format!("{path}/")) || path.starts_with(&format!("{other}/"));
            if !taken.iter().any(clashes) {
                taken.push(path);
                write(&root, path, body);
            }
        }
        lab.git(&root, &["add", "-A"]);
        for (path, lines) in [(".gitattributes", &attributes), (".cceignore", &ignores)] {
            let (_, id, _) = lab.ask(&root, &["hash-object", "-w", "--stdin"], lines.join("\n").as_bytes());
            let entry = format!("100644,{},{path}", String::from_utf8(id).unwrap().trim());
            lab.git(&root, &["update-index", "--add", "--cacheinfo", &entry]);
        }
        lab.git(&root, &["commit", "-q", "-m", "m"]);
        let clone = lab.path("clone");
        let setting = format!("core.autocrlf={autocrlf}");
        let arguments = ["clone", "-q", "-c", &setting, root.to_str().unwrap(), clone.to_str().unwrap()];
        prop_assert!(lab.ask(&root, &arguments, b"").0);
        if touched {
            touch_all(&clone);
        }
        let commit = of_commit(&root);
        prop_assert_eq!(of_commit(&clone), commit.clone());
        prop_assert_eq!(of_work_tree(&clone), commit);
    }
}
