//! `statistics/1`.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use layout::{Heap, Term};
use term::{am, atom, build, map};

use runtime::code::bif::{BifResult, badarg};
use runtime::mail::{idle, microstate, schedulers, time};
use runtime::process::Process;

/// The previous results of `statistics(runtime)`, `(wall_clock)`, `(reductions)` and `(exact_reductions)`.
static LAST_RUNTIME_MS: AtomicI64 = AtomicI64::new(0);
static LAST_WALL_MS: AtomicI64 = AtomicI64::new(0);
static LAST_REDUCTIONS: AtomicU64 = AtomicU64::new(0);
static LAST_EXACT_REDUCTIONS: AtomicU64 = AtomicU64::new(0);

/// `{Total, SinceLast}`
fn since(heap: &mut Heap, total: i64, last: i64) -> Term {
    let (total, difference) = (
        build::integer(heap, total),
        build::integer(heap, total - last),
    );
    build::tuple(heap, &[total, difference])
}

fn all_reductions() -> u64 {
    let schedulers = &schedulers::schedulers().all;
    schedulers
        .iter()
        .map(|shared| shared.counts.reductions())
        .sum()
}

/// `erlang:statistics(Item)`
pub(crate) fn statistics_1(process: &mut Process, [item]: [Term; 1]) -> BifResult {
    if !item.is_atom() {
        return Err(badarg(1));
    }
    let running = runtime::mail::current::reductions_now(process) - process.reductions;
    let heap = process.heap();
    let small = |value: usize| Term::small(value as i64);
    Ok(match atom::text(item) {
        "runtime" => {
            let times = sys::clock::process_times().map_err(|_| badarg(1))?;
            let total = times.user_ns / 1_000_000;
            since(heap, total, LAST_RUNTIME_MS.swap(total, Ordering::Relaxed))
        }
        "wall_clock" => {
            let total = time::uptime_ns() / 1_000_000;
            since(heap, total, LAST_WALL_MS.swap(total, Ordering::Relaxed))
        }
        "reductions" => {
            let total = all_reductions();
            let last = LAST_REDUCTIONS.swap(total, Ordering::Relaxed);
            since(heap, total as i64, last as i64)
        }
        "exact_reductions" => {
            let total = all_reductions() + running;
            let last = LAST_EXACT_REDUCTIONS.swap(total, Ordering::Relaxed);
            since(heap, total as i64, last as i64)
        }
        "context_switches" => {
            let schedulers = &schedulers::schedulers().all;
            let switches: u64 = schedulers
                .iter()
                .map(|shared| shared.counts.switches())
                .sum();
            let switches = build::unsigned(heap, switches);
            build::tuple(heap, &[switches, Term::small(0)])
        }
        "garbage_collection" => {
            let (collections, words) = runtime::effects::collection::statistics();
            let (collections, words) = (
                build::unsigned(heap, collections),
                build::unsigned(heap, words),
            );
            build::tuple(heap, &[collections, words, Term::small(0)])
        }
        "io" => {
            let (input, output) = runtime::effects::port::bytes();
            let (input, output) = (build::unsigned(heap, input), build::unsigned(heap, output));
            let input = build::tuple(heap, &[atom::known("input"), input]);
            let output = build::tuple(heap, &[atom::known("output"), output]);
            build::tuple(heap, &[input, output])
        }
        "run_queue" => small(queue_lengths(DIRTY_CPU).iter().sum()),
        "total_run_queue_lengths" => small(queue_lengths(DIRTY_CPU).iter().sum()),
        "total_run_queue_lengths_all" => small(queue_lengths(DIRTY_ALL).iter().sum()),
        "run_queues" => {
            let lengths = queue_lengths(DIRTY_ALL).into_iter();
            build::tuple(heap, &lengths.map(small).collect::<Vec<Term>>())
        }
        "run_queue_lengths" => counts(heap, queue_lengths(DIRTY_CPU)),
        "run_queue_lengths_all" => counts(heap, queue_lengths(DIRTY_ALL)),
        "active_tasks" => counts(heap, active_tasks(DIRTY_CPU)),
        "active_tasks_all" => counts(heap, active_tasks(DIRTY_ALL)),
        "total_active_tasks" => small(active_tasks(DIRTY_CPU).iter().sum()),
        "total_active_tasks_all" => small(active_tasks(DIRTY_ALL).iter().sum()),
        "scheduler_wall_time" => wall_times(heap, DIRTY_CPU),
        "scheduler_wall_time_all" => wall_times(heap, DIRTY_ALL),
        "microstate_accounting" => microstates(heap),
        _ => return Err(badarg(1)),
    })
}

