//! Sending messages: `send` and the operator `!`.

use layout::Term;
use layout::limits::REDUCTIONS_PER_SLICE;
use term::{am, list, node};

use distribution::signals;
use runtime::bif::{BifResult, badarg, badarg_because};
use runtime::process::Process;
use runtime::scheduler;
use runtime::send::{self, Sent};

/// `erlang:send(Dest, Message)`.
pub fn send_2(process: &mut Process, [to, message]: [Term; 2]) -> BifResult {
    deliver(process, to, message, message)
}

/// `erlang:'!'(Dest, Message)`.
pub fn bang_2(process: &mut Process, [to, message]: [Term; 2]) -> BifResult {
    deliver(process, to, message, message)
}

/// `erlang:send(Dest, Message, Options)`: returns `ok`, `noconnect` or `nosuspend`.
pub fn send_3(process: &mut Process, [to, message, options]: [Term; 3]) -> BifResult {
    let (mut connect, mut suspend) = (true, true);
    for option in list::items(options) {
        match option {
            Ok(am::NOCONNECT) => connect = false,
            Ok(am::NOSUSPEND) => suspend = false,
            _ => return Err(badarg_because(am::BADOPT)),
        }
    }
    if is_elsewhere(to) {
        if let Some(refusal) = signals::refusal(to, connect, suspend) {
            return Ok(refusal);
        }
        if !suspend {
            signals::send_without_waiting(process, to, message);
            return Ok(am::OK);
        }
    }
    if !suspend && runtime::port::signals::would_suspend(to, message) {
        return Ok(am::NOSUSPEND);
    }
    match send::send(process, to, message) {
        Sent::Done => Ok(am::OK),
        Sent::BadArgument => Err(badarg(1)),
        Sent::Suspended => Ok(after_this_slice(am::OK)),
    }
}

/// The message is sent, and the sender is suspended at the end of its slice. This uses up the slice, so that it ends
/// now.
fn after_this_slice(result: Term) -> Term {
    scheduler::charge(REDUCTIONS_PER_SLICE);
    result
}

/// The result of a BIF that has sent something to another node.
pub(super) fn after(sent: Sent, result: Term) -> Term {
    match sent {
        Sent::Suspended => after_this_slice(result),
        Sent::Done | Sent::BadArgument => result,
    }
}

/// Whether the receiver lives on another node.
fn is_elsewhere(to: Term) -> bool {
    match to.as_tuple() {
        Some(&[name, node]) => name.is_atom() && node.is_atom() && node != node::own_name(),
        Some(_) => false,
        None => {
            matches!(
                to.boxed_kind(),
                Some(layout::ObjectKind::ExternalPid | layout::ObjectKind::ExternalReference)
            ) && node::of(to).name != node::own_name()
        }
    }
}

fn deliver(process: &mut Process, to: Term, message: Term, result: Term) -> BifResult {
    match send::send(process, to, message) {
        Sent::Done => Ok(result),
        Sent::BadArgument => Err(badarg(1)),
        Sent::Suspended => Ok(after_this_slice(result)),
    }
}
