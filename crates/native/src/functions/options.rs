//! `enif_set_option`; its variadic part is in `c/variadic.c`.

use std::ffi::c_int;

use crate::ending::Callback;
use crate::env::Env;

/// `ErlNifOption`
const DELAY_HALT: c_int = 1;
const ON_HALT: c_int = 2;
const ON_UNLOAD_THREAD: c_int = 3;

/// Sets an option of the library that is being loaded; returns 0, or an error number.
#[unsafe(no_mangle)]
extern "C" fn ferl_native_set_option(
    env: Option<&Env>,
    option: c_int,
    callback: Option<Callback>,
) -> c_int {
    let library = env.and_then(Env::library);
    let Some(library) = library.filter(|library| library.is_loading()) else {
        return libc::EINVAL;
    };
    let is_set = match (option, callback) {
        (DELAY_HALT, _) => library.ending.wait_for_it(),
        (ON_HALT, Some(callback)) => library.ending.tell(callback),
        (ON_UNLOAD_THREAD, Some(callback)) => library.ending.tell_threads(callback),
        _ => false,
    };
    if is_set { 0 } else { libc::EINVAL }
}
