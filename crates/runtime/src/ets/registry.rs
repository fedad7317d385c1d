//! All tables of the node: by number, by name, and through the reference that a program holds.
//!
//! Any thread may call.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::sync::Arc;

use layout::object::offset;
use layout::{Kind, Term};
use parking_lot::RwLock;
use std::sync::LazyLock;
use term::am;
use term::off_heap::MagicBlock;

use super::table::Table;
use crate::bif::{Failure, badarg_because};

/// Tables by number: in the order in which they were made, nearly.
static TABLES: RwLock<BTreeMap<u64, Arc<Table>>> = RwLock::new(BTreeMap::new());
static NAMES: LazyLock<RwLock<HashMap<Term, Arc<Table>>>> = LazyLock::new(RwLock::default);

/// What a table's reference holds.
pub struct Handle(Option<Arc<Table>>);

impl Handle {
    /// The handle of a table; empty when it is deleted.
    #[must_use]
    pub fn of(number: u64) -> Handle {
        Handle(find(number))
    }
}

/// A table that a BIF works on.
pub enum Found<'a> {
    /// Kept alive by the reference on the process's heap, which no BIF collects.
    Held(&'a Table),
    Counted(Arc<Table>),
}

impl Deref for Found<'_> {
    type Target = Table;

    #[inline]
    fn deref(&self) -> &Table {
        match self {
            Found::Held(table) => table,
            Found::Counted(table) => table,
        }
    }
}

/// Makes a table findable; false when its name is taken.
#[must_use]
pub fn publish(table: Arc<Table>) -> bool {
    if table.options.named {
        let mut names = NAMES.write();
        if names.contains_key(&table.name()) {
            return false;
        }
        names.insert(table.name(), table.clone());
    }
    TABLES.write().insert(table.number, table);
    true
}

/// Takes a table out.
pub fn remove(table: &Table) {
    if table.options.named {
        let mut names = NAMES.write();
        if names
            .get(&table.name())
            .is_some_and(|named| named.number == table.number)
        {
            names.remove(&table.name());
        }
    }
    TABLES.write().remove(&table.number);
}

/// Gives a table another name; false when that is taken.
#[must_use]
pub fn rename(table: &Table, name: Term) -> bool {
    if !table.options.named {
        table.set_name(name);
        return true;
    }
    let mut names = NAMES.write();
    if names.contains_key(&name) {
        return false;
    }
    let Some(named) = names.remove(&table.name()) else {
        return false;
    };
    table.set_name(name);
    names.insert(name, named);
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

/// Number of tables.
#[must_use]
pub fn count() -> usize {
    TABLES.read().len()
}

/// The table that a name or reference stands for.
///
/// # Errors
/// `badarg` with the cause `type` (neither), or `id` (no such table).
#[inline]
pub fn look_up<'a>(identifier: Term) -> Result<Found<'a>, Failure> {
    if identifier.is_atom() {
        return match NAMES.read().get(&identifier) {
            Some(table) => Ok(Found::Counted(table.clone())),
            None => Err(badarg_because(am::ID)),
        };
    }
    if !identifier.is_kind(Kind::MagicReference) {
        return Err(badarg_because(am::TYPE));
    }
    let block = identifier.word(offset::OFF_HEAP_BLOCK) as *const MagicBlock;
    // SAFETY: a magic reference counts its block, and nothing collects it while the BIF runs.
    let object: &'a (dyn Any + Send + Sync) = unsafe { &*(*block).object };
    match object.downcast_ref::<Handle>() {
        Some(Handle(Some(table))) if !table.is_deleted() => Ok(Found::Held(table)),
        Some(_) => Err(badarg_because(am::ID)),
        None => Err(badarg_because(am::TYPE)),
    }
}
