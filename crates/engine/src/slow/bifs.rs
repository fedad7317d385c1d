//! Calling BIFs.
//!
//! A BIF called in a body gets its arguments in the X registers and may raise, trap, wait or end the process; one
//! called in a guard gets them in the spare registers after the X registers and can only fail.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::sync::atomic::Ordering;

use layout::limits::X_REGISTERS;
use layout::{AbruptKind, BifFunction, Export, Term};
use term::am;

use crate::encoding::{CallExport, Encoding};
use crate::form::{Exit, Form};
use crate::operation::slow_paths;
use crate::registers::Registers;
use crate::slow::calls::PROCESS_END;
use crate::slow::collect::{defer_collection, is_due, make_room, make_room_at};
use crate::slow::exceptions::{set_error, unwind};
use crate::slow::leave::{leave, preempt};
use crate::slow::pairs;

/// The live-register operand of operations that have none because they may not collect.
pub(crate) const NO_LIVE: u64 = u64::MAX;

#[inline(always)]
unsafe fn body(export: *const Export) -> BifFunction {
    // SAFETY: the code generator and the stub writer only use exports whose `bif` is set.
    unsafe { (*export).bif.unwrap_unchecked() }
}

/// What a call of the BIF by name runs.
#[inline(always)]
unsafe fn called(export: *const Export) -> BifFunction {
    // SAFETY: as in `body`; both fields are set together.
    unsafe {
        let function = (*export).called.load(Ordering::Relaxed);
        core::mem::transmute::<*mut (), BifFunction>(function)
    }
}

/// Where the return address of a call is that a BIF requests instead of returning a result.
enum ReturnAddress {
    /// Not pushed yet: it is the address after this instruction of one operand word.
    Here,
    /// Already on the stack.
    Pushed,
}

/// Continues after a BIF has returned no term.
#[inline(always)]
unsafe fn continue_without_result<F: Form>(
    mut m: Registers<F>,
    export: *const Export,
    place: ReturnAddress,
) -> Exit {
    unsafe {
        let raise = &raw mut (*m.c).abrupt;
        let kind = (*raise).kind;
        match kind {
            AbruptKind::None | AbruptKind::Exception | AbruptKind::ExceptionWithTrace => {
                let ip = match place {
                    ReturnAddress::Here => m.ip,
                    ReturnAddress::Pushed => core::ptr::null(),
                };
                let arguments = m.x;
                return unwind(m, ip, export, arguments);
            }
            AbruptKind::Exit => {
                (*raise).kind = AbruptKind::None;
                m.save();
                return Exit::Exited;
            }
            AbruptKind::Hibernate => {
                (*raise).kind = AbruptKind::None;
                let target = (*raise).target;
                let process = (*m.c).process;
                m.s = (*process).heap.end.cast::<Term>();
                // The catch marks were on the stack, which is now empty.
                (*process).catches = 0;
                m.push(PROCESS_END.entry());
                let code = (*target).code.load(Ordering::Acquire);
                return leave(m, Exit::Hibernated, code, (*target).arity as usize);
            }
            AbruptKind::Trap | AbruptKind::Wait | AbruptKind::Yield => (),
        }
        (*raise).kind = AbruptKind::None;
        if let ReturnAddress::Here = place {
            m.push(m.after(CallExport::OPERANDS.end));
        }
        if kind == AbruptKind::Trap {
            let target = (*(*raise).target).code.load(Ordering::Acquire);
            return match place {
                ReturnAddress::Here => pairs::call(m, target),
                ReturnAddress::Pushed => m.call(target, preempt),
            };
        }
        // The BIF is entered again, through its stub, which counts the call.
        m.f += 1;
        let stub = (&raw const (*export).stub)
            .cast::<u64>()
            .add(Export::STUB_ENTRY);
        let exit = if kind == AbruptKind::Wait {
            Exit::Waiting
        } else {
            Exit::Preempted
        };
        leave(m, exit, stub, (*export).arity as usize)
    }
}

/// Calls a BIF from a body and reads the registers again. The process's `ip` is set for BIFs that report where it is.
#[inline(always)]
unsafe fn call<F: Form>(
    m: &mut Registers<F>,
    export: *const Export,
    function: unsafe fn(*const Export) -> BifFunction,
) -> Term {
    unsafe {
        m.f -= 1;
        m.save();
        (*(*m.c).process).ip = m.ip;
        let result = function(export)(m.c, m.x);
        m.load();
        result
    }
}

/// Collects if the BIF allocated too much outside the heap block. x0 is live, and the process continues at `ip`. If
/// the result is `Some`, the caller must leave the engine with it.
#[inline(always)]
unsafe fn collect_if_due<F: Form>(m: &mut Registers<F>, ip: *const u64) -> Option<Exit> {
    unsafe {
        if !is_due(&(*(*m.c).process).heap) {
            return None;
        }
        make_room_at(m, 0, 1, ip)
    }
}

/// Number of list cells counted per reduction.
const CELLS_PER_REDUCTION: i64 = 64;

