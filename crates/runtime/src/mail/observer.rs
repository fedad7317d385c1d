//! Who observes processes, ports and calls: the room `trace`, which hands in an [`Observer`].
//!
//! Whoever may have something to tell tests first whether anybody is told: a process by its flag
//! ([`Flags::TRACED`](crate::process::Flags::TRACED)), other places by a word here. Only then is the observer called.
//! While nobody observes, a place costs that test.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use engine::Code;
use layout::context::Resume;
use layout::{Breakpoint, Context, Export, Fragment, Heap, Term};

use super::hooks;
use super::signal::Sent;
use crate::process::Process;
use crate::process::rank::Rank;
use crate::process::sequence::{Spawn, Token};
use crate::process::tracing::{Event, Sessions, Tracings};

/// Whether processes that will be made are observed.
pub(crate) static NEW_PROCESSES: AtomicBool = AtomicBool::new(false);
/// Whether ports that will be made are traced.
pub(crate) static NEW_PORTS: AtomicBool = AtomicBool::new(false);
/// Whether calls of a function have ever been traced, counted or timed.
static CALLS: AtomicBool = AtomicBool::new(false);
/// What the profiler of the system is told (`trace::system_profile::wanted`); 0 if there is none.
pub(crate) static PROFILED: AtomicU32 = AtomicU32::new(0);

#[inline]
#[must_use]
pub(crate) fn are_processes_told() -> bool {
    NEW_PROCESSES.load(Ordering::Relaxed)
}

#[inline]
#[must_use]
pub(crate) fn are_ports_told() -> bool {
    NEW_PORTS.load(Ordering::Relaxed)
}

/// Whether somebody may be told of a call: until then, calls may take a shorter way than by the function's code.
#[inline]
#[must_use]
pub(crate) fn may_tell_of_calls() -> bool {
    CALLS.load(Ordering::Relaxed)
}

/// From now on somebody may be told of calls.
pub(crate) fn tell_of_calls() {
    CALLS.store(true, Ordering::Relaxed);
}

/// Whether the system is profiled.
#[inline(always)]
#[must_use]
pub(crate) fn is_profiled() -> bool {
    PROFILED.load(Ordering::Relaxed) != 0
}

/// What is told. As a rule the thread that owns the process calls, or the one that has locked the port.
pub trait Observer: Sync {
    /// The process does something that `procs` reports: `link`, `unlink`, `register` and the like.
    fn does(&self, process: &mut Process, tag: Term, data: Term);

    /// The process sends a message.
    fn sends(&self, process: &mut Process, to: Term, message: Term);

    /// It does so by the operator `!`, which on stock counts as a call too.
    fn sends_by_operator(&self, process: &mut Process);

    /// A native library sends a message for the process, which it has called.
    fn sends_by_library(&self, process: &mut Process, to: Term, message: Term);

    /// The process sends a message: sends it, if it has a token of sequential trace that goes with it.
    fn sends_token(
        &self,
        process: &mut Process,
        to: Term,
        message: Term,
        rank: Rank,
    ) -> Option<Sent>;

    /// A message has come into the queue of the process, from a sender as [`super::senders`] knows it.
    ///
    /// # Safety
    /// The fragment is a live message.
    unsafe fn receives(&self, process: &mut Process, sender: Term, message: *mut Fragment);

    /// The process has received a message.
    ///
    /// # Safety
    /// The fragment is a live message.
    unsafe fn has_received(&self, process: &mut Process, message: *mut Fragment);

    /// The time that the process has waited for a message is over.
    fn times_out(&self, process: &mut Process);

    /// A scheduler takes the process up.
    fn scheduled_in(&self, process: &mut Process);

    /// A scheduler puts the process away.
    fn scheduled_out(&self, process: &mut Process);

    /// A port does something for the process at once.
    fn waits_for_port(&self, process: &mut Process);

    /// The port has done it.
    fn has_waited_for_port(&self, process: &mut Process);

    /// The process ends.
    fn exits(&self, process: &mut Process, reason: Term);

    /// The process, which ends, tells another one to which it is linked. Returns the token that goes with the signal.
    fn ends_link(&self, process: &mut Process, to: Term, reason: Term) -> Option<Token>;

    /// The process has ended. Nothing more is reported of it.
    fn has_exited(&self, process: &mut Process);

    /// A collection of the process begins, for which `words` are needed, or ends, and has reclaimed as many.
    fn collects(&self, process: &mut Process, tag: Term, words: usize);

