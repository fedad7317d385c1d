//! ETS: tables of terms that processes share.
//!
//! ```text
//! registry -> Table -> Part (one lock each) -> Shard (hash table) or Tree (ordered set, or a range of it) -> Object
//! ```
//!
//! An object is a tuple copied out of the process that inserted it; reading copies it again. Match
//! specifications run on objects where they lie, under the part's lock, so only results are copied.
//! [`select`] traverses a table in steps that fit a slice.
//!
//! A process records the tables that it owns or fixes in its `Cold::tables`. The owner and the fixations stored in
//! the tables themselves are authoritative, so a stale number in that list does no harm.

#![warn(unreachable_pub)]

mod fixation;
pub mod match_spec;
mod names;
mod reaper;
pub mod registry;
pub mod select;
mod store;
pub mod table;

use std::sync::Arc;

use layout::{Term, no_gc};
use term::am;
use term::build;
use term::heap::Scratch;

#[cfg(feature = "loom")]
pub use store::directory::{Range, Ranges};
pub use store::object::{New, ObjectMut, ObjectRef, OwnedObject};
pub use store::part::Part;
pub use store::ranges;
pub use store::ranges::Pressure;
pub use store::shard::Following;
pub use store::tree::WalkStart;
pub use table::Table;

use runtime::mail::signal;
use runtime::process::Process;
use runtime::process::signal::Signal;

/// What a table may hold for one key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableKind {
    /// One object.
    Set,
    /// One object; keys are compared with `==`, and in order.
    OrderedSet,
    /// Any number of different objects.
    Bag,
    /// Any number of objects.
    DuplicateBag,
}

impl TableKind {
    #[must_use]
    pub fn atom(self) -> Term {
        match self {
            TableKind::Set => am::SET,
            TableKind::OrderedSet => am::ORDERED_SET,
            TableKind::Bag => am::BAG,
            TableKind::DuplicateBag => am::DUPLICATE_BAG,
        }
    }

    /// Whether a key has at most one object.
    #[must_use]
    pub fn is_set(self) -> bool {
        matches!(self, TableKind::Set | TableKind::OrderedSet)
    }
}

/// The access that an operation needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Only that the table exists.
    Info,
    Read,
    Write,
}

/// What to do with an object.
pub(crate) enum Verdict {
    Keep,
    Remove,
    /// Replace it by this one, which has an equal key.
    Replace(OwnedObject),
}

/// A table with at most this many objects is freed by the thread on which its owner ends; that takes a few ms.
const FREED_IN_PLACE: usize = 50_000;

/// Number of tables (`system_info(ets_count)`).
#[must_use]
pub fn count() -> usize {
    registry::count()
}

/// Bytes in all tables (`erlang:memory(ets)`).
#[must_use]
pub fn memory_bytes() -> usize {
    registry::all().iter().map(|table| table.bytes()).sum()
}

/// Records that a process has to release or delete a table when it ends.
pub fn note(process: &mut Process, number: u64) {
    let pid = process.pid();
    let tables = &mut process.cold().tables;
    // Numbers of deleted tables are dropped from time to time, rarely enough to cost nothing.
    if tables.len() >= 64 && tables.len().is_power_of_two() {
        tables.retain(|number| {
            registry::find(*number)
                .is_some_and(|table| table.owner() == pid || table.fixation.is_held_by(pid))
        });
    }
    tables.push(number);
}

/// Fixes a table for a process.
pub fn fix(process: &mut Process, table: &Table) {
    if table.fixation.fix(process.pid()) {
        note(process, table.number);
    }
}

/// Deletes a table; returns its objects.
pub fn delete(table: &Table) -> Contents {
    if !table.mark_deleted() {
        return Contents::default();
    }
    registry::remove(table);
    // Dropped only after its lock is released: the data may hold the last reference to something.
    let heir = table.heir.lock().take();
    drop(heir);
    clear(table)
}

/// Deletes all objects at once; returns them. If the table is fixed, they stay there as far as traversals need them,
/// and only their number is returned.
pub fn clear(table: &Table) -> Contents {
    let mut whole = table.write_all();
    let parts = whole.parts();
    if table.fixation.is_fixed() && !table.is_deleted() {
        let objects: i64 = parts.iter_mut().map(|part| part.mark_all()).sum();
        return Contents {
            parts: Vec::new(),
            objects: objects as usize,
        };
    }
    let objects: i64 = parts.iter().map(|part| part.objects()).sum();
    let parts = parts.iter_mut().map(|part| part.take()).collect();
    whole.emptied();
    Contents {
        objects: objects as usize,
        parts,
    }
}

/// Objects that were taken out of their table and are still to be freed; freeing many takes a while.
#[derive(Default)]
#[must_use]
pub struct Contents {
    parts: Vec<Part>,
    /// How many objects there were.
    pub objects: usize,
}

impl Contents {
    /// Frees at least `count` objects, up to the end of a slot or leaf. Returns whether there may be more.
    pub fn free_some(&mut self, count: usize) -> bool {
        let mut left = count;
        while let Some(part) = self.parts.last_mut() {
            left = left.saturating_sub(part.free_some(left));
            if left == 0 {
                return true;
            }
            self.parts.pop();
        }
        false
    }

    /// Frees everything; if that is a lot, on a thread of its own, so that the scheduler can run other processes.
    fn free_aside(self) {
        if self.objects > FREED_IN_PLACE {
            reaper::free(self);
        }
    }
}

/// The owner of these tables ends: deletes them or gives them to their heirs. Tables that the process only fixed are
/// released.
pub fn owner_ends(process: &mut Process, tables: Vec<u64>) {
    let pid = process.pid();
    for number in tables {
        let Some(table) = registry::find(number) else {
            continue;
        };
        table.release(pid, true);
        if table.owner() == pid {
            pass_on(&table, pid);
        }
    }
}

/// Gives the table of a process that ends to its heir, or deletes it.
fn pass_on(table: &Arc<Table>, owner: Term) {
    let heir = {
        let heir = table.heir.lock();
        heir.as_ref()
            .filter(|heir| heir.process.pid != owner)
            .map(|heir| {
                let mut scratch = Scratch::new();
                let data = heir.data.get().copy_to(scratch.heap());
                (heir.process, data, scratch)
            })
    };
    if let Some((heir, data, _scratch)) = heir
        && heir.exists()
    {
        let data = data.as_tuple(no_gc!()).expect("the data in a tuple")[0];
        hand_over(table, owner, heir.pid, data);
        return;
    }
    delete(table).free_aside();
}

/// Makes another process the owner, and notifies it.
pub fn hand_over(table: &Arc<Table>, from: Term, to: Term, data: Term) {
    table.set_owner(to);
    let number = table.number;
    let taking = Signal::Call(Box::new(move |process| match process {
        Some(process) => note(process, number),
        // The new owner ended before it learned of the table.
        None => {
            if let Some(table) = registry::find(number)
                && table.owner() == to
            {
                pass_on(&table, to);
            }
        }
    }));
    signal::send_or_bounce(to, taking);
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let identifier = table.identifier(heap);
    let message = build::tuple(heap, &[am::UC_ETS_TRANSFER, identifier, from, data]);
    signal::send_message(from, to, message);
}

#[cfg(test)]
mod tests;
