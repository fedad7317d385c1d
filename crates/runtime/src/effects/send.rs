//! Sending messages: the common part of `!` and the send BIFs, which finds the receiver.

use layout::context::Next;
use layout::{Context, Fragment, ObjectKind, Term};
use term::copy::{self, Refused};
use term::{am, build, node, reference};

use crate::code::bif;
use crate::effects::{exception, flood, port, system_monitor};
use crate::mail::observer::observer;
use crate::mail::signal::{self, Sent};
use crate::mail::{dirty, registry, remote, senders};
use crate::process::dirty::{Call, DirtyKind};
use crate::process::epoch::{self, Pinned};
use crate::process::rank::Rank;
use crate::process::{Flags, Process, table};

/// The operator `!`: sends x1 to x0; the result is in x0.
#[inline]
pub fn send_operator(pinned: Pinned<'_>, process: &mut Process, context: &mut Context) -> Next {
    let (to, message) = (context.x[0], context.x[1]);
    if process
        .flags
        .intersects(Flags::TRACED | Flags::DIRTY_CALL_DONE)
    {
        if process.flags.contains(Flags::DIRTY_CALL_DONE) {
            return sent_apart(process, context);
        }
        observer().sends_by_operator(process);
    }
    let sent = send(pinned, process, to, message);
    match sent {
        Sent::Done => {
            context.x[0] = message;
            // A port's driver may have used what was left of the slice. No call follows that would see it.
            match to.is_local_pid() || context.reductions_left > 0 {
                true => Next::Continue,
                false => Next::Yield,
            }
        }
        Sent::BadArgument => raise(process, context, am::BADARG),
        Sent::TooLarge => raise(process, context, am::SYSTEM_LIMIT),
        Sent::Later => {
            process.extras().dirty = Some(Call::Wanted {
                function: send_apart,
                kind: DirtyKind::Long,
            });
            process.flags.insert(Flags::DIRTY_CALL);
            Next::Again
        }
        Sent::Suspended | Sent::Flooding => {
            if sent == Sent::Flooding {
                flood::hold(process);
            }
            context.x[0] = message;
            process.extras().is_sending = true;
            Next::Wait
        }
    }
}

/// Raises an error of the operator, whose operands are in x0 and x1.
#[cold]
fn raise(process: &mut Process, context: &mut Context, reason: Term) -> Next {
    exception::raise_error(context, reason);
    let heap = process.heap();
    let arguments = build::list(heap, &context.x[..2]);
    // The `!` operator is not a call, but the stack trace names it as `erlang:'!'/2`.
    context.abrupt.arguments = build::tuple(heap, &[am::ERLANG, am::SEND, arguments]);
    Next::Raised
}

/// The operator on a dirty scheduler, for a large message.
unsafe extern "C" fn send_apart(context: *mut Context, arguments: *const Term) -> Term {
    // SAFETY: the dirty scheduler calls with a context that holds the process, and with the operands.
    let (process, [to, message]) = unsafe {
        let process = &mut *(*context).process.cast::<Process>();
        (process, arguments.cast::<[Term; 2]>().read())
    };
    let sent = epoch::with_pin(|pinned| send(pinned, process, to, message));
    if sent == Sent::Flooding {
        flood::hold(process);
    }
    let result = match sent {
        Sent::BadArgument => Err(bif::badarg(1)),
        Sent::TooLarge => Err(bif::system_limit()),
        Sent::Done | Sent::Suspended | Sent::Flooding => Ok(message),
        Sent::Later => unreachable!("a dirty scheduler copies messages of any size"),
    };
    // SAFETY: as above.
    unsafe { bif::finish(context, result) }
}

/// What the operator does once a dirty scheduler has sent its message.
#[cold]
fn sent_apart(process: &mut Process, context: &mut Context) -> Next {
    process.flags.remove(Flags::DIRTY_CALL_DONE);
    let extras = process.extras();
    let outcome = std::mem::take(&mut extras.roots)[0];
    match extras.dirty.take() {
        Some(Call::Result) => {
            context.x[0] = outcome;
            Next::Continue
        }
        _ => raise(process, context, outcome),
    }
}

