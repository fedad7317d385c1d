//! The atomics and locks used by the protocols that are tested under loom.
//!
//! With the feature `loom` they are loom's (module `model`), and `tests/interleavings` of this crate and of `ets` run
//! these protocols in every order. Such a build serves nothing else. Other code uses `std` and `parking_lot` directly.

#[cfg(feature = "loom")]
mod model;

#[cfg(feature = "loom")]
pub use model::*;
#[cfg(not(feature = "loom"))]
pub use parking_lot::{Mutex, MutexGuard};
#[cfg(not(feature = "loom"))]
pub use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

#[cfg(feature = "delays")]
mod delays;
#[cfg(feature = "delays")]
pub use delays::{between_steps, set_delays};

/// Marks a moment between two steps of a protocol, where builds for tests may delay the thread.
#[cfg(not(feature = "delays"))]
#[inline(always)]
pub fn between_steps() {}

/// Refuses `FERL_DELAYS`, because this build has no delays.
///
/// # Errors
/// If the variable is set.
#[cfg(not(feature = "delays"))]
pub fn set_delays(variable: Option<std::ffi::OsString>) -> Result<(), String> {
    match variable {
        None => Ok(()),
        Some(_) => Err("FERL_DELAYS needs a build with the feature `delays`".into()),
    }
}
