//! Purging old code: once no process runs it, its functions, funs and literals are removed.
//!
//! `erts_code_purger` drives this in steps: *prepare*, a check of every process ([`uses_old_code`]), *complete* (or
//! *abort*). The memory of purged code is freed later, by the [`literal_collector`].
//!
//! A process that was checked must not enter the code again. Its exports lead to newer code since that was loaded, and
//! *prepare* takes the code out of the entries of its funs. A call of such a fun then reaches [`park`], which suspends
//! the caller until the purge is over; then it calls the fun again, whatever became of it. A call that found the code
//! just before is no gap: the process checks itself between two slices, when it is either within the code or will read
//! the entry anew.
//!
//! From OTP 26 on nobody loads or deletes code while funs of a purge wait: [`park_change`].

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use layout::heap::is_return_address;
use layout::{FunEntry, Term};
use parking_lot::Mutex;
use term::release::{self, Release};

use super::modules::{self, Address, Loaded, Versions};
use super::{exports, funs, literal_collector};
use crate::mail::observer::observer;
use crate::mail::{current, loans, world};
use crate::process::Process;
use crate::process::sync::between_steps;

/// Which version of a module is purged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Which {
    Old,
    /// The one whose `on_load` function failed.
    Pending,
}

impl Which {
    fn of(self, versions: &mut Versions) -> &mut Option<Arc<Loaded>> {
        match self {
            Which::Old => &mut versions.old,
            Which::Pending => &mut versions.pending,
        }
    }
}

/// A purge that was prepared and is not over.
struct Purge {
    which: Which,
    code: Arc<Loaded>,
    /// The code of the funs that cannot be called meanwhile, by the address of their entry.
    withheld: HashMap<*const FunEntry, Address>,
    /// Processes that are suspended because they called such a fun, or wanted to change code.
    parked: Vec<Term>,
}

impl Purge {
    /// Suspends the running process until the purge is over. It stops at its next call.
    fn suspend(&mut self, process: &mut Process) {
        self.parked.push(process.pid());
        process.suspend_count = process.suspend_count.saturating_add(1);
        current::end_slice_soon();
    }
}

// SAFETY: entries that have had code live for ever, and what is written to them is atomic.
unsafe impl Send for Purge {}

/// The purge in progress; there is one at a time, since one process purges.
static PURGE: Mutex<Option<Purge>> = Mutex::new(None);

/// The pid of `erts_code_purger`, as bits; 0 before that process exists.
static PURGER: AtomicU64 = AtomicU64::new(0);

/// Sets the process that purges; called once, at the start.
pub fn set_purger(pid: Term) {
    PURGER.store(pid.bits(), Ordering::Release);
}

/// Whether this is the process that purges. No other may: a purge without the check of all processes would free code
/// that they run.
#[must_use]
pub fn is_purger(process: &Process) -> bool {
    process.pid().bits() == PURGER.load(Ordering::Acquire)
}

/// There is another purge in progress, or none of this module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotInOrder;

/// Begins a purge; returns false if there is no old code.
///
/// # Errors
/// [`NotInOrder`] if a purge is in progress.
pub fn prepare(module: Term) -> Result<bool, NotInOrder> {
    begin(module, Which::Old)
}

/// Begins to purge the version whose `on_load` function failed; returns false if there is none.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_on_load(module: Term) -> Result<bool, NotInOrder> {
    begin(module, Which::Pending)
}

fn begin(module: Term, which: Which) -> Result<bool, NotInOrder> {
    let mut purge = PURGE.lock();
    if purge.is_some() {
        return Err(NotInOrder);
    }
    between_steps();
    let mut versions = modules::versions(module);
    let Some(code) = which.of(&mut versions).take() else {
        return Ok(false);
    };
    between_steps();
    code.code.set_leaving(true);
    let withheld = funs::withhold(|address| code.code.contains(address));
    between_steps();
    *purge = Some(Purge {
        which,
        code,
        withheld,
        parked: Vec::new(),
    });
    Ok(true)
}

