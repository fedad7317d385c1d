//! `erlang:system_profile/2`: a process or port that is told which processes and ports are ready to run, and which
//! schedulers work.
//!
//! Hooks in the scheduler, in signals and in ports look at one word; while nobody profiles, each costs one load. Any
//! thread may call these functions.

use std::sync::atomic::{AtomicI64, Ordering};

use layout::Term;
use parking_lot::Mutex;
use term::heap::Scratch;
use term::{am, build};

use super::{Told, get};
use crate::effects::info;
use crate::mail::observer::PROFILED;
use crate::mail::schedulers;
use crate::process::Process;

/// What is told: bits of [`Profile::what`].
pub mod wanted {
    pub const RUNNABLE_PORTS: u32 = 1;
    pub const RUNNABLE_PROCS: u32 = 1 << 1;
    pub const SCHEDULER: u32 = 1 << 2;
    /// A process is not ready to run while a port does what it has asked for.
    pub const EXCLUSIVE: u32 = 1 << 3;
}

/// Who is told, and of what.
#[derive(Clone, Copy)]
pub struct Profile {
    pub profiler: Term,
    /// Bits of [`wanted`].
    pub what: u32,
    /// The form of timestamps: a bit of [`crate::process::tracing::what`].
    pub stamp: u32,
}

static PROFILE: Mutex<Option<Profile>> = Mutex::new(None);
/// The number of schedulers that work.
static ACTIVE: AtomicI64 = AtomicI64::new(0);

fn is_wanted(what: u32) -> bool {
    PROFILED.load(Ordering::Relaxed) & what != 0
}

/// Who is told now.
#[must_use]
pub fn current() -> Option<Profile> {
    *PROFILE.lock()
}

/// Sets who is told, and returns who was. The world must be stopped.
pub fn set(profile: Option<Profile>) -> Option<Profile> {
    let mut place = PROFILE.lock();
    if profile.is_some() {
        let active = schedulers::awake_count();
        ACTIVE.store(i64::try_from(active).unwrap_or(0), Ordering::Relaxed);
    }
    PROFILED.store(profile.map_or(0, |profile| profile.what), Ordering::Release);
    std::mem::replace(&mut *place, profile)
}

/// Tells the profiler `{profile, Parts..., Timestamp}`, unless it is itself what that is about.
fn tell(about: Term, parts: &[Term]) {
    let Some(Profile {
        profiler, stamp, ..
    }) = current()
    else {
        return;
    };
    if profiler == about {
        return;
    }
    if get().tell_profile(profiler, parts, stamp) == Told::TracerGone {
        PROFILED.store(0, Ordering::Relaxed);
        *PROFILE.lock() = None;
    }
}

/// A process, which continues at `ip`, has become ready to run (`active`), or is so no more.
#[cold]
pub fn process_is(pid: Term, ip: *const u64, status: Term) {
    if is_wanted(wanted::RUNNABLE_PROCS) {
        let mut scratch = Scratch::new();
        let place = info::function_at(ip);
        let place = place.map_or(Term::small(0), |call| build::tuple(scratch.heap(), &call));
        tell(pid, &[pid, status, place]);
    }
}

/// A process has ended.
#[cold]
pub fn process_has_ended(pid: Term) {
    if is_wanted(wanted::RUNNABLE_PROCS) {
        tell(pid, &[pid, am::INACTIVE, Term::small(0)]);
    }
}

/// A process waits for a port (`inactive`), or has done so.
#[cold]
pub(crate) fn process_waits_for_port(process: &Process, status: Term) {
    if is_wanted(wanted::EXCLUSIVE) {
        process_is(process.pid(), process.head.ip, status);
    }
}

/// A port begins to run or has done so; its lock is held.
#[cold]
pub(crate) fn port_runs(port: Term, status: Term) {
    if is_wanted(wanted::RUNNABLE_PORTS) {
        tell(port, &[port, status, Term::small(0)]);
    }
}

/// A scheduler begins to work, or to sleep.
#[cold]
pub(crate) fn scheduler_is(number: usize, status: Term) {
    if is_wanted(wanted::SCHEDULER) {
        let change = if status == am::ACTIVE { 1 } else { -1 };
        let active = ACTIVE.fetch_add(change, Ordering::Relaxed) + change;
        let number = Term::small(number as i64);
        let parts = [am::SCHEDULER, number, status, Term::small(active)];
        tell(Term::NONE, &parts);
    }
}
