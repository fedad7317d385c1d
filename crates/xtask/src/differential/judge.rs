//! Judging programs: each runs on the stages under test ([`Stage`]), and is compared with what stock prints.
//!
//! Each run gets machines of its own, so that a crash fails that run alone, and `--jobs` of them run at a time. Threads
//! share nothing but the list of programs and the results.
//!
//! A program that timed out, or whose output differs though it ended as it should, is judged again when all others have
//! ended, alone and against a new answer of stock. If it agrees each time it has passed, and is named: its output
//! depends on how busy the host is, which is a defect of the program. A crash or a wrong exit status fails at once.

use super::oracle::{Answer, Oracle, StockFailed};
use super::program::Program;
use crate::count::Count;
use crate::project;
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use similar::TextDiff;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use watch::{End, Outcome};

/// How often a program that differed beside others must agree alone.
const AGREEMENTS_ALONE: usize = 2;

#[derive(clap::Args)]
pub(crate) struct JudgeOptions {
    /// Only programs whose path below their folder contains one of these.
    filter: Vec<String>,
    /// Not the programs whose path contains this.
    #[arg(long, value_name = "PART")]
    skip: Vec<String>,
    /// Also the programs in the folder `later`, which are not expected to pass yet.
    #[arg(long)]
    later: bool,
    /// Run stock again, also where its answer is kept.
    #[arg(long)]
    fresh: bool,
    /// Programs running at a time.
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,
    /// Lines of a difference that are shown for one program.
    #[arg(long, value_name = "N", default_value_t = 40)]
    lines: usize,
    /// Only name the programs that fail, with the reason in one line each.
    #[arg(long)]
    brief: bool,
    /// Name the programs that took longest.
    #[arg(long, value_name = "N", default_value_t = 0)]
    slowest: usize,
}

impl JudgeOptions {
    /// The programs that are asked for. Those in the folder `long` take minutes: a filter must name the folder.
    pub(crate) fn select(&self, programs: Vec<Program>) -> Vec<Program> {
        let names = |folder: &str| self.filter.iter().any(|part| part.contains(folder));
        let wants_later = self.later || names("later");
        let wants_long = names("long/");
        programs
            .into_iter()
            .filter(|program| project::is_asked_for(&program.name, &self.filter))
            .filter(|program| !self.skip.iter().any(|part| program.name.contains(part)))
            .filter(|program| wants_later || !program.name.starts_with("later/"))
            .filter(|program| wants_long || !program.name.starts_with("long/"))
            .collect()
    }
}

/// Where a program runs: on one machine, or on several that are one cluster. `code` are the folders of its code.
pub(crate) trait Stage: Sync {
    /// What stands behind the program's name in the report.
    fn label(&self) -> String;

    /// A run that only stock has a part in: what it prints is expected.
    fn expected(&self, program: &Program, code: &[&Path]) -> Result<Outcome>;

    /// Tells answers of [`Stage::expected`] that differ from stage to stage apart; empty where they do not.
    fn place(&self) -> String {
        String::new()
    }

    /// A run of what is judged.
    fn judged(&self, program: &Program, code: &[&Path]) -> Result<Outcome>;
}

/// Judges programs on one stage after the other, and reports. `oracle` keeps what stock prints, once for each
/// [`Stage::place`].
pub(crate) fn judge(
    programs: Vec<Program>,
    oracle: &Oracle<'_>,
    stages: &[&dyn Stage],
    options: &JudgeOptions,
) -> Result<ExitCode> {
    if programs.is_empty() {
        bail!("no program matches");
    }
    let programs = programs
        .into_iter()
        .filter(|program| oracle.stock.runs(&program.releases));
    let applications = oracle.stock.applications()?;
    let (programs, left_out): (Vec<Program>, Vec<Program>) =
        programs.partition(|program| program.needs.iter().all(|name| applications.contains(name)));
    let compiled = oracle.compile(&programs)?;
    let progress = ProgressBar::new((programs.len() * stages.len()) as u64);
    progress.set_style(ProgressStyle::with_template(
        "{pos:>4}/{len} {bar:30} {msg}",
    )?);
    let mut verdicts = Vec::new();
    for stage in stages {
        let judge = Judge {
            programs: &programs,
            compiled: &compiled,
            oracle,
            stage: *stage,
            options,
        };
        let mut of_stage = judge.all(&progress);
        judge.again(&mut of_stage, &progress);
        verdicts.extend(of_stage);
    }
    progress.finish_and_clear();
    report(&verdicts, &left_out, options);
    let has_failed = verdicts.iter().any(|verdict| verdict.failure.is_some());
    Ok(ExitCode::from(u8::from(has_failed)))
}

