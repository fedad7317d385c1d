//! The lab: runs experiments on ferl and on other Erlang VMs in turns, and compares what it measures from outside.
//!
//! A session goes through these modules: [`rows`] declares the [`experiment`]s, [`plan`] selects some of them,
//! [`programs`] compiles the Erlang sources, [`vms`] finds the VMs, [`session`] runs each cell in rounds
//! ([`mod@measure`] is one run), [`pace`] keeps the time and [`screen`] shows the progress. [`lines`] computes figures
//! and ratios ([`statistics`] decides what counts as a difference). The [`results`] are shown as a [`table`], a page
//! ([`report`]), a summary, a picture ([`headline`]) or JSON. What is kept of them ([`saved`]) is compared
//! ([`compare`]) and becomes a page of the repository ([`digest`]). [`client`] is a separate program that some
//! experiments start, and so is [`service`], which starts and measures what users run.
//!
//! Invariant: the lab links nothing of the virtual machine. All it knows of a VM is what the operating system shows and
//! what the programs print. One thread.

#![forbid(unsafe_code)]

mod cache;
mod client;
mod compare;
mod digest;
mod experiment;
mod headline;
mod host;
mod installed;
mod lines;
mod measure;
mod options;
mod outputs;
mod pace;
mod plan;
mod programs;
mod report;
mod results;
mod rows;
mod saved;
mod screen;
mod service;
mod session;
mod show;
mod statistics;
mod summary;
mod syscalls;
mod table;
mod view;
mod vms;

use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use options::{LabOptions, Task};
use outputs::{Outputs, Stored};
use programs::Programs;
use results::Session;
use saved::Checkout;
use screen::say;
use session::{Lab, SessionSettings};
use table::Table;

/// The exit status when nothing could be run.
const NOTHING_DONE: u8 = 2;

/// The options of `ferl lab`, for those who describe them.
#[must_use]
pub fn command() -> clap::Command {
    <LabOptions as clap::CommandFactory>::command()
}

/// Runs `ferl lab` with the arguments that follow these words. The exit status is 0 if everything was done on every VM,
/// 1 if something failed, and 2 if nothing could be run.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter().peekable();
    // Experiments start these; users do not, so they are not among the options.
    if arguments.next_if(|word| word == "--client").is_some() {
        return client::main(arguments);
    }
    if arguments.next_if(|word| word == "--service").is_some() {
        return service::main(arguments);
    }
    let options = match LabOptions::read(arguments) {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(NOTHING_DONE));
        }
    };
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("ferl lab: {error:#}");
            ExitCode::from(NOTHING_DONE)
        }
    }
}

/// Returns whether everything was done.
fn run(options: &LabOptions) -> Result<bool> {
    match &options.task {
        Some(Task::Compare(words)) => return compare::run(words),
        Some(Task::Results(choice)) => return digest::run(choice),
        None => {}
    }
    if options.list {
        list();
        return Ok(true);
    }
    let mut problems = Vec::new();
    let outputs = Outputs::open(options, &mut problems);
    let stored = match &options.from {
        Some(path) => outputs::read(path)?,
        None => Stored::Session(Box::new(measure(options, problems)?)),
    };
    let is_complete = match &stored {
        Stored::Session(session) => {
            if options.from.is_some() {
                for row in Table::of(session, screen::columns()).rows(session) {
                    say(&row);
                }
            }
            for line in table::closing(session) {
                say(&line);
            }
            session.is_complete()
        }
        Stored::Headline(headline) => {
            for line in headline.lines() {
                say(&line);
            }
            true
        }
    };
    let written = outputs.write(&stored);
    if let (true, Stored::Session(session)) = (options.save, &stored) {
        outputs::save(session)?;
    }
    Ok(is_complete && written)
}

fn measure(options: &LabOptions, mut problems: Vec<String>) -> Result<Session> {
    let began = Instant::now();
    let set = options.set();
    let planned = plan::plan(rows::all(), &options.experiments, set, &mut problems);
    if planned.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    let ferl = ferl(options)?;
    // Before the runs: a session that cannot be kept would have been in vain.
    let checkout = options.save.then(Checkout::here).transpose()?;
    let commit = match (&options.commit, &checkout) {
        (Some(commit), _) => saved::short(commit).to_owned(),
        (None, Some(checkout)) => checkout.commit_of(&ferl)?,
        (None, None) => String::new(),
    };
    // Until the plan is printed, seconds may pass on a busy host.
    say("Starting each VM once, and compiling the programs of the experiments if they are new.");
    let vms = vms::find(&ferl, &options.against, &mut problems)?;
    let otp = &vms.last().context("no VM")?.root;
    let is_installed = |place: &str| installed::is_installed(place, otp);
    let (plan, mut left_out) = plan::runnable(planned, is_installed);
    if options.experiments.iter().any(|name| !plan::is_group(name)) {
        // What was asked for by name is missed.
        problems.extend(left_out.take());
    }
    let programs = Programs::compiled(&vms[0])?;
    // The problems are printed again at the end; here they can be seen before the long part begins.
    for problem in &problems {
        eprintln!("ferl lab: {problem}");
    }
    let settings = SessionSettings {
        set,
        rounds: options.runs,
        timeout: options.timeout.map(Duration::from_secs),
        memory_bytes: options.memory.map(|megabytes| megabytes << 20),
        time_limit: options.within.map(Duration::from_secs),
        note: options.note.clone().unwrap_or_default(),
        commit,
        command: options.command.clone(),
        began,
    };
    let mut session = Lab::run(&settings, &vms, &programs, &plan, problems);
    let said: Vec<String> = left_out.into_iter().chain(session.left_out).collect();
    session.left_out = (!said.is_empty()).then(|| said.join(" "));
    Ok(session)
}

/// The path of the ferl to measure.
fn ferl(options: &LabOptions) -> Result<PathBuf> {
    match &options.ferl {
        Some(path) => path
            .canonicalize()
            .with_context(|| path.display().to_string()),
        None => std::env::current_exe().context("the path of this executable is unknown"),
    }
}

fn list() {
    for row in rows::all() {
        let set = row.set.name();
        say(&format!("{set:<8} {:<34} {}", row.key(), row.about));
    }
}
