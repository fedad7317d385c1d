//! Who has sent a message, for patterns of `'receive'` with a match specification: the only ones that can ask for that.
//!
//! A message does not know its sender. While there is such a pattern, every process is observed
//! ([`Flags::TRACED`](crate::process::Flags::TRACED)), so that sending takes the way that looks here, and every message
//! travels in an *envelope*: a fragment of a kind of its own, with the sender and the message. The receiver takes it
//! out. So nothing is paid for while there is no such pattern. The sender of a message that was sent before is not
//! known.
//!
//! A sender is an immediate: a pid or port of this node, the name of the node that a message comes from, or for what
//! the machine sends by itself `system` or `clock_service`; `undefined` if it is unknown.

use std::sync::atomic::{AtomicBool, Ordering};

use layout::{Fragment, Term};
use term::{am, heap, node};

use crate::process::signal::ENVELOPE;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Sets whether they do; returns whether they did. Called by `trace::senders`, while the world is stopped.
pub(crate) fn set_asked(asked: bool) -> bool {
    ASKED.swap(asked, Ordering::Relaxed)
}

/// Whether messages travel in envelopes.
#[inline]
#[must_use]
pub fn are_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// The sender of what a process is told of another process, a port, or `{Name, Node}`.
#[must_use]
pub fn of(identifier: Term) -> Term {
    if identifier.is_local_pid() || identifier.is_local_port() {
        return identifier;
    }
    match identifier.as_tuple_of() {
        Some([_, other]) if other == node::own_name() => am::SYSTEM,
        Some([_, other]) => other,
        _ if identifier.is_pid() || identifier.is_port() => node::of(identifier).name,
        _ => am::UNDEFINED,
    }
}

/// The first two parts of what a match specification gets of a message: the sender's node, and its pid if it has one.
pub(crate) fn parts(sender: Term) -> [Term; 2] {
    match sender.is_local_pid() {
        true => [node::own_name(), sender],
        // As on stock, a port stands for its node.
        false => [sender, am::UNDEFINED],
    }
}

/// A message, in an envelope if senders are asked for.
///
/// # Safety
/// The fragment is a live message that is in no list.
#[inline]
pub unsafe fn noted(sender: Term, message: *mut Fragment) -> *mut Fragment {
    match are_asked() {
        // SAFETY: the caller's promise.
        true => unsafe { enclosed(sender, message) },
        false => message,
    }
}

/// # Safety
/// As for [`noted`].
#[cold]
unsafe fn enclosed(sender: Term, message: *mut Fragment) -> *mut Fragment {
    let envelope = heap::new_fragment(2);
    // SAFETY: the fragment is new and has two words.
    unsafe {
        (*envelope).kind = ENVELOPE;
        (*envelope).term = (*message).term;
        let words = Fragment::words_pointer(envelope);
        words.write(sender.bits());
        words.add(1).write(message as u64);
    }
    envelope
}

/// Takes a message out of its envelope: the sender and the message.
///
/// # Safety
/// The fragment is a live one of kind [`ENVELOPE`] that is in no list.
#[must_use]
pub unsafe fn opened(envelope: *mut Fragment) -> (Term, *mut Fragment) {
    // SAFETY: `enclosed` has written an immediate term and a message that is in no list.
    unsafe {
        let words = Fragment::words_pointer(envelope);
        let (sender, message) = (Term::from_bits(*words), *words.add(1) as *mut Fragment);
        heap::free_fragment(envelope);
        (sender, message)
    }
}
