//! The atomics and locks used by the protocols that are tested under loom.
//!
//! `tests/interleavings` compiles the files of these protocols a second time, with a `sync` module that exports loom's
//! types instead. Other code uses `std` and `parking_lot` directly.

pub use parking_lot::{Mutex, MutexGuard};
pub use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering, fence};
