//! The last lines that the node has written to its console, while somebody wants to see them: for the window.
//!
//! Whoever writes to standard output, standard error or the terminal calls [`wrote`], which costs one load while nobody
//! wants them. A tail has at most [`MOST_LINES`] lines and [`MOST_BYTES`] bytes, whatever is written. Bytes are kept as
//! they were written: what they would do to a terminal is for whoever shows them to see to. Any thread may call.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::clock;

/// The most lines that are kept.
pub const MOST_LINES: usize = 1_000;
/// The most bytes that are kept.
pub const MOST_BYTES: usize = 256 << 10;
/// What is longer becomes several lines.
pub const LONGEST_LINE: usize = 2_000;

/// Where a line came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
    /// The terminal of a shell.
    Terminal,
    /// A report of the machine's own, when it was made: its logger prints it later, if it does.
    Report(&'static str),
}

/// A line, without its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Lines are counted from 0 on.
    pub number: u64,
    /// Nanoseconds since 1970, when its first byte was written.
    pub system_ns: i64,
    /// Where it came from.
    pub source: Source,
    /// What was written.
    pub bytes: Vec<u8>,
    /// Its end has not been written yet.
    pub is_open: bool,
}

#[derive(Default)]
struct Tail {
    lines: VecDeque<Line>,
    bytes: usize,
    next: u64,
}

static IS_OPEN: AtomicBool = AtomicBool::new(false);
static TAIL: Mutex<Option<Tail>> = Mutex::new(None);

/// Begins to keep lines, unless it has begun.
pub fn open() {
    TAIL.lock().get_or_insert_default();
    IS_OPEN.store(true, Ordering::Relaxed);
}

/// Ends it, and forgets what was kept.
pub fn close() {
    IS_OPEN.store(false, Ordering::Relaxed);
    *TAIL.lock() = None;
}

/// Whether anybody wants to see what is written.
#[inline]
#[must_use]
pub fn is_open() -> bool {
    IS_OPEN.load(Ordering::Relaxed)
}

/// The source that this descriptor is, if it is one.
#[must_use]
pub fn source_of(descriptor: i32) -> Option<Source> {
    match descriptor {
        1 => Some(Source::Output),
        2 => Some(Source::Error),
        _ => None,
    }
}

/// These bytes are being written.
#[inline]
pub fn wrote(source: Source, bytes: &[u8]) {
    if is_open() {
        add(source, bytes);
    }
}

#[cold]
fn add(source: Source, bytes: &[u8]) {
    let now_ns = clock::system_ns();
    if let Some(tail) = TAIL.lock().as_mut() {
        tail.add(source, bytes, now_ns);
    }
}

/// The lines that are kept, the oldest first, and how many older ones were forgotten.
#[must_use]
pub fn lines() -> (Vec<Line>, u64) {
    TAIL.lock().as_ref().map_or((Vec::new(), 0), |tail| {
        let lines = tail.lines.iter().cloned().collect();
        (lines, tail.forgotten())
    })
}

impl Tail {
    fn add(&mut self, source: Source, bytes: &[u8], now_ns: i64) {
        // The rest would be forgotten at once.
        let bytes = &bytes[bytes.len().saturating_sub(MOST_BYTES)..];
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (mut text, ends) = match piece.split_last() {
                Some((b'\n', text)) => (text, true),
                _ => (piece, false),
            };
            loop {
                let line = self.open_line(source, now_ns);
                let room = LONGEST_LINE - line.bytes.len();
                let (now, later) = text.split_at(room.min(text.len()));
                line.bytes.extend_from_slice(now);
                line.is_open = later.is_empty() && !ends;
                let is_return =
                    later.is_empty() && ends && line.bytes.pop_if(|byte| *byte == b'\r').is_some();
                self.bytes += now.len();
                self.bytes -= usize::from(is_return);
                text = later;
                if text.is_empty() {
                    break;
                }
            }
        }
        while self.lines.len() > MOST_LINES || self.bytes > MOST_BYTES {
            let Some(line) = self.lines.pop_front() else {
                break;
            };
            self.bytes = self.bytes.saturating_sub(line.bytes.len());
        }
    }

    /// The line to which more of a source belongs.
    fn open_line(&mut self, source: Source, now_ns: i64) -> &mut Line {
        let mut lines = self.lines.iter().enumerate().rev();
        let last = lines.find(|(_, line)| line.source == source);
        let at = match last {
            Some((at, line)) if line.is_open => at,
            _ => {
                self.lines.push_back(Line {
                    number: self.next,
                    system_ns: now_ns,
                    source,
                    bytes: Vec::new(),
                    is_open: true,
                });
                self.next += 1;
                self.lines.len() - 1
            }
        };
        &mut self.lines[at]
    }

    fn forgotten(&self) -> u64 {
        self.next - self.lines.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(tail: &Tail) -> Vec<(Source, String, bool)> {
        let text = |line: &Line| String::from_utf8_lossy(&line.bytes).into_owned();
        let line = |line: &Line| (line.source, text(line), line.is_open);
        tail.lines.iter().map(line).collect()
    }

    #[test]
    fn lines_are_whole_whatever_pieces_they_come_in() {
        let mut tail = Tail::default();
        tail.add(Source::Output, b"one\r\ntw", 1);
        tail.add(Source::Error, b"fault\n", 2);
        tail.add(Source::Output, b"o\r", 3);
        tail.add(Source::Output, b"\n\nthr", 3);
        let line = |source, text: &str, is_open| (source, text.to_owned(), is_open);
        assert_eq!(
            texts(&tail),
            [
                line(Source::Output, "one", false),
                line(Source::Output, "two", false),
                line(Source::Error, "fault", false),
                line(Source::Output, "", false),
                line(Source::Output, "thr", true),
            ]
        );
        assert_eq!((tail.lines[1].system_ns, tail.bytes), (1, 14));
    }

    #[test]
    fn a_tail_is_bounded_in_lines_and_in_bytes() {
        let mut tail = Tail::default();
        tail.add(Source::Output, &b"x".repeat(LONGEST_LINE + 1), 0);
        assert_eq!(tail.lines.len(), 2);
        tail.add(Source::Output, &b"\n".repeat(MOST_LINES + 7), 0);
        assert_eq!((tail.lines.len(), tail.forgotten()), (MOST_LINES, 8));
        for length in [MOST_BYTES, 10 * MOST_BYTES] {
            tail.add(Source::Error, &b"y".repeat(length), 0);
            assert!(tail.bytes <= MOST_BYTES && tail.bytes > MOST_BYTES / 2);
            let kept: usize = tail.lines.iter().map(|line| line.bytes.len()).sum();
            assert_eq!(kept, tail.bytes);
        }
    }
}
