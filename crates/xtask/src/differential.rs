//! `cargo xtask differential`: every program under `tests/programs` runs on the machine under test,
//! and its output and exit status must equal those on stock.
//!
//! Each version of a program is compiled once, and run once on stock: the code and stock's answer are kept under
//! `target/differential`, under a hash of everything that may change them ([`oracle`]). [`judge`] says what a
//! difference means. With `--release 27` all of it is done with stock of that release: its compiler, its answers, and
//! its libraries below the machine under test.

pub(crate) mod judge;
pub(crate) mod oracle;
pub(crate) mod program;

use crate::project;
use crate::stock::{ReleaseOption, Stock};
use crate::under_test::UnderTest;
use anyhow::Result;
use judge::{JudgeOptions, Scratch, Stage};
use oracle::Oracle;
use program::Program;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use watch::{Invocation, Outcome};

#[derive(clap::Args)]
pub(crate) struct DifferentialOptions {
    #[command(flatten)]
    under_test: UnderTest,
    #[command(flatten)]
    release: ReleaseOption,
    #[command(flatten)]
    judging: JudgeOptions,
}

pub(crate) fn run(options: &DifferentialOptions) -> Result<ExitCode> {
    let Some(stock) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let one_node = OneNode {
        stock: &stock,
        ferl: options.under_test.path()?,
        under_test: &options.under_test,
    };
    let programs = program::discover(&project::root().join("tests/programs"))?;
    let oracle = Oracle::new(&stock, &project::target().join("differential"), &[])?;
    judge::judge(
        options.judging.select(programs),
        &oracle,
        &[&one_node],
        &options.judging,
    )
}

/// Each program on a machine that is alone.
struct OneNode<'a> {
    stock: &'a Stock,
    ferl: PathBuf,
    under_test: &'a UnderTest,
}

impl Stage for OneNode<'_> {
    fn label(&self) -> String {
        String::new()
    }

    fn expected(&self, program: &Program, code: &[&Path]) -> Result<Outcome> {
        let scratch = Scratch::new(program)?;
        let invocation = Invocation::new(&self.stock.erl, &scratch.0).timeout(program.timeout * 2);
        program.on(invocation, code).run()
    }

    fn judged(&self, program: &Program, code: &[&Path]) -> Result<Outcome> {
        let scratch = Scratch::new(program)?;
        let invocation = self
            .under_test
            .invocation(&self.ferl, &scratch.0)
            .timeout(program.timeout * self.under_test.slowdown());
        let invocation = self.stock.booted_by(invocation);
        program.on(invocation, code).run()
    }
}
