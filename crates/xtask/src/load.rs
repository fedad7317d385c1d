//! `cargo xtask load`: five nodes of ferl and stock under a random load for some minutes
//! (`tests/load/cluster_load.erl`), with progress as it goes. The nodes check each other.

use crate::cluster::nodes::{self, MARK};
use crate::compile::Compiler;
use crate::project;
use crate::under_test::UnderTest;
use anyhow::{Context, Result};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, Command, ExitCode};
use std::thread;
use std::time::Duration;
use watch::marked;

/// How long nodes have time to end when their director has.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(clap::Args)]
pub(crate) struct LoadOptions {
    #[command(flatten)]
    under_test: UnderTest,
    /// Minutes under load.
    #[arg(long, value_name = "N", default_value_t = 5)]
    minutes: u32,
    /// What the disturbances are chosen by. The load itself depends on time, too.
    #[arg(long, default_value_t = 1)]
    seed: u32,
}

pub(crate) fn run(options: &LoadOptions) -> Result<ExitCode> {
    let place = project::target().join("load");
    let compiler = Compiler::usual()?;
    let sources: Vec<_> = ["support/cluster", "support/apart", "load/cluster_load"]
        .iter()
        .map(|name| {
            project::root()
                .join("tests")
                .join(name)
                .with_extension("erl")
        })
        .collect();
    print!("{}", compiler.batch(&[], &sources, &place)?);
    let stock = ::stock::usual()?;
    let ferl = options.under_test.path()?;
    let port = nodes::unused_port()?;
    let mark = format!("load-{}", std::process::id());
    let in_run = |program: &std::path::Path| {
        let mut command = Command::new(program);
        command
            .current_dir(&place)
            .env("HOME", &place)
            .env(MARK, &mark)
            .env("ERL_EPMD_PORT", port.to_string())
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .env("CLUSTER_A", &ferl)
            .env("CLUSTER_B", &stock.erl)
            .envs(stock.environment());
        command
    };
    let mut mapper = in_run(&project::port_mapper()?)
        .spawn()
        .context("the port mapper does not start")?;
    await_listening(port, &mut mapper)?;
    let status = in_run(&stock.erl)
        .args(["-noinput", "-pa"])
        .arg(&place)
        .args(["-s", "cluster_load", "start", "-extra"])
        .args([options.minutes.to_string(), options.seed.to_string()])
        .status();
    let _ = mapper.kill();
    let _ = mapper.wait();
    for left in marked::end(MARK, &mark, PATIENCE) {
        println!("still there: {left}");
    }
    let is_right = status.context("the director does not start")?.success();
    Ok(ExitCode::from(u8::from(!is_right)))
}

fn await_listening(port: u16, mapper: &mut Child) -> Result<()> {
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        if let Some(status) = mapper.try_wait()? {
            anyhow::bail!("the port mapper has ended: {status}");
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
