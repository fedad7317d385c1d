//! Match specifications of tracing: when they are run, and what their functions do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ets::match_spec::{Action, Dialect, Effects, Interpreter, Program};
use layout::{Heap, Term};
use runtime::code::{self, stack};
use runtime::effects::info;
use runtime::mail::signal;
use runtime::process::Process;
use runtime::process::signal::Signal;
use runtime::process::tracing::{Tracer, what};
use runtime::trace::frames::wish;
use runtime::trace::points::Condition;
use runtime::trace::{self, sequence};
use sys::standard::to_output;
use term::copy::Owned;
use term::heap::Scratch;
use term::{am, build, integer, list};

use crate::{names, sessions, tracer};

/// A specification: as it was given, and compiled.
pub struct Specification {
    pub source: Owned,
    program: Program,
}

/// The number that `erlang:system_flag(trace_control_word, Number)` sets.
pub static CONTROL_WORD: AtomicU32 = AtomicU32::new(0);

/// What a run has said.
#[derive(Clone, Copy)]
pub struct Outcome {
    /// `false`: nothing is told; `true`, or what is told besides.
    pub matched: Term,
    /// Bits of [`wish`].
    pub wishes: u8,
}

/// Runs the specification of a condition in a session, if it has one, and `then`, while what it has said is there.
pub fn run(
    condition: &Condition,
    process: &mut Process,
    session: u32,
    arguments: &[Term],
    then: impl FnOnce(&mut Process, Outcome) -> u8,
) -> u8 {
    let Some(specification) = of(condition) else {
        let (matched, wishes) = (am::TRUE, 0);
        return then(process, Outcome { matched, wishes });
    };
    let mut scratch = Scratch::new();
    let subject = build::list(scratch.heap(), arguments);
    let program = &specification.program;
    let mut interpreter = Interpreter::new(program, process.pid());
    let mut run = Run::new(process, Place::Function(session));
    let is_met = interpreter.run_tracing(program, subject, &mut run);
    let outcome = Outcome {
        matched: if is_met { run.matched } else { am::FALSE },
        wishes: run.wishes,
    };
    // The terms of the outcome may be in these.
    let _scratch = (run.scratch, &interpreter);
    then(process, outcome)
}

/// Runs a specification of calls for `match_spec_test/3`: what it says, and the wishes.
pub fn try_out(process: &mut Process, program: &Program, subject: Term) -> (Owned, u8) {
    let mut interpreter = Interpreter::new(program, process.pid());
    let mut run = Run::new(process, Place::Nowhere);
    let is_met = interpreter.run_tracing(program, subject, &mut run);
    let matched = if is_met { run.matched } else { am::FALSE };
    (Owned::new(matched), run.wishes)
}

/// The specification of a condition, if it has one.
#[must_use]
pub fn of(condition: &Condition) -> Option<&Specification> {
    condition.as_ref()?.downcast_ref()
}

/// Compiles a specification; `None` if it is invalid.
#[must_use]
pub fn compile(source: Term, dialect: Dialect) -> Option<Arc<Specification>> {
    let program = Program::compile_tracing(source, dialect).ok()?;
    let source = Owned::new(source);
    Some(Arc::new(Specification { source, program }))
}

/// Where the process is during a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the entry of a function, its caller's return address on top of the stack; in this session.
    Function(u32),
    /// In `match_spec_test/3`, which has no effects.
    Nowhere,
}

/// A run: carries out the functions of the specification.
struct Run<'a> {
    process: &'a mut Process,
    place: Place,
    scratch: Scratch,
    matched: Term,
    wishes: u8,
}

impl Run<'_> {
    fn new(process: &mut Process, place: Place) -> Run<'_> {
        Run {
            process,
            place,
            scratch: Scratch::new(),
            matched: am::TRUE,
            wishes: 0,
        }
    }

    fn heap(&mut self) -> &mut Heap {
        self.scratch.heap()
    }

    /// The function that has called this one.
    fn caller(&mut self, with_line: bool) -> Term {
        if self.place == Place::Nowhere {
            return am::UNDEFINED;
        }
        let Some(address) = stack::caller(self.process) else {
            return am::UNDEFINED;
        };
        let Some(place) = code::place_of(address) else {
            return am::UNDEFINED;
        };
        let heap = self.scratch.heap();
        let mut parts = vec![
            place.module,
            place.function,
            Term::small(i64::from(place.arity)),
        ];
        if with_line {
            parts.push(match place.location {
                None => am::UNDEFINED,
                Some((file, line)) => build::tuple(heap, &[file, Term::small(i64::from(line))]),
            });
        }
        build::tuple(heap, &parts)
    }

    /// Changes how this process or the one that is named is traced; `off` is undone before `on` is done. As on stock,
    /// the tracer is that of this process, unless another is given, or else that of the session; without one nothing is
    /// traced.
    fn change(
        &mut self,
        whom: Option<Term>,
        off: u32,
        on: u32,
        tracer: Option<Tracer>,
    ) -> Option<Term> {
        let own = self.process.pid();
        let whom = whom.map_or(Some(own), of_process)?;
        let Place::Function(session) = self.place else {
            return Some(am::TRUE);
        };
        let own_tracing = self.process.extras().tracings.of(session);
        let own_tracer = || own_tracing.and_then(|tracing| tracing.tracer.clone());
        let of_session = || sessions::find(session).and_then(|session| session.tracer.clone());
        let tracer = tracer.or_else(own_tracer).or_else(of_session);
        let apply = move |process: &mut Process| {
            let mut is_changed = false;
            trace::change(process, session, |tracing| {
                let before = tracing.clone();
                tracing.what = before.what & !off | on;
                tracing.tracer = tracer;
                is_changed = match (before.is_off(), tracing.is_off()) {
                    (true, true) => false,
                    (false, false) => {
                        let same = |(one, other): (&Tracer, &Tracer)| one.is(other);
                        before.what != tracing.what
                            || !before
                                .tracer
                                .as_ref()
                                .zip(tracing.tracer.as_ref())
                                .is_some_and(same)
                    }
                    _ => true,
                };
            });
            is_changed
        };
        if whom == own {
            return Some(am::boolean(apply(self.process)));
        }
        let body = move |process: Option<&mut Process>| {
            if let Some(process) = process {
                apply(process);
            }
        };
        let sent = signal::send(whom, Signal::Call(Box::new(body)));
        sent.is_ok().then_some(am::TRUE)
    }
}

