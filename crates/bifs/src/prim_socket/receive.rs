//! Receiving bytes and messages.

use std::os::fd::AsFd;

use layout::{Heap, NoGc, Term, no_gc};
use parking_lot::MutexGuard;
use sys::Errno;
use sys::socket::{call, catalogue};
use term::{am, atom, build, map};

use super::options::MOST_ANCILLARY_BYTES;
use super::outcome::{Answer, CLOSED, Refusal, answer, int, not_in_range};
use super::requests::{Exhausted, Request, Turn, only};
use super::socket::socket;
use super::socket::{Line, Side, Socket, Task};
use super::{address, ancillary, totals};
use runtime::code::bif::BifResult;
use runtime::process::Process;
use term::input_buffer::InputBuffer;
use term::integer::{int32, uint32, uint64};
use term::release::{self, Release};
use term::unicode::bytes_of;

/// A size in bytes; 0 means the socket's own setting.
fn size(term: Term) -> Result<usize, Refusal> {
    let size = uint64(term).filter(|size| i64::try_from(*size).is_ok());
    size.map(|size| size as usize)
        .ok_or_else(|| not_in_range(term))
}

/// The request of a caller: named by a reference, or by `zero` if the caller does not want to wait.
fn request(socket: Term, reference: Term) -> Result<Request, Refusal> {
    let reference = match reference {
        am::ZERO => Term::NONE,
        _ if reference.is_reference() => reference,
        _ => return Err(Refusal::Badarg),
    };
    Ok(Request {
        socket,
        reference,
        side: Side::Read,
        task: Task::Read,
    })
}

/// Checks that all terms are integers, before any of them is checked further.
fn integers(terms: &[Term]) -> Result<(), Refusal> {
    match terms.iter().all(|term| term.is_integer()) {
        true => Ok(()),
        false => Err(Refusal::Badarg),
    }
}

/// The request, the number of bytes and the flags, checked in stock's order.
fn asked(
    reference: Term,
    length: Term,
    flags: Term,
    number: Term,
) -> Result<(Request, usize, i32), Refusal> {
    socket(reference, no_gc!())?;
    let request = request(reference, number)?;
    if int32(flags).is_none() {
        integers(&[length, flags])?;
    }
    Ok((request, size(length)?, int(flags)?))
}

/// A read that may proceed.
struct Read<'a> {
    socket: &'a std::sync::Arc<Socket>,
    line: MutexGuard<'a, Line>,
    request: Request,
}

/// Begins a read; `None` if it is not the process's turn.
fn begin<'t>(
    process: &mut Process,
    request: Request,
    no_gc: &'t NoGc,
) -> Result<Option<Read<'t>>, Refusal> {
    let socket = socket(request.socket, no_gc)?;
    let mut line = socket.reading.lock();
    line.open()?;
    only(&line, Task::Read)?;
    if socket.turn(process, &mut line, request)? == Turn::Later {
        return Ok(None);
    }
    Ok(Some(Read {
        socket,
        line,
        request,
    }))
}

/// The result for a caller whose turn it is not.
fn not_now(request: Request) -> Term {
    match request.reference.is_none() {
        true => am::TIMEOUT,
        false => am::SELECT,
    }
}

/// A buffer for incoming bytes; an error if the memory cannot be allocated.
fn room(bytes: usize) -> Result<InputBuffer, Refusal> {
    InputBuffer::new(bytes).ok_or(Refusal::System(Errno::ENOMEM))
}

