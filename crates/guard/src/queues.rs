//! Which message queues take much of the node: whoever fills them is noted from the soft mark on, and held back from
//! the high mark on (`runtime::effects::flood`).

use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use layout::Term;
use runtime::effects::flood::{self, Flooded, MOST_FLOODS};
use runtime::effects::holdings;
use sys::memory::budget::{Level, Marks};

/// Messages of one process are much from this part of the budget on.
const LEAST_PART: u64 = 16;
/// All processes are looked at no more often than this, and for no more than one part in so many of the time, because
/// nothing runs meanwhile.
const LOOKS_EVERY: Duration = Duration::from_millis(50);
const PART_OF_TIME: u32 = 50;
/// How often senders that are held may send.
pub(crate) const RELEASES_EVERY: Duration = Duration::from_millis(5);

/// A queue that has not become shorter for so long above the high mark is not worked on: its senders are held no
/// longer, so that the node does not stay there, and its process ends at the hard mark.
const PATIENCE: Duration = Duration::from_secs(3);

/// What the watcher knows of large queues.
#[derive(Default)]
pub(crate) struct Queues {
    /// When they were looked at, and for how long.
    looked: Option<(Instant, Duration)>,
    released_at: Option<Instant>,
    /// Those seen above the high mark, by the bits of their pids.
    shortest: HashMap<u64, Shortest>,
}

/// The fewest bytes that a queue had above the high mark, and since when.
#[derive(Clone, Copy)]
struct Shortest {
    bytes: u64,
    since: Instant,
}

impl Queues {
    /// Marks those that are large just now. Called at each look of the watcher.
    pub(crate) fn look(&mut self, level: Level, marks: &Marks) {
        let now = Instant::now();
        let is_due = |at: Option<Instant>, every| at.is_none_or(|at| now - at >= every);
        if level < Level::Soft || is_due(self.released_at, RELEASES_EVERY) {
            self.released_at = Some(now);
            flood::release();
        }
        if level < Level::Soft {
            if flood::are_any() {
                flood::mark(&[]);
                self.shortest.clear();
            }
            return;
        }
        let (at, took) = self.looked.unzip();
        if is_due(at, LOOKS_EVERY.max(took.unwrap_or_default() * PART_OF_TIME)) {
            self.mark(level, marks.budget / LEAST_PART);
            self.looked = Some((Instant::now(), now.elapsed()));
        }
    }

    /// Whether some senders may be held.
    pub(crate) fn hold(&self, level: Level) -> bool {
        level >= Level::High && flood::are_any()
    }

    /// Marks the processes with messages of at least so many bytes.
    fn mark(&mut self, level: Level, least: u64) {
        let mut large = Vec::new();
        holdings::look_at_all(|process| {
            let bytes = holdings::queue_bytes(process);
            if bytes >= least {
                large.push((bytes, process.pid()));
            }
        });
        large.sort_unstable_by_key(|(bytes, _)| Reverse(*bytes));
        large.truncate(MOST_FLOODS);
        self.shortest
            .retain(|bits, _| large.iter().any(|(_, pid)| pid.bits() == *bits));
        let mut flooded = Vec::new();
        for (bytes, receiver) in large {
            let holds = level < Level::High || self.is_worked_on(receiver, bytes, Instant::now());
            flooded.push(Flooded { receiver, holds });
        }
        flood::mark(&flooded);
    }

    /// Whether a queue of so many bytes has become shorter lately.
    fn is_worked_on(&mut self, receiver: Term, bytes: u64, now: Instant) -> bool {
        let seen = Shortest { bytes, since: now };
        let shortest = self.shortest.entry(receiver.bits()).or_insert(seen);
        if bytes < shortest.bytes {
            *shortest = seen;
        }
        now - shortest.since < PATIENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_that_does_not_become_shorter_is_given_up() {
        let mut queues = Queues::default();
        let began = Instant::now();
        let pid = Term::local_pid(1, 0);
        let mut at = |ms, bytes| queues.is_worked_on(pid, bytes, began + Duration::from_millis(ms));
        assert!(at(0, 1000));
        assert!(at(2900, 1100));
        assert!(!at(3000, 1000));
        assert!(at(3100, 999), "it has become shorter");
        assert!(at(6000, 2000));
        assert!(!at(6100, 2000));
    }
}
