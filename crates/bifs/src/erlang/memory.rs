//! `memory/0,1`: bytes of memory that the node uses, by purpose.
//!
//! The total is the resident size that the operating system reports, so that it agrees with `ps`.

use std::sync::Arc;
use std::time::Duration;

use layout::Term;
use term::held::{self, HeldKind};
use term::{atom, build, list};

use ets::Table;
use runtime::code::bif::{BifResult, badarg};
use runtime::code::modules;
use runtime::process::{Process, block};

/// Bytes of memory that the node uses.
#[must_use]
pub fn total_bytes() -> u64 {
    sys::memory::usage::resident_bytes().unwrap_or(0)
}

fn figures() -> Vec<(&'static str, u64)> {
    let code = modules::code_bytes() as u64;
    figures_of(code, ets::memory_bytes() as u64)
}

/// Bytes of tables. Parts whose lock is not acquired within `patience` are left out.
#[must_use]
pub fn ets_bytes(tables: &[Arc<Table>], patience: Duration) -> u64 {
    let mut bytes = 0;
    for table in tables {
        table.each_part_within(patience, |part| bytes += part.bytes());
    }
    bytes as u64
}

/// All figures, in stock's order. The caller gives those of code and ETS tables, which need locks to be read.
#[must_use]
pub fn figures_of(code: u64, ets: u64) -> Vec<(&'static str, u64)> {
    let (atoms, atom_texts) = atom::memory();
    let binary = held::bytes(HeldKind::Binary) as u64;
    let processes = (block::bytes_in_use() + held::bytes_of_processes()) as u64;
    let known = atoms as u64 + binary + code + ets + processes;
    let total = total_bytes().max(known);
    vec![
        ("total", total),
        ("processes", processes),
        ("processes_used", processes),
        ("system", total - processes),
        ("atom", atoms as u64),
        ("atom_used", atom_texts as u64),
        ("binary", binary),
        ("code", code),
        ("ets", ets),
    ]
}

/// `erlang:memory()`
pub fn memory_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let heap = process.heap();
    let pairs: Vec<Term> = figures()
        .into_iter()
        .map(|(name, bytes)| {
            let bytes = build::unsigned(heap, bytes);
            build::tuple(heap, &[atom::known(name), bytes])
        })
        .collect();
    Ok(build::list(heap, &pairs))
}

/// `erlang:memory(Type | [Type])`
pub fn memory_1(process: &mut Process, [types]: [Term; 1]) -> BifResult {
    let figures = figures();
    let bytes_of = |name: Term| {
        let text = name.as_atom().map(|_| atom::text(name))?;
        figures
            .iter()
            .find(|(known, _)| *known == text)
            .map(|(_, bytes)| *bytes)
    };
    if types.is_atom() {
        let bytes = bytes_of(types).ok_or(badarg(1))?;
        return Ok(build::unsigned(process.heap(), bytes));
    }
    let heap = process.heap();
    let mut pairs = Vec::new();
    for name in list::items(types) {
        let name = name.map_err(|_| badarg(1))?;
        let bytes = build::unsigned(heap, bytes_of(name).ok_or(badarg(1))?);
        pairs.push(build::tuple(heap, &[name, bytes]));
    }
    Ok(build::list(heap, &pairs))
}
