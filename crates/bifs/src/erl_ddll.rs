//! `erl_ddll`: the VM's own drivers, which are linked in and permanent. Loading others always fails: with the operating
//! system's error if the file cannot be opened, otherwise with an error that says that loading is not available.
//!
//! Any thread may call these functions; a lock guards the list of the system's error messages.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;

use layout::Term;
use parking_lot::Mutex;
use term::unicode::filename::{self, Allowed};
use term::{am, atom, build, iolist, list, reference};

use drivers::open::DRIVERS;
use runtime::bif::{BifResult, badarg};
use runtime::process::Process;
use runtime::signal::handle;

/// Bytes of the longest driver name: that of an atom of Latin-1 characters.
const LONGEST_NAME: usize = 255;
/// The code in `{open_error, Code}` that says that loading is not available.
const NOT_AVAILABLE: i64 = -6;
/// The code of the first message that came from the operating system; later messages get lower codes.
const FIRST_MESSAGE: i64 = -10;

/// The operating system's messages about files that could not be opened; each has a code.
static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The bytes of a driver's name.
fn name(term: Term) -> Option<Vec<u8>> {
    if term.is_atom() {
        return atom::text(term)
            .chars()
            .map(|character| u8::try_from(u32::from(character)).ok())
            .collect();
    }
    if !(term.is_cons() || term.is_nil() || term.is_bitstring()) {
        return None;
    }
    iolist::to_vec(term, LONGEST_NAME).ok()
}

fn is_linked_in(name: &[u8]) -> bool {
    DRIVERS.iter().any(|(linked, _)| linked.as_bytes() == name)
}

fn is(term: Term, text: &str) -> bool {
    term.is_atom() && atom::text(term) == text
}

/// Whether this is a time at which a `monitor` or `reload` option may ask for a message.
fn is_pending(when: Term) -> bool {
    is(when, "pending") || is(when, "pending_driver")
}

fn failure(process: &mut Process, reason: Term) -> BifResult {
    Ok(build::tuple(process.heap(), &[am::ERROR, reason]))
}

/// `erl_ddll:loaded_drivers()`
pub fn loaded_drivers_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let heap = process.heap();
    let names = DRIVERS.iter().map(|(name, _)| build::string(heap, name));
    let names: Vec<Term> = names.collect();
    let list = build::list(heap, &names);
    Ok(build::tuple(heap, &[am::OK, list]))
}

/// `erl_ddll:info(Name, Item)`
pub fn info_2(_process: &mut Process, [driver, item]: [Term; 2]) -> BifResult {
    let linked_in = atom::known("linked_in_driver");
    let known = name(driver).is_some_and(|name| is_linked_in(&name));
    if !known {
        return Err(badarg(1));
    }
    if !item.is_atom() {
        return Err(badarg(2));
    }
    match atom::text(item) {
        "linked_in_driver" => Ok(am::TRUE),
        "permanent" => Ok(am::FALSE),
        "processes" | "driver_options" | "port_count" | "awaiting_load" | "awaiting_unload" => {
            Ok(linked_in)
        }
        _ => Err(badarg(2)),
    }
}

/// `erl_ddll:try_load(Path, Name, Options)`
pub fn try_load_3(process: &mut Process, [path, driver, options]: [Term; 3]) -> BifResult {
    let allowed = Allowed {
        atoms: false,
        empty: true,
        zeros_in_binaries: false,
    };
    let path = filename::to_native(path, filename::native_encoding(), allowed).ok_or(badarg(1))?;
    let name = name(driver).ok_or(badarg(2))?;
    let mut reloads = false;
    for option in list::to_vec(options).ok_or(badarg(3))? {
        match option.as_tuple() {
            Some(&[kind, list]) if is(kind, "driver_options") => {
                let flags = list::to_vec(list).ok_or(badarg(3))?;
                if !flags.iter().all(|flag| is(*flag, "kill_ports")) {
                    return Err(badarg(3));
                }
            }
            Some(&[kind, when]) if kind == am::MONITOR && is_pending(when) => (),
            Some(&[kind, when]) if is(kind, "reload") && is_pending(when) => reloads = true,
            _ => return Err(badarg(3)),
        }
    }
    if is_linked_in(&name) {
        return failure(process, atom::known("linked_in_driver"));
    }
    if reloads {
        return failure(process, atom::known("not_loaded"));
    }
    let mut file = path;
    if !file.ends_with(b"/") {
        file.push(b'/');
    }
    file.extend_from_slice(&name);
    file.extend_from_slice(b".so");
    let code = match std::fs::File::open(OsStr::from_bytes(&file)) {
        Ok(_) => NOT_AVAILABLE,
        Err(error) => code_of(&error),
    };
    let heap = process.heap();
    let reason = [atom::known("open_error"), Term::small(code)];
    let reason = build::tuple(heap, &reason);
    failure(process, reason)
}

