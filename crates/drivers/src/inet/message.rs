//! The messages that sockets send to processes.

use layout::{Heap, Term};
use sys::Errno;
use term::{am, atom, build};

use super::Pending;
use super::options::SocketOptions;
use super::sender::Sender;
use runtime::effects::port::access::Access;

/// The atom of an error.
pub fn reason(error: Errno) -> Term {
    atom::known(error.name())
}

fn error(heap: &mut Heap, reason: Term) -> Term {
    build::tuple(heap, &[am::ERROR, reason])
}

/// `{inet_reply, Socket, ok}`, with the sender's reference if it has one.
pub fn reply_ok(port: &Access<'_>, to: Sender) {
    let id = port.id();
    port.send(to.pid, |heap| to.reply(heap, id, am::OK));
}

/// `{inet_reply, Socket, {error, Reason}}`, with the sender's reference if it has one.
pub fn reply_error(port: &Access<'_>, to: Sender, reason: Term) {
    let id = port.id();
    port.send(to.pid, |heap| {
        let error = error(heap, reason);
        to.reply(heap, id, error)
    });
}

/// `{inet_async, Socket, Reference, Result}`
pub fn finished(port: &Access<'_>, request: &Pending, result: impl FnOnce(&mut Heap) -> Term) {
    let id = port.id();
    let reference = Term::small(i64::from(request.reference));
    port.send(request.caller, |heap| {
        let result = result(heap);
        build::tuple(heap, &[am::INET_ASYNC, id, reference, result])
    });
}

/// `{inet_async, Socket, Reference, ok}`
pub fn finished_ok(port: &Access<'_>, request: &Pending) {
    finished(port, request, |_| am::OK);
}

/// `{inet_async, Socket, Reference, {ok, Value}}`
pub fn finished_with(port: &Access<'_>, request: &Pending, value: impl FnOnce(&mut Heap) -> Term) {
    finished(port, request, |heap| {
        let value = value(heap);
        build::tuple(heap, &[am::OK, value])
    });
}

/// `{inet_async, Socket, Reference, {error, Reason}}`
pub fn failed(port: &Access<'_>, request: &Pending, reason: Term) {
    finished(port, request, |heap| error(heap, reason));
}

/// `{Tag, Socket}` for the connected process.
pub fn event(port: &Access<'_>, tag: Term) {
    let id = port.id();
    port.tell_connected(|heap| build::tuple(heap, &[tag, id]));
}

/// `{Tag, Socket, Value}` for the connected process.
pub fn event_with(port: &Access<'_>, tag: Term, value: impl FnOnce(&mut Heap) -> Term) {
    let id = port.id();
    port.tell_connected(|heap| {
        let value = value(heap);
        build::tuple(heap, &[tag, id, value])
    });
}

/// Data as the socket's options require: a list, or a binary preceded by a list of the first bytes, which are `extra`
/// and the header's.
pub fn data(heap: &mut Heap, options: &SocketOptions, extra: usize, bytes: &[u8]) -> Term {
    let header = options.header_bytes + extra;
    if !options.binary || header > bytes.len() {
        return build::byte_list(heap, bytes);
    }
    let (header, rest) = bytes.split_at(header);
    let rest = build::binary(heap, rest);
    header.iter().rev().fold(rest, |tail, &byte| {
        build::cons(heap, Term::small(i64::from(byte)), tail)
    })
}

/// `{Socket, {data, Data}}`, for sockets with `{deliver, port}`.
pub fn port_data(port: &mut Access<'_>, options: &SocketOptions, bytes: &[u8]) {
    let header = options.header_bytes;
    if !options.binary || header > bytes.len() {
        port.send_data(bytes, &[]);
    } else {
        let (header, rest) = bytes.split_at(header);
        port.send_data(header, rest);
    }
}
