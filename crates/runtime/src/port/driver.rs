//! What is behind a port: the driver, called with the port's lock held, one call at a time.
//!
//! **The contract.** The port calls; the driver answers at once and never blocks. Whatever it does to the
//! world of Erlang it does through the [`Access`] that each call brings: messages to the connected process or
//! any other, busy or not, descriptors to be watched, one timer, the port's end. A call comes from the process that
//! sent to the port, from the scheduler that saw an event, or from a scheduler that runs the port's queued signals:
//! a driver depends on no thread. Descriptors are watched from their registration to their end, edge-triggered:
//! [`Driver::ready`] says what *became* possible, and a driver that does not use it now must remember it.
//!
//! **Life.** A row of [`drivers::open::DRIVERS`] starts it; then calls; then [`Driver::close`] once, when the port
//! closes; if that answers [`Close::WhenEmpty`], `ready` and `timeout` go on until [`Driver::queued_bytes`] is 0 or
//! the driver asks for the end; at last [`Driver::stop`].

use smallvec::SmallVec;
use term::copy::Owned;

pub use super::access::Access;
pub use super::output::Output;
use crate::process::relations::ReferenceNumber;

/// How a driver took a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Command {
    /// Taken, or refused by what the driver sent or by [`Access::exit`].
    Done,
    /// It cannot be: a packet too large, a port only for input. `badarg` for the caller.
    Bad,
}

/// The answer of `port_control/3`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Control {
    /// A list of bytes, as most drivers answer.
    List(SmallVec<[u8; 32]>),
    Binary(Vec<u8>),
}

/// What became possible on a descriptor that is watched. Both at once when an error waits there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ready {
    /// Which one, when a driver watches several.
    pub fd: std::os::fd::RawFd,
    pub readable: bool,
    pub writable: bool,
    /// The other side has said its last: what is readable is to be read to its end, for no other event will come.
    pub hangup: bool,
}

/// What is left to do when the port closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Close {
    Now,
    /// Output is queued and is to get out first.
    WhenEmpty,
}

/// A driver's part of a port. See the module.
pub trait Driver: Send {
    /// Takes output from the program: `port_command`, `Port ! {Owner, {command, Data}}`.
    fn output(&mut self, port: &mut Access<'_>, data: &Output) -> Command;

    /// `port_control/3`: the answer, or None for `badarg`. [`Access::caller`] asks.
    fn control(
        &mut self,
        _port: &mut Access<'_>,
        _operation: u32,
        _data: &[u8],
    ) -> Option<Control> {
        None
    }

    /// `port_call/3`: the answer, or None for `badarg`.
    fn call(
        &mut self,
        _port: &mut Access<'_>,
        _operation: u32,
        _data: layout::Term,
    ) -> Option<Owned> {
        None
    }

    /// What it is, as a crash dump says it before the port's name.
    fn description(&self) -> &'static str {
        "Port controls linked-in driver"
    }

    /// What `port_info(locking)` tells: whether, on stock, a port of this driver has a lock of its own. Here all have.
    fn locking(&self) -> &'static str {
        "driver_level"
    }

    /// A descriptor given to [`Access::watch`] became ready.
    fn ready(&mut self, _port: &mut Access<'_>, _ready: Ready) {}

    /// A thread of the driver's own, which entered by [`super::Port::run`], has read these bytes; none at the end.
    fn incoming(&mut self, _port: &mut Access<'_>, _bytes: &[u8]) {}

    /// The program behind the port has ended, with this status as shells have it.
    fn program_ended(&mut self, _port: &mut Access<'_>, _status: i32) {}

    /// The timer of [`Access::set_timer`] ran out.
    fn timeout(&mut self, _port: &mut Access<'_>) {}

    /// A process given to [`Access::monitor`] ended.
    fn process_down(&mut self, _port: &mut Access<'_>, _monitor: ReferenceNumber) {}

    /// Output waits in the driver: for `port_info(queue_size)`, and until when a closing port stays.
    fn queued_bytes(&self) -> usize {
        0
    }

    /// Whether `port_command` with `force` is taken while the port is busy (else `notsup`).
    fn takes_force(&self) -> bool {
        false
    }

    /// The port closes: nobody can send to it any more.
    fn close(&mut self, _port: &mut Access<'_>) -> Close {
        Close::Now
    }

    /// The node ends: writes everything that waits, blocking. Where that is not done the node waits until
    /// [`Driver::queued_bytes`] is 0.
    fn flush(&mut self) {}

    /// The end. Descriptors are unwatched ([`Access::unwatch`]) before they are dropped.
    fn stop(self: Box<Self>, port: &mut Access<'_>);
}
