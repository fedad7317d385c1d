//! `cargo xtask`: the project's chores. None links the virtual machine: they start programs and judge what these print,
//! so that a chore still works, and tells what failed, when ferl does not.
#![forbid(unsafe_code)]

mod bifs;
mod bombs;
mod cluster;
mod compile;
mod count;
mod counts;
mod decisions;
mod dependencies;
mod differential;
mod disasm;
mod exhaust;
mod generate;
mod lines;
mod load;
mod nif_functions;
mod otp_suites;
mod project;
mod rooms;
mod soak;
mod stock;
mod suite;
mod tails;
mod terminal;
mod under_test;

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
    Differential(differential::DifferentialOptions),
    /// Run every program under tests/cluster on two nodes, of which each is ferl or stock; both must print what two of
    /// stock do.
    Cluster(cluster::ClusterOptions),
    /// Count the instructions of some programs under valgrind, and compare them with those stored in bench/counts.json.
    Counts(counts::CountsOptions),
    /// Check licences, duplicates and sources of what the workspace depends on, as deny.toml allows them.
    Dependencies,
    /// Check the records of decisions and their index; `--write` writes the index.
    Decisions(decisions::DecisionsOptions),
    /// Show the machine code that ferl makes of a function.
    Disasm(disasm::DisasmOptions),
    /// Have calls of the system fail, each in its turn, and see that the node lives, says so and keeps nothing.
    Exhaust(exhaust::ExhaustOptions),
    /// Explode programs that take memory without end in nodes in real control groups, which must live and answer.
    Bombs(bombs::BombsOptions),
    /// Count, module by module, which of stock's BIFs ferl's table has and lacks.
    Bifs(bifs::BifsOptions),
    /// Show which functions for native libraries exist, and which the tests call.
    NifFunctions,
    /// Make calls or programs from a seed, and compare what they do on ferl and on stock.
    #[command(subcommand)]
    Generate(generate::Generator),
    /// Show the lines of more than 120 columns.
    Lines,
    /// Put five nodes of ferl and stock under a random load, with kills and partitions, and count what is wrong.
    Load(load::LoadOptions),
    /// Count what runs of OTP's own test suites have left, and name what fails without a reason in
    /// tests/otp-suites.txt.
    OtpSuites(otp_suites::OtpSuitesOptions),
    /// Check which crate, and which module of a crate, uses which; `--write` notes what is used.
    Rooms(rooms::RoomsOptions),
    /// Run programs again and again in one node, and report what grows from round to round.
    Soak(soak::SoakOptions),
    /// Read the code of a release: whether the bodies of all operations end in jumps.
    Tails(tails::TailsOptions),
    /// Run everything that a change must pass, and tell how long each step took.
    Test(suite::SuiteOptions),
    /// Drive the shell of ferl and of stock in a terminal (tmux), and compare the screens.
    Terminal(terminal::TerminalOptions),
}

fn main() -> ExitCode {
    let outcome = match CommandLine::parse().chore {
        Chore::Differential(options) => differential::run(&options),
        Chore::Cluster(options) => cluster::run(&options),
        Chore::Counts(options) => counts::run(&options),
        Chore::Dependencies => dependencies::run(),
        Chore::Decisions(options) => decisions::run(&options),
        Chore::Disasm(options) => disasm::run(&options),
        Chore::Exhaust(options) => exhaust::run(&options),
        Chore::Bombs(options) => bombs::run(&options),
        Chore::Bifs(options) => bifs::run(&options),
        Chore::NifFunctions => nif_functions::run(),
        Chore::Generate(generator) => generate::run(&generator),
        Chore::Lines => lines::run(),
        Chore::Load(options) => load::run(&options),
        Chore::OtpSuites(options) => otp_suites::run(&options),
        Chore::Rooms(options) => rooms::run(&options),
        Chore::Soak(options) => soak::run(&options),
        Chore::Test(options) => suite::run(&options),
        Chore::Tails(options) => tails::run(&options),
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
