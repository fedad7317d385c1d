//! Environments of a library's own, messages, processes and ports; how a call uses its slice and continues.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::{ptr, slice};

use layout::Term;
use layout::limits::{REDUCTIONS_PER_SLICE, X_REGISTERS};
use runtime::effects::{port, send};
use runtime::mail::{current, deferred, registry, signal};
use runtime::process::table;
use term::{am, iolist, reference};

use super::atoms;
use super::exceptions::enif_make_badarg;
use super::memory::{enif_alloc, enif_free};
use super::numbers::store;
use crate::abi::{Function, Identifier, Out};
use crate::call::{Target, dirty_kind};
use crate::check;
use crate::env::Env;

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_priv_data(env: &Env) -> *mut c_void {
    env.library()
        .map_or(ptr::null_mut(), |library| library.data())
}

/// The environment lies in memory of [`enif_alloc`]: there are libraries that free an empty one by `enif_free`, which
/// goes well on stock.
#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_alloc_env() -> *mut Env {
    let env = enif_alloc(size_of::<Env>()).cast::<Env>();
    assert!(!env.is_null(), "no memory for an environment");
    // SAFETY: fresh memory of that size; `malloc` aligns it for any type.
    unsafe { env.write(Env::independent(ptr::null())) };
    env
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_free_env(env: *mut Env) {
    // SAFETY: the header asks for an environment of `enif_alloc_env`.
    unsafe {
        env.drop_in_place();
        enif_free(env.cast());
    }
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_clear_env(env: &mut Env) {
    env.clear();
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_copy(env: &mut Env, term: Term) -> Term {
    check::read(ptr::null(), "enif_make_copy", term);
    env.copy(term)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_ref(env: &mut Env) -> Term {
    reference::make(env.heap())
}

/// Sends a message; the terms of `message_env` are gone then. Returns whether the process exists.
///
/// # Safety
/// Environments are live or null.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_send(
    env: *mut Env,
    to: &Identifier,
    message_env: *mut Env,
    message: Term,
) -> c_int {
    // What the message wakes, a tracer's port perhaps, must not call the library.
    // SAFETY: the caller's promise.
    deferred::hold(|| unsafe { sends(env, to, message_env, message) })
}

/// # Safety
/// As for [`enif_send`].
unsafe fn sends(env: *mut Env, to: &Identifier, message_env: *mut Env, message: Term) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { check::sent(env, message_env, message) };
    if !to.0.is_local_pid() {
        return 0;
    }
    // SAFETY: the caller's promise. Both may be the same, so each is borrowed only while the other is not.
    let mut env = unsafe { env.as_mut() };
    if env.as_ref().is_some_and(|env| !env.is_caller_alive()) {
        return 0;
    }
    let caller = env.as_ref().and_then(|env| env.caller());
    let is_built_apart = !message_env.is_null();
    let by_process = env.as_mut().and_then(|env| {
        env.with_process(|process| send::send_by_library(process, to.0, message, is_built_apart))
    });
    let sent = by_process
        .unwrap_or_else(|| signal::send_message(caller.unwrap_or(am::UNDEFINED), to.0, message));
    if sent {
        // SAFETY: as above.
        if let Some(env) = unsafe { message_env.as_mut() } {
            env.clear();
        }
    }
    c_int::from(sent)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_self<'a>(
    env: &mut Env,
    pid: &'a mut Identifier,
) -> Option<&'a mut Identifier> {
    pid.0 = env.caller()?;
    Some(pid)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_local_pid(
    env: *const Env,
    term: Term,
    pid: Out<'_, Identifier>,
) -> c_int {
    check::read(env, "enif_get_local_pid", term);
    store(pid, term.is_local_pid().then_some(Identifier(term)))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_local_port(
    env: *const Env,
    term: Term,
    port: Out<'_, Identifier>,
) -> c_int {
    check::read(env, "enif_get_local_port", term);
    store(port, term.is_local_port().then_some(Identifier(term)))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_set_pid_undefined(pid: Out<'_, Identifier>) {
    pid.write(Identifier(am::UNDEFINED));
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_is_pid_undefined(pid: &Identifier) -> c_int {
    c_int::from(pid.0 == am::UNDEFINED)
}

/// Who is registered by a name.
fn whereis(name: Term) -> Option<Term> {
    name.is_atom().then(|| registry::whereis(name))?
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_whereis_pid(
    _env: *const Env,
    name: Term,
    pid: Out<'_, Identifier>,
) -> c_int {
    store(
        pid,
        whereis(name)
            .filter(|found| found.is_local_pid())
            .map(Identifier),
    )
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_whereis_port(
    _env: *const Env,
    name: Term,
    port: Out<'_, Identifier>,
) -> c_int {
    store(
        port,
        whereis(name)
            .filter(|found| found.is_local_port())
            .map(Identifier),
    )
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_is_process_alive(_env: *const Env, pid: &Identifier) -> c_int {
    c_int::from(table::exists(pid.0))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_is_current_process_alive(env: &mut Env) -> c_int {
    c_int::from(env.is_of_process() && env.is_caller_alive())
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_is_port_alive(_env: *const Env, port: &Identifier) -> c_int {
    c_int::from(port.0.is_local_port() && port::find(port.0).is_some())
}

/// Sends `{self(), {command, Message}}` to a port of this node. Returns whether the port exists and the message is an
/// I/O list.
#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_port_command(
    _env: *const Env,
    to: &Identifier,
    message_env: Option<&mut Env>,
    message: Term,
) -> c_int {
    check::read(ptr::null(), "enif_port_command", message);
    let port = match to.0.is_local_port() {
        true => port::find(to.0),
        false => None,
    };
    let (Some(port), Ok(data)) = (port, iolist::to_vec(message, usize::MAX)) else {
        return 0;
    };
    // A scheduler hands it over: the driver may be the library's own, which may hold the locks that the driver takes.
    port::signals::queue_command(&port, data);
    if let Some(env) = message_env {
        env.clear();
    }
    1
}

/// Charges the process for part of its slice, at most for what is left of it; returns whether the slice is used up. A
/// dirty scheduler has no slices.
#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_consume_timeslice(_env: *const Env, percent: c_int) -> c_int {
    if runtime::mail::dirty::is_here() {
        return 0;
    }
    let left = current::reductions_left().max(0);
    let percent = i64::from(percent.clamp(1, 100));
    let part = percent * REDUCTIONS_PER_SLICE / 100;
    current::charge(part.min(left));
    c_int::from(part >= left)
}

/// Makes the call continue with another function, under another name.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_schedule_nif(
    env: &mut Env,
    name: *const c_char,
    flags: c_int,
    function: Function,
    count: c_int,
    arguments: *const Term,
) -> Term {
    let flags = flags as c_uint;
    // One register is for what was called.
    let arity = u32::try_from(count)
        .ok()
        .filter(|&arity| arity < 255 && (arity as usize) < X_REGISTERS - 1);
    // SAFETY: the header asks for a string.
    let name = atoms::make(env, unsafe { atoms::bytes_of(name) });
    let (Some(arity), Ok(_), false, Some(library)) =
        (arity, dirty_kind(flags), name.is_none(), env.library())
    else {
        return enif_make_badarg(env);
    };
    let target = Target {
        module: library.module,
        name,
        arity: arity + 1,
        function,
        flags,
        is_continuation: true,
    };
    let stub = library.continuation(&target);
    let arguments = match arity {
        0 => &[],
        // SAFETY: the header asks for as many terms.
        _ => unsafe { slice::from_raw_parts(arguments, arity as usize) },
    };
    check::built_on(env, "enif_schedule_nif", arguments);
    env.schedule(stub, arguments.into())
}
