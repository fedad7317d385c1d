//! Libraries: `erlang:load_nif/2`.
//!
//! A library belongs to one version of a module, and is dropped when that version is purged and no object of its
//! resource types is left: then `unload` is called and the shared object closed.

use std::any::Any;
use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use layout::{Export, Term};
use parking_lot::Mutex;
use runtime::code::Loaded;
use runtime::code::bif::{BifResult, badarg, system_limit};
use runtime::code::native::{self, Caller};
use runtime::process::Process;
use sys::library::SharedObject;
use term::unicode::filename::{self, Allowed};
use term::{am, atom, build, copy, print};

use crate::abi::{Entry, Function, MAJOR, NamedFunction, OldNamedFunction, Unload, VARIANT};
use crate::call::{Stub, Target, dirty_kind};
use crate::check;
use crate::ending::{self, Ending};
use crate::env::Env;
use crate::resource::{self, Opened};

/// A loaded library.
pub(crate) struct Library {
    pub module: Term,
    unload: Option<Unload>,
    /// What the library keeps for itself. It is given the address of this word in `load` and `upgrade`.
    data: UnsafeCell<*mut c_void>,
    /// Whether `load` or `upgrade` has succeeded: then `unload` is called in the end.
    is_loaded: AtomicBool,
    stubs: OnceLock<Vec<&'static Stub>>,
    /// The stubs of functions that `enif_schedule_nif` was called with.
    continuations: Mutex<HashMap<(Term, u32, usize, c_uint), &'static Stub>>,
    /// The resource types that are being opened, in `load` or `upgrade`.
    pub opened: Mutex<Vec<Opened>>,
    /// How it takes part in the end of the node.
    pub ending: Ending,
    /// Dropped last, because what the others call is in it.
    #[expect(dead_code, reason = "it is closed when it is dropped")]
    object: SharedObject,
}

// SAFETY: `data` is only accessed as `data` and `data_address` say; the rest is behind locks or does not change.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// The modules and drivers whose libraries have run, the first one first.
static TAINTS: Mutex<Vec<Term>> = Mutex::new(Vec::new());

/// Notes that code of a native library runs from now on, for `system_info(taints)`.
pub(crate) fn taint(name: Term) {
    let mut taints = TAINTS.lock();
    if !taints.contains(&name) {
        taints.push(name);
    }
}

/// The modules and drivers whose libraries have run, the first one first.
pub fn taints() -> Vec<Term> {
    TAINTS.lock().clone()
}

