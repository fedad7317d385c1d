//! Starting threads: with a name, a stack of a given size, and nearly all signals blocked.
//!
//! Signals that are sent to the process are thereby left to the thread that `main` runs on. Those a thread
//! raises by itself (a bad memory access, an abort) still reach it, and so does what tells it that a child which it
//! started has ended: the kernel drops that at once where it is not blocked, but otherwise wakes the main thread for it.

use std::mem::MaybeUninit;

use crate::errno::{Errno, Result};

/// What the thread's function returned is had by `join`.
pub type JoinHandle<T> = std::thread::JoinHandle<T>;

/// Starts a thread. The name shows in debuggers and `top -H` (15 bytes of it). The stack gets a guard page; its
/// memory is spent only where it is touched. `eagain` when the system has no more threads to give.
pub fn spawn<T: Send + 'static>(
    name: &str,
    stack_bytes: usize,
    function: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>> {
    if name.contains('\0') {
        return Err(Errno::EINVAL);
    }
    // Blocked here already, because a signal could come before the new thread has had its first turn: it
    // inherits our mask.
    let _blocked = BlockedSignals::new();
    let builder = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(stack_bytes);
    Ok(builder.spawn(function)?)
}

/// Ends the process, whatever state it is in: nothing else runs, nothing is flushed; but a terminal gets its mode back.
pub fn exit_at_once(status: i32) -> ! {
    crate::terminal::restore();
    // SAFETY: does not come back.
    unsafe { libc::_exit(status) }
}

/// Lowers the priority of the process by so much; what `nice` does.
pub fn lower_priority(by: i32) {
    // SAFETY: takes and returns plain numbers; a refusal changes nothing.
    unsafe { libc::nice(by) };
}

/// Makes [`barrier_everywhere`] possible; false where the system does not offer it.
#[must_use]
pub fn register_barrier() -> bool {
    membarrier(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED as libc::c_int)
}

/// Every running thread of the process executes a full memory barrier before this returns. Takes microseconds.
///
/// # Panics
/// When [`register_barrier`] has not been called, or answered false.
pub fn barrier_everywhere() {
    assert!(
        membarrier(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED as libc::c_int),
        "the barrier was registered"
    );
}

fn membarrier(command: libc::c_int) -> bool {
    // SAFETY: takes plain numbers and touches no memory of ours.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Blocks signals in the calling thread until dropped.
pub(crate) struct BlockedSignals {
    before: libc::sigset_t,
}

impl BlockedSignals {
    pub(crate) fn new() -> BlockedSignals {
        let mut before = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: both sets are valid, and the call fills the second; it cannot fail with this command.
        let before = unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, &asynchronous(), before.as_mut_ptr());
            before.assume_init()
        };
        BlockedSignals { before }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: the set was filled by the call in `new`.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}

/// All signals but those a thread raises by what it executes, which would kill the process when blocked, and that of the
/// end of a child.
fn asynchronous() -> libc::sigset_t {
    let own = [
        libc::SIGSEGV,
        libc::SIGBUS,
        libc::SIGFPE,
        libc::SIGILL,
        libc::SIGTRAP,
        libc::SIGABRT,
        libc::SIGSYS,
        libc::SIGCHLD,
    ];
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the first call fills the set, the others change it.
    unsafe {
        libc::sigfillset(set.as_mut_ptr());
        for signal in own {
            libc::sigdelset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
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
