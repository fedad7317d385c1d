//! `cargo xtask generate`: calls and programs that nobody wrote, made from a seed, on ferl and on stock.

mod calls;

use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Subcommand)]
pub enum Kind {
    /// Call every BIF with good, edge and bad arguments: values, reasons and explanations must equal stock's.
    Calls(calls::Options),
}

pub fn run(kind: &Kind) -> Result<ExitCode> {
    match kind {
        Kind::Calls(options) => calls::run(options),
    }
}