/// What it takes to judge the programs on one stage.
struct Judge<'a> {
    programs: &'a [Program],
    /// For each program its code, or what the compiler said.
    compiled: &'a [Result<PathBuf, String>],
    oracle: &'a Oracle<'a>,
    stage: &'a dyn Stage,
    options: &'a JudgeOptions,
}

impl<'a> Judge<'a> {
    /// Judges every program, several at a time. The verdicts are in the order of the programs.
    fn all(&self, progress: &ProgressBar) -> Vec<Verdict<'a>> {
        let next = AtomicUsize::new(0);
        let verdicts = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..self.options.jobs.max(1) {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(program) = self.programs.get(index) else {
                            return;
                        };
                        let name = program.name.clone() + &self.stage.label();
                        progress.set_message(name.clone());
                        let started = Instant::now();
                        let failure = self.first(index);
                        let wall = started.elapsed();
                        let verdict = Verdict {
                            name,
                            program,
                            failure,
                            passed_alone: None,
                            wall,
                        };
                        let mut verdicts = verdicts.lock().unwrap_or_else(|e| e.into_inner());
                        verdicts.push((index, verdict));
                        progress.inc(1);
                    }
                });
            }
        });
        let mut verdicts = verdicts.into_inner().unwrap_or_else(|e| e.into_inner());
        verdicts.sort_by_key(|(index, _)| *index);
        verdicts.into_iter().map(|(_, verdict)| verdict).collect()
    }

    fn first(&self, index: usize) -> Option<Failure> {
        let program = &self.programs[index];
        match &self.compiled[index] {
            Ok(folder) => self.judge(program, folder, self.options.fresh),
            Err(said) => Some(Failure {
                summary: "does not compile".into(),
                details: said.clone(),
                may_be_the_host: false,
            }),
        }
    }

    /// Judges those again that may have failed because the host was busy, now that nothing else runs.
    fn again(&self, verdicts: &mut [Verdict], progress: &ProgressBar) {
        for (verdict, folder) in verdicts.iter_mut().zip(self.compiled) {
            let Ok(folder) = folder else { continue };
            let Some(first) = verdict.failure.take_if(|failure| failure.may_be_the_host) else {
                continue;
            };
            let program = verdict.program;
            progress.set_message(format!("{} again, alone", verdict.name));
            verdict.failure = (0..AGREEMENTS_ALONE).find_map(|_| self.judge(program, folder, true));
            if verdict.failure.is_none() {
                verdict.passed_alone = Some(first);
            }
        }
    }

    /// Runs one program and compares, with a new answer of stock if that is asked for. `None` is agreement.
    fn judge(&self, program: &Program, folder: &Path, fresh: bool) -> Option<Failure> {
        let compare = || -> Result<Option<Failure>> {
            let expected = match &program.expected {
                Some(written) => written.clone(),
                None => self.oracle.ask(program, folder, fresh, self.stage)?,
            };
            let code = [folder, &self.oracle.support];
            let outcome = self.stage.judged(program, &code)?;
            Ok(difference(&expected, &outcome, self.options.lines))
        };
        compare().unwrap_or_else(|error| Some(Failure::of_error(&error)))
    }
}

/// A program that was judged. No failure is agreement.
struct Verdict<'a> {
    /// The program's name, and what the stage adds to it.
    name: String,
    program: &'a Program,
    failure: Option<Failure>,
    /// How it differed beside others, if it agreed when it was judged again.
    passed_alone: Option<Failure>,
    wall: Duration,
}

