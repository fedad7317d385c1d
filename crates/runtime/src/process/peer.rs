//! [`Peer`]: a process as everybody may see it who does not own it.
//!
//! [`table::find`](super::table::find) gives one, which lives as long as the pin it was found under: as long as that,
//! the memory of the process's block is not used for another one, even if the process ends. A peer reaches the *shared*
//! fields alone, which are atomic or never change. What changes in the state word through it are the transitions that
//! any thread may make ([`state`]); those that make the caller responsible for the process return a [`Runnable`] or an
//! [`Owner`].

use std::marker::PhantomData;
use std::ptr::NonNull;

use layout::{Fragment, Term};

use super::epoch::Pinned;
use super::owner::{Owner, Runnable};
use super::signal_queue::SignalQueue;
use super::sync::{AtomicU32, Ordering};
use super::{Priority, Process, block, priority_of, state};

/// See the module's documentation.
#[derive(Clone, Copy)]
pub struct Peer<'epoch> {
    process: NonNull<Process>,
    pinned: PhantomData<Pinned<'epoch>>,
}

impl<'epoch> Peer<'epoch> {
    /// # Safety
    /// The process was in the table at some time while this thread was pinned.
    #[inline(always)]
    pub(super) unsafe fn new(_pinned: Pinned<'epoch>, process: NonNull<Process>) -> Peer<'epoch> {
        Peer {
            process,
            pinned: PhantomData,
        }
    }

    #[inline(always)]
    fn word(self) -> &'epoch AtomicU32 {
        // SAFETY: the block stays valid as long as the pin; the field is atomic, and the reference covers it alone.
        unsafe { &(*self.process.as_ptr()).state }
    }

    #[inline(always)]
    fn signals(self) -> &'epoch SignalQueue {
        // SAFETY: the block stays valid as long as the pin; the queue is atomic, and the reference covers it alone.
        unsafe { &(*self.process.as_ptr()).signals }
    }

    #[inline(always)]
    #[must_use]
    pub fn pid(self) -> Term {
        // SAFETY: the block stays valid as long as the pin; the field was written before the process was published, and
        // never changes.
        unsafe { (*self.process.as_ptr()).id }
    }

    /// The state word as it is just now.
    #[inline]
    #[must_use]
    pub fn state(self) -> u32 {
        self.word().load(Ordering::SeqCst)
    }

    #[must_use]
    pub fn priority(self) -> Priority {
        priority_of(self.state())
    }

    /// Whether signals wait in its queue that the owner has not taken yet.
    #[must_use]
    pub fn has_signals(self) -> bool {
        !self.signals().is_empty()
    }

    /// Pushes a signal. The caller then wakes the process, unless the signal is one that can wait.
    ///
    /// # Safety
    /// `fragment` is live and in no list; the queue takes ownership of it.
    #[inline(always)]
    pub(crate) unsafe fn push(self, fragment: *mut Fragment) {
        // SAFETY: the block stays valid as long as the pin; the caller's promise about the fragment.
        unsafe {
            block::assert_in_use(self.process.as_ptr());
            self.signals().push(fragment);
        }
    }

    /// Announces a signal that was pushed ([`state::announce`]). The caller has to queue the process if it was at rest.
    #[inline(always)]
    pub(crate) fn announce(self, bits: u32) -> Option<Runnable> {
        let rested = state::announce(self.word(), bits);
        // SAFETY: this thread has set QUEUED on a process at rest, and makes one entry for that.
        rested.then(|| unsafe { Runnable::new(self.process) })
    }

    /// The queue of a process that is closed: its owner may not look at it any more, so whoever has pushed something
    /// handles what is there.
    #[inline(always)]
    pub(crate) fn signals_if_closed(self) -> Option<&'epoch SignalQueue> {
        state::is_closed(self.word()).then(|| self.signals())
    }

    /// Whether it is in a dirty queue or run by a dirty scheduler.
    #[inline(always)]
    pub(crate) fn is_dirty(self) -> bool {
        state::is_dirty(self.word())
    }

    /// Takes a queued process before its turn, to handle its signals ([`state::borrow`]). Its owner gives it back.
    pub(crate) fn borrow(self) -> Option<Owner> {
        let borrowed = state::borrow(self.word());
        // SAFETY: this thread has set BORROWED, and whoever takes the process from its queue leaves it alone.
        borrowed.then(|| unsafe { Owner::new(self.process) })
    }

    /// Takes a process at rest, to work on its memory ([`state::take_resting`]).
    pub(crate) fn take_resting(self) -> Option<Owner> {
        let taken = state::take_resting(self.word());
        // SAFETY: this thread has set RUNNING on a process at rest.
        taken.then(|| unsafe { Owner::new(self.process) })
    }

    /// Marks it as one that has a registered name; false if its exit has begun. Under the registry's lock.
    pub(crate) fn set_registered(self) -> bool {
        let before = self.word().fetch_or(state::REGISTERED, Ordering::SeqCst);
        before & state::EXITING == 0
    }

    /// Takes back [`set_registered`](Peer::set_registered).
    pub(crate) fn clear_registered(self) {
        self.word().fetch_and(!state::REGISTERED, Ordering::SeqCst);
    }

    /// Whether its messages take much of the node's memory.
    #[inline(always)]
    #[must_use]
    pub(crate) fn is_flooded(self) -> bool {
        // No order with other accesses matters.
        self.word().load(Ordering::Relaxed) & state::FLOODED != 0
    }

    /// Says whether they do.
    pub(crate) fn set_flooded(self, is_flooded: bool) {
        match is_flooded {
            true => self.word().fetch_or(state::FLOODED, Ordering::SeqCst),
            false => self.word().fetch_and(!state::FLOODED, Ordering::SeqCst),
        };
    }

    /// Marks it as one that timers send to ([`state::set_timed`]); false if its exit has begun.
    pub(crate) fn set_timed(self) -> bool {
        state::set_timed(self.word())
    }

    /// The address of the process. It may be read and written only where the one owner is known to stand still (the
    /// world is stopped, and the process is in no dirty scheduler's hands), for as long as the pin.
    #[must_use]
    pub fn pointer(self) -> *mut Process {
        self.process.as_ptr()
    }
}

impl Process {
    /// The process as others see it.
    #[inline]
    #[must_use]
    pub fn as_peer(&mut self) -> Peer<'_> {
        Peer {
            process: NonNull::from(self),
            pinned: PhantomData,
        }
    }
}
