//! What the window changes in the node, where `+dashboard_control true` allows it.
//!
//! Each is a signal to a process, which takes effect when a scheduler comes to it. Any thread.

use layout::Term;
use runtime::effects::collection::request;
use runtime::mail::signal;
use runtime::process::signal::Signal;
use term::am;
use term::copy::Owned;

use crate::events::{self, Own};

/// Ends a process at once, as `exit(Pid, kill)`; false if there is none.
pub fn kill(pid: Term) -> bool {
    let exit = Signal::Exit {
        from: pid,
        reason: Owned::new(am::KILL),
        linked: false,
    };
    let is_there = signal::send(pid, exit).is_ok();
    if is_there {
        events::note(Own::Killed(pid));
    }
    is_there
}

/// Has a process collect its heap, as `erlang:garbage_collect(Pid)`; false if there is none.
pub fn collect(pid: Term) -> bool {
    let is_there = runtime::process::table::exists(pid);
    if is_there {
        request::collect_soon(pid);
        events::note(Own::Collected(pid));
    }
    is_there
}
