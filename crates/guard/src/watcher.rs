//! The watcher: a thread of the machine's own that measures, sets the level, and does what each mark asks for.
//!
//! It looks more often the nearer the next mark is, and at once when a large allocation was not admitted; while nothing
//! runs in the node it rests.
//!
//! - *soft*: every scheduler gives back free memory, and large heaps of processes that wait are collected; who sends to
//!   processes with large message queues is noted;
//! - *high*: the doors look at the level by themselves; who sends to such processes is held for some milliseconds;
//! - *hard*: the largest offenders end, until what they held is as much as the node is above its high mark. While their
//!   memory is not back, others end only if the node goes on growing. If there is nobody left to end, and the node
//!   grows further, it ends itself while there is still memory for a crash dump.
//!
//! While programs stand still for want of memory ([`pressure`]), the level is *soft* at least.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use runtime::effects::{flood, holdings, log};
use runtime::exec::halt;
use runtime::mail::aux_work::{self, AuxWork};
use runtime::mail::hooks::CrashCause;
use runtime::mail::{dirty, idle, schedulers};
use runtime::process::dirty::DirtyKind;
use sys::allocator;
use sys::child;
use sys::lookout::RestEnd;
use sys::memory::budget::{self as gauge, Level, Marks};
use sys::memory::settling;

use crate::pace::{Pace, Slowing};
use crate::queues::{Queues, RELEASES_EVERY};
use crate::{budget, events, pressure};
use crate::{keeper, offender};

/// As much as a scheduler's: the crash dump may be written by this thread.
pub(crate) const STACK_BYTES: usize = schedulers::STACK_BYTES;

/// How often the system is asked for the budget: this often while it changes or the node is above a mark, more and more
/// seldom while nothing does; at each look while programs are started, which take a part of it.
const ASKS_EVERY: Duration = Duration::from_millis(250);
const ASKS_AT_LEAST_EVERY: Duration = Duration::from_secs(1);
/// How long it rests while nothing runs in the node: then others in its control group can grow, and its limit may
/// change, but what follows from that is seldom urgent.
const RESTS_FOR: Duration = Duration::from_secs(4);
/// How often free memory is given back, while the node is at this level.
fn gives_back_every(level: Level) -> Duration {
    Duration::from_millis(match level {
        Level::Calm | Level::Soft => 1000,
        Level::High => 100,
        Level::Hard => 20,
    })
}
/// The same, of what foreign libraries have freed.
const GIVES_BACK_FOREIGN_EVERY: Duration = Duration::from_millis(250);
/// How often heaps of processes that wait are collected, while the node is above its soft mark.
const COLLECTS_EVERY: Duration = Duration::from_secs(5);
/// How often it is told that there is nobody to end.
const COMPLAINS_EVERY: Duration = Duration::from_secs(10);
/// How long an offender has to end before the next one is looked for. Others wait for its memory as long
/// ([`gauge::brakes`]), but no longer, because it may be that it does not come back.
const PATIENCE: Duration = Duration::from_millis(100);
/// The same, while the node goes on growing.
const SHORT_PATIENCE: Duration = Duration::from_millis(10);

/// For so long after processes were ended the node waits for their memory, even beyond its budget, before it ends
/// itself.
const LAST_PATIENCE: Duration = Duration::from_secs(5);
/// For so long it looks for others to end, in vain; longer while there are processes that cannot be looked at.
const SEARCHES_FOR: Duration = Duration::from_millis(20);
const WAITS_FOR_TAKEN: Duration = Duration::from_secs(2);

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
    /// Whether the budget is too small for any node.
    stands_by: bool,
    /// The budget, with what others take of it.
    whole: u64,
    /// Programs that the node has started.
    programs: u64,
    asks: Pace,
    asks_every: Slowing,
    gives_back: Pace,
    gives_back_foreign: Pace,
    collects: Pace,
    complains: Pace,
    ending: Option<Ending>,
    /// Since when each search for offenders was in vain, and how large the node was then, at least the last mark.
    nobody_since: Option<(Instant, u64)>,
    /// When a process was ended last.
    ended_at: Option<Instant>,
    queues: Queues,
}

