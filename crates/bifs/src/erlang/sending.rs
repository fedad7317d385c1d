//! Sending messages: `send` and the operator `!`.

use layout::Term;
use term::release::{self, Release};
use term::{am, build, list, node};

use distribution::signals;
use runtime::code::bif::{BifResult, Failure, badarg, badarg_because, error};
use runtime::code::exports;
use runtime::effects::{flood, send};
use runtime::mail::dirty;
use runtime::mail::signal::Sent;
use runtime::process::epoch::with_pin;
use runtime::process::rank::Rank;
use runtime::process::{Flags, Process};

/// `erlang:send(Dest, Message)`.
pub(crate) fn send_2(process: &mut Process, [to, message]: [Term; 2]) -> BifResult {
    deliver(process, to, message, message)
}

/// `erlang:'!'(Dest, Message)`.
pub(crate) fn bang_2(process: &mut Process, [to, message]: [Term; 2]) -> BifResult {
    deliver(process, to, message, message)
}

/// `erlang:send(Dest, Message, Options)`: returns `ok`, `noconnect` or `nosuspend`.
pub(crate) fn send_3(process: &mut Process, [to, message, options]: [Term; 3]) -> BifResult {
    let (mut connect, mut suspend, mut rank) = (true, true, Rank::Ordinary);
    for option in list::items(options) {
        match option {
            Ok(am::NOCONNECT) => connect = false,
            Ok(am::NOSUSPEND) => suspend = false,
            Ok(am::PRIORITY) if release::has(Release::OTP_28) => rank = Rank::Priority,
            _ => return Err(badarg_because(am::BADOPT)),
        }
    }
    if is_elsewhere(to) {
        if let Some(refusal) = signals::refusal(to, connect, suspend) {
            return Ok(refusal);
        }
        if !suspend {
            let sent = signals::send_without_waiting(process, to, message, rank);
            return after(process, sent, am::OK);
        }
    }
    if !suspend && runtime::effects::port::signals::would_suspend(to, message) {
        return Ok(am::NOSUSPEND);
    }
    let sent = with_pin(|pinned| match rank {
        Rank::Ordinary => send::send(pinned, process, to, message),
        Rank::Priority => send::send_with_priority(pinned, process, to, message),
    });
    if sent == Sent::Flooding && !suspend {
        return Ok(am::OK);
    }
    after(process, sent, am::OK)
}

/// The result of a BIF that has sent something. A sender that is suspended gets it when it is resumed.
pub(super) fn after(process: &mut Process, sent: Sent, result: Term) -> BifResult {
    match sent {
        Sent::Done => Ok(result),
        Sent::BadArgument => Err(badarg(1)),
        Sent::TooLarge => Err(error(am::SYSTEM_LIMIT)),
        Sent::Later => Err(Failure::Dirty),
        // It is held once it is back from here.
        Sent::Flooding if dirty::is_here() => {
            flood::hold(process);
            Ok(result)
        }
        Sent::Suspended | Sent::Flooding => {
            if sent == Sent::Flooding {
                flood::hold(process);
            }
            process.flags.insert(Flags::BIF_YIELDED);
            Err(Failure::Trap {
                target: exports::get(am::ERLANG, am::BIF_RETURN_TRAP, 1),
                arguments: [result].into(),
            })
        }
    }
}

/// `erlang:bif_return_trap(Result)`: returns the result of a BIF whose caller was suspended in it, once it is resumed.
/// It has stock's name, for `process_info(Pid, current_function)` shows it; as on stock, programs cannot call it.
pub(crate) fn bif_return_trap_1(process: &mut Process, [result]: [Term; 1]) -> BifResult {
    if !process.flags.contains(Flags::BIF_YIELDED) {
        let arguments = build::list(process.heap(), &[result]);
        return Err(runtime::code::bif::trap(
            am::ERROR_HANDLER,
            am::UNDEFINED_FUNCTION,
            &[am::ERLANG, am::BIF_RETURN_TRAP, arguments],
        ));
    }
    if process.suspend_count > 0 {
        return Err(Failure::Wait {
            arguments: [result].into(),
        });
    }
    process.flags.remove(Flags::BIF_YIELDED);
    Ok(result)
}

/// Whether the receiver lives on another node.
fn is_elsewhere(to: Term) -> bool {
    match to.as_tuple_of() {
        Some([name, node]) => name.is_atom() && node.is_atom() && node != node::own_name(),
        None => {
            matches!(
                to.boxed_kind(),
                Some(layout::ObjectKind::ExternalPid | layout::ObjectKind::ExternalReference)
            ) && node::of(to).name != node::own_name()
        }
    }
}

fn deliver(process: &mut Process, to: Term, message: Term, result: Term) -> BifResult {
    let sent = with_pin(|pinned| send::send(pinned, process, to, message));
    after(process, sent, result)
}
