//! The items of [`super`], implemented with loom's types, and [`check`], which runs a model.
//!
//! Loom treats sequentially consistent accesses only as acquire and release; between two fences they are really
//! sequentially consistent. The protocols rely on a total order of all their `SeqCst` accesses, which the fences
//! provide.
//!
//! Loom tries the other order of two accesses only if there is nothing between them, not even a load before an exchange
//! by the same thread. So each access here first takes a turn: an exchange that itself orders nothing.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use loom::cell::{MutPtr, UnsafeCell};
pub use loom::sync::atomic::{Ordering, fence};

const DEFAULT_PREEMPTIONS: usize = 2;

/// Runs a model in every order with at most `LOOM_MAX_PREEMPTIONS` preemptions, two by default: nearly all errors show
/// with two.
pub fn check(body: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound.get_or_insert(DEFAULT_PREEMPTIONS);
    model.check(body);
}

macro_rules! atomics {
    ($($name:ident $(<$of:ident>)?: $value:ty {
        $($operation:ident),*
    })*) => {$(
        pub struct $name $(<$of>)? {
            place: loom::sync::atomic::$name $(<$of>)?,
            turn: Turn,
        }

        impl $(<$of>)? $name $(<$of>)? {
            pub fn new(value: $value) -> Self {
                $name { place: loom::sync::atomic::$name::new(value), turn: Turn::new() }
            }

            pub fn load(&self, order: Ordering) -> $value {
                self.turn.take(order, || self.place.load(order))
            }

            pub fn store(&self, value: $value, order: Ordering) {
                self.turn.take(order, || self.place.store(value, order));
            }

            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.turn.take(order, || self.place.swap(value, order))
            }

            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.turn.take(success, || self.place.compare_exchange_weak(current, new, success, failure))
            }

            $(pub fn $operation(&self, value: $value, order: Ordering) -> $value {
                self.turn.take(order, || self.place.$operation(value, order))
            })*
        }
    )*};
}

atomics! {
    AtomicPtr<T>: *mut T {}
    AtomicU32: u32 { fetch_add, fetch_sub, fetch_or, fetch_and, fetch_xor }
    AtomicU64: u64 { fetch_add }
    AtomicUsize: usize { fetch_add, fetch_sub }
}

struct Turn(loom::sync::atomic::AtomicUsize);

impl Turn {
    fn new() -> Turn {
        Turn(loom::sync::atomic::AtomicUsize::new(0))
    }

    fn take<R>(&self, order: Ordering, access: impl FnOnce() -> R) -> R {
        self.0.fetch_add(1, Ordering::Relaxed);
        let is_total = matches!(order, Ordering::SeqCst);
        if is_total {
            fence(Ordering::SeqCst);
        }
        let result = access();
        if is_total {
            fence(Ordering::SeqCst);
        }
        result
    }
}

/// A lock without poisoning, like `parking_lot`'s. With loom's own lock, `try_lock` waits while another thread takes
/// the lock, and loom reports deadlocks that do not exist; here loom's lock is only ever held for a moment.
pub struct Mutex<T> {
    is_taken: loom::sync::Mutex<bool>,
    was_freed: loom::sync::Condvar,
    value: UnsafeCell<T>,
}

// SAFETY: the value is accessed only through the guard.
unsafe impl<T: Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Mutex<T> {}

pub struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    /// Tells loom that the value is in use.
    value: ManuallyDrop<MutPtr<T>>,
}

impl<T> Mutex<T> {
    pub fn new(value: T) -> Self {
        Mutex {
            is_taken: loom::sync::Mutex::new(false),
            was_freed: loom::sync::Condvar::new(),
            value: UnsafeCell::new(value),
        }
    }

    fn guard(&self) -> MutexGuard<'_, T> {
        MutexGuard {
            mutex: self,
            value: ManuallyDrop::new(self.value.get_mut()),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        let mut is_taken = self.is_taken.lock().expect("no panic goes on");
        while *is_taken {
            is_taken = self.was_freed.wait(is_taken).expect("no panic goes on");
        }
        *is_taken = true;
        self.guard()
    }

    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let mut is_taken = self.is_taken.lock().expect("no panic goes on");
        if *is_taken {
            return None;
        }
        *is_taken = true;
        Some(self.guard())
    }

    /// Time does not pass in a model.
    pub fn try_lock_for(&self, _: Duration) -> Option<MutexGuard<'_, T>> {
        self.try_lock()
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard has exclusive access to the value.
        unsafe { (*self.value).deref() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { (*self.value).deref() }
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        // SAFETY: dropped once, before another thread can take the lock.
        unsafe { ManuallyDrop::drop(&mut self.value) };
        *self.mutex.is_taken.lock().expect("no panic goes on") = false;
        self.mutex.was_freed.notify_one();
    }
}
