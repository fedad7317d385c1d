//! `cargo xtask test`: what a change must pass, step by step ([`steps`]), and how long each step took.
//!
//! Steps stand in lanes, which run side by side: one builds the tests and runs them, the other builds the release and
//! then parts in two, which compare it with stock. What must not be disturbed follows when all have ended. A step
//! writes to a file under `target/test`; what it wrote is shown when it has ended, so that steps never write between
//! each other's lines. A step that fails does not keep the others from running, except for the build that those after
//! it run.
//!
//! Before the end stands which of the slower steps of `make test-all` were ever green ([`green`]).
//! The last line is the sum of what the steps counted: `N passed, N failed`, and `, N skipped` if any were. A step
//! that counts nothing itself, such as the formatter's, counts as one.

mod green;
mod steps;
mod stuck;

use crate::count::{Count, NOTES};
use crate::project;
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use steps::{Failure, Lane, Step};
use sys::child::Exit;
use sys::child::usage::wait_with_usage;

#[derive(clap::Args)]
pub(crate) struct SuiteOptions {
    /// Also the slower ways to run the same tests.
    #[arg(long)]
    all: bool,
    /// Of the slower steps only those whose names contain this text, and no others. What they run must have been built:
    /// `cargo build --release --package cli`, and the steps that end in `built`.
    #[arg(long, value_name = "TEXT", conflicts_with = "all")]
    slower: Option<String>,
    /// When this program began to be built, in seconds since 1970: its build then counts as a step.
    #[arg(long, value_name = "SECONDS")]
    since: Option<u64>,
}

/// What became of a step.
struct Report {
    name: &'static str,
    verdict: Verdict,
    count: Count,
    wall: Duration,
    /// Processor time of all that it started.
    processor: Duration,
    output: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    /// What it needs is not there.
    Skipped(&'static str),
    /// The build before it failed.
    NotRun,
}

pub(crate) fn run(options: &SuiteOptions) -> Result<ExitCode> {
    let logs = project::target().join("test");
    fs::create_dir_all(&logs).with_context(|| logs.display().to_string())?;
    let built = options.since.map_or(Duration::ZERO, time_since);
    let started = Instant::now();
    let slower = names_of_slower(options.slower.as_deref().unwrap_or_default());
    if slower.is_empty() {
        bail!("no slower step has that in its name: crates/xtask/src/suite/steps.rs lists them");
    }
    let mut reports = Vec::new();
    if options.slower.is_none() {
        reports.extend(side_by_side(
            &[Lane::of(steps::TESTS), steps::RELEASE],
            &logs,
        ));
        reports.extend(side_by_side(&[Lane::of(steps::ALONE)], &logs));
    }
    if options.all || options.slower.is_some() {
        for step in steps::SLOWER
            .iter()
            .filter(|step| slower.contains(&step.name))
        {
            reports.extend(side_by_side(&[Lane::of(std::slice::from_ref(step))], &logs));
        }
    }
    print_times(&reports, built, started.elapsed());
    let total: Count = reports.iter().map(|report| report.count).sum();
    let has_failed = |report: &Report| matches!(report.verdict, Verdict::Failed | Verdict::NotRun);
    let has_failed = reports.iter().any(has_failed);
    let all = names_of_slower("");
    let noted: Vec<&Report> = reports
        .iter()
        .filter(|report| all.contains(&report.name))
        .collect();
    if !noted.is_empty() {
        green::note(&noted, &all)?;
    }
    println!("{}", green::last(&all));
    println!("{total}");
    Ok(ExitCode::from(u8::from(has_failed)))
}

/// Those of the slower steps that have this text in their names.
fn names_of_slower(text: &str) -> Vec<&'static str> {
    let names = steps::SLOWER.iter().map(|step| step.name);
    names.filter(|name| name.contains(text)).collect()
}

/// Runs each lane in a thread, and shows each step as it ends.
fn side_by_side(lanes: &[Lane], logs: &Path) -> Vec<Report> {
    let (sender, ended) = channel();
    thread::scope(|scope| {
        for lane in lanes {
            let sender = sender.clone();
            scope.spawn(move || run_lane(*lane, true, logs, &sender));
        }
        drop(sender);
        ended.iter().inspect(show).collect()
    })
}

