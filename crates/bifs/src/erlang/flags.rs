//! `process_flag`.

use layout::Term;
use layout::limits::REDUCTIONS_PER_SLICE;
use term::copy::Owned;
use term::{am, atom, build, map};

use distribution::monitor_nodes;
use runtime::code::bif::{BifResult, Failure, badarg, badarg_because};
use runtime::effects::signal_handling;
use runtime::exec::spawn::options::is_off_heap;
use runtime::mail::{awaited, bound, current, signal};
use runtime::process::extras::MemoryWorth;
use runtime::process::heap_limit::{HeapLimit, binary_words, heap_words, min_binary_words, size};
use runtime::process::{Flags, Priority, Process, table};
use runtime::trace::saved_calls::{self, Saved};

/// The longest list of `save_calls`; the value OTP documents.
const MAX_SAVED_CALLS: u64 = 10_000;

/// `process_flag(Flag, Value)`: returns the value before.
pub(crate) fn process_flag_2(process: &mut Process, [name, value]: [Term; 2]) -> BifResult {
    if let Some([am::MONITOR_NODES, options]) = name.as_tuple_of() {
        return monitor_nodes(process, value, options).ok_or_else(|| badarg(2));
    }
    if let Some([machine, item]) = name.as_tuple_of() {
        return match machine == atom::known("ferl") && item == atom::known("memory_worth") {
            true => memory_worth(process, value).ok_or_else(|| badarg(2)),
            false => Err(badarg_because(am::BADOPT)),
        };
    }
    if name == am::SAVE_CALLS {
        let saved = saved(value).ok_or_else(|| badarg_because(am::NONE))?;
        return Ok(length(saved_calls::set(process, saved)));
    }
    let before = match name {
        am::ERROR_HANDLER => error_handler(process, value),
        am::PRIORITY => priority(process, value),
        am::TRAP_EXIT => {
            // Exit signals that have arrived are judged by the flag as it was.
            signal_handling::catch_up(process);
            if process.flags.contains(Flags::EXIT_PENDING) {
                return Err(Failure::Exit);
            }
            flag_bit(process, Flags::TRAP_EXIT, value)
        }
        am::SCHEDULER => return bind(process, value),
        am::FULLSWEEP_AFTER => fullsweep_after(process, value),
        am::MIN_HEAP_SIZE => min_heap_size(process, value),
        am::MIN_BIN_VHEAP_SIZE => min_binary_size(process, value),
        am::MAX_HEAP_SIZE => max_heap_size(process, value),
        am::MESSAGE_QUEUE_DATA => message_queue_data(process, value),
        am::SENSITIVE => {
            // Gives up the rest of the slice, so that the flag takes effect at once.
            current::charge(REDUCTIONS_PER_SLICE);
            am::to_boolean(value).map(|on| {
                let before = process.is_sensitive();
                process.set_sensitive(on);
                am::boolean(before)
            })
        }
        am::MONITOR_NODES => monitor_nodes(process, value, Term::NIL),
        am::ASYNC_DIST => am::to_boolean(value).map(|on| {
            let before = process.is_async_dist();
            process.extras().async_dist = Some(on);
            am::boolean(before)
        }),
        _ => return Err(badarg_because(am::BADOPT)),
    };
    before.ok_or_else(|| badarg(2))
}

/// How many times as large as others the process may be before the memory guard ends it in their stead.
fn memory_worth(process: &mut Process, value: Term) -> Option<Term> {
    let worth = MemoryWorth::new(value.as_small()?)?;
    let before = std::mem::replace(&mut process.extras().memory_worth, worth);
    Some(Term::small(u64::from(before) as i64))
}

fn error_handler(process: &mut Process, module: Term) -> Option<Term> {
    if !module.is_atom() {
        return None;
    }
    let place = &mut process.extras().error_handler;
    let before = std::mem::replace(place, Some(module).filter(|m| *m != am::ERROR_HANDLER));
    Some(before.unwrap_or(am::ERROR_HANDLER))
}

fn priority(process: &mut Process, value: Term) -> Option<Term> {
    let priority = Priority::from_atom(value)?;
    let before = process.priority().to_atom();
    process.set_priority(priority);
    Some(before)
}

fn flag_bit(process: &mut Process, flag: Flags, value: Term) -> Option<Term> {
    let wanted = am::to_boolean(value)?;
    let before = am::boolean(process.flags.contains(flag));
    process.flags.set(flag, wanted);
    Some(before)
}

/// Binds the process to a scheduler, and continues there.
fn bind(process: &mut Process, value: Term) -> BifResult {
    let number = bound::number_of(value).ok_or_else(|| badarg(2))?;
    let arrived = |process: &mut Process| process.existing_extras_mut()?.was_bound_to.take();
    let before = match arrived(process) {
        Some(before) => before,
        None => {
            let before = process.bound_to();
            process.bind_to(number);
            if number != 0 && usize::from(number) != current::current_number() {
                process.extras().was_bound_to = Some(before);
                let arguments = [am::SCHEDULER, value].into();
                return Err(Failure::Yield { arguments });
            }
            before
        }
    };
    Ok(Term::small(before.into()))
}

