//! Calls and returns that are not plain jumps.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::sync::atomic::{AtomicU64, Ordering};

use layout::context::{TIMED_FRAME_WORDS, TRACED_FRAME_WORDS, TRACED_ROOM_WORDS};
use layout::{Breakpoint, Term};
use term::am;

use crate::detour::resume;
use crate::form::{Exit, Form, Handler, dispatch};
use crate::operation::slow_paths;
use crate::registers::Registers;
use crate::routine::Routine;
use crate::slow::breakpoints::go_on;
use crate::slow::collect::make_room;
use crate::slow::exceptions::{unwind, unwind_here};
use crate::slow::leave::{arity_at, preempt};
use crate::slow::pairs;
use crate::tiering;

/// Whether this function always raises. When it is applied in tail position, its caller's frame stays on the stack,
/// so that the trace begins with the caller.
#[inline(never)]
fn only_raises(module: Term, function: Term, arity: usize) -> bool {
    module == am::ERLANG
        && match function {
            am::ERROR => (1..=3).contains(&arity),
            am::EXIT | am::THROW => arity == 1,
            _ => false,
        }
}

/// The length of a list, at most 4.
fn short_length(mut list: Term) -> usize {
    let mut length = 0;
    while let Some((_, tail)) = list.as_cons()
        && length < 4
    {
        length += 1;
        list = tail;
    }
    length
}

/// What `apply/3` really calls when it is asked to apply itself, at any depth. OTP resolves this in one step;
/// additional frames would appear in a stack trace between the error and the function it belongs to.
#[inline(never)]
fn unnested(mut call: [Term; 3]) -> [Term; 3] {
    while call[0] == am::ERLANG
        && call[1] == am::APPLY
        && let Some((module, rest)) = call[2].as_cons()
        && let Some((function, rest)) = rest.as_cons()
        && let Some((arguments, rest)) = rest.as_cons()
        && rest.is_nil()
    {
        call = [module, function, arguments];
    }
    call
}

/// Where the bottom frame returns to.
pub(crate) static PROCESS_END: Routine = Routine::new(0, process_end);

