//! Suspending processes. A process does not run while its `suspend_count`, the number of processes that suspend it, is
//! not 0. How often each of those has called `suspend_process` is in its own `Extras::suspending`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What stands still of a process while others suspend it by `suspend_process`: from OTP 28 on, its timers.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Pause {
    /// How many others suspend it so. The `suspend_count` has other reasons, too, for which no timer stands still.
    pub suspenders: u32,
    /// What the timer of its `receive ... after` had left.
    pub receive_left_ms: Option<i64>,
}

/// What a process knows of another one that it suspends.
#[derive(Clone, Default)]
pub struct Suspending {
    /// How often it has called `suspend_process`.
    pub count: u32,
    /// The other one has noticed that.
    is_suspended: Arc<AtomicBool>,
}

impl Suspending {
    /// The same with another count.
    #[must_use]
    pub fn with_count(&self, count: u32) -> Suspending {
        Suspending {
            count,
            is_suspended: self.is_suspended.clone(),
        }
    }

    /// The other one has noticed it.
    pub fn notice(&self) {
        self.is_suspended.store(true, Ordering::Release);
    }

    #[must_use]
    pub fn is_suspended(&self) -> bool {
        self.is_suspended.load(Ordering::Acquire)
    }
}
