//! Tracing: what becomes of the events that processes and ports report ([`runtime::trace`]), and how programs say what
//! is traced.
//!
//! - [`tracer`]: who is told: a process, a port, or a module;
//! - `message`: what processes and ports are told; [`module`]: modules as tracers;
//! - [`tracees`]: `erlang:trace/3`, and the half of `trace_info/2` that concerns processes and ports;
//! - [`patterns`]: `erlang:trace_pattern/3`, and the other half of `trace_info/2`; [`specification`]: match
//!   specifications;
//! - `calls`: what is told of calls; [`sessions`]: the sessions of OTP 27;
//! - [`names`]: the names of all that a tracee can be traced for.
//!
//! Every function may be called by any thread, if its comment does not say otherwise.

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod calls;
mod message;
pub mod module;
pub mod names;
pub mod on_load;
pub mod patterns;
pub mod sessions;
pub mod specification;
pub mod tracees;
pub mod tracer;

use layout::Term;
use runtime::process::Process;
use runtime::process::tracing::{Event, Family, Tracer, Tracing};
use runtime::trace::points::{Call, Condition};
use runtime::trace::{Told, Trace, saved_calls};

/// What the runtime is given of this crate.
pub static TRACE: Handler = Handler;

/// See [`TRACE`].
pub struct Handler;

impl Trace for Handler {
    fn tell(&self, tracee: Term, tracing: &Tracing, event: &Event) -> Told {
        let Some(tracer) = &tracing.tracer else {
            return Told::TracerGone;
        };
        match *tracer {
            Tracer::Identifier(to) => message::send(to, tracee, tracing.what, event),
            Tracer::Module(ref module) => module::tell(module, tracee, tracing.what, event),
        }
    }

    fn is_there(&self, tracer: &Tracer, tracee: Term) -> bool {
        match *tracer {
            Tracer::Identifier(identifier) => tracer::exists(identifier),
            Tracer::Module(ref module) => module::is_there(module, tracee),
        }
    }

    fn loaded(&self, module: Term) {
        saved_calls::loaded(module);
        on_load::apply(module);
    }

    fn is_session(&self, session: u32) -> bool {
        sessions::exists(session)
    }

    fn called(
        &self,
        process: &mut Process,
        call: &Call<'_>,
        condition: &Condition,
        session: u32,
        tracer: Option<&Tracer>,
    ) -> u8 {
        calls::called(process, call, condition, session, tracer)
    }

    fn tell_sequence(&self, tracer: &Tracer, at: Term, label: Term, how: u32, event: Term) -> Told {
        let stamp = message::stamp_of_sequence(how);
        match *tracer {
            Tracer::Identifier(to) => message::send_sequence(to, label, stamp, event),
            Tracer::Module(ref module) => module::tell_sequence(module, at, label, stamp, event),
        }
    }

    fn tell_profile(&self, profiler: Term, parts: &[Term], stamp: u32) -> Told {
        message::send_profile(profiler, parts, stamp)
    }

    fn wants_any(&self, session: u32, family: Family) -> bool {
        patterns::of_events(session, family).is_some()
    }

    fn tell_if(&self, process: &mut Process, parts: &[Term], event: &Event) {
        calls::told_if(process, parts, event);
    }
}
