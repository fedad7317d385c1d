//! How much memory there is and how much of it this process uses.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::OnceLock;

use rustix::fs::{Mode, OFlags};
use rustix::process::{Resource, getrlimit};

use super::page_bytes;
pub use crate::cgroup::MemoryGroup;

use crate::cgroup;

/// Memory of the host, in bytes.
pub fn total_bytes() -> u64 {
    let system = rustix::system::sysinfo();
    system.totalram * u64::from(system.mem_unit)
}

/// The kernel's estimate of the memory that new programs can get without swapping, in bytes.
pub fn available_bytes() -> Option<u64> {
    bytes_of("/proc/meminfo", "MemAvailable:")
}

/// The lowest memory limit of the control groups that this process is in, in bytes. It may exceed [`total_bytes`].
pub fn group_limit_bytes() -> Option<u64> {
    group().limit_bytes
}

/// Memory charged to the innermost memory control group of this process, in bytes: page cache and other processes
/// included.
pub fn group_usage_bytes() -> Option<u64> {
    cgroup::memory_usage_bytes(Path::new("/"))
}

/// What the memory control groups of this process say, read at once.
pub fn group() -> MemoryGroup {
    cgroup::memory(Path::new("/"))
}

/// How much of the last ten seconds, in percent, all programs of this process's group, or of the host, stood still
/// because they waited for memory; `None` where the system does not tell.
pub fn pressure_percent() -> Option<f64> {
    cgroup::memory_pressure(Path::new("/"))
}

/// Memory of this process that is swapped out, in bytes: 0 where nothing is, or where the system does not tell.
pub fn swapped_bytes() -> u64 {
    let system = rustix::system::sysinfo();
    match system.totalswap == system.freeswap {
        true => 0,
        false => bytes_of("/proc/self/status", "VmSwap:").unwrap_or(0),
    }
}

/// The limit of this process's address space, in bytes, if there is one (`ulimit -v`).
pub fn address_limit_bytes() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// Whether the machine has room for that many bytes more of this process, as far as can be told. The system itself
/// hands out addresses without asking, and ends programs later, when they use them: this one, or others.
pub fn has_room_for(bytes: usize) -> bool {
    let bytes = bytes as u64;
    let system = rustix::system::sysinfo();
    let unit = u64::from(system.mem_unit);
    // What is in use by others may be swapped out or come free; what this process has stays.
    let most = group_limit_bytes()
        .unwrap_or(u64::MAX)
        .min((system.totalram + system.totalswap) * unit);
    if bytes > most.saturating_sub(resident_bytes().unwrap_or(0)) {
        return false;
    }
    available_bytes().is_none_or(|available| bytes <= available + system.freeswap * unit)
}

/// Resident memory of this process, in bytes. The file stays open, because this is asked for often.
pub fn resident_bytes() -> Option<u64> {
    Some(resident()?.0)
}

/// Resident memory of this process, and how much of it are pages of files (the program and libraries) or shared with
/// other processes, in bytes.
pub fn resident() -> Option<(u64, u64)> {
    static STATM: OnceLock<Option<OwnedFd>> = OnceLock::new();
    let open = || {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        rustix::fs::open("/proc/self/statm", flags, Mode::empty()).ok()
    };
    let file = STATM.get_or_init(open).as_ref()?;
    let mut text = [0; 128];
    let length = rustix::io::pread(file, &mut text, 0).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    let mut fields = text.split(' ').skip(1);
    let mut bytes = || {
        let pages: u64 = fields.next()?.parse().ok()?;
        pages.checked_mul(page_bytes() as u64)
    };
    Some((bytes()?, bytes()?))
}

/// The peak of resident memory of this process, in bytes.
pub fn peak_resident_bytes() -> Option<u64> {
    bytes_of("/proc/self/status", "VmHWM:")
}

/// Reads a line such as `VmHWM:  1234 kB`.
fn bytes_of(file: &str, field: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_touched_becomes_resident() {
        const BYTES: usize = 64 << 20;
        let before = resident_bytes().unwrap();
        let block = std::hint::black_box(vec![1u8; BYTES]);
        let after = resident_bytes().unwrap();
        // Other tests run at the same time and may free memory.
        assert!(after > before + BYTES as u64 / 2, "{before} {after}");
        assert!(peak_resident_bytes().unwrap() >= BYTES as u64);
        let (all, of_files) = resident().unwrap();
        assert!(
            (1 << 20..all - BYTES as u64 / 2).contains(&of_files),
            "{of_files}"
        );
        drop(block);
    }

    #[test]
    fn the_machine_has_memory() {
        assert!(total_bytes() > 16 << 20);
        assert!(available_bytes().unwrap() <= total_bytes());
        assert!(group_limit_bytes().is_none_or(|limit| limit > 0));
    }

    #[test]
    fn there_is_no_room_for_more_than_there_is() {
        assert!(has_room_for(1 << 20));
        assert!(!has_room_for(total_bytes() as usize * 2 + (1 << 40)));
        assert!(!has_room_for(usize::MAX));
    }
}
