//! Calling the functions of libraries.
//!
//! A process calls a NIF through its [`Stub`], as it calls a BIF. The function runs on the caller's scheduler or, by
//! its flags, on a dirty one.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::{c_int, c_uint};
use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr;
use std::slice;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicUsize, Ordering};

use layout::limits::X_REGISTERS;
use layout::{Class, Context, Export, Term};
use parking_lot::Mutex;
use runtime::code::bif::{BifResult, Failure, finish};
use runtime::code::stubs;
use runtime::exec::scheduler::dirty::{self, Policy};
use runtime::mail::{current, deferred, loans};
use runtime::process::Process;
use runtime::process::dirty::DirtyKind;
use term::{atom, build};

use crate::abi::{DIRTY_CPU, DIRTY_IO, Function};
use crate::check;
use crate::env::Env;
use crate::library::Library;

/// How a process calls a function of a library. Stubs are never freed; one whose library is gone is used again for a
/// function of that name.
#[repr(C)]
pub(crate) struct Stub {
    /// First, because the engine finds the stub by it.
    pub export: Export,
    function: AtomicUsize,
    library: AtomicPtr<Library>,
    /// Flags of `ErlNifFunc`.
    flags: AtomicU32,
    /// The call continues another one, so it must not keep other processes from running. It has one more argument than
    /// the function, at the end: `{Module, Name, Arguments}` of the call that programs have made, which an error names.
    is_continuation: AtomicU8,
}

/// What a stub is made of.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub module: Term,
    pub name: Term,
    pub arity: u32,
    pub function: Function,
    pub flags: c_uint,
    pub is_continuation: bool,
}

type Name = (Term, Term, u32);

thread_local! {
    /// The stub whose function this thread is calling; null if none.
    static CALLED: Cell<*const Stub> = const { Cell::new(ptr::null()) };
}

/// Writes which function of a library this thread is calling; returns false if none. It is called for a fault, in the
/// middle of anything.
pub(crate) fn describe(out: &mut dyn fmt::Write) -> bool {
    let called = CALLED.get();
    if called.is_null() {
        return false;
    }
    // SAFETY: stubs are never freed.
    let stub = unsafe { &*called };
    let Export {
        module,
        function,
        mut arity,
        ..
    } = stub.export;
    if stub.is_continuation.load(Ordering::Relaxed) != 0 {
        arity -= 1;
    }
    let (module, function) = (atom::text(module), atom::text(function));
    let _ = write!(out, "{module}:{function}/{arity} of ");
    let _ = sys::fault::write_object(out, stub.function.load(Ordering::Relaxed));
    true
}

/// Stubs whose libraries are gone.
static UNUSED: LazyLock<Mutex<HashMap<Name, Vec<&'static Stub>>>> = LazyLock::new(Mutex::default);

// SAFETY: an export's words do not change once it is a stub, except `code`, which is atomic.
unsafe impl Sync for Stub {}
// SAFETY: as above.
unsafe impl Send for Stub {}

impl Stub {
    /// A stub that calls a function.
    pub(crate) fn of(target: &Target, library: *const Library) -> &'static Stub {
        let name = (target.module, target.name, target.arity);
        let unused = UNUSED.lock().get_mut(&name).and_then(Vec::pop);
        let stub = unused.unwrap_or_else(|| Stub::new(name));
        stub.function
            .store(target.function as usize, Ordering::Relaxed);
        stub.library.store(library.cast_mut(), Ordering::Relaxed);
        stub.flags.store(target.flags, Ordering::Relaxed);
        stub.is_continuation
            .store(u8::from(target.is_continuation), Ordering::Relaxed);
        stub
    }

    fn new((module, function, arity): Name) -> &'static Stub {
        let stub = Box::leak(Box::new(Stub {
            export: Export {
                code: AtomicPtr::new(ptr::null_mut()),
                module,
                function,
                arity,
                flags: 0,
                bif: Some(call),
                called: AtomicPtr::new(call as *mut ()),
                stub: [0; 8],
            },
            function: AtomicUsize::new(0),
            library: AtomicPtr::new(ptr::null_mut()),
            flags: AtomicU32::new(0),
            is_continuation: AtomicU8::new(0),
        }));
        // SAFETY: leaked just now, and nobody else refers to it.
        unsafe { stubs::make(&raw mut stub.export, stubs::Stub::Bif) };
        stub
    }

    /// Calls the function in an environment, on behalf of no process.
    ///
    /// # Safety
    /// The library that the stub was made for is loaded, and the function has as many arguments.
    pub(crate) unsafe fn call_directly(&self, env: &mut Env, arguments: &[Term]) -> Term {
        let address = self.function.load(Ordering::Relaxed);
        // SAFETY: `Stub::of` stored a function there; the caller's promise. It keeps to the contract of `erl_nif.h`.
        unsafe {
            let function = std::mem::transmute::<usize, Function>(address);
            function(env, arguments.len() as c_int, arguments.as_ptr())
        }
    }

    /// Leaves the stub to later libraries. No process is in it.
    pub(crate) fn give_back(&'static self) {
        let Export {
            module,
            function,
            arity,
            ..
        } = self.export;
        let name = (module, function, arity);
        UNUSED.lock().entry(name).or_default().push(self);
    }

    /// Whether an address is in the stub.
    pub(crate) fn contains(&self, address: *const u64) -> bool {
        self.export.stub.as_ptr_range().contains(&address)
    }
}

