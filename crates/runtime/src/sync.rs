//! The atomics and locks used by the protocols that are tested under loom.
//!
//! With the feature `loom` they are loom's ([`model`]), and `tests/interleavings` of this crate and of `ets` run these
//! protocols in every order. Such a build serves nothing else. Other code uses `std` and `parking_lot` directly.

#[cfg(feature = "loom")]
mod model;

#[cfg(feature = "loom")]
pub use model::*;
#[cfg(not(feature = "loom"))]
pub use parking_lot::{Mutex, MutexGuard};
#[cfg(not(feature = "loom"))]
pub use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
