//! Runs one child to its end, its deadline or its output limit, whichever comes first.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How much of the standard error is kept: so much from its start, as much from its end.
const STDERR_HALF: usize = 512 << 10;

/// How long a signalled child may take to tidy up (lock files) before it is killed.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How long the standard error may stay open after the child ended. A process that ssh
/// leaves behind (a shared connection) holds it open for hours.
const STDERR_GRACE: Duration = Duration::from_millis(500);

/// What a child left.
#[derive(Debug)]
pub(super) struct Finished {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Why a child did not finish by itself.
#[derive(Debug)]
pub(super) enum ChildError {
    Start(io::Error),
    Deadline,
    OutputLimit,
}

enum Message {
    Stdout(Vec<u8>),
    TooMuch,
    Stderr(Vec<u8>),
}

/// Runs `command`, feeding `stdin`, reading both outputs at once.
pub(super) fn run(
    mut command: Command,
    stdin: Option<Vec<u8>>,
    deadline: Duration,
    output_limit: u64,
) -> Result<Finished, ChildError> {
    command.stdin(if stdin.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    own_group(&mut command);
    let end = Instant::now() + deadline;
    let mut child = command.spawn().map_err(ChildError::Start)?;
    let (sender, receiver) = mpsc::channel();
    feed(child.stdin.take(), stdin);
    if let Some(pipe) = child.stdout.take() {
        let sender = sender.clone();
        thread::spawn(move || sender.send(read_limited(pipe, output_limit)));
    }
    if let Some(pipe) = child.stderr.take() {
        thread::spawn(move || sender.send(Message::Stderr(read_ends(pipe))));
    }
    let result = collect(&mut child, &receiver, end);
    if result.is_err() {
        stop(&mut child);
    }
    result
}

/// Waits for the end of the child and of its outputs.
fn collect(child: &mut Child, receiver: &Receiver<Message>, end: Instant) -> Result<Finished, ChildError> {
    let mut stdout = None;
    let mut stderr = None;
    while stdout.is_none() {
        match receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(Message::Stdout(bytes)) => stdout = Some(bytes),
            Ok(Message::Stderr(bytes)) => stderr = Some(bytes),
            Ok(Message::TooMuch) => return Err(ChildError::OutputLimit),
            Err(RecvTimeoutError::Timeout) => return Err(ChildError::Deadline),
            Err(RecvTimeoutError::Disconnected) => stdout = Some(Vec::new()),
        }
    }
    let status = wait(child, end)?;
    if stderr.is_none()
        && let Ok(Message::Stderr(bytes)) = receiver.recv_timeout(STDERR_GRACE)
    {
        stderr = Some(bytes);
    }
    Ok(Finished { status, stdout: stdout.unwrap_or_default(), stderr: stderr.unwrap_or_default() })
}

fn wait(child: &mut Child, end: Instant) -> Result<ExitStatus, ChildError> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait().map_err(ChildError::Start)? {
            return Ok(status);
        }
        if Instant::now() >= end {
            return Err(ChildError::Deadline);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn feed(pipe: Option<impl Write + Send + 'static>, bytes: Option<Vec<u8>>) {
    if let (Some(mut pipe), Some(bytes)) = (pipe, bytes) {
        // A child that ends early closes the pipe; its exit status says why.
        thread::spawn(move || pipe.write_all(&bytes));
    }
}

fn read_limited(pipe: impl Read, limit: u64) -> Message {
    let mut bytes = Vec::new();
    let read = pipe.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    if bytes.len() as u64 > limit {
        Message::TooMuch
    } else {
        read.map_or(Message::TooMuch, |_| Message::Stdout(bytes))
    }
}

/// Reads to the end but keeps only the start and the end.
fn read_ends(mut pipe: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut chunk = [0; 8192];
    while let Ok(count @ 1..) = pipe.read(&mut chunk) {
        kept.extend_from_slice(&chunk[..count]);
        if kept.len() > 2 * STDERR_HALF + chunk.len() {
            kept.drain(STDERR_HALF..kept.len() - STDERR_HALF);
        }
    }
    kept
}

/// Puts the child in a process group of its own, so that what it started ends with it.
fn own_group(command: &mut Command) {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    #[cfg(not(unix))]
    let _ = command;
}

/// Ends the child and everything it started: asked first, because git then removes its
/// lock files, and killed if that does not help.
fn stop(child: &mut Child) {
    signal_group(child, false);
    let end = Instant::now() + LAST_WORDS;
    let _ = wait(child, end);
    signal_group(child, true);
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
fn signal_group(child: &Child, kill: bool) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // The group outlives its leader while a member lives, so the number is still ours.
        let _ = kill_process_group(group, if kill { Signal::KILL } else { Signal::TERM });
    }
}

#[cfg(not(unix))]
fn signal_group(_child: &Child, _kill: bool) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[allow(clippy::disallowed_methods, reason = "the child under test is a shell")]
    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn both_outputs_are_read_at_once() {
        let script = "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; cat";
        let finished = run(shell(script), Some(vec![1; 200_000]), LONG, 1 << 20).unwrap();
        assert_eq!((finished.stdout.len(), finished.stderr.len()), (500_000, 300_000));
        assert!(finished.status.success());
    }

    #[test]
    fn the_deadline_ends_grandchildren_too() {
        let mark = tempfile::NamedTempFile::new().unwrap();
        let script = format!("(sleep 3; echo late > {}) & wait", mark.path().display());
        let start = Instant::now();
        assert!(matches!(run(shell(&script), None, Duration::from_millis(200), 10), Err(ChildError::Deadline)));
        assert!(start.elapsed() < Duration::from_millis(2900));
        thread::sleep(Duration::from_secs(3).saturating_sub(start.elapsed()) + Duration::from_millis(200));
        assert_eq!(std::fs::read(mark.path()).unwrap(), b"");
    }

    #[test]
    fn a_flood_is_stopped() {
        assert!(matches!(run(shell("yes"), None, LONG, 10_000), Err(ChildError::OutputLimit)));
    }

    #[test]
    fn a_left_over_holder_of_stderr_does_not_block() {
        let start = Instant::now();
        let finished = run(shell("sleep 5 >/dev/null & echo done"), None, LONG, 100).unwrap();
        assert_eq!(finished.stdout, b"done\n");
        assert!(start.elapsed() < Duration::from_secs(4));
    }
}
