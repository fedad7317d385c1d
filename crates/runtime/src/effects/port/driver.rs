//! What is behind a port: the driver, called with the port's lock held, one call at a time.
//!
//! **The contract.** The port calls; the driver returns promptly and never blocks. All its effects on the Erlang side
//! go through the [`Access`] that each call brings: messages to the connected process or any other, whether the port
//! is busy, descriptors to watch, one timer, the port's end. A call comes from the process that sent to the port,
//! from the scheduler that saw an event, or from a scheduler that runs the port's queued signals: a driver must not
//! depend on the thread. Descriptors are watched from their registration to their end, edge-triggered:
//! [`Driver::ready`] says what *became* possible, and a driver that does not use it now must remember it.
//!
//! **Life.** A row of `drivers::open::DRIVERS` starts it; then come calls; then [`Driver::close`] once, when the port
//! closes; if that returns [`Close::WhenEmpty`], `ready` and `timeout` are called until [`Driver::queued_bytes`] is 0
//! or the driver asks for the end; finally [`Driver::stop`].

use smallvec::SmallVec;
use term::copy::Owned;

pub use super::access::Access;
pub use super::output::Output;
use crate::process::relations::ReferenceNumber;

/// The result of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Command {
    /// Accepted, or refused by a message from the driver or by [`Access::exit`].
    Done,
    /// Impossible: a packet too large, a port only for input. The caller gets `badarg`.
    Bad,
}

/// The result of `port_control/3`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Control {
    /// A list of bytes, which most drivers return.
    List(SmallVec<[u8; 32]>),
    Binary(Vec<u8>),
}

/// What became possible on a watched descriptor. Both directions are set if an error is pending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ready {
    /// The descriptor, for drivers that watch several.
    pub fd: std::os::fd::RawFd,
    pub readable: bool,
    pub writable: bool,
    /// The peer has closed its end, or urgent data stands among the other: what is readable must be read until nothing
    /// is left, because no other event will come.
    pub hangup: bool,
}

/// What is left to do when a port closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Close {
    Now,
    /// Output is queued and has to be written first.
    WhenEmpty,
}

/// The addresses of a socket, as text; `None` for an end that has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SocketEnds {
    /// `tcp`, `udp` or `sctp`.
    pub protocol: &'static str,
    pub local: Option<String>,
    pub peer: Option<String>,
}

/// A driver's part of a port. See the module.
pub trait Driver: Send {
    /// Whether `open_port` waits for [`Access::answer_open`].
    fn answers_open(&self) -> bool {
        false
    }

    /// Whether the driver takes output in parts, as a vector; then a trace message shows the parts of a command.
    fn takes_vector(&self) -> bool {
        false
    }

    /// Takes output from a program: `port_command`, `Port ! {Owner, {command, Data}}`.
    fn output(&mut self, port: &mut Access<'_>, data: &Output) -> Command;

    /// `port_control/3`: returns the result, or None for `badarg`. [`Access::caller`] is the process that asks.
    fn control(
        &mut self,
        _port: &mut Access<'_>,
        _operation: u32,
        _data: &[u8],
    ) -> Option<Control> {
        None
    }

    /// `port_call/3`: returns the result, or None for `badarg`.
    fn call(
        &mut self,
        _port: &mut Access<'_>,
        _operation: u32,
        _data: layout::Term,
    ) -> Option<Owned> {
        None
    }

    /// Whether the port is there as long as the node: nobody can close it.
    fn is_permanent(&self) -> bool {
        false
    }

    /// What kind of port it is; a crash dump shows this before the port's name.
    fn description(&self) -> &'static str {
        "Port controls linked-in driver"
    }

    /// The result of `port_info(locking)`: whether, on stock, a port of this driver has a lock of its own. Here all
    /// have.
    fn locking(&self) -> &'static str {
        "driver_level"
    }

    /// Whether calling it calls a library, which is done under the rule of `mail::deferred`.
    fn is_of_library(&self) -> bool {
        false
    }

    /// A descriptor given to [`Access::watch`] became ready.
    fn ready(&mut self, _port: &mut Access<'_>, _ready: Ready) {}

    /// A thread of the driver, which entered through [`super::Port::run`], has read these bytes; none at the end of
    /// input.
    fn incoming(&mut self, _port: &mut Access<'_>, _bytes: &[u8]) {}

    /// The program behind the port has ended, with this status as shells encode it.
    fn program_ended(&mut self, _port: &mut Access<'_>, _status: i32) {}

    /// The timer of [`Access::set_timer`] has expired.
    fn timeout(&mut self, _port: &mut Access<'_>) {}

    /// A process given to [`Access::monitor`] ended.
    fn process_down(&mut self, _port: &mut Access<'_>, _monitor: ReferenceNumber) {}

    /// The addresses of both ends of the driver's socket, if it has one: for who looks at ports from outside.
    fn socket_ends(&self) -> Option<SocketEnds> {
        None
    }

    /// Bytes of output that wait in the driver: for `port_info(queue_size)`, and because a closing port stays until
    /// it is 0.
    fn queued_bytes(&self) -> usize {
        0
    }

    /// Whether the driver takes `port_command` with `force` while the port is busy (otherwise the caller gets
    /// `notsup`).
    fn takes_force(&self) -> bool {
        false
    }

    /// The port closes: nobody can send to it any more.
    fn close(&mut self, _port: &mut Access<'_>) -> Close {
        Close::Now
    }

    /// Prepares to carry a connection to another node ([`super::carrier`]); returns whether the driver can do that.
    fn carry(&mut self) -> bool {
        false
    }

    /// The channel that the port carries has output.
    fn channel_has_output(&mut self, _port: &mut Access<'_>) {}

    /// The driver's end. Descriptors must be unwatched ([`Access::unwatch`]) before they are dropped.
    fn stop(self: Box<Self>, port: &mut Access<'_>);
}
