//! Which processor each scheduler is bound to (`+sbt`).
//!
//! A bind type is an order of the processors; the first scheduler gets the first of them. If there are more schedulers
//! than processors that the node may use, the rest stay unbound. Any thread may change the bindings: each scheduler's
//! thread is named to the kernel by its thread id, so the scheduler itself need not take part.

use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use spec::flags::CpuPlace;

use super::places::{self, Ranks};
use crate::mail::schedulers::{Shared, schedulers};
use crate::process::config;

/// A sort key, most significant part first.
type Order = fn(&Ranks) -> [usize; 5];

/// An order of processors, with the name that Erlang code sees and the name for the `+sbt` flag.
struct BindType {
    name: &'static str,
    flag: &'static str,
    /// `None` leaves schedulers unbound.
    order: Option<Order>,
}

/// The bind types; `default_bind` is another name for the last.
const BIND_TYPES: &[BindType] = &[
    BindType {
        name: "unbound",
        flag: "u",
        order: None,
    },
    BindType {
        name: "no_spread",
        flag: "ns",
        order: Some(|of| [of.processor, of.node_in_processor, of.core, of.thread, 0]),
    },
    BindType {
        name: "thread_spread",
        flag: "ts",
        order: Some(|of| [of.thread, of.processor, of.node_in_processor, of.core, 0]),
    },
    BindType {
        name: "processor_spread",
        flag: "ps",
        order: Some(|of| [of.thread, of.node_in_processor, of.core, of.processor, 0]),
    },
    BindType {
        name: "spread",
        flag: "s",
        order: Some(|of| {
            [
                of.thread,
                of.core,
                of.node_in_processor,
                of.processor_in_node,
                of.processor,
            ]
        }),
    },
    BindType {
        name: "no_node_thread_spread",
        flag: "nnts",
        order: Some(|of| [of.node, of.thread, of.processor, of.core, 0]),
    },
    BindType {
        name: "no_node_processor_spread",
        flag: "nnps",
        order: Some(|of| [of.node, of.thread, of.core, of.processor, 0]),
    },
    BindType {
        name: "thread_no_node_processor_spread",
        flag: "tnnps",
        order: Some(|of| [of.thread, of.node, of.core, of.processor, 0]),
    },
];

/// The index in [`BIND_TYPES`] of the current bind type.
static CURRENT: Mutex<usize> = Mutex::new(0);

/// The processors as `+sct` or a program described them.
static DEFINED: Mutex<Option<Vec<CpuPlace>>> = Mutex::new(None);

/// The processors that `+sct` or a program described, if one did.
#[must_use]
pub fn defined() -> Option<Vec<CpuPlace>> {
    DEFINED.lock().clone()
}

/// The processors that the system reports; none if it was not asked (`+ssrct`, `+sct`).
#[must_use]
pub fn detected() -> Vec<CpuPlace> {
    let flags = &config::get().flags;
    match flags.skip_cpu_topology || flags.cpu_topology.is_some() {
        true => Vec::new(),
        false => places::of_system(&sys::cpu::known().topology),
    }
}

/// Takes the description that `+sct` gives, before any scheduler is bound.
pub fn take_flag() {
    DEFINED.lock().clone_from(&config::get().flags.cpu_topology);
}

/// Defines the processor topology, or goes back to the detected one; binds the schedulers again.
pub fn define(places: Option<Vec<CpuPlace>>) {
    *DEFINED.lock() = places;
    let position = *CURRENT.lock();
    // If the topology is unknown, the bindings stay as they are.
    let _ = bind(position);
}

/// Asks the system for its processors again, and binds the schedulers anew if something has changed; returns whether it
/// has.
pub fn read_again() -> bool {
    let has_changed = sys::cpu::read_again();
    if has_changed {
        let position = *CURRENT.lock();
        // If the topology is unknown now, the bindings stay as they are.
        let _ = bind(position);
    }
    has_changed
}

/// The processors as described, or else as detected.
#[must_use]
pub fn used() -> Vec<CpuPlace> {
    defined().unwrap_or_else(detected)
}

/// All processors in the order in which schedulers get them by the type at this index; `None` if they get none.
#[must_use]
pub fn sequence(position: usize) -> Option<Vec<usize>> {
    let by = BIND_TYPES[position].order?;
    let places = used();
    let every: Vec<usize> = places.iter().map(|place| place[5] as usize).collect();
    (!places.is_empty()).then(|| order(&places, Some(by), &every))
}

