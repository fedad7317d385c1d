//! Sending signals: everything that reaches a process from outside goes through its one signal queue, so signals
//! of any kind from one sender to one receiver arrive in order.
//!
//! A message is pushed as it is, and the receiver's heap later adopts it; other signals are in fragments of their own
//! ([`process::signal`](crate::process::signal)). Senders push; the owner takes the whole queue at once and handles the
//! signals in order: messages move to the inner queue, other signals take effect (`effects::signal_handling`).

#[cfg(test)]
mod tests;

use layout::{Fragment, Term};
use term::copy::{self, Owned};
use term::{am, heap};

use crate::mail::observer::observer;
use crate::mail::{bounce, current, loans, metering, observer, senders};
use crate::process::epoch::with_pin;
use crate::process::owner::Runnable;
use crate::process::peer::Peer;
use crate::process::relations::ReferenceNumber;
use crate::process::signal::{ALIAS_MESSAGE, DEMONITOR, OWN_MESSAGE, PRIORITY, Signal, boxed};
use crate::process::sync::between_steps;
use crate::process::{Process, state, table};

/// The result of a send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Sent {
    /// Sent, or dropped because the receiver does not exist, which is the same to the sender.
    Done,
    /// The receiver is an unregistered name, or not a valid destination.
    BadArgument,
    /// Sent, but the sender must wait (a busy port).
    Suspended,
    /// Sent to a process whose messages fill the node: the sender is to be held
    /// ([`flood::hold`](crate::effects::flood::hold)), unless it wants to wait for nothing.
    Flooding,
    /// Not sent: a part of it is too large for the external format, or the node has no memory for a copy.
    TooLarge,
    /// Not sent yet: to copy it takes so long that a dirty scheduler is to send it.
    Later,
}

/// Sends a message that is already in a fragment.
///
/// # Safety
/// `message` is a live fragment that is in no list.
#[inline]
pub unsafe fn send_fragment(to: Peer<'_>, message: *mut Fragment) {
    // SAFETY: the caller's promise.
    unsafe { count_and_push(to, message, state::EVENT) };
}

/// As [`send_fragment`], for a message with [`PRIORITY`]: like a signal that is no message, it is taken in even if the
/// process has others to receive.
///
/// # Safety
/// As for [`send_fragment`].
pub unsafe fn send_before_others(to: Peer<'_>, message: *mut Fragment) {
    // SAFETY: the caller's promise.
    unsafe { count_and_push(to, message, state::EVENT | state::SIGNALS) };
}

/// Sends a message, and wakes the receiver with these bits.
///
/// # Safety
/// As for [`send_fragment`].
#[inline(always)]
unsafe fn count_and_push(to: Peer<'_>, message: *mut Fragment, bits: u32) {
    // The whole rest stands in both branches: with a call before it, the ordinary way would have to save its arguments.
    // SAFETY: the caller's promise.
    unsafe {
        match metering::sends() {
            false => push_message(to, message, bits),
            true => measure_and_push(to, message, bits),
        }
    }
}

/// # Safety
/// As for [`send_fragment`].
#[cold]
#[inline(never)]
unsafe fn measure_and_push(to: Peer<'_>, message: *mut Fragment, bits: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        metering::has_sent_many(to, message);
        push_message(to, message, bits);
    }
}

/// # Safety
/// As for [`send_fragment`].
#[inline(always)]
unsafe fn push_message(to: Peer<'_>, message: *mut Fragment, bits: u32) {
    between_steps();
    // SAFETY: the caller's promise about the fragment.
    unsafe { to.push(message) };
    between_steps();
    wake(to, bits);
}

/// Sends a message that is already in a fragment, from any thread; drops it if there is no such process.
///
/// # Safety
/// The fragment is in no list, and nobody else refers to it.
pub unsafe fn send_prepared(to: Term, message: *mut Fragment) {
    with_pin(|pinned| {
        let process = table::find(pinned, to);
        // SAFETY: nobody else refers to the fragment, which is in no list, so it may be dropped, or given to the
        // process.
        unsafe {
            match process {
                None => heap::drop_fragment(message),
                Some(process) if (*message).kind & PRIORITY != 0 => {
                    send_before_others(process, message);
                }
                Some(process) => send_fragment(process, message),
            }
        }
    });
}

/// Gives a process that nobody knows of yet a message.
///
/// # Safety
/// The fragment is in no list, and nobody else refers to it.
pub unsafe fn send_first(process: &Process, message: *mut Fragment) {
    // SAFETY: the caller's promise.
    unsafe { process.signals.push(message) };
}

/// A message through an alias with this number; `words` is the size of its copy.
#[must_use]
pub fn alias_message(number: ReferenceNumber, message: Term, words: usize) -> *mut Fragment {
    debug_assert_eq!(words, copy::size(message));
    let fragment = heap::new_fragment(2 + words);
    // SAFETY: the fragment is new and has room for the alias's number and the copy.
    unsafe {
        (*fragment).kind = ALIAS_MESSAGE;
        let room = Fragment::words_pointer(fragment);
        room.write(number.0);
        room.add(1).write(number.1);
        (*fragment).term = if words == 0 {
            message
        } else {
            copy::copy_to(
                room.add(2),
                words,
                &mut (*fragment).off_heap,
                message,
                false,
            )
        };
    }
    fragment
}

