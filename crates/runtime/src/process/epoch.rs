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
use std::sync::atomic::{AtomicBool, Ordering};

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
pub struct Retired<T>(Mutex<Kept<T>>);

struct Kept<T> {
    values: VecDeque<(u64, T)>,
    /// Whether [`LISTED`] has it.
    is_listed: bool,
}

/// The most values that one call of [`Retired::keep`] drops, so that whoever adds one after many does not wait for all.
const MOST_DROPPED_BY_KEEP: usize = 16;

impl<T> Default for Retired<T> {
    fn default() -> Retired<T> {
        Retired::new()
    }
}

impl<T> Retired<T> {
    #[must_use]
    pub const fn new() -> Retired<T> {
        Retired(Mutex::new(Kept {
            values: VecDeque::new(),
            is_listed: false,
        }))
    }

    /// Adds a value, and drops some of those that no thread can still access; returns whether this is to be listed.
    fn add(&self, value: T) -> bool {
        let mut kept = self.0.lock();
        kept.values.push_back((retire_stamp(), value));
        let passed_by_all = kept.take_passed(MOST_DROPPED_BY_KEEP);
        let is_new = !kept.values.is_empty() && !std::mem::replace(&mut kept.is_listed, true);
        // Dropping a value may call this function again, so the lock is released first.
        drop(kept);
        drop(passed_by_all);
        is_new
    }
}

impl<T: Send> Retired<T> {
    /// Adds a value that new look-ups can no longer find, and drops some of those that no thread can still access. The
    /// rest is dropped by schedulers ([`drop_passed`]), or when further values are added.
    pub fn keep(&'static self, value: T) {
        if self.add(value) {
            list(self);
        }
    }
}

impl<T> Kept<T> {
    /// Removes the oldest values that no thread can still access, at most `most`.
    fn take_passed(&mut self, most: usize) -> Vec<T> {
        let mut taken = Vec::new();
        while taken.len() < most {
            let Some((_, value)) = self.values.pop_front_if(|(stamp, _)| passed(*stamp)) else {
                break;
            };
            taken.push(value);
        }
        taken
    }
}

/// What [`drop_passed`] knows of a [`Retired`].
trait Listed: Sync {
    /// Drops the oldest values that no thread can still access, at most `most`; returns how many. It is to be listed
    /// again if it still has any.
    fn drop_some(&'static self, most: usize) -> usize;
}

impl<T: Send> Listed for Retired<T> {
    fn drop_some(&'static self, most: usize) -> usize {
        let (taken, are_any_left) = {
            let mut kept = self.0.lock();
            let taken = kept.take_passed(most);
            kept.is_listed = !kept.values.is_empty();
            (taken, kept.is_listed)
        };
        if are_any_left {
            list(self);
        }
        taken.len()
    }
}

/// Drops a value that new look-ups can no longer find, when no thread can still access it. For what is rare: many share
/// one lock.
pub fn drop_later(value: Box<dyn Send>) {
    static RETIRED: Retired<Box<dyn Send>> = Retired::new();
    RETIRED.keep(value);
}

/// Those whose values schedulers drop, and whether there are any.
static LISTED: Mutex<Vec<&'static dyn Listed>> = Mutex::new(Vec::new());
static IS_ANY_LISTED: AtomicBool = AtomicBool::new(false);

fn list(retired: &'static dyn Listed) {
    let mut listed = LISTED.lock();
    listed.push(retired);
    IS_ANY_LISTED.store(true, Ordering::Relaxed);
}

/// Drops values that were given to [`Retired::keep`] and that no thread can still access, at most `most` of each
/// kind; returns how many. Any thread that holds no lock may call it.
pub fn drop_passed(most: usize) -> usize {
    // Whoever adds a value sees it dropped at its next call, or another thread does it then.
    if !IS_ANY_LISTED.load(Ordering::Relaxed) {
        return 0;
    }
    let listed = {
        let mut listed = LISTED.lock();
        IS_ANY_LISTED.store(false, Ordering::Relaxed);
        std::mem::take(&mut *listed)
    };
    listed.iter().map(|retired| retired.drop_some(most)).sum()
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
    use std::sync::Arc;
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
                retired.add(Replaced(NonNull::new(old).expect("a number")));
                std::thread::yield_now();
            }
        });
        let last = current.swap(ptr::null_mut(), Ordering::AcqRel);
        drop(Replaced(NonNull::new(last).expect("a number")));
    }

    #[test]
    fn what_was_listed_is_dropped_without_further_values() {
        static RETIRED: Retired<Arc<()>> = Retired::new();
        let value = Arc::new(());
        for _ in 0..100 {
            RETIRED.keep(Arc::clone(&value));
        }
        // Threads of other tests may be pinned for a while.
        while Arc::strong_count(&value) > 1 {
            // SAFETY: the thread has found nothing.
            unsafe { quiescent() };
            let before = Arc::strong_count(&value);
            let dropped = drop_passed(8);
            assert!(dropped <= 8);
            assert_eq!(Arc::strong_count(&value), before - dropped);
            std::thread::yield_now();
        }
        // SAFETY: as above.
        unsafe { idle() };
        assert_eq!(drop_passed(8), 0);
    }
}
