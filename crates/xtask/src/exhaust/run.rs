//! One run of a machine some of whose system calls fail, and what is read from it.

use super::fault::Fault;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use watch::{End, Invocation};

/// Seconds that a run may take before it is asked to end. A step of the program waits for ten at most.
const SECONDS: u64 = 45;

/// A machine that programs run on.
pub(super) struct Machine<'a> {
    /// `fail`, compiled.
    pub tool: PathBuf,
    /// The names of the executables whose calls fail, with commas between them.
    pub executables: String,
    pub path: PathBuf,
    /// An invocation of a program in a folder, with the environment that the machine needs.
    pub invocation: Box<dyn Fn(&Path, &Path) -> Invocation + Sync + 'a>,
}

/// How a run ended.
pub(super) struct Ran {
    pub end: End,
    /// It was asked to end when it had taken too long, and did.
    pub waited: bool,
    /// It did not even then.
    pub hung: bool,
    pub stdout: String,
    pub stderr: String,
    /// The calls of each kind.
    pub calls: BTreeMap<String, u64>,
    /// The first calls that failed.
    pub failed: Vec<String>,
}

impl Machine<'_> {
    /// Runs the machine with these arguments in a folder of its own, which is removed.
    pub(super) fn run(&self, fault: &Fault, arguments: &[String]) -> Result<Ran> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("exhaust-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let ran = self.run_in(fault, arguments, &folder);
        // What is left in the temporary folder harms nobody.
        let _ = fs::remove_dir_all(&folder);
        ran
    }

    fn run_in(&self, fault: &Fault, arguments: &[String], folder: &Path) -> Result<Ran> {
        let report = folder.join("report");
        let outcome = (self.invocation)(&self.tool, folder)
            .arg(&self.executables)
            .args(fault.arguments()?)
            .arg(SECONDS.to_string())
            .arg(&report)
            .arg(&self.path)
            .args(arguments)
            .env("ERL_CRASH_DUMP_SECONDS", "0")
            .timeout(Duration::from_secs(SECONDS + 60))
            .run()?;
        let report = fs::read_to_string(&report).unwrap_or_default();
        let lines = |word: &str| {
            let start = format!("{word} ");
            let lines = report
                .lines()
                .filter_map(move |line| line.strip_prefix(&start).map(str::to_owned));
            lines.collect::<Vec<String>>()
        };
        let counted = lines("counted").into_iter().filter_map(|line| {
            let (kind, calls) = line.split_once(' ')?;
            Some((kind.to_owned(), calls.parse().ok()?))
        });
        let signal = lines("killed").first().and_then(|line| line.parse().ok());
        Ok(Ran {
            end: signal.map_or(outcome.end, End::Signalled),
            waited: report.lines().any(|line| line == "waited"),
            hung: report.lines().any(|line| line == "hung"),
            stdout: String::from_utf8_lossy(&outcome.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&outcome.stderr).into_owned(),
            calls: counted.collect(),
            failed: lines("failed"),
        })
    }
}

impl Ran {
    /// The number behind a word on a line of its own.
    pub(super) fn number(&self, word: &str) -> Option<u64> {
        let found = self
            .stdout
            .lines()
            .find_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
        found?.parse().ok()
    }

    /// Whether the node had started.
    pub(super) fn has_begun(&self) -> bool {
        self.stdout.lines().any(|line| line == "began")
    }

    /// Whether the program came to its end.
    pub(super) fn is_done(&self) -> bool {
        self.stdout.lines().any(|line| line == "done")
    }

    /// Whether its last round had no fault.
    pub(super) fn is_sound(&self) -> bool {
        self.stdout.lines().any(|line| line == "last sound")
    }

    /// Steps that did not return what they should, with what they returned.
    pub(super) fn faults(&self) -> impl Iterator<Item = &str> {
        self.stdout
            .lines()
            .filter_map(|line| line.strip_prefix("step "))
    }

    /// What is wrong whatever failed. A node that has not started may be told nothing, and waits for processes of OTP
    /// that have ended, as stock does.
    pub(super) fn crash(&self) -> Option<String> {
        if self.stderr.contains("internal error") || self.stderr.contains("panicked") {
            return Some("internal error".to_owned());
        }
        if self.hung {
            return self.has_begun().then(|| "hangs".to_owned());
        }
        match self.end {
            End::Exited(_) => None,
            End::Signalled(signal) => Some(format!("killed by signal {signal}")),
            other => Some(other.to_string()),
        }
    }
}
