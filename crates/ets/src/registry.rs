//! All tables of the node: by number, by name, and through the reference that a program holds.
//!
//! Any thread may call.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use layout::object::offset;
use layout::{Kind, Term};
use parking_lot::RwLock;
use term::off_heap::MagicBlock;
use term::{am, reference};

use super::names;
use super::table::Table;
use runtime::bif::{Failure, badarg_because};

/// Tables by number: in the order in which they were made, nearly. Its lock also guards all changes of names.
static TABLES: RwLock<BTreeMap<u64, Arc<Table>>> = RwLock::new(BTreeMap::new());

/// What a table's reference holds.
pub struct Handle(Option<Arc<Table>>);

impl Handle {
    /// The handle of a table; empty when it is deleted.
    #[must_use]
    pub fn of(number: u64) -> Handle {
        Handle(find(number))
    }
}

/// Makes a table findable; false when its name is taken.
#[must_use]
pub fn publish(table: Arc<Table>) -> bool {
    let mut tables = TABLES.write();
    if table.options.named {
        if names::find(table.name()).is_some() {
            return false;
        }
        names::set(table.name(), Some(&table));
    }
    tables.insert(table.number, table);
    true
}

/// Takes a table out.
pub fn remove(table: &Table) {
    let removed = {
        let mut tables = TABLES.write();
        if table.options.named
            && names::find(table.name()).is_some_and(|named| named.number == table.number)
        {
            names::set(table.name(), None);
        }
        tables.remove(&table.number)
    };
    if let Some(table) = removed {
        names::retire(table);
    }
}

/// Gives a table another name; false when that is taken.
#[must_use]
pub fn rename(table: &Table, name: Term) -> bool {
    let tables = TABLES.write();
    if table.options.named {
        let Some(counted) = tables.get(&table.number) else {
            return false;
        };
        if names::find(name).is_some() {
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

/// As [`all`]; `None` when the registry cannot be had so soon.
#[must_use]
pub fn all_within(patience: Duration) -> Option<Vec<Arc<Table>>> {
    Some(TABLES.try_read_for(patience)?.values().cloned().collect())
}

/// Number of tables.
#[must_use]
pub fn count() -> usize {
    TABLES.read().len()
}

/// The table of a reference that went through the external format, and came back with its number alone.
#[cold]
fn by_number<'a>(identifier: Term) -> Option<&'a Table> {
    let (low, _) = reference::number(identifier)?;
    let table = Arc::as_ptr(TABLES.read().get(&low)?);
    // SAFETY: a table that is taken out of the registry is retired, so this one stays through the slice.
    Some(unsafe { &*table })
}

/// The table that a name or reference stands for. It stays while the BIF runs: a table lives as
/// long as a reference to it, and nothing is collected; one found otherwise lives through the slice.
///
/// # Errors
/// `badarg` with the cause `type` (neither), or `id` (no such table).
#[inline]
pub fn look_up<'a>(identifier: Term) -> Result<&'a Table, Failure> {
    if identifier.is_atom() {
        return names::find(identifier).ok_or_else(|| badarg_because(am::ID));
    }
    if !identifier.is_kind(Kind::MagicReference) {
        return by_number(identifier).ok_or_else(|| badarg_because(am::TYPE));
    }
    let block = identifier.word(offset::OFF_HEAP_BLOCK) as *const MagicBlock;
    // SAFETY: a magic reference counts its block, and nothing collects it while the BIF runs.
    let handle: Option<&'a Handle> = unsafe { (*block).get::<Handle>() };
    match handle {
        Some(Handle(Some(table))) if !table.is_deleted() => Ok(table),
        Some(_) => Err(badarg_because(am::ID)),
        None => Err(badarg_because(am::TYPE)),
    }
}
