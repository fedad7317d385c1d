//! A process and all that descend from it, as the kernel lists them. What comes or goes meanwhile may be missing.
//!
//! Any thread may call this.

use procfs::process::{Process, Stat, all_processes};
use std::collections::HashMap;

/// The process and its descendants, parents before their children.
pub fn family(root: u32) -> Vec<(Process, Stat)> {
    let Ok(root) = i32::try_from(root) else {
        return Vec::new();
    };
    let mut children: HashMap<i32, Vec<(Process, Stat)>> = HashMap::new();
    let mut family = Vec::new();
    for process in all_processes().into_iter().flatten().flatten() {
        let Ok(stat) = process.stat() else { continue };
        if stat.pid == root {
            family.push((process, stat));
        } else {
            children.entry(stat.ppid).or_default().push((process, stat));
        }
    }
    let mut at = 0;
    while let Some((_, stat)) = family.get(at) {
        family.extend(children.remove(&stat.pid).unwrap_or_default());
        at += 1;
    }
    family
}
