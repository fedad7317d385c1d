//! Sending files without copying their bytes. The calls are made on dirty schedulers, because files may block.

use std::os::fd::AsFd;
use std::sync::Arc;

use layout::{Term, no_gc};
use sys::Errno;
use term::{am, atom, build};

use super::outcome::{Answer, BAD_STATE, Refusal, answer, not_in_range, ok};
use super::requests::{Exhausted, Request, Turn, only};
use super::socket::socket;
use super::socket::{Line, Side, Socket, Task};
use super::totals;
use crate::prim_file;
use runtime::code::bif::BifResult;
use runtime::process::Process;
use term::integer::{int64, uint64};

/// Most bytes requested by one call; also the number requested if the whole file is to be sent.
const MOST_BYTES: usize = 0x2000_0000;

/// Counters of the files sent.
#[derive(Default)]
pub(crate) struct Counters {
    pub calls: u64,
    pub bytes: u64,
    pub fails: u64,
    pub largest: u64,
    pub packets: u64,
    pub packet_max: u64,
    pub tries: u64,
    pub waits: u64,
    /// Bytes sent of the current file.
    pub under_way: u64,
}

/// `prim_socket:nif_sendfile(Socket)`: gives up a file that was not completely sent.
pub(crate) fn nif_sendfile_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let outcome = give_up(reference);
    answer(process, outcome)
}

fn give_up(reference: Term) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let file = socket.writing.lock().sending.file.take();
    match file {
        Some(_) => Ok(am::OK),
        None => Err(BAD_STATE),
    }
}

/// `prim_socket:nif_sendfile(Socket, Ref, Offset, Count)`: continues a file.
pub(crate) fn nif_sendfile_4(
    process: &mut Process,
    [reference, number, offset, count]: [Term; 4],
) -> BifResult {
    let outcome = send(process, [reference, number, offset, count], None);
    answer(process, outcome)
}

/// `prim_socket:nif_sendfile(Socket, Ref, Offset, Count, File)`: begins a file.
pub(crate) fn nif_sendfile_5(
    process: &mut Process,
    [reference, number, offset, count, file]: [Term; 5],
) -> BifResult {
    let outcome = send(process, [reference, number, offset, count], Some(file));
    answer(process, outcome)
}

fn send(
    process: &mut Process,
    [reference, number, offset_term, count_term]: [Term; 4],
    file: Option<Term>,
) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    if !number.is_reference() {
        return Err(Refusal::Badarg);
    }
    let (offset, count) = (int64(offset_term), uint64(count_term));
    if !count_term.is_integer() {
        return Err(Refusal::Badarg);
    }
    let offset = offset.ok_or_else(|| not_in_range(offset_term))?;
    let count = count.ok_or(Refusal::Range(count_term))?;
    let count = usize::try_from(count).map_err(|_| Refusal::Range(count_term))?;
    if file.is_some_and(|file| !file.is_reference()) {
        return Err(Refusal::Badarg);
    }
    let request = Request {
        socket: reference,
        reference: number,
        side: Side::Write,
        task: Task::Write,
    };
    let mut line = socket.writing.lock();
    line.open()?;
    only(&line, Task::Write)?;
    match file {
        Some(file) => {
            if socket.turn(process, &mut line, request)? == Turn::Later {
                return Ok(am::SELECT);
            }
            begin_file(process, socket, &mut line, file)?;
        }
        None => {
            let is_mine = line
                .current
                .as_ref()
                .is_some_and(|first| first.pid == process.pid());
            if !is_mine || line.sending.file.is_none() {
                return Err(Refusal::Raise(am::STATE));
            }
        }
    }
    send_on(process, socket, &mut line, request, offset, count)
}

/// Takes the file to send.
fn begin_file(
    process: &mut Process,
    socket: &Socket,
    line: &mut Line,
    file: Term,
) -> Result<(), Refusal> {
    if line.sending.file.is_some() {
        return Err(BAD_STATE);
    }
    match prim_file::file_of(file) {
        Some(Ok(file)) => line.sending.file = Some(file),
        Some(Err(error)) => return Err(failed(socket, line, error.into())),
        None => {
            let what = build::tuple(process.heap(), &[am::INVALID, atom::known("efile")]);
            return Err(failed(socket, line, Refusal::Error(what)));
        }
    }
    let counters = counters(line);
    counters.tries += 1;
    counters.under_way = 0;
    Ok(())
}

/// Sends what the socket takes of the file.
fn send_on(
    process: &mut Process,
    socket: &Arc<Socket>,
    line: &mut Line,
    request: Request,
    offset: i64,
    count: usize,
) -> Answer {
    match transfer(socket, line, offset, count) {
        Ok(Sent::All(count)) => {
            socket.done(process, line, Side::Write);
            line.traffic.under_way = 0;
            line.sending.file = None;
            let count = build::unsigned(process.heap(), count);
            Ok(ok(process, count))
        }
        Ok(Sent::Part(count)) => {
            socket.wait(process, line, request, Exhausted::Yes)?;
            counters(line).waits += 1;
            let heap = process.heap();
            let count = build::unsigned(heap, count);
            Ok(build::tuple(heap, &[am::SELECT, count]))
        }
        Err(error) => {
            line.sending.file = None;
            Err(failed(socket, line, error.into()))
        }
    }
}

fn counters(line: &mut Line) -> &mut Counters {
    line.sending.counters.get_or_insert_default()
}

/// Counts a failure and tells it to all that wait to write; returns it.
fn failed(socket: &Socket, line: &mut Line, refusal: Refusal) -> Refusal {
    counters(line).fails += 1;
    let reason = match refusal {
        Refusal::System(error) => atom::known(error.name()),
        // The other processes get a copy of the reason, so the caller's term can be used here.
        Refusal::Error(reason) => reason,
        _ => am::EINVAL,
    };
    socket.fail_all(line, Side::Write, reason);
    refusal
}

/// How far a transfer got.
enum Sent {
    All(u64),
    Part(u64),
}

/// Sends until `count` bytes, or for 0 the whole file, are sent, or until the socket takes no more.
fn transfer(socket: &Socket, line: &mut Line, offset: i64, count: usize) -> sys::Result<Sent> {
    let mut offset = u64::try_from(offset).map_err(|_| Errno::EINVAL)?;
    let descriptor = line.open().map(Arc::clone).map_err(|_| Errno::EBADF)?;
    let file = line.sending.file.clone().ok_or(Errno::EBADF)?;
    let mut left = count;
    let mut sent = 0u64;
    loop {
        let most = match left {
            0 => MOST_BYTES,
            left => left.min(MOST_BYTES),
        };
        socket.listen_for_edges(Side::Write);
        let answer = sys::socket::send_file(descriptor.as_fd(), file.as_fd(), offset, most);
        let counters = counters(line);
        counters.calls += 1;
        let bytes = match answer {
            Ok(bytes) => bytes,
            Err(Errno::EAGAIN) => return Ok(Sent::Part(sent)),
            Err(error) => return Err(error),
        };
        if bytes == 0 {
            return Ok(Sent::All(sent));
        }
        offset += bytes as u64;
        sent += bytes as u64;
        counters.packets += 1;
        counters.bytes += bytes as u64;
        totals::wrote(bytes);
        counters.packet_max = counters.packet_max.max(sent);
        counters.under_way += bytes as u64;
        counters.largest = counters.largest.max(counters.under_way);
        if left > 0 {
            left -= bytes.min(left);
            if left == 0 {
                return Ok(Sent::All(sent));
            }
        }
    }
}