/// Runs the steps of a lane, then the lanes behind it side by side. Where a build has failed, the rest is only
/// reported.
fn run_lane(lane: Lane, mut is_built: bool, logs: &Path, ended: &Sender<Report>) {
    for step in lane.steps {
        let report = if is_built {
            run_step(step, logs)
        } else {
            Report::without_run(step, Verdict::NotRun)
        };
        is_built &= step.failure != Failure::EndsLane || report.verdict == Verdict::Passed;
        // The receiver outlives the lanes.
        let _ = ended.send(report);
    }
    thread::scope(|scope| {
        for lane in lane.then {
            let ended = ended.clone();
            scope.spawn(move || run_lane(*lane, is_built, logs, &ended));
        }
    });
}

fn run_step(step: &'static Step, logs: &Path) -> Report {
    run_step_with(step, logs, stuck::PATIENCE)
}

fn run_step_with(step: &'static Step, logs: &Path, patience: Duration) -> Report {
    if let Some((condition, reason)) = step.needs
        && !holds(condition)
    {
        return Report::without_run(step, Verdict::Skipped(reason));
    }
    println!("begins: {}", step.name);
    let started = Instant::now();
    let log = logs.join(step.name.replace(' ', "-")).with_extension("log");
    let (succeeded, processor, trouble) = match watch_command(step, &log, patience) {
        Ok((succeeded, processor)) => (succeeded, processor, String::new()),
        Err(error) => (false, Duration::ZERO, format!("{error:#}\n")),
    };
    let bytes = fs::read(&log).unwrap_or_default();
    let output = trouble + &String::from_utf8_lossy(&bytes);
    let is_expected = step.failure == Failure::IsExpected;
    Report {
        name: step.name,
        verdict: if succeeded || is_expected {
            Verdict::Passed
        } else {
            Verdict::Failed
        },
        count: if is_expected {
            Count::default()
        } else {
            Count::of_step(&output, succeeded)
        },
        wall: started.elapsed(),
        processor,
        output,
    }
}

/// Runs a step's command with its output in a file. Whether it succeeded, and its processor time. What the command
/// waits for without end is ended, unless it builds: a linker may take long.
fn watch_command(step: &Step, log: &Path, patience: Duration) -> Result<(bool, Duration)> {
    let mut words = step.command.split_whitespace();
    let program = match words.next().context("a step has a command")? {
        "xtask" => std::env::current_exe()?,
        other => PathBuf::from(other),
    };
    let output = File::create(log).with_context(|| log.display().to_string())?;
    let child = Command::new(&program)
        .args(words)
        .current_dir(project::root())
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output)
        .spawn()
        .with_context(|| program.display().to_string())?;
    let (ending, ended) = channel();
    let waited = thread::scope(|scope| {
        if step.failure != Failure::EndsLane {
            let number = child.id();
            scope.spawn(move || stuck::watch_over(number, log, patience, &ended));
        }
        let waited = wait_with_usage(child.id());
        drop(ending);
        waited
    });
    let (exit, usage) =
        waited.map_err(|error| anyhow::anyhow!("the status of a child is lost: {error}"))?;
    Ok((exit == Exit::Status(0), usage.user + usage.system))
}

