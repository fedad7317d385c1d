//! Memory that cannot be had: what asks for it on a program's behalf may be refused (`term::held::attempt`),
//! for all else it is the end of the node.

use super::{DUMPING, end, leave};
use runtime::halt::CrashCause;

/// Has the allocator report here when the system gives nothing more.
pub fn watch() {
    sys::allocator::on_shortage(shortage);
}

/// Comes back when whoever asked can do without.
fn shortage(bytes: usize) {
    if term::held::is_attempt() {
        return;
    }
    if DUMPING.get() {
        // Even what was kept for the dump is used up.
        leave(CrashCause::Outside);
    }
    sys::allocator::open_reserve();
    end(
        CrashCause::Outside,
        &format!("ferl: Cannot allocate {bytes} bytes of memory."),
    )
}
