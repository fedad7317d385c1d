//! Opening, binding and connecting sockets, and accepting connections.

use std::os::fd::AsFd;
use std::sync::Arc;

use layout::{Term, no_gc};
use sys::Errno;
use sys::memory::budget;
use sys::socket::option::{self, Name};
use sys::socket::{self as system, Descriptor, Half, call, catalogue};
use term::copy::Owned;
use term::release::{self, Release};
use term::{am, build, map};

use super::address::{self, Domain};
use super::look;
use super::outcome::{Answer, BAD_STATE, Refusal, answer, int, ok};
use super::requests::{Exhausted, Request, Turn, only};
use super::socket::socket;
use super::socket::tell_registry;
use super::socket::{Line, NODE, Side, Socket, Task, state};
use crate::magic;
use runtime::code::bif::BifResult;
use runtime::process::Process;
use term::integer::int32;

const fn of_socket(name: i32) -> Name {
    Name {
        level: catalogue::SOCKET_LEVEL,
        number: name,
    }
}

/// A boolean option in a map.
fn flag(options: Term, key: Term, default: bool) -> bool {
    match map::get(options, key) {
        Some(am::TRUE) => true,
        Some(am::FALSE) => false,
        _ => default,
    }
}

/// `{ok, Reference}` for a new socket, which the running process owns.
fn publish(process: &mut Process, socket: Socket, debug: bool, use_registry: bool) -> Term {
    let socket = Arc::new(socket);
    look::add(&socket);
    let reference = magic::make::<Arc<Socket>>(process, Arc::clone(&socket));
    let _ = socket.number.set(magic::findable(reference));
    let mut kept = socket.kept.lock();
    socket.watch(process, &mut kept);
    kept.debug = debug;
    kept.use_registry = use_registry;
    if use_registry {
        kept.farewell = Some(note(process, am::DEL, reference));
    }
    drop(kept);
    if use_registry {
        tell_registry(note(process, am::ADD, reference));
    }
    ok(process, reference)
}

/// `{'$socket', What, {'$socket', Reference}}`, for the registry.
pub(crate) fn note(process: &mut Process, what: Term, reference: Term) -> Owned {
    let heap = process.heap();
    let whole = build::tuple(heap, &[am::DOLLAR_SOCKET, reference]);
    Owned::new(build::tuple(heap, &[am::DOLLAR_SOCKET, what, whole]))
}

/// Whether a new socket is debugged, and whether it is registered. The defaults are the node's; options override them.
fn settings(options: Term) -> (bool, bool) {
    let (debug, use_registry) = {
        let node = NODE.lock();
        (node.socket_debug, node.use_registry)
    };
    (
        flag(options, am::DEBUG, debug),
        flag(options, am::USE_REGISTRY, use_registry),
    )
}

/// New sockets are refused when the node is near the end of its memory, as if the system had none.
fn may_open() -> Result<(), Errno> {
    match budget::is_high() {
        true => Err(Errno::ENOMEM),
        false => Ok(()),
    }
}

/// `prim_socket:nif_open(Descriptor, Options)`
pub(crate) fn nif_open_2(process: &mut Process, [number, options]: [Term; 2]) -> BifResult {
    let outcome = open_descriptor(process, number, options);
    answer(process, outcome)
}

fn open_descriptor(process: &mut Process, number: Term, options: Term) -> Answer {
    let number = int(number)?;
    if !options.is_map() {
        return Err(Refusal::Badarg);
    }
    let lent = Descriptor::lent(number);
    let ask = |name: i32| -> Option<i32> {
        let lent = lent.as_ref().ok()?;
        option::get_int(lent.as_fd(), of_socket(name)).ok()
    };
    let option_of = |name: &str| {
        let known = catalogue::OPTIONS[0].1.iter();
        known
            .filter(|known| known.name == name)
            .find_map(|known| known.number)
    };
    let told = |name: &str| option_of(name).and_then(ask);
    let domain = told("domain")
        .or_else(
            || match map::get(options, am::DOMAIN).map(address::domain) {
                Some(Some(Domain::Known(number) | Domain::Native(number))) => Some(number),
                _ => None,
            },
        )
        .ok_or(Refusal::Invalid(am::DOMAIN))?;
    let kind = told("type")
        .or_else(|| map::get(options, am::TYPE).and_then(address::kind))
        .ok_or(Refusal::Invalid(am::TYPE))?;
    let protocol = told("protocol")
        .or_else(|| map::get(options, am::PROTOCOL).and_then(int32))
        .unwrap_or(0);
    may_open()?;
    let descriptor = if flag(options, am::DUP, true) {
        Descriptor::owned(sys::fd::duplicate(number)?)
    } else {
        lent?
    };
    sys::fd::set_nonblocking(descriptor.as_fd(), true)?;
    let is_connected = system::peer(descriptor.as_fd()).is_ok();
    let numbers = [domain, kind, protocol];
    let socket = Socket::new(descriptor, numbers, process.pid(), Some(number));
    if is_connected {
        socket.writing.lock().state |= state::CONNECTED;
    }
    let (debug, use_registry) = settings(options);
    Ok(publish(process, socket, debug, use_registry))
}

