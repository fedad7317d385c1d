//! `erl_debugger` (OTP 28 and later), what a process calls that comes to a breakpoint at a line, and
//! `code:get_debug_info/1`.
//!
//! Without the flag `+D` all functions but `supported/0` are undefined, as on stock.

use engine::StopLine;
use layout::{Heap, Term};
use term::{am, atom, build, map};

use runtime::code::bif::{BifResult, Failure, badarg, error};
use runtime::code::debugger_lines;
use runtime::code::modules::{self, Loaded};
use runtime::effects::debugger::{self, stack};
use runtime::process::Process;

use crate::erlang::of_process;

/// `erl_debugger:supported()`
pub(crate) fn supported_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(am::boolean(debugger_lines::is_supported()))
}

/// `erl_debugger:instrumentations()`
pub(crate) fn instrumentations_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    check_supported()?;
    let loads = am::boolean(debugger_lines::loads_breakpoints());
    Ok(map::from_pairs(
        process.heap(),
        &[(line_breakpoint(), loads)],
    ))
}

/// `erl_debugger:toggle_instrumentations(#{line_breakpoint => Bool})`
pub(crate) fn toggle_instrumentations_1(_process: &mut Process, [wanted]: [Term; 1]) -> BifResult {
    check_supported()?;
    if !wanted.is_map() {
        return Err(badarg(1));
    }
    let loads = map::get(wanted, line_breakpoint());
    // It is the only one.
    if map::size(wanted) != usize::from(loads.is_some()) {
        return Err(badarg(1));
    }
    if let Some(loads) = loads {
        debugger_lines::set_loads_breakpoints(am::to_boolean(loads).ok_or(badarg(1))?);
    }
    Ok(am::OK)
}

/// `erl_debugger:register(Pid)`
pub(crate) fn register_1(process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    check_supported()?;
    if !pid.is_local_pid() {
        return Err(badarg(1));
    }
    let answer = match debugger::register(pid) {
        Ok(session) => [am::OK, Term::small(i64::from(session.number))],
        Err(_) => [am::ERROR, am::ALREADY_EXISTS],
    };
    Ok(build::tuple(process.heap(), &answer))
}

/// `erl_debugger:unregister(Pid, Session)`
pub(crate) fn unregister_2(_process: &mut Process, [pid, number]: [Term; 2]) -> BifResult {
    check_supported()?;
    if !pid.is_local_pid() {
        return Err(badarg(1));
    }
    let number = number.as_small().ok_or(badarg(2))?;
    match debugger::unregister(pid, number) {
        Ok(()) => Ok(am::OK),
        Err(_) => Err(badarg(2)),
    }
}

/// `erl_debugger:whereis()`
pub(crate) fn whereis_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    check_supported()?;
    Ok(debugger::registered().map_or(am::UNDEFINED, |session| session.pid))
}

/// `erl_debugger:breakpoint(Module, Line, IsSet)`
pub(crate) fn breakpoint_3(process: &mut Process, [module, line, is_set]: [Term; 3]) -> BifResult {
    check_supported()?;
    if !module.is_atom() {
        return Err(badarg(1));
    }
    let number = line.as_small().filter(|&line| line > 0).ok_or(badarg(2))?;
    let is_set = am::to_boolean(is_set).ok_or(badarg(3))?;
    let refused = match modules::current(module) {
        None => Some([am::BADKEY, module]),
        Some(loaded) => set_breakpoints(&loaded, number, is_set).map(|why| {
            let what = if why.is_of_module { module } else { line };
            [why.reason, what]
        }),
    };
    let heap = process.heap();
    match refused {
        None => Ok(am::OK),
        Some(refused) => {
            let reason = build::tuple(heap, &refused);
            Ok(build::tuple(heap, &[am::ERROR, reason]))
        }
    }
}

/// Why no breakpoint can be set.
struct Unset {
    reason: Term,
    is_of_module: bool,
}

/// Sets or clears the breakpoints at a line.
fn set_breakpoints(loaded: &Loaded, number: i64, is_set: bool) -> Option<Unset> {
    let Some(breakpoints) = loaded.code.line_breakpoints() else {
        return Some(Unset {
            reason: unsupported(),
            is_of_module: true,
        });
    };
    let is_here = |location: u32| line_of(loaded, location) == Some(number);
    if breakpoints.set(is_set, |line| is_here(line.location)) {
        return None;
    }
    let is_known = loaded
        .code
        .made()
        .is_some_and(|code| code.locations().any(is_here));
    Some(Unset {
        reason: if is_known { unsupported() } else { am::BADKEY },
        is_of_module: false,
    })
}

