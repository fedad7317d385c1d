//! Work that a scheduler does as soon as it can, but not where it comes up: in the middle of a collection, say, or
//! under a lock.
//!
//! Each scheduler's thread, normal or dirty, has a list of its own. It is worked off after each collection, in the
//! scheduler's next round, and after each piece of dirty work. On other threads there is no such place, so a dirty
//! scheduler does what comes up there.

use std::cell::RefCell;

use crate::mail::current;
use crate::process::dirty::DirtyKind;

type Work = Box<dyn FnOnce() + Send>;

thread_local! {
    static WAITING: RefCell<Vec<Work>> = const { RefCell::new(Vec::new()) };
}

/// Has work done at this thread's next safe place, in the order in which it comes up.
pub fn soon(work: impl FnOnce() + Send + 'static) {
    let here = match current::current() {
        Some(scheduler) => {
            scheduler.slices_to_check.set(0);
            true
        }
        None => crate::mail::dirty::is_here(),
    };
    if here {
        WAITING.with_borrow_mut(|waiting| waiting.push(Box::new(work)));
    } else {
        crate::mail::dirty::later(DirtyKind::Cpu, work);
    }
}

/// Does the work that waits on this thread. The caller holds no lock and is in no collection.
pub fn run() {
    // Work may bring up more.
    loop {
        let waiting = WAITING.with_borrow_mut(std::mem::take);
        if waiting.is_empty() {
            return;
        }
        for work in waiting {
            work();
        }
    }
}
