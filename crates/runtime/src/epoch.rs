//! Epoch-based reclamation: decides when memory may be reused to which other threads may hold uncounted pointers.
//!
//! Each thread that looks up processes has a place here. Between slices the thread is *quiescent*: it holds no pointer
//! from a table, and publishes the global epoch that it sees. Memory retired at epoch `e` may be reused once every
//! active thread has published an epoch greater than `e`. A sleeping thread publishes `IDLE`, and nobody waits for it.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};

use parking_lot::Mutex;

/// The maximum number of participating threads: schedulers, dirty schedulers and a few others of the runtime.
const MAX_PARTICIPANTS: usize = 4096;
const IDLE: u64 = u64::MAX;

#[repr(align(64))]
struct Participant(AtomicU64);

static PLACES: [Participant; MAX_PARTICIPANTS] =
    [const { Participant(AtomicU64::new(IDLE)) }; MAX_PARTICIPANTS];
static PARTICIPANTS: AtomicUsize = AtomicUsize::new(0);
static EPOCH: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static PLACE: Cell<Option<&'static Participant>> = const { Cell::new(None) };
}

fn place() -> &'static Participant {
    PLACE.with(|cell| {
        cell.get().unwrap_or_else(|| {
            let index = PARTICIPANTS.fetch_add(1, Ordering::SeqCst);
            assert!(
                index < MAX_PARTICIPANTS,
                "more than {MAX_PARTICIPANTS} threads take part in the epochs"
            );
            cell.set(Some(&PLACES[index]));
            &PLACES[index]
        })
    })
}

/// Announces that the thread holds no pointer from a table at this moment; it may look up again afterwards.
#[inline]
pub fn quiescent() {
    // The fence keeps later look-ups from being reordered before the announcement.
    place()
        .0
        .store(EPOCH.load(Ordering::Relaxed), Ordering::Release);
    fence(Ordering::SeqCst);
}

/// Announces that the thread holds no pointer from a table and will not look up anything before it calls [`quiescent`]
/// again.
pub fn idle() {
    place().0.store(IDLE, Ordering::Release);
}

/// Whether this thread has announced itself idle.
#[must_use]
pub fn is_idle() -> bool {
    place().0.load(Ordering::Relaxed) == IDLE
}

/// A stamp for memory that new look-ups can no longer find.
#[must_use]
pub fn retire_stamp() -> u64 {
    EPOCH.fetch_add(1, Ordering::SeqCst)
}

/// Whether no thread can still hold a pointer to memory with this stamp.
#[must_use]
pub fn passed(stamp: u64) -> bool {
    let participants = PARTICIPANTS.load(Ordering::SeqCst);
    PLACES[..participants]
        .iter()
        .all(|place| place.0.load(Ordering::SeqCst) > stamp)
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
    quiescent();
    let result = look_up();
    idle();
    result
}
