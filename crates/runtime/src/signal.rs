//! Signals: everything that reaches a process from outside goes through its one queue, so signals
//! from one sender to one receiver arrive in order, whatever their kind.
//!
//! A message is a [`Fragment`] of kind [`MESSAGE`]; it is pushed as it is and adopted by the
//! receiver's heap. Every other signal is a [`Signal`] in a box whose pointer is the fragment's only
//! word. Senders push; the owner takes everything at once and handles it in order: messages go to the
//! inner queue, the rest takes effect ([`handle`]).

pub mod handle;
mod queue;
#[cfg(test)]
mod tests;

use layout::{Fragment, Term};
use term::copy::{self, Owned};
use term::heap;

pub use queue::SignalQueue;

use crate::process::relations::ReferenceNumber;
use crate::process::{Process, state, table};
use crate::scheduler;

/// [`Fragment::kind`] of a message.
pub const MESSAGE: u32 = 0;
/// [`Fragment::kind`] of a boxed [`Signal`].
pub const OTHER: u32 = 1;
/// A message that was sent to an alias: it counts only if that is active. The first two of its
/// words are the alias's number.
pub const ALIAS_MESSAGE: u32 = 2;

/// A body that runs in the receiver.
pub type Call = Box<dyn FnOnce(Option<&mut Process>) + Send>;

/// What is no message.
pub enum Signal {
    /// An exit signal; `linked` when it comes from a broken link and counts only while that stands.
    Exit {
        from: Term,
        reason: Owned,
        linked: bool,
    },
    Link {
        from: Term,
    },
    /// `from` undid its link; `number` tells its unlinkings apart.
    Unlink {
        from: Term,
        number: u64,
    },
    /// The other side has seen that unlinking.
    UnlinkAck {
        from: Term,
        number: u64,
    },
    Monitor {
        watcher: Term,
        reference: Owned,
        name: Option<Term>,
    },
    Demonitor {
        reference: ReferenceNumber,
    },
    /// What a monitor of the receiver watched is gone.
    Down {
        reference: ReferenceNumber,
        from: Option<Term>,
        reason: Owned,
    },
    /// The receive timer of that generation ran out.
    Timeout {
        generation: u64,
    },
    /// Runs in the receiver, with what it owns at hand; with None once the receiver is gone.
    Call(Call),
}

/// Sends a message whose block is made already.
///
/// # Safety
/// `to` was found in the process table within this slice; `message` is a fragment in no list.
#[inline]
pub unsafe fn send_fragment(to: *mut Process, message: *mut Fragment) {
    // SAFETY: found within this slice, so still allocated; only shared fields are touched.
    unsafe {
        (*to).signals.push(message);
        wake(to, state::EVENT);
    }
}

/// Copies a term into a message for a process; answers whether there is one.
pub fn send_message(to: Term, message: Term) -> bool {
    let process = table::find(to);
    if process.is_null() {
        return false;
    }
    let fragment = copy::to_fragment(message);
    // SAFETY: just found; the fragment is fresh.
    unsafe { send_fragment(process, fragment) };
    true
}

/// Sends a message made outside a slice (timers, I/O threads).
pub fn send_message_from_outside(to: Term, message: Term) -> bool {
    crate::epoch::pinned(|| send_message(to, message))
}

/// As [`send_message_from_outside`], a message that was built where it can stay.
///
/// # Safety
/// As for [`heap::Scratch::into_fragment`].
pub unsafe fn send_built(to: Term, scratch: heap::Scratch, message: Term) -> bool {
    crate::epoch::pinned(|| {
        let process = table::find(to);
        if process.is_null() {
            return false;
        }
        // SAFETY: just found; the fragment is fresh, by the caller's promise.
        unsafe { send_fragment(process, scratch.into_fragment(message)) };
        true
    })
}

/// Sends a signal that is no message; gives it back when there is no such process.
///
/// # Errors
/// The signal, when the receiver is gone.
pub fn send(to: Term, signal: Signal) -> Result<(), Signal> {
    crate::epoch::pinned(|| {
        let process = table::find(to);
        if process.is_null() {
            return Err(signal);
        }
        let fragment = boxed(signal);
        // SAFETY: just found; the fragment is fresh.
        unsafe {
            (*process).signals.push(fragment);
            wake(process, state::EVENT | state::SIGNALS);
            if state::is_exiting(&(*process).state) {
                handle::bounce_rest(to, &(*process).signals);
            }
        }
        Ok(())
    })
}

/// Hands a term over as a message; answers whether there is such a process.
pub fn send_owned(to: Term, message: Owned) -> bool {
    crate::epoch::pinned(|| {
        let process = table::find(to);
        if process.is_null() {
            return false;
        }
        // SAFETY: just found; the fragment is in no list.
        unsafe { send_fragment(process, message.into_fragment()) };
        true
    })
}

/// Answers `{Reference, Result}` to a process that waits for it.
pub fn reply(to: Term, reference: &Owned, result: Term) {
    let mut scratch = heap::Scratch::new();
    let message = term::build::tuple(scratch.heap(), &[reference.term(), result]);
    send_message_from_outside(to, message);
}

/// As [`reply`], with a reference known by its number.
pub fn reply_to(to: Term, (low, high): (u64, u64), result: Term) {
    let mut scratch = heap::Scratch::new();
    let reference = term::reference::with_number(scratch.heap(), low, high);
    let message = term::build::tuple(scratch.heap(), &[reference, result]);
    send_message_from_outside(to, message);
}

/// Sends a signal, or lets it take the effect it has on a process that is gone.
pub fn send_or_bounce(to: Term, signal: Signal) {
    if let Err(signal) = send(to, signal) {
        handle::bounce(to, signal);
    }
}

fn boxed(signal: Signal) -> *mut Fragment {
    let fragment = heap::new_fragment(1);
    // SAFETY: fresh, with one word.
    unsafe {
        (*fragment).kind = OTHER;
        *Fragment::words_pointer(fragment) = Box::into_raw(Box::new(signal)) as u64;
    }
    fragment
}

/// Takes the signal out of its fragment and frees that.
///
/// # Safety
/// `fragment` is a live fragment of kind [`OTHER`], in no list.
unsafe fn unboxed(fragment: *mut Fragment) -> Signal {
    // SAFETY: the caller's promise; `boxed` wrote the word.
    unsafe {
        let signal = Box::from_raw(*Fragment::words_pointer(fragment) as *mut Signal);
        heap::free_fragment(fragment);
        *signal
    }
}

/// Tells a process that something arrived, and queues it if nobody else will.
///
/// # Safety
/// `process` was found in the process table within this slice.
#[inline]
pub unsafe fn wake(process: *mut Process, bits: u32) {
    // SAFETY: the caller's promise; `state` is shared.
    if state::announce(unsafe { &(*process).state }, bits) {
        // SAFETY: nobody else has it: this thread set EVENT on a process at rest.
        unsafe { make_runnable(process) };
    }
}

/// Queues a process at rest whose EVENT bit this thread set.
///
/// # Safety
/// As [`wake`]; no other thread is queueing it.
#[cold]
#[inline(never)]
unsafe fn make_runnable(process: *mut Process) {
    // SAFETY: the caller's promise.
    unsafe {
        state::claim(&(*process).state);
        scheduler::enqueue_woken(process);
    }
}
