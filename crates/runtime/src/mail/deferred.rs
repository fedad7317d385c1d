//! Work that must not be done where it comes up, above all the functions that libraries and drivers want to have
//! called.
//!
//! Such a function (`down`, a destructor, what a linked-in driver does for an event) may take any lock of its library,
//! wait for it, and call back into the machine. So this is the rule for all of them: **none is called while a function
//! of a library is below it on the stack, while a lock of the machine is held, or on a thread that a library may be
//! waiting for.** Whoever comes upon one gives it to [`soon`]. Only what a library asks for by its name is called
//! at once: `stop` by `enif_select`, and `dyncall`.
//!
//! Each normal scheduler has a list of such work, and so has a dirty one outside of libraries. It is worked off after
//! each collection, in the scheduler's next round, and after each piece of dirty work. Where there is no such place, in
//! a function of a library that may take long and on a library's own threads, the first scheduler does what comes up. A
//! thread is *held* ([`hold`]) while a library is below on its stack, or one waits for it because it handles the
//! signals of the process for which that is called.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::mail::dirty::here;
use crate::mail::{aux_work, current};

type Work = Box<dyn FnOnce() + Send>;

thread_local! {
    static WAITING: RefCell<Vec<Work>> = const { RefCell::new(Vec::new()) };
    static IS_HELD: Cell<bool> = const { Cell::new(false) };
}

/// Work for the first scheduler.
static ELSEWHERE: Mutex<Vec<Work>> = Mutex::new(Vec::new());

/// Runs `body` while a library is below on this thread's stack, or one waits for this thread.
#[inline]
pub fn hold<R>(body: impl FnOnce() -> R) -> R {
    let before = IS_HELD.replace(true);
    let result = body();
    IS_HELD.set(before);
    result
}

/// Whether this thread is held: then it must call no library.
#[inline]
#[must_use]
pub fn is_held() -> bool {
    IS_HELD.get()
}

/// Has work done at a safe place soon: at this thread's next one, in the order in which it comes up, if it has any.
pub fn soon(work: impl FnOnce() + Send + 'static) {
    let work = Box::new(work);
    if here::is_here() && !is_held() {
        WAITING.with_borrow_mut(|waiting| waiting.push(work));
        return;
    }
    match current::current().filter(|_| !here::is_here()) {
        Some(scheduler) => {
            scheduler.slices_to_check.set(0);
            WAITING.with_borrow_mut(|waiting| waiting.push(work));
        }
        None => elsewhere(work),
    }
}

/// As [`soon`], for a caller that holds no lock: the work is done at once if the thread is a scheduler that is not
/// held.
pub fn now_or_soon(work: impl FnOnce() + Send + 'static) {
    match current::current().is_some() && !is_held() {
        true => work(),
        false => soon(work),
    }
}

fn elsewhere(work: Work) {
    let is_first = {
        let mut waiting = ELSEWHERE.lock();
        waiting.push(work);
        waiting.len() == 1
    };
    if is_first {
        aux_work::on_first_scheduler(Arc::new(|| {
            let waiting = std::mem::take(&mut *ELSEWHERE.lock());
            waiting.into_iter().for_each(|work| work());
        }));
    }
}

/// Whether work waits on this thread.
pub(crate) fn any() -> bool {
    WAITING.with_borrow(|waiting| !waiting.is_empty())
}

/// Does the work that waits on this thread. The caller holds no lock and is in no collection.
pub fn run() {
    if is_held() {
        return;
    }
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
