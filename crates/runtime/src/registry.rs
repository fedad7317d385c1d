//! Registered names: a slot in the atom's own table entry holds the pid or port, so sending to a
//! name is two loads. Any thread may look up; registering takes a lock.
//!
//! A process has at most one name. It is registered only while its EXITING bit is not set: the
//! registrar sets REGISTERED after entering the name and takes the name back if the exit had begun;
//! the exit sets EXITING first and then gives the name back if REGISTERED was set. One of the two
//! sees the other.

use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;
use std::time::Duration;

use layout::Term;
use parking_lot::Mutex;
use term::atom;

use crate::process::{state, table};

/// Names in use by who has them; also the lock of every change.
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

/// The process registered under a name; None for a port, or for no atom.
#[must_use]
pub fn whereis_process(name: Term) -> Option<Term> {
    whereis(name).filter(|identifier| identifier.is_local_pid())
}

/// The name of a process or port.
#[must_use]
pub fn name_of(identifier: Term) -> Option<Term> {
    NAMES.lock().get(&identifier).copied()
}

/// Why a name was not given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    NameTaken,
    /// The process or port has a name already.
    HasName,
    /// There is no such process.
    NotAlive,
}

/// Gives a name to a local process or port. That a port lives is the caller's to know.
///
/// # Errors
/// See [`Refusal`].
///
/// # Panics
/// When `name` is no atom.
pub fn give(name: Term, identifier: Term) -> Result<(), Refusal> {
    let mut names = NAMES.lock();
    let slot = atom::registration(name.as_atom().expect("an atom"));
    let process_state = if identifier.is_local_pid() {
        let process = table::find(identifier);
        if process.is_null() {
            return Err(Refusal::NotAlive);
        }
        // SAFETY: just found; `state` is shared.
        Some(unsafe { &(*process).state })
    } else {
        None
    };
    if names.contains_key(&identifier) {
        return Err(Refusal::HasName);
    }
    if slot.load(Ordering::Relaxed) != 0 {
        return Err(Refusal::NameTaken);
    }
    if let Some(word) = process_state
        && word.fetch_or(state::REGISTERED, Ordering::SeqCst) & state::EXITING != 0
    {
        return Err(Refusal::NotAlive);
    }
    slot.store(identifier.bits(), Ordering::Release);
    names.insert(identifier, name);
    Ok(())
}

/// Registers a name; false when it cannot be.
///
/// # Panics
/// When `name` is no atom.
#[must_use]
pub fn register(name: Term, identifier: Term) -> bool {
    give(name, identifier).is_ok()
}

/// Frees a name, answering who had it.
#[must_use]
pub fn unregister(name: Term) -> Option<Term> {
    let mut names = NAMES.lock();
    let identifier = whereis(name)?;
    take(&mut names, name, identifier);
    Some(identifier)
}

/// Frees a name if it stands for `identifier`; answers whether it did.
pub fn forget(name: Term, identifier: Term) -> bool {
    let mut names = NAMES.lock();
    if whereis(name) != Some(identifier) {
        return false;
    }
    take(&mut names, name, identifier);
    true
}

/// Frees the name of a process or port that ends.
pub fn forget_owner(identifier: Term) {
    let mut names = NAMES.lock();
    if let Some(name) = names.get(&identifier).copied() {
        take(&mut names, name, identifier);
    }
}

fn take(names: &mut HashMap<Term, Term>, name: Term, identifier: Term) {
    names.remove(&identifier);
    let slot = atom::registration(name.as_atom().expect("a registered name is an atom"));
    slot.store(0, Ordering::Release);
    let process = table::find(identifier);
    if !process.is_null() {
        // SAFETY: just found; `state` is shared.
        unsafe {
            (*process)
                .state
                .fetch_and(!state::REGISTERED, Ordering::SeqCst)
        };
    }
}

/// All names, by who has them; `None` when the table cannot be had so soon.
#[must_use]
pub fn all_within(patience: Duration) -> Option<HashMap<Term, Term>> {
    Some(NAMES.try_lock_for(patience)?.clone())
}

/// All names in use.
#[must_use]
pub fn names() -> Vec<Term> {
    NAMES.lock().values().copied().collect()
}
