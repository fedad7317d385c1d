//! Tracing of calls of exported functions by their full name, and of BIFs.
//!
//! While an export is traced, its calls lead to another export's stub, which tells of the call and goes on to where the
//! call would have led. A BIF is called by name without its export's code; then it traps to that.
//!
//! What is traced changes while the world is stopped.

use std::mem::offset_of;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use layout::{AbruptKind, Context, Export, Term};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use term::{am, atom};

use super::points::{self, Actions};
use super::saved_calls;
use crate::code::{self, stack, stubs};
use crate::mail::observer;
use crate::process::Process;

/// The other export, and what is done for calls. Never freed. The export is the first field: an address of one is that
/// of the other.
#[repr(C)]
pub(crate) struct Traced {
    stub: Export,
    /// The export that is traced.
    of: &'static Export,
    /// Where calls lead without tracing, as long as they are traced.
    code: AtomicPtr<u64>,
    actions: AtomicPtr<Actions>,
}

// SAFETY: the words of the stub do not change once it is shared; what its pointer `actions` leads to is replaced while
// the world is stopped.
unsafe impl Send for Traced {}
// SAFETY: as above.
unsafe impl Sync for Traced {}

static TRACED: LazyLock<RwLock<FxHashMap<usize, &'static Traced>>> = LazyLock::new(RwLock::default);
/// Whether an export has ever been traced.
static ANY: AtomicBool = AtomicBool::new(false);

fn find(export: &Export) -> Option<&'static Traced> {
    if !ANY.load(Ordering::Relaxed) {
        return None;
    }
    let key = std::ptr::from_ref(export) as usize;
    TRACED.read().get(&key).copied()
}

impl Traced {
    fn entry(&self) -> *const u64 {
        // SAFETY: never freed.
        unsafe { engine::start::stub_entry(&raw const self.stub) }
    }

    fn is_active(&self) -> bool {
        std::ptr::eq(self.of.code.load(Ordering::Acquire), self.entry())
    }

    /// Where calls of the export lead, whether or not they are traced.
    fn code(&self) -> *const u64 {
        match self.is_active() {
            true => self.code.load(Ordering::Acquire),
            false => self.of.code.load(Ordering::Acquire),
        }
    }

    fn actions(&self) -> Option<&Actions> {
        // SAFETY: replaced only while the world is stopped.
        unsafe { self.actions.load(Ordering::Acquire).as_ref() }
    }
}

/// Where calls of an export lead, whether or not they are traced.
#[must_use]
pub fn code_of(export: &Export) -> *const u64 {
    let untraced = || export.code.load(Ordering::Acquire).cast_const();
    find(export).map_or_else(untraced, Traced::code)
}

/// Where a call of `erlang:apply/2` leads that somebody may be told of: one by `apply/3`, or by the start of a process
/// with a fun. Other calls of it are operations of their own, on OTP as well.
#[cold]
#[must_use]
pub fn observed_apply() -> *const u64 {
    points::entry_of(am::ERLANG, am::APPLY, 2).unwrap_or_else(|| {
        let apply = code::exports::get(am::ERLANG, am::APPLY, 2);
        apply.code.load(Ordering::Acquire)
    })
}

/// What is done for calls of an export.
#[must_use]
pub fn actions_of(export: &Export) -> Option<Actions> {
    let traced = find(export)?;
    let actions = traced
        .is_active()
        .then(|| traced.actions().cloned().unwrap_or_default());
    actions.filter(|actions| !actions.is_empty())
}

/// Changes what is done for calls of an export. The world must be stopped.
pub fn change(export: &'static Export, change: &dyn Fn(&mut Actions)) {
    apply(export, change, saved_calls::is_on());
}

/// Has the calls of all exports told of or not, as [`saved_calls::is_on`] says. The world must be stopped.
pub(super) fn settle_all() {
    settle(code::exports::all());
}

/// As [`settle_all`], of the exports of a module.
pub(super) fn settle_module(module: Term) {
    settle(code::exports::of_module(module));
}

fn settle(all: Vec<&'static Export>) {
    for export in all {
        change(export, &|_| {});
    }
}

