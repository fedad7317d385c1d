//! Links and exit signals: `link`, `unlink`, `exit/2`.

use layout::{ObjectKind, Term};
use term::copy::Owned;
use term::heap::Scratch;
use term::release::{self, Release};
use term::{am, build, node, reference};

use super::sending;
use distribution::signals::{self, Related};
use runtime::code::bif::{BifResult, Failure, badarg, badarg_because, error, room_for_relation};
use runtime::effects::flood::{self, Relating};
use runtime::effects::{port, signal_handling};
use runtime::exec::spawn::options;
use runtime::mail::current::charge;
use runtime::mail::signal;
use runtime::process::rank::Rank;
use runtime::process::signal::Signal;
use runtime::process::{Flags, Process, table};
use runtime::trace::events;

/// Returns `result`, unless a signal that was just handled has ended the process.
fn unless_ended(process: &Process, result: Term) -> BifResult {
    if !process.flags.contains(Flags::EXIT_PENDING) {
        Ok(result)
    } else {
        Err(Failure::Exit)
    }
}

/// `link(PidOrPort)`.
pub(crate) fn link_1(process: &mut Process, [other]: [Term; 1]) -> BifResult {
    link(process, other, Rank::Ordinary)
}

/// A link takes memory at both ends, and as much time as so many ordinary calls: processes that link to thousands give
/// others their turns.
const REDUCTIONS_PER_LINK: i64 = 16;

/// Links a process with another one, or a port; the exit message of the link will have this rank.
fn link(process: &mut Process, other: Term, rank: Rank) -> BifResult {
    if process.flags.contains(Flags::TRACED) {
        events::does(process, am::LINK, other);
    }
    signal_handling::catch_up(process);
    room_for_relation(process)?;
    if other.is_local_pid() {
        if other == process.pid() {
            return Ok(am::TRUE);
        }
        if !table::exists(other) {
            return no_process(process, other);
        }
        if !process.relations.add_link(other, rank) {
            return Ok(am::TRUE);
        }
        if process.flags.contains(Flags::TRACED) {
            events::links(process, other);
        }
        let from = process.pid();
        signal::send_or_bounce(other, Signal::Link { from });
        charge(REDUCTIONS_PER_LINK);
        return sending::after(
            process,
            flood::related(process, other, Relating::Linked),
            am::TRUE,
        );
    }
    if other.is_local_port() {
        if process.relations.is_linked(other) {
            process.relations.add_link(other, rank);
            return Ok(am::TRUE);
        }
        if !port::signals::link(other, process.pid()) {
            return no_process(process, other);
        }
        process.relations.add_link(other, rank);
        return Ok(am::TRUE);
    }
    match other.boxed_kind() {
        Some(ObjectKind::ExternalPid) if !node::is_own(other) => {
            match signals::link(process, other, rank) {
                Related::Sent(sent) => sending::after(process, sent, am::TRUE),
                Related::NoConnection => {
                    let reason = Owned::new(am::NOCONNECTION);
                    signal_handling::exit_received(process, rank, other, reason);
                    unless_ended(process, am::TRUE)
                }
            }
        }
        Some(ObjectKind::ExternalPid) => no_process(process, other),
        Some(ObjectKind::ExternalPort) if node::is_own(other) => no_process(process, other),
        _ => Err(badarg(1)),
    }
}

/// Linking to a process that does not exist sends a message to a caller that traps exits, and is an error for others,
/// as documented.
fn no_process(process: &mut Process, other: Term) -> BifResult {
    if process.traps_exit() {
        let message = build::tuple(process.heap(), &[am::UC_EXIT, other, am::NOPROC]);
        // A signal from the process that is not there, since OTP 29.
        match release::has(Release::OTP_29) {
            true => signal_handling::deliver_last_as_sent(process, other, message),
            false => signal_handling::deliver_last(process, am::SYSTEM, message),
        }
        Ok(am::TRUE)
    } else {
        Err(error(am::NOPROC))
    }
}

/// The rank that options give of which there is one, `priority`.
fn rank(options: Term) -> Result<Rank, Failure> {
    options::rank(options).ok_or_else(|| badarg_because(am::BADOPT))
}

/// `link(PidOrPort, Options)`
pub(crate) fn link_2(process: &mut Process, [other, options]: [Term; 2]) -> BifResult {
    let rank = rank(options)?;
    link(process, other, rank)
}

