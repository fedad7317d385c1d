//! Random patterns and tracees under load, by seed (`tests/generators/patterns.erl`).

use super::checked::{self, Checked};
use crate::stock::ReleaseOption;
use crate::under_test::UnderTest;
use anyhow::Result;
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct PatternsOptions {
    #[command(flatten)]
    under_test: UnderTest,
    #[command(flatten)]
    release: ReleaseOption,
    /// Other patterns.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Rounds; in each a process is traced alone.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: u32,
    /// Go on for this time instead.
    #[arg(long, value_name = "MINUTES")]
    minutes: Option<u64>,
}

const PATTERNS: Checked = Checked {
    module: "patterns",
    beside: &["traced"],
};

/// How long the end may take, or all of a run that counts rounds.
const PATIENCE: Duration = Duration::from_secs(900);

pub(super) fn run(options: &PatternsOptions) -> Result<ExitCode> {
    let time = Duration::from_secs(60 * options.minutes.unwrap_or_default());
    let words = [
        options.seed.into(),
        options.count.into(),
        time.as_millis() as u64,
    ];
    let timeout = time + PATIENCE * options.under_test.slowdown();
    checked::run(
        &PATTERNS,
        (&options.under_test, &options.release),
        timeout,
        &words,
        |_| true,
    )
}
