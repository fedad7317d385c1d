//! The terminal: whether there is one, how large it is, and the mode that a line editor needs.
//!
//! Invariant: a terminal whose mode was changed gets its former mode back when the guard is dropped, when the
//! program calls `exit` or returns from `main`, and when a thread panics. A deadly signal leaves it changed,
//! but for a guard of [`ModeGuard::enter_watched`]. One terminal at a time can be changed.

pub mod watcher;

use std::io::IsTerminal;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use rustix::termios::{
    InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios,
};

use crate::errno::{Errno, Result, repeat};
use watcher::Watcher;

/// The size in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Characters per line.
    pub columns: u16,
    /// Lines.
    pub rows: u16,
}

/// What the terminal does itself; `None` leaves a setting unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// Collect and edit lines (`true`), or pass on every byte at once (`false`).
    pub canonical: Option<bool>,
    /// Echo what is typed.
    pub echo: Option<bool>,
    /// Turn control characters into signals.
    pub signals: Option<bool>,
    /// Pass on Ctrl-C like other keys, although other control characters send signals.
    pub interrupt_is_key: bool,
}

/// Whether the descriptor is a terminal.
pub fn is_terminal(fd: BorrowedFd<'_>) -> bool {
    fd.is_terminal()
}

/// The size of the window; `enotty` if the descriptor is not a terminal.
pub fn size(fd: BorrowedFd<'_>) -> Result<Size> {
    let size = rustix::termios::tcgetwinsize(fd)?;
    Ok(Size {
        columns: size.ws_col,
        rows: size.ws_row,
    })
}

/// The terminal of this process, into which input can be put.
pub struct Keyboard(std::os::fd::OwnedFd);

impl Keyboard {
    /// # Errors
    /// `enxio` if the process has no terminal.
    pub fn open() -> Result<Keyboard> {
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::CLOEXEC;
        let fd = rustix::fs::open(c"/dev/tty", flags, rustix::fs::Mode::empty())?;
        Ok(Keyboard(fd))
    }

    /// Puts bytes into the input of the terminal, as if somebody typed them.
    ///
    /// # Errors
    /// `eio` where the system does not allow that: Linux with `dev.tty.legacy_tiocsti=0`, unless it is root.
    pub fn press(&self, bytes: &[u8]) -> Result<()> {
        for byte in bytes {
            // SAFETY: the request reads one byte.
            let done = unsafe { libc::ioctl(self.0.as_raw_fd(), libc::TIOCSTI, &raw const *byte) };
            if done < 0 {
                return Err(Errno::last());
            }
        }
        Ok(())
    }
}

/// The terminal that is changed now, with its former mode.
static CHANGED: Mutex<Option<Former>> = Mutex::new(None);
/// Whether the terminal could not be given its former mode because it was closed.
static LOST: AtomicBool = AtomicBool::new(false);

struct Former {
    number: RawFd,
    before: Termios,
    during: Termios,
    watcher: Option<Watcher>,
}

/// Keeps a terminal in another mode.
#[must_use]
#[derive(Debug)]
pub struct ModeGuard(());

impl ModeGuard {
    /// Changes the mode. The descriptor must stay open as long as the guard. `ebusy` if a guard exists already,
    /// `enotty` if the descriptor is not a terminal.
    pub fn enter(fd: BorrowedFd<'_>, mode: Mode) -> Result<ModeGuard> {
        ModeGuard::enter_with(fd, mode, |_| None)
    }

    /// As [`enter`](Self::enter); also, a deadly signal restores the mode: for SIGKILL, another program does that.
    pub fn enter_watched(fd: BorrowedFd<'_>, mode: Mode) -> Result<ModeGuard> {
        restore_at_signals();
        // Without a watcher the terminal can be used all the same.
        ModeGuard::enter_with(fd, mode, |fd| Watcher::start(fd).ok())
    }

