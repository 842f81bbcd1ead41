//! Artifacts travel through real git repositories.

#![allow(clippy::disallowed_methods, reason = "a test stands outside the program")]

mod stage;

use std::collections::BTreeSet;
use std::thread;

use cce::config::RepoId;
use cce::snapshot::{Snapshot, Verifier};
use cce::sync::{
    Failure, Place, PointerState, Publication, PullOptions, Pulled, PushOptions, PushReport, Relation, Stay, SyncError,
    Wanted, list, pull, push, status,
};
use stage::{REPO, Stage, alone, git, snapshot, snapshot_of};

/// Declares tests that each run in a process of their own.
macro_rules! alone {
    ($($(#[$meta:meta])* fn $name:ident() $body:block)+) => {
        $($(#[$meta])* #[test] fn $name() { alone(stringify!($name), &[], || $body) })+
    };
}

fn publish(place: &Place, snapshot: &Snapshot) -> PushReport {
    push(place, &PushOptions::new(snapshot, 1_700_000_000)).unwrap()
}

fn forced(place: &Place, snapshot: &Snapshot) -> PushReport {
    push(place, &PushOptions { force: true, ..PushOptions::new(snapshot, 1_700_000_000) }).unwrap()
}

fn latest() -> PullOptions {
    PullOptions { repo_id: None, wanted: Wanted::Latest { branch: None }, exact: false }
}

fn at(rev: &str) -> PullOptions {
    PullOptions { wanted: Wanted::Commit(rev.to_owned()), ..latest() }
}

/// Verifies what was pulled and gives it back as a snapshot's parts.
fn verified(pulled: &Pulled) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut verifier = Verifier::new(pulled.artifact.manifest_line()).unwrap();
    let mut lines = Vec::new();
    for record in pulled.artifact.records().unwrap() {
        let (path, line) = record.unwrap();
        verifier.record(Some(&path), &line).unwrap();
        lines.push(line);
    }
    (verifier.finish().unwrap().line(), lines)
}

fn parts(snapshot: &Snapshot) -> (Vec<u8>, Vec<Vec<u8>>) {
    (snapshot.manifest.line(), snapshot.records.iter().map(|entry| entry.line.clone()).collect())
}

/// Names that hosts look into or refuse, and texts that would be taken for more than text.
fn awkward() -> Vec<(&'static str, &'static str)> {
    vec![
        (".gitattributes", "* filter=lfs\n"),
        (".gitmodules", "[submodule \"x\"]\n\tpath = -x\n\turl = --upload-pack=x\n"),
        ("git~1/config", "x"),
        (".GIT /hooks/post-checkout", "x"),
        (".git\u{200c}/config", "x"),
        ("a/.gitmodules", "[submodule]"),
        ("src/lib.rs", "fn main() {}\n"),
        ("src.rs", "x"),
        ("src/a/b/c/d.rs", "deep"),
        ("CON", "x"),
        ("-option", "x"),
    ]
}

alone! {
    /// What is pulled is, to the byte, what was pushed, under checking at both ends.
    fn what_arrives_is_what_was_sent() {
        let stage = Stage::new();
        let sha = stage.commit("one");
        let mut files = awkward();
        let long = "x".repeat(4096);
        files[0].1 = Box::leak(format!("{long} text\n").into_boxed_str());
        let sent = snapshot(&sha, 1, &files);
        let report = publish(&stage.place("a"), &sent);
        assert_eq!(report.publication, Publication::Created);
        assert_eq!((&report.pointer, &report.default), (&PointerState::Created, &PointerState::Created));
        assert!(report.objects > 10 && report.bytes > 100, "{report:?}");
        let names: Vec<String> = stage.refs().into_keys().collect();
        let repo = "example.com%2Facme%2Fbilling";
        assert_eq!(names, [format!("{repo}/commits/{sha}"), format!("{repo}/default"), format!("{repo}/heads/main")]);
        git(&stage.path("cache.git"), &["fsck", "--strict", "--full"]);

        let pulled = pull(&stage.place("b"), &latest()).unwrap();
        assert_eq!(verified(&pulled), parts(&sent));
        assert_eq!((pulled.repo_id.as_str(), pulled.sha.as_str()), (REPO, sha.as_str()));
        assert!(pulled.notices[0].contains(REPO));
        // A second pull needs no objects, and a person without the source gets the same.
        let place = Place { source: None, ..stage.place("b") };
        assert_eq!(verified(&pull(&place, &latest()).unwrap()), parts(&sent));
    }

    fn an_empty_snapshot_travels_too() {
        let stage = Stage::new();
        let sent = snapshot(&stage.commit("one"), 1, &[]);
        publish(&stage.place("a"), &sent);
        assert_eq!(verified(&pull(&stage.place("b"), &latest()).unwrap()), parts(&sent));
    }

    /// Unchanged files are the same blobs: another publication costs what changed, from
    /// the machine that made the last one as from a fresh one.
    fn a_small_change_costs_little() {
        let stage = Stage::new();
        let text = |n: usize| (0..400).map(|line| format!("{}\n", n * 7919 + line * 104_729)).collect::<String>();
        let texts: Vec<(String, String)> = (0..60).map(|n| (format!("src/m{}/f{n}.rs", n % 7), text(n))).collect();
        stage.commit("zero");
        stage.push_source();
        let mut files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let first = publish(&stage.place("a"), &snapshot(&stage.commit("one"), 1, &files));
        files[3].1 = "changed";
        let second = publish(&stage.place("a"), &snapshot(&stage.commit("two"), 1, &files));
        files[9].1 = "changed as well";
        let sent = snapshot(&stage.commit("three"), 1, &files);
        let third = publish(&stage.place("fresh"), &sent);
        assert!(first.bytes > 40_000, "{first:?}");
        for report in [&second, &third] {
            assert!(report.bytes < first.bytes / 10 && report.objects <= 7, "{report:?} after {first:?}");
            assert_eq!(report.notices, Vec::<String>::new());
        }
        let blobs = |sha: &str| -> BTreeSet<String> {
            let name = format!("refs/cce/hash/3.0/example.com%2Facme%2Fbilling/commits/{sha}:files");
            git(&stage.path("cache.git"), &["ls-tree", "-r", &name]).lines().map(str::to_owned).collect()
        };
        let shas: Vec<String> = stage.refs().into_keys().filter_map(|name| Some(name.split_once("commits/")?.1.to_owned())).collect();
        assert_eq!(shas.len(), 3);
        assert!(blobs(&shas[0]).intersection(&blobs(&shas[1])).count() >= 58);
        assert_eq!(verified(&pull(&stage.place("c"), &latest()).unwrap()), parts(&sent));
        let log = git(&stage.path("cache.git"), &["log", "--format=%(trailers:key=Chain,valueonly,separator=)", &third.artifact]);
        assert_eq!(log, "3\n2\n1");
    }

    /// Without filters on the server everything still works; it only costs more.
    fn servers_without_filters_serve_too() {
        let stage = Stage::new();
        git(&stage.path("cache.git"), &["config", "uploadpack.allowFilter", "false"]);
        let one = snapshot(&stage.commit("one"), 1, &[("a", "1"), ("b", "2")]);
        publish(&stage.place("a"), &one);
        let two = snapshot(&stage.commit("two"), 1, &[("a", "1"), ("b", "3")]);
        let report = publish(&stage.place("b"), &two);
        assert!(matches!(report.pointer, PointerState::Moved { .. }), "{report:?}");
        assert_eq!(publish(&stage.place("c"), &two).publication, Publication::Already);
        let published = list(&stage.place("d"), None).unwrap();
        assert!(!published.detailed && published.entries.len() == 2 && published.entries[0].details.is_none());
        assert_eq!(published.entries[0].repo_id.as_ref().unwrap().as_str(), REPO);
        assert_eq!(verified(&pull(&stage.place("e"), &latest()).unwrap()), parts(&two));
    }

    fn the_same_again_changes_nothing() {
        let stage = Stage::new();
        let sent = snapshot(&stage.commit("one"), 1, &[("a", "1")]);
        publish(&stage.place("a"), &sent);
        let before = stage.refs();
        let report = publish(&stage.place("fresh"), &sent);
        assert_eq!((report.publication, report.pointer), (Publication::Already, PointerState::Current));
        assert_eq!((report.objects, stage.refs()), (0, before));
    }

    fn other_contents_for_a_commit_are_refused() {
        let stage = Stage::new();
        let sha = stage.commit("one");
        let (ours, theirs) = (snapshot(&sha, 1, &[("a", "1")]), snapshot(&sha, 1, &[("a", "2")]));
        publish(&stage.place("a"), &theirs);
        for place in ["a", "b"] {
            let error = push(&stage.place(place), &PushOptions::new(&ours, 0)).unwrap_err();
            assert_eq!(error.kind(), Failure::Data);
            let message = error.to_string();
            assert!(message.contains(&ours.manifest.checksum) && message.contains(&theirs.manifest.checksum), "{message}");
        }
        assert_eq!(verified(&pull(&stage.place("c"), &latest()).unwrap()), parts(&theirs));
    }

    /// A later extractor replaces an earlier one's artifact and takes the pointers along;
    /// the earlier one cannot come back.
    fn a_later_extractor_replaces() {
        let stage = Stage::new();
        let sha = stage.commit("one");
        let (old, new) = (snapshot(&sha, 1, &[("a", "1")]), snapshot(&sha, 2, &[("a", "1")]));
        publish(&stage.place("a"), &old);
        let report = publish(&stage.place("b"), &new);
        assert_eq!(report.publication, Publication::Replaced { revision: 1 });
        assert_eq!((&report.pointer, &report.default), (&PointerState::Current, &PointerState::Current));
        assert_eq!(stage.refs().values().collect::<BTreeSet<_>>().len(), 1);
        assert!(matches!(push(&stage.place("c"), &PushOptions::new(&old, 0)), Err(SyncError::Conflict { .. })));
        assert_eq!(verified(&pull(&stage.place("d"), &latest()).unwrap()), parts(&new));
    }

    fn a_pointer_goes_forward_only() {
        let stage = Stage::new();
        let one = stage.commit("one");
        let two = stage.commit("two");
        let three = stage.commit("three");
        stage.push_source();
        publish(&stage.place("a"), &snapshot(&two, 1, &[("a", "2")]));
        let late = publish(&stage.place("b"), &snapshot(&one, 1, &[("a", "1")]));
        assert_eq!(late.publication, Publication::Created);
        assert_eq!(late.pointer, PointerState::Stays(Stay::NotForward { names: two.clone() }));
        assert!(late.notices.iter().any(|notice| notice.contains("--force")), "{:?}", late.notices);
        assert_eq!(stage.pointed("heads/main"), two);
        let next = publish(&stage.place("b"), &snapshot(&three, 1, &[("a", "3")]));
        assert_eq!(next.pointer, PointerState::Moved { from: two.clone() });
        assert_eq!(next.default, PointerState::Moved { from: two });
        let back = forced(&stage.place("b"), &snapshot(&one, 1, &[("a", "1")]));
        assert_eq!((back.publication, back.pointer), (Publication::Already, PointerState::Moved { from: three }));
        assert_eq!(stage.pointed("heads/main"), one);
    }

    /// A branch that was rewritten moves on, because its tip is what the source remote says.
    fn the_tip_of_a_rewritten_branch_moves_the_pointer() {
        let stage = Stage::new();
        stage.commit("one");
        let two = stage.commit("two");
        stage.push_source();
        publish(&stage.place("a"), &snapshot(&two, 1, &[("a", "2")]));
        git(&stage.source(), &["reset", "-q", "--hard", "HEAD~1"]);
        let other = stage.commit("other");
        let sent = snapshot(&other, 1, &[("a", "3")]);
        let early = publish(&stage.place("a"), &sent);
        assert_eq!(early.pointer, PointerState::Stays(Stay::NotForward { names: two.clone() }));
        git(&stage.source(), &["push", "-q", "--force", "origin", "main"]);
        let report = publish(&stage.place("a"), &sent);
        assert_eq!((report.publication, report.pointer), (Publication::Already, PointerState::Moved { from: two }));
    }

    /// `default` follows the branch that the source remote's head names, and no other.
    fn default_follows_the_default_branch() {
        let stage = Stage::new();
        let one = stage.commit("one");
        stage.push_source();
        git(&stage.source(), &["checkout", "-q", "-b", "feature/X"]);
        let two = stage.commit("two");
        let report = publish(&stage.place("a"), &snapshot(&two, 1, &[("a", "2")]));
        assert_eq!((&report.pointer, &report.default), (&PointerState::Created, &PointerState::NotAsked));
        assert!(stage.refs().contains_key("example.com%2Facme%2Fbilling/heads/feature%2F%58"));
        git(&stage.source(), &["checkout", "-q", "main"]);
        let report = publish(&stage.place("a"), &snapshot(&one, 1, &[("a", "1")]));
        assert_eq!((&report.pointer, &report.default), (&PointerState::Created, &PointerState::Created));
        assert_eq!((stage.pointed("default"), stage.pointed("heads/feature%2F%58")), (one, two));
    }

    fn an_unknown_default_is_created_once() {
        let stage = Stage::new();
        git(&stage.source(), &["remote", "remove", "origin"]);
        let one = stage.commit("one");
        assert_eq!(publish(&stage.place("a"), &snapshot(&one, 1, &[])).default, PointerState::Created);
        let two = snapshot(&stage.commit("two"), 1, &[]);
        let report = publish(&stage.place("a"), &two);
        assert_eq!(report.pointer, PointerState::Moved { from: one.clone() });
        assert_eq!(report.default, PointerState::Stays(Stay::UnknownDefault { names: one.clone() }));
        assert!(report.notices.iter().any(|notice| notice.contains("origin")), "{:?}", report.notices);
        assert_eq!(forced(&stage.place("a"), &two).default, PointerState::Moved { from: one });
    }

    /// Only the artifact is published when no branch is known, or the commit is not on it.
    fn a_commit_without_a_branch_moves_nothing() {
        let stage = Stage::new();
        let one = stage.commit("one");
        git(&stage.source(), &["checkout", "-q", "-b", "side"]);
        let side = stage.commit("side");
        git(&stage.source(), &["checkout", "-q", "main"]);
        let report = publish(&stage.place("a"), &snapshot(&side, 1, &[]));
        assert_eq!((report.branch, report.pointer), (None, PointerState::NotAsked));
        assert!(report.notices[0].contains("--branch"), "{:?}", report.notices);
        git(&stage.source(), &["checkout", "-q", "--detach"]);
        assert_eq!(publish(&stage.place("a"), &snapshot(&one, 1, &[])).pointer, PointerState::NotAsked);
        assert_eq!(stage.refs().len(), 2);
        let named = snapshot(&one, 1, &[]);
        let options = PushOptions { branch: Some("refs/heads/main".into()), ..PushOptions::new(&named, 0) };
        assert_eq!(push(&stage.place("a"), &options).unwrap().pointer, PointerState::Created);
        let bad = PushOptions { branch: Some("a\u{202e}b".into()), ..PushOptions::new(&named, 0) };
        assert_eq!(push(&stage.place("a"), &bad).unwrap_err().kind(), Failure::Usage);
    }

    /// A shallow checkout asks the source remote for commits alone; where it may not, the
    /// pointer stays and the artifact is published all the same.
    fn a_shallow_checkout_knows_its_ancestors() {
        let stage = Stage::new();
        let one = stage.commit("one");
        for message in ["two", "three", "four"] {
            stage.commit(message);
        }
        stage.push_source();
        publish(&stage.place("a"), &snapshot(&one, 1, &[("a", "1")]));
        let origin = format!("file://{}", stage.path("origin.git").display());
        git(&stage.path("."), &["clone", "-q", "--depth=1", &origin, "shallow"]);
        let shallow = |machine: &str| Place { source: Some(stage.path("shallow")), ..stage.place(machine) };
        // Not the tip any more, so only ancestry can decide.
        let four = git(&stage.path("shallow"), &["rev-parse", "HEAD"]);
        stage.commit("five");
        stage.push_source();
        let sent = snapshot(&four, 1, &[("a", "4")]);
        git(&stage.path("origin.git"), &["config", "uploadpack.allowFilter", "false"]);
        let report = publish(&shallow("b"), &sent);
        assert_eq!(report.pointer, PointerState::Stays(Stay::Undecidable { names: one.clone() }), "{report:?}");
        git(&stage.path("origin.git"), &["config", "uploadpack.allowFilter", "true"]);
        let report = publish(&shallow("b"), &sent);
        assert_eq!(report.pointer, PointerState::Moved { from: one }, "{report:?}");
    }

    /// Six machines publish six commits at once: all are there, and the pointer is right.
    fn six_publishers_lose_nothing() {
        let stage = Stage::new();
        let shas: Vec<String> = (0..6).map(|n| stage.commit(&format!("c{n}"))).collect();
        stage.push_source();
        for shared in [false, true] {
            let text = format!("{shared}");
            thread::scope(|scope| {
                for (n, sha) in shas.iter().enumerate() {
                    let machine = if shared { "shared".to_owned() } else { format!("m{n}") };
                    let (stage, text) = (&stage, &text);
                    let repo = format!("example.com/race/{shared}");
                    scope.spawn(move || {
                        let sent = snapshot_of(&repo, sha, 1, &[("a", text), ("b", sha)]);
                        let report = publish(&stage.place(&machine), &sent);
                        assert_eq!(report.publication, Publication::Created, "{report:?}");
                    });
                }
            });
            let refs = stage.refs();
            let of = |key: &str| refs.get(&format!("example.com%2Frace%2F{shared}/{key}"));
            for sha in &shas {
                assert!(of(&format!("commits/{sha}")).is_some(), "{sha} of {refs:?}");
            }
            assert_eq!(of("heads/main"), of(&format!("commits/{}", shas[5])));
            assert_eq!(of("default"), of("heads/main"));
        }
        git(&stage.path("cache.git"), &["fsck", "--strict", "--full"]);
    }

    fn chains_are_cut() {
        let stage = Stage::new();
        let chain = |id: &str| git(&stage.path("cache.git"), &["log", "-1", "--format=%(trailers:key=Chain,valueonly,separator=)", id]);
        let place = Place { source: None, ..stage.place("a") };
        let artifact = |n: i64| {
            let text = n.to_string();
            let sent = snapshot(&format!("{n:040x}"), 1, &[("a", &text), ("same", "same")]);
            let options = PushOptions { branch: Some("main".into()), force: true, ..PushOptions::new(&sent, n) };
            push(&place, &options).unwrap().artifact
        };
        // A chain of 63 that was not made one by one.
        let first = artifact(0);
        let raw = git(&stage.path("cache.git"), &["cat-file", "commit", &first]) + "\n";
        let raw = raw.replace("Chain: 1", "Chain: 63").replace("\nauthor", &format!("\nparent {first}\nauthor"));
        let id = run_with_input(&stage.path("cache.git"), &["hash-object", "-t", "commit", "-w", "--stdin"], &raw);
        let pointer = "refs/cce/hash/3.0/example.com%2Facme%2Fbilling/heads/main";
        git(&stage.path("cache.git"), &["update-ref", pointer, &id]);
        let artifacts: Vec<String> = (1..4).map(artifact).collect();
        let chains: Vec<String> = artifacts.iter().map(|id| chain(id)).collect();
        assert_eq!(chains, ["64", "1", "2"]);
        assert_eq!(git(&stage.path("cache.git"), &["rev-list", "--count", &artifacts[2]]), "2");
    }

    /// The base that a push builds on is withdrawn and collected while the push runs:
    /// the artifact is published as a root. Over both protocols.
    #[cfg(unix)]
    fn a_base_that_vanishes_is_survived() {
        use std::os::unix::fs::PermissionsExt;
        for variant in ["ssh", "simple"] {
            let stage = Stage::new();
            let remote = stage.path("cache.git");
            let first = snapshot(&stage.commit("one"), 1, &[("a", &"line\n".repeat(500)), ("same", "same")]);
            publish(&stage.place("a"), &first);
            let ssh = stage.path("ssh");
            let (armed, path) = (stage.path("armed"), remote.display());
            let script = format!(
                "#!/bin/sh\nfor command; do :; done\ncase $command in *receive-pack*)\nif [ -e '{armed}' ]; then rm '{armed}'\n\
                 git -C '{path}' for-each-ref --format='delete %(refname)' | git -C '{path}' update-ref --stdin\n\
                 git -C '{path}' -c gc.auto=0 gc -q --prune=now\nfi;;\nesac\nexec sh -c \"$command\"\n",
                armed = armed.display()
            );
            std::fs::write(&ssh, script).unwrap();
            std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
            std::fs::write(&armed, "").unwrap();
            git(&stage.source(), &["config", "core.sshCommand", ssh.to_str().unwrap()]);
            git(&stage.source(), &["config", "ssh.variant", variant]);
            let place = Place { remote: format!("ssh://here.invalid{path}"), ..stage.place("fresh") };
            let sent = snapshot(&stage.commit("two"), 1, &[("a", &"line\n".repeat(501)), ("same", "same")]);
            let report = publish(&place, &sent);
            assert!(!armed.exists(), "the base was never withdrawn");
            assert_eq!(report.publication, Publication::Created);
            assert!(report.notices.iter().any(|notice| notice.contains("without its base")), "{:?}", report.notices);
            assert_eq!(verified(&pull(&stage.place("b"), &latest()).unwrap()), parts(&sent));
            git(&remote, &["fsck", "--strict", "--full"]);
        }
    }

    fn listing_tells_what_is_there() {
        let stage = Stage::new();
        let one = stage.commit("one");
        let two = stage.commit("two");
        stage.push_source();
        publish(&stage.place("a"), &snapshot(&one, 1, &[("a", "1")]));
        let sent = snapshot(&two, 1, &[("a", "2")]);
        push(&stage.place("a"), &PushOptions { signature: Some("sig\nnature".into()), ..PushOptions::new(&sent, 1_700_000_100) }).unwrap();
        publish(&stage.place("a"), &snapshot_of("example.com/other", &one, 1, &[]));
        let published = list(&stage.place("b"), Some(&RepoId::parse(REPO).unwrap())).unwrap();
        assert!(published.detailed);
        let shas: Vec<&str> = published.entries.iter().map(|entry| entry.sha.as_str()).collect();
        assert_eq!(shas, [two.as_str(), one.as_str()]);
        let newest = published.entries[0].details.as_ref().unwrap();
        assert_eq!((newest.checksum.as_str(), newest.time, newest.chain), (sent.manifest.checksum.as_str(), 1_700_000_100, 2));
        assert!(newest.signed && newest.branch.as_deref() == Some("main"));
        assert_eq!(published.entries[0].pointers.len(), 2);
        assert_eq!(published.entries[1].pointers.len(), 0);
        let all = list(&stage.place("b"), None).unwrap();
        assert_eq!(all.repositories().into_iter().collect::<Vec<_>>(), [REPO, "example.com/other"]);
        // Listing again asks for no object.
        assert_eq!(list(&stage.place("b"), None).unwrap(), all);
    }

    fn pulling_says_what_it_cannot_choose() {
        let stage = Stage::new();
        let one = stage.commit("one");
        let error = pull(&stage.place("a"), &latest()).unwrap_err();
        assert_eq!(error.kind(), Failure::Data);
        publish(&stage.place("a"), &snapshot(&one, 1, &[]));
        let other = PullOptions { repo_id: Some(RepoId::parse("example.com/no").unwrap()), ..latest() };
        let error = pull(&stage.place("a"), &other).unwrap_err();
        assert!(error.kind() == Failure::Data && error.to_string().contains(REPO), "{error}");
        let branch = PullOptions { wanted: Wanted::Latest { branch: Some("no".into()) }, ..latest() };
        let error = pull(&stage.place("a"), &branch).unwrap_err();
        assert!(error.to_string().contains("main"), "{error}");
        publish(&stage.place("a"), &snapshot_of("example.com/two", &one, 1, &[]));
        let error = pull(&stage.place("a"), &latest()).unwrap_err();
        assert!(error.kind() == Failure::Usage && error.to_string().contains("example.com/two"), "{error}");
        let error = pull(&stage.place("a"), &PullOptions { repo_id: Some(RepoId::parse(REPO).unwrap()), ..at("0123456789") }).unwrap_err();
        assert!(error.kind() == Failure::Data && error.to_string().contains(&one[..12]), "{error}");
    }

    /// A commit that is not published is stood in for by its nearest published ancestor.
    fn the_nearest_ancestor_stands_in() {
        let stage = Stage::new();
        let one = stage.commit("one");
        let two = stage.commit("two");
        stage.commit("three");
        let four = stage.commit("four");
        let sent = snapshot(&two, 1, &[("a", "2")]);
        publish(&stage.place("a"), &snapshot(&one, 1, &[("a", "1")]));
        publish(&stage.place("a"), &sent);
        let pulled = pull(&stage.place("b"), &at("HEAD")).unwrap();
        assert_eq!(verified(&pulled), parts(&sent));
        let nearest = pulled.nearest.unwrap();
        assert_eq!((nearest.wanted, nearest.beyond), (four, 2));
        let error = pull(&stage.place("b"), &PullOptions { exact: true, ..at("HEAD") }).unwrap_err();
        assert!(error.to_string().contains(&two), "{error}");
        assert_eq!(pull(&stage.place("b"), &at(&one[..9])).unwrap().sha, one);
        let repo = RepoId::parse(REPO).unwrap();
        let seen = status(&stage.place("b"), &repo).unwrap();
        assert_eq!((seen.published, seen.nearest, seen.artifacts), (false, Some((two.clone(), 2)), 2));
        assert_eq!(seen.branch.unwrap().relation, Relation::Ahead(2));
        git(&stage.source(), &["reset", "-q", "--hard", &one]);
        let seen = status(&stage.place("b"), &repo).unwrap();
        assert!(seen.published && seen.branch.unwrap().relation == Relation::Behind(1));
        git(&stage.source(), &["reset", "-q", "--hard", &two]);
        assert_eq!(status(&stage.place("b"), &repo).unwrap().branch.unwrap().relation, Relation::Same);
    }

    /// Whatever a remote puts under our names, it is refused and named.
    fn hostile_artifacts_are_refused() {
        let stage = Stage::new();
        let sha = stage.commit("one");
        let sent = snapshot(&sha, 1, &[("a/b", "1"), ("c", "2")]);
        publish(&stage.place("a"), &sent);
        let remote = stage.path("cache.git");
        let name = format!("refs/cce/hash/3.0/example.com%2Facme%2Fbilling/commits/{sha}");
        let tree = git(&remote, &["rev-parse", &format!("{name}^{{tree}}")]);
        let files = git(&remote, &["rev-parse", &format!("{name}:files")]);
        let message = git(&remote, &["log", "-1", "--format=%B", &name]) + "\n";
        let blob = git(&remote, &["rev-parse", &format!("{name}:files/_c")]);
        let manifest = git(&remote, &["rev-parse", &format!("{name}:manifest.json")]);
        let mktree = |entries: &str| run_with_input(&remote, &["mktree", "--missing"], entries);
        let forge = |tree: &str, message: &str, n: usize| {
            let person = "cce <cce@localhost> 1700000000 +0000";
            let raw = format!("tree {tree}\nauthor {person}\ncommitter {person}\n\n{message}");
            let id = run_with_input(&remote, &["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], &raw);
            git(&remote, &["update-ref", &name, &id]);
            let place = stage.place(&format!("victim{n}"));
            pull(&place, &PullOptions { repo_id: Some(RepoId::parse(REPO).unwrap()), ..at(&sha) }).map(|pulled| {
                let mut verifier = Verifier::new(pulled.artifact.manifest_line()).map_err(|error| error.to_string())?;
                for record in pulled.artifact.records().map_err(|error| error.to_string())? {
                    let (path, line) = record.map_err(|error| error.to_string())?;
                    verifier.record(Some(&path), &line).map_err(|error| error.to_string())?;
                }
                verifier.finish().map(|_| ()).map_err(|error| error.to_string())
            })
        };
        assert_eq!(forge(&tree, &message, 0).unwrap(), Ok(()));
        let root = |files: &str| mktree(&format!("040000 tree {files}\tfiles\n100644 blob {manifest}\tmanifest.json\n"));
        let empty = mktree("");
        let trees = [
            root(&mktree(&format!("120000 blob {blob}\t_a\n100644 blob {blob}\t_c\n"))),
            root(&mktree(&format!("100755 blob {blob}\t_c\n"))),
            root(&mktree(&format!("100644 blob {blob}\tc\n"))),
            root(&mktree(&format!("100644 blob {blob}\t_\n"))),
            root(&mktree(&format!("100644 blob {blob}\t_..\n"))),
            root(&mktree(&format!("040000 tree {empty}\t_x\n"))),
            root(&mktree(&format!("100644 blob {blob}\t_b\n100644 blob {blob}\t_c\n"))),
            root(&mktree(&format!("100644 blob {blob}\t_c\n"))),
            mktree(&format!("100644 blob {blob}\textra\n040000 tree {files}\tfiles\n100644 blob {manifest}\tmanifest.json\n")),
            mktree(&format!("040000 tree {files}\tfiles\n")),
            mktree(&format!("040000 tree {files}\tfiles\n100644 blob {blob}\tmanifest.json\n")),
        ];
        for (n, tree) in trees.iter().enumerate() {
            let outcome = forge(tree, &message, n + 1);
            assert!(!matches!(outcome, Ok(Ok(()))), "tree {n} is accepted");
        }
        for (n, (from, to)) in
            [("Chain: 1", "Chain: 99"), (REPO, "example.com/else"), (sha.as_str(), &"1".repeat(40)), ("Extractor: 1", "Extractor: 2")]
                .into_iter()
                .enumerate()
        {
            assert!(forge(&tree, &message.replace(from, to), 20 + n).is_err(), "{from} as {to}");
        }
        let published = list(&stage.place("z"), None).unwrap();
        assert_eq!(published.entries.len(), 1, "what the last forgery left is still listed");
    }

    /// A tree that doubles at each of 60 levels is refused without walking it.
    fn a_tree_bomb_is_refused() {
        let stage = Stage::new();
        let sha = stage.commit("one");
        let sent = snapshot(&sha, 1, &[("c", "2")]);
        publish(&stage.place("a"), &sent);
        let remote = stage.path("cache.git");
        let name = format!("refs/cce/hash/3.0/example.com%2Facme%2Fbilling/commits/{sha}");
        let blob = git(&remote, &["rev-parse", &format!("{name}:files/_c")]);
        let manifest = git(&remote, &["rev-parse", &format!("{name}:manifest.json")]);
        let mut tree = run_with_input(&remote, &["mktree"], &format!("100644 blob {blob}\t_c\n"));
        for _ in 0..60 {
            tree = run_with_input(&remote, &["mktree"], &format!("040000 tree {tree}\t_a\n040000 tree {tree}\t_b\n"));
        }
        let root = run_with_input(&remote, &["mktree"], &format!("040000 tree {tree}\tfiles\n100644 blob {manifest}\tmanifest.json\n"));
        let raw = git(&remote, &["cat-file", "commit", &name]).replace(&git(&remote, &["rev-parse", &format!("{name}^{{tree}}")]), &root) + "\n";
        let id = run_with_input(&remote, &["hash-object", "-t", "commit", "-w", "--stdin"], &raw);
        git(&remote, &["update-ref", &name, &id]);
        git(&remote, &["update-ref", "refs/cce/hash/3.0/example.com%2Facme%2Fbilling/heads/main", &id]);
        let pulled = pull(&stage.place("b"), &at(&sha)).unwrap();
        assert!(pulled.artifact.records().unwrap().any(|record| record.is_err()));
        // It may be anybody's base: publishing on it neither hangs nor fails.
        let next = snapshot(&stage.commit("two"), 1, &[("c", "2")]);
        assert_eq!(publish(&stage.place("c"), &next).publication, Publication::Created);
    }
}

fn run_with_input(directory: &std::path::Path, arguments: &[&str], input: &str) -> String {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}
