//! `ferl lab --service`: starts a service on a VM, puts it under load and measures the server alone. The rows of
//! services are started so, on every VM with the same client.
//!
//! A [`Stage`] is what a row gives: VM, flags, folder. Each service is a module: [`programs`] (in Erlang, which
//! do their own work), [`light`] (connections that come and go), [`commands`] (compilers, which are measured until
//! they end), [`rabbitmq`] with [`amqp`], [`web`], [`ejabberd`], [`database`]. [`server`] starts and ends servers,
//! [`processes`] reads what they use, [`load`] measures a piece of work, [`trips`] are the requests of clients that
//! wait for the answer, and [`threads`] shares clients out among threads.
//!
//! What counts is the processor time of the VM and of the programs that it starts, never that of clients. Invariant:
//! when the program ends, all that it has started has ended.

mod amqp;
mod commands;
mod database;
mod ejabberd;
mod light;
mod load;
mod processes;
mod programs;
mod rabbitmq;
mod server;
mod stage;
mod threads;
mod trips;
mod web;

use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::installed::find_program;
use stage::Stage;

/// `PROGRAMS SERVICE ARGUMENTS... -- VM FLAGS...` starts the service, and prints its figures: `processor: `
/// (microseconds for each unit of work), `kernel: ` (the kernel's share of that in percent), `rate: ` (units a second),
/// `p99: ` (microseconds), `load: ` and `rest: ` (bytes of resident memory); a command has its `time: ` (seconds). Not
/// every service has all of them.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let words: Vec<String> = arguments
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<()> {
    let expected = "expected PROGRAMS SERVICE ARGUMENTS... -- VM FLAGS...";
    let parts: Vec<&[String]> = words.splitn(2, |word| word == "--").collect();
    let [[programs, service, arguments @ ..], [vm, flags @ ..]] = parts[..] else {
        bail!(expected);
    };
    let stage = Stage {
        vm: find_program(vm).with_context(|| format!("{vm} was not found"))?,
        flags: flags.to_vec(),
        programs: PathBuf::from(programs),
        folder: std::env::current_dir().context("the current folder")?,
    };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match service.as_str() {
        "program" => programs::run(&stage, &arguments),
        "light" => light::run(&stage, &arguments),
        "command" => commands::run(&stage, &arguments),
        "rabbitmq" => rabbitmq::run(&stage, &arguments),
        "web" => web::run(&stage, &arguments),
        "ejabberd" => ejabberd::run(&stage, &arguments),
        "database" => database::run(&stage, &arguments),
        _ => bail!("no service is called {service}"),
    }
}
