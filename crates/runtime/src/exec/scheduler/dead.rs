//! The processes that ended on one scheduler, until their memory can be reused.
//!
//! Another thread may have found a process in the table just before it ended, and may still push a signal to it. So
//! dead processes are collected in batches, each batch gets an epoch's stamp, and its memory is reused once every
//! thread has passed that epoch. Only the scheduler's own thread uses this.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ptr::{self, NonNull};

use crate::mail::bounce;
use crate::process::{Process, block, epoch};

/// Number of dead processes whose memory is retired as one batch.
const BATCH: usize = 64;

/// See the module's documentation.
pub(super) struct DeadProcesses {
    /// The first `fresh_count` of these ended after the last batch was stamped.
    fresh: [Cell<NonNull<Process>>; BATCH],
    fresh_count: Cell<usize>,
    /// Batches and their stamps, the oldest first.
    stamped: RefCell<VecDeque<(u64, Batch)>>,
    /// An empty batch, kept for its capacity.
    spare: Cell<Batch>,
}

type Batch = Vec<NonNull<Process>>;

impl DeadProcesses {
    pub(super) fn new() -> DeadProcesses {
        DeadProcesses {
            fresh: [const { Cell::new(NonNull::dangling()) }; BATCH],
            fresh_count: Cell::new(0),
            stamped: RefCell::default(),
            spare: Cell::default(),
        }
    }

    /// Adds a process that has ended, and that no look-up can find any more.
    #[inline]
    pub(super) fn add(&self, process: NonNull<Process>) {
        if self.is_full() {
            self.stamp();
        }
        let count = self.fresh_count.get();
        self.fresh[count].set(process);
        self.fresh_count.set(count + 1);
    }

    /// Whether there are enough dead processes to [`reclaim`](DeadProcesses::reclaim) their memory now.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.fresh_count.get() >= BATCH
    }

    /// Turns the fresh ones into a batch.
    #[cold]
    fn stamp(&self) {
        let count = self.fresh_count.take();
        if count > 0 {
            let mut batch = self.spare.take();
            let fresh = self.fresh[..count].iter();
            batch.extend(fresh.map(|process| process.replace(NonNull::dangling())));
            self.stamped
                .borrow_mut()
                .push_back((epoch::retire_stamp(), batch));
        }
    }

    /// Reclaims the memory of those that no thread can still reference; returns their number.
    ///
    /// # Safety
    /// As for [`epoch::quiescent`].
    pub(super) unsafe fn reclaim(&self) -> usize {
        self.stamp();
        // SAFETY: by the caller's promise this thread holds nothing that it has found.
        unsafe { epoch::quiescent() };
        let mut reclaimed = 0;
        while let Some(mut batch) = self.take_passed() {
            reclaimed += batch.len();
            for block in batch.drain(..) {
                let pointer = block.as_ptr();
                // SAFETY: the block is initialised, and since its stamp has passed, no other thread can reach it.
                unsafe {
                    bounce::bounce_rest((*pointer).head.id, &(*pointer).signals);
                    ptr::drop_in_place(pointer);
                    block::give_back(block);
                }
            }
            self.spare.set(batch);
        }
        reclaimed
    }

    /// The oldest batch, if no thread can still reference its processes.
    fn take_passed(&self) -> Option<Batch> {
        let mut stamped = self.stamped.borrow_mut();
        stamped
            .pop_front_if(|(stamp, _)| epoch::passed(*stamp))
            .map(|(_, batch)| batch)
    }
}
