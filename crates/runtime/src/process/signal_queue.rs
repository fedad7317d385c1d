//! The signal queue: many threads push, the owner takes everything at once.
//!
//! It is a stack of fragments linked through `next`, newest first; the owner takes the whole stack with one
//! exchange and reverses it. A push is one compare-and-swap, and fragments are never popped one by one, so
//! there is no ABA problem. `tests/interleavings` runs this file under loom.

use std::ptr;

use layout::Fragment;

use crate::process::sync::{AtomicPtr, Ordering};

/// See the module's documentation.
#[repr(transparent)]
pub struct SignalQueue(AtomicPtr<Fragment>);

impl SignalQueue {
    #[must_use]
    pub fn new() -> SignalQueue {
        SignalQueue(AtomicPtr::new(ptr::null_mut()))
    }

    /// Pushes a signal.
    ///
    /// # Safety
    /// `fragment` is live and in no list; the queue takes ownership of it.
    #[inline]
    pub unsafe fn push(&self, fragment: *mut Fragment) {
        let mut newest = self.0.load(Ordering::Relaxed);
        loop {
            // SAFETY: this thread owns the fragment until the exchange succeeds.
            unsafe { (*fragment).next = newest };
            // SeqCst: the pusher's next access to the state word must not be reordered before this (see `wake`).
            match self.0.compare_exchange_weak(
                newest,
                fragment,
                Ordering::SeqCst,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(seen) => newest = seen,
            }
        }
    }

    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.load(Ordering::SeqCst).is_null()
    }

    /// The fragment pushed last, which links to the earlier ones. For inspection while the owner does not run.
    #[must_use]
    pub fn newest(&self) -> *mut Fragment {
        self.0.load(Ordering::SeqCst)
    }

    /// Takes everything, the oldest first, linked through `next`.
    #[inline]
    #[must_use]
    pub fn take(&self) -> *mut Fragment {
        if self.is_empty() {
            return ptr::null_mut();
        }
        let mut newest = self.0.swap(ptr::null_mut(), Ordering::SeqCst);
        let mut oldest_first = ptr::null_mut();
        while !newest.is_null() {
            // SAFETY: the exchange gave this thread the whole list.
            unsafe {
                let next = (*newest).next;
                (*newest).next = oldest_first;
                oldest_first = newest;
                newest = next;
            }
        }
        oldest_first
    }
}

impl Default for SignalQueue {
    fn default() -> SignalQueue {
        SignalQueue::new()
    }
}
