//! Stopping the world: a few rare operations (committing code, purging, changing the schedulers)
//! run while no process does.
//!
//! A scheduler holds the world shared while it is awake. Who wants it alone asks; schedulers step aside
//! between two slices.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{RwLock, RwLockReadGuard};

static WORLD: RwLock<()> = RwLock::new(());
static ASKING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SHARE: RefCell<Option<RwLockReadGuard<'static, ()>>> = const { RefCell::new(None) };
    /// This thread runs the body of [`stopped`].
    static IS_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// This thread is about to run processes.
pub(super) fn enter() {
    SHARE.set(Some(WORLD.read()));
}

/// This thread runs no process until it enters again.
pub(super) fn leave() {
    SHARE.set(None);
}

#[inline]
pub(super) fn step_aside_if_asked() {
    if ASKING.load(Ordering::Relaxed) > 0 {
        leave();
        enter();
    }
}

/// Runs `body` while no other thread runs a process. Called from a BIF (its own process stands
/// still meanwhile) or from outside.
pub fn stopped<R>(body: impl FnOnce() -> R) -> R {
    let shared = SHARE.take().is_some();
    ASKING.fetch_add(1, Ordering::SeqCst);
    let alone = WORLD.write();
    ASKING.fetch_sub(1, Ordering::SeqCst);
    IS_ALONE.set(true);
    let result = body();
    IS_ALONE.set(false);
    drop(alone);
    if shared {
        enter();
    }
    result
}

/// Keeps all other threads from running processes, for good: the node ends. False when that did not come about in
/// time; then some go on, but each only until its next step aside.
#[must_use]
pub fn stop_for_good(patience: Duration) -> bool {
    // Kept for ever when it is held alone already, by a thread whose `stopped` body ends the node.
    if IS_ALONE.get() {
        return true;
    }
    leave();
    ASKING.fetch_add(1, Ordering::SeqCst);
    match WORLD.try_write_for(patience) {
        Some(alone) => {
            std::mem::forget(alone);
            true
        }
        None => false,
    }
}
