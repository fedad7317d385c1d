//! The binding of a scheduler's thread to a processor. Which is bound where, `exec::scheduler::binding` decides.

use std::sync::atomic::{AtomicI64, Ordering};

/// The binding of one scheduler.
pub(crate) struct Binding {
    /// The id of its thread; 0 before it runs.
    pub(crate) thread: AtomicI64,
    /// The processor; -1 when it is unbound.
    pub(crate) processor: AtomicI64,
}

impl Binding {
    pub(crate) fn new() -> Binding {
        Binding {
            thread: AtomicI64::new(0),
            processor: AtomicI64::new(-1),
        }
    }

    /// Binds or unbinds the thread. If the processor has gone offline meanwhile, the thread is left unbound.
    pub(crate) fn set(&self, processor: Option<usize>) {
        let thread = self.thread.load(Ordering::SeqCst);
        if thread == 0 {
            return;
        }
        let bound = match processor {
            Some(processor) => sys::cpu::pin_thread(thread, processor).is_ok(),
            None => false,
        };
        if bound {
            let processor = processor.map_or(-1, |processor| processor as i64);
            self.processor.store(processor, Ordering::SeqCst);
        } else if self.processor.swap(-1, Ordering::SeqCst) >= 0 {
            // It was bound to a processor that the node may use, so it may use all of those again.
            let _ = sys::cpu::unpin_thread(thread);
        }
    }
}