/// The index of a bind type, by the name that Erlang code uses.
#[must_use]
pub fn named(name: &str) -> Option<usize> {
    if name == "default_bind" {
        return Some(BIND_TYPES.len() - 1);
    }
    BIND_TYPES.iter().position(|known| known.name == name)
}

/// The index of a bind type, by the value of `+sbt`; `db` and unknown values give the default.
#[must_use]
pub fn flagged(flag: &str) -> usize {
    let found = BIND_TYPES.iter().position(|known| known.flag == flag);
    found.unwrap_or(BIND_TYPES.len() - 1)
}

/// The name of the current bind type.
#[must_use]
pub fn current() -> &'static str {
    BIND_TYPES[*CURRENT.lock()].name
}

/// The processor that each scheduler is bound to.
#[must_use]
pub fn bindings() -> Vec<Option<usize>> {
    let of_one =
        |shared: &Shared| usize::try_from(shared.binding.processor.load(Ordering::SeqCst)).ok();
    schedulers().all.iter().map(of_one).collect()
}

/// Binds all schedulers by the type at this index, and returns the name of the previous type. Returns `None`, and
/// changes nothing, if the processor topology is unknown.
pub fn bind(position: usize) -> Option<&'static str> {
    let mut current = CURRENT.lock();
    let chosen = &BIND_TYPES[position];
    let places = used();
    if chosen.order.is_some() && places.is_empty() {
        return None;
    }
    let before = std::mem::replace(&mut *current, position);
    let usable = order(&places, chosen.order, &sys::cpu::known().usable);
    for (index, shared) in schedulers().all.iter().enumerate() {
        shared.binding.set(usable.get(index).copied());
    }
    Some(BIND_TYPES[before].name)
}

/// Called by each scheduler's thread when it starts.
pub(super) fn begin(shared: &Shared) {
    let current = CURRENT.lock();
    let thread = sys::cpu::current_thread();
    shared.binding.thread.store(thread, Ordering::SeqCst);
    if let Some(by) = BIND_TYPES[*current].order {
        let usable = order(&used(), Some(by), &sys::cpu::known().usable);
        shared.binding.set(usable.get(shared.index).copied());
    }
}

/// The usable processors in the order in which schedulers get them.
fn order(places: &[CpuPlace], by: Option<Order>, usable: &[usize]) -> Vec<usize> {
    let Some(by) = by else {
        return Vec::new();
    };
    let ranks = places::ranks(places);
    let mut keys: Vec<([usize; 5], usize)> = ranks
        .iter()
        .zip(places)
        .map(|(ranks, place)| (by(ranks), place[5] as usize))
        .filter(|(_, logical)| usable.contains(logical))
        .collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, logical)| logical).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes of one processor each, with two cores of two threads.
    fn machine() -> Vec<CpuPlace> {
        (0..8)
            .map(|logical| {
                let node = logical / 4;
                [node, node, -1, logical / 2 % 2, logical % 2, logical]
            })
            .collect()
    }

    fn orders(flag: &str, usable: &[usize]) -> Vec<usize> {
        order(&machine(), BIND_TYPES[flagged(flag)].order, usable)
    }

    #[test]
    fn each_type_has_its_order() {
        let all: Vec<usize> = (0..8).collect();
        assert_eq!(orders("u", &all), [0; 0]);
        assert_eq!(orders("ns", &all), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(orders("ts", &all), [0, 2, 4, 6, 1, 3, 5, 7]);
        assert_eq!(orders("ps", &all), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(orders("s", &all), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(orders("nnts", &all), [0, 2, 1, 3, 4, 6, 5, 7]);
        assert_eq!(orders("tnnps", &all), [0, 2, 4, 6, 1, 3, 5, 7]);
        assert_eq!(orders("db", &all), orders("tnnps", &all));
    }

    #[test]
    fn only_processors_that_the_node_may_use_are_given_away() {
        assert_eq!(orders("ns", &[3, 6]), [3, 6]);
        assert_eq!(orders("s", &[1, 2, 7]), [2, 1, 7]);
    }

    #[test]
    fn names_are_those_of_erlang() {
        assert_eq!(named("unbound"), Some(0));
        assert_eq!(
            named("default_bind"),
            named("thread_no_node_processor_spread")
        );
        assert_eq!(named("nowhere"), None);
    }
}
