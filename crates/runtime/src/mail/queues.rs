//! Run queues: one per priority, first in first out, with stealing (crossbeam's deques).
//!
//! Normal and low processes have separate queues. Each normal process has eight turns for one of each low process,
//! however many there are of both: as in OTP, where they share a queue, in which a low one is passed over seven times
//! of eight.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use crossbeam_deque::{Injector, Steal, Stealer, Worker};
use layout::Term;

use super::bound::Bound;
use crate::process::owner::Runnable;
use crate::process::{Priority, priority_of};

/// Normal slices for each low one.
pub(crate) const NORMAL_PER_LOW: u32 = 8;

/// The queues of one scheduler, as its own thread uses them.
pub(crate) struct RunQueues {
    by_priority: [Worker<Runnable>; 4],
    /// At least the number of queued processes of other than normal priority. While it is 0, `pop` looks only at the
    /// normal queue.
    urgent: Cell<u32>,
    /// Turns of normal processes, each times the number of low ones then, as far as low ones have not had their turns
    /// for them.
    due_to_low: Cell<u64>,
    /// Slices of urgent processes while others were queued, since somebody asked.
    passed_over: Cell<u64>,
    /// Processes that a process of priority `Max` (first queue) or `High` (second) waits for: their signals are to be
    /// handled before their turn.
    awaited: RefCell<[VecDeque<Term>; 2]>,
    /// Whether `awaited` has entries; read before every slice.
    any_awaited: Cell<bool>,
}

/// The queues of one scheduler, as all other threads use them.
pub(crate) struct Stealers([Stealer<Runnable>; 4]);

/// Processes made runnable by threads that are not schedulers.
pub(crate) struct Injected(Injector<(Runnable, Priority)>);

impl Injected {
    pub(crate) fn new() -> Injected {
        Injected(Injector::new())
    }

    pub(crate) fn push(&self, runnable: Runnable) {
        let priority = priority_of(runnable.state());
        self.0.push((runnable, priority));
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Stealers {
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(Stealer::len).sum()
    }

    /// The number of queued processes for each priority.
    pub(crate) fn lengths(&self) -> [usize; 4] {
        std::array::from_fn(|priority| self.0[priority].len())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(Stealer::is_empty)
    }

    /// The number of queued processes of normal priority.
    pub(crate) fn normal(&self) -> usize {
        self.0[Priority::Normal as usize].len()
    }

    /// Whether there are processes of other priorities.
    pub(crate) fn other_than_normal(&self) -> bool {
        let [max, high, _, low] = &self.0;
        !(max.is_empty() && high.is_empty() && low.is_empty())
    }
}

impl RunQueues {
    pub(crate) fn new() -> RunQueues {
        let by_priority = std::array::from_fn(|_| Worker::new_fifo());
        RunQueues {
            by_priority,
            urgent: Cell::new(0),
            due_to_low: Cell::new(0),
            passed_over: Cell::new(0),
            awaited: RefCell::default(),
            any_awaited: Cell::new(false),
        }
    }

    pub(crate) fn stealers(&self) -> Stealers {
        Stealers(std::array::from_fn(|priority| {
            self.by_priority[priority].stealer()
        }))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_priority.iter().all(Worker::is_empty)
    }

    /// Queues a process; returns whether others of its priority were already queued.
    pub(crate) fn push(&self, runnable: Runnable, priority: Priority) -> bool {
        let queue = &self.by_priority[priority as usize];
        let more = !queue.is_empty();
        queue.push(runnable);
        if priority != Priority::Normal {
            self.urgent.update(|urgent| urgent + 1);
        }
        more
    }

    /// Notes that a process of the given priority waits for a reply from the process `pid`.
    pub(crate) fn push_awaited(&self, pid: Term, priority: Priority) {
        if let Some(awaited) = self.awaited.borrow_mut().get_mut(priority as usize) {
            awaited.push_back(pid);
            self.any_awaited.set(true);
        }
    }

    /// The next process whose signals to handle before its turn. Returns one that a `High` process waits for only while
    /// no `Max` process is queued, here or among those that are bound to the scheduler.
    #[inline]
    pub(crate) fn pop_awaited(&self, bound: &Bound) -> Option<Term> {
        if self.any_awaited.get() {
            self.pop_awaited_now(bound)
        } else {
            None
        }
    }

    /// Whether [`pop_awaited`](RunQueues::pop_awaited) would return one.
    pub(crate) fn has_awaited(&self, bound: &Bound) -> bool {
        if !self.any_awaited.get() {
            return false;
        }
        let [by_max, by_high] = &*self.awaited.borrow();
        !by_max.is_empty() || !by_high.is_empty() && self.is_free_for_high(bound)
    }

    /// Whether no `Max` process is queued.
    fn is_free_for_high(&self, bound: &Bound) -> bool {
        self.by_priority[Priority::Max as usize].is_empty() && !bound.any_of(Priority::Max)
    }

