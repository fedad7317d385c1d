//! Dirty schedulers: threads for calls that may block or take long.
//!
//! A BIF that its row in the BIF table marks as dirty does not run on the calling scheduler. The call leaves the engine
//! as if it yielded (the process will continue by calling the BIF again, and its arguments are saved on its stack), and
//! the scheduler hands the whole process over: the pointer in a dirty queue carries its ownership, as in a run queue. A
//! dirty thread calls the body with the saved arguments, stores the outcome in the process, and gives the process back
//! to the schedulers. There the BIF is called again and only returns the stored outcome: a result, an exception or a
//! trap. So no Erlang code runs on a dirty thread, and the engine needs no knowledge of dirty calls.
//!
//! A process whose garbage collection would take long comes here as well, without a call: see
//! `collection::dirty_collection`. Long BIFs and collections have other threads than functions of libraries
//! ([`DirtyKind`]).
//!
//! While the process waits here, and while its call waits for the system or runs a library's code, others handle its
//! signals ([`loans`]); otherwise they stay pending, as for a process in a run queue. No dirty call collects: a body
//! builds terms on the heap or beside it, and its result is a root ([`Extras::roots`](crate::process::Extras)) until
//! it is picked up.
//!
//! A body that runs here is not part of a slice: it may look up processes only under `epoch::with_pin`, and there is no
//! current scheduler. A thread is started when work is queued and all others are busy, up to the numbers that the node
//! was started with.

use std::sync::atomic::Ordering;

use layout::limits::REDUCTIONS_PER_SLICE;
use layout::{Abrupt, AbruptKind, BifFunction, Context, Term};
use spec::bifs::Properties;

use super::new_context;
use crate::code::bif::{self, BifResult, Failure};
use crate::effects::collection::dirty_collection;
use crate::effects::profile;
use crate::exec::exit;
use crate::mail::current::enqueue_woken;
use crate::mail::dirty::{Turn, Work};
use crate::mail::microstate::{self, ThreadState};
use crate::mail::observer::observer;
use crate::mail::{deferred, dirty, idle, loans};
use crate::process::dirty::{Call, DirtyKind};
use crate::process::owner::{Begun, Owner, Runnable};
use crate::process::sync::between_steps;
use crate::process::{Flags, Process, state};

/// How a dirty BIF is run, by its row in the BIF table.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    pub kind: DirtyKind,
    /// The body is first tried on the calling scheduler; it returns [`Failure::Dirty`] if it needs a dirty one.
    pub tried_first: bool,
}

impl Policy {
    /// The policy for a row's properties; `None` for a BIF that is not dirty.
    #[must_use]
    pub const fn of(properties: Properties) -> Option<Policy> {
        let kind = if properties.has(Properties::DIRTY_CPU) {
            // What is not tried first is made for dirty CPU schedulers: zstd's dictionaries, and tests of these
            // schedulers.
            match properties.has(Properties::TRIED_FIRST) {
                true => DirtyKind::Long,
                false => DirtyKind::Cpu,
            }
        } else if properties.has(Properties::DIRTY_IO) {
            DirtyKind::Io
        } else {
            return None;
        };
        Some(Policy {
            kind,
            tried_first: properties.has(Properties::TRIED_FIRST),
        })
    }
}

/// Calls a dirty BIF: runs the body, requests a dirty scheduler for it, or returns the outcome of the call that a dirty
/// scheduler has made.
///
/// # Safety
/// `context` belongs to this thread, and its process runs; `arguments` are those of the BIF.
pub unsafe fn call(
    context: *mut Context,
    arguments: *const Term,
    policy: Policy,
    function: BifFunction,
    body: impl FnOnce(&mut Process) -> BifResult,
) -> Term {
    // SAFETY: the caller's promises.
    unsafe {
        let process = &mut *(*context).process.cast::<Process>();
        if process.flags.contains(Flags::DIRTY_CALL_DONE) {
            return pick_up(&mut *context, process);
        }
        if !dirty::is_here() {
            let outcome = policy.tried_first.then(|| body(process));
            match outcome {
                None | Some(Err(Failure::Dirty)) => {}
                Some(outcome) => return bif::finish(context, outcome),
            }
            // The engine saves the X registers when the call yields, so the arguments must be there.
            debug_assert!(std::ptr::eq(arguments, (&raw const (*context).x).cast()));
            return want(&mut *context, process, policy.kind, function);
        }
        bif::finish(context, body(process))
    }
}

/// Makes the scheduler hand the process over: the call yields, with the DIRTY flag set.
#[cold]
fn want(
    context: &mut Context,
    process: &mut Process,
    kind: DirtyKind,
    function: BifFunction,
) -> Term {
    process.extras().dirty = Some(Call::Wanted { function, kind });
    process.flags.insert(Flags::DIRTY_CALL);
    context.abrupt.kind = AbruptKind::Yield;
    Term::NONE
}