/// The error that `load_nif` returns: its name and text.
struct Refusal(&'static str, Vec<u8>);

impl Refusal {
    /// The user wants no native libraries.
    fn by_flag(name: &[u8]) -> Refusal {
        let text = [
            b"Failed to load NIF library: '",
            name,
            b".so: native libraries are refused by +native_libs false'",
        ];
        Refusal("load_failed", text.concat())
    }

    fn bad(text: impl Into<Vec<u8>>) -> Refusal {
        Refusal("bad_lib", text.into())
    }
}

/// `erlang:load_nif(Path, LoadInfo)`, called by this code; `None` if it was applied. Whoever calls this has the
/// permission to change code.
///
/// # Errors
/// `badarg` if the path is not one. Anything else that is wrong is the result.
pub fn load_nif(
    process: &mut Process,
    code: Option<Arc<Loaded>>,
    [path, info]: [Term; 2],
) -> BifResult {
    check::follow_flag();
    if !runtime::process::config::get().flags.native_libraries {
        let name = native_name(path).unwrap_or_default();
        return Ok(refused(process, &Refusal::by_flag(&name)));
    }
    let Some(code) = code else {
        let text = "load_nif/2 must be explicitly called from the NIF module. It cannot be called through apply/3.";
        return Ok(refused(process, &Refusal::bad(text)));
    };
    let name = native_name(path).ok_or(badarg(1))?;
    match load(process, &Caller::of(code), &name, info) {
        Ok(()) => Ok(am::OK),
        Err(Stopped::Refused(refusal)) => Ok(refused(process, &refusal)),
        Err(Stopped::NoRoom) => Err(system_limit()),
    }
}

/// A path as the system has it.
fn native_name(path: Term) -> Option<Vec<u8>> {
    let allowed = Allowed {
        empty: true,
        ..Allowed::default()
    };
    filename::to_native(path, filename::native_encoding(), allowed)
}

fn refused(process: &mut Process, Refusal(name, text): &Refusal) -> Term {
    let heap = process.heap();
    let text = build::byte_list(heap, text);
    let reason = build::tuple(heap, &[atom::known(name), text]);
    build::tuple(heap, &[am::ERROR, reason])
}

/// Why a library was not loaded.
enum Stopped {
    Refused(Refusal),
    /// There is no memory for code.
    NoRoom,
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Stopped {
        Stopped::Refused(refusal)
    }
}

fn load(process: &mut Process, caller: &Caller, name: &[u8], info: Term) -> Result<(), Stopped> {
    let module = caller.code.name;
    if caller.is_old {
        let mut text = b"Calling load_nif from old module '".to_vec();
        text.extend(print::display_bytes(module));
        text.extend(b"' not allowed");
        return Err(Refusal("old_code", text).into());
    }
    if caller.code.library.get().is_some() {
        let text = "NIF library already loaded (reload disallowed since OTP 20).";
        return Err(Refusal("reload", text.into()).into());
    }
    let object = open(name)?;
    let entry = entry_of(&object, module)?;
    check_version(entry, module)?;
    let library = Arc::new(Library {
        module,
        unload: entry.unload,
        data: UnsafeCell::new(ptr::null_mut()),
        is_loaded: AtomicBool::new(false),
        stubs: OnceLock::new(),
        continuations: Mutex::default(),
        opened: Mutex::default(),
        ending: Ending::default(),
        object,
    });
    let targets = targets_of(entry, caller)?;
    let stubs = targets.iter().map(|target| Stub::of(target, &*library));
    let stubs = library.stubs.get_or_init(|| stubs.collect());
    let before = caller
        .before
        .as_ref()
        .and_then(|before| before.library.get());
    let before = before.and_then(|before| before.as_any().downcast::<Library>().ok());
    if before.is_none() {
        call_load(process, &library, entry, info)?;
    }
    let exports: Vec<&'static Export> = stubs.iter().map(|stub| &stub.export).collect();
    let known: Arc<dyn native::Library> = Arc::clone(&library) as _;
    let upgrade = || match &before {
        None => Ok(()),
        Some(before) => call_upgrade(process, &library, entry, before, info).map_err(Stopped::from),
    };
    // SAFETY: the stubs are never freed, and expect the arguments of the functions that they replace.
    let installed =
        unsafe { native::install(&caller.code, known, &exports, upgrade, |_| Stopped::NoRoom) };
    match installed {
        Ok(()) => {
            library.is_loaded.store(true, Ordering::Release);
            ending::note(&library);
            resource::commit(&library);
            Ok(())
        }
        Err(stopped) => Err(stopped),
    }
}

/// Opens the shared object with this name, to which the suffix is added.
fn open(name: &[u8]) -> Result<SharedObject, Refusal> {
    let path = sys::library::path(&[name, b".so"].concat())
        .ok_or_else(|| Refusal("load_failed", b"Failed to load NIF library".to_vec()))?;
    SharedObject::open(&path).map_err(|error| {
        let is_named = error.windows(name.len().max(1)).any(|part| part == name);
        let mut text = b"Failed to load NIF library".to_vec();
        if !is_named && !name.is_empty() {
            text.push(b' ');
            text.extend(name);
        }
        text.extend(b": '");
        text.extend(error);
        text.push(b'\'');
        Refusal("load_failed", text)
    })
}

/// Asks the object for its entry, which it has in static memory. Stock tries the same two names.
fn entry_of(object: &SharedObject, module: Term) -> Result<&'static Entry, Refusal> {
    let init = object
        .symbol(c"nif_init")
        .or_else(|_| object.symbol(c"_nif_init"));
    let init = init.map_err(|error| {
        let mut text = b"Failed to find library init function: '".to_vec();
        text.extend(error);
        text.push(b'\'');
        Refusal::bad(text)
    })?;
    taint(module);
    // SAFETY: `erl_nif.h` declares the function so, and its result lives as long as the object.
    let entry = unsafe {
        let init: unsafe extern "C" fn() -> *const Entry = std::mem::transmute(init);
        init().as_ref()
    };
    entry.ok_or_else(|| Refusal::bad("Library init-call unsuccessful"))
}

/// Whether the library was compiled for this version of the interface or a later one.
fn is_at_least(entry: &Entry, minor: c_int) -> bool {
    (entry.major, entry.minor) >= (MAJOR, minor)
}

