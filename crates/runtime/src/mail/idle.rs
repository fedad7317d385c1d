//! Schedulers without work: how long they look for some, and how they sleep. How they are woken is in [`super::wake`].
//!
//! At most one idle scheduler waits in the I/O poll, and handles the events that it sees; the others wait on their
//! parking spots. [`sleepers`](super::wake::sleepers) lists the sleeping schedulers.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sys::park::Wakeup;

use crate::mail::in_vain::InVain;
use crate::mail::microstate::{self, ThreadState};
use crate::mail::schedulers::{Schedulers, Shared, schedulers};
use crate::mail::wake::wake_one;
use crate::mail::{dirty, io, timer};
use crate::process::dirty::DirtyKind;
use crate::process::sync::between_steps;

/// Spin-loop iterations (about 50 ns each) between two looks at the queues of other schedulers. Each look fetches their
/// cache lines, so it is not done on every iteration.
pub(crate) const SPINS_PER_LOOK: u32 = 16;

thread_local! {
    /// Whether an I/O event ended the last sleep of this thread's scheduler.
    static WOKEN_BY_IO: Cell<bool> = const { Cell::new(false) };
}

/// How many times an idle scheduler looks for work before it sleeps; set by `+sbwt`.
static BUSY_WAIT_SPINS: AtomicUsize = AtomicUsize::new(200);

/// A busy-waiting scheduler polls I/O once in this many turns, about every 13 us.
const TURNS_PER_POLL: usize = 16;

/// Busy-wait turns of a scheduler that was last woken by I/O, about 10 us in all, with an I/O poll in each. Chosen by
/// E3 (`pipe_ring`).
const TURNS_FOR_IO: usize = 10;

/// The same after something came from another node, about 40 us in all: as long as an answer takes on one machine. To
/// sleep and wake takes longer: a message there and back took 92 us with it, 20 to 43 us without.
const TURNS_FOR_PEER: usize = 40;
/// Of searches that are likely to be in vain, one in so many is made.
const ATTEMPTED: u8 = 8;
/// Those for the ends of calls come as often as the calls.
const ATTEMPTED_FOR_CALL: u8 = 64;

thread_local! {
    /// Whether this thread has read from another node since its scheduler last looked for work.
    static HEARD_OF_PEER: Cell<bool> = const { Cell::new(false) };
    /// Whether this thread has left a process to a dirty scheduler since its scheduler last looked for work.
    static AWAITS_CALL: Cell<bool> = const { Cell::new(false) };
    /// How many searches of each kind were in vain since one was not.
    static IN_VAIN: [InVain; 4] = const {
        let [work, io, peer] = [const { InVain::new(ATTEMPTED) }; 3];
        [work, io, peer, InVain::new(ATTEMPTED_FOR_CALL)]
    };
}

/// What a scheduler that searches hopes for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    /// Work of other schedulers: it was last woken by one, or by a timer.
    Work,
    /// I/O, which woke it last. It searches only about as long as sleeping and waking take: it probably waits for an
    /// external program, which needs the processor that busy waiting occupies.
    Io,
    /// An answer of another node.
    Peer,
    /// The end of a dirty call that one of its processes has made.
    Call,
}

impl Search {
    /// What is to be hoped for now; `None` if it is most likely in vain.
    fn next() -> Option<Search> {
        let is_peer = HEARD_OF_PEER.replace(false);
        let is_call = AWAITS_CALL.replace(false);
        let search = match WOKEN_BY_IO.get() {
            _ if is_call => Search::Call,
            true if is_peer => Search::Peer,
            true => Search::Io,
            false => Search::Work,
        };
        if search.in_vain(InVain::is_attempted) {
            return Some(search);
        }
        // The peer is far away, or does not answer at once.
        (search == Search::Peer && Search::Io.in_vain(InVain::is_attempted)).then_some(Search::Io)
    }

    fn in_vain<R>(self, ask: impl FnOnce(&InVain) -> R) -> R {
        IN_VAIN.with(|kinds| ask(&kinds[self as usize]))
    }

    fn ended(self, found: bool) {
        self.in_vain(|searches| searches.ended(found));
    }

    /// How many turns it lasts, and how many of them there are between two polls of I/O.
    fn turns(self) -> (usize, usize) {
        let most = BUSY_WAIT_SPINS.load(Ordering::Relaxed);
        match self {
            Search::Work | Search::Call => (most, TURNS_PER_POLL),
            Search::Io => (TURNS_FOR_IO.min(most), 1),
            Search::Peer => (TURNS_FOR_PEER.min(most), 1),
        }
    }
}

/// Something has come from another node, and more may follow soon.
pub fn heard_of_peer() {
    HEARD_OF_PEER.set(true);
}

