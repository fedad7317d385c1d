//! Epoch-based reclamation: decides when memory may be reused to which other threads may hold uncounted pointers.
//!
//! Each thread that looks up processes has a place here. Between slices the thread is *quiescent*: it holds no pointer
//! from a table, and publishes the global epoch that it sees. Memory retired at epoch `e` may be reused once every
//! active thread has published an epoch greater than `e`. A sleeping thread publishes `IDLE`, and nobody waits for it.
//!
//! [`protocol`] is the algorithm; here are its one instance and the place of each thread.

mod protocol;

use std::cell::Cell;
use std::collections::VecDeque;
use std::marker::PhantomData;

use crate::process::sync::between_steps;
use parking_lot::Mutex;

#[cfg(feature = "loom")]
pub use protocol::Epochs;
#[cfg(not(feature = "loom"))]
use protocol::Epochs;
use protocol::Place;

/// The maximum number of participating threads: schedulers, dirty schedulers and a few others of the runtime.
/// Miri examines all places at each access to one.
const MAX_PARTICIPANTS: usize = if cfg!(miri) { 32 } else { 4096 };

#[cfg(not(feature = "loom"))]
static EPOCHS: Epochs<MAX_PARTICIPANTS> = Epochs::new();
#[cfg(feature = "loom")]
static EPOCHS: std::sync::LazyLock<Epochs<MAX_PARTICIPANTS>> =
    std::sync::LazyLock::new(Epochs::new);

thread_local! {
    static PLACE: Cell<Option<&'static Place>> = const { Cell::new(None) };
    /// Gives the thread's place back when the thread ends.
    static END: End = const { End };
}

/// The places of threads that have ended.
static LEFT: Mutex<Vec<&'static Place>> = Mutex::new(Vec::new());

struct End;

impl Drop for End {
    fn drop(&mut self) {
        // A thread that looks something up while its other values are dropped takes another place.
        if let Some(place) = PLACE.take().filter(|place| place.is_idle()) {
            LEFT.lock().push(place);
        }
    }
}

#[inline]
fn place() -> &'static Place {
    PLACE.get().unwrap_or_else(take_place)
}

/// Takes a place for this thread, which is idle at first.
#[cold]
#[inline(never)]
fn take_place() -> &'static Place {
    let left = LEFT.lock().pop();
    let place = left.unwrap_or_else(|| EPOCHS.join());
    PLACE.set(Some(place));
    // Fails in a thread that ends: then the place is kept.
    let _ = END.try_with(|_| ());
    place
}

/// Announces that the thread holds no pointer from a table at this moment; it may look up again afterwards.
///
/// # Safety
/// No [`Pinned`] of this thread lives, nor what was found by means of one.
#[inline]
pub unsafe fn quiescent() {
    EPOCHS.quiescent(place());
}

/// Announces that the thread holds no pointer from a table and will not look up anything before it calls [`quiescent`]
/// again.
///
/// # Safety
/// As for [`quiescent`].
pub unsafe fn idle() {
    place().become_idle();
}

/// Whether this thread has announced itself idle.
#[inline]
#[must_use]
pub fn is_idle() -> bool {
    place().is_idle()
}

/// A stamp for memory that new look-ups can no longer find.
#[must_use]
pub fn retire_stamp() -> u64 {
    EPOCHS.retire_stamp()
}

/// Whether no thread can still hold a pointer to memory with this stamp.
#[must_use]
pub fn passed(stamp: u64) -> bool {
    EPOCHS.passed(stamp)
}

/// What was taken out of everyone's reach, each with its stamp, until nobody can still look at it. Any thread may add
/// to it.
pub struct Retired<T>(Mutex<VecDeque<(u64, T)>>);

impl<T> Default for Retired<T> {
    fn default() -> Retired<T> {
        Retired::new()
    }
}

impl<T> Retired<T> {
    #[must_use]
    pub const fn new() -> Retired<T> {
        Retired(Mutex::new(VecDeque::new()))
    }

    /// Adds a value that new look-ups can no longer find, and drops those that no thread can still access.
    pub fn keep(&self, value: T) {
        let mut passed_by_all = Vec::new();
        let mut retired = self.0.lock();
        retired.push_back((retire_stamp(), value));
        while retired.front().is_some_and(|(stamp, _)| passed(*stamp)) {
            passed_by_all.extend(retired.pop_front());
        }
        // Dropping a value may call this function again, so the lock is released first.
        drop(retired);
        drop(passed_by_all);
    }
}

/// Shows that this thread neither becomes quiescent nor idle before `'a` ends: what it finds in a table stays for as
/// long.
#[derive(Clone, Copy)]
pub struct Pinned<'a>(PhantomData<(&'a (), *const ())>);

impl<'a> Pinned<'a> {
    /// For a thread that is in a slice, where [`with_pin`] is too much.
    ///
    /// # Safety
    /// The thread is not idle, and calls neither [`quiescent`] nor [`idle`] before `'a` ends.
    #[inline(always)]
    #[must_use]
    pub unsafe fn assume() -> Pinned<'a> {
        Pinned(PhantomData)
    }
}

/// Pins this thread, which may be in a slice or not, while it looks something up. What it finds lives as long as the
/// pin.
#[inline(always)]
pub fn with_pin<R>(look_up: impl FnOnce(Pinned<'_>) -> R) -> R {
    // The look-up stands here once, so that it becomes a part of its caller.
    let _pin = is_idle().then(Pin::new);
    look_up(Pinned(PhantomData))
}

/// A thread that was idle is not, until this is dropped.
struct Pin;

impl Pin {
    #[cold]
    #[inline(never)]
    fn new() -> Pin {
        between_steps();
        // SAFETY: an idle thread has found nothing.
        unsafe { quiescent() };
        Pin
    }
}

impl Drop for Pin {
    #[cold]
    #[inline(never)]
    fn drop(&mut self) {
        between_steps();
        // SAFETY: the pin that `with_pin` lent is over: what it called cannot have kept anything found by means of it.
        unsafe { idle() };
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use std::ptr::{self, NonNull};
    use std::sync::atomic::{AtomicPtr, Ordering};

    use super::*;

    /// A number that another one has replaced. As in tables, it is no box, which would claim that nobody reads it.
    struct Replaced(NonNull<u64>);

    // SAFETY: a number belongs to no thread.
    unsafe impl Send for Replaced {}

    impl Drop for Replaced {
        fn drop(&mut self) {
            // SAFETY: it came from a box, and nobody can read it any more: that is what the test is about.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }

    #[test]
    fn what_a_pinned_thread_finds_stays() {
        const ROUNDS: u64 = if cfg!(miri) { 60 } else { 20_000 };
        let current = AtomicPtr::new(Box::into_raw(Box::new(0)));
        let retired = Retired::new();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    // SAFETY: the thread has found nothing yet.
                    unsafe { idle() };
                    let mut last = 0;
                    while last < ROUNDS {
                        last = with_pin(|_pinned| {
                            let found = current.load(Ordering::Acquire);
                            std::thread::yield_now();
                            // SAFETY: it is replaced at most, but not dropped before this thread becomes idle.
                            let number = unsafe { found.read() };
                            assert!(number >= last, "{number} after {last}");
                            number
                        });
                    }
                });
            }
            for round in 1..=ROUNDS {
                let old = current.swap(Box::into_raw(Box::new(round)), Ordering::AcqRel);
                retired.keep(Replaced(NonNull::new(old).expect("a number")));
                std::thread::yield_now();
            }
        });
        let last = current.swap(ptr::null_mut(), Ordering::AcqRel);
        drop(Replaced(NonNull::new(last).expect("a number")));
    }
}
