//! Coverage of OTP's BIFs. (The table to compare with lands with `isa`.)

use anyhow::Result;
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct Options {}

pub fn run(_options: &Options) -> Result<ExitCode> {
    anyhow::bail!("the BIF table has not landed yet")
}
