//! Decides when a scheduler without work steals processes from another one.
//!
//! Moving a process to another processor costs about as much as the whole life of a small process, because its control
//! block, heap and messages are in the other processor's caches. Two rules keep a second scheduler from making programs
//! slower:
//!
//! - A process that is queued alone is about to run on the scheduler where it was woken. It is stolen only after it has
//!   waited for [`LONE_NS`] during one and the same slice of its victim.
//! - If several are queued, some are stolen at once, unless the processes of the last theft ran so briefly that moving
//!   them was not worth the cost. Then the thief backs off, longer each time.
//!
//! Besides, a scheduler that has work balances its queue against much longer ones. Otherwise, where processes never
//! wait, the few stolen ones would share one processor and the many others the other.
//!
//! Only the thief's thread uses this; of its victims it reads only [`crate::mail::schedulers::Shared`].

use crate::mail::schedulers::{Counts, Shared};

/// How long a process waits alone before another scheduler takes it: the time of some hundred messages.
const LONE_NS: i64 = 20_000;
/// A theft was worth it if the slices after it took at least this long on average. Moving costs about 500 ns.
const WORTH_NS: i64 = 1_500;
/// The first wait after a theft that was not worth it, and the longest wait.
const SHORTEST_WAIT_NS: i64 = 10_000;
const LONGEST_WAIT_NS: i64 = 1_000_000;

/// The most processes moved from one victim in one balance check.
const MOST_EVENED_OUT: usize = 1024;
/// Differences in queue length up to this are not balanced.
const UNEVEN: usize = 32;

/// A scheduler's record of its thefts.
#[derive(Default)]
pub(super) struct Thief {
    /// When it last stole, and its slice count then; `None` after it has run out of work.
    taken: Option<(i64, u64)>,
    wait_ns: i64,
    not_before_ns: i64,
    /// The victim whose lone process it watches: its number, its slice count, and when that count was first seen.
    watched: (usize, u64, i64),
    /// When it last checked the balance, and its slice count then.
    looked: (i64, u64),
    /// When to look again, if some process was left where it is for now.
    look_again_ns: Option<i64>,
}

/// Whether to steal from a victim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Take,
    Leave,
}

impl Thief {
    /// Called when the thief has run out of work: decides whether the last theft was worth it.
    pub(super) fn ran_dry(&mut self, now_ns: impl FnOnce() -> i64, own: &Counts) {
        self.look_again_ns = None;
        let Some((since_ns, slices_then)) = self.taken.take() else {
            return;
        };
        let now_ns = now_ns();
        let slices = (own.switches() - slices_then).max(1) as i64;
        if (now_ns - since_ns) / slices >= WORTH_NS {
            self.wait_ns = 0;
        } else {
            self.wait_ns = (2 * self.wait_ns).clamp(SHORTEST_WAIT_NS, LONGEST_WAIT_NS);
        }
        self.not_before_ns = now_ns + self.wait_ns;
    }

    /// Whether to take from a victim with `queued` processes of normal priority, at least one.
    pub(super) fn judge(&mut self, now_ns: i64, victim: &Shared, queued: usize) -> Verdict {
        if queued > 1 {
            if now_ns >= self.not_before_ns {
                return Verdict::Take;
            }
            self.look_again(self.not_before_ns);
            return Verdict::Leave;
        }
        let slices = victim.counts.switches();
        let (index, slices_seen, since_ns) = self.watched;
        if index == victim.index && slices == slices_seen && since_ns != 0 {
            if now_ns - since_ns >= LONE_NS {
                return Verdict::Take;
            }
            self.look_again(since_ns + LONE_NS);
        } else {
            self.watched = (victim.index, slices, now_ns);
            self.look_again(now_ns + LONE_NS);
        }
        Verdict::Leave
    }

    fn look_again(&mut self, at_ns: i64) {
        self.look_again_ns = Some(self.look_again_ns.map_or(at_ns, |other| other.min(at_ns)));
    }

    /// Notes a theft.
    pub(super) fn took(&mut self, now_ns: i64, own: &Counts) {
        self.taken = Some((now_ns, own.switches()));
        self.watched.2 = 0;
    }

