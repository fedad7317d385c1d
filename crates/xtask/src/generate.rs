//! `cargo xtask generate`: calls and programs that nobody wrote, made from a seed, on ferl and on stock.

mod calls;
mod programs;

use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Subcommand)]
pub enum Kind {
    /// Call every BIF with good, edge and bad arguments: values, reasons and explanations must equal stock's.
    Calls(calls::Options),
    /// Run random programs: what they print must equal what they print on stock.
    Programs(programs::Options),
}

pub fn run(kind: &Kind) -> Result<ExitCode> {
    match kind {
        Kind::Calls(options) => calls::run(options),
        Kind::Programs(options) => programs::run(options),
    }
}
