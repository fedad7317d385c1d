//! [`Owner`] and [`Runnable`]: the responsibility for a process, which goes from hand to hand.
//!
//! A process is at rest, and then nobody is responsible for it, or there is one of these values for it. They are
//! neither copied nor cloned, so a queue that one was moved into has it alone, and what a step has given away it cannot
//! use any more. Dropping one loses the process: it never runs again.
//!
//! ```text
//!                       Peer::announce                  Runnable::begin
//! at rest  ------------------------------->  Runnable  ----------------->  Owner
//!    |                                          ^                          |  |  |
//!    |        Peer::take_resting                +----- Owner::give_up -----+  |  |
//!    +--------------------------------------------------------------------->  |  |
//!    ^                                                                        |  |
//!    +--------------------------------- Owner::rest --------------------------+  +---> dead: Owner::into_block
//! ```
//!
//! A queued process may be borrowed meanwhile (`Peer::borrow`): then the borrower has the
//! `Owner`, and the entry in the queue stands for the block's memory alone. Only an `Owner` gives a reference to the
//! process.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use super::sync::{AtomicU32, Ordering};
use super::{Process, block, state};

/// The right to everything of a process, and the duty to give it up, to put it to rest or to end it.
#[must_use]
pub struct Owner(NonNull<Process>);

// SAFETY: the responsibility for a process belongs to no thread.
unsafe impl Send for Owner {}

impl Deref for Owner {
    type Target = Process;

    #[inline(always)]
    fn deref(&self) -> &Process {
        // SAFETY: the block is valid until its owner ends it, and nobody else touches more than the shared fields.
        unsafe { self.0.as_ref() }
    }
}

impl DerefMut for Owner {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Process {
        // SAFETY: as for `deref`; this thread has the one owner exclusively.
        unsafe { self.0.as_mut() }
    }
}

impl Owner {
    /// # Safety
    /// The process is initialised, and nobody else owns it or will: this thread has just made it, or has just made the
    /// transition of its state word that gives it to this thread.
    #[inline(always)]
    pub(crate) unsafe fn new(process: NonNull<Process>) -> Owner {
        Owner(process)
    }

    /// The address of the process, for what runs it: the context, a loan.
    #[inline(always)]
    pub(crate) fn pointer(&mut self) -> *mut Process {
        self.0.as_ptr()
    }

    /// Puts a running process to rest; returns it if a signal has arrived for it.
    #[inline(always)]
    pub(crate) fn rest(self) -> Result<(), Owner> {
        match state::rest(&self.state) {
            true => Ok(()),
            false => Err(self),
        }
    }

    /// Marks a running process as queued, before it goes into a queue; returns the state word before.
    #[inline(always)]
    pub(crate) fn give_up(self) -> (Runnable, u32) {
        let before = state::give_up(&self.state);
        // SAFETY: this thread has just set QUEUED in the state word of its own process.
        (unsafe { Runnable::new(self.0) }, before)
    }

    /// Gives a borrowed process, which may be `gone`, back to the queue that holds it; if none does any more, the
    /// process itself is returned. With it the state word before.
    pub(crate) fn give_back(self, gone: bool) -> (Option<Owner>, u32) {
        let before = state::give_back(&self.state, gone);
        ((before & state::QUEUED == 0).then_some(self), before)
    }

    /// The block of a process that has ended, to be retired.
    #[inline(always)]
    pub(crate) fn into_block(self) -> NonNull<Process> {
        self.0
    }
}

/// A queued process: an entry of a queue, or one that is about to be.
#[must_use]
pub struct Runnable(NonNull<Process>);

// SAFETY: the responsibility for a process belongs to no thread.
unsafe impl Send for Runnable {}

/// What taking a process from its queue came to.
#[must_use]
pub(crate) enum Begun {
    /// It runs; with the state word before.
    Runs(Owner, u32),
    /// Another thread has borrowed it, and sees to it.
    IsBorrowed,
    /// It ended while it was borrowed: its block is to be retired.
    IsGone(NonNull<Process>),
}

impl Runnable {
    /// # Safety
    /// This thread has set QUEUED in the state word of the process, which nobody owned or it owned itself, and makes
    /// one entry for that.
    #[inline(always)]
    pub(crate) unsafe fn new(process: NonNull<Process>) -> Runnable {
        let runnable = Runnable(process);
        debug_assert!(state::is_queued(runnable.word()));
        runnable
    }

    #[inline(always)]
    fn word(&self) -> &AtomicU32 {
        // SAFETY: the block is not retired before its entry is taken from the queue; the field is atomic, and the
        // reference covers it alone, since the process may be borrowed.
        unsafe { &(*self.0.as_ptr()).state }
    }

    /// The address of the process, as a name for it.
    #[inline(always)]
    pub(crate) fn address(&self) -> *const () {
        self.0.as_ptr().cast_const().cast()
    }

    /// The state word as it is just now.
    #[inline(always)]
    pub(crate) fn state(&self) -> u32 {
        self.word().load(Ordering::Relaxed)
    }

    /// Asks the processor to fetch the block.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        block::prefetch(self.0.as_ptr());
    }

    /// Its pid and where it continues, for observers. A borrower changes neither.
    pub(crate) fn place(&self) -> (layout::Term, *const u64) {
        // SAFETY: the block is valid, as for `word`; whoever owned the process has made QUEUED visible after it wrote
        // these fields, and only a process that runs writes them again, which needs this entry.
        unsafe { ((*self.0.as_ptr()).id, (*self.0.as_ptr()).head.ip) }
    }

    /// Marks the process as running.
    #[inline(always)]
    pub(crate) fn begin(self) -> Begun {
        let before = state::begin(self.word());
        if before & (state::BORROWED | state::GONE) != 0 {
            return match before & state::GONE != 0 {
                true => Begun::IsGone(self.0),
                false => Begun::IsBorrowed,
            };
        }
        Begun::Runs(Owner(self.0), before)
    }
}
