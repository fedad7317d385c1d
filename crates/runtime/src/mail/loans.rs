//! The loan of a process in a dirty call: while the call waits or works for itself, other threads handle its signals.
//!
//! Such a process answers (`process_info`, checks for old code), takes links and monitors, and ends when it is told to,
//! however long the call lasts. Its code, heap and registers stay as they are: nothing is collected, and what must be
//! done between two slices waits. A process that ends meanwhile is gone for all others at once; its heap stays until
//! the call is over, because the call may read its arguments ([`exit::leave`](crate::exec::exit::leave)).
//!
//! The loans are in one list. The thread that makes the call lends the process with a pointer that is derived from its
//! own reference, and does not use that reference until it has the process back; a borrower marks the loan while it
//! works on the process, and the lender waits for it. A sender sets `SIGNALS` in the state word before it looks for a
//! loan; the lender lists the loan, and a borrower ends its work, before they look at that bit: so one of them sees to
//! the signal.

use std::sync::LazyLock;

use layout::Term;
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;

use crate::mail::awaited::attend_from_elsewhere;
use crate::mail::current::current;
use crate::mail::deferred;
use crate::mail::dirty::here::is_here;
use crate::mail::hooks::machine;
use crate::process::sync::between_steps;
use crate::process::{Process, epoch, state};

/// A pointer to a process that is lent.
#[derive(Clone, Copy)]
struct Lent(*mut Process);

// SAFETY: who may use the pointer is decided by `Loan::is_borrowed`, under a lock.
unsafe impl Send for Lent {}

struct Loan {
    process: Lent,
    is_borrowed: bool,
    /// The process has ended; its call goes on.
    has_departed: bool,
}

/// Something that waits until calls are over.
struct Waiting {
    /// The bits of the pids of the processes that make them.
    calls: Vec<u64>,
    then: Box<dyn FnOnce() + Send>,
}

#[derive(Default)]
struct Loans {
    /// By the bits of the pid.
    by_pid: FxHashMap<u64, Loan>,
    /// The bits of the pids of processes that have ended while a call was made for them, until the call is over too.
    departed: Vec<u64>,
    waiting: Vec<Waiting>,
}

static LOANS: LazyLock<Mutex<Loans>> = LazyLock::new(Mutex::default);
/// A borrower has given a process back.
static GIVEN_BACK: Condvar = Condvar::new();

/// Runs something that does not touch the process; on a dirty scheduler, others handle its signals meanwhile. The
/// process may have ended afterwards; its heap and stack are as before.
#[inline(never)]
pub fn apart<R>(process: &mut Process, work: impl FnOnce() -> R) -> R {
    if !is_here() {
        return work();
    }
    let process = std::hint::black_box(std::ptr::from_mut(process));
    // SAFETY: the thread owns the process, and has it back before the reference from which the pointer comes is used
    // again.
    unsafe {
        lend(process);
        let result = work();
        take_back(process);
        result
    }
}

/// Lends a process that a dirty call is made for.
///
/// # Safety
/// The thread owns the process, which is between two slices, and uses it again only after [`take_back`].
pub unsafe fn lend(process: *mut Process) {
    // SAFETY: the caller owns the process.
    let (pid, has_departed) = unsafe { ((*process).pid(), has_departed(process)) };
    let loan = Loan {
        process: Lent(process),
        is_borrowed: false,
        has_departed,
    };
    LOANS.lock().by_pid.insert(pid.bits(), loan);
    between_steps();
    if !has_departed && has_signals(process) {
        notice(pid);
    }
}

/// Ends a loan; waits for a borrower. Returns whether the process has ended meanwhile.
///
/// # Safety
/// The thread has lent the process.
pub unsafe fn take_back(process: *mut Process) -> bool {
    // SAFETY: the process is lent, so its block is valid; the pid never changes.
    let bits = unsafe { (*process).pid().bits() };
    let mut loans = LOANS.lock();
    loop {
        match loans.by_pid.get(&bits) {
            Some(loan) if loan.is_borrowed => GIVEN_BACK.wait(&mut loans),
            Some(_) => break,
            None => unreachable!("the thread has lent the process"),
        }
    }
    loans
        .by_pid
        .remove(&bits)
        .is_some_and(|loan| loan.has_departed)
}

