//! Links and exit signals: `link`, `unlink`, `exit/2`.

use layout::{ObjectKind, Term};
use term::copy::Owned;
use term::release::{self, Release};
use term::{am, build, list, node, reference};

use super::sending;
use distribution::signals::{self, Related};
use runtime::bif::{BifResult, Failure, badarg, badarg_because, error};
use runtime::port;
use runtime::process::{Process, flag, table};
use runtime::signal::{self, Signal, handle};
use runtime::trace::events;

/// Returns `result`, unless a signal that was just handled has ended the process.
fn unless_ended(process: &Process, result: Term) -> BifResult {
    if process.flags & flag::EXIT_PENDING == 0 {
        Ok(result)
    } else {
        Err(Failure::Exit)
    }
}

/// `link(PidOrPort)`.
pub fn link_1(process: &mut Process, [other]: [Term; 1]) -> BifResult {
    if process.flags & flag::OBSERVED != 0 {
        events::does(process, am::LINK, other);
    }
    handle::catch_up(process);
    if other.is_local_pid() {
        if other == process.pid() {
            return Ok(am::TRUE);
        }
        if table::find(other).is_null() {
            return no_process(process, other);
        }
        if !process.relations.add_link(other) {
            return Ok(am::TRUE);
        }
        if process.flags & flag::OBSERVED != 0 {
            events::links(process, other);
        }
        let from = process.pid();
        signal::send_or_bounce(other, Signal::Link { from });
        return Ok(am::TRUE);
    }
    if other.is_local_port() {
        if process.relations.is_linked(other) {
            return Ok(am::TRUE);
        }
        if !port::signals::link(other, process.pid()) {
            return no_process(process, other);
        }
        process.relations.add_link(other);
        return Ok(am::TRUE);
    }
    match other.boxed_kind() {
        Some(ObjectKind::ExternalPid) if !is_of_this_node(other) => {
            match signals::link(process, other) {
                Related::Sent(sent) => sending::after(process, sent, am::TRUE),
                Related::NoConnection => {
                    handle::exit_received(process, other, Owned::new(am::NOCONNECTION));
                    unless_ended(process, am::TRUE)
                }
            }
        }
        Some(ObjectKind::ExternalPid) => no_process(process, other),
        Some(ObjectKind::ExternalPort) if is_of_this_node(other) => no_process(process, other),
        _ => Err(badarg(1)),
    }
}

/// Whether an external identifier has this node's name: then it belongs to an earlier incarnation of it.
pub(super) fn is_of_this_node(identifier: Term) -> bool {
    node::of(identifier).name == node::own_name()
}

/// Linking to a process that does not exist sends a message to a caller that traps exits, and is an error for others,
/// as documented.
fn no_process(process: &mut Process, other: Term) -> BifResult {
    if process.traps_exit() {
        let message = build::tuple(process.heap(), &[am::UC_EXIT, other, am::NOPROC]);
        // A signal from the process that is not there, since OTP 29.
        match release::has(Release::OTP_29) {
            true => handle::deliver_last_as_sent(process, other, message),
            false => handle::deliver_last(process, am::SYSTEM, message),
        }
        Ok(am::TRUE)
    } else {
        Err(error(am::NOPROC))
    }
}

/// Checks options of which there is one, `priority`. It concerns processes that take messages with priority, and there
/// are none: nothing else needs to know.
fn check_options(options: Term) -> Result<(), Failure> {
    let mut all = list::items(options);
    match all.all(|option| option.is_ok_and(|option| option == am::PRIORITY)) {
        true => Ok(()),
        false => Err(badarg_because(am::BADOPT)),
    }
}

/// `link(PidOrPort, Options)`
pub fn link_2(process: &mut Process, [other, options]: [Term; 2]) -> BifResult {
    check_options(options)?;
    link_1(process, [other])
}

/// `exit(To, Reason, Options)`
pub fn exit_3(process: &mut Process, [to, reason, options]: [Term; 3]) -> BifResult {
    check_options(options)?;
    exit_2(process, [to, reason])
}

/// `exit_signal(To, Reason, Options)`
pub fn exit_signal_3(process: &mut Process, [to, reason, options]: [Term; 3]) -> BifResult {
    check_options(options)?;
    exit_signal_2(process, [to, reason])
}

/// `unlink(PidOrPort)`.
pub fn unlink_1(process: &mut Process, [other]: [Term; 1]) -> BifResult {
    if process.flags & flag::OBSERVED != 0 {
        events::does(process, am::UNLINK, other);
    }
    if other.is_local_pid() || other.is_local_port() {
        handle::catch_up(process);
        unlink(process, other);
        return Ok(am::TRUE);
    }
    match other.boxed_kind() {
        Some(ObjectKind::ExternalPid) => {
            handle::catch_up(process);
            let sent = signals::unlink(process, other);
            sending::after(process, sent, am::TRUE)
        }
        Some(ObjectKind::ExternalPort) => Ok(am::TRUE),
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
pub fn exit_2(process: &mut Process, [to, reason]: [Term; 2]) -> BifResult {
    if to == process.pid() && (reason == am::KILL || !process.traps_exit()) {
        // Signals that were sent to it before take effect first.
        handle::fetch(process);
        let reason = if reason == am::KILL {
            am::KILLED
        } else {
            reason
        };
        handle::die(process, Owned::new(reason));
        return Err(Failure::Exit);
    }
    send_exit(process, to, reason)
}

/// `exit_signal(PidOrPort, Reason)`: as `exit/2`, without its special case for the caller.
pub fn exit_signal_2(process: &mut Process, [to, reason]: [Term; 2]) -> BifResult {
    send_exit(process, to, reason)
}

fn send_exit(process: &mut Process, to: Term, reason: Term) -> BifResult {
    let from = process.pid();
    if to.is_local_pid() {
        let exit = Signal::Exit {
            from,
            reason: Owned::new(reason),
            linked: false,
        };
        signal::send_or_bounce(to, exit);
        return Ok(am::TRUE);
    }
    if to.is_local_port() {
        port::signals::exit_signal(to, from, reason, false);
        return Ok(am::TRUE);
    }
    let is_local_reference = to.is_reference() && !to.is_kind(ObjectKind::ExternalReference);
    if is_local_reference && release::has(Release::OTP_28) {
        if let (Some(pid), Some(number)) = (table::owner_pid(to), reference::number(to)) {
            exit_through_alias(from, pid, number, reason);
        }
        return Ok(am::TRUE);
    }
    match to.boxed_kind() {
        Some(ObjectKind::ExternalPid) => {
            let sent = signals::exit(process, to, reason);
            sending::after(process, sent, am::TRUE)
        }
        Some(ObjectKind::ExternalPort) if is_of_this_node(to) => Ok(am::TRUE),
        _ => Err(badarg(1)),
    }
}

/// Sends an exit signal to the process of an alias, which takes it if the alias is active; it stays so.
fn exit_through_alias(from: Term, pid: Term, number: (u64, u64), reason: Term) {
    let reason = Owned::new(reason);
    let exit = move |receiver: Option<&mut Process>| {
        let Some(receiver) = receiver else {
            return;
        };
        if receiver.relations.alias(number).is_some() {
            match reason.term() {
                am::KILL => handle::die(receiver, Owned::new(am::KILLED)),
                _ => handle::exit_received(receiver, from, reason),
            }
        }
    };
    signal::send_or_bounce(pid, Signal::Call(Box::new(exit)));
}
