//! The port itself: who is connected, whether it is busy, its end.

use std::ffi::{c_char, c_int};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use layout::Term;
use runtime::effects::port::busy::Watermarks;
use sys::Errno;
use term::{am, atom};

use crate::driver::abi::{CONTROL_BINARY, Data, Handle};
use crate::driver::port;
use crate::functions::atoms::bytes_of;

/// `PORT_FLAG_BINARY`
const BINARY: c_int = 1;

fn done(is_done: bool) -> c_int {
    c_int::from(is_done) - 1
}

/// The port as a term; `[]` if there is no such port.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_mk_port(port: Handle) -> Term {
    let id = port::with(port, |shared, _| shared.id);
    id.or_else(|| Some(port::find(port)?.id))
        .unwrap_or(Term::NIL)
}

/// The connected process; `[]` if there is no such port.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_connected(port: Handle) -> Term {
    port::with(port, |_, access| access.connected()).unwrap_or(Term::NIL)
}

/// The process that the driver is called for; `[]` if it is called for none.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_caller(port: Handle) -> Term {
    port::with(port, |_, access| access.asked_by())
        .flatten()
        .unwrap_or(Term::NIL)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn set_busy_port(port: Handle, on: c_int) {
    port::perform(port, move |_, access| access.set_busy(on != 0));
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn set_port_control_flags(port: Handle, flags: c_int) {
    if let Some(shared) = port::find(port) {
        let is_binary = flags & CONTROL_BINARY != 0;
        shared.control_is_binary.store(is_binary, Ordering::Relaxed);
    }
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn get_port_flags(port: Handle) -> c_int {
    match port::find(port) {
        Some(shared) if shared.is_binary => BINARY,
        _ => 0,
    }
}

/// The limits of the queue of commands: those that are given are set, 0 reads them. The largest number turns them off.
#[unsafe(no_mangle)]
pub(super) extern "C" fn erl_drv_busy_msgq_limits(
    port: Handle,
    low: Option<&mut usize>,
    high: Option<&mut usize>,
) {
    let asked = |limit: &Option<&mut usize>| limit.as_deref().copied().filter(|n| *n > 0);
    let (asked_low, asked_high) = (asked(&low), asked(&high));
    let limits = port::with(port, |_, access| {
        let mut limits = access.queue_watermarks();
        if let Some(low) = asked_low {
            limits.set_low(low);
        }
        if let Some(high) = asked_high {
            limits.set_high(high);
        }
        access.set_queue_watermarks(limits);
        limits
    });
    let limits = limits.unwrap_or(Watermarks::DISABLED);
    if let Some(low) = low {
        *low = limits.low;
    }
    if let Some(high) = high {
        *high = limits.high;
    }
}

/// Ends the port with a reason.
fn end(port: Handle, reason: Term) -> c_int {
    done(port::perform(port, move |shared, access| {
        shared.end();
        access.exit(reason);
    }))
}

/// The port's end of input: a message, if it was opened for that, otherwise its end.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_failure_eof(port: Handle) -> c_int {
    done(port::perform(port, |shared, access| {
        match shared.sends_eof {
            true => access.send_to_connected(|_| am::EOF),
            false => {
                shared.end();
                access.exit(am::NORMAL);
            }
        }
    }))
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_failure_atom(port: Handle, text: *const c_char) -> c_int {
    // SAFETY: the header asks for a string.
    match atom::intern_latin1(unsafe { bytes_of(text) }) {
        Ok(reason) => end(port, reason),
        Err(_) => -1,
    }
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_failure_posix(port: Handle, error: c_int) -> c_int {
    end(port, atom::known(Errno(error).name()))
}

/// Ends the port; the reason is a number. 0 is the end of input.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_failure(port: Handle, error: c_int) -> c_int {
    match error {
        0 => driver_failure_eof(port),
        _ => end(port, Term::small(error.into())),
    }
}

/// Ends the port, of which the connected process is not told; the reason is the error's name, or `normal`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_exit(port: Handle, error: c_int) -> c_int {
    let reason = match error {
        0 => am::NORMAL,
        _ => atom::known(Errno(error).name()),
    };
    done(port::perform(port, move |shared, access| {
        shared.end();
        access.exit_unlinked(reason);
    }))
}

/// The driver stays for ever. Returns below 0 if it is in no library of its own.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_lock_driver(port: Handle) -> c_int {
    let locked = port::find(port).is_some_and(|shared| shared.driver.make_permanent());
    done(locked)
}

/// Makes another port of the driver, which belongs to a process. Returns the port; a number that is none if that fails.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn driver_create_port(
    creator: Handle,
    owner: Term,
    name: *const c_char,
    data: Data,
) -> Handle {
    const NONE: Handle = Handle::MAX;
    // SAFETY: the header asks for a string.
    let name = unsafe { bytes_of(name) };
    let made = port::with(creator, |shared, access| {
        access.open_named_port(owner, Arc::from(name), |access| {
            port::create(&shared.driver, access, data)
        })
    });
    made.flatten().map_or(NONE, port::handle_of)
}

/// Gives the port its data, or refuses it, when the driver answers later than by what `start` returns: with
/// `ERL_DRV_FLAG_USE_INIT_ACK`, once.
#[unsafe(no_mangle)]
pub(super) extern "C" fn erl_drv_init_ack(port: Handle, data: Data) {
    let refusal = port::refusal(data);
    let word = data as usize;
    port::perform(port, move |shared, access| {
        if !access.is_opening() {
            return;
        }
        match refusal {
            None => {
                shared.set_data(word as Data);
                access.answer_open(shared.id);
            }
            Some(reason) => {
                shared.end();
                access.exit_unlinked(am::NORMAL);
                access.answer_open(reason);
            }
        }
    });
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn erl_drv_set_os_pid(port: Handle, pid: isize) {
    if let Ok(pid) = u32::try_from(pid) {
        port::perform(port, move |_, access| access.set_os_pid(pid));
    }
}

/// Whether the driver has used up its time, when it has taken this part of a slice, in percent, beside what it has told
/// of in the same call. Returns below 0 if there is no such port.
#[unsafe(no_mangle)]
pub(super) extern "C" fn erl_drv_consume_timeslice(port: Handle, percent: c_int) -> c_int {
    port::consume(port, percent.clamp(1, 100) as u32).map_or(-1, c_int::from)
}

/// Writes a port as text, as it is printed.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn dtrace_drvport_str(port: Handle, room: *mut c_char) {
    // SAFETY: a handle is the word of a port's identifier.
    let text = text_of(unsafe { Term::from_bits(port as u64) });
    // SAFETY: the header asks for room for the text of a port.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), room.cast(), text.len());
        room.add(text.len()).write(0);
    }
}

fn text_of(port: Term) -> Vec<u8> {
    match port.is_local_port() {
        true => term::print::display_bytes(port),
        false => b"#Port<INVALID>".to_vec(),
    }
}
