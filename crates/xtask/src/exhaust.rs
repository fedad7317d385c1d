//! `cargo xtask exhaust`: a full disk, no descriptors, no threads, no memory. A program
//! (`tests/generators/exhaustion.erl`) runs while some system calls of the node fail; the node must neither hang nor
//! crash nor lose a descriptor, and must do all of it once the calls succeed again. Its errors must be such as stock
//! has.
//!
//! `exhaust/fail.c`, which is compiled here, lets the calls fail from outside, so that ferl is the build that is
//! shipped, and stock is treated likewise. A first run counts the calls of each kind; in each of the others some of
//! them fail, and the first ones that do are spread over the whole run. With `--programs`, the programs of
//! `tests/programs` run so too. They do not expect calls to fail, so no more is asked of them than to end.

mod fault;
mod run;

use crate::count::Count;
use crate::differential::oracle::Oracle;
use crate::differential::program::{self, Program};
use crate::stock::{ReleaseOption, Stock};
use crate::under_test::UnderTest;
use crate::{compile, project};
use anyhow::{Context, Result, bail};
use fault::{Fault, KINDS, Kind};
use run::{Machine, Ran};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use watch::Invocation;

/// How many calls fail in one run, in turns: one, a few, or all from then on.
const COUNTS: [Option<u64>; 3] = [Some(1), None, Some(3)];

/// Enough for the calls that fail to be in three different rounds, and two sound ones.
const ROUNDS: u32 = 8;

/// What else a step may return, though few runs of stock or none show it, and why.
const ALSO: &[(&str, &str)] = &[
    ("{error,undef}", "a module could not be loaded"),
    (
        "command: {error,badarg}",
        "`os:cmd` says so of a port that cannot be opened",
    ),
    (
        "new_code: error",
        "the compiler could not load one of its modules",
    ),
];

#[derive(clap::Args)]
pub(crate) struct ExhaustOptions {
    #[command(flatten)]
    under_test: UnderTest,
    #[command(flatten)]
    release: ReleaseOption,
    /// Only these kinds of calls.
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Runs for each kind and error; 0 for one for each call that a run makes.
    #[arg(long, value_name = "N", default_value_t = 9)]
    points: u64,
    /// Where the first of the runs of each kind begins.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One run alone, which is named KIND:FROM:COUNT:ERROR as failures are; shows what it prints.
    #[arg(long, value_name = "FAULT")]
    only: Option<Fault>,
    /// Run stock so too: a step's errors must be among those that stock has.
    #[arg(long)]
    beside_stock: bool,
    /// Programs under tests/programs whose names contain one of these, instead of the one that is made for it.
    #[arg(long, value_name = "PART")]
    programs: Vec<String>,
    /// Runs at a time.
    #[arg(long, value_name = "N", default_value_t = 3)]
    jobs: usize,
}

/// What steps returned instead of what they should, with the error of the calls that failed, and a fault that shows it.
type Errors = BTreeMap<(String, String), String>;

/// What runs.
struct Subject {
    name: String,
    arguments: Vec<String>,
    /// Whether it is the program that is made for this.
    is_own: bool,
}

impl Subject {
    fn run(&self, machine: &Machine, fault: &Fault) -> Result<Ran> {
        let mut arguments = self.arguments.clone();
        if self.is_own {
            // Where a call fails until the end, more rounds show nothing new.
            let rounds = if fault.count.is_some() { ROUNDS } else { 1 };
            arguments.push(rounds.to_string());
        }
        machine.run(fault, &arguments)
    }
}

