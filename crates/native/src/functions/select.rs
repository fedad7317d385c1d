//! Waiting for descriptors: a message when one is ready.
//!
//! A descriptor belongs to one object from its first selection until it is stopped. Each selection is for one message.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use layout::Term;
use parking_lot::Mutex;
use runtime::mail::{io, signal};
use sys::poll::{Event, Interest, Token};
use term::copy::Owned;
use term::{am, atom, build, heap::Scratch};

use crate::abi::Identifier;
use crate::check;
use crate::env::Env;
use crate::resource;

/// `enum ErlNifSelectFlags`
const READ: c_int = 1;
const WRITE: c_int = 1 << 1;
const STOP: c_int = 1 << 2;
const CANCEL: c_int = 1 << 3;
const CUSTOM_MESSAGE: c_int = 1 << 4;
const ERROR: c_int = 1 << 5;

/// Bits of the result.
const STOP_CALLED: c_int = 1;
const INVALID_EVENT: c_int = 1 << 2;
const FAILED: c_int = 1 << 3;
const READ_CANCELLED: c_int = 1 << 4;
const WRITE_CANCELLED: c_int = 1 << 5;
const ERROR_CANCELLED: c_int = 1 << 6;

/// A message to be sent when a descriptor is ready.
struct Selection {
    to: Term,
    message: Owned,
}

