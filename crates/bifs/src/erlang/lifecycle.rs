//! The calling process, and processes in general: `self`, `processes`, hibernation, suspending, group leaders.

use layout::{ObjectKind, Term};
use term::copy::Owned;
use term::{am, build, list, node, reference};

use super::sending;
use distribution::signals;
use runtime::code::bif::{BifResult, Failure, await_result, badarg, dirty_unless, system_limit};
use runtime::code::exports;
use runtime::effects::apply::MOST_APPLIED;
use runtime::effects::signal_handling;
use runtime::mail::{awaited, current, signal};
use runtime::process::peer::Peer;
use runtime::process::suspend::Suspending;
use runtime::process::{Flags, Process, epoch, state, table};

/// `self()`.
pub(crate) fn self_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(process.pid())
}

/// `group_leader()`.
pub(crate) fn group_leader_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(process.group_leader)
}

/// At least this many processes take milliseconds to list, so a dirty scheduler does it.
const MANY_PROCESSES: usize = 1 << 16;

/// `processes()`.
pub(crate) fn processes_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    dirty_unless(table::count() < MANY_PROCESSES)?;
    let (pids, _) = table::list(0, usize::MAX);
    current::charge(pids.len() as i64 / 10);
    Ok(build::list(process.heap(), &pids))
}

/// `yield()`: gives up the rest of the slice. OTP's loader replaces calls with an instruction; the function in `erlang`
/// would call itself forever.
pub(crate) fn yield_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    if process.flags.contains(Flags::BIF_YIELDED) {
        // Entered again in the next slice.
        process.flags.remove(Flags::BIF_YIELDED);
        // On stock this is an instruction, not a call: it costs no reduction.
        current::charge(-1);
        return Ok(am::TRUE);
    }
    process.flags.insert(Flags::BIF_YIELDED);
    let arguments = Box::default();
    Err(Failure::Yield { arguments })
}

/// Pids that `processes_next/1` returns at once.
const PIDS_AT_ONCE: usize = 1_000;

/// `erts_internal:processes_next(Place)`: `{NextPlace, Pids}` of the processes from that place of the table on, or
/// `none`.
pub(crate) fn processes_next_1(process: &mut Process, [place]: [Term; 1]) -> BifResult {
    let end = u32::try_from(table::limit()).unwrap_or(u32::MAX);
    let place = place.as_small().and_then(|place| u32::try_from(place).ok());
    let from = place
        .filter(|place| *place <= end)
        .ok_or_else(|| badarg(1))?;
    let (pids, next) = table::list(from, PIDS_AT_ONCE);
    current::charge(PIDS_AT_ONCE as i64 / 10);
    if pids.is_empty() && next.is_none() {
        return Ok(am::NONE);
    }
    let heap = process.heap();
    let pids = build::list(heap, &pids);
    let next = Term::small(next.unwrap_or(end).into());
    Ok(build::tuple(heap, &[next, pids]))
}

/// `bump_reductions(Reductions)`.
pub(crate) fn bump_reductions_1(_process: &mut Process, [reductions]: [Term; 1]) -> BifResult {
    let reductions = reductions
        .as_small()
        .filter(|reductions| *reductions >= 0)
        .ok_or_else(|| badarg(1))?;
    // No more than what is left of the slice can be used up in it.
    current::charge(reductions.min(current::reductions_left().max(0)));
    Ok(am::TRUE)
}

/// `is_process_alive(Pid)`. Signals that the caller has sent to the process take effect first.
pub(crate) fn is_process_alive_1(process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    if pid == process.pid() {
        return Ok(am::TRUE);
    }
    if !pid.is_local_pid() {
        let of_this_node =
            pid.is_kind(ObjectKind::ExternalPid) && node::of(pid).name == node::own_name();
        return if of_this_node {
            Ok(am::FALSE)
        } else {
            Err(badarg(1))
        };
    }
    match epoch::with_pin(|pinned| table::find(pinned, pid).map(has_nothing_to_handle)) {
        None => return Ok(am::FALSE),
        Some(true) => return Ok(am::TRUE),
        Some(false) => {}
    }
    let reference = signal_handling::reference_of_answer(process);
    ask_alive(process, pid, reference);
    Err(await_result(reference))
}

