//! Time, and integers that are made only once.

use std::ffi::c_int;

use layout::Term;
use runtime::mail::{time, unique};
use term::build;

use crate::env::Env;

/// The result for a unit that there is not.
const ERROR: i64 = i64::MIN;

/// Units of `ErlNifTimeUnit` in a second.
fn per_second(unit: c_int) -> Option<i64> {
    Some(match unit {
        0 => 1,
        1 => 1_000,
        2 => 1_000_000,
        3 => 1_000_000_000,
        _ => return None,
    })
}

fn convert(value: i64, from: c_int, to: c_int) -> i64 {
    let (Some(from), Some(to)) = (per_second(from), per_second(to)) else {
        return ERROR;
    };
    let converted = (i128::from(value) * i128::from(to)).div_euclid(i128::from(from));
    converted as i64
}

const NANOSECONDS: c_int = 3;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn enif_monotonic_time(unit: c_int) -> i64 {
    convert(time::monotonic_ns(), NANOSECONDS, unit)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn enif_time_offset(unit: c_int) -> i64 {
    convert(time::offset_ns(), NANOSECONDS, unit)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn enif_convert_time_unit(value: i64, from: c_int, to: c_int) -> i64 {
    convert(value, from, to)
}

/// `{MegaSeconds, Seconds, MicroSeconds}`
fn timestamp(env: &mut Env, time_us: i64) -> Term {
    let seconds = time_us.div_euclid(1_000_000);
    let parts = [
        seconds.div_euclid(1_000_000),
        seconds.rem_euclid(1_000_000),
        time_us.rem_euclid(1_000_000),
    ];
    build::tuple(env.heap(), &parts.map(Term::small))
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn enif_now_time(env: &mut Env) -> Term {
    timestamp(env, unique::now_us())
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn enif_cpu_time(env: &mut Env) -> Term {
    timestamp(env, sys::clock::process_cpu_ns() / 1_000)
}

/// `ErlNifUniqueInteger`
const POSITIVE: c_int = 1;
const MONOTONIC: c_int = 2;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn enif_make_unique_integer(env: &mut Env, properties: c_int) -> Term {
    let (positive, monotonic) = (properties & POSITIVE != 0, properties & MONOTONIC != 0);
    unique::integer(env.heap(), positive, monotonic)
}