impl Read<'_> {
    /// The size of the buffer in bytes; a length of 0 leaves it to the socket.
    fn wanted(&self, length: usize) -> usize {
        match length {
            0 => self.line.buffer_bytes,
            length => length,
        }
    }

    /// The size of the buffer for ancillary data in bytes, likewise.
    fn wanted_along(&self, length: usize) -> usize {
        let bytes = match length {
            0 => self.line.ancillary_bytes,
            length => length,
        };
        bytes.min(MOST_ANCILLARY_BYTES)
    }

    fn begin_try(&mut self) {
        self.line.traffic.tries += 1;
        self.socket.listen_for_edges(Side::Read);
    }

    fn done(&mut self, process: &Process) {
        self.socket.done(process, &mut self.line, Side::Read);
    }

    /// Whether the caller is told when there is more to read.
    fn goes_on(&self) -> bool {
        self.line.reads_on && !self.request.reference.is_none()
    }

    /// The request has its result, of which this is the tag. A caller that reads on keeps its place.
    fn finished(&mut self, process: &mut Process) -> Result<Term, Refusal> {
        if self.goes_on() {
            self.socket
                .wait(process, &mut self.line, self.request, Exhausted::Perhaps)?;
            return Ok(am::SELECT_READ);
        }
        self.done(process);
        Ok(am::OK)
    }

    /// Counts a packet.
    fn packet(&mut self, bytes: usize) {
        self.line.traffic.packets += 1;
        self.line.traffic.bytes += bytes as u64;
        totals::read(bytes);
        if release::has(Release::OTP_28) {
            self.line.traffic.largest = self.line.traffic.largest.max(bytes as u64);
        }
    }

    /// The result for the caller if nothing was received.
    fn failed(&mut self, process: &mut Process, error: Errno) -> Answer {
        if error == Errno::EAGAIN {
            self.line.buffers = 0;
            if self.request.reference.is_none() {
                if !release::has(Release::OTP_26) {
                    return Ok(am::OK);
                }
                self.done(process);
                return Ok(am::TIMEOUT);
            }
            self.socket
                .wait(process, &mut self.line, self.request, Exhausted::Yes)?;
            return Ok(am::SELECT);
        }
        self.line.traffic.fails += 1;
        let reason = atom::known(error.name());
        self.socket.fail_all(&mut self.line, Side::Read, reason);
        Err(error.into())
    }
}

/// `prim_socket:nif_recv(Socket, Length, Flags, Ref)`
pub(crate) fn nif_recv_4(process: &mut Process, arguments: [Term; 4]) -> BifResult {
    let outcome = receive(process, arguments);
    answer(process, outcome)
}

fn receive(process: &mut Process, [reference, length, flags, number]: [Term; 4]) -> Answer {
    let (request, length, flags) = asked(reference, length, flags, number)?;
    let no_gc = no_gc!();
    let Some(mut read) = begin(process, request, no_gc)? else {
        return Ok(not_now(request));
    };
    let mut early = std::mem::take(&mut read.line.early);
    if !early.is_empty() && (length == 0 || early.len() >= length) {
        let count = if length == 0 { early.len() } else { length };
        read.line.early = early.split_off(count);
        let tag = read.finished(process)?;
        let bytes = build::binary(process.heap(), &early);
        return Ok(build::tuple(process.heap(), &[tag, bytes]));
    }
    let wanted = read.wanted(length) - early.len();
    let mut incoming = room(wanted)?;
    read.begin_try();
    let came = call::receive(read.line.open()?.as_fd(), incoming.room(), flags);
    let is_stream = read.socket.is_stream();
    let count = match came {
        Ok(0) if is_stream => {
            read.line.traffic.fails += 1;
            read.socket.fail_all(&mut read.line, Side::Read, am::CLOSED);
            return Err(with_bytes(process, CLOSED, &early));
        }
        Ok(count) => count,
        Err(Errno::EAGAIN) => {
            read.line.early = early;
            return read.failed(process, Errno::EAGAIN);
        }
        Err(error) => {
            let outcome = read.failed(process, error);
            return outcome.map_err(|refusal| with_bytes(process, refusal, &early));
        }
    };
    // SAFETY: the system has reported that it wrote `count` bytes.
    let mut bytes = unsafe { incoming.into_binary(process.heap(), count) };
    if !early.is_empty() {
        early.extend_from_slice(&bytes_of(bytes, no_gc!()).unwrap_or_default());
        bytes = build::binary(process.heap(), &early);
    }
    read.line.traffic.bytes += count as u64;
    totals::read(count);
    let falls_short = count < wanted && length != 0 && is_stream;
    let mut tag = if count == wanted && length == 0 && is_stream && !read.goes_on() {
        // There may be more.
        read.line.traffic.under_way += count as u64;
        read.line.buffers += 1;
        if read.line.buffers < read.line.most_buffers {
            read.socket.take_place(process, &mut read.line, request);
            am::MORE
        } else {
            read.line.buffers = 0;
            am::OK
        }
    } else if falls_short && !request.reference.is_none() {
        // The caller waits for the rest.
        read.socket
            .wait(process, &mut read.line, request, Exhausted::Perhaps)?;
        // OTP 27 wants all at once; releases before and after it take parts.
        if release::has(Release::OTP_27) && !release::has(Release::OTP_28) {
            read.line.early = bytes_of(bytes, no_gc!()).unwrap_or_default().into_owned();
            return Ok(am::SELECT);
        }
        am::SELECT
    } else {
        if count < wanted {
            read.line.buffers = 0;
        }
        read.line.traffic.under_way += count as u64;
        match falls_short && release::has(Release::OTP_26) {
            true => am::TIMEOUT,
            false => am::OK,
        }
    };
    if tag == am::OK || tag == am::TIMEOUT {
        read.line.traffic.end();
        match tag == am::OK {
            true => tag = read.finished(process)?,
            false => read.done(process),
        }
    }
    Ok(build::tuple(process.heap(), &[tag, bytes]))
}

