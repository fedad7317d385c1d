//! What processes can ask of ports: commands, control, links, monitors, closing.
//!
//! Each takes effect at once if the port is idle. Otherwise its terms are copied and it is queued, and a caller that
//! wants an answer gets a reference and later, as a message, `{Reference, Answer}`, which `erlang` and
//! `erts_internal` wait for.

use std::sync::Arc;

use layout::{Heap, NoGc, Term, no_gc};
use term::copy::{self, Owned};
use term::heap::Scratch;
use term::iolist::IolistError;
use term::{am, atom, build, reference};

use super::access::Access;
use super::busy::Held;
use super::driver::{Command, Control, Output};
use super::entered::Entered;
use super::{Core, Phase, Port, State, busy, find, queue, table};
use crate::effects::port::tracing;
use crate::effects::{log, signal_handling};
use crate::mail::observer;
use crate::mail::observer::observer;
use crate::mail::registry::{self, Refusal};
use crate::mail::signal::{self, Sent};
use crate::process::rank::Rank;
use crate::process::relations::ReferenceNumber;
use crate::process::signal::Signal;
use crate::process::sync::between_steps;
use crate::process::{Flags, Process};

/// A request that has reached its port.
pub struct Request<'a> {
    pub port: &'a Arc<Port>,
    pub state: &'a mut State,
    pub caller: Term,
    pub argument: Term,
    /// Where the answer is built.
    pub heap: &'a mut Heap,
}

/// Asks a port something, which tracers know as `operation`; returns the answer, or the reference of the message that
/// will bring it. All that the port sent before has then taken effect, as on stock.
pub fn request(
    process: &mut Process,
    port: &Arc<Port>,
    operation: Term,
    argument: Term,
    body: impl FnOnce(Request<'_>) -> Term + Send + 'static,
) -> Term {
    let caller = process.pid();
    let waiting = Waiting::new(process);
    if let Some(mut state) = enter_for(process, port, operation) {
        let answer = body(Request {
            port,
            state: &mut state,
            caller,
            argument,
            heap: process.heap(),
        });
        drop(state);
        left(process);
        waiting.ends(process);
        // What the port has sent meanwhile, such as the exit signal of one that closes, takes effect before the answer.
        signal_handling::catch_up(process);
        return answer;
    }
    waiting.ends(process);
    let made = signal_handling::reference_of_answer(process);
    let (reference, argument) = (Owned::new(made), Owned::new(argument));
    let task = move |port: &Arc<Port>, state: &mut State| {
        let mut scratch = Scratch::new();
        let answer = body(Request {
            port,
            state,
            caller,
            argument: argument.term(),
            heap: scratch.heap(),
        });
        signal::reply(port.id, caller, &reference, answer);
    };
    between_steps();
    queue_in_order(port, caller, false, 0, task);
    made
}

/// Queues a signal of a process, which is held if it has to be when its turn comes; with the bytes that it holds of a
/// command.
fn queue_in_order(
    port: &Arc<Port>,
    sender: Term,
    waits_for_driver: bool,
    bytes: usize,
    task: impl FnOnce(&Arc<Port>, &mut State) + Send + 'static,
) {
    let in_order = move |port: &Arc<Port>, state: &mut State| {
        if !state.must_hold(sender, waits_for_driver) {
            return task(port, state);
        }
        state.hold(Held {
            sender,
            is_awaited: false,
            bytes,
            task: Box::new(task),
        });
    };
    queue::push(port, bytes, Box::new(in_order));
}

/// Enters a port that does something for a process at once; [`left`] is called when it is done.
#[inline]
fn enter_for<'a>(process: &mut Process, port: &'a Port, operation: Term) -> Option<Entered<'a>> {
    port.enter_for(process.pid(), operation, || {
        if process.flags.contains(Flags::TRACED) {
            observer().waits_for_port(process);
        }
    })
}

/// The process has left the port, whose lock is no longer held.
#[inline]
fn left(process: &mut Process) {
    if process.flags.contains(Flags::TRACED) {
        observer().has_waited_for_port(process);
    }
}

/// A process that a port does something for, which is not ready to run meanwhile if the profiler is to see it so.
struct Waiting(bool);

