//! The schedulers that are online follow the processors that the node may use: its affinity mask and the quotas of its
//! control groups, which may change while it runs.
//!
//! Where a flag (`+S`, `+SP`) has set the number of schedulers, nobody looks; and when a program sets how many are
//! online, that holds from then on. More schedulers online than the quota allows would use it up early in each period,
//! and then all of them stand still until the next one.

use std::time::Duration;

use runtime::exec::scheduler::online;
use runtime::mail::dirty;
use runtime::process::config::Config;
use sys::cpu::Processors;
use sys::errno::Errno;

/// How often the system is asked.
const ASKS_EVERY: Duration = Duration::from_secs(1);
const STACK_BYTES: usize = 128 << 10;

/// Starts the thread that looks, if the number of schedulers can change.
///
/// # Errors
/// The system's, if there is no thread for it.
pub(crate) fn follow(config: &'static Config) -> Result<(), Errno> {
    if config.follows_processors && config.schedulers > 1 {
        sys::thread::spawn("processors", STACK_BYTES, || watch(config))?;
    }
    Ok(())
}

/// Looks until a program has set the number of schedulers online by itself.
fn watch(config: &Config) {
    let mut last = config.schedulers_online;
    loop {
        std::thread::sleep(ASKS_EVERY);
        if online::online() != last {
            return;
        }
        let count = Processors::detect().allowed().min(config.schedulers);
        if count != last {
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