/// Aborts a purge: its funs can be called again.
///
/// # Errors
/// [`NotInOrder`] if no purge of that module is in progress.
pub fn abort(module: Term) -> Result<(), NotInOrder> {
    let mut purge = PURGE.lock();
    let aborted = take(&mut purge, module)?;
    funs::restore(&aborted.withheld);
    aborted.code.code.set_leaving(false);
    // From here on, a caller that found an entry without code finds no purge, and reads the entry again.
    drop(purge);
    resume(&aborted.parked);
    Ok(())
}

/// Completes a purge: removes the purged version of the module. Returns false if it is gone already.
///
/// # Errors
/// As [`abort`].
pub fn complete(module: Term) -> Result<bool, NotInOrder> {
    let purged = take(&mut PURGE.lock(), module)?;
    between_steps();
    let gone = forget(&purged);
    between_steps();
    resume(&purged.parked);
    let any = gone.is_some();
    // No process calls its functions any more, but a dirty call of one that has ended may last. Resources may keep the
    // library.
    if let Some(library) = purged.code.library.take() {
        loans::after_departed(move || library.purged());
    }
    if let Some(gone) = gone {
        literal_collector::free_module(gone);
    }
    Ok(any)
}

fn take(purge: &mut Option<Purge>, module: Term) -> Result<Purge, NotInOrder> {
    purge
        .take_if(|purge| purge.code.name == module)
        .ok_or(NotInOrder)
}

fn resume(parked: &[Term]) {
    for &pid in parked {
        crate::mail::suspend::unpark(pid);
    }
}

/// Suspends the running process if the code of the fun that it calls is being purged; otherwise returns false, and the
/// entry has to be read again. The process stops at its next call.
pub fn park(process: &mut Process, entry: &FunEntry) -> bool {
    between_steps();
    let mut purge = PURGE.lock();
    let Some(purge) = &mut *purge else {
        return false;
    };
    // The same version may have been loaded again meanwhile.
    let is_callable = !entry.code.load(Ordering::Acquire).is_null();
    if is_callable || !purge.withheld.contains_key(&std::ptr::from_ref(entry)) {
        return false;
    }
    purge.suspend(process);
    true
}

/// Suspends the running process, which wants to load or delete code, until the purge in progress is over; returns false
/// if it may go on. The caller has the permission to change code, so that no purge begins or ends meanwhile, and gives
/// it back if the process is suspended.
pub fn park_change(process: &mut Process) -> bool {
    if !release::has(Release::OTP_26) {
        return false;
    }
    let mut purge = PURGE.lock();
    let Some(purge) = purge.as_mut().filter(|purge| !purge.withheld.is_empty()) else {
        return false;
    };
    purge.suspend(process);
    true
}

/// Removes a version of a module, which no process runs any more. Dropping the returned value frees its memory; the
/// caller must keep it until no heap refers to its literals.
fn forget(purge: &Purge) -> Option<Arc<Loaded>> {
    world::stopped(|| {
        modules::change(|table| {
            let version = purge.which.of(table.versions(purge.code.name));
            let gone = version.take_if(|version| Arc::ptr_eq(version, &purge.code))?;
            table.remove_range(&gone);
            exports::unload(|address| gone.code.contains(address));
            if let Some(code) = gone.code.made()
                && !code.breakpoints().is_empty()
            {
                observer().forget_points(code);
            }
            Some(gone)
        })
    })
}

/// Whether a process may return into, or will continue in, the old code of a module. While a version whose `on_load`
/// function failed is being purged, checks that version instead: processes that run it are killed, and processes that
/// run old code are not.
#[must_use]
pub fn uses_old_code(process: &Process, module: Term) -> bool {
    let purged = PURGE
        .lock()
        .as_ref()
        .filter(|purge| purge.code.name == module)
        .map(|purge| Arc::clone(&purge.code));
    purged
        .or_else(|| modules::versions(module).old)
        .is_some_and(|code| uses(process, &code))
}

fn uses(process: &Process, old: &Loaded) -> bool {
    let ip = process.head.ip;
    if old.code.contains(ip)
        || old
            .library
            .get()
            .is_some_and(|library| library.has_stub(ip))
    {
        return true;
    }
    let heap = &process.head.heap;
    let mut at = heap.stack;
    while at < heap.end {
        // SAFETY: the words between stack and end are return addresses and terms.
        let word = unsafe { *at };
        at = at.wrapping_add(1);
        let address = if is_return_address(word) {
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
