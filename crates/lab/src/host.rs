//! The host: what it is, and how much of its memory a run may have.

use std::fs;

use crate::results::Host;

/// Of what is free, this part may be used; the rest keeps the host usable.
const USABLE: f64 = 0.85;

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

/// What a run may hold, in bytes.
pub fn memory_budget_bytes() -> u64 {
    (available_bytes() as f64 * USABLE) as u64
}

/// What is free for new programs: of the host, and of the control group we are in.
fn available_bytes() -> u64 {
    use sys::memory::usage;
    let host = usage::available_bytes().unwrap_or_else(usage::total_bytes);
    let group = usage::group_limit_bytes()
        .map(|limit| limit.saturating_sub(usage::group_usage_bytes().unwrap_or(0)));
    // Page cache is charged to the group and given back when it is needed, so its figure is only a floor; a host
    // with more limit than memory has no limit.
    match group {
        Some(group) if usage::group_limit_bytes() < Some(usage::total_bytes()) => host.min(group),
        _ => host,
    }
}
