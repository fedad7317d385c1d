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

/// What the guard knows and has done; sizes are in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    pub budget: u64,
    /// Where the budget is from: `flag`, `cgroup` or `host`.
    pub source: &'static str,
    pub soft: u64,
    pub high: u64,
    pub hard: u64,
    /// Measured now.
    pub resident: u64,
    /// What other programs of the same control group take of the budget.
    pub others: u64,
    /// `calm`, `soft`, `high` or `hard`.
    pub level: &'static str,
    /// For how many percent of the last ten seconds the programs of the node's control group, or of the host, all
    /// waited for memory; `None` where the system does not tell.
    pub pressure_percent: Option<u8>,
    /// How often each mark was reached.
    pub soft_count: u64,
    pub high_count: u64,
    pub hard_count: u64,
    /// Processes that the guard has ended.
    pub ended: u64,
    /// Large allocations that were not admitted.
    pub refused: u64,
}

/// See [`Figures`]; `None` if the guard is off. Any thread.
#[must_use]
pub fn figures() -> Option<Figures> {
    use sys::memory::budget::{Level, level, measure, refused};
    let found = budget::found()?;
    let marks = found.marks();
    let [_, soft_count, high_count, hard_count] = Level::ALL.map(|level| COUNTS.reached(level));
    Some(Figures {
        budget: found.budget,
        source: found.source.name(),
        soft: marks.soft,
        high: marks.high,
        hard: marks.hard,
        resident: measure(),
        others: found.others,
        level: events::name(level()),
        pressure_percent: pressure::percent(),
        soft_count,
        high_count,
        hard_count,
        ended: COUNTS.ended(),
        refused: refused(),
    })
}

/// `erlang:system_info({ferl, memory_guard})`: a map of [`Figures`], with `keeper`: the process that is asked first, or
/// `undefined`; `undefined` if the guard is off.
pub fn info(heap: &mut Heap) -> Term {
    let Some(figures) = figures() else {
        return am::UNDEFINED;
    };
    let numbers = [
        ("budget", figures.budget),
        ("soft", figures.soft),
        ("high", figures.high),
        ("hard", figures.hard),
        ("resident", figures.resident),
        ("others", figures.others),
        ("soft_count", figures.soft_count),
        ("high_count", figures.high_count),
        ("hard_count", figures.hard_count),
        ("ended", figures.ended),
        ("refused", figures.refused),
    ];
    let mut pairs = vec![
        (atom::known("source"), atom::known(figures.source)),
        (atom::known("level"), atom::known(figures.level)),
        (
            atom::known("keeper"),
            keeper::current().unwrap_or(am::UNDEFINED),
        ),
    ];
    let pressure = figures.pressure_percent;
    let pressure = pressure.map(|percent| Term::small(percent.into()));
    pairs.push((atom::known("pressure"), pressure.unwrap_or(am::UNDEFINED)));
    for (name, number) in numbers {
        pairs.push((atom::known(name), build::unsigned(heap, number)));
    }
    map::from_pairs(heap, &pairs)
}
