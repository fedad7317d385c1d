//! Sending bytes and messages.

use std::borrow::Cow;
use std::io::IoSlice;
use std::os::fd::AsFd;
use std::sync::Arc;

use layout::{NoGc, Term, no_gc};
use parking_lot::MutexGuard;
use sys::Errno;
use sys::socket::ancillary::Ancillaries;
use sys::socket::{Address, call};
use term::unicode::bytes_of;
use term::{am, atom, build, list, map};

use super::outcome::{Answer, Refusal, answer, int};
use super::requests::{Exhausted, Request, Turn, only};
use super::socket::socket;
use super::socket::{Line, Side, Socket, Task};
use super::{address, ancillary, totals};
use runtime::code::bif::BifResult;
use runtime::process::Process;

fn request(socket: Term, reference: Term) -> Request {
    Request {
        socket,
        reference,
        side: Side::Write,
        task: Task::Write,
    }
}

/// `prim_socket:nif_send(Socket, Bytes, Flags, Ref)`
pub(crate) fn nif_send_4(
    process: &mut Process,
    [reference, bytes, flags, number]: [Term; 4],
) -> BifResult {
    let outcome = send(process, [reference, bytes, flags, number], None);
    answer(process, outcome)
}

/// `prim_socket:nif_sendto(Socket, Bytes, Address, Flags, Ref)`
pub(crate) fn nif_sendto_5(
    process: &mut Process,
    [reference, bytes, to, flags, number]: [Term; 5],
) -> BifResult {
    let outcome = send(process, [reference, bytes, flags, number], Some(to));
    answer(process, outcome)
}

/// The side that writes, if it is this request's turn there; otherwise the request waits.
fn turn_to_write<'a>(
    process: &mut Process,
    socket: &'a Arc<Socket>,
    request: Request,
) -> Result<Option<MutexGuard<'a, Line>>, Refusal> {
    let mut line = socket.writing.lock();
    line.open()?;
    only(&line, Task::Write)?;
    let turn = socket.turn(process, &mut line, request)?;
    Ok((turn != Turn::Later).then_some(line))
}

fn send(
    process: &mut Process,
    [reference, bytes, flags, number]: [Term; 4],
    to: Option<Term>,
) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    if !number.is_reference() {
        return Err(Refusal::Badarg);
    }
    let no_gc = no_gc!();
    let bytes = bytes_of(bytes, no_gc).ok_or(Refusal::Badarg)?;
    let flags = int(flags)?;
    let to = match to {
        Some(to) => Some(address::read(to).ok_or(Refusal::Invalid(am::SOCKADDR))?),
        None => None,
    };
    let request = request(reference, number);
    let Some(mut line) = turn_to_write(process, socket, request)? else {
        return Ok(am::SELECT);
    };
    line.traffic.tries += 1;
    socket.listen_for_edges(Side::Write);
    let sent = call::send(line.open()?.as_fd(), &bytes, to.as_ref(), flags);
    sent_so_far(process, &mut line, request, sent, bytes.len(), false)
}

/// The result for the caller after an attempt to send `size` bytes; `more` if it has further bytes to send after these.
fn sent_so_far(
    process: &mut Process,
    line: &mut Line,
    request: Request,
    sent: sys::Result<usize>,
    size: usize,
    more: bool,
) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(request.socket, no_gc)?;
    let pair = |process: &mut Process, tag: Term, count: usize| {
        let heap = process.heap();
        let count = build::unsigned(heap, count as u64);
        build::tuple(heap, &[tag, count])
    };
    if let Ok(count) = sent {
        totals::wrote(count);
    }
    match sent {
        Ok(count) if count >= size && !more => {
            line.traffic.part(count);
            line.traffic.end();
            socket.done(process, line, Side::Write);
            Ok(am::OK)
        }
        Ok(count) if !socket.is_stream() => {
            // The rest of a packet is lost.
            line.traffic.part(count);
            line.traffic.end();
            socket.done(process, line, Side::Write);
            Ok(pair(process, am::OK, count))
        }
        Ok(count) => {
            line.traffic.under_way += count as u64;
            if count >= size {
                // The caller sends the rest at once.
                socket.take_place(process, line, request);
                return Ok(pair(process, am::IOV, count));
            }
            socket.wait(process, line, request, Exhausted::Perhaps)?;
            line.traffic.waits += 1;
            Ok(pair(process, am::SELECT, count))
        }
        Err(Errno::EAGAIN) => {
            socket.wait(process, line, request, Exhausted::Yes)?;
            line.traffic.waits += 1;
            Ok(am::SELECT)
        }
        Err(error) => {
            line.traffic.fails += 1;
            if error != Errno::EINVAL {
                let reason = atom::known(error.name());
                socket.fail_all(line, Side::Write, reason);
            }
            Err(error.into())
        }
    }
}

