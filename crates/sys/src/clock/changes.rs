//! When the wall clock is set: by a person, by a service that corrects it in one step, or by the kernel when the host
//! has been suspended. Any thread may call.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

use crate::errno::Result;

/// Tells of changes of the wall clock, by a descriptor for a [`Poller`](crate::poll::Poller).
pub struct ClockChanges(OwnedFd);

/// Has the system tell when the wall clock is set.
///
/// # Errors
/// The system's error: no descriptor is free, or the system has no such timers.
pub fn changes() -> Result<ClockChanges> {
    let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
    let timer = timerfd_create(TimerfdClockId::Realtime, flags)?;
    // The kernel cancels a timer for a moment of the wall clock when that is set, and says so. This one is for a moment
    // that does not come: 2^40 seconds after 1970.
    let never = Itimerspec {
        it_interval: Timespec::default(),
        it_value: Timespec {
            tv_sec: 1 << 40,
            tv_nsec: 0,
        },
    };
    let flags = TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET;
    timerfd_settime(&timer, flags, &never)?;
    Ok(ClockChanges(timer))
}

impl ClockChanges {
    /// Readable when the clock was set since the last [`take`](Self::take).
    #[must_use]
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Whether the clock was set since the last call.
    #[must_use]
    pub fn take(&self) -> bool {
        let mut count = [0; 8];
        rustix::io::read(&self.0, &mut count) == Err(rustix::io::Errno::CANCELED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_nobody_sets_is_not_told_of() {
        let changes = changes().unwrap();
        assert!(!changes.take());
        assert!(!changes.take());
    }
}
