//! The effects of signals on the process that receives them.
//!
//! The owner of the process calls this at a `receive` that finds no message, and before a slice if the SIGNALS bit says
//! that a signal other than a message has arrived.

use std::ptr;

use layout::{Fragment, Term, no_gc};
use term::copy::{Owned, to_fragment};
use term::gc::stress::{self, Stress};
use term::heap::{self, Scratch};
use term::release::{self, Release};
use term::{am, build, reference};

use crate::effects::receive::{self, priority};
use crate::effects::{port, system_monitor};
use crate::mail::bounce::bounce;
use crate::mail::observer::observer;
use crate::mail::signal;
use crate::mail::time::watchers;
use crate::mail::{current, metering, remote, senders};
use crate::process::extras::Closing;
use crate::process::rank::Rank;
use crate::process::relations::aliases::Reaches;
use crate::process::relations::{self, MonitorTarget, ReferenceNumber};
use crate::process::signal::{
    ALIAS_MESSAGE, ALIAS_TOKEN_MESSAGE, DEMONITOR, ENVELOPE, MEASURED, MESSAGE, OTHER, OWN_MESSAGE,
    PRIORITY, Signal, TOKEN_MESSAGE, UNDECODED, boxed, unboxed,
};
use crate::process::sync::between_steps;
use crate::process::{Flags, Process, message_queue, sequence, state};

/// Handles all signals that have arrived, in order. Afterwards the messages are in the inner queue, and
/// `EXIT_PENDING` is set if one of the other signals ended the process.
pub fn drain(process: &mut Process) {
    let _: Drained = drain_up_to(process, usize::MAX);
}

/// As many signals other than messages take up to milliseconds to handle, so those that follow are handled later.
const MANY_SIGNALS: usize = 1 << 10;
/// As [`MANY_SIGNALS`] under GC stress, where some queues should take this path: but not those of programs that see in
/// which order a few dozen requests are done, which is told among those that are handled together.
const STRESSED_MANY_SIGNALS: usize = 64;
/// A question (`process_info`) costs the process that is asked nothing but what it takes to answer, as on stock.
const SIGNALS_PER_REDUCTION: usize = 4;

/// Which signals were handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Drained {
    All,
    /// The process keeps the later ones, and cannot rest before it has handled them.
    Some,
}

/// As [`drain`], between two slices, but not very many. The process goes on as if the later ones had not arrived yet.
pub fn drain_between_slices(process: &mut Process) {
    let _: Drained = drain_some(process);
}

/// As [`drain_between_slices`], for a process that leaves its slice if not all are handled. Where they arrive faster
/// than they are handled, there would be more each time.
pub(crate) fn drain_some(process: &mut Process) -> Drained {
    let most = match stress::get() {
        Stress::None => MANY_SIGNALS,
        Stress::Collect | Stress::Verify => STRESSED_MANY_SIGNALS,
    };
    drain_up_to(process, most)
}

/// Handles up to so many signals that are not messages, the oldest first, and the messages among them. Many of them
/// cost reductions: who is sent such signals without end gives way to others in between.
#[inline]
fn drain_up_to(process: &mut Process, most: usize) -> Drained {
    let mut may_handle = most;
    let mut left = ptr::null_mut();
    if state::look(&process.state) {
        let earlier = process.take_left();
        left = handle_some(process, earlier, &mut may_handle);
    }
    if left.is_null() {
        let arrived = process.signals.take();
        left = handle_some(process, arrived, &mut may_handle);
    }
    current::charge(((most - may_handle) / SIGNALS_PER_REDUCTION) as i64);
    if left.is_null() {
        return Drained::All;
    }
    process.extras().taken.keep(left);
    state::look_again(&process.state);
    Drained::Some
}

