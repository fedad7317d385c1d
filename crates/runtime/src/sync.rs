//! The atomics and locks of the protocols that run under loom.
//!
//! `tests/interleavings` compiles the files of these protocols a second time, with loom's kinds under this name. Other
//! code names `std` and `parking_lot` directly.

pub use parking_lot::{Mutex, MutexGuard};
pub use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering, fence};