/// Maximum number of words of a message that this thread may copy. What a tracer was told of is sent at once.
#[cold]
fn most_words_of(sender: &Process) -> usize {
    match sender.flags.contains(Flags::TRACED) || dirty::is_here() {
        true => usize::MAX,
        false => copy::LONG_WORDS,
    }
}

/// Sends a message from a running process.
#[inline]
pub fn send(pinned: Pinned<'_>, from: &mut Process, to: Term, message: Term) -> Sent {
    match from.flags.contains(Flags::TRACED) {
        true => send_observed(pinned, from, to, message),
        false => send_without_trace::<false>(pinned, from, to, message),
    }
}

/// Kept apart, so that the ordinary way stays in one piece.
#[cold]
#[inline(never)]
fn send_observed(pinned: Pinned<'_>, from: &mut Process, to: Term, message: Term) -> Sent {
    observer().sends(from, to, message);
    if let Some(sent) = observer().sends_token(from, to, message, Rank::Ordinary) {
        return sent;
    }
    match senders::are_asked() {
        true => send_without_trace::<true>(pinned, from, to, message),
        false => send_without_trace::<false>(pinned, from, to, message),
    }
}

/// As [`send`], for a message that its receiver is to receive with priority if `to` is one of its aliases for that.
pub fn send_with_priority(pinned: Pinned<'_>, from: &mut Process, to: Term, message: Term) -> Sent {
    if from.flags.contains(Flags::TRACED) {
        observer().sends(from, to, message);
        if let Some(sent) = observer().sends_token(from, to, message, Rank::Priority) {
            return sent;
        }
    }
    if to.is_kind(ObjectKind::Reference) {
        let owner = table::owner(pinned, to);
        if let (Some(owner), Some(number)) = (owner, reference::number(to)) {
            let fragment = signal::alias_message(number, message, copy::size(message));
            // SAFETY: the fragment is new, so it is in no list.
            unsafe {
                (*fragment).kind |= crate::process::signal::PRIORITY;
                signal::send_before_others(owner, senders::noted(from.pid(), fragment));
            }
        }
        return Sent::Done;
    }
    let is_elsewhere = match to.as_tuple_of() {
        Some([name, node]) => name.is_atom() && node.is_atom() && node != node::own_name(),
        _ => (to.is_pid() && !to.is_local_pid()) || to.is_reference(),
    };
    match is_elsewhere {
        true => remote::get().send(from, to, message, Rank::Priority),
        false if senders::are_asked() => send_without_trace::<true>(pinned, from, to, message),
        false => send_without_trace::<false>(pinned, from, to, message),
    }
}

/// Sends a message from a process that is in a call of a native library, on any thread; returns whether the receiver
/// exists. If it is as `own` as one that the process sends by itself, it passes the token of sequential trace on, or
/// takes the receiver's away.
pub fn send_by_library(from: &mut Process, to: Term, message: Term, own: bool) -> bool {
    epoch::with_pin(|pinned| {
        let Some(receiver) = table::find(pinned, to) else {
            return false;
        };
        if from.flags.contains(Flags::TRACED) {
            observer().sends_by_library(from, to, message);
            if own
                && observer()
                    .sends_token(from, to, message, Rank::Ordinary)
                    .is_some()
            {
                return true;
            }
        }
        let fragment = copy::to_fragment(message);
        // SAFETY: the fragment is new, so it is in no list.
        unsafe {
            if !own {
                (*fragment).kind = crate::process::signal::OWN_MESSAGE;
            }
            signal::send_fragment(receiver, senders::noted(from.pid(), fragment));
        }
        if receiver.is_flooded() {
            flood::note(from.pid(), to);
        }
        true
    })
}