/// On which dirty schedulers a function with these flags runs; an error if the flags are invalid.
pub(crate) fn dirty_kind(flags: c_uint) -> Result<Option<DirtyKind>, ()> {
    match flags {
        0 => Ok(None),
        DIRTY_CPU => Ok(Some(DirtyKind::Cpu)),
        DIRTY_IO => Ok(Some(DirtyKind::Io)),
        _ => Err(()),
    }
}

/// The BIF of every stub.
unsafe extern "C" fn call(context: *mut Context, arguments: *const Term) -> Term {
    // SAFETY: the engine's contract for BIFs: the context is this thread's, and its process runs; it is at the stub
    // whose BIF this is, which is the first field of a `Stub`.
    unsafe {
        let process = &mut *(*context).process.cast::<Process>();
        let stub = &*stubs::called(process).cast::<Stub>();
        match dirty_kind(stub.flags.load(Ordering::Relaxed)) {
            Ok(Some(kind)) => {
                let policy = Policy {
                    kind,
                    tried_first: false,
                };
                dirty::call(context, arguments, policy, call, |process| {
                    run::<true>(process, stub, arguments)
                })
            }
            _ => finish(context, run::<false>(process, stub, arguments)),
        }
    }
}

/// Calls a stub's function. For a dirty one this is done on a dirty scheduler, and the process may have ended
/// afterwards.
///
/// # Safety
/// `arguments` are those of the function, and stay where they are.
#[inline(always)]
unsafe fn run<const IS_DIRTY: bool>(
    process: &mut Process,
    stub: &Stub,
    arguments: *const Term,
) -> BifResult {
    let mut arity = stub.export.arity as usize;
    debug_assert!(arity < X_REGISTERS);
    let mut called = None;
    if stub.is_continuation.load(Ordering::Relaxed) != 0 {
        // SAFETY: the caller's promise.
        let arguments = unsafe { slice::from_raw_parts(arguments, arity) };
        if !IS_DIRTY && current::reductions_left() <= 0 {
            return Err(Failure::Yield {
                arguments: arguments.into(),
            });
        }
        called = arguments.last().copied();
        arity -= 1;
    }
    let address = stub.function.load(Ordering::Relaxed);
    // SAFETY: `Stub::of` stored a function there. The library is loaded as long as a process may call its stubs:
    // `code::purge` checks that before it drops the library.
    let (function, library) = unsafe {
        let function = std::mem::transmute::<usize, Function>(address);
        (function, &*stub.library.load(Ordering::Relaxed))
    };
    let pointer = ptr::from_mut(process);
    let env = match IS_DIRTY {
        true => Env::of_dirty_call(pointer, library),
        false => Env::of_call(process, library),
    };
    let mut env = ManuallyDrop::new(env);
    CALLED.set(stub);
    if IS_DIRTY {
        // SAFETY: this thread owns the process, and uses it again when it has it back.
        unsafe { loans::lend(pointer) };
    }
    // SAFETY: the function is the library's, for that arity. It keeps to the contract of `erl_nif.h`; whoever loads a
    // library trusts it with the node.
    let run = |env: &mut Env| unsafe { function(env, arity as c_int, arguments) };
    // Most libraries are not awaited: in their calls nothing is left to be done for that.
    let result = match library.ending.enter() {
        // What comes up in a call that may take long is done elsewhere.
        None if IS_DIRTY => deferred::hold(|| run(&mut env)),
        None => run(&mut env),
        Some(_running) => deferred::hold(|| run(&mut env)),
    };
    if IS_DIRTY {
        // SAFETY: lent above.
        let has_ended = unsafe { loans::take_back(pointer) };
        if has_ended {
            CALLED.set(ptr::null());
            drop(ManuallyDrop::into_inner(env));
            return Err(Failure::Exit);
        }
        env.join(process);
    }
    if check::is_on() {
        check::call_has_ended(process, &mut env, result);
    }
    // A function of a library never calls another one here.
    CALLED.set(ptr::null());
    if env.is_plain() && !result.is_none() {
        // Most calls end here. The environment is not moved, because the stores to it are too fresh to be read in one
        // piece.
        return Ok(result);
    }
    let result = env.finish(result);
    drop(ManuallyDrop::into_inner(env));
    match result {
        Err(failure) if called.is_some() || matches!(failure, Failure::Trap { .. }) => {
            let called = called.unwrap_or_else(|| {
                let Export {
                    module, function, ..
                } = stub.export;
                // SAFETY: the caller's promise.
                let arguments = unsafe { slice::from_raw_parts(arguments, arity) };
                let heap = process.heap();
                let arguments = build::list(heap, arguments);
                build::tuple(heap, &[module, function, arguments])
            });
            Err(of_call(failure, called))
        }
        result => result,
    }
}

/// The failure of a call that continues, or is continued: `called` is what programs have called.
#[cold]
fn of_call(failure: Failure, called: Term) -> Failure {
    match failure {
        Failure::Error(reason) => Failure::Raise {
            class: Class::Error,
            reason,
            arguments: called,
            info: Term::NONE,
        },
        Failure::Trap { target, arguments } => Failure::Trap {
            target,
            arguments: arguments.iter().copied().chain([called]).collect(),
        },
        other => other,
    }
}
