//! Programs of `experiments` that do their work by themselves: Mnesia, a node that is almost idle, a pool before a
//! database. `measured.erl` has the words between them and this.

use anyhow::Result;
use std::process::Command;

use super::load::{rest, under_load};
use super::server::Server;
use super::stage::{Stage, number};

/// `UNITS ARGUMENTS...`: the VM gets the arguments, and does so many units of work.
pub(super) fn run(stage: &Stage, arguments: &[&str]) -> Result<()> {
    let (units, arguments) = arguments.split_first().unwrap_or((&"", &[]));
    measure(stage, number(units)?, arguments)
}

/// Starts the VM with these arguments, and measures the work between the words.
pub(super) fn measure(stage: &Stage, units: u64, arguments: &[&str]) -> Result<()> {
    let log = stage.folder.join("program.log");
    let (server, mut talk) = Server::start_talking(command(stage).args(arguments), &log)?;
    talk.expect(&server, "begin")?;
    let ((), load) = under_load(&server, || {
        talk.say("go")?;
        talk.expect(&server, "end").map(|_| ())
    })?;
    load.print(units);
    loop {
        match talk.expect(&server, "")?.as_str() {
            "reported" => break,
            figure => println!("{figure}"),
        }
    }
    rest(&server);
    Ok(())
}

/// The VM with the programs of the experiments.
pub(super) fn command(stage: &Stage) -> Command {
    let mut command = Command::new(&stage.vm);
    command
        .args(&stage.flags)
        .args(["-noshell", "-pa"])
        .arg(&stage.programs);
    command
}
