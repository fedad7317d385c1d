//! The port table, and how many bytes all ports have carried.
//!
//! Slots are in chunks that are allocated on first use, so a large `+Q` costs nothing. Port numbers increase from
//! port to port, and their low bits are the slot; numbers whose slot is in use are skipped. Any thread may call.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::{Duration, Instant};

use layout::Term;
use layout::limits::PID_INDEX_BITS;
use parking_lot::RwLock;
use term::am;

use super::{Phase, Port, queue};
use crate::mail::{io, registry, timer};
use crate::process::config;

const CHUNK: usize = 1024;

/// The number of the port that the machine has of itself ([`insert_own`]).
const OWN: u64 = 0;
/// The number of the first port that is opened.
const FIRST: u64 = OWN + 1;

type Slot = RwLock<Option<Arc<Port>>>;

struct Table {
    chunks: Box<[OnceLock<Box<[Slot]>>]>,
    /// A power of two.
    limit: usize,
    in_use: AtomicUsize,
    next: AtomicU64,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let limit = config::get()
        .flags
        .port_limit
        .clamp(CHUNK, 1 << PID_INDEX_BITS)
        .next_power_of_two();
    Table {
        chunks: (0..limit / CHUNK).map(|_| OnceLock::new()).collect(),
        limit,
        in_use: AtomicUsize::new(0),
        next: AtomicU64::new(FIRST),
    }
});

static INPUT: AtomicU64 = AtomicU64::new(0);
static OUTPUT: AtomicU64 = AtomicU64::new(0);

/// Maximum number of ports.
#[must_use]
pub fn limit() -> usize {
    TABLE.limit
}

/// Gives a new port an identifier and a slot; None if there are as many ports as the limit allows.
pub(super) fn insert(make: impl FnOnce(Term) -> Arc<Port>) -> Option<Arc<Port>> {
    let table = &*TABLE;
    let counted = table
        .in_use
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| {
            (count < table.limit).then_some(count + 1)
        });
    counted.ok()?;
    // Fewer slots are in use than there are, so the search ends.
    loop {
        let (slot, id) = table.place(table.next.fetch_add(1, Ordering::Relaxed));
        let mut slot = slot.write();
        if slot.is_none() {
            let port = make(id);
            *slot = Some(Arc::clone(&port));
            return Some(port);
        }
    }
}

/// Gives the machine's own port its identifier and slot, before any other port is made.
pub(super) fn insert_own(make: impl FnOnce(Term) -> Arc<Port>) -> Arc<Port> {
    let table = &*TABLE;
    table.in_use.fetch_add(1, Ordering::Relaxed);
    let (slot, id) = table.place(OWN);
    Arc::clone(slot.write().insert(make(id)))
}

impl Table {
    /// The slot and the identifier of the port with a number.
    fn place(&self, number: u64) -> (&Slot, Term) {
        let index = (number as usize) & (self.limit - 1);
        let chunk = self.chunks[index / CHUNK]
            .get_or_init(|| (0..CHUNK).map(|_| RwLock::new(None)).collect());
        let id = Term::local_port(
            (number & ((1 << PID_INDEX_BITS) - 1)) as u32,
            (number >> PID_INDEX_BITS) as u32,
        );
        (&chunk[index % CHUNK], id)
    }
}

/// The number that the next port gets, if its slot is free. For tests.
#[must_use]
pub fn next_number() -> u64 {
    TABLE.next.load(Ordering::Relaxed)
}

/// Sets what [`next_number`] returns. Numbers that were given since are given again, if their slots are free.
pub fn set_next_number(number: u64) {
    TABLE.next.store(number, Ordering::Relaxed);
}

fn slot(port: Term) -> Option<&'static Slot> {
    let table = &*TABLE;
    if !port.is_local_port() {
        return None;
    }
    let index = port.identifier_index() as usize & (table.limit - 1);
    table.chunks[index / CHUNK]
        .get()
        .map(|chunk| &chunk[index % CHUNK])
}

