//! `system_flag/2`: settings of the whole node.

use std::sync::atomic::{AtomicUsize, Ordering};

use layout::Term;
use term::{am, atom, build, list};

use ::trace::specification::CONTROL_WORD;
use runtime::code::bif::{BifResult, Failure, badarg, badarg_because, trap};
use runtime::effects::{exception, log, time_offset};
use runtime::exec::scheduler::binding;
use runtime::exec::scheduler::online::{self, Blocked, SchedulerKind};
use runtime::mail::{microstate, time, world};
use runtime::process::heap_limit::{DEFAULTS, HeapLimit, heap_words, virtual_heap_words};
use runtime::process::{Process, config, table};
use runtime::trace::sequence;

use super::sequences;

/// The longest stack trace; the value OTP documents.
const MAX_BACKTRACE_DEPTH: i64 = 64;
/// The most requests that `outstanding_system_requests_limit` may allow.
const MAX_OUTSTANDING_REQUESTS: i64 = (1 << 30) - 1;

/// What [`outstanding_requests_limit`] was set to; 0 if it was not.
static OUTSTANDING_REQUESTS: AtomicUsize = AtomicUsize::new(0);

/// `outstanding_system_requests_limit`: requests are not queued here, so the number has no effect.
pub(crate) fn outstanding_requests_limit() -> usize {
    let config = config::get();
    match OUTSTANDING_REQUESTS.load(Ordering::Relaxed) {
        0 => config
            .flags
            .outstanding_requests_limit
            .unwrap_or(2 * config.schedulers),
        limit => limit,
    }
}

/// `erlang:system_flag(Flag, Value)`: returns the value before.
pub(crate) fn system_flag_2(process: &mut Process, [name, value]: [Term; 2]) -> BifResult {
    let unknown = || badarg_because(am::BADOPT);
    if let Some([machine, item]) = name.as_tuple_of()
        && machine == atom::known("ferl")
        && item.is_atom()
    {
        return match atom::text(item) {
            "memory_keeper" => memory_keeper(value),
            "memory_first" => memory_first(process, value),
            "dashboard" => super::window::dashboard(process, value),
            "ready" => super::window::ready(value),
            _ => Err(unknown()),
        };
    }
    if !name.is_atom() {
        return Err(unknown());
    }
    match atom::text(name) {
        "backtrace_depth" => {
            let depth = natural(value)?.min(MAX_BACKTRACE_DEPTH) as usize;
            let before = exception::DEPTH.swap(depth, Ordering::Relaxed);
            Ok(Term::small(before as i64))
        }
        "fullsweep_after" => {
            let collections = natural(value)?.min(i64::from(u16::MAX)) as u32;
            let before = DEFAULTS
                .fullsweep_after
                .swap(collections, Ordering::Relaxed);
            Ok(Term::small(i64::from(before)))
        }
        "min_heap_size" => {
            let words = heap_words(value).ok_or(badarg(2))?;
            let before = DEFAULTS.min_heap_words.swap(words, Ordering::Relaxed);
            Ok(Term::small(i64::from(before)))
        }
        "min_bin_vheap_size" => {
            let words = virtual_heap_words(natural(value)? as u64);
            let before = DEFAULTS.min_binary_words.swap(words, Ordering::Relaxed);
            Ok(build::unsigned(process.heap(), before))
        }
        "max_heap_size" => max_heap_size(process, value),
        "schedulers_online" => schedulers_online(value),
        "dirty_cpu_schedulers_online" => {
            let most = online::online().min(config::get().dirty_cpu_schedulers);
            let count = between(value, 1, most as i64)?;
            Ok(Term::small(
                runtime::mail::dirty::set_cpu_online(count as usize) as i64,
            ))
        }
        "multi_scheduling" => multi_scheduling(process, name, value),
        "scheduler_bind_type" => {
            log::deprecated_flag(process, "scheduler_bind_type");
            bind_schedulers(value)
        }
        "cpu_topology" => {
            log::deprecated_flag(process, "cpu_topology");
            Err(trap(am::ERLANG, am::SET_CPU_TOPOLOGY, &[value]))
        }
        "internal_cpu_topology" => {
            let before = super::topology::used(process.heap());
            super::topology::define(value).ok_or(badarg(2))?;
            Ok(before)
        }
        "scheduler_wall_time" => match value {
            am::TRUE | am::FALSE => {
                let function = am::SYSTEM_FLAG_SCHEDULER_WALL_TIME;
                Err(trap(am::ERTS_INTERNAL, function, &[value]))
            }
            _ => Err(badarg(2)),
        },
        "microstate_accounting" => match value {
            am::TRUE | am::FALSE => Ok(am::boolean(microstate::turn(value == am::TRUE))),
            am::RESET => Ok(am::boolean(microstate::reset())),
            _ => Err(badarg(2)),
        },
        "debug_flags" => Ok(am::TRUE),
        "reset_seq_trace" => {
            sequence::set(process, None);
            world::stopped(sequence::forget_all);
            Ok(am::TRUE)
        }
        "sequential_tracer" => sequences::set_system_tracer(process, value),
        "trace_control_word" => {
            let word = between(value, 0, i64::from(u32::MAX))? as u32;
            let before = CONTROL_WORD.swap(word, Ordering::Relaxed);
            Ok(Term::small(i64::from(before)))
        }
        "time_offset" if value == atom::known("finalize") => {
            let before = time::finalize_offset();
            time_offset::follow_now();
            Ok(atom::known(before.name()))
        }
        "system_logger" => system_logger(value),
        "outstanding_system_requests_limit" => {
            let limit = between(value, 1, MAX_OUTSTANDING_REQUESTS)? as usize;
            let before = outstanding_requests_limit();
            OUTSTANDING_REQUESTS.store(limit, Ordering::Relaxed);
            Ok(Term::small(before as i64))
        }
        "scheduling_statistics" => match value {
            am::ENABLE | am::DISABLE | am::CLEAR => Ok(am::TRUE),
            _ => Err(badarg(2)),
        },
        // There are no such allocators whose parameters could be set.
        "erts_alloc" => Err(badarg(2)),
        _ => Err(unknown()),
    }
}

