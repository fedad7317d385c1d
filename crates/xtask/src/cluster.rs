//! `cargo xtask cluster`: every program under `tests/cluster` runs on two nodes, each of which is ferl or stock, and
//! prints what it prints when both are stock.
//!
//! The program's `main/1` runs on `a@localhost` with the other's name, `b@localhost`, as its argument;
//! `tests/support/cluster.erl` is what it does the rest with. The programs are judged as those on one node are
//! ([`differential`](crate::differential)). [`nodes`] starts and ends what a run needs.

pub(crate) mod nodes;

use crate::differential::judge::{self, JudgeOptions, Stage};
use crate::differential::oracle::Oracle;
use crate::differential::program::{self, Program};
use crate::project;
use crate::stock::{ReleaseOption, Stock};
use crate::under_test::UnderTest;
use anyhow::{Context, Result, anyhow};
use nodes::Nodes;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;
use watch::{Invocation, Outcome};

#[derive(clap::Args)]
pub(crate) struct ClusterOptions {
    #[command(flatten)]
    under_test: UnderTest,
    #[command(flatten)]
    judging: JudgeOptions,
    #[command(flatten)]
    release: ReleaseOption,
    /// What the nodes a and b are.
    #[arg(
        long,
        value_name = "A-B",
        value_delimiter = ',',
        default_value = "ferl-stock,stock-ferl,ferl-ferl"
    )]
    pairs: Vec<Pair>,
    /// `erl` of another release, for pairs with `other` in them. Expected is what stock does in ferl's place.
    #[arg(long, value_name = "PATH")]
    other: Option<PathBuf>,
    /// How often each program runs on each pair.
    #[arg(long, value_name = "N", default_value_t = 1)]
    times: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Machine {
    Ferl,
    Stock,
    /// Stock of another release.
    Other,
}

/// What the nodes `a` and `b` are.
#[derive(Clone, Copy)]
struct Pair {
    a: Machine,
    b: Machine,
}

pub(crate) fn run(options: &ClusterOptions) -> Result<ExitCode> {
    let programs = program::discover(&project::root().join("tests/cluster"))?;
    run_all(programs, options)
}

/// Runs programs on each of the pairs that are asked for.
pub(crate) fn run_all(programs: Vec<Program>, options: &ClusterOptions) -> Result<ExitCode> {
    let Some(stock) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let machines = Machines::new(&stock, options)?;
    let stages: Vec<OnPair> = options
        .pairs
        .iter()
        .flat_map(|&pair| iter::repeat_n(pair, options.times))
        .map(|pair| OnPair {
            pair,
            machines: &machines,
        })
        .collect();
    let stages: Vec<&dyn Stage> = stages.iter().map(|stage| stage as &dyn Stage).collect();
    let oracle = Oracle::new(&stock, &project::target().join("cluster"), &nodes::FLAGS)?;
    judge::judge(
        options.judging.select(programs),
        &oracle,
        &stages,
        &options.judging,
    )
}

/// Where the machines are.
struct Machines<'a> {
    stock: &'a Stock,
    /// Not asked for if no pair needs it.
    ferl: Option<PathBuf>,
    other: Option<&'a Path>,
    under_test: &'a UnderTest,
    /// The libraries that ferl boots, also where a node of another release starts it and leaves it the place of its
    /// own.
    libraries: (&'static str, &'a Path),
}

impl<'a> Machines<'a> {
    fn new(stock: &'a Stock, options: &'a ClusterOptions) -> Result<Self> {
        let needs_ferl = options.pairs.iter().any(|pair| pair.has(Machine::Ferl));
        Ok(Machines {
            stock,
            ferl: needs_ferl.then(|| options.under_test.path()).transpose()?,
            other: options.other.as_deref(),
            under_test: &options.under_test,
            libraries: (::stock::LIBRARIES, &stock.root),
        })
    }

    fn invocation(&self, machine: Machine, nodes: &Nodes) -> Result<Invocation> {
        let folder = nodes.folder();
        match machine {
            Machine::Stock if self.stock.environment().is_some() => {
                let erl = nodes.started_with_port(&self.stock.erl, "stock")?;
                Ok(Invocation::new(&erl, folder))
            }
            Machine::Stock => Ok(Invocation::new(&self.stock.erl, folder)),
            Machine::Other => {
                let other = self.other.context("a pair with `other` needs --other")?;
                Ok(Invocation::new(
                    &nodes.started_with_port(other, "other")?,
                    folder,
                ))
            }
            Machine::Ferl => {
                let ferl = self.ferl.as_ref().ok_or_else(|| anyhow!("no ferl"))?;
                Ok(self.under_test.invocation(ferl, folder))
            }
        }
    }
}

/// Each program on two nodes.
struct OnPair<'a> {
    pair: Pair,
    machines: &'a Machines<'a>,
}

impl OnPair<'_> {
    fn run(
        &self,
        pair: Pair,
        program: &Program,
        code: &[&Path],
        timeout: Duration,
    ) -> Result<Outcome> {
        let nodes = Nodes::new(program, code, timeout)?;
        let (name, libraries) = &self.machines.libraries;
        let node = |machine| -> Result<Invocation> {
            let invocation = self.machines.invocation(machine, &nodes)?;
            Ok(invocation.env(name, &libraries.to_string_lossy()))
        };
        nodes.run(node(pair.a)?, node(pair.b)?)
    }
}

impl Stage for OnPair<'_> {
    fn label(&self) -> String {
        format!(" on {}", self.pair)
    }

    fn expected(&self, program: &Program, code: &[&Path]) -> Result<Outcome> {
        self.run(self.pair.expected(), program, code, program.timeout * 2)
    }

    fn place(&self) -> String {
        let expected = self.pair.expected();
        match self.machines.other {
            Some(other) if expected.has(Machine::Other) => {
                format!("{expected} {}", other.display())
            }
            _ => String::new(),
        }
    }

    fn judged(&self, program: &Program, code: &[&Path]) -> Result<Outcome> {
        let timeout = program.timeout * self.machines.under_test.slowdown();
        self.run(self.pair, program, code, timeout)
    }
}

impl Pair {
    fn has(self, machine: Machine) -> bool {
        [self.a, self.b].contains(&machine)
    }

    /// The pair with stock in ferl's place.
    fn expected(self) -> Pair {
        let expected = |machine| match machine {
            Machine::Ferl => Machine::Stock,
            Machine::Stock | Machine::Other => machine,
        };
        Pair {
            a: expected(self.a),
            b: expected(self.b),
        }
    }
}

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let machine = |name: &str| match name {
            "ferl" => Ok(Machine::Ferl),
            "stock" => Ok(Machine::Stock),
            "other" => Ok(Machine::Other),
            _ => Err(format!("{name:?} is none of ferl, stock and other")),
        };
        let (a, b) = text
            .split_once('-')
            .ok_or("two machines with a hyphen between")?;
        Ok(Pair {
            a: machine(a)?,
            b: machine(b)?,
        })
    }
}

impl std::fmt::Display for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |machine| match machine {
            Machine::Ferl => "ferl",
            Machine::Stock => "stock",
            Machine::Other => "other",
        };
        write!(f, "{}-{}", name(self.a), name(self.b))
    }
}
