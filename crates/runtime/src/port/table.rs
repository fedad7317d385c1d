//! The port table, and what all ports have carried.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use layout::Term;
use parking_lot::RwLock;

use super::Port;
use crate::{node, registry};

static PORTS: LazyLock<RwLock<BTreeMap<u64, Arc<Port>>>> = LazyLock::new(RwLock::default);
static NEXT: AtomicU64 = AtomicU64::new(0);
static INPUT: AtomicU64 = AtomicU64::new(0);
static OUTPUT: AtomicU64 = AtomicU64::new(0);

/// The identifier of a new port; None at the limit.
pub(super) fn reserve() -> Option<Term> {
    if count() >= node::config().port_limit.next_power_of_two() {
        return None;
    }
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let index_bits = layout::limits::PID_INDEX_BITS;
    Some(Term::local_port(
        (number & ((1 << index_bits) - 1)) as u32,
        (number >> index_bits) as u32,
    ))
}

pub(super) fn insert(port: Arc<Port>) {
    PORTS.write().insert(port.id.bits(), port);
}

pub(super) fn remove(port: Term) {
    PORTS.write().remove(&port.bits());
}

/// The open port of an identifier.
#[must_use]
pub fn find(port: Term) -> Option<Arc<Port>> {
    PORTS.read().get(&port.bits()).cloned()
}

/// The open port of an identifier or registered name.
#[must_use]
pub fn resolve(port: Term) -> Option<Arc<Port>> {
    if port.is_atom() {
        find(registry::whereis(port)?)
    } else {
        find(port)
    }
}

/// Identifiers of all open ports.
#[must_use]
pub fn list() -> Vec<Term> {
    PORTS.read().values().map(|port| port.id).collect()
}

/// Ports there are.
#[must_use]
pub fn count() -> usize {
    PORTS.read().len()
}

pub(super) fn count_output(bytes: usize) {
    OUTPUT.fetch_add(bytes as u64, Ordering::Relaxed);
}

pub(super) fn count_input(bytes: usize) {
    INPUT.fetch_add(bytes as u64, Ordering::Relaxed);
}

/// Bytes read from and written to ports so far.
#[must_use]
pub fn bytes() -> (u64, u64) {
    (
        INPUT.load(Ordering::Relaxed),
        OUTPUT.load(Ordering::Relaxed),
    )
}

/// Writes what ports still hold; before the node ends.
pub fn flush_all() {
    let ports: Vec<Arc<Port>> = PORTS.read().values().cloned().collect();
    for port in ports {
        if let Some(driver) = port.state.lock().driver.as_mut() {
            driver.flush();
        }
    }
}
