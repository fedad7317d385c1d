//! What native coverage writes where code runs: only code that was loaded with a mode of coverage has these operations.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use crate::operation::operations;

operations! {
    /// A function or a line has run.
    Mark: P |m, o: CoveragePlace| {
        let mark = m.wide(o.place) as *const AtomicU8;
        (*mark).store(1, Ordering::Relaxed);
        m.next(o.end)
    }

    /// It has run once more. In one step: other schedulers count at the same place.
    Count: P |m, o: CoveragePlace| {
        let counter = m.wide(o.place) as *const AtomicU64;
        (*counter).fetch_add(1, Ordering::Relaxed);
        m.next(o.end)
    }
}
