//! A clock that is read in a few nanoseconds, for those who read it at each call of a function: the counter of the
//! processor, where the kernel takes the time from it too, and the monotonic clock elsewhere.
//!
//! The kernel uses the counter only if it runs at the same speed always and is the same on all processors.

use std::sync::LazyLock;

use super::monotonic_ns;

/// How long ticks are counted, at least, before their length is taken from that.
const MEASURED_NS: i64 = 1_000_000;

/// When counting began, if ticks are those of the processor: ticks and nanoseconds.
static BEGAN: LazyLock<Option<(i64, i64)>> = LazyLock::new(|| {
    let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let source = std::fs::read_to_string(source).ok()?;
    let ticks = counter().filter(|_| source.trim() == "tsc")?;
    Some((ticks, monotonic_ns()))
});

/// The counter of the processor.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> Option<i64> {
    // SAFETY: every processor with x86-64 has this instruction, which only reads.
    Some(unsafe { core::arch::x86_64::_rdtsc() } as i64)
}

/// The counter of the processor: none is known.
#[cfg(not(target_arch = "x86_64"))]
fn counter() -> Option<i64> {
    None
}

/// The time in ticks, which [`to_ns`] knows the length of.
#[inline]
#[must_use]
pub fn now() -> i64 {
    let ticks = BEGAN.and_then(|_| counter());
    ticks.unwrap_or_else(monotonic_ns)
}

/// How long so many ticks are.
#[must_use]
pub fn to_ns(ticks: i64) -> i64 {
    let Some((began, began_ns)) = *BEGAN else {
        return ticks;
    };
    loop {
        let (counted, passed_ns) = (now() - began, monotonic_ns() - began_ns);
        if passed_ns >= MEASURED_NS && counted > 0 {
            return (ticks as f64 * (passed_ns as f64 / counted as f64)) as i64;
        }
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_as_long_as_the_monotonic_clock_says() {
        let (began, began_ns) = (now(), monotonic_ns());
        std::thread::sleep(std::time::Duration::from_millis(20));
        let (ticks, passed_ns) = (now() - began, monotonic_ns() - began_ns);
        let difference_ns = (to_ns(ticks) - passed_ns).abs();
        assert!(
            difference_ns < passed_ns / 100,
            "{difference_ns} of {passed_ns}"
        );
    }
}
