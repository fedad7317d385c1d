//! `statistics/1` and `system_flag/2`.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use layout::{Heap, Term};
use term::{am, atom, build};

use crate::bif::{BifResult, badarg, badarg_because, notsup};
use crate::process::Process;
use crate::process::spawn::DEFAULTS;
use crate::scheduler::{binding, dirty};
use crate::{exception, node, scheduler, time};

/// What the last call of `statistics(runtime)`, `(wall_clock)` and `(reductions)` answered.
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
    let schedulers = &scheduler::schedulers().all;
    schedulers
        .iter()
        .map(|shared| shared.counts.reductions())
        .sum()
}

/// `erlang:statistics(Item)`
pub fn statistics_1(process: &mut Process, [item]: [Term; 1]) -> BifResult {
    if !item.is_atom() {
        return Err(badarg(1));
    }
    let running = process.reductions_now() - process.reductions;
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
            let schedulers = &scheduler::schedulers().all;
            let switches: u64 = schedulers
                .iter()
                .map(|shared| shared.counts.switches())
                .sum();
            let switches = build::unsigned(heap, switches);
            build::tuple(heap, &[switches, Term::small(0)])
        }
        "garbage_collection" => {
            let (collections, words) = crate::collector::statistics();
            let (collections, words) = (
                build::unsigned(heap, collections),
                build::unsigned(heap, words),
            );
            build::tuple(heap, &[collections, words, Term::small(0)])
        }
        "io" => {
            let (input, output) = crate::port::bytes();
            let (input, output) = (build::unsigned(heap, input), build::unsigned(heap, output));
            let input = build::tuple(heap, &[atom::known("input"), input]);
            let output = build::tuple(heap, &[atom::known("output"), output]);
            build::tuple(heap, &[input, output])
        }
        "run_queue" => small(queue_lengths(Dirty::Cpu).iter().sum()),
        "total_run_queue_lengths" => small(queue_lengths(Dirty::Cpu).iter().sum()),
        "total_run_queue_lengths_all" => small(queue_lengths(Dirty::All).iter().sum()),
        "run_queue_lengths" | "active_tasks" => {
            let lengths = queue_lengths(Dirty::Cpu).into_iter().map(small);
            build::list(heap, &lengths.collect::<Vec<Term>>())
        }
        "run_queue_lengths_all" | "active_tasks_all" => {
            let lengths = queue_lengths(Dirty::All).into_iter().map(small);
            build::list(heap, &lengths.collect::<Vec<Term>>())
        }
        "total_active_tasks" => small(queue_lengths(Dirty::Cpu).iter().sum::<usize>() + 1),
        "total_active_tasks_all" => small(queue_lengths(Dirty::All).iter().sum::<usize>() + 1),
        "scheduler_wall_time" | "scheduler_wall_time_all" => {
            match scheduler::idle::wall_times_ns() {
                None => am::UNDEFINED,
                Some(times) => {
                    let times: Vec<Term> = times
                        .into_iter()
                        .enumerate()
                        .map(|(index, (awake_ns, total_ns))| {
                            let number = Term::small(index as i64 + 1);
                            let awake = build::integer(heap, awake_ns);
                            let total = build::integer(heap, total_ns);
                            build::tuple(heap, &[number, awake, total])
                        })
                        .collect();
                    build::list(heap, &times)
                }
            }
        }
        "microstate_accounting" => am::UNDEFINED,
        _ => return Err(badarg(1)),
    })
}

/// `erlang:system_flag(Flag, Value)`
pub fn system_flag_2(_process: &mut Process, [flag, value]: [Term; 2]) -> BifResult {
    if !flag.is_atom() {
        return Err(badarg_because(am::BADOPT));
    }
    let number = |least: i64, most: i64| {
        value
            .as_small()
            .filter(|value| (least..=most).contains(value))
            .ok_or(badarg(2))
    };
    match atom::text(flag) {
        "backtrace_depth" => {
            let depth = number(0, 1 << 20)? as usize;
            let before = exception::DEPTH.swap(depth, Ordering::Relaxed);
            Ok(Term::small(before as i64))
        }
        "fullsweep_after" => {
            let before = DEFAULTS.fullsweep_after.swap(
                number(0, i64::from(u32::MAX))?.min(65_535) as u32,
                Ordering::Relaxed,
            );
            Ok(Term::small(i64::from(before)))
        }
        "min_heap_size" => {
            let before = DEFAULTS
                .min_heap_words
                .swap(number(0, i64::from(u32::MAX))? as u32, Ordering::Relaxed);
            Ok(Term::small(i64::from(before)))
        }
        "min_bin_vheap_size" => {
            let before = DEFAULTS
                .min_binary_words
                .swap(number(0, 1 << 58)? as u64, Ordering::Relaxed);
            Ok(Term::small(before as i64))
        }
        "max_heap_size" => {
            let before = DEFAULTS
                .max_heap_words
                .swap(number(0, 1 << 58)? as u64, Ordering::Relaxed);
            Ok(Term::small(before as i64))
        }
        "schedulers_online" => {
            let online = number(1, node::config().schedulers as i64)? as usize;
            let before = scheduler::schedulers()
                .online
                .swap(online, Ordering::SeqCst);
            scheduler::wake_all();
            Ok(Term::small(before as i64))
        }
        "dirty_cpu_schedulers_online" => {
            number(1, node::config().dirty_cpu_schedulers as i64)?;
            Ok(Term::small(
                node::config().dirty_cpu_schedulers_online as i64,
            ))
        }
        "scheduler_wall_time" => Ok(am::FALSE),
        "reset_seq_trace" => match value {
            am::TRUE => Ok(am::TRUE),
            _ => Err(badarg(2)),
        },
        "sequential_tracer" => match value {
            am::FALSE => Ok(am::FALSE),
            _ => Err(notsup()),
        },
        "trace_control_word" => Ok(Term::small(0)),
        "time_offset" => Ok(atom::known("final")),
        "multi_scheduling" => Ok(atom::known("enabled")),
        "scheduler_bind_type" => bind_schedulers(value),
        "cpu_topology" => Ok(am::UNDEFINED),
        "system_logger" => Ok(crate::registry::whereis(am::LOGGER).unwrap_or(am::UNDEFINED)),
        _ => Err(badarg_because(am::BADOPT)),
    }
}

/// Binds the schedulers anew; the answer is how they were bound.
fn bind_schedulers(how: Term) -> BifResult {
    let position = how
        .is_atom()
        .then(|| binding::named(atom::text(how)))
        .flatten()
        .ok_or(badarg(2))?;
    let before = binding::bind(position).ok_or(notsup())?;
    Ok(atom::known(before))
}

/// Which dirty run queues count.
enum Dirty {
    Cpu,
    All,
}

/// The lengths of the run queues, those of the dirty schedulers last.
fn queue_lengths(which: Dirty) -> Vec<usize> {
    let mut lengths = scheduler::run_queue_lengths();
    lengths.push(dirty::queue_length(dirty::Kind::Cpu));
    if let Dirty::All = which {
        lengths.push(dirty::queue_length(dirty::Kind::Io));
    }
    lengths
}
