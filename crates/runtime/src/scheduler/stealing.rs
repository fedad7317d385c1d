//! When a scheduler without work takes processes from another one.
//!
//! Moving a process between processors costs about what a small process costs altogether: its control block, heap and
//! messages lie in the other's caches. Two rules keep a second scheduler from making programs slower:
//!
//! - A process that is queued alone is about to run where it is, where the message was sent that woke it. It is taken
//!   only after it waited for [`LONE_NS`], while whoever runs there did not come to an end.
//! - Of several, some are taken at once, unless what was taken lately ran so shortly that it was not worth the way. Then
//!   the thief waits, each time longer.
//!
//! Beside that, a scheduler with work evens out what is uneven: where processes never rest, the few that were stolen
//! would otherwise share one processor, and the many that were left the other.
//!
//! The thief's thread alone touches this; of its victims it reads what [`super::Shared`] shows.

use super::{Counts, Shared};

/// How long a process waits alone before another scheduler takes it: some hundred messages' time.
const LONE_NS: i64 = 20_000;
/// What was taken and ran for less than this on average, was not worth taking. Moving costs about 500 ns.
const WORTH_NS: i64 = 1_500;
/// The first wait after what was not worth taking, and the longest.
const SHORTEST_WAIT_NS: i64 = 10_000;
const LONGEST_WAIT_NS: i64 = 1_000_000;

/// Processes that move in one look at the balance.
const MOST_EVENED_OUT: usize = 1024;
/// A difference that is left as it is.
const UNEVEN: usize = 32;

/// What one scheduler knows of its thefts.
#[derive(Default)]
pub(super) struct Thief {
    /// When it took something that it has not come to the end of, and its slices then.
    taken: Option<(i64, u64)>,
    wait_ns: i64,
    not_before_ns: i64,
    /// The victim whose lone process it watches: its number, its slices, and since when they are so many.
    watched: (usize, u64, i64),
    /// When it last looked at the balance, and its slices then.
    looked: (i64, u64),
    /// When it is worth looking again: some process is left where it is for now.
    look_again_ns: Option<i64>,
}

/// What to do about the processes of a victim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Take,
    Leave,
}

impl Thief {
    /// The thief has nothing to run any more: it learns whether the last theft was worth it.
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

    /// Something was taken.
    pub(super) fn took(&mut self, now_ns: i64, own: &Counts) {
        self.taken = Some((now_ns, own.switches()));
        self.watched.2 = 0;
    }

    /// How many processes to take from a victim although there is work: `own` processes are queued here and `queued` there.
    /// `since_ns` and `slices` are the time and the slices since the last look.
    pub(super) fn share(since_ns: i64, slices: u64, own: usize, queued: usize) -> usize {
        let difference = queued.saturating_sub(own);
        let worth_it = since_ns >= WORTH_NS * slices as i64;
        if own == 0 || !worth_it || difference <= UNEVEN.max(own / 4) {
            return 0;
        }
        (difference / 2).min(MOST_EVENED_OUT)
    }

    /// Time and slices since this was last asked.
    pub(super) fn since_last_look(&mut self, now_ns: i64, own: &Counts) -> (i64, u64) {
        let slices = own.switches();
        let (last_ns, last_slices) = std::mem::replace(&mut self.looked, (now_ns, slices));
        (now_ns - last_ns, slices - last_slices)
    }

    /// When to look again at what was left where it is; None when nothing was.
    pub(super) fn look_again_ns(&self) -> Option<i64> {
        self.look_again_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::queues::RunQueues;

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
        assert_eq!(Thief::share(long_ns, 64, 0, 99_968), 0);
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
