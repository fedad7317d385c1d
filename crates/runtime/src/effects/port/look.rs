//! What is seen of ports from outside: of all at once, without a port's owner or a scheduler.

use std::sync::Arc;
use std::time::Duration;

use layout::Term;

use super::driver::SocketEnds;
use super::{Phase, Port, table};

/// A port, as it was seen.
pub struct Looked {
    pub id: Term,
    /// The name that it was opened with.
    pub name: Arc<[u8]>,
    /// The process that it belongs to.
    pub connected: Term,
    pub links: usize,
    pub input_bytes: u64,
    pub output_bytes: u64,
    /// Output that waits in the driver, and commands and data that wait for it.
    pub queued_bytes: u64,
    /// Senders wait until the driver has written more.
    pub is_busy: bool,
    /// Of a program that the port runs.
    pub os_pid: Option<u32>,
    pub ends: Option<SocketEnds>,
}

/// All ports that are open or still write; those that somebody works in for longer than `timeout` are left out. Also
/// returns how many these are.
#[must_use]
pub fn look_within(timeout: Duration) -> (Vec<Looked>, usize) {
    let (mut looked, mut left_out) = (Vec::new(), 0);
    for port in table::all_within(timeout) {
        match look(&port, timeout) {
            Some(port) => looked.extend(port),
            None => left_out += 1,
        }
    }
    (looked, left_out)
}

/// `None` if the port's lock was not acquired in time; then `None` if it is not open.
fn look(port: &Port, timeout: Duration) -> Option<Option<Looked>> {
    let state = port.state.try_lock_for(timeout)?;
    let core = &state.core;
    if !matches!(core.phase, Phase::Open | Phase::Closing) {
        return Some(None);
    }
    let driver = state.driver.as_ref();
    let queued = driver.map_or(0, |driver| driver.queued_bytes());
    let queued = queued + state.held_bytes() + port.tasks.bytes();
    Some(Some(Looked {
        id: port.id,
        name: Arc::clone(&core.name),
        connected: core.connected,
        links: core.links.len(),
        input_bytes: core.input_bytes,
        output_bytes: core.output_bytes,
        queued_bytes: queued as u64,
        is_busy: core.busy.is_busy(),
        os_pid: core.os_pid,
        ends: driver.and_then(|driver| driver.socket_ends()),
    }))
}
