//! Slips in commands and settings: one line, the nearest right word, the right exit code.
#![cfg(unix)]

mod sandbox;

use sandbox::{Sandbox, one_file_repository};

/// Runs a command that fails with one line, which holds all of `expected`.
#[track_caller]
fn check(sandbox: &Sandbox, arguments: &[&str], code: i32, expected: &[&str]) -> String {
    let error = sandbox.cce("r", arguments).fails(code);
    assert!(error.starts_with("error: ") && error.lines().count() == 1, "{error}");
    expected.iter().for_each(|part| assert!(error.contains(part), "`{part}` is not in: {error}"));
    error
}

#[test]
fn commands_with_a_slip() {
    let sandbox = one_file_repository();
    for (slip, nearest) in [("wy", "why"), ("searhc", "search"), ("idnex", "index"), ("packz", "packs")] {
        check(&sandbox, &[slip], 2, &[&format!("'{nearest}'")]);
    }
    for (slip, nearest) in [("pl", "pull"), ("ls", "list"), ("statsu", "status")] {
        check(&sandbox, &["sync", slip], 2, &[&format!("'{nearest}'")]);
    }
    let error = check(&sandbox, &["zzzzzzz"], 2, &["zzzzzzz", "`cce help` lists the commands"]);
    assert!(!error.contains("tip"), "{error}");
}

#[test]
fn filters_that_name_nothing() {
    let sandbox = one_file_repository();
    check(&sandbox, &["search", "x", "--kind", "fuction"], 2, &["no kind `fuction`", "did you mean `function`?"]);
    check(&sandbox, &["search", "x", "--lang", "pyhton"], 2, &["no language `pyhton`", "did you mean `python`?"]);
    for option in ["--kind", "--lang"] {
        let error = check(&sandbox, &["search", "x", option, ""], 2, &["there is no "]);
        assert!(!error.contains("did you mean"), "{error}");
    }
    assert_eq!(sandbox.cce("r", &["search", "main", "--kind", "Function"]).code, 0);
    assert_eq!(sandbox.cce("r", &["search", "main", "--kind", "text"]).code, 1);
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_the_work() {
    let sandbox = one_file_repository();
    // The commit that is named does not exist, and is not what fails.
    let export = |output| ["artifact", "export", "--commit", "nope", "-o", output];
    check(&sandbox, &export("no/where/x.cce3"), 3, &["cannot write `no/where/x.cce3`", "no directory `no/where`"]);
    check(&sandbox, &export("main.rs/x.cce3"), 3, &["no directory `main.rs`"]);
    check(&sandbox, &export("."), 3, &["cannot write `.`: it is a directory"]);
    let elsewhere = sandbox.cce(".", &["-C", "r", "artifact", "export", "-o", "no/x.cce3"]).fails(3);
    assert!(elsewhere.contains("cannot write `no/x.cce3`: there is no directory `no`"), "{elsewhere}");
    check(&sandbox, &export("x.cce3"), 2, &["`nope` names no commit"]);
}

#[test]
fn messages_are_bounded_whatever_they_quote() {
    let sandbox = one_file_repository();
    for long in ["x".repeat(5_000), "x y ".repeat(1_250), "x/".repeat(2_500)] {
        let long = long.as_str();
        for arguments in [
            &["why", long][..],
            &["why", "--at", long, "x"],
            &["-C", long, "index"],
            &["index", long],
            &[long],
            &["search", "x", "--lang", long],
            &["search", "x", "--kind", long],
            &["search", "x", "--at", long],
            &["search", "x", long, "--top-k", long],
            &["artifact", "export", "-o", long, "--commit", "nope"],
            &["artifact", "verify", long],
            &["artifact", "show", long],
            &["sync", "list", "--remote", long],
            &["sync", "pull", "--into", long, "--remote", long],
            &["completions", long],
        ] {
            let ran = sandbox.cce("r", arguments);
            assert_ne!(ran.code, 0, "{}", arguments[0]);
            assert!(ran.err.len() < 3_000, "{} bytes: {}", ran.err.len(), ran.err);
        }
    }
}

#[test]
fn settings_that_can_do_nothing_are_refused() {
    let sandbox = one_file_repository();
    for (settings, expected) in [
        ("[index]\nexclude = [\"[\"]", &["`index.exclude`", "holds `[`, which matches no path"][..]),
        ("[index]\nexclude = [\"gen/\", \"\"]", &["`index.exclude`", "holds ``"]),
        ("[languages]\n\"ts\" = \"typescript\"", &["`ts` in `languages`", "write `*.ts` for the extension"]),
        ("[languages]\n\"[\" = \"rust\"", &["`[` in `languages` matches no path"]),
        ("[languages]\n\"*.x\" = \"\"", &["`languages` gives `*.x` no language", "`cce packs`"]),
        ("[languages]\n\"*.x\" = \"rsut\"", &["`rsut`, which is not known; did you mean `rust`?"]),
        ("[languages]\n\"*.x\" = \"zzzzzz\"", &["`zzzzzz`, which is not known (`cce packs` lists the languages)"]),
        ("[index]\npacks = [\"\"]", &["`index.packs` names ``, which is not a pack (`cce packs` lists them)"]),
    ] {
        sandbox.write("r/cce.toml", settings);
        sandbox.git("r", &["add", "cce.toml"]);
        for command in [&["index"][..], &["why", "main.rs"], &["search", "main"]] {
            check(&sandbox, command, 2, expected);
        }
    }
}
