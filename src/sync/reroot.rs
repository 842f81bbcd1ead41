//! Which refs move so that withdrawn artifacts are reachable no more.
//!
//! An artifact whose chain holds a withdrawn one is written again with another parent: the
//! nearest one before it that stays and is written again too, else none. Its tree, its
//! checksum and its signature are the same; only the commit's id changes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use git2::Oid;

use crate::cache::{ArtifactCommit, CacheError, Key, RefName, RefUpdate};

/// Artifacts with their chains, and the refs that name them.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// Every artifact that a ref reaches.
    pub commits: HashMap<Oid, ArtifactCommit>,
    /// Every ref of ours.
    pub refs: BTreeMap<RefName, Oid>,
}

/// What has to happen.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// The artifacts that are written again, each after its parent.
    pub rewritten: Vec<ArtifactCommit>,
    /// Every ref that moves or goes.
    pub updates: Vec<RefUpdate>,
    /// Artifacts that refs still reach, as they were: their trees stay.
    pub staying: BTreeSet<Oid>,
}

/// One artifact on its way into a [`Plan`].
struct Planner<'a> {
    graph: &'a Graph,
    withdrawn: &'a HashSet<Oid>,
    /// What refs name and nobody withdraws.
    left: HashSet<Oid>,
    /// Where an artifact that is written again stands then, and its place in the chain.
    moved: HashMap<Oid, (Oid, u32)>,
    plan: Plan,
}

impl Graph {
    /// Whether the chain of `id` holds one of `withdrawn`, itself not counted.
    fn stands_on(&self, id: Oid, withdrawn: &HashSet<Oid>) -> bool {
        self.before(id).any(|ancestor| withdrawn.contains(&ancestor))
    }

    /// The artifacts before `id` in its chain, the nearest first.
    pub fn before(&self, id: Oid) -> impl Iterator<Item = Oid> + '_ {
        let parent = |id: &Oid| self.commits.get(id)?.parent;
        std::iter::successors(parent(&id), parent)
    }

    /// What has to happen for `withdrawn` to be reachable no more.
    ///
    /// # Errors
    /// When an id cannot be computed, which only a broken library does.
    pub fn without(&self, withdrawn: &HashSet<Oid>) -> Result<Plan, CacheError> {
        let left = self.refs.values().copied().filter(|id| !withdrawn.contains(id)).collect();
        let mut planner = Planner { graph: self, withdrawn, left, moved: HashMap::new(), plan: Plan::default() };
        for id in planner.left.clone() {
            planner.settle(id)?;
        }
        planner.move_refs();
        Ok(planner.plan)
    }

    /// The artifact that a pointer to `id` goes to: the nearest before it that is left, else
    /// the latest one left of the same repository and branch.
    fn nearest_left(&self, pointer: &RefName, id: Oid, left: &HashSet<Oid>) -> Option<Oid> {
        let published: HashSet<Oid> = self
            .refs
            .iter()
            .filter(|(name, id)| {
                matches!(name.key, Key::Commit(_))
                    && name.namespace == pointer.namespace
                    && name.repo == pointer.repo
                    && left.contains(id)
            })
            .map(|(_, id)| *id)
            .collect();
        let before = self.before(id).find(|ancestor| published.contains(ancestor));
        let branch = self.commits.get(&id).map(|commit| &commit.branch);
        let same = |id: &&Oid| self.commits.get(id).map(|commit| &commit.branch) == branch;
        let age = |id: &&Oid| self.commits.get(id).map(|commit| (commit.time, commit.source_commit.clone()));
        before.or_else(|| published.iter().filter(|_| branch.is_some()).filter(same).max_by_key(age).copied())
    }
}

