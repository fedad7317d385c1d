//! How a child ended, together with the processor time and memory that it used, including those of its own children
//! whose status it took.
//!
//! The function takes a status, so the invariant of the parent module holds here as well: no other code may wait
//! for the same child, before or at the same time.

use std::time::Duration;

use super::Exit;
use crate::errno::{Errno, Result, check, retry};

/// Resources that a child used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time spent in the program itself.
    pub user: Duration,
    /// Processor time that the kernel spent for it.
    pub system: Duration,
    /// The peak of resident memory of any single process among them. Counted from before the program was executed, so
    /// it is never less than that of the process that started it.
    pub peak_resident_bytes: u64,
    /// Page faults that needed no disk read.
    pub minor_faults: u64,
    /// Page faults that needed a disk read.
    pub major_faults: u64,
    /// How often a thread gave up its processor because it had to wait.
    pub voluntary_switches: u64,
    /// How often a thread lost its processor to another.
    pub involuntary_switches: u64,
}

/// Waits until the child with this number has ended and takes its status, after which the system keeps nothing of it.
/// `echild` if it is not a child of this process, or if its status was taken before.
pub fn wait_with_usage(process_id: u32) -> Result<(Exit, Usage)> {
    let process = libc::pid_t::try_from(process_id).map_err(|_| Errno::ECHILD)?;
    if process <= 0 {
        // The system call would wait for groups of children.
        return Err(Errno::ECHILD);
    }
    let mut status = 0;
    // SAFETY: all-zero is a valid structure of plain numbers.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: a number, no flags, and two places for the kernel to fill.
    retry(|| check(unsafe { libc::wait4(process, &mut status, 0, &mut used) }))?;
    let exit = if libc::WIFEXITED(status) {
        Exit::Status(libc::WEXITSTATUS(status))
    } else {
        Exit::Signal(libc::WTERMSIG(status))
    };
    let count = |number: libc::c_long| u64::try_from(number).unwrap_or(0);
    let usage = Usage {
        user: duration(used.ru_utime),
        system: duration(used.ru_stime),
        peak_resident_bytes: count(used.ru_maxrss) * 1024,
        minor_faults: count(used.ru_minflt),
        major_faults: count(used.ru_majflt),
        voluntary_switches: count(used.ru_nvcsw),
        involuntary_switches: count(used.ru_nivcsw),
    };
    Ok((exit, usage))
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let micros = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(script: &str) -> u32 {
        let command = crate::child::Command::new(b"/bin/sh");
        let command = command.arg(b"-c").arg(script.as_bytes());
        command.spawn().unwrap().process_id()
    }

    #[test]
    fn a_status_comes_with_what_was_used() {
        let child = start("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 7");
        let (exit, usage) = wait_with_usage(child).unwrap();
        assert_eq!(exit, Exit::Status(7));
        assert!(usage.user + usage.system > Duration::ZERO);
        assert!(usage.peak_resident_bytes > 0 && usage.minor_faults > 0);
        assert_eq!(wait_with_usage(child), Err(Errno::ECHILD));
    }

    #[test]
    fn a_signal_is_told_by_its_number() {
        let child = start("kill -9 $$");
        assert_eq!(wait_with_usage(child).unwrap().0, Exit::Signal(9));
    }

    #[test]
    fn groups_of_children_are_nobody() {
        assert_eq!(wait_with_usage(0), Err(Errno::ECHILD));
        assert_eq!(wait_with_usage(u32::MAX), Err(Errno::ECHILD));
    }
}
