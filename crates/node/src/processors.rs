//! The schedulers that are online follow the processors that the node may use: its affinity mask and the quotas of its
//! control groups, which may change while it runs. So does busy waiting.
//!
//! Where a flag (`+S`, `+SP`) has set the number of schedulers, it stays; and when a program sets how many are online,
//! that holds from then on. More schedulers online than the quota allows would use it up early in each period, and then
//! all of them stand still until the next one. Waiting for work in a loop uses it up as well, so under a quota
//! schedulers sleep at once, unless `+sbwt` has said how long they wait; for dirty ones `+sbwtdcpu` and `+sbwtdio` do.
//! On one processor a dirty scheduler that waits in a loop keeps its own work from coming, so it sleeps at once, too.

use std::time::Duration;

use runtime::exec::scheduler::online;
use runtime::mail::{dirty, idle};
use runtime::process::config::Config;
use runtime::process::dirty::DirtyKind;
use spec::flags::FlagValues;
use sys::cpu::Processors;
use sys::errno::Errno;
use sys::lookout::{self, RestEnd};

/// How often the system is asked while something runs.
const ASKS_EVERY: Duration = Duration::from_secs(1);
/// The same while nothing does.
const RESTS_FOR: Duration = Duration::from_secs(60);
const STACK_BYTES: usize = 128 << 10;

/// Starts the thread that looks, if anything can change.
///
/// # Errors
/// The system's, if there is no thread for it.
pub(crate) fn follow(config: &'static Config) -> Result<(), Errno> {
    let follows = config.follows_processors && config.schedulers > 1;
    if follows || config.flags.busy_wait.is_none() {
        sys::thread::spawn("processors", STACK_BYTES, move || watch(config, follows))?;
    }
    Ok(())
}

/// Looks while anything can change. `follows`: the schedulers online, until a program has set their number by itself.
fn watch(config: &Config, mut follows: bool) {
    let mut last = config.schedulers_online;
    while follows || config.flags.busy_wait.is_none() {
        if lookout::PROCESSORS.rest(RESTS_FOR, idle::nothing_runs) == RestEnd::SomethingRuns {
            lookout::PROCESSORS.wait(ASKS_EVERY);
        }
        let processors = Processors::detect();
        set_busy_waits(config, &processors);
        follows = follows && online::online() == last;
        let count = processors.allowed().min(config.schedulers);
        if follows && count != last {
            set(config, count);
            last = count;
        }
    }
}

/// There are never more dirty CPU schedulers online than others.
fn set(config: &Config, count: usize) {
    online::set_online(count);
    let dirty = match config.dirty_follow_processors {
        true => count.min(config.dirty_cpu_schedulers),
        false => count.min(config.dirty_cpu_schedulers_online),
    };
    dirty::set_cpu_online(dirty);
}

/// Sets how long schedulers without work look for some before they sleep.
pub(crate) fn set_busy_waits(config: &Config, processors: &Processors) {
    let waits = BusyWaits::of(&config.flags, processors);
    idle::set_busy_wait(waits.turns);
    dirty::set_busy_wait(DirtyKind::Cpu, waits.dirty_cpu_ns);
    dirty::set_busy_wait(DirtyKind::Io, waits.dirty_io_ns);
}

#[derive(Debug, PartialEq, Eq)]
struct BusyWaits {
    turns: usize,
    dirty_cpu_ns: u64,
    dirty_io_ns: u64,
}

impl BusyWaits {
    /// As the flags say, or else as suits the processors. With 20 us for dirty schedulers calls of files in a row took
    /// 4 to 6 us each, 20 without, and 9 to 11 with 100 us (`docs/decisions/0051`).
    fn of(flags: &FlagValues, processors: &Processors) -> BusyWaits {
        let (default, of_dirty) = match processors.quota {
            Some(_) => ("none", "none"),
            None if processors.allowed() == 1 => ("medium", "none"),
            None => ("medium", "short"),
        };
        let dirty_ns = |flag: Option<&str>| turns(flag.unwrap_or(of_dirty)) as u64 * NS_PER_TURN;
        BusyWaits {
            turns: turns(flags.busy_wait.unwrap_or(default)),
            dirty_cpu_ns: dirty_ns(flags.busy_wait_dirty_cpu),
            dirty_io_ns: dirty_ns(flags.busy_wait_dirty_io),
        }
    }
}

/// About how long a scheduler takes to look for work once.
const NS_PER_TURN: u64 = 1_000;

/// How many times a scheduler looks for work before it sleeps.
fn turns(word: &str) -> usize {
    match word {
        "none" => 0,
        "very_short" => 5,
        "short" => 20,
        "medium" => 100,
        "long" => 500,
        "very_long" => 2_000,
        other => unreachable!("a busy wait of {other} is not allowed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processors(available: usize, quota: Option<usize>) -> Processors {
        Processors {
            configured: 8,
            online: 8,
            available,
            quota,
        }
    }

    fn waits(flags: &FlagValues, processors: &Processors) -> (usize, u64, u64) {
        let waits = BusyWaits::of(flags, processors);
        (waits.turns, waits.dirty_cpu_ns, waits.dirty_io_ns)
    }

    #[test]
    fn schedulers_under_a_quota_wait_only_if_a_flag_says_so() {
        let mut flags = FlagValues::default();
        assert_eq!(waits(&flags, &processors(2, None)), (100, 20_000, 20_000));
        let under_quota = processors(8, Some(4));
        assert_eq!(waits(&flags, &under_quota), (0, 0, 0));
        flags.busy_wait = Some("long");
        assert_eq!(waits(&flags, &under_quota), (500, 0, 0));
        flags.busy_wait_dirty_io = Some("very_short");
        assert_eq!(waits(&flags, &under_quota), (500, 0, 5_000));
        flags.busy_wait_dirty_cpu = Some("very_long");
        assert_eq!(waits(&flags, &under_quota), (500, 2_000_000, 5_000));
        flags.busy_wait = Some("none");
        assert_eq!(waits(&flags, &processors(2, None)), (0, 2_000_000, 5_000));
    }

    #[test]
    fn dirty_schedulers_on_one_processor_do_not_keep_others_from_it() {
        let mut flags = FlagValues::default();
        assert_eq!(waits(&flags, &processors(1, None)), (100, 0, 0));
        flags.busy_wait_dirty_io = Some("medium");
        assert_eq!(waits(&flags, &processors(1, None)), (100, 0, 100_000));
    }
}