    fn enter_with(
        fd: BorrowedFd<'_>,
        mode: Mode,
        watch: impl FnOnce(BorrowedFd<'_>) -> Option<Watcher>,
    ) -> Result<ModeGuard> {
        let mut changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
        if changed.is_some() {
            return Err(Errno::EBUSY);
        }
        let number = fd.as_raw_fd();
        let before = rustix::termios::tcgetattr(fd)?;
        let during = with_mode(before.clone(), mode);
        // Before the change, so that an exit at any moment undoes it.
        restore_at_exit();
        let watcher = watch(fd);
        set(number, &during)?;
        *changed = Some(Former {
            number,
            before,
            during,
            watcher,
        });
        Ok(ModeGuard(()))
    }

    /// Sets the mode again, after the program was stopped and continued, in between which the shell used the terminal.
    pub fn renew(&self) -> Result<()> {
        renew()
    }

    /// Restores the former mode until [`renew`](Self::renew), before the program stops.
    pub fn suspend(&self) -> Result<()> {
        let changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
        changed
            .as_ref()
            .map_or(Ok(()), |former| set(former.number, &former.before))
    }
}

/// Sets the changed mode again, if a terminal is changed; see [`ModeGuard::renew`].
///
/// # Errors
/// The system's: the terminal may have been closed, now or before its guard was dropped.
pub fn renew() -> Result<()> {
    let changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
    match changed.as_ref() {
        Some(former) => set(former.number, &former.during),
        None if LOST.load(Ordering::Relaxed) => Err(Errno::EIO),
        None => Ok(()),
    }
}

/// Restores the former mode until [`renew`], if a terminal is changed; see [`ModeGuard::suspend`].
pub fn suspend() {
    let changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(former) = changed.as_ref() {
        let _ = set(former.number, &former.before);
    }
}

/// As [`printed_width`]; 0 for characters that are not printed.
pub fn char_width(character: u32) -> usize {
    printed_width(character).unwrap_or(0)
}

/// Columns that a character takes in the locale that the environment names; `None` for characters that are not printed.
pub fn printed_width(character: u32) -> Option<usize> {
    unsafe extern "C" {
        fn wcwidth(character: libc::wchar_t) -> libc::c_int;
    }
    /// A locale may be used by any thread.
    struct Locale(libc::locale_t);
    // SAFETY: it is never changed or freed.
    unsafe impl Send for Locale {}
    // SAFETY: as above.
    unsafe impl Sync for Locale {}
    static LOCALE: std::sync::LazyLock<Locale> = std::sync::LazyLock::new(|| {
        // SAFETY: a terminated text; null as base makes a new locale.
        Locale(unsafe { libc::newlocale(libc::LC_CTYPE_MASK, c"".as_ptr(), std::ptr::null_mut()) })
    });
    if (0x20..0x7f).contains(&character) {
        return Some(1);
    }
    let locale = LOCALE.0;
    // SAFETY: the locale is live or null (which changes nothing); this thread's own locale is restored at once.
    let width = unsafe {
        let before = libc::uselocale(locale);
        let width = wcwidth(character as libc::wchar_t);
        libc::uselocale(before);
        width
    };
    usize::try_from(width).ok()
}

impl Drop for ModeGuard {
    fn drop(&mut self) {
        restore();
    }
}

/// Changes the bits that OTP's own line editor changes, so that the terminal does not hold back, translate, echo or
/// act on a key before the program sees it.
fn with_mode(mut settings: Termios, mode: Mode) -> Termios {
    settings.input_modes.remove(InputModes::ISTRIP);
    if let Some(on) = mode.canonical {
        settings.local_modes.set(LocalModes::ICANON, on);
        settings.input_modes.set(InputModes::ICRNL, on);
        settings.output_modes.set(OutputModes::OPOST, on);
    }
    if let Some(on) = mode.echo {
        settings.local_modes.set(LocalModes::ECHO, on);
    }
    if let Some(on) = mode.signals {
        use InputModes as Input;
        let input = Input::BRKINT | Input::IGNPAR | Input::ICRNL | Input::IXON | Input::IXANY;
        settings.input_modes.set(input, on);
        let local = LocalModes::ISIG | LocalModes::IEXTEN;
        settings.local_modes.set(local, on);
    }
    if mode.interrupt_is_key {
        // Zero disables the interrupt key.
        settings.special_codes[SpecialCodeIndex::VINTR] = 0;
    }
    if mode.canonical == Some(false) {
        // A read returns as soon as there is one byte.
        settings.special_codes[SpecialCodeIndex::VMIN] = 1;
        settings.special_codes[SpecialCodeIndex::VTIME] = 0;
    }
    settings
}

fn set(number: RawFd, settings: &Termios) -> Result<()> {
    // SAFETY: open when the guard was made, and to be kept open as long as the guard. If it was closed nevertheless,
    // the call fails, or changes another terminal that has the number now.
    let fd = unsafe { BorrowedFd::borrow_raw(number) };
    repeat(|| rustix::termios::tcsetattr(fd, OptionalActions::Now, settings))
}

/// Restores the former mode of the terminal, if one is changed.
pub(crate) fn restore() {
    // Without waiting for the lock: a panic inside this module must not block the exit.
    let Ok(mut changed) = CHANGED.try_lock() else {
        return;
    };
    if let Some(former) = changed.take() {
        // Fails if the terminal was closed; then there is nothing to restore.
        let is_lost = set(former.number, &former.before).is_err();
        LOST.store(is_lost, Ordering::Relaxed);
        if let Some(watcher) = former.watcher {
            watcher.dismiss();
        }
    }
}

fn restore_at_exit() {
    extern "C" fn at_exit() {
        restore();
    }
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the function may be called at any time and takes no arguments.
        unsafe { libc::atexit(at_exit) };
        // A panic may abort, which runs no exit functions.
        let next = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            next(panic);
        }));
    });
}

