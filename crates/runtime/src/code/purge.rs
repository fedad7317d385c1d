//! Purging old code: no process runs it any more, so its functions, funs and literals can go.
//!
//! `erts_code_purger` drives it: *prepare*, a check of every process, *complete* (or *abort*). What is
//! purged keeps its memory until `erts_literal_area_collector` has had every process copy
//! the literals that it still holds.

use std::collections::VecDeque;
use std::sync::Arc;

use layout::Term;
use parking_lot::Mutex;

use super::load;
use super::modules::{self, Loaded};
use crate::process::Process;

/// The module that is being purged.
static PURGING: Mutex<Option<Term>> = Mutex::new(None);

/// Purged code whose literals may still be held, the first being worked on.
static AREAS: Mutex<VecDeque<Arc<Loaded>>> = Mutex::new(VecDeque::new());

/// Begins a purge; false without old code.
pub fn prepare(module: Term) -> bool {
    if modules::versions(module).old.is_none() {
        return false;
    }
    *PURGING.lock() = Some(module);
    true
}

/// Gives a purge up; false when none was begun.
pub fn abort(module: Term) -> bool {
    let mut purging = PURGING.lock();
    let was = *purging == Some(module);
    if was {
        *purging = None;
    }
    was
}

/// Ends a purge: the old code is gone for everyone.
pub fn complete(module: Term) -> bool {
    if !abort(module) {
        return false;
    }
    let Some(old) = load::purge(module) else {
        return false;
    };
    AREAS.lock().push_back(old);
    true
}

/// Whether a process may return into, or goes on in, the old code of a module.
#[must_use]
pub fn uses_old_code(process: &Process, module: Term) -> bool {
    let Some(old) = modules::versions(module).old else {
        return false;
    };
    if old.code.contains(process.head.ip) {
        return true;
    }
    let heap = &process.head.heap;
    let mut at = heap.stack;
    while at < heap.end {
        // SAFETY: between stack and end lie return addresses and terms.
        let word = unsafe { *at };
        at = at.wrapping_add(1);
        let address = if word & 0b11 == 0 {
            word as *const u64
        } else {
            // SAFETY: a stack word that is no return address is a term.
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

/// Goes on to the next purged area; false when there is none.
pub fn release_area_switch() -> bool {
    false
}

/// Has a process copy the literals of the present area.
pub fn send_copy_request(_process: &Process, _pid: Term, _id: Term) {}