fn line_of(loaded: &Loaded, location: u32) -> Option<i64> {
    loaded.line(location).map(i64::from)
}

/// `erl_debugger:breakpoints(Module)`
pub(crate) fn breakpoints_1(process: &mut Process, [module]: [Term; 1]) -> BifResult {
    check_supported()?;
    if !module.is_atom() {
        return Err(badarg(1));
    }
    let heap = process.heap();
    let Some(loaded) = modules::current(module) else {
        return Ok(build::tuple(heap, &[am::ERROR, am::BADKEY]));
    };
    let pairs: Vec<(Term, Term)> = loaded
        .code
        .functions()
        .zip(0..)
        .map(|((function, _), number)| {
            let arity = Term::small(i64::from(function.arity));
            let name = build::tuple(heap, &[function.function, arity]);
            (name, breakpoints_of(&loaded, number, heap))
        })
        .collect();
    let functions = map::from_pairs(heap, &pairs);
    Ok(build::tuple(heap, &[am::OK, functions]))
}

/// `erl_debugger:breakpoints(Module, Function, Arity)`
pub(crate) fn breakpoints_3(process: &mut Process, [module, name, arity]: [Term; 3]) -> BifResult {
    check_supported()?;
    for (place, argument) in [(1, module), (2, name)] {
        if !argument.is_atom() {
            return Err(badarg(place));
        }
    }
    let wanted = arity.as_small().ok_or(badarg(3))?;
    let heap = process.heap();
    let missing = match modules::current(module) {
        None => module,
        Some(loaded) => {
            let wanted = u32::try_from(wanted).ok();
            match wanted.and_then(|wanted| loaded.code.place_of(name, wanted)) {
                Some(place) => {
                    let lines = breakpoints_of(&loaded, place as u32, heap);
                    return Ok(build::tuple(heap, &[am::OK, lines]));
                }
                None => build::tuple(heap, &[name, arity]),
            }
        }
    };
    let reason = build::tuple(heap, &[am::BADKEY, missing]);
    Ok(build::tuple(heap, &[am::ERROR, reason]))
}

/// `#{Line => IsSet}` for the function at a place in the code.
fn breakpoints_of(loaded: &Loaded, function: u32, heap: &mut Heap) -> Term {
    let breakpoints = loaded.code.line_breakpoints().into_iter();
    let lines = breakpoints.flat_map(|breakpoints| breakpoints.lines());
    let mut pairs: Vec<(Term, Term)> = lines
        .filter(|(line, _)| line.function == function)
        .filter_map(|(line, is_set)| {
            let number = line_of(loaded, line.location)?;
            Some((Term::small(number), am::boolean(is_set)))
        })
        .collect();
    pairs.sort_unstable_by_key(|(line, _)| line.as_small());
    pairs.dedup_by_key(|(line, _)| *line);
    map::from_pairs(heap, &pairs)
}

/// `erl_debugger:stack_frames(Pid, MaxTermSize)`
pub(crate) fn stack_frames_2(process: &mut Process, [pid, most]: [Term; 2]) -> BifResult {
    let [most] = checked(process, pid, [(2, most)])?;
    looked_at(process, pid, move |other, heap| {
        stack::frames_term(other, most, heap)
    })
}

/// `erl_debugger:peek_stack_frame_slot(Pid, Frame, Slot, MaxTermSize)`
pub(crate) fn peek_stack_frame_slot_4(
    process: &mut Process,
    [pid, frame, slot, most]: [Term; 4],
) -> BifResult {
    let [frame, slot, most] = checked(process, pid, [(2, frame), (3, slot), (4, most)])?;
    looked_at(process, pid, move |other, heap| {
        stack::slot_term(other, [frame, slot], most, heap).unwrap_or(am::UNDEFINED)
    })
}

/// `erl_debugger:xregs_count(Pid)`
pub(crate) fn xregs_count_1(process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    let [] = checked(process, pid, [])?;
    looked_at(process, pid, |other, _| {
        Term::small(stack::registers(other) as i64)
    })
}

