//! Purging old code: once no process runs it, its functions, funs and literals are removed.
//!
//! `erts_code_purger` drives this in steps: *prepare*, a check of every process, *complete* (or *abort*). The memory of
//! purged code is freed only after `erts_literal_area_collector` has made every process copy the literals that it still
//! refers to.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use layout::Term;
use parking_lot::Mutex;
use term::copy::{self, Owned};
use term::heap::Scratch;
use term::{am, build, literal};

use super::literals::Area;
use super::load;
use super::modules::{self, Loaded};
use crate::collector::dirty_collection;
use crate::process::{Process, message_queue, tasks};
use crate::scheduler::world;
use crate::{collector, signal};

/// Which version of a module is purged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Which {
    Old,
    /// The one whose `on_load` function failed.
    Pending,
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
    let gone = match end(module) {
        None => return false,
        Some(Which::Old) => load::purge(module),
        Some(Which::Pending) => load::purge_pending(module),
    };
    let Some(old) = gone else {
        return false;
    };
    free(Former::Module(old));
    true
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

/// A removed module or persistent term, with its literal area, which processes may still refer to.
enum Former {
    Module(Arc<Loaded>),
    Value(Area),
}

impl Former {
    fn addresses(&self) -> Range<usize> {
        match self {
            Former::Module(loaded) => loaded.literals.addresses(),
            Former::Value(area) => area.addresses(),
        }
    }
}

/// Areas that wait to be freed, and the one whose literals processes are copying at present.
#[derive(Default)]
struct Areas {
    waiting: VecDeque<Former>,
    present: Option<Former>,
}

static AREAS: LazyLock<Mutex<Areas>> = LazyLock::new(Mutex::default);

/// The pid of `erts_literal_area_collector`, as bits; 0 before that process exists.
static COLLECTOR: AtomicU64 = AtomicU64::new(0);

/// Sets the process that collects literal areas; called once, at the start.
pub fn set_collector(pid: Term) {
    COLLECTOR.store(pid.bits(), Ordering::Release);
}

/// Frees the area of a removed value once no heap points into it.
pub fn free_value(area: Area) {
    free(Former::Value(area));
}

fn free(former: Former) {
    AREAS.lock().waiting.push_back(former);
    let bits = COLLECTOR.load(Ordering::Acquire);
    if bits != 0 {
        // SAFETY: the bits of a local pid, an immediate.
        let collector = unsafe { Term::from_bits(bits) };
        signal::send_message_from_outside(collector, am::COPY_LITERALS);
    }
}

/// Called when every process has copied the literals that it used from the present area: frees that area and begins
/// with the next. Returns false if there is none.
pub fn release_area_switch() -> bool {
    let (done, next) = {
        let mut areas = AREAS.lock();
        (areas.present.take(), areas.waiting.pop_front())
    };
    let addresses = next.as_ref().map_or(0..0, Former::addresses);
    // The world is stopped because a copy in progress has already computed its size, which depends on the doomed area.
    // No lock may be held here: a thread that waits for it would not stop.
    world::stopped(|| literal::doom(&addresses));
    drop(done);
    let any = next.is_some();
    AREAS.lock().present = next;
    any
}

/// Makes a process copy the literals of the present area; `asker` then receives `{copy_literals, Id, ok}`.
pub fn send_copy_request(asker: Term, pid: Term, id: Owned) {
    let addresses = AREAS.lock().present.as_ref().map(Former::addresses);
    let copy = move |process: Option<&mut Process>| {
        if let (Some(process), Some(addresses)) = (process, addresses) {
            copy_literals(process, &addresses);
        }
        let mut scratch = Scratch::new();
        let done = [am::COPY_LITERALS, id.term(), am::OK];
        let done = build::tuple(scratch.heap(), &done);
        signal::send_message_from_outside(asker, done);
    };
    tasks::ask_to_collect(pid, dirty_collection::is_wanted_for_all, Box::new(copy));
}

/// Removes all pointers to those addresses from a process between two slices. Terms that it receives later contain
/// none, because copying a term also copies doomed literals.
fn copy_literals(process: &mut Process, addresses: &Range<usize>) {
    message_queue::replace(process, |message| {
        copy::refers_to(message, addresses).then(|| Owned::new(message))
    });
    collector::copy_literals(process, addresses);
}
