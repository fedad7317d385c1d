//! Auxiliary work of the normal schedulers' threads, online or not: what concerns memory of the thread itself, or its
//! queues.
//!
//! Each has a list of its own, at which it looks in its rounds and before it sleeps; a sleeping one is woken. Any
//! thread may call [`on_every_scheduler`] and [`on_first_scheduler`]; what such work holds is dropped when the last
//! scheduler has done it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::wake;
use crate::mail::schedulers::schedulers;

/// Called once by each scheduler that has it to do, by several at once.
pub type AuxWork = Arc<dyn Fn() + Send + Sync>;

/// The auxiliary work that one scheduler has to do.
#[derive(Default)]
pub(crate) struct AuxWorkList {
    any: AtomicBool,
    list: Mutex<Vec<AuxWork>>,
}

impl AuxWorkList {
    fn push(&self, work: AuxWork) {
        self.list.lock().push(work);
        self.any.store(true, Ordering::SeqCst);
    }

    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::SeqCst)
    }

    /// Does them; the scheduler that they are for calls it, without a lock.
    pub(crate) fn run(&self) {
        if !self.any() {
            return;
        }
        self.any.store(false, Ordering::SeqCst);
        let list = std::mem::take(&mut *self.list.lock());
        list.iter().for_each(|work| work());
    }
}

/// Has every scheduler do this, each on its own thread, soon.
pub fn on_every_scheduler(work: &AuxWork) {
    for shared in &schedulers().all {
        shared.aux_work.push(Arc::clone(work));
        wake::wake(shared.index);
    }
}

/// Has the first scheduler, which is always online, do this on its own thread, soon.
pub(crate) fn on_first_scheduler(work: AuxWork) {
    let first = &schedulers().all[0];
    first.aux_work.push(work);
    wake::wake(first.index);
}
