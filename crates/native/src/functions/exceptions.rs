//! Raising errors.

use std::ffi::c_int;

use layout::Term;
use term::am;

use crate::check;
use crate::env::Env;

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_badarg(env: &mut Env) -> Term {
    env.raise(am::BADARG)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_raise_exception(env: &mut Env, reason: Term) -> Term {
    check::built_on(env, "enif_raise_exception", &[reason]);
    env.raise(reason)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_is_exception(env: &Env, term: Term) -> c_int {
    c_int::from(term.is_none() && env.raised().is_some())
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_has_pending_exception(env: &Env, reason: Option<&mut Term>) -> c_int {
    let raised = env.raised();
    if let (Some(raised), Some(reason)) = (raised, reason) {
        *reason = raised;
    }
    c_int::from(raised.is_some())
}
