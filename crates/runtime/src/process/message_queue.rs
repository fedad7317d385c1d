//! The inner message queue of a process: messages that were fetched and not yet received.
//!
//! A list of fragments linked through `next`. `last` is the link at its end, and `save` the link to the message that
//! the current receive examines next; receive markers hold links too. A link is the queue's `first` or the `next` of
//! one of its messages, and the control block does not move. Only the owner of the process calls these functions.

use std::ptr;

use layout::process::{MessageQueue, QueueSizes};
use layout::{Fragment, Term};
use term::copy::Owned;
use term::heap;

use super::{Flags, Process, sequence, waits};
use crate::process::signal::{MEASURED, PRIORITY, TOKEN_MESSAGE};

/// An empty queue, to be completed by [`link`] when it is at its final address.
pub const UNLINKED: MessageQueue = MessageQueue {
    first: ptr::null_mut(),
    last: ptr::null_mut(),
    save: ptr::null_mut(),
    sizes: QueueSizes::EMPTY,
};

/// Sets the links of an empty queue.
#[inline]
pub fn link(queue: &mut MessageQueue) {
    queue.last = &raw mut queue.first;
    queue.save = &raw mut queue.first;
}

/// Puts a message at the end.
///
/// # Safety
/// `message` is a live fragment that is in no list.
#[inline]
pub unsafe fn append(process: &mut Process, message: *mut Fragment) {
    let queue = &mut process.head.messages;
    // SAFETY: `last` is a link (see the module's documentation).
    unsafe {
        debug_assert!((*queue.last).is_null(), "the last link leads on");
        debug_assert_eq!(queue.first.is_null(), queue.sizes.count() == 0);
        (*message).next = ptr::null_mut();
        *queue.last = message;
        queue.last = &raw mut (*message).next;
        count(process, (*message).words);
    }
}

/// Counts a message of so many words that is put into the queue.
#[inline]
pub fn count(process: &mut Process, words: u32) {
    if process.head.messages.sizes.add(words) {
        process.flags.insert(Flags::QUEUE_WORDS_WRAPPED);
    }
}

/// Takes out the message at `save`, and lets the next receive begin with the first message.
///
/// # Safety
/// A message is at `save`.
#[inline]
pub unsafe fn take_saved(process: &mut Process) -> *mut Fragment {
    let queue = &mut process.head.messages;
    // SAFETY: `save` is a link, and by the caller's promise not the last; no link to the message's `next` is left.
    unsafe {
        let message = *queue.save;
        debug_assert!(!message.is_null() && queue.sizes.count() > 0);
        let next = &raw mut (*message).next;
        *queue.save = *next;
        if queue.last == next {
            queue.last = queue.save;
        }
        queue.sizes.remove((*message).words);
        let link = queue.save;
        queue.save = &raw mut queue.first;
        if let Some(cold) = process.cold.as_mut() {
            cold.receive_markers.relink(next, link);
        }
        message
    }
}

/// Lets the next receive begin with the first message.
#[inline]
pub fn rewind(process: &mut Process) {
    let queue = &mut process.head.messages;
    queue.save = &raw mut queue.first;
}

/// Lets the next receive begin after the messages that are in the queue.
#[inline]
pub fn skip_all(process: &mut Process) {
    let queue = &mut process.head.messages;
    queue.save = queue.last;
}

/// Replaces messages by equal ones. If the message that a `receive` may be examining is replaced, the heap adopts the
/// old one, because registers may point into it.
pub fn replace(process: &mut Process, other: impl Fn(Term) -> Option<Owned>) {
    let Process {
        head, cold, flags, ..
    } = process;
    let queue = &mut head.messages;
    let mut link: *mut *mut Fragment = &raw mut queue.first;
    let mut met = 0;
    // SAFETY: links and messages of the inner queue belong to the owner; every pointer to the `next` of a replaced
    // message is changed to point to that of its replacement.
    unsafe {
        while !(*link).is_null() {
            met += 1;
            let old = *link;
            let is_looked_at = link == queue.save;
            if let Some(new) = other((*old).term) {
                let new = in_place_of(old, new);
                (*new).next = (*old).next;
                let (before, after) = (&raw mut (*old).next, &raw mut (*new).next);
                *link = new;
                queue.sizes.remove((*old).words);
                if queue.sizes.add((*new).words) {
                    flags.insert(Flags::QUEUE_WORDS_WRAPPED);
                }
                for place in [&mut queue.last, &mut queue.save] {
                    if *place == before {
                        *place = after;
                    }
                }
                if let Some(cold) = cold.as_mut() {
                    cold.receive_markers.relink(before, after);
                }
                if is_looked_at {
                    heap::adopt(&mut head.heap, old);
                } else {
                    heap::drop_fragment(old);
                }
            }
            link = &raw mut (**link).next;
        }
    }
    debug_assert_eq!((met, link), (queue.sizes.count(), queue.last));
}

/// A message with a term that is equal to that of another one, of the same kind and with the same token.
///
/// # Safety
/// `old` is a live message of an inner queue.
unsafe fn in_place_of(old: *mut Fragment, term: Owned) -> *mut Fragment {
    // SAFETY: the caller's promise.
    let kind = unsafe { (*old).kind };
    if kind & MEASURED != 0 {
        waits::MESSAGES.take(old as u64);
    }
    let (kind, rank) = (kind & !(PRIORITY | MEASURED), kind & PRIORITY);
    let token = match kind {
        // SAFETY: it is of that kind.
        TOKEN_MESSAGE => unsafe { sequence::token_in(old) },
        _ => None,
    };
    let new = match token {
        Some(token) => sequence::message_with(&token, term.term(), None),
        None => term.into_fragment(),
    };
    // SAFETY: the fragment is new.
    unsafe { (*new).kind = kind | rank };
    new
}

/// Words of the messages in the queue beside their headers. Once there were too many for a sum, the messages are
/// visited one by one.
#[must_use]
pub fn words(process: &Process) -> u64 {
    let queue = &process.head.messages;
    if !process.flags.contains(Flags::QUEUE_WORDS_WRAPPED) {
        return queue.sizes.words();
    }
    let mut words = 0;
    let mut message = queue.first;
    while !message.is_null() {
        // SAFETY: the messages of an inner queue are live.
        unsafe {
            words += u64::from((*message).words);
            message = (*message).next;
        }
    }
    words
}

/// Frees a list of messages.
///
/// # Safety
/// The messages are in no queue any more, and nobody else refers to them.
pub unsafe fn free_list(mut message: *mut Fragment) {
    while !message.is_null() {
        // SAFETY: the caller's promise.
        unsafe {
            let next = (*message).next;
            heap::drop_fragment(message);
            message = next;
        }
    }
}
