//! The mode of native coverage in which modules are loaded from now on (OTP 27 and later). Any thread may ask and
//! change it; what is loaded meanwhile is loaded in either.

use std::sync::atomic::{AtomicU8, Ordering};

use beamfile::BeamFile;
pub use engine::CoverageMode;
use term::release::{self, Release};

/// 0, or the place of the mode in [`CoverageMode::ALL`], counted from 1.
static MODE: AtomicU8 = AtomicU8::new(0);

fn number(mode: Option<CoverageMode>) -> u8 {
    mode.map_or(0, |mode| mode as u8 + 1)
}

fn of_number(number: u8) -> Option<CoverageMode> {
    let place = usize::from(number).checked_sub(1)?;
    CoverageMode::ALL.get(place).copied()
}

#[must_use]
pub fn mode() -> Option<CoverageMode> {
    of_number(MODE.load(Ordering::Relaxed))
}

/// Returns the mode until now.
pub fn set_mode(mode: Option<CoverageMode>) -> Option<CoverageMode> {
    of_number(MODE.swap(number(mode), Ordering::Relaxed))
}

/// The mode in which a file is loaded.
pub(super) fn mode_for(file: &BeamFile<'_>) -> Option<CoverageMode> {
    if !release::has(Release::OTP_27) {
        return None;
    }
    let lines = file.lines.as_ref();
    if lines.is_some_and(beamfile::Lines::forces_counters) {
        return Some(CoverageMode::LineCounters);
    }
    // A mode of lines does not say anything about a file without executable ones.
    let has_lines = lines.is_some_and(beamfile::Lines::has_executable_lines);
    mode().filter(|mode| !mode.is_of_lines() || has_lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_have_numbers() {
        for mode in CoverageMode::ALL.into_iter().map(Some).chain([None]) {
            assert_eq!(of_number(number(mode)), mode);
        }
        assert_eq!(of_number(9), None);
    }
}