/// Whether this process, which the calling thread has lent, has ended meanwhile: what is made for it is for nobody.
#[must_use]
pub fn has_ended_meanwhile(pid: Term) -> bool {
    let loans = LOANS.lock();
    let loan = loans.by_pid.get(&pid.bits());
    loan.is_some_and(|loan| loan.has_departed)
}

/// Whether a call is still made for any process that has ended.
#[must_use]
pub fn is_any_departed() -> bool {
    !LOANS.lock().departed.is_empty()
}

fn has_signals(process: *mut Process) -> bool {
    // SAFETY: the process is lent or found in this epoch, so its block is valid; `state` is shared.
    unsafe { (*process).state.load(std::sync::atomic::Ordering::SeqCst) & state::SIGNALS != 0 }
}

/// Whether a process that a dirty call is made for has ended.
///
/// # Safety
/// This thread makes the call, so that the process's block is valid.
#[must_use]
pub unsafe fn has_departed(process: *const Process) -> bool {
    // SAFETY: the caller's promise; `state` is shared.
    unsafe { (*process).state.load(std::sync::atomic::Ordering::SeqCst) & state::CLOSED != 0 }
}

/// Called after a signal was pushed to a process that is in the hands of a dirty scheduler: if it is lent, a scheduler
/// handles its signals after the slice or piece of work in which this one was sent. Never the sender itself, which may
/// be in a function of a library, under a lock: what a process that ends leaves to be done may be anything.
#[cold]
pub(crate) fn notice(pid: Term) {
    match current().filter(|_| !is_here()) {
        Some(scheduler) => scheduler.attend_lent_soon(pid),
        None => attend_from_elsewhere(pid),
    }
}

/// Handles the signals of a process, if it is lent and nobody else does; if more have come meanwhile, they are handled
/// soon. Only schedulers call this, between two slices.
pub(crate) fn attend(pid: Term) {
    let is_more = epoch::with_pin(|_| attend_once(pid));
    if is_more {
        notice(pid);
    }
}

/// Returns whether more signals have come meanwhile.
fn attend_once(pid: Term) -> bool {
    let Some(Lent(pointer)) = borrow(pid) else {
        return false;
    };
    between_steps();
    // SAFETY: borrowed, so nobody else uses the process; the pointer comes from the lender's own reference.
    let process = unsafe { &mut *pointer };
    // The lender waits for this thread, perhaps in a function of a library.
    let has_departed = deferred::hold(|| (machine().attend_lent)(process));
    between_steps();
    {
        let mut loans = LOANS.lock();
        if let Some(loan) = loans.by_pid.get_mut(&pid.bits()) {
            loan.is_borrowed = false;
            loan.has_departed = has_departed;
        }
        GIVEN_BACK.notify_all();
    }
    // The block stays valid, although the lender may have the process back: this thread is pinned.
    !has_departed && has_signals(pointer)
}

/// Notes that a process ends while a call is made for it. First, so that nobody misses it here who does not find it
/// elsewhere.
pub(crate) fn departs(pid: Term) {
    LOANS.lock().departed.push(pid.bits());
    between_steps();
}

fn borrow(pid: Term) -> Option<Lent> {
    let mut loans = LOANS.lock();
    let loan = loans.by_pid.get_mut(&pid.bits())?;
    if loan.is_borrowed || loan.has_departed {
        return None;
    }
    loan.is_borrowed = true;
    Some(loan.process)
}

/// Does something once no call is made any more for a process that has ended by now: such a call may still use code and
/// literals, and nobody can ask its process.
pub fn after_departed(then: impl FnOnce() + Send + 'static) {
    let mut loans = LOANS.lock();
    let calls = loans.departed.clone();
    if calls.is_empty() {
        drop(loans);
        then();
        return;
    }
    let then = Box::new(then);
    loans.waiting.push(Waiting { calls, then });
}

/// The call of a process that has ended is over, and so is its heap.
pub(crate) fn departed_is_over(pid: Term) {
    let due: Vec<Waiting> = {
        let mut loans = LOANS.lock();
        loans.departed.retain(|bits| *bits != pid.bits());
        for waiting in &mut loans.waiting {
            waiting.calls.retain(|bits| *bits != pid.bits());
        }
        loans
            .waiting
            .extract_if(.., |waiting| waiting.calls.is_empty())
            .collect()
    };
    due.into_iter().for_each(|waiting| (waiting.then)());
}
