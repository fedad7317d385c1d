//! Detaching from the terminal: the program continues in the background, in a session of its own.
//!
//! Invariant: only a process with a single thread forks, since a forked child has only the calling
//! thread, and locks that other threads held would stay locked.

use std::fs::File;
use std::os::fd::OwnedFd;

use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::errno::{Errno, Result, check};

/// Which of the two processes returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Side {
    /// The process that was started; it has nothing more to do.
    Foreground,
    /// The process that continues, without a terminal and with nothing behind its standard descriptors.
    Background,
}

/// Forks a background process. `ebusy` when this process has more than one thread.
pub fn detach() -> Result<Side> {
    if std::fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(Errno::EBUSY);
    }
    let (input, output) = nothing()?;
    if fork()? == Side::Foreground {
        return Ok(Side::Foreground);
    }
    // Cannot fail: a process that was just forked never leads a group.
    let _ = rustix::process::setsid();
    // A second time, so that the process does not lead its session and can never acquire a terminal.
    if fork()? == Side::Foreground {
        // SAFETY: ends the process without running the exit handlers that belong to the first one.
        unsafe { libc::_exit(0) };
    }
    dup2_stdin(&input)?;
    dup2_stdout(&output)?;
    dup2_stderr(&output)?;
    Ok(Side::Background)
}

/// What can be read to its end at once, and what takes all that is written: `/dev/null`; or where a system has none, as
/// an empty container, pipes without another end.
fn nothing() -> Result<(OwnedFd, OwnedFd)> {
    match File::options().read(true).write(true).open("/dev/null") {
        Ok(file) => Ok((file.try_clone()?.into(), file.into())),
        Err(_) => Ok((crate::fd::pipe()?.0, crate::fd::pipe()?.1)),
    }
}

fn fork() -> Result<Side> {
    // SAFETY: `detach` checked that this is the only thread, so no lock is held and the child may do anything that the
    // parent may.
    match check(unsafe { libc::fork() })? {
        0 => Ok(Side::Background),
        _ => Ok(Side::Foreground),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_with_threads_is_not_split() {
        // The harness runs each test in a thread beside its own.
        assert_eq!(detach(), Err(Errno::EBUSY));
    }
}