/// A failure, with the bytes that were read for the request before it, if there are any: `{error, {Reason, Bytes}}`.
fn with_bytes(process: &mut Process, refusal: Refusal, early: &[u8]) -> Refusal {
    let reason = match refusal {
        _ if early.is_empty() => return refusal,
        Refusal::System(error) => atom::known(error.name()),
        Refusal::Error(reason) => reason,
        other => return other,
    };
    let heap = process.heap();
    let bytes = build::binary(heap, early);
    Refusal::Error(build::tuple(heap, &[reason, bytes]))
}

/// `prim_socket:nif_recvfrom(Socket, Length, Flags, Ref)`
pub(crate) fn nif_recvfrom_4(process: &mut Process, arguments: [Term; 4]) -> BifResult {
    let outcome = receive_from(process, arguments);
    answer(process, outcome)
}

fn receive_from(process: &mut Process, [reference, length, flags, number]: [Term; 4]) -> Answer {
    let (request, length, flags) = asked(reference, length, flags, number)?;
    let no_gc = no_gc!();
    let Some(mut read) = begin(process, request, no_gc)? else {
        return Ok(not_now(request));
    };
    let wanted = read.wanted(length);
    let mut incoming = room(wanted)?;
    read.begin_try();
    let came = call::receive_from(read.line.open()?.as_fd(), incoming.room(), flags);
    match came {
        Ok((0, _)) if read.socket.is_stream() => {
            read.line.traffic.fails += 1;
            Err(CLOSED)
        }
        Ok((count, from)) => {
            read.packet(count);
            let tag = read.finished(process)?;
            let heap = process.heap();
            // SAFETY: the system has reported that it wrote `count` bytes.
            let bytes = unsafe { incoming.into_binary(heap, count) };
            let from = address::write(heap, &from);
            let pair = build::tuple(heap, &[from, bytes]);
            Ok(build::tuple(heap, &[tag, pair]))
        }
        Err(error) => read.failed(process, error),
    }
}

/// `prim_socket:nif_recvmsg(Socket, BufferSize, AncillarySize, Flags, Ref)`
pub(crate) fn nif_recvmsg_5(process: &mut Process, arguments: [Term; 5]) -> BifResult {
    let outcome = receive_message(process, arguments);
    answer(process, outcome)
}

fn receive_message(
    process: &mut Process,
    [reference, length, along, flags, number]: [Term; 5],
) -> Answer {
    socket(reference, no_gc!())?;
    let request = request(reference, number)?;
    if int32(flags).is_none() {
        integers(&[length, along, flags])?;
    }
    integers(&[length, along])?;
    let (length, along) = (size(length)?, size(along)?);
    let flags = int(flags)?;
    let no_gc = no_gc!();
    let Some(mut read) = begin(process, request, no_gc)? else {
        return Ok(not_now(request));
    };
    let wanted = read.wanted(length);
    let along_bytes = read.wanted_along(along);
    let mut incoming = room(wanted)?;
    let mut along = vec![0; along_bytes];
    read.begin_try();
    let came = call::receive_message(
        read.line.open()?.as_fd(),
        incoming.room(),
        &mut along,
        flags,
    );
    let message = match came {
        Ok(message) if message.count == 0 && read.socket.is_stream() => {
            read.line.traffic.fails += 1;
            return Err(CLOSED);
        }
        Ok(message) => message,
        Err(error) => return read.failed(process, error),
    };
    read.packet(message.count);
    let tag = read.finished(process)?;
    drop(read);
    let heap = process.heap();
    // SAFETY: the system has reported that it wrote `message.count` bytes.
    let bytes = unsafe { incoming.into_binary(heap, message.count) };
    let whole = message_map(heap, &message, bytes, &along);
    Ok(build::tuple(heap, &[tag, whole]))
}