/// Whether a process is idle and has handled every signal: then it is alive, and stays so until another signal comes.
fn has_nothing_to_handle(process: Peer<'_>) -> bool {
    let busy = state::QUEUED | state::RUNNING | state::EVENT | state::SIGNALS | state::EXITING;
    !process.has_signals() && process.state() & busy == 0
}

fn ask_alive(process: &Process, pid: Term, reference: Term) {
    let (asker, reference) = (process.pid(), Owned::new(reference));
    let answer = move |other: Option<&mut Process>| {
        signal::reply(pid, asker, &reference, am::boolean(other.is_some()));
    };
    awaited::ask(pid, None, Box::new(answer));
}

/// `erts_internal:is_process_alive(Pid, Reference)`: `{Reference, boolean()}` is sent to the caller.
pub(crate) fn is_process_alive_2(process: &mut Process, [pid, reference]: [Term; 2]) -> BifResult {
    if !pid.is_local_pid() {
        return Err(badarg(1));
    }
    if reference::number(reference).is_none() {
        return Err(badarg(2));
    }
    ask_alive(process, pid, reference);
    Ok(am::OK)
}

/// `hibernate(Module, Function, Args)`: discards the stack and waits until a message comes.
pub(crate) fn hibernate_3(
    process: &mut Process,
    [module, function, arguments]: [Term; 3],
) -> BifResult {
    let arity = list::length(arguments).ok_or(badarg(3))?;
    if !module.is_atom() || !function.is_atom() {
        return Err(badarg(1));
    }
    if arity > MOST_APPLIED {
        return Err(system_limit());
    }
    // The stack is discarded, and its exception handlers with it.
    process.head.catches = 0;
    Err(Failure::Hibernate {
        target: exports::get(am::ERLANG, am::APPLY, 3),
        arguments: [module, function, arguments].into(),
    })
}

/// `hibernate()`: waits until a message comes, and keeps the stack. As with `yield/0`, the function in `erlang` would
/// call itself forever.
pub(crate) fn hibernate_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    signal_handling::catch_up(process);
    if !process.head.messages.first.is_null() {
        return Ok(am::OK);
    }
    process.flags.insert(Flags::HIBERNATED);
    let arguments = Box::default();
    Err(Failure::Wait { arguments })
}

/// `erts_internal:suspend_process(Pid, Options)`: returns `true`, `false` (the caller had already suspended it, and
/// gave `unless_suspending`), `badarg`, `badopt`, or a reference. With a reference, one of these arrives later in a
/// message.
pub(crate) fn suspend_process_2(process: &mut Process, [pid, options]: [Term; 2]) -> BifResult {
    if !pid.is_local_pid() || pid == process.pid() {
        return Ok(am::BADARG);
    }
    let Some(options) = SuspendOptions::parse(options) else {
        return Ok(am::BADOPT);
    };
    let held = process
        .existing_extras()
        .and_then(|extras| extras.suspending.get(&pid.bits()).cloned())
        .unwrap_or_default();
    let is_first = held.count == 0;
    let exists = table::exists(pid);
    let result = am::boolean(is_first || !options.unless_suspending);
    if exists && (is_first || !options.unless_suspending) {
        let more = held.with_count(held.count + 1);
        process.extras().suspending.insert(pid.bits(), more);
    } else if !exists {
        process.extras().suspending.remove(&pid.bits());
    }
    let asker = process.pid();
    if options.asynchronous {
        let tag = options.tag.map(Owned::new);
        let done = move |alive: bool| {
            if let Some(tag) = tag {
                signal::reply(
                    pid,
                    asker,
                    &tag,
                    if alive { am::SUSPENDED } else { am::EXITED },
                );
            }
        };
        ask_suspend(pid, &held, done);
        return Ok(result);
    }
    if !exists {
        return Ok(am::BADARG);
    }
    let reference = signal_handling::reference_of_answer(process);
    let own_reference = Owned::new(reference);
    let done = move |alive: bool| {
        signal::reply(
            pid,
            asker,
            &own_reference,
            if alive { result } else { am::BADARG },
        );
    };
    ask_suspend(pid, &held, done);
    Ok(reference)
}

