//! All tables of the node, found by number, by name, or through the reference that a program holds.
//!
//! Any thread may call.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use layout::Term;
use layout::kinds::MagicReference;
use parking_lot::RwLock;
use term::off_heap::MagicBlock;
use term::{am, reference};

use super::names;
use super::table::Table;
use runtime::code::bif::{Failure, badarg_because};
use runtime::process::epoch::Pinned;
use runtime::process::sync::between_steps;

/// Tables by number, which is nearly the order in which they were made. The lock also guards all changes of names.
static TABLES: RwLock<BTreeMap<u64, Arc<Table>>> = RwLock::new(BTreeMap::new());

/// The contents of a table's magic reference.
pub(crate) struct Handle(Option<Arc<Table>>);

impl Handle {
    /// The handle of a table; empty if the table is deleted.
    #[must_use]
    pub(crate) fn of(number: u64) -> Handle {
        Handle(find(number))
    }
}

/// Makes a table findable; returns false if its name is taken.
#[must_use]
pub fn publish(table: Arc<Table>) -> bool {
    let mut tables = TABLES.write();
    if table.options.named {
        if names::is_taken(table.name()) {
            return false;
        }
        names::set(table.name(), Some(&table));
    }
    tables.insert(table.number, table);
    true
}

/// Removes a table.
pub(crate) fn remove(table: &Table) {
    let removed = {
        let mut tables = TABLES.write();
        if table.options.named && names::is_of(table.name(), table) {
            names::set(table.name(), None);
        }
        tables.remove(&table.number)
    };
    between_steps();
    if let Some(table) = removed {
        names::retire(table);
    }
}

/// Gives a table another name; returns false if the name is taken, or if a named table is deleted.
#[must_use]
pub fn rename(table: &Table, name: Term) -> bool {
    let tables = TABLES.write();
    if table.options.named {
        let Some(counted) = tables.get(&table.number) else {
            return false;
        };
        if names::is_taken(name) {
            return false;
        }
        names::set(table.name(), None);
        names::set(name, Some(counted));
    }
    table.set_name(name);
    true
}

/// The table with a number.
#[must_use]
pub fn find(number: u64) -> Option<Arc<Table>> {
    TABLES.read().get(&number).cloned()
}

/// All tables, in the order in which they were made.
#[must_use]
pub fn all() -> Vec<Arc<Table>> {
    TABLES.read().values().cloned().collect()
}

/// As [`all`]; returns `None` if the registry's lock was not acquired within `timeout`.
#[must_use]
pub fn all_within(timeout: Duration) -> Option<Vec<Arc<Table>>> {
    Some(TABLES.try_read_for(timeout)?.values().cloned().collect())
}

/// Number of tables.
#[must_use]
pub(crate) fn count() -> usize {
    TABLES.read().len()
}

/// The table of a reference that went through the external term format and came back with only its number.
#[cold]
fn by_number<'a>(_pinned: Pinned<'a>, identifier: Term) -> Option<&'a Table> {
    let (low, _) = reference::number(identifier)?;
    let table = Arc::as_ptr(TABLES.read().get(&low)?);
    // SAFETY: a table is kept after it was removed from the registry until nobody is pinned any more who was then
    // (`names::retire`).
    Some(unsafe { &*table })
}

/// The table that a name or reference stands for.
///
/// # Errors
/// `badarg` with the cause `type` (neither), or `id` (no such table).
#[inline]
pub fn look_up(pinned: Pinned<'_>, identifier: Term) -> Result<&Table, Failure> {
    if identifier.is_atom() {
        return names::find(pinned, identifier).ok_or_else(|| badarg_because(am::ID));
    }
    let Some(reference) = MagicReference::of(identifier) else {
        return by_number(pinned, identifier).ok_or_else(|| badarg_because(am::TYPE));
    };
    let block = reference.block().cast::<MagicBlock>();
    // SAFETY: a magic reference counts its block, and nothing collects it before this function returns.
    let handle: Option<&Handle> = unsafe { (*block).get::<Handle>() };
    match handle {
        Some(Handle(Some(table))) if !table.is_deleted() => {
            // SAFETY: it is still in the registry, or about to be removed by whoever deletes it; then it is kept until
            // nobody is pinned any more who was then (`names::retire`).
            Ok(unsafe { &*Arc::as_ptr(table) })
        }
        Some(_) => Err(badarg_because(am::ID)),
        None => Err(badarg_because(am::TYPE)),
    }
}
