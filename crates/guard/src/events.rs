//! Who is told what the guard does: the logger, and processes that asked for it by `system_monitor`.
//!
//! A monitor with the option `memory_guard` gets `{monitor, Who, memory_guard, Facts}`. `Who` is the process that is
//! ended, the name of a node to which the connection is closed, or the atom `node` for a mark that was reached. `Facts`
//! is a list of pairs: `{mark, soft | high | hard}`, `{resident, Bytes}` and `{budget, Bytes}`; of a process and a
//! connection also `{size, Bytes}`.

use layout::{Heap, Term};
use runtime::effects::{log, system_monitor};
use sys::memory::budget::{Level, Marks};
use term::{atom, build};

use crate::budget;

/// The name of a level, as programs see it.
pub(crate) fn name(level: Level) -> &'static str {
    match level {
        Level::Calm => "calm",
        Level::Soft => "soft",
        Level::High => "high",
        Level::Hard => "hard",
    }
}

/// The node has grown to a mark.
pub(crate) fn reached(level: Level, marks: &Marks, resident: u64) {
    tell(atom::known("node"), level, marks, resident, None);
    let consequence = match level {
        Level::Calm => return,
        Level::Soft => "free memory is given back",
        Level::High => "nothing is spawned or opened until it has less",
        Level::Hard => "the process that holds most is ended",
    };
    let text = format!(
        "Memory guard: the node has {} of {} MB ({} mark): {consequence}\n",
        megabytes(resident),
        megabytes(marks.budget),
        name(level)
    );
    log::memory_guard(level >= Level::High, &text);
}

/// Programs stand still for want of memory, though the node is below its marks.
pub(crate) fn pressed(marks: &Marks, resident: u64) {
    tell(atom::known("node"), Level::Soft, marks, resident, None);
    let text = format!(
        "Memory guard: the system is short of memory (the node has {} of {} MB): free memory is given back\n",
        megabytes(resident),
        megabytes(marks.budget)
    );
    log::memory_guard(false, &text);
}

/// The budget is less than a node needs to boot.
pub(crate) fn is_too_small(budget: u64) -> String {
    format!(
        "Memory guard: the budget is {} MB, and a node needs {} MB, so nothing is ended or refused",
        megabytes(budget),
        megabytes(budget::LEAST_BYTES)
    )
}

/// What the crash dump says of a node that ends because nobody else may be ended.
pub(crate) fn last_words(marks: &Marks, resident: u64) -> String {
    format!(
        "ferl: Memory guard: the node has {} of {} MB, and no process that may be ended holds much of it",
        megabytes(resident),
        megabytes(marks.budget)
    )
}

/// A process of this size is ended.
pub(crate) fn ends(pid: Term, size: u64, description: &str, marks: &Marks, resident: u64) {
    tell(pid, Level::Hard, marks, resident, Some(size));
    let text = format!(
        "Memory guard: the node has {} of {} MB, so a process was ended:\n{}",
        megabytes(resident),
        megabytes(marks.budget),
        description
    );
    log::memory_guard(true, &text);
}

/// Processes of these sizes are ended, besides those that are told of one by one.
pub(crate) fn others_end(
    sizes: impl ExactSizeIterator<Item = (Term, u64)>,
    marks: &Marks,
    resident: u64,
) {
    let (count, mut bytes) = (sizes.len(), 0);
    for (pid, size) in sizes {
        tell(pid, Level::Hard, marks, resident, Some(size));
        bytes += size;
    }
    if count > 0 {
        let text = format!(
            "Memory guard: {count} more processes were ended, which held {} MB\n",
            megabytes(bytes)
        );
        log::memory_guard(true, &text);
    }
}

/// The connection to a node, for which so many bytes wait, is closed.
pub(crate) fn closes(node: Term, size: u64, marks: &Marks, resident: u64) {
    tell(node, Level::Hard, marks, resident, Some(size));
    let text = format!(
        "Memory guard: the node has {} of {} MB, so the connection to {} was closed: {} MB waited to be sent to it\n",
        megabytes(resident),
        megabytes(marks.budget),
        term::print::display(node),
        megabytes(size)
    );
    log::memory_guard(true, &text);
}

/// There is nobody whom the guard may end.
pub(crate) fn finds_nobody(marks: &Marks, resident: u64) {
    let text = format!(
        "Memory guard: the node has {} of {} MB, and no process that may be ended holds much of it\n",
        megabytes(resident),
        megabytes(marks.budget)
    );
    log::memory_guard(true, &text);
}

fn tell(who: Term, level: Level, marks: &Marks, resident: u64, size: Option<u64>) {
    system_monitor::memory_guard(who, |heap| facts(heap, level, marks, resident, size));
}

/// The list of facts that programs are told.
pub(crate) fn facts(
    heap: &mut Heap,
    level: Level,
    marks: &Marks,
    resident: u64,
    size: Option<u64>,
) -> Term {
    let mark = atom::known(name(level));
    let mut facts = vec![build::tuple(heap, &[atom::known("mark"), mark])];
    let numbers = [
        ("resident", Some(resident)),
        ("budget", Some(marks.budget)),
        ("size", size),
    ];
    for (name, number) in numbers {
        let Some(number) = number else { continue };
        let number = build::unsigned(heap, number);
        facts.push(build::tuple(heap, &[atom::known(name), number]));
    }
    build::list(heap, &facts)
}

/// In megabytes of 2^20 bytes, rounded.
pub(crate) fn megabytes(bytes: u64) -> u64 {
    (bytes + (1 << 19)) >> 20
}