/// Returns or raises the outcome of the call that a dirty scheduler has made.
fn pick_up(context: &mut Context, process: &mut Process) -> Term {
    process.flags.remove(Flags::DIRTY_CALL_DONE);
    let extras = process.extras();
    let roots = std::mem::take(&mut extras.roots);
    match extras.dirty.take() {
        Some(Call::Result) => roots[0],
        Some(Call::Raised {
            kind,
            class,
            present,
            target,
        }) => {
            let mut rest = roots.into_iter();
            let [reason, trace, arguments] = present.map(|is_present| {
                let term = if is_present { rest.next() } else { None };
                term.unwrap_or(Term::NONE)
            });
            context.abrupt = Abrupt {
                kind,
                class,
                reason,
                trace,
                target,
                arguments,
            };
            for (register, term) in context.x.iter_mut().zip(rest) {
                *register = term;
            }
            Term::NONE
        }
        Some(Call::Wanted { .. }) | None => unreachable!("the call was made"),
    }
}

/// Puts a process that needs a dirty scheduler into a dirty queue.
pub(super) fn hand_over(mut process: Owner) {
    let kind = match process
        .existing_extras()
        .and_then(|extras| extras.dirty.as_ref())
    {
        _ if process.flags.contains(Flags::DIRTY_COLLECTION) => None,
        Some(Call::Wanted { kind, .. }) => Some(*kind),
        _ => unreachable!("`want` set it"),
    };
    let pointer = process.pointer();
    // Before it is QUEUED, so that nobody borrows it.
    process.state.fetch_or(state::DIRTY, Ordering::Relaxed);
    let (runnable, _) = process.give_up();
    between_steps();
    match kind {
        None => dirty::pool(DirtyKind::Long).submit(Work::Collection(runnable)),
        Some(kind) => {
            // SAFETY: nobody uses the process before `run_call` takes it back.
            unsafe { loans::lend(pointer) };
            dirty::pool(kind).submit(Work::Call(runnable));
            idle::awaits_call();
        }
    }
}

/// Leaves a task that takes long to a dirty scheduler, for a process that the caller has borrowed and asked for
/// [`Collection::Task`](crate::process::dirty::Collection::Task).
pub(super) fn hand_over_borrowed(process: Owner) {
    process.state.fetch_or(state::DIRTY, Ordering::SeqCst);
    dirty::pool(DirtyKind::Long).submit(Work::BorrowedTask(process));
}

/// What the thread of a dirty scheduler does.
pub(crate) fn run(kind: DirtyKind, number: usize) -> ! {
    dirty::begin(kind);
    // The thread that started this one may be bound to a processor; dirty schedulers are not bound.
    let _ = sys::cpu::unpin_current_thread();
    let mut context = Box::new(new_context(0));
    let thread = match kind {
        DirtyKind::Cpu | DirtyKind::Long | DirtyKind::Chore => microstate::ThreadKind::DirtyCpu,
        DirtyKind::Io => microstate::ThreadKind::DirtyIo,
    };
    microstate::begin(
        thread,
        dirty::account_number(kind, number),
        ThreadState::Sleep,
    );
    profile::begin(&raw mut *context, profile::ThreadKind::Dirty);
    dirty::pool(kind).run(number, |work, turn| perform(&mut context, work, turn))
}

/// Does dirty work on this thread, either because it is the only scheduler that may work or because no dirty thread
/// could be started.
pub(crate) fn perform_here(work: Work) {
    dirty::as_dirty(|| perform(&mut Box::new(new_context(0)), work, &Turn::lone()));
}

fn perform(context: &mut Context, work: Work, turn: &Turn) {
    let _: u64 = dirty::take_charged();
    match work {
        Work::Call(runnable) => run_call(context, begin(runnable), turn),
        Work::Collection(runnable) => run_collection(begin(runnable), turn),
        Work::BorrowedTask(process) => run_borrowed_task(process),
        Work::Function(function) => function(),
    }
    deferred::run();
}

/// Marks a process taken from a dirty queue as running.
fn begin(runnable: Runnable) -> Owner {
    match runnable.begin() {
        Begun::Runs(process, _) => process,
        Begun::IsBorrowed | Begun::IsGone(_) => unreachable!("a DIRTY process is not borrowed"),
    }
}