    /// How many processes of one priority a scheduler with work takes from a victim to balance their queues: `own` are
    /// queued here and `queued` there. `since_ns` and `slices` are the time and the number of slices since the last
    /// balance check.
    pub(super) fn share(since_ns: i64, slices: u64, own: usize, queued: usize) -> usize {
        let difference = queued.saturating_sub(own);
        let worth_it = since_ns >= WORTH_NS * slices as i64;
        if !worth_it || difference <= UNEVEN.max(own / 4) {
            return 0;
        }
        (difference / 2).min(MOST_EVENED_OUT)
    }

    /// How many of `queued` processes are taken from a victim that gives them no turns. The others follow.
    pub(super) fn rescue(queued: usize) -> usize {
        queued.div_ceil(2).min(MOST_EVENED_OUT)
    }

    /// The time and the number of slices since the last call.
    pub(super) fn since_last_look(&mut self, now_ns: i64, own: &Counts) -> (i64, u64) {
        let slices = own.switches();
        let (last_ns, last_slices) = std::mem::replace(&mut self.looked, (now_ns, slices));
        (now_ns - last_ns, slices - last_slices)
    }

    /// When to look again at processes that were left where they are; `None` if there were none.
    pub(super) fn look_again_ns(&self) -> Option<i64> {
        self.look_again_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::queues::RunQueues;

    fn victim() -> Shared {
        Shared::new(1, &RunQueues::new())
    }

    #[test]
    fn several_are_taken_at_once_unless_the_last_ones_were_not_worth_it() {
        let (mut thief, own, victim) = (Thief::default(), victim().counts, victim());
        assert_eq!(thief.judge(1_000, &victim, 2), Verdict::Take);
        thief.took(1_000, &own);
        (0..10).for_each(|_| own.add(1));
        // Ten slices in 5 us.
        thief.ran_dry(|| 6_000, &own);
        assert_eq!(thief.judge(6_100, &victim, 50), Verdict::Leave);
        assert_eq!(thief.look_again_ns(), Some(6_000 + SHORTEST_WAIT_NS));
        let later = 6_000 + SHORTEST_WAIT_NS;
        assert_eq!(thief.judge(later, &victim, 50), Verdict::Take);
        thief.took(later, &own);
        own.add(1);
        // One slice of 50 us.
        thief.ran_dry(|| later + 50_000, &own);
        assert_eq!(thief.judge(later + 50_001, &victim, 2), Verdict::Take);
    }

    #[test]
    fn waits_grow_up_to_a_bound() {
        let (mut thief, own, victim) = (Thief::default(), victim().counts, victim());
        let mut now_ns = 0;
        for _ in 0..20 {
            thief.took(now_ns, &own);
            own.add(1);
            thief.ran_dry(|| now_ns + 10, &own);
            now_ns += 10;
        }
        assert_eq!(thief.judge(now_ns, &victim, 2), Verdict::Leave);
        assert_eq!(thief.look_again_ns(), Some(now_ns + LONGEST_WAIT_NS));
    }

    #[test]
    fn what_is_uneven_is_evened_out_where_slices_are_long() {
        let long_ns = 64 * WORTH_NS;
        assert_eq!(Thief::share(long_ns, 64, 32, 99_968), MOST_EVENED_OUT);
        assert_eq!(Thief::share(long_ns, 64, 100, 300), 100);
        assert_eq!(Thief::share(long_ns, 64, 1_000, 1_200), 0);
        assert_eq!(Thief::share(long_ns, 64, 300, 100), 0);
        assert_eq!(Thief::share(long_ns - 1, 64, 32, 99_968), 0);
    }

    #[test]
    fn a_lone_process_is_taken_when_it_waited_behind_one_slice() {
        let (mut thief, victim) = (Thief::default(), victim());
        assert_eq!(thief.judge(1_000, &victim, 1), Verdict::Leave);
        assert_eq!(thief.judge(1_000 + LONE_NS - 1, &victim, 1), Verdict::Leave);
        victim.counts.add(4_000);
        assert_eq!(thief.judge(1_000 + LONE_NS, &victim, 1), Verdict::Leave);
        assert_eq!(thief.judge(1_000 + 2 * LONE_NS, &victim, 1), Verdict::Take);
    }
}