/// Handles signals, the oldest first, up to the given number that are not messages; returns those that are left.
#[inline]
fn handle_some(
    process: &mut Process,
    mut fragment: *mut Fragment,
    most: &mut usize,
) -> *mut Fragment {
    while !fragment.is_null() {
        // SAFETY: taken from the queue, so this thread owns it; `next` is read before the fragment is passed on.
        unsafe {
            let next = (*fragment).next;
            between_steps();
            match (*fragment).kind {
                MESSAGE | TOKEN_MESSAGE | OWN_MESSAGE => {
                    append(process, am::UNDEFINED, fragment);
                }
                ALIAS_MESSAGE | ALIAS_TOKEN_MESSAGE => {
                    alias_message(process, am::UNDEFINED, fragment);
                }
                ENVELOPE => enclosed(process, fragment),
                UNDECODED => undecoded(process, fragment),
                OTHER | DEMONITOR if *most == 0 => return fragment,
                DEMONITOR => {
                    *most -= 1;
                    let number = *Fragment::words_pointer(fragment);
                    heap::free_fragment(fragment);
                    if let Some(watcher) = process.relations.remove_watcher((number, 0))
                        && relations::is_handle(watcher.watcher)
                    {
                        remote::get().release(watcher.watcher, 1);
                    }
                }
                OTHER => {
                    *most -= 1;
                    let signal = unboxed(fragment);
                    if !process.flags.contains(Flags::EXIT_PENDING) {
                        handle(process, signal);
                    } else {
                        come_too_late(process, signal);
                    }
                }
                kind if kind & MEASURED != 0 => measured(process, fragment),
                kind if kind & PRIORITY != 0 => with_priority(process, am::UNDEFINED, fragment),
                kind => unreachable!("a signal of kind {kind}"),
            }
            fragment = next;
        }
    }
    fragment
}

/// Handles a signal that comes after the one that ends the process. A link or monitor is refused only once nothing of
/// the process can be found, such as its name or its tables; and whoever calls a function for the process in vain
/// counts on its relations being gone. So these stay in the queue for
/// [`bounce::bounce_rest`](crate::mail::bounce::bounce_rest).
#[cold]
fn come_too_late(process: &mut Process, signal: Signal) {
    if matches!(
        signal,
        Signal::Link { .. } | Signal::Monitor { .. } | Signal::Call(_)
    ) {
        // SAFETY: the fragment is new, so it is in no list.
        unsafe { process.signals.push(boxed(signal)) };
    } else {
        bounce(process.pid(), signal);
    }
}

/// A new reference for a reply that the process is about to wait for. No message that has already arrived can contain
/// it, so the next `receive` begins after those, as on stock: none of them is examined.
///
/// The process must receive that reply before anything else; any other `receive` would skip messages.
#[must_use]
pub fn reference_of_answer(process: &mut Process) -> Term {
    drain(process);
    message_queue::skip_all(process);
    reference::make(process.heap())
}

/// Handles the signals that have arrived, before a BIF changes something by which they are judged, such as the links:
/// signals that were there before the change are judged by the old state.
pub fn catch_up(process: &mut Process) {
    if process.unhandled().iter().any(|first| !first.is_null()) {
        drain(process);
    }
}

/// Delivers a term to the running process as a message, after all signals that have arrived. None of them is handled
/// yet, as on stock. `from` is for [`senders`].
pub fn deliver_last(process: &mut Process, from: Term, message: Term) {
    // SAFETY: the process runs, so it is allocated; the fragment is new, so it is in no list.
    unsafe {
        let fragment = to_fragment(message);
        (*fragment).kind = OWN_MESSAGE;
        signal::send_fragment(process.as_peer(), senders::noted(from, fragment));
    }
}

/// As [`deliver_last`], with priority over what is not received yet.
pub fn deliver_before_others(process: &mut Process, from: Term, message: Term) {
    let message = Owned::new(message);
    let deliver = move |process: Option<&mut Process>| {
        if let Some(process) = process {
            deliver_ranked(process, Rank::Priority, from, message.term());
        }
    };
    let _ = signal::send(process.pid(), Signal::Call(Box::new(deliver)));
}

/// As [`deliver_last`], as if another process had sent the message: it takes a token of sequential trace away.
pub fn deliver_last_as_sent(process: &mut Process, from: Term, message: Term) {
    // SAFETY: as above.
    unsafe {
        signal::send_fragment(
            process.as_peer(),
            senders::noted(from, to_fragment(message)),
        )
    };
}