/// Prints the failures, what else is worth a line, and the count.
fn report(verdicts: &[Verdict], left_out: &[Program], options: &JudgeOptions) {
    for verdict in verdicts {
        let Some(failure) = &verdict.failure else {
            continue;
        };
        println!("FAILED {}: {}", verdict.name, failure.summary);
        failure.print_details(options);
    }
    for verdict in verdicts {
        let Some(failure) = &verdict.passed_alone else {
            continue;
        };
        println!(
            "PASSED ALONE {}, but beside others: {}",
            verdict.name, failure.summary
        );
        failure.print_details(options);
    }
    for Program { name, needs, .. } in left_out {
        println!(
            "LEFT OUT {name}: it needs {}, which is not installed",
            needs.join(", ")
        );
    }
    let mut by_time: Vec<&Verdict> = verdicts.iter().collect();
    by_time.sort_by_key(|verdict| std::cmp::Reverse(verdict.wall));
    for verdict in by_time.iter().take(options.slowest) {
        println!("{:>6.1} s {}", verdict.wall.as_secs_f64(), verdict.name);
    }
    let failed = verdicts
        .iter()
        .filter(|verdict| verdict.failure.is_some())
        .count();
    let count = Count {
        passed: verdicts.len() - failed,
        failed,
        skipped: left_out.len(),
    };
    println!("{count}");
}

/// Why a program failed: one line, and the details.
struct Failure {
    summary: String,
    details: String,
    /// Both machines ended as they should or were late, or only stock did not.
    may_be_the_host: bool,
}

impl Failure {
    fn of_error(error: &anyhow::Error) -> Self {
        Failure {
            summary: format!("{error:#}"),
            details: String::new(),
            may_be_the_host: error.is::<StockFailed>(),
        }
    }

    fn print_details(&self, options: &JudgeOptions) {
        if !options.brief && !self.details.is_empty() {
            println!("{}\n", self.details.trim_end());
        }
    }
}

/// How a run differs from what is expected. `None` is agreement.
fn difference(expected: &Answer, outcome: &Outcome, lines: usize) -> Option<Failure> {
    let end_agrees = outcome.end == End::Exited(expected.status);
    if end_agrees && outcome.stdout == expected.stdout {
        return None;
    }
    let wanted = String::from_utf8_lossy(&expected.stdout);
    let found = String::from_utf8_lossy(&outcome.stdout);
    let mut summary = if end_agrees {
        "output differs".to_owned()
    } else {
        outcome.end.to_string()
    };
    if let Some(line) = first_difference(&wanted, &found) {
        summary.push_str(&format!(", first at line {line}"));
    }
    if let Some(complaint) = outcome.first_complaint().filter(|_| !end_agrees) {
        summary.push_str(&format!(": {complaint}"));
    }
    let mut details = shown_difference(&wanted, &found, lines);
    if !end_agrees {
        let words = outcome.last_words(12);
        if !words.is_empty() {
            details.push_str(&format!("last words:\n{words}\n"));
        }
    }
    Some(Failure {
        summary,
        details,
        may_be_the_host: end_agrees || matches!(outcome.end, End::TimedOut(_)),
    })
}

fn first_difference(wanted: &str, found: &str) -> Option<usize> {
    let mut wanted = wanted.lines();
    let mut found = found.lines();
    for line in 1.. {
        match (wanted.next(), found.next()) {
            (None, None) => return None,
            (a, b) if a != b => return Some(line),
            _ => {}
        }
    }
    None
}

fn shown_difference(wanted: &str, found: &str, lines: usize) -> String {
    let whole = TextDiff::from_lines(wanted, found)
        .unified_diff()
        .context_radius(2)
        .header("stock", "ferl")
        .to_string();
    let mut shown: String = whole
        .lines()
        .take(lines)
        .map(|line| format!("{line}\n"))
        .collect();
    let left = whole.lines().count().saturating_sub(lines);
    if left > 0 {
        shown.push_str(&format!("... and {left} lines more\n"));
    }
    shown
}

/// The working directory of one run, removed with everything the program left in it.
pub(crate) struct Scratch(pub PathBuf);

impl Scratch {
    pub(crate) fn new(program: &Program) -> Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "xtask-{}-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed),
            program.module
        );
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover in the temporary folder harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}
