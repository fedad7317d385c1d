//! ETS: tables of terms that processes share.

use crate::process::Process;

/// The owner of these tables ends: they are deleted or given to their heirs.
pub fn owner_ends(_process: &mut Process, tables: Vec<u64>) {
    assert!(tables.is_empty(), "no table can have been made");
}

/// Tables there are.
#[must_use]
pub fn count() -> usize {
    0
}

/// Bytes that all tables take.
#[must_use]
pub fn memory_bytes() -> usize {
    0
}