/// Puts a message into the inner queue. `from` is for [`senders`].
///
/// # Safety
/// The fragment is a live message that is in no list.
#[inline]
pub(crate) unsafe fn append(process: &mut Process, from: Term, message: *mut Fragment) {
    // SAFETY: the caller's promise.
    unsafe {
        if process.flags.contains(Flags::TRACED) {
            observer().receives(process, from, message);
            message_queue::append(process, message);
            system_monitor::queue_grows(process);
        } else {
            message_queue::append(process, message);
        }
    }
}

/// Puts a message into the inner queue, before or after the ordinary ones that are there. `from` is for [`senders`].
///
/// # Safety
/// As for [`append`].
#[inline(always)]
unsafe fn put(process: &mut Process, rank: Rank, from: Term, message: *mut Fragment) {
    // SAFETY: the caller's promise.
    unsafe {
        if rank == Rank::Ordinary {
            return append(process, from, message);
        }
        if process.flags.contains(Flags::TRACED) {
            observer().receives(process, from, message);
        }
        priority::insert(process, message);
    }
}

/// Delivers a term to the process as a message, after the signals that it has fetched. `from` is for [`senders`].
pub fn deliver(process: &mut Process, from: Term, message: Term) {
    deliver_ranked(process, Rank::Ordinary, from, message);
}

fn deliver_ranked(process: &mut Process, rank: Rank, from: Term, message: Term) {
    // SAFETY: the fragment is new, so it is in no list.
    unsafe { put_own(process, rank, from, to_fragment(message)) };
}

/// A message from the machine.
///
/// # Safety
/// As for [`append`].
unsafe fn put_own(process: &mut Process, rank: Rank, from: Term, message: *mut Fragment) {
    // SAFETY: the caller's promise.
    unsafe {
        (*message).kind = OWN_MESSAGE;
        put(process, rank, from, message);
    }
}

/// A message that says who has sent it.
///
/// # Safety
/// `fragment` is a live fragment of kind `ENVELOPE` that is in no list.
#[cold]
unsafe fn enclosed(process: &mut Process, fragment: *mut Fragment) {
    // SAFETY: the caller's promise; what is taken out is a message, or one through an alias, in no list.
    unsafe {
        let (from, message) = senders::opened(fragment);
        take_in(process, from, message);
    }
}

/// A message of which is measured how long it waits.
///
/// # Safety
/// `fragment` is a live fragment with `MEASURED` that is in no list.
#[cold]
unsafe fn measured(process: &mut Process, fragment: *mut Fragment) {
    // SAFETY: the caller's promise; one that is not decoded is a fragment of that kind once it has no other bits, and
    // what comes back is a message, or one through an alias, in no list.
    unsafe {
        if (*fragment).kind & !(MEASURED | PRIORITY) != UNDECODED {
            return take_in(process, am::UNDEFINED, fragment);
        }
        let since_ns = metering::unmarked(fragment);
        (*fragment).kind = UNDECODED;
        if let Some((node, fragment)) = remote::get().decode(fragment) {
            if let Some(since_ns) = since_ns {
                metering::goes_on(process.pid(), fragment, since_ns);
            }
            take_in(process, node, fragment);
        }
    }
}

/// A message that is decoded, perhaps through an alias.
///
/// # Safety
/// `message` is a live message that is in no list.
unsafe fn take_in(process: &mut Process, from: Term, message: *mut Fragment) {
    // SAFETY: the caller's promise.
    unsafe {
        match (*message).kind & !MEASURED {
            ALIAS_MESSAGE | ALIAS_TOKEN_MESSAGE => alias_message(process, from, message),
            kind if kind & PRIORITY != 0 => with_priority(process, from, message),
            _ => append(process, from, message),
        }
    }
}

