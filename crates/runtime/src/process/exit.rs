//! The end of a process.

use layout::heap::flag as heap_flag;
use term::copy::Owned;

use super::{Process, state, table};
use crate::signal::handle;
use crate::{ets, registry, timer};

/// Ends a process whose last slice is over: it becomes unfindable, everyone tied to it learns of it, and
/// its heap is freed. The control block stays until nobody can hold a found pointer to it.
pub fn finish(process: &mut Process, reason: &Owned) {
    let before = state::exit(&process.state);
    let pid = process.pid();
    if before & state::REGISTERED != 0 {
        registry::forget_owner(pid);
    }
    if let Some(cold) = process.cold.as_mut() {
        for number in std::mem::take(&mut cold.timers) {
            crate::time::cancel_timer(number);
        }
        if let Some(timer) = cold.receive_timer.take() {
            timer::cancel(timer.key);
        }
        cold.at_exit.run();
        let tables = std::mem::take(&mut cold.tables);
        if !tables.is_empty() {
            ets::owner_ends(process, tables);
        }
        if let Some(cold) = process.cold.as_mut() {
            for other in std::mem::take(&mut cold.suspending).into_keys() {
                super::suspend::resume_from(other);
            }
        }
    }
    table::remove(pid);
    // From here on a sender finds nobody; who found the process before may still push, which
    // `bounce_rest` answers when the block is reused.
    handle::break_relations(process, reason.term());
    handle::bounce_rest(pid, &process.signals);
    super::tasks::refuse_all(process);
    free_messages(process);
    free_heap(process);
}

fn free_messages(process: &mut Process) {
    let queue = &mut process.head.messages;
    let mut message = queue.first;
    while !message.is_null() {
        // SAFETY: the inner queue's messages belong to the process.
        unsafe {
            let next = (*message).next;
            term::heap::drop_fragment(message);
            message = next;
        }
    }
    queue.first = std::ptr::null_mut();
    queue.last = &raw mut queue.first;
    queue.save = &raw mut queue.first;
    queue.count = 0;
}

fn free_heap(process: &mut Process) {
    let heap = &mut process.head.heap;
    if heap.flags & heap_flag::INLINE != 0
        && heap.old.is_null()
        && heap.fragments.is_null()
        && heap.off_heap.is_null()
    {
        // The common end of a short life: nothing outside the block.
        return;
    }
    term::collect::free(heap);
}
