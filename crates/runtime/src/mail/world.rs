//! Stopping the world: a few rare operations (committing code, purging, changing the schedulers)
//! run while no process does.
//!
//! An awake scheduler holds the world lock for reading. A thread that wants to stop the world raises a request count
//! and takes the lock for writing; schedulers release their read lock between two slices while a request is pending.
//! Other threads are not stopped, so what they copy must not point to literals (`term::literal`).

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{RwLock, RwLockReadGuard};
use term::literal;

static WORLD: RwLock<()> = RwLock::new(());
static ASKING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SHARE: RefCell<Option<RwLockReadGuard<'static, ()>>> = const { RefCell::new(None) };
    /// This thread runs the body of [`stopped`].
    static IS_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Called before this thread runs processes.
pub(crate) fn enter() {
    SHARE.set(Some(WORLD.read()));
    literal::share_here(true);
}

/// Called when this thread will run no process until it calls [`enter`] again.
pub(crate) fn leave() {
    literal::share_here(false);
    SHARE.set(None);
}

#[inline]
pub(crate) fn step_aside_if_asked() {
    if ASKING.load(Ordering::Relaxed) > 0 {
        leave();
        enter();
    }
}

/// Runs `body`, which waits for others, while the world may be stopped: this thread's process, if it runs one, does not
/// go on meanwhile, and counts as running.
pub(crate) fn aside<R>(body: impl FnOnce() -> R) -> R {
    let shared = SHARE.with_borrow(Option::is_some);
    if shared {
        leave();
    }
    let result = body();
    if shared {
        enter();
    }
    result
}

/// Runs `body` while no other thread runs a process. Called from a BIF (its process does not run
/// meanwhile) or from a thread that is not a scheduler.
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

/// Runs `body`, which is to be short, while the world is not stopped, on a thread that runs no processes: what `body`
/// has in its hands then, nobody touches who has stopped the world. `None` if the world is stopped just now. Does not
/// wait for those who want to stop it, because they may wait for a scheduler that does not come back; they wait for
/// `body`.
pub(crate) fn shared<R>(body: impl FnOnce() -> R) -> Option<R> {
    let share = WORLD.try_read_recursive()?;
    let result = body();
    drop(share);
    Some(result)
}

/// Whether this thread is in the body of [`stopped`], or has ended the node by [`stop_for_good`].
#[must_use]
pub fn is_stopped_here() -> bool {
    IS_ALONE.get()
}

/// Keeps all other threads from running processes for ever, because the node ends. Returns false if that was not
/// reached within `patience`; then some threads still run, but each only until the end of its slice.
#[must_use]
pub fn stop_for_good(patience: Duration) -> bool {
    // If this thread already holds the lock for writing, then it ends the node, in the body of `stopped` or after an
    // earlier call, and never releases it.
    if IS_ALONE.get() {
        return true;
    }
    leave();
    ASKING.fetch_add(1, Ordering::SeqCst);
    match WORLD.try_write_for(patience) {
        Some(alone) => {
            std::mem::forget(alone);
            IS_ALONE.set(true);
            true
        }
        None => false,
    }
}

/// Lets other threads end the node, which this one wanted to do as well.
pub fn wait_for_end() -> ! {
    leave();
    loop {
        std::thread::park();
    }
}
