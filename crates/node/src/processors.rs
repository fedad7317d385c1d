//! The schedulers that are online follow the processors that the node may use: its affinity mask and the quotas of its
//! control groups, which may change while it runs. So does busy waiting.
//!
//! Where a flag (`+S`, `+SP`) has set the number of schedulers, it stays; and when a program sets how many are online,
//! that holds from then on. More schedulers online than the quota allows would use it up early in each period, and then
//! all of them stand still until the next one. Waiting for work in a loop uses it up as well, so under a quota
//! schedulers sleep at once, unless `+sbwt` has said how long they wait. Dirty schedulers never wait in a loop.

use std::time::Duration;

use runtime::exec::scheduler::online;
use runtime::mail::{dirty, idle};
use runtime::process::config::Config;
use sys::cpu::Processors;
use sys::errno::Errno;

/// How often the system is asked.
const ASKS_EVERY: Duration = Duration::from_secs(1);
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
        std::thread::sleep(ASKS_EVERY);
        let processors = Processors::detect();
        set_busy_wait(config, processors.quota);
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

/// Sets how long schedulers without work look for some: as `+sbwt` says, else not at all under a quota.
pub(crate) fn set_busy_wait(config: &Config, quota: Option<usize>) {
    idle::set_busy_wait(busy_wait_spins(config.flags.busy_wait, quota.is_some()));
}

/// How many times a scheduler looks for work before it sleeps; each time takes about a microsecond.
fn busy_wait_spins(flag: Option<&str>, is_under_quota: bool) -> usize {
    match flag {
        None if is_under_quota => 0,
        Some("none") => 0,
        Some("very_short") => 5,
        Some("short") => 20,
        None | Some("medium") => 100,
        Some("long") => 500,
        Some("very_long") => 2_000,
        Some(other) => unreachable!("+sbwt {other} is not allowed"),
    }
}

#[cfg(test)]
mod tests {
    use super::busy_wait_spins;

    #[test]
    fn schedulers_under_a_quota_wait_only_if_a_flag_says_so() {
        assert!(busy_wait_spins(None, false) > 0);
        assert_eq!(busy_wait_spins(None, true), 0);
        assert_eq!(
            busy_wait_spins(Some("medium"), true),
            busy_wait_spins(None, false)
        );
        assert_eq!(busy_wait_spins(Some("none"), false), 0);
    }
}