/// The body of the thread.
pub(crate) fn watch() {
    let mut watcher = Watcher {
        level: Level::Calm,
        stands_by: budget::found().is_some_and(|found| found.is_too_small()),
        whole: 0,
        programs: 0,
        asks: Pace::done_now(),
        asks_every: Slowing::between(ASKS_EVERY, ASKS_AT_LEAST_EVERY),
        gives_back: Pace::default(),
        gives_back_foreign: Pace::default(),
        collects: Pace::default(),
        complains: Pace::default(),
        ending: None,
        nobody_since: None,
        ended_at: None,
        queues: Queues::default(),
    };
    let mut found = budget::found();
    loop {
        if watcher.asks.is_due(watcher.asks_every.now()) {
            let before = std::mem::replace(&mut found, budget::ask_again());
            let is_the_same = budget::are_alike(before, found) && watcher.level == Level::Calm;
            watcher.asks_every.answered(is_the_same);
            gauge::forget_old_grants();
            gauge::measure_swapped();
            pressure::ask_again();
        }
        let programs = child::started();
        if std::mem::replace(&mut watcher.programs, programs) != programs {
            found = budget::ask_again();
        }
        let Some(found) = found else {
            return;
        };
        if found.is_too_small() {
            watcher.stands_by(&found);
            watcher.wait_to_look(ASKS_EVERY);
            continue;
        }
        watcher.stands_by = false;
        watcher.whole = found.budget;
        let marks = found.marks();
        gauge::set_marks(Some(&marks));
        if gauge::is_to_give_back() {
            give_back();
            give_back_foreign();
        }
        let resident = gauge::measure();
        watcher.look(&marks, resident);
        let next = match watcher.level {
            Level::Hard => Duration::from_millis(1),
            level if watcher.queues.hold(level) => RELEASES_EVERY.min(marks.next_look(resident)),
            _ => marks.next_look(resident),
        };
        watcher.wait_to_look(next.min(watcher.asks_every.now()));
    }
}

/// What a thread has freed of another one's memory goes back only when that other one settles.
fn give_back() {
    settling::settle();
    let settle: AuxWork = Arc::new(settling::settle);
    aux_work::on_every_scheduler(&settle);
}

/// It takes milliseconds, in which the watcher is needed.
fn give_back_foreign() {
    dirty::later(DirtyKind::Chore, settling::settle_foreign);
}

impl Watcher {
    /// Does nothing while the budget is too small, but it may grow.
    fn stands_by(&mut self, found: &budget::Found) {
        if !self.stands_by {
            log::memory_guard(true, &format!("{}\n", events::is_too_small(found.budget)));
        }
        self.stands_by = true;
        self.level = Level::Calm;
        gauge::set_level(Level::Calm);
        gauge::set_brakes(false);
        gauge::set_marks(None);
        flood::release(usize::MAX);
    }

    /// Waits for so long, or much longer while nothing runs and what the system says has not changed lately.
    fn wait_to_look(&self, next: Duration) {
        let may_rest = self.level == Level::Calm && self.asks_every.is_slowest();
        let are_any_floods = || flood::are_any() || flood::are_any_held();
        let nothing_runs = || may_rest && !are_any_floods() && idle::nothing_runs();
        if gauge::rest(RESTS_FOR, nothing_runs) == RestEnd::SomethingRuns {
            gauge::wait_to_look(next);
        }
    }

    fn look(&mut self, marks: &Marks, resident: u64) {
        let before = self.level;
        let by_size = marks.level(resident, before);
        self.level = match pressure::is_high() {
            true => by_size.max(Level::Soft),
            false => by_size,
        };
        gauge::set_level(self.level);
        for level in Level::ALL {
            if level > before && level <= self.level {
                COUNTS.reached[level as usize].fetch_add(1, Ordering::Relaxed);
                match level > by_size {
                    true => events::pressed(marks, resident),
                    false => events::reached(level, marks, resident),
                }
            }
        }
        if before < Level::Soft && self.level >= Level::Soft {
            keeper::ask(marks, resident);
        }
        self.queues.look(self.level, marks);
        if self.level >= Level::Soft {
            self.give_back();
        }
        gauge::set_brakes(self.brakes(before));
        match self.level {
            Level::Hard => self.end_offenders(marks, resident),
            _ => (self.ending, self.nobody_since) = (None, None),
        }
    }

