//! Whether this thread is a dirty scheduler, and what is charged to the work that runs on it.

use std::cell::Cell;

use crate::process::dirty::DirtyKind;
use crate::process::{Process, state};

thread_local! {
    static IS_DIRTY: Cell<bool> = const { Cell::new(false) };
    /// On a dirty scheduler, its kind.
    static KIND: Cell<DirtyKind> = const { Cell::new(DirtyKind::Cpu) };
    /// The process that this thread makes a call for, or null.
    static CALLER: Cell<*const Process> = const { Cell::new(std::ptr::null()) };
    /// Reductions charged to the work that runs on this thread.
    static CHARGED: Cell<i64> = const { Cell::new(0) };
}

/// Whether this thread is a dirty scheduler, where a body may block or take long.
#[must_use]
pub fn is_here() -> bool {
    IS_DIRTY.get()
}

/// The kind of dirty scheduler that this thread is, if it is one.
#[must_use]
pub fn kind_here() -> Option<DirtyKind> {
    IS_DIRTY.get().then(|| KIND.get())
}

/// Whether the process that this thread makes a call for has ended, so that nobody will see what the call returns. It
/// can end while it is [lent](crate::mail::loans::apart).
#[must_use]
pub fn is_in_vain() -> bool {
    let caller = CALLER.get();
    // SAFETY: set by `call_for`, whose caller owns the process until that returns; `state` is shared.
    !caller.is_null() && state::is_closed(unsafe { &(*caller).state })
}

/// Whether this thread makes a call for the process at this address.
pub(crate) fn is_called_by(process: *const Process) -> bool {
    std::ptr::eq(CALLER.get(), process)
}

/// Makes a call for a process.
///
/// # Safety
/// This thread owns the process.
pub(crate) unsafe fn call_for<R>(process: *const Process, call: impl FnOnce() -> R) -> R {
    let outer = CALLER.replace(process);
    let result = call();
    CALLER.set(outer);
    result
}

/// Charges the process that this thread works for. The reductions are added to the process's count, not taken from a
/// slice.
pub(crate) fn charge(reductions: i64) {
    CHARGED.set(CHARGED.get() + reductions);
}

/// Reductions charged on this thread since this was last called.
pub(crate) fn take_charged() -> u64 {
    CHARGED.take().max(0) as u64
}

/// Makes this thread a dirty scheduler of a kind.
pub(crate) fn begin(kind: DirtyKind) {
    IS_DIRTY.set(true);
    KIND.set(kind);
}

/// Does something as a dirty scheduler does, on a thread that is none.
pub(crate) fn as_dirty<R>(work: impl FnOnce() -> R) -> R {
    let was_dirty = IS_DIRTY.replace(true);
    let result = work();
    IS_DIRTY.set(was_dirty);
    result
}
