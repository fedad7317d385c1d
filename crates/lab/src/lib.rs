//! The lab: runs experiments on ferl and on other Erlang VMs in turns, from outside, and compares what they take.
//!
//! The life of a session: [`rows`] declare what there is, [`plan`] takes what is asked for, [`programs`] are compiled,
//! [`vms`] are found and started once, [`session`] runs the cells in rounds ([`measure`] is one run), [`lines`]
//! makes figures and ratios of them ([`statistics`] says what a difference is), and what was found ([`results`]) is
//! shown as a [`table`], a page or JSON. [`client`] is what some rows start as a program of its own.
//!
//! Invariant: the lab links nothing of the virtual VM, and learns about it only what the system shows and the
//! programs print. One thread.

#![forbid(unsafe_code)]

mod client;
mod host;
mod lines;
mod measure;
mod options;
mod plan;
mod programs;
mod report;
mod results;
mod rows;
mod session;
mod show;
mod statistics;
mod summary;
mod syscalls;
mod table;
mod view;
mod vms;

use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use options::Options;
use programs::Programs;
use results::Session;
use session::{Lab, Settings};

/// The exit status when nothing could be run.
const NOTHING_DONE: u8 = 2;

/// `ferl lab` with what follows these words. The status is 0 if all that was asked for was done on every VM, 1 if
/// something failed, 2 if nothing could be run.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter().peekable();
    // What an experiment starts, not what somebody types.
    if arguments.next_if(|word| word == "--client").is_some() {
        return client::main(arguments);
    }
    let options = match Options::read(arguments) {
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

/// Answers whether all went well.
fn run(options: &Options) -> Result<bool> {
    if options.list {
        list();
        return Ok(true);
    }
    let mut problems = Vec::new();
    let outputs = Outputs::open(options, &mut problems);
    let session = match &options.from {
        Some(path) => read(path)?,
        None => measure(options, problems)?,
    };
    let mut text = table::table(&session).to_string();
    for line in table::closing(&session) {
        text.push('\n');
        text.push_str(&line);
    }
    say(&text);
    let written = outputs.write(&session);
    Ok(session.is_complete() && written)
}

fn measure(options: &Options, mut problems: Vec<String>) -> Result<Session> {
    let plan = plan::plan(
        rows::all(),
        &options.experiments,
        options.set(),
        &mut problems,
    );
    let ferl = match &options.ferl {
        Some(path) => path
            .canonicalize()
            .with_context(|| path.display().to_string())?,
        None => std::env::current_exe().context("where ferl is")?,
    };
    let vms = vms::find(&ferl, &options.against, &mut problems)?;
    let programs = Programs::compiled(&vms[0].path, &vms[0].root)?;
    // Said before the long part as well as after it, where it would be missed.
    for problem in &problems {
        eprintln!("ferl lab: {problem}");
    }
    let settings = Settings {
        set: options.set(),
        rounds: options.runs,
        timeout: options.timeout.map(Duration::from_secs),
        memory_bytes: options.memory.map(|megabytes| megabytes << 20),
    };
    Lab::new(&settings, &vms, &programs).run(&plan, problems)
}

/// Where results are written, opened before hours of work.
struct Outputs {
    files: Vec<(PathBuf, Form)>,
}

#[derive(Clone, Copy)]
enum Form {
    Json,
    Markdown,
    Page,
}

impl Outputs {
    fn open(options: &Options, problems: &mut Vec<String>) -> Outputs {
        let mut files = Vec::new();
        let wanted = [
            (&options.json, Form::Json),
            (&options.markdown, Form::Markdown),
            (&options.report, Form::Page),
        ];
        for (path, form) in wanted {
            let Some(path) = path else { continue };
            // What is there stays until there is something better.
            match File::options().create(true).append(true).open(path) {
                Ok(_) => files.push((path.clone(), form)),
                Err(error) => {
                    problems.push(format!("{} cannot be written: {error}", path.display()))
                }
            }
        }
        Outputs { files }
    }

    /// Answers whether all of them were written.
    fn write(&self, session: &Session) -> bool {
        let mut done = true;
        for (path, form) in &self.files {
            let text = match form {
                Form::Json => serde_json::to_string_pretty(session).map_err(anyhow::Error::from),
                Form::Markdown => summary::summary(&view::view(session)),
                Form::Page => report::page(session),
            };
            let written = text.and_then(|text| {
                fs::write(path, text)
                    .with_context(|| format!("{} cannot be written", path.display()))
            });
            match written {
                Ok(()) => say(&format!("Written: {}", shown(path))),
                Err(error) => {
                    eprintln!("ferl lab: {error:#}");
                    done = false;
                }
            }
        }
        done
    }
}

fn shown(path: &Path) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    absolute.display().to_string()
}

fn read(path: &Path) -> Result<Session> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("{name} cannot be read"))?;
    serde_json::from_str(&text).with_context(|| format!("{name} is not what --json writes"))
}

fn list() {
    let mut text = String::new();
    for row in rows::all() {
        let set = if row.in_quick { "" } else { " (full set)" };
        text.push_str(&format!("{:<32} {}{set}\n", row.key(), row.about));
    }
    say(text.trim_end());
}

/// Prints; a reader that has gone away is no error.
fn say(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}
