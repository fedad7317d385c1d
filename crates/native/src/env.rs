//! Environments (`ErlNifEnv`): where a library's terms live.
//!
//! The environment of a call builds on the heap of the process that calls, that of a dirty call beside it. Nothing
//! collects until the call is over, so the terms that the library holds stay where they are; afterwards they may move,
//! and the library must not use them. An environment of the library's own (`enif_alloc_env`), and that of a callback,
//! has a heap of its own.
//!
//! An environment is used by one thread at a time.

use std::any::Any;
use std::ffi::c_void;
use std::ptr;

use layout::{Heap, Term};
use runtime::code::bif::{BifResult, Failure};
use runtime::mail::loans;
use runtime::process::{Flags, Process};
use term::gc::verify;
use term::heap::Scratch;
use term::{am, copy};

use crate::call::Stub;
use crate::library::Library;

/// See the module's documentation. C sees a pointer to it only.
pub(crate) struct Env {
    /// Where terms are built: the process's, or that of `own`.
    heap: *mut Heap,
    /// The process that calls; null if none does. In a dirty call it is lent to others: see [`loans`].
    process: *mut Process,
    /// The library that is called; null in an environment of a library's own.
    library: *const Library,
    /// None while the call has nothing but a result. Boxed, as what follows: most calls need none of it, and an
    /// environment is made for each.
    outcome: Option<Box<Outcome>>,
    own: Option<Box<Scratch>>,
    kept: Option<Box<Kept>>,
}

/// What lives as long as an environment, beside its terms.
#[derive(Default)]
struct Kept {
    bytes: Vec<Box<[u8]>>,
    vectors: Vec<KeptVector>,
    /// The process that a callback is called for, if it may know that.
    caller: Option<Term>,
}

/// An I/O vector: what holds its blocks, and its memory, if that is to be freed.
struct KeptVector {
    #[expect(dead_code, reason = "it is held")]
    parts: Vec<Box<dyn Any>>,
    memory: *mut c_void,
}

impl Drop for KeptVector {
    fn drop(&mut self) {
        // SAFETY: allocated by `calloc`, or null.
        unsafe { libc::free(self.memory) };
    }
}

/// What becomes of a call, apart from its result.
enum Outcome {
    /// It raises an error with this reason.
    Raised(Term),
    /// It continues with another function.
    Scheduled(&'static Stub, Box<[Term]>),
}

impl Env {
    /// The environment of a call by a process.
    #[inline]
    pub(crate) fn of_call(process: &mut Process, library: &Library) -> Env {
        Env {
            heap: process.heap(),
            process,
            library,
            outcome: None,
            own: None,
            kept: None,
        }
    }

    /// The environment of a dirty call. The process is lent while the library runs, so terms are built beside its heap,
    /// which gets them when the call is over ([`Env::join`]).
    pub(crate) fn of_dirty_call(process: *mut Process, library: &Library) -> Env {
        Env {
            process,
            ..Env::independent(library)
        }
    }

    /// Gives the process what was built in a dirty call, at its end.
    pub(crate) fn join(&mut self, process: &mut Process) {
        if let Some(own) = self.own.take() {
            self.heap = process.heap();
            own.join(process.heap());
        }
    }

    /// An environment with a heap of its own.
    pub(crate) fn independent(library: *const Library) -> Env {
        let mut own = Box::new(Scratch::new());
        Env {
            heap: own.heap(),
            process: ptr::null_mut(),
            library,
            outcome: None,
            own: Some(own),
            kept: None,
        }
    }

    /// The heap to build in.
    pub(crate) fn heap(&mut self) -> &mut Heap {
        // SAFETY: the process that calls has lent its heap to this environment, or it is that of `own`, which does not
        // move in its box.
        unsafe { &mut *self.heap }
    }

    /// Copies a term of any environment into this one. A heap of its own may live for ever, and belongs to no process
    /// that is asked to copy its literals, so it gets copies of them at once.
    pub(crate) fn copy(&mut self, term: Term) -> Term {
        match self.own {
            None => copy::copy(self.heap(), term),
            Some(_) => copy::copy_with_literals(self.heap(), term),
        }
    }

    /// Does something with the process that calls, if one does and has not ended.
    pub(crate) fn with_process<R>(&mut self, action: impl FnOnce(&mut Process) -> R) -> Option<R> {
        let process = self.process;
        if process.is_null() || !self.is_caller_alive() {
            return None;
        }
        if self.own.is_none() {
            // SAFETY: the process is blocked in the call that this environment belongs to.
            return Some(action(unsafe { &mut *process }));
        }
        // SAFETY: this thread has lent the process for the call, and the library waits meanwhile.
        unsafe {
            let has_ended = loans::take_back(process);
            let result = (!has_ended).then(|| action(&mut *process));
            loans::lend(process);
            result
        }
    }

