//! Purging old code: no process runs it any more, so its functions, funs and literals can go.
//!
//! `erts_code_purger` drives it: *prepare*, a check of every process, *complete* (or *abort*). What is
//! purged keeps its memory until `erts_literal_area_collector` has had every process copy
//! the literals that it still holds.

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
use crate::collector::elsewhere;
use crate::process::{Process, tasks};
use crate::scheduler::world;
use crate::signal::handle;
use crate::{collector, signal};

/// Which version of a module goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Which {
    Old,
    /// The one whose `on_load` function failed.
    Pending,
}

/// The module that is being purged.
static PURGING: Mutex<Option<(Term, Which)>> = Mutex::new(None);

/// Begins a purge; false without old code.
pub fn prepare(module: Term) -> bool {
    if modules::versions(module).old.is_none() {
        return false;
    }
    *PURGING.lock() = Some((module, Which::Old));
    true
}

/// Begins to purge a version whose `on_load` function failed; false without one.
pub fn prepare_on_load(module: Term) -> bool {
    if modules::versions(module).pending.is_none() {
        return false;
    }
    *PURGING.lock() = Some((module, Which::Pending));
    true
}

/// Gives a purge up; nothing happens when none was begun.
pub fn abort(module: Term) {
    end(module);
}

fn end(module: Term) -> Option<Which> {
    PURGING
        .lock()
        .take_if(|(purged, _)| *purged == module)
        .map(|(_, which)| which)
}

/// Ends a purge: the old code is gone for everyone.
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

/// Whether a process may return into, or goes on in, the old code of a module. While a version whose `on_load`
/// function failed is purged, that stands in its place: who runs it is killed, and who runs old code is not.
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

/// What holds an area of literals that are no longer anybody's.
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

/// Areas that wait, and the one whose terms processes are copying.
#[derive(Default)]
struct Areas {
    waiting: VecDeque<Former>,
    present: Option<Former>,
}

static AREAS: LazyLock<Mutex<Areas>> = LazyLock::new(Mutex::default);

/// The pid of `erts_literal_area_collector`, as bits; 0 before it is there.
static COLLECTOR: AtomicU64 = AtomicU64::new(0);

/// Tells who collects literal areas; once, at the start.
pub fn set_collector(pid: Term) {
    COLLECTOR.store(pid.bits(), Ordering::Release);
}

/// Frees the area of a value that is gone, once no heap points into it.
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

/// Every process has copied what it held of the present area: frees that and goes on to the next; false
/// when there is none.
pub fn release_area_switch() -> bool {
    let (done, next) = {
        let mut areas = AREAS.lock();
        (areas.present.take(), areas.waiting.pop_front())
    };
    let addresses = next.as_ref().map_or(0..0, Former::addresses);
    // Copies that are under way have counted their words. (No lock is held: who waits for one would not stop.)
    world::stopped(|| literal::doom(&addresses));
    drop(done);
    let any = next.is_some();
    AREAS.lock().present = next;
    any
}

/// Has a process copy the literals of the present area; `{copy_literals, Id, ok}` will come.
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
    tasks::ask_to_collect(pid, elsewhere::is_wanted_for_all, Box::new(copy));
}

/// Between two slices: leaves nothing of the process that points to those addresses. What comes later
/// does not, for copies take doomed literals along.
fn copy_literals(process: &mut Process, addresses: &Range<usize>) {
    handle::replace_messages(process, |message| {
        copy::refers_to(message, addresses).then(|| Owned::new(message))
    });
    collector::copy_literals(process, addresses);
}
