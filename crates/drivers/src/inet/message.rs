//! The messages that sockets send to processes. Each is built in the memory in which it arrives, so a part of it says
//! how long it will be: [`Value`].

use layout::{Heap, Term};
use sys::Errno;
use term::{am, atom, build};

use super::options::SocketOptions;
use super::pending::Pending;
use super::sender::Sender;
use runtime::effects::port::access::Access;

/// A term that a message will contain.
pub(super) struct Value<F> {
    /// `None` if that is not known before.
    words: Option<usize>,
    build: F,
}

impl<F: FnOnce(&mut Heap) -> Term> Value<F> {
    /// A term that `build` makes, of `words` words. If their number is not known before, the message is copied when it
    /// is complete.
    ///
    /// # Safety
    /// `build` makes all of the term on the heap that it is given, apart from immediates.
    pub(super) unsafe fn new(words: Option<usize>, build: F) -> Value<F> {
        Value { words, build }
    }

    /// Sends a tuple of at most three immediates and, as the last element, the value.
    fn send_behind(self, port: &Access<'_>, to: Term, immediates: &[Term]) {
        let words = self.words.map(|words| words + 2 + immediates.len());
        let message = |heap: &mut Heap| {
            let value = (self.build)(heap);
            let mut elements = [value; 4];
            elements[..immediates.len()].copy_from_slice(immediates);
            build::tuple(heap, &elements[..=immediates.len()])
        };
        // SAFETY: the value is made on that heap, as `new` demands, and the other elements are immediates.
        unsafe { port.send_built(to, words.unwrap_or(0), message) };
    }

    /// As `send_behind`, for the connected process, unless the port was closed.
    fn send_to_connected_behind(self, port: &Access<'_>, immediates: &[Term]) {
        if !port.is_closing() {
            self.send_behind(port, port.connected(), immediates);
        }
    }

    /// Sends the value itself to the connected process, unless the port was closed.
    pub(super) fn send_to_connected(self, port: &Access<'_>) {
        if !port.is_closing() {
            // SAFETY: the value is made on that heap, as `new` demands.
            unsafe { port.send_built(port.connected(), self.words.unwrap_or(0), self.build) };
        }
    }
}

/// An atom, a small number or the identifier of a port.
pub(super) fn immediate(term: Term) -> Value<impl FnOnce(&mut Heap) -> Term> {
    assert!(term.is_immediate());
    Value {
        words: Some(0),
        build: move |_: &mut Heap| term,
    }
}

/// A tuple of such terms.
pub(super) fn tuple<const ARITY: usize>(
    elements: [Term; ARITY],
) -> Value<impl FnOnce(&mut Heap) -> Term> {
    assert!(elements.iter().all(|element| element.is_immediate()));
    Value {
        words: Some(1 + ARITY),
        build: move |heap: &mut Heap| build::tuple(heap, &elements),
    }
}

/// The atom of an error.
pub(super) fn reason(error: Errno) -> Term {
    atom::known(error.name())
}

/// `{inet_reply, Socket, ok}`, with the sender's reference if it has one.
pub(super) fn reply_ok(port: &Access<'_>, to: Sender) {
    reply(port, to, immediate(am::OK));
}

/// `{inet_reply, Socket, {error, Reason}}`, with the sender's reference if it has one.
pub(super) fn reply_error(port: &Access<'_>, to: Sender, reason: Term) {
    reply(port, to, tuple([am::ERROR, reason]));
}

fn reply<F: FnOnce(&mut Heap) -> Term>(port: &Access<'_>, to: Sender, status: Value<F>) {
    let id = port.id();
    let words = status.words.map_or(0, |words| words + to.reply_words());
    let message = |heap: &mut Heap| {
        let status = (status.build)(heap);
        to.reply(heap, id, status)
    };
    // SAFETY: the status is made on that heap, as `Value::new` demands, and so are the reference and the tuple.
    unsafe { port.send_built(to.pid, words, message) };
}

/// `{inet_async, Socket, Reference, Result}`
pub(super) fn finished<F: FnOnce(&mut Heap) -> Term>(
    port: &Access<'_>,
    request: &Pending,
    result: Value<F>,
) {
    let reference = Term::small(i64::from(request.reference));
    let before = [am::INET_ASYNC, port.id(), reference];
    result.send_behind(port, request.caller, &before);
}

/// `{inet_async, Socket, Reference, ok}`
pub(super) fn finished_ok(port: &Access<'_>, request: &Pending) {
    finished(port, request, immediate(am::OK));
}

/// `{inet_async, Socket, Reference, {ok, Value}}`
pub(super) fn finished_with<F: FnOnce(&mut Heap) -> Term>(
    port: &Access<'_>,
    request: &Pending,
    value: Value<F>,
) {
    let result = Value {
        words: value.words.map(|words| words + 3),
        build: |heap: &mut Heap| {
            let value = (value.build)(heap);
            build::tuple(heap, &[am::OK, value])
        },
    };
    finished(port, request, result);
}

/// `{inet_async, Socket, Reference, {error, Reason}}`
pub(super) fn failed(port: &Access<'_>, request: &Pending, reason: Term) {
    finished(port, request, tuple([am::ERROR, reason]));
}

/// `{Tag, Socket}` for the connected process.
pub(super) fn event(port: &Access<'_>, tag: Term) {
    let id = port.id();
    immediate(id).send_to_connected_behind(port, &[tag]);
}

/// `{Tag, Socket, Value}` for the connected process.
pub(super) fn event_with<F: FnOnce(&mut Heap) -> Term>(
    port: &Access<'_>,
    tag: Term,
    value: Value<F>,
) {
    value.send_to_connected_behind(port, &[tag, port.id()]);
}

/// Data as the socket's options require: a list, or a binary preceded by a list of the first bytes, which are `extra`
/// and the header's.
pub(super) fn data(heap: &mut Heap, options: &SocketOptions, extra: usize, bytes: &[u8]) -> Term {
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

/// The words of what [`data`] makes of `length` bytes.
pub(super) fn data_words(options: &SocketOptions, extra: usize, length: usize) -> usize {
    let header = options.header_bytes + extra;
    if !options.binary || header > length {
        return 2 * length;
    }
    2 * header + build::binary_words(length - header)
}

/// `{Socket, {data, Data}}`, for sockets with `{deliver, port}`.
pub(super) fn port_data(port: &mut Access<'_>, options: &SocketOptions, bytes: &[u8]) {
    let header = options.header_bytes;
    if !options.binary || header > bytes.len() {
        port.send_data(bytes, &[]);
    } else {
        let (header, rest) = bytes.split_at(header);
        port.send_data(header, rest);
    }
}