/// This thread has left a process to a dirty scheduler, from which it may be back soon.
pub(crate) fn awaits_call() {
    AWAITS_CALL.set(true);
}

/// Sets how many turns a scheduler looks for work before it sleeps.
pub fn set_busy_wait(spins: usize) {
    BUSY_WAIT_SPINS.store(spins, Ordering::Relaxed);
}

/// Whether `statistics(scheduler_wall_time)` is on.
static WALL_TIME_TOLD: AtomicBool = AtomicBool::new(false);

/// Turns `scheduler_wall_time` on or off; returns the previous setting.
pub fn tell_wall_time(on: bool) -> bool {
    WALL_TIME_TOLD.swap(on, Ordering::Relaxed)
}

/// For each scheduler the nanoseconds it was awake and the nanoseconds since it started; `None` while
/// `scheduler_wall_time` is off.
#[must_use]
pub fn wall_times_ns() -> Option<Vec<(i64, i64)>> {
    if !WALL_TIME_TOLD.load(Ordering::Relaxed) {
        return None;
    }
    let now_ns = sys::clock::monotonic_ns();
    let all = schedulers().all.iter();
    Some(all.map(|shared| wall_time_ns(shared, now_ns)).collect())
}

/// For a scheduler the nanoseconds it was awake and the nanoseconds since it started.
fn wall_time_ns(shared: &Shared, now_ns: i64) -> (i64, i64) {
    let total_ns = now_ns - shared.started_ns;
    let since_ns = shared.asleep_since_ns.load(Ordering::Relaxed);
    let sleeping_ns = match since_ns {
        0 => 0,
        since_ns => (now_ns - since_ns).max(0),
    };
    let slept_ns = shared.slept_ns.load(Ordering::Relaxed) + sleeping_ns;
    ((total_ns - slept_ns).clamp(0, total_ns), total_ns)
}

/// For each scheduler the nanoseconds in which it worked: it neither slept, nor looked for work, nor waited until it
/// might take that of others.
#[must_use]
pub fn worked_ns() -> Vec<i64> {
    let now_ns = sys::clock::monotonic_ns();
    let of_one = |shared: &Shared| {
        let (awake_ns, _) = wall_time_ns(shared, now_ns);
        (awake_ns - shared.stood_by_ns.load(Ordering::Relaxed)).max(0)
    };
    schedulers().all.iter().map(of_one).collect()
}

/// For so long nothing runs before threads that look now and then rest: for less than the pause between two looks of
/// theirs, so that one look after the last run is enough, but not for much less, since to be woken costs more than that
/// look.
const RESTS_AFTER_NS: i64 = 400_000_000;

/// Whether nothing runs, and nothing has for a while: all schedulers sleep, and dirty ones have no work. Threads of
/// libraries are not known.
#[must_use]
pub fn nothing_runs() -> bool {
    let since_ns = sys::clock::monotonic_ns() - RESTS_AFTER_NS;
    let sleeps = |shared: &Shared| {
        let asleep_since_ns = shared.asleep_since_ns.load(Ordering::Relaxed);
        asleep_since_ns != 0 && asleep_since_ns <= since_ns
    };
    let kinds = [DirtyKind::Cpu, DirtyKind::Io];
    schedulers().all.iter().all(sleeps) && kinds.iter().all(|kind| dirty::active_tasks(*kind) == 0)
}

/// Sleeps for a while although there is work, which is left to the other schedulers. This scheduler is not listed as a
/// sleeper meanwhile. Called while the thread is idle in the epochs.
pub(crate) fn nap(shared: &Shared, timeout_ns: u64) {
    let timeout_ns =
        timer::until_next(shared.index).map_or(timeout_ns, |next| next.min(timeout_ns));
    if timeout_ns > 0 {
        let _ = shared.spot.park(Some(timeout_ns));
    }
}

/// Looks for work for a while; returns whether there is some.
fn search(schedulers: &Schedulers, shared: &Shared) -> bool {
    let Some(search) = Search::next() else {
        return false;
    };
    let (turns, turns_per_poll) = search.turns();
    schedulers.idle.begin_search();
    let found = (0..turns).any(|turn| {
        // A short call is over before a poll is.
        if turn % turns_per_poll == 0 && (turn > 0 || search != Search::Call) {
            io::poll_now();
        }
        let found = work_somewhere(schedulers, shared);
        if !found {
            for _ in 0..SPINS_PER_LOOK {
                std::hint::spin_loop();
            }
        }
        found
    });
    schedulers.idle.end_search();
    search.ended(found);
    // While this scheduler searched, nobody was woken for processes that other threads queued. It takes at most one of
    // them itself, so it wakes another scheduler if there are more.
    if found && schedulers.injected.len() > usize::from(shared.stealers.is_empty()) {
        wake_one(schedulers);
    }
    found
}