impl Waiting {
    #[inline]
    fn new(process: &Process) -> Waiting {
        let is_told = observer::is_profiled();
        if is_told {
            observer().process_waits_for_port(process, am::INACTIVE);
        }
        Waiting(is_told)
    }

    #[inline]
    fn ends(self, process: &Process) {
        if self.0 {
            observer().process_waits_for_port(process, am::ACTIVE);
        }
    }
}

/// Does something to a port, at once or in order with its queue; without an answer.
fn run_or_queue(
    port: &Arc<Port>,
    operation: Term,
    body: impl FnOnce(&Arc<Port>, &mut State) + Send + 'static,
) {
    between_steps();
    match port.enter(operation) {
        Some(mut state) => body(port, &mut state),
        None => queue::push(port, 0, Box::new(body)),
    }
}

/// The result of `port_command`.
#[must_use]
pub enum CommandResult {
    /// `true`, the reason of an error, or the reference of the answer to come.
    Answer(Term),
    /// Nothing was done: the port is busy. With `wait` the caller was recorded, to be resumed when the port no longer
    /// is.
    Busy,
}

/// `port_command/3`.
pub fn command(
    process: &mut Process,
    port: &Arc<Port>,
    data: Term,
    force: bool,
    wait: bool,
) -> CommandResult {
    let no_gc = no_gc!();
    let Ok(output) = Output::of_command(data, no_gc) else {
        log::bad_output(port.state.lock().core.name());
        return CommandResult::Answer(am::BADARG);
    };
    let caller = process.pid();
    let recorded = wait.then_some(caller);
    if let Some(mut state) = enter_for(process, port, am::COMMAND) {
        let result = if force && !state.takes_force() {
            CommandResult::Answer(am::NOTSUP)
        } else if !force && state.must_wait(recorded) {
            CommandResult::Busy
        } else {
            CommandResult::Answer(state.command(port, caller, &output))
        };
        drop(state);
        left(process);
        if let CommandResult::Answer(_) = result {
            signal_handling::catch_up(process);
        }
        return result;
    }
    if force {
        if !port.state.lock().takes_force() {
            return CommandResult::Answer(am::NOTSUP);
        }
    } else if port.must_wait_to_queue(recorded) {
        return CommandResult::Busy;
    }
    let size = output.size();
    let made = signal_handling::reference_of_answer(process);
    let number = reference::number(made).expect("a reference");
    // If nothing is shared, the copied bytes are kept instead of the term.
    let (data, copied) = match output.into_copied() {
        Some(copied) => (None, Some(copied)),
        None => (Some(Owned::new(data)), None),
    };
    let task = move |port: &Arc<Port>, state: &mut State| {
        let output = match &data {
            Some(data) => Output::of_command(data.term(), data.no_gc()).ok(),
            None => copied.map(Output::of_copied),
        };
        let answer = output.map_or(am::BADARG, |output| state.command(port, caller, &output));
        signal::reply_to(port.id, caller, number, answer);
    };
    queue_in_order(port, caller, !force, size, task);
    CommandResult::Answer(made)
}

impl Request<'_> {
    /// Reports `port_connect/2`.
    fn trace_connect(&mut self) {
        let (port, new) = (self.port.id, self.argument);
        let mut tracee = self.state.core.tracee(port);
        tracee.receives(self.caller, |heap| build::tuple(heap, &[am::CONNECT, new]));
        let mut scratch = Scratch::new();
        let message = build::tuple(scratch.heap(), &[port, am::CONNECTED]);
        tracing::sends(tracee.tracings, port, self.caller, message);
    }

    /// Reports a control with these bytes.
    fn trace_control(&mut self, operation: u32, bytes: &[u8]) {
        let mut tracee = self.state.core.tracee(self.port.id);
        tracee.is_asked(am::CONTROL, self.caller, operation, bytes);
    }

    /// Reports what a control answers.
    fn trace_answer(&mut self, bytes: &[u8]) {
        let mut tracee = self.state.core.tracee(self.port.id);
        tracee.answers(am::CONTROL, self.caller, bytes);
    }
}