/// The code for the system's message about a file that cannot be opened.
fn code_of(error: &io::Error) -> i64 {
    // The standard library appends the error number to the system's message.
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    let message = format!("cannot open shared object file: {words}");
    let mut messages = MESSAGES.lock();
    let place = messages.iter().position(|known| *known == message);
    let place = place.unwrap_or_else(|| {
        messages.push(message);
        messages.len() - 1
    });
    FIRST_MESSAGE - place as i64
}

/// `erl_ddll:try_unload(Name, Options)`
pub fn try_unload_2(process: &mut Process, [driver, options]: [Term; 2]) -> BifResult {
    for option in list::to_vec(options).ok_or(badarg(2))? {
        match option.as_tuple() {
            Some(&[kind, when]) if kind == am::MONITOR && is_pending(when) => (),
            None if is(option, "kill_ports") => (),
            _ => return Err(badarg(2)),
        }
    }
    let name = name(driver).ok_or(badarg(1))?;
    let reason = if is_linked_in(&name) {
        "linked_in_driver"
    } else {
        "not_loaded"
    };
    failure(process, atom::known(reason))
}

/// `erl_ddll:monitor(driver, {Name, When})`: no load or unload is ever pending, so the message is delivered at once.
pub fn monitor_2(process: &mut Process, [kind, item]: [Term; 2]) -> BifResult {
    if !is(kind, "driver") {
        return Err(badarg(1));
    }
    let Some(&[driver, when]) = item.as_tuple() else {
        return Err(badarg(2));
    };
    if !["loaded", "unloaded", "unloaded_only"]
        .iter()
        .any(|known| is(when, known))
    {
        return Err(badarg(2));
    }
    let name = name(driver).ok_or(badarg(2))?;
    let (tag, state) = if is_linked_in(&name) {
        ("UP", "permanent")
    } else {
        ("DOWN", "unloaded")
    };
    let monitor = reference::make(process.heap());
    let message = [atom::known(tag), monitor, kind, driver, atom::known(state)];
    let message = build::tuple(process.heap(), &message);
    handle::deliver_last(process, message);
    Ok(monitor)
}

/// `erl_ddll:demonitor(Reference)`
pub fn demonitor_1(_process: &mut Process, [monitor]: [Term; 1]) -> BifResult {
    if monitor.is_reference() {
        Ok(am::TRUE)
    } else {
        Err(badarg(1))
    }
}

/// `erl_ddll:format_error_int(Reason)`: OTP's texts.
pub fn format_error_int_1(process: &mut Process, [reason]: [Term; 1]) -> BifResult {
    let text = match reason.as_tuple() {
        Some(&[kind, code]) if is(kind, "open_error") => text_of(code.as_small().ok_or(badarg(1))?),
        None if reason.is_atom() => text_of_reason(atom::text(reason))
            .ok_or(badarg(1))?
            .to_owned(),
        _ => return Err(badarg(1)),
    };
    Ok(build::string(process.heap(), &text))
}

fn text_of_reason(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "inconsistent" => {
            "Driver name and/or driver options are inconsistent with currently loaded driver"
        }
        "linked_in_driver" => "Driver is statically linked and cannot be loaded/unloaded",
        "permanent" => "DDLL driver is permanent an cannot be unloaded/loaded",
        "not_loaded" => "DDLL driver is not loaded",
        "not_loaded_by_this_process" => "DDLL driver was not loaded by this process",
        "not_pending" => "DDLL load not pending for this driver name",
        "already_loaded" => "DDLL driver is already loaded successfully",
        "pending_reload" => "Driver reloading is already pending",
        "pending_process" => {
            "Driver is loaded by others when attempting option {reload, pending_driver}"
        }
        "bad_driver_name" => "Bad driver name",
        _ => return None,
    })
}

fn text_of(code: i64) -> String {
    let fixed = match code {
        0 => "No error",
        -1 => "No driver init in dynamic library",
        -2 => "Driver init failed",
        -3 => "Bad driver name",
        -4 => "Driver name to long",
        -5 => "Driver compiled with incorrect version of erl_driver.h",
        NOT_AVAILABLE => "DDLL functionality not available on this platform",
        -7 => "Unspecified dynamic library error",
        -8 => "Symbol not found in dynamic library",
        ..=FIRST_MESSAGE => "Unknown dlload error",
        _ => "Unspecified error",
    };
    let place = FIRST_MESSAGE
        .checked_sub(code)
        .and_then(|place| usize::try_from(place).ok());
    place
        .and_then(|place| MESSAGES.lock().get(place).cloned())
        .unwrap_or_else(|| fixed.to_owned())
}
