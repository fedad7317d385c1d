//! BIFs on ports, of `erlang` and `erts_internal`. Those of `erts_internal` answer the error's
//! reason, which `erlang` raises.

use layout::Term;
use term::copy::{self, Owned};
use term::{am, atom, build};

use super::{BifResult, Failure, badarg};
use crate::port::{self, Outcome, State, open};
use crate::process::Process;
use crate::registry;

/// `erts_internal:open_port(Name, Settings)`
pub fn open_port_2(process: &mut Process, [name, settings]: [Term; 2]) -> BifResult {
    let (Some(name), Some(settings)) = (open::name(name), open::settings(settings)) else {
        return Ok(am::BADARG);
    };
    Ok(open::open(process, name, settings).unwrap_or_else(|reason| reason))
}

/// `erts_internal:port_command(Port, Data, Flags)`
pub fn port_command_3(process: &mut Process, [port, data, flags]: [Term; 3]) -> BifResult {
    let (mut force, mut nosuspend) = (false, false);
    let mut rest = flags;
    while let Some((flag, tail)) = rest.as_cons() {
        match flag {
            am::FORCE => force = true,
            am::NOSUSPEND => nosuspend = true,
            _ => return Ok(atom::known("badopt")),
        }
        rest = tail;
    }
    let Some(found) = port::resolve(port) else {
        return Ok(am::BADARG);
    };
    let Ok(bytes) = term::iolist::to_vec(data, port::MAX_COMMAND_BYTES) else {
        return Ok(am::BADARG);
    };
    if nosuspend && !force && found.is_busy() {
        return Ok(am::FALSE);
    }
    let wait_for = (!force && !nosuspend).then(|| process.pid());
    match found.command(&bytes, wait_for) {
        Outcome::Done => Ok(am::TRUE),
        Outcome::Bad => Ok(am::BADARG),
        Outcome::Busy => {
            crate::system_monitor::busy_port(process.pid(), found.id);
            Err(Failure::Wait {
                arguments: [port, data, flags].into(),
            })
        }
    }
}

/// `erts_internal:port_connect(Port, Pid)`
pub fn port_connect_2(process: &mut Process, [port, pid]: [Term; 2]) -> BifResult {
    let Some(found) = port::resolve(port).filter(|_| pid.is_local_pid()) else {
        return Ok(am::BADARG);
    };
    // The old owner stays linked; the new one is linked as well.
    if pid == process.pid() {
        let link = crate::process::relations::Link::to(found.id);
        process.cold().relations.links.insert(found.id.bits(), link);
    } else if crate::signal::send(pid, crate::signal::Signal::Link { from: found.id }).is_err() {
        return Ok(am::BADARG);
    }
    if !port::link(found.id, pid) {
        return Ok(am::BADARG);
    }
    found.state.lock().connected = pid;
    Ok(am::TRUE)
}

/// `erts_internal:port_close(Port)`
pub fn port_close_1(process: &mut Process, [port]: [Term; 1]) -> BifResult {
    let Some(found) = port::resolve(port) else {
        return Ok(am::BADARG);
    };
    {
        // The caller's own exit signal does not come after the call has answered.
        let own = process.pid();
        found.state.lock().links.retain(|linked| *linked != own);
        if let Some(cold) = process.cold.as_mut() {
            cold.relations.links.remove(&found.id.bits());
        }
    }
    Ok(if found.close(am::NORMAL) {
        am::TRUE
    } else {
        am::BADARG
    })
}

/// `erts_internal:port_control(Port, Operation, Data)`
pub fn port_control_3(process: &mut Process, [port, operation, data]: [Term; 3]) -> BifResult {
    let operation = operation
        .as_small()
        .and_then(|value| u32::try_from(value).ok());
    let bytes = term::iolist::to_vec(data, port::MAX_COMMAND_BYTES);
    let (Some(found), Some(operation), Ok(bytes)) = (port::resolve(port), operation, bytes) else {
        return Ok(am::BADARG);
    };
    let answer = found
        .state
        .lock()
        .driver
        .as_mut()
        .and_then(|driver| driver.control(operation, &bytes));
    Ok(answer.map_or(am::BADARG, |bytes| build::byte_list(process.heap(), &bytes)))
}

