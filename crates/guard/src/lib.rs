//! The memory guard: keeps the node within its budget, so that it is not the node that ends when memory runs out.
//!
//! - [`budget`]: what the node may take: a flag, the control groups, or a share of the host's memory;
//! - [`watcher`]: the thread that measures, sets the level, and does what each mark asks for;
//! - [`keeper`]: a process that is asked first, and those that it gives up;
//! - [`offender`]: what the death of each process would free, and who ends at the hard mark;
//! - [`queues`]: message queues that take much of the node, and who fills them;
//! - [`pace`]: what is done at most so often;
//! - [`pressure`]: whether programs stand still for want of memory;
//! - [`shortage`]: a process for whose heap there is no memory;
//! - [`events`]: who is told.
//!
//! The marks and the level are in `sys::memory::budget`, where the doors of the node look at them: spawning, opening
//! ports and sockets (`is_high`), and large allocations (`admit`).

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod budget;
mod events;
pub mod keeper;
mod offender;
mod pace;
mod pressure;
mod queues;
mod shortage;
mod watcher;

use layout::{Heap, Term};
use term::{am, atom, build, map};

pub use shortage::short;
use watcher::COUNTS;

/// Starts the watcher. For the thread that starts the node, when its first processes exist.
///
/// # Errors
/// The system's, if there is no thread for it.
pub fn start(setting: spec::flags::MemoryBudget) -> Result<(), sys::errno::Errno> {
    budget::set(setting);
    if setting == spec::flags::MemoryBudget::Unlimited {
        return Ok(());
    }
    if let Some(found) = budget::found().filter(budget::Found::is_too_small) {
        let text = events::is_too_small(found.budget);
        sys::standard::to_error(format_args!("ferl: {text}\n"));
    }
    sys::thread::spawn("memory_guard", watcher::STACK_BYTES, watcher::watch)?;
    Ok(())
}

/// `erlang:system_info({ferl, memory_guard})`: a map, `undefined` if the guard is off. All sizes are in bytes.
///
/// - `budget`, `source` (`flag`, `cgroup` or `host`), `soft`, `high`, `hard`;
/// - `resident`, measured now, and `others`: what other programs of the same control group take of the budget;
/// - `level`: `calm`, `soft`, `high` or `hard`;
/// - `pressure`: for how many percent of the last ten seconds the programs of the node's control group, or of the host,
///   all waited for memory; `undefined` where the system does not tell;
/// - `keeper`: the process that is asked first, or `undefined`;
/// - `soft_count`, `high_count`, `hard_count`: how often each mark was reached;
/// - `ended`: processes that the guard has ended; `refused`: large allocations that were not admitted.
pub fn info(heap: &mut Heap) -> Term {
    use sys::memory::budget::{Level, level, measure, refused};
    let Some(found) = budget::found() else {
        return am::UNDEFINED;
    };
    let marks = found.marks();
    let [_, soft, high, hard] = Level::ALL.map(|level| COUNTS.reached(level));
    let numbers = [
        ("budget", found.budget),
        ("soft", marks.soft),
        ("high", marks.high),
        ("hard", marks.hard),
        ("resident", measure()),
        ("others", found.others),
        ("soft_count", soft),
        ("high_count", high),
        ("hard_count", hard),
        ("ended", COUNTS.ended()),
        ("refused", refused()),
    ];
    let mut pairs = vec![
        (atom::known("source"), atom::known(found.source.name())),
        (atom::known("level"), atom::known(events::name(level()))),
        (
            atom::known("keeper"),
            keeper::current().unwrap_or(am::UNDEFINED),
        ),
    ];
    let pressure = pressure::percent().map(|percent| Term::small(percent.into()));
    pairs.push((atom::known("pressure"), pressure.unwrap_or(am::UNDEFINED)));
    for (name, number) in numbers {
        pairs.push((atom::known(name), build::unsigned(heap, number)));
    }
    map::from_pairs(heap, &pairs)
}
