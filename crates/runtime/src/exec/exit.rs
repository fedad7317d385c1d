//! The end of a process.

use layout::Term;
use term::am;
use term::copy::Owned;
use term::print::display;

use crate::effects::{farewell, receive, signal_handling, tasks};
use crate::exec::halt;
use crate::mail::hooks::{self, CrashCause};
use crate::mail::observer::observer;
use crate::mail::timer::bif_timers;
use crate::mail::{bounce, registry};
use crate::process::extras::Closing;
use crate::process::sync::between_steps;
use crate::process::{Flags, Process, message_queue, state, table};

/// Closes the ports of a process that is about to end. Returns whether it has to wait for some that are at work: then
/// this is called again in its next slice. Whoever learns that the process has ended may open their addresses again.
#[inline]
pub fn waits_for_ports(process: &mut Process) -> bool {
    match closing_of(process) {
        Some(closing) => closing.goes_on(),
        None => has_port(process) && begin_to_close(process),
    }
}

fn closing_of(process: &Process) -> Option<&Closing> {
    process.cold.as_ref()?.extras.as_ref()?.closing.as_ref()
}

#[cold]
fn begin_to_close(process: &mut Process) -> bool {
    let reason = take_reason(process);
    tell_exit(process, &reason);
    let closing = signal_handling::close_ports(process, reason.term());
    let waits = closing.goes_on();
    process.flags.insert(Flags::EXIT_PENDING);
    process.cold().exit_reason = Some(reason);
    // By this `leave` knows what a tracer has been told.
    if waits || process.flags.contains(Flags::TRACED) {
        process.extras().closing = Some(closing);
    }
    waits
}

/// Takes the reason with which a process ends.
pub fn take_reason(process: &mut Process) -> Owned {
    let reason = process
        .cold
        .as_mut()
        .and_then(|cold| cold.exit_reason.take());
    reason.unwrap_or_else(|| Owned::new(am::NORMAL))
}

fn tell_exit(process: &mut Process, reason: &Owned) {
    if process.flags.contains(Flags::TRACED) {
        observer().exits(process, reason.term());
    }
}

/// Ends a process for all others: removes it from the process table, and tells its links and monitors. Its heap stays
/// until [`free`], and the control block until no thread can still hold a pointer from the table.
pub fn leave(process: &mut Process, reason: Owned) {
    if process.flags.contains(Flags::SYSTEM) {
        // No other process can do its work, so the node cannot continue without it.
        let (pid, reason) = (display(process.pid()), display(reason.term()));
        halt::end_with_dump(
            CrashCause::Outside,
            &format!("System process {pid} terminated: {reason}"),
        );
    }
    let pid = process.pid();
    if closing_of(process).is_none() {
        tell_exit(process, &reason);
    }
    let word = state::exit(&process.state, holds_nothing(process));
    between_steps();
    if word & state::CLOSED == 0 {
        // Whoever learns that the process is gone must not find anything of it, so until all of it is gone its pid
        // counts as that of a living process.
        give_up_all(process, word, reason.term());
        between_steps();
        table::remove(pid);
        between_steps();
        state::close(&process.state);
    } else {
        table::remove(pid);
    }
    // From here on senders do not find the process. A sender that found it before may still push signals; `bounce_rest`
    // handles those when the block is reclaimed.
    between_steps();
    farewell::break_relations(process, reason);
    between_steps();
    bounce::bounce_list(pid, process.take_left());
    bounce::bounce_rest(pid, &process.signals);
    tasks::refuse_all(process);
    debug_assert_eq!(
        process.relations.count(),
        0,
        "relations of a process that has ended"
    );
    if process.flags.contains(Flags::TRACED) {
        observer().has_exited(process);
    }
}

/// Frees the messages and the heap of a process that has ended.
pub fn free(process: &mut Process) {
    free_messages(process);
    free_heap(process);
}

/// Whether the process is linked with a port, which [`signal_handling::close_ports`] sees to.
fn has_port(process: &Process) -> bool {
    let mut linked = process.relations.linked();
    linked.any(Term::is_local_port)
}

/// Whether the process has nothing to give up when it ends, besides its links and monitors of processes, and a
/// registered name.
fn holds_nothing(process: &Process) -> bool {
    !has_port(process)
        && process.cold.as_ref().is_none_or(|cold| {
            cold.timers.is_empty()
                && cold.receive_timer.is_none()
                && cold.tables.is_empty()
                && cold
                    .extras
                    .as_ref()
                    .is_none_or(|extras| extras.at_exit.is_empty() && extras.suspending.is_empty())
        })
}

/// Gives up what the process holds besides its memory and relations; `word` is its state word.
fn give_up_all(process: &mut Process, word: u32, reason: Term) {
    let pid = process.pid();
    if word & state::TIMED != 0 {
        bif_timers::cancel_all_to(pid);
    }
    if has_port(process) {
        // It is in a dirty call, or they have come since `waits_for_ports`.
        signal_handling::close_ports(process, reason);
        between_steps();
    }
    give_up_cold(process, reason);
    between_steps();
    // Last, because whoever finds the name free may make tables of the same names.
    if word & state::REGISTERED != 0 {
        if process.flags.contains(Flags::TRACED)
            && let Some(name) = registry::name_of(pid)
        {
            observer().does(process, am::UNREGISTER, name);
        }
        registry::forget_owner(pid);
    }
}

/// Gives up what few processes have: timers, tables, others that it has suspended.
fn give_up_cold(process: &mut Process, reason: Term) {
    let Some(cold) = process.cold.as_mut() else {
        return;
    };
    // A timer whose receiver is gone counts as ended, so it may be removed later.
    let timers = std::mem::take(&mut cold.timers);
    crate::mail::dirty::free_now_or_later(timers.len(), move || bif_timers::cancel_all(timers));
    receive::timer::cancel(cold);
    let suspending = cold.extras.as_mut().map(|extras| {
        extras.at_exit.run(reason);
        std::mem::take(&mut extras.suspending)
    });
    between_steps();
    let tables = std::mem::take(&mut cold.tables);
    if !tables.is_empty() {
        (hooks::get().release_tables)(process, tables);
    }
    for other in suspending.unwrap_or_default().into_keys() {
        crate::mail::suspend::resume_from(other);
    }
}

/// Freeing at least this many words of heap takes milliseconds, so a dirty scheduler does it.
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
    crate::mail::dirty::free_now_or_later(queue.sizes.count() as usize, free);
    *queue = message_queue::UNLINKED;
    message_queue::link(queue);
}

fn free_heap(process: &mut Process) {
    let heap = &mut process.head.heap;
    if term::gc::total_words(heap) < LARGE_HEAP_WORDS {
        term::gc::free(heap);
        return;
    }
    let heap = Remains(std::mem::replace(heap, term::heap::empty()));
    crate::mail::dirty::free_later(move || term::gc::free(&mut heap.take()));
}