/// Has signals that end the program restore the mode before. Those that are ignored or handled stay so.
fn restore_at_signals() {
    extern "C" fn restore_and_end(number: libc::c_int) {
        // Without waiting for the lock, whose owner may be the code that was interrupted.
        if let Ok(changed) = CHANGED.try_lock()
            && let Some(former) = changed.as_ref()
        {
            let _ = set(former.number, &former.before);
        }
        // SAFETY: the handler has been reset, so the signal ends the program when this one returns.
        unsafe { libc::raise(number) };
    }
    let handler = restore_and_end as extern "C" fn(libc::c_int) as libc::sighandler_t;
    for number in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
        // SAFETY: all-zero structures are valid. The handler may run at any time on any thread: it takes no lock that
        // it has to wait for, and calls only what a handler may call.
        unsafe {
            let mut now: libc::sigaction = std::mem::zeroed();
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler;
            action.sa_flags = libc::SA_RESETHAND | libc::SA_ONSTACK;
            if libc::sigaction(number, std::ptr::null(), &raw mut now) == 0
                && now.sa_sigaction == libc::SIG_DFL
            {
                libc::sigaction(number, &raw const action, std::ptr::null_mut());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::{AsFd, FromRawFd, OwnedFd};
    use std::os::unix::ffi::OsStrExt;

    /// A pseudo-terminal: the controlling side and the terminal.
    fn pseudo_terminal() -> (OwnedFd, OwnedFd) {
        let (mut controller, mut terminal) = (0, 0);
        let window = libc::winsize {
            ws_row: 30,
            ws_col: 101,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let null = std::ptr::null_mut();
        // SAFETY: writes two numbers and reads a structure; name and settings may be null.
        let answer = unsafe {
            libc::openpty(
                &mut controller,
                &mut terminal,
                null,
                std::ptr::null(),
                &window,
            )
        };
        assert_eq!(answer, 0);
        // SAFETY: the call has just made both.
        unsafe {
            (
                OwnedFd::from_raw_fd(controller),
                OwnedFd::from_raw_fd(terminal),
            )
        }
    }

    fn local_flags(fd: BorrowedFd<'_>) -> libc::tcflag_t {
        // SAFETY: all-zero is a valid structure, which the call fills in.
        unsafe {
            let mut settings: libc::termios = std::mem::zeroed();
            assert_eq!(libc::tcgetattr(fd.as_raw_fd(), &mut settings), 0);
            settings.c_lflag
        }
    }

    #[test]
    fn the_mode_changes_and_comes_back() {
        let (controller, terminal) = pseudo_terminal();
        assert!(is_terminal(terminal.as_fd()));
        assert_eq!(
            size(terminal.as_fd()),
            Ok(Size {
                columns: 101,
                rows: 30
            })
        );
        let before = local_flags(terminal.as_fd());
        let mode = Mode {
            canonical: Some(false),
            echo: Some(false),
            signals: None,
            ..Mode::default()
        };
        let guard = ModeGuard::enter(terminal.as_fd(), mode).unwrap();
        assert_eq!(
            ModeGuard::enter(terminal.as_fd(), mode).unwrap_err(),
            Errno::EBUSY
        );
        assert_eq!(
            local_flags(terminal.as_fd()),
            before & !(libc::ICANON | libc::ECHO)
        );
        // One byte gets through without a newline, and is not echoed.
        crate::fd::write(controller.as_fd(), b"x").unwrap();
        assert_eq!(
            crate::fd::wait_readable(terminal.as_fd(), Some(5_000_000_000)),
            Ok(true)
        );
        assert_eq!(
            crate::fd::wait_readable(controller.as_fd(), Some(0)),
            Ok(false)
        );
        guard.suspend().unwrap();
        assert_eq!(local_flags(terminal.as_fd()), before);
        guard.renew().unwrap();
        assert_eq!(
            local_flags(terminal.as_fd()),
            before & !(libc::ICANON | libc::ECHO)
        );
        drop(guard);
        assert_eq!(local_flags(terminal.as_fd()), before);
        // A thread that panics does not leave it changed either, though its guard is never dropped.
        let copy = terminal.try_clone().unwrap();
        let panicked = std::thread::spawn(move || {
            std::mem::forget(ModeGuard::enter(copy.as_fd(), mode).unwrap());
            panic!("on purpose");
        });
        assert!(panicked.join().is_err());
        assert_eq!(local_flags(terminal.as_fd()), before);
    }

    /// Runs in the child of the test below, whose standard input is a terminal.
    #[test]
    #[ignore = "started by `a_program_that_exits_leaves_the_terminal_as_it_was`"]
    fn exit_in_another_mode() {
        let input = std::io::stdin();
        let mode = Mode {
            canonical: Some(false),
            echo: Some(false),
            signals: Some(false),
            ..Mode::default()
        };
        let guard = ModeGuard::enter(input.as_fd(), mode).unwrap();
        let during = local_flags(input.as_fd());
        assert_eq!(during & (libc::ICANON | libc::ECHO | libc::ISIG), 0);
        std::mem::forget(guard);
        std::process::exit(42);
    }

    #[test]
    fn a_program_that_exits_leaves_the_terminal_as_it_was() {
        let (_controller, terminal) = pseudo_terminal();
        let before = local_flags(terminal.as_fd());
        let program = std::env::current_exe().unwrap();
        let child = crate::child::Command::new(program.as_os_str().as_bytes())
            .args([
                &b"--exact"[..],
                b"--ignored",
                b"terminal::tests::exit_in_another_mode",
            ])
            .give(0, terminal.as_fd())
            .spawn()
            .unwrap();
        assert_eq!(child.wait(), Ok(crate::child::Exit::Status(42)));
        assert_eq!(local_flags(terminal.as_fd()), before);
    }

    #[test]
    fn what_is_no_terminal_is_refused() {
        let (reader, _writer) = crate::fd::pipe().unwrap();
        assert!(!is_terminal(reader.as_fd()));
        assert_eq!(size(reader.as_fd()), Err(Errno::ENOTTY));
    }
}
