//! System tasks that one process requests of another: collecting its heap, or checking it for old code; and the same
//! for the caller itself.

use std::sync::atomic::Ordering;

use layout::heap::flag as heap_flag;
use layout::{ObjectKind, Term, no_gc};
use term::copy::Owned;
use term::{am, atom, build, node};

use runtime::code::bif::{BifResult, badarg, notsup};
use runtime::code::purge;
use runtime::effects::collection::{self, dirty_collection};
use runtime::mail::signal;
use runtime::process::{Flags, Priority, Process, priority_of, state, table};

/// `garbage_collect(major | minor)`, for the caller. The engine collects after this has returned, when it knows which
/// terms are live.
pub(crate) fn garbage_collect_1(process: &mut Process, [kind]: [Term; 1]) -> BifResult {
    let heap = process.heap();
    match kind {
        am::MAJOR => heap.flags |= heap_flag::NEED_FULLSWEEP | heap_flag::FORCE,
        am::MINOR => heap.flags |= heap_flag::FORCE,
        _ => return Err(badarg(1)),
    }
    Ok(am::TRUE)
}

/// `check_process_code(Module)`, for the caller.
pub(crate) fn check_process_code_1(process: &mut Process, [module]: [Term; 1]) -> BifResult {
    if !module.is_atom() {
        return Err(badarg(1));
    }
    Ok(am::boolean(purge::uses_old_code(process, module)))
}

/// `request_system_task(Pid, Priority, Request)`: the result comes as a message `{Kind, Id, Result}`.
pub(crate) fn request_system_task_3(
    process: &mut Process,
    [pid, priority, request]: [Term; 3],
) -> BifResult {
    ask(process, process.pid(), pid, priority, request)
}

/// `request_system_task(Requester, Pid, Priority, Request)`.
pub(crate) fn request_system_task_4(
    process: &mut Process,
    [requester, pid, priority, request]: [Term; 4],
) -> BifResult {
    if !requester.is_local_pid() {
        return Err(badarg(1));
    }
    ask(process, requester, pid, priority, request)
}

fn ask(process: &Process, requester: Term, pid: Term, priority: Term, request: Term) -> BifResult {
    let is_of_this_node =
        |pid: Term| pid.is_kind(ObjectKind::ExternalPid) && node::of(pid).name == node::own_name();
    if !pid.is_local_pid() && !is_of_this_node(pid) {
        return Err(badarg(1));
    }
    let priority = match priority {
        am::INHERIT => priority_of(process.state.load(Ordering::Relaxed)),
        _ => Priority::from_atom(priority).ok_or(badarg(2))?,
    };
    let (kind, id, takes_long, body) = match request.as_tuple(no_gc!()) {
        Some(&[am::GARBAGE_COLLECT, id, extent]) => {
            let (major, takes_long): (_, TakesLong) = match extent {
                am::MAJOR => (true, |process| {
                    !sleeps(process) && dirty_collection::is_wanted_for_all(process)
                }),
                am::MINOR => (false, |process| {
                    !sleeps(process) && dirty_collection::is_wanted(process)
                }),
                _ => return Err(badarg(3)),
            };
            let body: Body = Box::new(move |process| collect(process, major));
            (am::GARBAGE_COLLECT, id, takes_long, body)
        }
        Some(&[am::CHECK_PROCESS_CODE, id, module]) if module.is_atom() => {
            let body: Body =
                Box::new(move |process| am::boolean(purge::uses_old_code(process, module)));
            let takes_long: TakesLong = |_| false;
            (am::CHECK_PROCESS_CODE, id, takes_long, body)
        }
        // OTP's own test suites look by this when tasks are done.
        Some(&[kind, id]) if kind == atom::known("system_task_test") => {
            let body: Body = Box::new(|_| am::TRUE);
            let takes_long: TakesLong = |_| false;
            (kind, id, takes_long, body)
        }
        _ => return Err(badarg(3)),
    };
    let id = Owned::new(id);
    let task = Box::new(move |process: Option<&mut Process>| {
        let result = process.map_or(am::FALSE, body);
        let mut scratch = term::heap::Scratch::new();
        let answer = build::tuple(scratch.heap(), &[kind, id.term(), result]);
        signal::send_message(pid, requester, answer);
    });
    match kind {
        am::CHECK_PROCESS_CODE => runtime::mail::tasks::request_to_look(pid, priority, task),
        _ => runtime::mail::tasks::request(pid, priority, takes_long, task),
    }
    Ok(am::OK)
}

type Body = Box<dyn FnOnce(&mut Process) -> Term + Send>;
type TakesLong = fn(&Process) -> bool;

/// Whether the process hibernates: then its heap holds only live terms.
fn sleeps(process: &Process) -> bool {
    process.flags.contains(Flags::HIBERNATED)
}

fn collect(process: &mut Process, major: bool) -> Term {
    if sleeps(process) {
        return am::TRUE;
    }
    // SAFETY: between two slices the registers are saved on the stack, so there are no other roots.
    unsafe {
        match major {
            true => collection::collect_all(process, &mut []),
            false => collection::collect(process, &mut [], 0),
        }
    }
    am::TRUE
}

/// `is_system_process(Pid)`.
pub(crate) fn is_system_process_1(_process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    if !pid.is_local_pid() {
        let is_pid = pid.is_kind(ObjectKind::ExternalPid);
        return if is_pid {
            Ok(am::FALSE)
        } else {
            Err(badarg(1))
        };
    }
    let word = table::state_of(pid).unwrap_or(0);
    Ok(am::boolean(word & state::SYSTEM != 0))
}

/// `is_process_executing_dirty(Pid)`: whether it is running on a dirty scheduler.
pub(crate) fn is_process_executing_dirty_1(_process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    if !pid.is_pid() {
        return Err(badarg(1));
    }
    let word = table::state_of(pid).unwrap_or(0);
    let runs_dirty = state::RUNNING | state::DIRTY;
    Ok(am::boolean(word & runs_dirty == runs_dirty))
}

/// `dirty_process_handle_signals(Pid)`, called by the system processes that handle signals for processes on dirty
/// schedulers. Here no process needs that, as each handles its own signals: the result is `normal`, or `noproc` if it
/// is gone.
pub(crate) fn dirty_process_handle_signals_1(process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    if !process.flags.contains(Flags::SYSTEM) {
        return Err(notsup());
    }
    if !pid.is_local_pid() {
        return Ok(am::FALSE);
    }
    Ok(if !table::exists(pid) {
        am::NOPROC
    } else {
        am::NORMAL
    })
}

/// `check_dirty_process_code(Pid, Module)`: `normal`, because no Erlang code runs on a dirty scheduler.
pub(crate) fn check_dirty_process_code_2(
    process: &mut Process,
    [pid, module]: [Term; 2],
) -> BifResult {
    if !process.flags.contains(Flags::SYSTEM) {
        return Err(notsup());
    }
    if !pid.is_local_pid() {
        return Err(badarg(1));
    }
    if !module.is_atom() {
        return Err(badarg(2));
    }
    Ok(if !table::exists(pid) {
        am::FALSE
    } else {
        am::NORMAL
    })
}
