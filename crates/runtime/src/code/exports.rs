//! The export table: one entry for every function that is referred to from outside its module.

use std::cell::Cell;
use std::collections::HashMap;
use std::mem::offset_of;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

use layout::{Export, Term};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use term::atom;

use super::stubs;
use crate::mail::observer::observer;
use crate::mail::{hooks, observer};

type Name = (Term, Term, u32);

struct Entry {
    export: &'static Export,
    /// Its place in the order in which exports were made.
    number: usize,
    /// Whether a module that was loaded has or calls this function, or refers to it. Others were made for a term that
    /// was decoded, or for a call by name, and do not show that there is such a function.
    is_of_code: AtomicBool,
}

/// The number of exports that were made.
static MADE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the only word of an export that changes is atomic; its stub is written before it is shared.
unsafe impl Send for Entry {}
// SAFETY: as above.
unsafe impl Sync for Entry {}

/// Exports are never removed.
struct Exports {
    /// Terms that other nodes send make exports too, and could be chosen so that their hashes are alike, were these not
    /// seeded.
    by_name: HashMap<Name, Entry>,
    /// Those of each module, in the order in which they were made.
    by_module: FxHashMap<Term, Vec<&'static Export>>,
}

impl Exports {
    fn insert(&mut self, name: Name, entry: Entry) -> &'static Export {
        let export = entry.export;
        self.by_module.entry(name.0).or_default().push(export);
        self.by_name.insert(name, entry);
        export
    }

    fn all(&self) -> impl Iterator<Item = &'static Export> {
        self.by_name.values().map(|entry| entry.export)
    }
}

static EXPORTS: LazyLock<RwLock<Exports>> = LazyLock::new(|| {
    let mut exports = Exports {
        by_name: HashMap::with_capacity(8192),
        by_module: FxHashMap::default(),
    };
    let release = term::release::get();
    for (entry, row) in hooks::get().bifs.iter().zip(spec::bifs::BIFS) {
        if !row.properties.count_in(release) {
            continue;
        }
        let name = (
            atom::known(entry.module),
            atom::known(entry.name),
            u32::from(entry.arity),
        );
        let is_guard = row.properties.has(spec::bifs::Properties::GUARD);
        let flags = [
            (is_guard, Export::GUARD_BIF),
            (row.is_builtin(), Export::BUILTIN),
        ];
        let flags = flags.iter().filter(|(holds, _)| *holds);
        let flags = flags.map(|(_, flag)| flag).sum();
        let export = make(name, Some(entry.function), flags);
        exports.insert(name, export);
    }
    RwLock::new(exports)
});

/// Makes the entries of the BIFs, and the atoms that name them.
pub fn create() {
    LazyLock::force(&EXPORTS);
}

/// What calls of a BIF by name run, if it is not traced.
fn called_function(bif: Option<layout::BifFunction>) -> *mut () {
    bif.map_or(std::ptr::null_mut(), |bif| bif as *mut ())
}

fn make((module, function, arity): Name, bif: Option<layout::BifFunction>, flags: u32) -> Entry {
    let export = Box::leak(Box::new(Export {
        code: AtomicPtr::new(std::ptr::null_mut()),
        module,
        function,
        arity,
        flags,
        bif,
        called: AtomicPtr::new(called_function(bif)),
        stub: [0; 8],
    }));
    let stub = engine::start::stub_for(export);
    // SAFETY: leaked just now, and nobody else refers to it.
    let export = unsafe { stubs::make(export, stub) };
    Entry {
        export,
        number: MADE.fetch_add(1, Ordering::Relaxed),
        is_of_code: AtomicBool::new(bif.is_some()),
    }
}

/// The export of that name, created if it is new.
#[must_use]
pub fn get(module: Term, function: Term, arity: u32) -> &'static Export {
    get_for((module, function, arity), false)
}

/// As [`get`], for code that is loaded and has, calls or refers to this function.
#[must_use]
pub fn get_for_code(module: Term, function: Term, arity: u32) -> &'static Export {
    get_for((module, function, arity), true)
}

fn get_for(name: Name, is_for_code: bool) -> &'static Export {
    let found = |entry: &Entry| {
        if is_for_code {
            entry.is_of_code.store(true, Ordering::Relaxed);
        }
        entry.export
    };
    if let Some(entry) = EXPORTS.read().by_name.get(&name) {
        return found(entry);
    }
    let mut exports = EXPORTS.write();
    if let Some(entry) = exports.by_name.get(&name) {
        return found(entry);
    }
    let entry = make(name, None, 0);
    found(&entry);
    exports.insert(name, entry)
}