fn fullsweep_after(process: &mut Process, value: Term) -> Option<Term> {
    let collections = u16::try_from(size(value)?).unwrap_or(u16::MAX);
    let heap = process.heap();
    let before = std::mem::replace(&mut heap.fullsweep_after, collections);
    Some(Term::small(i64::from(before)))
}

fn min_heap_size(process: &mut Process, value: Term) -> Option<Term> {
    let words = heap_words(value)?;
    let before = std::mem::replace(&mut process.heap().min_words, words);
    Some(Term::small(i64::from(before)))
}

fn min_binary_size(process: &mut Process, value: Term) -> Option<Term> {
    let words = binary_words(value)?;
    let before = min_binary_words(process);
    process.extras().heap_options.min_binary_words = Some(words);
    let heap = process.heap();
    heap.off_heap_limit_words = heap
        .off_heap_limit_words
        .max(u32::try_from(words).unwrap_or(u32::MAX));
    Some(build::unsigned(heap, before))
}

fn max_heap_size(process: &mut Process, value: Term) -> Option<Term> {
    let limit = HeapLimit::parse(value)?;
    if limit.words != 0 && limit.words < u64::from(process.head.heap.min_words) {
        return None;
    }
    let before = HeapLimit::of(process);
    let options = &mut process.extras().heap_options;
    options.max_heap_words = Some(limit.words);
    options.max_heap_kill = Some(limit.kill);
    options.max_heap_log = Some(limit.log);
    options.max_heap_binaries = Some(limit.binaries);
    Some(before.to_map(process.heap()))
}

fn message_queue_data(process: &mut Process, value: Term) -> Option<Term> {
    let off_heap = is_off_heap(value)?;
    let before = flag_bit(process, Flags::OFF_HEAP_MESSAGES, am::boolean(off_heap))?;
    Some(if before == am::TRUE {
        am::OFF_HEAP
    } else {
        am::ON_HEAP
    })
}

/// Called by `net_kernel` for `monitor_nodes/2`: returns how often the caller had subscribed with the same options. The
/// count is kept for each set of options.
fn monitor_nodes(process: &mut Process, on: Term, options: Term) -> Option<Term> {
    let on = am::to_boolean(on)?;
    let key = node_monitor_key(options)?;
    let before = match on {
        true => monitor_nodes::subscribe(process.pid(), key),
        false => monitor_nodes::unsubscribe(process.pid(), key),
    };
    Some(Term::small(i64::from(before)))
}

/// Options of `monitor_nodes` as bits.
fn node_monitor_key(options: Term) -> Option<u8> {
    use monitor_nodes::option::{CONNECTION_ID, HIDDEN, INFO_MAP, REASON, VISIBLE};
    if options.is_nil() {
        return Some(0);
    }
    let mut known = 0;
    let mut key = INFO_MAP;
    let mut value_of = |name: Term| {
        let value = map::get(options, name);
        known += usize::from(value.is_some());
        value
    };
    let list = value_of(am::LIST);
    let connection_id = value_of(am::CONNECTION_ID);
    let node_type = value_of(am::NODE_TYPE);
    let reason = value_of(am::NODEDOWN_REASON);
    if known != options.map_size()? {
        return None;
    }
    match list {
        None => {}
        Some(am::TRUE) => key &= !INFO_MAP,
        Some(_) => return None,
    }
    for (value, bit) in [(connection_id, CONNECTION_ID), (reason, REASON)] {
        if let Some(value) = value
            && am::to_boolean(value)?
        {
            key |= bit;
        }
    }
    key |= match node_type {
        None => 0,
        Some(am::VISIBLE) => VISIBLE,
        Some(am::HIDDEN) => HIDDEN,
        Some(am::ALL) => VISIBLE | HIDDEN,
        Some(_) => return None,
    };
    Some(key)
}

/// What saves as many calls as `save_calls` was set to; `None` if it cannot have this value.
fn saved(value: Term) -> Option<Option<Box<Saved>>> {
    let length = size(value).filter(|length| *length <= MAX_SAVED_CALLS)?;
    Some(Saved::new(usize::try_from(length).ok()?))
}

fn length(length: usize) -> Term {
    Term::small(length as i64)
}

/// `erts_internal:process_flag(Pid, Flag, Value)`: returns the value before, `badarg`, `badtype`, or a reference. With
/// a reference, one of these arrives later in a message.
pub(crate) fn process_flag_3(process: &mut Process, [pid, name, value]: [Term; 3]) -> BifResult {
    // Only this flag of another process can be set.
    let wanted = (name == am::SAVE_CALLS).then_some(value).and_then(saved);
    if pid == process.pid() {
        return Ok(match wanted {
            Some(saved) => length(saved_calls::set(process, saved)),
            None => am::BADARG,
        });
    }
    if !pid.is_local_pid() || !table::exists(pid) {
        return Ok(am::BADTYPE);
    }
    let asker = process.pid();
    let reference = signal_handling::reference_of_answer(process);
    let own_reference = Owned::new(reference);
    let change = move |other: Option<&mut Process>| {
        let result = match (other, wanted) {
            (None, _) => am::BADTYPE,
            (Some(_), None) => am::BADARG,
            (Some(other), Some(saved)) => length(saved_calls::set(other, saved)),
        };
        signal::reply(pid, asker, &own_reference, result);
    };
    awaited::ask(pid, None, Box::new(change));
    Ok(reference)
}
