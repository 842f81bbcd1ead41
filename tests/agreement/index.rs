//! What an index says, against what its source says.

use std::collections::BTreeMap;
use std::path::Path;

use cce::search::{Request, search};
use cce::source::commit::CommitSource;
use cce::source::{Content, RepoPath, SkipReason, WorkTree};
use cce::store::{Refresh, Store, View};

use crate::sandbox::lab::Everything;

/// The text of each file that is in, and the reason of each that is out.
pub type Answers = (BTreeMap<RepoPath, String>, BTreeMap<RepoPath, SkipReason>);

pub fn answers(everything: &Everything) -> Answers {
    let mut answers = (BTreeMap::new(), BTreeMap::new());
    answers.1.extend(everything.0.skipped.iter().map(|file| (file.skipped.path.clone(), file.skipped.reason)));
    for (path, content) in &everything.1 {
        match content {
            Content::Text(decoded) => answers.0.insert(path.clone(), decoded.text.clone()).is_some(),
            Content::Skip(reason) => answers.1.insert(path.clone(), *reason).is_some(),
        };
    }
    answers
}

/// The index after it was brought up to what the work tree holds now.
pub fn refreshed(store: &Store, root: &Path) -> View {
    let refresh = Refresh {
        now: &WorkTree::open(root, Some(&store.stat_cache().unwrap())).unwrap(),
        open_commit: &|sha| Ok(Box::new(CommitSource::open(root, sha)?)),
        origin_id: None,
        rebuild: false,
        progress: &|_, _| {},
    };
    refresh.run(store).unwrap().1
}

/// What an index holds.
pub fn held(view: &View) -> Answers {
    let files = view.files().unwrap();
    let skipped = view.skipped().unwrap();
    (
        files.iter().map(|(index, file)| (index.path(*file).unwrap(), index.text(*file).unwrap().to_owned())).collect(),
        skipped.iter().map(|entry| (RepoPath::parse(entry.path).unwrap(), entry.reason)).collect(),
    )
}

/// What searches find, with the score of each hit.
pub fn found(view: &View) -> Vec<String> {
    let ask = |query: &&str| {
        let answer = search(std::slice::from_ref(view), &Request { top_k: 100, ..Request::new(*query) }).unwrap();
        format!("{query}: {:#?}", answer.results)
    };
    ["one", "two end", "id old a.x", "nothing of the kind"].iter().map(ask).collect()
}
