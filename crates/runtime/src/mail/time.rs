//! Time as programs see it.
//!
//! Monotonic time counts nanoseconds from the node's start, and begins at a negative value as in OTP. It is the node's
//! own clock, which is the system's monotonic clock with what [`follow`] adds to it. System time is monotonic time plus
//! the time offset.
//!
//! When the system's wall clock is set, system time follows it as the time warp mode says: with `multi_time_warp` the
//! offset changes; with `no_time_warp`, and with `single_time_warp` once the offset is final, the node's clock runs one
//! percent faster or slower until it has made up for it. Without time correction (`+c false`) the node's clock leaps
//! forward with the wall clock, and stands still, or with `multi_time_warp` changes the offset, where that is set back.
//!
//! Timers run by the node's clock. Any thread may call these functions.

pub mod watchers;

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, Ordering, fence};

use parking_lot::Mutex;

/// Monotonic time at the node's start, in nanoseconds: so low that a program that expects a small positive number fails
/// at once. A whole number of seconds, as on stock.
const MONOTONIC_START_NS: i64 = -576_460_752_000_000_000;

static STARTED_NS: AtomicI64 = AtomicI64::new(0);
static OFFSET_NS: AtomicI64 = AtomicI64::new(0);

/// What becomes of system time when the wall clock is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WarpMode {
    No,
    Single,
    Multi,
}

impl WarpMode {
    /// The mode of this name, as the flag `+C` has it.
    #[must_use]
    pub fn named(name: &str) -> WarpMode {
        match name {
            "multi_time_warp" => WarpMode::Multi,
            "single_time_warp" => WarpMode::Single,
            _ => WarpMode::No,
        }
    }
}

/// What `system_info(time_offset)` returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OffsetState {
    /// It changes once, when it is made final.
    Preliminary,
    Final,
    /// It changes whenever the wall clock is set.
    Volatile,
}

impl OffsetState {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            OffsetState::Preliminary => "preliminary",
            OffsetState::Final => "final",
            OffsetState::Volatile => "volatile",
        }
    }
}

static STATE: AtomicU8 = AtomicU8::new(OffsetState::Final as u8);
static IS_CORRECTED: AtomicBool = AtomicBool::new(true);

/// Records the time of the node's start; called once, before any other function here. `is_corrected` is the flag `+c`.
pub fn start(mode: WarpMode, is_corrected: bool) {
    // The pair of readings that were closest together: this thread may lose its processor between two.
    let pairs = (0..8).map(|_| {
        let before_ns = sys::clock::monotonic_ns();
        let wall_ns = sys::clock::system_ns();
        (sys::clock::monotonic_ns(), wall_ns, before_ns)
    });
    let closest = pairs.min_by_key(|&(after_ns, _, before_ns)| after_ns - before_ns);
    let (now_ns, wall_ns, _) = closest.expect("there are eight");
    STARTED_NS.store(now_ns, Ordering::Relaxed);
    OFFSET_NS.store(wall_ns - MONOTONIC_START_NS, Ordering::Relaxed);
    let state = match mode {
        WarpMode::No => OffsetState::Final,
        WarpMode::Single => OffsetState::Preliminary,
        WarpMode::Multi => OffsetState::Volatile,
    };
    STATE.store(state as u8, Ordering::Relaxed);
    IS_CORRECTED.store(is_corrected, Ordering::Relaxed);
}

/// Whether the time offset may change.
#[must_use]
pub fn offset_state() -> OffsetState {
    let state = STATE.load(Ordering::Relaxed);
    [OffsetState::Preliminary, OffsetState::Final]
        .into_iter()
        .find(|&known| known as u8 == state)
        .unwrap_or(OffsetState::Volatile)
}

/// How far the node's clock is ahead of the system's monotonic clock: `ahead_ns` at `since_ns` by the latter, and from
/// then to `until_ns` so many percent more of what passes.
///
/// `version` is odd while the other fields are changed. A reading counts only if the same even version was there before
/// and after the system's clock was read, so that none is made by an old rate after a new one has begun.
struct Pace {
    version: AtomicU64,
    ahead_ns: AtomicI64,
    since_ns: AtomicI64,
    until_ns: AtomicI64,
    percent: AtomicI64,
}

