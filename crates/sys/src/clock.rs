//! Clocks: monotonic and wall time, processor time, and the conversion of calendar times.
//!
//! Times are signed nanoseconds unless a name says otherwise. The monotonic and the system clock are read through the
//! vDSO, which costs tens of nanoseconds and does not enter the kernel. [`calendar`] turns seconds since 1970 into
//! dates; [`ticks`] is a clock that costs less.

pub mod calendar;
pub mod changes;
pub mod ticks;

use rustix::time::{ClockId, Timespec};

pub use changes::changes;

use crate::errno::{Result, check};

/// Nanoseconds of a clock that never steps and starts at an arbitrary point (the boot of the host).
///
/// It does not advance while the host is suspended, as OTP's on Linux does not.
#[inline]
pub fn monotonic_ns() -> i64 {
    read(ClockId::Monotonic)
}

/// Nanoseconds since 1970-01-01 00:00 UTC of the wall clock; may step in both directions.
#[inline]
pub fn system_ns() -> i64 {
    read(ClockId::Realtime)
}

/// Processor time of all threads of this process, user and system together.
pub fn process_cpu_ns() -> i64 {
    read(ClockId::ProcessCPUTime)
}

/// Processor time of this process, split by who spent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessTimes {
    /// Spent in the program itself; what `erlang:statistics(runtime)` counts.
    pub user_ns: i64,
    /// Spent by the kernel on the program's behalf.
    pub system_ns: i64,
}

/// Processor time of this process since it started, at the precision of the kernel's accounting.
pub fn process_times() -> Result<ProcessTimes> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the kernel fills the whole structure that the pointer is good for.
    check(unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) })?;
    // SAFETY: the call above succeeded, so the structure is filled.
    let usage = unsafe { usage.assume_init() };
    let nanoseconds = |time: libc::timeval| time.tv_sec * 1_000_000_000 + time.tv_usec * 1_000;
    Ok(ProcessTimes {
        user_ns: nanoseconds(usage.ru_utime),
        system_ns: nanoseconds(usage.ru_stime),
    })
}

#[inline]
fn read(clock: ClockId) -> i64 {
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// A duration as the kernel takes it; one that is too long for the kernel is cut to about 292 years.
pub(crate) fn timespec(nanoseconds: u64) -> Timespec {
    let nanoseconds = i64::try_from(nanoseconds).unwrap_or(i64::MAX);
    Timespec {
        tv_sec: nanoseconds / 1_000_000_000,
        tv_nsec: nanoseconds % 1_000_000_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monotonic_time_advances_and_never_returns() {
        let mut last = monotonic_ns();
        let first = last;
        for _ in 0..10_000 {
            let now = monotonic_ns();
            assert!(now >= last);
            last = now;
        }
        assert!(last > first);
    }

    #[test]
    fn system_time_is_that_of_the_standard_library() {
        let before = std::time::SystemTime::now();
        let ours = system_ns();
        let after = std::time::SystemTime::now();
        let since = |time: std::time::SystemTime| {
            time.duration_since(std::time::UNIX_EPOCH)
                .unwrap()
                .as_nanos() as i64
        };
        assert!(since(before) <= ours && ours <= since(after));
    }

    #[test]
    fn work_costs_processor_time_and_sleep_does_not() {
        let thread_cpu_ns = || read(ClockId::ThreadCPUTime);
        let (process, thread) = (process_cpu_ns(), thread_cpu_ns());
        let mut sum = 0u64;
        while thread_cpu_ns() - thread < 5_000_000 {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(process_cpu_ns() - process >= 5_000_000);
        let before = thread_cpu_ns();
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert!(thread_cpu_ns() - before < 20_000_000);
        let times = process_times().unwrap();
        assert!(times.user_ns + times.system_ns > 0);
    }
}
