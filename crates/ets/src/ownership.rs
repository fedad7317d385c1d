//! Who owns and fixes tables, and how tables end: with their owner, unless an heir gets them, or by `ets:delete/1`.

use std::sync::Arc;

use layout::{Term, no_gc};
use runtime::mail::signal;
use runtime::process::Process;
use runtime::process::signal::Signal;
use term::heap::Scratch;
use term::{am, build};

use crate::store::part::Part;
use crate::table::Table;
use crate::{reaper, registry};

/// A table with at most this many objects is freed by the thread on which its owner ends; that takes a few ms.
const FREED_IN_PLACE: usize = 50_000;

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
    pub(crate) parts: Vec<Part>,
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
                let data = &heir.data;
                let data = data.as_ref().map(|it| it.get().copy_to(scratch.heap()));
                (heir.process, data, scratch)
            })
    };
    if let Some((heir, data, _scratch)) = heir
        && heir.exists()
    {
        let data = data.map(|it| it.as_tuple(no_gc!()).expect("the data in a tuple")[0]);
        hand_over(table, owner, heir.pid, data);
        return;
    }
    delete(table).free_aside();
}

/// Makes another process the owner, and notifies it.
pub fn hand_over(table: &Arc<Table>, from: Term, to: Term, data: Option<Term>) {
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
    let Some(data) = data else {
        return;
    };
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let identifier = table.identifier(heap);
    let message = build::tuple(heap, &[am::UC_ETS_TRANSFER, identifier, from, data]);
    signal::send_message(from, to, message);
}
