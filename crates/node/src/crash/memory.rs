//! Failed memory allocations. Allocations on behalf of a program may fail (`term::held::attempt`); any other failure
//! ends the node.

use super::{DUMPING, end, leave};
use runtime::mail::hooks::CrashCause;

/// Makes the allocator call this module when the system has no more memory.
pub(crate) fn watch() {
    sys::allocator::on_shortage(shortage);
}

/// Called when an allocation fails; returns only if the requester can handle the failure.
fn shortage(bytes: usize) {
    if term::held::is_attempt() {
        return;
    }
    if DUMPING.get() {
        // Even the reserve for the dump is used up.
        leave(CrashCause::Outside);
    }
    sys::allocator::open_reserve();
    end(
        CrashCause::Outside,
        &format!("ferl: Cannot allocate {bytes} bytes of memory."),
    )
}
