//! The watcher: a thread of the machine's own that measures, sets the level, and does what each mark asks for.
//!
//! It looks more often the nearer the next mark is, and at once when a large allocation was not admitted.
//!
//! - *soft*: every scheduler gives back free memory, and large heaps of processes that wait are collected; who sends to
//!   processes with large message queues is noted;
//! - *high*: the doors look at the level by themselves; who sends to such processes is held for some milliseconds;
//! - *hard*: the largest offenders end, until what they held is as much as the node is above its high mark. While their
//!   memory is not back, others end only if the node goes on growing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use runtime::mail::aux_work::{self, AuxWork};
use sys::allocator;
use sys::memory::budget::{self as gauge, Level, Marks};

use crate::queues::{Queues, RELEASES_EVERY};
use crate::{budget, events};
use crate::{keeper, offender};

pub(crate) const STACK_BYTES: usize = 256 << 10;

/// How often the system is asked for the budget.
const ASKS_EVERY: Duration = Duration::from_millis(250);
/// How often free memory is given back, while the node is at this level.
fn gives_back_every(level: Level) -> Duration {
    Duration::from_millis(match level {
        Level::Calm | Level::Soft => 1000,
        Level::High => 100,
        Level::Hard => 20,
    })
}
/// How often heaps of processes that wait are collected, while the node is above its soft mark.
const COLLECTS_EVERY: Duration = Duration::from_secs(5);
/// How often it is told that there is nobody to end.
const COMPLAINS_EVERY: Duration = Duration::from_secs(10);
/// How long an offender has to end before the next one is looked for.
const PATIENCE: Duration = Duration::from_millis(200);
/// The same, while the node goes on growing.
const SHORT_PATIENCE: Duration = Duration::from_millis(10);

/// What the watcher did.
pub(crate) struct Counts {
    reached: [AtomicU64; Level::ALL.len()],
    ended: AtomicU64,
}

pub(crate) static COUNTS: Counts = Counts {
    reached: [const { AtomicU64::new(0) }; Level::ALL.len()],
    ended: AtomicU64::new(0),
};

impl Counts {
    /// How often the level rose to this one or beyond.
    pub(crate) fn reached(&self, level: Level) -> u64 {
        self.reached[level as usize].load(Ordering::Relaxed)
    }

    pub(crate) fn add_ended(&self, more: u64) {
        self.ended.fetch_add(more, Ordering::Relaxed);
    }

    /// How many processes the guard has ended.
    pub(crate) fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }
}

/// When offenders were ended, and how large the node was then.
struct Ending {
    at: Instant,
    /// How long it took to find them. Nothing runs for the most of that time, and nothing grows.
    took: Duration,
    resident: u64,
}

struct Watcher {
    level: Level,
    asked_at: Option<Instant>,
    gave_back_at: Option<Instant>,
    collected_at: Option<Instant>,
    complained_at: Option<Instant>,
    ending: Option<Ending>,
    queues: Queues,
}

/// The body of the thread.
pub(crate) fn watch() {
    let mut watcher = Watcher {
        level: Level::Calm,
        asked_at: Some(Instant::now()),
        gave_back_at: None,
        collected_at: None,
        complained_at: None,
        ending: None,
        queues: Queues::default(),
    };
    let mut found = budget::found();
    loop {
        if is_due(&mut watcher.asked_at, ASKS_EVERY) {
            found = budget::ask_again();
            gauge::forget_old_grants();
        }
        let Some(found) = found else {
            return;
        };
        let marks = found.marks();
        gauge::set_hard(Some(marks.hard));
        let resident = gauge::measure();
        watcher.look(&marks, resident);
        let next = match watcher.level {
            Level::Hard => Duration::from_millis(1),
            level if watcher.queues.hold(level) => RELEASES_EVERY.min(marks.next_look(resident)),
            _ => marks.next_look(resident),
        };
        gauge::wait_to_look(next.min(ASKS_EVERY));
    }
}

impl Watcher {
    fn look(&mut self, marks: &Marks, resident: u64) {
        let before = self.level;
        self.level = marks.level(resident, before);
        gauge::set_level(self.level);
        for level in Level::ALL {
            if level > before && level <= self.level {
                COUNTS.reached[level as usize].fetch_add(1, Ordering::Relaxed);
                events::reached(level, marks, resident);
            }
        }
        if before < Level::Soft && self.level >= Level::Soft {
            keeper::ask(marks, resident);
        }
        self.queues.look(self.level, marks);
        if self.level >= Level::Soft {
            self.give_back();
        }
        match self.level {
            Level::Hard => self.end_offenders(marks, resident),
            _ => self.ending = None,
        }
    }

    /// What a thread has freed of another one's memory goes back only when that other one settles.
    fn give_back(&mut self) {
        if is_due(&mut self.gave_back_at, gives_back_every(self.level)) {
            allocator::settle();
            let settle: AuxWork = Arc::new(allocator::settle);
            aux_work::on_every_scheduler(&settle);
        }
        let may_collect = self.level > Level::Soft || !keeper::is_awaited();
        if may_collect && is_due(&mut self.collected_at, COLLECTS_EVERY) {
            offender::collect_those_that_wait();
        }
    }

    fn end_offenders(&mut self, marks: &Marks, resident: u64) {
        if let Some(ending) = &self.ending {
            let grows = resident > ending.resident + (marks.budget - marks.hard) / 8;
            let patience = match grows {
                true => SHORT_PATIENCE,
                false => PATIENCE,
            };
            if ending.at.elapsed() < patience.max(ending.took * 2) {
                return;
            }
        }
        let began = Instant::now();
        let wanted = resident - marks.high.min(resident);
        let ended = offender::end_largest(wanted, marks, resident);
        COUNTS.add_ended(ended);
        if ended == 0 && is_due(&mut self.complained_at, COMPLAINS_EVERY) {
            events::finds_nobody(marks, resident);
        }
        self.ending = Some(Ending {
            at: Instant::now(),
            took: began.elapsed(),
            resident,
        });
    }
}

/// Whether something that is done at most so often is to be done now; if so it counts as done.
fn is_due(last: &mut Option<Instant>, every: Duration) -> bool {
    let is_due = last.is_none_or(|last| last.elapsed() >= every);
    if is_due {
        *last = Some(Instant::now());
    }
    is_due
}