/// `prim_socket:nif_sendmsg(Socket, Message, Flags, Ref, Binaries)`
pub(crate) fn nif_sendmsg_5(process: &mut Process, arguments: [Term; 5]) -> BifResult {
    let outcome = send_message(process, arguments);
    answer(process, outcome)
}

fn send_message(
    process: &mut Process,
    [reference, message, flags, number, binaries]: [Term; 5],
) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    if !number.is_reference() || !message.is_map() {
        return Err(Refusal::Badarg);
    }
    let flags = int(flags)?;
    let request = request(reference, number);
    let Some(mut line) = turn_to_write(process, socket, request)? else {
        return Ok(am::SELECT);
    };
    let to: Option<Address> = match map::get(message, am::ADDR) {
        Some(to) => Some(address::read(to).ok_or(Refusal::Invalid(am::ADDR))?),
        None => None,
    };
    let no_gc = no_gc!();
    let parts = parts_for(socket, binaries, no_gc)?;
    let along = match map::get(message, am::CTRL) {
        Some(list) => {
            Some(ancillary::read(list, line.ancillary_bytes).ok_or(Refusal::Invalid(am::CTRL))?)
        }
        None => None,
    };
    let along = along.as_ref().map_or(&[][..], |along| along.bytes());
    let extras = (to.as_ref(), along, flags);
    send_parts(process, socket, &mut line, request, parts, extras)
}

/// The parts of a message of which one call sends as many as it may, and whether there are more.
type Parts<'a> = (Vec<Cow<'a, [u8]>>, bool);

/// The parts of a list of binaries; only a stream sends them in several calls.
fn parts_for<'t>(socket: &Socket, binaries: Term, no_gc: &'t NoGc) -> Result<Parts<'t>, Refusal> {
    let (parts, rest) = parts(binaries, no_gc).ok_or(Refusal::Invalid(am::IOV))?;
    let more = !rest.is_nil();
    if more && !socket.is_stream() {
        return Err(Refusal::Invalid(am::IOV));
    }
    Ok((parts, more))
}

/// Sends parts once: to an address, with ancillary data, and with flags.
fn send_parts(
    process: &mut Process,
    socket: &Socket,
    line: &mut Line,
    request: Request,
    (parts, more): Parts<'_>,
    (to, along, flags): (Option<&Address>, &[u8], i32),
) -> Answer {
    let slices: Vec<IoSlice<'_>> = parts.iter().map(|part| IoSlice::new(part)).collect();
    let size = parts.iter().map(|part| part.len()).sum();
    line.traffic.tries += 1;
    socket.listen_for_edges(Side::Write);
    let sent = call::send_message(line.open()?.as_fd(), &slices, to, along, flags);
    sent_so_far(process, line, request, sent, size, more)
}

/// `prim_socket:nif_sendv(Socket, Binaries, Ref)`
pub(crate) fn nif_sendv_3(process: &mut Process, arguments: [Term; 3]) -> BifResult {
    let outcome = send_vector(process, arguments);
    answer(process, outcome)
}

fn send_vector(process: &mut Process, [reference, binaries, number]: [Term; 3]) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    if !number.is_reference() {
        return Err(Refusal::Badarg);
    }
    let request = request(reference, number);
    let Some(mut line) = turn_to_write(process, socket, request)? else {
        return Ok(am::SELECT);
    };
    let no_gc = no_gc!();
    let parts = parts_for(socket, binaries, no_gc)?;
    send_parts(process, socket, &mut line, request, parts, (None, &[], 0))
}

/// `prim_socket:nif_sendmmsg(Socket, Messages, Flags, Ref)`: returns `ok` if no message was cut off that was sent, even
/// if others were not, and `{ok, [{Index, Bytes}]}` with those that were.
pub(crate) fn nif_sendmmsg_4(process: &mut Process, arguments: [Term; 4]) -> BifResult {
    let outcome = send_messages(process, arguments);
    answer(process, outcome)
}

