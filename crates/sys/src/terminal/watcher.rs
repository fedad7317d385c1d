//! A program that gives a terminal its former mode back when the program that had changed it is killed.
//!
//! OTP 26 and later do this by `erl_child_setup`, the program that starts all others. It is ferl itself that runs here,
//! with the argument [`ARGUMENT`], the reading end of a pipe as input and the terminal as output. It first reads the
//! former mode. Then the pipe ends, because whoever had the other end is gone, or there is one byte more: there is
//! nothing to do.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use crate::child::Command;
use crate::errno::{Errno, Result};
use crate::fd;

/// The only argument of the program as a watcher.
pub const ARGUMENT: &str = "--restore-terminal";

type Settings = libc::termios;

/// The writing end of a watcher's pipe. A watcher whose pipe is closed restores the mode.
#[derive(Debug)]
pub(super) struct Watcher(OwnedFd);

impl Watcher {
    /// Starts a watcher that would restore the mode of now.
    pub(super) fn start(terminal: BorrowedFd<'_>) -> Result<Watcher> {
        let mut mode = MaybeUninit::<Settings>::zeroed();
        // SAFETY: fills in the structure, which is all zero before, so that all its bytes are initialised.
        let mode = unsafe {
            if libc::tcgetattr(terminal.as_raw_fd(), mode.as_mut_ptr()) != 0 {
                return Err(Errno::last());
            }
            std::slice::from_raw_parts(mode.as_ptr().cast::<u8>(), size_of::<Settings>())
        };
        let (input, to) = fd::pipe()?;
        fd::write(to.as_fd(), mode)?;
        Command::new(b"/proc/self/exe")
            .arg0(b"ferl")
            .arg(ARGUMENT.as_bytes())
            .give(0, input.as_fd())
            .give(1, terminal)
            // Signals of the terminal's keys are not for it, and it may set the mode although it is not in the
            // foreground.
            .new_session()
            .start_told(|_| {})
            .map_err(|error| error.errno)?;
        Ok(Watcher(to))
    }

    /// Ends the watcher; the mode was restored.
    pub(super) fn dismiss(self) {
        let _ = fd::write(self.0.as_fd(), b".");
    }
}

/// What the program does as a watcher.
pub fn run() {
    let mut mode = MaybeUninit::<Settings>::zeroed();
    // SAFETY: the bytes of the structure, which are initialised.
    let bytes = unsafe {
        std::slice::from_raw_parts_mut(mode.as_mut_ptr().cast::<u8>(), size_of::<Settings>())
    };
    let [input, terminal] = [0, 1].map(|number: c_int| {
        // SAFETY: given by `Watcher::start`, and never closed here.
        unsafe { BorrowedFd::borrow_raw(number) }
    });
    let is_whole = fd::read(input, bytes) == Ok(size_of::<Settings>());
    if is_whole && fd::read(input, &mut [0]) == Ok(0) {
        // SAFETY: a mode that `tcgetattr` has returned. If the terminal is gone, the call fails.
        unsafe { libc::tcsetattr(terminal.as_raw_fd(), libc::TCSANOW, mode.as_ptr()) };
    }
}
