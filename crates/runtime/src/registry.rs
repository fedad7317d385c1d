//! Registered names: a slot in the atom's own table entry holds the pid or port, so sending to a
//! name is two loads. Any thread may look up; registering takes a lock.

use std::collections::HashSet;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;

use layout::Term;
use parking_lot::Mutex;
use term::atom;

/// Names in use, for `registered/0`; also the lock of every change.
static NAMES: LazyLock<Mutex<HashSet<Term>>> = LazyLock::new(Mutex::default);

/// The pid or port registered under a name.
#[inline]
#[must_use]
pub fn whereis(name: Term) -> Option<Term> {
    let bits = atom::registration(name.as_atom()?).load(Ordering::Acquire);
    if bits == 0 {
        return None;
    }
    // SAFETY: only pids and ports are stored, which are immediates.
    Some(unsafe { Term::from_bits(bits) })
}

/// The process registered under a name; None for a port, or for no atom.
#[must_use]
pub fn whereis_process(name: Term) -> Option<Term> {
    whereis(name).filter(|identifier| identifier.is_local_pid())
}

/// Registers a name; false when it is taken.
///
/// # Panics
/// When `name` is no atom.
#[must_use]
pub fn register(name: Term, identifier: Term) -> bool {
    let mut names = NAMES.lock();
    let slot = atom::registration(name.as_atom().expect("an atom"));
    if slot.load(Ordering::Relaxed) != 0 {
        return false;
    }
    slot.store(identifier.bits(), Ordering::Release);
    names.insert(name);
    true
}

/// Frees a name if it stands for `identifier`; answers whether it did.
pub fn forget(name: Term, identifier: Term) -> bool {
    let mut names = NAMES.lock();
    let Some(index) = name.as_atom() else {
        return false;
    };
    let slot = atom::registration(index);
    if slot.load(Ordering::Relaxed) != identifier.bits() {
        return false;
    }
    slot.store(0, Ordering::Release);
    names.remove(&name);
    true
}

/// All names in use.
#[must_use]
pub fn names() -> Vec<Term> {
    NAMES.lock().iter().copied().collect()
}