impl Core {
    /// A process links itself to the port.
    fn is_linked_to(&mut self, port: Term, pid: Term) {
        if !self.links.contains(&pid) {
            self.links.push(pid);
            self.tracee(port).happens(am::GETTING_LINKED, pid, None);
        }
    }
}

impl State {
    fn takes_force(&self) -> bool {
        self.driver
            .as_ref()
            .is_some_and(|driver| driver.takes_force())
    }

    /// A linked process has ended, which closes the port if it was the connected one or if the reason is not `normal`.
    fn link_broken(&mut self, port: &Arc<Port>, from: Term, reason: Term) {
        self.core.links.retain(|other| *other != from);
        if reason != am::NORMAL || self.core.connected == from {
            self.close(port, reason);
        }
    }

    /// Hands data to the driver; returns `true` or `badarg`.
    fn command(&mut self, port: &Arc<Port>, caller: Term, output: &Output) -> Term {
        if self.core.phase != Phase::Open {
            return am::BADARG;
        }
        let driver = self.driver.as_ref();
        let in_parts = driver.is_some_and(|driver| driver.takes_vector());
        if in_parts && output.has_odd_bits() {
            // Of bits that are no bytes, these were left out.
            log::bad_output(self.core.name());
            return am::BADARG;
        }
        self.core.tracee(port.id).receives(caller, |heap| {
            let data = match in_parts {
                true => output.as_list(heap),
                false => build::binary(heap, &output.whole()),
            };
            build::tuple(heap, &[am::COMMAND, data])
        });
        self.core.output_bytes += output.size() as u64;
        table::count_output(output.size());
        let taken = self.call(port, Some(caller), |driver, access| {
            driver.output(access, output)
        });
        match taken {
            Some(Command::Done) => am::TRUE,
            Some(Command::Bad) | None => am::BADARG,
        }
    }

    /// Makes a process the connected one, and links it; false if it is gone. `has_link` is whether the process has the
    /// link already. A process that is just ending refuses the link when its end is complete: see [`link_refused`].
    fn connect(&mut self, port: Term, pid: Term, has_link: bool) -> bool {
        if !self.core.links.contains(&pid) {
            if !has_link && signal::send(pid, Signal::Link { from: port }).is_err() {
                return false;
            }
            self.core.links.push(pid);
            self.core
                .tracee(port)
                .happens(am::GETTING_LINKED, pid, None);
        }
        self.core.connected = pid;
        true
    }
}

/// Hands data to a port when no process waits for the result: trace messages.
pub fn command_from_outside(port: &Arc<Port>, data: &[u8]) {
    let data = data.to_vec();
    run_or_queue(port, am::COMMAND, move |port, state| {
        let connected = state.core.connected;
        let _ = state.command(port, connected, &Output::of_bytes(&data));
    });
}

/// As [`command_from_outside`], but never in this thread, which may be in a function of a library.
pub fn queue_command(port: &Arc<Port>, data: Vec<u8>) {
    let body = move |port: &Arc<Port>, state: &mut State| {
        let connected = state.core.connected;
        let _ = state.command(port, connected, &Output::of_bytes(&data));
    };
    queue::push(port, 0, Box::new(body));
}

/// `port_control/3`.
pub fn control(process: &mut Process, port: &Arc<Port>, operation: u32, data: Term) -> Term {
    if Output::new(data, no_gc!()).is_err() {
        return am::BADARG;
    }
    request(process, port, am::CONTROL, data, move |mut request| {
        let no_gc = no_gc!();
        let Ok(data) = Output::new(request.argument, no_gc) else {
            return am::BADARG;
        };
        if request.state.core.phase != Phase::Open {
            return am::BADARG;
        }
        request.trace_control(operation, &data.whole());
        let answer = request
            .state
            .call(request.port, Some(request.caller), |driver, access| {
                driver.control(access, operation, &data.whole())
            });
        match answer.flatten() {
            None => am::BADARG,
            Some(Control::List(bytes)) => {
                request.trace_answer(&bytes);
                build::byte_list(request.heap, &bytes)
            }
            Some(Control::Binary(bytes)) => {
                request.trace_answer(&bytes);
                build::binary(request.heap, &bytes)
            }
        }
    })
}

