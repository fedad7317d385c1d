//! Ports: the node's ends of the outside world.
//!
//! A port is found through a table by its identifier and guarded by a lock of its own: whoever
//! sends to it runs the driver's part in the caller, and I/O events run it on the scheduler that saw
//! them. Links, monitors and the connected process work as those between processes, by signals.

pub mod driver;
pub mod fd;
pub mod open;
pub mod ram_file;
mod table;

use std::collections::HashMap;
use std::sync::Arc;

use layout::{Heap, Term};
use parking_lot::Mutex;
use term::copy::Owned;
use term::heap::Scratch;
use term::{am, build};

use crate::process::Process;
use crate::process::relations::ReferenceNumber;
use crate::registry::{self, Refusal};
use crate::send::Sent;
use crate::signal::{self, Signal};
use driver::{Answer, Command, Driver};

pub use table::{bytes, count, find, flush_all, list, resolve};

/// A port that may be open.
pub struct Port {
    pub id: Term,
    pub state: Mutex<State>,
}

/// What a port's lock guards.
pub struct State {
    /// None once the port is closed.
    pub driver: Option<Box<dyn Driver>>,
    pub connected: Term,
    pub links: Vec<Term>,
    pub monitors: HashMap<ReferenceNumber, (Term, Option<Term>)>,
    /// Data comes as binaries.
    pub binary: bool,
    /// The name it was opened by, for `port_info(name)`.
    pub name: String,
    pub input_bytes: u64,
    pub output_bytes: u64,
    pub data: Option<Owned>,
    /// Processes that wait until the port takes output again.
    pub waiting: Vec<Term>,
    pub os_pid: Option<u32>,
}

/// How a command to a port ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Outcome {
    Done,
    /// The port is busy: the caller was noted and is called when it no longer is.
    Busy,
    /// The port is closed, or the arguments are no good.
    Bad,
}

impl Port {
    /// Hands data to the driver. With `wait_for` a busy port takes nothing and notes that process.
    pub fn command(self: &Arc<Port>, data: &[u8], wait_for: Option<Term>) -> Outcome {
        let mut state = self.state.lock();
        let State {
            driver,
            waiting,
            output_bytes,
            ..
        } = &mut *state;
        let Some(driver) = driver.as_mut() else {
            return Outcome::Bad;
        };
        if driver.is_busy()
            && let Some(pid) = wait_for
        {
            waiting.push(pid);
            return Outcome::Busy;
        }
        *output_bytes += data.len() as u64;
        table::count_output(data.len());
        let _port = crate::microstate::enter(crate::microstate::State::Port);
        match driver.output(data) {
            Command::Done => {
                for answer in driver.answers() {
                    self.tell_answer(&state, &answer);
                }
                Outcome::Done
            }
            Command::Bad => Outcome::Bad,
            Command::Failed(reason) => {
                let reason = term::atom::known(reason);
                self.close_locked(&mut state, reason);
                Outcome::Done
            }
        }
    }

    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state.lock().driver.is_some()
    }

    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.state
            .lock()
            .driver
            .as_ref()
            .is_some_and(|driver| driver.is_busy())
    }

    /// Closes the port with a reason; false when it was closed.
    pub fn close(self: &Arc<Port>, reason: Term) -> bool {
        let mut state = self.state.lock();
        self.close_locked(&mut state, reason)
    }

    /// As [`Port::close`], the lock being held.
    pub fn close_locked(self: &Arc<Port>, state: &mut State, reason: Term) -> bool {
        let Some(driver) = state.driver.take() else {
            return false;
        };
        driver.stop();
        table::remove(self.id);
        registry::forget_owner(self.id);
        for linked in std::mem::take(&mut state.links) {
            let exit = Signal::Exit {
                from: self.id,
                reason: Owned::new(reason),
                linked: true,
            };
            let _ = signal::send(linked, exit);
        }
        for (reference, (watcher, _)) in std::mem::take(&mut state.monitors) {
            let down = Signal::Down {
                reference,
                from: None,
                reason: Owned::new(reason),
            };
            let _ = signal::send(watcher, down);
        }
        wake_waiting(state);
        true
    }

    fn tell_answer(&self, state: &State, answer: &Answer) {
        self.tell(state, |heap| {
            let tail = match &answer.data {
                None => Term::NIL,
                Some(data) if state.binary => build::binary(heap, data),
                Some(data) => build::byte_list(heap, data),
            };
            let header: Vec<Term> = answer
                .header
                .iter()
                .map(|byte| Term::small(i64::from(*byte)))
                .collect();
            let data = build::list_with_tail(heap, &header, tail);
            build::tuple(heap, &[am::DATA, data])
        });
    }

    /// Sends the connected process what `body` builds behind the port's identifier: `{Port, Body}`.
    pub fn tell(&self, state: &State, body: impl FnOnce(&mut Heap) -> Term) {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let body = body(heap);
        let message = build::tuple(heap, &[self.id, body]);
        signal::send_message_from_outside(state.connected, message);
    }
}

