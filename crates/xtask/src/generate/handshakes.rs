//! Handshakes of nodes that are none, sound and damaged, by seed (`tests/generators/handshakes.erl`).
//!
//! They are not compared with stock: the handshake is OTP's code on both. The generator counts what the node keeps when
//! all have ended.

use super::place;
use super::verdict::told;
use crate::compile;
use crate::stock::ReleaseOption;
use crate::under_test::UnderTest;
use anyhow::Result;
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct HandshakesOptions {
    #[command(flatten)]
    under_test: UnderTest,
    #[command(flatten)]
    release: ReleaseOption,
    /// Other handshakes.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Handshakes to begin.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    count: u32,
    /// Seconds that all of it may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    timeout: u64,
}

pub(super) fn run(options: &HandshakesOptions) -> Result<ExitCode> {
    let Some(stock) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let place = place::of("handshakes", &stock)?;
    compile::generator(&stock.compiler, "handshakes", &place)?;
    let machine = options.under_test.path()?;
    let outcome = stock
        .booted_by(options.under_test.invocation(&machine, &place))
        .timeout(Duration::from_secs(options.timeout))
        .arg("-noshell")
        .arg("-pa")
        .arg(&place)
        .args(["-name", "own@127.0.0.1", "-setcookie", "a cookie"])
        .args(["-start_epmd", "false", "-epmd_module", "handshakes"])
        .args(["-kernel", "net_setuptime", "1"])
        .args(["-s", "handshakes", "start", "-extra"])
        .args([options.seed.to_string(), options.count.to_string()])
        .run()?;
    Ok(told(&outcome))
}
