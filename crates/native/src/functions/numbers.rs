//! Integers and floats.

use std::ffi::{c_int, c_long, c_uint, c_ulong};

use layout::Term;
use term::{build, integer};

use crate::abi::Out;
use crate::check;
use crate::env::Env;
use crate::functions::exceptions::enif_make_badarg;

/// Stores a result if there is one; returns whether there is.
pub(super) fn store<T>(out: Out<'_, T>, value: Option<T>) -> c_int {
    match value {
        Some(value) => {
            out.write(value);
            1
        }
        None => 0,
    }
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_int(env: *const Env, term: Term, value: Out<'_, c_int>) -> c_int {
    check::read(env, "enif_get_int", term);
    store(value, integer::int32(term))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_uint(
    env: *const Env,
    term: Term,
    value: Out<'_, c_uint>,
) -> c_int {
    check::read(env, "enif_get_uint", term);
    store(value, integer::uint32(term))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_long(
    env: *const Env,
    term: Term,
    value: Out<'_, c_long>,
) -> c_int {
    check::read(env, "enif_get_long", term);
    store(value, integer::int64(term))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_ulong(
    env: *const Env,
    term: Term,
    value: Out<'_, c_ulong>,
) -> c_int {
    check::read(env, "enif_get_ulong", term);
    store(value, integer::uint64(term))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_double(
    env: *const Env,
    term: Term,
    value: Out<'_, f64>,
) -> c_int {
    check::read(env, "enif_get_double", term);
    store(value, term.as_float())
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_int(_env: *const Env, value: c_int) -> Term {
    Term::small(i64::from(value))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_uint(_env: *const Env, value: c_uint) -> Term {
    Term::small(i64::from(value))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_long(env: &mut Env, value: c_long) -> Term {
    build::integer(env.heap(), value)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_ulong(env: &mut Env, value: c_ulong) -> Term {
    build::unsigned(env.heap(), value)
}

/// Raises `badarg` for what is no number.
#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_double(env: &mut Env, value: f64) -> Term {
    match value.is_finite() {
        true => build::float(env.heap(), value),
        false => enif_make_badarg(env),
    }
}