/// Sends a message that the tracer of its sender has been told of; if `NOTED`, it says who has sent it
/// ([`crate::mail::senders`]).
#[inline(always)]
fn send_without_trace<const NOTED: bool>(
    pinned: Pinned<'_>,
    from: &mut Process,
    to: Term,
    message: Term,
) -> Sent {
    if to.is_local_pid() {
        return send_to_process::<NOTED>(pinned, from, to, message);
    }
    send_elsewhere::<NOTED>(pinned, from, to, message)
}

#[inline(always)]
fn send_to_process<const NOTED: bool>(
    pinned: Pinned<'_>,
    from: &Process,
    to: Term,
    message: Term,
) -> Sent {
    if let Some(receiver) = table::find(pinned, to) {
        let mut copied = copy::to_fragment_within(message, copy::LONG_WORDS);
        if copied == Err(Refused::Long) {
            copied = copy::to_fragment_within(message, most_words_of(from));
        }
        let fragment = match copied {
            Ok(fragment) => fragment,
            Err(Refused::Long) => return Sent::Later,
            Err(Refused::NoRoom) => return Sent::TooLarge,
        };
        // SAFETY: the fragment is new, so it is in no list.
        unsafe { signal::send_fragment(receiver, noted::<NOTED>(from, fragment)) };
        if receiver.is_flooded() {
            return flood::sent(from, to);
        }
    }
    Sent::Done
}

/// A message, with its sender if `NOTED`.
///
/// # Safety
/// The fragment is a live message that is in no list.
#[inline]
unsafe fn noted<const NOTED: bool>(from: &Process, message: *mut Fragment) -> *mut Fragment {
    match NOTED {
        // SAFETY: the caller's promise.
        true => unsafe { senders::noted(from.pid(), message) },
        false => message,
    }
}

fn send_to_port(from: &mut Process, port: Term, message: Term) -> Sent {
    let sent = port::signals::message(from, port, message);
    if sent == Sent::Suspended {
        system_monitor::busy_port(from.pid(), port);
    }
    sent
}

fn send_elsewhere<const NOTED: bool>(
    pinned: Pinned<'_>,
    from: &mut Process,
    to: Term,
    message: Term,
) -> Sent {
    if to.is_atom() {
        return match registry::whereis(to) {
            None => Sent::BadArgument,
            Some(pid) if pid.is_local_pid() => send_to_process::<NOTED>(pinned, from, pid, message),
            Some(port) => send_to_port(from, port, message),
        };
    }
    if to.is_local_port() {
        return send_to_port(from, to, message);
    }
    if let Some([name, node]) = to.as_tuple_of() {
        if !name.is_atom() || !node.is_atom() {
            return Sent::BadArgument;
        }
        if node == node::own_name()
            && let Some(receiver) = registry::whereis(name)
        {
            return send_without_trace::<NOTED>(pinned, from, receiver, message);
        }
        return match node == node::own_name() {
            true => Sent::Done,
            false => remote::get().send(from, to, message, Rank::Ordinary),
        };
    }
    if to.is_reference() {
        let owner = table::owner(pinned, to);
        if let (Some(owner), Some(number)) = (owner, reference::number(to)) {
            let mut words = copy::size_up_to(message, copy::LONG_WORDS);
            if words > copy::LONG_WORDS {
                let most = most_words_of(from);
                words = copy::size_up_to(message, most);
                if words > most {
                    return Sent::Later;
                }
            }
            let fragment = signal::alias_message(number, message, words);
            // SAFETY: the fragment is new, so it is in no list. The receiver takes the message only while the alias
            // is active.
            unsafe { signal::send_fragment(owner, noted::<NOTED>(from, fragment)) };
            if owner.is_flooded() {
                return flood::sent(from, owner.pid());
            }
        }
        return match to.is_kind(ObjectKind::ExternalReference) {
            true => remote::get().send(from, to, message, Rank::Ordinary),
            false => Sent::Done,
        };
    }
    if to.is_pid() {
        return remote::get().send(from, to, message, Rank::Ordinary);
    }
    if to.is_port() && node::is_own(to) {
        return Sent::Done;
    }
    Sent::BadArgument
}
