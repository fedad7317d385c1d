//! The signal queue: many threads push, the owner takes all.
//!
//! A stack of fragments linked through `next`, newest first; the owner takes the whole stack with one
//! exchange and reverses it. Pushing is one compare-and-swap, and nothing is ever popped singly, so
//! there is no ABA problem.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use layout::Fragment;

/// See the module's documentation.
#[repr(transparent)]
pub struct SignalQueue(AtomicPtr<Fragment>);

impl SignalQueue {
    #[must_use]
    pub const fn new() -> SignalQueue {
        SignalQueue(AtomicPtr::new(ptr::null_mut()))
    }

    /// Pushes a signal.
    ///
    /// # Safety
    /// `fragment` is live and in no list; the queue takes it over.
    #[inline]
    pub unsafe fn push(&self, fragment: *mut Fragment) {
        let mut newest = self.0.load(Ordering::Relaxed);
        loop {
            // SAFETY: ours until the exchange succeeds.
            unsafe { (*fragment).next = newest };
            // SeqCst: the pusher's next look at the state word must not come before (see `wake`).
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
            // SAFETY: the exchange made the whole list ours.
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

#[cfg(test)]
mod tests {
    use super::*;
    use layout::Term;
    use term::heap::{free_fragment, new_fragment};

    #[test]
    fn signals_of_one_sender_keep_their_order() {
        const SENDERS: i64 = 4;
        const EACH: i64 = 20_000;
        let queue = SignalQueue::new();
        std::thread::scope(|scope| {
            for sender in 0..SENDERS {
                let queue = &queue;
                scope.spawn(move || {
                    for number in 0..EACH {
                        let fragment = new_fragment(0);
                        // SAFETY: fresh.
                        unsafe {
                            (*fragment).term = Term::small(sender * EACH + number);
                            queue.push(fragment);
                        }
                    }
                });
            }
            let mut next = [0; SENDERS as usize];
            let mut taken = 0;
            while taken < SENDERS * EACH {
                let mut fragment = queue.take();
                while !fragment.is_null() {
                    // SAFETY: taken, so ours.
                    unsafe {
                        let value = (*fragment).term.small_value();
                        assert_eq!(next[(value / EACH) as usize], value % EACH);
                        next[(value / EACH) as usize] += 1;
                        let following = (*fragment).next;
                        free_fragment(fragment);
                        fragment = following;
                    }
                    taken += 1;
                }
            }
        });
        assert!(queue.is_empty());
    }
}