/// Makes the dirty call that a process requested, and gives the process back to the schedulers. It is lent at first, so
/// it is not touched until it is taken back.
fn run_call(context: &mut Context, mut process: Owner, turn: &Turn) {
    // SAFETY: `hand_over` has lent it, and left it to this thread.
    let has_departed = unsafe { loans::take_back(process.pointer()) };
    if has_departed {
        return bury(process);
    }
    if process.flags.contains(Flags::TRACED) {
        observer().scheduled_in(&mut process);
    }
    let Some(Call::Wanted { function, .. }) = process.extras().dirty.take() else {
        unreachable!("`want` set it");
    };
    let arguments = process.head.heap.stack.cast::<Term>();
    context.process = process.pointer().cast();
    context.abrupt.kind = AbruptKind::None;
    context.reductions_left = REDUCTIONS_PER_SLICE;
    // SAFETY: the engine saved the arguments on the stack when it left; the function is that of the BIF that they are
    // for, and the context holds the process, which is not used here during the call.
    let result = unsafe { dirty::call_for(process.pointer(), || function(context, arguments)) };
    context.process = std::ptr::null_mut();
    // SAFETY: this thread has made the call.
    if unsafe { loans::has_departed(process.pointer()) } {
        return bury(process);
    }
    let extras = process.extras();
    (extras.dirty, extras.roots) = outcome(context, result);
    process.flags.remove(Flags::DIRTY_CALL);
    process.flags.insert(Flags::DIRTY_CALL_DONE);
    give_back(process, turn);
}

/// Frees the heap of a process that has ended before its call was over, and gives its block to a scheduler, to be
/// retired.
#[cold]
fn bury(mut process: Owner) {
    let pid = process.pid();
    exit::free(&mut process);
    process.state.fetch_and(!state::DIRTY, Ordering::SeqCst);
    process.state.fetch_or(state::GONE, Ordering::SeqCst);
    let (gone, _) = process.give_up();
    enqueue_woken(gone);
    loans::departed_is_over(pid);
}

/// Collects the garbage of a process, and gives the process back to the schedulers.
fn run_collection(mut process: Owner, turn: &Turn) {
    if process.flags.contains(Flags::TRACED) {
        observer().scheduled_in(&mut process);
    }
    // SAFETY: the process is between two slices, and this thread uses none of its terms.
    unsafe { dirty_collection::perform(&mut process) };
    give_back(process, turn);
}

/// Gives a process back to the schedulers.
fn give_back(mut process: Owner, turn: &Turn) {
    process.reductions += dirty::take_charged();
    if process.flags.contains(Flags::TRACED) {
        observer().scheduled_out(&mut process);
    }
    let has_tasks = release(&mut process);
    // Work that was put off may take long; it is done after this.
    if !deferred::any() {
        turn.end();
    }
    give_up(process, has_tasks);
}

/// Ends what a dirty scheduler does with a process; returns whether tasks are left. Once DIRTY is clear, a thread that
/// has stopped the schedulers may look at the process and change it.
fn release(process: &mut Process) -> bool {
    let has_tasks = process.flags.contains(Flags::SYSTEM_TASKS);
    process.state.fetch_and(!state::DIRTY, Ordering::Release);
    has_tasks
}

/// Runs a task of a borrowed process, and gives the process back to its queue, or to another one if a scheduler took it
/// from its queue meanwhile.
fn run_borrowed_task(mut process: Owner) {
    let pid = process.pid();
    // SAFETY: the process is between two slices, and this thread uses none of its terms.
    unsafe { dirty_collection::perform(&mut process) };
    process.reductions += dirty::take_charged();
    release(&mut process);
    if let (Some(process), _) = process.give_back(false) {
        give_up(process, false);
    }
    // Who borrows it next looks for further tasks, and lets it end if this task has ended it.
    crate::mail::awaited::attend_from_elsewhere(pid);
}

/// Puts a process that this thread has released into a run queue.
fn give_up(process: Owner, has_tasks: bool) {
    let pid = process.pid();
    let (runnable, before) = process.give_up();
    enqueue_woken(runnable);
    if has_tasks || crate::mail::awaited::are_signals_left(before) {
        crate::mail::awaited::attend_from_elsewhere(pid);
    }
}

/// The outcome of a call, with its terms for `Extras::roots`.
fn outcome(context: &Context, result: Term) -> (Option<Call>, Vec<Term>) {
    if !result.is_none() {
        return (Some(Call::Result), vec![result]);
    }
    let raise = &context.abrupt;
    let (terms, arguments) = match raise.kind {
        AbruptKind::None | AbruptKind::Exception | AbruptKind::ExceptionWithTrace => {
            ([raise.reason, raise.trace, raise.arguments], &[][..])
        }
        AbruptKind::Trap | AbruptKind::Hibernate => {
            // SAFETY: a target is an export, which is never freed.
            let arity = unsafe { (*raise.target).arity } as usize;
            ([Term::NONE; 3], &context.x[..arity])
        }
        AbruptKind::Exit => ([Term::NONE; 3], &[][..]),
        AbruptKind::Wait | AbruptKind::Yield => {
            unreachable!("a dirty call does not go on with other arguments of its own")
        }
    };
    let call = Call::Raised {
        kind: raise.kind,
        class: raise.class,
        present: terms.map(|term| !term.is_none()),
        target: raise.target,
    };
    let terms = terms.into_iter().filter(|term| !term.is_none());
    (Some(call), terms.chain(arguments.iter().copied()).collect())
}
