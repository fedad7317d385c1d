//! Processes that wait with room in their heaps, to be trimmed when their scheduler has nothing to do.
//!
//! A process that is called again and again keeps its room while it waits (`collection::trim`). When it has not run for
//! a second, a scheduler that is about to sleep collects it. Each process is in at most one list, once, so the lists
//! take at most 16 bytes for each process that runs often; a mark in `Process::rested_in` says that it is in one.
//!
//! Only the scheduler's own thread uses its list. A listed process is at rest, and owned by nobody, or runs anywhere;
//! so it is found by its pid, and taken by its state word for as long as the collection lasts.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use layout::Term;
use sys::memory::budget::{self, Level};

use super::Scheduler;
use crate::effects::collection::trim;
use crate::mail::schedulers::schedulers;
use crate::process::sync::between_steps;
use crate::process::{Flags, Process, epoch, table};

/// How long a process must not have run before it is trimmed.
const RESTED_MS: u32 = 1_000;
/// How often a scheduler looks for such processes: each by itself would wake it as often as they run.
const LOOKS_EVERY_MS: u32 = 250;
/// Processes that are looked at before each sleep.
const MOST_AT_ONCE: usize = 64;

/// A process that waited with room in its heap.
struct Entry {
    pid: Term,
    /// The process's `rested_in` when it was listed, to tell whether it has run since.
    rested_in: u32,
    /// When it was listed: milliseconds of the monotonic clock, which wrap.
    since_ms: u32,
}

/// So much given back by processes is worth giving to the system at once.
const MUCH_BYTES: usize = 4 << 20;

/// See the module's documentation.
#[derive(Default)]
pub(super) struct Resting {
    list: RefCell<VecDeque<Entry>>,
    /// When all whose time had come were looked at last.
    looked_ms: Cell<u32>,
    /// Bytes that processes have given back since the system was last given some.
    given_back_bytes: Cell<usize>,
}

fn now_ms() -> u32 {
    (sys::clock::monotonic_ns() / 1_000_000) as u32
}

impl Resting {
    /// Lists a process that goes to rest on this scheduler.
    #[cold]
    pub(super) fn add(&self, process: &Process) {
        self.list.borrow_mut().push_back(Entry {
            pid: process.pid(),
            rested_in: process.rested_in,
            since_ms: now_ms(),
        });
    }

    /// In how many nanoseconds the first process is to be looked at; `None` if there is none.
    pub(super) fn due_ns(&self) -> Option<u64> {
        let now_ms = now_ms();
        let left_ms =
            |since_ms: u32, period_ms: u32| period_ms.saturating_sub(now_ms.wrapping_sub(since_ms));
        let of_first_ms = left_ms(self.list.borrow().front()?.since_ms, RESTED_MS);
        let of_look_ms = left_ms(self.looked_ms.get(), LOOKS_EVERY_MS);
        Some(u64::from(of_first_ms.max(of_look_ms)) * 1_000_000)
    }

    /// Whether it is time to look for processes.
    fn is_due(&self, now_ms: u32) -> bool {
        now_ms.wrapping_sub(self.looked_ms.get()) >= LOOKS_EVERY_MS
    }

    /// Takes the first process from the list, if its time has come.
    fn next_due(&self, now_ms: u32) -> Option<Entry> {
        let is_due = |entry: &mut Entry| now_ms.wrapping_sub(entry.since_ms) >= RESTED_MS;
        self.list.borrow_mut().pop_front_if(is_due)
    }

    fn list_again(&self, entry: Entry) {
        self.list.borrow_mut().push_back(entry);
    }
}

impl Scheduler {
    /// Trims some of the processes that have waited long enough, as long as there is nothing to run. A trimmed heap is
    /// a copy, so the node has more until what is freed is given back; while it is short of memory that is done at
    /// once.
    pub(super) fn trim_resting(&self) {
        let before = self.resting.given_back_bytes.get();
        self.trim_some();
        if self.resting.given_back_bytes.get() > before && budget::level() >= Level::Soft {
            self.resting.given_back_bytes.set(0);
            sys::memory::settling::settle();
        }
    }

    fn trim_some(&self) {
        let now_ms = now_ms();
        if !self.resting.is_due(now_ms) {
            return;
        }
        for _ in 0..MOST_AT_ONCE {
            if !self.has_no_work() || !schedulers().injected.is_empty() {
                return;
            }
            let Some(entry) = self.resting.next_due(now_ms) else {
                self.resting.looked_ms.set(now_ms);
                if self.resting.given_back_bytes.get() >= MUCH_BYTES {
                    self.resting.given_back_bytes.set(0);
                    sys::memory::settling::settle_again();
                }
                return;
            };
            self.trim_if_rested(entry, now_ms);
        }
    }

    fn trim_if_rested(&self, entry: Entry, now_ms: u32) {
        let entry = Entry {
            since_ms: now_ms,
            ..entry
        };
        let taken = epoch::with_pin(|pinned| {
            let process = table::find(pinned, entry.pid)?;
            Some(process.take_resting())
        });
        let mut process = match taken {
            None => return,
            Some(None) => return self.resting.list_again(entry),
            Some(Some(process)) => process,
        };
        between_steps();
        if process.rested_in == entry.rested_in {
            // SAFETY: the process is at rest, and this thread uses none of its terms.
            let bytes = unsafe { trim::at_rest(&mut process) };
            self.resting
                .given_back_bytes
                .update(|so_far| so_far + bytes);
        } else {
            let rested_in = process.rested_in;
            self.resting.list_again(Entry { rested_in, ..entry });
        }
        between_steps();
        // A signal may have arrived meanwhile, or there was no memory for the collection and the process ends.
        let ends = process.flags.contains(Flags::EXIT_PENDING);
        let busy = if ends { Err(process) } else { process.rest() };
        if let Err(process) = busy {
            self.give_up(process);
        }
    }
}