/// The process that a pid or a registered name stands for.
fn of_process(term: Term) -> Option<Term> {
    if term.is_atom() {
        return runtime::mail::registry::whereis_process(term);
    }
    term.is_local_pid().then_some(term)
}

/// The bits and the tracer of a list of flags.
fn flags(flags: Term) -> Option<(u32, Option<Tracer>)> {
    let (mut bits, mut given) = (0, None);
    for flag in list::items(flags) {
        let flag = flag.ok()?;
        match names::parse(flag) {
            Some(bit) => bits |= bit,
            None => given = Some(tracer::of_option(flag, am::TRACER)?),
        }
    }
    Some((bits, given))
}

impl Effects for Run<'_> {
    fn perform(&mut self, action: Action, arguments: &[Term]) -> Option<Term> {
        Some(match (action, arguments) {
            (Action::Message, &[message]) => {
                self.matched = message;
                am::TRUE
            }
            (Action::ReturnTrace, _) => {
                self.wishes |= wish::RETURN;
                am::TRUE
            }
            (Action::ExceptionTrace, _) => {
                self.wishes |= wish::EXCEPTION;
                am::TRUE
            }
            (Action::Display, &[term]) => {
                // As on stock, with the end of line of a terminal.
                to_output(format_args!("{}\r\n", term::print::display(term)));
                am::TRUE
            }
            (Action::IsSeqTrace, _) => {
                am::boolean(runtime::process::sequence::of(self.process).is_some())
            }
            (Action::GetSeqToken, _) => match runtime::process::sequence::of(self.process).cloned()
            {
                Some(token) => token.to_term(self.heap()),
                None => Term::NIL,
            },
            // As on stock, a specification that is only tried out gets what the token has now.
            (Action::SetSeqToken, &[component, _]) if self.place == Place::Nowhere => {
                let token = runtime::process::sequence::of(self.process).cloned();
                sequence::component(self.heap(), token.as_ref(), component)?
            }
            (Action::SetSeqToken, &[component, value]) => {
                sequence::change(self.process, component, value)?;
                am::TRUE
            }
            (Action::SetSeqToken, _) => return None,
            (Action::ProcessDump, _) => {
                let text = info::backtrace(self.process);
                build::binary(self.heap(), text.as_bytes())
            }
            (Action::EnableTrace, &[flag]) => {
                let bit = names::parse(flag)?;
                self.change(None, 0, bit, None)?;
                am::TRUE
            }
            (Action::EnableTrace, &[whom, flag]) => {
                let bit = names::parse(flag)?;
                self.change(Some(whom), 0, bit, None)?;
                am::TRUE
            }
            (Action::DisableTrace, &[flag]) => {
                let bit = names::parse(flag)?;
                self.change(None, bit, 0, None)?;
                am::TRUE
            }
            (Action::DisableTrace, &[whom, flag]) => {
                let bit = names::parse(flag)?;
                self.change(Some(whom), bit, 0, None)?;
                am::TRUE
            }
            (Action::Trace, &[off, on]) => {
                let ((off, first), (on, second)) = (flags(off)?, flags(on)?);
                return self.change(None, off, on, second.or(first));
            }
            (Action::Trace, &[whom, off, on]) => {
                let ((off, first), (on, second)) = (flags(off)?, flags(on)?);
                return self.change(Some(whom), off, on, second.or(first));
            }
            (Action::Caller, _) => self.caller(false),
            (Action::CallerLine, _) => self.caller(true),
            (Action::CurrentStacktrace, arguments) => {
                let depth = arguments.first().and_then(|depth| depth.as_small());
                let depth = depth.map(|depth| depth as usize);
                info::callers(self.process, depth, self.scratch.heap())
            }
            (Action::Silent, &[silent]) => {
                let bit = what::SILENT;
                if let Place::Function(session) = self.place
                    && self.process.extras().tracings.of(session).is_some()
                {
                    trace::change(self.process, session, |tracing| match silent {
                        am::TRUE => tracing.what |= bit,
                        am::FALSE => tracing.what &= !bit,
                        _ => {}
                    });
                }
                silent
            }
            (Action::GetControlWord, _) => {
                Term::small(i64::from(CONTROL_WORD.load(Ordering::Relaxed)))
            }
            (Action::SetControlWord, &[word]) => {
                let word = integer::uint64(word).and_then(|word| u32::try_from(word).ok())?;
                let before = match self.place {
                    Place::Function(_) => CONTROL_WORD.swap(word, Ordering::Relaxed),
                    Place::Nowhere => CONTROL_WORD.load(Ordering::Relaxed),
                };
                Term::small(i64::from(before))
            }
            _ => return None,
        })
    }
}
