//! Requests: the queues of processes that read, accept, write or connect, how they are told that the descriptor is
//! ready, and what happens when one of them, or the owner, ends.
//!
//! The first in line tries. If that would block, it gets one message `{'$socket', Socket, select, Ref}` when it should
//! try again. The others get theirs when their turn comes. From the first wait on, the descriptor is in the node's
//! poll, edge-triggered; an edge that comes while no process waits is remembered until one does.

use std::collections::HashMap;
use std::os::fd::AsFd;
use std::sync::Arc;

use layout::{Heap, Term, no_gc};
use sys::poll::{Event, Interest};
use sys::socket::call;
use term::copy::Owned;
use term::heap::Scratch;
use term::release::{self, Release};
use term::{am, build, reference};

use super::outcome::{Answer, BAD_STATE, CLOSED, Refusal, answer};
use super::socket::socket;
use super::socket::{Armed, Kept, Line, Side, Socket, Task, Waiter, state};
use crate::magic;
use runtime::code::bif::BifResult;
use runtime::mail::signal;
use runtime::process::Process;
use runtime::process::signal::Signal;

/// The request of a process, and the references for the messages about it.
#[derive(Clone, Copy)]
pub(super) struct Request {
    /// The socket's reference.
    pub socket: Term,
    /// The reference that names the request; NONE when the caller does not want to wait.
    pub reference: Term,
    pub side: Side,
    pub task: Task,
}

/// Whether a process may proceed.
#[derive(Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Turn {
    Now,
    /// It has been put in line, unless it does not want to wait.
    Later,
}

/// Whether it is known that trying again at once would fail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exhausted {
    /// The system has just reported so.
    Yes,
    /// Not known; poll the descriptor.
    Perhaps,
}

impl Request {
    fn message(self, process: &mut Process) -> Owned {
        let heap = process.heap();
        let whole = build::tuple(heap, &[am::DOLLAR_SOCKET, self.socket]);
        Owned::new(build::tuple(
            heap,
            &[am::DOLLAR_SOCKET, whole, am::SELECT, self.reference],
        ))
    }

    fn number(self) -> (u64, u64) {
        reference::number(self.reference).unwrap_or_default()
    }
}

/// Tells a process that its request, for which `message` was made, is aborted.
fn abort(pid: Term, message: &Owned, reason: Term) {
    let Some([tag, whole, _, reference]) = message.term().as_tuple_of() else {
        unreachable!("made by `Request::message`")
    };
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let what = build::tuple(heap, &[reference, reason]);
    let told = build::tuple(heap, &[tag, whole, am::ABORT, what]);
    signal::send_message(am::UNDEFINED, pid, told);
}

impl Armed {
    fn fire(&mut self) {
        self.connecting = None;
        if let Some((pid, message)) = self.waiting.take() {
            signal::send_owned(am::SYSTEM, pid, message);
        }
    }
}

impl Socket {
    fn line(&self, side: Side) -> &parking_lot::Mutex<Line> {
        match side {
            Side::Read => &self.reading,
            Side::Write => &self.writing,
        }
    }

    /// To be called before an operation that may have to wait: forgets earlier edges, so that only later ones count.
    pub(super) fn listen_for_edges(&self, side: Side) {
        self.armed[side as usize].lock().edge = false;
    }

    /// Handles an event of the poll.
    fn ready(&self, event: Event) {
        for (side, is_ready) in [
            (Side::Read, event.is_readable()),
            (Side::Write, event.is_writable()),
        ] {
            if !is_ready {
                continue;
            }
            let mut armed = self.armed[side as usize].lock();
            armed.edge = true;
            // A socket that is not connected reports a hang-up, so check whether connecting has really finished.
            let is_over = armed
                .connecting
                .as_ref()
                .is_none_or(|descriptor| call::is_ready(descriptor.as_fd(), true));
            if is_over {
                armed.fire();
            }
        }
    }

