//! The walls of the program: which room may use which.
#![allow(clippy::disallowed_methods, clippy::print_stderr)] // tests start programs and say what they skip

use std::fs;
use std::path::{Path, PathBuf};

/// A room may use the rooms before it in this list, and none after it.
const ROOMS: [&str; 18] = [
    "config",
    "git",
    "source",
    "language",
    "record",
    "snapshot",
    "store",
    "graph",
    "search",
    "budget",
    "cache",
    "workspace",
    "interop",
    "sync",
    "knowledge",
    "observe",
    "agent",
    "cli",
];

/// Arrows that point the other way, with the reason.
const EXCEPTIONS: [(&str, &str, &str); 0] = [];

fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn room_of(path: &Path) -> Option<String> {
    let inside = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    (inside.components().count() > 1).then(|| inside.iter().next().unwrap().to_str().unwrap().to_owned())
}

/// Rooms named after `crate::` on a line of code (grouped imports included).
fn rooms_used(line: &str) -> Vec<&'static str> {
    let code = line.split("//").next().unwrap_or_default();
    let named = |after: &str| {
        let word: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        ROOMS.into_iter().find(|room| *room == word)
    };
    code.match_indices("crate::").filter_map(|(at, found)| named(&code[at + found.len()..])).collect()
}

#[test]
fn no_arrow_points_the_wrong_way() {
    let place = |room: &str| ROOMS.iter().position(|known| *known == room);
    let mut wrong = Vec::new();
    for path in sources() {
        let Some(room) = room_of(&path) else { continue };
        let at = place(&room).unwrap_or_else(|| panic!("`{room}` is not on the list of rooms"));
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            for used in rooms_used(line) {
                let excepted = EXCEPTIONS.iter().any(|(from, to, _)| *from == room && *to == used);
                if place(used) > Some(at) && !excepted {
                    wrong.push(format!("{}:{}: {room} uses {used}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_room_says_what_it_is_for() {
    for path in sources().iter().filter(|path| path.ends_with("mod.rs")) {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.starts_with("//! "), "{} does not begin by saying what it is for", path.display());
    }
}

#[test]
fn the_project_speaks_of_itself_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = assert_cmd::Command::new("git").args(["ls-files", "-z"]).current_dir(root).output().unwrap();
    if !listed.status.success() {
        eprintln!("skipped: this is not a git checkout");
        return;
    }
    let machine_path = ["/", "work", "/"].concat();
    for name in listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let name = std::str::from_utf8(name).unwrap();
        let Ok(text) = fs::read_to_string(root.join(name)) else { continue };
        assert!(!text.contains(&machine_path), "{name} names a path of a machine");
    }
}