static PACE: Pace = Pace {
    version: AtomicU64::new(0),
    ahead_ns: AtomicI64::new(0),
    since_ns: AtomicI64::new(0),
    until_ns: AtomicI64::new(0),
    percent: AtomicI64::new(0),
};

/// Held by whoever changes the pace or the offset.
static CHANGES: Mutex<()> = Mutex::new(());

/// What [`Pace`] held at one moment.
#[derive(Clone, Copy)]
struct Rate {
    ahead_ns: i64,
    since_ns: i64,
    until_ns: i64,
    percent: i64,
}

impl Rate {
    /// How far the node's clock is ahead at a reading of the system's.
    fn ahead_at(&self, clock_ns: i64) -> i64 {
        if self.percent == 0 {
            return self.ahead_ns;
        }
        let passed_ns = clock_ns.clamp(self.since_ns, self.until_ns) - self.since_ns;
        let gained = i128::from(passed_ns) * i128::from(self.percent) / 100;
        self.ahead_ns + gained as i64
    }

    /// How long the system's clock takes for what the node's clock takes `ns` for, from a reading of the system's on.
    fn duration(&self, clock_ns: i64, ns: i64) -> i64 {
        let changing_ns = self.until_ns - clock_ns.max(self.since_ns);
        if self.percent == 0 || changing_ns <= 0 {
            return ns;
        }
        let rate = i128::from(100 + self.percent);
        let within_ns = i128::from(changing_ns) * rate / 100;
        if i128::from(ns) > within_ns {
            return ns
                .saturating_sub(within_ns as i64)
                .saturating_add(changing_ns);
        }
        // Zero if the clock stands still and nothing is to pass.
        match rate {
            0 => 0,
            _ => (i128::from(ns) * 100).div_euclid(rate) as i64 + 1,
        }
    }
}

/// A reading of the system's monotonic clock, and the rate that counted then.
fn reading() -> (i64, Rate) {
    loop {
        let version = PACE.version.load(Ordering::Acquire);
        if version % 2 == 0 {
            let rate = Rate {
                ahead_ns: PACE.ahead_ns.load(Ordering::Relaxed),
                since_ns: PACE.since_ns.load(Ordering::Relaxed),
                until_ns: PACE.until_ns.load(Ordering::Relaxed),
                percent: PACE.percent.load(Ordering::Relaxed),
            };
            let clock_ns = sys::clock::monotonic_ns();
            fence(Ordering::Acquire);
            if PACE.version.load(Ordering::Relaxed) == version {
                return (clock_ns, rate);
            }
        }
        std::thread::yield_now();
    }
}

/// Has the node's clock leap, and then run so many percent faster for so long by the system's clock.
fn set_pace(leap_ns: i64, percent: i64, for_ns: i64) {
    let (_, before) = reading();
    PACE.version.fetch_add(1, Ordering::Relaxed);
    fence(Ordering::SeqCst);
    let since_ns = sys::clock::monotonic_ns();
    let ahead_ns = before.ahead_at(since_ns) + leap_ns;
    PACE.ahead_ns.store(ahead_ns, Ordering::Relaxed);
    PACE.since_ns.store(since_ns, Ordering::Relaxed);
    PACE.until_ns
        .store(since_ns.saturating_add(for_ns), Ordering::Relaxed);
    PACE.percent.store(percent, Ordering::Relaxed);
    PACE.version.fetch_add(1, Ordering::Release);
}

/// The node's clock, in nanoseconds: by it timers are set and expire.
#[must_use]
pub fn clock_ns() -> i64 {
    if !IS_CORRECTED.load(Ordering::Relaxed) {
        follow_uncorrected();
    }
    let (clock_ns, rate) = reading();
    clock_ns + rate.ahead_at(clock_ns)
}

/// How long a thread has to sleep until the node's clock shows `deadline_ns`, in nanoseconds.
#[must_use]
pub(crate) fn until_ns(deadline_ns: i64) -> i64 {
    let left_ns = deadline_ns.saturating_sub(clock_ns()).max(0);
    let (clock_ns, rate) = reading();
    rate.duration(clock_ns, left_ns)
}

