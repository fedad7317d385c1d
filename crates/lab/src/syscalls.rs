//! Counts the system calls of a run with `strace`, if it is installed. That slows the VM down, so it happens in a
//! separate run whose figures are discarded.

use std::fs;
use std::path::Path;
use watch::Invocation;

use crate::installed::find_program;
use crate::measure::{Bounds, Trial};
use crate::vms::Vm;

/// Under `strace` a run may take this many times as long.
const SLOWDOWN: u32 = 4;
/// The number of system calls that are reported.
const MOST_NAMES: usize = 12;

/// The most frequent system calls; empty if they cannot be counted.
pub(crate) fn count(trial: &Trial, vm: &Vm, programs: &Path, bounds: Bounds) -> Vec<(String, u64)> {
    let Some(strace) = find_program("strace") else {
        return Vec::new();
    };
    let Ok(folder) = tempfile::tempdir() else {
        return Vec::new();
    };
    let table = folder.path().join("calls");
    let run = Invocation::new(&strace, folder.path())
        .args(["-f", "-c", "-qq", "-S", "calls", "-o"])
        .arg(&table)
        .args(trial.words(vm, programs))
        .timeout(bounds.timeout * SLOWDOWN)
        .memory_limit_bytes(bounds.memory_bytes)
        .run();
    match run {
        Ok(outcome) if outcome.end.is_success() => {
            let text = fs::read_to_string(&table).unwrap_or_default();
            read(&text)
        }
        _ => Vec::new(),
    }
}

/// Parses lines such as ` 99.00    0.123456          12      1024       100 futex`. The number of errors before the
/// name may be absent.
fn read(table: &str) -> Vec<(String, u64)> {
    let rows = table.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let name = *words.last()?;
        let calls = words.get(3)?.parse().ok()?;
        (words[0].parse::<f64>().is_ok() && name != "total").then(|| (name.to_owned(), calls))
    });
    let mut found: Vec<(String, u64)> = rows.collect();
    found.sort_by_key(|(_, calls)| std::cmp::Reverse(*calls));
    found.truncate(MOST_NAMES);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_strace_is_read() {
        let table = "% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 60.00    0.100000          10     10000       100 futex
 40.00    0.050000           5     20000           epoll_wait
------ ----------- ----------- --------- --------- ----------------
100.00    0.150000           7     30000       100 total
";
        let expected = [
            ("epoll_wait".to_owned(), 20000),
            ("futex".to_owned(), 10000),
        ];
        assert_eq!(read(table), expected);
    }
}
