//! The processor topology, for `system_info(cpu_topology)` and `system_flag(cpu_topology, _)`.
//!
//! OTP's `erlang` module converts the user's form to a list of records `{cpu, Node, Processor, ProcessorNode, Core,
//! Thread, Logical}` and back. This file handles only such records, in which -1 means that a level does not exist.

use layout::{Heap, Term, no_gc};
use sys::cpu::topology::LogicalCpu;
use term::{am, build, list};

use runtime::exec::scheduler::binding::{self, Defined};

/// The greatest number in a topology; the value OTP documents.
const MAX_NUMBER: i64 = (1 << 16) - 1;

/// The topology that the kernel reports.
pub(super) fn detected(heap: &mut Heap) -> Term {
    let cpus = &sys::cpu::known().topology;
    let first_node = cpus.first().map(|cpu| cpu.node);
    let several_nodes = cpus.iter().any(|cpu| Some(cpu.node) != first_node);
    let of_one = |cpu: &LogicalCpu| {
        let node = cpu.node.filter(|_| several_nodes);
        [
            node.map_or(-1, i64::from),
            i64::from(cpu.processor),
            -1,
            i64::from(cpu.core),
            i64::from(cpu.thread),
            cpu.logical as i64,
        ]
    };
    records(heap, &cpus.iter().map(of_one).collect::<Vec<_>>())
}

/// The topology that was defined with `system_flag`, or `undefined`.
pub(super) fn defined(heap: &mut Heap) -> Term {
    match binding::defined() {
        Some(defined) => records(heap, &defined),
        None => am::UNDEFINED,
    }
}

/// The topology in use: the defined one, otherwise the detected one.
pub(super) fn used(heap: &mut Heap) -> Term {
    match binding::defined() {
        Some(defined) => records(heap, &defined),
        None => detected(heap),
    }
}

fn records(heap: &mut Heap, cpus: &[[i64; 6]]) -> Term {
    if cpus.is_empty() {
        return am::UNDEFINED;
    }
    let mut list = Vec::with_capacity(cpus.len());
    for cpu in cpus {
        let mut elements = vec![am::CPU];
        elements.extend(cpu.iter().map(|&number| Term::small(number)));
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
    let mut cpus: Defined = Vec::new();
    for record in list::items(value) {
        let no_gc = no_gc!();
        let [am::CPU, numbers @ ..] = record.ok()?.as_tuple(no_gc)? else {
            return None;
        };
        let mut cpu = [0; 6];
        if numbers.len() != cpu.len() {
            return None;
        }
        for (place, number) in cpu.iter_mut().zip(numbers) {
            *place = number
                .as_small()
                .filter(|number| (-1..=MAX_NUMBER).contains(number))?;
        }
        cpus.push(cpu);
    }
    if cpus.is_empty() || !makes_sense(&mut cpus) {
        return None;
    }
    binding::define(Some(cpus));
    Some(())
}

/// Sorts the processors, and returns whether the records are complete and no two have the same number or place.
fn makes_sense(cpus: &mut Defined) -> bool {
    cpus.sort_unstable();
    let places_differ = cpus.windows(2).all(|pair| pair[0][..5] != pair[1][..5]);
    let mut numbers: Vec<i64> = cpus.iter().map(|cpu| cpu[5]).collect();
    numbers.sort_unstable();
    let numbers_differ = numbers.windows(2).all(|pair| pair[0] != pair[1]);
    let are_complete = cpus
        .iter()
        .all(|cpu| cpu[1] >= 0 && cpu[3] >= 0 && cpu[4] >= 0 && cpu[5] >= 0);
    places_differ && numbers_differ && are_complete
}