/// `port_call/3`: returns `{ok, Answer}` or `badarg`.
pub fn call(process: &mut Process, port: &Arc<Port>, operation: u32, data: Term) -> Term {
    request(process, port, am::CALL, data, move |request| {
        if request.state.core.phase != Phase::Open {
            return am::BADARG;
        }
        let answer = request
            .state
            .call(request.port, Some(request.caller), |driver, access| {
                driver.call(access, operation, request.argument)
            });
        match answer.flatten() {
            None => am::BADARG,
            Some(answer) => {
                let answer = copy::copy(request.heap, answer.term());
                build::tuple(request.heap, &[am::OK, answer])
            }
        }
    })
}

/// `port_connect/2`. The old owner stays linked; the new one is linked as well.
pub fn connect(process: &mut Process, port: &Arc<Port>, pid: Term) -> Term {
    let is_own = pid == process.pid();
    if is_own {
        process.relations.add_link(port.id, Rank::Ordinary);
    }
    request(process, port, am::CONNECT, pid, move |mut request| {
        let is_open = request.state.core.phase == Phase::Open;
        if is_open
            && request
                .state
                .connect(request.port.id, request.argument, is_own)
        {
            request.trace_connect();
            return am::TRUE;
        }
        if is_own {
            refuse_link(request.argument, request.port.id);
        }
        am::BADARG
    })
}

/// Tells a process that a port is gone to which it has just been linked.
fn refuse_link(pid: Term, port: Term) {
    let exit = Signal::Exit {
        from: port,
        reason: Owned::new(am::NOPROC),
        linked: true,
    };
    let _ = signal::send(pid, exit);
}

/// `port_close/1`.
pub fn close(process: &mut Process, port: &Arc<Port>) -> Term {
    request(process, port, am::CLOSE, Term::NIL, |request| {
        let State { core, .. } = &mut *request.state;
        if core.phase == Phase::Open {
            core.tracee(request.port.id)
                .receives(request.caller, |_| am::CLOSE);
        }
        match request.state.close(request.port, am::NORMAL) {
            true => am::TRUE,
            false => am::BADARG,
        }
    })
}

/// `Port ! Message`. A message that is not a valid request makes the port send an exit signal `badsig` to its
/// connected process.
pub fn message(from: &mut Process, port: Term, message: Term) -> Sent {
    let Some(port) = find(port) else {
        return Sent::Done;
    };
    let own = from.pid();
    let no_gc = no_gc!();
    let output = command_of(message).and_then(|data| Output::of_command(data, no_gc).ok());
    let Some(mut state) = enter_for(from, &port, operation_of(message)) else {
        let is_command = output.is_some();
        let waits = is_command && port.must_wait_to_queue(Some(own));
        let size = output.as_ref().map_or(0, Output::size);
        queue_in_order(
            &port,
            own,
            is_command,
            size,
            run_later(own, message, |data, no_gc| Output::new(data, no_gc)),
        );
        return suspended_if(from, waits);
    };
    let waits = output.is_some() && state.is_busy();
    match waits {
        true => state.hold(Held {
            sender: own,
            is_awaited: true,
            bytes: output.as_ref().map_or(0, Output::size),
            task: Box::new(run_later(own, message, |data, no_gc| {
                Output::of_command(data, no_gc)
            })),
        }),
        false => run_message(&port, &mut state, own, message, output.as_ref()),
    }
    drop(state);
    left(from);
    suspended_if(from, waits)
}

/// Keeps a message to a port, to be carried out when its turn comes; `read` makes the output of a command's data.
fn run_later(
    from: Term,
    message: Term,
    read: for<'t> fn(Term, &'t NoGc) -> Result<Output<'t>, IolistError>,
) -> impl FnOnce(&Arc<Port>, &mut State) + Send + 'static {
    let message = Owned::new(message);
    move |port, state| {
        let output = command_of(message.term()).and_then(|data| read(data, message.no_gc()).ok());
        run_message(port, state, from, message.term(), output.as_ref());
    }
}

