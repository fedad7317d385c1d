//! What the other rooms tell is told here ([`Observer`]), and goes to the file that knows what is to be done.

use std::ops::Range;

use engine::Code;
use layout::context::Resume;
use layout::{Breakpoint, Context, Export, Fragment, Heap, Term};
use term::am;

use super::{
    costs, events, exports, frames, newcomers, points, saved_calls, sequence, system_profile,
};
use crate::mail::observer::Observer;
use crate::mail::signal::Sent;
use crate::process::Process;
use crate::process::rank::Rank;
use crate::process::sequence::{Spawn, Token};
use crate::process::tracing::{Event, Sessions, Tracings};

/// The observer of the node.
pub static OBSERVER: Tracers = Tracers;

/// See [`OBSERVER`].
pub struct Tracers;

impl Observer for Tracers {
    fn does(&self, process: &mut Process, tag: Term, data: Term) {
        events::does(process, tag, data);
    }

    fn sends(&self, process: &mut Process, to: Term, message: Term) {
        events::sends(process, to, message);
    }

    fn sends_by_operator(&self, process: &mut Process) {
        saved_calls::sends_by_operator(process);
    }

    fn sends_by_library(&self, process: &mut Process, to: Term, message: Term) {
        events::sends_by_library(process, to, message);
    }

    fn sends_token(
        &self,
        process: &mut Process,
        to: Term,
        message: Term,
        rank: Rank,
    ) -> Option<Sent> {
        sequence::sends(process, to, message, rank)
    }

    unsafe fn receives(&self, process: &mut Process, sender: Term, message: *mut Fragment) {
        // SAFETY: the promise of this function is that of the other.
        unsafe { events::receives(process, sender, message) };
    }

    unsafe fn has_received(&self, process: &mut Process, message: *mut Fragment) {
        saved_calls::happens(process, am::RECEIVE);
        // SAFETY: the promise of this function is that of the other.
        unsafe { sequence::received(process, message) };
    }

    fn times_out(&self, process: &mut Process) {
        events::times_out(process);
    }

    fn scheduled_in(&self, process: &mut Process) {
        events::scheduled_in(process);
    }

    fn scheduled_out(&self, process: &mut Process) {
        events::scheduled_out(process);
    }

    fn waits_for_port(&self, process: &mut Process) {
        events::waits_for_port(process);
    }

    fn has_waited_for_port(&self, process: &mut Process) {
        events::has_waited_for_port(process);
    }

    fn exits(&self, process: &mut Process, reason: Term) {
        events::exits(process, reason);
    }

    fn ends_link(&self, process: &mut Process, to: Term, reason: Term) -> Option<Token> {
        sequence::ends(process, to, reason)
    }

    fn has_exited(&self, process: &mut Process) {
        events::has_exited(process);
    }

    fn collects(&self, process: &mut Process, tag: Term, words: usize) {
        events::collects(process, tag, words);
    }

    fn measures_collection(&self, process: &Process) -> Option<usize> {
        costs::collects(process)
    }

    fn is_collected(&self, process: &mut Process, before: usize) {
        costs::is_collected(process, before);
    }

    fn spawns(
        &self,
        parent: Option<&mut Process>,
        child: &mut Process,
        call: [Term; 3],
        linked: bool,
    ) {
        events::spawns(parent, child, call, linked);
    }

    fn is_spawned_from_abroad(
        &self,
        child: &mut Process,
        parent: Term,
        call: [Term; 3],
        linked: bool,
    ) {
        events::is_spawned_from_abroad(child, parent, call, linked);
    }

    fn spawns_with_token(
        &self,
        parent: &mut Process,
        child: &mut Process,
        spawn: &Spawn,
    ) -> Option<Token> {
        sequence::spawns(parent, child, spawn)
    }

    fn last_calls(&self, process: &Process, heap: &mut Heap) -> Term {
        saved_calls::list(process, heap)
    }

    fn tell(&self, tracings: &Tracings, tracee: Term, wanted: u32, event: &Event) -> Sessions {
        super::tell_all(tracings, tracee, wanted, event)
    }

    fn new_port(&self) -> Tracings {
        newcomers::PORTS.get()
    }

    fn process_is(&self, pid: Term, ip: *const u64, status: Term) {
        system_profile::process_is(pid, ip, status);
    }

    fn process_has_ended(&self, pid: Term) {
        system_profile::process_has_ended(pid);
    }

    fn process_waits_for_port(&self, process: &Process, status: Term) {
        system_profile::process_waits_for_port(process, status);
    }

    fn port_runs(&self, port: Term, status: Term) {
        system_profile::port_runs(port, status);
    }

    fn scheduler_is(&self, number: usize, status: Term) {
        system_profile::scheduler_is(number, status);
    }

    fn breakpoint_at(&self, entry: *const u64) -> *const Breakpoint {
        points::breakpoint_at(entry)
    }

    fn reaches(
        &self,
        process: &mut Process,
        context: &mut Context,
        breakpoint: &Breakpoint,
    ) -> Resume {
        points::reached(process, context, breakpoint)
    }

    unsafe fn calls_export(
        &self,
        process: &mut Process,
        context: &mut Context,
        stub: *const Export,
    ) -> *const u64 {
        // SAFETY: the promise of this function is that of the other.
        let traced = unsafe { exports::of_stub(stub) };
        exports::called(process, context, traced)
    }

    fn returns(&self, process: &mut Process, value: Term) {
        frames::returns(process, value);
    }

    fn timed_returns(&self, process: &mut Process) {
        frames::timed_returns(process);
    }

    fn throws(
        &self,
        process: &mut Process,
        frames: Range<*const u64>,
        handler: Option<*const u64>,
        exception: [Term; 2],
    ) {
        frames::thrown(process, frames, handler, exception);
    }

    fn observed_apply(&self) -> *const u64 {
        exports::observed_apply()
    }

    fn code_of(&self, export: &Export) -> *const u64 {
        exports::code_of(export)
    }

    fn call_site(&self, process: &Process) -> Option<*const u64> {
        exports::call_site(process)
    }

    fn is_loaded(&self, module: Term) {
        super::get().loaded(module);
    }

    fn clear_exports(&self, module: Term) {
        exports::clear(module);
    }

    fn clear_points(&self, code: &Code) {
        points::clear(code);
    }

    fn forget_points(&self, code: &Code) {
        points::forget(code);
    }
}
