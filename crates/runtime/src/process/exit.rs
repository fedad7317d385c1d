//! The end of a process.

use layout::Fragment;
use layout::heap::flag as heap_flag;
use term::copy::Owned;
use term::print::display;

use super::{Process, flag, state, table};
use crate::halt::{self, CrashCause};
use crate::scheduler::dirty;
use crate::signal::handle;
use crate::{hooks, registry, timer};

/// Ends a process whose last slice is over: it becomes unfindable, everyone tied to it learns of it, and
/// its heap is freed. The control block stays until nobody can hold a found pointer to it.
pub fn finish(process: &mut Process, reason: &Owned) {
    if process.flags & flag::SYSTEM != 0 {
        // Nothing else can do its work: a node without it would stand still.
        let (pid, reason) = (display(process.pid()), display(reason.term()));
        halt::end_with_dump(
            CrashCause::Outside,
            &format!("System process {pid} terminated: {reason}"),
        );
    }
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
            (hooks::get().release_tables)(process, tables);
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

/// From so many messages, or so many words of heap on, freeing takes milliseconds: a dirty scheduler does it.
const MANY_MESSAGES: u64 = 1 << 14;
const LARGE_HEAP_WORDS: usize = 1 << 20;

/// What nobody else knows any more.
struct Remains<T>(T);

// SAFETY: of a process that has ended, only whoever frees it knows its messages and its heap.
unsafe impl<T> Send for Remains<T> {}

impl<T> Remains<T> {
    fn take(self) -> T {
        self.0
    }
}

/// Frees a list of messages.
///
/// # Safety
/// They belonged to a process that has ended.
unsafe fn free_list(mut message: *mut Fragment) {
    while !message.is_null() {
        // SAFETY: the caller's promise.
        unsafe {
            let next = (*message).next;
            term::heap::drop_fragment(message);
            message = next;
        }
    }
}

fn free_messages(process: &mut Process) {
    let queue = &mut process.head.messages;
    let first = Remains(queue.first);
    // SAFETY: the inner queue's messages belong to the process.
    let free = move || unsafe { free_list(first.take()) };
    if queue.count < MANY_MESSAGES {
        free();
    } else {
        dirty::later(dirty::Kind::Cpu, free);
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
    if heap.flags & heap_flag::INLINE != 0 || term::collect::total_words(heap) < LARGE_HEAP_WORDS {
        term::collect::free(heap);
        return;
    }
    let heap = Remains(std::mem::replace(heap, term::heap::empty()));
    dirty::later(dirty::Kind::Cpu, move || {
        term::collect::free(&mut heap.take());
    });
}