/// `{Number, Awake, Total}` of each scheduler, with dirty schedulers of the given kinds last; `undefined` unless it was
/// turned on.
fn wall_times(heap: &mut Heap, dirty_kinds: &[runtime::process::dirty::DirtyKind]) -> Term {
    let Some(mut times) = idle::wall_times_ns() else {
        return am::UNDEFINED;
    };
    let total_ns = times.first().map_or(0, |(_, total_ns)| *total_ns);
    for &kind in dirty_kinds {
        let worked = runtime::mail::dirty::worked_ns(kind).into_iter();
        times.extend(worked.map(|worked_ns| (worked_ns.min(total_ns), total_ns)));
    }
    let rows: Vec<Term> = times
        .into_iter()
        .enumerate()
        .map(|(index, (awake_ns, total_ns))| {
            let number = Term::small(index as i64 + 1);
            let awake = build::integer(heap, awake_ns);
            let total = build::integer(heap, total_ns);
            build::tuple(heap, &[number, awake, total])
        })
        .collect();
    build::list(heap, &rows)
}

/// `#{counters => #{State => Time}, id => Number, type => Type}` of each thread, the most recent thread first.
fn microstates(heap: &mut Heap) -> Term {
    let mut rows = Vec::new();
    for reading in microstate::read().iter().rev() {
        let counters: Vec<(Term, Term)> = microstate::NAMES
            .iter()
            .zip(reading.counters_ns)
            .map(|(name, ns)| (atom::known(name), build::integer(heap, ns)))
            .collect();
        let counters = map::from_pairs(heap, &counters);
        let kind = match reading.kind {
            microstate::ThreadKind::Scheduler => "scheduler",
            microstate::ThreadKind::DirtyCpu => "dirty_cpu_scheduler",
            microstate::ThreadKind::DirtyIo => "dirty_io_scheduler",
        };
        let row = [
            (am::COUNTERS, counters),
            (am::ID, Term::small(reading.number as i64)),
            (am::TYPE, atom::known(kind)),
        ];
        rows.push(map::from_pairs(heap, &row));
    }
    build::list(heap, &rows)
}

/// Which kinds of dirty schedulers an item includes.
const DIRTY_CPU: &[runtime::process::dirty::DirtyKind] = &[runtime::process::dirty::DirtyKind::Cpu];
const DIRTY_ALL: &[runtime::process::dirty::DirtyKind] = &[
    runtime::process::dirty::DirtyKind::Cpu,
    runtime::process::dirty::DirtyKind::Io,
];

fn counts(heap: &mut Heap, counts: Vec<usize>) -> Term {
    let counts = counts.into_iter().map(|count| Term::small(count as i64));
    build::list(heap, &counts.collect::<Vec<Term>>())
}

/// The lengths of the run queues, those of the dirty schedulers last.
fn queue_lengths(dirty_kinds: &[runtime::process::dirty::DirtyKind]) -> Vec<usize> {
    let mut lengths = schedulers::run_queue_lengths();
    lengths.extend(
        dirty_kinds
            .iter()
            .map(|kind| runtime::mail::dirty::queue_length(*kind)),
    );
    lengths
}

/// The number of queued and running tasks for each run queue, those of the dirty schedulers last.
fn active_tasks(dirty_kinds: &[runtime::process::dirty::DirtyKind]) -> Vec<usize> {
    let mut tasks = schedulers::active_tasks();
    tasks.extend(
        dirty_kinds
            .iter()
            .map(|kind| runtime::mail::dirty::active_tasks(*kind)),
    );
    tasks
}
