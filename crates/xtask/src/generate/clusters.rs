//! Scenarios on three nodes, by seed (`tests/support/scenario.erl`), run and judged as the programs under
//! `tests/cluster` are.

use crate::cluster::{self, ClusterOptions};
use crate::differential::program;
use crate::project;
use anyhow::{Context, Result};
use std::fs;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct ClustersOptions {
    /// The number of the first scenario.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Scenarios to run on each pair; each takes one to two seconds.
    #[arg(long, value_name = "N", default_value_t = 20)]
    count: u32,
    #[command(flatten)]
    cluster: ClusterOptions,
}

pub(super) fn run(options: &ClustersOptions) -> Result<ExitCode> {
    let place = project::target().join("generated").join("clusters");
    if place.is_dir() {
        fs::remove_dir_all(&place).with_context(|| place.display().to_string())?;
    }
    fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
    for number in options.seed..options.seed.saturating_add(options.count) {
        let module = format!("scenario_{number}");
        let text = format!(
            "%% timeout: 60\n%% args: -connect_all false\n-module({module}).\n-export([main/1]).\n\n\
             main([B]) -> scenario:main({number}, B).\n"
        );
        fs::write(place.join(format!("{module}.erl")), text)?;
    }
    cluster::run_all(program::discover(&place)?, &options.cluster)
}
