//! Registered names: a slot in the atom's own table entry holds the pid or port, so looking up a name takes two loads.
//! Any thread may look up names; registering takes a lock.
//!
//! A process has at most one name, and gets one only while its EXITING bit is not set. The registrar sets REGISTERED in
//! the state word, and enters the name only if EXITING was not set; an exit sets EXITING, and then removes the name if
//! REGISTERED was set. Both use one atomic operation on the same word, so one of the two sees the other.

use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;
use std::time::Duration;

use layout::Term;
use parking_lot::Mutex;
use term::atom;

use crate::process::epoch::with_pin;
use crate::process::sync::between_steps;
use crate::process::{Process, state, table};

/// The registered names by pid or port. Every change to the registry holds this lock.
static NAMES: LazyLock<Mutex<HashMap<Term, Term>>> = LazyLock::new(Mutex::default);

/// The pid or port registered under a name.
#[inline]
#[must_use]
pub fn whereis(name: Term) -> Option<Term> {
    let bits = atom::registration(name.as_atom()?).load(Ordering::Acquire);
    if bits == 0 {
        None
    } else {
        // SAFETY: only pids and ports are stored, which are immediates.
        Some(unsafe { Term::from_bits(bits) })
    }
}

/// The process registered under a name; `None` for a port, or if `name` is not an atom.
#[must_use]
pub fn whereis_process(name: Term) -> Option<Term> {
    whereis(name).filter(|identifier| identifier.is_local_pid())
}

/// The name of a process or port.
#[must_use]
pub fn name_of(identifier: Term) -> Option<Term> {
    NAMES.lock().get(&identifier).copied()
}

/// The name that a process is registered under.
#[must_use]
pub fn name_of_process(process: &Process) -> Option<Term> {
    if process.state.load(Ordering::Relaxed) & state::REGISTERED == 0 {
        return None;
    }
    name_of(process.pid())
}

/// Why a name could not be registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    NameTaken,
    /// The process or port already has a name.
    HasName,
    /// The process does not exist.
    NotAlive,
}

/// Registers a name for a local process or port. The caller must ensure that a port is open.
///
/// # Errors
/// See [`Refusal`].
///
/// # Panics
/// If `name` is not an atom.
pub fn give(name: Term, identifier: Term) -> Result<(), Refusal> {
    with_pin(|pinned| {
        let mut names = NAMES.lock();
        let slot = atom::registration(name.as_atom().expect("an atom"));
        let process = table::find(pinned, identifier);
        if process.is_none() && identifier.is_local_pid() {
            return Err(Refusal::NotAlive);
        }
        between_steps();
        if names.contains_key(&identifier) {
            return Err(Refusal::HasName);
        }
        if slot.load(Ordering::Relaxed) != 0 {
            return Err(Refusal::NameTaken);
        }
        if process.is_some_and(|process| !process.set_registered()) {
            return Err(Refusal::NotAlive);
        }
        between_steps();
        slot.store(identifier.bits(), Ordering::Release);
        between_steps();
        names.insert(identifier, name);
        Ok(())
    })
}

/// Registers a name; returns false if that is not possible.
///
/// # Panics
/// If `name` is not an atom.
#[must_use]
pub fn register(name: Term, identifier: Term) -> bool {
    give(name, identifier).is_ok()
}

/// Unregisters a name; returns the pid or port that had it.
#[must_use]
pub fn unregister(name: Term) -> Option<Term> {
    let mut names = NAMES.lock();
    let identifier = whereis(name)?;
    take(&mut names, name, identifier);
    Some(identifier)
}

/// Unregisters a name if it belongs to `identifier`; returns whether it did.
pub fn forget(name: Term, identifier: Term) -> bool {
    let mut names = NAMES.lock();
    if whereis(name) != Some(identifier) {
        return false;
    }
    take(&mut names, name, identifier);
    true
}

/// Unregisters the name of a process or port that ends.
pub(crate) fn forget_owner(identifier: Term) {
    let mut names = NAMES.lock();
    if let Some(name) = names.get(&identifier).copied() {
        take(&mut names, name, identifier);
    }
}

fn take(names: &mut HashMap<Term, Term>, name: Term, identifier: Term) {
    names.remove(&identifier);
    let slot = atom::registration(name.as_atom().expect("a registered name is an atom"));
    between_steps();
    slot.store(0, Ordering::Release);
    between_steps();
    with_pin(|pinned| {
        if let Some(process) = table::find(pinned, identifier) {
            process.clear_registered();
        }
    });
}

/// All names by pid or port; `None` if the lock was not acquired within `timeout`.
#[must_use]
pub fn all_within(timeout: Duration) -> Option<HashMap<Term, Term>> {
    Some(NAMES.try_lock_for(timeout)?.clone())
}

/// All names in use.
#[must_use]
pub fn names() -> Vec<Term> {
    NAMES.lock().values().copied().collect()
}
