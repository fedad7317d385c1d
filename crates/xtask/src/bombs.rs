//! `cargo xtask bombs`: programs that take memory without end (`tests/bombs/bombs.erl`), each in a node that the kernel
//! kills when its control group has no more. The node must live, and a witness in it must go on answering.
//!
//! The groups are real ones, so this needs root; without, it is left out with a line. The programs of `bombs/kinds.rs`
//! run one after the other, for each group and number of schedulers. A table of all runs comes at the end, in Markdown.

mod group;
mod kinds;
mod run;
mod table;
mod witness;

use crate::compile::{self, Compiler};
use crate::count::Count;
use crate::project;
use crate::stock::Stock;
use anyhow::{Result, bail};
use group::Limit;
use kinds::KINDS;
use run::{Machine, Place};
use std::path::PathBuf;
use std::process::ExitCode;
use table::{Row, Table};

const SCHEDULERS: [u32; 3] = [1, 2, 8];

#[derive(clap::Args)]
pub(crate) struct BombsOptions {
    /// The machine under test [default: target/release/ferl].
    #[arg(long, value_name = "PATH")]
    ferl: Option<PathBuf>,
    /// What a node may take: 512M, what an idle node takes and 64 MB, or 6 GB as if that were the machine's [default:
    /// one after the other].
    #[arg(long, value_enum)]
    group: Vec<Limit>,
    /// `+S N:N` [default: 1, 2 and 8].
    #[arg(long, value_name = "N")]
    schedulers: Vec<u32>,
    /// Run each bomb on stock, too.
    #[arg(long)]
    against_stock: bool,
    /// Parts of the names of the kinds [default: all].
    kinds: Vec<String>,
}

pub(crate) fn run(options: &BombsOptions) -> Result<ExitCode> {
    if let Err(error) = group::Group::new(Limit::Small.bytes(0)) {
        println!("LEFT OUT: no memory group can be made: {error}");
        println!("0 passed, 0 failed, 1 skipped");
        return Ok(ExitCode::SUCCESS);
    }
    let kinds: Vec<_> = KINDS
        .iter()
        .filter(|kind| project::is_asked_for(kind.name, &options.kinds))
        .collect();
    if kinds.is_empty() {
        bail!("no kind matches; crates/xtask/src/bombs/kinds.rs has them");
    }
    let place = Place::new(compile_all()?)?;
    let stock = Stock::usual()?;
    let mut machines = vec![Machine::ferl(
        project::ferl(options.ferl.as_deref())?,
        &stock,
    )];
    if options.against_stock {
        machines.push(Machine::stock(&stock));
    }
    let mut table = Table::default();
    for limit in or_all(&options.group, &Limit::ALL) {
        for schedulers in or_all(&options.schedulers, &SCHEDULERS) {
            for machine in &machines {
                for kind in &kinds {
                    let seen = place.explode(machine, kind, limit, schedulers)?;
                    let row = Row {
                        machine: machine.name,
                        kind: kind.name,
                        limit,
                        schedulers,
                        seen,
                    };
                    println!("{row}");
                    table.push(row);
                }
            }
        }
    }
    println!("\n{table}");
    let failed = table.rows().filter(|row| row.is_wrong()).count();
    let count = Count {
        passed: table
            .rows()
            .filter(|row| row.machine == machines[0].name)
            .count()
            - failed,
        failed,
        skipped: 0,
    };
    println!("{count}");
    Ok(ExitCode::from(u8::from(failed > 0)))
}

fn or_all<T: Copy>(given: &[T], all: &[T]) -> Vec<T> {
    match given {
        [] => all.to_vec(),
        given => given.to_vec(),
    }
}

/// Compiles the programs, and the native library of one of them; returns the folder.
fn compile_all() -> Result<PathBuf> {
    let place = project::target().join("bombs");
    let tests = project::root().join("crates/cli/tests/memory_guard");
    let sources = [
        project::root().join("tests/bombs/bombs.erl"),
        tests.join("bomb.erl"),
        tests.join("natives.erl"),
        project::root().join("tests/bombs/module_00000000.erl"),
    ];
    let said = Compiler::usual()?.batch(&[], &sources, &place)?;
    let is_compiled = |source: &PathBuf| compile::beam_path(source, &place).is_file();
    if !sources.iter().all(is_compiled) {
        bail!("the bombs do not compile:\n{said}");
    }
    compile::library(&tests.join("natives.c"), &place)?;
    Ok(place)
}