/// `erlang:monotonic_time()`, in nanoseconds.
#[must_use]
pub fn monotonic_ns() -> i64 {
    clock_ns() - STARTED_NS.load(Ordering::Relaxed) + MONOTONIC_START_NS
}

/// The reading of the node's clock for Erlang monotonic time.
#[must_use]
pub(crate) fn to_clock_ns(monotonic_ns: i64) -> i64 {
    monotonic_ns
        .saturating_sub(MONOTONIC_START_NS)
        .saturating_add(STARTED_NS.load(Ordering::Relaxed))
}

/// `erlang:time_offset()`, in nanoseconds.
#[must_use]
pub fn offset_ns() -> i64 {
    OFFSET_NS.load(Ordering::Relaxed)
}

/// Erlang monotonic time at the node's start (`system_info(start_time)`).
#[must_use]
pub fn start_ns() -> i64 {
    MONOTONIC_START_NS
}

/// Nanoseconds since the node's start.
#[must_use]
pub fn uptime_ns() -> i64 {
    clock_ns() - STARTED_NS.load(Ordering::Relaxed)
}

/// `erlang:system_time()`, in nanoseconds.
#[must_use]
pub fn system_ns() -> i64 {
    monotonic_ns() + offset_ns()
}

/// The latest time for which a timer may be set (`system_info(end_time)`), in milliseconds of Erlang
/// monotonic time.
pub const END_MS: i64 = 8_646_911_283_000;

/// How often a node that runs compares its system time with the system's, in nanoseconds.
const LOOK_EVERY_NS: i64 = 1_000_000_000;

/// Less than this between system time and the wall clock is left as it is: the two clocks that are compared cannot be
/// read at the same moment.
const TOLERANCE_NS: i64 = 1_000_000;

/// By how many percent the node's clock runs faster or slower to follow the wall clock, as on stock.
const SLEW_PERCENT: i64 = 1;

/// A reading of the system's clock from which on it is time to look again.
static NEXT_LOOK_NS: AtomicI64 = AtomicI64::new(0);

/// Whether the offset has changed since the last look.
static IS_UNTOLD: AtomicBool = AtomicBool::new(false);

/// Looks whether the wall clock was set, at most once a second, and follows it; returns the new offset if that has
/// changed since the last call.
#[inline]
pub(crate) fn follow() -> Option<i64> {
    if sys::clock::monotonic_ns() < NEXT_LOOK_NS.load(Ordering::Relaxed) {
        return None;
    }
    follow_now()
}

/// As [`follow`], however long ago the last look was: the system has told that its clock was set.
#[cold]
pub(crate) fn follow_now() -> Option<i64> {
    let next_ns = sys::clock::monotonic_ns() + LOOK_EVERY_NS;
    NEXT_LOOK_NS.store(next_ns, Ordering::Relaxed);
    if IS_CORRECTED.load(Ordering::Relaxed) {
        follow_corrected();
    } else {
        follow_uncorrected();
    }
    IS_UNTOLD.swap(false, Ordering::AcqRel).then(offset_ns)
}

/// How far system time is behind the wall clock, or `None` if the clocks could not be read close enough together.
fn behind_ns() -> Option<i64> {
    (0..4).find_map(|_| {
        let (before_ns, _) = reading();
        let wall_ns = sys::clock::system_ns();
        let (after_ns, rate) = reading();
        if after_ns - before_ns > TOLERANCE_NS / 2 {
            return None;
        }
        let clock_ns = after_ns + rate.ahead_at(after_ns);
        let monotonic_ns = clock_ns - STARTED_NS.load(Ordering::Relaxed) + MONOTONIC_START_NS;
        Some(wall_ns - offset_ns() - monotonic_ns)
    })
}

/// The same where it is more than may be left as it is.
fn much_behind_ns() -> Option<i64> {
    behind_ns().filter(|behind_ns| behind_ns.abs() > TOLERANCE_NS)
}

fn change_offset(by_ns: i64) {
    OFFSET_NS.fetch_add(by_ns, Ordering::Relaxed);
    IS_UNTOLD.store(true, Ordering::Release);
    NEXT_LOOK_NS.store(0, Ordering::Relaxed);
}