/// A message as programs see it.
fn message_map(heap: &mut Heap, message: &call::Message, bytes: Term, along: &[u8]) -> Term {
    let mut pairs = vec![
        (am::IOV, build::list(heap, &[bytes])),
        (
            am::CTRL,
            ancillary::write(heap, &along[..message.ancillary]),
        ),
        (am::FLAGS, flags_of(heap, message.flags)),
    ];
    if let Some(from) = &message.from {
        pairs.push((am::ADDR, address::write(heap, from)));
    }
    map::from_pairs(heap, &pairs)
}

/// `prim_socket:nif_recvmmsg(Socket, Most, BufferSize, AncillarySize, Flags, Ref)`
pub(crate) fn nif_recvmmsg_6(process: &mut Process, arguments: [Term; 6]) -> BifResult {
    let outcome = receive_messages(process, arguments);
    answer(process, outcome)
}

fn receive_messages(
    process: &mut Process,
    [reference, most, length, along, flags, number]: [Term; 6],
) -> Answer {
    socket(reference, no_gc!())?;
    let request = request(reference, number)?;
    integers(&[most, length, along, flags])?;
    let (length, along) = (size(length)?, size(along)?);
    let count = uint32(most).filter(|count| *count > 0);
    let most = (count.ok_or(Refusal::Range(most))? as usize).min(call::MOST_MESSAGES);
    let flags = int(flags)?;
    let no_gc = no_gc!();
    let Some(mut read) = begin(process, request, no_gc)? else {
        return Ok(not_now(request));
    };
    let room_bytes = read.wanted(length);
    let along_bytes = read.wanted_along(along).next_multiple_of(8);
    let mut rooms = zeroed(room_bytes, most)?;
    let mut alongs = zeroed(along_bytes, most)?;
    read.begin_try();
    let came = call::receive_messages(
        read.line.open()?.as_fd(),
        (&mut rooms, room_bytes),
        (&mut alongs, along_bytes),
        most,
        flags,
    );
    let messages = match came {
        Ok(messages) => messages,
        Err(error) => return read.failed(process, error),
    };
    for message in &messages {
        read.packet(message.count);
    }
    let tag = read.finished(process)?;
    drop(read);
    let heap = process.heap();
    let maps: Vec<Term> = messages
        .iter()
        .enumerate()
        .map(|(at, message)| {
            let bytes = build::binary(heap, &rooms[at * room_bytes..][..message.count]);
            message_map(heap, message, bytes, &alongs[at * along_bytes..])
        })
        .collect();
    let list = build::list(heap, &maps);
    Ok(build::tuple(heap, &[tag, list]))
}

/// Room for so many times so many bytes; an error if the memory cannot be allocated.
fn zeroed(bytes: usize, times: usize) -> Result<Vec<u8>, Refusal> {
    let bytes = bytes.checked_mul(times);
    let mut room = Vec::new();
    let reserved = bytes.and_then(|bytes| room.try_reserve_exact(bytes).ok());
    reserved.ok_or(Refusal::System(Errno::ENOMEM))?;
    room.resize(bytes.unwrap_or_default(), 0);
    Ok(room)
}

/// The flags of a message as a list of names, with a number for the remaining bits.
fn flags_of(heap: &mut Heap, mut flags: i32) -> Term {
    let mut names = Vec::new();
    for (name, bit) in catalogue::MESSAGE_FLAGS {
        if flags & bit == *bit {
            flags &= !bit;
            names.push(atom::known(name));
        }
    }
    if flags != 0 {
        names.push(Term::small(flags.into()));
    }
    build::list(heap, &names)
}