fn check_version(entry: &Entry, module: Term) -> Result<(), Refusal> {
    let module_text = || String::from_utf8_lossy(&print::display_bytes(module)).into_owned();
    let minor = c_int::from(runtime::process::config::get().release.nif_minor());
    if (entry.major, entry.minor) > (MAJOR, minor) {
        let least = match is_at_least(entry, 14) {
            true => text_at(entry.least_erts),
            false => "erts-?".into(),
        };
        return Err(Refusal::bad(format!(
            "That '{}' NIF library needs {least} or newer. Either try to recompile the NIF lib or use a newer erts \
             runtime.",
            module_text(),
        )));
    }
    // 2.5 was an experiment with maps.
    if entry.major < MAJOR || (entry.major, entry.minor) == (2, 5) {
        return Err(Refusal::bad(format!(
            "That old NIF library ({}.{}) is not compatible with this erts runtime ({MAJOR}.{minor}). Try recompile \
             the NIF lib.",
            entry.major, entry.minor,
        )));
    }
    if is_at_least(entry, 1) {
        let variant = text_at(entry.variant);
        if variant.as_bytes() != VARIANT {
            return Err(Refusal::bad(format!(
                "Library ({variant}) not compiled for this vm variant ({}).",
                String::from_utf8_lossy(VARIANT),
            )));
        }
    }
    let name = bytes_at(entry.name);
    if atom_of(name) != Some(module) {
        return Err(Refusal::bad(
            [
                b"Library module name '",
                name,
                b"' does not match calling module '",
                &print::display_bytes(module)[..],
                b"'",
            ]
            .concat(),
        ));
    }
    Ok(())
}

/// The bytes of a text of the library.
fn bytes_at(text: *const std::ffi::c_char) -> &'static [u8] {
    match text.is_null() {
        true => b"",
        // SAFETY: the library's entry points to texts in static memory.
        false => unsafe { CStr::from_ptr(text) }.to_bytes(),
    }
}

fn text_at(text: *const std::ffi::c_char) -> String {
    bytes_at(text)
        .iter()
        .map(|&byte| char::from(byte))
        .collect()
}

/// The atom with this text in Latin-1, if it exists.
fn atom_of(text: &[u8]) -> Option<Term> {
    let text: String = text.iter().map(|&byte| char::from(byte)).collect();
    atom::lookup(&text)
}

/// The functions of a library, each checked against the module.
fn targets_of(entry: &Entry, caller: &Caller) -> Result<Vec<Target>, Refusal> {
    let code = &caller.code;
    let mut targets: Vec<Target> = Vec::new();
    for index in 0..usize::try_from(entry.function_count).unwrap_or(0) {
        let (name, arity, function, flags) = named_function(entry, index);
        let called = || {
            let module = print::display_bytes(code.name);
            let mut text = module;
            text.push(b':');
            text.extend(name);
            text.extend(format!("/{arity}").as_bytes());
            text
        };
        let refuse = |what: &str| Refusal::bad([what.as_bytes(), &called()].concat());
        let name = atom_of(name).filter(|name| code.code.has(*name, arity));
        let name = name.ok_or_else(|| refuse("Function not found "))?;
        if !code.nifs.is_empty() && !code.nifs.contains(&(name, arity)) {
            return Err(refuse("Function not declared as nif "));
        }
        if dirty_kind(flags).is_err() {
            let what = format!("Illegal flags field value {} for NIF ", flags as c_int);
            return Err(refuse(&what));
        }
        if targets
            .iter()
            .any(|target| (target.name, target.arity) == (name, arity))
        {
            return Err(refuse("Duplicate NIF entry for "));
        }
        targets.push(Target {
            module: code.name,
            name,
            arity,
            function: function.ok_or_else(|| refuse("Function not found "))?,
            flags,
            is_continuation: false,
        });
    }
    Ok(targets)
}

/// Name, arity, function and flags at a place of a library's table.
fn named_function(entry: &Entry, index: usize) -> (&'static [u8], u32, Option<Function>, c_uint) {
    // SAFETY: `index` is below the table's length, which the library gave; before 2.7 its rows had no flags.
    unsafe {
        if is_at_least(entry, 7) {
            let row: &NamedFunction = &*entry.functions.add(index);
            (bytes_at(row.name), row.arity, row.function, row.flags)
        } else {
            let row = &*entry.functions.cast::<OldNamedFunction>().add(index);
            (bytes_at(row.name), row.arity, row.function, 0)
        }
    }
}

fn call_load(
    process: &mut Process,
    library: &Arc<Library>,
    entry: &Entry,
    info: Term,
) -> Result<(), Refusal> {
    let Some(load) = entry.load else {
        return Ok(());
    };
    let mut env = Env::of_call(process, library);
    // SAFETY: the library's function, called as `erl_nif.h` says; nobody else uses the library yet.
    let veto = unsafe { load(&mut env, library.data.get(), info) };
    if veto == 0 {
        return Ok(());
    }
    let text = format!("Library load-call unsuccessful ({veto}).");
    Err(Refusal("load", text.into_bytes()))
}

