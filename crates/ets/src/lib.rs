//! ETS: tables of terms that processes share.
//!
//! ```text
//! registry -> Table -> Part (one lock each) -> Shard (hash table) or Tree (ordered set, or a range of it) -> Object
//! ```
//!
//! An object is a tuple copied out of the process that inserted it; reading copies it again. Match
//! specifications run on objects where they lie, under the part's lock, so only results are copied.
//! [`walk`] traverses a table in steps that fit a slice.
//!
//! A process notes the tables that it owns or fixes in its `Cold::tables`; what counts are the
//! tables' own entries, so a number that stays behind does no harm.

pub mod fixation;
pub mod match_spec;
mod names;
pub mod registry;
pub mod store;
pub mod table;
pub mod walk;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use layout::Term;
use term::am;
use term::build;
use term::heap::Scratch;

pub use store::object::{New, Object, OwnedObject};
use store::part::Part;
pub use store::shard::Following;
pub use store::tree::From;
pub use table::Table;

use runtime::process::{Process, table as processes};
use runtime::signal::{self, Signal};

/// What a table may hold for one key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One object.
    Set,
    /// One object; keys are compared with `==`, and in order.
    OrderedSet,
    /// Any number of different objects.
    Bag,
    /// Any number of objects.
    DuplicateBag,
}

impl Kind {
    #[must_use]
    pub fn atom(self) -> Term {
        match self {
            Kind::Set => am::SET,
            Kind::OrderedSet => am::ORDERED_SET,
            Kind::Bag => am::BAG,
            Kind::DuplicateBag => am::DUPLICATE_BAG,
        }
    }

    /// Whether a key has at most one object.
    #[must_use]
    pub fn is_set(self) -> bool {
        matches!(self, Kind::Set | Kind::OrderedSet)
    }
}

/// What an operation needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// That the table is there.
    Info,
    Read,
    Write,
}

/// What is to become of an object.
pub enum Verdict {
    Keep,
    Remove,
    /// By one with an equal key.
    Replace(OwnedObject),
}

/// Objects that are freed where their table's owner ends, in a few milliseconds.
const FREED_IN_PLACE: usize = 50_000;

/// `+e`: counts for nothing but `system_info(ets_limit)`, as in OTP.
static LIMIT: AtomicUsize = AtomicUsize::new(8192);

/// The value that `system_info(ets_limit)` shows.
#[must_use]
pub fn limit() -> usize {
    LIMIT.load(Ordering::Relaxed)
}

/// Sets what `system_info(ets_limit)` shows.
pub fn set_limit(limit: usize) {
    LIMIT.store(limit, Ordering::Relaxed);
}

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

/// Notes that a process has to do with a table when it ends.
pub fn note(process: &mut Process, number: u64) {
    let pid = process.pid();
    let tables = &mut process.cold().tables;
    // Numbers of tables that are gone are dropped now and then, seldom enough to cost nothing.
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

/// Deletes a table; answers its objects.
pub fn delete(table: &Table) -> Contents {
    if !table.mark_deleted() {
        return Contents::default();
    }
    registry::remove(table);
    // Dropped only here, outside of its lock: the data may hold the last reference of something.
    let heir = table.heir.lock().take();
    drop(heir);
    clear(table)
}

/// Deletes all objects at once; answers them.
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

/// Objects that are in no table any more; freeing many takes a while.
#[derive(Default)]
#[must_use]
pub struct Contents {
    parts: Vec<Part>,
    /// How many there were.
    pub objects: usize,
}

impl Contents {
    /// Frees some objects, at most `most` and then to the end of a slot; answers whether there are more.
    pub fn free_some(&mut self, most: usize) -> bool {
        let mut left = most;
        while let Some(part) = self.parts.last_mut() {
            left = left.saturating_sub(part.free_some(left));
            if left == 0 {
                return true;
            }
            self.parts.pop();
        }
        false
    }

    /// Frees everything; a great deal of it beside the scheduler, which has others to run.
    fn free_aside(self) {
        if self.objects > FREED_IN_PLACE {
            let thread = std::thread::Builder::new().name("ets_free".to_owned());
            // Without a thread it is dropped with the closure, here.
            let _ = thread.spawn(move || drop(self));
        }
    }
}

/// The owner of these tables ends: they are deleted or given to their heirs. Other tables among
/// them were only fixed.
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
        heir.as_ref().filter(|heir| heir.pid != owner).map(|heir| {
            let mut scratch = Scratch::new();
            let data = heir.data.copy_to(scratch.heap());
            (heir.pid, data, scratch)
        })
    };
    if let Some((heir, data, _scratch)) = heir
        && !processes::find(heir).is_null()
    {
        let data = data.as_tuple().expect("the data in a tuple")[0];
        hand_over(table, owner, heir, data);
        return;
    }
    delete(table).free_aside();
}

/// Makes another process the owner, and tells it.
pub fn hand_over(table: &Arc<Table>, from: Term, to: Term, data: Term) {
    table.set_owner(to);
    let number = table.number;
    let taking = Signal::Call(Box::new(move |process| match process {
        Some(process) => note(process, number),
        // It ended before it knew of the table.
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
    signal::send_message(to, message);
}

#[cfg(test)]
mod tests;