impl Planner<'_> {
    /// Decides where `id` stands, and those before it first.
    fn settle(&mut self, id: Oid) -> Result<(), CacheError> {
        if !self.graph.commits.contains_key(&id) {
            return Ok(());
        }
        if !self.graph.stands_on(id, self.withdrawn) {
            self.plan.staying.extend(self.graph.before(id).chain([id]));
            return Ok(());
        }
        let mut open = vec![id];
        while let Some(&id) = open.last() {
            let parent = self.new_parent(id);
            match parent {
                _ if self.moved.contains_key(&id) => drop(open.pop()),
                Some(parent) if !self.moved.contains_key(&parent) => open.push(parent),
                _ => {
                    self.rewrite(id, parent)?;
                    open.pop();
                }
            }
        }
        Ok(())
    }

    /// The nearest one before `id` that stays, looked for up to the first that is withdrawn.
    fn new_parent(&self, id: Oid) -> Option<Oid> {
        self.graph.before(id).take_while(|id| !self.withdrawn.contains(id)).find(|id| self.left.contains(id))
    }

    fn rewrite(&mut self, id: Oid, parent: Option<Oid>) -> Result<(), CacheError> {
        let parent = parent.and_then(|parent| self.moved.get(&parent).copied());
        let chain = parent.map_or(1, |(_, chain)| chain + 1);
        let commit = ArtifactCommit { parent: parent.map(|(id, _)| id), chain, ..self.graph.commits[&id].clone() };
        self.moved.insert(id, (commit.id()?, chain));
        self.plan.staying.insert(id);
        self.plan.rewritten.push(commit);
        Ok(())
    }

    fn move_refs(&mut self) {
        let place = |id: Oid| self.moved.get(&id).map_or(id, |(new, _)| *new);
        for (name, &old) in &self.graph.refs {
            let new = match &name.key {
                _ if !self.withdrawn.contains(&old) => Some(place(old)),
                Key::Commit(_) => None,
                Key::Head(_) | Key::Default => self.graph.nearest_left(name, old, &self.left).map(place),
            };
            if new != Some(old) {
                self.plan.updates.push(RefUpdate { name: name.clone(), old: Some(old), new });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::{Component, Namespace};
    use crate::config::RepoId;
    use crate::record::extract::ExtractorId;

    /// A chain of artifacts, each named by its position; those in `listed` have a ref.
    struct Chain {
        graph: Graph,
        ids: Vec<Oid>,
    }

    fn chain(length: usize, listed: &[usize]) -> Chain {
        let mut chain = Chain { graph: Graph::default(), ids: Vec::new() };
        for n in 0..length {
            let commit = ArtifactCommit {
                tree: Oid::from_str(&format!("{n:040x}")).unwrap(),
                parent: chain.ids.last().copied(),
                time: n as i64,
                source_commit: format!("{n:040x}"),
                checksum: "d".repeat(64),
                repo_id: RepoId::parse("example.com/a/b").unwrap(),
                branch: Some("main".into()),
                extractor: ExtractorId { digest: "e".repeat(64), revision: 1 },
                chain: n as u32 + 1,
                signature: Some("signed\nby us".into()),
            };
            let id = commit.id().unwrap();
            chain.graph.commits.insert(id, commit);
            chain.ids.push(id);
            if listed.contains(&n) {
                chain.graph.refs.insert(RefName::commit(Namespace::Own, &repo(), &format!("{n:040x}")), id);
            }
        }
        chain
    }

    fn repo() -> Component {
        Component::of("example.com/a/b").unwrap()
    }

    impl Chain {
        fn point(mut self, at: usize) -> Self {
            self.graph.refs.insert(RefName::default_of(Namespace::Own, &repo()), self.ids[at]);
            self
        }

        /// The refs after the plan as `name → tree`, after checks that hold for every plan.
        fn after(&self, withdrawn: &[usize]) -> BTreeMap<String, (String, u32)> {
            let withdrawn: HashSet<Oid> = withdrawn.iter().map(|at| self.ids[*at]).collect();
            let plan = self.graph.without(&withdrawn).unwrap();
            let mut after = Graph { commits: self.graph.commits.clone(), refs: self.graph.refs.clone() };
            for commit in plan.rewritten {
                assert!(commit.parent.is_none_or(|parent| after.commits.contains_key(&parent)), "a parent comes first");
                let old = self.graph.commits.values().find(|old| old.source_commit == commit.source_commit).unwrap();
                assert_eq!((commit.tree, &commit.signature), (old.tree, &old.signature));
                assert_eq!(commit.chain == 1, commit.parent.is_none());
                after.commits.insert(commit.id().unwrap(), commit);
            }
            for update in plan.updates {
                assert_eq!(after.refs.get(&update.name).copied(), update.old);
                match update.new {
                    Some(new) => after.refs.insert(update.name, new),
                    None => after.refs.remove(&update.name),
                };
            }
            for id in after.refs.values() {
                assert!(!withdrawn.contains(id) && !after.stands_on(*id, &withdrawn));
            }
            assert_eq!(after.without(&withdrawn).unwrap().updates, [], "a second time there is nothing to do");
            let told = |name: &RefName| match &name.key {
                Key::Commit(sha) => sha[38..].to_owned(),
                _ => "default".to_owned(),
            };
            let tree = |id: &Oid| (after.commits[id].tree.to_string()[38..].to_owned(), after.commits[id].chain);
            after.refs.iter().map(|(name, id)| (told(name), tree(id))).collect()
        }
    }

    #[track_caller]
    fn check(chain: &Chain, withdrawn: &[usize], expected: &[(&str, &str, u32)]) {
        let expected: BTreeMap<String, (String, u32)> =
            expected.iter().map(|(name, tree, chain)| ((*name).to_owned(), ((*tree).to_owned(), *chain))).collect();
        assert_eq!(chain.after(withdrawn), expected);
    }

    #[test]
    fn later_artifacts_begin_a_chain_of_their_own() {
        let whole = chain(4, &[0, 1, 2, 3]).point(3);
        let expected = [("00", "00", 1), ("02", "02", 1), ("03", "03", 2), ("default", "03", 2)];
        check(&whole, &[1], &expected);
        check(&whole, &[0], &[("01", "01", 1), ("02", "02", 2), ("03", "03", 3), ("default", "03", 3)]);
        check(&whole, &[0, 2], &[("01", "01", 1), ("03", "03", 1), ("default", "03", 1)]);
        check(&whole, &[0, 1, 2, 3], &[]);
        check(&whole, &[], &[("00", "00", 1), ("01", "01", 2), ("02", "02", 3), ("03", "03", 4), ("default", "03", 4)]);
    }

    #[test]
    fn pointers_go_to_the_nearest_left() {
        check(&chain(3, &[0, 1, 2]).point(2), &[2], &[("00", "00", 1), ("01", "01", 2), ("default", "01", 2)]);
        check(&chain(3, &[0, 1, 2]).point(2), &[2, 1], &[("00", "00", 1), ("default", "00", 1)]);
        check(&chain(3, &[0, 2]).point(0), &[0], &[("02", "02", 1), ("default", "02", 1)]);
        check(&chain(1, &[0]).point(0), &[0], &[]);
    }

    #[test]
    fn what_was_pruned_and_hangs_in_a_chain_goes_too() {
        check(&chain(4, &[3]).point(3), &[0], &[("03", "03", 1), ("default", "03", 1)]);
        check(&chain(5, &[2, 4]).point(4), &[1], &[("02", "02", 1), ("04", "04", 2), ("default", "04", 2)]);
    }

    #[test]
    fn what_only_a_pointer_names_stays() {
        check(&chain(3, &[0]).point(2), &[1], &[("00", "00", 1), ("default", "02", 1)]);
    }
}