/// Sleeps until there may be something to do, at most for `most_ns`. Called while the thread is idle in the epochs.
pub(crate) fn sleep(shared: &Shared, online: bool, most_ns: Option<u64>) {
    let schedulers = schedulers();
    if online && search(schedulers, shared) {
        return;
    }
    between_steps();
    schedulers.idle.announce(shared.index, online);
    between_steps();
    microstate::set(ThreadState::Sleep);
    let came_online = !online && shared.index < schedulers.online.load(Ordering::SeqCst);
    if came_online || shared.aux_work.any() || online && work_somewhere(schedulers, shared) {
        schedulers.idle.withdraw(shared.index);
        return;
    }
    let settles_after_ns =
        sys::memory::settling::settles_after_ns(shared.asleep_since_ns.load(Ordering::Relaxed));
    let settles = most_ns.is_none_or(|most| most > settles_after_ns);
    let first_ns = if settles {
        Some(settles_after_ns)
    } else {
        most_ns
    };
    if wait(shared, first_ns) == Woken::TimeIsOver && settles {
        sys::memory::settling::settle();
        wait(shared, most_ns.map(|most| most - settles_after_ns));
    }
    schedulers.idle.withdraw(shared.index);
    shared.spot.take_notification();
}

/// How [`wait`] ended.
#[derive(PartialEq, Eq)]
enum Woken {
    /// The given time has passed.
    TimeIsOver,
    Otherwise,
}

/// Waits for I/O, a timer or a call from another thread, at most for the given time.
fn wait(shared: &Shared, most_ns: Option<u64>) -> Woken {
    let timer_ns = timer::until_next(shared.index);
    if timer_ns == Some(0) {
        return Woken::Otherwise;
    }
    let timeout_ns = match (timer_ns, most_ns) {
        (Some(timer), Some(most)) => Some(timer.min(most)),
        (one, other) => one.or(other),
    };
    let waited = io::wait(shared.index, timeout_ns, || shared.spot.take_notification());
    WOKEN_BY_IO.set(waited == io::Waited::Events);
    if waited == io::Waited::NotHere {
        return match shared.spot.park(timeout_ns) {
            Wakeup::TimedOut if timeout_ns == most_ns => Woken::TimeIsOver,
            _ => Woken::Otherwise,
        };
    }
    let whole = || {
        let since_ns = shared.asleep_since_ns.load(Ordering::Relaxed);
        most_ns.is_some_and(|most| sys::clock::monotonic_ns() - since_ns >= most as i64)
    };
    // A call that arrives at the last moment is not lost: its notification stays stored and ends the next wait.
    if waited == io::Waited::Nothing && timeout_ns == most_ns && whole() {
        Woken::TimeIsOver
    } else {
        Woken::Otherwise
    }
}

fn work_somewhere(schedulers: &Schedulers, own: &Shared) -> bool {
    !schedulers.injected.is_empty()
        || own.bound.any()
        || super::ports::any(&own.ports)
        || own.aux_work.any()
        || schedulers
            .all
            .iter()
            .any(|shared| !shared.stealers.is_empty() || shared.ports.has_waited())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::in_vain;

    #[test]
    fn the_end_of_a_call_is_hoped_for_once_whatever_woke_the_scheduler() {
        for by_io in [false, true] {
            WOKEN_BY_IO.set(by_io);
            heard_of_peer();
            awaits_call();
            assert_eq!(Search::next(), Some(Search::Call));
            assert_ne!(Search::next(), Some(Search::Call));
        }
        for _ in 0..in_vain::MOST {
            Search::Call.ended(false);
        }
        let searched = std::iter::repeat_with(|| {
            awaits_call();
            Search::next()
        });
        let left_out = searched.take_while(Option::is_none).count();
        assert!(
            left_out > usize::from(in_vain::MOST) && left_out < usize::from(ATTEMPTED_FOR_CALL),
            "{left_out}"
        );
        assert!(
            Search::next().is_some(),
            "searches for others are as before"
        );
    }

    #[test]
    fn a_peer_that_does_not_answer_is_as_other_input() {
        WOKEN_BY_IO.set(true);
        let mut searched = Vec::new();
        for _ in 0..2 * in_vain::MOST {
            heard_of_peer();
            let search = Search::next().expect("one or the other");
            search.ended(search == Search::Io);
            searched.push(search);
        }
        let (first, later) = searched.split_at(usize::from(in_vain::MOST));
        assert!(first.iter().all(|search| *search == Search::Peer));
        assert!(later.iter().filter(|search| **search == Search::Io).count() >= 13);
    }
}
