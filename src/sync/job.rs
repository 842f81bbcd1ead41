//! What a continuous-integration job works on, read from the variables its service sets.
//!
//! A job mostly checks out a commit without a branch, and only its variables tell a
//! branch from a tag or from a merge that was made for a test. The table says which
//! variables those are; nothing here reads the environment.

use crate::cache::commit::is_branch;

/// What the branches of a merge queue begin with, whichever service builds them.
const QUEUE_BRANCH: &str = "gh-readonly-queue/";

/// What a job works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// A branch.
    Branch(String),
    /// A tag.
    Tag,
    /// A pull or merge request, mostly merged with its target for the test.
    Request,
    /// A candidate of a merge queue or merge train.
    Queue,
    /// Something that is no branch with a usable name.
    Other,
}

/// A job of a continuous-integration service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The name of the service.
    pub service: &'static str,
    /// What it works on.
    pub work: Work,
    /// The commit it was started for; `None` where it does not say.
    pub commit: Option<String>,
}

/// What follows from a job for a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ruling {
    /// It is published for this branch.
    Branch(String),
    /// It belongs to no branch, for this reason.
    NoBranch(String),
    /// The job is about something else, for this reason: what is checked out decides.
    Unheeded(String),
}

/// A variable, and what it holds where the answer is yes.
struct Sign(&'static str, Holds);

enum Holds {
    /// Anything but nothing and `false`.
    Something,
    /// This word.
    Word(&'static str),
    /// What begins so.
    Start(&'static str),
}

/// A service and its variables. The first of several that holds anything counts.
struct Service {
    name: &'static str,
    /// One of them says that a job of this service runs.
    runs: &'static [Sign],
    commit: &'static [&'static str],
    queue: &'static [Sign],
    request: &'static [Sign],
    tag: &'static [Sign],
    /// Variables that name the branch, and what stands before its name in them.
    branch: &'static [(&'static str, &'static str)],
}

use Holds::{Something, Start, Word};

const SERVICES: &[Service] = &[
    Service {
        name: "GitHub Actions",
        runs: &[Sign("GITHUB_ACTIONS", Something)],
        commit: &["GITHUB_SHA"],
        queue: &[Sign("GITHUB_EVENT_NAME", Word("merge_group"))],
        request: &[
            Sign("GITHUB_EVENT_NAME", Start("pull_request")),
            Sign("GITHUB_REF", Start("refs/pull/")),
            Sign("GITHUB_HEAD_REF", Something),
        ],
        tag: &[Sign("GITHUB_REF", Start("refs/tags/"))],
        branch: &[("GITHUB_REF", "refs/heads/")],
    },
    Service {
        name: "GitLab CI",
        runs: &[Sign("GITLAB_CI", Something)],
        commit: &["CI_COMMIT_SHA"],
        queue: &[Sign("CI_MERGE_REQUEST_EVENT_TYPE", Word("merge_train"))],
        request: &[
            Sign("CI_MERGE_REQUEST_IID", Something),
            Sign("CI_EXTERNAL_PULL_REQUEST_IID", Something),
            Sign("CI_PIPELINE_SOURCE", Word("merge_request_event")),
            Sign("CI_PIPELINE_SOURCE", Word("external_pull_request_event")),
        ],
        tag: &[Sign("CI_COMMIT_TAG", Something)],
        branch: &[("CI_COMMIT_BRANCH", "")],
    },
    Service {
        name: "Bitbucket Pipelines",
        runs: &[Sign("BITBUCKET_BUILD_NUMBER", Something)],
        commit: &["BITBUCKET_COMMIT"],
        queue: &[],
        request: &[Sign("BITBUCKET_PR_ID", Something)],
        tag: &[Sign("BITBUCKET_TAG", Something)],
        branch: &[("BITBUCKET_BRANCH", "")],
    },
    Service {
        name: "CircleCI",
        runs: &[Sign("CIRCLECI", Something)],
        commit: &["CIRCLE_SHA1"],
        queue: &[],
        // `CIRCLE_PULL_REQUEST` is set for every branch that has a request, and says nothing.
        request: &[Sign("CIRCLE_PR_NUMBER", Something), Sign("CIRCLE_BRANCH", Start("pull/"))],
        tag: &[Sign("CIRCLE_TAG", Something)],
        branch: &[("CIRCLE_BRANCH", "")],
    },
    Service {
        name: "Azure Pipelines",
        runs: &[Sign("TF_BUILD", Something)],
        commit: &["BUILD_SOURCEVERSION"],
        queue: &[],
        request: &[
            Sign("BUILD_REASON", Word("PullRequest")),
            Sign("SYSTEM_PULLREQUEST_PULLREQUESTID", Something),
            Sign("BUILD_SOURCEBRANCH", Start("refs/pull/")),
        ],
        tag: &[Sign("BUILD_SOURCEBRANCH", Start("refs/tags/"))],
        branch: &[("BUILD_SOURCEBRANCH", "refs/heads/")],
    },
    Service {
        name: "Travis CI",
        runs: &[Sign("TRAVIS", Something)],
        commit: &["TRAVIS_COMMIT"],
        queue: &[],
        // In a request `TRAVIS_BRANCH` is the target, and for a tag it is the tag.
        request: &[Sign("TRAVIS_PULL_REQUEST", Something), Sign("TRAVIS_EVENT_TYPE", Word("pull_request"))],
        tag: &[Sign("TRAVIS_TAG", Something)],
        branch: &[("TRAVIS_BRANCH", "")],
    },
    Service {
        name: "Buildkite",
        runs: &[Sign("BUILDKITE", Something)],
        commit: &["BUILDKITE_COMMIT"],
        queue: &[Sign("BUILDKITE_MERGE_QUEUE_BASE_BRANCH", Something)],
        request: &[Sign("BUILDKITE_PULL_REQUEST", Something)],
        tag: &[Sign("BUILDKITE_TAG", Something)],
        branch: &[("BUILDKITE_BRANCH", "")],
    },
    Service {
        name: "Woodpecker",
        runs: &[Sign("CI", Word("woodpecker")), Sign("CI_SYSTEM_NAME", Word("woodpecker"))],
        commit: &["CI_COMMIT_SHA"],
        queue: &[],
        // In a request `CI_COMMIT_BRANCH` is the target.
        request: &[
            Sign("CI_PIPELINE_EVENT", Start("pull_request")),
            Sign("CI_BUILD_EVENT", Start("pull_request")),
            Sign("CI_COMMIT_PULL_REQUEST", Something),
        ],
        tag: &[Sign("CI_COMMIT_TAG", Something), Sign("CI_PIPELINE_EVENT", Word("tag"))],
        branch: &[("CI_COMMIT_BRANCH", "")],
    },
    Service {
        name: "Drone",
        runs: &[Sign("DRONE", Something)],
        commit: &["DRONE_COMMIT_SHA", "DRONE_COMMIT"],
        queue: &[],
        // In a request `DRONE_BRANCH` is the target.
        request: &[Sign("DRONE_BUILD_EVENT", Word("pull_request")), Sign("DRONE_PULL_REQUEST", Something)],
        tag: &[Sign("DRONE_TAG", Something), Sign("DRONE_BUILD_EVENT", Word("tag"))],
        branch: &[("DRONE_COMMIT_BRANCH", ""), ("DRONE_BRANCH", "")],
    },
    // Last, because a Jenkins agent may run inside a job of another service.
    Service {
        name: "Jenkins",
        runs: &[Sign("JENKINS_URL", Something)],
        commit: &["GIT_COMMIT"],
        queue: &[],
        request: &[Sign("CHANGE_ID", Something)],
        tag: &[Sign("TAG_NAME", Something)],
        branch: &[
            ("BRANCH_NAME", ""),
            ("GIT_LOCAL_BRANCH", ""),
            ("GIT_BRANCH", "refs/remotes/origin/"),
            ("GIT_BRANCH", "origin/"),
            ("GIT_BRANCH", ""),
        ],
    },
];

/// Looks a variable up.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Job {
    /// The job that the variables `lookup` knows speak of; `None` outside of any.
    pub fn read(lookup: Lookup<'_>) -> Option<Self> {
        let lookup = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let service = SERVICES.iter().find(|service| any(service.runs, &lookup))?;
        let commit = service.commit.iter().find_map(|name| lookup(name));
        Some(Self { service: service.name, work: service.work(&lookup), commit })
    }

    /// Which branch `sha` is published for in this job.
    pub(super) fn rule(&self, sha: &str) -> Ruling {
        let what = match &self.work {
            Work::Branch(branch) => return self.rule_branch(branch, sha),
            Work::Tag => "a tag",
            Work::Request => "a pull or merge request",
            Work::Queue => "a candidate of a merge queue",
            Work::Other => return Ruling::Unheeded(format!("the job of {} names no usable branch", self.service)),
        };
        Ruling::NoBranch(format!("this job of {} works on {what}", self.service))
    }

    fn rule_branch(&self, branch: &str, sha: &str) -> Ruling {
        let service = self.service;
        match self.commit.as_deref() {
            Some(commit) if commit == sha => Ruling::Branch(branch.to_owned()),
            Some(commit) => Ruling::Unheeded(format!(
                "the job of {service} was started for {}, not for the published commit, so its branch `{branch}` \
                 does not count",
                commit.escape_debug()
            )),
            None => Ruling::Unheeded(format!(
                "the job of {service} does not say for which commit it was started, so its branch `{branch}` does \
                 not count"
            )),
        }
    }
}

impl Service {
    fn work(&self, lookup: Lookup<'_>) -> Work {
        let branch = self.named_branch(lookup);
        if any(self.queue, lookup) || branch.as_deref().is_some_and(|branch| branch.starts_with(QUEUE_BRANCH)) {
            Work::Queue
        } else if any(self.request, lookup) {
            Work::Request
        } else if any(self.tag, lookup) {
            Work::Tag
        } else {
            branch.filter(|branch| is_branch(branch) && !branch.starts_with('-')).map_or(Work::Other, Work::Branch)
        }
    }

    /// The first name of a branch that a variable gives, whatever it looks like.
    fn named_branch(&self, lookup: Lookup<'_>) -> Option<String> {
        self.branch.iter().find_map(|(name, before)| {
            let value = lookup(name)?;
            value.strip_prefix(before).filter(|branch| !branch.is_empty()).map(str::to_owned)
        })
    }
}

fn any(signs: &[Sign], lookup: Lookup<'_>) -> bool {
    signs.iter().any(|Sign(name, holds)| {
        lookup(name).is_some_and(|value| match holds {
            Something => value != "false",
            Word(word) => value == *word,
            Start(start) => value.starts_with(start),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA: &str = "0123456789012345678901234567890123456789";

    fn read(variables: &[(&str, &str)]) -> Option<Job> {
        let lookup = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Job::read(&lookup)
    }

    #[track_caller]
    fn check(variables: &[(&str, &str)], service: &str, expected: &Work) {
        let job = read(variables).unwrap_or_else(|| panic!("no job in {variables:?}"));
        assert_eq!((job.service, &job.work, job.commit.as_deref()), (service, expected, Some(SHA)), "{variables:?}");
    }

    fn branch(name: &str) -> Work {
        Work::Branch(name.to_owned())
    }

    type Variables<'a> = &'a [(&'a str, &'a str)];
    type Jobs<'a> = &'a [(Variables<'a>, Work)];

    /// Variables as the services document them: the service, what all of its jobs set, and
    /// what each kind of job sets besides.
    #[test]
    fn each_service_names_its_work() {
        let table: &[(&str, Variables<'_>, Jobs<'_>)] = &[
            (
                "GitHub Actions",
                &[("GITHUB_ACTIONS", "true"), ("GITHUB_SHA", SHA), ("CI", "true")],
                &[
                    (&[("GITHUB_EVENT_NAME", "push"), ("GITHUB_REF", "refs/heads/main")], branch("main")),
                    (&[("GITHUB_EVENT_NAME", "schedule"), ("GITHUB_REF", "refs/heads/a/b")], branch("a/b")),
                    (&[("GITHUB_EVENT_NAME", "push"), ("GITHUB_REF", "refs/tags/v1")], Work::Tag),
                    (
                        &[
                            ("GITHUB_EVENT_NAME", "pull_request"),
                            ("GITHUB_REF", "refs/pull/7/merge"),
                            ("GITHUB_HEAD_REF", "topic"),
                            ("GITHUB_BASE_REF", "main"),
                        ],
                        Work::Request,
                    ),
                    // Its ref is the target's.
                    (
                        &[
                            ("GITHUB_EVENT_NAME", "pull_request_target"),
                            ("GITHUB_REF", "refs/heads/main"),
                            ("GITHUB_HEAD_REF", "main"),
                        ],
                        Work::Request,
                    ),
                    (
                        &[
                            ("GITHUB_EVENT_NAME", "merge_group"),
                            ("GITHUB_REF", "refs/heads/gh-readonly-queue/main/pr-7-abc"),
                        ],
                        Work::Queue,
                    ),
                    (&[("GITHUB_EVENT_NAME", "push")], Work::Other),
                ],
            ),
            (
                "GitLab CI",
                &[("GITLAB_CI", "true"), ("CI_COMMIT_SHA", SHA), ("CI", "true")],
                &[
                    (&[("CI_COMMIT_BRANCH", "main"), ("CI_COMMIT_REF_NAME", "main")], branch("main")),
                    (&[("CI_COMMIT_BRANCH", "topic"), ("CI_OPEN_MERGE_REQUESTS", "a/b!1")], branch("topic")),
                    (&[("CI_COMMIT_TAG", "v1"), ("CI_COMMIT_REF_NAME", "v1")], Work::Tag),
                    (&[("CI_MERGE_REQUEST_IID", "3"), ("CI_MERGE_REQUEST_EVENT_TYPE", "merged_result")], Work::Request),
                    (&[("CI_MERGE_REQUEST_IID", "3"), ("CI_MERGE_REQUEST_EVENT_TYPE", "merge_train")], Work::Queue),
                    (&[("CI_COMMIT_BRANCH", "x"), ("CI_EXTERNAL_PULL_REQUEST_IID", "3")], Work::Request),
                ],
            ),
            (
                "Bitbucket Pipelines",
                &[("BITBUCKET_BUILD_NUMBER", "9"), ("BITBUCKET_COMMIT", SHA)],
                &[
                    (&[("BITBUCKET_BRANCH", "main")], branch("main")),
                    (&[("BITBUCKET_TAG", "v1")], Work::Tag),
                    (&[("BITBUCKET_BRANCH", "topic"), ("BITBUCKET_PR_ID", "4")], Work::Request),
                ],
            ),
            (
                "CircleCI",
                &[("CIRCLECI", "true"), ("CIRCLE_SHA1", SHA)],
                &[
                    (&[("CIRCLE_BRANCH", "main"), ("CIRCLE_PULL_REQUEST", "a-url")], branch("main")),
                    (&[("CIRCLE_TAG", "v1")], Work::Tag),
                    (&[("CIRCLE_BRANCH", "pull/12")], Work::Request),
                    (&[("CIRCLE_BRANCH", "topic"), ("CIRCLE_PR_NUMBER", "12")], Work::Request),
                    (&[("CIRCLE_BRANCH", "gh-readonly-queue/main/pr-1-a")], Work::Queue),
                ],
            ),
            (
                "Azure Pipelines",
                &[("TF_BUILD", "True"), ("BUILD_SOURCEVERSION", SHA)],
                &[
                    (&[("BUILD_SOURCEBRANCH", "refs/heads/a/b"), ("BUILD_SOURCEBRANCHNAME", "b")], branch("a/b")),
                    (&[("BUILD_SOURCEBRANCH", "refs/tags/v1")], Work::Tag),
                    (&[("BUILD_SOURCEBRANCH", "refs/pull/7/merge"), ("BUILD_REASON", "PullRequest")], Work::Request),
                    (&[("BUILD_SOURCEBRANCH", "$/team/main")], Work::Other),
                ],
            ),
            (
                "Travis CI",
                &[("TRAVIS", "true"), ("TRAVIS_COMMIT", SHA)],
                &[
                    (&[("TRAVIS_BRANCH", "main"), ("TRAVIS_PULL_REQUEST", "false")], branch("main")),
                    (&[("TRAVIS_BRANCH", "v1"), ("TRAVIS_TAG", "v1"), ("TRAVIS_PULL_REQUEST", "false")], Work::Tag),
                    (&[("TRAVIS_BRANCH", "main"), ("TRAVIS_PULL_REQUEST", "5")], Work::Request),
                ],
            ),
            (
                "Buildkite",
                &[("BUILDKITE", "true"), ("BUILDKITE_COMMIT", SHA)],
                &[
                    (&[("BUILDKITE_BRANCH", "main"), ("BUILDKITE_PULL_REQUEST", "false")], branch("main")),
                    (
                        &[("BUILDKITE_BRANCH", "v1"), ("BUILDKITE_TAG", "v1"), ("BUILDKITE_PULL_REQUEST", "false")],
                        Work::Tag,
                    ),
                    (&[("BUILDKITE_BRANCH", "fork:topic"), ("BUILDKITE_PULL_REQUEST", "5")], Work::Request),
                    (&[("BUILDKITE_BRANCH", "q"), ("BUILDKITE_MERGE_QUEUE_BASE_BRANCH", "main")], Work::Queue),
                ],
            ),
            (
                "Woodpecker",
                &[("CI", "woodpecker"), ("CI_COMMIT_SHA", SHA)],
                &[
                    (&[("CI_COMMIT_BRANCH", "main"), ("CI_PIPELINE_EVENT", "push")], branch("main")),
                    (&[("CI_COMMIT_TAG", "v1"), ("CI_PIPELINE_EVENT", "tag")], Work::Tag),
                    (&[("CI_COMMIT_BRANCH", "main"), ("CI_PIPELINE_EVENT", "pull_request")], Work::Request),
                    (&[("CI_COMMIT_BRANCH", "main"), ("CI_PIPELINE_EVENT", "pull_request_closed")], Work::Request),
                ],
            ),
            (
                "Drone",
                &[("DRONE", "true"), ("DRONE_COMMIT_SHA", SHA), ("CI", "true")],
                &[
                    (&[("DRONE_BRANCH", "main"), ("DRONE_BUILD_EVENT", "push")], branch("main")),
                    (&[("DRONE_TAG", "v1"), ("DRONE_BUILD_EVENT", "tag"), ("DRONE_BRANCH", "main")], Work::Tag),
                    (&[("DRONE_BRANCH", "main"), ("DRONE_BUILD_EVENT", "pull_request")], Work::Request),
                ],
            ),
            (
                "Jenkins",
                &[("JENKINS_URL", "a-url"), ("GIT_COMMIT", SHA)],
                &[
                    (&[("BRANCH_NAME", "a/b"), ("GIT_BRANCH", "a/b")], branch("a/b")),
                    (&[("GIT_BRANCH", "origin/main")], branch("main")),
                    (&[("GIT_BRANCH", "refs/remotes/origin/main")], branch("main")),
                    (&[("GIT_BRANCH", "origin/main"), ("GIT_LOCAL_BRANCH", "main")], branch("main")),
                    (&[("BRANCH_NAME", "v1"), ("TAG_NAME", "v1")], Work::Tag),
                    (&[("BRANCH_NAME", "PR-4"), ("CHANGE_ID", "4"), ("CHANGE_TARGET", "main")], Work::Request),
                ],
            ),
        ];
        assert_eq!(table.len(), SERVICES.len());
        for (service, always, jobs) in table {
            for (variables, work) in *jobs {
                check(&[*always, *variables].concat(), service, work);
            }
        }
    }

    /// The page for people has a row a service, with every variable that is looked at.
    #[test]
    fn the_page_names_every_service_and_variable() {
        let page = include_str!("../../docs/ci.md");
        for service in SERVICES {
            let row = page.lines().find(|line| line.starts_with(&format!("| {}", service.name))).expect(service.name);
            let signs = [service.queue, service.request, service.tag].into_iter().flatten().map(|Sign(name, _)| *name);
            let names = service.commit.iter().chain(service.branch.iter().map(|(name, _)| name)).copied();
            for name in names.chain(signs) {
                assert!(row.contains(&format!("`{name}`")), "{name} of {}", service.name);
            }
        }
    }

    #[test]
    fn outside_of_any_service_there_is_no_job() {
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[("CI", "true"), ("GITHUB_REF", "refs/heads/main"), ("GITHUB_ACTIONS", "")]), None);
        assert_eq!(read(&[("GITHUB_ACTIONS", "false")]), None);
    }

    #[test]
    fn names_that_no_branch_has_are_no_branch() {
        for name in ["-x", "--force", "a..b", "a\nb", "a\u{1b}[31m", "a\u{202e}b", " a", "a/", ".lock", "a:b", "@{-1}"]
        {
            check(
                &[("GITLAB_CI", "true"), ("CI_COMMIT_SHA", SHA), ("CI_COMMIT_BRANCH", name)],
                "GitLab CI",
                &Work::Other,
            );
        }
        let long = "x".repeat(5_000);
        check(&[("CIRCLECI", "true"), ("CIRCLE_SHA1", SHA), ("CIRCLE_BRANCH", &long)], "CircleCI", &Work::Other);
    }

    #[test]
    fn a_branch_counts_for_the_commit_of_the_job_only() {
        let job =
            |commit: Option<&str>| Job { service: "Drone", work: branch("main"), commit: commit.map(str::to_owned) };
        assert_eq!(job(Some(SHA)).rule(SHA), Ruling::Branch("main".into()));
        for (commit, told) in [(Some("f00"), "started for f00"), (None, "does not say"), (Some("\u{1b}]"), "{1b}]")] {
            let Ruling::Unheeded(why) = job(commit).rule(SHA) else { panic!("{commit:?} counts") };
            assert!(why.contains(told) && why.contains("`main`"), "{why}");
        }
    }

    #[test]
    fn what_is_no_branch_moves_nothing_whatever_its_commit() {
        for (work, told) in [(Work::Tag, "a tag"), (Work::Request, "request"), (Work::Queue, "merge queue")] {
            let Ruling::NoBranch(why) = (Job { service: "Drone", work, commit: None }).rule(SHA) else {
                panic!("{told} has a branch")
            };
            assert!(why.contains(told) && why.contains("Drone"), "{why}");
        }
        let other = Job { service: "Drone", work: Work::Other, commit: Some(SHA.into()) };
        assert!(matches!(other.rule(SHA), Ruling::Unheeded(_)));
    }
}
