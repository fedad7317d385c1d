//! Named tables: a slot for every atom, so that finding a table by name takes three loads.
//!
//! Slots are in leaked chunks of doubling size, each allocated when the first name in it is used. Any thread may look
//! up a name while it is pinned, as it is within a slice; a table that lost its name stays allocated until every
//! scheduler has begun another slice (`epoch`). Whoever changes a slot holds the registry's lock.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use layout::Term;

use super::table::Table;
use runtime::process::epoch::{Pinned, Retired};

const FIRST_CHUNK_BITS: u32 = 10;
const CHUNKS: usize = 22;

type Slot = AtomicPtr<Table>;

static CHUNK: [AtomicPtr<Slot>; CHUNKS] = [const { AtomicPtr::new(ptr::null_mut()) }; CHUNKS];
/// Tables that were removed from the registry, kept until no thread can be using them.
static RETIRED: Retired<Arc<Table>> = Retired::new();

/// The chunk of an atom and its place there: chunk n holds 2^(10 + n) slots.
fn place_of(name: Term) -> (usize, usize) {
    let position = u64::from(name.as_atom().expect("an atom")) + (1 << FIRST_CHUNK_BITS);
    let bits = 63 - position.leading_zeros();
    (
        (bits - FIRST_CHUNK_BITS) as usize,
        (position - (1 << bits)) as usize,
    )
}

/// The table that a slot holds; null if there is none.
#[inline]
fn load(name: Term) -> *mut Table {
    let (chunk, place) = place_of(name);
    let slots = CHUNK[chunk].load(Ordering::Acquire);
    if slots.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: a chunk is never freed, and has a slot for every place that `place_of` returns for it.
    unsafe { (*slots.add(place)).load(Ordering::Acquire) }
}

/// The table with a name.
#[inline]
pub(crate) fn find<'a>(_pinned: Pinned<'a>, name: Term) -> Option<&'a Table> {
    // SAFETY: a table that loses its name is kept until nobody is pinned any more who was then (`retire`).
    unsafe { load(name).as_ref() }
}

/// Whether a name is in use.
pub(crate) fn is_taken(name: Term) -> bool {
    !load(name).is_null()
}

/// Whether a table has a name.
pub(crate) fn is_of(name: Term, table: &Table) -> bool {
    ptr::eq(load(name), table)
}

/// Gives a table a name that is free, or removes the name (`None`). The caller holds the registry's lock.
pub(crate) fn set(name: Term, table: Option<&Arc<Table>>) {
    let (chunk, place) = place_of(name);
    let mut slots = CHUNK[chunk].load(Ordering::Acquire);
    if slots.is_null() {
        let size = 1usize << (FIRST_CHUNK_BITS as usize + chunk);
        let fresh: Vec<Slot> = (0..size).map(|_| Slot::default()).collect();
        slots = Vec::leak(fresh).as_mut_ptr();
        CHUNK[chunk].store(slots, Ordering::Release);
    }
    let table = table.map_or(ptr::null(), Arc::as_ptr).cast_mut();
    // SAFETY: a chunk is never freed, and has a slot for every place that `place_of` returns for it.
    unsafe { (*slots.add(place)).store(table, Ordering::Release) };
}

/// Keeps a table that was removed from the registry until no thread can still be using it.
pub(crate) fn retire(table: Arc<Table>) {
    RETIRED.keep(table);
}
