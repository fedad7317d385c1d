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
use crate::mail::{bounce, current, lent, observer, senders};
use crate::process::relations::ReferenceNumber;
use crate::process::signal::{ALIAS_MESSAGE, DEMONITOR, OWN_MESSAGE, PRIORITY, Signal, boxed};
use crate::process::sync::{Ordering, between_steps};
use crate::process::{Process, block, state, table};

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
    /// Not sent: it has no external format, for a part of it is too large.
    TooLarge,
}

/// Sends a message that is already in a fragment.
///
/// # Safety
/// `to` was found in the process table within this slice; `message` is a fragment that is in no list.
#[inline]
pub unsafe fn send_fragment(to: *mut Process, message: *mut Fragment) {
    // SAFETY: found within this slice, so still allocated; only shared fields are touched.
    unsafe {
        block::assert_in_use(to);
        between_steps();
        (*to).signals.push(message);
        between_steps();
        wake(to, state::EVENT);
    }
}

/// As [`send_fragment`], for a message with [`PRIORITY`]: like a signal that is no message, it is taken in even if the
/// process has others to receive.
///
/// # Safety
/// As for [`send_fragment`].
pub unsafe fn send_before_others(to: *mut Process, message: *mut Fragment) {
    // SAFETY: the caller's promise.
    unsafe {
        block::assert_in_use(to);
        between_steps();
        (*to).signals.push(message);
        between_steps();
        wake(to, state::EVENT | state::SIGNALS);
    }
}

/// The state word of a process, as it is just now; `None` if there is no such process. Any thread.
#[must_use]
pub fn state_of(pid: Term) -> Option<u32> {
    crate::process::epoch::pinned(|| {
        let process = table::find(pid);
        // SAFETY: just found in the table; any thread may read the state word.
        (!process.is_null()).then(|| unsafe { (*process).state.load(Ordering::Relaxed) })
    })
}

