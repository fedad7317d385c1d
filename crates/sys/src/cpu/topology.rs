//! How processors are arranged: nodes (memory), processors (packages), cores and hardware threads.
//!
//! `erlang:system_info(cpu_topology)` shows this, and binding strategies (`+sbt`) need it. It is
//! read from `/sys`, whose directory is a parameter so that tests can describe other hosts.

use std::path::Path;

/// The place of one logical processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogicalCpu {
    /// The memory node, where the kernel has nodes, numbered as the kernel does.
    pub node: Option<u32>,
    /// The package, numbered as the kernel does.
    pub processor: u32,
    /// The core within its package, numbered as the kernel does.
    pub core: u32,
    /// The hardware thread within its core, numbered from 0.
    pub thread: u32,
    /// The number of the logical processor, for [`crate::cpu::pin_thread`].
    pub logical: usize,
}

/// All logical processors that the kernel describes, ordered by node, processor, core, thread; empty where
/// it describes none (some virtual machines and containers).
pub fn detect() -> Vec<LogicalCpu> {
    detect_under(Path::new("/sys"))
}

fn detect_under(sys: &Path) -> Vec<LogicalCpu> {
    let mut cpus = Vec::new();
    let nodes = numbered_entries(&sys.join("devices/system/node"), "node");
    for node in &nodes {
        let directory = sys.join(format!("devices/system/node/node{node}"));
        collect(&mut cpus, &directory, u32::try_from(*node).ok());
    }
    if cpus.is_empty() {
        collect(&mut cpus, &sys.join("devices/system/cpu"), None);
    }
    number_threads(&mut cpus);
    cpus
}

fn collect(cpus: &mut Vec<LogicalCpu>, directory: &Path, node: Option<u32>) {
    for logical in numbered_entries(directory, "cpu") {
        let place = directory.join(format!("cpu{logical}/topology"));
        // A processor that is switched off has no topology.
        let (Some(processor), Some(core)) = (
            read_number(&place.join("physical_package_id")),
            read_number(&place.join("core_id")),
        ) else {
            continue;
        };
        cpus.push(LogicalCpu {
            node,
            processor,
            core,
            thread: 0,
            logical,
        });
    }
}

/// Sorts, and numbers the logical processors that share a core.
fn number_threads(cpus: &mut [LogicalCpu]) {
    cpus.sort_unstable();
    for index in 1..cpus.len() {
        let before = cpus[index - 1];
        let this = &mut cpus[index];
        if (before.node, before.processor, before.core) == (this.node, this.processor, this.core) {
            this.thread = before.thread + 1;
        }
    }
}

/// The numbers N of all entries `<prefix>N`, ascending.
fn numbered_entries(directory: &Path, prefix: &str) -> Vec<usize> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut numbers: Vec<usize> = entries
        .filter_map(|entry| {
            entry
                .ok()?
                .file_name()
                .to_str()?
                .strip_prefix(prefix)?
                .parse()
                .ok()
        })
        .collect();
    numbers.sort_unstable();
    numbers
}

/// Some virtual machines number their only package -1, which counts as 0.
fn read_number(path: &Path) -> Option<u32> {
    let number: i64 = std::fs::read_to_string(path).ok()?.trim().parse().ok()?;
    u32::try_from(number.max(0)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    #[test]
    fn threads_of_a_core_are_numbered_in_order() {
        let machine = [(0, 0, 0), (1, 0, 1), (2, 0, 0), (3, 0, 1)];
        let files: Vec<(String, String)> = machine
            .iter()
            .flat_map(|(cpu, package, core)| {
                let place = format!("devices/system/node/node0/cpu{cpu}/topology");
                [
                    (
                        format!("{place}/physical_package_id"),
                        format!("{package}\n"),
                    ),
                    (format!("{place}/core_id"), format!("{core}\n")),
                ]
            })
            .collect();
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        let tree = Tree::new(&files);
        let at = |core, thread, logical| LogicalCpu {
            node: Some(0),
            processor: 0,
            core,
            thread,
            logical,
        };
        assert_eq!(
            detect_under(tree.path()),
            [at(0, 0, 0), at(0, 1, 2), at(1, 0, 1), at(1, 1, 3)]
        );
    }

    #[test]
    fn without_nodes_the_processors_are_found_and_those_switched_off_are_left_out() {
        let tree = Tree::new(&[
            (
                "devices/system/cpu/cpu0/topology/physical_package_id",
                "-1\n",
            ),
            ("devices/system/cpu/cpu0/topology/core_id", "3\n"),
            ("devices/system/cpu/cpu1/online", "0\n"),
            ("devices/system/cpu/cpufreq/x", "0\n"),
        ]);
        let only = LogicalCpu {
            node: None,
            processor: 0,
            core: 3,
            thread: 0,
            logical: 0,
        };
        assert_eq!(detect_under(tree.path()), [only]);
        assert_eq!(detect_under(Tree::new(&[]).path()), []);
    }

    #[test]
    fn this_machine_is_described_once_per_processor() {
        let mut logical: Vec<usize> = detect().iter().map(|cpu| cpu.logical).collect();
        let found = logical.len();
        logical.sort_unstable();
        logical.dedup();
        assert_eq!(logical.len(), found);
    }
}