pub(crate) fn run(options: &ExhaustOptions) -> Result<ExitCode> {
    let Some(stock) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let place = project::target().join("generated").join("exhaust");
    fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
    let tool = compiled(&place)?;
    let path = options.under_test.path()?;
    let name = path.file_name().context("a path without a file name")?;
    let ferl = Machine {
        tool: tool.clone(),
        executables: name.to_string_lossy().into_owned(),
        path: path.clone(),
        invocation: Box::new(|tool, folder| {
            stock.booted_by(options.under_test.invocation(tool, folder))
        }),
    };
    let beside = Machine {
        tool,
        executables: "beam.smp,erl_child_setup".to_owned(),
        path: stock.erl.clone(),
        invocation: Box::new(Invocation::new),
    };
    let subjects = if options.programs.is_empty() {
        compile::generator(&stock.compiler, "exhaustion", &place)?;
        vec![own_subject(&place)]
    } else {
        corpus(&stock, &options.programs)?
    };
    let mut count = Count::default();
    for subject in &subjects {
        let judged = judge(
            subject,
            &ferl,
            options.beside_stock.then_some(&beside),
            options,
        )?;
        count = [count, judged].into_iter().sum();
    }
    println!("{count}");
    Ok(if count.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// `fail`, compiled into a folder.
fn compiled(place: &Path) -> Result<PathBuf> {
    let program = place.join("fail");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/exhaust/fail.c");
    let status = Command::new("cc")
        .args(["-O1", "-Wall", "-o"])
        .args([&program, &source])
        .status()
        .context("cannot run cc")?;
    if !status.success() {
        bail!("{} does not compile", source.display());
    }
    Ok(program)
}

fn own_subject(place: &Path) -> Subject {
    let place = place.to_string_lossy();
    let words = [
        "-noshell",
        "-pa",
        &place,
        "-s",
        "exhaustion",
        "start",
        "-extra",
    ];
    Subject {
        name: "exhaustion".to_owned(),
        arguments: words.map(str::to_owned).to_vec(),
        is_own: true,
    }
}

/// The programs of `tests/programs` that are asked for and can run here.
fn corpus(stock: &Stock, parts: &[String]) -> Result<Vec<Subject>> {
    let mut programs = program::discover(&project::root().join("tests/programs"))?;
    programs.retain(|program| project::is_asked_for(&program.name, parts));
    let present = stock.applications()?;
    programs.retain(|program| stock.runs(&program.releases));
    programs.retain(|program| program.needs.iter().all(|need| present.contains(need)));
    let oracle = Oracle::new(stock, &project::target().join("differential"), &[])?;
    let folders = oracle.compile(&programs)?;
    let of = |(program, folder): (&Program, std::result::Result<PathBuf, String>)| {
        let folder = folder.ok()?;
        let line = program.on(
            Invocation::new(Path::new("-"), Path::new(".")),
            &[&folder, &oracle.support],
        );
        let words = line
            .arguments
            .iter()
            .map(|word| word.to_string_lossy().into_owned());
        Some(Subject {
            name: program.name.clone(),
            arguments: words.collect(),
            is_own: false,
        })
    };
    Ok(programs.iter().zip(folders).filter_map(of).collect())
}

/// Runs a subject with each fault, prints what is wrong, and counts the runs.
fn judge(
    subject: &Subject,
    ferl: &Machine,
    beside: Option<&Machine>,
    options: &ExhaustOptions,
) -> Result<Count> {
    let sound = subject.run(ferl, &Fault::none())?;
    if !subject.is_own && !sound.end.is_success() {
        // What it does depends on the time that calls take, or on what a watched program cannot do.
        println!(
            "left out: {}, which ends without a fault with {}",
            subject.name, sound.end
        );
        return Ok(Count {
            skipped: 1,
            ..Count::default()
        });
    }
    if !sound.end.is_success() || subject.is_own && !sound.is_sound() {
        bail!(
            "{} without a fault: {}\n{}{}",
            subject.name,
            sound.end,
            sound.stdout,
            sound.stderr
        );
    }
    if sound.calls.values().all(|calls| *calls == 0) {
        bail!(
            "no call of an executable named {} was seen: if {} is a script, name the program that it runs",
            ferl.executables,
            ferl.path.display()
        );
    }
    if let Some(fault) = &options.only {
        let ran = subject.run(ferl, fault)?;
        let faults = wrong(subject, fault, &ran, &sound);
        println!(
            "{}{}{}\n{}",
            ran.stdout,
            ran.stderr,
            ran.failed.join("\n"),
            ran.end
        );
        return Ok(told(subject, fault, &ran, &faults));
    }
    let faults = faults(&sound, options);
    let runs = all_runs(ferl, &faults, subject, options.jobs)?;
    let mut count = Count::default();
    let mut errors = Errors::new();
    for (fault, ran) in faults.iter().zip(&runs) {
        let wrong = wrong(subject, fault, ran, &sound);
        count = [count, told(subject, fault, ran, &wrong)].into_iter().sum();
        for step in ran.faults() {
            let key = (fault.error.clone(), step.to_owned());
            errors.entry(key).or_insert_with(|| fault.to_string());
        }
    }
    if let Some(stock) = beside {
        count = [count, compared(subject, stock, errors, options)?]
            .into_iter()
            .sum();
    }
    Ok(count)
}

/// The faults of a session: for each kind and error, runs whose first calls that fail are spread over the calls that a
/// sound run makes.
fn faults(sound: &Ran, options: &ExhaustOptions) -> Vec<Fault> {
    let mut faults = Vec::new();
    let is_wanted =
        |kind: &&Kind| options.kind.is_empty() || options.kind.iter().any(|name| name == kind.name);
    for kind in KINDS.iter().filter(is_wanted) {
        let calls = kind.calls(|name| sound.calls.get(name).copied().unwrap_or(0));
        let runs = if options.points == 0 {
            calls
        } else {
            options.points.min(calls)
        };
        for (at, error) in kind.errors.iter().enumerate() {
            // Runs of several errors of one kind share its calls out among each other.
            for run in (0..runs).filter(|run| run % kind.errors.len() as u64 == at as u64) {
                let width = (calls / runs).max(1);
                let turn = run / kind.errors.len() as u64 + options.seed;
                faults.push(Fault {
                    kind: kind.name.to_owned(),
                    error: (*error).to_owned(),
                    from: 1 + run * calls / runs + options.seed.wrapping_mul(7919) % width,
                    count: COUNTS[turn as usize % COUNTS.len()],
                });
            }
        }
    }
    faults
}

/// Runs a subject with each of the faults, some at a time; the runs are in the order of the faults.
fn all_runs(
    machine: &Machine,
    faults: &[Fault],
    subject: &Subject,
    jobs: usize,
) -> Result<Vec<Ran>> {
    let next = AtomicUsize::new(0);
    let runs = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let at = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(fault) = faults.get(at)
                {
                    let ran = subject.run(machine, fault);
                    let mut runs = runs.lock().unwrap_or_else(PoisonError::into_inner);
                    runs.push((at, ran));
                }
            });
        }
    });
    let mut runs = runs.into_inner().unwrap_or_else(PoisonError::into_inner);
    runs.sort_by_key(|(at, _)| *at);
    runs.into_iter().map(|(_, ran)| ran).collect()
}