/// Sends a message that is already in a fragment, from any thread; drops it if there is no such process.
///
/// # Safety
/// The fragment is in no list, and nobody else refers to it.
pub unsafe fn send_prepared(to: Term, message: *mut Fragment) {
    crate::process::epoch::pinned(|| {
        let process = table::find(to);
        // SAFETY: just found in the table; the caller's promise.
        unsafe {
            if process.is_null() {
                heap::drop_fragment(message);
            } else if (*message).kind & PRIORITY != 0 {
                send_before_others(process, message);
            } else {
                send_fragment(process, message);
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

/// A message through an alias with this number.
#[must_use]
pub fn alias_message(number: ReferenceNumber, message: Term) -> *mut Fragment {
    let words = copy::size(message);
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

/// Copies a term into a message for a process; returns whether the process exists. `from` is for [`senders`].
pub fn send_message(from: Term, to: Term, message: Term) -> bool {
    let process = table::find(to);
    if process.is_null() {
        return false;
    }
    let fragment = copy::to_fragment(message);
    // SAFETY: just found in the table; the fragment is new, so it is in no list.
    unsafe {
        (*fragment).kind = OWN_MESSAGE;
        send_fragment(process, senders::noted(from, fragment));
    }
    true
}

/// As [`send_message`], for threads that are not in a slice (timers, I/O threads).
pub fn send_message_from_outside(from: Term, to: Term, message: Term) -> bool {
    crate::process::epoch::pinned(|| send_message(from, to, message))
}

/// As [`send_message_from_outside`], for a message built in a scratch heap that becomes the fragment, without a copy.
///
/// # Safety
/// As for [`heap::Scratch::into_fragment`].
pub unsafe fn send_built(from: Term, to: Term, scratch: heap::Scratch, message: Term) -> bool {
    crate::process::epoch::pinned(|| {
        let process = table::find(to);
        if process.is_null() {
            return false;
        }
        // SAFETY: just found in the table; by the caller's promise the scratch heap can become a fragment.
        unsafe {
            let fragment = scratch.into_fragment(message);
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
    crate::process::epoch::pinned(|| {
        let process = table::find(to);
        if process.is_null() {
            return Err(signal);
        }
        let fragment = boxed(signal);
        // SAFETY: just found in the table; the fragment is new, so it is in no list.
        unsafe { push(to, process, fragment, Wakes::Yes) };
        Ok(())
    })
}

/// Tells a process that a monitor on it was removed. This does not wake the process: it forgets the monitor when it
/// next handles signals. So a call to a server, whose caller removes the monitor after the reply, wakes the server
/// once.
pub fn demonitor(target: Term, (number, _): ReferenceNumber) {
    crate::process::epoch::pinned(|| {
        let process = table::find(target);
        if process.is_null() {
            return;
        }
        let fragment = heap::new_fragment(1);
        // SAFETY: just found in the table; the fragment is new, so it is in no list, and has one word.
        unsafe {
            (*fragment).kind = DEMONITOR;
            Fragment::words_pointer(fragment).write(number);
            push(target, process, fragment, Wakes::No);
        }
    });
}

/// Whether a signal wakes a process at rest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wakes {
    Yes,
    No,
}

/// Pushes a signal other than a message to the process `to`; if that has ended meanwhile, handles it as
/// [`crate::mail::bounce::bounce`] does.
///
/// # Safety
/// `process` was found in the process table within this slice; `fragment` is in no list.
unsafe fn push(to: Term, process: *mut Process, fragment: *mut Fragment, wakes: Wakes) {
    // SAFETY: the caller's promise; only shared fields are touched.
    unsafe {
        block::assert_in_use(process);
        between_steps();
        (*process).signals.push(fragment);
        if wakes == Wakes::Yes {
            between_steps();
            wake(process, state::EVENT | state::SIGNALS);
        }
        between_steps();
        if state::is_closed(&(*process).state) {
            bounce::bounce_rest(to, &(*process).signals);
        } else if wakes == Wakes::Yes && state::is_dirty(&(*process).state) {
            lent::notice(to);
        }
    }
}

/// Sends an owned term as a message, without a copy; returns whether the process exists. `from` is for [`senders`].
pub fn send_owned(from: Term, to: Term, message: Owned) -> bool {
    crate::process::epoch::pinned(|| {
        let process = table::find(to);
        if process.is_null() {
            return false;
        }
        // SAFETY: just found in the table; the fragment is in no list.
        unsafe {
            let fragment = message.into_fragment();
            (*fragment).kind = OWN_MESSAGE;
            send_fragment(process, senders::noted(from, fragment));
        }
        true
    })
}

/// Sends the reply `{Reference, Result}` to a process that waits for it. `from` is for [`senders`].
pub fn reply(from: Term, to: Term, reference: &Owned, result: Term) {
    let mut scratch = heap::Scratch::new();
    let message = term::build::tuple(scratch.heap(), &[reference.term(), result]);
    send_message_from_outside(from, to, message);
}

/// As [`reply`], for a reference given by its number.
pub fn reply_to(from: Term, to: Term, (low, high): (u64, u64), result: Term) {
    let mut scratch = heap::Scratch::new();
    let reference = term::reference::with_number(scratch.heap(), low, high);
    let message = term::build::tuple(scratch.heap(), &[reference, result]);
    send_message_from_outside(from, to, message);
}

/// Whether a process of this node exists. Any thread may ask; the answer may be out of date.
#[must_use]
pub fn is_alive(pid: Term) -> bool {
    pid.is_local_pid() && crate::process::epoch::pinned(|| !table::find(pid).is_null())
}

/// Sends a signal; if the receiver is gone, handles it as [`crate::mail::bounce::bounce`] does.
pub fn send_or_bounce(to: Term, signal: Signal) {
    if let Err(signal) = send(to, signal) {
        bounce::bounce(to, signal);
    }
}

/// Sets bits of a process's state word because a signal has arrived, and queues the process if it was at rest.
///
/// # Safety
/// `process` was found in the process table within this slice.
#[inline]
pub unsafe fn wake(process: *mut Process, bits: u32) {
    // SAFETY: the caller's promise; `state` is shared.
    if state::announce(unsafe { &(*process).state }, bits) {
        // SAFETY: this thread set QUEUED on a process at rest, so no other thread owns or queues it.
        unsafe { make_runnable(process) };
    }
}

/// Queues a process that was at rest and whose QUEUED bit this thread set.
///
/// # Safety
/// As for [`wake`], and no other thread is queueing the process.
#[cold]
#[inline(never)]
unsafe fn make_runnable(process: *mut Process) {
    between_steps();
    // The process runs here soon. A process that waited long is in no cache: its block is fetched meanwhile.
    block::prefetch(process);
    if observer::is_profiled() {
        // SAFETY: nobody else owns the process until it is in a queue.
        observer().process_is(unsafe { &*process }, am::ACTIVE);
    }
    // SAFETY: the caller's promise.
    unsafe { current::enqueue_woken(process) };
}