/// `exit(To, Reason, Options)`
pub(crate) fn exit_3(process: &mut Process, [to, reason, options]: [Term; 3]) -> BifResult {
    let rank = rank(options)?;
    exit(process, to, reason, rank)
}

/// `exit_signal(To, Reason, Options)`
pub(crate) fn exit_signal_3(process: &mut Process, [to, reason, options]: [Term; 3]) -> BifResult {
    let rank = rank(options)?;
    send_exit(process, to, reason, rank)
}

/// `unlink(PidOrPort)`.
pub(crate) fn unlink_1(process: &mut Process, [other]: [Term; 1]) -> BifResult {
    if process.flags.contains(Flags::TRACED) {
        events::does(process, am::UNLINK, other);
    }
    if other.is_local_pid() || other.is_local_port() {
        signal_handling::catch_up(process);
        unlink(process, other);
        return sending::after(
            process,
            flood::related(process, other, Relating::Parted),
            am::TRUE,
        );
    }
    match other.boxed_kind() {
        Some(ObjectKind::ExternalPid) => {
            signal_handling::catch_up(process);
            let sent = signals::unlink(process, other);
            sending::after(process, sent, am::TRUE)
        }
        Some(ObjectKind::ExternalPort) if node::is_own(other) => Ok(am::TRUE),
        _ => Err(badarg(1)),
    }
}

fn unlink(process: &mut Process, other: Term) {
    let from = process.pid();
    let relations = &mut process.relations;
    if other.is_local_port() {
        if relations.remove_link(other) {
            port::signals::unlink(other, from);
        }
        return;
    }
    if let Some(number) = relations.begin_unlink(other)
        && signal::send(other, Signal::Unlink { from, number }).is_err()
    {
        relations.remove_link(other);
    }
}

/// `exit(PidOrPort, Reason)`. A process that ends itself this way exits before the call returns.
pub(crate) fn exit_2(process: &mut Process, [to, reason]: [Term; 2]) -> BifResult {
    exit(process, to, reason, Rank::Ordinary)
}

fn exit(process: &mut Process, to: Term, reason: Term, rank: Rank) -> BifResult {
    if to == process.pid() && (reason == am::KILL || !process.traps_exit()) {
        // Signals that were sent to it before take effect first.
        signal_handling::drain(process);
        let reason = if reason == am::KILL {
            am::KILLED
        } else {
            reason
        };
        signal_handling::die(process, Owned::new(reason));
        return Err(Failure::Exit);
    }
    send_exit(process, to, reason, rank)
}

/// `exit_signal(PidOrPort, Reason)`: as `exit/2`, without its special case for the caller.
pub(crate) fn exit_signal_2(process: &mut Process, [to, reason]: [Term; 2]) -> BifResult {
    send_exit(process, to, reason, Rank::Ordinary)
}

/// Copying a large reason takes time and memory.
const WORDS_PER_REDUCTION: i64 = 16;

fn send_exit(process: &mut Process, to: Term, reason: Term, rank: Rank) -> BifResult {
    let from = process.pid();
    if to.is_local_pid() {
        let reason = Owned::new(reason);
        charge(i64::from(reason.words()) / WORDS_PER_REDUCTION);
        let exit = Signal::Exit {
            from,
            reason,
            linked: false,
        };
        signal::send_or_bounce(to, exit);
        // Who traps exits gets messages of them.
        return sending::after(process, flood::reached(process, to), am::TRUE);
    }
    if to.is_local_port() {
        port::signals::exit_signal(to, from, reason, false);
        return Ok(am::TRUE);
    }
    if to.is_reference() && release::has(Release::OTP_28) {
        if let (Some(pid), Some(number)) = (table::owner_pid(to), reference::number(to)) {
            let mut scratch = Scratch::new();
            let exit = build::tuple(scratch.heap(), &[from, reason]);
            signal_handling::exit_through_alias(pid, number, Owned::new(exit), rank);
        }
        if to.is_kind(ObjectKind::ExternalReference) && !node::is_own(to) {
            let sent = signals::exit(process, to, reason, rank);
            return sending::after(process, sent, am::TRUE);
        }
        return Ok(am::TRUE);
    }
    match to.boxed_kind() {
        Some(ObjectKind::ExternalPid) => {
            let sent = signals::exit(process, to, reason, rank);
            sending::after(process, sent, am::TRUE)
        }
        Some(ObjectKind::ExternalPort) if node::is_own(to) => Ok(am::TRUE),
        _ => Err(badarg(1)),
    }
}
