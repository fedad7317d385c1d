//! BIFs on ports, of `erlang` and `erts_internal`. Those of `erts_internal` return the reason of an error, which
//! `erlang` raises.

use layout::Term;
use term::copy::{self, Owned};
use term::integer::uint32;
use term::{am, atom, build, list, node};

use drivers::{open, settings};
use runtime::code::bif::{BifResult, Failure, badarg};
use runtime::effects::port;
use runtime::effects::port::signals::{self, CommandResult};
use runtime::mail::registry;
use runtime::process::Process;

/// `erts_internal:open_port(Name, Settings)`
pub(crate) fn open_port_2(process: &mut Process, [name, settings]: [Term; 2]) -> BifResult {
    let settings = match settings::read(settings) {
        Ok(settings) => settings,
        Err(reason) => return Ok(reason),
    };
    let Some(name) = open::name(name) else {
        return Ok(am::BADARG);
    };
    Ok(open::open(process, name, settings).unwrap_or_else(|reason| reason))
}

/// `erts_internal:port_command(Port, Data, Flags)`
pub(crate) fn port_command_3(process: &mut Process, [port, data, flags]: [Term; 3]) -> BifResult {
    let (mut force, mut nosuspend) = (false, false);
    for flag in list::items(flags) {
        match flag {
            Ok(am::FORCE) => force = true,
            Ok(am::NOSUSPEND) => nosuspend = true,
            _ => return Ok(am::BADOPT),
        }
    }
    let Some(found) = port::resolve(port) else {
        return Ok(am::BADARG);
    };
    match signals::command(process, &found, data, force, !nosuspend) {
        CommandResult::Answer(answer) => Ok(answer),
        CommandResult::Busy if nosuspend => Ok(am::FALSE),
        CommandResult::Busy => {
            runtime::effects::system_monitor::busy_port(process.pid(), found.id);
            // The command is tried again when the port has resumed the process.
            port::busy::suspend_sender(process);
            Err(Failure::Wait {
                arguments: [port, data, flags].into(),
            })
        }
    }
}

/// `erts_internal:port_connect(Port, Pid)`
pub(crate) fn port_connect_2(process: &mut Process, [port, pid]: [Term; 2]) -> BifResult {
    let Some(found) = port::resolve(port).filter(|_| pid.is_local_pid()) else {
        return Ok(am::BADARG);
    };
    Ok(signals::connect(process, &found, pid))
}

/// `erts_internal:port_close(Port)`
pub(crate) fn port_close_1(process: &mut Process, [port]: [Term; 1]) -> BifResult {
    let Some(found) = port::resolve(port) else {
        return Ok(am::BADARG);
    };
    Ok(signals::close(process, &found))
}

/// `erts_internal:port_control(Port, Operation, Data)`
pub(crate) fn port_control_3(
    process: &mut Process,
    [port, operation, data]: [Term; 3],
) -> BifResult {
    let (Some(found), Some(operation)) = (port::resolve(port), uint32(operation)) else {
        return Ok(am::BADARG);
    };
    Ok(signals::control(process, &found, operation, data))
}

/// `erts_internal:port_call(Port, Operation, Data)`
pub(crate) fn port_call_3(process: &mut Process, [port, operation, data]: [Term; 3]) -> BifResult {
    let (Some(found), Some(operation)) = (port::resolve(port), uint32(operation)) else {
        return Ok(am::BADARG);
    };
    Ok(signals::call(process, &found, operation, data))
}

/// `erlang:ports()`
pub(crate) fn ports_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let ports = port::list();
    Ok(build::list(process.heap(), &ports))
}

/// `erlang:port_set_data(Port, Data)`
pub(crate) fn port_set_data_2(_process: &mut Process, [port, data]: [Term; 2]) -> BifResult {
    let found = port::resolve(port).ok_or(badarg(1))?;
    match found.set_data(Owned::new(data)) {
        true => Ok(am::TRUE),
        false => Err(badarg(1)),
    }
}

/// `erlang:port_get_data(Port)`
pub(crate) fn port_get_data_1(process: &mut Process, [port]: [Term; 1]) -> BifResult {
    let found = port::resolve(port).ok_or(badarg(1))?;
    let heap = process.heap();
    let data = found.with_data(|data| copy::copy(heap, data));
    data.ok_or(badarg(1))
}

/// The items of `port_info/1`, after the registered name.
const INFO_ITEMS: [Term; 7] = [
    am::NAME,
    am::LINKS,
    am::ID,
    am::CONNECTED,
    am::INPUT,
    am::OUTPUT,
    am::OS_PID,
];

/// Whether `port` is a name, or a port of this node, which may be gone.
fn is_known(port: Term) -> bool {
    port.is_local_port() || port.is_atom() || port.is_port() && node::is_own(port)
}

/// `erts_internal:port_info(Port)`
pub(crate) fn port_info_1(process: &mut Process, [port]: [Term; 1]) -> BifResult {
    if !is_known(port) {
        return Ok(am::BADARG);
    }
    let Some(found) = port::resolve(port) else {
        return Ok(am::UNDEFINED);
    };
    Ok(signals::request(
        process,
        &found,
        am::INFO,
        Term::NIL,
        |request| {
            let named = registry::name_of(request.port.id).map(|_| am::REGISTERED_NAME);
            let items = named.into_iter().chain(INFO_ITEMS);
            let mut pairs = Vec::new();
            for item in items {
                pairs.extend(port::info::item(
                    request.port,
                    request.state,
                    item,
                    request.heap,
                ));
            }
            match pairs.is_empty() {
                true => am::UNDEFINED,
                false => build::list(request.heap, &pairs),
            }
        },
    ))
}

/// `erts_internal:port_info(Port, Item)`
pub(crate) fn port_info_2(process: &mut Process, [port, item]: [Term; 2]) -> BifResult {
    if !is_known(port) {
        return Ok(atom::known("badtype"));
    }
    let found = port::resolve(port);
    // If no port has the name, or the port is of an earlier incarnation, the item is not checked.
    if !(port::info::is_item(item) || !port.is_local_port() && found.is_none()) {
        return Ok(am::BADARG);
    }
    let Some(found) = found else {
        return Ok(am::UNDEFINED);
    };
    Ok(signals::request(
        process,
        &found,
        am::INFO,
        item,
        |request| {
            if request.argument == am::REGISTERED_NAME
                && registry::name_of(request.port.id).is_none()
            {
                return Term::NIL;
            }
            port::info::item(request.port, request.state, request.argument, request.heap)
                .unwrap_or(am::UNDEFINED)
        },
    ))
}
