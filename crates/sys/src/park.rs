//! A place where one thread sleeps until another wakes it, for scheduler and pool threads.
//!
//! Invariant: a wake-up is remembered, once: [`unpark`](ParkingSpot::unpark) before
//! [`park`](ParkingSpot::park) makes that call return at once, and any number of them counts as one.
//! There are no spurious returns.
//!
//! Only one thread at a time may park at a spot (more would steal each other's wake-ups; `park` panics if it finds
//! another thread parked); any thread may unpark.
//!
//! Memory ordering: everything done before `unpark` happens before the return of the `park` that
//! consumes it, also when several `unpark` calls collapse into one. The usual protocol is: the sleeper
//! announces that it is idle, looks for work once more, then parks; a waker publishes work, then checks
//! whether a thread is idle. Both need a `SeqCst` fence between their write and their read, which the
//! caller provides; `park` and `unpark` alone only order what they hand over.
//!
//! ```text
//! state   meaning                    who may change it
//! EMPTY   no sleeper, no wake-up     sleeper -> PARKED, wakers -> NOTIFIED
//! NOTIFIED  a wake-up is stored      sleeper -> EMPTY
//! PARKED  the owner sleeps           sleeper -> EMPTY (timeout), wakers -> NOTIFIED and a futex wake
//! ```

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::io::Errno;
use rustix::thread::futex;
use rustix::time::Timespec;

use crate::clock;

const EMPTY: u32 = 0;
const NOTIFIED: u32 = 1;
const PARKED: u32 = 2;

/// Iterations of [`ParkingSpot::spin`] (10 to 50 ns each) between two looks at the clock.
const SPINS_PER_LOOK_AT_CLOCK: u32 = 16;

/// Why [`ParkingSpot::park`] returned.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakeup {
    /// A thread called [`ParkingSpot::unpark`].
    Notified,
    /// The timeout expired without a wake-up.
    TimedOut,
}

/// Where one thread sleeps. Four bytes, so that it fits beside other scheduler state.
#[derive(Debug, Default)]
pub struct ParkingSpot {
    state: AtomicU32,
}

impl ParkingSpot {
    /// A spot without a sleeper and without a stored wake-up.
    pub const fn new() -> ParkingSpot {
        ParkingSpot {
            state: AtomicU32::new(EMPTY),
        }
    }

    /// Waits for a wake-up in a loop, at most for so many nanoseconds, and consumes it. Then it has cost neither side a
    /// system call. Returns whether there was one. Only the thread that parks here may call it.
    pub fn spin(&self, most_ns: u64) -> bool {
        let since_ns = clock::monotonic_ns();
        loop {
            for _ in 0..SPINS_PER_LOOK_AT_CLOCK {
                if self.take_notification() {
                    return true;
                }
                std::hint::spin_loop();
            }
            if (clock::monotonic_ns() - since_ns).unsigned_abs() >= most_ns {
                return false;
            }
        }
    }

    /// Sleeps until unparked, or until `timeout_ns` nanoseconds have passed.
    pub fn park(&self, timeout_ns: Option<u64>) -> Wakeup {
        // Acquire, here and below, pairs with the release in `unpark`.
        let deadline = timeout_ns.map(deadline_after);
        match self
            .state
            .compare_exchange(EMPTY, PARKED, Ordering::Acquire, Ordering::Acquire)
        {
            Ok(_) => {}
            Err(NOTIFIED) => {
                // A swap, since a plain store would lose the happens-before edge of a second `unpark` in between.
                self.state.swap(EMPTY, Ordering::Acquire);
                return Wakeup::Notified;
            }
            Err(state) => unreachable!("two threads park at one spot (state {state})"),
        }
        loop {
            let woken = futex_wait(&self.state, PARKED, deadline.as_ref());
            if self.take_notification() {
                return Wakeup::Notified;
            }
            if woken == WaitEnd::TimedOut {
                // An `unpark` since the last look wins over the clock.
                return match self.state.swap(EMPTY, Ordering::Acquire) {
                    NOTIFIED => Wakeup::Notified,
                    _ => Wakeup::TimedOut,
                };
            }
        }
    }

    /// Wakes the thread that sleeps here, or the next one to park. A system call only if one sleeps.
    ///
    /// Returns whether a thread slept.
    pub fn unpark(&self) -> bool {
        // A swap, not a compare-and-exchange: even if a wake-up is stored already, the `park` that consumes it must
        // synchronise with this release.
        let slept = self.state.swap(NOTIFIED, Ordering::Release) == PARKED;
        if slept {
            futex_wake(&self.state);
        }
        slept
    }

    /// Consumes a stored wake-up, and returns whether there was one. Only the thread that parks here may call it.
    #[inline]
    pub fn take_notification(&self) -> bool {
        // Reading first keeps the cache line shared while spinning.
        self.state.load(Ordering::Relaxed) == NOTIFIED
            && self.state.swap(EMPTY, Ordering::Acquire) == NOTIFIED
    }

