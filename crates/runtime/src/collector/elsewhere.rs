//! Collections that would keep others waiting leave the scheduler: a dirty CPU scheduler does them.
//!
//! A process whose collection would move much is taken off its scheduler between two instructions: what it goes on with
//! (the place, the X registers and the float registers) is noted, and the pointer goes to a dirty queue, where it stands for
//! the ownership of the process, as in a run queue. The dirty scheduler collects and gives the process back. Nobody else
//! touches it meanwhile: whoever sends to it pushes to the signal queue and sets bits of the state word, and the signals
//! take effect when it runs again.
//!
//! Where a process cannot leave, because Rust code holds its terms, it builds beside its heap and leaves at its next call.
//! What stays on the scheduler: collections of less than [`LONG_WORDS`], and those that the step-by-step building of
//! binaries in files from before OTP 25 asks for.
//!
//! [`leave`] and its kin are for the thread that runs the process, [`perform`] for the dirty one.

use layout::limits::FLOAT_REGISTERS;
use layout::{Context, Term};
use term::collect::stress::{self, Stress};
use term::collect::{self, Kind};

use crate::code::modules;
use crate::collector;
use crate::process::{Process, flag, tasks};
use crate::scheduler::dirty;

/// From so many words on, all of which might have to be moved, a collection may take milliseconds (about 7 ns a word), beside
/// which the way to another thread's cache and back is little. With a quarter of it, which is stock's limit, compiling a
/// large module took 2 to 3 % longer than without any, with this as long; `answers/*` differ by less than they vary.
const LONG_WORDS: usize = 1 << 19;
/// The same under stress, so that heaps of all sizes go that way.
const STRESSED_LONG_WORDS: usize = 1 << 12;

/// What a process has left its scheduler for.
pub enum Collection {
    /// Room for the instruction that it goes on with, its registers kept.
    Room { words: usize },
    /// What was put off until its slice ended.
    Due,
    /// It goes to sleep.
    Hibernation,
    /// The first of its tasks collects.
    Task,
}

/// What a process that left in the middle of a function goes on with.
#[derive(Default)]
pub struct Kept {
    /// X registers: roots until they are on its stack.
    pub registers: Vec<Term>,
    floats: Option<Box<[f64; FLOAT_REGISTERS]>>,
}

/// Whether a minor collection of the process is not to be done by this thread.
#[must_use]
pub fn is_wanted(process: &Process) -> bool {
    would_take_long(process, Kind::Minor)
}

/// Whether a major collection of the process is not to be done by this thread.
#[must_use]
pub fn is_wanted_for_all(process: &Process) -> bool {
    would_take_long(process, Kind::Major)
}

fn would_take_long(process: &Process, kind: Kind) -> bool {
    let long_words = match stress::get() {
        Stress::None => LONG_WORDS,
        Stress::Collect | Stress::Verify => STRESSED_LONG_WORDS,
    };
    collect::most_words(&process.head.heap, kind) >= long_words && !dirty::is_here()
}

/// The running process leaves, to go on at `ip` with x0..x`live` when there are `words` words of room.
pub fn leave(process: &mut Process, context: &Context, words: usize, live: usize, ip: *const u64) {
    process.head.ip = ip;
    process.head.saved_x = 0;
    let is_dirty = process.flags & flag::DIRTY != 0;
    let cold = process.cold();
    if is_dirty {
        // It goes on with the call that asked for a dirty scheduler, which asks again.
        cold.dirty = None;
    }
    let mut registers = context.x[..live].to_vec();
    registers.resize(registers_at(ip, live), Term::NIL);
    cold.kept.registers = registers;
    keep_floats(process, context);
    process.flags &= !flag::DIRTY;
    want(process, Collection::Room { words });
}

/// How many X registers a process needs that goes on at `ip`, where x0..x`live` live. A breakpoint may be set where a
/// function begins, which asks for all arguments, also for those that are dead because the function does not use them.
#[must_use]
pub fn registers_at(ip: *const u64, live: usize) -> usize {
    let place = modules::find_code(ip).and_then(|code| code.code.place(ip));
    match place {
        Some(place) if place.entry == ip => live.max(place.arity as usize),
        _ => live,
    }
}

/// The process goes on with the float registers as they are.
pub fn keep_floats(process: &mut Process, context: &Context) {
    process.cold().kept.floats = Some(Box::new(context.f));
    process.flags |= flag::FLOATS;
}

/// At the end of a slice: asks for the collection that was put off, if it would take long.
pub fn want_if_due(process: &mut Process) {
    let leaves = process.flags & (flag::DIRTY | flag::COLLECT) != 0;
    if collect::is_due(&process.head.heap) && !leaves && is_wanted(process) {
        want(process, Collection::Due);
    }
}

/// Has the scheduler hand the process over once its slice is over.
pub fn want(process: &mut Process, collection: Collection) {
    process.cold().collection = Some(collection);
    process.flags |= flag::COLLECT;
}

/// Does what the process left for; on a dirty scheduler.
pub fn perform(process: &mut Process) {
    process.flags &= !flag::COLLECT;
    match process.cold().collection.take() {
        Some(Collection::Room { words }) => {
            let live = process.cold().kept.registers.len();
            collector::collect(process, &mut [], words + live);
            if process.flags & flag::EXIT_PENDING == 0 {
                save_registers(process);
            }
        }
        Some(Collection::Due) => collector::collect(process, &mut [], 0),
        Some(Collection::Hibernation) => collector::hibernate(process),
        Some(Collection::Task) => tasks::run_first(process),
        None => unreachable!("`want` set it"),
    }
}

/// Puts the X registers on the stack, as for any process that does not run.
fn save_registers(process: &mut Process) {
    let registers = std::mem::take(&mut process.cold().kept.registers);
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

/// A process that left in the middle of a function is about to go on.
#[cold]
pub fn restore_floats(process: &mut Process, context: &mut Context) {
    process.flags &= !flag::FLOATS;
    if let Some(floats) = process.cold().kept.floats.take() {
        context.f = *floats;
    }
}
