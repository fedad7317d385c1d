//! Walks through ETS tables while others write, by seed (`tests/generators/walks.erl`).
//!
//! They are not compared with stock: what a walk must meet follows from the language, and the generator knows it.

use crate::under_test::UnderTest;
use crate::{compile, project};
use anyhow::{Context, Result};
use std::fs;
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub struct WalksOptions {
    #[command(flatten)]
    under_test: UnderTest,
    /// Other tables and walks.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Walks, rounded up to whole rounds.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: u32,
    /// Name every kind of table and walk with its count.
    #[arg(long)]
    each: bool,
    /// Seconds that all walks may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 900)]
    timeout: u64,
}

pub fn run(options: &WalksOptions) -> Result<ExitCode> {
    let place = project::target().join("generated").join("walks");
    fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
    compile::generator("walks", &place)?;
    let machine = options.under_test.path()?;
    let outcome = options
        .under_test
        .invocation(&machine, &place)
        .timeout(Duration::from_secs(options.timeout))
        .arg("-noshell")
        .arg("-pa")
        .arg(&place)
        .args(["-s", "walks", "start", "-extra"])
        .args([options.seed.to_string(), options.count.to_string()])
        .run()?;
    let said = String::from_utf8_lossy(&outcome.stdout);
    for line in said.lines() {
        if options.each || !line.ends_with(" walks, 0 wrong") || line.contains(" rounds, ") {
            println!("{line}");
        }
    }
    if outcome.end.is_success() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}: {}", outcome.end, outcome.last_words(1));
    Ok(ExitCode::FAILURE)
}
