//! `cargo xtask differential`: every program under `tests/programs` runs on the machine under test,
//! and its output and exit status must equal those on stock.
//!
//! Each version of a program is compiled once, and run once on stock: the code and stock's answer are kept under
//! `target/differential`, under a hash of everything that may change them ([`oracle`]). [`judge`] says what a difference
//! means.

mod judge;
mod oracle;
pub mod program;

use crate::project;
use crate::under_test::UnderTest;
use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use judge::Judge;
use oracle::Oracle;
use program::Program;
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct DifferentialOptions {
    #[command(flatten)]
    under_test: UnderTest,
    /// Only programs whose path below tests/programs contains one of these.
    filter: Vec<String>,
    /// Also the programs in tests/programs/later, which are not expected to pass yet.
    #[arg(long)]
    later: bool,
    /// Run stock again, also where its answer is kept.
    #[arg(long)]
    fresh: bool,
    /// Machines running at a time.
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

pub fn run(options: &DifferentialOptions) -> Result<ExitCode> {
    let ferl = options.under_test.path()?;
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
    let oracle = Oracle::new(&project::target().join("differential"))?;
    let judge = Judge {
        compiled: oracle.compile(&programs)?,
        programs: &programs,
        ferl,
        oracle,
        options,
    };
    let progress = ProgressBar::new(programs.len() as u64);
    progress.set_style(ProgressStyle::with_template(
        "{pos:>4}/{len} {bar:30} {msg}",
    )?);
    let mut verdicts = judge.all(&progress);
    judge.again(&mut verdicts, &progress);
    progress.finish_and_clear();
    judge::report(&verdicts, &left_out, options);
    let has_failed = verdicts.iter().any(|verdict| verdict.failure.is_some());
    Ok(ExitCode::from(u8::from(has_failed)))
}

fn select(programs: Vec<Program>, options: &DifferentialOptions) -> Vec<Program> {
    let wants_later = options.later || options.filter.iter().any(|part| part.contains("later"));
    programs
        .into_iter()
        .filter(|program| project::is_asked_for(&program.name, &options.filter))
        .filter(|program| wants_later || !program.name.starts_with("later/"))
        .collect()
}
