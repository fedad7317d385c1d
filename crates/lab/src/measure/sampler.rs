//! Samples what the operating system shows of a running VM: memory, threads, I/O calls, and the load of each processor.
//!
//! A number that cannot be read is left out; sampling never fails. Used by the thread that watches the run.

use procfs::process::Process;
use procfs::{CpuTime, CurrentSI, KernelStats};
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;
use watch::{Look, Next};

use crate::results::{CoreLoad, Load};

/// The most samples kept of one run; when there are more, every other one is dropped.
const MOST_SAMPLES: usize = 512;
/// The kernel counts load in ticks of 10 ms, so a shorter interval would show nothing.
const LOAD_INTERVAL: Duration = Duration::from_millis(100);
/// When the threads are listed, if the run ends by itself: the VM has booted by then.
const BOOTED_AFTER: Duration = Duration::from_millis(120);

/// Processor time that all programs on the host have used since it booted.
pub(super) struct HostTimes {
    pub busy_s: f64,
}

impl HostTimes {
    pub(super) fn now() -> Option<HostTimes> {
        let ticks = procfs::ticks_per_second() as f64;
        let total = KernelStats::current().ok()?.total;
        Some(HostTimes {
            busy_s: busy_ticks(&total) as f64 / ticks,
        })
    }
}

fn busy_ticks(time: &CpuTime) -> u64 {
    time.user + time.nice + time.system + time.irq.unwrap_or(0) + time.softirq.unwrap_or(0)
}

struct LoadSample {
    at: Duration,
    runnable: u32,
    cores: Vec<CpuTime>,
}

/// The VM's processor time at one moment.
#[derive(Clone, Copy)]
struct OwnTime {
    at: Duration,
    ticks: u64,
}