/// A message through an alias that asks for priority. It gets it if the alias is for that.
///
/// # Safety
/// `fragment` is a live fragment of kind `ALIAS_MESSAGE` or `ALIAS_TOKEN_MESSAGE`, with `PRIORITY`, that is in no list,
/// or is a message of another node with that.
#[cold]
unsafe fn with_priority(process: &mut Process, from: Term, fragment: *mut Fragment) {
    // SAFETY: the caller's promise; a fragment through an alias begins with the two words of the alias's number.
    unsafe {
        (*fragment).kind &= !PRIORITY;
        if (*fragment).kind == UNDECODED {
            return undecoded(process, fragment);
        }
        let words = Fragment::words_pointer(fragment);
        let rank = process.relations.alias_rank((*words, *words.add(1)));
        alias_message_ranked(process, rank, from, fragment);
    }
}

/// # Safety
/// `fragment` is a live fragment of kind `UNDECODED` that is in no list.
unsafe fn undecoded(process: &mut Process, fragment: *mut Fragment) {
    // SAFETY: the caller's promise; what comes back is a message, or one through an alias, in no list.
    unsafe {
        if let Some((node, fragment)) = remote::get().decode(fragment) {
            take_in(process, node, fragment);
        }
    }
}

/// # Safety
/// `fragment` is a live fragment of kind `ALIAS_MESSAGE` or `ALIAS_TOKEN_MESSAGE` that is in no list.
unsafe fn alias_message(process: &mut Process, from: Term, fragment: *mut Fragment) {
    // SAFETY: the caller's promise.
    unsafe { alias_message_ranked(process, Rank::Ordinary, from, fragment) };
}

/// # Safety
/// As for [`alias_message`].
#[inline(always)]
unsafe fn alias_message_ranked(
    process: &mut Process,
    rank: Rank,
    from: Term,
    fragment: *mut Fragment,
) {
    // SAFETY: a fragment of this kind begins with the two words of the alias's number.
    unsafe {
        let words = Fragment::words_pointer(fragment);
        let number = (*words, *words.add(1));
        match process.relations.message_to_alias(number) {
            Reaches::No => {
                if (*fragment).kind & MEASURED != 0 {
                    let _ = metering::unmarked(fragment);
                }
                heap::drop_fragment(fragment);
                return;
            }
            Reaches::Yes => {}
            Reaches::YesAndEnds(monitor) => {
                demonitor_target(number, &monitor.target);
            }
        }
        let mark = (*fragment).kind & MEASURED;
        (*fragment).kind = match (*fragment).kind {
            ALIAS_TOKEN_MESSAGE => TOKEN_MESSAGE,
            _ => MESSAGE | mark,
        };
        put(process, rank, from, fragment);
    }
}

/// Tells the target of a monitor that the monitor was removed.
pub fn demonitor_target(reference: ReferenceNumber, target: &MonitorTarget) {
    match target {
        MonitorTarget::Process { pid, .. } => {
            signal::demonitor(*pid, reference);
        }
        MonitorTarget::Port { port, .. } => {
            crate::effects::port::signals::demonitor(*port, reference)
        }
        MonitorTarget::TimeOffset => watchers::unwatch(reference),
        MonitorTarget::Remote { handle } => remote::get().demonitor(*handle, reference.0),
    }
}

fn handle(process: &mut Process, signal: Signal) {
    match signal {
        Signal::Exit {
            from,
            reason,
            linked,
        } => exit(process, from, reason, linked),
        Signal::TokenExit { from, exit } => token_exit(process, from, &exit),
        Signal::RemoteExit { exit, link } => remote_exit(process, &exit, link),
        Signal::Link { from } => {
            let is_new = process.relations.accept_link(from);
            if is_new && process.flags.contains(Flags::TRACED) {
                tell_of_link(process, am::GETTING_LINKED, from);
            }
            if !is_new && relations::is_handle(from) {
                remote::get().release(from, 1);
            }
        }
        Signal::Unlink { from, number } => {
            let was_linked = process.relations.unlinked(from);
            if was_linked && process.flags.contains(Flags::TRACED) {
                tell_of_link(process, am::GETTING_UNLINKED, from);
            }
            between_steps();
            if relations::is_handle(from) {
                if was_linked {
                    remote::get().release(from, 1);
                }
                return remote::get().unlink_handled(from, process.pid(), number);
            }
            let acknowledge = Signal::UnlinkAck {
                from: process.pid(),
                number,
            };
            let _ = signal::send(from, acknowledge);
        }
        Signal::UnlinkAck { from, number } => {
            let was_removed = process.relations.unlink_acknowledged(from, number);
            if relations::is_handle(from) {
                // The signal's, and the entry's.
                remote::get().release(from, 1 + usize::from(was_removed));
            }
        }
        Signal::Monitor { reference, watcher } => {
            process.relations.add_watcher(reference, watcher);
        }
        Signal::Down {
            reference,
            from,
            reason,
        } => down(process, reference, from, reason),
        Signal::Timeout { timer } => receive::timer::expired(process, timer),
        Signal::Call(body) => body(Some(process)),
    }
}