    /// From now on the socket is told when the running process ends.
    pub(super) fn watch(self: &Arc<Socket>, process: &mut Process, kept: &mut Kept) {
        let pid = process.pid();
        kept.watched.entry(pid.bits()).or_insert_with(|| {
            let (ending, showing) = (Arc::downgrade(self), Arc::downgrade(self));
            let at_exit = &mut process.extras().at_exit;
            let number = at_exit.add(|number| {
                let end = move |_| {
                    if let Some(socket) = ending.upgrade() {
                        socket.ended(pid);
                    }
                };
                (number, Box::new(end))
            });
            let show = move |heap: &mut Heap, watchers: &mut Vec<Term>| {
                if let Some(socket) = showing.upgrade() {
                    socket.show(pid, heap, watchers);
                }
            };
            at_exit.set_watcher(number, Box::new(show));
            number
        });
    }

    /// Adds the socket's reference for each reason that it has to watch the process. It may be told of the end of a
    /// process that has no request any more, which is none.
    fn show(&self, pid: Term, heap: &mut Heap, watchers: &mut Vec<Term>) {
        let Some(&number) = self.number.get() else {
            return;
        };
        let (reading, writing, kept) = self.all();
        let is_owner = kept.owner == Some(pid);
        let reasons = [is_owner, reading.holds(pid), writing.holds(pid)];
        drop((reading, writing, kept));
        for _ in reasons.iter().filter(|&&holds| holds) {
            watchers.push(magic::again(heap, number));
        }
    }

    /// The socket is no longer told when the running process ends. Only for a process that is in no line.
    pub(super) fn unwatch(&self, process: &mut Process, kept: &mut Kept) {
        if let Some(number) = kept.watched.remove(&process.pid().bits()) {
            process.extras().at_exit.remove(number);
        }
    }

    /// Adds the descriptor to the poll, unless it is there already.
    fn register(self: &Arc<Socket>, line: &Line, kept: &mut Kept) -> Result<(), Refusal> {
        if kept.token.is_some() {
            return Ok(());
        }
        let socket = Arc::downgrade(self);
        let handler = Arc::new(move |event| {
            if let Some(socket) = socket.upgrade() {
                socket.ready(event);
            }
        });
        let descriptor = line.open()?;
        kept.token = Some(runtime::mail::io::register(
            descriptor.as_fd(),
            Interest::BOTH,
            handler,
        )?);
        Ok(())
    }

    /// Makes the running process the first in line, without a message to come.
    pub(super) fn take_place(
        self: &Arc<Socket>,
        process: &mut Process,
        line: &mut Line,
        request: Request,
    ) {
        self.watch(process, &mut self.kept.lock());
        line.task = Some(request.task);
        line.current = Some(Waiter {
            pid: process.pid(),
            number: request.number(),
            message: None,
        });
    }

    /// Makes the running process the first in line; a message will tell it when to try again.
    pub(super) fn wait(
        self: &Arc<Socket>,
        process: &mut Process,
        line: &mut Line,
        request: Request,
        exhausted: Exhausted,
    ) -> Result<(), Refusal> {
        self.register(line, &mut self.kept.lock())?;
        self.take_place(process, line, request);
        line.state |= state::SELECTED;
        let message = request.message(process);
        let connecting = match request.task {
            Task::Connect => line.open().ok().cloned(),
            _ => None,
        };
        let mut armed = self.armed[request.side as usize].lock();
        armed.waiting = Some((process.pid(), message));
        let is_ready = match (&connecting, exhausted) {
            // The edge may have been about something else, so the descriptor is polled.
            (Some(descriptor), _) => call::is_ready(descriptor.as_fd(), true),
            (None, Exhausted::Yes) => armed.edge,
            (None, Exhausted::Perhaps) => {
                let to_write = request.side == Side::Write;
                line.open()
                    .is_ok_and(|descriptor| call::is_ready(descriptor.as_fd(), to_write))
            }
        };
        armed.connecting = connecting;
        if is_ready {
            armed.fire();
        }
        Ok(())
    }

    /// The first in line is about to wait anew: it is told that the request before is aborted, unless it has been told
    /// to try.
    pub(super) fn replace_waiting(&self, side: Side) {
        let waiting = self.armed[side as usize].lock().waiting.take();
        if let Some((pid, message)) = waiting {
            abort(pid, &message, term::atom::known("cancelled"));
        }
    }

