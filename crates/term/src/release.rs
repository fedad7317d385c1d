//! The OTP release that the node has booted: one number, fixed before any process runs.
//!
//! What a release changes asks here while tables are built or code is loaded, or in what is rarely called. Any thread
//! may read.

use std::sync::atomic::{AtomicU8, Ordering};

pub use spec::Release;

static BOOTED: AtomicU8 = AtomicU8::new(Release::OTP_25.number());

/// Fixes the release. Called once, before anything asks for it.
pub fn set(release: Release) {
    BOOTED.store(release.number(), Ordering::Relaxed);
}

/// The node's release; OTP 25 in tests, which boot none.
#[inline]
#[must_use]
pub fn get() -> Release {
    Release::of(BOOTED.load(Ordering::Relaxed))
}

/// Whether the node's release has what came with `other`.
#[inline]
#[must_use]
pub fn has(other: Release) -> bool {
    get().has(other)
}