/// Lets those go on that waited for a busy port.
pub fn wake_waiting(state: &mut State) {
    for pid in std::mem::take(&mut state.waiting) {
        let _ = signal::send(pid, Signal::Call(Box::new(|_| {})));
    }
}

/// Whether there is such a port.
#[must_use]
pub fn exists(port: Term) -> bool {
    find(port).is_some_and(|port| port.state.lock().driver.is_some())
}

/// Gives an open port a name.
///
/// # Errors
/// See [`Refusal`].
pub fn register(name: Term, port: Term) -> Result<(), Refusal> {
    let port = find(port).ok_or(Refusal::NotAlive)?;
    // Closing takes the name back under this lock.
    let state = port.state.lock();
    if state.driver.is_none() {
        return Err(Refusal::NotAlive);
    }
    registry::give(name, port.id)
}

/// A monitor on a port is gone.
pub fn demonitor(port: Term, reference: ReferenceNumber) {
    if let Some(port) = find(port) {
        port.state.lock().monitors.remove(&reference);
    }
}

/// Sets a monitor; false when the port is closed.
#[must_use]
pub fn monitor(port: Term, watcher: Term, reference: ReferenceNumber, name: Option<Term>) -> bool {
    let Some(port) = find(port) else { return false };
    let mut state = port.state.lock();
    if state.driver.is_none() {
        return false;
    }
    state.monitors.insert(reference, (watcher, name));
    true
}

/// Links a process to a port; false when the port is closed.
#[must_use]
pub fn link(port: Term, pid: Term) -> bool {
    let Some(port) = find(port) else { return false };
    let mut state = port.state.lock();
    if state.driver.is_none() {
        return false;
    }
    if !state.links.contains(&pid) {
        state.links.push(pid);
    }
    true
}

/// Unlinks a process from a port.
pub fn unlink(port: Term, pid: Term) {
    if let Some(port) = find(port) {
        port.state.lock().links.retain(|linked| *linked != pid);
    }
}

/// A process that was linked to the port has ended, or sends it an exit signal.
pub fn exit_signal(port: Term, from: Term, reason: Term) {
    let Some(port) = find(port) else { return };
    let mut state = port.state.lock();
    state.links.retain(|linked| *linked != from);
    if reason != am::NORMAL || state.connected == from {
        port.close_locked(&mut state, reason);
    }
}

/// `Port ! Message`.
pub fn message(from: &mut Process, port: Term, message: Term) -> Sent {
    let Some(port) = find(port) else {
        return Sent::Done;
    };
    let own = from.pid();
    let Some(&[owner, request]) = message.as_tuple() else {
        bad_signal(&port, own);
        return Sent::Done;
    };
    let connected = port.state.lock().connected;
    if owner != connected {
        bad_signal(&port, own);
        return Sent::Done;
    }
    if request == am::CLOSE {
        let told = {
            let mut state = port.state.lock();
            // The answer comes instead of an exit signal to the owner.
            state.links.retain(|linked| *linked != connected);
            port.close_locked(&mut state, am::NORMAL)
        };
        if told {
            unlink_owner(from, connected, port.id);
            port.tell(&port.state.lock(), |_| am::CLOSED);
        }
        return Sent::Done;
    }
    match request.as_tuple() {
        Some(&[am::COMMAND, data]) => match term::iolist::to_vec(data, MAX_COMMAND_BYTES) {
            Ok(bytes) => match port.command(&bytes, Some(own)) {
                Outcome::Done | Outcome::Bad => Sent::Done,
                Outcome::Busy => {
                    // Taken all the same; the sender waits until the port has caught up.
                    let _ = port.command(&bytes, None);
                    Sent::Suspended
                }
            },
            Err(_) => {
                bad_signal(&port, own);
                Sent::Done
            }
        },
        Some(&[am::CONNECT, pid]) if pid.is_local_pid() => {
            port.state.lock().connected = pid;
            let mut scratch = Scratch::new();
            let answer = build::tuple(scratch.heap(), &[port.id, am::CONNECTED]);
            signal::send_message(own, answer);
            Sent::Done
        }
        _ => {
            bad_signal(&port, own);
            Sent::Done
        }
    }
}

/// Bytes of one command to a port.
pub const MAX_COMMAND_BYTES: usize = 1 << 31;

/// The owner's own half of the link to a port that it closed.
fn unlink_owner(from: &mut Process, owner: Term, port: Term) {
    if from.pid() == owner {
        if let Some(cold) = from.cold.as_mut() {
            cold.relations.links.remove(&port.bits());
        }
    } else {
        let _ = signal::send(
            owner,
            Signal::Unlink {
                from: port,
                number: 0,
            },
        );
    }
}

/// A message that a port cannot take is an exit signal `badsig` to its sender.
fn bad_signal(port: &Port, sender: Term) {
    let exit = Signal::Exit {
        from: port.id,
        reason: Owned::new(term::atom::known("badsig")),
        linked: false,
    };
    let _ = signal::send(sender, exit);
}
