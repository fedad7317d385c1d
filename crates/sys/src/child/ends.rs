//! The ends of children, reported by one thread that waits for whichever ends next.
//!
//! A child costs no descriptor, and its end needs neither a signal nor a poll. The thread first finds out which child
//! has ended, and takes its status only after finding its callback, so that the number is not reused before that.
//!
//! Invariant: once a child was started here, all children of this process are started here: the statuses of others are
//! thrown away. Any thread may start a child; it holds the lock meanwhile, so an end is never reported before its child
//! is registered.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::{Child, Command, Exit, SpawnError, Step};
use rustix::process::{Pid, WaitOptions, waitpid};

use crate::errno::{Errno, Result, check, repeat, retry};
use crate::thread;

const STACK_BYTES: usize = 256 << 10;

/// Called with how a child ended, or why it executed no program.
type AtEnd = Box<dyn FnOnce(std::result::Result<Exit, SpawnError>) + Send>;

struct Running {
    children: HashMap<libc::pid_t, (Child, AtEnd)>,
    is_waited_for: bool,
}

static RUNNING: Mutex<Option<Running>> = Mutex::new(None);
static STARTED: Condvar = Condvar::new();

impl Command<'_> {
    /// Starts the program as [`Command::start`] does, and returns the number of its process. When it has ended,
    /// `at_end` is called on the waiting thread, and must return soon, because other children may have ended as well.
    pub fn start_told(
        self,
        at_end: impl FnOnce(std::result::Result<Exit, SpawnError>) + Send + 'static,
    ) -> std::result::Result<u32, SpawnError> {
        let mut running = lock();
        if running.is_none() {
            let waiter = thread::spawn("child_waiter", STACK_BYTES, tell_ends);
            waiter.map_err(|errno| SpawnError {
                step: Step::Program,
                errno,
            })?;
        }
        let running = running.get_or_insert_with(|| Running {
            children: HashMap::new(),
            is_waited_for: false,
        });
        let child = self.start()?;
        let process = child.process;
        running.children.insert(process, (child, Box::new(at_end)));
        if !running.is_waited_for {
            STARTED.notify_one();
        }
        Ok(process as u32)
    }
}

fn lock() -> MutexGuard<'static, Option<Running>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The body of the waiting thread.
fn tell_ends() {
    loop {
        wait_for_any();
        match ended() {
            Ok(process) => {
                let known = lock()
                    .as_mut()
                    .and_then(|running| running.children.remove(&process));
                match known {
                    Some((child, at_end)) => tell(&child, at_end),
                    // It was started in this process before this program was executed.
                    None => forget(process),
                }
            }
            // No child is left: the system took the statuses itself, as it does when SIGCHLD is ignored.
            Err(_) => {
                let lost = lock()
                    .as_mut()
                    .map(|running| std::mem::take(&mut running.children));
                for (child, at_end) in lost.into_iter().flatten().map(|(_, known)| known) {
                    tell(&child, at_end);
                }
            }
        }
    }
}

/// Waits until there are children.
fn wait_for_any() {
    let mut running = lock();
    loop {
        if let Some(running) = running.as_mut() {
            running.is_waited_for = !running.children.is_empty();
            if running.is_waited_for {
                return;
            }
        }
        running = STARTED
            .wait(running)
            .unwrap_or_else(PoisonError::into_inner);
    }
}

/// Waits until a child has ended, without taking its status.
fn ended() -> Result<libc::pid_t> {
    // By the C library, because `rustix` does not say which child it was.
    // SAFETY: all-zero is a valid structure.
    let mut status: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let flags = libc::WEXITED | libc::WNOWAIT;
    // SAFETY: a structure for the kernel to fill.
    retry(|| check(unsafe { libc::waitid(libc::P_ALL, 0, &mut status, flags) }))?;
    // SAFETY: the kernel filled the structure as it does for children.
    Ok(unsafe { status.si_pid() })
}

fn tell(child: &Child, at_end: AtEnd) {
    let exit = child.wait();
    at_end(match (child.failure(), exit) {
        (Some(failure), _) => Err(failure),
        (None, Ok(exit)) => Ok(exit),
        (None, Err(_)) => Ok(Exit::Status(255)),
    });
}

fn forget(process: libc::pid_t) {
    let taken = repeat(|| waitpid(Pid::from_raw(process), WaitOptions::empty()));
    debug_assert!(matches!(taken, Ok(_) | Err(Errno::ECHILD)));
}
