//! Asking a process for something that the asker waits for, whatever the priorities of both: see
//! `exec::scheduler::awaited`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use layout::Term;

use super::current::{Current, current};
use super::signal::send_or_bounce;
use super::{aux_work, dirty};
use crate::process::owner::Owner;
use crate::process::peer::Peer;
use crate::process::signal::{Call, Signal};
use crate::process::sync::between_steps;
use crate::process::{Priority, priority_of, state, table};

/// Has a process do something when it handles its signals; the running process is about to wait for the answer, with
/// the priority of its request or else its own. The body is called with `None` if the process is gone.
pub fn ask(pid: Term, priority: Option<Priority>, body: Call) {
    send_or_bounce(pid, Signal::Call(body));
    between_steps();
    attend_soon(pid, priority);
}

/// Called when the running process is about to wait for a reply from the process `pid`, with the priority of its
/// request or else its own. If the process has a lower one (and this is more than normal), its signals are handled
/// soon.
fn attend_soon(pid: Term, priority: Option<Priority>) {
    let Some(scheduler) = current().filter(|_| !dirty::is_here()) else {
        return;
    };
    let Some(own) = scheduler.running_priority() else {
        return;
    };
    let priority = priority.unwrap_or(own);
    if priority >= Priority::Normal {
        return;
    }
    if table::state_of(pid).is_some_and(|word| priority_of(word) > priority) {
        scheduler.queues.push_awaited(pid, priority);
    }
}

/// Whether signals have come while a thread had a process, by the state word from before it let go: their sender could
/// not borrow it, and perhaps waits.
#[inline]
pub(crate) fn are_signals_left(before: u32) -> bool {
    before & state::SIGNALS != 0 && priority_of(before) != Priority::Max
}

/// How often somebody did not get a process whose signals are to be handled because another thread had borrowed it.
///
/// Whoever borrows a process without handling its signals reads this before it borrows, and after it has given the
/// process back. Whoever is refused adds to it, and tries again. So either the second try succeeds, or the borrower,
/// who gives the process back later, sees the addition, and has the signals handled in its stead.
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// The value of [`REFUSED`].
pub(crate) fn refused() -> u64 {
    REFUSED.load(Ordering::SeqCst)
}

/// Borrows a process to handle its signals, unless another thread has it, which then sees to them.
pub(crate) fn borrow(process: Peer<'_>) -> Option<Owner> {
    process.borrow().or_else(|| {
        REFUSED.fetch_add(1, Ordering::SeqCst);
        between_steps();
        process.borrow()
    })
}

/// Handles the signals and tasks of a process before its next turn; for threads other than schedulers.
#[cold]
pub(crate) fn attend_from_elsewhere(pid: Term) {
    aux_work::on_first_scheduler(Arc::new(move || {
        if let Some(scheduler) = current() {
            scheduler.attend_again(pid);
        }
    }));
}

impl Current {
    /// Handles the signals of a process that a dirty call is made for after this slice.
    pub(crate) fn attend_lent_soon(&self, pid: Term) {
        self.queues.push_awaited(pid, Priority::High);
    }

    /// Handles the signals of a process before its next turn, because some have come while this thread had it: whoever
    /// waits for an answer to them could not borrow it. Nobody knows here how urgent that is.
    #[cold]
    pub(crate) fn attend_again(&self, pid: Term) {
        self.queues.push_awaited(pid, Priority::Max);
    }
}
