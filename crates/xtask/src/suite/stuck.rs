//! Ends what a step has waited for too long, so that a test that hangs fails by its name and the rest still runs.
//!
//! What hangs is at the end of a step's family of processes: a node that a test waits for, or the test program itself.
//! Such a process is ended when it is old, without children, and the step has written nothing for as long. What is
//! known of it is added to the step's output first.

use procfs::Current;
use procfs::process::{Process, Stat, all_processes};
use std::collections::HashSet;
use std::fmt::Write;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// No test takes nearly as long, also where the machine is slow.
pub(super) const PATIENCE: Duration = Duration::from_mins(10);

/// Watches the family of the process `root`, whose output is in `log`, until the other end of `ended` is dropped.
pub(super) fn watch(root: u32, log: &Path, patience: Duration, ended: &Receiver<()>) {
    let length = || fs::metadata(log).map_or(0, |file| file.len());
    let (mut written, mut since) = (length(), Instant::now());
    while ended.recv_timeout(patience / 100) == Err(RecvTimeoutError::Timeout) {
        let now = length();
        if now != written {
            (written, since) = (now, Instant::now());
        } else if since.elapsed() > patience {
            end_old_leaves(root, log, patience);
            since = Instant::now();
        }
    }
}

/// Ends those of the family that have no children and have lived for so long.
fn end_old_leaves(root: u32, log: &Path, patience: Duration) {
    let family = family(root);
    let parents: HashSet<i32> = family.iter().map(|(_, stat)| stat.ppid).collect();
    let old = family.iter().filter(|(process, stat)| {
        !parents.contains(&stat.pid) && age(process).is_some_and(|age| age > patience)
    });
    for (process, stat) in old {
        let told = describe(process, stat);
        println!("{}", told.lines().next().unwrap_or_default());
        // A step whose log cannot be written fails all the same.
        if let Ok(mut log) = OpenOptions::new().append(true).open(log) {
            let _ = log.write_all(told.as_bytes());
        }
        if let Some(number) = rustix::process::Pid::from_raw(stat.pid) {
            // An error means that it has ended by itself.
            let _ = rustix::process::kill_process(number, rustix::process::Signal::KILL);
        }
    }
}

/// The process and its descendants.
fn family(root: u32) -> Vec<(Process, Stat)> {
    let mut others: Vec<(Process, Stat)> = all_processes()
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|process| process.stat().ok().map(|stat| (process, stat)))
        .collect();
    let mut numbers: HashSet<i32> = i32::try_from(root).into_iter().collect();
    let mut family = Vec::new();
    loop {
        let found: Vec<_> = others
            .extract_if(.., |(_, stat)| {
                numbers.contains(&stat.pid) || numbers.contains(&stat.ppid)
            })
            .collect();
        if found.is_empty() {
            return family;
        }
        numbers.extend(found.iter().map(|(_, stat)| stat.pid));
        family.extend(found);
    }
}

fn age(process: &Process) -> Option<Duration> {
    let up = procfs::Uptime::current().ok()?.uptime_duration();
    let started = process.stat().ok()?.starttime / procfs::ticks_per_second();
    Some(up.saturating_sub(Duration::from_secs(started)))
}

/// The command, what each thread does, and where a debugger finds it if there is one.
fn describe(process: &Process, stat: &Stat) -> String {
    let command = process.cmdline().unwrap_or_default().join(" ");
    let mut told = format!("STUCK, ended: {} {command}\n", stat.pid);
    for task in process.tasks().into_iter().flatten().flatten() {
        let folder = format!("/proc/{}/task/{}", stat.pid, task.tid);
        let read = |name: &str| fs::read_to_string(format!("{folder}/{name}")).unwrap_or_default();
        let state = task.stat().map_or('?', |stat| stat.state);
        let _ = writeln!(
            told,
            "  thread {} {}: {state} {} {}",
            task.tid,
            read("comm").trim(),
            read("wchan").trim(),
            read("syscall").trim(),
        );
    }
    let stacks = Command::new("timeout")
        .args(["60", "gdb", "-p", &stat.pid.to_string()])
        .args(["--batch", "-ex", "thread apply all backtrace 20"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    if let Ok(stacks) = stacks {
        told += &String::from_utf8_lossy(&stacks.stdout);
    }
    told
}