/// Whether a message is a command to a port that is busy.
#[must_use]
pub fn would_suspend(to: Term, message: Term) -> bool {
    if !to.is_local_port() && !to.is_atom() || command_of(message).is_none() {
        return false;
    }
    super::resolve(to).is_some_and(|port| port.is_busy())
}

/// Suspends the sender if it has to wait for the port.
fn suspended_if(from: &mut Process, waits: bool) -> Sent {
    if waits {
        busy::suspend_sender(from);
        Sent::Suspended
    } else {
        Sent::Done
    }
}

/// What a message to a port asks for, as tracers know it; one that is no request counts as a command.
fn operation_of(message: Term) -> Term {
    let request = match message.as_tuple_of() {
        Some([_, request]) => request,
        _ => return am::COMMAND,
    };
    match request.as_tuple_of() {
        None if request == am::CLOSE => am::CLOSE,
        Some([am::CONNECT, _]) => am::CONNECT,
        _ => am::COMMAND,
    }
}

/// The data of `{_, {command, Data}}`.
fn command_of(message: Term) -> Option<Term> {
    let [_, request] = message.as_tuple_of()?;
    match request.as_tuple(no_gc!())? {
        &[am::COMMAND, data] => Some(data),
        _ => None,
    }
}

/// Carries out a message to a port.
fn run_message(
    port: &Arc<Port>,
    state: &mut State,
    from: Term,
    message: Term,
    output: Option<&Output>,
) {
    if state.core.phase != Phase::Open {
        return;
    }
    let connected = state.core.connected;
    let request = match message.as_tuple_of() {
        Some([owner, request]) if owner == connected => request,
        _ => return bad_signal(port, state),
    };
    if let Some(output) = output {
        if state.command(port, from, output) != am::TRUE {
            bad_signal(port, state);
        }
        return;
    }
    if command_of(message).is_some() {
        log::bad_output(state.core.name());
    }
    if request == am::CLOSE {
        state.core.tracee(port.id).receives(from, |_| am::CLOSE);
        if !state.is_permanent() {
            state.core.closed_for = Some(connected);
        }
        state.close(port, am::NORMAL);
        return;
    }
    match request.as_tuple_of() {
        Some([am::CONNECT, pid]) if pid.is_local_pid() => {
            // Does not link it, unlike `port_connect/2`.
            state
                .core
                .tracee(port.id)
                .receives(from, |heap| build::tuple(heap, &[am::CONNECT, pid]));
            state.core.connected = pid;
            let mut scratch = Scratch::new();
            let told = build::tuple(scratch.heap(), &[port.id, am::CONNECTED]);
            state.core.notify(connected, port.id, am::CONNECTED, told);
        }
        _ => bad_signal(port, state),
    }
}

fn bad_signal(port: &Port, state: &State) {
    if state.is_permanent() {
        return;
    }
    let exit = Signal::Exit {
        from: port.id,
        reason: Owned::new(atom::known("badsig")),
        linked: false,
    };
    let _ = signal::send(state.core.connected, exit);
}

/// Gives an open port a name.
///
/// # Errors
/// See [`Refusal`].
pub fn register(name: Term, port: Term) -> Result<(), Refusal> {
    let port = find(port).ok_or(Refusal::NotAlive)?;
    // Closing takes the name away under this lock.
    between_steps();
    let mut state = port.state.lock();
    if state.core.phase != Phase::Open {
        return Err(Refusal::NotAlive);
    }
    registry::give(name, port.id)?;
    state.core.tracee(port.id).happens(am::REGISTER, name, None);
    Ok(())
}

/// An open port's name has been taken away.
pub fn has_lost_name(port: Term, name: Term) {
    if let Some(port) = find(port) {
        let mut state = port.state.lock();
        state
            .core
            .tracee(port.id)
            .happens(am::UNREGISTER, name, None);
    }
}