/// Tells of a link of a traced process; the other side may be a handle.
#[cold]
fn tell_of_link(process: &mut Process, tag: Term, other: Term) {
    let mut scratch = Scratch::new();
    if let Some(other) = remote::identity(scratch.heap(), other) {
        observer().does(process, tag, other);
    }
}

fn exit(process: &mut Process, from: Term, reason: Owned, linked: bool) {
    let mut rank = Rank::Ordinary;
    if linked {
        match process.relations.take_link(from) {
            Some(link) if link.is_active => rank = link.rank,
            // The link was removed before the signal arrived.
            _ => return,
        }
    }
    if !linked && reason.term() == am::KILL {
        die(process, Owned::new(am::KILLED));
    } else {
        let lives = process.traps_exit() || reason.term() == am::NORMAL;
        if linked && lives && process.flags.contains(Flags::TRACED) {
            tell_of_link(process, am::GETTING_UNLINKED, from);
        }
        exit_received(process, rank, from, reason);
    }
}

/// An exit signal of a broken link, with a token.
fn token_exit(process: &mut Process, from: Term, exit: &Owned) {
    let &[reason, token] = exit.term().as_tuple(no_gc!()).expect("a pair") else {
        unreachable!("a pair");
    };
    if !process.traps_exit() || !process.relations.is_linked(from) {
        return self::exit(process, from, Owned::new(reason), true);
    }
    let link = process.relations.take_link(from);
    let rank = link.map_or(Rank::Ordinary, |link| link.rank);
    if process.flags.contains(Flags::TRACED) {
        tell_of_link(process, am::GETTING_UNLINKED, from);
    }
    exit_trapped(process, rank, (from, reason), token);
}

/// An exit signal with a token becomes a message with that token.
fn exit_trapped(process: &mut Process, rank: Rank, (from, reason): (Term, Term), token: Term) {
    let mut scratch = Scratch::new();
    let message = build::tuple(scratch.heap(), &[am::UC_EXIT, from, reason]);
    // SAFETY: the fragment is new, so it is in no list.
    unsafe {
        let message = sequence::exit_message(message, token);
        put(process, rank, senders::of(from), message);
    }
}

/// An exit signal from another node: who has sent it, the reason, and a token if there is one.
fn remote_exit(process: &mut Process, exit: &Owned, link: Option<Term>) {
    let no_gc = no_gc!();
    let &[from, reason, ref token @ ..] = exit.term().as_tuple(no_gc).expect("a tuple") else {
        unreachable!("two terms at least");
    };
    let mut rank = Rank::Ordinary;
    if let Some(handle) = link {
        let link = process.relations.take_link(handle);
        // The signal's, and the entry's.
        remote::get().release(handle, 1 + usize::from(link.is_some()));
        match link {
            Some(link) if link.is_active => rank = link.rank,
            _ => return,
        }
        let lives = process.traps_exit() || reason == am::NORMAL;
        if lives && process.flags.contains(Flags::TRACED) {
            observer().does(process, am::GETTING_UNLINKED, from);
        }
    } else if reason == am::KILL {
        return die(process, Owned::new(am::KILLED));
    }
    if let &[token] = token
        && process.traps_exit()
    {
        return exit_trapped(process, rank, (from, reason), token);
    }
    exit_received(process, rank, from, Owned::new(reason));
}

