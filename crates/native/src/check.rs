//! Whether a library uses terms only where and as long as `erl_nif.h` allows it: `+native_checks true`, and debug
//! builds.
//!
//! A term belongs to one environment and ends with it. What a library builds on must be of the environment that it
//! builds in, and so must the result of a call. What it reads may be of any environment, as long as that is there.
//! Where nobody checks, a library that breaks these rules may work for months, until a collection comes in between. So
//! there also is a collection after each call while checks are on, which moves all that the call has seen: a handle
//! that was kept leads nowhere from then on. Traced processes are spared it, because their tracers may be told of
//! collections.
//!
//! A library that is found out ends the node with a crash dump whose slogan says what it did in which call.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use layout::Term;
use layout::heap::flag;
use runtime::exec::halt;
use runtime::mail::hooks::CrashCause;
use runtime::process::{Flags, Process};
use term::gc::verify;

use crate::call;
use crate::env::Env;

static IS_ON: AtomicBool = AtomicBool::new(cfg!(debug_assertions));

/// Does what the user has asked for. Called before the first library is loaded.
pub(crate) fn follow_flag() {
    if runtime::process::config::get().flags.native_checks {
        IS_ON.store(true, Ordering::Relaxed);
    }
}

/// Whether anything is checked.
#[inline(always)]
pub(crate) fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// Checks terms that `function` builds on in an environment.
#[inline(always)]
pub(crate) fn built_on(env: &mut Env, function: &str, terms: &[Term]) {
    if is_on() {
        for &term in terms {
            belongs(env, function, term);
        }
    }
}

/// Checks a term that `function` reads. The environment is the one that the library names, which may be null.
#[inline(always)]
pub(crate) fn read(env: *const Env, function: &str, term: Term) {
    if is_on() {
        is_live(env, function, term);
    }
}

/// Checks a message: it is of its own environment or, without one, of any, since it is copied then.
///
/// # Safety
/// Environments are live or null.
#[inline(always)]
pub(crate) unsafe fn sent(env: *mut Env, message_env: *mut Env, message: Term) {
    if is_on() {
        // SAFETY: the caller's promise.
        match unsafe { message_env.as_mut() } {
            Some(of) => belongs(of, "enif_send", message),
            None => is_live(env, "enif_send", message),
        }
    }
}

/// Checks the result of a call. After it, no handle of the call is valid.
#[cold]
pub(crate) fn call_has_ended(process: &mut Process, env: &mut Env, result: Term) {
    if !result.is_none()
        && let Some(objection) = env.objection(result)
    {
        end(format_args!("it returned {objection}"), result);
    }
    if !process.flags.contains(Flags::TRACED) {
        process.heap().flags |= flag::NEED_FULLSWEEP | flag::FORCE;
    }
}

#[cold]
fn belongs(env: &mut Env, function: &str, term: Term) {
    if let Some(objection) = env.objection(term) {
        end(format_args!("it gave {function} {objection}"), term);
    }
}

#[cold]
fn is_live(env: *const Env, function: &str, term: Term) {
    // SAFETY: the header asks for an environment that is there, if it is not null.
    let is_own = unsafe { env.as_ref() }.is_some_and(|env| env.objection(term).is_none());
    if !is_own && let Some(objection) = verify::objection_anywhere(term) {
        end(format_args!("it gave {function} {objection}"), term);
    }
}

fn end(what: std::fmt::Arguments<'_>, term: Term) -> ! {
    let mut slogan = String::from("a native library broke a rule of erl_nif.h in ");
    if !call::describe(&mut slogan) {
        slogan.push_str("a callback or a thread of its own");
    }
    let _ = write!(slogan, ": {what} ({:#x})", term.bits());
    halt::end_with_dump(CrashCause::Internal, &slogan)
}
