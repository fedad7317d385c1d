//! Children that nobody here has started: the statuses of those that others have left behind.
//!
//! Where this process is the first one of a container, or a *subreaper*, the kernel gives it every process of that
//! container whose own parent has ended. Until somebody takes the status of such an orphan when it ends, it stays in
//! the list of processes, and a container that starts many programs runs out of numbers for them.
//!
//! Orphans are told from the children that C libraries start, and wait for themselves, by their thread: a child belongs
//! to the thread that started it, and the kernel gives orphans to the process's first thread. That one starts nothing
//! once the node runs, so whatever is its child is nobody's: an orphan, or a child of whoever executed this program in
//! its own place (`sh -c 'program & exec ferl'`).
//!
//! A library whose thread ends between the start of a child and its end loses the status here, where without this
//! thread it could still be taken by another one.

use std::sync::atomic::{AtomicU32, Ordering};

use rustix::thread::futex;

use crate::errno::{Errno, check, retry};

/// How many signals of an ended child have come. [`take_for_ever`] waits for a change of it.
static HEARD: AtomicU32 = AtomicU32::new(0);

/// Whether the kernel gives this process the orphans of others.
pub(crate) fn are_ours() -> bool {
    rustix::process::getpid().is_init() || is_subreaper()
}

fn is_subreaper() -> bool {
    let mut answer: libc::c_int = 0;
    // SAFETY: a place for the kernel to fill with a number.
    let asked = unsafe { libc::prctl(libc::PR_GET_CHILD_SUBREAPER, &raw mut answer) };
    asked == 0 && answer != 0
}

/// The system's signal tells that a child has ended. For the handlers of that signal: no lock, no memory, no C library.
pub(crate) fn heard() {
    HEARD.fetch_add(1, Ordering::Release);
    // Fails only for addresses that are no futex.
    let _ = futex::wake(&HEARD, futex::Flags::PRIVATE, 1);
}

/// Takes the statuses of all children of the calling thread as they end, for as long as the process lives. For the
/// thread that runs `main`, which must have no children of its own that somebody waits for.
pub fn take_for_ever() -> ! {
    loop {
        let heard = HEARD.load(Ordering::Acquire);
        // Sleeps here while there are children. One that comes meanwhile, and one that is an orphan only when it has
        // ended already, wake it as the others do.
        while take_next().is_ok() {}
        if !are_ours() {
            // There were at most those from before this program, and no others come.
            loop {
                std::thread::park();
            }
        }
        // An orphan that comes from here on makes itself heard when it ends.
        let _ = futex::wait(&HEARD, futex::Flags::PRIVATE, heard, None);
    }
}

/// Waits for the end of a child of this thread, and takes its status. `echild` if there is none.
fn take_next() -> Result<(), Errno> {
    let flags = libc::WEXITED | libc::__WNOTHREAD;
    // By the C library, because `rustix` does not tell the children of one thread from those of others.
    // SAFETY: the kernel is asked for nothing but to take a status.
    retry(|| check(unsafe { libc::waitid(libc::P_ALL, 0, std::ptr::null_mut(), flags) }))?;
    Ok(())
}
