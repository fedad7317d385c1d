//! Collections that would take long leave the scheduler: a dirty CPU scheduler does them.
//!
//! A process whose collection would move many words is taken off its scheduler between two instructions: the state that
//! it needs to continue (instruction pointer, X registers, float registers) is saved, and its pointer goes into a dirty
//! queue, where it carries the ownership of the process, as in a run queue. The dirty scheduler collects and gives the
//! process back. No other thread accesses it meanwhile: senders only push to the signal queue and set bits of the state
//! word, and the signals take effect when the process runs again.
//!
//! Where a process cannot leave because Rust code holds its terms, it builds terms beside its heap and leaves at its
//! next call. Two kinds of collections stay on the scheduler: those of less than [`LONG_WORDS`], and those that are
//! needed while files from before OTP 25 build a binary step by step.
//!
//! The thread that runs the process calls [`leave`], [`want`] and so on; the dirty one calls [`perform`].

use layout::{Context, Term};
use term::gc::stress::{self, Stress};
use term::gc::{self, CollectionKind};

use crate::code::modules;
use crate::effects::{collection, tasks};
use crate::process::dirty::Collection;
use crate::process::{Flags, Process};

/// A collection that might have to move at least this many words may take milliseconds (about 7 ns a word); compared
/// with that, moving the process into another thread's caches and back costs little. With a quarter of this limit,
/// which is stock's, compiling a large module took 2 to 3 % longer than with no limit; with this one it took no longer.
/// The `answers/*` benchmarks differ by less than their noise.
const LONG_WORDS: usize = 1 << 19;
/// The same under GC stress, where most heaps should take this path.
const STRESSED_LONG_WORDS: usize = 1 << 12;

/// Whether a minor collection of the process would take too long for this thread.
#[must_use]
pub fn is_wanted(process: &Process) -> bool {
    would_take_long(process, CollectionKind::Minor)
}

/// Whether a major collection of the process would take too long for this thread.
#[must_use]
pub fn is_wanted_for_all(process: &Process) -> bool {
    would_take_long(process, CollectionKind::Major)
}

fn would_take_long(process: &Process, kind: CollectionKind) -> bool {
    is_long(gc::most_words(&process.head.heap, kind))
}

/// Whether moving that many words would take too long for this thread.
pub(super) fn is_long(words: usize) -> bool {
    let long_words = match stress::get() {
        Stress::None => LONG_WORDS,
        Stress::Collect | Stress::Verify => STRESSED_LONG_WORDS,
    };
    words >= long_words && !crate::mail::dirty::is_here()
}

/// Makes the running process leave its scheduler. It will continue at `ip` with x0..x`live` once there is room for
/// `words` words.
pub fn leave(process: &mut Process, context: &Context, words: usize, live: usize, ip: *const u64) {
    process.head.ip = ip;
    process.head.saved_x = 0;
    let is_dirty = process.flags.contains(Flags::DIRTY_CALL);
    let extras = process.extras();
    if is_dirty {
        // The process will make the call that requested a dirty scheduler again, and the call will request it again.
        extras.dirty = None;
    }
    let mut registers = context.x[..live].to_vec();
    registers.resize(registers_at(ip, live), Term::NIL);
    extras.kept.registers = registers;
    keep_floats(process, context);
    process.flags.remove(Flags::DIRTY_CALL);
    want(process, Collection::Room { words });
}

/// The number of X registers to keep for a process that will continue at `ip`, where x0..x`live` are live. At the entry
/// of a function all arguments are kept, even dead ones: a breakpoint may be set there, and it needs all of them.
#[must_use]
pub(crate) fn registers_at(ip: *const u64, live: usize) -> usize {
    let place = modules::find_code(ip).and_then(|code| code.code.place(ip));
    match place {
        Some(place) if place.entry == ip => live.max(place.arity as usize),
        _ => live,
    }
}

/// Saves the float registers, so that the process continues with them.
pub(crate) fn keep_floats(process: &mut Process, context: &Context) {
    process.extras().kept.floats = Some(Box::new(context.f));
    process.flags.insert(Flags::SAVED_FLOATS);
}

/// Called at the end of a slice: requests the collection that was deferred, if it would take long.
pub(crate) fn want_if_due(process: &mut Process) {
    let leaves = process
        .flags
        .intersects(Flags::DIRTY_CALL | Flags::DIRTY_COLLECTION);
    if gc::is_due(&process.head.heap) && !leaves && is_wanted(process) {
        want(process, Collection::Due);
    }
}

/// Makes the scheduler hand the process to a dirty scheduler at the end of its slice, for this collection.
pub fn want(process: &mut Process, collection: Collection) {
    process.extras().collection = Some(collection);
    process.flags.insert(Flags::DIRTY_COLLECTION);
}

/// Does the requested collection; called on a dirty scheduler.
///
/// # Safety
/// As for [`collect()`](collection::collect()); the process is between two slices.
pub unsafe fn perform(process: &mut Process) {
    process.flags.remove(Flags::DIRTY_COLLECTION);
    match process.extras().collection.take() {
        Some(Collection::Room { words }) => {
            let live = process.extras().kept.registers.len();
            // SAFETY: the caller's promise. The registers that were kept are roots.
            unsafe { collection::collect(process, &mut [], words + live) };
            if !process.flags.contains(Flags::EXIT_PENDING) {
                save_registers(process);
            }
        }
        // SAFETY: the caller's promise.
        Some(Collection::Due) => unsafe { collection::collect(process, &mut [], 0) },
        // SAFETY: the caller's promise.
        Some(Collection::Hibernation) => unsafe { collection::hibernate(process) },
        Some(Collection::Task) => tasks::run_first(process),
        None => unreachable!("`want` set it"),
    }
}

/// Moves the X registers to the stack, where they are for any process that does not run.
fn save_registers(process: &mut Process) {
    let registers = std::mem::take(&mut process.extras().kept.registers);
    let head = &mut process.head;
    let stack = head.heap.stack.wrapping_sub(registers.len());
    // SAFETY: the collection made room for them.
    unsafe {
        stack
            .cast::<Term>()
            .copy_from_nonoverlapping(registers.as_ptr(), registers.len());
    }
    head.heap.stack = stack;
    head.saved_x = registers.len() as u16;
}

/// Restores the float registers of a process that left in the middle of a function and is about to continue.
#[cold]
pub(crate) fn restore_floats(process: &mut Process, context: &mut Context) {
    process.flags.remove(Flags::SAVED_FLOATS);
    if let Some(floats) = process.extras().kept.floats.take() {
        context.f = *floats;
    }
}
