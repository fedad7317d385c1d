//! A hostile peer of a node, by seed (`tests/generators/peers.erl`): it is run by stock, and starts the machine under
//! test. A process of that must answer all the time.

use super::place;
use super::verdict::told;
use crate::compile;
use crate::stock::ReleaseOption;
use crate::under_test::UnderTest;
use anyhow::Result;
use std::process::ExitCode;
use std::time::Duration;
use watch::Invocation;

#[derive(clap::Args)]
pub(crate) struct PeersOptions {
    #[command(flatten)]
    under_test: UnderTest,
    #[command(flatten)]
    release: ReleaseOption,
    /// Other cases: their numbers are drawn with it.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// The number of the first case.
    #[arg(long, value_name = "N", default_value_t = 1)]
    first: u32,
    /// Cases to play; a hundred take about ten seconds.
    #[arg(long, value_name = "N", default_value_t = 300)]
    count: u32,
    /// Seconds that all of it may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    timeout: u64,
}

pub(super) fn run(options: &PeersOptions) -> Result<ExitCode> {
    let Some(stock) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let place = place::of("peers", &stock)?;
    compile::generator(&stock.compiler, "peers", &place)?;
    let machine = options.under_test.path()?;
    let node = stock.booted_by(options.under_test.invocation(&machine, &place));
    let mut peer = Invocation::new(&stock.erl, &place)
        .timeout(Duration::from_secs(options.timeout))
        .arg("-noshell")
        .arg("-pa")
        .arg(&place)
        .args(["-s", "peers", "start", "-extra"])
        .args([options.seed, options.first, options.count].map(|number| number.to_string()))
        .arg(&machine)
        .args(&node.arguments);
    // The node gets them from the peer, to which they mean nothing.
    peer.environment = node.environment;
    let outcome = peer.run()?;
    Ok(told(&outcome))
}
