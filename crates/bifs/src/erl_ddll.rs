//! `erl_ddll`: ferl's own drivers, which are linked in and permanent, and those of native libraries
//! ([`native::driver::loaded`]).
//!
//! Any thread may call these functions.

use layout::Term;
use term::unicode::filename::{self, Allowed};
use term::{am, atom, build, iolist, list, reference};

use drivers::open::drivers;
use native::driver::loaded::{
    self, Awaited, FIRST_MESSAGE, NOT_AVAILABLE, OpenFailure, Outcome, Reload, Request, Told,
};
use runtime::code::bif::{BifResult, badarg};
use runtime::effects::signal_handling;
use runtime::process::Process;

/// Bytes of the longest driver name: that of an atom of Latin-1 characters.
const LONGEST_NAME: usize = 255;
/// The bytes of a driver's name. As on stock, a list may be empty, an atom not.
fn name(term: Term) -> Option<Vec<u8>> {
    if term == am::EMPTY {
        return None;
    }
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

/// Whether a driver is in no library of its own.
fn is_linked_in(name: &[u8]) -> bool {
    drivers().any(|(linked, _)| linked.as_bytes() == name) || loaded::was_added(name)
}

fn is(term: Term, text: &str) -> bool {
    term.is_atom() && atom::text(term) == text
}

/// The value of a `monitor` or `reload` option.
fn told(when: Term) -> Option<Told> {
    match () {
        () if is(when, "pending") => Some(Told::Pending),
        () if is(when, "pending_driver") => Some(Told::PendingDriver),
        () => None,
    }
}

/// Has a driver loaded or unloaded; `do_it` is told who asks.
fn request(
    process: &mut Process,
    driver: Term,
    name: &[u8],
    told: Told,
    do_it: impl FnOnce(&Request<'_>) -> Outcome,
) -> BifResult {
    let (monitor, tag) = match told {
        Told::Never => (Term::NIL, Term::NIL),
        _ => {
            let monitor = reference::make(process.heap());
            (monitor, build::tuple(process.heap(), &[monitor, driver]))
        }
    };
    let outcome = do_it(&Request {
        process: process.pid(),
        name,
        told,
        tag,
    });
    let heap = process.heap();
    let (status, is_told) = match outcome {
        Outcome::Loaded => ("loaded", false),
        Outcome::AlreadyLoaded => ("already_loaded", false),
        Outcome::PendingProcess(is_told) => ("pending_process", is_told),
        Outcome::PendingDriver(is_told) => ("pending_driver", is_told),
        Outcome::Refused(reason) => return failure(process, atom::known(reason)),
        Outcome::Failed(why) => {
            let reason = why.reason(heap);
            return failure(process, reason);
        }
    };
    let status = atom::known(status);
    Ok(match is_told {
        true => build::tuple(heap, &[am::OK, status, monitor]),
        false => build::tuple(heap, &[am::OK, status]),
    })
}

/// Has the process told of a driver that is loaded.
fn await_change(process: &mut Process, driver: Term, kind: Awaited) -> Term {
    let monitor = reference::make(process.heap());
    let tag = build::tuple(process.heap(), &[monitor, driver]);
    let name = name(driver).unwrap_or_default();
    loaded::await_change(process.pid(), &name, tag, kind);
    monitor
}

fn failure(process: &mut Process, reason: Term) -> BifResult {
    Ok(build::tuple(process.heap(), &[am::ERROR, reason]))
}

/// `erl_ddll:loaded_drivers()`
pub(crate) fn loaded_drivers_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let heap = process.heap();
    let added = loaded::names();
    let added = added.iter().map(|name| build::byte_list(heap, name));
    let mut names: Vec<Term> = added.collect();
    names.extend(drivers().map(|(name, _)| build::string(heap, name)));
    let list = build::list(heap, &names);
    Ok(build::tuple(heap, &[am::OK, list]))
}

/// `erl_ddll:info(Name, Item)`
pub(crate) fn info_2(process: &mut Process, [driver, item]: [Term; 2]) -> BifResult {
    let linked_in = atom::known("linked_in_driver");
    let name = name(driver).ok_or(badarg(1))?;
    if !is_linked_in(&name) {
        let facts = loaded::facts(&name).ok_or(badarg(1))?;
        return fact(process, &name, &facts, item);
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

/// What is known of a driver of a native library.
fn fact(process: &mut Process, name: &[u8], facts: &loaded::Facts, item: Term) -> BifResult {
    if !item.is_atom() {
        return Err(badarg(2));
    }
    let heap = process.heap();
    let mut counted = |counts: &[(Term, usize)]| {
        let pairs: Vec<Term> = counts
            .iter()
            .map(|&(pid, count)| build::tuple(heap, &[pid, Term::small(count as i64)]))
            .collect();
        build::list(heap, &pairs)
    };
    Ok(match atom::text(item) {
        "linked_in_driver" => am::FALSE,
        "permanent" => atom::known(if facts.is_permanent { "true" } else { "false" }),
        "processes" => counted(&facts.users),
        "awaiting_load" => counted(&loaded::awaiting(name, true)),
        "awaiting_unload" => counted(&loaded::awaiting(name, false)),
        "port_count" => Term::small(facts.ports as i64),
        "driver_options" if facts.kills_ports => build::list(heap, &[atom::known("kill_ports")]),
        "driver_options" => Term::NIL,
        _ => return Err(badarg(2)),
    })
}

/// `erl_ddll:try_load(Path, Name, Options)`
pub(crate) fn try_load_3(process: &mut Process, [path, driver, options]: [Term; 3]) -> BifResult {
    let allowed = Allowed {
        atoms: false,
        empty: true,
        zeros_in_binaries: false,
    };
    let path = filename::to_native(path, filename::native_encoding(), allowed).ok_or(badarg(1))?;
    let name = name(driver).ok_or(badarg(2))?;
    let (mut reloads, mut kills_ports, mut when_told) = (Reload::Never, false, Told::Never);
    for option in list::to_vec(options).ok_or(badarg(3))? {
        match option.as_tuple_of() {
            Some([kind, list]) if is(kind, "driver_options") => {
                let flags = list::to_vec(list).ok_or(badarg(3))?;
                if !flags.iter().all(|flag| is(*flag, "kill_ports")) {
                    return Err(badarg(3));
                }
                kills_ports = !flags.is_empty();
            }
            Some([kind, when]) if kind == am::MONITOR => {
                when_told = told(when).ok_or(badarg(3))?;
            }
            Some([kind, when]) if is(kind, "reload") => {
                reloads = match told(when).ok_or(badarg(3))? {
                    Told::Pending => Reload::Pending,
                    _ => Reload::PendingDriver,
                };
            }
            _ => return Err(badarg(3)),
        }
    }
    request(process, driver, &name, when_told, |request| {
        if is_linked_in(&name) {
            Outcome::Refused("linked_in_driver")
        } else if !runtime::process::config::get().flags.native_libraries {
            Outcome::Failed(OpenFailure::NotAvailable)
        } else {
            loaded::load(request, &path, kills_ports, reloads)
        }
    })
}

/// `erl_ddll:try_unload(Name, Options)`
pub(crate) fn try_unload_2(process: &mut Process, [driver, options]: [Term; 2]) -> BifResult {
    let (mut kills_ports, mut when_told) = (false, Told::Never);
    for option in list::to_vec(options).ok_or(badarg(2))? {
        match option.as_tuple_of() {
            Some([kind, when]) if kind == am::MONITOR => {
                when_told = told(when).ok_or(badarg(2))?;
            }
            None if is(option, "kill_ports") => kills_ports = true,
            _ => return Err(badarg(2)),
        }
    }
    let name = name(driver).ok_or(badarg(1))?;
    request(
        process,
        driver,
        &name,
        when_told,
        |request| match is_linked_in(&name) {
            true => Outcome::Refused("linked_in_driver"),
            false => loaded::unload(request, kills_ports),
        },
    )
}

/// `erl_ddll:monitor(driver, {Name, When})`: the message comes at once if the driver is already as it is awaited.
pub(crate) fn monitor_2(process: &mut Process, [kind, item]: [Term; 2]) -> BifResult {
    if !is(kind, "driver") {
        return Err(badarg(1));
    }
    let Some([driver, when]) = item.as_tuple_of() else {
        return Err(badarg(2));
    };
    let awaited = match () {
        () if is(when, "loaded") => Awaited::Loaded,
        () if is(when, "unloaded") => Awaited::Unloaded,
        () if is(when, "unloaded_only") => Awaited::UnloadedOnly,
        () => return Err(badarg(2)),
    };
    let name = name(driver).ok_or(badarg(2))?;
    let facts = loaded::facts(&name);
    let (tag, state) = match facts {
        _ if is_linked_in(&name) => ("UP", "permanent"),
        Some(facts) if facts.is_permanent => ("UP", "permanent"),
        Some(_) if awaited != Awaited::Loaded => return Ok(await_change(process, driver, awaited)),
        Some(facts) if facts.awaits_load => return Ok(await_change(process, driver, awaited)),
        Some(facts) if facts.is_leaving => ("DOWN", "load_cancelled"),
        Some(_) => ("UP", "loaded"),
        None => ("DOWN", "unloaded"),
    };
    let monitor = reference::make(process.heap());
    let message = [atom::known(tag), monitor, kind, driver, atom::known(state)];
    let message = build::tuple(process.heap(), &message);
    signal_handling::deliver_last(process, am::SYSTEM, message);
    Ok(monitor)
}

/// `erl_ddll:demonitor(Reference)`
pub(crate) fn demonitor_1(process: &mut Process, [monitor]: [Term; 1]) -> BifResult {
    if !monitor.is_reference() {
        return Err(badarg(1));
    }
    loaded::forget(process.pid(), monitor);
    Ok(am::TRUE)
}

const NO_INIT: &str = "No driver init in dynamic library";
const INIT_FAILED: &str = "Driver init failed";
const BAD_NAME: &str = "Bad driver name";
const LONG_NAME: &str = "Driver name to long";
const WRONG_VERSION: &str = "Driver compiled with incorrect version of erl_driver.h";

/// `erl_ddll:format_error_int(Reason)`: OTP's texts.
pub(crate) fn format_error_int_1(process: &mut Process, [reason]: [Term; 1]) -> BifResult {
    let text = match reason.as_tuple_of() {
        Some([kind, code]) if is(kind, "open_error") => text_of(code.as_small().ok_or(badarg(1))?),
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
        "bad_driver_name" => BAD_NAME,
        "no_driver_init" => NO_INIT,
        "driver_init_failed" => INIT_FAILED,
        "driver_incorrect_version" => WRONG_VERSION,
        "driver_name_to_long" => LONG_NAME,
        _ => return None,
    })
}

fn text_of(code: i64) -> String {
    let fixed = match code {
        0 => "No error",
        -1 => NO_INIT,
        -2 => INIT_FAILED,
        -3 => BAD_NAME,
        -4 => LONG_NAME,
        -5 => WRONG_VERSION,
        NOT_AVAILABLE => "DDLL functionality not available on this platform",
        -7 => "Unspecified dynamic library error",
        -8 => "Symbol not found in dynamic library",
        ..=FIRST_MESSAGE => "Unknown dlload error",
        _ => "Unspecified error",
    };
    loaded::message(code).unwrap_or_else(|| fixed.to_owned())
}
