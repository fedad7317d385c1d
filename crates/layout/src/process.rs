//! The part of a process's control block that operation bodies access. It is the first field of the runtime's
//! `Process`, so a pointer to one is a pointer to the other.

use crate::heap::{Fragment, Heap};
use crate::term::Term;

/// The inner queue: messages that were already moved out of the signal queue, in order.
#[repr(C)]
pub struct MessageQueue {
    pub first: *mut Fragment,
    /// The link where the next message is appended: `&first`, or the `next` field of the last message.
    pub last: *mut *mut Fragment,
    /// The link to the message that a `receive` examines next.
    pub save: *mut *mut Fragment,
    pub sizes: QueueSizes,
}

/// The number of messages in an inner queue, and their words beside the headers, in one word:
///
/// ```text
/// bits 0-33   number of messages
/// bits 34-63  words of all of them; all ones, and no longer known, from 8 GB on until the queue is empty
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct QueueSizes(u64);

impl QueueSizes {
    pub const EMPTY: QueueSizes = QueueSizes(0);
    const WORDS_AT: u32 = 34;
    const COUNT: u64 = (1 << Self::WORDS_AT) - 1;
    const MOST_WORDS: u64 = u64::MAX >> Self::WORDS_AT;

    /// Number of messages.
    #[inline(always)]
    #[must_use]
    pub fn count(self) -> u64 {
        self.0 & Self::COUNT
    }

    /// Words of all messages, unless there are too many to be counted.
    #[inline]
    #[must_use]
    pub fn words(self) -> Option<u64> {
        let words = self.0 >> Self::WORDS_AT;
        (words < Self::MOST_WORDS).then_some(words)
    }

    /// From this value on the words are no longer known.
    const UNKNOWN: u64 = Self::MOST_WORDS << Self::WORDS_AT;

    /// A message of so many words, as it counts here. Of one of 8 GB or more the upper bits are lost.
    #[inline(always)]
    fn one(words: u32) -> u64 {
        u64::from(words) << Self::WORDS_AT | 1
    }

    /// Counts a message that is put into the queue.
    #[inline(always)]
    pub fn add(&mut self, words: u32) {
        match self.0.checked_add(Self::one(words)) {
            Some(sum) if u64::from(words) <= Self::MOST_WORDS => self.0 = sum,
            _ => self.0 = Self::UNKNOWN | (self.count() + 1),
        }
    }

    /// Counts a message that is taken out of the queue.
    #[inline(always)]
    pub fn remove(&mut self, words: u32) {
        if self.0 < Self::UNKNOWN {
            self.0 -= Self::one(words);
        } else {
            self.remove_from_unknown();
        }
    }

    #[cold]
    fn remove_from_unknown(&mut self) {
        self.0 -= 1;
        if self.count() == 0 {
            *self = Self::EMPTY;
        }
    }
}

/// Only the thread that runs the process accesses it (the one-owner invariant).
#[repr(C)]
pub struct ProcessHead {
    /// Where the process continues.
    pub ip: *const u64,
    pub messages: MessageQueue,
    /// The process's own pid.
    pub id: Term,
    /// How many live X registers were pushed to the stack when the process was switched out,
    /// x0 at the lowest address.
    pub saved_x: u16,
    /// The [`state`] of the current receive.
    pub receive_state: u8,
    /// The process left in the middle of `length/1`. The X registers after the live ones then hold the rest of the
    /// list and the number of cells counted so far.
    pub is_counting: bool,
    /// Number of catch marks on the stack; if 0, an exception need not search the stack for a handler.
    pub catches: u32,
    /// The last field, so that data used only by collections is not close to the data used by every message.
    pub heap: Heap,
}

/// Values of [`ProcessHead::receive_state`].
pub mod state {
    /// `wait_timeout` has not been executed yet.
    pub const NO_TIMER: u8 = 0;
    /// The timeout has been read: a timer is running, or the timeout is `infinity`.
    pub const TIMER_SET: u8 = 1;
    /// The timer has expired: the process continues after its `wait_timeout`.
    pub const TIMED_OUT: u8 = 2;
    /// A bit beside these: the receive examines messages with priority once more, and goes on at the marker
    /// for that afterwards. It is only set between the first `loop_rec` of a receive and the last.
    pub const RESUMES: u8 = 4;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_messages() {
        let mut sizes = QueueSizes::EMPTY;
        for words in [0, 7, u32::MAX / 16] {
            sizes.add(words);
        }
        assert_eq!(
            (sizes.count(), sizes.words()),
            (3, Some(7 + u64::from(u32::MAX / 16)))
        );
        sizes.remove(7);
        assert_eq!(
            (sizes.count(), sizes.words()),
            (2, Some(u64::from(u32::MAX / 16)))
        );
    }

    #[test]
    fn too_many_words_are_unknown_until_the_queue_is_empty() {
        let mut sizes = QueueSizes::EMPTY;
        sizes.add(u32::MAX);
        sizes.add(1);
        assert_eq!((sizes.count(), sizes.words()), (2, None));
        sizes.remove(u32::MAX);
        assert_eq!((sizes.count(), sizes.words()), (1, None));
        sizes.remove(1);
        assert_eq!(sizes, QueueSizes::EMPTY);
    }
}
