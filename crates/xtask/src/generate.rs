//! `cargo xtask generate`: random calls and programs, made from a seed and compared on ferl and on stock.

mod calls;
mod programs;

use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Subcommand)]
pub enum Generator {
    /// Call every BIF with good, edge and bad arguments: values, reasons and explanations must equal stock's.
    Calls(calls::CallsOptions),
    /// Run random programs: what they print must equal what they print on stock.
    Programs(programs::ProgramsOptions),
}

pub fn run(generator: &Generator) -> Result<ExitCode> {
    match generator {
        Generator::Calls(options) => calls::run(options),
        Generator::Programs(options) => programs::run(options),
    }
}
