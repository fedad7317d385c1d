//! A profile on demand: what the node's threads spend their processor time on, for some seconds, as stacks of functions
//! (`runtime::effects::profile`).
//!
//! It is taken by a thread of its own, so that the window goes on answering; whoever asks sees how far it is, and the
//! profile stays until the next one is taken or the window is closed. Any thread may call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use runtime::effects::profile;
use serde::Serialize;

use crate::events::{self, Own};
use crate::printed;
use crate::processes::unix_ms;

/// How a profile is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Settings {
    seconds: u32,
    /// Samples in each second of a thread's processor time.
    hz: u32,
}

const DEFAULT: Settings = Settings { seconds: 5, hz: 99 };
const MOST_SECONDS: u32 = 60;
/// More would cost the node more than a hundredth of its time.
const MOST_HZ: u32 = 500;
const STACK_BYTES: usize = 1 << 20;

impl Settings {
    /// The settings that parameters stand for, of which `value` gives each by its name.
    ///
    /// # Errors
    /// Says which parameter is wrong, and what it may be.
    pub(crate) fn parse<'a>(value: impl Fn(&str) -> Option<&'a str>) -> Result<Settings, String> {
        let number = |name: &str, default: u32, most: u32| match value(name) {
            None => Ok(default),
            Some(text) => {
                let number = text
                    .parse()
                    .ok()
                    .filter(|number| (1..=most).contains(number));
                number.ok_or_else(|| format!("{name}: 1 to {most}"))
            }
        };
        Ok(Settings {
            seconds: number("seconds", DEFAULT.seconds, MOST_SECONDS)?,
            hz: number("hz", DEFAULT.hz, MOST_HZ)?,
        })
    }
}

/// The profile that was taken last, or is being taken.
#[derive(Clone, Default, Debug, Serialize)]
pub(crate) struct Profile {
    /// Counts the profiles.
    pub number: u64,
    pub is_running: bool,
    pub started_unix_ms: Option<u64>,
    pub seconds: u32,
    pub hz: u32,
    /// Samples so far; each stands for one part of a second of a thread's time.
    pub samples: u64,
    /// Samples of stacks that were left out because there were too many.
    pub left_out: u64,
    /// Samples that were lost because a thread had no room for them.
    pub lost: u64,
    /// Why it could not be taken.
    pub fault: Option<String>,
    /// Once it is taken: a stack a line, names of functions with semicolons in between, the outermost first, and the
    /// samples that found it.
    pub folded: String,
}

struct Kept {
    profile: Profile,
    /// Becomes true when the profile is not wanted any more.
    end: Arc<AtomicBool>,
}

static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

/// Begins to take a profile.
///
/// # Errors
/// Says why that cannot be: one is being taken, or there is no thread for it.
pub(crate) fn start(settings: Settings) -> Result<(), String> {
    let mut kept = KEPT.lock();
    let before = kept.as_ref().map(|kept| &kept.profile);
    if before.is_some_and(|profile| profile.is_running) {
        return Err("a profile is being taken already".to_owned());
    }
    let number = before.map_or(0, |profile| profile.number) + 1;
    let end = Arc::new(AtomicBool::new(false));
    let ended = Arc::clone(&end);
    sys::thread::spawn("window_profile", STACK_BYTES, move || {
        run(number, settings, &ended);
    })
    .map_err(|error| format!("there is no thread for it: {}", error.message()))?;
    *kept = Some(Kept {
        profile: Profile {
            number,
            is_running: true,
            started_unix_ms: Some(unix_ms()),
            seconds: settings.seconds,
            hz: settings.hz,
            ..Profile::default()
        },
        end,
    });
    drop(kept);
    events::note(Own::Profiled);
    Ok(())
}

fn run(number: u64, settings: Settings, ended: &AtomicBool) {
    let length = Duration::from_secs(settings.seconds.into());
    let taken = profile::take(length, settings.hz, |samples| {
        change(number, |profile| profile.samples = samples);
        !ended.load(Ordering::Relaxed)
    });
    change(number, |profile| {
        profile.is_running = false;
        match taken {
            Ok(taken) => {
                profile.samples = taken.samples;
                profile.left_out = taken.left_out;
                profile.lost = taken.lost;
                profile.folded = safe(&taken.folded);
            }
            Err(why) => profile.fault = Some(why),
        }
    });
}

/// The same lines, without characters that do something else than to be seen.
fn safe(folded: &str) -> String {
    let lines = folded
        .lines()
        .map(|line| printed::text(line, usize::MAX) + "\n");
    lines.collect()
}

/// Changes the profile of this number, if it is still wanted.
fn change(number: u64, change: impl FnOnce(&mut Profile)) {
    let mut kept = KEPT.lock();
    let profile = kept.as_mut().map(|kept| &mut kept.profile);
    if let Some(profile) = profile.filter(|profile| profile.number == number) {
        change(profile);
    }
}

/// The profile as far as it is.
pub(crate) fn latest() -> Profile {
    let kept = KEPT.lock();
    kept.as_ref()
        .map_or_else(Profile::default, |kept| kept.profile.clone())
}

/// Ends a profile that is being taken, and forgets the last one.
pub(crate) fn close() {
    if let Some(kept) = KEPT.lock().take() {
        kept.end.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_defaults_and_limits() {
        let parse = |pairs: &[(&str, &'static str)]| {
            Settings::parse(|name| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| *value)
            })
        };
        assert_eq!(parse(&[]), Ok(DEFAULT));
        let settings = Settings { seconds: 60, hz: 1 };
        assert_eq!(parse(&[("seconds", "60"), ("hz", "1")]), Ok(settings));
        for wrong in [
            ("seconds", "61"),
            ("seconds", "0"),
            ("hz", "501"),
            ("hz", "-1"),
        ] {
            assert!(
                parse(&[wrong]).unwrap_err().starts_with(wrong.0),
                "{wrong:?}"
            );
        }
    }
}
