//! Whether the programs of the node's control group, or of the host, stand still because they wait for memory: then the
//! system is about to run out of it, even if the node has grown to none of its marks. The watcher asks; any thread may
//! read.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use sys::memory::usage;

/// Pressure is high when they stand still for so many percent of the time, until it is down to the lower number.
const HIGH_PERCENT: f64 = 20.0;
const LOW_PERCENT: f64 = 10.0;

const UNKNOWN: u8 = u8::MAX;

static PERCENT: AtomicU8 = AtomicU8::new(UNKNOWN);
static IS_HIGH: AtomicBool = AtomicBool::new(false);

/// Asks the system.
pub(crate) fn ask_again() {
    let percent = usage::pressure_percent();
    IS_HIGH.store(judge(percent, is_high()), Ordering::Relaxed);
    PERCENT.store(
        percent.map_or(UNKNOWN, |percent| percent as u8),
        Ordering::Relaxed,
    );
}

/// Whether it is high.
pub(crate) fn is_high() -> bool {
    IS_HIGH.load(Ordering::Relaxed)
}

/// For how many percent of the last ten seconds they stood still; `None` where the system does not tell.
pub(crate) fn percent() -> Option<u8> {
    Some(PERCENT.load(Ordering::Relaxed)).filter(|percent| *percent != UNKNOWN)
}

fn judge(percent: Option<f64>, was_high: bool) -> bool {
    let mark = match was_high {
        true => LOW_PERCENT,
        false => HIGH_PERCENT,
    };
    percent.is_some_and(|percent| percent >= mark)
}

#[cfg(test)]
mod tests {
    use super::judge;

    #[test]
    fn pressure_that_falls_stays_high_for_a_while() {
        assert!(!judge(None, true));
        assert!(!judge(Some(15.0), false));
        assert!(judge(Some(20.0), false));
        assert!(judge(Some(15.0), true));
        assert!(!judge(Some(9.0), true));
    }
}
