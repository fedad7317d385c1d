//! Ports: the node's ends of the outside world.

use layout::Term;

use crate::process::Process;
use crate::send::Sent;

/// A monitor on a port is gone.
pub fn demonitor(_port: Term, _reference: (u64, u64)) {}

/// A process that was linked to the port has ended.
pub fn exit_signal(_port: Term, _from: Term, _reason: Term) {}

/// `Port ! Message`.
pub fn message(_from: &mut Process, _port: Term, _message: Term) -> Sent {
    Sent::Done
}

/// Writes what ports still hold; before the node ends.
pub fn flush_all() {}

/// Ports there are.
#[must_use]
pub fn count() -> usize {
    0
}

/// Bytes read from and written to ports so far.
#[must_use]
pub fn bytes() -> (u64, u64) {
    (0, 0)
}
