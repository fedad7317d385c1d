//! Raising exceptions, and how programs see a caught one.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::{AbruptKind, Class, Context, Export, Term};
use term::{am, build};

use crate::form::{Exit, Form};
use crate::operation::slow_paths;
use crate::registers::Registers;

/// Continues at the handler for the exception in [`Context::abrupt`]; the registers have been written back or are
/// unchanged.
#[inline(always)]
pub(crate) unsafe fn unwind<F: Form>(
    mut m: Registers<F>,
    ip: *const u64,
    failed: *const Export,
    arguments: *const Term,
) -> Exit {
    unsafe {
        m.save();
        let target = (m.runtime().unwind)(m.c, ip, failed, arguments);
        if target.is_null() {
            return Exit::Exited;
        }
        m.load();
        m.enter(target)
    }
}

/// As [`unwind`], for an exception that the running instruction raises itself, not through a BIF.
#[inline(always)]
pub(crate) unsafe fn unwind_here<F: Form>(m: Registers<F>) -> Exit {
    unsafe {
        let ip = m.ip;
        unwind(m, ip, core::ptr::null(), core::ptr::null())
    }
}

/// Raises an error from the running instruction.
#[inline(always)]
pub(crate) unsafe fn raise_error<F: Form>(m: Registers<F>, reason: Term) -> Exit {
    unsafe {
        set_error(m.c, reason);
        unwind_here(m)
    }
}

/// Fills [`Context::abrupt`] with an error.
pub(crate) unsafe fn set_error(c: *mut Context, reason: Term) {
    unsafe {
        let error = &mut (*c).abrupt;
        error.kind = AbruptKind::Exception;
        error.class = Class::Error;
        error.reason = reason;
        error.trace = Term::NONE;
        error.arguments = Term::NONE;
    }
}

/// Fills [`Context::abrupt`] with the error `{tag, value}`.
#[inline(never)]
pub(crate) unsafe fn set_tagged_error(c: *mut Context, tag: Term, value: Term) {
    unsafe {
        let reason = build::tuple(&mut (*(*c).process).heap, &[tag, value]);
        set_error(c, reason);
    }
}

/// Fills [`Context::abrupt`] with `function_clause` and x0..x`arity`.
#[inline(never)]
unsafe fn set_function_clause(c: *mut Context, arity: usize) {
    unsafe {
        let arguments = core::slice::from_raw_parts((&raw const (*c).x).cast::<Term>(), arity);
        let arguments = build::list(&mut (*(*c).process).heap, arguments);
        set_error(c, am::FUNCTION_CLAUSE);
        (*c).abrupt.arguments = arguments;
    }
}

#[inline(always)]
unsafe fn raise_tagged<F: Form>(mut m: Registers<F>, tag: Term, value: Term) -> Exit {
    unsafe {
        m.save();
        set_tagged_error(m.c, tag, value);
        m.load();
        unwind_here(m)
    }
}

slow_paths! {
    /// No clause matches; the arguments are in x0 onwards.
    function_clause |m, o: FunctionClause| {
        m.save();
        set_function_clause(m.c, m.word(o.arity) as usize);
        m.load();
        unwind_here(m)
    }

    badmatch |m, o: Value| {
        let value = m.get(o.value);
        raise_tagged(m, am::BADMATCH, value)
    }

    case_end |m, o: Value| {
        let value = m.get(o.value);
        raise_tagged(m, am::CASE_CLAUSE, value)
    }

    try_case_end |m, o: Value| {
        let value = m.get(o.value);
        raise_tagged(m, am::TRY_CLAUSE, value)
    }

    badrecord |m, o: Value| {
        let value = m.get(o.value);
        raise_tagged(m, am::BADRECORD, value)
    }

    if_end |m, o: Nothing| {
        raise_error(m, am::IF_CLAUSE)
    }

    /// Execution went past the end of the code, which is impossible in a validated module.
    end_of_code |m, o: Nothing| {
        raise_error(m, am::SYSTEM_LIMIT)
    }

    /// Re-raises a caught exception, whose class is stored in the raw trace.
    raise |m, o: Raise| {
        let (trace, reason) = (m.get(o.trace), m.get(o.reason));
        m.save();
        let known = (m.runtime().raw_raise)(m.c, Term::NONE, reason, trace);
        m.load();
        if !known {
            set_error(m.c, am::BADARG);
        }
        unwind_here(m)
    }

    /// Re-raises the exception in x0 (class), x1 (reason), x2 (raw trace); if the class is invalid, x0 becomes
    /// `badarg`.
    raw_raise |m, o: Nothing| {
        let (class, reason, trace) = (*m.x, *m.x.add(1), *m.x.add(2));
        m.save();
        let known = (m.runtime().raw_raise)(m.c, class, reason, trace);
        m.load();
        if known {
            return unwind_here(m);
        }
        *m.x = am::BADARG;
        m.next(o.end)
    }

    /// Converts the raw trace in x0 to a list.
    build_stacktrace |m, o: Nothing| {
        let raw = *m.x;
        m.save();
        let trace = (m.runtime().build_stacktrace)(m.c, raw);
        m.load();
        *m.x = trace;
        m.next(o.end)
    }

    /// An exception has reached a `catch`.
    catch_value |m, o: OneY| {
        let (class, reason, raw) = (*m.x.add(1), *m.x.add(2), *m.x.add(3));
        m.save();
        let value = (m.runtime().catch_value)(m.c, class, reason, raw);
        m.load();
        *m.x = value;
        m.next(o.end)
    }
}