/// `held` is what the caller has suspended before.
fn ask_suspend(pid: Term, held: &Suspending, done: impl FnOnce(bool) + Send + 'static) {
    if held.count == 0 {
        runtime::mail::suspend::suspend(pid, held, done);
    } else {
        runtime::mail::suspend::confirm(pid, done);
    }
}

struct SuspendOptions {
    unless_suspending: bool,
    asynchronous: bool,
    tag: Option<Term>,
}

impl SuspendOptions {
    fn parse(list: Term) -> Option<SuspendOptions> {
        let mut options = SuspendOptions {
            unless_suspending: false,
            asynchronous: false,
            tag: None,
        };
        for option in list::items(list) {
            let option = option.ok()?;
            match option {
                am::UNLESS_SUSPENDING => options.unless_suspending = true,
                am::ASYNCHRONOUS => options.asynchronous = true,
                _ => match option.as_tuple_of() {
                    Some([am::ASYNCHRONOUS, tag]) => {
                        options.asynchronous = true;
                        options.tag = Some(tag);
                    }
                    _ => return None,
                },
            }
        }
        Some(options)
    }
}

/// `resume_process(Pid)`: undoes one `suspend_process` call of the caller.
pub(crate) fn resume_process_1(process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    if !pid.is_local_pid() {
        return Err(badarg(1));
    }
    let Some(extras) = process.existing_extras_mut() else {
        return Err(badarg(1));
    };
    let held = extras.suspending.remove(&pid.bits()).unwrap_or_default();
    if held.count == 0 || !table::exists(pid) {
        return Err(badarg(1));
    }
    if held.count > 1 {
        let less = held.with_count(held.count - 1);
        extras.suspending.insert(pid.bits(), less);
    } else {
        runtime::mail::suspend::resume_from(pid.bits());
    }
    Ok(am::TRUE)
}

/// `erts_internal:group_leader(Leader, Pid)`: returns `true`, `badarg`, or `false` if the process itself must be asked.
pub(crate) fn group_leader_2(process: &mut Process, [leader, pid]: [Term; 2]) -> BifResult {
    if !leader.is_pid() {
        return Ok(am::BADARG);
    }
    if pid == process.pid() {
        process.group_leader = leader;
        return Ok(am::TRUE);
    }
    if pid.is_local_pid() {
        let exists = table::exists(pid);
        return Ok(if exists { am::FALSE } else { am::BADARG });
    }
    if pid.is_kind(ObjectKind::ExternalPid) {
        if node::of(pid).name == node::own_name() {
            return Err(badarg(2));
        }
        let sent = signals::group_leader(process, leader, pid);
        return sending::after(process, sent, am::TRUE);
    }
    Ok(am::BADARG)
}

/// `erts_internal:group_leader(Leader, Pid, Reference)`: `{Reference, true | badarg}` is sent to the caller.
pub(crate) fn group_leader_3(
    process: &mut Process,
    [leader, pid, reference]: [Term; 3],
) -> BifResult {
    if !leader.is_pid() {
        return Err(badarg(1));
    }
    if !pid.is_local_pid() {
        return Err(badarg(2));
    }
    if reference::number(reference).is_none() {
        return Err(badarg(3));
    }
    let (asker, leader) = (process.pid(), Owned::new(leader));
    let reference = Owned::new(reference);
    let change = move |other: Option<&mut Process>| {
        let result = match other {
            Some(other) => {
                other.group_leader = term::copy::copy(other.heap(), leader.term());
                am::TRUE
            }
            None => am::BADARG,
        };
        signal::reply(pid, asker, &reference, result);
    };
    awaited::ask(pid, None, Box::new(change));
    Ok(am::OK)
}