/// The export of that name, if it is a BIF or was made for code ([`get_for_code`]), which may be gone.
#[must_use]
pub fn find_of_code(module: Term, function: Term, arity: u32) -> Option<&'static Export> {
    let exports = EXPORTS.read();
    let entry = exports.by_name.get(&(module, function, arity))?;
    entry
        .is_of_code
        .load(Ordering::Relaxed)
        .then_some(entry.export)
}

/// The export of that name, if it exists.
#[must_use]
pub fn find(module: Term, function: Term, arity: u32) -> Option<&'static Export> {
    let place = place_in_found((module, function, arity));
    let found = FOUND.with(|found| found[place].get());
    if let Some(export) = found
        && (export.module, export.function, export.arity) == (module, function, arity)
    {
        return found;
    }
    let entry = EXPORTS
        .read()
        .by_name
        .get(&(module, function, arity))?
        .export;
    FOUND.with(|found| found[place].set(Some(entry)));
    Some(entry)
}

/// Exports that each thread remembers; a power of two. A behaviour calls its callback module by name, so every request
/// to a `gen_server` looks for an export.
const REMEMBERED: usize = 256;

thread_local! {
    /// Exports that this thread has found, which live for ever: at most one for each place.
    static FOUND: [Cell<Option<&'static Export>>; REMEMBERED] = const { [const { Cell::new(None) }; REMEMBERED] };
}

fn place_in_found((module, function, arity): Name) -> usize {
    let bits = module.bits() ^ function.bits().rotate_left(16) ^ u64::from(arity);
    term::hash::place(bits, REMEMBERED.ilog2())
}

/// Whether the export leads to a module's code or to a BIF.
#[must_use]
pub fn is_defined(export: &Export) -> bool {
    is_loaded(export) || engine::start::stub_for(export) != engine::start::Stub::Undefined
}

/// Whether the export leads to a module's code.
#[must_use]
pub fn is_loaded(export: &Export) -> bool {
    // SAFETY: exports live for ever.
    let stub = unsafe { engine::start::stub_entry(export) };
    !std::ptr::eq(code_of(export), stub)
}

/// Makes calls go to a module's code or, with `None`, to the export's stub.
pub fn set_code(export: &'static Export, entry: Option<*const u64>) {
    // SAFETY: exports live for ever.
    let entry = entry.unwrap_or_else(|| unsafe { engine::start::stub_entry(export) });
    export.code.store(entry.cast_mut(), Ordering::Release);
}

/// Makes all exports that lead into a range of code, which is being removed, lead to their stubs. Exports of old code
/// lead to newer code already; this concerns an `on_load` function that was called and never finished.
pub fn unload(is_gone: impl Fn(*const u64) -> bool) {
    for export in EXPORTS.read().all() {
        if is_gone(code_of(export)) {
            set_code(export, None);
        }
    }
}

/// The number of exports; `None` if the table's lock was not acquired within `patience`.
#[must_use]
pub fn count_within(patience: Duration) -> Option<usize> {
    Some(EXPORTS.try_read_for(patience)?.by_name.len())
}

/// All exports of a module.
#[must_use]
pub fn of_module(module: Term) -> Vec<&'static Export> {
    let exports = EXPORTS.read();
    exports.by_module.get(&module).cloned().unwrap_or_default()
}

/// All exports.
#[must_use]
pub fn all() -> Vec<&'static Export> {
    EXPORTS.read().all().collect()
}

/// The number of exports that were made before this one; `module_info(exports)` is in the reverse of that order.
#[must_use]
pub fn number(export: &Export) -> usize {
    let name = (export.module, export.function, export.arity);
    EXPORTS
        .read()
        .by_name
        .get(&name)
        .map_or(0, |entry| entry.number)
}

/// The export at an address, if there is one.
#[must_use]
pub fn at(address: u64) -> Option<&'static Export> {
    let export = stubs::around((address as usize).wrapping_add(offset_of!(Export, stub)))?;
    (std::ptr::from_ref(export) as u64 == address).then_some(export)
}

/// Where calls of an export lead, whether or not they are traced.
fn code_of(export: &Export) -> *const u64 {
    match observer::may_tell_of_calls() {
        true => observer().code_of(export),
        false => export.code.load(Ordering::Acquire),
    }
}
