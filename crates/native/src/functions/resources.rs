//! Resources, and monitors of processes by them.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use layout::{Term, no_gc};
use term::reference;

use super::{atoms, memory};
use crate::abi::{Destructor, Identifier, Monitor, Out, TypeInit, TypePointer};
use crate::check;
use crate::env::Env;
use crate::resource::{self, Callbacks, Monitored};

/// Opens a type by name.
///
/// # Safety
/// `name` points to a C string.
unsafe fn open(
    env: &mut Env,
    name: *const c_char,
    callbacks: Callbacks,
    flags: c_int,
    tried: Option<&mut c_int>,
) -> TypePointer {
    // SAFETY: the caller's promise.
    let name = atoms::make(env, unsafe { atoms::bytes_of(name) });
    let Some(library) = env.library() else {
        return ptr::null();
    };
    let (kind, what) = resource::open(library, name, callbacks, flags);
    if let Some(tried) = tried {
        *tried = what;
    }
    kind.unwrap_or(ptr::null())
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_open_resource_type(
    env: &mut Env,
    _module: *const c_char,
    name: *const c_char,
    destructor: Option<Destructor>,
    flags: c_int,
    tried: Option<&mut c_int>,
) -> TypePointer {
    let mut callbacks = Callbacks::default();
    callbacks.destructor = destructor;
    // SAFETY: the header asks for a string.
    unsafe { open(env, name, callbacks, flags, tried) }
}

/// The first `count` members.
///
/// # Safety
/// `init` points to as many members.
unsafe fn members(init: *const TypeInit, count: c_int) -> Callbacks {
    let mut callbacks = Callbacks::default();
    // SAFETY: the caller's promise; each member is read only if it is there.
    unsafe {
        if count >= 1 {
            callbacks.destructor = (*init).destructor;
        }
        if count >= 2 {
            callbacks.stop = (*init).stop;
        }
        if count >= 3 {
            callbacks.down = (*init).down;
        }
        if count >= 4 {
            callbacks.dynamic_call = (*init).dynamic_call;
        }
    }
    callbacks
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_open_resource_type_x(
    env: &mut Env,
    name: *const c_char,
    init: *const TypeInit,
    flags: c_int,
    tried: Option<&mut c_int>,
) -> TypePointer {
    // SAFETY: the header asks for a string, and for the first three members.
    unsafe { open(env, name, members(init, 3), flags, tried) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_init_resource_type(
    env: &mut Env,
    name: *const c_char,
    init: *const TypeInit,
    flags: c_int,
    tried: Option<&mut c_int>,
) -> TypePointer {
    // SAFETY: the header asks for a string, and for as many members as the structure says.
    unsafe { open(env, name, members(init, (*init).members), flags, tried) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_alloc_resource(kind: TypePointer, size: usize) -> *mut c_void {
    if !memory::may_have(size) {
        return ptr::null_mut();
    }
    // SAFETY: the header asks for a type that was opened.
    unsafe { resource::allocate(kind, size) }.unwrap_or(ptr::null_mut())
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_release_resource(object: *mut c_void) {
    // SAFETY: the header asks for an object, of which the library has a count.
    unsafe { resource::release(object) };
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_keep_resource(object: *mut c_void) {
    // SAFETY: the header asks for a live object.
    unsafe { resource::keep(object) };
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_make_resource(env: &mut Env, object: *mut c_void) -> Term {
    // SAFETY: the header asks for a live object.
    unsafe { resource::make_reference(env.heap(), object) }
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_get_resource(
    env: *const Env,
    term: Term,
    kind: TypePointer,
    object: Out<'_, *mut c_void>,
) -> c_int {
    check::read(env, "enif_get_resource", term);
    let no_gc = no_gc!();
    let found = resource::get(term, no_gc).filter(|(_, found)| ptr::eq(*found, kind));
    super::numbers::store(object, found.map(|(object, _)| object))
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_sizeof_resource(object: *mut c_void) -> usize {
    // SAFETY: the header asks for a live object.
    unsafe { resource::size_of_object(object) }
}

/// Returns 0 if the function was called.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_dynamic_resource_call(
    env: &mut Env,
    module: Term,
    name: Term,
    term: Term,
    data: *mut c_void,
) -> c_int {
    check::read(env, "enif_dynamic_resource_call", term);
    let no_gc = no_gc!();
    let Some((object, kind)) = resource::get(term, no_gc).filter(|_| term.is_reference()) else {
        return 1;
    };
    let callbacks = kind.callbacks();
    match callbacks.dynamic_call {
        Some(call) if (kind.module, kind.name) == (module, name) => {
            // SAFETY: the function of the type's library, which `callbacks` keeps; the term keeps the object.
            unsafe { call(env, object, data) };
            0
        }
        _ => 1,
    }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_monitor_process(
    _env: *const Env,
    object: *mut c_void,
    pid: &Identifier,
    monitor: Option<&mut Monitor>,
) -> c_int {
    // SAFETY: the header asks for a live object.
    match unsafe { resource::monitor(object, pid.0) } {
        Monitored::Yes(made) => {
            if let Some(monitor) = monitor {
                *monitor = made;
            }
            0
        }
        Monitored::NoCallback => -1,
        Monitored::NoProcess => 1,
    }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_demonitor_process(
    _env: *const Env,
    object: *mut c_void,
    monitor: &Monitor,
) -> c_int {
    // SAFETY: the header asks for a live object.
    c_int::from(!unsafe { resource::demonitor(object, monitor) })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_compare_monitors(one: &Monitor, other: &Monitor) -> c_int {
    one.cmp(other) as c_int
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_make_monitor_term(env: &mut Env, monitor: &Monitor) -> Term {
    reference::with_number(env.heap(), monitor.words[0], monitor.words[1])
}