    /// Whether programs wait: from the hard mark on, until memory should have come back.
    fn brakes(&self, before: Level) -> bool {
        let is_lately = |at: Instant| at.elapsed() < PATIENCE;
        self.level == Level::Hard && (before < Level::Hard || self.ended_at.is_some_and(is_lately))
    }

    fn give_back(&mut self) {
        if self.gives_back.is_due(gives_back_every(self.level)) {
            give_back();
        }
        if self.gives_back_foreign.is_due(GIVES_BACK_FOREIGN_EVERY) {
            give_back_foreign();
        }
        let may_collect = self.level > Level::Soft || !keeper::is_awaited();
        if may_collect && self.collects.is_due(COLLECTS_EVERY) {
            offender::collect_those_that_wait();
        }
    }

    fn end_offenders(&mut self, marks: &Marks, resident: u64) {
        let is_last = self.may_end_itself(marks, resident);
        if let Some(ending) = &self.ending {
            let grows = resident > ending.resident + (marks.budget - marks.hard) / 8;
            let patience = match grows || is_last {
                true => SHORT_PATIENCE,
                false => PATIENCE,
            };
            if ending.at.elapsed() < patience.max(ending.took * 2) {
                return;
            }
        }
        // To find them takes a while, and they end only after that.
        gauge::set_brakes(true);
        let began = Instant::now();
        let wanted = resident - marks.high.min(resident);
        let ended = offender::end_largest(wanted, marks, resident, is_last);
        COUNTS.add_ended(ended);
        match ended {
            0 if is_last => self.end_itself(marks),
            0 => self.finds_nobody(marks, resident),
            _ => (self.ended_at, self.nobody_since) = (Some(Instant::now()), None),
        }
        self.ending = Some(Ending {
            at: Instant::now(),
            took: began.elapsed(),
            resident,
        });
    }

    /// Whether the node itself ends if there is nobody else to end: not below the last mark, nor where others take most
    /// of its budget, nor while the memory of those that ended may still come back, nor before some processes could be
    /// looked at that others have in hands. While it does not grow there is no hurry: those that hold the memory may
    /// have ended by themselves.
    fn may_end_itself(&self, marks: &Marks, resident: u64) -> bool {
        let is_own = resident >= self.whole / 2;
        let ends = |at: Instant| at.elapsed() < LAST_PATIENCE;
        let (searched, before) = self
            .nobody_since
            .map_or((Duration::ZERO, resident), |(since, before)| {
                (since.elapsed(), before)
            });
        let has_searched = match resident > before + (marks.budget - marks.last()) / 4 {
            true => {
                let may_search = searched < WAITS_FOR_TAKEN && holdings::are_any_taken();
                searched >= SEARCHES_FOR && !may_search
            }
            false => searched >= LAST_PATIENCE,
        };
        is_own && resident >= marks.last() && has_searched && !self.ended_at.is_some_and(ends)
    }

    /// Nobody may be ended, or nobody holds much.
    fn finds_nobody(&mut self, marks: &Marks, resident: u64) {
        self.nobody_since
            .get_or_insert_with(|| (Instant::now(), resident.max(marks.last())));
        if self.complains.is_due(COMPLAINS_EVERY) {
            events::finds_nobody(marks, resident);
        }
    }

    fn end_itself(&self, marks: &Marks) {
        let resident = gauge::measure();
        if self.may_end_itself(marks, resident) {
            allocator::open_reserve();
            halt::end_with_dump(CrashCause::Outside, &events::last_words(marks, resident));
        }
    }
}