/// `erl_debugger:peek_xreg(Pid, Register, MaxTermSize)`
pub(crate) fn peek_xreg_3(process: &mut Process, [pid, register, most]: [Term; 3]) -> BifResult {
    let [register, most] = checked(process, pid, [(2, register), (3, most)])?;
    looked_at(process, pid, move |other, heap| {
        stack::register_term(other, register, most, heap).unwrap_or(am::UNDEFINED)
    })
}

/// The numbers among the arguments, which are given with their places. The process to look at must be another one of
/// this node.
fn checked<const N: usize>(
    process: &Process,
    pid: Term,
    numbers: [(usize, Term); N],
) -> Result<[usize; N], Failure> {
    check_supported()?;
    if !pid.is_local_pid() || pid == process.pid() {
        return Err(badarg(1));
    }
    let mut read = [0; N];
    for (number, (place, term)) in read.iter_mut().zip(numbers) {
        let small = term
            .as_small()
            .and_then(|value| usize::try_from(value).ok());
        *number = small.ok_or(badarg(place))?;
    }
    Ok(read)
}

/// What `look` says of a suspended process; `running` if it is not suspended, or gone.
fn looked_at(
    process: &mut Process,
    pid: Term,
    look: impl FnOnce(&Process, &mut Heap) -> Term + Send + 'static,
) -> BifResult {
    of_process(process, pid, am::RUNNING, move |other, _, heap| {
        if stack::is_suspended(other) {
            look(other, heap)
        } else {
            am::RUNNING
        }
    })
}

/// `erts_internal:notify_breakpoint_hit({Module, Function, Arity}, Line, Resume)`: tells the debugger that the calling
/// process has come to a breakpoint. Returns `ok`, `abort` if the process is the debugger itself, or `noproc` if there
/// is none.
pub(crate) fn notify_breakpoint_hit_3(
    process: &mut Process,
    [function, line, resume]: [Term; 3],
) -> BifResult {
    check_supported()?;
    match function.as_tuple_of() {
        Some([module, name, arity])
            if module.is_atom() && name.is_atom() && arity.as_small().is_some() => {}
        _ => return Err(badarg(1)),
    }
    if line.as_small().is_none() {
        return Err(badarg(2));
    }
    if term::fun::is_of_arity(resume, Term::small(0)) != Some(true) {
        return Err(badarg(3));
    }
    let pid = process.pid();
    if debugger::registered().is_some_and(|session| session.pid == pid) {
        return Ok(am::ABORT);
    }
    let words = [am::BREAKPOINT, pid, function, line, resume];
    let event = build::tuple(process.heap(), &words);
    Ok(if debugger::tell(pid, event) {
        am::OK
    } else {
        am::NOPROC
    })
}

/// `code:get_debug_info(Module)`: `none` if it was not compiled for debuggers, and otherwise what is known of each line
/// at which a process can be stopped, which is none if the module was loaded without such lines.
pub(crate) fn get_debug_info_1(process: &mut Process, [module]: [Term; 1]) -> BifResult {
    let loaded = modules::current(module).ok_or(badarg(1))?;
    let Some(known) = &loaded.debugger_lines else {
        return Ok(am::NONE);
    };
    let breakpoints = loaded.code.line_breakpoints().into_iter();
    let lines = breakpoints.flat_map(|breakpoints| breakpoints.lines());
    let mut lines: Vec<&StopLine> = lines.map(|(line, _)| line).collect();
    lines.sort_unstable_by_key(|line| line.index);
    let heap = process.heap();
    let pairs: Vec<Term> = lines
        .into_iter()
        .filter_map(|line| {
            let number = line_of(&loaded, line.location)?;
            let about = *known.get(line.index as usize)?;
            Some(build::tuple(heap, &[Term::small(number), about]))
        })
        .collect();
    Ok(build::list(heap, &pairs))
}

fn check_supported() -> Result<(), Failure> {
    if debugger_lines::is_supported() {
        Ok(())
    } else {
        Err(error(am::UNDEF))
    }
}

fn line_breakpoint() -> Term {
    atom::known("line_breakpoint")
}

fn unsupported() -> Term {
    atom::known("unsupported")
}
