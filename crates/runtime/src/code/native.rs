//! Native libraries of modules: shared objects whose C functions replace functions of one version of a module.
//!
//! The crate `native` loads them and knows what they are; here is what code needs to know: the *stub* of each function,
//! an export that is not in the export table. It has the function's name, for stack traces, and its BIF calls
//! the C function. A function that is replaced continues at its stub ([`engine::Code::replace_functions`]).
//!
//! They are never freed, because stack traces hold their addresses; the crate `native` uses one again for the next
//! library that has a function of that name.

use std::any::Any;
use std::sync::Arc;

use engine::native::NoRoom;
use layout::{Export, Term};
use parking_lot::Mutex;

use super::modules::{self, Loaded};
use super::translation::make;
use crate::mail::observer::observer;
use crate::mail::{observer, world};
use crate::process::Process;

/// A library that was loaded for a version of a module. It is dropped when that version is purged.
pub trait Library: Send + Sync {
    /// Whether an address is in one of the library's stubs.
    fn has_stub(&self, address: *const u64) -> bool;
    /// The functions that it replaces.
    fn functions(&self) -> Vec<(Term, u32)>;
    /// Whether it has a function of this name.
    fn has(&self, name: Term, arity: u32) -> bool;
    /// Calls its function of this name, which sees `caller` as the process that calls it. `None` if it has none. The
    /// result is that of the function if it is an immediate term, and NONE if it is another one or the function has
    /// raised.
    fn call(&self, caller: Option<Term>, name: Term, arguments: &[Term]) -> Option<Term>;
    /// The version of the module that it belongs to was purged: no process can call its functions any more.
    fn purged(self: Arc<Self>);
    /// What it really is.
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// The library of a version of a module, if it has one.
#[derive(Default)]
pub struct Slot(Mutex<Option<Arc<dyn Library>>>);

impl Slot {
    #[must_use]
    pub fn get(&self) -> Option<Arc<dyn Library>> {
        self.0.lock().clone()
    }

    pub(super) fn take(&self) -> Option<Arc<dyn Library>> {
        self.0.lock().take()
    }
}

/// The version of a module that calls a BIF.
pub struct Caller {
    pub code: Arc<Loaded>,
    /// It has been replaced or deleted.
    pub is_old: bool,
    /// The version whose library, if there is one, is upgraded by one of this version.
    pub before: Option<Arc<Loaded>>,
}

/// The module whose code calls the BIF that runs now; `None` if the BIF was applied, or yielded and is called again.
#[must_use]
pub fn calling_code(process: &Process) -> Option<Arc<Loaded>> {
    let traced_call = || {
        let is_told = observer::may_tell_of_calls();
        let site = is_told.then(|| observer().call_site(process)).flatten();
        site.and_then(modules::find_code)
    };
    modules::find_code(process.head.ip).or_else(traced_call)
}

impl Caller {
    /// What this code is among the versions of its module now. Code that was purged counts as old.
    #[must_use]
    pub fn of(code: Arc<Loaded>) -> Caller {
        let versions = modules::versions(code.name);
        let is =
            |version: &Option<Arc<Loaded>>| version.as_ref().is_some_and(|v| Arc::ptr_eq(v, &code));
        let is_pending = is(&versions.pending);
        let is_old = !is_pending && !is(&versions.current);
        let before = match is_pending {
            true => versions.current.or(versions.old),
            false => versions.old,
        };
        Caller {
            code,
            is_old,
            before,
        }
    }
}

/// Gives a version of a module its library, whose stubs replace functions; `while_stopped` is called before that, while
/// no other scheduler runs a process. If it returns an error, nothing changes.
///
/// # Errors
/// That error; or [`NoRoom`], through `no_room`.
///
/// # Safety
/// As for [`engine::Code::replace_functions`]; the stubs were made by [`stubs::make`](super::stubs::make).
pub unsafe fn install<E>(
    loaded: &Arc<Loaded>,
    library: Arc<dyn Library>,
    stubs: &[&'static Export],
    while_stopped: impl FnOnce() -> Result<(), E>,
    no_room: impl FnOnce(NoRoom) -> E,
) -> Result<(), E> {
    let entry_of = |stub: &&'static Export| {
        // SAFETY: stubs are never freed.
        let entry = unsafe { engine::start::stub_entry(*stub) };
        (stub.function, stub.arity, entry)
    };
    let entries: Vec<(Term, u32, *const u64)> = stubs.iter().map(entry_of).collect();
    world::stopped(|| {
        while_stopped()?;
        let replaced = match make(loaded) {
            // SAFETY: no thread runs code while the world is stopped; the caller's promise.
            Ok(code) => unsafe { code.replace_functions(&entries) },
            Err(_) => Err(NoRoom),
        };
        replaced.map_err(no_room)?;
        *loaded.library.0.lock() = Some(library);
        Ok(())
    })
}

/// See `layout::RuntimeTable::native_function`.
pub(crate) fn stub_of(entry: *const u64) -> *const u64 {
    let stub = modules::find_code(entry)
        .and_then(|loaded| loaded.code.made().and_then(|code| code.replacement(entry)));
    stub.expect("only functions with a stub have this handler")
}
