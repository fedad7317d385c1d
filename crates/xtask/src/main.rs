//! `cargo xtask`: the project's chores. Each one starts programs and judges what they print; none
//! links the virtual machine, so a chore works (and says what failed) while ferl does not.
#![forbid(unsafe_code)]

mod bifs;
mod compile;
mod differential;
mod disasm;
mod generate;
mod project;
mod rooms;
mod terminal;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "ferl's chores")]
struct CommandLine {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Run every program under tests/programs on ferl; its output must equal stock's.
    Differential(differential::Options),
    /// Show the machine code that ferl makes of a function.
    Disasm(disasm::Options),
    /// Count, module by module, which of stock's BIFs ferl's table has and lacks.
    Bifs(bifs::Options),
    /// Make calls or programs from a seed, and compare what they do on ferl and on stock.
    #[command(subcommand)]
    Generate(generate::Kind),
    /// Check which crate, and which module of a crate, uses which; `--write` notes what is used.
    Rooms(rooms::Options),
    /// Drive the shell of ferl and of stock in a terminal (tmux), and compare the screens.
    Terminal(terminal::Options),
}

fn main() -> ExitCode {
    let outcome = match CommandLine::parse().chore {
        Chore::Differential(options) => differential::run(&options),
        Chore::Disasm(options) => disasm::run(&options),
        Chore::Bifs(options) => bifs::run(&options),
        Chore::Generate(kind) => generate::run(&kind),
        Chore::Rooms(options) => rooms::run(&options),
        Chore::Terminal(options) => terminal::run(&options),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}
