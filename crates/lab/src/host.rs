//! Describes the host, and decides how much of its memory a run may use.

use std::fs;

use crate::results::Host;

/// The share of the free memory that a run may use; the rest keeps the host usable.
const USABLE_SHARE: f64 = 0.85;

pub fn describe() -> Host {
    let system = sys::host::system().map_or_else(
        |_| "unknown".to_owned(),
        |system| format!("{} {} {}", system.name, system.release, system.machine),
    );
    Host {
        processor: processor().unwrap_or_else(|| "unknown processor".to_owned()),
        processors: sys::cpu::Processors::detect().allowed(),
        memory_bytes: sys::memory::usage::total_bytes(),
        available_bytes: available_bytes(),
        system,
    }
}

fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The most memory that a run may hold, in bytes.
pub fn memory_budget_bytes() -> u64 {
    (available_bytes() as f64 * USABLE_SHARE) as u64
}

/// Has the machine's host hand out again what it has taken back of this many bytes of free memory, if it does so at all:
/// otherwise each run would be measured with whatever the host had left it. On one virtual machine the first use of a GiB
/// took 0.2 s when it had been free for less than two seconds, and 3.7 s later; for whoever uses huge pages that decided
/// how long it took to start processes.
pub fn warm_memory(bytes: u64) {
    let does_give_back = fs::exists("/sys/module/page_reporting").unwrap_or(false);
    let bytes = bytes.min(memory_budget_bytes() / 2);
    if does_give_back && bytes > 0 {
        // Without it the run is as good as on a kernel that cannot do this.
        let _ = sys::memory::use_and_free(bytes as usize);
    }
}

/// Memory that is free for new programs, on the host and in the lab's control group.
fn available_bytes() -> u64 {
    use sys::memory::usage;
    let host = usage::available_bytes().unwrap_or_else(usage::total_bytes);
    let group = usage::group_limit_bytes()
        .map(|limit| limit.saturating_sub(usage::group_usage_bytes().unwrap_or(0)));
    // The group's usage includes page cache, which the kernel gives back on demand, so at least this much is free. A limit
    // above the host's memory is no limit.
    match group {
        Some(group) if usage::group_limit_bytes() < Some(usage::total_bytes()) => host.min(group),
        _ => host,
    }
}
