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

/// How many messages are in an inner queue, and their words beside the headers. Each message that comes or goes changes
/// both, so nothing more is kept than two sums, which wrap at 2³² messages (200 GB at least) and 2³² words (32 GB).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct QueueSizes {
    count: u32,
    words: u32,
}

impl QueueSizes {
    pub const EMPTY: QueueSizes = QueueSizes { count: 0, words: 0 };

    /// Number of messages.
    #[inline(always)]
    #[must_use]
    pub fn count(self) -> u64 {
        u64::from(self.count)
    }

    /// Words of all messages, if [`add`](Self::add) has never said that they wrapped.
    #[inline]
    #[must_use]
    pub fn words(self) -> u64 {
        u64::from(self.words)
    }

    /// Counts a message that is put into the queue; true if the words wrapped.
    #[inline(always)]
    #[must_use]
    pub fn add(&mut self, words: u32) -> bool {
        let (sum, wrapped) = self.words.overflowing_add(words);
        self.words = sum;
        self.count = self.count.wrapping_add(1);
        wrapped
    }

    /// Counts a message that is taken out of the queue.
    #[inline(always)]
    pub fn remove(&mut self, words: u32) {
        self.words = self.words.wrapping_sub(words);
        self.count = self.count.wrapping_sub(1);
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
        assert!([0, 7, u32::MAX / 16].iter().all(|&words| !sizes.add(words)));
        assert_eq!(
            (sizes.count(), sizes.words()),
            (3, 7 + u64::from(u32::MAX / 16))
        );
        sizes.remove(7);
        assert_eq!(
            (sizes.count(), sizes.words()),
            (2, u64::from(u32::MAX / 16))
        );
    }

    #[test]
    fn words_that_wrap_are_told_and_right_again_when_the_messages_are_gone() {
        let mut sizes = QueueSizes::EMPTY;
        assert!(!sizes.add(u32::MAX) && sizes.add(5));
        assert_eq!(sizes.count(), 2);
        sizes.remove(u32::MAX);
        assert_eq!((sizes.count(), sizes.words()), (1, 5));
        sizes.remove(5);
        assert_eq!(sizes, QueueSizes::EMPTY);
    }
}
