//! Signals sent to this process: which are handled, and which have come.
//!
//! A handler only records its signal and makes a descriptor readable; whoever waits for that descriptor takes
//! the recorded signals with [`take_pending`] and handles them in ordinary code. Equal signals that come before they
//! are taken count as one, as they do in the kernel.
//!
//! ```text
//! PENDING   bit N: signal N has come    handlers set (any thread, any time), `take_pending` clears all
//! ```

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::event::EventfdFlags;

use crate::child;
use crate::errno::{Result, check};

/// One row per signal that can be named; the last column is the name in lower case, as programs write it.
macro_rules! signals {
    ($($(#[$doc:meta])* $variant:ident = $number:ident, $name:literal;)*) => {
        /// A signal that can be sent to this process.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Signal {
            $($(#[$doc])* $variant,)*
        }

        impl Signal {
            /// All of them.
            pub const ALL: &[Signal] = &[$(Signal::$variant,)*];

            /// The system's number.
            pub fn number(self) -> i32 {
                match self {
                    $(Signal::$variant => libc::$number,)*
                }
            }

            /// The name in lower case, such as `sigterm`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Signal::$variant => $name,)*
                }
            }
        }
    };
}

signals! {
    /// The terminal was closed.
    Hangup = SIGHUP, "sighup";
    /// Ctrl-C.
    Interrupt = SIGINT, "sigint";
    /// Ctrl-\.
    Quit = SIGQUIT, "sigquit";
    /// From `abort`.
    Abort = SIGABRT, "sigabrt";
    /// A timer of the system.
    Alarm = SIGALRM, "sigalrm";
    /// A polite request to end.
    Terminate = SIGTERM, "sigterm";
    /// For any purpose.
    User1 = SIGUSR1, "sigusr1";
    /// For any purpose.
    User2 = SIGUSR2, "sigusr2";
    /// A child ended or stopped.
    Child = SIGCHLD, "sigchld";
    /// Continue after a stop.
    Continue = SIGCONT, "sigcont";
    /// Stop; can be neither handled nor ignored.
    Stop = SIGSTOP, "sigstop";
    /// Ctrl-Z.
    TerminalStop = SIGTSTP, "sigtstp";
    /// The terminal has another size.
    WindowChange = SIGWINCH, "sigwinch";
    /// A write to a pipe without a reader.
    Pipe = SIGPIPE, "sigpipe";
}

impl Signal {
    /// The signal with this number, if it has a name here.
    pub fn from_number(number: i32) -> Option<Signal> {
        Signal::ALL
            .iter()
            .copied()
            .find(|signal| signal.number() == number)
    }
}

/// What happens when a signal comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// The default action, which for most signals ends the process.
    Default,
    /// Nothing.
    Ignore,
    /// It is recorded for [`take_pending`].
    Handle,
}

/// Signals that have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Pending(u64);

impl Pending {
    /// Whether this one has come.
    pub fn contains(self, signal: Signal) -> bool {
        self.0 & bit(signal.number()) != 0
    }

    /// Whether none has come.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that have come.
    pub fn iter(self) -> impl Iterator<Item = Signal> {
        Signal::ALL
            .iter()
            .copied()
            .filter(move |signal| self.contains(*signal))
    }
}

static PENDING: AtomicU64 = AtomicU64::new(0);
/// Signals that [`set`] has made ignored, and signals that it has given another disposition; signal N is bit N - 1.
static IGNORED_SINCE: AtomicU64 = AtomicU64::new(0);
static NO_LONGER_IGNORED: AtomicU64 = AtomicU64::new(0);
/// The descriptor that handlers write to.
static NOTICE: OnceLock<OwnedFd> = OnceLock::new();

/// Must be called when the program starts, before other threads exist: writes to broken pipes become errors instead
/// of ending the process, and the statuses of children are kept even if our parent ignored SIGCHLD.
pub fn init() -> Result<()> {
    ignored_at_start();
    pending_fd()?;
    set(Signal::Pipe, Disposition::Ignore)?;
    set(Signal::Child, Disposition::Default)
}

