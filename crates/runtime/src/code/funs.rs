//! Fun entries: one for each place in a module version where a fun is created. Loading the same
//! version again finds the same entries, so funs stay valid when their module is unloaded and loaded again.

use std::collections::HashMap;
use std::ops::Range;
use std::ptr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

use layout::{FunEntry, Term};
use parking_lot::RwLock;

use super::modules::Address;

/// The key of a fun entry: module, its MD5, index, and the old unique number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FunName {
    pub module: Term,
    pub unique: [u8; 16],
    pub index: u32,
    pub old_unique: u32,
}

#[derive(Clone, Copy)]
struct Entry(&'static FunEntry);

// SAFETY: the only word of an entry that changes is atomic.
unsafe impl Send for Entry {}
// SAFETY: as above.
unsafe impl Sync for Entry {}

static FUNS: LazyLock<RwLock<HashMap<FunName, Entry>>> = LazyLock::new(RwLock::default);

/// Properties of a fun, given when its entry is first looked up.
pub struct FunFacts {
    pub arity: u32,
    pub free: u32,
    pub old_index: u32,
    pub function: Term,
}

/// The entry of that name, created if it is new; a new entry has no code.
#[must_use]
pub fn get(name: FunName, facts: &FunFacts) -> &'static FunEntry {
    if let Some(entry) = FUNS.read().get(&name) {
        return entry.0;
    }
    let mut funs = FUNS.write();
    funs.entry(name)
        .or_insert_with(|| {
            Entry(Box::leak(Box::new(FunEntry {
                code: AtomicPtr::new(ptr::null_mut()),
                module: name.module,
                arity: facts.arity,
                free: facts.free,
                index: name.index,
                old_index: facts.old_index,
                old_unique: name.old_unique,
                unique: name.unique,
                function: facts.function,
            })))
        })
        .0
}

/// All entries; `None` if the table's lock was not acquired within `patience`.
#[must_use]
pub fn all_within(patience: Duration) -> Option<Vec<&'static FunEntry>> {
    let funs = FUNS.try_read_for(patience)?;
    Some(funs.values().map(|entry| entry.0).collect())
}

/// Takes the code out of all entries whose code lies in a range; returns it by the address of the entry.
#[must_use]
pub fn withhold(range: &Range<*const u64>) -> HashMap<*const FunEntry, Address> {
    let mut withheld = HashMap::new();
    for entry in FUNS.read().values() {
        let code = entry.0.code.load(Ordering::Acquire);
        if range.contains(&code.cast_const()) {
            entry.0.code.store(ptr::null_mut(), Ordering::Release);
            withheld.insert(ptr::from_ref(entry.0), Address(code));
        }
    }
    withheld
}

/// Gives withheld code back to the entries that have no code.
pub fn restore(withheld: &HashMap<*const FunEntry, Address>) {
    for (entry, code) in withheld {
        // SAFETY: entries live for ever.
        let entry = unsafe { &**entry };
        let code = code.0.cast_mut();
        // The same version of the module may have been loaded again meanwhile; its code stays.
        let _ = entry.code.compare_exchange(
            ptr::null_mut(),
            code,
            Ordering::Release,
            Ordering::Relaxed,
        );
    }
}
