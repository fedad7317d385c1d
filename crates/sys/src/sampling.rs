//! Interrupting a thread at regular intervals of the processor time that it uses, to see what it does: the timer and
//! the signal of a profiler.
//!
//! Each thread that is [interrupted](Thread::interrupt) has a timer of its own, which runs only while the thread runs.
//! The kernel looks at such timers in its tick, so it interrupts at most that often; what it has left out is in the
//! [`Interrupted::weight`].
//!
//! The observer runs in the handler of a signal: it must not allocate, lock, or call anything that may. It reads and
//! writes what is its thread's own, and what is atomic.

use std::ops::Range;
use std::sync::OnceLock;

use crate::errno::{Errno, Result, check};

/// What a thread was doing when it was interrupted.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted {
    /// The address of the instruction.
    pub ip: usize,
    /// The native stack pointer.
    pub native_stack: usize,
    /// The register of the second argument, in which generated code keeps its stack.
    pub second_argument: usize,
    /// The registers that functions preserve for their callers.
    pub preserved: [usize; 6],
    /// The intervals since the last interruption.
    pub weight: u32,
}

/// Called in the handler; see the module's documentation.
pub type Observer = fn(&Interrupted);

static OBSERVER: OnceLock<Observer> = OnceLock::new();

/// Sets the observer, once for the program, and handles the signal.
///
/// # Errors
/// `enosys` on processors whose registers are not known here; `einval` the second time.
pub fn set_observer(observer: Observer) -> Result<()> {
    if !cfg!(target_arch = "x86_64") {
        return Err(Errno::ENOSYS);
    }
    OBSERVER.set(observer).map_err(|_| Errno::EINVAL)?;
    // SAFETY: all-zero is a valid structure: an empty mask and no flags.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    let handler: extern "C" fn(libc::c_int, *const libc::siginfo_t, *const libc::c_void) =
        interrupted;
    action.sa_sigaction = handler as libc::sighandler_t;
    action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK | libc::SA_SIGINFO;
    // SAFETY: the action is complete, and its handler may run at any time on any thread.
    check(unsafe { libc::sigaction(libc::SIGPROF, &action, std::ptr::null_mut()) })?;
    Ok(())
}

/// A thread that may be interrupted, by itself and by others, as long as it lives.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    thread: libc::pthread_t,
    number: libc::pid_t,
}

/// Interrupts a thread until it is dropped.
#[derive(Debug)]
pub struct Timer(libc::timer_t);

// SAFETY: a timer belongs to the program; any thread may delete it.
unsafe impl Send for Timer {}

impl Thread {
    /// This thread, which may be interrupted from now on.
    #[must_use]
    pub fn this() -> Thread {
        // SAFETY: the first call fills the set that the others change and read; the last two cannot fail.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            libc::sigaddset(&mut set, libc::SIGPROF);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
            Thread {
                thread: libc::pthread_self(),
                number: libc::gettid(),
            }
        }
    }

    /// Interrupts the thread from now on, each time that it has used another part of a second.
    ///
    /// # Errors
    /// When the system has no more timers.
    ///
    /// # Safety
    /// The thread has not ended, and lives as long as the timer. An observer is set.
    pub unsafe fn interrupt(self, times_in_a_second: u32) -> Result<Timer> {
        let interval = libc::timespec {
            tv_sec: i64::from(times_in_a_second <= 1),
            tv_nsec: match times_in_a_second {
                0 | 1 => 0,
                times => i64::from(1_000_000_000 / times),
            },
        };
        // SAFETY: the structures are complete; the thread is there, by the caller's promise, and so is the handler of
        // the signal.
        unsafe {
            let mut clock: libc::clockid_t = 0;
            let error = libc::pthread_getcpuclockid(self.thread, &mut clock);
            if error != 0 {
                return Err(Errno(error));
            }
            let mut event: libc::sigevent = std::mem::zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = libc::SIGPROF;
            event.sigev_notify_thread_id = self.number;
            let mut timer: libc::timer_t = std::ptr::null_mut();
            check(libc::timer_create(clock, &mut event, &mut timer))?;
            let timer = Timer(timer);
            let setting = libc::itimerspec {
                it_interval: interval,
                it_value: interval,
            };
            check(libc::timer_settime(
                timer.0,
                0,
                &setting,
                std::ptr::null_mut(),
            ))?;
            Ok(timer)
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: the timer is deleted once. A signal that it has sent may still come, to the handler.
        unsafe { libc::timer_delete(self.0) };
    }
}