slow_paths! {
    /// `length/1` of a long list. It leaves the engine when the slice is over, and later continues where it stopped:
    length |m, o: Bif1| {
        let process = (*m.c).process;
        let live = m.word(o.live) as usize;
        let list = m.get(o.a);
        let (mut rest, mut length) = (list, 0);
        if (*process).is_counting {
            (*process).is_counting = false;
            rest = *m.x.add(live);
            length = (*m.x.add(live + 1)).as_small().unwrap_unchecked();
        }
        // Counts some cells even at the end of a slice, to guarantee progress.
        let end = length + m.f.max(10) * CELLS_PER_REDUCTION;
        let from = length;
        while length < end && let Some(cell) = rest.as_cell() {
            rest = cell.tail();
            length += 1;
        }
        m.f -= (length - from) / CELLS_PER_REDUCTION;
        if rest.is_cons() {
            let ip = m.ip;
            *m.x.add(live) = rest;
            *m.x.add(live + 1) = Term::small(length);
            m.save();
            let kept = (m.runtime().leave_midway)(m.c, ip, live + 2);
            m.load();
            (*process).is_counting = true;
            return leave(m, Exit::Preempted, ip, kept);
        }
        if !rest.is_nil() {
            *m.x.add(X_REGISTERS) = list;
            set_error(m.c, am::BADARG);
            return guard_failed(m, m.word(o.fail), m.export(o.export));
        }
        m.put(o.dest, Term::small(length));
        m.next(o.end)
    }

    call_bif |m, o: CallExport| {
        let export = m.export(o.export);
        let result = call(&mut m, export, called);
        if result.is_none() {
            return continue_without_result(m, export, ReturnAddress::Here);
        }
        *m.x = result;
        let after = m.after(o.end);
        if let Some(exit) = collect_if_due(&mut m, after) {
            return exit;
        }
        m.next(o.end)
    }

    /// A tail call without a frame; the caller's return address is on the stack.
    call_bif_only |m, o: CallExport| {
        let export = m.export(o.export);
        let result = call(&mut m, export, called);
        if result.is_none() {
            // In the trace of an exception, this function is the caller; in all other cases the BIF has replaced it.
            let kind = (*m.c).abrupt.kind;
            // A BIF that traps to itself is traced; its caller is this function.
            let is_traced = kind == AbruptKind::Trap && (*m.c).abrupt.target == export;
            if kind == AbruptKind::Exception || kind == AbruptKind::ExceptionWithTrace || is_traced {
                return continue_without_result(m, export, ReturnAddress::Here);
            }
            return continue_without_result(m, export, ReturnAddress::Pushed);
        }
        *m.x = result;
        let target = m.pop();
        if let Some(exit) = collect_if_due(&mut m, target) {
            return exit;
        }
        pairs::return_to(m, target)
    }

    /// The stub of an export, entered like a function.
    call_bif_stub |m, o: CallExport| {
        let export = m.export(o.export);
        let result = call(&mut m, export, body);
        if result.is_none() {
            return continue_without_result(m, export, ReturnAddress::Pushed);
        }
        *m.x = result;
        let target = m.pop();
        if let Some(exit) = collect_if_due(&mut m, target) {
            return exit;
        }
        pairs::return_to(m, target)
    }
}

/// Calls a BIF with these arguments, and reads the registers again.
#[inline(always)]
unsafe fn call_guard<F: Form, const N: usize>(
    m: &mut Registers<F>,
    values: [Term; N],
    export: *const Export,
) -> Term {
    unsafe {
        let arguments = m.x.add(X_REGISTERS);
        for (index, value) in values.into_iter().enumerate() {
            *arguments.add(index) = value;
        }
        m.save();
        let result = body(export)(m.c, arguments);
        m.load();
        result
    }
}

/// A guard BIF has failed: jumps to the label, or raises.
#[inline(always)]
unsafe fn guard_failed<F: Form>(m: Registers<F>, fail: u64, export: *const Export) -> Exit {
    unsafe {
        if fail != 0 {
            (*m.c).abrupt.kind = AbruptKind::None;
            return m.enter(fail as *const u64);
        }
        let (ip, arguments) = (m.ip, m.x.add(X_REGISTERS));
        unwind(m, ip, export, arguments)
    }
}

/// As [`guard_failed`], for an operation whose failure has no stack frame of its own.
#[inline(always)]
unsafe fn step_failed<F: Form>(m: Registers<F>, fail: u64, _: *const Export) -> Exit {
    unsafe { guard_failed(m, fail, core::ptr::null()) }
}

/// Collects if a guard BIF allocated too much outside the heap block and the live registers are known. Returns the
/// result, which may have moved, or none if the process must end.
#[inline(always)]
pub(crate) unsafe fn collect_keeping<F: Form>(
    m: &mut Registers<F>,
    result: Term,
    live: u64,
) -> Term {
    unsafe {
        if live == NO_LIVE || !is_due(&(*(*m.c).process).heap) || defer_collection(m) {
            return result;
        }
        let spare = m.x.add(live as usize);
        *spare = result;
        if make_room(m, 0, live as usize + 1) {
            *spare
        } else {
            Term::NONE
        }
    }
}

macro_rules! guards {
    ($($(#[$doc:meta])* $name:ident $encoding:ident [$($argument:ident)*] $failed:ident;)*) => {
        slow_paths! {
            $(
                $(#[$doc])*
                $name |m, o: $encoding| {
                    let export = m.export(o.export);
                    let values = [$(m.get(o.$argument)),*];
                    let result = call_guard(&mut m, values, export);
                    if result.is_none() {
                        let fail = m.word(o.fail);
                        return $failed(m, fail, export);
                    }
                    let live = m.word(o.live);
                    let result = collect_keeping(&mut m, result, live);
                    if result.is_none() {
                        return Exit::Exited;
                    }
                    m.put(o.dest, result);
                    m.next(o.end)
                }
            )*
        }
    };
}

guards! {
    guard0 Bif0 [] guard_failed;
    guard1 Bif1 [a] guard_failed;
    guard2 Bif2 [a b] guard_failed;
    /// `+` and `-` of a constant, where releases tell no frame.
    step Bif2 [a b] step_failed;
    by_constant ByConstant [a b] guard_failed;
    by_divisor ByDivisor [a b] guard_failed;
    guard3 Bif3 [a b c] guard_failed;
}
