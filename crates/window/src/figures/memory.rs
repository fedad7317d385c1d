//! Bytes of memory that the node uses, by purpose: what `erlang:memory` tells.
//!
//! The total is the resident size that the operating system reports, so that it agrees with `ps`. Any thread.

use std::sync::Arc;
use std::time::Duration;

use ets::Table;
use runtime::code::modules;
use runtime::process::block;
use term::atom;
use term::held::{self, HeldKind};

/// Bytes of memory that the node uses.
#[must_use]
pub fn total_bytes() -> u64 {
    sys::memory::usage::resident_bytes().unwrap_or(0)
}

/// All figures as they are now, in stock's order. It waits for the locks of code and tables.
#[must_use]
pub fn figures() -> Vec<(&'static str, u64)> {
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
    let memory = Memory::now(code, ets);
    vec![
        ("total", memory.total),
        ("processes", memory.processes),
        ("processes_used", memory.processes),
        ("system", memory.total - memory.processes),
        ("atom", memory.atoms),
        ("atom_used", memory.atom_texts),
        ("binary", memory.binaries),
        ("code", memory.code),
        ("ets", memory.ets),
    ]
}

/// Bytes by purpose.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Memory {
    /// What the system counts as resident.
    pub(crate) resident: u64,
    /// The same, and no less than what is known of it.
    pub(crate) total: u64,
    pub(crate) processes: u64,
    pub(crate) atoms: u64,
    pub(crate) atom_texts: u64,
    pub(crate) binaries: u64,
    pub(crate) code: u64,
    pub(crate) ets: u64,
}

impl Memory {
    /// As it is now, with what the caller has found of code and tables.
    pub(crate) fn now(code: u64, ets: u64) -> Memory {
        let (atoms, atom_texts) = atom::memory();
        let binaries = held::bytes(HeldKind::Binary) as u64;
        let processes = (block::bytes_in_use() + held::bytes_of_processes()) as u64;
        let known = atoms as u64 + binaries + code + ets + processes;
        let resident = total_bytes();
        Memory {
            resident,
            total: resident.max(known),
            processes,
            atoms: atoms as u64,
            atom_texts: atom_texts as u64,
            binaries,
            code,
            ets,
        }
    }
}
