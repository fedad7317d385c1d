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
    /// Number of messages in the queue.
    pub count: u64,
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