/// Calls `upgrade` while no other scheduler runs a process.
fn call_upgrade(
    process: &mut Process,
    library: &Arc<Library>,
    entry: &Entry,
    before: &Library,
    info: Term,
) -> Result<(), Refusal> {
    let Some(upgrade) = entry.upgrade else {
        let text = b"Upgrade not supported by this NIF library.".to_vec();
        return Err(Refusal("upgrade", text));
    };
    let mut env = Env::of_call(process, library);
    // SAFETY: as in `call_load`. The other library's word is its own data, which nobody uses while the world is
    // stopped but dirty functions, as on stock.
    unsafe {
        let data = *before.data.get();
        let veto = upgrade(&mut env, library.data.get(), before.data.get(), info);
        if veto == 0 {
            return Ok(());
        }
        *before.data.get() = data;
        let text = format!("Library upgrade-call unsuccessful ({veto}).");
        Err(Refusal("upgrade", text.into_bytes()))
    }
}

impl Library {
    /// Whether `load` or `upgrade` is being called.
    pub(crate) fn is_loading(&self) -> bool {
        !self.is_loaded.load(Ordering::Acquire)
    }

    /// What the library keeps for itself.
    pub(crate) fn data(&self) -> *mut c_void {
        // SAFETY: written in `load` and `upgrade` only, before others can call the library, or while they stand still.
        unsafe { *self.data.get() }
    }

    /// The stub of a function that continues a call.
    pub(crate) fn continuation(&self, target: &Target) -> &'static Stub {
        let key = (
            target.name,
            target.arity,
            target.function as usize,
            target.flags,
        );
        let mut continuations = self.continuations.lock();
        continuations
            .entry(key)
            .or_insert_with(|| Stub::of(target, self))
    }

    /// The stub of a function.
    fn stub(&self, name: Term, arity: u32) -> Option<&'static Stub> {
        let mut stubs = self.stubs.get()?.iter();
        let stub = stubs.find(|stub| (stub.export.function, stub.export.arity) == (name, arity));
        stub.copied()
    }

    fn give_stubs_back(&self) {
        let own = self.stubs.get().into_iter().flatten().copied();
        let continuations: Vec<_> = self.continuations.lock().drain().collect();
        let continuations = continuations.into_iter().map(|(_, stub)| stub);
        own.chain(continuations).for_each(Stub::give_back);
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        self.give_stubs_back();
        if !*self.is_loaded.get_mut() {
            return;
        }
        if let Some(unload) = self.unload {
            let data = self.data();
            let mut env = Env::independent(self);
            // SAFETY: the library's function; nothing of the library is in use any more.
            unsafe { unload(&mut env, data) };
        }
    }
}

impl native::Library for Library {
    fn has_stub(&self, address: *const u64) -> bool {
        let mut own = self.stubs.get().into_iter().flatten();
        own.any(|stub| stub.contains(address))
            || self
                .continuations
                .lock()
                .values()
                .any(|stub| stub.contains(address))
    }

    fn functions(&self) -> Vec<(Term, u32)> {
        let stubs = self.stubs.get().into_iter().flatten();
        stubs
            .map(|stub| (stub.export.function, stub.export.arity))
            .collect()
    }

    fn has(&self, name: Term, arity: u32) -> bool {
        self.stub(name, arity).is_some()
    }

    fn call(&self, caller: Option<Term>, name: Term, arguments: &[Term]) -> Option<Term> {
        let stub = self.stub(name, arguments.len() as u32)?;
        let mut env = Env::independent(self);
        if let Some(pid) = caller {
            env.set_caller(pid);
        }
        // They lie on heaps of others. Checks ask whether a term is of the environment, so there the library gets
        // copies that are.
        let copies: Vec<Term>;
        let arguments = match check::is_on() {
            true => {
                let copied = |&argument: &Term| copy::copy(env.heap(), argument);
                copies = arguments.iter().map(copied).collect();
                copies.as_slice()
            }
            false => arguments,
        };
        // SAFETY: the stub is this library's, and has as many arguments.
        let result = unsafe { stub.call_directly(&mut env, arguments) };
        let result = env.finish(result).ok().filter(|term| term.is_immediate());
        Some(result.unwrap_or(Term::NONE))
    }

    fn purged(self: Arc<Self>) {
        resource::forget(&self);
        ending::purged(self);
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}
