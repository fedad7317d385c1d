//! Run queues: one per priority, first in first out, with stealing (crossbeam's deques).
//!
//! Processes of normal priority that have used up a whole slice wait in a queue of their own. The others have just been
//! woken or made, and most of them need little time: so that they need not wait for all who compute, one of those has
//! its turn after each turn of another at the most. Where fewer compute than others are ready, all have as many turns
//! as in one queue.
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
    queues: [Worker<Runnable>; 5],
    /// At least the number of processes in other queues than the normal one. While it is 0, `pop` looks only at that.
    apart: Cell<u32>,
    turns: Turns,
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

/// Whose turn it is among processes of normal priority.
///
/// A round is one turn of each of the others that were queued when it began. Between them, evenly, are turns of the
/// spent ones that were queued then, at most one after each: whoever has used up a slice in this round is behind all of
/// them, as in one queue.
#[derive(Default)]
struct Turns {
    /// How many spent ones were queued when the round began.
    spent: Cell<u64>,
    /// The longer one of both queues then.
    longer: Cell<u64>,
    /// How many turns of others are left of the round.
    left: Cell<u64>,
    /// `spent` for each turn of others, less `longer` for each turn of a spent one.
    due: Cell<u64>,
}

impl Turns {
    /// Whether the next turn is for one of so many spent processes, beside so many others; counts the turn.
    fn are_for_spent(&self, spent: usize, others: usize) -> bool {
        if others == 0 {
            self.left.set(0);
            self.due.set(0);
            return spent > 0;
        }
        if spent > 0 && self.due.get() > 0 && self.due.get() >= self.longer.get() {
            self.due.update(|due| due - self.longer.get());
            return true;
        }
        if self.left.get() == 0 {
            self.spent.set(spent as u64);
            self.longer.set(spent.max(others) as u64);
            self.left.set(others as u64);
            self.due.set(0);
        }
        self.left.update(|left| left - 1);
        self.due.update(|due| due + self.spent.get());
        false
    }
}

/// The queues of one scheduler, as all other threads use them.
pub(crate) struct Stealers([Stealer<Runnable>; 5]);

/// The queues of a scheduler, in the order in which others take processes from them: to move one costs least where it
/// computes for long.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Queue {
    Max,
    High,
    /// Of normal priority, after a whole slice.
    Spent,
    Normal,
    Low,
}

impl Queue {
    const ALL: [Queue; 5] = [
        Queue::Max,
        Queue::High,
        Queue::Spent,
        Queue::Normal,
        Queue::Low,
    ];

    fn of(priority: Priority) -> Queue {
        match priority {
            Priority::Max => Queue::Max,
            Priority::High => Queue::High,
            Priority::Normal => Queue::Normal,
            Priority::Low => Queue::Low,
        }
    }
}

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
        let [max, high, spent, normal, low] = self.0.each_ref().map(Stealer::len);
        [max, high, spent + normal, low]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(Stealer::is_empty)
    }

    /// The number of queued processes of normal priority.
    pub(crate) fn normal(&self) -> usize {
        self.0[Queue::Normal as usize].len() + self.0[Queue::Spent as usize].len()
    }

    /// Whether there are processes of other priorities.
    pub(crate) fn other_than_normal(&self) -> bool {
        let [max, high, _, _, low] = &self.0;
        !(max.is_empty() && high.is_empty() && low.is_empty())
    }
}

impl RunQueues {
    pub(crate) fn new() -> RunQueues {
        RunQueues {
            queues: std::array::from_fn(|_| Worker::new_fifo()),
            apart: Cell::new(0),
            turns: Turns::default(),
            due_to_low: Cell::new(0),
            passed_over: Cell::new(0),
            awaited: RefCell::default(),
            any_awaited: Cell::new(false),
        }
    }

    pub(crate) fn stealers(&self) -> Stealers {
        Stealers(self.queues.each_ref().map(Worker::stealer))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queues.iter().all(Worker::is_empty)
    }

    /// Queues a process; returns whether others of its priority were already queued.
    #[inline]
    pub(crate) fn push(&self, runnable: Runnable, priority: Priority) -> bool {
        self.push_to(Queue::of(priority), runnable)
    }

    /// Queues a process that has used up its slice; returns whether others of its priority were already queued.
    #[inline]
    pub(crate) fn push_spent(&self, runnable: Runnable, priority: Priority) -> bool {
        match priority {
            Priority::Normal => self.push_to(Queue::Spent, runnable),
            other => self.push(runnable, other),
        }
    }

    #[inline]
    fn push_to(&self, queue: Queue, runnable: Runnable) -> bool {
        let is_any = |queue| !self.own(queue).is_empty();
        let more = match queue {
            Queue::Normal | Queue::Spent => {
                is_any(Queue::Normal) || self.apart.get() > 0 && is_any(Queue::Spent)
            }
            other => is_any(other),
        };
        self.own(queue).push(runnable);
        if queue != Queue::Normal {
            self.apart.update(|apart| apart + 1);
        }
        more
    }

    fn own(&self, queue: Queue) -> &Worker<Runnable> {
        &self.queues[queue as usize]
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
        self.own(Queue::Max).is_empty() && !bound.any_of(Priority::Max)
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
        if self.apart.get() > 0
            && let Some(runnable) = self.pop_apart()
        {
            return Some(runnable);
        }
        self.own(Queue::Normal).pop()
    }

