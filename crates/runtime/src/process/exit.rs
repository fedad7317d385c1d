//! The end of a process.

use layout::heap::flag as heap_flag;
use term::copy::Owned;
use term::print::display;

use super::{Process, flag, message_queue, state, table};
use crate::halt::{self, CrashCause};
use crate::scheduler::dirty;
use crate::signal::handle;
use crate::{hooks, receive, registry};

/// Ends a process after its last slice: removes it from the process table, tells its links and monitors, and frees
/// its heap. The control block stays until no thread can still hold a pointer from the table.
pub fn finish(process: &mut Process, reason: &Owned) {
    if process.flags & flag::SYSTEM != 0 {
        // No other process can do its work, so the node cannot continue without it.
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
            crate::timer::bif_timers::cancel(number);
        }
        receive::timer::cancel(cold);
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
    // From here on senders do not find the process. A sender that found it before may still push signals; `bounce_rest`
    // handles those when the block is reclaimed.
    handle::break_relations(process, reason.term());
    handle::bounce_rest(pid, &process.signals);
    super::tasks::refuse_all(process);
    free_messages(process);
    free_heap(process);
}

/// Freeing at least this many messages, or words of heap, takes milliseconds, so a dirty scheduler does it.
const MANY_MESSAGES: u64 = 1 << 14;
const LARGE_HEAP_WORDS: usize = 1 << 20;

/// Memory of a process that has ended; nobody else refers to it.
struct Remains<T>(T);

// SAFETY: the process has ended, so only the holder of this value refers to its messages and heap.
unsafe impl<T> Send for Remains<T> {}

impl<T> Remains<T> {
    fn take(self) -> T {
        self.0
    }
}

fn free_messages(process: &mut Process) {
    let queue = &mut process.head.messages;
    let first = Remains(queue.first);
    // SAFETY: the messages of the inner queue belong to the process, which has ended.
    let free = move || unsafe { message_queue::free_list(first.take()) };
    if queue.count < MANY_MESSAGES {
        free();
    } else {
        dirty::later(dirty::DirtyKind::Cpu, free);
    }
    *queue = message_queue::UNLINKED;
    message_queue::link(queue);
}

fn free_heap(process: &mut Process) {
    let heap = &mut process.head.heap;
    if heap.flags & heap_flag::INLINE != 0
        && heap.old.is_null()
        && heap.fragments.is_null()
        && heap.off_heap.is_null()
    {
        // The common case of a short-lived process: nothing is allocated outside the block.
        return;
    }
    if heap.flags & heap_flag::INLINE != 0 || term::collect::total_words(heap) < LARGE_HEAP_WORDS {
        term::collect::free(heap);
        return;
    }
    let heap = Remains(std::mem::replace(heap, term::heap::empty()));
    dirty::later(dirty::DirtyKind::Cpu, move || {
        term::collect::free(&mut heap.take());
    });
}
