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

use crate::process::sync::between_steps;
use parking_lot::Mutex;

#[cfg(feature = "loom")]
pub use protocol::Epochs;
#[cfg(not(feature = "loom"))]
use protocol::Epochs;
use protocol::Place;

/// The maximum number of participating threads: schedulers, dirty schedulers and a few others of the runtime.
const MAX_PARTICIPANTS: usize = 4096;

#[cfg(not(feature = "loom"))]
static EPOCHS: Epochs<MAX_PARTICIPANTS> = Epochs::new();
#[cfg(feature = "loom")]
static EPOCHS: std::sync::LazyLock<Epochs<MAX_PARTICIPANTS>> =
    std::sync::LazyLock::new(Epochs::new);

thread_local! {
    static PLACE: Cell<Option<&'static Place>> = const { Cell::new(None) };
}

#[inline]
fn place() -> &'static Place {
    PLACE.get().unwrap_or_else(|| {
        let place = EPOCHS.join();
        PLACE.set(Some(place));
        place
    })
}

/// Announces that the thread holds no pointer from a table at this moment; it may look up again afterwards.
#[inline]
pub fn quiescent() {
    EPOCHS.quiescent(place());
}

/// Announces that the thread holds no pointer from a table and will not look up anything before it calls [`quiescent`]
/// again.
pub fn idle() {
    place().become_idle();
}

/// Whether this thread has announced itself idle.
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

/// What was taken out of everyone's reach, each with its stamp, until nobody can still look at it. Any thread may add to it.
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

/// Runs a look-up on a thread that is not in a slice.
pub fn pinned<R>(look_up: impl FnOnce() -> R) -> R {
    if !is_idle() {
        return look_up();
    }
    between_steps();
    quiescent();
    let result = look_up();
    between_steps();
    idle();
    result
}