/// `prim_socket:nif_open(Domain, Type, Protocol, Options)`
pub(crate) fn nif_open_4(process: &mut Process, arguments: [Term; 4]) -> BifResult {
    let outcome = open(process, arguments);
    answer(process, outcome)
}

fn open(process: &mut Process, [domain, kind, protocol, options]: [Term; 4]) -> Answer {
    let protocol = int(protocol)?;
    if !options.is_map() {
        return Err(Refusal::Badarg);
    }
    let domain = match address::domain(domain) {
        Some(Domain::Known(number) | Domain::Native(number)) => number,
        None => return Err(Refusal::Invalid(am::DOMAIN)),
    };
    let kind = address::kind(kind).ok_or(Refusal::Invalid(am::TYPE))?;
    may_open()?;
    let no_gc = no_gc!();
    let namespace =
        map::get(options, am::NETNS).and_then(|name| term::unicode::bytes_of(name, no_gc));
    let descriptor = match namespace {
        Some(namespace) => call::open_in(&namespace, domain, kind, protocol)?,
        None => call::open(domain, kind, protocol)?,
    };
    let descriptor = Descriptor::owned(descriptor);
    let protocol = match protocol {
        0 => option::get_int(descriptor.as_fd(), option::PROTOCOL).unwrap_or(0),
        protocol => protocol,
    };
    let socket = Socket::new(descriptor, [domain, kind, protocol], process.pid(), None);
    let (debug, use_registry) = settings(options);
    Ok(publish(process, socket, debug, use_registry))
}

/// `prim_socket:nif_bind(Socket, Address)`
pub(crate) fn nif_bind_2(process: &mut Process, [reference, address]: [Term; 2]) -> BifResult {
    let outcome = bind(reference, address);
    answer(process, outcome)
}

fn bind(reference: Term, address: Term) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let address = address::read(address).ok_or(Refusal::Invalid(am::SOCKADDR))?;
    let mut line = socket.reading.lock();
    system::bind(line.open()?.as_fd(), &address)?;
    line.state |= state::BOUND;
    Ok(am::OK)
}

/// `prim_socket:nif_listen(Socket, Backlog)`
pub(crate) fn nif_listen_2(process: &mut Process, [reference, backlog]: [Term; 2]) -> BifResult {
    let outcome = listen(reference, backlog);
    answer(process, outcome)
}

fn listen(reference: Term, backlog: Term) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let backlog = int(backlog)?;
    let mut line = socket.reading.lock();
    system::listen(line.open()?.as_fd(), backlog)?;
    line.state |= state::LISTENING;
    Ok(am::OK)
}

/// `prim_socket:nif_connect(Socket)`: called after the message that connecting has finished.
pub(crate) fn nif_connect_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let outcome = connect(process, reference, None);
    answer(process, outcome)
}

/// `prim_socket:nif_connect(Socket, Ref, Address)`
pub(crate) fn nif_connect_3(
    process: &mut Process,
    [reference, number, address]: [Term; 3],
) -> BifResult {
    let outcome = match (number.is_reference(), address::read(address)) {
        (false, _) => Err(Refusal::Badarg),
        (true, None) if release::has(Release::OTP_29) => {
            socket(reference, no_gc!()).and(Err(Refusal::System(Errno::EINVAL)))
        }
        (true, None) => socket(reference, no_gc!()).and(Err(Refusal::Invalid(am::SOCKADDR))),
        (true, Some(address)) => connect(process, reference, Some((number, address))),
    };
    answer(process, outcome)
}

fn connect(process: &mut Process, reference: Term, to: Option<(Term, system::Address)>) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let mut line = socket.writing.lock();
    line.open()?;
    if line.task == Some(Task::Write) {
        return Err(BAD_STATE);
    }
    if let Some(first) = &line.current {
        if first.pid != process.pid() {
            return Err(match to {
                Some(_) => Refusal::Error(am::ALREADY),
                None => Refusal::Raise(am::STATE),
            });
        }
        socket.done(process, &mut line, Side::Write);
        system::take_error(line.open()?.as_fd())?;
        line.state |= state::CONNECTED;
        return Ok(am::OK);
    }
    let Some((number, address)) = to else {
        return Err(Refusal::Raise(am::STATE));
    };
    match system::connect(line.open()?.as_fd(), &address) {
        Ok(()) => {
            line.state |= state::CONNECTED;
            Ok(am::OK)
        }
        Err(Errno::EAGAIN | Errno::EINPROGRESS) => {
            let request = Request {
                socket: reference,
                reference: number,
                side: Side::Write,
                task: Task::Connect,
            };
            socket.wait(process, &mut line, request, Exhausted::Yes)?;
            line.state |= state::CONNECTING;
            Ok(am::SELECT)
        }
        Err(error) => Err(error.into()),
    }
}