fn send_messages(process: &mut Process, [reference, messages, flags, number]: [Term; 4]) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    if !number.is_reference() || !(messages.is_nil() || messages.is_cons()) {
        return Err(Refusal::Badarg);
    }
    let flags = int(flags)?;
    let request = request(reference, number);
    let Some(mut line) = turn_to_write(process, socket, request)? else {
        return Ok(am::SELECT);
    };
    let most_along = line.ancillary_bytes;
    let no_gc = no_gc!();
    let read: Result<Vec<Prepared<'_>>, Refusal> = list::items(messages)
        .map(|message| prepared(message.map_err(|_| Refusal::Badarg)?, most_along, no_gc))
        .collect();
    let read = read?;
    if read.is_empty() {
        socket.done(process, &mut line, Side::Write);
        return Ok(am::OK);
    }
    let outgoing: Vec<call::Outgoing<'_>> = read
        .iter()
        .map(|message| call::Outgoing {
            parts: message
                .parts
                .iter()
                .map(|part| IoSlice::new(part))
                .collect(),
            to: message.to,
            ancillary: message
                .along
                .as_ref()
                .map_or(&[][..], |along| along.bytes()),
        })
        .collect();
    line.traffic.tries += 1;
    socket.listen_for_edges(Side::Write);
    let sent = match call::send_messages(line.open()?.as_fd(), &outgoing, flags) {
        Ok(sent) => sent,
        Err(error) => {
            return sent_so_far(process, &mut line, request, Err(error), 0, false);
        }
    };
    totals::wrote(sent.iter().sum());
    socket.done(process, &mut line, Side::Write);
    drop(line);
    let heap = process.heap();
    let mut cut = Vec::new();
    for (at, (count, message)) in sent.iter().zip(&read).enumerate() {
        if *count < message.parts.iter().map(|part| part.len()).sum() {
            let count = build::unsigned(heap, *count as u64);
            cut.push(build::tuple(heap, &[Term::small(at as i64), count]));
        }
    }
    match cut.is_empty() {
        true => Ok(am::OK),
        false => {
            let cut = build::list(heap, &cut);
            Ok(build::tuple(heap, &[am::OK, cut]))
        }
    }
}

/// A message of several that are sent together.
struct Prepared<'a> {
    parts: Vec<Cow<'a, [u8]>>,
    to: Option<Address>,
    along: Option<Ancillaries>,
}

/// Reads a message. As on stock, parts beyond those that one message may have are left out.
fn prepared(message: Term, most_along: usize, no_gc: &NoGc) -> Result<Prepared<'_>, Refusal> {
    let get = |key| match message.is_map() {
        true => map::get(message, key),
        false => None,
    };
    let iov = get(am::IOV).ok_or(Refusal::Badarg)?;
    let all: Option<Vec<_>> = list::items(iov)
        .map(|part| bytes_of(part.ok()?, no_gc))
        .collect();
    let mut parts = all.ok_or(Refusal::Badarg)?;
    parts.truncate(call::MOST_MESSAGE_PARTS);
    let to = match get(am::ADDR) {
        Some(to) => Some(address::read(to).ok_or(Refusal::Invalid(am::ADDR))?),
        None => None,
    };
    let along = match get(am::CTRL) {
        Some(list) => Some(ancillary::read(list, most_along).ok_or(Refusal::Invalid(am::CTRL))?),
        None => None,
    };
    Ok(Prepared { parts, to, along })
}

/// As many binaries of a list as one message may have, and the rest of the list without empty binaries at its head.
fn parts(mut list: Term, no_gc: &NoGc) -> Option<(Vec<Cow<'_, [u8]>>, Term)> {
    let mut parts = Vec::new();
    while parts.len() < call::MOST_MESSAGE_PARTS {
        let Some((head, tail)) = list.as_cons() else {
            break;
        };
        parts.push(bytes_of(head, no_gc)?);
        list = tail;
    }
    while let Some((head, tail)) = list.as_cons() {
        if bytes_of(head, no_gc).is_none_or(|bytes| !bytes.is_empty()) {
            break;
        }
        list = tail;
    }
    (list.is_nil() || list.is_cons()).then_some((parts, list))
}