/// Sets a monitor; returns false if the port is closed.
#[must_use]
pub fn monitor(port: Term, watcher: Term, reference: ReferenceNumber, name: Option<Term>) -> bool {
    let Some(port) = find(port) else { return false };
    if let Some(mut state) = port.enter(am::MONITOR) {
        let is_open = state.core.phase == Phase::Open;
        if is_open {
            state.core.monitors.insert(reference, (watcher, name));
        }
        return is_open;
    }
    run_or_queue(&port, am::MONITOR, move |_, state| {
        if state.core.phase == Phase::Open {
            state.core.monitors.insert(reference, (watcher, name));
            return;
        }
        let down = Signal::Down {
            reference,
            from: None,
            reason: Owned::new(am::NOPROC),
        };
        let _ = signal::send(watcher, down);
    });
    true
}

/// Removes a monitor on a port.
pub fn demonitor(port: Term, reference: ReferenceNumber) {
    if let Some(port) = find(port) {
        run_or_queue(&port, am::DEMONITOR, move |_, state| {
            state.core.monitors.remove(&reference);
        });
    }
}

/// A process that the port monitors has ended.
pub(crate) fn process_down(port: Term, monitor: ReferenceNumber) {
    if let Some(port) = find(port) {
        // Always queued, because the port may just be setting the monitor.
        let task = move |port: &Arc<Port>, state: &mut State| {
            if state.core.monitored.remove(&monitor).is_some() {
                let down = |driver: &mut dyn super::driver::Driver, access: &mut Access<'_>| {
                    driver.process_down(access, monitor);
                };
                state.call(port, None, down);
            }
        };
        queue::push(&port, 0, Box::new(task));
    }
}

/// Links a process to a port; returns false if the port is closed.
#[must_use]
pub fn link(port: Term, pid: Term) -> bool {
    let Some(port) = find(port) else { return false };
    if let Some(mut state) = port.enter(am::LINK) {
        let is_open = state.core.phase == Phase::Open;
        if is_open {
            state.core.is_linked_to(port.id, pid);
        }
        return is_open;
    }
    run_or_queue(&port, am::LINK, move |port, state| {
        if state.core.phase != Phase::Open {
            refuse_link(pid, port.id);
        } else {
            state.core.is_linked_to(port.id, pid);
        }
    });
    true
}

/// A process to which the port has linked itself is gone: to the port that is as if it ended now.
pub(crate) fn link_refused(port: Term, pid: Term) {
    if let Some(port) = find(port) {
        // Always queued, because the port may just be setting the link.
        let task =
            move |port: &Arc<Port>, state: &mut State| state.link_broken(port, pid, am::NOPROC);
        queue::push(&port, 0, Box::new(task));
    }
}

/// Unlinks a process from a port.
pub fn unlink(port: Term, pid: Term) {
    if let Some(port) = find(port) {
        run_or_queue(&port, am::UNLINK, move |port, state| {
            let core = &mut state.core;
            if core.links.contains(&pid) {
                core.links.retain(|linked| *linked != pid);
                core.tracee(port.id)
                    .happens(am::GETTING_UNLINKED, pid, None);
            }
        });
    }
}

/// A process that was linked to the port has ended (`linked`), or sends it an exit signal, which closes the port
/// whatever the reason.
pub fn exit_signal(port: Term, from: Term, reason: Term, linked: bool) {
    let Some(port) = find(port) else { return };
    let reason = Owned::new(reason);
    let close = move |port: &Arc<Port>, state: &mut State| {
        if linked {
            let core = &mut state.core;
            if core.phase == Phase::Open && core.links.contains(&from) {
                core.tracee(port.id).receives(from, |_| am::CLOSE);
            }
            state.link_broken(port, from, reason.term());
        } else {
            if state.core.phase == Phase::Open {
                state.core.tracee(port.id).receives(from, |_| am::CLOSE);
            }
            state.close(port, reason.term());
        }
    };
    between_steps();
    match port.enter_for(from, am::CLOSE, || ()) {
        Some(mut state) => close(&port, &mut state),
        None => queue_in_order(&port, from, false, 0, close),
    }
}

/// Drops a value when the port has done all that it has been asked so far, or has closed.
pub fn when_done(port: Term, value: impl Send + 'static) {
    let Some(port) = find(port) else { return };
    if port.tasks.are_pending() {
        queue::push(&port, 0, Box::new(move |_, _| drop(value)));
    }
}