    /// Whether it is the running process's turn; if not, the process is put in line.
    pub(super) fn turn(
        self: &Arc<Socket>,
        process: &mut Process,
        line: &mut Line,
        request: Request,
    ) -> Result<Turn, Refusal> {
        let pid = process.pid();
        if line.current.as_ref().is_none_or(|first| first.pid == pid) {
            return Ok(Turn::Now);
        }
        if line.queue.iter().any(|waiter| waiter.pid == pid) {
            return Err(Refusal::Raise(am::STATE));
        }
        if request.reference.is_none() {
            // Who does not wait is never in line; up to OTP 25 it tries out of turn.
            return Ok(match release::has(Release::OTP_26) {
                true => Turn::Later,
                false => Turn::Now,
            });
        }
        self.watch(process, &mut self.kept.lock());
        line.queue.push_back(Waiter {
            pid,
            number: request.number(),
            message: Some(request.message(process)),
        });
        Ok(Turn::Later)
    }

    /// The running process has finished its request: the next one in line is told to try.
    pub(super) fn done(&self, process: &Process, line: &mut Line, side: Side) {
        if line
            .current
            .as_ref()
            .is_some_and(|first| first.pid == process.pid())
        {
            self.next(line, side);
        }
    }

    /// Makes the next one in line the first; it is told to try as soon as the descriptor is ready. Returns whether the
    /// one before it had not been told yet.
    fn next(&self, line: &mut Line, side: Side) -> bool {
        let mut armed = self.armed[side as usize].lock();
        let was_armed = armed.waiting.take().is_some();
        armed.connecting = None;
        line.current = line.queue.pop_front();
        match line.current.as_mut() {
            Some(first) => {
                armed.waiting = first.message.take().map(|message| (first.pid, message));
                line.state |= state::SELECTED;
                let to_write = side == Side::Write;
                if line
                    .open()
                    .is_ok_and(|descriptor| call::is_ready(descriptor.as_fd(), to_write))
                {
                    armed.fire();
                }
            }
            None => {
                line.task = None;
                line.state &= !(state::ACCEPTING | state::CONNECTING);
            }
        }
        was_armed
    }

    /// The operation fails for all processes in line: those that wait are told.
    pub(super) fn fail_all(&self, line: &mut Line, side: Side, reason: Term) {
        if line.current.take().is_none() {
            return;
        }
        let mut armed = self.armed[side as usize].lock();
        armed.waiting = None;
        armed.connecting = None;
        drop(armed);
        self.empty(line, reason);
    }

    fn empty(&self, line: &mut Line, reason: Term) {
        for waiter in line.queue.drain(..) {
            if let Some(message) = &waiter.message {
                abort(waiter.pid, message, reason);
            }
        }
        line.current = None;
        line.task = None;
        line.state &= !(state::ACCEPTING | state::CONNECTING);
    }

    /// Takes the socket out of the poll; all processes in line are told that it is closed. Returns whether there were
    /// any.
    pub(super) fn stop(&self, reading: &mut Line, writing: &mut Line, kept: &mut Kept) -> bool {
        if let (Some(token), Ok(descriptor)) = (kept.token.take(), reading.open()) {
            runtime::mail::io::unregister(descriptor.as_fd(), token);
        }
        reading.state |= state::CLOSING;
        writing.state |= state::CLOSING;
        let mut told = false;
        for (line, side) in [(writing, Side::Write), (reading, Side::Read)] {
            let mut armed = self.armed[side as usize].lock();
            armed.connecting = None;
            let waiting = armed.waiting.take();
            drop(armed);
            told |= waiting.is_some() || line.queue.iter().any(|waiter| waiter.message.is_some());
            if let Some((pid, message)) = waiting {
                abort(pid, &message, am::CLOSED);
            }
            self.empty(line, am::CLOSED);
        }
        told
    }

    /// Called when a process that the socket watches has ended.
    fn ended(&self, pid: Term) {
        let (mut reading, mut writing, mut kept) = self.all();
        kept.watched.remove(&pid.bits());
        let was_owner = kept.owner == Some(pid);
        if was_owner {
            kept.owner = None;
        }
        let ending = if kept.closer == Some(pid) {
            kept.closer = None;
            Some(self.end(&mut reading, &mut writing, &mut kept))
        } else if was_owner && reading.is_open() {
            self.stop(&mut reading, &mut writing, &mut kept);
            Some(self.end(&mut reading, &mut writing, &mut kept))
        } else {
            self.leave_line(&mut reading, Side::Read, pid);
            self.leave_line(&mut writing, Side::Write, pid);
            None
        };
        let watched = match ending {
            Some(_) => std::mem::take(&mut kept.watched),
            None => HashMap::new(),
        };
        drop((reading, writing, kept));
        if let Some(ending) = ending {
            ending.drop_it();
        }
        forget(watched);
    }

