//! Purging old code: once no process runs it, its functions, funs and literals are removed.
//!
//! `erts_code_purger` drives this in steps: *prepare*, a check of every process ([`uses_old_code`]), *complete* (or
//! *abort*). The memory of purged code is freed later, by the [`literal_collector`].

use std::sync::Arc;

use layout::Term;
use parking_lot::Mutex;

use super::modules::{self, Loaded, Versions};
use super::{funs, literal_collector};
use crate::process::Process;
use crate::scheduler::world;

/// Which version of a module is purged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Which {
    Old,
    /// The one whose `on_load` function failed.
    Pending,
}

impl Which {
    fn of(self, versions: &mut Versions) -> &mut Option<Arc<Loaded>> {
        match self {
            Which::Old => &mut versions.old,
            Which::Pending => &mut versions.pending,
        }
    }
}

/// The module that is being purged.
static PURGING: Mutex<Option<(Term, Which)>> = Mutex::new(None);

/// Begins a purge; returns false if there is no old code.
pub fn prepare(module: Term) -> bool {
    if modules::versions(module).old.is_none() {
        return false;
    }
    *PURGING.lock() = Some((module, Which::Old));
    true
}

/// Begins to purge the version whose `on_load` function failed; returns false if there is none.
pub fn prepare_on_load(module: Term) -> bool {
    if modules::versions(module).pending.is_none() {
        return false;
    }
    *PURGING.lock() = Some((module, Which::Pending));
    true
}

/// Aborts a purge, if one was begun.
pub fn abort(module: Term) {
    end(module);
}

fn end(module: Term) -> Option<Which> {
    PURGING
        .lock()
        .take_if(|(purged, _)| *purged == module)
        .map(|(_, which)| which)
}

/// Completes a purge: removes the purged version of the module.
pub fn complete(module: Term) -> bool {
    let Some(gone) = end(module).and_then(|which| forget(module, which)) else {
        return false;
    };
    literal_collector::free_module(gone);
    true
}

/// Removes a version of a module, which no process runs any more. Dropping the returned value frees its memory; the
/// caller must keep it until no heap refers to its literals.
fn forget(module: Term, which: Which) -> Option<Arc<Loaded>> {
    world::stopped(|| {
        modules::change(|table| {
            let gone = which.of(table.versions(module)).take()?;
            table.remove_range(&gone);
            funs::unload(&gone.code.range());
            Some(gone)
        })
    })
}

/// Whether a process may return into, or will continue in, the old code of a module. While a version whose `on_load`
/// function failed is being purged, checks that version instead: processes that run it are killed, and processes that
/// run old code are not.
#[must_use]
pub fn uses_old_code(process: &Process, module: Term) -> bool {
    let versions = modules::versions(module);
    let goes = if *PURGING.lock() == Some((module, Which::Pending)) {
        versions.pending
    } else {
        versions.old
    };
    goes.is_some_and(|loaded| uses(process, &loaded))
}

fn uses(process: &Process, old: &Loaded) -> bool {
    if old.code.contains(process.head.ip) {
        return true;
    }
    let heap = &process.head.heap;
    let mut at = heap.stack;
    while at < heap.end {
        // SAFETY: the words between stack and end are return addresses and terms.
        let word = unsafe { *at };
        at = at.wrapping_add(1);
        let address = if word & 0b11 == 0 {
            word as *const u64
        } else {
            // SAFETY: a stack word that is not a return address is a term.
            match unsafe { Term::from_bits(word) }.as_catch() {
                Some(handler) => handler,
                None => continue,
            }
        };
        if old.code.contains(address) {
            return true;
        }
    }
    false
}
