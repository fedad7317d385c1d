//! The end of a node. Any thread may end it.

use crate::{hooks, port};

/// Why the node ends with a crash dump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrashCause {
    /// A program or its environment asked for it: a dump, and exit status 1.
    Outside,
    /// Someone at the terminal asked for it: a dump and, as on stock, a core.
    Menu,
    /// An internal error of ferl: a dump unless `+d` was given, and a core.
    Internal,
}

/// Ends the node with an exit status. If `flush`, ports write their pending output first.
pub fn halt(status: i32, flush: bool) -> ! {
    if flush {
        port::flush_all();
    }
    // The C library's own exit handlers do not run: they would free what other threads still use, such as the stack on
    // which the main thread may be handling a signal.
    sys::thread::exit_at_once(status)
}

/// Ends the node as `halt(abort)` does: by a signal that leaves a core.
pub fn abort() -> ! {
    std::process::abort()
}

/// Ends the node with a crash dump, as `halt(Slogan)` does; ports write their pending output first.
pub fn crash(slogan: &str) -> ! {
    port::flush_all();
    end_with_dump(CrashCause::Outside, slogan)
}

/// Ends the node at once with a crash dump.
pub fn end_with_dump(cause: CrashCause, slogan: &str) -> ! {
    (hooks::get().end_with_dump)(cause, slogan)
}