    fn leave_line(&self, line: &mut Line, side: Side, pid: Term) {
        line.queue.retain(|waiter| waiter.pid != pid);
        if line.current.as_ref().is_some_and(|first| first.pid == pid) {
            if let Some(file) = line.sending.file.take() {
                // Closing a file may block.
                runtime::mail::dirty::later(runtime::process::dirty::DirtyKind::Io, move || {
                    drop(file)
                });
            }
            self.next(line, side);
        }
    }

    /// Makes another process the owner; if there is no such process, the socket is closed.
    pub(super) fn give_to(self: &Arc<Socket>, owner: Term) {
        let socket = Arc::clone(self);
        let signal = Signal::Call(Box::new(move |process| match process {
            Some(process) => {
                let mut kept = socket.kept.lock();
                if kept.owner == Some(owner) {
                    socket.watch(process, &mut kept);
                }
            }
            None => socket.ended(owner),
        }));
        signal::send_or_bounce(owner, signal);
    }
}

/// Removes the exit actions of processes, which then no longer tell the socket that they have ended.
pub(super) fn forget(watched: HashMap<u64, u64>) {
    for (bits, number) in watched {
        // SAFETY: the bits of a pid, which is an immediate.
        let pid = unsafe { Term::from_bits(bits) };
        let signal = Signal::Call(Box::new(move |process| {
            if let Some(process) = process {
                process.extras().at_exit.remove(number);
            }
        }));
        // A process that is gone has told the socket already.
        let _ = signal::send(pid, signal);
    }
}

/// `prim_socket:nif_cancel(Socket, Operation, Ref)`
pub(crate) fn nif_cancel_3(
    process: &mut Process,
    [reference, operation, number]: [Term; 3],
) -> BifResult {
    let outcome = cancel(process, reference, operation, number);
    answer(process, outcome)
}

fn cancel(process: &mut Process, reference: Term, operation: Term, number: Term) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    if !operation.is_atom() || !number.is_reference() {
        return Err(Refusal::Badarg);
    }
    let (side, task) = match operation {
        am::CONNECT => (Side::Write, Task::Connect),
        am::ACCEPT => (Side::Read, Task::Accept),
        am::RECV | am::RECVFROM | am::RECVMSG => (Side::Read, Task::Read),
        am::SEND | am::SENDTO | am::SENDMSG | am::SENDFILE => (Side::Write, Task::Write),
        am::RECVMMSG if release::has(Release::OTP_29) => (Side::Read, Task::Read),
        am::SENDMMSG if release::has(Release::OTP_29) => (Side::Write, Task::Write),
        _ if socket.reading.lock().is_open() => return Err(Refusal::Badarg),
        _ => return Err(CLOSED),
    };
    let mut line = socket.line(side).lock();
    line.open()?;
    if line.task != Some(task) {
        return Ok(am::NOT_FOUND);
    }
    let pid = process.pid();
    let wanted = reference::number(number);
    let is_it = |waiter: &Waiter| waiter.pid == pid && Some(waiter.number) == wanted;
    match line.current.as_ref() {
        Some(first) if first.pid == pid => {
            if !is_it(first) {
                return Ok(am::NOT_FOUND);
            }
            Ok(if socket.next(&mut line, side) {
                am::OK
            } else {
                am::SELECT_SENT
            })
        }
        _ => match line.queue.iter().position(is_it) {
            Some(place) => {
                line.queue.remove(place);
                Ok(am::OK)
            }
            None => Ok(am::NOT_FOUND),
        },
    }
}

/// Fails unless the line is free for this kind of task.
pub(super) fn only(line: &Line, task: Task) -> Result<(), Refusal> {
    match line.task {
        Some(other) if other != task => Err(BAD_STATE),
        _ => Ok(()),
    }
}
