//! Walks through ETS tables while others write, by seed (`tests/generators/walks.erl`).

use super::checked::{self, Checked};
use crate::stock::ReleaseOption;
use crate::under_test::UnderTest;
use anyhow::Result;
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct WalksOptions {
    #[command(flatten)]
    under_test: UnderTest,
    #[command(flatten)]
    release: ReleaseOption,
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

const WALKS: Checked = Checked {
    module: "walks",
    beside: &[],
};

pub(super) fn run(options: &WalksOptions) -> Result<ExitCode> {
    let timeout = Duration::from_secs(options.timeout);
    let words = [options.seed, options.count].map(u64::from);
    checked::run(
        &WALKS,
        (&options.under_test, &options.release),
        timeout,
        &words,
        |line| options.each || !line.ends_with(" walks, 0 wrong") || line.contains(" rounds, "),
    )
}