/// What is wrong with a run.
fn wrong(subject: &Subject, fault: &Fault, ran: &Ran, sound: &Ran) -> Vec<String> {
    let mut wrong: Vec<String> = ran.crash().into_iter().collect();
    if !subject.is_own {
        return wrong;
    }
    if ran.waited && ran.has_begun() {
        wrong.push("waits for ever".to_owned());
    } else if ran.is_done() {
        if fault.count.is_some() && !ran.is_sound() {
            wrong.push("does not do again what it did".to_owned());
        }
        for what in ["descriptors", "ports"] {
            if let (Some(now), Some(usual)) = (ran.number(what), sound.number(what))
                && now > usual
            {
                wrong.push(format!("keeps {now} {what}, not {usual}"));
            }
        }
    } else if ran.hung || ran.waited {
        // It has not started, and could not be told: see `Ran::crash`.
    } else if ran.end.is_success() {
        wrong.push("ends with status 0, and has not done its work".to_owned());
    } else if ran.stderr.trim().is_empty() && ran.stdout.trim().is_empty() {
        wrong.push("ends without a word".to_owned());
    }
    wrong
}

/// Prints what is wrong with a run, and counts it.
fn told(subject: &Subject, fault: &Fault, ran: &Ran, wrong: &[String]) -> Count {
    for what in wrong {
        println!("FAILED {} --only {fault}: {what}", subject.name);
    }
    if !wrong.is_empty() {
        for failed in ran.failed.iter().take(3) {
            println!("    {failed}");
        }
        let said = ran.stderr.lines().chain(ran.stdout.lines());
        for line in said.take(4) {
            println!("    {}", line.chars().take(200).collect::<String>());
        }
    }
    Count {
        passed: usize::from(wrong.is_empty()),
        failed: usize::from(!wrong.is_empty()),
        skipped: 0,
    }
}

/// Runs stock with the same kinds of faults, and counts the errors of ferl that are neither the system's own nor such
/// as stock has.
fn compared(
    subject: &Subject,
    stock: &Machine,
    errors: Errors,
    options: &ExhaustOptions,
) -> Result<Count> {
    let sound = subject.run(stock, &Fault::none())?;
    let faults = faults(&sound, options);
    let runs = all_runs(stock, &faults, subject, options.jobs)?;
    let mut known = BTreeSet::new();
    for (fault, ran) in faults.iter().zip(&runs) {
        for what in wrong(subject, fault, ran, &sound) {
            println!("stock, --only {fault}: {what}");
        }
        known.extend(ran.faults().map(str::to_owned));
    }
    let mut count = Count::default();
    for ((error, step), fault) in errors {
        let is_named = step.contains(&error.to_lowercase());
        if is_named || known.contains(&step) || ALSO.iter().any(|(said, _)| step.ends_with(said)) {
            count.passed += 1;
        } else {
            println!("UNLIKE STOCK --only {fault}: {step}");
            count.failed += 1;
        }
    }
    Ok(count)
}
