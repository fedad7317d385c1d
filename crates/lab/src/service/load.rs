//! A piece of work that a server does for its clients: what it used for that, and what it holds meanwhile and
//! afterwards.

use anyhow::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::processes::{self, Used};
use super::server::Server;

/// The interval between two looks at the server's memory.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// How long after the work the memory is read that the server still holds.
const REST: Duration = Duration::from_secs(10);
/// The work that is done before, to warm up, is the measured work divided by this.
pub(super) const WARM_UP_SHARE: u64 = 4;

pub(super) struct Load {
    before: Used,
    after: Used,
    took: Duration,
    /// The median of what was resident in the second half of the work.
    resident_bytes: u64,
}

/// Measures the server while the work is done.
pub(super) fn under_load<T>(
    server: &Server,
    work: impl FnOnce() -> Result<T>,
) -> Result<(T, Load)> {
    let process = server.id();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let looks = scope.spawn(|| {
            let mut resident = Vec::new();
            while !is_done.load(Ordering::Relaxed) {
                resident.push(processes::used(process).resident_bytes);
                thread::sleep(LOOK_INTERVAL);
            }
            resident
        });
        let before = processes::used(process);
        let began = Instant::now();
        let done = work();
        let took = began.elapsed();
        let after = processes::used(process);
        is_done.store(true, Ordering::Relaxed);
        let resident = looks.join().unwrap_or_default();
        let mut late = resident[resident.len() / 2..].to_vec();
        late.sort_unstable();
        let load = Load {
            before,
            after,
            took,
            resident_bytes: late
                .get(late.len() / 2)
                .copied()
                .unwrap_or(after.resident_bytes),
        };
        Ok((done?, load))
    })
}

impl Load {
    /// Prints what so many units of work took.
    pub(super) fn print(&self, units: u64) {
        let ns = self
            .after
            .processor_ns
            .saturating_sub(self.before.processor_ns);
        let ticks = self.after.ticks.saturating_sub(self.before.ticks).max(1);
        let kernel = self
            .after
            .kernel_ticks
            .saturating_sub(self.before.kernel_ticks);
        println!("processor: {:.3}", ns as f64 / 1e3 / units as f64);
        println!("kernel: {:.1}", kernel as f64 * 100.0 / ticks as f64);
        println!("rate: {:.1}", units as f64 / self.took.as_secs_f64());
        println!("load: {}", self.resident_bytes);
    }
}

/// Lets the server rest, and prints what it still holds.
pub(super) fn rest(server: &Server) {
    thread::sleep(REST);
    println!("rest: {}", processes::used(server.id()).resident_bytes);
}

/// Prints the slowest hundredth of some times.
pub(super) fn print_slowest(mut micros: Vec<u32>) {
    micros.sort_unstable();
    if let Some(slow) = micros.get(micros.len() * 99 / 100) {
        println!("p99: {slow}");
    }
}
