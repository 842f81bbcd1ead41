//! The two streams of a command: results on stdout, everything else on stderr.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Failure;
use crate::source::is_unprintable;
use crate::source::redact::masked;

/// Work that ends sooner than this shows no progress.
const QUIET: Duration = Duration::from_secs(1);

/// Where a command writes. Colour is stripped by the stream itself where it has no place.
#[derive(Debug)]
pub struct Terminal {
    out: io::BufWriter<anstream::AutoStream<io::Stdout>>,
}

/// Styles, by what they stand for.
pub mod style {
    use super::{AnsiColor, Style};

    /// A place in the source.
    pub const PLACE: Style = AnsiColor::Cyan.on_default();
    /// A name.
    pub const NAME: Style = Style::new().bold();
    /// What matters less.
    pub const FAINT: Style = Style::new().dimmed();
    /// A failure.
    pub const ERROR: Style = AnsiColor::Red.on_default().bold();
}

impl Terminal {
    /// Takes the process's streams.
    pub fn of_process() -> Self {
        Self { out: io::BufWriter::new(anstream::AutoStream::auto(io::stdout())) }
    }

    /// Writes one line of the result.
    ///
    /// # Errors
    /// When stdout fails.
    pub fn line(&mut self, line: impl fmt::Display) -> Result<(), Failure> {
        Ok(writeln!(self.out, "{line}")?)
    }

    /// Writes a JSON document as one line.
    ///
    /// # Errors
    /// When stdout fails.
    pub fn json(&mut self, value: &serde_json::Value) -> Result<(), Failure> {
        self.line(value)
    }

    /// Writes a foreign text: to the byte into a pipe or a file, and so that it cannot drive
    /// it onto a terminal.
    ///
    /// # Errors
    /// When stdout fails.
    pub fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.out.flush()?;
        let mut stdout = self.out.get_ref().as_inner();
        if stdout.is_terminal() {
            stdout.write_all(tame(text).as_bytes())?;
        } else {
            // The stream around it would take colours of the text for ours.
            stdout.write_all(text.as_bytes())?;
        }
        Ok(stdout.flush()?)
    }

    /// Writes bytes of the result as they are.
    ///
    /// # Errors
    /// When stdout fails.
    pub fn bytes(&mut self) -> &mut dyn Write {
        &mut self.out
    }

    /// Flushes the result.
    ///
    /// # Errors
    /// When stdout fails.
    pub fn finish(mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }
}

/// Writes one line that is not a result, with a marker for each secret that a name or a
/// foreign text brings into it. A stderr that is gone is nobody's concern.
pub fn note(line: impl fmt::Display) {
    drop(writeln!(anstream::stderr(), "{}", bounded(&masked(&line.to_string()))));
}

/// The most characters of one word or quoted text in a message; longer than any path that
/// people can read.
const MAX_QUOTED: usize = 400;
/// The most characters of a message.
const MAX_MESSAGE: usize = 2_000;

/// Shortens what a message quotes at length (a path, a pattern, an argument), in its middle.
fn bounded(line: &str) -> String {
    let mut inside = true;
    let parts = line.split('`').map(|part| {
        inside = !inside;
        match inside {
            true => shortened(part, MAX_QUOTED),
            false => part.split(' ').map(|word| shortened(word, MAX_QUOTED)).collect::<Vec<_>>().join(" "),
        }
    });
    shortened(&parts.collect::<Vec<_>>().join("`"), MAX_MESSAGE)
}

/// The start and the end of a text that is too long.
fn shortened(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most / 2).collect();
    let end: String = text.chars().skip(length - most / 2).collect();
    format!("{start}…{end}")
}

/// Shows a name that others gave (a path, a branch, a remote): safe, and without a secret.
pub fn named(name: &str) -> String {
    masked(&safe(name))
}

/// Shows a foreign text without letting it drive the terminal.
pub fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '\t' || !is_unprintable(character) {
            out.push(character);
        } else {
            out.extend(character.escape_unicode());
        }
    }
    out
}

/// A text of whole lines as a terminal may show it; a missing end of line is made up.
fn tame(text: &str) -> String {
    text.lines().flat_map(|line| [safe(line), "\n".to_owned()]).collect()
}

/// A count of files or commits on stderr, for work of over a second, on a terminal only.
pub struct Progress {
    bar: Option<ProgressBar>,
    started: Instant,
    last_drawn: AtomicU64,
    shown: Mutex<bool>,
}

impl Progress {
    /// Prepares progress for `what` ("indexing") over files.
    pub fn new(what: &'static str) -> Self {
        Self::of(what, "files")
    }

    /// Prepares progress for `what` over `things`.
    pub fn of(what: &'static str, things: &'static str) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let template = format!("{{prefix}} {{pos}}/{{len}} {things} {{bar:30}}");
            let style = ProgressStyle::with_template(&template).expect("a fixed template");
            ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_style(style).with_prefix(what)
        });
        Self { bar, started: Instant::now(), last_drawn: AtomicU64::new(0), shown: Mutex::new(false) }
    }

    /// Says that `done` of `total` are done; cheap, and callable from any thread.
    pub fn at(&self, done: usize, total: usize) {
        let Some(bar) = &self.bar else { return };
        let elapsed = self.started.elapsed();
        let tick = elapsed.as_millis() as u64 / 100;
        if elapsed < QUIET || self.last_drawn.swap(tick, Ordering::Relaxed) == tick {
            return;
        }
        if let Ok(mut shown) = self.shown.lock()
            && !*shown
        {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            *shown = true;
        }
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A number of bytes for people: `512 B`, `3.4 KB`, `12 MB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if value < 9.95 { format!("{value:.1} {}", UNITS[unit]) } else { format!("{value:.0} {}", UNITS[unit]) }
}

/// `1 file`, `2 files`.
pub fn count(number: u64, noun: &str) -> String {
    let plural = noun.strip_suffix('y').map_or_else(|| format!("{noun}s"), |stem| format!("{stem}ies"));
    format!("{number} {}", if number == 1 { noun } else { &plural })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_in_messages_are_shortened() {
        let fine = format!("cannot read `{}`: no", "a/".repeat(150));
        assert_eq!(bounded(&fine), fine);
        for long in ["x".repeat(5_000), "a b ".repeat(1_250), "a`".repeat(2_500), "\u{e4}".repeat(5_000)] {
            for message in [format!("cannot read `{long}`: no; try again"), format!("cannot read {long}; try again")] {
                let shown = bounded(&message);
                assert!(shown.chars().count() <= MAX_MESSAGE + 1 && shown.contains('…'), "{shown}");
                assert!(shown.starts_with("cannot read ") && shown.ends_with(" try again"), "{shown}");
            }
        }
    }

    #[test]
    fn a_text_cannot_drive_the_terminal() {
        assert_eq!(tame("a\tb\r\n\u{1b}[2J\u{202e}c\r\r\nd"), "a\tb\n\\u{1b}[2J\\u{202e}c\\u{d}\nd\n");
        assert_eq!(tame(""), "");
    }

    #[test]
    fn figures_for_people() {
        assert_eq!(
            [0, 999, 1000, 9_949, 9_950, 999_499, 999_500, 12_000_000].map(bytes),
            ["0 B", "999 B", "1.0 KB", "9.9 KB", "10 KB", "999 KB", "1.0 MB", "12 MB"]
        );
        assert_eq!(count(1, "file"), "1 file");
        assert_eq!(count(0, "definition"), "0 definitions");
        assert_eq!(count(2, "repository"), "2 repositories");
    }
}