    /// Whether a process calls.
    pub(crate) fn is_of_process(&self) -> bool {
        !self.process.is_null()
    }

    /// Whether the process that calls, if one does, is alive: it may end while a dirty call is made for it, and
    /// otherwise by what the call does.
    pub(crate) fn is_caller_alive(&self) -> bool {
        if self.process.is_null() {
            return true;
        }
        // SAFETY: the process's block is there until the call is over; where it is not lent, it is blocked in the call.
        unsafe {
            match self.own {
                Some(_) => !loans::has_departed(self.process),
                None => !(*self.process).flags.contains(Flags::EXIT_PENDING),
            }
        }
    }

    /// The pid of the process that calls, or that a callback is called for.
    pub(crate) fn caller(&self) -> Option<Term> {
        if self.process.is_null() {
            return self.kept.as_ref()?.caller;
        }
        // SAFETY: the process's block is there until the call is over; its pid never changes.
        Some(unsafe { (*self.process).pid() })
    }

    /// What keeps a term from being one of this environment: its heap's or, in a dirty call, the process's.
    pub(crate) fn objection(&self, term: Term) -> Option<&'static str> {
        // SAFETY: as in `heap`.
        let objection = verify::objection(unsafe { &*self.heap }, term)?;
        if self.own.is_none() || self.process.is_null() {
            return Some(objection);
        }
        // SAFETY: the heap of a process that is lent stays as it is.
        verify::objection(unsafe { &(*self.process).head.heap }, term)
    }

    /// Says for which process a callback is called.
    pub(crate) fn set_caller(&mut self, pid: Term) {
        self.kept.get_or_insert_default().caller = Some(pid);
    }

    /// The library that is called.
    pub(crate) fn library(&self) -> Option<&Library> {
        // SAFETY: a library outlives the calls of its functions.
        unsafe { self.library.as_ref() }
    }

    /// Makes the call raise an error, whatever it returns.
    pub(crate) fn raise(&mut self, reason: Term) -> Term {
        self.outcome = Some(Box::new(Outcome::Raised(reason)));
        Term::NONE
    }

    /// The reason of the error that the call raises.
    pub(crate) fn raised(&self) -> Option<Term> {
        match self.outcome.as_deref() {
            Some(Outcome::Raised(reason)) => Some(*reason),
            _ => None,
        }
    }

    /// Makes the call continue with another function, if it raises no error.
    pub(crate) fn schedule(&mut self, stub: &'static Stub, arguments: Box<[Term]>) -> Term {
        self.outcome = Some(Box::new(Outcome::Scheduled(stub, arguments)));
        Term::NONE
    }

    /// Keeps bytes as long as the environment; returns where they are.
    pub(crate) fn keep(&mut self, bytes: Box<[u8]>) -> *mut u8 {
        let kept = &mut self.kept.get_or_insert_default().bytes;
        kept.push(bytes);
        kept.last_mut()
            .map_or(ptr::null_mut(), |kept| kept.as_mut_ptr())
    }

    /// Keeps an I/O vector as long as the environment.
    pub(crate) fn keep_vector(
        &mut self,
        parts: impl Iterator<Item = Box<dyn Any>>,
        memory: *mut c_void,
    ) {
        let parts = parts.collect();
        let kept = self.kept.get_or_insert_default();
        kept.vectors.push(KeptVector { parts, memory });
    }

    /// Whether it is one of a library's own, or a callback's: it has a heap of its own, and no process calls.
    pub(crate) fn is_independent(&self) -> bool {
        self.own.is_some() && self.process.is_null()
    }

    /// Removes all terms of an environment with a heap of its own.
    pub(crate) fn clear(&mut self) {
        let library = self.library;
        if self.is_independent() {
            *self = Env::independent(library);
        }
    }

    /// Whether nothing was kept in it, so that nothing has to be done when it ends.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.outcome.is_none() && self.own.is_none() && self.kept.is_none()
    }

    /// The result of a call in which the function returned `result`.
    #[inline]
    pub(crate) fn finish(&mut self, result: Term) -> BifResult {
        match self.outcome.take() {
            None if result.is_none() => Err(Failure::Error(am::BADARG)),
            None => Ok(result),
            Some(outcome) => Err(outcome.failure()),
        }
    }
}

impl Outcome {
    #[cold]
    fn failure(self) -> Failure {
        match self {
            Outcome::Raised(reason) => Failure::Error(reason),
            Outcome::Scheduled(stub, arguments) => Failure::Trap {
                target: &stub.export,
                arguments,
            },
        }
    }
}
