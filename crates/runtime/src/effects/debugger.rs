//! Which process is the debugger of a node with `+D` (OTP 28 and later), and stopping at lines.
//!
//! A process that comes to a line whose breakpoint is set ([`engine::LineBreakpoints`]) calls
//! `erts_internal:breakpoint/4`, which tells the debugger and waits until it lets the process go on.
//!
//! Any thread may call.

pub mod stack;

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::Ordering;

use layout::{Context, Term};
use parking_lot::Mutex;
use term::am;
use term::heap::Scratch;
use term::{atom, build};

use crate::code::{self, exports};
use crate::mail::signal;
use crate::process::table;

/// The debugger.
static REGISTERED: Mutex<Option<Session>> = Mutex::new(None);

/// A process that was registered as the debugger; it may be gone. The number tells its sessions apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Session {
    pub pid: Term,
    pub number: u32,
}

impl Session {
    fn is_alive(&self) -> bool {
        table::exists(self.pid)
    }
}

/// Why a debugger's request is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// Another debugger is there.
    Exists,
    /// This is not the number of the session.
    WrongSession,
}

/// The debugger, if it is alive.
#[must_use]
pub fn registered() -> Option<Session> {
    let registered = REGISTERED.lock();
    registered.filter(Session::is_alive)
}

/// Makes a process of this node the debugger.
///
/// # Errors
/// [`Refused::Exists`].
pub fn register(pid: Term) -> Result<Session, Refused> {
    let mut registered = REGISTERED.lock();
    if registered.as_ref().is_some_and(Session::is_alive) {
        return Err(Refused::Exists);
    }
    let session = Session {
        pid,
        // Each state is another.
        number: RandomState::new().hash_one(0) as u32,
    };
    *registered = Some(session);
    Ok(session)
}

/// The process is the debugger no longer; nothing happens if it is not.
///
/// # Errors
/// [`Refused::WrongSession`].
pub fn unregister(pid: Term, number: i64) -> Result<(), Refused> {
    let mut registered = REGISTERED.lock();
    match *registered {
        Some(session) if session.pid != pid => {}
        Some(session) if i64::from(session.number) != number => return Err(Refused::WrongSession),
        _ => *registered = None,
    }
    Ok(())
}

/// Sends the debugger an event. Returns false if there is none.
pub fn tell(from: Term, event: Term) -> bool {
    let Some(session) = registered() else {
        return false;
    };
    let mut scratch = Scratch::new();
    let number = Term::small(i64::from(session.number));
    let words = [atom::known("debugger_event"), number, event];
    let message = build::tuple(scratch.heap(), &words);
    signal::send_message(from, session.pid, message)
}

/// The process stops at the line of the instruction before `next`: see [`layout::RuntimeTable::stop_at_line`].
pub(crate) fn stop_at_line(context: &mut Context, next: *const u64) -> *const u64 {
    let place =
        code::place_in_module(next.wrapping_sub(1)).expect("only the code of modules has lines");
    let line = place.location.map_or(0, |(_, line)| line);
    context.x[..4].copy_from_slice(&[
        place.module,
        place.function,
        Term::small(i64::from(place.arity)),
        Term::small(i64::from(line)),
    ]);
    let breakpoint = exports::get(am::ERTS_INTERNAL, am::BREAKPOINT, 4);
    breakpoint.code.load(Ordering::Acquire)
}
