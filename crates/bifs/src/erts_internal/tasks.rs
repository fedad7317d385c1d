//! System tasks that one process asks of another: collecting its heap, looking for old code in it;
//! and the same done to oneself.

use std::sync::atomic::Ordering;

use layout::heap::flag as heap_flag;
use layout::{Kind, Term};
use term::copy::Owned;
use term::{am, build, node};

use runtime::bif::{BifResult, badarg, notsup};
use runtime::code::purge;
use runtime::collector::{self, elsewhere};
use runtime::process::{Priority, Process, flag, state, table, tasks};
use runtime::signal;

/// `garbage_collect(major | minor)`, of the caller. The engine collects when this has answered, for
/// then it knows what lives.
pub fn garbage_collect_1(process: &mut Process, [kind]: [Term; 1]) -> BifResult {
    let heap = process.heap();
    match kind {
        am::MAJOR => heap.flags |= heap_flag::NEED_FULLSWEEP | heap_flag::FORCE,
        am::MINOR => heap.flags |= heap_flag::FORCE,
        _ => return Err(badarg(1)),
    }
    Ok(am::TRUE)
}

/// `check_process_code(Module)`, of the caller.
pub fn check_process_code_1(process: &mut Process, [module]: [Term; 1]) -> BifResult {
    if !module.is_atom() {
        return Err(badarg(1));
    }
    Ok(am::boolean(purge::uses_old_code(process, module)))
}

/// `request_system_task(Pid, Priority, Request)`: the answer comes as `{Kind, Id, Result}`.
pub fn request_system_task_3(
    process: &mut Process,
    [pid, priority, request]: [Term; 3],
) -> BifResult {
    ask(process.pid(), pid, priority, request)
}

/// `request_system_task(Requester, Pid, Priority, Request)`.
pub fn request_system_task_4(
    _process: &mut Process,
    [requester, pid, priority, request]: [Term; 4],
) -> BifResult {
    if !requester.is_local_pid() {
        return Err(badarg(1));
    }
    ask(requester, pid, priority, request)
}

fn ask(requester: Term, pid: Term, priority: Term, request: Term) -> BifResult {
    let is_of_this_node =
        |pid: Term| pid.is_kind(Kind::ExternalPid) && node::of(pid).name == node::own_name();
    if !pid.is_local_pid() && !is_of_this_node(pid) {
        return Err(badarg(1));
    }
    if priority != am::INHERIT && Priority::from_atom(priority).is_none() {
        return Err(badarg(2));
    }
    let (kind, id, takes_long, body) = match request.as_tuple() {
        Some(&[am::GARBAGE_COLLECT, id, extent]) => {
            let (major, takes_long): (_, TakesLong) = match extent {
                am::MAJOR => (true, |process| {
                    !sleeps(process) && elsewhere::is_wanted_for_all(process)
                }),
                am::MINOR => (false, |process| {
                    !sleeps(process) && elsewhere::is_wanted(process)
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
        _ => return Err(badarg(3)),
    };
    let id = Owned::new(id);
    tasks::ask_to_collect(
        pid,
        takes_long,
        Box::new(move |process| {
            let result = process.map_or(am::FALSE, body);
            let mut scratch = term::heap::Scratch::new();
            let answer = build::tuple(scratch.heap(), &[kind, id.term(), result]);
            signal::send_message_from_outside(requester, answer);
        }),
    );
    Ok(am::OK)
}

type Body = Box<dyn FnOnce(&mut Process) -> Term + Send>;
type TakesLong = fn(&Process) -> bool;

/// Whether it hibernates: then it holds nothing but what lives.
fn sleeps(process: &Process) -> bool {
    process.flags & flag::HIBERNATED != 0
}

fn collect(process: &mut Process, major: bool) -> Term {
    if sleeps(process) {
        return am::TRUE;
    }
    // Between two slices the registers are on the stack.
    if major {
        collector::collect_all(process, &mut []);
    } else {
        collector::collect(process, &mut [], 0);
    }
    am::TRUE
}

/// `is_system_process(Pid)`.
pub fn is_system_process_1(_process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    use runtime::process::state;
    use std::sync::atomic::Ordering;
    if !pid.is_local_pid() {
        let is_pid = pid.is_kind(Kind::ExternalPid);
        return if is_pid {
            Ok(am::FALSE)
        } else {
            Err(badarg(1))
        };
    }
    let other = table::find(pid);
    if other.is_null() {
        return Ok(am::FALSE);
    }
    // SAFETY: just found; `state` is shared.
    let word = unsafe { (*other).state.load(Ordering::Relaxed) };
    Ok(am::boolean(word & state::SYSTEM != 0))
}

/// `is_process_executing_dirty(Pid)`: whether a dirty scheduler runs it.
pub fn is_process_executing_dirty_1(_process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    if !pid.is_pid() {
        return Err(badarg(1));
    }
    let other = if pid.is_local_pid() {
        table::find(pid)
    } else {
        std::ptr::null_mut()
    };
    let word = if other.is_null() {
        0
    } else {
        // SAFETY: found within this slice; only the shared state is read.
        unsafe { (*other).state.load(Ordering::SeqCst) }
    };
    let runs_dirty = state::RUNNING | state::DIRTY;
    Ok(am::boolean(word & runs_dirty == runs_dirty))
}

/// `dirty_process_handle_signals(Pid)`, for the system processes that handle the signals of
/// processes which a dirty scheduler runs: there are none, so this one has handled its own.
pub fn dirty_process_handle_signals_1(process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    if process.flags & flag::SYSTEM == 0 {
        return Err(notsup());
    }
    if !pid.is_local_pid() {
        return Ok(am::FALSE);
    }
    Ok(if table::find(pid).is_null() {
        am::NOPROC
    } else {
        am::NORMAL
    })
}

/// `check_dirty_process_code(Pid, Module)`: `normal`, for no process runs on a dirty scheduler.
pub fn check_dirty_process_code_2(process: &mut Process, [pid, module]: [Term; 2]) -> BifResult {
    if process.flags & flag::SYSTEM == 0 {
        return Err(notsup());
    }
    if !pid.is_local_pid() {
        return Err(badarg(1));
    }
    if !module.is_atom() {
        return Err(badarg(2));
    }
    Ok(if table::find(pid).is_null() {
        am::FALSE
    } else {
        am::NORMAL
    })
}