    #[cold]
    fn pop_awaited_now(&self, bound: &Bound) -> Option<Term> {
        let [by_max, by_high] = &mut *self.awaited.borrow_mut();
        let pid = by_max.pop_front().or_else(|| {
            self.is_free_for_high(bound)
                .then(|| by_high.pop_front())
                .flatten()
        });
        self.any_awaited
            .set(!by_max.is_empty() || !by_high.is_empty());
        pid
    }

    pub(crate) fn pop(&self) -> Option<Runnable> {
        let [max, high, normal, low] = &self.by_priority;
        debug_assert!(max.len() + high.len() + low.len() <= self.urgent.get() as usize);
        if self.urgent.get() > 0 {
            if let Some(runnable) = max.pop().or_else(|| high.pop()) {
                self.urgent.update(|urgent| urgent - 1);
                if !normal.is_empty() || !low.is_empty() {
                    self.passed_over.update(|slices| slices + 1);
                }
                return Some(runnable);
            }
            if self.is_turn_of_low()
                && let Some(runnable) = low.pop()
            {
                let turn = u64::from(NORMAL_PER_LOW) * normal.len() as u64;
                self.due_to_low.update(|due| due.saturating_sub(turn));
                self.urgent.update(|urgent| urgent - 1);
                return Some(runnable);
            }
            self.due_to_low.update(|due| due + low.len() as u64);
            if max.is_empty() && high.is_empty() && low.is_empty() {
                // The counted processes were stolen.
                self.urgent.set(0);
            }
        }
        normal.pop()
    }

    /// Whether a low process comes before a normal one now.
    fn is_turn_of_low(&self) -> bool {
        let normal = self.by_priority[Priority::Normal as usize].len() as u64;
        normal == 0 || self.due_to_low.get() >= u64::from(NORMAL_PER_LOW) * normal
    }

    /// How many slices urgent processes had while others were queued, since this was asked last.
    pub(crate) fn passed_over(&self) -> u64 {
        self.passed_over.take()
    }

    /// Whether one of these processes goes before a bound one of the given priority. Those of one priority take turns
    /// with the bound ones, which `had_turn` last time.
    pub(crate) fn goes_before(&self, priority: Priority, had_turn: bool) -> bool {
        let [max, high, normal, low] = &self.by_priority;
        match priority {
            Priority::Max => had_turn && !max.is_empty(),
            Priority::High => !max.is_empty() || had_turn && !high.is_empty(),
            Priority::Normal => {
                let urgent = !max.is_empty() || !high.is_empty();
                urgent || had_turn && !(normal.is_empty() && low.is_empty())
            }
            Priority::Low => {
                let urgent = !max.is_empty() || !high.is_empty();
                if urgent || !self.is_turn_of_low() {
                    // The bound one waits as one low process does.
                    self.due_to_low
                        .update(|due| due + u64::from(low.is_empty()));
                    return true;
                }
                if low.is_empty() {
                    self.due_to_low.set(0);
                }
                had_turn && !low.is_empty()
            }
        }
    }

    /// Takes some of the processes that other threads made runnable; returns whether there were any.
    pub(crate) fn take_injected(&self, injected: &Injected, only_when_idle: bool) -> bool {
        let most = if only_when_idle { 64 } else { 8 };
        let mut any = false;
        for _ in 0..most {
            if injected.is_empty() {
                break;
            }
            match injected.0.steal() {
                Steal::Success((runnable, priority)) => {
                    self.push(runnable, priority);
                    any = true;
                }
                Steal::Retry => {}
                Steal::Empty => break,
            }
        }
        any
    }

    /// Moves up to `most` processes of one priority of another scheduler here.
    pub(crate) fn take_from(&self, victim: &Stealers, priority: Priority, most: usize) {
        let own = &self.by_priority[priority as usize];
        let before = own.len();
        let _ = victim.0[priority as usize].steal_batch_with_limit(own, most);
        if priority != Priority::Normal {
            // Others may have stolen some of them by now: the number is at least that of those that are there.
            let more = own.len().saturating_sub(before).max(1) as u32;
            self.urgent.update(|urgent| urgent + more);
        }
    }

    /// Moves some of another scheduler's processes here and returns one of them.
    pub(crate) fn steal_from(&self, victim: &Stealers) -> Option<Runnable> {
        for (priority, stealer) in victim.0.iter().enumerate() {
            loop {
                if stealer.is_empty() {
                    break;
                }
                match stealer.steal_batch_and_pop(&self.by_priority[priority]) {
                    Steal::Success(runnable) => {
                        if priority != Priority::Normal as usize {
                            let queued = self.by_priority[priority].len() as u32;
                            self.urgent.update(|urgent| urgent + queued);
                        }
                        return Some(runnable);
                    }
                    Steal::Retry => std::hint::spin_loop(),
                    Steal::Empty => break,
                }
            }
        }
        None
    }
}
