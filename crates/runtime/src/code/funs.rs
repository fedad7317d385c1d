//! Fun entries: one for each place in a module version where a fun is created. Loading the same version again finds the
//! same entries, so funs stay valid when their module is unloaded and loaded again.
//!
//! Entries of loaded code live for ever. External terms may name any number of others; such an entry is freed with the
//! last fun that refers to it (`term::fun`). Any thread may call these functions.

use std::collections::HashMap;
use std::ptr;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;
use std::time::Duration;

use layout::FunEntry;
use parking_lot::RwLock;
use term::fun::{self, Found, FunIdentity};
use term::off_heap::MagicBlock;

use super::modules::Address;

/// An entry in the table, which owns it.
struct Entry {
    entry: *mut FunEntry,
    /// Whether it is of code that was loaded; then it is never freed.
    is_of_code: bool,
    /// How many [`Keeper`]s it has.
    keepers: usize,
}

// SAFETY: the only word of an entry that changes is atomic.
unsafe impl Send for Entry {}
// SAFETY: as above.
unsafe impl Sync for Entry {}

impl Entry {
    fn new(identity: &FunIdentity) -> Entry {
        Entry {
            entry: Box::into_raw(Box::new(fun::new_entry(identity))),
            is_of_code: false,
            keepers: 0,
        }
    }

    fn get(&self) -> &FunEntry {
        // SAFETY: an entry is freed only after it was removed from the table.
        unsafe { &*self.entry }
    }
}

static FUNS: LazyLock<RwLock<HashMap<FunIdentity, Entry>>> = LazyLock::new(RwLock::default);

/// Keeps an entry that is not of loaded code. It is the object of a magic reference in every fun that was decoded.
struct Keeper(FunIdentity);

impl Drop for Keeper {
    fn drop(&mut self) {
        let mut funs = FUNS.write();
        let Some(entry) = funs.get_mut(&self.0) else {
            return;
        };
        entry.keepers -= 1;
        if entry.keepers > 0 || entry.is_of_code {
            return;
        }
        let entry = entry.entry;
        funs.remove(&self.0);
        // SAFETY: the table owned it, and the last fun that referred to it is gone.
        drop(unsafe { Box::from_raw(entry) });
    }
}

/// The entry of that fun for code that is being loaded.
#[must_use]
pub fn of_code(identity: FunIdentity) -> &'static FunEntry {
    let mut funs = FUNS.write();
    let entry = funs
        .entry(identity)
        .or_insert_with(|| Entry::new(&identity));
    entry.is_of_code = true;
    // SAFETY: from now on it is never freed.
    unsafe { &*entry.entry }
}

/// The entry of a fun that comes with an external term.
#[must_use]
pub fn find(identity: &FunIdentity) -> Found {
    if let Some(entry) = FUNS.read().get(identity)
        && entry.is_of_code
    {
        return Found {
            entry: entry.entry,
            keeper: None,
        };
    }
    let mut funs = FUNS.write();
    let entry = funs
        .entry(*identity)
        .or_insert_with(|| Entry::new(identity));
    // Code may have been loaded meanwhile; then a keeper does no harm.
    entry.keepers += 1;
    Found {
        entry: entry.entry,
        keeper: Some(MagicBlock::new(Box::new(Keeper(*identity)))),
    }
}

/// Shows all entries to `see`, none of them if the table's lock was not acquired within `patience`.
pub fn each_within(patience: Duration, mut see: impl FnMut(&FunEntry)) {
    if let Some(funs) = FUNS.try_read_for(patience) {
        funs.values().for_each(|entry| see(entry.get()));
    }
}

/// Takes the code out of all entries whose code lies in a range; returns it by the address of the entry.
#[must_use]
pub fn withhold(is_gone: impl Fn(*const u64) -> bool) -> HashMap<*const FunEntry, Address> {
    let mut withheld = HashMap::new();
    for entry in FUNS.read().values() {
        let entry = entry.get();
        let code = entry.code.load(Ordering::Acquire);
        if is_gone(code.cast_const()) {
            entry.code.store(ptr::null_mut(), Ordering::Release);
            withheld.insert(ptr::from_ref(entry), Address(code));
        }
    }
    withheld
}

/// Gives withheld code back to the entries that have no code.
pub fn restore(withheld: &HashMap<*const FunEntry, Address>) {
    for (entry, code) in withheld {
        // SAFETY: an entry that has had code is never freed.
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
