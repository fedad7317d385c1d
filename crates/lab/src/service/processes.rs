//! What a process and all that descend from it use, as the kernel counts it.
//!
//! Processor time is the nanoseconds of every thread that lives, and the kernel's ticks of children that have ended. A
//! number that cannot be read counts as nothing: processes come and go while they are read.

use procfs::process::Process;
use watch::family;

/// What was used up to one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Used {
    pub processor_ns: u64,
    /// The same in ticks, and how many of these were the kernel's: coarse, but divided.
    pub ticks: u64,
    pub kernel_ticks: u64,
    pub resident_bytes: u64,
}

/// What the process and its descendants have used so far.
pub(super) fn used(root: u32) -> Used {
    let mut used = Used::default();
    for (process, stat) in family(root) {
        let ended = u64::try_from(stat.cutime + stat.cstime).unwrap_or(0);
        let kernel_of_ended = u64::try_from(stat.cstime).unwrap_or(0);
        used.ticks += stat.utime + stat.stime + ended;
        used.kernel_ticks += stat.stime + kernel_of_ended;
        let tick_ns = 1_000_000_000 / procfs::ticks_per_second();
        used.processor_ns += living_ns(&process).unwrap_or((stat.utime + stat.stime) * tick_ns);
        used.processor_ns += ended * tick_ns;
        used.resident_bytes += stat.rss * procfs::page_size();
    }
    used
}

/// Nanoseconds of the threads; `None` if the kernel does not count them.
fn living_ns(process: &Process) -> Option<u64> {
    let tasks = process.tasks().ok()?.flatten();
    let mut ns = 0;
    for task in tasks {
        ns += task.schedstat().ok()?.sum_exec_runtime;
    }
    Some(ns).filter(|ns| *ns > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::{Command, Stdio};

    #[test]
    fn the_work_of_living_and_of_ended_children_counts() {
        let work = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let mut child = Command::new("/bin/sh")
            .args(["-c", &format!("({work}); {work}; echo; cat; true")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // The work is done when the line is written.
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let seen = used(child.id());
        assert!(
            seen.processor_ns > 0 && seen.ticks > 0 && seen.resident_bytes > 0,
            "{seen:?}"
        );
        // The shell starts `cat` after it has written the line.
        while family(child.id()).len() < 2 {
            assert!(
                child.try_wait().unwrap().is_none(),
                "it has ended too early"
            );
        }
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(used(child.id()).processor_ns, 0, "it has ended");
    }
}