    /// The words on the heap of a process whose memory is measured; a collection begins, whose end [`is_collected`] is
    /// told.
    ///
    /// [`is_collected`]: Observer::is_collected
    fn measures_collection(&self, process: &Process) -> Option<usize>;

    /// A collection has ended that began with so many words.
    fn is_collected(&self, process: &mut Process, before: usize);

    /// A process is spawned: `call` is `{Module, Function, Arguments}`. The child is not known to others yet.
    fn spawns(
        &self,
        parent: Option<&mut Process>,
        child: &mut Process,
        call: [Term; 3],
        linked: bool,
    );

    /// A process is spawned for one of another node, while newcomers are traced. It is not known to others yet.
    fn is_spawned_from_abroad(
        &self,
        child: &mut Process,
        parent: Term,
        call: [Term; 3],
        linked: bool,
    );

    /// A process that has a token spawns another, which gets it. Returns the token for the reply to a request.
    fn spawns_with_token(
        &self,
        parent: &mut Process,
        child: &mut Process,
        spawn: &Spawn,
    ) -> Option<Token>;

    /// The value of `process_info(last_calls)`.
    fn last_calls(&self, process: &Process, heap: &mut Heap) -> Term;

    /// Tells the tracers of those sessions in which one of these bits of [`what`] is traced; returns those whose tracer
    /// is gone.
    ///
    /// [`what`]: crate::process::tracing::what
    fn tell(&self, tracings: &Tracings, tracee: Term, wanted: u32, event: &Event) -> Sessions;

    /// How a port that is being made is traced.
    fn new_port(&self) -> Tracings;

    /// A process has become ready to run (`active`), or is so no more. Whoever calls this owns the process.
    fn process_is(&self, pid: Term, ip: *const u64, status: Term);

    /// A process has ended.
    fn process_has_ended(&self, pid: Term);

    /// A process waits for a port (`inactive`), or has done so.
    fn process_waits_for_port(&self, process: &Process, status: Term);

    /// A port begins to run or has done so; its lock is held.
    fn port_runs(&self, port: Term, status: Term);

    /// A scheduler begins to work, or to sleep.
    fn scheduler_is(&self, number: usize, status: Term);

    /// The breakpoint at an instruction; null if that is not the entry of a function that has one.
    fn breakpoint_at(&self, entry: *const u64) -> *const Breakpoint;

    /// A process has reached the breakpoint at the entry of a function, whose arguments are in x0 onwards.
    fn reaches(
        &self,
        process: &mut Process,
        context: &mut Context,
        breakpoint: &Breakpoint,
    ) -> Resume;

    /// A process calls a traced export; returns where it continues.
    ///
    /// # Safety
    /// `stub` is the export of a stub of kind [`engine::start::Stub::Traced`].
    unsafe fn calls_export(
        &self,
        process: &mut Process,
        context: &mut Context,
        stub: *const Export,
    ) -> *const u64;

    /// A function returns; the terms of its frame are on top of the stack.
    fn returns(&self, process: &mut Process, value: Term);

    /// A function that is measured returns; the number is on top of the stack.
    fn timed_returns(&self, process: &mut Process);

    /// An exception leaves the functions whose frames are between two places of the stack; it is caught at `handler`,
    /// or not.
    fn throws(
        &self,
        process: &mut Process,
        frames: Range<*const u64>,
        handler: Option<*const u64>,
        exception: [Term; 2],
    );

    /// Where a call of `erlang:apply/2` leads that somebody may be told of.
    fn observed_apply(&self) -> *const u64;

    /// Where calls of an export lead, whether or not they are traced.
    fn code_of(&self, export: &Export) -> *const u64;

    /// Where a process has called the BIF that it is in, if calls of that are told of.
    fn call_site(&self, process: &Process) -> Option<*const u64>;

    /// A version of a module becomes current, while the world is stopped.
    fn is_loaded(&self, module: Term);

    /// Ends the tracing of a module's exports. The world must be stopped.
    fn clear_exports(&self, module: Term);

    /// Ends all that is done for calls of code that is no longer current. The world must be stopped.
    fn clear_points(&self, code: &Code);

    /// Forgets what is done for calls of code that is removed. The world must be stopped.
    fn forget_points(&self, code: &Code);
}

/// Who observes. Cold, so that what leads here is laid out beside the ordinary way.
#[cold]
#[inline(never)]
#[must_use]
pub(crate) fn observer() -> &'static dyn Observer {
    hooks::get().observer
}