slow_paths! {
    call_fun |m, o: CallFun| {
        let (fun, arity) = (m.get(o.fun), m.word(o.arity));
        let target = called(&mut m, fun, arity);
        let ip = m.ip;
        m.push(m.after(o.end));
        if target.is_null() {
            // The call is over and its target fails: as on stock, the trace has the caller twice.
            return unwind(m, ip, core::ptr::null(), core::ptr::null());
        }
        pairs::call(m, target)
    }

    call_fun_last |m, o: CallFunLast| {
        let (fun, arity) = (m.get(o.fun), m.word(o.arity));
        let target = called(&mut m, fun, arity);
        if target.is_null() {
            return unwind_here(m);
        }
        m.s = m.s.wrapping_byte_add(m.word(o.frame) as usize);
        m.call(target, preempt)
    }

    /// `arity`; module and function are in the X registers after the arguments.
    apply |m, o: Apply| {
        let arity = m.word(o.arity) as usize;
        let (target, _) = applied(&mut m, arity);
        if target.is_null() {
            return unwind_here(m);
        }
        m.push(m.after(o.end));
        pairs::call(m, target)
    }

    apply_last |m, o: ApplyLast| {
        let arity = m.word(o.arity) as usize;
        let (target, only_raises) = applied(&mut m, arity);
        if target.is_null() {
            return unwind_here(m);
        }
        if only_raises {
            m.push(m.after(o.end));
            return pairs::call(m, target);
        }
        m.s = m.s.wrapping_byte_add(m.word(o.frame) as usize);
        m.call(target, preempt)
    }

    /// `erlang:apply/3` with x0 = module, x1 = function, x2 = arguments.
    apply_list |m, o: Nothing| {
        let (target, _) = spread(&mut m);
        if target.is_null() {
            return unwind_here(m);
        }
        m.push(m.after(o.end));
        pairs::call(m, target)
    }

    /// As `apply_list`, in tail position.
    apply_list_last |m, o: Frame| {
        let (target, only_raises) = spread(&mut m);
        if target.is_null() {
            return unwind_here(m);
        }
        if only_raises {
            m.push(m.after(o.end));
            return pairs::call(m, target);
        }
        m.s = m.s.wrapping_byte_add(m.word(o.frame) as usize);
        m.call(target, preempt)
    }

    /// `erlang:apply/2` with x0 = fun, x1 = arguments.
    apply_fun_list |m, o: Nothing| {
        let target = spread_fun(&mut m);
        let ip = m.ip;
        // An error of `apply/2` itself has arguments to show, one of the fun's call has none; see `call_fun`.
        if target.is_null() && !(*m.c).abrupt.arguments.is_none() {
            return unwind_here(m);
        }
        m.push(m.after(o.end));
        if target.is_null() {
            return unwind(m, ip, core::ptr::null(), core::ptr::null());
        }
        pairs::call(m, target)
    }

    /// As `apply_fun_list`, in tail position.
    apply_fun_list_last |m, o: Frame| {
        let target = spread_fun(&mut m);
        if target.is_null() {
            return unwind_here(m);
        }
        m.s = m.s.wrapping_byte_add(m.word(o.frame) as usize);
        m.call(target, preempt)
    }

    /// The stub of a function without code: `export`. The return address is on the stack.
    undefined |m, o: CallExport| {
        let export = m.export(o.export);
        m.save();
        let target = (m.runtime().undefined_function)(m.c, export);
        m.load();
        if target.is_null() {
            let x = m.x;
            return unwind(m, core::ptr::null(), export, x);
        }
        m.enter(target)
    }

    /// The entry of a function whose module has no machine code yet ([`crate::tiering`]). No operands, as `breakpoint`.
    cold |m, o: Nothing| {
        let word = tiering::count(m.ip);
        if tiering::is_warm(word) {
            m.save();
            (m.runtime().is_warm)(m.ip);
            m.load();
        }
        let handler = core::mem::transmute::<usize, Handler>(tiering::handler(word) as usize);
        dispatch(handler, m.x, m.s, m.h, m.f, m.c, m.ip)
    }

    /// The entry of a function of an outline ([`crate::outline`]).
    outlined |m, o: Outlined| {
        if tiering::is_warm(tiering::count(m.ip)) {
            m.save();
            (m.runtime().is_warm)(m.ip);
            m.load();
        }
        // Another thread may be writing it.
        let target = AtomicU64::from_ptr(m.ip.cast_mut().add(1 + o.target.index()));
        let mut target = target.load(Ordering::Acquire) as *const u64;
        if target.is_null() {
            m.save();
            target = (m.runtime().translate)(m.ip);
            m.load();
        }
        m.enter(target)
    }

    /// As `outlined`, when all functions of the module have been translated.
    led_on |m, o: Outlined| {
        let target = m.wide(o.target) as *const u64;
        m.enter(target)
    }

    /// A breakpoint that counts the call and does nothing else; `ip` is the address of the [`Breakpoint`].
    counted |m, o: Nothing| {
        let record = m.ip.cast::<Breakpoint>();
        // If the process had left in the middle of the entry instruction, this call has been counted.
        if !(*(*m.c).process).is_counting {
            let counters = (*record).counters.load(Ordering::Relaxed);
            (*counters.add((*m.c).number)).increment();
        }
        // It has a handler: `only_count` sees to that.
        let resume = resume(&*record);
        let handler = core::mem::transmute::<*const (), Handler>(resume.handler);
        dispatch(handler, m.x, m.s, m.h, m.f, m.c, resume.at)
    }

    /// A breakpoint of any other kind; `ip` is the address of the [`Breakpoint`].
    reached |m, o: Nothing| {
        let record = m.ip.cast::<Breakpoint>();
        m.ip = (*record).entry;
        let arity = arity_at(m.ip);
        if !m.has_room(TRACED_ROOM_WORDS as u64 * 8) && !make_room(&mut m, TRACED_ROOM_WORDS, arity) {
            return Exit::Exited;
        }
        m.save();
        let resume = (m.runtime().breakpoint)(m.c, record);
        m.load();
        if resume.at.is_null() {
            return unwind_here(m);
        }
        go_on(m, resume)
    }

    /// The stub that calls of a traced export lead to: `export`. The return address is on the stack.
    traced_export |m, o: CallExport| {
        let export = m.export(o.export);
        let arity = (*export).arity as usize;
        if !m.has_room(TRACED_ROOM_WORDS as u64 * 8) && !make_room(&mut m, TRACED_ROOM_WORDS, arity) {
            return Exit::Exited;
        }
        m.save();
        let target = (m.runtime().traced_export)(m.c, export);
        m.load();
        m.enter(target)
    }

    /// A function whose time is taken returns.
    timed_return |m, o: Nothing| {
        m.save();
        (m.runtime().timed_return)(m.c);
        m.load();
        m.s = m.s.add(TIMED_FRAME_WORDS - 1);
        let target = m.pop();
        pairs::return_to(m, target)
    }

    /// A function whose return is traced returns.
    traced_return |m, o: Nothing| {
        m.save();
        (m.runtime().traced_return)(m.c);
        m.load();
        m.s = m.s.add(TRACED_FRAME_WORDS - 1);
        let target = m.pop();
        pairs::return_to(m, target)
    }

    /// The entry of a function that a native library has replaced, in the threaded form. No operands, as `breakpoint`.
    native_function |m, o: Nothing| {
        m.save();
        (*(*m.c).process).is_counting = false;
        let stub = (m.runtime().native_function)(m.ip);
        m.load();
        m.enter(stub)
    }

    /// The bottom frame has returned: the process ends normally.
    process_end |m, o: Nothing| {
        m.save();
        Exit::Exited
    }
}

