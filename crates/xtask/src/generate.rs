//! `cargo xtask generate`: random calls and programs, made from a seed and compared on ferl and on stock, and random
//! scenarios of processes and of nodes, walks through tables, and what other nodes say: handshakes and packets.

mod calls;
mod checked;
mod choices;
mod clusters;
mod handshakes;
mod packets;
mod paired;
mod patterns;
mod peers;
mod place;
mod processes;
pub(crate) mod programs;
mod shrink;
mod steps;
mod verdict;
mod walks;

use anyhow::Result;
use clap::Subcommand;
use paired::Scenarios;
use std::process::ExitCode;

#[derive(Subcommand)]
pub(crate) enum Generator {
    /// Call every BIF with good, edge and bad arguments: values, reasons and explanations must equal stock's.
    Calls(calls::CallsOptions),
    /// Run scenarios on three nodes of both kinds: what they print must equal what nodes of stock print.
    Clusters(clusters::ClustersOptions),
    /// Call functions of `crypto` with every algorithm, with good and bad arguments: what comes of it must be as on
    /// stock.
    Crypto(paired::PairedOptions),
    /// Connect to a node as sound and damaged peers do: it must live, and keep nothing of them.
    Handshakes(handshakes::HandshakesOptions),
    /// Call the C interface at random from all kinds of threads, with kills and purges: all must be destroyed and told.
    Natives(paired::PairedOptions),
    /// Call the functions that take options with every option that the release documents, and values of each kind: what
    /// comes of it must be as on stock.
    Options(paired::PairedOptions),
    /// Feed a connection with sound and damaged packets: the node must live, and keep nothing of them.
    Packets(packets::PacketsOptions),
    /// Change patterns and tracees at random while processes run and code is loaded: what is traced must be told.
    Patterns(patterns::PatternsOptions),
    /// Talk to a node as a hostile peer does: a process of it must answer all the time, and it must keep nothing.
    Peers(peers::PeersOptions),
    /// Run scenarios of many processes, whose outcome the language fixes: on ferl and on stock.
    Processes(processes::ProcessesOptions),
    /// Run random programs: what they print must equal what they print on stock.
    Programs(programs::ProgramsOptions),
    /// Trace processes with random flags, patterns and match specifications: events and answers must be those of stock.
    Traces(paired::PairedOptions),
    /// Walk through ETS tables while others write: every object that stays must be met once.
    Walks(walks::WalksOptions),
}

const CRYPTO: Scenarios = Scenarios {
    module: "cryptography",
    beside: &[],
    library: None,
    flags: &[],
    batch: 2000,
    steps: None,
};

const NATIVES: Scenarios = Scenarios {
    module: "natives",
    beside: &["native_library"],
    library: Some("native_library"),
    flags: &["+native_checks", "true"],
    batch: 100,
    steps: Some(40),
};

const OPTIONS: Scenarios = Scenarios {
    module: "options",
    beside: &[],
    library: None,
    // The first heap that stock gives, as processes are asked for it.
    flags: &["+hms", "233"],
    batch: 4000,
    steps: None,
};

const TRACES: Scenarios = Scenarios {
    module: "traces",
    beside: &["traced"],
    library: None,
    flags: &[],
    batch: 50,
    steps: Some(20),
};

pub(crate) fn run(generator: &Generator) -> Result<ExitCode> {
    match generator {
        Generator::Calls(options) => calls::run(options),
        Generator::Clusters(options) => clusters::run(options),
        Generator::Crypto(options) => paired::run(&CRYPTO, options),
        Generator::Handshakes(options) => handshakes::run(options),
        Generator::Natives(options) => paired::run(&NATIVES, options),
        Generator::Options(options) => paired::run(&OPTIONS, options),
        Generator::Packets(options) => packets::run(options),
        Generator::Patterns(options) => patterns::run(options),
        Generator::Peers(options) => peers::run(options),
        Generator::Processes(options) => processes::run(options),
        Generator::Programs(options) => programs::run(options),
        Generator::Traces(options) => paired::run(&TRACES, options),
        Generator::Walks(options) => walks::run(options),
    }
}
