//! Which message queues take much of the node: whoever fills them is noted from the soft mark on, and held back from
//! the high mark on (`runtime::effects::flood`).

use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use layout::Term;
use runtime::effects::flood::{self, Flooded, MOST_FLOODS};
use runtime::effects::holdings;
use runtime::process::table;
use sys::memory::budget::{Level, Marks};

use crate::pace::Pace;

/// Messages of one process are much from this part of the budget on.
const LEAST_PART: u64 = 16;
/// All processes are looked at no more often than this, and for no more than one part in so many of the time, because
/// nothing runs meanwhile. But on a busy host, where a look takes long, they are still looked at sometimes.
const LOOKS_EVERY: Duration = Duration::from_millis(50);
const PART_OF_TIME: u32 = 50;
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// For so long after the node came below its soft mark the marks of processes stay: what fills it comes and goes across
/// a mark, and whoever has sent most is known only from what was noted.
const LINGERS: Duration = Duration::from_secs(1);
/// How often senders that are held may send, and how many of them at a time: each makes the node grow a little.
pub(crate) const RELEASES_EVERY: Duration = Duration::from_millis(5);
const MOST_RELEASED: usize = 256;

/// A queue that has not become shorter for so long above the high mark is not worked on: its senders are held no
/// longer, so that the node does not stay there, and its process ends at the hard mark. There they are held again.
const PATIENCE: Duration = Duration::from_secs(3);

/// What the watcher knows of large queues.
#[derive(Default)]
pub(crate) struct Queues {
    looks: Pace,
    /// How long the last look took.
    took: Duration,
    /// The level up to which the queues have been looked at since it was lower.
    seen: Level,
    /// Since when the node has been below its soft mark.
    calm_since: Option<Instant>,
    releases: Pace,
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
        if level < Level::Soft {
            flood::release(usize::MAX);
        } else if self.releases.is_due(RELEASES_EVERY) {
            flood::release(MOST_RELEASED);
        }
        self.seen = self.seen.min(level);
        if level < Level::Soft {
            let since = *self.calm_since.get_or_insert_with(Instant::now);
            if flood::are_any() && since.elapsed() >= LINGERS {
                flood::mark(&[]);
                self.shortest.clear();
            }
            return;
        }
        self.calm_since = None;
        if self.is_due(level) {
            self.seen = level;
            let began = Instant::now();
            self.mark(level, marks.budget / LEAST_PART);
            self.took = began.elapsed();
        }
    }

    /// Whether the queues are to be looked at now. Where the level has risen they are, unless a look takes very long:
    /// memory may be full before the pause is over.
    fn is_due(&mut self, level: Level) -> bool {
        let pause = match level > self.seen {
            true => self.took * 2,
            false => (self.took * PART_OF_TIME).clamp(LOOKS_EVERY, LONGEST_PAUSE),
        };
        self.looks.is_due(pause)
    }

    /// Whether some senders may be held.
    pub(crate) fn hold(&self, level: Level) -> bool {
        level >= Level::High && (flood::are_any() || flood::are_any_held())
    }

    /// Marks the processes with messages of at least so many bytes.
    fn mark(&mut self, level: Level, least: u64) {
        let mut large = Vec::new();
        holdings::look_into_all(holdings::queue_bytes, |process, bytes| {
            if bytes >= least {
                large.push((bytes, process.pid()));
            }
        });
        let unseen = unseen(flood::marked());
        large.sort_unstable_by_key(|(bytes, _)| Reverse(*bytes));
        large.retain(|(_, pid)| unseen.iter().all(|flooded| flooded.receiver != *pid));
        large.truncate(MOST_FLOODS - unseen.len());
        self.shortest.retain(|bits, _| {
            let pids = large.iter().map(|(_, pid)| *pid);
            let mut pids = pids.chain(unseen.iter().map(|flooded| flooded.receiver));
            pids.any(|pid| pid.bits() == *bits)
        });
        let mut flooded = unseen;
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

/// Those of the marked processes that live and cannot be looked at: they are being collected, for example, or about to
/// end. Their marks stay, because their queues may be as large as before.
fn unseen(mut marked: Vec<Flooded>) -> Vec<Flooded> {
    let pids: Vec<Term> = marked.iter().map(|flooded| flooded.receiver).collect();
    holdings::look_at(pids, |process| {
        marked.retain(|flooded| flooded.receiver != process.pid());
    });
    marked.retain(|flooded| table::exists(flooded.receiver));
    marked
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
