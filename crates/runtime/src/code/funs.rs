//! Fun entries: one for each place in a module version where a fun is created. Loading the same
//! version again finds the same entries, so funs stay valid when their module is unloaded and loaded again.

use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

use layout::{FunEntry, Term};
use parking_lot::RwLock;

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
                code: AtomicPtr::new(std::ptr::null_mut()),
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

/// Clears the code of all entries whose code lies in a range that is being removed.
pub fn unload(range: &std::ops::Range<*const u64>) {
    for entry in FUNS.read().values() {
        let code = entry.0.code.load(Ordering::Acquire).cast_const();
        if range.contains(&code) {
            entry.0.code.store(std::ptr::null_mut(), Ordering::Release);
        }
    }
}
