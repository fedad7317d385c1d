//! The part of a process's control block that operation bodies know. It is the first field of the
//! runtime's `Process`, so a pointer to one is a pointer to the other.

use crate::heap::{Fragment, Heap};
use crate::term::Term;

/// The inner queue: messages that have been fetched from the signal queue, in order.
#[repr(C)]
pub struct MessageQueue {
    pub first: *mut Fragment,
    /// The link that the next message is written to: `&first`, or the `next` of the last message.
    pub last: *mut *mut Fragment,
    /// The link whose message a `receive` looks at next.
    pub save: *mut *mut Fragment,
    /// Messages in the queue.
    pub count: u64,
}

/// Only the thread that runs the process touches it (the one-owner invariant).
#[repr(C)]
pub struct ProcessHead {
    /// Where to go on.
    pub ip: *const u64,
    pub messages: MessageQueue,
    /// The process's own pid.
    pub id: Term,
    /// How many live X registers were pushed to the stack when the process was switched out,
    /// x0 at the lowest address.
    pub saved_x: u16,
    /// [`state`] of a receive.
    pub receive_state: u8,
    /// The process left in the middle of `length/1`, and goes on with what is behind the live X registers: the rest of
    /// the list, and how many cells came before.
    pub is_counting: bool,
    /// Catch marks on the stack; 0 lets an exception skip the search.
    pub catches: u32,
    /// Last, so that what only collections touch is far from what every message does.
    pub heap: Heap,
}

/// Values of [`ProcessHead::receive_state`].
pub mod state {
    /// `wait_timeout` has not been executed yet.
    pub const NO_TIMER: u8 = 0;
    /// The timeout has been read: a timer runs, or it is `infinity`.
    pub const TIMER_SET: u8 = 1;
    /// The timer ran out: the process goes on behind its `wait_timeout`.
    pub const TIMED_OUT: u8 = 2;
}
