//! `cargo xtask differential`: every program under `tests/programs` runs on the machine under test,
//! and what it prints and its exit status must equal those on stock.
//!
//! A program is compiled once, and stock's answer is asked once, for each version of its text: both
//! are kept under `target/differential`, under a hash of everything that may change them. Machines
//! run one per program, so that a crash fails that program alone, and as many at a time as there are
//! processors. Threads share nothing but the list of programs and the results.
//!
//! A program whose output differs though it ended as it should is judged again when all others have
//! ended, alone and against a new answer of stock: many programs watch processes, ports and sockets,
//! and a busy host can make either machine late. Only one that agrees each time then has passed, and
//! it is named. A crash, a hang or a wrong exit status has failed at once.

mod oracle;
mod program;

use crate::project;
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use oracle::{Answer, Oracle, StockFailed};
use program::Program;
use similar::TextDiff;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use watch::{End, Invocation, Outcome};

/// Under collect-always every allocation may cost a collection.
const COLLECT_ALWAYS_SLOWDOWN: u32 = 15;

#[derive(clap::Args)]
pub struct Options {
    /// The machine under test [default: target/release/ferl].
    #[arg(long, value_name = "PATH")]
    ferl: Option<PathBuf>,
    /// Only programs whose path below tests/programs contains one of these.
    filter: Vec<String>,
    /// Have the machine under test collect at every safepoint (FERL_COLLECT_ALWAYS=1).
    #[arg(long)]
    collect_always: bool,
    /// Schedulers of the machine under test: adds `+S N:N`.
    #[arg(long, value_name = "N")]
    schedulers: Option<u32>,
    /// Run threaded code instead of machine code (`-emu_flavor emu`).
    #[arg(long)]
    emu: bool,
    /// Also the programs in tests/programs/later, which are not expected to pass yet.
    #[arg(long)]
    later: bool,
    /// Machines running at a time.
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,
    /// Lines of a difference that are shown for one program.
    #[arg(long, value_name = "N", default_value_t = 40)]
    lines: usize,
    /// Only name the programs that fail, with the reason in one line each.
    #[arg(long)]
    brief: bool,
}

/// How often a program that differed beside others must agree alone.
const AGREEMENTS_ALONE: usize = 2;

/// Why a program failed: one line, and the details.
struct Failure {
    summary: String,
    details: String,
    /// Both machines ended as they should, or it was stock that did not.
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
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let ferl = project::ferl(options.ferl.as_deref())?;
    let programs = select(
        program::discover(&project::root().join("tests/programs"))?,
        options,
    );
    if programs.is_empty() {
        bail!("no program matches");
    }
    let applications = project::applications()?;
    let (programs, left_out): (Vec<Program>, Vec<Program>) = programs
        .into_iter()
        .partition(|program| program.needs.iter().all(|name| applications.contains(name)));
    let kept = project::target().join("differential");
    let oracle = Oracle::new(&kept)?;
    let compiled = oracle.compile(&programs)?;

