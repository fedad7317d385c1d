//! Processes that must run on one scheduler: `spawn_opt` with `{scheduler, N}`, and `process_flag(scheduler, N)`.
//!
//! Each scheduler has queues for them besides its own, one per priority, from which nobody steals. Any thread queues a
//! process there and wakes the scheduler; only the scheduler itself takes one. Those of a scheduler that is not online
//! wait until it is.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use layout::Term;
use parking_lot::Mutex;

use super::queues::RunQueues;
use super::wake;
use crate::mail::current::current_number;
use crate::mail::schedulers::schedulers;
use crate::process::owner::Runnable;
use crate::process::sync::between_steps;
use crate::process::{Priority, bound_to, priority_of};

/// The bound processes that are queued for one scheduler.
#[derive(Default)]
pub(crate) struct Bound {
    count: AtomicUsize,
    by_priority: Mutex<[VecDeque<Runnable>; 4]>,
}

impl Bound {
    fn push(&self, runnable: Runnable, priority: Priority) {
        let mut by_priority = self.by_priority.lock();
        by_priority[priority as usize].push_back(runnable);
        // The scheduler looks at this before it sleeps.
        self.count.fetch_add(1, Ordering::SeqCst);
    }

    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.count.load(Ordering::SeqCst) != 0
    }

    pub(crate) fn lengths(&self) -> [usize; 4] {
        let by_priority = self.by_priority.lock();
        std::array::from_fn(|priority| by_priority[priority].len())
    }

    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether one with this priority is queued.
    pub(crate) fn any_of(&self, priority: Priority) -> bool {
        self.any() && !self.by_priority.lock()[priority as usize].is_empty()
    }

    /// The process whose turn it is, unless one of the scheduler's own queues goes before it.
    pub(crate) fn pop(&self, own: &RunQueues, had_turn: bool) -> Option<Runnable> {
        let mut by_priority = self.by_priority.lock();
        let queue = by_priority.iter_mut().find(|queue| !queue.is_empty())?;
        let priority = priority_of(queue.front()?.state());
        if own.goes_before(priority, had_turn) {
            return None;
        }
        let first = queue.pop_front();
        self.count.fetch_sub(1, Ordering::SeqCst);
        first
    }
}

/// Queues a process with this state word, which binds it to a scheduler.
#[cold]
#[inline(never)]
pub(crate) fn queue(runnable: Runnable, word: u32) {
    let number = usize::from(bound_to(word));
    let shared = &schedulers().all[number - 1];
    shared.bound.push(runnable, priority_of(word));
    between_steps();
    // Who comes online looks for itself.
    let is_online = shared.index < schedulers().online.load(Ordering::SeqCst);
    if is_online && number != current_number() {
        wake::wake(shared.index);
    }
}

/// The number of a scheduler as a program gives it, where 0 stands for any.
#[must_use]
pub fn number_of(term: Term) -> Option<u16> {
    let number = usize::try_from(term.as_small()?).ok()?;
    let is_one = number <= schedulers().all.len();
    is_one.then_some(u16::try_from(number).ok()?)
}