pub(super) fn remove(port: Term) {
    let Some(slot) = slot(port) else { return };
    let mut slot = slot.write();
    if slot.as_ref().is_some_and(|found| found.id == port) {
        *slot = None;
        TABLE.in_use.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The port with an identifier.
#[must_use]
pub fn find(port: Term) -> Option<Arc<Port>> {
    let slot = slot(port)?.read();
    slot.as_ref().filter(|found| found.id == port).cloned()
}

/// The port with an identifier or a registered name.
#[must_use]
pub fn resolve(port: Term) -> Option<Arc<Port>> {
    if port.is_atom() {
        find(registry::whereis(port)?)
    } else {
        find(port)
    }
}

fn all() -> Vec<Arc<Port>> {
    let chunks = TABLE.chunks.iter().filter_map(OnceLock::get);
    chunks
        .flat_map(|chunk| chunk.iter().filter_map(|slot| slot.read().clone()))
        .collect()
}

/// Held while a port begins or ends to be listed, by many threads at once, and alone by a thread that lists: so a list
/// shows all ports as they are at one moment. It is acquired while a port is locked, so no port may be locked while
/// listing.
static LISTING: RwLock<()> = RwLock::new(());

/// Lets [`list`] show a port, or not any more.
pub(super) fn set_listed(port: &Port, is_listed: bool) {
    let _changing = LISTING.read();
    port.is_listed.store(is_listed, Ordering::Relaxed);
}

/// Identifiers of all open ports at one moment, the oldest first.
#[must_use]
pub fn list() -> Vec<Term> {
    let chunks = TABLE.chunks.iter().filter_map(OnceLock::get);
    let alone = LISTING.write();
    let mut ports: Vec<Term> = chunks
        .flat_map(|chunk| chunk.iter())
        .filter_map(|slot| {
            let slot = slot.read();
            let port = slot.as_ref()?;
            port.is_listed.load(Ordering::Relaxed).then_some(port.id)
        })
        .collect();
    drop(alone);
    ports.sort_unstable_by_key(|port| port.bits());
    ports
}

/// All ports in slots whose lock was acquired within `timeout`.
#[must_use]
pub fn all_within(timeout: Duration) -> Vec<Arc<Port>> {
    let chunks = TABLE.chunks.iter().filter_map(OnceLock::get);
    let port = |slot: &Slot| slot.try_read_for(timeout)?.clone();
    chunks
        .flat_map(|chunk| chunk.iter().filter_map(port))
        .collect()
}

/// Bytes that wait in ports, to be written or carried out, by the bits of the pids of their owners. Ports that somebody
/// works in for longer than `timeout` are left out.
#[must_use]
pub fn waiting_bytes_within(timeout: Duration) -> HashMap<u64, u64> {
    let mut bytes = HashMap::new();
    for port in all_within(timeout) {
        let Some(state) = port.state.try_lock_for(timeout) else {
            continue;
        };
        let driver = state.driver.as_ref();
        let queued = driver.map_or(0, |driver| driver.queued_bytes());
        let waiting = queued + state.held_bytes() + port.tasks.bytes();
        let of_owner: &mut u64 = bytes.entry(state.core.connected.bits()).or_default();
        *of_owner += waiting as u64;
    }
    bytes
}

/// Number of ports.
#[must_use]
pub fn count() -> usize {
    TABLE.in_use.load(Ordering::Relaxed)
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

/// How long an ending node waits for events before it looks at its ports again.
const FLUSH_POLL_NS: u64 = 1_000_000;

/// Closes all ports and waits until everything that they still hold is written, however long its readers take, or until
/// a moment; returns whether all is written. Called before the node ends, by a thread beside which none runs processes.
/// Ports whose output is written are closed at once, so that nobody waits for them: the reader of one port's output may
/// be another port of this node, which reads no more.
pub(crate) fn flush_all(until: Option<Instant>) -> bool {
    let mut ports = all();
    // Commands that were sent before are carried out.
    for port in &ports {
        queue::run_present(port);
    }
    for port in &ports {
        port.state.lock().close(port, am::KILLED);
    }
    let exists = |port: &Arc<Port>| port.state.lock().core.phase == Phase::Closing;
    ports.retain(exists);
    while !ports.is_empty() {
        if until.is_some_and(|until| Instant::now() >= until) {
            return false;
        }
        let mut is_active = false;
        for port in &ports {
            is_active |= queue::run_present(port);
        }
        io::poll_within(if is_active { 0 } else { FLUSH_POLL_NS });
        timer::expire_all();
        ports.retain(exists);
    }
    true
}