/// Where a call of `fun` with `arity` arguments goes that machine code does not handle; null after raising an
/// exception.
#[inline(always)]
unsafe fn called<F: Form>(m: &mut Registers<F>, fun: Term, arity: u64) -> *const u64 {
    unsafe {
        m.save();
        let target = (m.runtime().call_fun)(m.c, fun, arity as usize);
        m.load();
        target
    }
}

/// Looks up the function to apply to the arguments in X registers, and whether that function always raises.
#[inline(always)]
unsafe fn applied<F: Form>(m: &mut Registers<F>, arity: usize) -> (*const u64, bool) {
    unsafe {
        let (module, function) = (*m.x.add(arity), *m.x.add(arity + 1));
        if module == am::ERLANG && function == am::APPLY && arity == 3 {
            return spread(m);
        }
        m.save();
        let target = (m.runtime().apply)(m.c, module, function, arity);
        m.load();
        (target, only_raises(module, function, arity))
    }
}

/// As [`applied`], for arguments in a list.
#[inline(always)]
unsafe fn spread<F: Form>(m: &mut Registers<F>) -> (*const u64, bool) {
    unsafe {
        m.save();
        let [module, function, arguments] = unnested([*m.x, *m.x.add(1), *m.x.add(2)]);
        let only_raises = only_raises(module, function, short_length(arguments));
        let target = (m.runtime().apply_list)(m.c, module, function, arguments);
        m.load();
        (target, only_raises)
    }
}

#[inline(always)]
unsafe fn spread_fun<F: Form>(m: &mut Registers<F>) -> *const u64 {
    unsafe {
        m.save();
        let (fun, arguments) = (*m.x, *m.x.add(1));
        let target = (m.runtime().apply_fun_list)(m.c, fun, arguments);
        m.load();
        target
    }
}