/// A descriptor that is selected.
struct Selected {
    /// Counted once.
    object: Object,
    /// For reading, writing and errors.
    selections: [Option<Selection>; 3],
    token: Option<Token>,
    /// The number of the registration: what is told of an earlier one, whose descriptor had the same number, is not for
    /// this one.
    registration: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Object(*mut c_void);

// SAFETY: the address of a library's object.
unsafe impl Send for Object {}

static NEXT_REGISTRATION: AtomicU64 = AtomicU64::new(1);

static SELECTED: LazyLock<Mutex<HashMap<c_int, Selected>>> = LazyLock::new(Mutex::default);

/// How many descriptors libraries have selected.
pub fn selected_descriptors() -> usize {
    SELECTED.lock().len()
}

/// For each kind of selection: its flag, the bit for its cancellation, the name in its message.
const KINDS: [(c_int, c_int, &str); 3] = [
    (READ, READ_CANCELLED, "ready_input"),
    (WRITE, WRITE_CANCELLED, "ready_output"),
    (ERROR, ERROR_CANCELLED, "ready_error"),
];

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_select(
    env: &mut Env,
    event: c_int,
    flags: c_int,
    object: *mut c_void,
    pid: Option<&Identifier>,
    reference: Term,
) -> c_int {
    // SAFETY: the header asks for a live object.
    unsafe {
        enif_select_x(
            env,
            event,
            flags & !CUSTOM_MESSAGE,
            object,
            pid,
            reference,
            None,
        )
    }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_select_x(
    env: &mut Env,
    event: c_int,
    flags: c_int,
    object: *mut c_void,
    pid: Option<&Identifier>,
    message: Term,
    message_env: Option<&mut Env>,
) -> c_int {
    if event < 0 {
        return c_int::MIN | INVALID_EVENT;
    }
    if flags & STOP != 0 {
        // SAFETY: the header asks for a live object.
        return unsafe { stop(event, object) };
    }
    if flags & CANCEL != 0 {
        return cancel(event, flags);
    }
    check::read(env, "enif_select", message);
    let to = match pid {
        Some(pid) => pid.0,
        None => env.caller().unwrap_or(Term::NIL),
    };
    // SAFETY: the header asks for a live object.
    let selection = |name: &str| unsafe {
        let mut scratch = Scratch::new();
        let built = match flags & CUSTOM_MESSAGE != 0 {
            true => message,
            false => {
                let heap = scratch.heap();
                let handle = resource::make_reference(heap, object);
                build::tuple(
                    heap,
                    &[atom::known("select"), handle, message, atom::known(name)],
                )
            }
        };
        Selection {
            to,
            message: Owned::new(built),
        }
    };
    let mut all = SELECTED.lock();
    let is_new = !all.contains_key(&event);
    let selected = all.entry(event).or_insert_with(|| {
        // SAFETY: the caller's promise.
        unsafe { resource::keep(object) };
        Selected {
            object: Object(object),
            selections: [None, None, None],
            token: None,
            registration: 0,
        }
    });
    for (place, (flag, _, name)) in KINDS.into_iter().enumerate() {
        if flags & flag != 0 {
            selected.selections[place] = Some(selection(name));
        }
    }
    if !watch(event, selected) {
        if is_new {
            let gone = all.remove(&event);
            drop(all);
            if gone.is_some() {
                // SAFETY: counted above.
                unsafe { resource::release(object) };
            }
        }
        return c_int::MIN | FAILED;
    }
    drop(all);
    if let Some(env) = message_env {
        env.clear();
    }
    0
}

/// Watches a descriptor for what was selected. It is registered anew each time: if it is ready already, that is told
/// again.
fn watch(event: c_int, selected: &mut Selected) -> bool {
    let interest = Interest {
        readable: selected.selections[0].is_some() || selected.selections[2].is_some(),
        writable: selected.selections[1].is_some(),
    };
    // SAFETY: the library keeps the descriptor open until the object's type is told that it is stopped.
    let fd = unsafe { BorrowedFd::borrow_raw(event) };
    let before = selected.token.take();
    let registration = NEXT_REGISTRATION.fetch_add(1, Ordering::Relaxed);
    let handler = move |ready| is_ready(event, registration, ready);
    match io::register(fd, interest, Arc::new(handler)) {
        Ok(token) => {
            selected.registration = registration;
            if let Some(before) = before {
                io::forget(before);
            }
            selected.token = Some(token);
            true
        }
        Err(_) => {
            selected.token = before;
            false
        }
    }
}

fn is_ready(event: c_int, registration: u64, ready: Event) {
    let states = [
        ready.is_readable() || ready.is_error() || ready.is_read_closed(),
        ready.is_writable() || ready.is_error(),
        ready.is_error() || ready.is_urgent(),
    ];
    let mut due = Vec::new();
    let mut all = SELECTED.lock();
    let selected = all
        .get_mut(&event)
        .filter(|selected| selected.registration == registration);
    if let Some(selected) = selected {
        for (selection, is_ready) in selected.selections.iter_mut().zip(states) {
            if is_ready {
                due.extend(selection.take());
            }
        }
    }
    drop(all);
    for Selection { to, message } in due {
        signal::send_message(am::SYSTEM, to, message.term());
    }
}

fn cancel(event: c_int, flags: c_int) -> c_int {
    let mut cancelled = 0;
    if let Some(selected) = SELECTED.lock().get_mut(&event) {
        for (selection, (flag, bit, _)) in selected.selections.iter_mut().zip(KINDS) {
            if flags & flag != 0 && selection.take().is_some() {
                cancelled |= bit;
            }
        }
    }
    cancelled
}

/// # Safety
/// `object` is a live object of a library.
unsafe fn stop(event: c_int, object: *mut c_void) -> c_int {
    let stopped = SELECTED.lock().remove(&event);
    let mut result = STOP_CALLED;
    if let Some(selected) = &stopped {
        for (selection, (_, bit, _)) in selected.selections.iter().zip(KINDS) {
            if selection.is_some() {
                result |= bit;
            }
        }
        if let Some(token) = selected.token {
            // SAFETY: the library has not closed the descriptor yet.
            io::unregister(unsafe { BorrowedFd::borrow_raw(event) }, token);
        }
    }
    // SAFETY: the caller's promise; the count that the selection had is dropped last.
    unsafe {
        resource::stop(object, event, true);
        if let Some(selected) = stopped {
            resource::release(selected.object.0);
        }
    }
    result
}
