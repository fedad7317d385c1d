//! Decides when a scheduler without work steals processes from another one.
//!
//! Moving a process to another processor costs about as much as the whole life of a small process, because its control
//! block, heap and messages are in the other processor's caches. Two rules keep a second scheduler from making programs
//! slower:
//!
//! - A process that is queued alone is about to run on the scheduler where it was woken. It is stolen only after it has
//!   waited for [`LONE_NS`] during one and the same slice of its victim.
//! - If several are queued for [`LONG_NS`], some are stolen, unless the processes of the last theft ran so briefly that
//!   moving them was not worth the cost. Then the thief backs off, longer each time.
//!
//! A thief does not wait for either of them: it looks while it searches for work, and sleeps when the search is over.
//! Where a few processes answer each other all the time, somebody is always queued, nobody for long.
//!
//! Besides, a scheduler that has work balances its queue against much longer ones. Otherwise, where processes never
//! wait, the few stolen ones would share one processor and the many others the other.
//!
//! Only the thief's thread uses this; of its victims it reads only [`crate::mail::schedulers::Shared`].

use crate::mail::schedulers::{Counts, Shared};

/// How long a process waits alone before another scheduler takes it: the time of some hundred messages.
const LONE_NS: i64 = 20_000;
/// How long several are queued before another scheduler takes some of them. Processes that answer each other run for a
/// few microseconds each, and with them moves what all of them use (decision 0058).
const LONG_NS: i64 = 20_000;
/// Between two looks of one search passes less time than this.
const LOOKS_APART_NS: i64 = 5_000;
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
    /// The victim whose lone process it watches, and its slice count.
    lone: (Watch, u64),
    /// The victim whose long queue it watches.
    long: Watch,
    /// When it last checked the balance, and its slice count then.
    looked: (i64, u64),
    /// When to look again, if some process was left where it is for now.
    look_again_ns: Option<i64>,
}

/// A victim with processes that are left to it for now. One is watched at a time.
#[derive(Default)]
struct Watch {
    victim: usize,
    since_ns: i64,
    seen_ns: i64,
}

impl Watch {
    /// Notes that this victim was seen with such processes. Returns for how long now; 0 if another one is watched.
    /// `goes_on` says whether they are the same as at the last look, given how long ago that was.
    fn lasts_ns(&mut self, victim: usize, now_ns: i64, goes_on: impl FnOnce(i64) -> bool) -> i64 {
        let apart_ns = now_ns - self.seen_ns;
        let is_watched = self.since_ns != 0 && victim == self.victim;
        if !is_watched && self.since_ns != 0 && apart_ns <= LOOKS_APART_NS {
            return 0;
        }
        if !is_watched || !goes_on(apart_ns) {
            (self.victim, self.since_ns) = (victim, now_ns);
        }
        self.seen_ns = now_ns;
        now_ns - self.since_ns
    }

    fn end(&mut self) {
        self.since_ns = 0;
    }
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
        let lasts = if queued > 1 {
            if now_ns < self.not_before_ns {
                self.look_again(self.not_before_ns);
                return Verdict::Leave;
            }
            let goes_on = |apart_ns| apart_ns <= LOOKS_APART_NS;
            self.long.lasts_ns(victim.index, now_ns, goes_on) >= LONG_NS
        } else {
            let slices = victim.counts.switches();
            let (watch, slices_seen) = &mut self.lone;
            let is_one_slice = |_| slices == *slices_seen;
            let lasts_ns = watch.lasts_ns(victim.index, now_ns, is_one_slice);
            if lasts_ns == 0 && watch.victim == victim.index {
                *slices_seen = slices;
            }
            lasts_ns >= LONE_NS
        };
        match lasts {
            true => Verdict::Take,
            false => Verdict::Leave,
        }
    }

    fn look_again(&mut self, at_ns: i64) {
        self.look_again_ns = Some(self.look_again_ns.map_or(at_ns, |other| other.min(at_ns)));
    }

    /// Notes a theft.
    pub(super) fn took(&mut self, now_ns: i64, own: &Counts) {
        self.taken = Some((now_ns, own.switches()));
        self.lone.0.end();
        self.long.end();
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

    /// The verdict after looks at a victim for as long as a thief is patient.
    fn watched(thief: &mut Thief, from_ns: i64, victim: &Shared, queued: usize) -> Verdict {
        let looks = (0..LONG_NS).step_by(LOOKS_APART_NS as usize);
        for since_ns in looks {
            let verdict = thief.judge(from_ns + since_ns, victim, queued);
            assert_eq!(verdict, Verdict::Leave);
        }
        thief.judge(from_ns + LONG_NS, victim, queued)
    }

    #[test]
    fn several_are_taken_unless_the_last_ones_were_not_worth_it() {
        let (mut thief, own, victim) = (Thief::default(), victim().counts, victim());
        thief.took(1_000, &own);
        (0..10).for_each(|_| own.add(1));
        // Ten slices in 5 us.
        thief.ran_dry(|| 6_000, &own);
        assert_eq!(thief.judge(6_100, &victim, 50), Verdict::Leave);
        assert_eq!(thief.look_again_ns(), Some(6_000 + SHORTEST_WAIT_NS));
        let later = 6_000 + SHORTEST_WAIT_NS;
        assert_eq!(watched(&mut thief, later, &victim, 50), Verdict::Take);
        thief.took(later + LONG_NS, &own);
        own.add(1);
        // One slice of 50 us.
        let dry_ns = later + LONG_NS + 50_000;
        thief.ran_dry(|| dry_ns, &own);
        assert_eq!(watched(&mut thief, dry_ns + 1, &victim, 2), Verdict::Take);
    }

    #[test]
    fn several_are_taken_when_they_were_seen_at_every_look_for_a_while() {
        let (mut thief, own, victim) = (Thief::default(), victim().counts, victim());
        assert_eq!(watched(&mut thief, 1_000, &victim, 3), Verdict::Take);
        assert_eq!(thief.look_again_ns(), None, "it need not wait for them");
        thief.took(1_000 + LONG_NS, &own);
        // After a pause it is as if they were seen for the first time.
        assert_eq!(thief.judge(100_000, &victim, 2), Verdict::Leave);
        let later = 100_000 + LOOKS_APART_NS + 1;
        assert_eq!(watched(&mut thief, later, &victim, 2), Verdict::Take);
    }

    #[test]
    fn one_victim_is_watched_at_a_time() {
        for queued in [1, 2] {
            let mut thief = Thief::default();
            let (first, second) = (victim(), Shared::new(2, &RunQueues::new()));
            for now_ns in (1_000..LONG_NS).step_by(1_000) {
                for victim in [&first, &second] {
                    assert_eq!(thief.judge(now_ns, victim, queued), Verdict::Leave);
                }
            }
            let verdicts =
                [&second, &first].map(|victim| thief.judge(1_000 + LONG_NS, victim, queued));
            assert_eq!(verdicts, [Verdict::Leave, Verdict::Take]);
        }
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