/// An exit signal `{From, Reason}` for the process of an alias, which takes it if the alias is active; it stays so.
/// `asked` is the rank that the sender asks for.
pub fn exit_through_alias(pid: Term, number: ReferenceNumber, exit: Owned, asked: Rank) {
    let exit = move |receiver: Option<&mut Process>| {
        let Some(receiver) = receiver else {
            return;
        };
        if receiver.relations.alias(number).is_none() {
            return;
        }
        let &[from, reason] = exit.term().as_tuple(no_gc!()).expect("a pair") else {
            unreachable!("a pair");
        };
        let rank = match asked {
            Rank::Ordinary => Rank::Ordinary,
            Rank::Priority => receiver.relations.alias_rank(number),
        };
        match reason {
            am::KILL => die(receiver, Owned::new(am::KILLED)),
            _ => exit_received(receiver, rank, from, Owned::new(reason)),
        }
    };
    signal::send_or_bounce(pid, Signal::Call(Box::new(exit)));
}

/// Applies an exit signal: delivers a message if the process traps exits; otherwise ends it, unless the reason is
/// `normal`.
pub fn exit_received(process: &mut Process, rank: Rank, from: Term, reason: Owned) {
    if process.traps_exit() {
        let message = reason.into_last_of(&mut Scratch::new(), [am::UC_EXIT, from]);
        // SAFETY: the fragment is new, so it is in no list.
        unsafe { put(process, rank, senders::of(from), message) };
    } else if reason.term() != am::NORMAL {
        die(process, reason);
    }
}

/// Makes the process end with this reason at its next safepoint, unless it is already ending.
pub fn die(process: &mut Process, reason: Owned) {
    if !process.flags.contains(Flags::EXIT_PENDING) {
        process.flags.insert(Flags::EXIT_PENDING);
        process.cold().exit_reason = Some(reason);
    }
}

fn down(process: &mut Process, reference: (u64, u64), from: Option<Term>, reason: Owned) {
    let own = process.pid();
    let Some(monitor) = process.relations.take_monitor(reference) else {
        return;
    };
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let tag = monitor.tag.as_ref().map_or(am::UC_DOWN, Owned::term);
    let owner = monitor.names_owner.then_some(own);
    let reference = relations::reference_of(heap, reference.0, owner);
    let named = |heap: &mut layout::Heap, name: &Option<Term>, identifier: Term| match name {
        Some(name) => build::tuple(heap, &[*name, term::node::own_name()]),
        None => from.unwrap_or(identifier),
    };
    let (kind, sender, object) = match &monitor.target {
        MonitorTarget::Process { pid, name } => (am::PROCESS, *pid, named(heap, name, *pid)),
        MonitorTarget::Port { port, name } => (am::PORT, *port, named(heap, name, *port)),
        MonitorTarget::TimeOffset => (am::TIME_OFFSET, am::CLOCK_SERVICE, am::CLOCK_SERVICE),
        MonitorTarget::Remote { handle } => {
            let down = remote::Down {
                tag,
                reference,
                reason: reason.term(),
            };
            if let Some((node, message)) = remote::get().down_message(*handle, heap, down) {
                deliver_ranked(process, monitor.rank, node, message);
            }
            return;
        }
    };
    let sender = match sender {
        // There was nobody of the name.
        am::UNDEFINED => am::SYSTEM,
        sender => sender,
    };
    // In OTP 25 such a message takes a token of sequential trace away, and one with an immediate does not.
    let takes_token = !reason.term().is_immediate() && !release::has(Release::OTP_27);
    let message = reason.into_last_of(&mut scratch, [tag, reference, kind, object]);
    // SAFETY: the fragment is new, so it is in no list.
    unsafe {
        match takes_token {
            true => append(process, sender, message),
            false => put_own(process, monitor.rank, sender, message),
        }
    }
}

/// Ends the links with ports of a process that ends, which closes those that it owns: at once, or when those are done
/// that are at work.
pub fn close_ports(process: &mut Process, reason: Term) -> Closing {
    let closing = Closing::begin();
    let ports: Vec<Term> = process
        .relations
        .linked()
        .filter(|other| other.is_local_port())
        .collect();
    for port in ports {
        process.relations.remove_link(port);
        port::signals::exit_signal(port, process.pid(), reason, true);
        port::signals::when_done(port, closing.ticket());
    }
    closing
}
