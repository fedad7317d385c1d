//! The end of a node. Any thread may end it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::effects::{port, profile};
use crate::mail::hooks::CrashCause;
use crate::mail::{hooks, world};

/// How long an ending node waits for its processes to stop between two slices.
const PATIENCE: Duration = Duration::from_secs(2);

/// The exit status of a node that would have ended well, when its profile could not be written.
const LOST_PROFILE: i32 = 1;

/// The exit status when ports had not written all in time.
const NOT_FLUSHED: i32 = 255;

/// What becomes of pending output when a node ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flush {
    /// It is lost.
    No,
    /// No process runs any more, native libraries are told, and ports write first, however long that takes.
    All,
    /// The same; but when this time has passed, the node ends with status 255 and loses the rest.
    Within(Duration),
}

/// Ends the node with an exit status. To flush, this must be called on a scheduler.
pub fn halt(status: i32, flush: Flush) -> ! {
    let status = match flush {
        Flush::No => status,
        Flush::All => flush_all(None, status),
        // A time that never comes is none.
        Flush::Within(limit) => flush_all(Instant::now().checked_add(limit), status),
    };
    let status = match profile::finish() {
        false if status == 0 => LOST_PROFILE,
        _ => status,
    };
    // The C library's own exit handlers do not run: they would free what other threads still use, such as the stack on
    // which the main thread may be handling a signal.
    sys::thread::exit_at_once(status)
}

/// Returns the exit status: the given one, unless the time was over.
fn flush_all(until: Option<Instant>, status: i32) -> i32 {
    static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
    if HAS_BEGUN.swap(true, Ordering::SeqCst) {
        // Another process is ending the node already.
        world::wait_for_end();
    }
    // A process that does not stop in time may see how ports close.
    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
    let _ = world::stop_for_good(left.map_or(PATIENCE, |left| left.min(PATIENCE)));
    (hooks::get().libraries_end)();
    match port::flush_all(until) {
        true => status,
        false => NOT_FLUSHED,
    }
}

/// Ends the node as `halt(abort)` does: by a signal that leaves a core.
pub fn abort() -> ! {
    std::process::abort()
}

/// Ends the node at once with a crash dump, without writing what ports hold, as `halt(Slogan)` does.
pub fn end_with_dump(cause: CrashCause, slogan: &str) -> ! {
    (hooks::get().end_with_dump)(cause, slogan)
}
