//! The results of `port_info`. Called with the port's lock held.

use layout::{Heap, Term};
use term::unicode::filename;
use term::{am, atom, build};

use super::{Phase, Port, State};
use crate::mail::registry;

/// Whether `port_info/2` knows the item.
#[must_use]
pub fn is_item(item: Term) -> bool {
    const ITEMS: &[&str] = &[
        "registered_name",
        "name",
        "links",
        "id",
        "connected",
        "input",
        "output",
        "os_pid",
        "queue_size",
        "memory",
        "parallelism",
        "locking",
        "monitors",
        "monitored_by",
    ];
    item.is_atom() && ITEMS.contains(&atom::text(item))
}

/// `{Item, Value}`; None if the port has ended, or there is no such item.
pub fn item(port: &Port, state: &State, item: Term, heap: &mut Heap) -> Option<Term> {
    let core = &state.core;
    // As on stock, a closed port still exists while its output is written.
    if !matches!(core.phase, Phase::Open | Phase::Closing) {
        return None;
    }
    let value = match atom::text(item) {
        "registered_name" => registry::name_of(port.id)?,
        "name" => filename::from_native_or_bytes(heap, &core.name, filename::native_encoding()),
        "links" => build::list(heap, &core.links),
        "id" => build::unsigned(heap, number(port.id)),
        "connected" => core.connected,
        "input" => build::unsigned(heap, core.input_bytes),
        "output" => build::unsigned(heap, core.output_bytes),
        "os_pid" => core
            .os_pid
            .map_or(am::UNDEFINED, |pid| Term::small(i64::from(pid))),
        "queue_size" => {
            let queued = state
                .driver
                .as_ref()
                .map_or(0, |driver| driver.queued_bytes());
            Term::small(queued as i64)
        }
        "memory" => {
            let queued = state
                .driver
                .as_ref()
                .map_or(0, |driver| driver.queued_bytes());
            let own = size_of::<Port>() + port.tasks.bytes();
            Term::small((own + queued) as i64)
        }
        "parallelism" => am::boolean(port.parallelism),
        "locking" => atom::known(state.driver.as_ref()?.locking()),
        "monitors" => {
            let mut watched: Vec<Term> = core.monitored.values().copied().collect();
            for pid in &mut watched {
                *pid = build::tuple(heap, &[am::PROCESS, *pid]);
            }
            build::list(heap, &watched)
        }
        "monitored_by" => {
            let watchers: Vec<Term> = core.monitors.values().map(|(pid, _)| *pid).collect();
            build::list(heap, &watchers)
        }
        _ => return None,
    };
    Some(build::tuple(heap, &[item, value]))
}

/// The number that a port is printed with.
fn number(port: Term) -> u64 {
    u64::from(port.identifier_index())
        | u64::from(port.identifier_serial()) << layout::limits::PID_INDEX_BITS
}