/// The signals that were ignored at the first call, which [`init`] makes: signal N is bit N - 1.
pub fn ignored_at_start() -> u64 {
    static IGNORED: OnceLock<u64> = OnceLock::new();
    *IGNORED.get_or_init(|| {
        let is_ignored = |number: &i32| {
            // The kernel's structure: handler, flags, restorer, mask. Not by the C library's function, which refuses
            // the two signals that it uses itself.
            let mut action = [0usize; 4];
            // SAFETY: the kernel writes four words, or none for a signal that it does not have.
            unsafe {
                libc::syscall(
                    libc::SYS_rt_sigaction,
                    *number,
                    std::ptr::null::<usize>(),
                    action.as_mut_ptr(),
                    size_of::<u64>(),
                );
            }
            action[0] == libc::SIG_IGN
        };
        (1..=64)
            .filter(is_ignored)
            .fold(0, |ignored, number| ignored | 1 << (number - 1))
    })
}

/// The signals that are ignored now, in the same form.
pub(crate) fn ignored_now() -> u64 {
    (ignored_at_start() | IGNORED_SINCE.load(Ordering::Relaxed))
        & !NO_LONGER_IGNORED.load(Ordering::Relaxed)
}

/// A descriptor that becomes readable when a handled signal comes; for a [`Poller`](crate::poll::Poller).
pub fn pending_fd() -> Result<BorrowedFd<'static>> {
    if let Some(event) = NOTICE.get() {
        return Ok(event.as_fd());
    }
    let event = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
    Ok(NOTICE.get_or_init(|| event).as_fd())
}

/// Changes what happens when a signal comes. `einval` for [`Signal::Stop`].
pub fn set(signal: Signal, disposition: Disposition) -> Result<()> {
    let handler = match disposition {
        // The default would be silent.
        Disposition::Default | Disposition::Ignore
            if signal == Signal::Child && child::orphans::are_ours() =>
        {
            hear as extern "C" fn(libc::c_int) as libc::sighandler_t
        }
        Disposition::Default => libc::SIG_DFL,
        // With SIG_IGN for this signal the system would take the exit statuses of children itself.
        Disposition::Ignore if signal == Signal::Child => {
            disregard as extern "C" fn(libc::c_int) as libc::sighandler_t
        }
        Disposition::Ignore => libc::SIG_IGN,
        Disposition::Handle => {
            pending_fd()?;
            note as extern "C" fn(libc::c_int, *const libc::siginfo_t) as libc::sighandler_t
        }
    };
    // SAFETY: all-zero is a valid structure: an empty mask and no flags.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler;
    // On the thread's signal stack, because the stack pointer may point anywhere while generated code runs.
    // The kernel restarts interrupted system calls where it can.
    action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK | libc::SA_SIGINFO;
    // SAFETY: the action is complete, and its handler may run at any time on any thread.
    check(unsafe { libc::sigaction(signal.number(), &action, std::ptr::null_mut()) })?;
    let bit = 1 << (signal.number() - 1);
    if disposition == Disposition::Ignore {
        IGNORED_SINCE.fetch_or(bit, Ordering::Relaxed);
        NO_LONGER_IGNORED.fetch_and(!bit, Ordering::Relaxed);
    } else {
        NO_LONGER_IGNORED.fetch_or(bit, Ordering::Relaxed);
    }
    Ok(())
}

/// Takes the signals that have come since the last time.
pub fn take_pending() -> Pending {
    // Resets the descriptor first: a signal in between makes it readable again, and at worst the next call
    // finds no signal.
    if let Ok(event) = pending_fd() {
        let _ = crate::fd::read(event, &mut [0; 8]);
    }
    let mut pending = PENDING.swap(0, Ordering::Acquire);
    // The thread that waits for children tells of ours. On stock OTP those belong to another process, so no signal
    // comes.
    if child::is_stranger_signalled() {
        pending |= bit(Signal::Child.number());
    }
    Pending(pending)
}

/// Sends a signal to a process, as `kill` does. Signal 0 sends nothing, and fails if the process does not exist.
pub fn send(process: i32, signal_number: i32) -> Result<()> {
    // SAFETY: takes and returns plain numbers.
    check(unsafe { libc::kill(process, signal_number) })?;
    Ok(())
}

/// Makes the system kill this process after a number of seconds.
pub fn kill_after(seconds: u32) {
    // SAFETY: takes and returns plain numbers; the signal's default action ends the process, and threads that block
    // it leave it to the one that runs `main`.
    unsafe {
        libc::signal(libc::SIGALRM, libc::SIG_DFL);
        libc::alarm(seconds);
    }
}

