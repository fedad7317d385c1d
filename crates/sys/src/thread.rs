//! Starting threads: with a name, a stack of a given size, and nearly all signals blocked.
//!
//! Signals that are sent to the process are thereby left to the thread that runs `main`. Signals that a thread
//! raises itself (a bad memory access, an abort) still reach it, and so does SIGCHLD for a child that it started: a
//! thread that does not block it discards it at once, whereas the kernel would wake the main thread for a blocked one.

pub mod stacks;

use std::mem::MaybeUninit;
use std::thread::JoinHandle;

use rustix::thread::MembarrierCommand;

use crate::errno::{Errno, Result};

/// Starts a thread. The name shows in debuggers and `top -H` (15 bytes of it). The stack gets a guard page; its
/// memory is used only where it is touched. `eagain` when the system allows no more threads.
pub fn spawn<T: Send + 'static>(
    name: &str,
    stack_bytes: usize,
    function: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>> {
    if name.contains('\0') {
        return Err(Errno::EINVAL);
    }
    // Blocked here already, because the new thread inherits our mask, and a signal could come before its first
    // instruction.
    let _blocked = BlockedSignals::asynchronous();
    let builder = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(stack_bytes);
    Ok(builder.spawn(|| {
        let _counted = stacks::Counted::here();
        function()
    })?)
}

/// Ends the process at once, without exit handlers and without flushing; but a terminal gets its mode back.
pub fn exit_at_once(status: i32) -> ! {
    crate::terminal::restore();
    // SAFETY: does not come back.
    unsafe { libc::_exit(status) }
}

/// Adds `by` to the process's niceness, which lowers its priority. A refusal by the system changes nothing.
pub fn lower_priority(by: i32) {
    let _ = rustix::process::nice(by);
}

/// Prepares for [`barrier_everywhere`]; false where the system does not offer it.
#[must_use]
pub fn register_barrier() -> bool {
    rustix::thread::membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
}

/// Every running thread of the process executes a full memory barrier before this returns. Takes microseconds.
///
/// # Panics
/// When [`register_barrier`] has not been called, or returned false.
pub fn barrier_everywhere() {
    rustix::thread::membarrier(MembarrierCommand::PrivateExpedited)
        .expect("the barrier was registered");
}

/// Blocks signals in the calling thread until dropped.
pub(crate) struct BlockedSignals {
    before: libc::sigset_t,
}

impl BlockedSignals {
    /// All signals but those that a thread raises by what it executes, which would kill the process when blocked, and
    /// that of the end of a child.
    pub(crate) fn asynchronous() -> BlockedSignals {
        BlockedSignals::all_but(&[
            libc::SIGSEGV,
            libc::SIGBUS,
            libc::SIGFPE,
            libc::SIGILL,
            libc::SIGTRAP,
            libc::SIGABRT,
            libc::SIGSYS,
            libc::SIGCHLD,
        ])
    }

    /// All signals.
    pub(crate) fn all() -> BlockedSignals {
        BlockedSignals::all_but(&[])
    }

    fn all_but(open: &[libc::c_int]) -> BlockedSignals {
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        let mut before = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the first call fills the set that the others change and read; the last fills `before`, and cannot
        // fail with this command.
        let before = unsafe {
            libc::sigfillset(set.as_mut_ptr());
            for signal in open {
                libc::sigdelset(set.as_mut_ptr(), *signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), before.as_mut_ptr());
            before.assume_init()
        };
        BlockedSignals { before }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: `all_but` filled the set.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_blocked(signal: libc::c_int) -> bool {
        let mut now = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the call fills the set and changes nothing.
        unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), now.as_mut_ptr());
            libc::sigismember(now.as_ptr(), signal) == 1
        }
    }

    #[test]
    fn a_thread_has_its_name_and_blocks_signals() {
        let thread = spawn("ferl_test_name", 256 << 10, || {
            let name = std::fs::read_to_string("/proc/thread-self/comm").unwrap();
            (
                name,
                is_blocked(libc::SIGTERM),
                is_blocked(libc::SIGCHLD),
                is_blocked(libc::SIGSEGV),
            )
        });
        assert_eq!(
            thread.unwrap().join().unwrap(),
            ("ferl_test_name\n".into(), true, false, false)
        );
        assert!(!is_blocked(libc::SIGTERM));
        assert_eq!(spawn("a\0b", 1 << 16, || ()).unwrap_err(), Errno::EINVAL);
    }

    /// Touches a frame of a page per call.
    #[inline(never)]
    fn descend(levels: usize) -> u64 {
        let page = std::hint::black_box([levels as u8; 4096]);
        if levels == 0 {
            0
        } else {
            descend(levels - 1) + u64::from(page[17])
        }
    }

    #[test]
    fn a_thread_has_the_stack_it_was_given() {
        // More than the 2 MiB that threads have by default.
        let thread = spawn("deep", 64 << 20, || descend(10_000)).unwrap();
        assert!(thread.join().unwrap() > 0);
    }
}
