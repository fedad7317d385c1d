//! Threads that look at something again and again because nobody tells them when it changes, and that rest while the
//! node does: what they look at changes mostly while something runs.
//!
//! A thread that looks waits at its [`Lookout`]. While nothing runs it may wait there much longer
//! ([`rest`](Lookout::rest)); the first thread that runs something again ends the rests of all
//! ([`something_runs`]), which costs one relaxed load while nobody rests.
//!
//! ```text
//! state    meaning                             who may change it
//! LOOKS    its thread looks, or waits to       the thread -> RESTS
//! RESTS    its thread rests                    the thread, and who wakes it -> LOOKS; who runs something -> ENDED
//! ENDED    something runs, so the rest is over the thread, and who wakes it -> LOOKS
//! ```

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering, fence};
use std::time::Duration;

use crate::park::ParkingSpot;

const LOOKS: u8 = 0;
const RESTS: u8 = 1;
const ENDED: u8 = 2;

/// Where the one thread waits that looks at memory.
pub static MEMORY: Lookout = Lookout::new();
/// Where the one thread waits that looks at how many processors there are.
pub static PROCESSORS: Lookout = Lookout::new();

static ALL: [&Lookout; 2] = [&MEMORY, &PROCESSORS];

/// Whether a thread may rest.
static ANY_RESTS: AtomicBool = AtomicBool::new(false);

/// Where a thread waits until it looks again.
#[derive(Debug)]
pub struct Lookout {
    state: AtomicU8,
    spot: ParkingSpot,
}

/// Why a rest is over.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestEnd {
    /// Its time has passed, or somebody wants the thread to look.
    Looks,
    /// Something runs. So the thread waits as if it had looked just now.
    SomethingRuns,
}

impl Lookout {
    const fn new() -> Lookout {
        Lookout {
            state: AtomicU8::new(LOOKS),
            spot: ParkingSpot::new(),
        }
    }

    /// Waits until the thread is woken, at most for so long.
    pub fn wait(&self, longest: Duration) {
        let _ = self.spot.park(Some(nanoseconds(longest)));
    }

    /// Waits until the thread is woken or something runs, at most for so long. It is over at once unless
    /// `nothing_runs`.
    pub fn rest(&self, longest: Duration, nothing_runs: impl Fn() -> bool) -> RestEnd {
        if !nothing_runs() {
            return RestEnd::SomethingRuns;
        }
        self.state.store(RESTS, Ordering::Relaxed);
        ANY_RESTS.store(true, Ordering::Release);
        // What begins to run after this look sees the rest, at the latest when it looks again.
        fence(Ordering::SeqCst);
        if nothing_runs() {
            self.wait(longest);
        } else {
            self.end_rest();
        }
        match self.state.swap(LOOKS, Ordering::Relaxed) {
            ENDED => RestEnd::SomethingRuns,
            _ => RestEnd::Looks,
        }
    }

    /// Has the thread look at once.
    pub fn wake(&self) {
        self.state.store(LOOKS, Ordering::Relaxed);
        self.spot.unpark();
    }

    /// Whether the thread rested.
    fn end_rest(&self) -> bool {
        let order = Ordering::Relaxed;
        self.state
            .compare_exchange(RESTS, ENDED, order, order)
            .is_ok()
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Ends the rests of all threads. For threads that begin to run something, and now and then while they do.
#[inline]
pub fn something_runs() {
    if ANY_RESTS.load(Ordering::Relaxed) {
        end_rests();
    }
}

#[cold]
fn end_rests() {
    if ANY_RESTS.swap(false, Ordering::Acquire) {
        for lookout in ALL {
            if lookout.end_rest() {
                lookout.spot.unpark();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const LONG: Duration = Duration::from_secs(100);

    /// One test, since a thread rests at each place; other tests wait at the one for memory.
    #[test]
    fn a_rest_ends_when_something_runs_or_the_thread_is_woken_or_after_its_time() {
        let rests = || PROCESSORS.rest(LONG, || true);
        let ended_by = |end: fn()| {
            std::thread::scope(|scope| {
                let rest = scope.spawn(rests);
                while PROCESSORS.state.load(Ordering::Relaxed) != RESTS {
                    std::thread::yield_now();
                }
                end();
                rest.join().unwrap()
            })
        };
        let began = Instant::now();
        assert_eq!(ended_by(something_runs), RestEnd::SomethingRuns);
        assert_eq!(ended_by(|| PROCESSORS.wake()), RestEnd::Looks);
        let both = ended_by(|| {
            something_runs();
            PROCESSORS.wake();
        });
        // The thread may have seen the first before the second came, which then ends its next wait.
        if both == RestEnd::SomethingRuns {
            PROCESSORS.wait(LONG);
        }
        assert_eq!(PROCESSORS.rest(LONG, || false), RestEnd::SomethingRuns);
        let looks = std::cell::Cell::new(0);
        let only_at_first = || looks.replace(looks.get() + 1) == 0;
        assert_eq!(PROCESSORS.rest(LONG, only_at_first), RestEnd::SomethingRuns);
        assert!(began.elapsed() < LONG / 2);
        let short = Duration::from_millis(3);
        // A wake-up of before may be stored.
        PROCESSORS.wait(Duration::ZERO);
        let began = Instant::now();
        assert_eq!(PROCESSORS.rest(short, || true), RestEnd::Looks);
        assert!(began.elapsed() >= short);
    }
}
