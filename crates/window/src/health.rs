//! Whether the node is ready for work: `init` has done all that it was told, and no program says otherwise.
//!
//! A program that needs longer (caches, connections), or wants no more work before it ends, says so by
//! `erlang:system_flag({ferl, ready}, false)`, and takes it back by `true`. Any thread.

use std::sync::atomic::{AtomicBool, Ordering};

use runtime::code;
use runtime::effects::looking;
use runtime::mail::registry;
use term::{am, atom};

static PROGRAM_IS_READY: AtomicBool = AtomicBool::new(true);
/// Whether `init` was in its loop when it was seen last.
static WAS_BOOTED: AtomicBool = AtomicBool::new(false);

/// Says whether programs are ready; returns what was said before.
pub fn set_ready(is_ready: bool) -> bool {
    PROGRAM_IS_READY.swap(is_ready, Ordering::Relaxed)
}

/// Whether the node is ready, or why not.
pub fn readiness() -> Result<(), &'static str> {
    if !is_booted() {
        return Err("the node is starting or stopping");
    }
    match PROGRAM_IS_READY.load(Ordering::Relaxed) {
        true => Ok(()),
        false => Err("a program of the node is not ready"),
    }
}

/// Whether the process `init` waits for orders: `init:loop/1` in all releases. While it boots or stops the node it
/// waits in other functions, and when it runs just now it is where it was.
fn is_booted() -> bool {
    let init = am::INIT;
    let place = registry::whereis_process(init)
        .and_then(|process| looking::soon(process, |process| code::place_of(process.head.ip)));
    if let Some(place) = place {
        let is_in_loop =
            place.is_some_and(|place| place.module == init && atom::text(place.function) == "loop");
        WAS_BOOTED.store(is_in_loop, Ordering::Relaxed);
    }
    WAS_BOOTED.load(Ordering::Relaxed)
}