/// Changes what is done for calls of an export, which are told of in any case if `always`.
fn apply(export: &'static Export, change: &dyn Fn(&mut Actions), always: bool) {
    let mut actions = actions_of(export).unwrap_or_default();
    change(&mut actions);
    let is_active = find(export).is_some_and(|traced| traced.is_active());
    let off = actions.is_empty() && !always;
    if off && !is_active {
        return;
    }
    let traced = find(export).unwrap_or_else(|| make(export));
    let before = traced
        .actions
        .swap(Box::into_raw(Box::new(actions)), Ordering::AcqRel);
    if !before.is_null() {
        // SAFETY: made by a box here, and the world is stopped: nobody reads it.
        drop(unsafe { Box::from_raw(before) });
    }
    if off {
        let code = traced.code.load(Ordering::Acquire);
        export.code.store(code, Ordering::Release);
        export
            .called
            .store(native_function(export), Ordering::Release);
        return;
    }
    if !is_active {
        let code = export.code.load(Ordering::Acquire);
        traced.code.store(code, Ordering::Release);
        export
            .code
            .store(traced.entry().cast_mut(), Ordering::Release);
    }
    if export.bif.is_some() && !is_instruction(export) {
        export
            .called
            .store(go_by_code as *mut (), Ordering::Release);
    }
}

/// Whether a call of a BIF by name is an instruction on stock, of which nobody is told.
fn is_instruction(export: &Export) -> bool {
    (export.module, export.function, export.arity) == (am::ERLANG, atom::known("yield"), 0)
}

/// Ends the tracing of a module's exports. The world must be stopped.
pub fn clear(module: Term) {
    if ANY.load(Ordering::Relaxed) {
        for export in code::exports::of_module(module) {
            apply(export, &|actions| *actions = Actions::default(), false);
        }
    }
}

fn native_function(export: &Export) -> *mut () {
    export
        .bif
        .map_or(std::ptr::null_mut(), |bif| bif as *mut ())
}

fn make(export: &'static Export) -> &'static Traced {
    let traced = Box::leak(Box::new(Traced {
        stub: Export {
            code: AtomicPtr::new(std::ptr::null_mut()),
            module: export.module,
            function: export.function,
            arity: export.arity,
            flags: export.flags,
            bif: None,
            called: AtomicPtr::new(std::ptr::null_mut()),
            stub: [0; 8],
        },
        of: export,
        code: AtomicPtr::new(std::ptr::null_mut()),
        actions: AtomicPtr::new(std::ptr::null_mut()),
    }));
    let stub = engine::start::Stub::Traced;
    let pointer = (&raw mut *traced).cast::<Export>();
    // SAFETY: leaked just now, and nobody else refers to it.
    unsafe { stubs::make(pointer, stub) };
    TRACED
        .write()
        .insert(std::ptr::from_ref(export) as usize, traced);
    ANY.store(true, Ordering::Relaxed);
    observer::tell_of_calls();
    traced
}

/// Stands for the function of a traced BIF: has the export's code called instead, which tells of the call.
unsafe extern "C" fn go_by_code(context: *mut Context, _arguments: *const Term) -> Term {
    // SAFETY: the engine's contract for BIFs; the process is at the instruction that calls the BIF, whose operand is
    // the export.
    unsafe {
        let process = &*(*context).process.cast::<Process>();
        let raise = &raw mut (*context).abrupt;
        (*raise).kind = AbruptKind::Trap;
        (*raise).target = stubs::called(process);
    }
    Term::NONE
}

/// The traced export whose stub leads to this one.
///
/// # Safety
/// `stub` is the export of a stub of kind [`engine::start::Stub::Traced`].
pub(crate) unsafe fn of_stub(stub: *const Export) -> &'static Traced {
    // SAFETY: only `make` makes such stubs, from the address of a `Traced` that is never freed.
    unsafe { &*stub.cast::<Traced>() }
}

/// Where a process has called the BIF that it is in, if calls of that are told of: such a BIF is called by its export's
/// code.
#[must_use]
pub(crate) fn call_site(process: &Process) -> Option<*const u64> {
    let in_export = offset_of!(Export, stub) + Export::STUB_ENTRY * size_of::<u64>();
    let export = (process.head.ip as usize).checked_sub(in_export)?;
    let is_traced = TRACED.read().contains_key(&export);
    is_traced.then(|| stack::caller(process))?
}

/// A process calls a traced export; returns where it continues.
pub(crate) fn called(process: &mut Process, context: &mut Context, traced: &Traced) -> *const u64 {
    let export = &traced.stub;
    if let Some(actions) = traced.actions() {
        let function = [
            export.module,
            export.function,
            Term::small(export.arity.into()),
        ];
        points::act(process, context, actions, function);
    }
    if saved_calls::is_on() {
        saved_calls::called(process, export);
    }
    // A process that was preempted here may go on when the export has long not been traced and its code is another.
    traced.code()
}