    let progress = ProgressBar::new(programs.len() as u64);
    progress.set_style(ProgressStyle::with_template(
        "{pos:>4}/{len} {bar:30} {msg}",
    )?);
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Option<Failure>)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(program) = programs.get(index) else {
                        return;
                    };
                    progress.set_message(program.name.clone());
                    let failure = match &compiled[index] {
                        Ok(folder) => judge(program, folder, &ferl, &oracle, options)
                            .unwrap_or_else(|error| Some(Failure::of_error(&error))),
                        Err(said) => Some(Failure {
                            summary: "does not compile".into(),
                            details: said.clone(),
                            may_be_the_host: false,
                        }),
                    };
                    results
                        .lock()
                        .unwrap_or_else(|e| e.into_inner())
                        .push((index, failure));
                    progress.inc(1);
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|(index, _)| *index);
    let mut alone = Vec::new();
    for (index, failure) in &mut results {
        let (Some(first), Ok(folder)) = (failure.as_ref(), &compiled[*index]) else {
            continue;
        };
        if !first.may_be_the_host {
            continue;
        }
        let program = &programs[*index];
        progress.set_message(format!("{} again, alone", program.name));
        match judge_alone(program, folder, &ferl, &oracle, options) {
            None => {
                alone.push(format!("{}: {}", program.name, first.summary));
                *failure = None;
            }
            again => *failure = again,
        }
    }
    progress.finish_and_clear();

    let mut failed = 0;
    for (index, failure) in &results {
        let Some(failure) = failure else { continue };
        failed += 1;
        println!("FAILED {}: {}", programs[*index].name, failure.summary);
        if !options.brief && !failure.details.is_empty() {
            println!("{}\n", failure.details.trim_end());
        }
    }
    for first in &alone {
        println!("PASSED ALONE, but beside others {first}");
    }
    for program in &left_out {
        let needs = program.needs.join(", ");
        println!(
            "LEFT OUT {}: it needs {needs}, which is not installed",
            program.name
        );
    }
    let passed = results.len() - failed;
    match alone.len() {
        0 => println!("{passed} passed, {failed} failed"),
        some => println!("{passed} passed ({some} of them only alone), {failed} failed"),
    }
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn select(programs: Vec<Program>, options: &Options) -> Vec<Program> {
    let asked_for = |program: &Program| {
        options
            .filter
            .iter()
            .any(|part| program.name.contains(part.as_str()))
    };
    programs
        .into_iter()
        .filter(|program| options.filter.is_empty() || asked_for(program))
        .filter(|program| {
            let wants_later =
                options.later || options.filter.iter().any(|part| part.contains("later"));
            wants_later || !program.name.starts_with("later/")
        })
        .collect()
}

/// Judges a program again when nothing else runs, each time against a new answer of stock. `None` is
/// agreement every time.
fn judge_alone(
    program: &Program,
    folder: &Path,
    ferl: &Path,
    oracle: &Oracle,
    options: &Options,
) -> Option<Failure> {
    (0..AGREEMENTS_ALONE).find_map(|_| {
        oracle
            .forget(program)
            .and_then(|()| judge(program, folder, ferl, oracle, options))
            .unwrap_or_else(|error| Some(Failure::of_error(&error)))
    })
}

/// Runs one program on the machine under test and compares. `None` is agreement.
fn judge(
    program: &Program,
    folder: &Path,
    ferl: &Path,
    oracle: &Oracle,
    options: &Options,
) -> Result<Option<Failure>> {
    let expected = match &program.expected {
        Some(written) => written.clone(),
        None => oracle.ask(program, folder)?,
    };
    let outcome = run_on_ferl(program, folder, ferl, oracle, options)?;
    let end_agrees = outcome.end == End::Exited(expected.status);
    if end_agrees && outcome.stdout == expected.stdout {
        return Ok(None);
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
    let mut details = difference(&wanted, &found, options.lines);
    if !end_agrees {
        let words = outcome.last_words(12);
        if !words.is_empty() {
            details.push_str(&format!("last words:\n{words}\n"));
        }
    }
    Ok(Some(Failure {
        summary,
        details,
        may_be_the_host: end_agrees,
    }))
}

fn run_on_ferl(
    program: &Program,
    folder: &Path,
    ferl: &Path,
    oracle: &Oracle,
    options: &Options,
) -> Result<Outcome> {
    let scratch = Scratch::new(program)?;
    let mut invocation = Invocation::new(ferl, &scratch.0).timeout(program.timeout);
    if let Some(count) = options.schedulers {
        invocation = invocation.arg("+S").arg(format!("{count}:{count}"));
    }
    if options.emu {
        invocation = invocation.arg("-emu_flavor").arg("emu");
    }
    if options.collect_always {
        invocation = invocation
            .env("FERL_COLLECT_ALWAYS", "1")
            .timeout(program.timeout * COLLECT_ALWAYS_SLOWDOWN);
    }
    program.on(invocation, &[folder, &oracle.support]).run()
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

fn difference(wanted: &str, found: &str, lines: usize) -> String {
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

/// A folder of its own for one run, removed with everything the program left in it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(program: &Program) -> Result<Self> {
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
