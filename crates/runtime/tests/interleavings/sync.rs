//! What `runtime::sync` offers, made of loom's kinds.
//!
//! Loom orders sequentially consistent accesses as acquire and release only; between two fences they are what they
//! claim. The protocols rest on the one order of all their `SeqCst` accesses, which the fences give.
//!
//! Loom tries the other order of two accesses only if nothing lies between them, not even a load before an exchange by
//! the same thread. So each access here first takes a turn, by an exchange that orders nothing by itself.

pub use loom::sync::atomic::{Ordering, fence};

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
    AtomicU32: u32 { fetch_add, fetch_sub, fetch_or, fetch_and }
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

/// A lock without poisoning, as `parking_lot`'s.
pub struct Mutex<T>(loom::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub fn new(value: T) -> Self {
        Mutex(loom::sync::Mutex::new(value))
    }

    pub fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
        self.0.lock().expect("no panic goes on")
    }
}
