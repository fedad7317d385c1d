//! The processor topology, for `system_info(cpu_topology)` and `system_flag(cpu_topology, _)`.
//!
//! OTP's `erlang` module converts the user's form to a list of records `{cpu, Node, Processor, ProcessorNode, Core,
//! Thread, Logical}` and back. This file handles only such records, in which -1 means that a level does not exist.

use layout::{Heap, Term, no_gc};
use spec::flags::CpuPlace;
use term::{am, build, list};

use runtime::exec::scheduler::{binding, places};

/// The greatest number in a topology; the value OTP documents.
const MAX_NUMBER: i64 = (1 << 16) - 1;

/// The topology that the system reports.
pub(super) fn detected(heap: &mut Heap) -> Term {
    records(heap, &binding::detected())
}

/// The topology that was defined with `+sct` or `system_flag`, or `undefined`.
pub(super) fn defined(heap: &mut Heap) -> Term {
    records(heap, &binding::defined().unwrap_or_default())
}

/// The topology in use: the defined one, otherwise the detected one.
pub(super) fn used(heap: &mut Heap) -> Term {
    records(heap, &binding::used())
}

fn records(heap: &mut Heap, places: &[CpuPlace]) -> Term {
    if places.is_empty() {
        return am::UNDEFINED;
    }
    let mut list = Vec::with_capacity(places.len());
    for place in places {
        let mut elements = vec![am::CPU];
        elements.extend(place.iter().map(|&number| Term::small(number)));
        list.push(build::tuple(heap, &elements));
    }
    build::list(heap, &list)
}

/// Defines the topology, or with `undefined` returns to the detected one; `None` if it is not consistent.
pub(super) fn define(value: Term) -> Option<()> {
    if value == am::UNDEFINED {
        binding::define(None);
        return Some(());
    }
    let mut places = Vec::new();
    for record in list::items(value) {
        let no_gc = no_gc!();
        let [am::CPU, numbers @ ..] = record.ok()?.as_tuple(no_gc)? else {
            return None;
        };
        let mut place: CpuPlace = [0; 6];
        if numbers.len() != place.len() {
            return None;
        }
        for (level, number) in place.iter_mut().zip(numbers) {
            *level = number
                .as_small()
                .filter(|number| (-1..=MAX_NUMBER).contains(number))?;
        }
        places.push(place);
    }
    places::check(&mut places).ok()?;
    binding::define(Some(places));
    Some(())
}
