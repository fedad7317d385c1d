//! Describes the host, and decides how much of its memory a run may use.

use std::fs;

use crate::results::Host;

/// The share of the free memory that a run may use; the rest keeps the host usable.
const USABLE_SHARE: f64 = 0.85;

pub(crate) fn describe() -> Host {
    let system = sys::host::system().map_or_else(
        |_| "unknown".to_owned(),
        |system| format!("{} {} {}", system.name, system.release, system.machine),
    );
    let processors = sys::cpu::Processors::detect().allowed();
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    Host {
        kind: kind(&about, processors),
        processor: field(&about, "model name")
            .unwrap_or("unknown processor")
            .to_owned(),
        processors,
        memory_bytes: sys::memory::usage::total_bytes(),
        available_bytes: available_bytes(),
        system,
    }
}

/// The value of a field in `/proc/cpuinfo`, of the first processor.
fn field<'a>(about: &'a str, name: &str) -> Option<&'a str> {
    about.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

/// See [`Host::kind`].
fn kind(about: &str, processors: usize) -> String {
    let name = field(about, "model name").unwrap_or_default();
    let maker = match field(about, "vendor_id") {
        Some("AuthenticAMD") => "amd",
        Some("GenuineIntel") => "intel",
        Some(_) => "other",
        None => std::env::consts::ARCH,
    };
    // AArch64 has no names, but numbers.
    let numbers = ["cpu family", "model", "CPU implementer", "CPU part"];
    let series = series(name);
    let parts = [Some(maker), series.as_deref()].into_iter().flatten();
    let numbers = numbers.iter().filter_map(|number| field(about, number));
    let parts = parts.chain(numbers).map(str::to_owned);
    parts
        .chain([processors.to_string()])
        .collect::<Vec<_>>()
        .join("-")
}

/// The series in a model's name: `xeon` of `Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz`.
fn series(name: &str) -> Option<String> {
    const NO_SERIES: [&str; 6] = ["amd", "intel", "gen", "processor", "cpu", "genuine"];
    name.split_ascii_whitespace()
        .map(|word| word.split('(').next().unwrap_or_default().to_lowercase())
        .filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic()))
        .find(|word| !NO_SERIES.contains(&word.as_str()))
}

/// The most memory that a run may hold, in bytes.
pub(crate) fn memory_budget_bytes() -> u64 {
    (available_bytes() as f64 * USABLE_SHARE) as u64
}

/// Has the machine's host hand out again what it has taken back of this many bytes of free memory, if it does so at
/// all: otherwise each run would be measured with whatever the host had left it. On one virtual machine the first use
/// of a GiB took 0.2 s when it had been free for less than two seconds, and 3.7 s later; for whoever uses huge pages
/// that decided how long it took to start processes.
pub(crate) fn warm_memory(bytes: u64) {
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
    // The group's usage includes page cache, which the kernel gives back on demand, so at least this much is free. A
    // limit above the host's memory is no limit.
    match group {
        Some(group) if usage::group_limit_bytes() < Some(usage::total_bytes()) => host.min(group),
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_names_the_processor_and_no_host() {
        for (about, expected) in [
            (
                "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n",
                "amd-epyc-25-17-2",
            ),
            (
                "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nmodel name\t: Intel(R) Xeon(R) Processor\n",
                "intel-xeon-6-207-2",
            ),
            (
                "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 140\n\
                 model name\t: 11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz\n",
                "intel-core-6-140-2",
            ),
        ] {
            assert_eq!(kind(about, 2), expected);
        }
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert!(kind(arm, 4).ends_with("-0x41-0xd0c-4"), "{}", kind(arm, 4));
    }
}