pub(super) struct Sampler {
    /// The text by which the program announces the measured part, and how long that part lasts.
    ends: Option<(&'static str, Duration)>,
    began: Option<OwnTime>,
    last: Option<OwnTime>,
    over: bool,
    resident: Vec<(Duration, u64)>,
    peak_bytes: u64,
    loads: Vec<LoadSample>,
    names: BTreeMap<String, usize>,
    thread_count: u64,
    io_calls: (u64, u64),
    marked: bool,
}

impl Sampler {
    pub(super) fn new(ends: Option<(&'static str, Duration)>) -> Sampler {
        Sampler {
            ends,
            began: None,
            last: None,
            over: false,
            resident: Vec::new(),
            peak_bytes: 0,
            loads: Vec::new(),
            names: BTreeMap::new(),
            thread_count: 0,
            io_calls: (0, 0),
            marked: false,
        }
    }

    pub(super) fn look(&mut self, look: &Look) -> Next {
        if !self.marked {
            self.marked = true;
            // If the host runs out of memory, the kernel shall kill the experiment and no other program.
            let _ = fs::write(format!("/proc/{}/oom_score_adj", look.process), "800");
        }
        let process = i32::try_from(look.process)
            .ok()
            .and_then(|id| Process::new(id).ok());
        if let Some(process) = &process {
            self.see_process(process, look.since_start);
        }
        self.see_host(look.since_start);
        let Some((says, lasts)) = self.ends else {
            if self.names.is_empty() && look.since_start > BOOTED_AFTER {
                self.see_threads(process.as_ref());
            }
            return Next::GoOn;
        };
        if self.began.is_none() && contains(look.stdout, says.as_bytes()) {
            self.began = self.last;
            self.see_threads(process.as_ref());
        }
        match self.began {
            Some(began) if look.since_start >= began.at + lasts => {
                self.over = true;
                Next::Enough
            }
            _ => Next::GoOn,
        }
    }

    fn see_process(&mut self, process: &Process, at: Duration) {
        if let Ok(status) = process.status() {
            let resident = status.vmrss.unwrap_or(0) * 1024;
            self.peak_bytes = self.peak_bytes.max(status.vmhwm.unwrap_or(0) * 1024);
            self.thread_count = self.thread_count.max(status.threads);
            thin(&mut self.resident);
            self.resident.push((at, resident));
        }
        if let Ok(stat) = process.stat() {
            self.last = Some(OwnTime {
                at,
                ticks: stat.utime + stat.stime,
            });
        }
        if let Ok(io) = process.io() {
            self.io_calls = (io.syscr, io.syscw);
        }
    }

    fn see_host(&mut self, at: Duration) {
        if self
            .loads
            .last()
            .is_some_and(|last| at < last.at + LOAD_INTERVAL)
        {
            return;
        }
        if let Ok(stats) = KernelStats::current() {
            thin(&mut self.loads);
            self.loads.push(LoadSample {
                at,
                runnable: stats.procs_running.unwrap_or(0),
                cores: stats.cpu_time,
            });
        }
    }

    fn see_threads(&mut self, process: Option<&Process>) {
        let Some(tasks) = process.and_then(|process| process.tasks().ok()) else {
            return;
        };
        self.names.clear();
        for stat in tasks.flatten().filter_map(|task| task.stat().ok()) {
            *self.names.entry(without_number(&stat.comm)).or_default() += 1;
        }
    }

    /// Whether the measured part was sampled to its end.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    pub(super) fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }

    pub(super) fn last_bytes(&self) -> u64 {
        self.resident.last().map_or(0, |(_, bytes)| *bytes)
    }

    /// The median of the samples of the second half.
    pub(super) fn steady_bytes(&self) -> u64 {
        let Some((end, _)) = self.resident.last() else {
            return 0;
        };
        let half = *end / 2;
        let mut late: Vec<u64> = self
            .resident
            .iter()
            .filter(|(at, _)| *at >= half)
            .map(|(_, bytes)| *bytes)
            .collect();
        late.sort_unstable();
        late.get(late.len() / 2).copied().unwrap_or(0)
    }

    pub(super) fn io_calls(&self) -> (u64, u64) {
        self.io_calls
    }

    pub(super) fn thread_count(&self) -> u64 {
        self.thread_count
    }

    pub(super) fn threads(&self) -> Vec<(String, usize)> {
        self.names.clone().into_iter().collect()
    }

    /// The number of processors that the VM used, on average, during the measured part.
    pub(super) fn cpu_used(&self) -> Option<f64> {
        let (began, last) = (self.began?, self.last?);
        let seconds = last.at.checked_sub(began.at)?.as_secs_f64();
        let ticks = last.ticks.checked_sub(began.ticks)? as f64;
        (seconds > 0.0).then(|| ticks / procfs::ticks_per_second() as f64 / seconds)
    }

    /// Average load, in percent, of the least loaded processor during the measured part.
    pub(super) fn least_loaded(&self) -> Option<f64> {
        let from = self.began.map_or(Duration::ZERO, |began| began.at);
        let first = self.loads.iter().find(|sample| sample.at >= from)?;
        let last = self.loads.last().filter(|last| last.at > first.at)?;
        let ours = sys::cpu::initial_affinity();
        cores_between(first, last)
            .into_iter()
            .enumerate()
            .filter(|(number, _)| ours.contains(number))
            .map(|(_, core)| f64::from(core.busy()))
            .min_by(f64::total_cmp)
    }

    /// The load of the processors between each two samples.
    pub(super) fn load_over_time(&self) -> Vec<Load> {
        self.loads
            .windows(2)
            .map(|pair| Load {
                at_s: pair[1].at.as_secs_f64(),
                runnable: pair[1].runnable,
                cores: cores_between(&pair[0], &pair[1]),
            })
            .collect()
    }
}

fn cores_between(first: &LoadSample, last: &LoadSample) -> Vec<CoreLoad> {
    let pairs = first.cores.iter().zip(&last.cores);
    pairs
        .map(|(before, after)| between(before, after))
        .collect()
}

fn between(before: &CpuTime, after: &CpuTime) -> CoreLoad {
    let whole = total_ticks(after)
        .saturating_sub(total_ticks(before))
        .max(1) as f32;
    let share =
        |of: fn(&CpuTime) -> u64| of(after).saturating_sub(of(before)) as f32 * 100.0 / whole;
    CoreLoad {
        user: share(|time| time.user),
        nice: share(|time| time.nice),
        system: share(|time| time.system),
        iowait: share(|time| time.iowait.unwrap_or(0)),
        irq: share(|time| time.irq.unwrap_or(0)),
        soft: share(|time| time.softirq.unwrap_or(0)),
        steal: share(|time| time.steal.unwrap_or(0)),
    }
}

fn total_ticks(time: &CpuTime) -> u64 {
    busy_ticks(time) + time.idle + time.iowait.unwrap_or(0) + time.steal.unwrap_or(0)
}

/// Drops every other sample once there are too many, so that a long run needs no more memory than a short one.
fn thin<T>(samples: &mut Vec<T>) {
    if samples.len() >= MOST_SAMPLES {
        let mut keep = false;
        samples.retain(|_| {
            keep = !keep;
            keep
        });
    }
}

/// The name without a number at either end: `sched_1` and `sched_2` are counted together, and so are `1_aux` and
/// `2_aux`.
fn without_number(name: &str) -> String {
    let stem = name.trim_matches(|c: char| c.is_ascii_digit());
    let stem = stem.trim_matches(['_', '-', ' ', '/']);
    if stem.is_empty() { name } else { stem }.to_owned()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_samples_are_thinned_evenly() {
        let mut samples: Vec<usize> = (0..MOST_SAMPLES).collect();
        thin(&mut samples);
        assert_eq!(samples.len(), MOST_SAMPLES / 2);
        assert!(samples.iter().all(|sample| sample % 2 == 0));
    }

    #[test]
    fn threads_are_counted_by_stem() {
        for (name, stem) in [
            ("erts_sched_12", "erts_sched"),
            ("cpu/3", "cpu"),
            ("12_dirty_io_sch", "dirty_io_sch"),
            ("1234", "1234"),
        ] {
            assert_eq!(without_number(name), stem);
        }
    }
}
