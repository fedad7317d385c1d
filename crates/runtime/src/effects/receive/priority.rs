//! Messages with priority, of OTP 28 and later: they are received before all others.
//!
//! In the inner queue they come first, in the order of their arrival, and have a bit in their kind. A message is put
//! there whenever signals are handled, also in the middle of a receive: even while that examines a message, which then
//! must not change. So putting one in never changes the message at `save`. If the receive has passed the place, the
//! process gets the flag [`PRIORITY`](Flags::PRIORITY_MESSAGES), and its heap the flag by which the next `loop_rec`
//! calls [`seek`], where no message is being examined: the messages with priority are examined, and then the receive
//! goes on where it was. That place is one of the [`markers`](super::markers), which stay right whatever happens to the
//! queue.
//!
//! Only the thread that owns the process calls these functions.

use layout::Fragment;
use layout::heap::flag as heap_flag;
use layout::process::state as receive_state;

use crate::process::signal::PRIORITY;
use crate::process::{Flags, Process, message_queue};

/// Whether the message at a link is one with priority.
///
/// # Safety
/// It is a link of the inner queue.
unsafe fn has_priority(link: *mut *mut Fragment) -> bool {
    // SAFETY: the caller's promise; messages of the queue are live.
    unsafe { !(*link).is_null() && (**link).kind & PRIORITY != 0 }
}

/// Puts a message into the inner queue.
///
/// # Safety
/// `message` is a live message that is in no list.
pub(crate) unsafe fn insert(process: &mut Process, message: *mut Fragment) {
    let first = &raw mut process.head.messages.first;
    let markers = &mut process.cold().receive_markers;
    let end = match markers.priority_end() {
        Some(end) => *end,
        None => {
            markers.begin_priority(first);
            first
        }
    };
    // SAFETY: `end`, `save` and `last` are links of the queue; the message is in no list by the caller's promise.
    unsafe {
        (*message).kind |= PRIORITY;
        (*message).next = *end;
        let after = &raw mut (*message).next;
        let queue = &mut process.head.messages;
        let is_ahead = has_priority(queue.save);
        *end = message;
        if queue.last == end {
            queue.last = after;
        }
        if queue.save == end {
            queue.save = after;
        }
        message_queue::count(process, (*message).words);
        if !is_ahead {
            process.flags.insert(Flags::PRIORITY_MESSAGES);
            process.head.heap.flags |= heap_flag::PRIORITY;
        }
        if let Some(end) = process.cold().receive_markers.priority_end() {
            *end = after;
        }
    }
}

/// A receive begins at a link; messages with priority that have come since the link was noted may be before it.
pub(super) fn begin_before(process: &mut Process, position: *mut *mut Fragment) {
    let queue = &mut process.head.messages;
    let first = &raw mut queue.first;
    // SAFETY: a link of the queue.
    if position == first || !unsafe { has_priority(first) } {
        return;
    }
    queue.save = first;
    process.cold().receive_markers.resume_at(position);
    process.head.receive_state |= receive_state::RESUMES;
    process.head.heap.flags |= heap_flag::PRIORITY;
}

/// Sets `save` to the next message that the receive examines. Called where none is being examined: at a `loop_rec`.
#[cold]
pub(crate) fn seek(process: &mut Process) {
    let queue = &mut process.head.messages;
    let (first, save) = (&raw mut queue.first, queue.save);
    let resumes = process.head.receive_state & receive_state::RESUMES != 0;
    if process.flags.contains(Flags::PRIORITY_MESSAGES) {
        process.flags.remove(Flags::PRIORITY_MESSAGES);
        if save != first {
            queue.save = first;
            if !resumes {
                process.cold().receive_markers.resume_at(save);
                process.head.receive_state |= receive_state::RESUMES;
            }
        }
    // SAFETY: `save` is a link of the queue.
    } else if resumes && !unsafe { has_priority(save) } {
        process.head.receive_state &= !receive_state::RESUMES;
        if let Some(place) = process.cold().receive_markers.resume() {
            process.head.messages.save = place;
        }
    }
    if process.head.receive_state & receive_state::RESUMES == 0 {
        process.head.heap.flags &= !heap_flag::PRIORITY;
    }
}
