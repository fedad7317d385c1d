//! Match specifications used without a table.

use std::sync::Arc;

use layout::Term;
use term::{am, build, copy};

use ets::match_spec::{self, Dialect, Interpreter, Program};
use runtime::code::bif::{BifResult, Failure, badarg};
use runtime::mail::current;
use runtime::process::Process;
use runtime::trace::frames::wish;
use trace::specification;

/// `ets:match_spec_compile(Specification)`.
pub(crate) fn match_spec_compile_1(process: &mut Process, [specification]: [Term; 1]) -> BifResult {
    if !specification.is_cons() {
        return Err(badarg(1));
    }
    let sources = match_spec::sources(specification).map_err(|_| badarg(1))?;
    let program = Program::compile(&sources).map_err(|_| badarg(1))?;
    Ok(match_spec::to_term(process.heap(), Arc::new(program)))
}

/// `ets:is_compiled_ms(Term)`.
pub(crate) fn is_compiled_ms_1(_process: &mut Process, [term]: [Term; 1]) -> BifResult {
    Ok(am::boolean(match_spec::from_term(term).is_some()))
}

/// `ets:match_spec_run_r(List, Compiled, Results)`: prepends the results to `Results`, the last one first.
pub(crate) fn match_spec_run_r_3(
    process: &mut Process,
    [list, compiled, results]: [Term; 3],
) -> BifResult {
    if !list.is_list() {
        return Err(badarg(1));
    }
    let program = match_spec::from_term(compiled).ok_or(badarg(2))?;
    let mut interpreter = Interpreter::new(&program, process.pid());
    let cost = program.cost();
    let mut budget = current::reductions_left().max(256);
    let mut results = results;
    let mut rest = list;
    while let Some((subject, tail)) = rest.as_cons() {
        if budget <= 0 {
            return Err(Failure::Yield {
                arguments: [rest, compiled, results].into(),
            });
        }
        budget -= cost;
        current::charge(cost);
        if let Some(result) = interpreter.run(&program, subject) {
            let heap = process.heap();
            let copied = copy::copy(heap, result);
            results = build::cons(heap, copied, results);
        }
        rest = tail;
    }
    if rest.is_nil() {
        Ok(results)
    } else {
        Err(badarg(1))
    }
}

/// `erlang:match_spec_test(Subject, Specification, Dialect)`: `{ok, Result, Flags, []}`, or `{error, Complaints}`.
pub(crate) fn match_spec_test_3(
    process: &mut Process,
    [subject, specification, dialect]: [Term; 3],
) -> BifResult {
    let dialect = match dialect {
        am::TABLE => Dialect::Table,
        am::TRACE if subject.is_list() => Dialect::Call,
        _ => return Err(badarg(3)),
    };
    match match_spec::compile_aloud(specification, dialect) {
        Ok(program) => {
            if dialect.is_tracing() {
                return Ok(tried(process, subject, &program));
            }
            let mut interpreter = Interpreter::new(&program, process.pid());
            let result = interpreter.run(&program, subject).unwrap_or(am::FALSE);
            let heap = process.heap();
            let result = copy::copy(heap, result);
            Ok(build::tuple(heap, &[am::OK, result, Term::NIL, Term::NIL]))
        }
        Err(complaints) => {
            let heap = process.heap();
            let complaints: Vec<Term> = complaints
                .iter()
                .map(|complaint| {
                    let text = build::byte_list(heap, complaint.as_bytes());
                    build::tuple(heap, &[am::ERROR, text])
                })
                .collect();
            let complaints = build::list(heap, &complaints);
            Ok(build::tuple(heap, &[am::ERROR, complaints]))
        }
    }
}

/// Runs a specification of tracing on a list of arguments.
fn tried(process: &mut Process, subject: Term, program: &match_spec::Program) -> Term {
    let (result, wishes) = specification::try_out(process, program, subject);
    let mut flags = Term::NIL;
    let heap = process.heap();
    for (wish, name) in [
        (wish::EXCEPTION, am::EXCEPTION_TRACE),
        (wish::RETURN, am::RETURN_TRACE),
    ] {
        if wishes & wish != 0 {
            flags = build::cons(heap, name, flags);
        }
    }
    let result = copy::copy(heap, result.term());
    build::tuple(heap, &[am::OK, result, flags, Term::NIL])
}
