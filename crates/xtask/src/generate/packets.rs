//! Packets of another node, sound and damaged, by seed (`tests/generators/packets.erl`).
//!
//! They are not compared with stock, which 25.2 does not survive. The generator counts what the node keeps when the
//! connections have ended.

use super::place;
use super::verdict::told;
use crate::compile;
use crate::stock::ReleaseOption;
use crate::under_test::UnderTest;
use anyhow::Result;
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct PacketsOptions {
    #[command(flatten)]
    under_test: UnderTest,
    #[command(flatten)]
    release: ReleaseOption,
    /// Other packets.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Packets to send; 500,000 take about ten seconds.
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    count: u32,
    /// Seconds that all of it may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
    timeout: u64,
}

pub(super) fn run(options: &PacketsOptions) -> Result<ExitCode> {
    let Some(stock) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let place = place::of("packets", &stock)?;
    compile::generator(&stock.compiler, "packets", &place)?;
    let machine = options.under_test.path()?;
    let outcome = stock
        .booted_by(options.under_test.invocation(&machine, &place))
        .timeout(Duration::from_secs(options.timeout))
        .arg("-noshell")
        .arg("-pa")
        .arg(&place)
        .args(["-s", "packets", "start", "-extra"])
        .args([options.seed.to_string(), options.count.to_string()])
        .run()?;
    Ok(told(&outcome))
}