fn follow_corrected() {
    // Whoever else looks just now does the same.
    let Some(_changes) = CHANGES.try_lock() else {
        return;
    };
    match (offset_state(), behind_ns()) {
        (OffsetState::Preliminary, _) | (_, None) => {}
        (OffsetState::Volatile, Some(behind_ns)) => {
            if behind_ns.abs() > TOLERANCE_NS {
                change_offset(behind_ns);
            }
        }
        (OffsetState::Final, Some(behind_ns)) => slew(behind_ns),
    }
}

/// Has the node's clock run faster or slower until it has made up for what system time is behind.
fn slew(behind_ns: i64) {
    let (clock_ns, rate) = reading();
    let left_ns = (rate.until_ns - clock_ns).max(0) * rate.percent / 100;
    // It is on its way already, or near enough.
    if (behind_ns - left_ns).abs() > TOLERANCE_NS {
        let for_ns = behind_ns
            .saturating_abs()
            .saturating_mul(100 / SLEW_PERCENT);
        set_pace(0, behind_ns.signum() * SLEW_PERCENT, for_ns);
    }
}

#[cold]
fn follow_uncorrected() {
    let Some(_changes) = CHANGES.try_lock() else {
        return;
    };
    let (clock_ns, rate) = reading();
    let stands_for_ns = match rate.percent {
        0 => 0,
        _ => (rate.until_ns - clock_ns).max(0),
    };
    match much_behind_ns() {
        Some(behind_ns) if behind_ns > 0 => set_pace(behind_ns, 0, 0),
        Some(behind_ns) if offset_state() == OffsetState::Volatile => change_offset(behind_ns),
        Some(behind_ns) if (behind_ns + stands_for_ns).abs() > TOLERANCE_NS => {
            set_pace(0, -100, -behind_ns);
        }
        _ => {}
    }
}

/// `system_flag(time_offset, finalize)`: makes a preliminary offset final, which then is what the wall clock shows;
/// returns the state before. Whoever watches the offset is to be told then, even if it is the same.
pub fn finalize_offset() -> OffsetState {
    let _changes = CHANGES.lock();
    let before = offset_state();
    if before == OffsetState::Preliminary {
        change_offset(much_behind_ns().unwrap_or(0));
        STATE.store(OffsetState::Final as u8, Ordering::Relaxed);
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: i64 = 1_000_000_000;

    fn rate(percent: i64) -> Rate {
        Rate {
            ahead_ns: 7,
            since_ns: SECOND_NS,
            until_ns: 3 * SECOND_NS,
            percent,
        }
    }

    #[test]
    fn a_clock_that_is_slewed_gains_until_it_has_caught_up() {
        let fast = rate(1);
        assert_eq!(fast.ahead_at(SECOND_NS), 7);
        assert_eq!(fast.ahead_at(2 * SECOND_NS), 7 + SECOND_NS / 100);
        assert_eq!(fast.ahead_at(9 * SECOND_NS), 7 + SECOND_NS / 50);
        assert_eq!(rate(-1).ahead_at(9 * SECOND_NS), 7 - SECOND_NS / 50);
        assert_eq!(rate(-100).ahead_at(2 * SECOND_NS), 7 - SECOND_NS);
    }

    /// However the clock is changed, whoever sleeps for the duration wakes when the time has come, and not much later.
    #[test]
    fn durations_are_those_of_the_system() {
        for percent in [-100, -1, 0, 1] {
            let rate = rate(percent);
            for begin_ns in [SECOND_NS, 2 * SECOND_NS, 5 * SECOND_NS] {
                for ns in [1, 5_000, SECOND_NS / 2, SECOND_NS, 10 * SECOND_NS] {
                    let end_ns = begin_ns + rate.duration(begin_ns, ns);
                    let passed_ns =
                        end_ns + rate.ahead_at(end_ns) - begin_ns - rate.ahead_at(begin_ns);
                    assert!(
                        (ns..ns + 3).contains(&passed_ns),
                        "{percent} % from {begin_ns}: {passed_ns} for {ns}"
                    );
                }
            }
        }
    }
}
