//! The ends of children, reported by one thread that waits for whichever ends next.
//!
//! A child costs no descriptor, and its end needs neither a signal nor a poll. The thread first finds out which child
//! has ended, and takes its status only after finding its callback, so that the number is not reused before that. Any
//! thread may start a child; it holds the lock meanwhile, so an end is never reported before its child is registered.
//!
//! C libraries start children of their own in this process, as `system` and `popen` do, and wait for them: the status
//! of such a *stranger* is left to them, and after a while thrown away. Those that nobody can wait for are taken
//! elsewhere ([`orphans`](super::orphans)).

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Child, Command, Exit, SpawnError, Step};
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};

use crate::errno::{Errno, Result, check, repeat, retry};
use crate::thread;

const STACK_BYTES: usize = 256 << 10;

/// How long the status of a stranger is left to who started it.
const PATIENCE: Duration = Duration::from_secs(60);

/// The pauses between two looks for who has ended, while a stranger's status has not been taken.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(50)];

/// Called with how a child ended, or why it executed no program.
type AtEnd = Box<dyn FnOnce(std::result::Result<Exit, SpawnError>) + Send>;

struct Running {
    children: HashMap<libc::pid_t, (Child, AtEnd)>,
    is_waited_for: bool,
}

static RUNNING: Mutex<Option<Running>> = Mutex::new(None);
static STARTED: Condvar = Condvar::new();

/// The children whose status was taken last, or is taken by someone else than the thread here.
static TAKEN: Mutex<VecDeque<libc::pid_t>> = Mutex::new(VecDeque::new());

/// How many of them are remembered: more than may have been signalled and not looked at.
const REMEMBERED: usize = 1024;

/// The children that the system's signal has told of last. Zero is none.
static SIGNALLED: [AtomicI32; 64] = [const { AtomicI32::new(0) }; 64];

/// The place for the next one.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// The system's signal tells that this child has ended. For the handler of that signal.
pub(crate) fn signalled(process: libc::pid_t) {
    let place = NEXT.fetch_add(1, Ordering::Relaxed) % SIGNALLED.len();
    SIGNALLED[place].store(process, Ordering::Release);
}

/// Whether a stranger is among the children that the signal has told of since the last call.
pub(crate) fn is_stranger_signalled() -> bool {
    let signalled = SIGNALLED.each_ref();
    let signalled = signalled.map(|process| process.swap(0, Ordering::AcqRel));
    let running = lock();
    let is_running = |process| {
        let running = running.as_ref();
        running.is_some_and(|running| running.children.contains_key(process))
    };
    let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut ended = signalled.iter().filter(|&&process| process != 0);
    ended.any(|process| !is_running(process) && !taken.contains(process))
}

/// The status of this child of ours is about to be taken, or is taken elsewhere.
pub(super) fn taking(process: libc::pid_t) {
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    if taken.len() == REMEMBERED {
        taken.pop_front();
    }
    taken.push_back(process);
}

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
                if !tell_known(process) {
                    tell_beside(process);
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

/// Tells of the end of this child, if it is one of ours.
fn tell_known(process: libc::pid_t) -> bool {
    let known = lock().as_mut().and_then(|running| {
        let known = running.children.remove(&process)?;
        taking(process);
        Some(known)
    });
    match known {
        Some((child, at_end)) => tell(&child, at_end),
        None => return false,
    }
    true
}

/// Tells of the ends of ours until the status of this stranger, which has ended, is taken: until then the system would
/// name it again and again, so ours are looked at one by one.
fn tell_beside(stranger: libc::pid_t) {
    let (since, [shortest, longest]) = (Instant::now(), PAUSES);
    let mut pause = shortest;
    while has_ended(stranger) {
        if since.elapsed() > PATIENCE {
            return forget(stranger);
        }
        let ours: Vec<libc::pid_t> = lock()
            .iter()
            .flat_map(|running| running.children.keys().copied())
            .collect();
        if ours.is_empty() {
            return;
        }
        let ended: Vec<_> = ours.into_iter().filter(|&child| has_ended(child)).collect();
        pause = match ended.is_empty() {
            true => (pause * 2).min(longest),
            false => shortest,
        };
        for child in ended {
            tell_known(child);
        }
        std::thread::sleep(pause);
    }
}

/// Whether a child has ended and its status was not taken yet.
fn has_ended(process: libc::pid_t) -> bool {
    let Some(process) = Pid::from_raw(process) else {
        return false;
    };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    matches!(
        repeat(|| waitid(WaitId::Pid(process), options)),
        Ok(Some(_))
    )
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
