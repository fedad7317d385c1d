//! What a breakpoint puts in the place of a function's entry, as far as those need to know who run or place the code:
//! the jump (`breakpoints.rs` draws it), and how the function goes on behind it. Any thread may ask.

use core::sync::atomic::Ordering;

use layout::Breakpoint;
use layout::context::Resume;

/// Length of the jump that a breakpoint writes at the entry.
pub(crate) const DETOUR_BYTES: usize = 5;
/// Its first byte.
pub(crate) const DETOUR: u8 = 0xe9;

/// How the function of a breakpoint goes on.
#[must_use]
pub fn resume(breakpoint: &Breakpoint) -> Resume {
    Resume {
        at: breakpoint.resume_at.load(Ordering::Relaxed),
        handler: breakpoint.resume_handler.load(Ordering::Relaxed),
    }
}
