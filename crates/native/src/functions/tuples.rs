//! Tuples.

use std::ffi::{c_int, c_uint};
use std::slice;

use layout::{Term, no_gc};
use term::build;

use crate::abi::Out;
use crate::check;
use crate::env::Env;

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_make_tuple_from_array(
    env: &mut Env,
    elements: *const Term,
    count: c_uint,
) -> Term {
    let elements = match count {
        0 => &[],
        // SAFETY: the header asks for as many terms.
        _ => unsafe { slice::from_raw_parts(elements, count as usize) },
    };
    check::built_on(env, "enif_make_tuple", elements);
    build::tuple(env.heap(), elements)
}

/// The elements stay valid as long as the tuple.
#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_tuple(
    env: *const Env,
    tuple: Term,
    arity: Out<'_, c_int>,
    elements: Out<'_, *const Term>,
) -> c_int {
    check::read(env, "enif_get_tuple", tuple);
    let no_gc = no_gc!();
    let Some(parts) = tuple.as_tuple(no_gc) else {
        return 0;
    };
    arity.write(parts.len() as c_int);
    elements.write(parts.as_ptr());
    1
}