fn between(value: Term, least: i64, most: i64) -> Result<i64, Failure> {
    value
        .as_small()
        .filter(|value| (least..=most).contains(value))
        .ok_or(badarg(2))
}

fn natural(value: Term) -> Result<i64, Failure> {
    between(value, 0, i64::MAX)
}

fn max_heap_size(process: &mut Process, value: Term) -> BifResult {
    let limit = HeapLimit::parse(value).ok_or(badarg(2))?;
    let least = u64::from(DEFAULTS.min_heap_words.load(Ordering::Relaxed));
    if limit.words != 0 && limit.words < least {
        return Err(badarg(2));
    }
    let before = HeapLimit {
        words: DEFAULTS.max_heap_words.swap(limit.words, Ordering::Relaxed),
        kill: DEFAULTS.max_heap_kill.swap(limit.kill, Ordering::Relaxed),
        log: DEFAULTS.max_heap_log.swap(limit.log, Ordering::Relaxed),
        binaries: DEFAULTS
            .max_heap_binaries
            .swap(limit.binaries, Ordering::Relaxed),
    };
    DEFAULTS.max_heap_changed.store(true, Ordering::Release);
    Ok(before.to_map(process.heap()))
}

/// Changes the schedulers online, and the dirty CPU schedulers online in proportion.
fn schedulers_online(value: Term) -> BifResult {
    let config = config::get();
    let count = between(value, 1, config.schedulers as i64)? as usize;
    let before = online::set_online(count);
    let total_percent = config.dirty_cpu_schedulers * 100 / config.schedulers;
    let online_percent = count * total_percent / before;
    let dirty_count = runtime::mail::dirty::cpu_online() * online_percent / 100;
    runtime::mail::dirty::set_cpu_online(dirty_count.clamp(1, config.dirty_cpu_schedulers));
    Ok(Term::small(before as i64))
}

fn multi_scheduling(process: &mut Process, name: Term, value: Term) -> BifResult {
    let (kind, blocks) = match value {
        am::BLOCK => (SchedulerKind::All, true),
        am::BLOCK_NORMAL => (SchedulerKind::Normal, true),
        am::UNBLOCK => (SchedulerKind::All, false),
        am::UNBLOCK_NORMAL => (SchedulerKind::Normal, false),
        _ => return Err(badarg(2)),
    };
    if blocks {
        if !process
            .existing_extras()
            .is_some_and(|extras| extras.is_blocking)
        {
            online::block(process, kind);
            process.extras().is_blocking = true;
        }
        if !online::is_alone(kind) {
            let arguments = [name, value].into();
            return Err(Failure::Yield { arguments });
        }
        process.extras().is_blocking = false;
    } else {
        online::unblock(process, kind);
    }
    Ok(multi_scheduling_state())
}

/// `system_info(multi_scheduling)`
pub(crate) fn multi_scheduling_state() -> Term {
    match online::blocked() {
        Blocked::Nothing => am::ENABLED,
        Blocked::Normal => am::BLOCKED_NORMAL,
        Blocked::All => am::BLOCKED,
    }
}

/// Sets the process that the memory guard asks first, or `undefined`; returns the one before.
fn memory_keeper(value: Term) -> BifResult {
    let keeper = match value {
        am::UNDEFINED => None,
        pid if pid.is_local_pid() && table::exists(pid) => Some(pid),
        _ => return Err(badarg(2)),
    };
    let before = guard::keeper::set(keeper);
    Ok(before.unwrap_or(am::UNDEFINED))
}

/// Sets the processes that the memory guard ends before others; returns those before.
fn memory_first(process: &mut Process, value: Term) -> BifResult {
    let mut pids = Vec::new();
    for pid in list::items(value) {
        match pid {
            Ok(pid) if pid.is_local_pid() => pids.push(pid),
            _ => return Err(badarg(2)),
        }
    }
    let before = guard::keeper::set_first(pids);
    Ok(build::list(process.heap(), &before))
}

/// Changes how schedulers are bound to processors; returns how they were bound before. `badarg` if it is not known how
/// the processors are arranged.
fn bind_schedulers(how: Term) -> BifResult {
    let position = how
        .is_atom()
        .then(|| binding::named(atom::text(how)))
        .flatten()
        .ok_or(badarg(2))?;
    let before = binding::bind(position).ok_or(badarg(2))?;
    Ok(atom::known(before))
}

/// Sets who receives the VM's log events: the process registered as `logger`, another one, or nobody.
fn system_logger(value: Term) -> BifResult {
    let receiver = match value {
        am::LOGGER => log::Receiver::Logger,
        am::UNDEFINED => log::Receiver::Nobody,
        _ if value.is_local_pid() => log::Receiver::Process(value),
        _ => return Err(badarg(2)),
    };
    Ok(log::set_receiver(receiver).term())
}