/// Copies a term into a message for a process; returns whether the process exists. `from` is for [`senders`]. Any
/// thread.
pub fn send_message(from: Term, to: Term, message: Term) -> bool {
    send_own(from, to, || copy::to_fragment(message))
}

/// As [`send_message`], for a message built in a scratch heap that becomes the fragment, without a copy.
///
/// # Safety
/// As for [`heap::Scratch::into_fragment`].
pub unsafe fn send_built(from: Term, to: Term, scratch: heap::Scratch, message: Term) -> bool {
    // SAFETY: by the caller's promise the scratch heap can become a fragment.
    send_own(from, to, || unsafe { scratch.into_fragment(message) })
}

/// Sends an owned term as a message, without a copy; returns whether the process exists. `from` is for [`senders`].
pub fn send_owned(from: Term, to: Term, message: Owned) -> bool {
    send_own(from, to, || message.into_fragment())
}

/// Sends a message of the machine's own, which is made if the process exists; returns whether it does.
fn send_own(from: Term, to: Term, make: impl FnOnce() -> *mut Fragment) -> bool {
    with_pin(|pinned| {
        let Some(process) = table::find(pinned, to) else {
            return false;
        };
        let fragment = make();
        // SAFETY: the fragment is new, so it is in no list.
        unsafe {
            (*fragment).kind = OWN_MESSAGE;
            send_fragment(process, senders::noted(from, fragment));
        }
        true
    })
}

/// Sends a signal other than a message.
///
/// # Errors
/// Returns the signal if the receiver does not exist.
pub fn send(to: Term, signal: Signal) -> Result<(), Signal> {
    with_pin(|pinned| {
        let Some(process) = table::find(pinned, to) else {
            return Err(signal);
        };
        // SAFETY: the fragment is new, so it is in no list.
        unsafe { push(process, boxed(signal), Wakes::Yes) };
        Ok(())
    })
}

/// Tells a process that a monitor on it was removed. This does not wake the process: it forgets the monitor when it
/// next handles signals. So a call to a server, whose caller removes the monitor after the reply, wakes the server
/// once.
pub fn demonitor(target: Term, (number, _): ReferenceNumber) {
    with_pin(|pinned| {
        let Some(process) = table::find(pinned, target) else {
            return;
        };
        let fragment = heap::new_fragment(1);
        // SAFETY: the fragment is new, so it is in no list, and has one word.
        unsafe {
            (*fragment).kind = DEMONITOR;
            Fragment::words_pointer(fragment).write(number);
            push(process, fragment, Wakes::No);
        }
    });
}

/// Has a process take the signals that have not woken it; returns whether there are any that it has not taken.
pub(crate) fn nudge(to: Term) -> bool {
    with_pin(|pinned| {
        table::find(pinned, to).is_some_and(|process| {
            let has_signals = process.has_signals();
            if has_signals {
                wake(process, state::EVENT | state::SIGNALS);
            }
            has_signals
        })
    })
}

/// Whether a signal wakes a process at rest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wakes {
    Yes,
    No,
}

/// Pushes a signal other than a message; if the process has ended meanwhile, handles it as
/// [`crate::mail::bounce::bounce`] does.
///
/// # Safety
/// `fragment` is live and in no list.
unsafe fn push(process: Peer<'_>, fragment: *mut Fragment, wakes: Wakes) {
    between_steps();
    // SAFETY: the caller's promise about the fragment.
    unsafe { process.push(fragment) };
    if wakes == Wakes::Yes {
        between_steps();
        wake(process, state::EVENT | state::SIGNALS);
    }
    between_steps();
    if let Some(signals) = process.signals_if_closed() {
        bounce::bounce_rest(process.pid(), signals);
    } else if wakes == Wakes::Yes && process.is_dirty() {
        loans::notice(process.pid());
    }
}

/// Sends the reply `{Reference, Result}` to a process that waits for it. `from` is for [`senders`].
pub fn reply(from: Term, to: Term, reference: &Owned, result: Term) {
    let mut scratch = heap::Scratch::new();
    let message = term::build::tuple(scratch.heap(), &[reference.term(), result]);
    send_message(from, to, message);
}

/// As [`reply`], for a reference given by its number.
pub fn reply_to(from: Term, to: Term, (low, high): (u64, u64), result: Term) {
    let mut scratch = heap::Scratch::new();
    let reference = term::reference::with_number(scratch.heap(), low, high);
    let message = term::build::tuple(scratch.heap(), &[reference, result]);
    send_message(from, to, message);
}

/// Sends a signal; if the receiver is gone, handles it as [`crate::mail::bounce::bounce`] does.
pub fn send_or_bounce(to: Term, signal: Signal) {
    if let Err(signal) = send(to, signal) {
        bounce::bounce(to, signal);
    }
}

/// Sets bits of a process's state word because a signal has arrived, and queues the process if it was at rest.
#[inline]
pub fn wake(process: Peer<'_>, bits: u32) {
    if let Some(runnable) = process.announce(bits) {
        make_runnable(runnable);
    }
}

/// Queues a process that was at rest.
#[cold]
#[inline(never)]
fn make_runnable(runnable: Runnable) {
    between_steps();
    // The process runs here soon. A process that waited long is in no cache: its block is fetched meanwhile.
    runnable.prefetch();
    if observer::is_profiled() {
        let (pid, ip) = runnable.place();
        observer().process_is(pid, ip, am::ACTIVE);
    }
    current::enqueue_woken(runnable);
}