/// The addresses of the program's own functions.
#[must_use]
pub fn program_text() -> Range<usize> {
    unsafe extern "C" {
        /// Defined by the linker: where the program begins, and where its functions end.
        static __executable_start: u8;
        static etext: u8;
    }
    (&raw const __executable_start) as usize..(&raw const etext) as usize
}

/// The function that the instruction before this address calls, if that is a call of a known function in the program.
#[must_use]
pub fn called_before(address: usize) -> Option<usize> {
    const CALL: u8 = 0xe8;
    const CALL_BYTES: usize = 5;
    let text = program_text();
    let begin = address.checked_sub(CALL_BYTES)?;
    if !cfg!(target_arch = "x86_64") || begin < text.start || address > text.end {
        return None;
    }
    // SAFETY: these bytes are within the program, which is mapped as long as it runs, and its functions are never
    // written.
    let call = unsafe { std::slice::from_raw_parts(begin as *const u8, CALL_BYTES) };
    let &[CALL, a, b, c, d] = call else {
        return None;
    };
    let distance = i32::from_le_bytes([a, b, c, d]) as isize;
    Some(address.wrapping_add_signed(distance)).filter(|called| text.contains(called))
}

extern "C" fn interrupted(
    _number: libc::c_int,
    info: *const libc::siginfo_t,
    context: *const libc::c_void,
) {
    let Some(observer) = OBSERVER.get() else {
        return;
    };
    // SAFETY: the kernel passes the handler information on the signal, in which the sixth number of a timer's signal is
    // how often it has expired besides, and the registers of the interrupted thread.
    let interrupted = unsafe {
        let more = match (*info).si_code {
            libc::SI_TIMER => *info.cast::<i32>().add(5),
            _ => 0,
        };
        seen(context.cast(), 1 + more.max(0) as u32)
    };
    observer(&interrupted);
}

#[cfg(target_arch = "x86_64")]
unsafe fn seen(context: *const libc::ucontext_t, weight: u32) -> Interrupted {
    // SAFETY: the caller passes the kernel's structure.
    let registers = unsafe { &(*context).uc_mcontext.gregs };
    let register = |number: i32| registers[number as usize] as usize;
    Interrupted {
        ip: register(libc::REG_RIP),
        native_stack: register(libc::REG_RSP),
        second_argument: register(libc::REG_RSI),
        preserved: [
            libc::REG_RBX,
            libc::REG_RBP,
            libc::REG_R12,
            libc::REG_R13,
            libc::REG_R14,
            libc::REG_R15,
        ]
        .map(register),
        weight,
    }
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn seen(_context: *const libc::ucontext_t, weight: u32) -> Interrupted {
    Interrupted {
        ip: 0,
        native_stack: 0,
        second_argument: 0,
        preserved: [0; 6],
        weight,
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static WEIGHT: AtomicUsize = AtomicUsize::new(0);
    static OUTSIDE: AtomicUsize = AtomicUsize::new(0);

    #[test]
    fn a_thread_that_computes_is_interrupted_in_proportion_to_its_time() {
        set_observer(|interrupted| {
            WEIGHT.fetch_add(interrupted.weight as usize, Ordering::Relaxed);
            if !program_text().contains(&interrupted.ip) {
                OUTSIDE.fetch_add(interrupted.weight as usize, Ordering::Relaxed);
            }
        })
        .unwrap();
        let thread = crate::thread::spawn("computes", 1 << 20, || {
            // SAFETY: the thread is this one, which drops the timer, and the observer was set above.
            let timer = unsafe { Thread::this().interrupt(1000) }.unwrap();
            let began_ns = crate::clock::monotonic_ns();
            let mut number = 1u64;
            while WEIGHT.load(Ordering::Relaxed) < 200 {
                number = std::hint::black_box(number.wrapping_mul(31).wrapping_add(7));
            }
            drop(timer);
            crate::clock::monotonic_ns() - began_ns
        });
        let took_ms = thread.unwrap().join().unwrap() / 1_000_000;
        // 200 intervals of a millisecond, counted at the kernel's ticks.
        assert!(took_ms >= 180, "{took_ms} ms");
        assert!(OUTSIDE.load(Ordering::Relaxed) < 20);
    }
}
