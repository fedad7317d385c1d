//! The end of a node. Any thread may end it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::effects::{port, profile};
use crate::mail::hooks::CrashCause;
use crate::mail::{hooks, world};

/// How long an ending node waits for its processes to stop between two slices.
const PATIENCE: Duration = Duration::from_secs(2);

/// Ends the node with an exit status. If `flush`, no process runs any more, native libraries are told, and ports write
/// their pending output first; then this must be called on a scheduler.
pub fn halt(status: i32, flush: bool) -> ! {
    if flush {
        flush_all();
    }
    profile::finish();
    // The C library's own exit handlers do not run: they would free what other threads still use, such as the stack on
    // which the main thread may be handling a signal.
    sys::thread::exit_at_once(status)
}

fn flush_all() {
    static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
    if HAS_BEGUN.swap(true, Ordering::SeqCst) {
        // Another process is ending the node already.
        world::wait_for_end();
    }
    // A process that does not stop in time may see how ports close.
    let _ = world::stop_for_good(PATIENCE);
    (hooks::get().libraries_end)();
    port::flush_all();
}

/// Ends the node as `halt(abort)` does: by a signal that leaves a core.
pub fn abort() -> ! {
    std::process::abort()
}

/// Ends the node at once with a crash dump, without writing what ports hold, as `halt(Slogan)` does.
pub fn end_with_dump(cause: CrashCause, slogan: &str) -> ! {
    (hooks::get().end_with_dump)(cause, slogan)
}