    #[cfg(test)]
    fn is_parked(&self) -> bool {
        self.state.load(Ordering::Relaxed) == PARKED
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitEnd {
    MaybeChanged,
    TimedOut,
}

/// The moment on the monotonic clock; an absolute time survives interrupted waits.
fn deadline_after(timeout_ns: u64) -> Timespec {
    let now = clock::monotonic_ns().max(0) as u64;
    clock::timespec(now.saturating_add(timeout_ns))
}

fn futex_wait(word: &AtomicU32, expected: u32, deadline: Option<&Timespec>) -> WaitEnd {
    const ANY: NonZeroU32 = NonZeroU32::MAX;
    match futex::wait_bitset(word, futex::Flags::PRIVATE, expected, deadline, ANY) {
        Err(Errno::TIMEDOUT) => WaitEnd::TimedOut,
        // EAGAIN: the word had changed already. EINTR: a signal. The caller looks at the word in both cases.
        _ => WaitEnd::MaybeChanged,
    }
}

fn futex_wake(word: &AtomicU32) {
    // The kernel uses the address as a name only. If the owner of the spot has woken up by itself and freed it, another
    // futex at the address may get a wake-up, which its users have to expect anyway.
    let _ = futex::wake(word, futex::Flags::PRIVATE, 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    const LONG_NS: u64 = 20_000_000_000;

    #[test]
    fn wakeups_before_parking_count_once() {
        let spot = ParkingSpot::new();
        assert!(!spot.unpark() && !spot.unpark());
        assert_eq!(spot.park(Some(LONG_NS)), Wakeup::Notified);
        assert_eq!(spot.park(Some(1)), Wakeup::TimedOut);
        spot.unpark();
        assert!(spot.take_notification() && !spot.take_notification());
        assert_eq!(spot.park(Some(0)), Wakeup::TimedOut);
    }

    #[test]
    fn a_timeout_is_kept_and_not_much_exceeded() {
        let spot = ParkingSpot::new();
        let before = clock::monotonic_ns();
        assert_eq!(spot.park(Some(3_000_000)), Wakeup::TimedOut);
        let slept = clock::monotonic_ns() - before;
        assert!((3_000_000..2_000_000_000).contains(&slept), "{slept}");
    }

    #[test]
    fn a_sleeping_thread_is_woken_by_another() {
        let spot = Arc::new(ParkingSpot::new());
        let sleeper = std::thread::spawn({
            let spot = spot.clone();
            move || spot.park(None)
        });
        while !spot.is_parked() {
            std::thread::yield_now();
        }
        assert!(spot.unpark());
        assert_eq!(sleeper.join().unwrap(), Wakeup::Notified);
        assert!(!spot.is_parked());
    }

    #[test]
    fn a_wakeup_ends_the_loop_and_is_consumed_and_without_one_the_loop_ends_in_time() {
        let spot = ParkingSpot::new();
        let before = clock::monotonic_ns();
        assert!(!spot.spin(200_000));
        let waited = clock::monotonic_ns() - before;
        assert!((200_000..2_000_000_000).contains(&waited), "{waited}");
        assert!(!spot.unpark());
        assert!(spot.spin(LONG_NS));
        assert_eq!(spot.park(Some(1)), Wakeup::TimedOut);
        let waker = std::thread::scope(|scope| {
            let waker = scope.spawn(|| spot.unpark());
            assert!(spot.spin(LONG_NS));
            waker.join().unwrap()
        });
        assert!(!waker, "nobody slept");
    }

    fn await_wakeup(spot: &ParkingSpot, spins_ns: u64) {
        if !spot.spin(spins_ns) {
            assert_eq!(spot.park(Some(LONG_NS)), Wakeup::Notified);
        }
    }

    /// Two threads pass a number back and forth; each side's plain-relaxed write must be visible after the
    /// wake-up, and no wake-up may be lost.
    #[test]
    fn what_was_written_before_unparking_is_seen_after_parking() {
        const ROUNDS: u64 = 20_000;
        let shared = Arc::new((ParkingSpot::new(), ParkingSpot::new(), AtomicU64::new(0)));
        let other = std::thread::spawn({
            let shared = shared.clone();
            move || {
                for round in 0..ROUNDS {
                    await_wakeup(&shared.0, (round % 3) * 2_000);
                    assert_eq!(shared.2.load(Ordering::Relaxed), 2 * round + 1);
                    shared.2.store(2 * round + 2, Ordering::Relaxed);
                    shared.1.unpark();
                }
            }
        });
        for round in 0..ROUNDS {
            shared.2.store(2 * round + 1, Ordering::Relaxed);
            shared.0.unpark();
            await_wakeup(&shared.1, (round % 2) * 2_000);
            assert_eq!(shared.2.load(Ordering::Relaxed), 2 * round + 2);
        }
        other.join().unwrap();
    }
}