/// `prim_socket:nif_accept(Socket, Ref)`
pub(crate) fn nif_accept_2(process: &mut Process, [reference, number]: [Term; 2]) -> BifResult {
    let outcome = accept(process, reference, number);
    answer(process, outcome)
}

fn accept(process: &mut Process, reference: Term, number: Term) -> Answer {
    let no_gc = no_gc!();
    let listener = socket(reference, no_gc)?;
    if !number.is_reference() {
        return Err(Refusal::Badarg);
    }
    let request = Request {
        socket: reference,
        reference: number,
        side: Side::Read,
        task: Task::Accept,
    };
    let mut line = listener.reading.lock();
    line.open()?;
    only(&line, Task::Accept)?;
    if listener.turn(process, &mut line, request)? == Turn::Later {
        return Ok(am::SELECT);
    }
    line.accepted.tries += 1;
    listener.listen_for_edges(Side::Read);
    let descriptor = line.open()?.as_fd();
    match may_open().and_then(|()| call::accept(descriptor)) {
        Ok(fd) => {
            line.accepted.taken += 1;
            let term = accepted(process, listener, &line, Descriptor::owned(fd));
            listener.done(process, &mut line, Side::Read);
            Ok(term)
        }
        Err(Errno::EAGAIN) => {
            line.accepted.waits += u64::from(line.current.is_some());
            if release::has(Release::OTP_27) {
                listener.replace_waiting(Side::Read);
            }
            listener.wait(process, &mut line, request, Exhausted::Yes)?;
            line.state |= state::ACCEPTING;
            Ok(am::SELECT)
        }
        Err(error) => {
            line.accepted.fails += 1;
            let reason = term::atom::known(error.name());
            listener.fail_all(&mut line, Side::Read, reason);
            Err(error.into())
        }
    }
}

/// `{ok, Socket}` for an accepted connection, which inherits the listener's settings.
fn accepted(process: &mut Process, listener: &Socket, line: &Line, fd: Descriptor) -> Term {
    let numbers = [listener.domain, listener.kind, listener.protocol];
    let socket = Socket::new(fd, numbers, process.pid(), None);
    {
        let mut reading = socket.reading.lock();
        reading.buffer_bytes = line.buffer_bytes;
        reading.most_buffers = line.most_buffers;
        reading.ancillary_bytes = line.ancillary_bytes;
        let mut writing = listener.writing.lock();
        let mut own = socket.writing.lock();
        own.ancillary_bytes = writing.ancillary_bytes;
        // OTP 25 sets this on the listener.
        let connected = match release::has(Release::OTP_27) {
            true => &mut own,
            false => &mut writing,
        };
        connected.state |= state::CONNECTED;
    }
    let (debug, inform_on_wrap, use_registry) = {
        let kept = listener.kept.lock();
        (kept.debug, kept.inform_on_wrap, kept.use_registry)
    };
    socket.kept.lock().inform_on_wrap = inform_on_wrap;
    publish(process, socket, debug, use_registry)
}

/// `prim_socket:nif_shutdown(Socket, How)`
pub(crate) fn nif_shutdown_2(process: &mut Process, [reference, how]: [Term; 2]) -> BifResult {
    let outcome = shutdown(process, reference, how);
    answer(process, outcome)
}

fn shutdown(process: &mut Process, reference: Term, how: Term) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let half = match how {
        am::READ => Half::Read,
        am::WRITE => Half::Write,
        am::READ_WRITE => Half::Both,
        _ => {
            let what = build::tuple(process.heap(), &[am::HOW, how]);
            return Err(Refusal::Raise(what));
        }
    };
    let line = socket.reading.lock();
    let _writing = socket.writing.lock();
    system::shutdown(line.open()?.as_fd(), half)?;
    Ok(am::OK)
}

/// `prim_socket:nif_sockname(Socket)`
pub(crate) fn nif_sockname_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let outcome = name(process, reference, system::name);
    answer(process, outcome)
}

/// `prim_socket:nif_peername(Socket)`
pub(crate) fn nif_peername_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let outcome = name(process, reference, system::peer);
    answer(process, outcome)
}

fn name(
    process: &mut Process,
    reference: Term,
    ask: fn(std::os::fd::BorrowedFd<'_>) -> sys::Result<system::Address>,
) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let address = {
        let line = socket.reading.lock();
        ask(line.open()?.as_fd())?
    };
    let term = address::write(process.heap(), &address);
    Ok(ok(process, term))
}
