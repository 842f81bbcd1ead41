//! A place of its own for one test: temporary directories, own homes, fixed identity.
#![allow(dead_code, clippy::disallowed_methods)] // each test crate uses its part; tests start programs

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

#[cfg(unix)]
pub mod http;
#[cfg(unix)]
pub mod lab;

/// Temporary directories, and programs that see nothing else.
pub struct Sandbox {
    root: TempDir,
}

/// What a program printed and how it ended.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Asserts success and gives stdout.
    #[track_caller]
    pub fn succeeds(self) -> String {
        assert_eq!(self.code, 0, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self.out
    }

    /// Asserts an exit code and gives stderr.
    #[track_caller]
    pub fn fails(self, code: i32) -> String {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self.err
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Sandbox {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("home")).unwrap();
        Self { root }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    /// A program with the sandbox's environment and nothing of ours.
    pub fn program(&self, program: impl AsRef<Path>) -> assert_cmd::Command {
        let mut command = assert_cmd::Command::new(program.as_ref());
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("CCE_HOME", self.path("cce-home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "A Tester")
            .env("GIT_AUTHOR_EMAIL", "tester@example.com")
            .env("GIT_AUTHOR_DATE", "1700000000 +0100")
            .env("GIT_COMMITTER_NAME", "A Tester")
            .env("GIT_COMMITTER_EMAIL", "tester@example.com")
            .env("GIT_COMMITTER_DATE", "1700000000 +0100")
            .env("NO_COLOR", "1");
        command
    }

    pub fn git(&self, directory: &str, arguments: &[&str]) -> String {
        let output = self.program("git").current_dir(self.path(directory)).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Makes a repository on branch `main`.
    pub fn repository(&self, name: &str) {
        fs::create_dir_all(self.path(name)).unwrap();
        self.git(name, &["init", "-q", "-b", "main"]);
    }

    /// Commits everything and gives the commit.
    pub fn commit(&self, name: &str, message: &str) -> String {
        self.git(name, &["add", "-A"]);
        self.git(name, &["commit", "-q", "--allow-empty", "-m", message]);
        self.git(name, &["rev-parse", "HEAD"])
    }

    /// Makes a bare repository to publish to and gives its `file://` URL.
    pub fn remote(&self, name: &str) -> String {
        fs::create_dir_all(self.path(name)).unwrap();
        self.git(name, &["init", "-q", "--bare", "-b", "main"]);
        self.url(name)
    }

    pub fn url(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    /// Runs the real binary.
    pub fn cce(&self, directory: &str, arguments: &[&str]) -> Ran {
        let output = self.program(env!("CARGO_BIN_EXE_cce")).current_dir(self.path(directory)).args(arguments).output();
        output.unwrap().into()
    }

    /// Runs the real binary and reads its JSON.
    #[track_caller]
    pub fn json(&self, directory: &str, arguments: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.cce(directory, arguments).succeeds()).unwrap()
    }
}

/// A place with the repository `r`, which has one commit of one small file.
pub fn one_file_repository() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.repository("r");
    sandbox.write("r/main.rs", "fn main() {}\n");
    sandbox.commit("r", "m");
    sandbox
}

/// A small repository in four languages with prose and things that are left out.
pub fn small_repository(sandbox: &Sandbox, name: &str) -> String {
    sandbox.repository(name);
    let write = |path: &str, contents: &str| sandbox.write(&format!("{name}/{path}"), contents);
    write(
        "src/lease.rs",
        "//! Leases keep publishers apart.\n\nuse std::time::Duration;\n\n/// A promise that nobody else moves the pointer.\n#[derive(Debug)]\npub struct Lease {\n    holder: String,\n    ends: Duration,\n}\n\nimpl Lease {\n    /// Renews the lease for another period.\n    pub fn renew_lease(&mut self, period: Duration) {\n        self.ends += period;\n    }\n}\n\n/// Most publishers wait this long.\npub const DEFAULT_PERIOD: Duration = Duration::from_secs(30);\n",
    );
    write(
        "app/tide.py",
        "\"\"\"Tide tables.\"\"\"\nimport math\n\n\nclass TideTable:\n    \"\"\"Knows when the water is high.\"\"\"\n\n    def next_high_water(self, now):\n        \"\"\"Return the next high water after now.\"\"\"\n        return math.ceil(now / 12.4) * 12.4\n",
    );
    write(
        "web/chart.tsx",
        "import { useState } from 'react';\n\nexport interface ChartProps {\n  points: number[];\n}\n\n/** Draws the chart of the tide. */\nexport function TideChart(props: ChartProps) {\n  const [zoom, setZoom] = useState(1);\n  return <svg onClick={() => setZoom(zoom + 1)}>{props.points.length}</svg>;\n}\n",
    );
    write(
        "web/legacy.js",
        "// Old entry point.\nfunction drawLegacyChart(points) {\n  return points.map((p) => p * 2);\n}\nmodule.exports = { drawLegacyChart };\n",
    );
    write(
        "README.md",
        "# Harbour\n\nA harbour needs tide tables and leases.\n\n## Anchoring\n\nDrop the anchor slowly.\n",
    );
    sandbox.write(&format!("{name}/logo.png"), b"\x89PNG\r\n\x1a\n\0\0\0");
    sandbox.commit(name, "first")
}