/// The handler. The interrupted thread may be anywhere, also between a call of the C library and its look at `errno`:
/// so only atomics (which is what `get` of a cell is) and a write that does not go through the C library.
extern "C" fn note(number: libc::c_int, info: *const libc::siginfo_t) {
    // SAFETY: the kernel passes the handler a valid pointer to information about the signal.
    let sent_by_a_process = unsafe { (*info).si_code <= 0 };
    if number == libc::SIGCHLD && !sent_by_a_process {
        // SAFETY: the same; of this signal the kernel says which child it is for.
        child::signalled(unsafe { (*info).si_pid() });
        child::orphans::heard();
    } else {
        PENDING.fetch_or(bit(number), Ordering::Release);
    }
    if let Some(event) = NOTICE.get() {
        // Fails when the counter is at its limit; then the descriptor is readable anyway.
        let _ = rustix::io::write(event, &1u64.to_ne_bytes());
    }
}

extern "C" fn disregard(_number: libc::c_int) {}

/// The handler of the end of a child where nobody wants to know of it but who takes the statuses of orphans.
extern "C" fn hear(_number: libc::c_int) {
    child::orphans::heard();
}

fn bit(number: i32) -> u64 {
    1u64.checked_shl(number as u32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errno::Errno;

    /// One test, because a process has one set of handlers.
    #[test]
    fn handled_signals_are_noted_and_ignored_ones_are_not() {
        init().unwrap();
        let event = pending_fd().unwrap();
        for signal in [Signal::User1, Signal::User2] {
            set(signal, Disposition::Handle).unwrap();
        }
        assert!(take_pending().is_empty());
        // To this thread, so that it has come when the call returns.
        let raise = |signal: Signal| {
            // SAFETY: raises a signal that is handled or ignored.
            assert_eq!(unsafe { libc::raise(signal.number()) }, 0);
        };
        raise(Signal::User1);
        raise(Signal::User1);
        raise(Signal::User2);
        assert_eq!(crate::fd::wait_readable(event, Some(0)), Ok(true));
        let pending = take_pending();
        assert_eq!(
            pending.iter().collect::<Vec<_>>(),
            [Signal::User1, Signal::User2]
        );
        assert!(!pending.contains(Signal::Terminate));
        assert_eq!(crate::fd::wait_readable(event, Some(0)), Ok(false));
        assert!(take_pending().is_empty());

        set(Signal::User1, Disposition::Ignore).unwrap();
        raise(Signal::User1);
        raise(Signal::Pipe);
        assert!(take_pending().is_empty());
        set(Signal::User1, Disposition::Default).unwrap();
        assert_eq!(set(Signal::Stop, Disposition::Handle), Err(Errno::EINVAL));

        // A signal that another thread handles makes a poller in this one return.
        let poller = crate::poll::Poller::new().unwrap();
        let (token, interest) = (crate::poll::Token(5), crate::poll::Interest::READ);
        poller
            .add(event, token, interest, crate::poll::Trigger::Edge)
            .unwrap();
        let other = std::thread::spawn(move || raise(Signal::User2));
        let mut events = crate::poll::Events::with_capacity(4);
        poller.wait(&mut events, Some(20_000_000_000)).unwrap();
        assert_eq!(events.iter().next().unwrap().token, token);
        other.join().unwrap();
        assert!(take_pending().contains(Signal::User2));

        // A handler leaves the error number alone, also when its write fails because the counter is at its limit.
        for count in [1, u64::MAX - 1] {
            crate::fd::write(event, &count.to_ne_bytes()).unwrap();
            // SAFETY: the location is this thread's own.
            unsafe { *libc::__errno_location() = libc::ENOTTY };
            raise(Signal::User2);
            assert_eq!(Errno::last(), Errno::ENOTTY);
            assert!(take_pending().contains(Signal::User2));
        }
    }

    #[test]
    fn only_processes_that_exist_get_signals() {
        assert_eq!(send(crate::host::process_id() as i32, 0), Ok(()));
        assert_eq!(send(i32::MAX, 0), Err(Errno::ESRCH));
        assert_eq!(
            send(crate::host::process_id() as i32, 10_000),
            Err(Errno::EINVAL)
        );
    }

    #[test]
    fn numbers_and_names_go_together() {
        for signal in Signal::ALL {
            assert_eq!(Signal::from_number(signal.number()), Some(*signal));
            assert!(signal.name().starts_with("sig"));
        }
        assert_eq!(Signal::from_number(0), None);
    }
}
