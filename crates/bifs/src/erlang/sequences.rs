//! Sequential trace: the BIFs below the module `seq_trace`.

use layout::{Heap, Term};
use term::{am, build, copy};

use ::trace::tracer;
use runtime::code::bif::{BifResult, badarg};
use runtime::process::Process;
use runtime::process::tracing::Tracer;
use runtime::trace::sequence::{self, Before};

/// `seq_trace(Component, Value)`: changes the caller's token, and returns the component before. If there is none, one
/// is made, unless the component is the token itself.
pub(crate) fn seq_trace_2(process: &mut Process, [component, value]: [Term; 2]) -> BifResult {
    let before = sequence::change(process, component, value).ok_or(badarg(1))?;
    let heap = process.heap();
    Ok(match before {
        Before::Flag(is_set) => am::boolean(is_set),
        Before::Label(label) => copy::copy(heap, label.term()),
        Before::Serial(last, serial) => build::tuple(heap, &[last, serial].map(Term::small)),
        Before::Token(token) => token.map_or(Term::NIL, |token| token.to_term(heap)),
    })
}

/// `seq_trace_info(Component)`: a component of the caller's token.
pub(crate) fn seq_trace_info_1(process: &mut Process, [component]: [Term; 1]) -> BifResult {
    let token = runtime::process::sequence::of(process).cloned();
    sequence::component(process.heap(), token.as_ref(), component).ok_or(badarg(1))
}

/// `seq_trace_print(Information)`: returns whether the caller has a token.
pub(crate) fn seq_trace_print_1(process: &mut Process, [information]: [Term; 1]) -> BifResult {
    Ok(am::boolean(sequence::print(process, None, information)))
}

/// `seq_trace_print(Label, Information)`: only if the token has this label.
pub(crate) fn seq_trace_print_2(
    process: &mut Process,
    [label, information]: [Term; 2],
) -> BifResult {
    Ok(am::boolean(sequence::print(
        process,
        Some(label),
        information,
    )))
}

/// `system_flag(sequential_tracer, Tracer)`: returns the tracer before.
pub(crate) fn set_system_tracer(process: &mut Process, tracer: Term) -> BifResult {
    let wanted = match tracer {
        am::FALSE => None,
        _ => {
            let named = tracer::of_term(tracer).ok_or(badarg(2))?;
            let is_there = runtime::trace::get().is_there(&named, am::UNDEFINED);
            Some(is_there.then_some(named).ok_or(badarg(2))?)
        }
    };
    let before = sequence::set_system_tracer(wanted);
    Ok(named(process.heap(), before))
}

/// `system_info(sequential_tracer)`, without the item's name.
pub(crate) fn system_tracer(heap: &mut Heap) -> Term {
    named(heap, sequence::system_tracer())
}

fn named(heap: &mut Heap, tracer: Option<Tracer>) -> Term {
    tracer.map_or(am::FALSE, |tracer| tracer.to_term(heap))
}