    /// The next process, unless it is one of the normal queue.
    fn pop_apart(&self) -> Option<Runnable> {
        let [max, high, spent, normal, low] = &self.queues;
        let apart = max.len() + high.len() + spent.len() + low.len();
        debug_assert!(apart <= self.apart.get() as usize);
        if apart == 0 {
            // The counted processes were stolen.
            self.apart.set(0);
            return None;
        }
        let popped = if let Some(urgent) = max.pop().or_else(|| high.pop()) {
            if !(normal.is_empty() && spent.is_empty() && low.is_empty()) {
                self.passed_over.update(|slices| slices + 1);
            }
            Some(urgent)
        } else {
            self.pop_low().or_else(|| self.pop_spent())
        };
        if popped.is_some() {
            self.apart.update(|apart| apart - 1);
        }
        popped
    }

    /// The next low process, if it comes before the normal ones now; else their turn is counted.
    fn pop_low(&self) -> Option<Runnable> {
        let low = self.own(Queue::Low);
        if self.is_turn_of_low()
            && let Some(runnable) = low.pop()
        {
            let turn = u64::from(NORMAL_PER_LOW) * self.normal() as u64;
            self.due_to_low.update(|due| due.saturating_sub(turn));
            return Some(runnable);
        }
        self.due_to_low.update(|due| due + low.len() as u64);
        None
    }

    /// The next spent process, if it comes before the others of normal priority now.
    fn pop_spent(&self) -> Option<Runnable> {
        let spent = self.own(Queue::Spent);
        let is_next = self
            .turns
            .are_for_spent(spent.len(), self.own(Queue::Normal).len());
        is_next.then(|| spent.pop()).flatten()
    }

    /// The number of queued processes of normal priority.
    fn normal(&self) -> usize {
        self.own(Queue::Normal).len() + self.own(Queue::Spent).len()
    }

    /// Whether a low process comes before a normal one now.
    fn is_turn_of_low(&self) -> bool {
        let normal = self.normal() as u64;
        normal == 0 || self.due_to_low.get() >= u64::from(NORMAL_PER_LOW) * normal
    }

    /// How many slices urgent processes had while others were queued, since this was asked last.
    pub(crate) fn passed_over(&self) -> u64 {
        self.passed_over.take()
    }

    /// Whether one of these processes goes before a bound one of the given priority. Those of one priority take turns
    /// with the bound ones, which `had_turn` last time.
    pub(crate) fn goes_before(&self, priority: Priority, had_turn: bool) -> bool {
        let [max, high, _, _, low] = &self.queues;
        match priority {
            Priority::Max => had_turn && !max.is_empty(),
            Priority::High => !max.is_empty() || had_turn && !high.is_empty(),
            Priority::Normal => {
                let urgent = !max.is_empty() || !high.is_empty();
                urgent || had_turn && (self.normal() > 0 || !low.is_empty())
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
        let mut left = most;
        if priority == Priority::Normal {
            left -= self.take_batch(victim, Queue::Spent, left).min(left);
        }
        if left > 0 {
            self.take_batch(victim, Queue::of(priority), left);
        }
    }

    /// Moves up to `most` processes of one queue of another scheduler here; returns how many are there now that were
    /// not before.
    fn take_batch(&self, victim: &Stealers, queue: Queue, most: usize) -> usize {
        let own = self.own(queue);
        let before = own.len();
        let _ = victim.0[queue as usize].steal_batch_with_limit(own, most);
        let more = own.len().saturating_sub(before);
        if queue != Queue::Normal {
            // Others may have stolen some of them by now: the number is at least that of those that are there.
            self.apart.update(|apart| apart + more.max(1) as u32);
        }
        more
    }

    /// Moves some of another scheduler's processes here and returns one of them.
    pub(crate) fn steal_from(&self, victim: &Stealers) -> Option<Runnable> {
        for queue in Queue::ALL {
            let stealer = &victim.0[queue as usize];
            loop {
                if stealer.is_empty() {
                    break;
                }
                match stealer.steal_batch_and_pop(self.own(queue)) {
                    Steal::Success(runnable) => {
                        if queue != Queue::Normal {
                            let queued = self.own(queue).len() as u32;
                            self.apart.update(|apart| apart + queued);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Who has each of the next turns, with so many of both.
    fn next(turns: &Turns, spent: usize, others: usize) -> String {
        let who = |_| match turns.are_for_spent(spent, others) {
            true => 's',
            false => 'o',
        };
        (0..12).map(who).collect()
    }

    #[test]
    fn who_was_woken_waits_for_one_spent_process_at_most() {
        let turns = Turns::default();
        assert_eq!(next(&turns, 20_000, 1), "osososososos");
        assert_eq!(next(&turns, 20_000, 0), "ssssssssssss");
        assert_eq!(next(&turns, 20_000, 20_000), "osososososos");
    }

    #[test]
    fn one_spent_process_has_a_turn_in_each_round_of_the_others() {
        let turns = Turns::default();
        assert_eq!(next(&turns, 1, 3), "ooosooosooos");
        assert_eq!(next(&turns, 2, 3), "oososoososoo");
    }

    #[test]
    fn who_spends_a_slice_in_a_round_waits_for_the_next_one() {
        let turns = Turns::default();
        let first = (0..20).all(|spent| !turns.are_for_spent(spent, 20 - spent));
        assert!(
            first,
            "one of twenty had a second turn before all had their first"
        );
        assert_eq!(next(&turns, 20, 1), "osososososos");
    }

    #[test]
    fn turns_that_were_due_beside_many_are_not_all_had_beside_few() {
        let turns = Turns::default();
        for _ in 0..1000 {
            assert!(!turns.are_for_spent(1, 1000));
        }
        assert_eq!(next(&turns, 1, 1), "sosososososo");
    }
}