/// Whether a shell finds the condition true.
fn holds(condition: &str) -> bool {
    let status = Command::new("sh")
        .args(["-c", condition])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

impl Report {
    fn without_run(step: &'static Step, verdict: Verdict) -> Report {
        let (failed, skipped) = match verdict {
            Verdict::Skipped(_) => (0, 1),
            _ => (1, 0),
        };
        Report {
            name: step.name,
            verdict,
            count: Count {
                passed: 0,
                failed,
                skipped,
            },
            wall: Duration::ZERO,
            processor: Duration::ZERO,
            output: String::new(),
        }
    }
}

/// One line for a step that passed, with what it left out; all that it wrote for one that failed.
fn show(report: &Report) {
    let Report { name, count, .. } = report;
    let seconds = report.wall.as_secs();
    match report.verdict {
        Verdict::Passed => {
            println!("passed: {name} ({count}) in {seconds} s");
            let told = |line: &&str| NOTES.iter().any(|note| line.starts_with(note));
            for line in report.output.lines().filter(told) {
                println!("    {line}");
            }
        }
        Verdict::Failed => println!(
            "{}\nFAILED: {name} ({count}) in {seconds} s",
            report.output.trim_end()
        ),
        Verdict::Skipped(reason) => println!("skipped: {name}: {reason}"),
        Verdict::NotRun => {
            println!("FAILED: {name} was not run, because what it runs was not built")
        }
    }
}

/// The time since a moment that is given in seconds since 1970.
fn time_since(seconds: u64) -> Duration {
    let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    // Zero if somebody has set the clock back.
    moment.elapsed().unwrap_or_default()
}

/// Prints how long the build of this program took, then each step, then all: `wall` is that of all steps.
fn print_times(reports: &[Report], built: Duration, wall: Duration) {
    println!("\n   wall processor  step");
    if !built.is_zero() {
        println!("{:>6.0}s         -  xtask built", built.as_secs_f64());
    }
    for report in reports.iter().filter(|report| !report.wall.is_zero()) {
        let [wall, processor] = [report.wall, report.processor].map(|time| time.as_secs_f64());
        println!("{wall:>6.0}s {processor:>8.0}s  {}", report.name);
    }
    let processor: Duration = reports.iter().map(|report| report.processor).sum();
    let [wall, processor] = [built + wall, processor].map(|time| time.as_secs_f64());
    println!("{wall:>6.0}s {processor:>8.0}s  all\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &'static str, command: &'static str) -> Step {
        Step {
            name,
            command,
            needs: None,
            failure: Failure::Counts,
        }
    }

    fn counted(steps: Vec<Step>) -> (Vec<Report>, String) {
        counted_lane(Lane::of(steps.leak()))
    }

    fn counted_lane(lane: Lane) -> (Vec<Report>, String) {
        let logs = std::env::temp_dir().join(format!(
            "xtask-suite-{}-{}",
            std::process::id(),
            lane.steps[0].name
        ));
        fs::create_dir_all(&logs).unwrap();
        let reports = side_by_side(&[lane], &logs);
        fs::remove_dir_all(&logs).unwrap();
        let total: Count = reports.iter().map(|report| report.count).sum();
        (reports, total.to_string())
    }

    #[test]
    fn steps_are_counted_and_a_failure_keeps_nothing_else_from_running() {
        let (reports, total) = counted(vec![
            step("one", "echo 3 passed, 0 failed, 1 skipped"),
            step("two", "ls /no/such/file"),
            step("three", "true"),
            Step {
                needs: Some(("false", "it is never there")),
                ..step("four", "false")
            },
            step("five", "/no/such/program"),
        ]);
        assert_eq!(total, "4 passed, 2 failed, 2 skipped");
        assert!(reports[1].output.contains("/no/such/file"));
    }

    #[test]
    fn what_hangs_is_named_and_ended() {
        let logs = tempfile::tempdir().unwrap();
        let hangs: &'static Step = Box::leak(Box::new(step("hangs", "sleep 1000")));
        let report = run_step_with(hangs, logs.path(), Duration::from_secs(2));
        assert!(report.verdict == Verdict::Failed);
        assert!(report.output.contains("STUCK"), "{}", report.output);
    }

    #[test]
    fn what_a_failed_build_makes_is_not_run() {
        let build = Step {
            failure: Failure::EndsLane,
            ..step("build", "false")
        };
        let (reports, total) = counted(vec![build, step("use", "true")]);
        assert!(reports[1].verdict == Verdict::NotRun);
        assert_eq!(total, "0 passed, 2 failed");
    }
    #[test]
    fn lanes_behind_a_lane_run_when_it_has_ended_and_not_if_its_build_failed() {
        let then: &'static [Lane] = vec![
            Lane::of(vec![step("left", "true")].leak()),
            Lane::of(vec![step("right", "true")].leak()),
        ]
        .leak();
        for (command, expected) in [
            ("true", "3 passed, 0 failed"),
            ("false", "0 passed, 3 failed"),
        ] {
            let build = Step {
                failure: Failure::EndsLane,
                ..step("parting", command)
            };
            let steps: &'static [Step] = vec![build].leak();
            let (reports, total) = counted_lane(Lane { steps, then });
            assert_eq!(reports[0].name, "parting");
            assert_eq!(total, expected);
        }
    }
}