/// `erts_internal:port_call(Port, Operation, Data)`
pub fn port_call_3(_process: &mut Process, [_port, _operation, _data]: [Term; 3]) -> BifResult {
    // No driver of this machine has a call.
    Ok(am::BADARG)
}

/// `erlang:ports()`
pub fn ports_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let ports = port::list();
    Ok(build::list(process.heap(), &ports))
}

/// `erlang:port_set_data(Port, Data)`
pub fn port_set_data_2(_process: &mut Process, [port, data]: [Term; 2]) -> BifResult {
    let found = port::resolve(port).ok_or(badarg(1))?;
    found.state.lock().data = Some(Owned::new(data));
    Ok(am::TRUE)
}

/// `erlang:port_get_data(Port)`
pub fn port_get_data_1(process: &mut Process, [port]: [Term; 1]) -> BifResult {
    let found = port::resolve(port).ok_or(badarg(1))?;
    let state = found.state.lock();
    let data = state.data.as_ref().ok_or(badarg(1))?;
    Ok(copy::copy(process.heap(), data.term()))
}

const INFO_ITEMS: &[&str] = &[
    "name",
    "links",
    "id",
    "connected",
    "input",
    "output",
    "os_pid",
];

/// `erts_internal:port_info(Port)`
pub fn port_info_1(process: &mut Process, [port]: [Term; 1]) -> BifResult {
    if !port.is_port() && !port.is_atom() {
        return Ok(am::BADARG);
    }
    let Some(found) = port::resolve(port) else {
        return Ok(am::UNDEFINED);
    };
    let state = found.state.lock();
    let mut pairs = Vec::new();
    if registry::name_of(found.id).is_some() {
        pairs.extend(info(process, found.id, &state, "registered_name"));
    }
    for item in INFO_ITEMS {
        pairs.extend(info(process, found.id, &state, item));
    }
    Ok(build::list(process.heap(), &pairs))
}

/// `erts_internal:port_info(Port, Item)`
pub fn port_info_2(process: &mut Process, [port, item]: [Term; 2]) -> BifResult {
    if !item.is_atom() {
        return Ok(atom::known("badtype"));
    }
    if !port.is_port() && !port.is_atom() {
        return Ok(am::BADARG);
    }
    let Some(found) = port::resolve(port) else {
        return Ok(am::UNDEFINED);
    };
    let state = found.state.lock();
    let text = atom::text(item);
    if text == "registered_name" && registry::name_of(found.id).is_none() {
        return Ok(Term::NIL);
    }
    Ok(info(process, found.id, &state, text).unwrap_or(atom::known("badtype")))
}

fn info(process: &mut Process, id: Term, state: &State, item: &str) -> Option<Term> {
    let heap = process.heap();
    let value = match item {
        "registered_name" => registry::name_of(id)?,
        "name" => build::string(heap, &state.name),
        "links" => build::list(heap, &state.links),
        "id" => Term::small(i64::from(id.identifier_index())),
        "connected" => state.connected,
        "input" => build::unsigned(heap, state.input_bytes),
        "output" => build::unsigned(heap, state.output_bytes),
        "os_pid" => state
            .os_pid
            .map_or(am::UNDEFINED, |pid| Term::small(i64::from(pid))),
        "queue_size" => Term::small(
            state
                .driver
                .as_ref()
                .map_or(0, |driver| driver.queued_bytes()) as i64,
        ),
        "memory" => Term::small((size_of::<port::Port>() + size_of::<State>()) as i64),
        "parallelism" | "locking" => am::FALSE,
        "monitors" => Term::NIL,
        "monitored_by" => {
            let watchers: Vec<Term> = state
                .monitors
                .values()
                .map(|(watcher, _)| *watcher)
                .collect();
            build::list(heap, &watchers)
        }
        _ => return None,
    };
    Some(build::tuple(heap, &[atom::known(item), value]))
}
